"""One criterion of equivalence: a number, its bound, and how the one stands to the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Standing = Literal["met", "missed", "open", "moot"]
"""``open``: it cannot be measured, and so is not met. ``moot``: there is nothing to measure."""
CriterionName = Literal[
    "answered", "another answer", "kappa", "direction", "turned round", "first to last",
    "scored", "absolute difference", "mean difference", "order of systems",
]  # fmt: skip
AT_LEAST: Final[frozenset[CriterionName]] = frozenset(
    {"answered", "kappa", "direction", "scored", "order of systems"}
)
"""The criteria whose bound is a lower one; that of a direction's p value is itself too low."""
ROUNDING: Final = 1e-9
"""What is no further than this from its bound is at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One criterion.

    Attributes:
        of: A kind of items, or a metric.
        name: What is held: `AT_LEAST` its bound, or at most.

            answered, scored       share of items and pairs with an answer in every way, 0 to 1
            another answer         share of items answered otherwise together than alone, 0 to 1
            kappa                  Cohen's, -1 to 1; quadratic for ratings
            direction              p value of a lean: exact McNemar, sign test for ratings;
                                   Holm-adjusted over the kinds
            turned round           as another answer, with the items in the reverse order
            first to last          size of the shift between halves of a request, in shares of the
                                   scale, 0 to 1
            absolute difference    mean over pairs, 0 to 1
            mean difference        p value of two one-sided tests
            order of systems       Kendall's tau of the systems' means, -1 to 1

        n: On how many items, pairs or systems it stands.
        value: Together against alone; None where it cannot be measured.
        bound: What it is held to.
        floor: The same figure of alone against alone once more, where it has one.
        standing: Whether it is met.
        reason: Why it cannot be measured.
        shift: Where the value is a p value or a size, the signed difference behind it.
    """

    of: str
    name: CriterionName
    n: int
    value: float | None
    bound: float
    floor: float | None = None
    standing: Standing
    reason: str = ""
    shift: float | None = None


def held(  # noqa: PLR0913 - by keyword; each is one field
    of: str,
    name: CriterionName,
    *,
    n: int,
    value: float | None,
    bound: float,
    floor: float | None = None,
    unmeasured: tuple[Literal["open", "moot"], str] = ("open", "nothing was answered"),
    shift: float | None = None,
) -> Criterion:
    """The criterion with its standing; ``unmeasured`` is that of a value that is None, and why."""
    standing: Standing = unmeasured[0]
    if value is not None:
        away = bound - value if name in AT_LEAST else value - bound
        is_met = away < 0 if name == "direction" else away <= ROUNDING
        standing = "met" if is_met else "missed"
    return Criterion(
        of=of,
        name=name,
        n=n,
        value=value,
        bound=bound,
        floor=floor,
        standing=standing,
        reason="" if value is not None else unmeasured[1],
        shift=shift,
    )
