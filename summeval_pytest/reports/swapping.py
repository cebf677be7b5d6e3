"""Two judges over the same pairs, as tables, and thresholds that are ready to paste."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line, safe
from summeval_pytest.verdict.chance import LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict.ranking import SystemOrder
    from summeval_pytest.verdict.swapping import Bounded, ItemAgreement, ScoreAgreement
    from summeval_pytest.verdict.translating import Scope, Translated

_WIDTH: Final = 80
_NAME: Final = 14
_OLD: Final = 30
"""Where the old threshold ends; the longest name leaves it five digits and a space."""
_TABLES: Final[dict[Scope, str]] = {"pair": "[thresholds]", "mean": "[thresholds.mean]"}


def score_table(scores: Sequence[ScoreAgreement]) -> Iterator[str]:
    """How the scores go together, a line a metric, and how many pairs lack one."""
    yield (
        f"{'scores':<{_NAME}}{'pairs':>5}{'from':>7}{'to':>7}  {'shift':<23}{'Pearson':<19}Spearman"
    )
    for each in scores:
        yield (
            f"{each.name:<{_NAME}}{each.n_pairs:>5,}{_plain(each.old):>7}{_plain(each.new):>7}"
            f"  {_cell(each.shift, signed=True):<23}{_cell(each.pearson, 2):<19}"
            f"{_cell(each.spearman, 2)}"
        ).rstrip()
    for each in scores:
        if each.n_only_old or each.n_only_new:
            yield (
                f"{each.name}: {each.n_only_old:,} pairs are scored by --from alone,"
                f" {each.n_only_new:,} by --to alone; they are left out"
            )


def item_table(items: Sequence[ItemAgreement]) -> Iterator[str]:
    """How ratings and sentence verdicts agree, a line a facet and one for sentences."""
    yield f"{'items':<{_NAME}}{'items':>5}  {'exact':<20}{'kappa':<20}shift"
    for each in items:
        yield (
            f"{each.name:<{_NAME}}{each.n_items:>5,}  {_cell(each.exact, 2):<20}"
            f"{_cell(each.kappa, 2):<20}{_cell(each.shift, 2, signed=True)}"
        )
    yield "kappa: quadratic for ratings; shift: of --to, in points, or of supported sentences"


def order_lines(orders: Sequence[SystemOrder]) -> Iterator[str]:
    """The systems by each metric under both judges, and which change places."""
    for order in orders:
        yield f"{order.metric:<{_NAME}}{'papers':>6}{'from':>8}{'rank':>5}{'to':>8}{'rank':>5}"
        for each in order.means:
            ranks = order.rank(each.system, "old"), order.rank(each.system, "new")
            yield (
                f"  {one_line(each.system, _NAME - 3):<{_NAME - 2}}{each.n_papers:>6,}"
                f"{each.old:>8.3f}{ranks[0]:>5}{each.new:>8.3f}{ranks[1]:>5}"
            )
        for change in order.changes:
            sure = [
                name for name, p in (("--from", change.p_old), ("--to", change.p_new)) if p <= LEVEL
            ]
            told = f"significant under {' and '.join(sure)}" if sure else "neither is significant"
            yield from _wrapped(
                f"  {change.better} before {change.worse} under --from by {change.old:.3f}"
                f" (p {change.p_old:.3f}), behind it under --to by {-change.new:.3f}"
                f" (p {change.p_new:.3f}): {told}"
            )
    n_changes = sum(len(order.changes) for order in orders)
    if not n_changes:
        yield "no two systems change places"


def threshold_table(thresholds: Sequence[Translated]) -> Iterator[str]:
    """What the old thresholds and the translated ones pass under the new judge."""
    yield (
        f"{'thresholds':<24}{'from':>7}{'to':>7}  {'95 % interval':<16}{'pass':>9}{'kept':>6}"
        f"{'new':>6}"
    )
    for each in thresholds:
        name = each.name if each.scope == "pair" else f"mean.{each.name}"
        if each.new is None:
            yield (
                f"{name} {each.old:>{_OLD - len(name)}g}{'-':>7}"
                "  on no pair that both judges scored"
            )
            continue
        low, high = each.low, each.high
        interval = "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
        yield (
            f"{name} {each.old:>{_OLD - len(name)}g}{each.new:>7g}  {interval:<16}"
            f"{f'{each.n_old:,}/{each.n_items:,}':>9}{each.n_other_kept:>6,}{each.n_other_new:>6,}"
        )
    yield "pass: of the pairs (means: systems) under --from. kept, new: verdicts that"
    yield "differ under --to with the old value, and with the new one."


def threshold_block(thresholds: Sequence[Translated], judge: str) -> Iterator[str]:
    """The translated thresholds as TOML, ready to paste."""
    for scope, table in _TABLES.items():
        held = [each for each in thresholds if each.scope == scope and each.new is not None]
        if not held:
            continue
        yield one_line(f"{table}  # under judge {judge}", _WIDTH)
        for each in held:
            name = f'"{each.name}"' if "." in each.name else each.name
            side = "at most, " if CATALOGUE[each.name].lower_is_better else ""
            yield f"{name} = {each.new:.12g}  # {side}was {each.old:.12g}"


def _plain(value: float | None) -> str:
    return shown("facet", value)


def _cell(bounded: Bounded, digits: int = 3, *, signed: bool = False) -> str:
    if bounded.value is None:
        return "-"
    sign = "+" if signed else ""
    value = f"{bounded.value:{sign}.{digits}f}"
    if bounded.low is None or bounded.high is None:
        return value
    return f"{value} [{bounded.low:{sign}.{digits}f},{bounded.high:{sign}.{digits}f}]"


def _wrapped(text: str) -> Iterator[str]:
    lines = wrap(one_line(text, 400), _WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield from map(safe, lines)
