"""What a comparison with a baseline came to, as values: of a system's papers, and of one paper."""

from __future__ import annotations

from dataclasses import dataclass, field

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.recorded import SPARSE
from summeval_pytest.questions import Facet  # noqa: TC001 - run records read the annotations


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number of a system against the same number of its baseline, paired by paper.

    Attributes:
        name: The number.
        n_papers: The papers on which both have it.
        old: The baseline's mean over them.
        new: The system's.
        change: The mean of new minus old; negative is a drop, a rise where lower is better.
        low: The lower bound of its 95 % bootstrap interval over papers; None where undefined.
        high: The upper bound.
        p: The one-sided p value of a drop (paired permutation test), Holm-adjusted over the
            numbers that are tested together; None for a number that is not among them.
        deviation: The standard deviation of new minus old over papers; None on a single one.
        detectable: The smallest true drop that this many papers, varying as these do, would show
            with 80 % power at the level of the test, Holm's strictest; None where none could be
            found, and where nothing varies.
        broken: The rules that it breaks, in words; empty where it passes.
    """

    name: str
    n_papers: int
    old: float
    new: float
    change: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    deviation: float | None = None
    detectable: float | None = None
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One facet of one paper whose rating differs from the baseline's."""

    paper: str
    facet: Facet
    old: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system against a baseline.

    Attributes:
        baseline: The saved run, as it was named.
        system: The baseline's system.
        mismatches: Why the two cannot be compared, each naming the key that differs; then there
            are no differences.
        differences: One a number that both have, in the order of the catalogue.
        flips: The facets that are rated lower than the baseline's, worst first.
        brevity: That a share of right pieces rose only because summaries became shorter, in words;
            empty where none did.
        undecided: Why it decides nothing, a phrase each: which rules are kept or broken only
            because of what a judge left unanswered; empty where none is.
    """

    baseline: str
    system: str
    mismatches: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    flips: tuple[Flip, ...] = ()
    brevity: tuple[str, ...] = ()
    undecided: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def passes(self) -> bool:
        """Whether the two could be compared and no rule is broken, whatever was unanswered."""
        is_broken = any(d.broken for d in self.differences)
        return not self.mismatches and not is_broken and not self.undecided

    def check_decided(self) -> None:
        """Refuses to decide by what the judge left unanswered.

        Raises:
            JudgeError: saying which rules it would.
        """
        if self.undecided:
            told = "; ".join(self.undecided)
            raise JudgeError(f"against {self.baseline} ({self.system}), undecided: {told}")

    def difference(self, name: str) -> Difference | None:
        """The difference of one number; None where there is none."""
        return next((d for d in self.differences if d.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fact or sentence, and the judge's reason for calling it lost or unsupported."""

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetChange:
    """One facet whose rating differs, with what the two summaries say of it.

    A rating of None stands for a facet that one of the two readings of the reference lacks.
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
        paper: The paper.
        system: The system.
        baseline: The saved run and its system, as a reader would name them.
        numbers: The metrics that both have: name, old and new value.
        facets: The facets whose rating differs, drops first.
        lost: Facts of the reference that the baseline's summary carried and this one does not.
        regained: The reverse.
        unsupported: Sentences that the source does not support and that are new.
        mended: Unsupported sentences of the baseline that are gone.
        invented: Facts of the summary that do not follow from the reference and that are new.
        loss: How much worse it became: the sum of the drops of its metrics, each 0 to 1, gains
            counted against them.
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

    @property
    def is_change(self) -> bool:
        """Whether anything at all differs."""
        return bool(
            self.facets
            or self.lost
            or self.regained
            or self.unsupported
            or self.mended
            or self.invented
            or any(old != new for _, old, new in self.numbers)
        )
