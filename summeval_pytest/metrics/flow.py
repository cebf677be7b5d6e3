"""A metric as a generator: it yields questions, is sent answers and returns a score.

flow = facet.measure(reference, summary)
questions = next(flow)                   # a tuple of questions
questions = flow.send(answers)           # one answer for each; StopIteration ends it
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.errors import SummevalError
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    Unscored,
    mean_values,
)
from summeval_pytest.questions import Answer, Question, Unanswered
from summeval_pytest.text.normalise import is_refusal
from summeval_pytest.text.words import has_tokens

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import MetricName


ScoreT = TypeVar("ScoreT", FacetScore, EvaScore, FaithfulnessScore)
AveragedT = TypeVar("AveragedT", FacetScore, EvaScore)
AnswerT = TypeVar("AnswerT", bound=Answer)
Returned = TypeVar("Returned")

Dialogue = Generator[tuple[Question, ...], tuple[Answer, ...], Returned]
"""Part of a conversation that ends in a value."""
Flow = Dialogue[ScoreT | Unscored]
"""A whole conversation: it ends in a score or in none."""

MAX_UNANSWERED: Final = 0.05
"""Up to this share of items may stay unanswered before the whole score does (metrics.md 1.3)."""


class NoAnswerError(SummevalError):
    """The judge's answers cannot carry a score."""


def ask(kind: type[AnswerT], *questions: Question) -> Dialogue[tuple[AnswerT, ...]]:
    """Ask questions at once and return their answers, all of one kind.

    Raises:
        NoAnswerError: if an answer is missing, of another kind, or `Unanswered`.
    """
    answers = yield from ask_any(*questions)
    return tuple(
        of_kind(kind, question, answer) for question, answer in zip(questions, answers, strict=True)
    )


def ask_any(*questions: Question) -> Dialogue[tuple[Answer, ...]]:
    """Ask questions of several kinds at once and return their answers as they are.

    Raises:
        NoAnswerError: if there are more or fewer answers than questions.
    """
    answers = yield questions
    if len(answers) != len(questions):
        raise NoAnswerError(f"the judge gave {len(answers)} answers to {len(questions)} questions")
    return answers


def side_by_side(*parts: Dialogue[Returned]) -> Dialogue[tuple[Returned, ...]]:
    """Hold several parts of a conversation at once: a round asks the questions of all of them.

    Raises:
        NoAnswerError: if the answers cannot carry one of them, the first such in their order.
    """
    ended: dict[int, Returned] = {}
    replies: dict[int, tuple[Answer, ...] | None] = dict.fromkeys(range(len(parts)))
    while replies:
        asked: dict[int, tuple[Question, ...]] = {}
        for place, reply in replies.items():
            try:
                asked[place] = next(parts[place]) if reply is None else parts[place].send(reply)
            except StopIteration as end:
                ended[place] = end.value
        questions = tuple(chain.from_iterable(asked.values()))
        answers = iter((yield from ask_any(*questions)) if questions else ())
        replies = {place: tuple(islice(answers, len(own))) for place, own in asked.items()}
    return tuple(ended[place] for place in range(len(parts)))


def of_kind(kind: type[AnswerT], question: Question, answer: Answer) -> AnswerT:
    """Return an answer of the kind that its question asks for.

    Raises:
        NoAnswerError: if it is of another kind, or `Unanswered`.
    """
    if isinstance(answer, Unanswered):
        raise NoAnswerError(answer.reason)
    if not isinstance(answer, kind):
        raise NoAnswerError(f"{type(question).__name__} was answered with {type(answer).__name__}")
    return answer


def expect_count(what: str, found: int, asked: int) -> None:
    """Check that a reply has one item for each item asked about.

    Raises:
        NoAnswerError: if there are more or fewer; a smaller denominator must never raise a score.
    """
    if found != asked:
        raise NoAnswerError(f"the judge returned {found} {what} for {asked} asked about")


def limit_unanswered(what: str, reasons: list[str], asked: int) -> None:
    """Give up the score where too many items stayed without an answer.

    Raises:
        NoAnswerError: if more than 5 % of the items did.
    """
    if asked and len(reasons) / asked > MAX_UNANSWERED:
        raise NoAnswerError(f"{len(reasons)} of {asked} {what} unanswered, first: {reasons[0]}")


def best_of(flows: tuple[Flow[ScoreT], ...]) -> Flow[ScoreT]:
    """The best score over several references; unscored where any of them could not be scored."""
    scores = yield from _scored(flows)
    return scores if isinstance(scores, Unscored) else max(scores, key=lambda score: score.value)


def mean_of(flows: tuple[Flow[AveragedT], ...]) -> Flow[AveragedT]:
    """The mean score over several references; unscored where any of them could not be scored."""
    scores = yield from _scored(flows)
    return scores if isinstance(scores, Unscored) else averaged(scores)


def _scored(flows: tuple[Flow[ScoreT], ...]) -> Dialogue[tuple[ScoreT, ...] | Unscored]:
    """The scores against every reference that states a facet or a fact.

    A judge that fails on one reference must not be hidden by its answer on another.
    """
    scores: list[ScoreT] = []
    lacking: Unscored | None = None
    for flow in flows:
        score = yield from flow
        if not isinstance(score, Unscored):
            scores.append(score)
        elif score.status == "skipped_no_reference":
            lacking = score
        else:
            return score
    if scores:
        return tuple(scores)
    assert lacking is not None, "at least one reference is measured against"
    return lacking


def averaged(scores: tuple[AveragedT, ...]) -> AveragedT:
    """One score for several references: the means of their numbers, the lowest one's evidence."""
    if len(scores) == 1:
        return scores[0]
    lowest = min(scores, key=lambda score: score.value)
    values = mean_values(scores)
    if isinstance(lowest, EvaScore):
        recall = values["eva.recall"]
        assert recall is not None, "every EVA-Score has a recall"
        lowest = replace(
            lowest,
            precision=values["eva.precision"],
            recall=recall,
            recall_entailed=values.get("eva.recall_entailed"),
        )
    value = values[lowest.metric]
    assert value is not None, "every score has a value"
    return replace(lowest, value=value, by_reference=scores)


def unusable(metric: MetricName, summary: str) -> Unscored | None:
    """Why a normalised summary can have no score, by the system's fault; None where it can."""
    if not has_tokens(summary):
        return Unscored(metric=metric, status="degenerate_candidate", reason="the summary is empty")
    if is_refusal(summary):
        return Unscored(metric=metric, status="refused_candidate", reason="the system refused")
    return None
