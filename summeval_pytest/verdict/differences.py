"""Values that say how one run differs from another: numbers, facets, facts and sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.questions import Facet  # noqa: TC001 - run records read it


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number of a system and of its baseline, paired by paper.

    ``old``, ``new`` and ``change`` (new minus old) are means over the papers that have both.
    ``low`` and ``high`` bound the 95 % bootstrap interval of the change over papers, ``deviation``
    is its standard deviation. ``p`` is the Holm-adjusted one-sided p value of a drop; None for a
    number that is not tested. ``detectable`` is the smallest true drop that such papers would show
    with 80 % power; None where there is none, or nothing varies. ``broken`` are the rules that it
    breaks, in words.
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
    """One system against a baseline: a saved run as the user named it, and its system.

    ``mismatches`` say why the two cannot be compared; then there are no differences. ``flips`` are
    the facets rated lower, worst first. ``brevity`` says which shares rose only because summaries
    became shorter. ``undecided`` has each number with a rule that unanswered questions decide, and
    a phrase.
    """

    baseline: str
    system: str
    mismatches: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    flips: tuple[Flip, ...] = ()
    brevity: tuple[str, ...] = ()
    undecided: tuple[tuple[str, str], ...] = field(default=(), metadata=SPARSE)

    @property
    def broken(self) -> tuple[Difference, ...]:
        """The differences that break a rule, whatever was unanswered."""
        unsure = {name for name, _ in self.undecided}
        return tuple(d for d in self.differences if d.broken and d.name not in unsure)

    @property
    def fails(self) -> bool:
        """Whether the two cannot be compared, or a rule is broken whatever was unanswered."""
        return bool(self.mismatches or self.broken)

    @property
    def passes(self) -> bool:
        """Whether the two could be compared and no rule is broken, whatever was unanswered."""
        return not self.fails and not self.undecided

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
    """One facet whose rating differs, with what the two summaries say of it; None is not rated."""

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

    ``numbers`` are the metrics that both have: name, old and new value. The new summary ``lost``
    facts of the reference or ``regained`` them. It has new ``unsupported`` sentences, and
    ``invented`` facts that do not follow from the reference; ``mended`` sentences are gone.
    ``loss`` is the sum of the metrics' drops less their gains.
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
        claims = self.lost + self.regained + self.unsupported + self.mended + self.invented
        return bool(self.facets or claims or any(old != new for _, old, new in self.numbers))
