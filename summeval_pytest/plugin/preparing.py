"""Hand-written tests while they are collected: what their marker asks for, over which suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.errors import Place, SuiteError, UsageError
from summeval_pytest.plugin.session import FIXTURES, SUITE_NAME, gate_of, gated_suites

if TYPE_CHECKING:
    from summeval_pytest.metrics import MetricName
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.plugin.gated_suite import GatedSuite

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
    try:
        if "summ_pair" in metafunc.fixturenames:
            _parametrize(metafunc, gate)
        gate.judge  # noqa: B018 - a judge that cannot be is a usage error now, not later
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


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
    """The metrics that the test's marker asks for; all of them where it asks for none."""
    from summeval_pytest.metrics import METRICS

    asked = _marked(test).get("metrics", METRICS)
    is_list = isinstance(asked, (list, tuple)) and bool(asked)
    if not is_list or not all(name in METRICS for name in asked):
        raise UsageError(
            f"{_place(test)}: @pytest.mark.summ(metrics={asked!r}) names no list of metrics;"
            f" choose from {', '.join(METRICS)}"
        )
    return tuple(metric for metric in METRICS if metric in asked)


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
