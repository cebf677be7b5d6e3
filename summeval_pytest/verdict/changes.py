"""Changes between two runs: paper by paper, and drift of the judge's golden answers."""

from __future__ import annotations

import statistics
from bisect import insort
from collections import defaultdict
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.metrics.catalogue import METRICS, measured_metrics
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.comparison import two_sided_p_value
from summeval_pytest.verdict.differences import Claim, FacetChange, PairChange
from summeval_pytest.verdict.floors import AGREEMENTS, FOLLOWING, SPEARMAN
from summeval_pytest.verdict.rules import LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
    from summeval_pytest.stats.bootstrap import Rows
    from summeval_pytest.verdict.run import PairResult, SuiteRecord
    from summeval_pytest.verdict.trust import Counts, Figures

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
        loss=sum(was - now for name, was, now in numbers if name in METRICS),
    )


def worst_changes(changes: Iterable[PairChange], n_worst: int) -> tuple[list[PairChange], int]:
    """The papers that became worse by the most, and how many changed; no more of them are held."""
    worst: list[PairChange] = []
    n_changed = 0
    for change in changes:
        if change.is_change:
            n_changed += 1
            insort(worst, change, key=lambda each: (-each.loss, each.paper))
            del worst[n_worst:]
    return worst, n_changed


def _of(kind: type[ScoreT], pair: PairResult) -> ScoreT | None:
    """A pair's score of one kind; None where the metric was not measured, or has none."""
    return next((score for score in pair.scores if isinstance(score, kind)), None)


def _without(claims: Claims, others: Claims) -> tuple[Claim, ...]:
    return tuple(claim for text, claim in claims.items() if text not in others)


def _same(text: str) -> str:
    """What two texts have in common that differ in white space and case only."""
    return " ".join(text.split()).casefold()


def _facet_changes(old: FacetScore | None, new: FacetScore | None) -> tuple[FacetChange, ...]:
    if old is None or new is None:
        return ()
    before = {rated.facet: rated for rated in old.ratings}
    after = {rated.facet: rated for rated in new.ratings}
    # A summary that is its reference was rated without a question: it has full marks in the facets
    # that the other reading of the reference found.
    if old.identical:
        before = _full(after)
    if new.identical:
        after = _full(before)
    changes = []
    for facet in FACETS:
        was, now = before.get(facet), after.get(facet)
        rating_was, rating_now = was.rating if was else None, now.rating if now else None
        if (stated := now or was) is not None and rating_was != rating_now:
            changes.append(
                FacetChange(
                    facet=facet,
                    old=rating_was,
                    new=rating_now,
                    reference=stated.reference,
                    before=was.candidate if was else "",
                    after=now.candidate if now else "",
                    reason=stated.reason,
                )
            )
    share = {change.facet: SCALES[change.facet] - 1 for change in changes}
    return tuple(sorted(changes, key=lambda c: ((c.new or 0) - (c.old or 0)) / share[c.facet]))


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
    return lost, regained, _without(_invented(new), _invented(old))


def _carried(score: EvaScore) -> dict[str, tuple[bool, Claim]]:
    """For each fact of the reference whether the summary carries it, as recall counts it."""
    found = {}
    for place, checked in enumerate(score.reference):
        is_carried = place in score.matched
        reason = one_line(checked.reason)
        if not is_carried and checked.holds:
            reason = "it follows from the summary, of which no single fact matches it"
        text = checked.fact.text
        found[_same(text)] = is_carried, Claim(text=text, reason=reason)
    return found


def _invented(score: EvaScore) -> Claims:
    return {
        _same(each.fact.text): Claim(text=each.fact.text, reason=one_line(each.reason))
        for each in score.candidate
        if each.holds is False
    }


def _unsupported(score: FaithfulnessScore | None) -> Claims:
    return {
        _same(sentence.text): Claim(text=sentence.text, reason=one_line(sentence.reason))
        for sentence in (score.sentences if score is not None else ())
        if sentence.supported is False
    }


Verdicts = Literal[
    "unfaithful sentences", "faithful sentences", "facts that do not hold", "facts that hold"
]
DriftKind = Facet | Verdicts
"""What is tested together: the ratings of one facet; yes or no answers by what their label says.

Were both labels one kind, a judge that calls everything faithful would come nearer to the labels,
since most sentences are."""
KINDS: Final[tuple[DriftKind, ...]] = (*FACETS, *get_args(Verdicts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """One labelled item with the answers of both runs, neither None, which label it alike.

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
    def shift(self) -> float:
        """How far the answer moved; above 0 is more lenient."""
        return _answer(self.new) - _answer(self.old)

    @property
    def loss(self) -> float:
        """How much farther from the label the answer is; below 0 is nearer."""
        before, now = _answer(self.old) - self.old.label, _answer(self.new) - self.new.label
        return abs(now) - abs(before)

    @property
    def told(self) -> GoldenAnswer:
        """The side that has the texts: a side that says what the label says has none."""
        return self.old if self.new.agrees else self.new


def _answer(given: GoldenAnswer) -> float:
    assert given.answer is not None
    return given.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDrift:
    """What became of the answers of one kind that both runs gave.

    Of ``n_items`` so many moved towards the label, away from it, and across: as far from it as
    before. ``shift`` is the mean of new minus old answer over all items, in points of a rating or
    in shares of yes; above 0 is more lenient. ``loss`` is the mean of how much farther from the
    label the answers are; below 0 is nearer. ``p_shift`` and ``p_loss`` are the chances of either
    where nothing changed, Holm-adjusted over the kinds.
    """

    kind: DriftKind
    n_items: int
    n_towards: int
    n_away: int
    n_across: int
    shift: float
    loss: float
    p_shift: float
    p_loss: float

    @property
    def n_flipped(self) -> int:
        """How many answers are not what they were."""
        return self.n_towards + self.n_away + self.n_across

    @property
    def is_shifted(self) -> bool:
        """Whether the answers shifted up or down by more than chance."""
        return self.p_shift <= LEVEL

    @property
    def is_worse(self) -> bool:
        """Whether the answers moved away from the labels by more than chance."""
        return self.p_loss <= LEVEL and self.loss > 0

    @property
    def is_better(self) -> bool:
        """Whether the answers moved towards the labels by more than chance."""
        return self.p_loss <= LEVEL and self.loss < 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    """One figure of agreement under an old and a new judge, named as ``[thresholds.judge]`` has it.

    Higher is better. ``old`` and ``new`` are None where undefined, and stand on so many items and
    papers. ``low`` and ``high`` bound the 95 % interval of the change over papers; None where it is
    undefined in most resamples.
    """

    name: str
    old: float | None
    new: float | None
    low: float | None
    high: float | None
    n_items: int
    n_papers: int

    @property
    def change(self) -> float | None:
        """New minus old; None where either is undefined."""
        return None if self.old is None or self.new is None else self.new - self.old


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The golden answers of a new run beside those of an old one, with the judges' signatures.

    Where ``mismatches`` say why the two cannot be compared, there is nothing else. ``n_only_old``
    and ``n_only_new`` count the items that only one of the runs has an answer to. Kinds and figures
    stand in their usual order, ``flips`` away from the label first, the farthest first.
    """

    old_judge: str
    new_judge: str
    mismatches: tuple[str, ...] = ()
    n_papers: int = 0
    n_only_old: int = 0
    n_only_new: int = 0
    kinds: tuple[KindDrift, ...] = ()
    figures: tuple[FigureChange, ...] = ()
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
    """What became of the golden answers of one suite between two runs that both measured a judge.

    Runs whose labels, papers or labelled summaries differ are not compared, and neither are runs
    without golden answers in common.
    """
    judges = [each.trust.judge if each.trust is not None else "" for each in (old, new)]
    drift = Drift(old_judge=judges[0], new_judge=judges[1])
    mismatches = tuple(golden_mismatches(old, new))
    if mismatches:
        return replace(drift, mismatches=mismatches)
    before, now, (n_only_old, n_only_new) = shared_answers(old.golden, new.golden)
    items = [
        Rejudged(paper=pair.paper, system=pair.system, group=pair.group, old=one, new=other)
        for was, pair in zip(before, now, strict=True)
        for one, other in zip(was.answers, pair.answers, strict=True)
        if other.kind != "overall"
    ]
    if not items:
        return replace(drift, mismatches=("no golden answer is in both runs",))
    return replace(
        drift,
        n_papers=len({item.group for item in items}),
        n_only_old=n_only_old,
        n_only_new=n_only_new,
        kinds=_kinds(items),
        figures=changed_figures(before, now),
        flips=tuple(sorted((item for item in items if item.shift), key=_badness)),
    )


def golden_mismatches(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    """What differs that the golden answers of both runs have to be about."""
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


def shared_answers(
    old: Sequence[GoldenPair], new: Sequence[GoldenPair]
) -> tuple[tuple[GoldenPair, ...], tuple[GoldenPair, ...], tuple[int, int]]:
    """The pairs of both with the items that both answered, in the order of the new ones.

    The counts are of the items that only the old one answered, and only the new one; overall
    scores, which follow from the ratings, are not counted.
    """
    before, now = (
        {
            (pair.system, pair.paper, each.kind, each.index): each
            for pair in pairs
            for each in pair.answers
            if each.answer is not None
        }
        for pairs in (old, new)
    )
    kept_old, kept_new = [], []
    for pair in new:
        places = [(pair.system, pair.paper, each.kind, each.index) for each in pair.answers]
        both = [place for place in places if place in now and place in before]
        kept_old.append(replace(pair, answers=tuple(before[place] for place in both)))
        kept_new.append(replace(pair, answers=tuple(now[place] for place in both)))
    n_only_old, n_only_new = (
        sum(kind != "overall" for _, _, kind, _ in one.keys() - other.keys())
        for one, other in ((before, now), (now, before))
    )
    return tuple(kept_old), tuple(kept_new), (n_only_old, n_only_new)


def _kinds(items: Iterable[Rejudged]) -> tuple[KindDrift, ...]:
    from summeval_pytest.stats.paired import holm

    by_kind: dict[DriftKind, list[Rejudged]] = {kind: [] for kind in KINDS}
    for item in items:
        by_kind[item.kind].append(item)
    found = {kind: held for kind, held in by_kind.items() if held}
    shifts, losses = (
        holm([_p_value(held, move) for held in found.values()])
        for move in (attrgetter("shift"), attrgetter("loss"))
    )
    return tuple(
        KindDrift(
            kind=kind,
            n_items=len(held),
            n_towards=sum(item.loss < 0 for item in held),
            n_away=sum(item.loss > 0 for item in held),
            n_across=sum(item.loss == 0 and item.shift != 0 for item in held),
            shift=statistics.mean(item.shift for item in held),
            loss=statistics.mean(item.loss for item in held),
            p_shift=p_shift,
            p_loss=p_loss,
        )
        for (kind, held), p_shift, p_loss in zip(found.items(), shifts, losses, strict=True)
    )


def _p_value(items: Sequence[Rejudged], move: Callable[[Rejudged], float]) -> float:
    """Two-sided, of the sums over the items of each paper; a paper whose sum is 0 says nothing."""
    sums: defaultdict[str, float] = defaultdict(float)
    for item in items:
        sums[item.group] += move(item)
    return two_sided_p_value([total for total in sums.values() if total])


def _badness(item: Rejudged) -> tuple[int, float, bool, str, str, str, int]:
    """Away from the label, then across, then towards; in each the farthest move first.

    Of moves alike, what passes for right now goes before what is refused now.
    """
    kind = item.kind
    top = SCALES[kind] - 1 if kind in FACETS else 1
    order = 0 if item.loss > 0 else 1 if item.loss == 0 else 2
    size = abs(item.loss or item.shift) / top
    return order, -size, item.shift < 0, kind, item.paper, item.system, item.new.index


SEED: Final = 20246
RESAMPLES: Final = 1000


def changed_figures(
    old: Sequence[GoldenPair], new: Sequence[GoldenPair]
) -> tuple[FigureChange, ...]:
    """Every figure that the labels of both have something for, in the order they are shown."""
    import numpy as np

    from summeval_pytest.verdict.trust import FIGURES, counts_of

    counts = np.hstack([counts_of(old), counts_of(new)])
    found = (
        _changed_spearman(old, new) if name == SPEARMAN else _changed_count(name, counts)
        for name in AGREEMENTS
        if name == SPEARMAN or (name in FIGURES and name not in FOLLOWING)
    )
    return tuple(each for each in found if each.n_items)


def _changed_count(name: str, counts: Counts) -> FigureChange:
    """A figure of counts, the old ones in the left half of each row and the new ones beside."""
    import numpy as np

    from summeval_pytest.stats.bootstrap import bootstrap_sums
    from summeval_pytest.verdict.trust import FIGURES, N_COUNTS, n_of

    figure = FIGURES[name]

    def change(sums: Counts) -> Figures:
        return figure(sums[:, N_COUNTS:]) - figure(sums[:, :N_COUNTS])

    held = counts[np.array([n_of(row[:N_COUNTS], name) > 0 for row in counts], dtype=bool)]
    total = counts.sum(axis=0)[np.newaxis]
    halves = float(figure(total[:, :N_COUNTS])[0]), float(figure(total[:, N_COUNTS:])[0])
    before, now = (None if np.isnan(value) else value for value in halves)
    interval = bootstrap_sums(held, change, n_resamples=RESAMPLES, seed=SEED)
    return FigureChange(
        name=name,
        old=before,
        new=now,
        low=interval.low,
        high=interval.high,
        n_items=n_of(total[0, :N_COUNTS], name),
        n_papers=len(held),
    )


def _changed_spearman(old: Sequence[GoldenPair], new: Sequence[GoldenPair]) -> FigureChange:
    """Spearman's rho of FM and the labelled overall scores."""
    import numpy as np

    from summeval_pytest.stats.bootstrap import bootstrap_interval
    from summeval_pytest.stats.correlation import spearman

    rows = [(pair.group, *row) for pair in old for row in pair.answered("overall")]
    groups = [group for group, _, _ in rows]
    label = np.array([label for _, label, _ in rows], dtype=np.float64)
    before = np.array([score for _, _, score in rows], dtype=np.float64)
    given = [score for pair in new for _, score in pair.answered("overall")]
    now = np.array(given, dtype=np.float64)

    def change(drawn: Rows) -> float | None:
        rhos = [spearman(label[drawn], scores[drawn]) for scores in (before, now)]
        return None if rhos[0] is None or rhos[1] is None else rhos[1] - rhos[0]

    interval = bootstrap_interval(groups, change, n_resamples=RESAMPLES, seed=SEED)
    return FigureChange(
        name=SPEARMAN,
        old=spearman(label, before),
        new=spearman(label, now),
        low=interval.low,
        high=interval.high,
        n_items=len(rows),
        n_papers=len(set(groups)),
    )
