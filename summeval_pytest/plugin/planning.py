"""`--summ-plan`: the plan of a run, printed in place of its tests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from summeval_pytest.evaluation import Survey, planned_calls
from summeval_pytest.plugin.items import VerdictItem
from summeval_pytest.plugin.session import gate_of
from summeval_pytest.reports import plan_lines

if TYPE_CHECKING:
    import pytest

    from summeval_pytest.plugin.gate import Gate


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected pairs would ask and cost."""
    gate = gate_of(session.config)
    survey = surveyed(gate, [item for item in session.items if isinstance(item, VerdictItem)])
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    for line in plan_lines(rows, judge=gate.judge.signature, n_stored=len(survey.found)):
        if reporter is not None:
            reporter.write_line(line)


def surveyed(gate: Gate, items: list[VerdictItem]) -> Survey:
    """What the pairs of these items would ask."""
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    memory = gate.desk.memory()
    survey = Survey(memory)
    suites = [gated.suite for gated in gate.suites]
    judge = gate.desk.judge(gate.options.judge, suites, survey)
    try:
        asyncio.run(survey.of(tasks, gate.desk.roles, judge, imagine=True))
    finally:
        memory.close()
    return survey
