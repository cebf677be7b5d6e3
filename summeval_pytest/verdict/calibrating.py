"""Calibrated ratings: what people would have rated where a judge rates so, learned from labels.

A judge may be generous or harsh in a way that golden labels show. The map of each facet never turns
its order around, and no paper's own labels are in the map that is used on it (by folds over
papers).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from summeval_pytest.evaluation import group_of
from summeval_pytest.metrics import FacetScore, Signature
from summeval_pytest.metrics.facet import calibrated, facet_aware_metric
from summeval_pytest.questions import FACETS, SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.evaluation import Evaluation, GoldenAnswer, GoldenPair
    from summeval_pytest.questions import Facet
    from summeval_pytest.stats import FoldedMap

KEY = "calibration"
"""The key of a signature whose ratings are calibrated."""
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Calibration:
    """A map of ratings for each facet that labels have something for."""

    maps: Mapping[Facet, FoldedMap]

    @property
    def digest(self) -> str:
        """12 hex digits over all maps."""
        told = repr([(facet, self.maps[facet].digest()) for facet in sorted(self.maps)])
        return sha256(told.encode()).hexdigest()[:_DIGITS]

    def values_for(self, group: str) -> dict[Facet, tuple[float, ...]]:
        """By facet, the value of each rating from 1 on, for papers of this group."""
        return {facet: folded.map_of(group).values for facet, folded in self.maps.items()}

    def applied(self, evaluation: Evaluation) -> Evaluation:
        """The evaluation with calibrated ratings, and a recipe that says so."""
        values = self.values_for(group_of(evaluation.pair.paper))
        return replace(
            evaluation,
            scores=tuple(
                calibrated(score, values) if isinstance(score, FacetScore) else score
                for score in evaluation.scores
            ),
            signatures=tuple(map(self.signed, evaluation.signatures)),
        )

    def signed(self, signature: Signature) -> Signature:
        """The recipe of a metric's calibrated numbers; only FM has ratings."""
        if signature.metric != "facet":
            return signature
        recipe = dict(signature.recipe) | {KEY: self.digest}
        return Signature(signature.metric, tuple(sorted(recipe.items())))

    def applied_to(self, golden: Sequence[GoldenPair]) -> tuple[GoldenPair, ...]:
        """The golden answers with calibrated ratings, each by the map of its paper."""
        return tuple(map(self._applied_to, golden))

    def _applied_to(self, pair: GoldenPair) -> GoldenPair:
        values = self.values_for(pair.group)
        overall = facet_aware_metric(
            {facet: _mapped(values, facet, rating) for facet, rating in pair.rated}
        )
        return replace(
            pair,
            answers=tuple(
                replace(each, answer=_calibrated(each, values, overall)) for each in pair.answers
            ),
        )


def _mapped(values: Mapping[Facet, tuple[float, ...]], facet: Facet, rating: int) -> float:
    return values[facet][rating - 1] if facet in values else float(rating)


def _calibrated(
    each: GoldenAnswer, values: Mapping[Facet, tuple[float, ...]], overall: float | None
) -> float | None:
    """An answer on the labels' scale; a summary that is its reference keeps its full numbers."""
    if each.answer is None:
        return None
    if each.kind == "overall":
        return each.answer if overall is None else overall
    facet = next((facet for facet in FACETS if facet == each.kind), None)
    if facet is None or overall is None:
        return each.answer
    return _mapped(values, facet, int(each.answer))


def calibration_of(golden: Sequence[GoldenPair]) -> Calibration:
    """The maps that golden labels give, from the judge's own ratings to theirs."""
    from summeval_pytest.stats import fit_folds  # numpy, which no help text needs

    maps: dict[Facet, FoldedMap] = {}
    for facet in FACETS:
        rows = [
            (int(answer), int(label), pair.group)
            for pair in golden
            for label, answer in pair.answered(facet)
        ]
        if rows:
            judge, label, groups = (list(column) for column in zip(*rows, strict=True))
            maps[facet] = fit_folds(judge, label, groups, top=SCALES[facet])
    return Calibration(maps)
