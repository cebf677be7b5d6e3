from __future__ import annotations

import base64
import gc
import hashlib
import json
import re
import sys
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.judges.offline.conflicts import Conflict, ConflictKind
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.flow import averaged
from summeval_pytest.reports.page_pair import (
    WHOLE,
    Passages,
    block,
    cut,
    places_shown,
    visible,
)
from summeval_pytest.reports.wording import QUOTE, disputed
from summeval_pytest.verdict.run import PairResult, Pairs, RunVerdict, SuiteRecord
from tests.processes import run_command
from tests.reports.records import (
    MARKUP,
    REFERENCE,
    SENTENCE,
    SOURCE,
    TRUSTED,
    UNMEASURED,
    golden,
    hostile_run,
    in_other_words,
    measured,
    moss_run,
    moss_scores,
    moss_suite,
    page_text,
    right_pair,
    silent_pair,
    small_run,
    trust,
    untrusted,
    waived,
    wrong_pair,
)

INLINE = {"a", "b", "bdi", "code", "span", "strong", "wbr"}
ADDRESSES = {"src", "href", "action", "data", "poster", "srcset", "formaction", "xlink:href"}


class Page(HTMLParser):
    """A page taken apart: its elements, its text outside scripts, and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: dict[str | None, str] = {}
        self.styles: list[str] = []
        self._within = ""
        self._id: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.elements.append((tag, dict(attrs)))
        if tag not in INLINE:
            self.words.append(" ")
        if tag in {"script", "style"}:
            self._within, self._id = tag, dict(attrs).get("id")

    def handle_endtag(self, tag: str) -> None:
        """Leaves a script or style."""
        if tag == self._within:
            self._within = ""

    def handle_data(self, data: str) -> None:
        """Sorts text by what it stands in."""
        if self._within == "script":
            self.scripts[self._id] = self.scripts.get(self._id, "") + data
        elif self._within == "style":
            self.styles.append(data)
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        """What a reader without scripts sees, white space collapsed."""
        return " ".join("".join(self.words).split())

    def tags(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of each element of a name."""
        return [attributes for tag, attributes in self.elements if tag == name]

    def block(self, name: str) -> Any:
        """The data of one block."""
        return json.loads(self.scripts[name])


def texts_in(value: object) -> set[str]:
    """Every text of some data."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {text for given_value in value.values() for text in texts_in(given_value)}
    if isinstance(value, list):
        return {text for given_value in value for text in texts_in(given_value)}
    return set()


@pytest.fixture(scope="module")
def page() -> Page:
    """The page of a small run."""
    return Page(page_text(small_run()))


def test_the_same_record_gives_the_same_bytes_in_every_process() -> None:
    """Two replays must give one report; the order of a set differs from process to process."""
    # A gate starts in every worker, and loads no report that nobody asked for; the template engine
    # is loaded where a page is made, and not before.
    code = (
        "import hashlib, sys, summeval_pytest.plugin.gate;"
        "names = ('summeval_pytest.reports.page', 'summeval_pytest.reports.junit', 'junit_xml');"
        "assert not {*names} & {*sys.modules};"
        "from tests.reports.records import page_text, small_run;"
        "assert 'jinja2' not in sys.modules;"
        "print(hashlib.sha256(page_text(small_run()).encode()).hexdigest())"
    )
    env = {"PYTHONHASHSEED": "1", "PYTHONPATH": "."}
    there = run_command(sys.executable, "-c", code, env=env).stdout
    assert there == hashlib.sha256(page_text(small_run()).encode()).hexdigest() + "\n"


def test_nothing_but_our_own_blocks_may_act(page: Page) -> None:
    """The policy names style and script by hash, so injected ones would be dead all the same."""
    (policy,) = [
        meta["content"]
        for meta in page.tags("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "style-src": digest("".join(page.styles)),
        "script-src": digest(page.scripts[None]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert not any(
        name == "style" or name.startswith("on") for _, attrs in page.elements for name in attrs
    )


def test_the_page_refers_to_nothing_outside(page: Page) -> None:
    """A report is read years later, and offline."""
    addresses = {
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in ADDRESSES
    }
    assert addresses
    assert all(value and value.startswith(("#", "data:,")) for value in addresses)
    own = "".join(page.styles) + page.scripts[None]
    assert not re.search(r"https?:|url\(|@import|import\(|fetch\(|XMLHttp|innerHTML|eval\(", own)


def test_every_pair_that_does_not_pass_is_listed_errors_first(
    snapshot: SnapshotAssertion,
) -> None:
    """A list that begins with the passed ones hides the rest."""
    mild = wrong_pair("moss-03")
    mild = replace(mild, verdict=replace(mild.verdict, shortfalls=mild.verdict.shortfalls[:1]))
    page = Page(page_text(moss_run(moss_suite(right_pair(), mild, wrong_pair(), silent_pair()))))
    links = [a["href"] for a in page.tags("a") if str(a["href"]).startswith("#pair=")]
    rows = [link for link in links if link][-4:]
    # moss-01 falls short on two numbers, moss-03 on one of them.
    assert rows == snapshot


def test_a_system_says_why_it_fails_and_where_worst() -> None:
    """A red count alone sends its reader through every pair."""
    page = page_of(moss_suite(wrong_pair(), right_pair(), wrong_pair("moss-02")))
    why = "✗ failed 2 failed mean facet 0.500 < 0.750 (2 of 2 papers) dropped 0.400, 0.02 allowed"
    worst = "2 pairs failed, the worst moss-01: facet 0.500 < 0.600; facet.conclusion 1 < 2 facet"
    assert f"{why} {worst}" in page.text
    assert page.text.count("the worst moss") == 1  # careful passes
    silent = page_of(moss_suite(silent_pair()))
    assert "1 pair without a score, moss-02: timed out" in silent.text


def test_a_passed_pair_that_should_be_read_says_so_and_why() -> None:
    """A green badge alone lets its reader close the page."""
    page = page_of(moss_suite(replace(right_pair(), findings=(SENTENCE,))))
    assert "1 of the passed pairs should be read: the judge suspects an error in it." in page.text
    assert f"unsupported sentence 2: {SENTENCE.reason}" in page.text
    assert "should be read" not in page_of(moss_suite(right_pair())).text


def test_a_paper_is_there_once_and_of_many_what_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The finding names sentence 2, and 1 is the evidence for a sentence that is faithful."""
    run = moss_run(moss_suite(wrong_pair(), wrong_pair(system="other"), right_pair()))
    assert page_text(run).count(REFERENCE) == 1
    monkeypatch.setattr("summeval_pytest.reports.page.WHOLE_PAPERS", 0)
    pair, faithful = wrong_pair(), wrong_pair().scores[2]
    assert isinstance(faithful, FaithfulnessScore)
    pair = replace(pair, scores=(faithful,), findings=pair.findings[:1])
    block = Page(page_text(moss_run(moss_suite(pair)))).block("paper-0")
    assert block["source"] == {"1": SOURCE[1], "2": SOURCE[2]}
    assert block["n_sentences"] == 3


@pytest.fixture
def long_run(monkeypatch: pytest.MonkeyPatch) -> RunVerdict:
    """A run that is longer than a page of a whole run: four pairs fail, two pass."""
    monkeypatch.setattr("summeval_pytest.reports.page.WHOLE_RUN", 5)
    monkeypatch.setattr("summeval_pytest.reports.page.MOST_WRITTEN", 3)
    fail = (wrong_pair(f"moss-{n}") for n in range(4))
    return moss_run(moss_suite(*fail, right_pair("fern-1"), right_pair("moss-0")))


def test_a_long_run_tells_the_worst_pairs_and_has_rows_of_the_others(long_run: RunVerdict) -> None:
    """Ten thousand pairs with their texts would be 170 MB, which no browser opens."""
    page = Page(page_text(long_run))
    blocks = {name for name in page.scripts if name not in {None, "index", "rows"}}
    assert blocks == {f"{kind}-{n}" for kind in ("paper", "pair") for n in range(3)}
    assert [li["id"] for li in page.tags("li") if "id" in li] == ["r0", "r1", "r2"]
    index, rows = page.block("index"), page.block("rows")
    assert [len(row) for row in rows] == [5, 5, 5, 10, 10, 10]
    assert index["n_with_texts"] == 3
    assert index["papers"][4] == ["fern-1", "On fern-1"]
    values = ["0.500", "0.400", "0.500"]
    misses = ["facet 0.500 < 0.600", "facet.conclusion 1 < 2"]
    shown = [["1", "4", "2", "1"], values, misses, "facet.background 1 < 2", "▼ 0.400 worse"]
    assert rows[3] == [1, 3, "failed", False, [0, 2, 3, 4, 5], *shown]
    without = "leaves out the texts of pairs that pass"
    assert f"{without}, and of all but the worst 3 of the 4" in page.text
    assert "verdicts and shortfalls of the worst 3 are here." in page.text
    # of a run that passes nothing is wrong, so there is nothing to read up
    page = Page(page_text(moss_run(moss_suite(*(right_pair(f"moss-{n}") for n in range(6))))))
    assert page.scripts.keys() == {None, "index", "rows"}
    assert f"{without}, so that" in page.text
    assert page.block("index")["n_with_texts"] == 0


def test_a_page_holds_one_pair_of_a_stored_run_at_a_time(long_run: RunVerdict) -> None:
    """A run of 100,000 pairs has 27 GB of them."""
    (suite,) = long_run.suites

    def alive() -> int:
        return sum(isinstance(each, PairResult) for each in gc.get_objects())

    def read(pair: PairResult) -> PairResult:
        actual.append(alive())
        return replace(pair)

    actual: list[int] = []
    reads = [partial(read, pair) for pair in suite.pairs]
    stored = Pairs([pair.row(each) for pair, each in zip(suite.pairs, reads, strict=True)])
    gc.freeze()  # hides all objects before these, which take long to look at
    try:
        page_text(moss_run(replace(suite, pairs=stored)))
    finally:
        gc.unfreeze()
    assert len(actual) == 6 + 3  # once for the rows, and the worst once more
    assert max(actual) == 1


def test_a_text_that_is_too_long_is_cut_with_a_note() -> None:
    """A paragraph of a book is no reading matter, and a page of such is none either."""
    long = moss_run(moss_suite(wrong_pair()))
    text = page_text(in_other_words(long, lambda word: "moss " * 30_000 if " " in word else word))
    assert len(text) < 1_500_000
    page = Page(text)
    pair = page.block("pair-0")
    assert pair["summary"].endswith(" … [cut here: 150,000 characters in all]")
    assert WHOLE <= len(pair["summary"]) <= WHOLE + 60
    assert cut("m" * QUOTE) == "m" * QUOTE


PLAIN, BLANK = (Page(page_text(hostile_run(text))) for text in ("x", " "))


@settings(max_examples=20, deadline=None)
@given(text=st.text(min_size=1, max_size=60))
@example(MARKUP)
@example("\r")
def test_any_text_is_in_the_data_and_moves_nothing(text: str) -> None:
    """The page's elements do not depend on what people write, and what they write is not lost."""
    # They depend on whether anything is written: nobody quotes a blank. A template is no template,
    # and what a reader would not see is shown in signs.
    source = page_text(hostile_run(text))
    assert not set("\u202e\u200b\ufffe\x1b\u2028\ud800") & set(source)
    page, alike = Page(source), PLAIN if text.strip() else BLANK
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in alike.elements]
    assert page.scripts[None] == PLAIN.scripts[None]
    shown = visible(text)
    assert " ".join(shown.split()) in page.text
    blocks = {name: page.block(name) for name in page.scripts if name is not None}
    assert len(blocks) == 2 + 2 + 2  # index, rows; two papers, two pairs
    assert shown in texts_in(blocks["pair-1"])
    assert shown in texts_in(blocks["paper-1"])
    index = blocks["index"]
    assert [index["systems"][0], index["papers"][1][0]] == [shown, shown]


def page_of(*suites: SuiteRecord) -> Page:
    """The page of a run of these suites, taken apart."""
    return Page(page_text(moss_run(*suites)))


def section(page: Page) -> str:
    """What a reader sees of the section."""
    _, actual, rest = page.text.partition("The judge against the golden labels")
    assert actual
    return rest.partition("Pairs")[0].partition("Waivers")[0].strip()


def test_an_untrusted_run_says_so_before_its_verdicts_and_beside_them() -> None:
    """Green badges are what the eye meets, so that they stand back."""
    page = page_of(untrusted(moss_suite(right_pair())))
    assert page.text.startswith("? untrusted: moss ")
    assert page.tags("header")[0]["class"] == "top untrusted"
    assert page.tags("main") == [{"class": "untrusted"}]
    hrefs = [a["href"] for a in page.tags("a")]
    assert hrefs.count("#judge") == 2  # from the mark, and among the parts of the report


def test_how_a_judge_stands_is_a_sign_and_a_word() -> None:
    """Colour is never the only sign."""
    # Thirty figures stand between a reader and the pairs, so a trusted judge's are folded.
    for actual, badge, words, attributes in (
        (TRUSTED, "badge passed", "✓ measured meets the agreement floor", {}),
        (UNMEASURED, "badge error", "! not measured agreement with", None),
        (trust(), "badge untrusted", "? untrusted facet_kappa 0.34 < 0.9", {"open": None}),
    ):
        page = page_of(measured(moss_suite(wrong_pair()), actual, golden()))
        assert badge in {span.get("class") for span in page.tags("span")}
        assert section(page).startswith(words)
        if attributes is not None:
            assert page.tags("details")[1:] == [attributes] * 3  # the first has flips


def test_without_scripts_the_whole_verdict_is_there(snapshot: SnapshotAssertion) -> None:
    """Mail gateways and CI previews run no scripts: what a reader then sees, word for word."""
    message = replace(moss_suite(wrong_pair(), silent_pair(), right_pair(), n_expected=3))
    waivers = tuple(
        waived(state, name=f"w-{state}") for state in ("in use", "not judged", "expired")
    )
    text = Page(page_text(moss_run(untrusted(replace(message, waivers=waivers))))).text
    assert text.split(". ") == snapshot


def test_the_script_reads_pairs_papers_and_index_as_data(snapshot: SnapshotAssertion) -> None:
    """The blocks of a pair with a change, of one without a score, and of one with many sentences.

    Of too many sentences the bad ones stay; where the judge broke down first there is no paper.
    """
    sentences = tuple(
        JudgedSentence(index=n, text=f"Moss {n}.", supported=n != 400, reason="r", support=0.5)
        for n in range(500)
    )
    many = FaithfulnessScore(value=0.9, sentences=sentences)
    each = EvaScore(value=0.5, precision=0.5, recall=0.5, recall_entailed=None)
    long = replace(wrong_pair("moss-03"), scores=(many, averaged((each, each))))
    page = Page(page_text(moss_run(moss_suite(wrong_pair(), silent_pair()))))
    assert {
        name: given_value for name, given_value in page.scripts.items() if name is not None
    } == snapshot
    page = Page(page_text(moss_run(replace(moss_suite(long), papers=()))))
    assert page.block("paper-0") is None
    pair = page.block("pair-0")
    assert [p["number"] for p in pair["pieces"]][299:] == [401]
    assert pair["notes"] == snapshot


def test_a_piece_says_what_the_source_says_of_its_sentence() -> None:
    """A full rating beside a wrong number, or a red mark on a true detail, would mislead."""
    facets, facts, sentences = moss_scores()
    full = replace(facets, ratings=tuple(replace(each, rating=4) for each in facets.ratings[1:3]))
    first, second = sentences.sentences
    judged = replace(sentences, sentences=(first, replace(second, conflict=True)))
    holds = [replace(each, holds=not each.holds) for each in facts.candidate]
    shown = replace(wrong_pair(), scores=(full, judged, replace(facts, candidate=tuple(holds))))
    pieces = Page(page_text(moss_run(moss_suite(shown)))).block("pair-0")["pieces"]
    conflict = "but sentence 2 conflicts with the source"
    assert [(p["state"], p["verdict"]) for p in pieces if p["kind"] in {"facet", "stated"}] == [
        ("open", f"rated 4 of 4, {conflict}"),
        ("open", f"rated 4 of 4, {conflict}"),
        ("open", "in the reference, but the sentence conflicts with the source"),
        ("extra", "not in the reference, but the source supports the sentence"),
    ]


@example("</script ><!--<script &\u2028\u2029")
@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_a_block_is_inert_json(value: object) -> None:
    """Without these three characters, no text can end a script or begin a comment in it."""
    written = block(value)
    assert not set("<>&\u2028\u2029") & set(written)
    assert texts_in(json.loads(written)) == {visible(text) for text in texts_in(value)}


@given(st.text(max_size=80))
def test_places_follow_a_text_into_what_is_shown(text: str) -> None:
    """Law: the place of a character is the length, in UTF-16, of what is shown before it."""
    places = places_shown(text)
    assert len(places) == len(text) + 1
    for end in range(len(text) + 1):
        shown = visible(text[:end]).encode("utf-16-le")
        assert places[end] == len(shown) // 2


def test_a_passage_is_found_as_it_was_written() -> None:
    """Judges quote the normalised text; the page shows what the system wrote."""
    for text, passage, actual in (
        ("A b. Wet moss, grew.\nC d.", "wet MOSS grew.", ["Wet moss, grew."]),
        ("Soft mo\u00adss grew fast.", "Soft moss grew", ["Soft mo\u00adss grew"]),
        ("mossy stones. Moss grew.", "moss", ["Moss"]),
        ("Moss grew.", "Moss grew. Moss grew.", ["Moss grew."]),
        (
            "Moss grew. Stones did not. Rain fell.",
            "Moss grew. Rain fell.",
            ["Moss grew.", "Rain fell."],
        ),
        (
            "Moss on watered stones <unk> grew twice as fast as all the other moss.",
            "Moss on watered stones grew twice as fast as all the other moss.",
            ["Moss on watered stones <unk> grew twice as fast as all the other moss."],
        ),
        ("1. **Moss** *grew*.\n2. Rain fell.", "Moss grew.", ["Moss** *grew*."]),
        ("| no. | text |\n|--|--|\n| 1 | Rain fell. |", "Rain fell.", ["Rain fell."]),
        (
            "A tem\u00adpera-\nture of \ufb01sh",
            "temperature of fish",
            ["tem\u00adpera-\nture of \ufb01sh"],
        ),
        ("Moss grew.", "Rain fell.", []),
        ("Moss grew.", "...", []),
        ("ΣΑΣ moss. İstanbul moss.", "İstanbul moss.", ["İstanbul moss."]),
    ):
        shown = visible(text).encode("utf-16-le")
        places = Passages(text).find(passage)
        cuts = [shown[2 * start : 2 * end].decode("utf-16-le") for _, start, end in places]
        assert cuts == [visible(words) for words in actual]


CRP = "CRP was 118 vs. 124 mg/L, not 1.118 or 118.5."


@pytest.mark.parametrize(
    ("conflict", "claim", "evidence", "figures", "partners"),
    [
        (("unit", "118 g/l", "118 mg/l"), CRP.replace("mg", "g"), CRP, ["118"], ["118"]),
        (("number", "67 %", "37 %"), "In 67% of 670 lakes.", "In 37 percent, or 37 %, of 670.",
         ["67%"], ["37 %"]),
        (("swap", "14.2 %", "21.8 %"), "From 14.2% to 21.8%.", "From 21.8% to 14.2%.",
         ["14.2%", "21.8%"], ["21.8%", "14.2%"]),
        (("direction", "increased", "decreased"), "Increased rain.", "Decreased rain.",
         ["Increased"], ["Decreased"]),
        (("number", "9", "8"), "Nine trials.", "10 trials.", [], []),
    ],
)  # fmt: skip
def test_the_figures_of_a_conflict_are_found_as_they_are_written(
    conflict: tuple[ConflictKind, str, str],
    claim: str,
    evidence: str,
    figures: list[str],
    partners: list[str],
) -> None:
    """Judges name numbers in one form; a reader looks for them in the sentence."""
    kind, says, instead = conflict
    disputes = Conflict(kind=kind, says=says, instead=instead).disputes
    assert disputed(disputes, claim, [evidence]) == (tuple(figures), tuple(partners))
