"""From a pytest configuration to its gate, and to the suites among its arguments."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.plugin.options import read_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.plugin.gate import Gate, GatedSuite

SUITE_NAME = "summeval.toml"
"""As `summeval_pytest.suite` has it, which is too much to load before a suite is there."""
GATE: pytest.StashKey[Gate] = pytest.StashKey()
SUITES: pytest.StashKey[dict[Path, GatedSuite]] = pytest.StashKey()
MISTAKE: pytest.StashKey[str] = pytest.StashKey()
"""The first mistake found while tests are collected: pytest would make it an error of a file."""
TOLD = "summ_mistake"
"""Under which key a worker hands a mistake to its controller."""


def is_worker(config: pytest.Config) -> bool:
    """Whether this process runs tests for an xdist controller."""
    return hasattr(config, "workerinput")


def stop_on_mistake(session: pytest.Session) -> None:
    """Ends the run before any test where collecting met a mistake of the user's.

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


def is_controller(config: pytest.Config) -> bool:
    """Whether xdist workers run the tests for this process."""
    return not is_worker(config) and bool(getattr(config.option, "dist", "no") != "no")


def _runs_blind(config: pytest.Config) -> bool:
    """Whether a pair evaluated ahead may never be asked for, and so be paid for in vain.

    That is where the first failure ends the run, and in an xdist worker: it cannot know which tests
    will be its own, and this version shares no answers among processes.
    """
    return bool(config.getoption("maxfail", 0)) or is_worker(config)


def gate_of(config: pytest.Config) -> Gate:
    """The gate of this process, made when it is first needed.

    Raises:
        pytest.UsageError: for an option that cannot be.
    """
    gate = config.stash.get(GATE, None)
    if gate is None:
        from summeval_pytest.plugin.gate import Gate

        try:
            gate = Gate(read_options(config), ahead=0 if _runs_blind(config) else None)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        config.stash[GATE] = gate
    return gate


@contextmanager
def message_alone() -> Iterator[None]:
    """Has an error of ours end the phase with its message, safe to print, and no traceback.

    In a setup, where trouble is the judge's, that makes an error of the test.
    """
    try:
        yield
    except SummevalError as error:
        from summeval_pytest.text import safe

        raise pytest.fail.Exception(safe(str(error)), pytrace=False) from None


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


def gated_suites(config: pytest.Config) -> dict[Path, GatedSuite]:
    """The suites among the arguments, by resolved path; loaded and checked at the first call.

    Raises:
        pytest.UsageError: for any mistake in them, before anything is judged.
    """
    if SUITES not in config.stash:
        arguments = suite_arguments(config)
        suites: dict[Path, GatedSuite] = {}
        if arguments:
            gate = gate_of(config)
            try:
                for file, shown in arguments:
                    suites[file.resolve()] = gate.gated_as_tests(file, shown)
                gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later
            except UsageError as error:
                raise pytest.UsageError(str(error)) from error
        config.stash[SUITES] = suites
    return config.stash[SUITES]
