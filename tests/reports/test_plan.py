from __future__ import annotations

from summeval_pytest.reports.run import plan_lines
from summeval_pytest.run.plan import PlannedCalls

ESTIMATES = "tokens and dollars are estimates"
GUESSED = "~ some calls depend on replies that nobody has given yet: the embedded judge stands in"
NO_PRICE = (
    "no price: write input_price and output_price, dollars per million tokens, under"
    " [judges.NAME] or [systems.NAME]"
)


def row(  # noqa: PLR0913 - by keyword; each test wants another one
    system: str = "good",
    metric: str = "facet",
    *,
    n_calls: int = 4,
    n_certain: int = 4,
    cost: float | None = 1.5,
    n_unpriced: int | None = None,
) -> PlannedCalls:
    """The calls of one system for one metric."""
    return PlannedCalls(
        system=system,
        metric=metric,
        n_calls=n_calls,
        n_certain=n_certain,
        prompt_tokens=1000 * n_calls,
        completion_tokens=10 * n_calls,
        cost=cost,
        n_unpriced=n_calls if n_unpriced is None and cost is None else n_unpriced or 0,
    )


def lines(*rows: PlannedCalls, judge: str = "gpt at=openai", n_stored: int = 0) -> list[str]:
    """What is told."""
    return list(plan_lines(rows, judge=judge, n_stored=n_stored))


def test_plan_is_a_table_with_a_total() -> None:
    """Aligned, with a tilde at what is not certain."""
    guessed = row("writer", "summaries", n_calls=1200, n_certain=2, cost=20.25)
    assert lines(row(), guessed, n_stored=1234) == [
        "plan: judge gpt at=openai; nothing was asked, 1,234 replies are stored",
        "system                  metric           calls  prompt tokens  reply tokens   dollars",
        "good                    facet                4          4,000            40      1.50",
        "writer                  summaries       ~1,200      1,200,000        12,000     20.25",
        "all                                     ~1,204      1,204,000        12,040     21.75",
        ESTIMATES,
        GUESSED,
    ]


def test_certain_plan_has_no_tilde() -> None:
    """Its calls are those that the run will make."""
    *_, total, last = lines(row(), row("bad"))
    assert total.split()[:2] == ["all", "8"]
    assert last == ESTIMATES


def test_missing_price_is_told_with_where_to_write_it() -> None:
    """Where nothing has a price, there is nothing to add up."""
    told = lines(row(cost=None))
    assert [line.split()[-1] for line in told[2:4]] == ["-", "-"]
    assert told[-1] == NO_PRICE


def test_sum_of_some_prices_is_marked_as_a_subtotal() -> None:
    """Dollars that are known are worth knowing; without the mark they would look like all."""
    told = lines(row(cost=None), row("bad", cost=2.0), row("plain", cost=1.0, n_unpriced=3))
    assert [line.split()[-1] for line in told[2:6]] == ["-", "2.00", "1.00+", "3.00+"]
    assert told[-1] == f"+ subtotal of what has a price; {NO_PRICE}"


def test_calls_that_cost_nothing_have_a_price() -> None:
    """0 dollars are 0 dollars."""
    told = lines(row(cost=0.0))
    assert [line.split()[-1] for line in told[2:4]] == ["0.00", "0.00"]
    assert NO_PRICE not in told


def test_plan_of_a_full_store_says_so() -> None:
    """There is nothing to put into a table."""
    assert lines(n_stored=7) == [
        "plan: judge gpt at=openai; nothing was asked, 7 replies are stored",
        "every reply is stored: the run asks nothing and costs nothing",
    ]


def test_names_command_no_terminal_and_break_no_table() -> None:
    """They are other people's words."""
    told = lines(row("evil\x1b[31m\nname " + "x" * 50), judge="gpt\x1b[2J\n::error::")
    assert not any("\x1b" in line or "\n" in line for line in told)
    assert told[2].startswith(r"evil\x1b[31m name xxxx")
    assert told[2].index("facet") == told[1].index("metric")
