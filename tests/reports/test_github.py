from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.reports.github import (
    Annotation,
    annotation_lines,
    failing_pairs,
)
from summeval_pytest.text.printing import safe
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from summeval_pytest.verdict.thresholds import WaiverUse
from tests.reports.records import (
    COMPARISON,
    FACET,
    FAITHFULNESS,
    FM,
    RESULT,
    SENTENCE,
    UNMEASURED,
    WAIVER,
    everything,
    failing,
    in_other_words,
    mean,
    measured,
    passing,
    record,
    system,
    unscored,
    untrusted,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syrupy.assertion import SnapshotAssertion

MARKS = "%:,;=#[] \n\r\u2028\u00a0\x1b2A05D"
texts = st.text(alphabet=st.sampled_from(MARKS), max_size=30) | st.text(max_size=30)


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


def as_runner(line: str) -> Command | None:
    """An oracle: how actions/runner reads a line of output (ActionCommand.cs, 2.3xx)."""
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return Command("##[", {}, line) if "##[" in line else None
    name, _, rest = line[2:end].partition(" ")
    pairs = [part.split("=", 1) for part in rest.strip().split(",") if "=" in part]
    return Command(
        name,
        {key: unescaped(value, PROPERTY) for key, value in pairs},
        unescaped(line[end + 2 :], DATA),
    )


def commands(*lines: str) -> list[Command]:
    """What a runner understands of these lines, each of which must be a command."""
    found = [as_runner(line) for line in lines]
    assert None not in found
    return [command for command in found if command is not None]


def titles(*lines: str) -> list[str]:
    """The titles of these annotations."""
    return [command.properties["title"] for command in commands(*lines)]


PASSED = (passing(system="careless"), passing("ward-02", system="careless"))
DROP = "against v1.3 (careful): facet drops by 0.454, p 0.0002 < 0.05"


@pytest.mark.parametrize(
    ("values", "title", "message"),
    [
        (
            {"means": (mean(value=0.8),), "comparison": COMPARISON},
            "drop of facet: careless",
            DROP,
        ),
        (
            {"comparison": COMPARISON},
            "mean facet: careless",
            f"mean facet 0.534 < 0.750 (2 of 2 papers)\n{DROP}",
        ),
        (
            {
                "means": (),
                "comparison": replace(COMPARISON, differences=(), mismatches=("judge differs",)),
            },
            "not comparable: careless",
            "against v1.3 (careful): judge differs",
        ),
        (
            {"means": (), "waivers": (WaiverUse(waiver=WAIVER, state="exceeded"),)},
            "waiver: careless",
            f"{WAIVER.told} allows no less than 1",
        ),
        (
            {"outcome": "error", "fault": "no means: 1 of 2 papers is unscored"},
            "unscored: careless",
            "no means: 1 of 2 papers is unscored",
        ),
        ({"means": ()}, "failed: careless", "the step summary says why"),
    ],
)
def test_a_system_is_named_by_what_fails_it(
    values: Mapping[str, object], title: str, message: str
) -> None:
    """Means before the comparison with a baseline, as they are absolute."""
    (line,) = annotation_lines(record(*PASSED, systems=(system("careless", **values),)))
    assert [(c.properties["title"], c.data) for c in commands(line)] == [(title, message)]


def test_the_worst_come_first() -> None:
    """Systems; then pairs by how far they are short in all, then by findings; then the judge's."""
    lack = Unscored(metric="facet", status="degenerate_candidate", reason="empty")
    pairs = (
        unscored("judge"),
        failing("third", RESULT, findings=(FACET,)),  # 1/3 of its range short, a facet
        failing("second", RESULT, findings=(SENTENCE,)),  # 1/3, a sentence
        failing("first", FM, FAITHFULNESS),  # 1/5 + 3/10 = 1/2
        replace(failing("empty"), verdict=PairVerdict(shortfalls=(), lacking=(lack,))),
        passing(),
    )
    judged = ("judge", "third", "second", "first", "empty", "zinc-01")
    lines = annotation_lines(record(*pairs, systems=(system(papers=judged),)))
    assert [title.rpartition(" ")[2] for title in titles(*lines)] == [
        "careless", "empty", "first", "second", "third", "judge",
    ]  # fmt: skip
    assert [pair.paper for pair in failing_pairs(record(*pairs))] == [
        "empty", "first", "second", "third", "judge",
    ]  # fmt: skip


@pytest.mark.parametrize("n_failing", [9, 10, 11, 500])
def test_there_are_never_more_than_ten_lines(snapshot: SnapshotAssertion, n_failing: int) -> None:
    """A runner drops the eleventh error of a step without a word, so the tenth line counts."""
    pairs = [failing(f"p{number}") for number in range(n_failing - 1)]
    lines = list(annotation_lines(record(*pairs, unscored())))
    assert len(lines) == min(n_failing, 10)
    if n_failing > 10:
        assert commands(lines[-1]) == snapshot


def test_a_run_of_a_part_says_so_within_the_ten(snapshot: SnapshotAssertion) -> None:
    """A green run of three papers must not be read as a verdict on twelve."""
    papers = tuple(f"p{number}" for number in range(20))
    lines = list(
        annotation_lines(
            record(*map(failing, papers[:15]), systems=(system(papers=papers, outcome="passed"),))
        )
    )
    assert len(lines) == 10
    assert commands(lines[0]) == snapshot
    assert titles(lines[-1]) == ["7 more"]  # 15 failing, 8 of them shown


def test_another_plugins_annotations_are_not_repeated() -> None:
    """Whoever annotates failing tests has the pairs and the systems already."""
    whole = record(failing("zinc-01"), failing("ward-02"), systems=(system(),))
    assert list(annotation_lines(whole, with_pairs=False)) == []
    part = record(failing("zinc-01"), systems=(system(),))
    assert titles(*annotation_lines(part, with_pairs=False)) == ["only a part of the gate"]


def test_paths_are_made_relative_to_the_repository() -> None:
    """GitHub knows files by their path from the root, pytest may have been started below it."""
    (line,) = annotation_lines(record(failing()), locate=lambda path: f"gates/{path}")
    assert commands(line)[0].properties["file"] == "gates/golden/systems/careless.jsonl"


@given(texts, texts, texts, st.integers(0, 9))
@example("a%0A::error::b", "%3A,line=9", "c:,d%2C=e", 0)
@example("::error::a\n::add-mask::b", "a,b=c:d", "##[error]", 1)
def test_a_runner_reads_back_what_was_written(
    message: str, title: str, path: str, line: int
) -> None:
    """Law: whatever the texts are, they arrive as `safe` shows them, and nothing else does."""
    place = Place(path, line)
    written = Annotation(level="error", title=title, message=message, place=place).command()
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


@given(texts.filter(str.strip))
@example("x\n::error::y")
@example("::stop-commands::x")
@example("##[add-mask]x")
@example("x\r::set-output name=a::b")
def test_no_text_of_a_run_issues_a_command(text: str) -> None:
    """Law: in a stranger's words a run makes as many annotations of the same kinds, and no more."""
    plain = commands(*annotation_lines(everything()))
    lines = list(annotation_lines(in_other_words(everything(), lambda _: text)))
    assert all(len(line.splitlines()) == 1 and "##[" not in line for line in lines)
    found = commands(*lines)
    assert [(c.name, set(c.properties)) for c in found] == [
        (c.name, set(c.properties)) for c in plain
    ]
    for command in found:
        assert not any(line.lstrip().startswith("::") for line in command.data.split("\n"))


def test_of_thousands_of_long_pairs_little_is_read() -> None:
    """Ten of 30,000 are shown, and of a megabyte 300 characters; to read all takes an hour."""
    long = "\u202e" * 10**6
    finding = replace(FACET, reference=long, summary=long, reason=long)
    pairs = [failing(f"p{number}", findings=(finding,)) for number in range(30_000)]
    lines = list(annotation_lines(record(*pairs)))
    assert sum(map(len, lines)) < 50_000


@pytest.mark.parametrize("n_suites", [1, 4, 5, 12])
@pytest.mark.parametrize("n_failing", [0, 1, 9, 30])
def test_many_untrusted_suites_leave_room_for_what_fails(n_suites: int, n_failing: int) -> None:
    """Four suites are named and the rest counted; so are the pairs, within the ten in all."""
    pairs = [failing(f"p{number}") for number in range(n_failing)]
    papers = tuple(pair.paper for pair in pairs)
    (some,) = record(systems=(system(papers=("zinc-01",), outcome="passed", means=()),)).suites
    suites = [untrusted(replace(some, name=f"s{n}")) for n in range(n_suites)]
    whole = system(papers=papers, outcome="passed", means=())
    suites[0] = replace(suites[0], pairs=tuple(pairs), systems=(whole,))
    unmeasured = measured(replace(some, name="z"), UNMEASURED)
    lines = list(annotation_lines(replace(record(), suites=(unmeasured, *suites))))
    told = titles(*lines)
    assert len(lines) <= 10
    assert told[: min(n_suites, 4)] == [f"UNTRUSTED: s{n}" for n in range(min(n_suites, 4))]
    assert ("judge not measured: z" in told) == (n_suites < 4)
    if n_suites >= 4:
        assert told[4] == f"judge: {n_suites - 3} more suites"
    n_shown = sum(title.startswith("facet result: ") for title in told)
    n_rest = sum(int(title.split()[0]) for title in told if title.endswith(" more"))
    assert n_shown + n_rest == n_failing
    assert min(n_failing, 1) <= n_shown


LACK = Unscored(metric="facet", status="refused_candidate", reason="the system refused")
NAMES = ("facet", "facet.result", "facet.method", "facet.background", "eva", "faithfulness")
SIX = tuple(Shortfall(name=name, value=1.0, least=2.0) for name in NAMES)
PAIRS = {
    "a facet under its threshold": failing(line=10),
    "a number without a finding": failing("a", FM, FAITHFULNESS, findings=()),
    "an unsupported sentence": failing("a", FM, findings=(replace(SENTENCE, summary=" "),)),
    "a conflict": failing("a", FM, findings=(replace(FACET, conflict=True), SENTENCE)),
    "a facet without a threshold": failing("a", FM),
    "many numbers": failing("a", *SIX),
    "no score by the judge's fault": unscored(fault="facet: unanswered,\nno JSON"),
    "no score by the system's fault": replace(
        failing(findings=()),
        verdict=PairVerdict(shortfalls=(), lacking=(LACK,)),
        summary="I cannot help with that.",
    ),
    "a waiver to mend": replace(
        failing(findings=()),
        verdict=PairVerdict(shortfalls=(), waivers=(WaiverUse(waiver=WAIVER, state="not needed"),)),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_annotated_by_what_fails_it(snapshot: SnapshotAssertion, name: str) -> None:
    """At its line: the worst is the title, what is missed comes first, then both texts."""
    (line,) = annotation_lines(record(PAIRS[name]))
    (command,) = commands(line)
    assert [command.name, *command.properties.values(), *command.data.split("\n")] == snapshot


def test_a_run_with_something_of_everything_is_annotated(snapshot: SnapshotAssertion) -> None:
    """The untrusted judge, the parts that were not judged, systems, the worst pairs, the rest."""
    assert list(annotation_lines(everything())) == snapshot
