from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.agree import labelled_pairs
from summeval_pytest.errors import JudgeError, SuiteError
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.suite import load_suite
from tests.cli.moss_suite import (
    DEAD,
    GREW,
    LISTER,
    READER,
    SAND,
    SYSTEMS,
    labels_of,
    moss,
    session,
    write_suite,
)

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.analysis.agreement import LabelledPair


def rated(pair: LabelledPair) -> dict[str, tuple[float, float | None]]:
    """The facets that people rated, with the judge's ratings."""
    answers = pair.golden.answers if pair.golden is not None else ()
    return {a.kind: (a.label, a.answer) for a in answers if a.kind in FACETS}


def test_a_labelled_pair_carries_what_a_hand_computes(tmp_path: Path) -> None:
    """Worked example: two words of four, one pair of words of three, are the reference's, too."""
    suite = load_suite(moss(tmp_path / "moss"))
    pair = labelled_pairs(suite, READER, session())[1]
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
            "ROUGE-1 recall": 0.5,
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
        for pair in labelled_pairs(suite, LISTER, session())
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
    (pair,) = labelled_pairs(load_suite(folder), LISTER, session())
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
    assert [rated(pair) for pair in labelled_pairs(suite, READER, session())] == [{}, {}]


def test_every_pair_that_a_label_says_something_of_is_judged(tmp_path: Path) -> None:
    """A label of facets alone has nothing to correlate with, and ratings to agree with."""
    pairs = labelled_pairs(load_suite(moss(tmp_path / "moss")), READER, session())
    assert [(pair.paper, pair.human) for pair in pairs] == [
        ("sand", 0.1),
        ("sand", 0.2),
        ("rock", 0.3),
        ("rock", 0.4),
        ("bark", 0.9),
        ("bark", None),
    ]


def test_a_label_of_a_sentence_that_is_not_there_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    """It would be judged, paid for, and agree with nothing."""
    labels = labels_of(sentences=[{"index": 7, "faithful": True}])
    suite = load_suite(write_suite(tmp_path / "moss", SAND, GREW, labels))
    with pytest.raises(SuiteError, match="is about sentence 7, and the summary has 1"):
        labelled_pairs(suite, DEAD, session())


def test_papers_with_the_same_reference_are_one_group(tmp_path: Path) -> None:
    """ScholarSum has one reference twice; line breaks and blanks do not make it another."""
    papers = [
        {"id": "sand", "source": "Moss.", "reference": "It grew on  sand."},
        {"id": "rock", "source": "Fern.", "reference": "It grew on\nsand. "},
    ]
    summaries = {(paper, of): "It grew 2 times." for paper in ("sand", "rock") for of in SYSTEMS}
    labels = [{"paper": p, "system": of, "overall": 0.5} for p, of in summaries]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    pairs = labelled_pairs(suite, READER, session())
    assert [pair.paper for pair in pairs] == ["sand", "sand", "rock", "rock"]
    assert len({pair.group for pair in pairs}) == 1


def test_the_best_of_several_references_counts_for_rouge(tmp_path: Path) -> None:
    """As for the metrics that it stands beside."""
    references = ["Ferns died.", "It grew 2 times.", "It grew."]
    papers = [{"id": "sand", "source": "Moss.", "reference": references}]
    summaries = {("sand", of): "It grew 2 times." for of in SYSTEMS}
    labels = [{"paper": "sand", "system": "bold", "overall": 0.5}]
    suite = load_suite(write_suite(tmp_path / "moss", papers, summaries, labels))
    (pair,) = labelled_pairs(suite, READER, session())
    assert [pair.columns[name] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")] == [1.0] * 3


def test_a_judge_that_fails_leaves_no_thread(tmp_path: Path) -> None:
    """The command may be a step of a longer script."""
    suite = load_suite(moss(tmp_path / "moss"))
    threads = threading.active_count()
    with pytest.raises(JudgeError):
        labelled_pairs(suite, DEAD, session())
    assert threading.active_count() == threads
