from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.run.golden import evidence_cases, evidence_tasks
from summeval_pytest.run.runner import Runner
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, Told, write_labelled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.run.golden import EvidenceCase

FIRST = "The team fired forty bricks with two draughts."
SECOND = "The slow draught gave bricks of 31 MPa."


def cases(folder: Path, judge: Told, *labels: Mapping[str, object]) -> list[EvidenceCase]:
    """The cases of a suite with these labels under this judge."""
    suite = write_labelled(folder, *labels)
    runner = Runner(judge)
    try:
        return [
            case
            for task, label in evidence_tasks(suite).items()
            for case in evidence_cases(label, runner.evaluation(task))
        ]
    finally:
        runner.close()


def test_a_case_holds_what_is_labelled_and_what_the_judge_named(tmp_path: Path) -> None:
    """Worked example: the second sentence stands in the source, so a rule names its evidence."""
    judge = Told(evidence={FIRST: (3, 1)})
    first, second = cases(tmp_path, judge, GOOD_OF_KILN, BAD_OF_KILN)
    assert (first.sentence, first.labelled, first.named) == (FIRST, (1,), (3, 1))
    assert (second.sentence, second.labelled, second.named) == (SECOND, (2,), (2,))
    assert first.source[1] == "We fired forty bricks with two draughts."
    assert first.group == second.group


def test_pairs_without_such_a_sentence_are_not_asked_about(tmp_path: Path) -> None:
    """Unfaithful sentences have no evidence to be found, and a faithful one may have none given."""
    bare = {**GOOD_OF_KILN, "paper": "moss", "sentences": [{"index": 0, "faithful": True}]}
    suite = write_labelled(tmp_path, GOOD_OF_KILN, BAD_OF_KILN, bare)
    (task,) = evidence_tasks(suite)
    assert (task.paper, task.system, task.metrics) == ("kiln", "good", ("faithfulness",))


def test_a_judge_without_an_answer_has_named_nothing_and_is_not_blamed_for_it(
    tmp_path: Path,
) -> None:
    """None is not "no sentence", which would be a miss."""
    judge = Told(silent=frozenset({FIRST}))
    assert [case.named for case in cases(tmp_path, judge, GOOD_OF_KILN)] == [None, None]
