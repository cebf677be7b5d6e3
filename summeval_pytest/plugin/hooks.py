"""pytest's hooks, each a few lines over the gate.

This module loads with every pytest run on the machine, so it imports pytest and the standard
library only; everything else loads when a suite or a fixture asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.plugin.config import (
    COUNTED,
    GATE,
    MARKER,
    MISTAKE,
    MISTAKE_KEY,
    RESULT,
    RUN,
    SUITE_NAME,
    SUITES,
    check_used,
    gate_of,
    gated_suites,
    handles_summaries,
    ignored_lines,
    is_controller,
    is_worker,
    prepare_test,
    run_of,
    stop_on_mistake,
)
from summeval_pytest.plugin.fixtures import summ_judge, summ_pair
from summeval_pytest.plugin.options import add_options, is_planned, unknown_variables

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from summeval_pytest.plugin.items import SuiteFile


__all__ = ["summ_judge", "summ_pair"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Registers the options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker; a plan needs no workers, since it asks nothing."""
    config.addinivalue_line("markers", MARKER)
    if is_planned(config) and hasattr(config.option, "dist"):
        config.option.dist = "no"
        config.option.tx = []


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Loads and checks the suites among the arguments: a mistake stops the run here."""
    suites = gated_suites(session.config)
    if suites and not is_worker(session.config):
        from summeval_pytest.plugin.controller import tally_of

        tally_of(session.config)  # registers it


def pytest_report_header(config: pytest.Config) -> list[str]:
    """One line: judge, store, record mode, suites; more where a suite asks for it."""
    return gate_of(config).header() if gated_suites(config) else []


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """A suite that is among the arguments, as tests."""
    if not file_path.name.endswith(SUITE_NAME) or not gated_suites(parent.config):
        return None
    from summeval_pytest.suite.places import real_place

    gated = gated_suites(parent.config).get(real_place(file_path))
    if gated is None:
        return None
    gate_of(parent.config).collected.add(gated.suite.shown)
    from summeval_pytest.plugin.items import SuiteFile

    return SuiteFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a hand-written test once for every pair; a mistake waits until all is collected."""
    try:
        prepare_test(metafunc)
    except pytest.UsageError as mistake:
        metafunc.config.stash.setdefault(MISTAKE, str(mistake))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Checks, before any test is deselected, that every given option has a use."""
    if not session.testsfailed:
        check_used(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Begins to read ahead if tests run in this process; stops on a mistake."""
    config = session.config
    stop_on_mistake(session)
    if GATE not in config.stash or config.option.collectonly or is_controller(config):
        return
    from summeval_pytest.plugin.items import JudgeItem, VerdictItem

    items = [item for item in session.items if isinstance(item, VerdictItem)]
    if items and not gate_of(config).options.plan:
        gate = gate_of(config)
        gate.judged = frozenset(item.gated for item in items if isinstance(item, JudgeItem))
        gate.plan(list(dict.fromkeys(task for item in items for task in item.tasks)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Prints the plan in place of the tests, where that was asked for."""
    config = session.config
    if GATE not in config.stash or config.option.collectonly or not gate_of(config).options.plan:
        return None
    from summeval_pytest.plugin.controller import show_plan

    show_plan(session)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Ends the run after a user's mistake."""
    ran = yield
    stop_on_mistake(item.session)
    return ran


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Gives a test's result to its report once, and makes the report safe to print.

    Control characters and commands become visible, and keys are hidden.
    """
    report = yield
    if (result := getattr(item, RESULT, None)) is not None:
        setattr(report, RESULT, result)
        setattr(item, RESULT, None)
    if handles_summaries(item):
        from summeval_pytest.text.printing import safe

        redacted = gate_of(item.config).session.replies.redacted
        report.sections = [(name, safe(redacted(t.expandtabs()))) for name, t in report.sections]
        text = str(report.longrepr or "").expandtabs()
        if (safe_text := safe(redacted(text))) != text:  # else pytest can go on colouring it
            report.longrepr = safe_text
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    config: pytest.Config, report: pytest.CollectReport | pytest.TestReport
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Sends a test's result from a worker, as JSON text behind what it was decided by."""
    result = report.__dict__.pop(RESULT, None)
    data = yield
    if result is not None and data is not None:
        from summeval_pytest.record.record_file import as_json

        data[RESULT] = f"{gate_of(config).orders[result.suite]} {as_json(result)}"
    return data


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells an xdist worker which run it is part of."""
    node.workerinput[RUN] = run_of(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what an xdist worker counted; stops the run on a mistake that the worker met."""
    output = getattr(node, "workeroutput", {})
    if COUNTED in output:
        from summeval_pytest.plugin.controller import tally_of

        tally_of(node.config).add_process(output[COUNTED])
    if MISTAKE_KEY in output:
        raise pytest.UsageError(output[MISTAKE_KEY])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Names the variables and ini keys that this run ignored, and the unknown ones."""
    for line in (*ignored_lines(config), *unknown_variables()):
        terminalreporter.line(line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Ends the runner, which waits for calls in flight unless the user pressed Ctrl-C."""
    config = session.config
    if GATE not in config.stash:
        return
    from summeval_pytest.plugin.controller import close_gate, tally_of

    close_gate(config, is_interrupted=exitstatus == pytest.ExitCode.INTERRUPTED)
    is_mistaken = exitstatus == pytest.ExitCode.USAGE_ERROR or MISTAKE in config.stash
    is_judged = not (is_mistaken or config.option.collectonly or gate_of(config).options.plan)
    if is_judged and not is_worker(config) and config.stash.get(SUITES, None):
        tally_of(config).finish(session)
        tally_of(config).fold()
