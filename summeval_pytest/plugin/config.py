"""From a pytest configuration to its gate, its suites and its hand-written tests."""

from __future__ import annotations

import json
import os
import secrets
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.errors import Place, SuiteError, SummevalError, UsageError, nearest
from summeval_pytest.plugin.options import TABLE, Share, read_options
from summeval_pytest.plugin.progress import open_progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.plugin.options import Option
    from summeval_pytest.record.gated_suite import GatedSuite


SUITE_NAME = "summeval.toml"
"""As `summeval_pytest.suite` has it, which is too much to load before a suite is there."""
GATE: pytest.StashKey[Gate] = pytest.StashKey()
SUITES: pytest.StashKey[dict[Path, GatedSuite]] = pytest.StashKey()
MISTAKE: pytest.StashKey[str] = pytest.StashKey()
"""The first mistake found while tests are collected: pytest would make it an error of a file."""
TOLD_BY_GATE = "summ_told"
"""Under which key a worker hands on what it asked, was answered, and has to say at the end."""
TALLY = "summ-tally"
RUN_NAME: pytest.StashKey[str] = pytest.StashKey()
RUN = "summ_run"
"""Under which key a controller hands the name of the run to its workers."""
FIXTURES = ("summ_judge", "summ_pair")
RESULT = "summeval_result"
"""The attribute by which a test, and its report, hands on its `TestResult`."""
UNTRUSTED_EXIT = 10
"""The exit code of a run whose judge misses its floor, whatever its verdicts are; pytest's own end
at 6."""
_N_NAMED = 5
"""So many suites are named where none is collected."""
TOLD = "summ_mistake"
"""Under which key a worker hands a mistake to its controller."""


def is_worker(config: pytest.Config) -> bool:
    """Whether this process runs tests for an xdist controller."""
    return hasattr(config, "workerinput")


def stop_on_mistake(session: pytest.Session) -> None:
    """Ends the run where collecting or judging met a mistake of the user's.

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
    config.workeroutput[TOLD] = mistake  # type: ignore[attr-defined]  # xdist sets it on workers
    session.items.clear()
    session.shouldstop = "a mistake of the user's"


def is_controller(config: pytest.Config) -> bool:
    """Whether xdist workers run the tests for this process."""
    option = config.option
    is_spread = getattr(option, "dist", "no") != "no" and getattr(option, "tx", None)
    return not is_worker(config) and bool(is_spread)


def handles_summaries(item: pytest.Item) -> bool:
    """Whether a test is one of a suite's, or has asked for a fixture that hands out summaries."""
    fixtures = getattr(item, "fixturenames", ())
    return hasattr(item, RESULT) or any(name in FIXTURES for name in fixtures)


def is_judged(session: pytest.Session) -> bool:
    """Whether the session came to judging: no plan, no mere collecting, no mistake before it."""
    config = session.config
    is_planned = GATE in config.stash and config.stash[GATE].options.plan
    return not (config.option.collectonly or is_planned or MISTAKE in config.stash)


def share_of(config: pytest.Config) -> Share:
    """The part of the run that this process is."""
    told = getattr(config, "workerinput", {})
    return Share(
        index=int(str(told.get("workerid", "gw0")).removeprefix("gw")),
        n_processes=told.get("workercount", 1),
        run=told.get(RUN) or run_of(config),
        may_stop=bool(config.getoption("maxfail", 0)),
        is_verbose=config.getoption("verbose", 0) > 0,
        folder=config.invocation_params.dir,
    )


def run_of(config: pytest.Config) -> str:
    """The name of this run, made up at the first look."""
    if RUN_NAME not in config.stash:
        config.stash[RUN_NAME] = secrets.token_hex(8)
    return config.stash[RUN_NAME]


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turns a usage error of ours into one of pytest's, which ends the run with exit code 4."""
    try:
        yield
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


def gate_of(config: pytest.Config) -> Gate:
    """The gate of this process, made when it is first needed.

    Raises:
        pytest.UsageError: for an option that cannot be.
    """
    gate = config.stash.get(GATE, None)
    if gate is None:
        from summeval_pytest.plugin.gate import Gate
        from summeval_pytest.plugin.outputs import check_outputs

        with usage_errors():
            options = read_options(config)
            check_outputs(options, config.invocation_params.dir)
            gate = Gate(options, share_of(config), progress=open_progress(config))
        config.stash[GATE] = gate
    return gate


@contextmanager
def message_alone(config: pytest.Config) -> Iterator[None]:
    """Has an error of ours end the phase with its message, safe to print, and no traceback.

    In a setup, where trouble is the judge's, that makes an error of the test. What the user has to
    mend would be in the way of every other test, too: it ends the run after this one.
    """
    try:
        yield
    except SummevalError as error:
        from summeval_pytest.text.printing import safe

        told = safe(str(error))
        if isinstance(error, UsageError):
            config.stash.setdefault(MISTAKE, told)
        raise pytest.fail.Exception(told, pytrace=False) from None


def suite_arguments(config: pytest.Config) -> list[tuple[Path, str]]:
    """The suite files that the arguments (or testpaths) name, each as the user named it."""
    found = []
    for argument in config.args:
        named = argument.split("::")[0]
        path = config.invocation_params.dir / named
        files = sorted(path.glob(f"*{SUITE_NAME}")) if path.is_dir() else [path]
        for file in files:
            if file.name == SUITE_NAME or file.name.endswith(f".{SUITE_NAME}"):
                shown = Path(named) / file.name if path.is_dir() else Path(named)
                found.append((file, shown.as_posix()))
    return found


def _check_paths(config: pytest.Config) -> None:
    """Names the suite that is meant by a path that is not there; pytest names nothing.

    Raises:
        pytest.UsageError: for a path that is close to a suite's name, and where a suite is wanted.
    """
    start, is_wanted = config.invocation_params.dir, any(_given(config))
    for argument in config.args:
        named = argument.split("::")[0]
        if (start / named).exists() or config.option.pyargs:
            continue
        from summeval_pytest.suite.places import suite_meant
        from summeval_pytest.text.printing import one_line

        is_sure = is_wanted or named.endswith(".toml")
        if meant := suite_meant(start, named, is_sure=is_sure):
            raise pytest.UsageError(
                one_line(f"{named}: it is not in this folder; type: pytest {meant}", 1000)
            )


def _given(config: pytest.Config) -> Iterator[Option]:
    """The options that were typed."""
    return (option for option in TABLE if config.getoption(option.ini) is not None)


def check_used(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuses to be green where something was asked for that nothing collected can give.

    The mistake is that of the first option; it ends the run once all is collected.
    """
    given = list(_given(config))
    if not given or gated_suites(config):
        return
    is_used = any(map(handles_summaries, items))
    for option in given:
        if option.needs_suite or not is_used:
            told = f"{option.flag} is about a suite, and none is among the arguments"
            tests = "" if option.needs_suite else f", nor a test that uses {' or '.join(FIXTURES)}"
            config.stash.setdefault(MISTAKE, f"{told}{tests}; {_way_to_a_suite(config)}")


def _way_to_a_suite(config: pytest.Config) -> str:
    """Which suites are near, and how pytest comes to collect them."""
    from summeval_pytest.suite.places import suite_meant, suites_beneath
    from summeval_pytest.text.printing import one_line

    start = config.invocation_params.dir
    files = suites_beneath(start)[:_N_NAMED]
    if not files:
        above = suite_meant(start, "", is_sure=True)
        way = f"type: pytest {above}" if above else "name a suite"
        return f"no {SUITE_NAME} is beneath {start}: {way}, or leave the option out"
    found = ", ".join(os.path.relpath(file, start) for file in files)
    paths = [Path(os.path.relpath(file.parent, config.rootpath)).as_posix() for file in files]
    paths = list(dict.fromkeys([*(config.getini("testpaths") or ["."]), *paths]))
    name = config.inipath.name if config.inipath else "pyproject.toml"
    line = json.dumps(paths, ensure_ascii=False) if name.endswith("toml") else shlex.join(paths)
    under = " under [tool.pytest.ini_options]" if name == "pyproject.toml" else ""
    return one_line(
        f"found {found}: name what to gate, pytest {os.path.relpath(files[0].parent, start)}, or"
        f" write testpaths = {line}{under} in {name}, or leave the option out",
        1000,
    )


def ignored_lines(config: pytest.Config) -> Iterator[str]:
    """What variables and ini keys ask of a run that has no use for them, a line for all.

    Ini keys are for the runs of the suite, so they are told of only where no path was given. Where
    replies are kept and keys may go are settings of the machine, and ask for nothing.
    """
    is_used = GATE in config.stash or config.pluginmanager.hasplugin(TALLY)
    if is_used or MISTAKE in config.stash:
        return
    has_paths = config.args_source is pytest.Config.ArgsSource.ARGS
    asking = [option for option in TABLE if option.name not in {"store", "allow_endpoints"}]
    names = [o.variable for o in asking if os.environ.get(o.variable, "").strip()]
    names += [f"{o.ini} (ini)" for o in asking if not has_paths and config.getini(o.ini)]
    if names:
        yield f"summeval: no suite was collected, so nothing is gated; ignored: {', '.join(names)}"


def gated_suites(config: pytest.Config) -> dict[Path, GatedSuite]:
    """The suites among the arguments, by resolved path; loaded and checked at the first call.

    Raises:
        pytest.UsageError: for any mistake in them, before anything is judged.
    """
    if SUITES not in config.stash:
        _check_paths(config)
        arguments = suite_arguments(config)
        suites: dict[Path, GatedSuite] = {}
        if arguments:
            gate = gate_of(config)
            with usage_errors():
                for file, shown in arguments:
                    suites[file.resolve()] = gate.gated_as_tests(file, shown)
                _check_tests(config, suites)
                gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later
                gate.decided  # noqa: B018 - likewise recorded runs that do not fit
        config.stash[SUITES] = suites
    return config.stash[SUITES]


def _check_tests(config: pytest.Config, suites: Mapping[Path, GatedSuite]) -> None:
    """Says of a test that an argument names what to type where there is none.

    Raises:
        UsageError: for a system that is not gated, or a paper that it has no summary of.
    """
    from summeval_pytest.suite.lines import ALL_PAPERS, RESERVED_SYSTEMS
    from summeval_pytest.text.printing import one_line

    for argument in config.args:
        file, *names = argument.partition("[")[0].split("::")
        gated = suites.get((config.invocation_params.dir / file).resolve())
        if gated is None or not names or names[0] in RESERVED_SYSTEMS:
            continue
        system, paper = names[0], "::".join(names[1:])
        if system not in gated.systems:
            is_known = system in gated.suite.systems
            way = f"add --summ-model={system}" if is_known else nearest(system, gated.systems)
            gates = f"gates {', '.join(gated.systems)}, not {system!r}"
            raise UsageError(one_line(f"{argument}: the run {gates}; {way}", 1000))
        if paper and paper not in {*gated.papers(system), ALL_PAPERS}:
            way = nearest(paper, gated.papers(system))
            raise UsageError(one_line(f"{argument}: {system} has no paper {paper!r}; {way}", 1000))


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
            _parametrize(metafunc, gate)
        gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later


def _parametrize(metafunc: pytest.Metafunc, gate: Gate) -> None:
    """One test for each pair of the suite that the test runs over."""
    marked_metrics(metafunc.definition)
    gated = _suite_of(metafunc.definition, gate)
    pairs = [(paper, system) for system in gated.systems for paper in gated.papers(system)]
    metafunc.parametrize(
        "summ_pair",
        [(str(gated.suite.path), paper, system) for paper, system in pairs],
        indirect=True,
        ids=[f"{system}-{paper}" for paper, system in pairs],
    )


def _marked(test: pytest.Item) -> dict[str, Any]:
    """What the test's marker says."""
    marker = test.get_closest_marker("summ")
    if marker is None:
        return {}
    unknown = [*map(repr, marker.args), *sorted(set(marker.kwargs) - {"suite", "metrics"})]
    if unknown:
        raise UsageError(
            f"{_place(test)}: @pytest.mark.summ has no use for {', '.join(unknown)};"
            " it takes suite='PATH' and metrics=[NAME, ...]"
        )
    return dict(marker.kwargs)


def marked_metrics(test: pytest.Item) -> tuple[MetricName, ...]:
    """The metrics that the test's marker asks for; the three where it asks for none."""
    from summeval_pytest.metrics.catalogue import METRICS, measured_metrics
    from summeval_pytest.metrics.own import known_metrics

    asked = _marked(test).get("metrics", METRICS)
    is_list = isinstance(asked, (list, tuple)) and bool(asked)
    known = known_metrics(asked if is_list else ())
    if not is_list or not all(name in known for name in asked):
        raise UsageError(
            f"{_place(test)}: @pytest.mark.summ(metrics={asked!r}) names no list of metrics;"
            f" choose from {', '.join(known)}"
        )
    return measured_metrics(asked)


def _place(test: pytest.Item) -> Place:
    """Where a test begins."""
    path, line, _ = test.location
    return Place(path, (line or 0) + 1)


def _suite_of(test: pytest.Item, gate: Gate) -> GatedSuite:
    """The suite of a test: by marker, by option, among the arguments, or the nearest above it."""
    config = test.config
    marked = _marked(test).get("suite")
    if marked is not None:
        try:
            return gate.gated(config.rootpath / marked, str(marked))
        except SuiteError as error:
            raise UsageError(f"{_place(test)}: @pytest.mark.summ: {error}") from error
    if gate.options.suite is not None:
        return gate.gated(config.rootpath / gate.options.suite, gate.options.suite)
    among = list(dict.fromkeys(gated_suites(config).values()))
    if len(among) == 1:
        return among[0]
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
