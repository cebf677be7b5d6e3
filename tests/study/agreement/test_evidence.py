from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from summeval_pytest.run.golden import EvidenceCount, count_evidence
from summeval_pytest.run.runner import Runner
from summeval_pytest.study import tables
from summeval_pytest.study.agreement import evidence
from summeval_pytest.study.agreement.evidence import (
    EvidenceCase,
    evidence_cases,
    evidence_tasks,
    figures_of,
    supporting_figures,
)
from summeval_pytest.study.tables import Row
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, LabelledJudge, write_labelled


@pytest.fixture(autouse=True, scope="module")
def few_resamples() -> Iterator[None]:
    """Intervals of evidence only have to be there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "RESAMPLES", 10)
        yield


SOURCE = (
    "Moss was grown on forty stones.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
    "Dry moss died in June.",
)
COPIED = "Rain fell on half of the stones."
FREE = "Half got showers, and thrived at double speed."


def case(
    labelled: tuple[int, ...],
    named: tuple[int, ...] | None,
    sentence: str = COPIED,
    group: str = "moss",
) -> EvidenceCase:
    """One case."""
    return EvidenceCase(
        group=group, sentence=sentence, source=SOURCE, labelled=labelled, named=named
    )


def judged(*cases: EvidenceCase) -> Row:
    """The judge's figures on all of these."""
    return figures_of("judge", "all", [(each, each.named) for each in cases])


def test_figures_are_micro_and_means_over_instances_stand_beside() -> None:
    """Worked example: of 2 + 1 + 0 named and 1 + 3 + 1 labelled sentences 1 + 1 + 0 are both.

    Micro: P = 2/3, R = 2/5, F1 = 4/8. Means: P = (1/2 + 1 + 0)/3, R = (1 + 1/3 + 0)/3,
    F1 = (2/3 + 2/4 + 0)/3.
    """
    found = judged(case((1,), (1, 2)), case((0, 1, 2), (2,), group="rain"), case((3,), ()))
    names = ("precision", "recall", "f1", "any_hit", "named_per_sentence")
    micro = [found[name].value for name in names]
    assert micro == pytest.approx([2 / 3, 2 / 5, 1 / 2, 2 / 3, 1.0])
    assert found["macro"] == pytest.approx({"precision": 1 / 2, "recall": 4 / 9, "f1": 7 / 18})
    assert (found["n_instances"], found["n_papers"], found["n_unanswered"]) == (3, 2, 0)
    # A case without an answer is the judge's silence, and no sentence that it missed.
    found = judged(case((1,), None), case((1,), (1,)))
    assert (found["n_instances"], found["n_unanswered"], found["recall"].value) == (1, 1, 1.0)
    silent = judged(case((1,), None))
    assert (silent["n_instances"], silent["macro"], silent["precision"].value) == (0, None, None)
    # Precision is of sentences and not of mentions.
    assert count_evidence((1, 1, 2), (1, 1, 0)) == EvidenceCount(named=2, labelled=2, both=1)


def test_the_judge_stands_beside_three_cuts_of_one_ranking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The baseline is the same for every judge (FareBio, Table 3)."""
    ranking = {COPIED: (1, 0, 3), FREE: (3, 2, 0)}
    cases = [case((1,), (0,)), case((2, 3), (2,), FREE)]
    monkeypatch.setattr(evidence, "top_sentences", lambda sentence, _, k: ranking[sentence][:k])
    figures = list(supporting_figures(cases))
    whole = {each["by"]: each for each in figures if each["part"] == "all"}
    assert list(whole) == ["judge", "BM25 top-1", "BM25 top-2", "BM25 top-3"]
    both = {by: each["recall"].value for by, each in whole.items()}
    # of 3 labelled: the judge has "2", top-1 has "1" and "3", top-2 and top-3 have all
    assert both == pytest.approx(
        {"judge": 1 / 3, "BM25 top-1": 2 / 3, "BM25 top-2": 1.0, "BM25 top-3": 1.0}
    )
    named = [each["named_per_sentence"].value for each in whole.values()]
    assert named == [1.0, 1.0, 2.0, 3.0]
    monkeypatch.undo()
    # What is copied is easily found (Table 10): split at the median of novel bigrams.
    halves = list(supporting_figures([case((1,), (1,)), case((1, 2), (), FREE)]))
    recall = {each["part"]: each["recall"].value for each in halves if each["by"] == "judge"}
    assert list(recall.items())[1:] == [("high", 0.0), ("low", 1.0)]
    bm25 = {each["part"]: each for each in halves if each["by"] == "BM25 top-1"}
    assert bm25["low"]["precision"].value == 1.0


FIRST = "The team fired forty bricks with two draughts."
SECOND = "The slow draught gave bricks of 31 MPa."


def cases_of(
    suite_of: Path, judge: LabelledJudge, *labels: Mapping[str, object]
) -> list[EvidenceCase]:
    """The cases of a suite with these labels under this judge."""
    suite = write_labelled(suite_of, *labels)
    with closing(Runner(judge)) as runner:
        return [
            case
            for task, label in evidence_tasks(suite).items()
            for case in evidence_cases(label, runner.evaluation(task))
        ]


def test_a_case_holds_what_is_labelled_and_what_the_judge_named(tmp_path: Path) -> None:
    """Worked example: the second sentence stands in the source, so a rule names its evidence.

    A judge without an answer has named nothing: None is not "no sentence", which would be a miss.
    """
    judge = LabelledJudge(evidence={FIRST: (3, 1)})
    first, second = cases_of(tmp_path / "a", judge, GOOD_OF_KILN, BAD_OF_KILN)
    assert (first.sentence, first.labelled, first.named) == (FIRST, (1,), (3, 1))
    assert (second.sentence, second.labelled, second.named) == (SECOND, (2,), (2,))
    assert first.source[1] == "We fired forty bricks with two draughts."
    assert first.group == second.group
    sentences = [
        {"index": 0, "faithful": False, "evidence": [1]},
        {"index": 1, "faithful": True, "evidence": [2]},
    ]
    good = {**GOOD_OF_KILN, "sentences": sentences}
    assert [case.sentence for case in cases_of(tmp_path / "c", judge, good)] == [SECOND]
    silent = LabelledJudge(silent=frozenset({FIRST}))
    assert [case.named for case in cases_of(tmp_path / "b", silent, GOOD_OF_KILN)] == [None, None]
