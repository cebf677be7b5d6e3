"""`summeval plan`: what a run would ask and cost. Nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import desk_of, gated_tasks
from summeval_pytest.evaluation import planned_calls
from summeval_pytest.reports import plan_lines

if TYPE_CHECKING:
    import argparse


def plan(chosen: argparse.Namespace) -> list[str]:
    """The plan as a table."""
    desk = desk_of(chosen)
    suite, tasks = gated_tasks(chosen, desk)
    survey, signature = desk.survey(chosen.judge, [suite], tasks, imagine=True)
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    return list(plan_lines(rows, judge=signature, n_stored=len(survey.found)))
