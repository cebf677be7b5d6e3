from __future__ import annotations

import doctest
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.reports import ci
from summeval_pytest.reports.cases import failing_pairs
from summeval_pytest.reports.ci import (
    Annotation,
    annotation_lines,
    pull_request_comment,
    quality_pieces,
    step_summary,
)
from summeval_pytest.reports.markdown import cell, code, head
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.pair import Shortfall
from summeval_pytest.verdict.run import Pairs, RunVerdict
from tests.reports.records import (
    CHANGE,
    COMPARISON,
    FACET,
    FM,
    STRANGERS,
    TRUSTED,
    UNMEASURED,
    at,
    everything,
    failing,
    golden,
    hostile_run,
    in_other_words,
    mean,
    measured,
    passing,
    record,
    run,
    small_run,
    suite,
    system,
    undecided,
    untrusted,
    waived,
)

COMMANDING = "%:,;=#[] \n\r\u2028\u00a0\x1b2A05D"
texts = st.text(alphabet=st.sampled_from(COMMANDING), max_size=30) | st.text(max_size=30)


@dataclass(frozen=True)
class Command:
    """A workflow command as a runner understands it."""

    name: str
    properties: Mapping[str, str]
    data: str


DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def unescaped(text: str, codes: tuple[tuple[str, str], ...]) -> str:
    """One code after the other, in the runner's order."""
    for written, character in codes:
        text = text.replace(written, character)
    return text


def commands(*lines: str) -> list[Command]:
    """An oracle: how actions/runner reads lines of output (ActionCommand.cs, 2.3xx).

    Each of them must be a command.
    """
    result = []
    for line in lines:
        assert line.startswith("::")
        head, data = line[2:].split("::", 1)
        name, _, rest = head.partition(" ")
        pairs = [part.split("=", 1) for part in rest.strip().split(",") if "=" in part]
        properties = {key: unescaped(value, PROPERTY) for key, value in pairs}
        result.append(Command(name, properties, unescaped(data, DATA)))
    return result


def titles(*lines: str) -> list[str]:
    """The titles of these annotations."""
    return [command.properties["title"] for command in commands(*lines)]


@pytest.mark.parametrize("n_failing", [9, 10, 11, 500])
def test_there_are_never_more_than_ten_lines(n_failing: int) -> None:
    """A runner drops the eleventh error of a step without a word, so the tenth line counts."""
    # A green run of three papers must not be read as a verdict on twelve, so that a gap is told.
    pairs = [*(failing(f"p{number}") for number in range(n_failing - 1)), undecided()]
    lines = list(annotation_lines(record(*pairs)))
    assert len(lines) == min(n_failing, 10)
    papers = (*(pair.paper for pair in pairs), "more")
    part = record(*pairs, systems=(system(papers=papers, means=()),))
    gap, *_, last = commands(*annotation_lines(part))
    assert (gap.name, gap.properties["title"]) == ("warning", "only a part of the gate")
    assert f"{n_failing} of {n_failing + 1} pairs" in gap.data
    if n_failing > 10:
        assert titles(lines[-1]) == [f"{n_failing - 9} more"]
        assert last.properties["title"] == f"{n_failing - 8} more"
        phrase = f"{n_failing - 9} more fail and 1 more are unscored; the step summary lists them"
        assert last.data == phrase


def test_another_plugins_annotations_are_not_repeated() -> None:
    """Whoever annotates failing tests has the pairs and the systems already."""
    # GitHub knows files by their path from the root, pytest may have been started below it.
    whole = record(failing("zinc-01"), failing("ward-02"), systems=(system(),))
    assert list(annotation_lines(whole, with_pairs=False)) == []
    part = record(failing("zinc-01"), systems=(system(),))
    assert titles(*annotation_lines(part, with_pairs=False)) == ["only a part of the gate"]
    (line,) = annotation_lines(record(failing()), locate=lambda path: f"gates/{path}")
    assert commands(line)[0].properties["file"] == "gates/golden/systems/careless.jsonl"


@given(texts, texts, texts, st.integers(0, 9))
@example("a%0A::error::b", "%3A,line=9", "c:,d%2C=e", 0)
@example("::error::a\n::add-mask::b", "a,b=c:d", "##[error]", 1)
def test_a_runner_reads_what_was_written(message: str, title: str, path: str, line: int) -> None:
    """Law: whatever the texts are, they arrive as `safe` shows them, and nothing else does."""
    place = Place(path, line)
    written = Annotation(title=title, message=message, place=place).command()
    assert len(written.splitlines()) == 1
    assert "##[" not in written
    (command,) = commands(written)
    assert command.name == "error"
    assert command.properties == {
        "file": safe(path),
        "line": str(max(line, 1)),
        "title": safe(" ".join(title.split())),
    }
    assert command.data == safe(message)


def test_untrusted_judges_stand_before_what_fails() -> None:
    """Nobody may rely on the verdicts below them; ten lines in all."""
    some = suite(systems=(system(papers=("zinc-01",), means=()),))
    suites = [untrusted(replace(some, name=f"s{n}")) for n in range(2)]
    suites[0] = replace(suites[0], pairs=(failing("zinc-01"),))
    unmeasured = measured(replace(some, name="z"), UNMEASURED)
    phrase = titles(*annotation_lines(run(unmeasured, *suites)))
    judges = ["UNTRUSTED: s0", "UNTRUSTED: s1", "judge not measured: z"]
    assert phrase[:4] == ["only a part of the gate", *judges]
    assert phrase[4].startswith("facet result: ")


def test_a_pair_is_annotated_at_its_line(snapshot: SnapshotAssertion) -> None:
    """The title, four phrases, the notes, then the worst finding with both texts."""
    names = ("facet", "facet.result", "facet.method", "facet.background", "eva", "faithfulness")
    many = (Shortfall(name=name, value=1.0, least=2.0) for name in names)
    (line,) = annotation_lines(record(failing("a", *many, place=at(10), waived=(FM,))))
    (command,) = commands(line)
    assert [command.name, *command.properties.values(), *command.data.split("\n")] == snapshot


def test_a_run_with_something_of_everything_is_annotated(snapshot: SnapshotAssertion) -> None:
    """The untrusted judge, the parts that were not judged, systems, the worst pairs, the rest."""
    assert list(annotation_lines(everything())) == snapshot


def entries(run: RunVerdict, folder: str = "") -> list[dict[str, Any]]:
    """What GitLab reads: an array of entries, of which it wants these keys."""
    result: list[dict[str, Any]] = json.loads(
        "".join(quality_pieces(run, locate=lambda path: f"{folder}{path}"))
    )
    for entry in result:
        assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert set(entry["location"]) == {"path", "lines"}
        assert entry["location"]["lines"]["begin"] >= 1
    return result


def test_gitlab_is_reported_all_that_github_is_reported(snapshot: SnapshotAssertion) -> None:
    """Of GitHub's ten the last counts the rest; a merge request shows as many as there are."""
    result = entries(everything(), "gates/")
    phrase = []
    for entry in result:
        path, line = entry["location"]["path"], entry["location"]["lines"]["begin"]
        phrase.append(f"{entry['severity']} {path}:{line} {entry['description']}")
    n_failing = len(failing_pairs(everything()))
    assert phrase[:4] + [each for each in phrase[4:] if not each.startswith("major")] == snapshot
    assert [entry["severity"] for entry in result].count("major") == n_failing
    assert len({entry["fingerprint"] for entry in result}) == len(result)
    assert entries(record(passing())) == []


def test_a_finding_keeps_its_fingerprint_whatever_is_said_of_it() -> None:
    """GitLab tells by it what a merge request adds: other words, lines and orders add nothing."""
    pairs = (failing("zinc-01"), failing("ward-02"), undecided("moss-03"))
    before = {entry["fingerprint"] for entry in entries(record(*pairs))}
    moved = (undecided("moss-03"), failing("ward-02", FM, place=at(99)), failing("zinc-01", FM))
    assert {entry["fingerprint"] for entry in entries(record(*moved))} == before
    other = {entry["fingerprint"] for entry in entries(record(failing("kiln-04")))}
    assert not other & before


@settings(deadline=None, max_examples=12)
@given(texts.filter(str.strip))
@example('"},{"severity": "info')
@example("x\n::error::y")
@example("\u2028\x1b[2J</script>")
def test_no_text_of_a_run_adds_an_entry(text: str) -> None:
    """Law: in a stranger's words a run has as many entries, each of one line safe to print."""
    plain = entries(everything())
    result = entries(in_other_words(everything(), lambda word: f"{text} {word}"))
    assert [entry["severity"] for entry in result] == [entry["severity"] for entry in plain]
    for entry in result:
        assert entry["description"] == one_line(entry["description"], 1000)


GITHUB = MarkdownIt("gfm-like")
"""CommonMark with tables, strikethrough, raw HTML and addresses as links: what GitHub reads."""
MEBIBYTE = 1024 * 1024
PART = system(means=())


def lines_of(run: RunVerdict, heading: str) -> list[str]:
    """The lines of one section without its heading."""
    _, result, rest = step_summary(run).partition(f"\n## {heading}\n\n")
    assert result, f"no section {heading!r}"
    return rest.partition("\n\n## ")[0].rstrip("\n").split("\n")


def shape(run: RunVerdict) -> list[tuple[str, str]]:
    """What a reader of Markdown sees, with everything in code spans blotted out."""
    result = []
    for token in GITHUB.parse(step_summary(run)):
        result.append((token.type, ""))
        result += [
            (child.type, "" if child.type == "code_inline" else child.content)
            for child in token.children or []
        ]
    return result


JUDGED = "The judge against the golden labels"
PLAIN = shape(in_other_words(everything(), lambda word: f"<{word}>"))


def test_pairs_beyond_the_first_twenty_have_a_row_each(snapshot: SnapshotAssertion) -> None:
    """Twenty pairs are read, the twenty-first, or one that is too long, is looked up."""
    pairs = [failing(f"p{number:02}", FM, place=at(number)) for number in range(1, 23)]
    run = record(*pairs)
    assert sum(line.startswith("### ") for line in lines_of(run, "Worst findings")) == 20
    assert lines_of(run, "More failing pairs")[2:] == snapshot
    ticks = "`" * 500
    finding = replace(FACET, reference=ticks, summary=ticks, reason=ticks, evidence=((1, ticks),))
    run = record(*(failing(f"p{number:02}", findings=(finding,) * 3) for number in range(20)))
    n_full = sum(line.startswith("### ") for line in lines_of(run, "Worst findings"))
    assert 0 < n_full < 20
    assert len(lines_of(run, "More failing pairs")) == 2 + 20 - n_full


@settings(deadline=None, max_examples=12)
@given(st.text(max_size=12) | st.sampled_from(STRANGERS))
@example("`")
@example("|")
@example("\\")
def test_no_text_of_a_run_changes_the_page(text: str) -> None:
    """Law: whatever a stranger adds to his words, all that differs stands in code spans."""
    run = in_other_words(everything(), lambda word: f"{text} <{word}> {text}")
    assert shape(run) == PLAIN


def test_ten_megabytes_make_a_small_page() -> None:
    """GitHub refuses a page over a mebibyte as a whole; rows are cut whole, no section away."""
    long = "`\u202e" * 1_000
    finding = replace(FACET, reference=long, summary=long, reason=long, evidence=((1, long),))
    pair = failing(findings=(finding,) * 3, summary=long, note=long, change=CHANGE)
    pairs = [replace(pair, paper=f"p{number}") for number in range(400)]
    faults = [undecided(f"q{number}", why=long) for number in range(150)]
    waivers = (waived("expired", reason=long),) * 200
    comparison = replace(COMPARISON, flips=COMPARISON.flips * 9_000)
    compared = tuple(system(f"s{number}", comparison=comparison) for number in range(300))
    systems = (system(means=()), *compared)
    run = record(*pairs, *faults, systems=systems, waivers=waivers)
    whole = untrusted(run.suites[0], long)
    page = step_summary(replace(run, suites=(replace(whole, pairs=Pairs(whole.rows)),)))
    assert 100_000 < len(page.encode()) < 300_000 < MEBIBYTE
    assert page.count(" more; the other reports have them all.") == 5
    assert "### `s1` against `v1`" in page
    for heading in (JUDGED, "Systems", "Against the baseline", "Worst findings",
                    "More failing pairs", "Unscored: the judge's fault", "Judge and cost",
                    "Waivers"):  # fmt: skip
        assert f"\n## {heading}\n" in page
    unbroken = [token.type for token in GITHUB.parse(page)]
    assert unbroken.count("table_open") == 1 + unbroken.count("tbody_open") - 1


CAREFUL = system("careful", means=(mean(value=0.9),), papers=("zinc-01",))
CAREFUL_SUITE = suite(passing(), systems=(CAREFUL,))


SEEN = replace(COMPARISON, differences=(replace(COMPARISON.differences[0], broken=()),))
RUNS = {
    "everything": everything(),
    "all pass": run(CAREFUL_SUITE),
    "nothing judged": record(systems=(PART,)),
    "no drop": record(failing(), systems=(system(comparison=SEEN),), waivers=(waived("in use"),)),
    "trusted": run(measured(CAREFUL_SUITE, TRUSTED, golden())),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_reported_from_verdict_to_waivers(snapshot: SnapshotAssertion, name: str) -> None:
    """What a reader of the job sees, to the byte."""
    assert step_summary(RUNS[name]) == snapshot


MARKS = "`|\\[]()<>!*_~#&;:@-=+.$ \n\tab1\u202e\u2028"
spans = st.text(alphabet=st.sampled_from(MARKS), max_size=30) | st.text(max_size=30)


def kinds(text: str) -> list[tuple[str, str]]:
    """The kind and content of each inline token of a paragraph."""
    (result,) = [token for token in GITHUB.parse(text) if token.type == "inline"]
    return [(token.type, token.content) for token in result.children or []]


def test_the_docstring_examples_hold() -> None:
    """An example that no one runs goes stale, and is believed."""
    result = doctest.testmod(import_module("summeval_pytest.reports.markdown"))
    assert result.failed == 0
    assert result.attempted == 2


@given(spans, st.integers(1, 40))
@example("\x00", 40)
@example("##[", 40)
def test_a_text_is_one_code_span_and_nothing_else(text: str, width: int) -> None:
    """Whatever somebody has written, between our words stands one span with just these words."""
    shown = one_line(text, width)
    expected = [("text", "- a "), ("code_inline", shown), ("text", " b")]
    if not shown:
        expected = [("text", "- a (nothing) b")]
    assert kinds(f"\\- a {code(text, width)} b") == expected


@given(st.lists(spans, min_size=1, max_size=4))
@example(["a|b", "|", "\\|", "\\"])
@example(list(STRANGERS))
def test_a_table_has_as_many_cells_as_it_was_given(written: list[str]) -> None:
    """A pipe in a name must not push a failing number into another column."""
    columns = [f"c{number}" for number in range(len(written))]
    tokens = GITHUB.parse(f"{head(columns)}\n| {' | '.join(map(cell, written))} |\n")
    cells = [token for token in tokens if token.type == "inline"][len(columns) :]
    assert [[(child.type, child.content) for child in token.children or []] for token in cells] == [
        [("code_inline", one_line(text, 80))] if text.split() else [("text", "(nothing)")]
        for text in written
    ]
    assert sum(token.type == "tr_open" for token in tokens) == 2


TO_COMMENT = (
    *STRANGERS,
    "@team @octo/team &#64;team &commat;team",
    "<!-- summ-gate -->",
    "<img src=https://evil.example/p.png> <details><summary>x",
    "![x](https://evil.example/p.png) [x](https://evil.example) [x][1]\n\n[1]: https://evil.example",
    "/close\n /merge\n\t/approve",
    "#1 team/models#2 GH-3 !4 https://evil.example http:\\/\\/evil.example WWW.evil.example",
    "\ud83d\u202e\x1b[31m\x00",
    "```mermaid\ngraph TD; a-->b\n```\n~~~~ geojson\n~~~~",
)


@pytest.mark.parametrize("text", TO_COMMENT)
@pytest.mark.parametrize("is_free", [True, False])
def test_no_part_of_a_comment_acts(
    monkeypatch: pytest.MonkeyPatch, text: str, is_free: bool
) -> None:
    """Whoever opens a pull request writes the record; a bot posts it, in code spans or not."""
    if is_free:
        monkeypatch.setattr(ci, "step_summary", lambda _: f"{text}\n\n`{text}`\n")
    body = pull_request_comment(hostile_run(text))
    shown = MarkdownIt("commonmark", {"html": True}).render(body)
    tags = r"p|h\d|ul|li|blockquote|em|strong|pre|code|br|hr|ol"
    assert not re.search(rf"<(?!/?({tags})\b)", shown)
    assert not re.search(r"@\w|&\w|&#|[!#]\d|GH-|://|www\.|^\s*/", body, re.IGNORECASE | re.M)
    assert not re.search(r'class="language-\w', shown)
    assert all(each.isprintable() or each in "\n\u200b" for each in body)


def test_a_comment_is_cut_at_a_line_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub refuses more than 65,536 characters, and each section has to be seen."""
    for n_lines in (1_000, 100_000):
        sections = (f"## Section {n}\n" + "- `<@&!>`\n" * n_lines for n in range(9))
        text = "# failed\n\n" + "".join(sections)
        monkeypatch.setattr(ci, "step_summary", lambda _, text=text: text)
        body = pull_request_comment(small_run())
        assert len(body) < 65_536
        assert body.count("`\n\nMore is in the reports.\n") == 5
        assert re.findall(r"Section \d", body) == [f"Section {n}" for n in range(5)]
