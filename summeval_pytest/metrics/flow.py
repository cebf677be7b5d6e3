"""A metric as a generator: it yields questions, is sent answers and returns a score.

flow = facet.measure(reference, summary)
questions = next(flow)                   # a tuple of questions
questions = flow.send(answers)           # one answer for each; StopIteration ends it
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from functools import wraps
from itertools import chain, islice
from typing import Final, ParamSpec, Protocol, Self, TypeVar

from summeval_pytest.errors import SummevalError
from summeval_pytest.metrics.number import MetricName, Status, Unscored
from summeval_pytest.questions import Answer, Question, Unanswered
from summeval_pytest.text.output import is_refusal
from summeval_pytest.text.words import has_tokens


class Averaging(Protocol):
    """A score that can be compared and averaged over several references."""

    @property
    def metric(self) -> MetricName:
        """The metric's name."""

    @property
    def value(self) -> float:
        """The number with the metric's name, such as ``facet``; higher is better."""

    def unanswered(self) -> Mapping[str, int]:
        """By number, how many items without an answer count as wrong in it."""

    def averaged(self, scores: tuple[Self, ...]) -> Self:
        """A copy whose numbers are the means over ``scores``."""


ScoreT = TypeVar("ScoreT")
AveragedT = TypeVar("AveragedT", bound=Averaging)
AnswerT = TypeVar("AnswerT", bound=Answer)
Returned = TypeVar("Returned")  # what a dialogue ends in
Given = ParamSpec("Given")  # what starts it

Dialogue = Generator[tuple[Question, ...], tuple[Answer, ...], Returned]
"""A generator that yields questions, is sent answers, and returns a value."""
Flow = Dialogue[ScoreT | Unscored]
"""A dialogue that ends in a score, or in the reason why there is none."""

MAX_UNANSWERED: Final = 0.05
"""If a larger share of the items is unanswered, there is no score."""


class NoScoreError(SummevalError):
    """Ends a dialogue without a score; `ends_unscored` makes `Unscored` of it.

    A ``status`` that ends in "_candidate" is the system's fault, every other one the judge's.
    """

    def __init__(self, reason: str, status: Status = "unanswered") -> None:
        super().__init__(reason)
        self.status = status


def ends_unscored(
    metric: MetricName,
) -> Callable[
    [Callable[Given, Dialogue[Returned]]], Callable[Given, Dialogue[Returned | Unscored]]
]:
    """Make a dialogue that raises `NoScoreError` end in `Unscored` of this metric."""

    def ending(
        dialogue: Callable[Given, Dialogue[Returned]],
    ) -> Callable[Given, Dialogue[Returned | Unscored]]:
        @wraps(dialogue)
        def wrapped(*args: Given.args, **kwargs: Given.kwargs) -> Dialogue[Returned | Unscored]:
            try:
                return (yield from dialogue(*args, **kwargs))
            except NoScoreError as lack:
                return Unscored(metric=metric, status=lack.status, reason=str(lack))

        return wrapped

    return ending


def check_usable(summary: str) -> None:
    """Refuse a normalised summary that can have no score, by the system's fault."""
    if not has_tokens(summary):
        raise NoScoreError("the summary is empty", "degenerate_candidate")
    if is_refusal(summary):
        raise NoScoreError("the system refused", "refused_candidate")


def ask(kind: type[AnswerT], *questions: Question) -> Dialogue[tuple[AnswerT, ...]]:
    """Ask questions at once and return their answers, each of this kind.

    Raises:
        NoScoreError: for the first answer that is missing or of another kind.
    """
    answers = yield from ask_any(*questions)
    return tuple(
        of_kind(kind, question, answer) for question, answer in zip(questions, answers, strict=True)
    )


def ask_any(*questions: Question) -> Dialogue[tuple[Answer, ...]]:
    """Ask questions of several kinds at once; an answer may be `Unanswered`."""
    answers = yield questions
    if len(answers) != len(questions):
        raise NoScoreError(f"the judge gave {len(answers)} answers to {len(questions)} questions")
    return answers


def side_by_side(*parts: Dialogue[Returned]) -> Dialogue[tuple[Returned, ...]]:
    """Drive several dialogues at once; a round asks the questions of all of them.

    One that raises `NoScoreError` ends all.
    """
    ended: dict[int, Returned] = {}
    replies: dict[int, tuple[Answer, ...] | None] = dict.fromkeys(range(len(parts)))
    while replies:
        requested: dict[int, tuple[Question, ...]] = {}
        for place, reply in replies.items():  # None starts a part
            try:
                requested[place] = next(parts[place]) if reply is None else parts[place].send(reply)
            except StopIteration as end:
                ended[place] = end.value
        questions = tuple(chain.from_iterable(requested.values()))
        answers = iter((yield from ask_any(*questions)) if questions else ())
        # Each part takes as many answers from the one iterator as it asked questions.
        replies = {place: tuple(islice(answers, len(own))) for place, own in requested.items()}
    return tuple(ended[place] for place in range(len(parts)))


def of_kind(kind: type[AnswerT], question: Question, answer: Answer) -> AnswerT:
    """Return an answer of the kind that its question asks for."""
    if isinstance(answer, Unanswered):
        raise NoScoreError(answer.reason)
    if not isinstance(answer, kind):
        raise NoScoreError(f"{type(question).__name__} was answered with {type(answer).__name__}")
    return answer


def expect_count(what: str, returned: int, expected: int) -> None:
    """Refuse a reply with missing items, which would raise a score, or with too many."""
    if returned != expected:
        raise NoScoreError(f"the judge returned {returned} {what} for {expected} asked about")


def limit_unanswered(what: str, answers: Iterable[object], n_items: int) -> None:
    """Give up the score if more than 5 % of the items are `Unanswered`.

    Items that a rule answers count as answered. Below 20 items, one unanswered item is enough.
    """
    reasons = [answer.reason for answer in answers if isinstance(answer, Unanswered)]
    if n_items and len(reasons) / n_items > MAX_UNANSWERED:
        raise NoScoreError(f"{len(reasons)} of {n_items} {what} unanswered, first: {reasons[0]}")


def best_of(flows: tuple[Flow[AveragedT], ...]) -> Flow[AveragedT]:
    """The best score over several references, as `_scored` has them.

    Unscored if the judge left an item of any unanswered: another reference might be the best.
    """
    scores = yield from _scored(flows)
    if isinstance(scores, Unscored):
        return scores
    if len(scores) > 1 and any(score.unanswered() for score in scores):
        reason = "items are unanswered, so nobody knows against which reference it is the best"
        return Unscored(metric=scores[0].metric, status="unanswered", reason=reason)
    return max(scores, key=lambda score: score.value)


def mean_of(flows: tuple[Flow[AveragedT], ...]) -> Flow[AveragedT]:
    """The mean score over several references, as `_scored` has them."""
    scores = yield from _scored(flows)
    return scores if isinstance(scores, Unscored) else averaged(scores)


def _scored(flows: tuple[Flow[ScoreT], ...]) -> Dialogue[tuple[ScoreT, ...] | Unscored]:
    """The scores against every reference that states a facet or a fact; others are left out.

    Unscored if none does, and if the judge fails on any: an answer about another must not hide it.
    """
    scores: list[ScoreT] = []
    empty: Unscored | None = None
    for flow in flows:  # in turn, so that a judge that fails on the first is not asked on
        score = yield from flow
        if not isinstance(score, Unscored):
            scores.append(score)
        elif score.status == "skipped_no_reference":
            empty = score
        else:
            return score
    if scores:
        return tuple(scores)
    assert empty is not None, "there is at least one reference"
    return empty


def averaged(scores: tuple[AveragedT, ...]) -> AveragedT:
    """One score for several references: the means of their numbers, the evidence of the lowest."""
    if len(scores) == 1:
        return scores[0]
    return min(scores, key=lambda score: score.value).averaged(scores)
