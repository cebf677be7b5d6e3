"""What a run would ask and cost, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation import PlannedCalls
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAME: Final = 24


def plan_lines(rows: Sequence[PlannedCalls], *, judge: str, n_stored: int) -> Iterator[str]:
    """The table, one line a system and metric, and a total.

    Args:
        rows: The calls that are missing.
        judge: The judge's signature.
        n_stored: How many replies of this run are remembered already.
    """
    yield f"plan: judge {one_line(judge)}; nothing was asked, {n_stored:,} replies are stored"
    if not rows:
        yield "every reply is stored: the run asks nothing and costs nothing"
        return
    yield (
        f"{'system':<{_NAME}}{'metric':<14}{'calls':>8}{'prompt tokens':>15}{'reply tokens':>14}"
        f"{'dollars':>10}"
    )
    known = [row.cost for row in rows if row.cost is not None]
    total = PlannedCalls(
        system="all",
        metric="",
        n_calls=sum(row.n_calls for row in rows),
        n_certain=sum(row.n_certain for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        cost=sum(known) if known else None,
        n_unpriced=sum(row.n_unpriced for row in rows),
    )
    for row in (*rows, total):
        yield _line(row)
    yield "tokens and dollars are estimates"
    if total.n_certain < total.n_calls:
        yield (
            "~ some calls depend on replies that nobody has given yet: the embedded judge stands in"
        )
    if total.n_unpriced:
        subtotal = "" if total.cost is None else "+ subtotal of what has a price; "
        yield (
            f"{subtotal}no price: write input_price and output_price, dollars per million tokens,"
            " under [judges.NAME] or [systems.NAME]"
        )


def _line(row: PlannedCalls) -> str:
    calls = f"{row.n_calls:,}" if row.n_certain == row.n_calls else f"~{row.n_calls:,}"
    more = "+" if row.n_unpriced else ""
    dollars = "-" if row.cost is None else f"{row.cost:.2f}{more}"
    return (
        f"{one_line(row.system, _NAME - 1):<{_NAME}}{row.metric:<14}{calls:>8}"
        f"{row.prompt_tokens:>15,}{row.completion_tokens:>14,}{dollars:>10}"
    )
