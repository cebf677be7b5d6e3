"""Equivalence as text: a line a criterion, then what is not met."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import one_line, safe
from summeval_pytest.verdict.criteria import AT_LEAST, ROUNDING
from summeval_pytest.verdict.equivalence import MIN_ITEMS, MIN_PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict.criteria import Criterion
    from summeval_pytest.verdict.equivalence import Equivalence

_WIDTH: Final = 80
_QUOTE: Final = 400
_DIGITS: Final = 3
_DOUBLE: Final = 17
_OF: Final = 13
_NAME: Final = 20
_LEGEND: Final = (
    "floor: alone against alone once more. In brackets: together less alone; for",
    "first to last, front half of a request less back half. direction and mean",
    "difference are p values; kappa of ratings is quadratic.",
)
_P_VALUES: Final = frozenset({"direction", "mean difference"})


def equivalence_lines(found: Equivalence) -> Iterator[str]:
    """The items, every criterion, and the decision."""
    ways = f"{'alone':>8}{'again':>8}{'together':>10}{'turned round':>14}"
    yield f"{'items':<{_OF}}{'asked':>8}{ways}"
    for count in found.items:
        alone, again, together, turned = count.n_answered
        yield (
            f"{count.kind:<{_OF}}{count.n_items:>8,}{alone:>8,}{again:>8,}{together:>10,}"
            f"{turned:>14,}"
        )
        yield from _fault("unanswered", count.fault)
    yield from _fault("unscored", found.fault)
    yield ""
    yield f"{'together against alone':<{_OF + _NAME}}{'n':>6}{'value':>7}{'floor':>7}  bound"
    for each in found.criteria:
        yield _line(each)
    yield from _LEGEND
    if any(each.value is None for each in found.criteria):
        yield "open: not measurable, and so not met. moot: there is nothing to measure."
    yield ""
    if found.is_small:
        yield from _wrapped(
            f"{found.n_pairs:,} pairs and {found.n_items:,} items are few: at least {MIN_PAIRS} and"
            f" {MIN_ITEMS} are wanted, or chance decides with"
        )
    yield from _wrapped(decision(found))


def decision(found: Equivalence) -> str:
    """Whether asking together is as good as asking alone, and if not, why, in one sentence."""
    if not found.n_items:
        return "not equivalent: no item was asked about, so nothing is shown"
    if found.is_equivalent:
        return "equivalent: asked together, items are answered as they are alone"
    return "not equivalent: " + "; ".join(map(_unmet, found.unmet))


def _fault(what: str, fault: str) -> Iterator[str]:
    if fault:
        yield from _wrapped(f"{what}, for instance: {one_line(fault, _QUOTE)}", indent="  ")


def _line(each: Criterion) -> str:
    start = f"{each.of:<{_OF}}{each.name:<{_NAME}}{each.n:>6,}"
    if each.value is None:
        return f"{start}{'-':>7}{_floor(each):>7}  {each.standing}: {each.reason}"
    value, bound = _side_by_side(each.value, each.bound)
    shift = "" if each.shift is None else f" ({each.shift:+.3f})"
    held = f"{_sign(each):>2} {bound} {each.standing}{shift}"
    return f"{start}{value:>7}{_floor(each):>7}  {held}"


def _side_by_side(value: float, bound: float) -> tuple[str, str]:
    """Both with as many digits as it takes for them to stand to each other as they do."""
    digits = _DIGITS
    while digits < _DOUBLE and _order(round(value, digits), round(bound, digits)) != _order(
        value, bound
    ):
        digits += 1
    return f"{value:.{digits}f}", f"{bound:.{digits}f}"


def _order(value: float, bound: float) -> int:
    return 0 if abs(value - bound) <= ROUNDING else 1 if value > bound else -1


def _floor(each: Criterion) -> str:
    return "-" if each.floor is None else f"{each.floor:.3f}"


def _sign(each: Criterion) -> str:
    if each.name == "direction":
        return ">"
    return ">=" if each.name in AT_LEAST else "<="


def _unmet(each: Criterion) -> str:
    what = f"{each.of}: {each.name}"
    if each.value is None:
        return f"{what} cannot be measured, {each.reason}"
    p = "p " if each.name in _P_VALUES else ""
    value, bound = _side_by_side(each.value, each.bound)
    return f"{what} {p}{value}, wanted {_sign(each)} {bound}{_self(each)}"


def _self(each: Criterion) -> str:
    """Where the judge does not agree with itself so far, that is no fault of asking together."""
    if each.floor is None or each.name == "order of systems":
        return ""
    away = each.bound - each.floor if each.name in AT_LEAST else each.floor - each.bound
    return f" (alone, asked twice: {_floor(each)})" if away > 0 else ""


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    lines = wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent or "  ")
    yield from map(safe, lines)
