"""What numbers would be if every piece that the judge left unanswered were wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics import SUPPORT, EvaScore, FaithfulnessScore
from summeval_pytest.metrics.eva import f1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.metrics import Score, Unscored


def worst_of(scores: Sequence[Score | Unscored]) -> dict[str, float]:
    """By name, the numbers with unanswered pieces, each of these taken as wrong."""
    worst: dict[str, float] = {}
    for score in scores:
        match score:
            case EvaScore(by_reference=(_, *_) as each):
                worst |= _mean_worst(each)
            case FaithfulnessScore():
                worst |= _share_held("faithfulness", [s.supported for s in score.sentences])
                worst |= _unsupported(score)
            case EvaScore():
                worst |= _share_held("eva.recall_entailed", [f.holds for f in score.reference])
                precision = _share_held("eva.precision", [f.holds for f in score.candidate])
                worst |= precision
                for value in precision.values():
                    worst["eva"] = f1(value, score.recall)
            case _:
                pass
    return worst


def _mean_worst(scores: Sequence[EvaScore]) -> dict[str, float]:
    """The worst means over several references; a reference without unanswered pieces keeps its."""
    found = [worst_of([score]) for score in scores]
    means: dict[str, float] = {}
    for name in dict.fromkeys(name for worst in found for name in worst):
        values = [
            value
            for score, worst in zip(scores, found, strict=True)
            if (value := worst.get(name, score.values().get(name))) is not None
        ]
        means[name] = sum(values) / len(values)
    return means


def _unsupported(score: FaithfulnessScore) -> dict[str, float]:
    """The mean support with 0 for each unanswered sentence."""
    n_answered = sum(s.supported is not None for s in score.sentences)
    if score.support is None or n_answered == len(score.sentences):
        return {}
    return {SUPPORT: score.support * n_answered / len(score.sentences)}


def _share_held(name: str, pieces: Sequence[bool | None]) -> dict[str, float]:
    if all(piece is not None for piece in pieces):
        return {}
    return {name: sum(piece is True for piece in pieces) / len(pieces)}
