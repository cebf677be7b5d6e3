from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.metrics.flow import averaged
from summeval_pytest.metrics.score import EvaScore, FaithfulnessScore, JudgedSentence
from summeval_pytest.reports.page import page_text
from summeval_pytest.reports.page_pair import (
    QUOTE,
    WHOLE,
    Passages,
    block,
    cut,
    places_shown,
    visible,
)
from tests.reports.page_records import (
    HOSTILE,
    REFERENCE,
    SUMMARY,
    broken,
    failing,
    hostile_run,
    paper,
    passing,
    refused,
    run,
    small_run,
    suite,
    waiver,
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

    def block(self, name: str) -> object:
        """The data of one block."""
        return json.loads(self.scripts[name])


def texts_in(value: object) -> set[str]:
    """Every text of some data."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return {text for held in value.values() for text in texts_in(held)}
    if isinstance(value, list):
        return {text for held in value for text in texts_in(held)}
    return set()


@pytest.fixture(scope="module")
def page() -> Page:
    """The page of a small run."""
    return Page(page_text(small_run()))


def test_the_same_record_gives_the_same_bytes_in_every_process() -> None:
    """Two replays must give one report; the order of a set differs from process to process."""
    code = (
        "import hashlib; from tests.reports.page_records import small_run;"
        "from summeval_pytest.reports.page import page_text;"
        "print(hashlib.sha256(page_text(small_run()).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("1", "2")
    }
    assert digests == {hashlib.sha256(page_text(small_run()).encode()).hexdigest() + "\n"}


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
    ours = "".join(page.styles) + page.scripts[None]
    assert not re.search(r"https?:|url\(|@import|import\(|fetch\(|XMLHttp|innerHTML|eval\(", ours)


def test_without_scripts_verdict_heatmap_and_shortfalls_are_there(page: Page) -> None:
    """Mail gateways and CI previews run no scripts."""
    assert "! Error" in page.text
    assert "4 pairs: 1 error, 2 failed, 1 passed." in page.text
    told = "Judge offline-3: not calibrated: the suite has no labels to measure it with."
    assert told in page.text
    # careless: FM 0.5 on one paper, the other has no score; its mean is under 0.75.
    assert "✗ 0.500 < 0.75 ▼ \N{MINUS SIGN}0.400 1 of 2 papers" in page.text
    for told in (
        "facet 0.500 < 0.600; facet.conclusion 1 < 2",
        "waived: facet.background 1 < 2",
        "timed out",
        "facet: the summary is a refusal",
    ):
        assert told in page.text


def test_every_pair_that_does_not_pass_is_in_the_list_and_errors_stand_first() -> None:
    """A list that begins with the passed ones hides the rest."""
    mild = failing("moss-03")
    mild = replace(mild, verdict=replace(mild.verdict, shortfalls=mild.verdict.shortfalls[:1]))
    page = Page(page_text(run(suite(passing(), mild, failing(), broken()))))
    links = [a["href"] for a in page.tags("a") if str(a["href"]).startswith("#pair=")]
    rows = [link for link in links if link][-4:]
    # moss-01 falls short on two numbers, moss-03 on one of them.
    assert rows == [
        "#pair=careless/moss-02",
        "#pair=careless/moss-01",
        "#pair=careless/moss-03",
        "#pair=careful/moss-01",
    ]


def test_a_row_shows_the_facets_that_lost_points() -> None:
    """A list without the weak spots would have to be opened pair by pair."""
    page = Page(page_text(run(suite(failing()))))
    rated = [span["class"] for span in page.tags("span") if span.get("title")]
    assert rated == [
        "facet background lost",
        "facet method",
        "facet result lost",
        "facet conclusion lost",
    ]
    assert "B1M4R2C1facet 0.500eva 0.400faithfulness 0.500" in page.text


def test_a_part_of_a_suite_says_how_much_of_it() -> None:
    """A green part is no green suite."""
    page = Page(page_text(run(suite(passing(), n_expected=3))))
    assert "Not the whole suite: moss: 1 of 3 pairs judged." in page.text
    assert "1 passed; 1 of 3 papers judged" in page.text
    whole = Page(page_text(run(suite(passing()))))
    assert "The suite was judged as a whole." in whole.text


def test_a_comparison_shows_its_numbers_and_what_it_breaks(page: Page) -> None:
    """A drop without its interval, p and power cannot be weighed."""
    facet = (
        "facet 2 0.900 0.500 -0.400 -0.500 to -0.250 < 0.001 0.200"
        " \N{BALLOT X} dropped 0.400, 0.02 allowed"
    )
    text = page.text.replace("\N{MINUS SIGN}", "-")
    assert facet in text
    assert "eva 2 0.400 0.400 0.000 \N{EN DASH} \N{EN DASH} none could be seen ✓" in page.text
    assert "1 facet rated lower than the baseline's moss-01 result 4 → 2" in page.text
    assert "Shorter, not better: Moss grew." in page.text


def test_an_interval_is_drawn_to_scale(page: Page) -> None:
    """Worked example: -0.5 of a range of 0.75 is the longest interval, so it ends at 50 - 48."""
    line = page.tags("line")[1]
    # -0.25 is half of that: 50 - 24 = 26. The change, -0.4, is 0.8 of it: 50 - 38.4 = 11.6.
    assert (line["x1"], line["x2"]) == ("2.0", "26.0")
    assert page.tags("circle")[0]["cx"] == "11.6"
    assert page.tags("circle")[1]["cx"] == "50.0"


def test_all_waivers_are_listed_and_those_to_mend_stand_first() -> None:
    """A waiver that nobody sees is never taken back."""
    told = replace(
        suite(passing()),
        waivers=tuple(waiver(state, f"w-{state}") for state in ("in use", "not judged", "expired")),
    )
    text = Page(page_text(run(told))).text
    places = [text.index(f"w-{state}") for state in ("expired", "in use", "not judged")]
    assert places == sorted(places)
    assert "✗ expired" in text


def test_heatmap_cells_are_as_dark_as_much_is_missing() -> None:
    """Worked example: FM 0.5 lacks 0.5 of 0.75, two thirds; of 8 shades that is the 5th."""
    page = Page(page_text(run(suite(failing(), passing()))))
    cells = [td["class"] for td in page.tags("td") if "shade" in (td.get("class") or "")]
    # careless: FM; ratings 1 of 3, 4 of 4, 2 of 4, 1 of 3; EVA 0.4; faithfulness 0.5.
    assert cells[:7] == [
        "shade-5 fails",
        "shade-8",
        "shade-0",
        "shade-5",
        "shade-8",
        "shade-5",
        "shade-4",
    ]
    assert cells[7] == "shade-0"


def test_a_mean_under_its_threshold_fails_only_where_it_was_decided() -> None:
    """A waived mean is no failure, and that of a run which never came to it is none, either."""
    told = suite(failing())
    (system,) = told.systems
    kept = waiver("in use", "kept")
    kept = replace(kept, waiver=replace(kept.waiver, paper="all-papers", finding="facet"))
    for changed, cell in (
        (system, "shade-5 fails"),
        (replace(system, waivers=(kept,)), "shade-5"),
        (replace(system, means=(), outcome="not judged"), "shade-5"),
    ):
        page = Page(page_text(run(replace(told, systems=(changed,)))))
        assert page.tags("td")[0]["class"] == cell
        assert ("0.500 waived, < 0.75" in page.text) == (changed.waivers == (kept,))
        assert "0.500 < 0.75" in page.text or changed.waivers


def test_systems_of_two_suites_are_told_apart_in_links() -> None:
    """Both suites may gate the same system on papers of the same name."""
    text = page_text(run(suite(passing(), name="a"), suite(passing(), name="b")))
    index = Page(text).block("index")
    assert isinstance(index, list)
    assert [entry[0] for entry in index] == ["a/careful/moss-01", "b/careful/moss-01"]


def test_a_pair_holds_its_pieces_with_their_places() -> None:
    """Worked example: places count characters of the shown text."""
    page = Page(page_text(run(suite(failing()))))
    pair = page.block("pair-0")
    assert isinstance(pair, dict)
    by = {(p["kind"], p.get("facet") or p["number"]): p for p in pair["pieces"]}

    def words(spans: list[list[int]]) -> list[str]:
        texts = [SUMMARY, REFERENCE]
        return [texts[text][start:end] for text, start, end in spans]

    result = by["facet", "result"]
    assert words(result["at"]) == ["Dry moss grew twice as fast."]
    assert words(result["there"]) == ["Wet moss grew twice as fast."]
    assert result["source"] == [2]
    wrong = by["sentence", 2]
    assert (wrong["state"], wrong["verdict"]) == ("bad", "unsupported, support 0.25 of 1")
    assert words(wrong["at"]) == ["Dry moss grew twice as fast."]
    missing = by["expected", 2]
    assert (missing["state"], missing["verdict"]) == ("bad", "missing")
    assert words(missing["at"]) == ["Wet moss grew twice as fast."]
    # It was held against the second sentence, which is a piece of its own.
    assert [pair["pieces"][place]["number"] for place in missing["other"]] == [2]
    assert missing["source"] == [2]
    assert by["expected", 3]["state"] == "open"
    # The first was matched by a fact of the summary, whatever the judge said of it by itself.
    assert by["expected", 1]["verdict"] == "matched"
    assert by["expected", 4]["verdict"] == "follows from the summary, matched by no single fact"
    invented = by["stated", 2]
    assert invented["source"] == [2]
    assert (invented["state"], invented["verdict"]) == ("bad", "unsupported")
    assert words(invented["there"]) == ["Wet moss grew twice as fast."]
    # The first to look at is the worst that explains the verdict: an unsupported sentence.
    assert pair["pieces"][pair["first"]] == by["sentence", 2]
    assert [p["number"] for p in pair["pieces"] if p["kind"] == "expected"] == [2, 3, 1, 4]


def test_a_paper_is_in_the_page_once_however_many_systems_read_it() -> None:
    """At 2,000 pairs, its text would be most of the page."""
    text = page_text(run(suite(failing(), failing(system="other"), passing())))
    assert text.count(REFERENCE) == 1
    assert Page(text).block("paper-0") == {
        "references": [REFERENCE],
        "n_sentences": 3,
        "source": {
            "0": "Moss is common on stones.",
            "1": "Half of the stones were watered.",
            "2": "Wet moss grew twice as fast as dry moss.",
        },
        "place": "papers.jsonl:1",
    }


def test_a_pair_whose_paper_was_never_read_is_shown_all_the_same() -> None:
    """Where the judge broke down first, the record has no paper."""
    told = replace(suite(broken(), refused()), papers=())
    page = Page(page_text(run(told)))
    assert page.block("paper-0") is None
    pair = page.block("pair-0")
    assert isinstance(pair, dict)
    assert pair["fault"] == "timed out"


def test_a_megabyte_is_cut_with_a_note() -> None:
    """A paragraph of a megabyte is no reading matter, and a page of such is none either."""
    huge = "moss " * 200_000
    text = page_text(
        run(suite(failing(text=huge), text=huge), text=huge),
    )
    assert len(text) < 1_500_000
    page = Page(text)
    pair = page.block("pair-0")
    assert isinstance(pair, dict)
    assert pair["summary"].endswith(" … [cut here: 1,000,000 characters in all]")
    assert WHOLE <= len(pair["summary"]) <= WHOLE + 60


def test_of_too_many_sentences_the_bad_ones_stay() -> None:
    """A summary of 5,000 sentences must not stop the browser, nor hide the wrong one."""
    sentences = tuple(
        JudgedSentence(index=n, text=f"Moss {n}.", supported=n != 4_000, reason="r")
        for n in range(5_000)
    )
    pair = replace(failing(), scores=(FaithfulnessScore(value=0.9998, sentences=sentences),))
    data = Page(page_text(run(suite(pair)))).block("pair-0")
    assert isinstance(data, dict)
    assert len(data["pieces"]) == 300
    assert [p["number"] for p in data["pieces"] if p["state"] == "bad"] == [4_001]
    assert "of 5,000 sentences, 300 are shown, the bad ones first" in data["notes"]


def test_mean_support_is_told_beside_the_rate() -> None:
    """As precision and recall are beside F1; a judge without support has no such note."""
    sentences = tuple(
        JudgedSentence(index=n, text=f"Moss {n}.", supported=True, reason="r", support=support)
        for n, support in enumerate((1.0, 0.5))
    )
    score = FaithfulnessScore(value=1.0, sentences=sentences)
    for scores, told in (((score,), ["faithfulness 1.000: support 0.750"]), (None, [])):
        changed = failing() if scores is None else replace(failing(), scores=scores)
        data = Page(page_text(run(suite(changed)))).block("pair-0")
        assert isinstance(data, dict)
        assert [note for note in data["notes"] if note.startswith("faithfulness")] == told


def test_means_over_references_are_told_with_what_is_shown() -> None:
    """The numbers and the facts beside them are then of different things."""
    each = tuple(
        EvaScore(value=value, precision=value, recall=value, recall_entailed=None)
        for value in (0.5, 1.0)
    )
    pair = replace(failing(), scores=(averaged(each),))
    data = Page(page_text(run(suite(pair)))).block("pair-0")
    assert isinstance(data, dict)
    told = "eva: numbers are means over 2 references; what is shown is of the one with the lowest"
    assert [note for note in data["notes"] if note.startswith(told)] == [f"{told} score"]


def test_hostile_text_changes_no_element_of_the_page() -> None:
    """Whatever is written, the elements are those of a run in which everybody wrote "x"."""
    hostile, plain = (Page(page_text(hostile_run(text))) for text in (HOSTILE, "x"))
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain.elements]
    assert hostile.scripts[None] == plain.scripts[None]
    assert "{{ 7 * 7 }}" in hostile.text
    assert "49" not in hostile.text


def test_invisible_characters_are_written_out() -> None:
    """Text that runs backwards or hides letters would let a reader see what is not there."""
    text = page_text(hostile_run())
    for hidden in "\u202e\u200b\ufffe\x1b\u2028\ud800":
        assert hidden not in text
    pair = Page(text).block("pair-1")
    assert isinstance(pair, dict)
    assert r"\u202egnp.exe\u200b \ufffe \x1b[31m \ud800 \u2028" in pair["summary"]
    text.encode("utf-8")


@settings(max_examples=40, deadline=None)
@given(text=st.text(min_size=1, max_size=60))
def test_any_text_is_in_the_data_and_moves_nothing(text: str) -> None:
    """The page's elements do not depend on what people write, and what they write is not lost."""
    source = page_text(hostile_run(text))
    page = Page(source)
    assert source.lower().count("<script") == len(page.tags("script"))
    assert len(page.tags("script")) == 2 + 2 + 2  # index, ours; two papers, two pairs
    shown = visible(text)
    blocks = {name: page.block(name) for name in page.scripts if name is not None}
    assert shown in texts_in(blocks["pair-1"])
    assert shown in texts_in(blocks["paper-1"])
    index = blocks["index"]
    assert isinstance(index, list)
    assert index[1][0] == f"{shown}/{shown}"


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


def test_a_short_text_is_not_cut() -> None:
    """The note is for what is missing."""
    assert cut("m" * QUOTE) == "m" * QUOTE
    assert cut("m" * (QUOTE + 1)).startswith("m" * QUOTE + " … [cut here: 2,001 ")


@pytest.mark.parametrize(
    ("text", "passage", "found"),
    [
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
        ("Moss grew.", "Rain fell.", []),
        ("Moss grew.", "...", []),
        ("ΣΑΣ moss. İstanbul moss.", "İstanbul moss.", ["İstanbul moss."]),
    ],
    ids=[
        "case",
        "soft hyphen",
        "word border",
        "twice",
        "in parts",
        "token",
        "absent",
        "no word",
        "folding",
    ],
)
def test_a_passage_is_found_as_it_was_written(text: str, passage: str, found: list[str]) -> None:
    """Judges quote the normalised text; the page shows what the system wrote."""
    shown = visible(text).encode("utf-16-le")
    places = Passages(text).find(passage)
    cuts = [shown[2 * start : 2 * end].decode("utf-16-le") for start, end in places]
    assert cuts == [visible(words) for words in found]


def test_a_sentence_that_stands_twice_is_found_in_both_places() -> None:
    """The second of two equal sentences is the one behind the first."""
    found = list(Passages("Moss grew. Rain fell. Moss grew.").in_order(["Moss grew."] * 2))
    assert found == [((0, 10),), ((22, 32),)]


def test_a_fact_is_marked_in_the_reference_that_shares_its_words() -> None:
    """With two references, its sentence's index alone does not say which."""
    told = replace(paper("moss-01"), references=("Stars shine. They burn.", REFERENCE))
    text = page_text(run(replace(suite(failing()), papers=(told,))))
    pair = Page(text).block("pair-0")
    assert isinstance(pair, dict)
    (missing,) = [p for p in pair["pieces"] if (p["kind"], p.get("number")) == ("expected", 2)]
    # Its third sentence begins behind 16 + 1 + 18 + 1 characters of the second reference.
    assert missing["at"] == [[2, 36, 64]]


def test_an_unused_page_loads_no_template_engine() -> None:
    """A plugin costs a foreign suite nothing until a report is asked for."""
    code = "import sys, summeval_pytest.reports.page; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
