"""Drift of a judge: which golden answers flipped between two runs, and whether that is chance.

Answers are compared item by item, where both runs have one. Two things are tested for each kind of
item: whether the answers shifted, up or down, and whether they moved away from the labels; of yes
or no answers with one label, both are the same. The tests are paired sign-flip tests over papers,
two-sided, Holm-adjusted over the kinds: the answers of a paper flip together, so a paper counts as
one. Where no paper has more than one flipped answer, that of yes or no is McNemar's exact test.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.chance import LEVEL, two_sided_p_value
from summeval_pytest.verdict.figure_changes import FigureChange, changed_figures
from summeval_pytest.verdict.rejudging import (
    KINDS,
    DriftKind,
    Rejudged,
    rejudged_items,
    shared_answers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from summeval_pytest.verdict.record import SuiteRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class KindDrift:
    """What became of the answers of one kind.

    Attributes:
        kind: The kind.
        n_items: The items that both runs answered.
        n_towards: Those whose answer moved towards the label.
        n_away: Those whose answer moved away from it.
        n_across: Those whose answer moved and is as far from the label as before.
        shift: The mean of new minus old answer over all items, in points of a rating or in shares
            of yes; above 0 is more lenient.
        loss: The mean of how much farther from the label the answers are; below 0 is nearer.
        p_shift: Whether the shift is chance; Holm-adjusted over the kinds.
        p_loss: Whether the loss, or gain, is chance; Holm-adjusted likewise.
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
class Drift:
    """The golden answers of a new run beside those of an old one.

    Attributes:
        old_judge: The old judge's signature; another one is what drift is about.
        new_judge: The new judge's.
        mismatches: Why the two cannot be compared, in words; then there is nothing else.
        n_papers: The papers of the items that both runs answered.
        n_only_old: Items that only the old run has an answer to.
        n_only_new: Items that only the new one has an answer to.
        kinds: One a kind that has items, in the order of `KINDS`.
        figures: Each figure of agreement, old and new.
        flips: Every answer that flipped: away from the label first, the farthest first.
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
    judges = (each.trust.judge if each.trust is not None else "" for each in (old, new))
    drift = Drift(old_judge=next(judges), new_judge=next(judges))
    mismatches = tuple(_mismatches(old, new))
    if mismatches:
        return replace(drift, mismatches=mismatches)
    before, now, lacking = shared_answers(old.golden, new.golden)
    items = list(rejudged_items(before, now))
    if not items:
        return replace(drift, mismatches=("no golden answer is in both runs",))
    return replace(
        drift,
        n_papers=len({item.group for item in items}),
        n_only_old=lacking[0],
        n_only_new=lacking[1],
        kinds=_kinds(items),
        figures=changed_figures(before, now),
        flips=tuple(sorted((item for item in items if item.shift), key=_badness)),
    )


def _mismatches(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    """What differs that both answers have to be about."""
    for what, before, now in (
        ("labels", old.trust and old.trust.labels, new.trust and new.trust.labels),
        ("papers", old.fingerprint, new.fingerprint),
    ):
        if before != now:
            yield f"{what} differ: {before!r} then, {now!r} now; drift needs the same {what}"
    summaries = {(pair.system, pair.paper): pair.summary for pair in old.pairs}
    labelled = {(pair.system, pair.paper) for pair in new.golden}
    for pair in new.pairs:
        of = pair.system, pair.paper
        if of in labelled and summaries.get(of, pair.summary) != pair.summary:
            yield (
                f"the labelled summary of {pair.system!r} on {pair.paper!r} is another one now;"
                " drift needs the same summaries"
            )
            return


def _kinds(items: Iterable[Rejudged]) -> tuple[KindDrift, ...]:
    from summeval_pytest.stats import holm

    by_kind: dict[DriftKind, list[Rejudged]] = {kind: [] for kind in KINDS}
    for item in items:
        by_kind[item.kind].append(item)
    found = {kind: held for kind, held in by_kind.items() if held}
    shifts = holm([_p_value(held, [item.shift for item in held]) for held in found.values()])
    losses = holm([_p_value(held, [item.loss for item in held]) for held in found.values()])
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


def _p_value(items: Sequence[Rejudged], moves: Sequence[float]) -> float:
    """Two-sided, of the sums over the items of each paper; a paper whose sum is 0 says nothing."""
    sums: defaultdict[str, float] = defaultdict(float)
    for item, move in zip(items, moves, strict=True):
        sums[item.group] += move
    moved = [total for total in sums.values() if total]
    return two_sided_p_value(moved)


def _badness(item: Rejudged) -> tuple[int, float, bool, str, str, str, int]:
    """Away from the label, then across, then towards; in each the farthest move first.

    Of moves alike, what passes for right now goes before what is refused now.
    """
    kind = item.kind
    top = SCALES[kind] - 1 if kind in FACETS else 1
    order = 0 if item.loss > 0 else 1 if item.loss == 0 else 2
    size = abs(item.loss or item.shift) / top
    return order, -size, item.shift < 0, kind, item.paper, item.system, item.new.index
