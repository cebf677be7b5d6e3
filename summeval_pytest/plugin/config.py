"""The way from a pytest configuration to its gate, suites and hand-written tests."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.errors import Place, SuiteError, SummevalError, UsageError, nearest
from summeval_pytest.plugin.options import TABLE, base_of, read_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.plugin.options import Option
    from summeval_pytest.record.gated_suite import GatedSuite


SUITE_NAME = "summeval.toml"
"""As `summeval_pytest.suite` has it, which is too much to load before a suite is there."""
FIXTURES = ("summ_judge", "summ_pair")
TALLY = "summ-tally"
"""The name of the plugin that counts a run."""
UNTRUSTED_EXIT = 10
"""The exit code of a run whose judge misses its floor, whatever its verdicts are; pytest's own end
at 6."""
_N_NAMED = 5
"""So many suites are named where none is collected."""

GATE: pytest.StashKey[Gate] = pytest.StashKey()
SUITES: pytest.StashKey[dict[Path, GatedSuite]] = pytest.StashKey()
MISTAKE: pytest.StashKey[str] = pytest.StashKey()
"""The first mistake found while tests are collected: pytest would make it an error of a file."""
RUN_NAME: pytest.StashKey[str] = pytest.StashKey()

_REPORTS = {"run_record", "junit", "html", "gitlab"}
"""The options that name reports, as `reports.files` has them, which is too much to load."""
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


def _suite_arguments(config: pytest.Config) -> Iterator[tuple[Path, str]]:
    """The suite files that the arguments (or testpaths) name, each as the user named it."""
    for argument in config.args:
        named = Path(argument.split("::")[0])
        path = config.invocation_params.dir / named
        for file in sorted(path.glob(f"*{SUITE_NAME}")) if path.is_dir() else [path]:
            if file.name == SUITE_NAME or file.name.endswith(f".{SUITE_NAME}"):
                yield file, (named / file.name if path.is_dir() else named).as_posix()


def _check_paths(config: pytest.Config) -> None:
    """Refuses a missing path that is close to a suite, and names the suite."""
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


def _check_testpaths(config: pytest.Config) -> None:
    """Refuses a run of testpaths of which one is gone: pytest drops it, and with it its verdict."""
    if config.args_source is config.ArgsSource.TESTPATHS and not config.option.pyargs:
        for named in config.getini("testpaths"):
            if not glob(named, root_dir=config.rootpath, recursive=True):  # noqa: PTH207
                raise pytest.UsageError(
                    f"testpaths names {named!r}, and nothing is there; restore the suite, or take"
                    " it out of testpaths"
                )


def _given(config: pytest.Config) -> list[Option]:
    """The options that were typed."""
    return [option for option in TABLE.values() if config.getoption(option.ini) is not None]


def check_used(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuses an option of ours where no collected test can use it, and a folder without tests.

    The mistake is that of the first option; it ends the run once all is collected.
    """
    given = _given(config)
    if config.stash.get(SUITES, None):
        _check_folders(config, items)
    if not given or gated_suites(config):
        return
    is_used = any(map(handles_summaries, items))
    for option in given:
        if option.needs_suite or not is_used:
            problem = f"{option.flag} needs a suite, and none is among the arguments"
            tests = "" if option.needs_suite else f", nor a test that uses {' or '.join(FIXTURES)}"
            config.stash.setdefault(MISTAKE, f"{problem}{tests}; {_way_to_a_suite(config)}")


def _check_folders(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Refuses a folder beside a suite that has no test: its own suite's file may be gone."""
    full = {path.resolve() for path in dict.fromkeys(item.path.parent for item in items)}
    full |= {file.parent.resolve() for file, _ in _suite_arguments(config)}
    others = ("lf", "doctestmodules", "doctestglob")  # they leave files out, or take more in
    is_usual = not any(config.getoption(name, default=None) for name in others)
    for argument in config.args if is_usual else ():
        folder = (config.invocation_params.dir / argument).resolve()
        if not folder.is_dir() or any(each.is_relative_to(folder) for each in full):
            continue
        # a module may skip itself, and a shell's gates/* names what Python makes
        names = [Path(each).name for each in config.getini("python_files")]
        modules = (file for name in names for file in folder.rglob(name))
        if folder.name != "__pycache__" and next(modules, None) is None:
            config.stash.setdefault(
                MISTAKE,
                f"{argument} is among the arguments and has no test and no {SUITE_NAME}, so it"
                " cannot be gated; restore the file, or leave the folder out",
            )


def _way_to_a_suite(config: pytest.Config) -> str:
    """The suites nearby, and how to have pytest collect them."""
    from summeval_pytest.suite.places import suite_meant, suites_beneath
    from summeval_pytest.text.printing import one_line

    start = config.invocation_params.dir
    files = suites_beneath(start)[:_N_NAMED]
    if not files:
        above = suite_meant(start, "", is_sure=True)
        way = f"type: pytest {above}" if above else "name a suite"
        return f"no {SUITE_NAME} is beneath {start}: {way}, or leave the option out"
    names = ", ".join(os.path.relpath(file, start) for file in files)
    return one_line(
        f"found {names}: type: pytest {os.path.relpath(files[0].parent, start)}, or add its folder"
        ' to testpaths (beside "." if it has none), or leave the option out',
        1000,
    )


def ignored_lines(config: pytest.Config) -> Iterator[str]:
    """One line that names the variables and ini keys that this run ignores.

    Ini keys are for the runs of the suite, so a line names them only where no path was given. Where
    replies are kept and keys may go are settings of the machine, and ask for nothing.
    """
    is_used = GATE in config.stash or config.pluginmanager.hasplugin(TALLY)
    if is_used or MISTAKE in config.stash:
        return
    has_paths = config.args_source is pytest.Config.ArgsSource.ARGS
    asking = [
        option for option in TABLE.values() if option.name not in {"store", "allow_endpoints"}
    ]
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
        arguments = list(_suite_arguments(config))
        typed = {option.name for option in _given(config)}
        if not is_worker(config) and (arguments or typed & _REPORTS):
            _remove_reports(config)
        _check_paths(config)
        suites: dict[Path, GatedSuite] = {}
        if arguments:
            from summeval_pytest.suite.places import real_place

            gate = gate_of(config)
            _check_testpaths(config)
            with usage_errors():
                for file, shown in arguments:
                    suites[real_place(file)] = gate.gated_as_tests(file, shown)
                _check_tests(config, suites)
                gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later
                gate.decided  # noqa: B018 - likewise recorded runs that do not fit
        if not is_worker(config) and (base := base_of(config)) is not None:
            with usage_errors():
                _check_base(config, base, suites)
        config.stash[SUITES] = suites
    return config.stash[SUITES]


def _remove_reports(config: pytest.Config) -> None:
    """Removes the reports of an earlier run, which this one writes anew, if it measures."""
    from summeval_pytest.plugin.outputs import remove_reports

    options = gate_of(config).options
    if not (config.option.collectonly or options.plan):
        remove_reports(options, config.invocation_params.dir)


def _check_base(config: pytest.Config, base: str, suites: Mapping[Path, GatedSuite]) -> None:
    """Refuses a folder that had another suite at the base, whose file is gone."""
    from summeval_pytest.suite.places import real_place
    from summeval_pytest.suite.suite import suites_at

    for argument in config.args:
        folder = config.invocation_params.dir / argument
        for name in suites_at(base, folder, "--summ-base") if folder.is_dir() else ():
            if real_place(folder / name) not in suites:
                raise UsageError(
                    f"{argument} had the suite {name} at {base} and has none of that name now, so"
                    " nobody judges it; restore the file, or leave out --summ-base until that is"
                    " merged"
                )


def _check_tests(config: pytest.Config, suites: Mapping[Path, GatedSuite]) -> None:
    """Refuses an argument that names a test which does not exist, and says what to type."""
    from summeval_pytest.suite.lines import ALL_PAPERS, RESERVED_SYSTEMS
    from summeval_pytest.suite.places import real_place
    from summeval_pytest.text.printing import one_line

    for argument in config.args:
        file, *names = argument.partition("[")[0].split("::")
        gated = suites.get(real_place(config.invocation_params.dir / file))
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
