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
    check_collected,
    check_start,
    collect_suite,
    collected_suites,
    gate_of,
    handles_summaries,
    is_controller,
    is_worker,
    know_suites,
    prepare_test,
    run_of,
    stop_on_mistake,
)
from summeval_pytest.plugin.fixtures import summ_judge, summ_pair
from summeval_pytest.plugin.pytest_options import (
    add_options,
    is_planned,
    misspelt_option,
    unknown_variables,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path


__all__ = ["summ_judge", "summ_pair"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Registers the options."""
    add_options(parser)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Answers a misspelt option of ours before pytest refuses it; a conftest may add its own."""
    loaded = yield
    if message := misspelt_option(parser, args):
        raise pytest.UsageError(message)
    return loaded


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker; a plan needs no workers, since it asks nothing."""
    config.addinivalue_line("markers", MARKER)
    if is_planned(config) and hasattr(config.option, "dist"):
        config.option.dist = "no"
        config.option.tx = []


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Removes the reports of an earlier run if this one is asked for them."""
    check_start(session.config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """A suite, as tests."""
    if not file_path.name.lower().endswith(SUITE_NAME):
        return None
    return SuiteFile.from_parent(parent, path=file_path)


class SuiteFile(pytest.File):
    """A suite file. pytest makes a node of each file that it meets, so only `collect` costs."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The tests of the suite; none where the run ends for a mistake in it."""
        from summeval_pytest.plugin.items import tests_of

        gated = collect_suite(self.config, self.path)
        if not is_worker(self.config) and not self.config.option.collectonly:
            from summeval_pytest.plugin.controller import tally_of

            tally_of(self.config)  # registers it
        if gated is not None:
            yield from tests_of(self, gated)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """One line: judge, store, record mode, suites; more where a suite asks for it; none with -q."""
    is_wanted = collected_suites(config) and config.get_verbosity() >= 0
    return gate_of(config).header() if is_wanted else []


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
    """Checks, before any test is deselected, that there is a judge and a use for each option."""
    if not session.testsfailed:
        check_collected(config, items)


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

        if report.when == "call" and (found := getattr(item, "findings", "")):
            report.sections.append(("findings", found))
        redacted = gate_of(item.config).session.replies.redacted
        report.sections = [(name, safe(redacted(t.expandtabs()))) for name, t in report.sections]
        text = str(report.longrepr or "").expandtabs()
        if (safe_text := safe(redacted(text))) != text:  # else pytest can go on colouring it
            report.longrepr = safe_text
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable(
    report: pytest.CollectReport | pytest.TestReport,
) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
    """Sends a test's result from a worker, as JSON text."""
    result = report.__dict__.pop(RESULT, None)
    data = yield
    if result is not None and data is not None:
        from summeval_pytest.record.record_file import as_json

        data[RESULT] = as_json(result)
    return data


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells an xdist worker which run it is part of."""
    node.workerinput[RUN] = run_of(node.config)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Loads the suites that an xdist worker has collected, and prints the header of the run."""
    config, n_known = node.config, len(collected_suites(node.config))
    know_suites(config, ids)
    if len(collected_suites(config)) > n_known:
        from summeval_pytest.plugin.controller import tally_of

        tally_of(config)  # registers it
    if MISTAKE in config.stash:
        raise pytest.UsageError(config.stash[MISTAKE])
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if len(collected_suites(config)) > n_known and reporter and reporter.verbosity >= 0:
        reporter.ensure_newline()
        for line in gate_of(config).header():
            reporter.write_line(line)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Takes what an xdist worker counted; stops the run on a mistake that the worker met."""
    output = getattr(node, "workeroutput", {})
    if COUNTED in output:
        from summeval_pytest.plugin.controller import tally_of

        tally_of(node.config).add_process(output[COUNTED])
    if MISTAKE_KEY in output:
        raise pytest.UsageError(output[MISTAKE_KEY])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the variables that begin as ours and are none."""
    for line in unknown_variables():
        terminalreporter.line(line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Ends the runner, which waits for calls in flight unless the user pressed Ctrl-C."""
    config = session.config
    if GATE not in config.stash:
        return
    if config.option.collectonly:
        gate_of(config).close(seconds=0)
        return
    from summeval_pytest.plugin.controller import close_gate, tally_of

    close_gate(config, is_interrupted=exitstatus == pytest.ExitCode.INTERRUPTED)
    is_mistaken = exitstatus == pytest.ExitCode.USAGE_ERROR or MISTAKE in config.stash
    is_judged = not (is_mistaken or gate_of(config).options.plan)
    if is_judged and not is_worker(config) and collected_suites(config):
        gate_of(config).remember()
        if tally_of(config).counts.calls["n_asked"]:  # otherwise nobody needs a network
            tally_of(config).lines += gate_of(config).ending_models()
        tally_of(config).finish(session)
        tally_of(config).fold()
