"""Values that say how one run differs from another: numbers, facets, facts and sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from summeval_pytest.metrics.catalogue import catalogue_of
from summeval_pytest.metrics.number import SPARSE, UNRECORDED, CustomNumbers, NumberSpec
from summeval_pytest.questions import Dispute, Facet
from summeval_pytest.stats.paired import least_p_value
from summeval_pytest.verdict.policy import LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number of a system and of its baseline, paired by paper.

    Attributes:
        old: The baseline's mean over the papers that have both.
        new: The system's mean over the same papers.
        change: New minus old. A negative change is a drop; if lower is better, a positive one is.
        low: The lower bound of the change's 95 % interval over papers.
        high: The upper bound.
        p: The one-sided p value of a drop (paired permutation test), Holm-adjusted over the
            numbers that are tested together; None for a number that is not tested.
        ruled_out: These papers rule out a drop of this size or more, at the level of the no-worse
            rule or of .05. Below 0, they rule out any drop. None for fewer than two papers.
        broken: The rules that it breaks, in words.
        inconclusive: The no-worse rules that these papers cannot decide, in words.
    """

    name: str
    n_papers: int
    old: float
    new: float
    change: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    ruled_out: float | None = None
    broken: tuple[str, ...] = ()
    inconclusive: tuple[str, ...] = field(default=(), metadata=SPARSE)
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def named(self) -> NumberSpec:
        """The number."""
        return catalogue_of(self.custom)[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One facet of one paper whose rating differs from the baseline's."""

    paper: str
    facet: Facet
    old: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceChange:
    """The change of a metric over the papers of one slice.

    Attributes:
        drop: How much worse the mean is.
        p: The p value of a drop, Holm-adjusted over the slices and metrics.
        level: The level that it is tested at.
    """

    slice: str
    name: str
    n_papers: int
    drop: float
    p: float
    level: float

    @property
    def is_broken(self) -> bool:
        """Whether it drops significantly."""
        return self.p <= self.level and self.drop > 0

    def __str__(self) -> str:
        """The change in words."""
        moves = "drops" if self.drop >= 0 else "rises"
        return (
            f"{self.name} {moves} by {abs(self.drop):.3f} in slice {self.slice} ({self.n_papers}"
            f" papers), p {self.p:.4f} at level {self.level:g}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system compared with a system of a saved run.

    Attributes:
        baseline: The saved run, as it was named.
        system: The system of the saved run.
        mismatches: Why the two cannot be compared, by the key that differs. Then there are no
            differences.
        flips: Facets that are rated lower than in the baseline, worst first.
        coverage: How many papers were compared, in words, if the two runs have different papers.
        slices: The change of each metric in each slice of papers.
        undecided: Each number whose rules are open because the judge gave no answer, and a phrase.
    """

    baseline: str
    system: str
    mismatches: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    flips: tuple[Flip, ...] = ()
    coverage: str = field(default="", metadata=SPARSE)
    slices: tuple[SliceChange, ...] = field(default=(), metadata=SPARSE)
    undecided: tuple[tuple[str, str], ...] = field(default=(), metadata=SPARSE)

    @property
    def against(self) -> str:
        """The baseline as a reader would name it."""
        return f"against run {self.baseline}, system {self.system}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the differences."""
        n_cells = len(self.slices)
        small = [e.slice for e in self.slices if least_p_value(e.n_papers, n_cells) > e.level]
        tested = [each for each in self.differences if each.p is not None]
        worse = [e for e in tested if e.named.oriented(e.change) < 0]
        weak = [
            each.name
            for each in worse
            if least_p_value(each.n_papers, len(tested)) > LEVEL
            and not each.broken + each.inconclusive
        ]
        few = (
            f"too few papers to show a drop {what} {', '.join(dict.fromkeys(names))}"
            for what, names in (("of", weak), ("in slice", small))
            if names
        )
        return tuple(filter(None, (self.coverage, *few)))

    @property
    def open_names(self) -> frozenset[str]:
        """The numbers whose rules are open."""
        return frozenset(name for name, _ in self.undecided)

    @property
    def broken(self) -> tuple[Difference, ...]:
        """The differences that break a rule, and are not open."""
        return tuple(d for d in self.differences if d.broken and d.name not in self.open_names)

    @property
    def inconclusive(self) -> tuple[Difference, ...]:
        """The differences with a no-worse rule that the papers cannot decide."""
        known = (d for d in self.differences if d.name not in self.open_names)
        return tuple(d for d in known if d.inconclusive)

    @property
    def broken_slices(self) -> tuple[SliceChange, ...]:
        """The slices in which a metric drops significantly, and is not open."""
        return tuple(s for s in self.slices if s.is_broken and s.name not in self.open_names)

    @property
    def fails(self) -> bool:
        """Whether a rule that is not open is broken or inconclusive, or nothing compares."""
        return bool(self.mismatches or self.broken or self.inconclusive or self.broken_slices)

    @property
    def passes(self) -> bool:
        """Whether the two could be compared, and no rule is broken or open."""
        return not self.fails and not self.undecided

    def difference(self, name: str) -> Difference | None:
        """The difference of one number; None where there is none."""
        return next((d for d in self.differences if d.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fact or sentence, and why the judge calls it lost or unsupported."""

    text: str
    reason: str = ""
    disputes: tuple[Dispute, ...] = field(default=(), metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetChange:
    """One facet whose rating differs, with the words of the two summaries.

    Attributes:
        old: The baseline's rating; None if its reading of the reference has no such facet.
        new: The system's rating; None likewise.
        before: The words of the baseline's summary.
        after: The words of the system's summary.
    """

    facet: Facet
    old: int | None
    new: int | None
    reference: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChange:
    """What changed on one paper between a baseline's summary and a system's.

    Attributes:
        numbers: The metrics that both have: name, old and new value.
        lost: Facts of the reference that only the baseline's summary states.
        regained: Facts of the reference that only the system's summary states.
        unsupported: New unsupported sentences.
        mended: Unsupported sentences of the baseline that are gone or supported now.
        invented: New facts that do not follow from the reference; they may still be true.
        loss: The sum of the metrics' drops, each 0 to 1, minus the gains.
    """

    paper: str
    system: str
    baseline: str
    numbers: tuple[tuple[str, float, float], ...] = ()
    facets: tuple[FacetChange, ...] = ()
    lost: tuple[Claim, ...] = ()
    regained: tuple[Claim, ...] = ()
    unsupported: tuple[Claim, ...] = ()
    mended: tuple[Claim, ...] = ()
    invented: tuple[Claim, ...] = ()
    loss: float = 0.0
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def is_change(self) -> bool:
        """Whether anything at all differs."""
        claims = self.lost + self.regained + self.unsupported + self.mended + self.invented
        return bool(self.facets or claims or any(old != new for _, old, new in self.numbers))
