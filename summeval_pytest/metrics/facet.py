"""The Facet-aware Metric: how well a summary covers each facet of its reference.

    FM = sum over f in A of w_f * rating_f / scale_f   /   sum over f in A of w_f

A holds the facets that the reference states; w = (.1, .3, .3, .3), scale = (3, 4, 4, 3) for
background, method, result, conclusion. Source: FM (arXiv 2402.14359), section 3.2, eq. 1 without
its division by 4 and with removed facets renormalised, as 500 of 500 released scores are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest import questions as q
from summeval_pytest.metrics import flow, number
from summeval_pytest.metrics.number import Finding, NumberSpec, closest_sentence
from summeval_pytest.text.excerpts import excerpt, is_verbatim, n_letters, pieces_of, sentence_with
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts

WEIGHTS: Final[Mapping[q.Facet, float]] = MappingProxyType(
    {"background": 0.1, "method": 0.3, "result": 0.3, "conclusion": 0.3}
)
"""FM, section 4.2."""
EMPTY_RATING: Final = 1
"""The rating of a facet that the reference states and the summary does not."""
LOWEST: Final = 0.25
"""FM's floor over all subsets of facets: 1/4 where only method or result is left."""
COVERAGE: Final = "facet.coverage"
"""The share of the reference's key information in a summary; only some judges give it."""
NUMBERS: Final = (
    NumberSpec(name="facet", metric="facet", meaning="Facet-aware Metric", low=LOWEST),
    *(
        NumberSpec(
            name=f"facet.{f}", metric="facet", meaning=f"rating of the {f}", low=1.0, high=float(n)
        )
        for f, n in q.SCALES.items()
    ),
    NumberSpec(
        name=COVERAGE,
        metric="facet",
        meaning="share of key information covered",
        explained_by="facet",
        is_detail=True,
        not_said="say of every facet how much of it is covered",
        remedy="use an LLM judge or --summ-judge=offline, hold facet in its place, or remove the"
        " threshold",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedFacet:
    """One facet that the reference states, rated from 1 to its scale.

    ``reference`` and ``candidate`` are the words of the reference and of the summary that state the
    facet. If the summary has none, the rating is 1 and ``by_rule`` is true. ``confidence`` is the
    judge's probability, 0 to 1, that a person gives the same rating. ``coverage`` is the
    candidate's share of the reference's key information, 0 to 100; both are None from a judge that
    does not say. ``undecided``: the judge met a conflict that it cannot decide.
    """

    facet: q.Facet
    rating: int
    reason: str
    reference: str
    candidate: str
    by_rule: bool = False
    confidence: float | None = field(default=None, metadata=number.SPARSE)
    coverage: int | None = field(default=None, metadata=number.SPARSE)
    undecided: bool = field(default=False, metadata=number.SPARSE)
    disputes: tuple[q.Dispute, ...] = field(default=(), metadata=number.SPARSE)

    @property
    def share(self) -> float:
        """The rating as a share of its scale, as FM adds it up."""
        return self.rating / q.SCALES[self.facet]

    @property
    def words(self) -> str:
        """The rating in words."""
        return f"rated {self.rating} of {q.SCALES[self.facet]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetScore:
    """The Facet-aware Metric of one summary (FM, section 3.2).

    Attributes:
        value: FM, 0.25 to 1, higher is better. With all four facets, the lowest is 0.283.
        ratings: The facets that the reference states, in reading order; none if ``identical``.
        removed: Facets that the reference does not state.
        ungrounded: Segments from the judge that their own text does not contain.
        coverage: Share of the summary's letters and digits in its segments, 0 to 1. It is not
            ``facet.coverage``, which is ``key_coverage``.
        key_coverage: The coverage of the facets, weighted as FM, 0 to 1; None from a judge that
            does not say it.
        identical: Whether the summary is its reference, so that nothing was asked.
        by_reference: The score against each reference, if several are averaged. Then ``value`` is
            the mean, and everything else is of the lowest score.
    """

    value: float
    ratings: tuple[RatedFacet, ...] = ()
    removed: tuple[q.Facet, ...] = ()
    ungrounded: tuple[str, ...] = ()
    coverage: float = 1.0
    key_coverage: float | None = field(default=None, metadata=number.SPARSE)
    identical: bool = False
    by_reference: tuple[FacetScore, ...] = field(default=(), metadata=number.SPARSE)
    metric: Literal["facet"] = "facet"

    @staticmethod
    def applies(name: str) -> bool:
        """Whether a number without a value could have one: a facet may not be in the reference."""
        return name == COVERAGE

    def rated(self, facet: q.Facet) -> RatedFacet | None:
        """One facet; None where the reference does not state it, or nothing was asked."""
        return next((each for each in self.ratings if each.facet == facet), None)

    @property
    def background(self) -> RatedFacet | None:
        """The rated background; None where it is not rated."""
        return self.rated("background")

    @property
    def method(self) -> RatedFacet | None:
        """The rated method; None where it is not rated."""
        return self.rated("method")

    @property
    def result(self) -> RatedFacet | None:
        """The rated result; None where it is not rated."""
        return self.rated("result")

    @property
    def conclusion(self) -> RatedFacet | None:
        """The rated conclusion; None where it is not rated."""
        return self.rated("conclusion")

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; a facet that the reference lacks is absent.

        A summary that is its reference has the full rating of every facet. For averaged references
        each number is the mean over those that have it.
        """
        if self.by_reference:
            return number.mean_values(score.values() for score in self.by_reference)
        ratings = {rated.facet: rated.rating for rated in self.ratings}
        named: dict[str, float | None] = {"facet": self.value}
        for facet, rating in (q.SCALES if self.identical else ratings).items():
            named[f"facet.{facet}"] = float(rating)
        covered = 1.0 if self.identical else self.key_coverage
        return MappingProxyType(named if covered is None else {**named, COVERAGE: covered})

    def averaged(self, scores: tuple[FacetScore, ...]) -> FacetScore:
        """This score with the mean value of several references."""
        value = number.rounded_mean([score.value for score in scores])
        return replace(self, value=value, by_reference=scores)

    def unanswered(self) -> Mapping[str, int]:
        """Always empty: a facet without a usable rating leaves the whole summary unscored."""
        return {}

    def wrong_pieces(self) -> list[RatedFacet]:
        """The facets below full scale."""
        return [rated for rated in self.ratings if rated.rating < q.SCALES[rated.facet]]

    def findings(self, source: Sequence[str]) -> Iterator[Finding]:
        """The facets below full scale."""
        for rated in self.wrong_pieces():
            says = [says for says, _ in rated.disputes]
            told = sentence_with(rated.candidate, says) if says else rated.reference
            yield Finding(
                kind="facet",
                number=f"facet.{rated.facet}",
                title=f"facet {rated.facet}",
                verdict=rated.words,
                reason=rated.reason,
                reference=rated.reference,
                summary=rated.candidate,
                evidence=closest_sentence(told, source),
                severity=1.0 - (rated.rating - 1) / (q.SCALES[rated.facet] - 1),
                conflict=rated.undecided,
                disputes=rated.disputes,
            )


def facet_aware_metric(
    ratings: Mapping[q.Facet, float], weights: Mapping[q.Facet, float] = WEIGHTS
) -> float | None:
    """FM of the rated facets: the weighted mean of rating / scale, weights renormalised.

    ``ratings`` has one rating, 1 to its scale, for each facet that the reference states. The result
    is 0.25 to 1, higher is better; None where no facet is rated.
    """
    total = sum(weights[facet] for facet in q.FACETS if facet in ratings)
    if not total:
        return None
    value = sum(weights[f] * (ratings[f] / q.SCALES[f]) for f in q.FACETS if f in ratings) / total
    return round(value, number.DIGITS)


def key_coverage(
    ratings: Iterable[RatedFacet], weights: Mapping[q.Facet, float] = WEIGHTS
) -> float | None:
    """Coverage of the reference's key information: the facets' coverages, weighted as FM, 0 to 1.

    A facet that the summary does not state counts 0. None where another facet has no coverage, or
    no facet is rated.
    """
    shares = {rated.facet: 0 if rated.by_rule else rated.coverage for rated in ratings}
    known = {facet: share for facet, share in shares.items() if share is not None}
    total = sum(weights[facet] for facet in known)
    if not total or len(known) < len(shares):
        return None
    return round(sum(weights[f] * share for f, share in known.items()) / total / 100, number.DIGITS)


@flow.ends_unscored("facet")
def measure(
    reference: str,
    summary: str,
    *,
    reference_facets: q.FacetSegments | None = None,
    reference_facts: tuple[q.Fact, ...] = (),
    short_circuit: bool = True,
) -> flow.Dialogue[FacetScore]:
    """The dialogue that rates one summary against one reference.

    ``reference_facets`` are the reviewed segments of the reference; without them the judge is asked
    for them. A judge that counts facts uses the reviewed ``reference_facts``. With
    ``short_circuit``, a summary equal to its reference scores 1 without a question.
    """
    reference, summary = normalise(reference), normalise(summary)
    flow.check_usable(summary)
    if short_circuit and summary == reference:
        return FacetScore(value=1.0, identical=True)
    of_summary = q.SegmentFacets(summary, is_summary=True)
    dropped: tuple[str, ...] = ()
    if reference_facets is not None:
        stated = reference_facets
        (segments,) = yield from flow.ask(q.FacetSegments, of_summary)
    else:
        first, segments = yield from flow.ask(
            q.FacetSegments, q.SegmentFacets(reference), of_summary
        )
        stated, dropped = ground(first, reference)
        lost = [f for f in q.FACETS if pieces_of(first.segment(f)) and not stated.segment(f)]
        if lost:
            raise flow.NoScoreError(
                f"{', '.join(lost)}: the judge copied words that the reference does not have"
            )
    candidate, invented = ground(segments, summary)
    ratings = yield from _ratings(
        stated,
        stated_again(stated, candidate, summary),
        q.RateFacets((), reference, summary, reference_facts),
    )
    value = facet_aware_metric({rated.facet: rated.rating for rated in ratings})
    if value is None:
        raise flow.NoScoreError(
            "the reference states none of the four facets", "skipped_no_reference"
        )
    return FacetScore(
        value=value,
        ratings=ratings,
        removed=tuple(facet for facet in q.FACETS if not stated.segment(facet)),
        ungrounded=(*dropped, *invented),
        coverage=coverage(candidate, summary),
        key_coverage=key_coverage(ratings),
    )


def stated_again(
    reference: q.FacetSegments, candidate: q.FacetSegments, summary: str
) -> q.FacetSegments:
    """The summary's segments; an empty one becomes the reference's where the summary repeats that.

    A facet whose every sentence stands in the summary is not absent, whatever the judge says.
    """
    sentences = set(sentence_texts(summary))
    segments: dict[q.Facet, str] = {}
    for facet in q.FACETS:
        segments[facet], stated = candidate.segment(facet), reference.segment(facet)
        if not segments[facet] and sentences.issuperset(sentence_texts(stated)):
            segments[facet] = stated
    return q.FacetSegments(**segments)


def _ratings(
    reference: q.FacetSegments, candidate: q.FacetSegments, question: q.RateFacets
) -> flow.Dialogue[tuple[RatedFacet, ...]]:
    """One rating for each facet that the reference states; ``question`` lacks the pairs."""
    stated = [
        q.FacetPair(facet=f, reference=reference.segment(f), candidate=candidate.segment(f))
        for f in q.FACETS
        if reference.segment(f)
    ]
    pairs = tuple(pair for pair in stated if pair.candidate)
    answers: Iterable[q.FacetRating | q.Unanswered] = ()
    if pairs:
        (answer,) = yield from flow.ask(q.FacetRatings, replace(question, pairs=pairs))
        flow.expect_count("ratings", len(answer.ratings), len(pairs))
        answers = answer.ratings
    given = iter(answers)
    absent = {"rating": EMPTY_RATING, "reason": "the summary does not state it", "by_rule": True}
    return tuple(
        _rated(pair, next(given)) if pair.candidate else RatedFacet(**{**asdict(pair), **absent})
        for pair in stated
    )


def _rated(pair: q.FacetPair, rating: q.FacetRating | q.Unanswered) -> RatedFacet:
    """The facet with its rating, if that is one of it."""
    facet = pair.facet
    if isinstance(rating, q.Unanswered):
        raise flow.NoScoreError(f"{facet}: {rating.reason}")
    if rating.facet != facet:
        raise flow.NoScoreError(f"asked to rate {facet}, the judge rated {rating.facet}")
    return RatedFacet(**{**asdict(pair), **asdict(rating)})


def ground(segments: q.FacetSegments, text: str) -> tuple[q.FacetSegments, tuple[str, ...]]:
    """What the text contains of the segments, and the pieces that it does not contain.

    A segment is kept whole, else sentence by sentence. Only words are compared: spaces, case,
    brackets and masked numbers may differ. Of a sentence that the text does not contain, shared
    runs of four words and more are kept if they are at least half of it. Recorded segments stay
    whole, and their missing pieces are still reported.
    """
    kept: dict[q.Facet, str] = {}
    dropped: list[str] = []
    for facet in q.FACETS:
        segment = segments.segment(facet).strip()
        shares = {piece: excerpt(piece, text) for piece in pieces_of(segment)}
        if not shares:
            continue
        if is_verbatim(segment, text):
            kept[facet] = segment
            continue
        dropped.extend(piece for piece, shared in shares.items() if not shared)
        kept[facet] = segment if segments.recorded_by else " ".join(filter(None, shares.values()))
    return q.FacetSegments(**kept), tuple(dropped)


def coverage(segments: q.FacetSegments, text: str) -> float:
    """Share of the text's letters and digits in its segments, at most 1."""
    total = sum(n_letters(segments.segment(facet)) for facet in q.FACETS)
    return min(1.0, total / max(1, n_letters(text)))
