"""Which facet each labelled sentence of a summary states, by the labels and by the judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.errors import SuiteError
from summeval_pytest.metrics import Unscored
from summeval_pytest.metrics.conversation import NoAnswerError, ask
from summeval_pytest.metrics.grounding import facets_of, is_held
from summeval_pytest.questions import FacetSegments, SegmentFacets
from summeval_pytest.suite.fields import brief
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from summeval_pytest.evaluation.measuring import Evaluation
    from summeval_pytest.metrics.conversation import Dialogue
    from summeval_pytest.questions import Facet
    from summeval_pytest.suite import Label, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAnswer:
    """One sentence with a labelled role.

    Attributes:
        right: The facets that are right, at least one.
        answer: The facet in whose segment the judge has the sentence; None for none of them.
    """

    right: tuple[Facet, ...]
    answer: Facet | None


def segments_flow(pair: Pair) -> Dialogue[FacetSegments | Unscored]:
    """The conversation about the facets of a summary, for their own sake."""
    if pair.flaw is not None:
        return Unscored(metric="facet", status=pair.flaw.status, reason=pair.flaw.reason)
    try:
        (segments,) = yield from ask(FacetSegments, SegmentFacets(normalise(pair.summary)))
    except NoAnswerError as fault:
        return Unscored(metric="facet", status="unanswered", reason=str(fault))
    return segments


def role_answers(label: Label, evaluation: Evaluation) -> tuple[RoleAnswer, ...]:
    """The labelled sentences of a pair that state a facet, in the order of the label.

    Nothing where no segments were asked for, or the judge gave none.

    Raises:
        SuiteError: for a role of a sentence that the summary does not have.
    """
    segments = evaluation.segments
    check_roles(label, evaluation.pair.summary)
    if not isinstance(segments, FacetSegments):
        return ()
    stating = [role for role in label.roles or () if role.facets]
    placed = facets_of((normalise(role.text) for role in stating), segments)
    return tuple(
        RoleAnswer(right=role.facets, answer=answer)
        for role, answer in zip(stating, placed, strict=True)
    )


def check_roles(label: Label, summary: str) -> None:
    """Refuses a role of a sentence that the summary does not have, word for word.

    Raises:
        SuiteError: naming the label's line.
    """
    text = normalise(summary)
    for role in label.roles or ():
        if not is_held(normalise(role.text), text):
            raise SuiteError(
                label.place,
                f"a role of system {label.system!r} on paper {label.paper!r} is of the sentence"
                f" {brief(role.text)}, which the summary does not have; copy it word for word",
            )
