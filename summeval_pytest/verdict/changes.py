"""Changes between two runs: paper by paper, and drift of the judge's golden answers."""

from __future__ import annotations

import statistics
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar, get_args

from summeval_pytest.metrics.catalogue import METRICS, measured_metrics
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.run.golden import GoldenAnswer
from summeval_pytest.stats.paired import holm
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.comparison import two_sided_p_value
from summeval_pytest.verdict.differences import Claim, FacetChange, PairChange
from summeval_pytest.verdict.policy import LEVEL
from summeval_pytest.verdict.run import PairResult, SuiteRecord

Claims = dict[str, Claim]
"""By the text that they have in common with others of the same words."""
ScoreT = TypeVar("ScoreT", FacetScore, EvaScore, FaithfulnessScore)


def pair_change(old: PairResult, new: PairResult, *, baseline: str) -> PairChange:
    """What changed from the baseline's summary of a paper to another.

    ``baseline`` is the saved run and its system, as a reader would name them.
    """
    before, after = old.numbers().values, new.numbers().values
    numbers = tuple(
        (name, was, now)
        for name in measured_metrics(before)
        if (was := before.get(name)) is not None and (now := after.get(name)) is not None
    )
    lost, regained, invented = _fact_changes(_of(EvaScore, old), _of(EvaScore, new))
    present, past = (_unsupported(_of(FaithfulnessScore, each)) for each in (new, old))
    return PairChange(
        paper=new.paper,
        system=new.system,
        baseline=baseline,
        numbers=numbers,
        custom=new.custom,
        facets=_facet_changes(_of(FacetScore, old), _of(FacetScore, new)),
        lost=lost,
        regained=regained,
        unsupported=_without(present, past),
        mended=_without(past, present),
        invented=invented,
        loss=sum(was - now for name, was, now in numbers if name in METRICS),
    )


def worst_changes(changes: Iterable[PairChange], n_worst: int) -> tuple[list[PairChange], int]:
    """The papers that became worse by the most, and how many changed.

    Never more than ``n_worst`` changes are in memory.
    """
    worst: list[PairChange] = []
    n_changed = 0
    for change in changes:
        if change.is_change:
            n_changed += 1
            insort(worst, change, key=lambda each: (-each.loss, each.paper))
            del worst[n_worst:]
    return worst, n_changed


def _of(kind: type[ScoreT], pair: PairResult) -> ScoreT | None:
    return next((score for score in pair.scores if isinstance(score, kind)), None)


def _without(claims: Claims, others: Claims) -> tuple[Claim, ...]:
    return tuple(claim for text, claim in claims.items() if text not in others)


def _same(text: str) -> str:
    """What two texts that differ only in white space and case have in common."""
    return " ".join(text.split()).casefold()


def _facet_changes(old: FacetScore | None, new: FacetScore | None) -> tuple[FacetChange, ...]:
    if old is None or new is None:
        return ()
    before = {rated.facet: rated for rated in old.ratings}
    after = {rated.facet: rated for rated in new.ratings}
    # A summary that is its reference was rated without a question. It has full marks in the facets
    # that the judge found in the reference for the other summary.
    if old.identical:
        before = _full(after)
    if new.identical:
        after = _full(before)
    changes = [
        FacetChange(
            facet=facet,
            old=was.rating if was else None,
            new=now.rating if now else None,
            reference=stated.reference,
            before=was.candidate if was else "",
            after=now.candidate if now else "",
            reason=stated.reason,
        )
        for facet in FACETS
        for was, now in [(before.get(facet), after.get(facet))]
        if (stated := now or was) is not None
    ]
    return tuple(
        sorted(
            (change for change in changes if change.old != change.new),
            key=lambda c: ((c.new or 0) - (c.old or 0)) / (SCALES[c.facet] - 1),
        )
    )


def _full(ratings: Mapping[Facet, RatedFacet]) -> dict[Facet, RatedFacet]:
    reason = "the summary is its reference"
    return {
        facet: replace(rated, rating=SCALES[facet], reason=reason, candidate=rated.reference)
        for facet, rated in ratings.items()
    }


def _fact_changes(
    old: EvaScore | None, new: EvaScore | None
) -> tuple[tuple[Claim, ...], tuple[Claim, ...], tuple[Claim, ...]]:
    """Facts of the reference that were lost and regained, and facts of the summary invented."""
    if old is None or new is None:
        return (), (), ()
    before, after = _carried(old), _carried(new)
    if old.identical:
        before = {text: (True, claim) for text, (_, claim) in after.items()}
    if new.identical:
        after = {text: (True, claim) for text, (_, claim) in before.items()}
    both = [(before.get(text, now)[0], *now) for text, now in after.items()]
    lost = tuple(claim for had, has, claim in both if had and not has)
    regained = tuple(claim for had, has, claim in both if has and not had)
    invented, earlier = (
        _claims((each.fact.text, each) for each in score.candidate if each.holds is False)
        for score in (new, old)
    )
    return lost, regained, _without(invented, earlier)


def _carried(score: EvaScore) -> dict[str, tuple[bool, Claim]]:
    """For each fact of the reference whether the summary carries it, as recall counts it."""
    carried = {}
    for place, checked in enumerate(score.reference):
        text, reason, is_carried = checked.fact.text, checked.reason, place in score.matched
        if not is_carried and checked.holds:
            reason = "it follows from the summary, of which no single fact matches it"
        claim = Claim(text=text, reason=one_line(reason), disputes=checked.disputes)
        carried[_same(text)] = is_carried, claim
    return carried


def _claims(judged: Iterable[tuple[str, CheckedFact | JudgedSentence]]) -> Claims:
    return {
        _same(text): Claim(text=text, reason=one_line(each.reason), disputes=each.disputes)
        for text, each in judged
    }


def _unsupported(score: FaithfulnessScore | None) -> Claims:
    sentences = score.sentences if score is not None else ()
    return _claims((each.text, each) for each in sentences if each.supported is False)


Verdicts = Literal[
    "unfaithful sentences", "faithful sentences", "facts that do not hold", "facts that hold"
]
DriftKind = Facet | Verdicts
"""What is tested together: the ratings of one facet, or yes or no answers with the same label.

The two label types are counted separately. Otherwise a judge that always says "faithful" looks
good, because most sentences are."""
KINDS: Final[tuple[DriftKind, ...]] = (*FACETS, *get_args(Verdicts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """One labelled item that both runs answered.

    Papers with the same reference have the same ``group``, which is resampled.
    """

    paper: str
    system: str
    group: str
    old: GoldenAnswer
    new: GoldenAnswer

    @property
    def kind(self) -> DriftKind:
        """What it is tested with."""
        kind, is_yes = self.new.kind, bool(self.new.label)
        match kind:
            case "sentence":
                return "faithful sentences" if is_yes else "unfaithful sentences"
            case "reference fact" | "candidate fact":
                return "facts that hold" if is_yes else "facts that do not hold"
            case "overall":
                raise ValueError("an overall score follows from the ratings, and is no item")
            case _:
                return kind

    @property
    def loss(self) -> float:
        """How much farther from the label the answer is; below 0 is nearer."""
        assert self.old.answer is not None
        assert self.new.answer is not None
        return abs(self.new.answer - self.new.label) - abs(self.old.answer - self.old.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDrift:
    """What became of the answers of one kind that both runs gave.

    ``n_flipped`` answers changed, ``n_away`` and ``n_towards`` of them away from and towards the
    label. ``loss`` is the mean of how much farther from the label the answers are, below 0 nearer,
    and ``p`` its two-sided p value over papers, Holm-adjusted over the kinds.
    """

    kind: DriftKind
    n_items: int
    n_flipped: int
    n_towards: int
    n_away: int
    loss: float
    p: float

    @property
    def is_significant(self) -> bool:
        """Whether the answers moved away from or towards the labels by more than chance."""
        return self.p <= LEVEL and self.loss != 0

    @property
    def is_worse(self) -> bool:
        """Whether the answers moved away from the labels by more than chance."""
        return self.is_significant and self.loss > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The golden answers of a new run beside those of an old one, with the judges' signatures.

    ``mismatches`` say why the two cannot be compared; then there is nothing else. ``n_only_old``
    and ``n_only_new`` count the items that only one run answered. ``flips`` are sorted: those that
    moved farthest away from the label first.
    """

    old_judge: str
    new_judge: str
    mismatches: tuple[str, ...] = ()
    n_papers: int = 0
    n_only_old: int = 0
    n_only_new: int = 0
    kinds: tuple[KindDrift, ...] = ()
    flips: tuple[Rejudged, ...] = ()

    @property
    def n_items(self) -> int:
        """How many items both runs answered."""
        return sum(kind.n_items for kind in self.kinds)

    @property
    def n_away(self) -> int:
        """How many answers moved away from their labels."""
        return sum(kind.n_away for kind in self.kinds)

    @property
    def is_worse(self) -> bool:
        """Whether the answers of any kind moved away from the labels by more than chance."""
        return any(kind.is_worse for kind in self.kinds)


def measure_drift(old: SuiteRecord, new: SuiteRecord) -> Drift:
    """Compare the golden answers of one suite in two runs.

    Runs with other labels, papers or labelled summaries are not compared, and neither are runs
    without golden answers in common. Overall scores follow from the ratings and are no items.
    """
    judges = [each.trust.judge if each.trust is not None else "" for each in (old, new)]
    drift = Drift(old_judge=judges[0], new_judge=judges[1])
    if mismatches := tuple(_golden_mismatches(old, new)):
        return replace(drift, mismatches=mismatches)
    before, now = (
        {
            (pair.system, pair.paper, each.kind, each.index): (pair.group, each)
            for pair in suite.golden
            for each in pair.answers
            if each.answer is not None and each.kind != "overall"
        }
        for suite in (old, new)
    )
    items = [
        Rejudged(paper=key[1], system=key[0], group=group, old=before[key][1], new=answer)
        for key, (group, answer) in now.items()
        if key in before
    ]
    if not items:
        return replace(drift, mismatches=("no golden answer is in both runs",))
    return replace(
        drift,
        n_papers=len({item.group for item in items}),
        n_only_old=len(before.keys() - now.keys()),
        n_only_new=len(now.keys() - before.keys()),
        kinds=_kinds(items),
        flips=tuple(sorted(filter(_is_flipped, items), key=_badness)),
    )


def _golden_mismatches(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    for what, before, now in (
        ("labels", old.trust and old.trust.labels, new.trust and new.trust.labels),
        ("papers", old.fingerprint, new.fingerprint),
    ):
        if before != now:
            yield f"{what} differ: {before!r} then, {now!r} now; drift needs the same {what}"
    labelled = {(pair.system, pair.paper) for pair in new.golden}
    summaries = {(pair.system, pair.paper): pair.summary for pair in old.pairs_in(labelled)}
    for pair in new.pairs_in(labelled):
        if summaries.get((pair.system, pair.paper), pair.summary) != pair.summary:
            yield (
                f"the labelled summary of {pair.system!r} on {pair.paper!r} is another one now;"
                " drift needs the same summaries"
            )
            return


def _is_flipped(item: Rejudged) -> bool:
    return item.old.answer != item.new.answer


def _kinds(items: Iterable[Rejudged]) -> tuple[KindDrift, ...]:
    by_kind: dict[DriftKind, list[Rejudged]] = {kind: [] for kind in KINDS}
    for item in items:
        by_kind[item.kind].append(item)
    answered = {kind: alike for kind, alike in by_kind.items() if alike}
    p_values = holm([_p_value(alike) for alike in answered.values()])
    return tuple(
        KindDrift(
            kind=kind,
            n_items=len(alike),
            n_flipped=sum(map(_is_flipped, alike)),
            n_towards=sum(item.loss < 0 for item in alike),
            n_away=sum(item.loss > 0 for item in alike),
            loss=statistics.mean(item.loss for item in alike),
            p=p,
        )
        for (kind, alike), p in zip(answered.items(), p_values, strict=True)
    )


def _p_value(items: Sequence[Rejudged]) -> float:
    """Two-sided, of the sums over the items of each paper; a paper whose sum is 0 says nothing."""
    sums: defaultdict[str, float] = defaultdict(float)
    for item in items:
        sums[item.group] += item.loss
    return two_sided_p_value([total for total in sums.values() if total])


def _badness(item: Rejudged) -> tuple[float, bool, str, str, str, int]:
    """The farthest away from the label first; of equals, what passes for right now."""
    top = SCALES[item.kind] - 1 if item.kind in FACETS else 1
    is_stricter = (item.new.answer or 0.0) < (item.old.answer or 0.0)
    return -item.loss / top, is_stricter, item.kind, item.paper, item.system, item.new.index
