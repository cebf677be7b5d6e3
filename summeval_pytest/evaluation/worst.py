"""What numbers would be if every piece that the judge left unanswered were wrong, or right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics import CONFLICTS, SUPPORT, EvaScore, FaithfulnessScore
from summeval_pytest.metrics.eva import f1

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics import Score, Unscored


def supposed(scores: Sequence[Score | Unscored], *, right: bool) -> dict[str, float]:
    """By name, the numbers with unanswered pieces, each of these taken as right or as wrong."""
    found: dict[str, float] = {}
    for score in scores:
        match score:
            case EvaScore(by_reference=(_, *_) as each):
                found |= _mean_supposed(each, right=right)
            case FaithfulnessScore():
                held = [sentence.supported for sentence in score.sentences]
                found |= _share_held("faithfulness", held, right=right)
                found |= _support(score, right=right) | _conflicts(score, right=right)
            case EvaScore():
                found |= _eva(score, right=right)
            case _:
                pass
    return found


def _mean_supposed(scores: Sequence[EvaScore], *, right: bool) -> dict[str, float]:
    """Means over several references; a reference without unanswered pieces keeps its numbers."""
    found = [supposed([score], right=right) for score in scores]
    means: dict[str, float] = {}
    for name in dict.fromkeys(name for each in found for name in each):
        values = [
            value
            for score, each in zip(scores, found, strict=True)
            if (value := each.get(name, score.values().get(name))) is not None
        ]
        means[name] = sum(values) / len(values)
    return means


def _eva(score: EvaScore, *, right: bool) -> Mapping[str, float]:
    """Precision, both recalls and F1.

    A wrong fact matches nothing. A right one of the summary matches a fact of the reference that no
    other does.
    """
    candidate = [fact.holds for fact in score.candidate]
    reference = [fact.holds for fact in score.reference]
    n_open, n_open_reference = candidate.count(None), reference.count(None)
    if not n_open and not n_open_reference:
        return {}
    found = _share_held("eva.precision", candidate, right=right)
    if score.recall_entailed is not None:
        found |= _share_held("eva.recall_entailed", reference, right=right)
    recall = score.recall
    if reference:
        n_more = n_open + n_open_reference if right else 0
        n_matched = min(len(reference), len(score.matched) + n_more)
        reached = n_matched / len(reference)
        recall = max(recall, reached) if right else min(recall, reached)
    if recall != score.recall:
        found["eva.recall"] = recall
    precision = found.get("eva.precision", score.precision or 0.0)
    if "eva.precision" in found or "eva.recall" in found:
        found["eva"] = f1(precision, recall)
    return found


def _support(score: FaithfulnessScore, *, right: bool) -> dict[str, float]:
    """The mean support with 0, or 1, for each unanswered sentence."""
    n_open = sum(sentence.supported is None for sentence in score.sentences)
    if score.support is None or not n_open:
        return {}
    total = score.support * (len(score.sentences) - n_open) + (n_open if right else 0)
    return {SUPPORT: total / len(score.sentences)}


def _conflicts(score: FaithfulnessScore, *, right: bool) -> dict[str, float]:
    """The conflicts with one more for each unanswered sentence that is wrong."""
    n_open = sum(s.supported is None and not s.number_conflict for s in score.sentences)
    if score.conflicts is None or not n_open or right:
        return {}
    return {CONFLICTS: float(score.conflicts + n_open)}


def _share_held(name: str, pieces: Sequence[bool | None], *, right: bool) -> dict[str, float]:
    if None not in pieces:
        return {}
    return {name: sum(right if piece is None else piece for piece in pieces) / len(pieces)}
