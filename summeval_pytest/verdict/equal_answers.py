"""The criteria of equivalence that items are held to, each kind by itself."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.conversation import MAX_UNANSWERED
from summeval_pytest.verdict.chance import LEVEL
from summeval_pytest.verdict.criteria import held

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import AskedItem
    from summeval_pytest.evaluation.items import ItemKind
    from summeval_pytest.verdict.criteria import Criterion

OF_THE_FLOOR: Final = 1.5
BEYOND_IT: Final = 0.01
"""At most 1.5 times the noise floor and a point of items may be answered otherwise."""
KAPPA: Final = 0.85
POSITION: Final = 0.02
_NOTHING: Final = "nothing was answered"
_Twice = list[tuple[int, int]]


def item_criteria(items: Mapping[ItemKind, Sequence[AskedItem]]) -> Iterator[Criterion]:
    """All criteria of each kind that has items.

    The p values of the directions are Holm-adjusted over the kinds, which are tested together.
    """
    from summeval_pytest.stats import holm

    asked = {kind: of for kind, of in items.items() if of}
    p_values = holm([_p_direction(_alone_and_together(of)) for of in asked.values()])
    for (kind, of), p_value in zip(asked.items(), p_values, strict=True):
        yield from _criteria(kind, of, p_value)


def _criteria(kind: ItemKind, items: Sequence[AskedItem], p_value: float) -> Iterator[Criterion]:
    n_items = len(items)
    n_answered = sum(
        None not in {item.single, item.again, item.batched, item.reversed} for item in items
    )
    answered = n_answered / n_items
    yield held(kind, "answered", n=n_items, value=answered, bound=1 - MAX_UNANSWERED)

    twice = [(i.single, i.again) for i in items if i.single is not None and i.again is not None]
    both = _alone_and_together(items)
    floor = _unlike([a != b for a, b in twice])
    allowed = OF_THE_FLOOR * (floor or 0.0) + BEYOND_IT
    known = [item for item in items if item.single is not None]
    another = None if floor is None else _unlike([i.batched != i.single for i in known])
    yield held(kind, "another answer", n=len(known), value=another, bound=allowed, floor=floor)

    kappa = _kappa(kind, both)
    is_one = bool(both) and kappa is None
    yield held(
        kind,
        "kappa",
        n=len(both),
        value=kappa,
        bound=KAPPA,
        floor=_kappa(kind, twice),
        unmeasured=("moot", "every answer is the same") if is_one else ("open", _NOTHING),
    )
    lean = statistics.fmean(b - a for a, b in both) if both else None
    value = p_value if both else None
    yield held(kind, "direction", n=len(both), value=value, bound=LEVEL, shift=lean)

    turned = None if floor is None else _unlike([i.reversed != i.single for i in known])
    yield held(kind, "turned round", n=len(known), value=turned, bound=allowed, floor=floor)
    yield _position(kind, items)


def _position(kind: ItemKind, items: Sequence[AskedItem]) -> Criterion:
    """How much higher the answers are where an item stands in the front half of its request."""
    moved = [item for item in items if item.is_front is not None]
    shifts = [
        (item.batched - item.reversed) / (item.high - item.low) * (1 if item.is_front else -1)
        for item in moved
        if item.batched is not None and item.reversed is not None
    ]
    shift = statistics.fmean(shifts) if shifts else None
    return held(
        kind,
        "first to last",
        n=len(shifts),
        value=None if shift is None else abs(shift),
        bound=POSITION,
        unmeasured=("open", _NOTHING) if moved else ("moot", "no item changed halves"),
        shift=shift,
    )


def _alone_and_together(items: Sequence[AskedItem]) -> _Twice:
    return [(i.single, i.batched) for i in items if i.single is not None and i.batched is not None]


def _unlike(differs: Sequence[bool]) -> float | None:
    return sum(differs) / len(differs) if differs else None


def _p_direction(twice: _Twice) -> float:
    from summeval_pytest.stats import mcnemar_p_value

    return mcnemar_p_value(sum(b > a for a, b in twice), sum(b < a for a, b in twice))


def _kappa(kind: ItemKind, twice: _Twice) -> float | None:
    from summeval_pytest.stats import cohen_kappa

    if not twice:
        return None
    first, second = [a for a, _ in twice], [b for _, b in twice]
    weights: Literal["quadratic", "none"] = "quadratic" if kind == "rating" else "none"
    return cohen_kappa(first, second, categories=sorted({*first, *second}), weights=weights)
