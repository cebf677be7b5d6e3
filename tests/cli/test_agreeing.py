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

from summeval_pytest.cli.agreeing import LEADING, _cell, agree, labelled_pairs
from summeval_pytest.errors import JudgeError
from summeval_pytest.evaluation import Desk, Terms
from summeval_pytest.questions import (
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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.questions import Answer, Question

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
    assert lines[0].endswith(f": 5 labelled pairs, judge {READER}, suite {fingerprint}")
    assert lines[1] == "Agreement with the human overall score; 95 % intervals over papers."
    assert lines[3].split() == ["pairs", "Pearson", "Spearman", "Kendall", "per", "paper"]
    table = {line[:26].rstrip(): line[26:] for line in lines[4:]}
    assert table["FM"] == "    4   0.800 [ 0.80, 1.00]  0.800 [ 0.80, 1.00]  1.000 [ 1.00, 1.00]"
    assert lines[-5:] == [
        "facet ratings             pairs   exact  quadratic kappa",
        "background                    0       -                -",
        "method                        0       -                -",
        "result                        4   0.500            0.800",
        "conclusion                    0       -                -",
    ]
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert list(figures) == ["pairs", "metrics", "facets"]
    assert figures["pairs"] == 5
    fm = figures["metrics"]["FM"]
    assert list(fm) == ["pearson", "spearman", "kendall", "pairs"]
    assert fm["pearson"] == pytest.approx([0.8, 0.8, 1.0])
    assert fm["spearman"] == pytest.approx([0.8, 0.8, 1.0])
    assert (fm["kendall"], fm["pairs"]) == ([1.0, 1.0, 1.0], 4)
    assert figures["facets"]["result"] == {"exact": 0.5, "kappa": 0.8, "pairs": 4}
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
    torn = pairs[-1]
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
    assert pair.ratings == {"result": (2, 3)}
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
    assert [dict(pair.ratings) for pair in labelled_pairs(suite, READER, desk())] == [{}, {}]


def test_only_pairs_with_an_overall_score_are_judged(tmp_path: Path) -> None:
    """A label of facets alone has nothing to correlate with."""
    pairs = labelled_pairs(load_suite(moss(tmp_path / "moss")), READER, desk())
    assert [(pair.paper, pair.human) for pair in pairs] == [
        ("sand", 0.1),
        ("sand", 0.2),
        ("rock", 0.3),
        ("rock", 0.4),
        ("bark", 0.9),
    ]


@pytest.mark.parametrize(
    ("estimate", "cell"),
    [
        (agreement.Estimate(-0.1234, -0.5, 0.25), "-0.123 [-0.50, 0.25]"),
        (agreement.Estimate(0.8, None, None), " 0.800              "),
        (agreement.Estimate(None, None, None), "     -              "),
    ],
)
def test_a_cell_is_as_wide_with_and_without_an_interval(
    estimate: agreement.Estimate, cell: str
) -> None:
    """The next coefficient has to stand under its heading."""
    assert _cell(estimate) == cell


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
