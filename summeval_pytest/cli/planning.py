"""`summeval plan`: what a run would ask and cost. Nothing is asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import desk_of, gated_tasks
from summeval_pytest.evaluation import Survey, planned_calls
from summeval_pytest.reports import plan_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from summeval_pytest.evaluation import Desk, Task
    from summeval_pytest.suite import Suite


def plan(chosen: argparse.Namespace) -> list[str]:
    """The plan as a table."""
    desk = desk_of(chosen)
    suite, tasks = gated_tasks(chosen, desk)
    survey, signature = surveyed(desk, chosen.judge, suite, tasks, imagine=True)
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    return list(plan_lines(rows, judge=signature, n_stored=len(survey.found)))


def surveyed(
    desk: Desk, judge_name: str, suite: Suite, tasks: Iterable[Task], *, imagine: bool
) -> tuple[Survey, str]:
    """What the pairs need of what is remembered, and what nobody has answered yet.

    Args:
        desk: On which terms.
        judge_name: Who would judge.
        suite: The suite.
        tasks: Its pairs.
        imagine: Whether to go on behind a missing reply with a stand-in.

    Returns:
        The survey, and the judge's signature.
    """
    memory = desk.memory()
    survey = Survey(memory)
    judge = desk.judge(judge_name, [suite], survey)
    try:
        asyncio.run(survey.of(tasks, desk.roles, judge, imagine=imagine))
    finally:
        memory.close()
    return survey, judge.signature
