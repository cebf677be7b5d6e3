"""The way from a pytest configuration to its gate, suites and hand-written tests."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.errors import Place, SuiteError, SummevalError, UsageError
from summeval_pytest.options import TABLE
from summeval_pytest.plugin.pytest_options import read_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.options import Option
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite


SUITE_NAME = "summeval.toml"
"""As `summeval_pytest.suite` has it, which is too much to load before a suite is there."""
FIXTURES = ("summ_judge", "summ_pair")
TALLY = "summ-tally"
"""The name of the plugin that counts a run."""
UNTRUSTED_EXIT = 10
"""The exit code of a run whose judge misses its floor, whatever its verdicts are; pytest's own end
at 6."""
GATE: pytest.StashKey[Gate] = pytest.StashKey()
SUITES: pytest.StashKey[dict[Path, GatedSuite]] = pytest.StashKey()
MISTAKE: pytest.StashKey[str] = pytest.StashKey()
"""The first mistake found while tests are collected: pytest would make it an error of a file."""
RUN_NAME: pytest.StashKey[str] = pytest.StashKey()

RESULT = "summeval_result"
"""The attribute by which a test, and its report, hands on its `TestResult`."""
RUN = "summ_run"
"""The key under which a worker gets the name of the run."""
COUNTED = "summ_counted"
"""The key under which a worker sends what it asked, was answered, and has to say at the end."""
MISTAKE_KEY = "summ_mistake"
"""The key under which a worker sends a mistake."""


def is_worker(config: pytest.Config) -> bool:
    """Whether this process runs tests for an xdist controller."""
    return hasattr(config, "workerinput")


def stop_on_mistake(session: pytest.Session) -> None:
    """Ends the run after a mistake of the user.

    A worker cannot end a run: it drops its tests and tells the controller.

    Raises:
        pytest.UsageError: with the mistake.
    """
    config = session.config
    mistake = config.stash.get(MISTAKE, None)
    if mistake is None:
        return
    if not is_worker(config):
        raise pytest.UsageError(mistake)
    config.workeroutput[MISTAKE_KEY] = mistake  # type: ignore[attr-defined]  # xdist sets it on workers
    session.items.clear()
    session.shouldstop = "a mistake of the user's"


def is_controller(config: pytest.Config) -> bool:
    """Whether xdist workers run the tests for this process."""
    option = config.option
    is_spread = getattr(option, "dist", "no") != "no" and getattr(option, "tx", None)
    return not is_worker(config) and bool(is_spread)


def handles_summaries(item: pytest.Item) -> bool:
    """Whether a test is one of a suite, or uses a fixture that hands out summaries."""
    fixtures = getattr(item, "fixturenames", ())
    return hasattr(item, RESULT) or any(name in FIXTURES for name in fixtures)


def run_of(config: pytest.Config) -> str:
    """The name of this run, which all its processes share, and no other run has."""
    worker = getattr(config, "workerinput", {})
    return worker.get(RUN) or config.stash.setdefault(RUN_NAME, secrets.token_hex(8))


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turns our usage error into pytest's, which ends the run with exit code 4."""
    try:
        yield
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def gate_of(config: pytest.Config) -> Gate:
    """The gate of this process, made when it is first needed.

    Raises:
        pytest.UsageError: for an option that cannot be.
    """
    if GATE not in config.stash:
        from summeval_pytest.plugin.gate import Gate
        from summeval_pytest.plugin.outputs import check_outputs

        with usage_errors():
            options = read_options(config)
            check_outputs(options, config.invocation_params.dir)
            config.stash[GATE] = Gate(options, config, run_of(config))
    return config.stash[GATE]


@contextmanager
def without_traceback(config: pytest.Config) -> Iterator[None]:
    """Fails the phase of a test with the safe message of our error, without a traceback.

    In a setup, where trouble is the judge's, that makes an error of the test. What the user has to
    mend would be in the way of every other test, too: it ends the run after this one.
    """
    try:
        yield
    except SummevalError as error:
        from summeval_pytest.text.printing import safe

        message = safe(str(error))
        if isinstance(error, UsageError):
            config.stash.setdefault(MISTAKE, message)
        raise pytest.fail.Exception(message, pytrace=False) from None


def collected_suites(config: pytest.Config) -> dict[Path, GatedSuite]:
    """The suites that pytest has collected so far, by resolved path."""
    return config.stash.setdefault(SUITES, {})


def collect_suite(config: pytest.Config, file: Path) -> GatedSuite | None:
    """A suite whose pairs are tests, loaded and checked once; None for a mistake in it.

    The mistake ends the run when all is collected, before anything is asked.
    """
    from summeval_pytest.suite.places import real_place

    suites = collected_suites(config)
    if file in suites:  # as each test asks, whose file was collected before
        return suites[file]
    place = real_place(file)
    if place in suites or MISTAKE in config.stash:
        return suites.get(place)
    try:
        if not suites and not is_worker(config):
            _remove_reports(config)
        with usage_errors():
            suites[place] = gate_of(config).gated_as_tests(file, _shown(config, file))
    except pytest.UsageError as mistake:
        config.stash[MISTAKE] = str(mistake)
    return suites.get(place)


def _shown(config: pytest.Config, file: Path) -> str:
    """A path from the folder that the user stands in, unless he named an absolute one."""
    start, path = config.invocation_params.dir, Path(os.path.abspath(file))  # noqa: PTH100 - no link
    roots = [root for root in map(Path, config.args) if root.is_absolute()]
    is_absolute = not path.is_relative_to(start) and any(map(path.is_relative_to, roots))
    return Path(path if is_absolute else os.path.relpath(path, start)).as_posix()


def know_suites(config: pytest.Config, tests: Iterable[str]) -> None:
    """Loads the suites of tests that a worker has collected: the controller collects none.

    A node id counts from the root, or from an argument outside of it.
    """
    for name in dict.fromkeys(test.partition("::")[0] for test in tests):
        if name and not name.lower().endswith(SUITE_NAME):
            continue
        arguments = (argument.partition("::")[0] for argument in config.args)
        starts = (config.rootpath, *(config.invocation_params.dir / each for each in arguments))
        for file in (start / name for start in starts):
            if file.is_file() and file.name.lower().endswith(SUITE_NAME):
                collect_suite(config, file)


def _remove_reports(config: pytest.Config) -> None:
    """Removes the reports of an earlier run, which this one writes anew, if it measures."""
    from summeval_pytest.plugin.outputs import remove_reports

    options = gate_of(config).options
    if not (config.option.collectonly or options.plan):
        remove_reports(options, config.invocation_params.dir)


def check_start(config: pytest.Config) -> None:
    """Removes the reports of an earlier run at once if they were named on the command line."""
    if not is_worker(config) and any(option.is_report for option in _given(config)):
        _remove_reports(config)


def _given(config: pytest.Config) -> list[Option]:
    """The options that were typed."""
    return [option for option in TABLE.values() if config.getoption(option.ini) is not None]


def check_collected(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuses a judge that cannot be, and an option of ours where no collected test can use it.

    The mistake is that of the first option; it ends the run once all is collected.
    """
    if collected_suites(config):
        gate = gate_of(config)
        try:
            with usage_errors():
                gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later
                gate.decided  # noqa: B018 - likewise recorded runs that do not fit
        except pytest.UsageError as mistake:
            config.stash.setdefault(MISTAKE, str(mistake))
        return
    is_used = any(map(handles_summaries, items))
    for option in _given(config):
        if option.needs_suite or not is_used:
            problem = f"{option.flag} needs a suite, and pytest has collected none"
            tests = "" if option.needs_suite else f", nor a test that uses {' or '.join(FIXTURES)}"
            way = f"name a {SUITE_NAME} or its folder, or leave the option out"
            config.stash.setdefault(MISTAKE, f"{problem}{tests}; {way}")


MARKER: Final = (
    "summ(suite, metrics): the suite whose pairs summ_pair runs over, as a path from the root"
    " directory, and the metrics to measure (default: all three)"
)


def prepare_test(metafunc: pytest.Metafunc) -> None:
    """Checks what a hand-written test needs, and makes it one test for each pair of its suite.

    Raises:
        pytest.UsageError: for any mistake, before anything is judged.
    """
    if not set(FIXTURES) & set(metafunc.fixturenames):
        return
    gate = gate_of(metafunc.config)
    with usage_errors():
        if "summ_pair" in metafunc.fixturenames:
            marked_metrics(metafunc.definition)
            gated = _suite_of(metafunc.definition, gate)
            pairs = [(system, paper) for system in gated.systems for paper in gated.papers(system)]
            metafunc.parametrize(
                "summ_pair",
                [(str(gated.suite.path), paper, system) for system, paper in pairs],
                indirect=True,
                ids=map("-".join, pairs),
            )
        gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later


def _marked(test: pytest.Item) -> dict[str, Any]:
    """The values of the test's marker."""
    marker = test.get_closest_marker("summ")
    if marker is None:
        return {}
    unknown = [*map(repr, marker.args), *sorted(set(marker.kwargs) - {"suite", "metrics"})]
    if unknown:
        raise UsageError(
            f"{_place(test)}: @pytest.mark.summ does not take {', '.join(unknown)};"
            " it takes suite='PATH' and metrics=[NAME, ...]"
        )
    return dict(marker.kwargs)


def marked_metrics(test: pytest.Item) -> tuple[MetricName, ...]:
    """The metrics that the test's marker asks for; the three where it asks for none."""
    from summeval_pytest.metrics.catalogue import METRICS, known_metrics, measured_metrics

    metrics = _marked(test).get("metrics", METRICS)
    is_list = isinstance(metrics, (list, tuple)) and bool(metrics)
    known = known_metrics(metrics if is_list else ())
    if not is_list or not all(name in known for name in metrics):
        raise UsageError(
            f"{_place(test)}: @pytest.mark.summ(metrics={metrics!r}) names no list of metrics;"
            f" choose from {', '.join(known)}"
        )
    return measured_metrics(metrics)


def _place(test: pytest.Item) -> Place:
    """The file and line of a test."""
    path, line, _ = test.location
    return Place(path, (line or 0) + 1)


def _suites_named(config: pytest.Config) -> Iterator[Path]:
    """The suites that arguments name, by their file or their folder."""
    from summeval_pytest.suite.places import find_suite_file

    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        with usage_errors():
            file = find_suite_file(path, argument)
        if file is not None:
            yield file


def _suite_of(test: pytest.Item, gate: Gate) -> GatedSuite:
    """The suite that marker or option names, the one among the arguments, or the nearest above."""
    config = test.config
    marked = _marked(test).get("suite")
    if marked is not None:
        try:
            return gate.gated(config.rootpath / marked, str(marked))
        except SuiteError as error:
            raise UsageError(f"{_place(test)}: @pytest.mark.summ: {error}") from error
    if gate.options.suite is not None:
        return gate.gated(config.rootpath / gate.options.suite, gate.options.suite)
    among = list(dict.fromkeys(_suites_named(config)))
    if len(among) == 1:
        return gate.gated(among[0], _shown(config, among[0]))
    for folder in test.path.parents:
        if not among and (folder / SUITE_NAME).is_file():
            return gate.gated(folder / SUITE_NAME)
        if folder == config.rootpath:
            break
    problem = "more than one suite is" if among else "no suite is"
    raise UsageError(
        f"{_place(test)}: {test.name} uses summ_pair, and {problem} among the arguments;"
        " name one with --summ-suite=PATH, the ini key summ_suite or"
        " @pytest.mark.summ(suite='PATH')"
    )
