"""A comparison with a baseline as text: the numbers of a system, and what changed on a paper."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict import Claim, Comparison, Difference, PairChange

_WIDTH: Final = 80
_OLD: Final = 26
"""Where the old mean ends, so that a long name leaves the other columns where they are."""
_CHANGE: Final = 41
"""Where the change ends."""
_FLIPS: Final = 12
"""How many flipped facets are listed."""
_CLAIMS: Final = 5
"""How many facts or sentences of one kind are listed for a paper."""
_QUOTE: Final = 400
LEGEND: Final = (
    "p drop: paired permutation test over papers, Holm-adjusted. seen: the smallest",
    "true drop that this many papers show with 80 % power; smaller ones may hide.",
)


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """The lines: a table of differences, then the facets that flipped, the worst first."""
    against = one_line(f"against {comparison.baseline} ({comparison.system})")
    if comparison.mismatches:
        yield f"{against}: not compared"
        for mismatch in comparison.mismatches:
            yield f"  {one_line(mismatch, 400)}"
        return
    if not comparison.differences:
        yield f"{against}: no number that both have"
        return
    yield from _table(against, comparison.differences)
    for warning in comparison.undecided:
        yield from _wrapped("undecided: ", warning)
    for warning in comparison.brevity:
        yield from _wrapped("note: ", warning)
    yield from _flip_lines(comparison)


def _table(against: str, differences: Sequence[Difference]) -> Iterator[str]:
    n_papers = max(difference.n_papers for difference in differences)
    yield f"{against}, {n_papers} {'paper' if n_papers == 1 else 'papers'}"
    yield (
        f"{'':<19}{'old':>7}{'new':>7}{'change':>8}  {'95 % interval':<16}{'p drop':>7}{'seen':>7}"
    )
    for difference in differences:
        yield _difference(difference)
    for difference in differences:
        if difference.n_papers < n_papers:
            yield f"{difference.name} is on {difference.n_papers:,} of them only"
    if any(difference.p is not None for difference in differences):
        yield from LEGEND


def _difference(difference: Difference) -> str:
    name = difference.name
    low, high = difference.low, difference.high
    interval = "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"
    p = "" if difference.p is None else f"{difference.p:.4f}"
    seen = "" if difference.p is None else detectable_text(difference)
    means = _mean(difference.old), _mean(difference.new), f"{difference.change:+.3f}"
    told = f"{means[0]:>{max(0, _OLD - len(name))}}{means[1]:>7}{means[2]:>8}"
    if len(name) + len(told) > _CHANGE or len(name) + len(means[0]) >= _OLD:
        told = f"{' '.join(means):>{_CHANGE - len(name)}}"
    line = f"{name}{told}  {interval:<16}{p:>7}{seen:>7}"
    return f"{line}  FAILS" if difference.broken else line.rstrip()


def _mean(value: float) -> str:
    return f"{value:.3f}"


def detectable_text(difference: Difference) -> str:
    """The smallest drop that would have been found; a dash where nothing varies."""
    if difference.deviation == 0.0:
        return "-"
    return "none" if difference.detectable is None else f"{difference.detectable:.3f}"


def _flip_lines(comparison: Comparison) -> Iterator[str]:
    flips = comparison.flips
    if not flips:
        return
    yield f"facets rated lower, worst first ({len(flips)}):"
    for flip in flips[:_FLIPS]:
        yield f"  {one_line(flip.paper)}: {flip.facet} {flip.old} -> {flip.new}"
    if len(flips) > _FLIPS:
        yield f"  {len(flips) - _FLIPS} more: summeval compare"


def change_lines(change: PairChange) -> Iterator[str]:
    """What changed on one paper, a block of lines."""
    moved = [
        f"{name} {shown(name, old)} -> {shown(name, new)}"
        for name, old, new in change.numbers
        if old != new
    ]
    told = one_line(f"against {change.baseline}: {'; '.join(moved) or 'the same numbers'}", 200)
    yield from map(safe, wrap(told, _WIDTH, subsequent_indent="  "))
    for facet in change.facets:
        old, new = ("absent" if r is None else str(r) for r in (facet.old, facet.new))
        yield f"  facet {facet.facet}: {old} -> {new}"
        yield from _wrapped("    before ", f'"{facet.before}"' if facet.before else "(nothing)")
        yield from _wrapped("    now    ", f'"{facet.after}"' if facet.after else "(nothing)")
        yield from _wrapped("    reason ", facet.reason)
    yield from _claims("new unsupported sentence", change.unsupported)
    yield from _claims("new fact that does not follow from the reference", change.invented)
    yield from _claims("fact of the reference lost", change.lost)
    yield from _claims("unsupported sentence gone", change.mended, with_reason=False)
    yield from _claims("fact of the reference regained", change.regained, with_reason=False)


def _claims(what: str, claims: Sequence[Claim], *, with_reason: bool = True) -> Iterator[str]:
    for claim in claims[:_CLAIMS]:
        yield f"  {what}:"
        yield from _wrapped("    ", f'"{claim.text}"')
        if with_reason and claim.reason:
            yield from _wrapped("    reason ", claim.reason)
    if len(claims) > _CLAIMS:
        yield f"  {what}: {len(claims) - _CLAIMS} more"


def _wrapped(label: str, text: str) -> Iterator[str]:
    lines = wrap(one_line(text, _QUOTE), _WIDTH - len(label), break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield safe(f"{label if number == 0 else ' ' * len(label)}{line}")
