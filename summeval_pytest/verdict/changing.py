"""What changed on one paper between two summaries of it: facets, facts and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import (
    METRICS,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    RatedFacet,
)
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.text import one_line
from summeval_pytest.verdict.comparison import Claim, FacetChange, PairChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeVar

    from summeval_pytest.metrics import CheckedFact
    from summeval_pytest.questions import Facet
    from summeval_pytest.verdict.record import PairRecord

    ScoreT = TypeVar("ScoreT", FacetScore, EvaScore, FaithfulnessScore)

_IMPLIED: Final = "it follows from the summary, of which no single fact matches it"
_ABSENT: Final = 0
"""In place of the rating of a facet that a reading of the reference lacks."""


def pair_change(old: PairRecord, new: PairRecord, *, baseline: str) -> PairChange:
    """What changed from one summary of a paper to another.

    Args:
        old: The baseline's pair.
        new: The pair that is compared with it, on the same paper.
        baseline: The saved run and its system, as a reader would name them.
    """
    before, after = old.numbers().values, new.numbers().values
    numbers = tuple(
        (name, was, now)
        for name in METRICS
        if (was := before.get(name)) is not None and (now := after.get(name)) is not None
    )
    lost, regained, invented = _fact_changes(_of(EvaScore, old), _of(EvaScore, new))
    unsupported = _unsupported(_of(FaithfulnessScore, new))
    earlier = _unsupported(_of(FaithfulnessScore, old))
    return PairChange(
        paper=new.paper,
        system=new.system,
        baseline=baseline,
        numbers=numbers,
        facets=_facet_changes(_of(FacetScore, old), _of(FacetScore, new)),
        lost=lost,
        regained=regained,
        unsupported=_without(unsupported, earlier),
        mended=_without(earlier, unsupported),
        invented=invented,
        loss=sum(was - now for _, was, now in numbers),
    )


def worst_first(changes: Iterable[PairChange]) -> tuple[PairChange, ...]:
    """Papers on which anything changed, by how much worse they became."""
    return tuple(
        sorted((c for c in changes if c.is_change), key=lambda change: (-change.loss, change.paper))
    )


def _of(kind: type[ScoreT], pair: PairRecord) -> ScoreT | None:
    """A pair's score of one kind; None where the metric was not measured, or has none."""
    return next((score for score in pair.scores if isinstance(score, kind)), None)


def _without(claims: Mapping[str, Claim], others: Mapping[str, Claim]) -> tuple[Claim, ...]:
    return tuple(claim for text, claim in claims.items() if text not in others)


def _same(text: str) -> str:
    """What two texts have in common that differ in white space and case only."""
    return " ".join(text.split()).casefold()


def _facet_changes(old: FacetScore | None, new: FacetScore | None) -> tuple[FacetChange, ...]:
    if old is None or new is None:
        return ()
    before, after = _rated(old), _rated(new)
    # A summary that is its reference was rated without a question: it has full marks in the facets
    # that the other reading of the reference found.
    if old.identical:
        before = _full(after)
    if new.identical:
        after = _full(before)
    changes = [
        _facet_change(facet, before.get(facet), after.get(facet))
        for facet in FACETS
        if _rating(before.get(facet)) != _rating(after.get(facet))
    ]
    return tuple(sorted(changes, key=_gain))


def _rated(score: FacetScore) -> dict[Facet, RatedFacet]:
    return {rated.facet: rated for rated in score.ratings}


def _full(ratings: Mapping[Facet, RatedFacet]) -> dict[Facet, RatedFacet]:
    return {
        facet: RatedFacet(
            facet=facet,
            rating=SCALES[facet],
            reason="the summary is its reference",
            reference=rated.reference,
            candidate=rated.reference,
            by_rule=True,
        )
        for facet, rated in ratings.items()
    }


def _rating(rated: RatedFacet | None) -> int:
    return _ABSENT if rated is None else rated.rating


def _gain(change: FacetChange) -> float:
    return ((change.new or _ABSENT) - (change.old or _ABSENT)) / (SCALES[change.facet] - 1)


def _facet_change(facet: Facet, old: RatedFacet | None, new: RatedFacet | None) -> FacetChange:
    stated = new or old
    assert stated is not None, "a rating that changed is in one of the two"
    return FacetChange(
        facet=facet,
        old=old.rating if old else None,
        new=new.rating if new else None,
        reference=stated.reference,
        before=old.candidate if old else "",
        after=new.candidate if new else "",
        reason=stated.reason,
    )


FactChanges = tuple[tuple[Claim, ...], tuple[Claim, ...], tuple[Claim, ...]]
"""Facts of the reference that were lost and regained, and facts of the summary invented."""


def _fact_changes(old: EvaScore | None, new: EvaScore | None) -> FactChanges:
    if old is None or new is None:
        return (), (), ()
    before, after = dict(_carried(old)), dict(_carried(new))
    if old.identical:
        before = {text: (True, claim) for text, (_, claim) in after.items()}
    if new.identical:
        after = {text: (True, claim) for text, (_, claim) in before.items()}
    lost = [claim for text, (is_carried, claim) in after.items()
            if not is_carried and before.get(text, (False,))[0]]  # fmt: skip
    regained = [claim for text, (is_carried, claim) in after.items()
                if is_carried and not before.get(text, (True,))[0]]  # fmt: skip
    return tuple(lost), tuple(regained), _without(_invented(new), _invented(old))


def _carried(score: EvaScore) -> Iterator[tuple[str, tuple[bool, Claim]]]:
    """For each fact of the reference whether the summary carries it, as recall counts it."""
    for place, checked in enumerate(score.reference):
        is_carried = place in score.matched
        claim = _claim(checked)
        if not is_carried and checked.holds:
            claim = Claim(text=checked.fact.text, reason=_IMPLIED)
        yield _same(checked.fact.text), (is_carried, claim)


def _invented(score: EvaScore) -> dict[str, Claim]:
    return {
        _same(checked.fact.text): _claim(checked)
        for checked in score.candidate
        if checked.holds is False
    }


def _claim(checked: CheckedFact) -> Claim:
    return Claim(text=checked.fact.text, reason=one_line(checked.reason))


def _unsupported(score: FaithfulnessScore | None) -> dict[str, Claim]:
    if score is None:
        return {}
    return {
        _same(sentence.text): Claim(text=sentence.text, reason=one_line(sentence.reason))
        for sentence in score.sentences
        if sentence.supported is False
    }
