"""Evidence and roles in labels, which only `summeval agree` reads."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import SuiteError
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FacetSegments, SegmentFacets, Unanswered
from summeval_pytest.run.runner import Runner
from summeval_pytest.study.agreement.labelled import (
    EvidenceCase,
    RoleAnswer,
    evidence_cases,
    evidence_tasks,
    role_answers,
    segments_flow,
)
from summeval_pytest.suite.labels import RoleLabel
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, LabelledJudge, write_labelled
from tests.run.test_golden import evaluation, label
from tests.run.test_measure import REFUSED, ended, pair

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


FIRST = "The team fired forty bricks with two draughts."
SECOND = "The slow draught gave bricks of 31 MPa."


def test_roles_are_compared_with_the_segments_and_must_be_of_the_summary() -> None:
    """What states no facet is nobody's; a sentence that is not there would be wrong for ever."""
    roles = (
        RoleLabel(text="Zinc  was given.", facets=("method",)),
        RoleLabel(text="Growth fell.", facets=("result", "conclusion")),
        RoleLabel(text="Ok.", facets=()),
    )
    of = evaluation(
        extras={"facet": FacetSegments(method="Zinc was given.", conclusion="Growth fell.")}
    )
    assert role_answers(label(roles=roles), of) == (
        RoleAnswer(right=("method",), answer="method"),
        RoleAnswer(right=("result", "conclusion"), answer="conclusion"),
    )
    assert role_answers(label(roles=roles), evaluation()) == ()
    with pytest.raises(SuiteError) as caught:
        role_answers(label(roles=(RoleLabel(text="Growth rose.", facets=("result",)),)), of)
    assert str(caught.value) == (
        "golden/labels.jsonl:7: a role of system 'careful' on paper 'zinc' is of the sentence"
        " 'Growth rose.', which the summary does not have; copy it word for word"
    )


def cases(
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
    first, second = cases(tmp_path / "a", judge, GOOD_OF_KILN, BAD_OF_KILN)
    assert (first.sentence, first.labelled, first.named) == (FIRST, (1,), (3, 1))
    assert (second.sentence, second.labelled, second.named) == (SECOND, (2,), (2,))
    assert first.source[1] == "We fired forty bricks with two draughts."
    assert first.group == second.group
    sentences = [
        {"index": 0, "faithful": False, "evidence": [1]},
        {"index": 1, "faithful": True, "evidence": [2]},
    ]
    good = {**GOOD_OF_KILN, "sentences": sentences}
    assert [case.sentence for case in cases(tmp_path / "c", judge, good)] == [SECOND]
    silent = LabelledJudge(silent=frozenset({FIRST}))
    assert [case.named for case in cases(tmp_path / "b", silent, GOOD_OF_KILN)] == [None, None]


def test_pairs_without_such_a_sentence_are_not_asked_about(tmp_path: Path) -> None:
    """Unfaithful sentences have no evidence to be found, and a faithful one may have none given."""
    bare = {**GOOD_OF_KILN, "paper": "moss", "sentences": [{"index": 0, "faithful": True}]}
    suite = write_labelled(tmp_path, GOOD_OF_KILN, BAD_OF_KILN, bare)
    (task,) = evidence_tasks(suite)
    assert (task.paper, task.system, task.metrics) == ("kiln", "good", ("faithfulness",))


def test_the_judge_is_asked_for_the_facets_of_the_summary() -> None:
    """The metric asks nothing of a summary that is its reference, as that of the authors is."""
    summary = "Abstract: Zinc was  given. Growth rose."
    segments = FacetSegments(method="Zinc was given.")
    asked, outcome = ended(segments_flow(pair(summary)), (segments,))
    assert (asked, outcome) == ([SegmentFacets("Zinc was given. Growth rose.")], segments)
    silent = Unscored(metric="facet", status="unanswered", reason="cut off")
    assert ended(segments_flow(pair(summary)), (Unanswered("cut off"),))[1] == silent
    refused = Unscored(metric="facet", status=REFUSED.status, reason=REFUSED.reason)
    assert ended(segments_flow(pair(summary, flaw=REFUSED))) == ([], refused)
