from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.agreeing import Wanted, agree
from summeval_pytest.cli.measured_pairs import labelled_pairs
from summeval_pytest.errors import JudgeError, SuiteError
from summeval_pytest.evaluation import Desk, Terms
from summeval_pytest.questions import (
    FACETS,
    CheckFacts,
    CheckSentences,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite import load_suite
from summeval_pytest.verdict import agreement
from summeval_pytest.verdict.labelled import LEADING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.verdict.labelled import LabelledPair

ROOT = Path(__file__).parents[2]
SYSTEMS = ("plain", "bold")


def grown(text: str) -> int:
    """The one digit of a text: how often its moss grew."""
    (digit,) = [character for character in text if character.isdigit()]
    return int(digit)


def read(question: Question) -> Answer:
    """The rules of the judge below."""
    match question:
        case SegmentFacets(text) if "torn" in text:
            return Unanswered("the page is torn")
        case SegmentFacets(text):
            return FacetSegments(result=text)
        case RateFacets(pairs):
            (pair,) = pairs
            rating = grown(pair.candidate)
            return FacetRatings((FacetRating(facet=pair.facet, reason="", rating=rating),))
        case CheckSentences(sentences):
            supported = [grown(sentence) > 2 for sentence in sentences]
            checks = (SentenceCheck(reason="", supported=answer) for answer in supported)
            return SentenceChecks(tuple(checks))
        case _:
            return Unanswered("facts are not my trade")


class Reader:
    """Rates a summary as often as its moss grew, and supports what grew more than twice."""

    signature = "reader-1"
    in_flight = 3

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The rules' answers."""
        return tuple(map(read, questions))


class Lister(Reader):
    """Finds a fact in every sentence that has a digit, and lets it follow from what shares it."""

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Answers about facts only."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: Question) -> Answer:
        match question:
            case ListFacts(sentences):
                facts = (
                    Fact(text=text, sentence=place)
                    for place, text in enumerate(sentences)
                    if any(map(str.isdigit, text))
                )
                return FactList(tuple(facts))
            case CheckFacts(facts, premises):
                found = [
                    tuple(
                        n for n, premise in enumerate(premises) if grown(premise) == grown(f.text)
                    )
                    for f in facts
                ]
                checks = (FactCheck(reason="", entailed=bool(f), premises=f) for f in found)
                return FactChecks(tuple(checks))
            case _:
                return Unanswered("only facts are my trade")


class Dead(Reader):
    """Cannot be reached."""

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Nothing."""
        raise ConnectionError(f"no route for {len(questions)} questions")


READER = f"{__name__}:Reader"


def desk() -> Desk:
    """A way to judges of this process, on which nothing is asked of an endpoint or remembered."""
    return Desk(Terms(environ={}))


def write_suite(
    folder: Path,
    papers: Sequence[Mapping[str, object]],
    summaries: Mapping[tuple[str, str], str],
    labels: Sequence[Mapping[str, object]],
    recorded: Sequence[Mapping[str, object]] = (),
) -> Path:
    """A suite of two systems with labels, and with other judges' records where there are any."""
    files: dict[str, Sequence[Mapping[str, object]]] = {"papers": papers, "labels": labels}
    for system in SYSTEMS:
        files[system] = [
            {"paper": paper, "summary": text}
            for (paper, of), text in summaries.items()
            if of == system
        ]
    settings = ['papers = "papers.jsonl"', 'labels = "labels.jsonl"']
    if recorded:
        files["recorded"] = recorded
        settings.append('recorded = "recorded.jsonl"')
    settings += [f'[systems.{system}]\nsummaries = "{system}.jsonl"' for system in SYSTEMS]
    folder.mkdir()
    for name, objects in files.items():
        text = "".join(json.dumps(values) + "\n" for values in objects)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "summeval.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")
    return folder


def clean_environment() -> dict[str, str]:
    """The environment without what chooses an endpoint, a key or a store."""
    ours = ("SUMM_", "OPENAI_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def moss(folder: Path, recorded: Sequence[Mapping[str, object]] = ()) -> Path:
    """Three papers, two systems; one of the labelled pairs cannot be read."""
    papers = [
        {"id": name, "source": f"Moss was on {name}.", "reference": f"It grew on {name}."}
        for name in ("sand", "rock", "bark")
    ]
    summaries = {
        ("sand", "plain"): "It grew 1 time.",
        ("sand", "bold"): "It grew 3 times.",
        ("rock", "plain"): "It grew 2 times.",
        ("rock", "bold"): "It grew 4 times.",
        ("bark", "plain"): "A torn page 5.",
        ("bark", "bold"): "It grew 6 times.",
    }
    human = {("sand", "plain"): 1, ("sand", "bold"): 2, ("rock", "plain"): 3, ("rock", "bold"): 4}
    labels: list[dict[str, object]] = [
        {"paper": paper, "system": system, "facets": {"result": rating}, "overall": rating / 10}
        for (paper, system), rating in human.items()
    ]
    labels += [
        {"paper": "bark", "system": "plain", "overall": 0.9},
        {"paper": "bark", "system": "bold", "facets": {"result": 4}},
    ]
    return write_suite(folder, papers, summaries, labels, recorded)


def rated(pair: LabelledPair) -> dict[str, tuple[float, float | None]]:
    """The facets that people rated, with the judge's ratings."""
    answers = pair.golden.answers if pair.golden is not None else ()
    return {a.kind: (a.label, a.answer) for a in answers if a.kind in FACETS}


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals are tested with the verdict; here they only have to be there."""
    monkeypatch.setattr(agreement, "RESAMPLES", 20)


@pytest.mark.usefixtures("few_resamples")
def test_agreement_is_printed_and_written(tmp_path: Path) -> None:
    """Worked example.

    FM is a quarter of the digit: 1, 3, 2, 4 against 1, 2, 3, 4 makes r = rho = 0.8, and tau 1 on
    each of two papers; both papers give 0.8 and one of them twice gives 1. Ratings: two of four
    are equal; quadratic weights, 2 observed of 40 / 4 expected, make kappa 0.8. Faithfulness:
    0, 1, 0, 1 and 1, for the torn page has a digit all the same.
    """
    file = tmp_path / "figures.json"
    lines = agree(moss(tmp_path / "moss"), judge_name=READER, desk=desk(), json_file=file)
    fingerprint = load_suite(tmp_path / "moss").fingerprint
    assert lines[0].endswith(f": 6 labelled pairs, judge {READER}, suite {fingerprint}")
    assert lines[1] == "Agreement with the human overall score; 95 % intervals over papers."
    assert lines[3].split() == ["pairs", "Pearson", "Spearman", "Kendall", "per", "paper"]
    table = {line[:26].rstrip(): line[26:] for line in lines[4:]}
    assert table["FM"] == "    4   0.800 [ 0.80, 1.00]  0.800 [ 0.80, 1.00]  1.000 [ 1.00, 1.00]"
    start = lines.index("facet ratings             pairs   exact  quadratic kappa")
    assert lines[start : start + 5] == [
        "facet ratings             pairs   exact  quadratic kappa",
        "background                    0       -                -",
        "method                        0       -                -",
        "result                        4   0.500            0.800",
        "conclusion                    0       -                -",
    ]
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert list(figures)[:3] == ["pairs", "metrics", "facets"]
    assert figures["pairs"] == 6
    fm = figures["metrics"]["FM"]
    assert list(fm)[:4] == ["pearson", "spearman", "kendall", "pairs"]
    assert fm["pearson"] == pytest.approx([0.8, 0.8, 1.0])
    assert fm["spearman"] == pytest.approx([0.8, 0.8, 1.0])
    assert (fm["kendall"], fm["pairs"]) == ([1.0, 1.0, 1.0], 4)
    assert figures["facets"]["result"] == {
        "exact": 0.5,
        "kappa": pytest.approx(0.8),
        "pairs": 4,
    }
    assert figures["facets"]["method"] == {"exact": None, "kappa": None, "pairs": 0}


@pytest.mark.usefixtures("few_resamples")
def test_what_is_unscored_is_counted_out_and_not_as_zero(tmp_path: Path) -> None:
    """The torn page has no FM, no pair has an EVA-Score, and the baselines have all."""
    file = tmp_path / "figures.json"
    agree(moss(tmp_path / "moss"), judge_name=READER, desk=desk(), json_file=file)
    metrics = json.loads(file.read_text(encoding="utf-8"))["metrics"]
    assert {name: found["pairs"] for name, found in metrics.items()} == {
        "FM": 4,
        "faithfulness": 5,
        "ROUGE-1": 5,
        "ROUGE-2": 5,
        "ROUGE-L": 5,
        "facet presence": 4,
        "length": 5,
    }


@pytest.mark.usefixtures("few_resamples")
def test_what_cannot_be_measured_is_a_dash_and_a_null(tmp_path: Path) -> None:
    """Every summary states the one facet, so its presence agrees with nothing; 0 would be a lie."""
    file = tmp_path / "figures.json"
    lines = agree(moss(tmp_path / "moss"), judge_name=READER, desk=desk(), json_file=file)
    (line,) = [line for line in lines if line.startswith("facet presence")]
    assert line.split() == ["facet", "presence", "4", "-", "-", "-"]
    (fm,) = [line for line in lines if line.startswith("FM ")]
    dots = [place for place, character in enumerate(fm) if character == "."][::3]
    assert [line.index("-", dot - 2, dot + 5) for dot in dots] == [dot + 3 for dot in dots]
    found = json.loads(file.read_text(encoding="utf-8"))["metrics"]["facet presence"]
    assert found["pearson"] == found["spearman"] == found["kendall"] == [None, None, None]


@pytest.mark.usefixtures("few_resamples")
def test_our_columns_come_first_and_recorded_ones_by_name(tmp_path: Path) -> None:
    """A recorded column of the same name is marked: neither may hide the other, or fill its gaps.

    Without the mark the torn page would have a recorded FM among the computed ones.
    """
    recorded: list[dict[str, object]] = [
        {"paper": paper, "system": system, "by": by, "overall": 0.5}
        for by in ("Zed", "ACU", "FM", "ROUGE-1")
        for paper, system in (("sand", "plain"), ("rock", "bold"), ("bark", "plain"))
    ]
    recorded.append({"paper": "sand", "system": None, "by": "ACU", "segments": {"result": "It."}})
    suite = load_suite(moss(tmp_path / "moss", recorded))
    pairs = labelled_pairs(suite, READER, desk())
    assert [pair.columns["FM (recorded)"] for pair in pairs if "FM (recorded)" in pair.columns] == [
        0.5
    ] * 3
    torn = pairs[-2]
    assert "FM" not in torn.columns
    assert torn.columns["ROUGE-1 (recorded)"] == 0.5
    assert torn.columns["ROUGE-1"] == 0.0

    lines = agree(tmp_path / "moss", judge_name=READER, desk=desk(), json_file=None)
    names = [line[:26].rstrip() for line in lines[4 : lines.index("", 4)]]
    ours = [name for name in LEADING if not name.startswith("EVA")]
    assert names == [*ours, "ACU", "FM (recorded)", "ROUGE-1 (recorded)", "Zed"]


def test_a_labelled_pair_carries_what_a_hand_computes(tmp_path: Path) -> None:
    """Worked example: two words of four, one pair of words of three, are the reference's, too."""
    suite = load_suite(moss(tmp_path / "moss"))
    pair = labelled_pairs(suite, READER, desk())[1]
    assert (pair.paper, pair.group, pair.human) == ("sand", "It grew on sand.", 0.2)
    assert rated(pair) == {"result": (2, 3)}
    assert pair.columns == pytest.approx(
        {
            "FM": 0.75,
            "facet presence": 1,
            "faithfulness": 1,
            "ROUGE-1": 0.5,
            "ROUGE-2": 1 / 3,
            "ROUGE-L": 0.5,
            "length": 4,
        }
    )


def test_eva_has_a_column_for_each_of_its_numbers(tmp_path: Path) -> None:
    """Worked example: one of the summary's three facts is one of the reference's two.

    P = 1/3, R = 1/2, F1 = 0.4. The other summary states no fact: F1 is 0 and there is no precision,
    so its column has one pair less.
    """
    papers = [{"id": "sand", "source": "Moss.", "reference": "It grew 1 time. It shrank 2 times."}]
    summaries = {
        ("sand", "plain"): "It did well.",
        ("sand", "bold"): "It grew 1 time. It shrank 3 times. It died 4 times.",
    }
    labels = [{"paper": "sand", "system": of, "overall": 0.5} for of in SYSTEMS]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    plain, bold = (
        {name: value for name, value in pair.columns.items() if name.startswith("EVA")}
        for pair in labelled_pairs(suite, f"{__name__}:Lister", desk())
    )
    assert plain == {"EVA": 0, "EVA recall": 0, "EVA recall (entailed)": 0}
    assert bold == pytest.approx(
        {"EVA": 0.4, "EVA precision": 1 / 3, "EVA recall": 0.5, "EVA recall (entailed)": 0.5}
    )


def test_what_a_suite_leaves_unmeasured_has_no_column(tmp_path: Path) -> None:
    """Under eva_recall = "matched" the summary is not asked for the reference's facts."""
    papers = [{"id": "sand", "source": "Moss.", "reference": "It grew 1 time."}]
    summaries = {("sand", of): "It grew 1 time, they said." for of in SYSTEMS}
    labels = [{"paper": "sand", "system": "bold", "overall": 0.5}]
    folder = write_suite(tmp_path / "moss", papers, summaries, labels)
    file = folder / "summeval.toml"
    file.write_text('eva_recall = "matched"\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    (pair,) = labelled_pairs(load_suite(folder), f"{__name__}:Lister", desk())
    found = {name: value for name, value in pair.columns.items() if name.startswith("EVA")}
    assert found == {"EVA": 1, "EVA precision": 1, "EVA recall": 1}


def test_a_facet_that_people_did_not_rate_is_no_rating(tmp_path: Path) -> None:
    """Left out, or found absent from the reference: either way there is nothing to agree with."""
    papers = [{"id": "sand", "source": "Moss.", "reference": "It grew on sand."}]
    summaries = {("sand", of): "It grew 2 times." for of in SYSTEMS}
    labels: list[dict[str, object]] = [
        {"paper": "sand", "system": "plain", "overall": 0.5},
        {"paper": "sand", "system": "bold", "overall": 0.5, "facets": {"result": None}},
    ]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    assert [rated(pair) for pair in labelled_pairs(suite, READER, desk())] == [{}, {}]


def test_every_pair_that_a_label_says_something_of_is_judged(tmp_path: Path) -> None:
    """A label of facets alone has nothing to correlate with, and ratings to agree with."""
    pairs = labelled_pairs(load_suite(moss(tmp_path / "moss")), READER, desk())
    assert [(pair.paper, pair.human) for pair in pairs] == [
        ("sand", 0.1),
        ("sand", 0.2),
        ("rock", 0.3),
        ("rock", 0.4),
        ("bark", 0.9),
        ("bark", None),
    ]


def labels_of(**parts: object) -> list[dict[str, object]]:
    """Labels of both systems on sand."""
    return [{"paper": "sand", "system": of, **parts} for of in SYSTEMS]


SAND = [{"id": "sand", "source": "Moss.", "reference": "It grew 3 times."}]
GREW = {("sand", "plain"): "It grew 1 time.", ("sand", "bold"): "It grew 3 times!"}


@pytest.mark.usefixtures("few_resamples")
def test_labels_without_any_overall_score_still_have_items_to_agree_on(tmp_path: Path) -> None:
    """Sentences alone: one is called wrong and both are labelled so."""
    labels = labels_of(sentences=[{"index": 0, "faithful": False}])
    folder = write_suite(tmp_path / "moss", SAND, GREW, labels)
    file = tmp_path / "figures.json"
    lines = agree(folder, judge_name=READER, desk=desk(), json_file=file)
    assert (
        lines[3] == "no label has an overall score or all four facets: no human column to go with"
    )
    at = lines.index("                sentence             fact")
    assert [line.split()[:4] for line in lines[at + 1 : at + 7]] == [
        ["items", "2", "0"],
        ["exact", "0.500", "[", "0.50,"],
        ["kappa", "0.000", "[", "0.00,"],
        ["recall", "of", "wrong", "0.500"],
        ["called", "wrong", "0.500", "["],
        ["labelled", "wrong", "1.000", "["],
    ]
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures["items"]["sentence"]["recall of wrong"] == [0.5, 0.5, 0.5]
    assert figures["items"]["fact"] == {
        "items": 0,
        **dict.fromkeys(figures["items"]["sentence"].keys() - {"items"}, [None] * 3),
    }
    assert figures["metrics"]["ROUGE-1"]["pearson"] == [None] * 3


@pytest.mark.usefixtures("few_resamples")
def test_labelled_facts_are_checked_as_they_stand(tmp_path: Path) -> None:
    """The judge lists facts of its own besides; what it says of the labelled ones counts here."""
    facts = {
        "reference": [{"text": "It grew 3 times.", "covered": True}],
        "candidate": [{"text": "It grew 5 times.", "supported": False}],
    }
    folder = write_suite(tmp_path / "moss", SAND, GREW, labels_of(facts=facts)[1:])
    file = tmp_path / "figures.json"
    agree(folder, judge_name=f"{__name__}:Lister", desk=desk(), json_file=file)
    found = json.loads(file.read_text(encoding="utf-8"))["items"]["fact"]
    assert (found["items"], found["exact"][0], found["recall of wrong"][0]) == (2, 1.0, 1.0)


def test_a_label_of_a_sentence_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    """It would be judged, paid for, and agree with nothing."""
    labels = labels_of(sentences=[{"index": 7, "faithful": True}])
    suite = load_suite(write_suite(tmp_path / "moss", SAND, GREW, labels))
    with pytest.raises(SuiteError, match="is about sentence 7, and the summary has 1"):
        labelled_pairs(suite, f"{__name__}:Dead", desk())


@pytest.mark.usefixtures("few_resamples")
def test_the_controls_are_shown_even_where_the_judge_rates_nothing(tmp_path: Path) -> None:
    """Facet presence by a judge without facets is a row of dashes, which says so."""
    folder = write_suite(tmp_path / "moss", SAND, GREW, labels_of(overall=0.5))
    lines = agree(folder, judge_name=f"{__name__}:Lister", desk=desk(), json_file=None)
    assert (
        "facet presence                0       -                    -                    -" in lines
    )
    assert any(line.startswith("ROUGE-1 ") for line in lines)


@pytest.mark.usefixtures("few_resamples")
def test_recorded_segments_and_ratings_have_their_own_rows(tmp_path: Path) -> None:
    """Worked example: Ann finds the result in one of two summaries, and rates one as people do."""
    recorded: list[dict[str, object]] = [
        {"paper": "sand", "system": "plain", "by": "Ann", "segments": {"result": "It grew."}},
        {"paper": "sand", "system": "bold", "by": "Ann", "segments": {"method": "It grew."}},
        {"paper": "sand", "system": None, "by": "Ann", "segments": {"result": "It grew."}},
        {"paper": "sand", "system": "plain", "by": "Bob", "facets": {"result": 4, "method": 1}},
        {"paper": "sand", "system": "bold", "by": "Bob", "facets": {"result": 1}},
    ]
    labels = [
        {"paper": "sand", "system": of, "overall": overall, "facets": {"result": rating}}
        for of, overall, rating in (("plain", 0.9, 4), ("bold", 0.1, 2))
    ]
    folder = write_suite(tmp_path / "moss", SAND, GREW, labels, recorded)
    lines = agree(folder, judge_name=READER, desk=desk(), json_file=None)
    table = {line[:26].rstrip(): line[26:].split() for line in lines}
    assert table["presence (Ann)"][:2] == table["length (Ann)"][:2] == ["2", "1.000"]
    at = lines.index(
        "recorded ratings          background     method         result         conclusion"
    )
    # Ratings 4, 2 and 4, 1: observed 1, expected (0 + 9 + 4 + 1) / 2 = 7; kappa 6/7.
    assert lines[at + 1].split() == ["Bob", "-", "-", "-", "-", "0.500", "0.857", "-", "-"]


@pytest.mark.usefixtures("few_resamples")
def test_a_level_takes_the_place_of_the_mixture(tmp_path: Path) -> None:
    """Worked example: systems' means .2, .3 by people and 1.5, 3.5 quarters by FM: in order.

    Two systems are in some order always, so p is 1: nothing is claimed of them.
    """
    folder = moss(tmp_path / "moss")
    wanted = Wanted(levels=("paper", "system"))
    lines = agree(folder, judge_name=READER, desk=desk(), json_file=None, wanted=wanted)
    at = lines.index("Mean over papers of the agreement within each.")
    assert lines[at + 1].split() == ["papers", "Pearson", "Spearman", "Kendall"]
    assert lines[at + 2] == (
        "FM                            2   1.000 [ 1.00, 1.00]  1.000 [ 1.00, 1.00]"
        "  1.000 [ 1.00, 1.00]"
    )
    at = lines.index(
        "Of the systems' means over papers, one point a system; behind each interval, p."
    )
    assert lines[at + 2] == (
        "FM                     2  1.00 [ 1.00, 1.00] 1.00  1.00 [ 1.00, 1.00] 1.00"
        "  1.00 [ 1.00, 1.00] 1.00"
    )
    assert not any("Kendall per paper" in line for line in lines)


@pytest.mark.usefixtures("few_resamples")
def test_a_matrix_has_every_two_columns(tmp_path: Path) -> None:
    """The human column is the first, and its own row of the table is its first column."""
    folder = moss(tmp_path / "moss")
    wanted = Wanted(matrix="pearson")
    lines = agree(folder, judge_name=READER, desk=desk(), json_file=None, wanted=wanted)
    at = lines.index("Pearson of every two columns. Over all pairs.")
    assert lines[at + 1].split() == [str(n) for n in range(1, 9)]
    assert lines[at + 2].split() == ["1", "human", "1.0"]
    assert lines[at + 3].split() == ["2", "FM", ".80", "1.0"]
    assert lines[at + 7].split()[-1] == "1.0"


@pytest.mark.usefixtures("few_resamples")
def test_weights_are_fitted_or_the_reason_is_told(tmp_path: Path) -> None:
    """Four labels of one facet: it explains what it can, and the others weigh nothing."""
    wanted = Wanted(weights=True)
    folder = moss(tmp_path / "moss")
    lines = agree(folder, judge_name=READER, desk=desk(), json_file=None, wanted=wanted)
    # Shares 1/4, 2/4, 3/4, 1 against .1, .2, .3, .4: (.15^2 + .3^2 + .45^2 + .6^2) / 4 = .16875
    assert lines[-4:] == [
        "facet weights             background     method         result         conclusion",
        "fitted to 4 pairs         0.000          0.000          1.000          0.000",
        "FM, section 4.2           0.100          0.300          0.300          0.300",
        "mean squared error of the fitted ones: 0.16875",
    ]
    few = write_suite(tmp_path / "few", SAND, GREW, labels_of(overall=0.5))
    lines = agree(few, judge_name=READER, desk=desk(), json_file=None, wanted=wanted)
    assert lines[-1].startswith("facet weights: 0 rows have a share and an overall rating, too few")


@pytest.mark.usefixtures("few_resamples")
def test_the_json_has_everything_whatever_is_printed(tmp_path: Path) -> None:
    """Who reads it with a script should not have to know which options were given."""
    folder = moss(tmp_path / "moss")
    wanted = Wanted(levels=("system",), matrix="kendall", weights=True)
    texts = []
    for name, asked in (("bare", None), ("full", wanted)):
        file = tmp_path / f"{name}.json"
        agree(folder, judge_name=READER, desk=desk(), json_file=file, wanted=asked)
        texts.append(file.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    figures = json.loads(texts[0])
    assert list(figures) == [
        "pairs", "metrics", "facets", "items", "recorded", "systems", "matrices", "weights",
    ]  # fmt: skip
    fm = figures["metrics"]["FM"]
    assert fm["system"]["p"] == {"pearson": 1.0, "spearman": 1.0, "kendall": 1.0}
    assert (fm["pooled"]["n"], fm["paper"]["n"], fm["system"]["n"]) == (4, 2, 2)
    assert fm["pooled"]["pearson"] == fm["pearson"]
    assert fm["paper"]["kendall"] == fm["kendall"]
    matrices = figures["matrices"]
    place = matrices["columns"].index("FM")
    assert matrices["columns"][0] == "human"
    assert matrices["pooled"]["pearson"][0][place] == pytest.approx(fm["pearson"])
    assert matrices["system"]["kendall"][place][0] == fm["system"]["kendall"]
    assert figures["systems"]["bold"]["FM"] == pytest.approx((0.75 + 1) / 2)
    assert figures["weights"]["result"] == 1.0
    assert figures["items"]["result"]["items"] == 4


def test_papers_with_the_same_reference_are_one_group(tmp_path: Path) -> None:
    """ScholarSum has one reference twice; line breaks and blanks do not make it another."""
    papers = [
        {"id": "sand", "source": "Moss.", "reference": "It grew on  sand."},
        {"id": "rock", "source": "Fern.", "reference": "It grew on\nsand. "},
    ]
    summaries = {(paper, of): "It grew 2 times." for paper in ("sand", "rock") for of in SYSTEMS}
    labels = [{"paper": p, "system": of, "overall": 0.5} for p, of in summaries]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    pairs = labelled_pairs(suite, READER, desk())
    assert [pair.paper for pair in pairs] == ["sand", "sand", "rock", "rock"]
    assert len({pair.group for pair in pairs}) == 1


def test_the_best_of_several_references_counts_for_rouge(tmp_path: Path) -> None:
    """As for the metrics that it stands beside."""
    references = ["Ferns died.", "It grew 2 times.", "It grew."]
    papers = [{"id": "sand", "source": "Moss.", "reference": references}]
    summaries = {("sand", of): "It grew 2 times." for of in SYSTEMS}
    labels = [{"paper": "sand", "system": "bold", "overall": 0.5}]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    (pair,) = labelled_pairs(suite, READER, desk())
    assert [pair.columns[name] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")] == [1.0] * 3


def test_a_judge_that_fails_leaves_no_thread(tmp_path: Path) -> None:
    """The command may be a step of a longer script."""
    suite = load_suite(moss(tmp_path / "moss"))
    threads = threading.active_count()
    with pytest.raises(JudgeError):
        labelled_pairs(suite, f"{__name__}:Dead", desk())
    assert threading.active_count() == threads


def test_the_json_is_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    """Two runs that differ in a digit cannot be told from a judge that changed.

    Two papers of the bundled suite under the embedded judge, in two processes that order their
    sets differently; twenty resamples are enough to move every interval.
    """
    suite = tmp_path / "golden"
    shutil.copytree(ROOT / "golden", suite)
    labels = (suite / "labels.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (suite / "labels.jsonl").write_text("".join(labels[:6]), encoding="utf-8")
    program = (
        "import sys; from summeval_pytest.verdict import agreement; agreement.RESAMPLES = 20;"
        "from summeval_pytest.cli.command import main; sys.exit(main(sys.argv[1:]))"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program, "agree", "golden", "--json", f"{seed}.json"],
            cwd=tmp_path,
            env=clean_environment() | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for seed in ("1", "20241")
    ]
    printed = [run.communicate() for run in runs]
    assert [run.returncode for run in runs] == [0, 0], printed
    assert printed[0] == printed[1]
    one, other = ((tmp_path / f"{seed}.json").read_bytes() for seed in ("1", "20241"))
    assert one == other
    assert one.endswith(b"}\n")
    assert json.loads(one)["metrics"]["EVA"]["pairs"] == 6
