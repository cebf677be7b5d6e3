"""`--summ-plan`: the plan of a run, printed in place of its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.evaluation import planned_calls
from summeval_pytest.plugin.session import gate_of
from summeval_pytest.plugin.verdict_item import VerdictItem
from summeval_pytest.reports import plan_lines

if TYPE_CHECKING:
    import pytest


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected pairs would ask and cost."""
    gate = gate_of(session.config)
    items = [item for item in session.items if isinstance(item, VerdictItem)]
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    suites = [gated.suite for gated in gate.suites]
    survey, signature = gate.desk.survey(gate.options.judge, suites, tasks, imagine=True)
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    for line in plan_lines(rows, judge=signature, n_stored=len(survey.found)):
        if reporter is not None:
            reporter.write_line(line)
