"""Custom metrics: what is refused, and what that of the docs counts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from summeval_pytest.errors import OptionError, UsageError
from summeval_pytest.metrics import catalogue
from summeval_pytest.metrics.catalogue import (
    CATALOGUE,
    METRICS,
    catalogue_of,
    checked_numbers,
    custom_metric,
)
from summeval_pytest.metrics.number import ENDLESS, NumberSpec, Unscored
from summeval_pytest.metrics.own import Metric, MetricTexts, OwnScore, Problem, custom_flow
from summeval_pytest.metrics.signature import custom_signature
from tests.metrics.table_judge import ended

SUMMARY = "Roofs of moss stay cool. Several institutional refrigeration expenditure diminished."
SOURCE = ("Roofs of moss stay cool in July.", "The bill for cooling fell.")


def named(name: str, **more: Any) -> NumberSpec:
    """A number of the metric that its name begins with."""
    return NumberSpec(name=name, metric=name.partition(".")[0], meaning="a number", **more)


class Counted(Metric):
    """A metric that gives what it is told to."""

    numbers = (named("counted"), named("counted.part"))
    gives: ClassVar[Mapping[str, Any]] = {}
    tells: ClassVar[tuple[Any, ...]] = ()

    def measure(self, texts: MetricTexts) -> Mapping[str, float | None]:
        """What the test says."""
        assert texts.summary
        return self.gives

    def problems(self, texts: MetricTexts) -> tuple[Problem, ...]:
        """What the test says."""
        assert texts.summary
        return self.tells


def measured(metric: Metric) -> OwnScore | Unscored:
    """What a metric comes to on the summary."""
    return ended(custom_flow("counted", metric, SUMMARY, ("Roofs.",), SOURCE))


def of(gives: Mapping[str, Any], *tells: Problem) -> Metric:
    """A metric that gives these numbers and tells these problems."""
    made: Metric = type("Given", (Counted,), {"gives": gives, "tells": tells})()
    return made


NO_PROBLEMS = (
    Problem(number="facet", title="t", verdict="v"),
    Problem(number="counted", title="t", verdict="v", severity=math.nan),
)


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        ({"counted": math.nan}, "counted is nan"),
        ({"counted": 1.5}, "counted is 1.5, and ranges from 0 to 1"),
        ({"counted.part": 0.5}, "it has to give 'counted'"),
        ({"counted": 0.5, "other": 1}, "it has to give 'counted'"),
        ({"counted": "1.0"}, "metric 'counted' broke down: TypeError: counted is '1.0'; "),
        ({"counted": 0.5, "counted.part": True}, "counted.part is True; give a float or None"),
        ({"counted": np.bool_(True)}, "counted is np.True_; give a float or None"),
    ],
)
def test_a_value_that_is_no_number_leaves_the_pair_unscored(
    gives: dict[str, Any], message: str
) -> None:
    """It could not be held to a threshold; nor could a problem be found by another's name."""
    score = measured(of(gives))
    assert isinstance(score, Unscored)
    assert (score.status, score.fault) == ("unanswered", "judge")
    assert message in score.reason
    assert all(isinstance(measured(of({"counted": 1}, each)), Unscored) for each in NO_PROBLEMS)


def test_numbers_stand_in_the_order_in_which_they_are_declared() -> None:
    """Records of two runs are equal to the byte; what NumPy counted is a number, too."""
    score = measured(of({"counted.part": 0, "counted": None}))
    assert isinstance(score, OwnScore)
    assert list(score.values().items()) == [("counted", None), ("counted.part", 0.0)]
    assert score.value is None
    score = measured(of({"counted": np.float32(0.5), "counted.part": np.int64(1)}))
    assert isinstance(score, OwnScore)
    assert [(type(value), value) for value in score.values().values()] == [(float, 0.5), (float, 1)]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([named("Counted")], "in small letters"),
        ([named("x_low")], "without x_ at the start"),
        ([named("counted.x_low")], "without x_ at the start"),
        ([NumberSpec(name="other", metric="counted", meaning="")], "neither 'counted' nor"),
        ([named("counted", low=1.0)], "the end is above the start"),
        ([named("counted", high=math.inf)], "the end is above the start"),
        ([named("facet.tone")], "another number"),
        (
            [NumberSpec(name="counted", metric="counted", meaning="a\n::error::b")],
            "of several lines",
        ),
        # a record could be decided by either
        ([named("counted"), named("counted", high=ENDLESS)], "another number"),
    ],
)
def test_a_number_without_a_name_or_a_range_is_refused(
    numbers: list[NumberSpec], message: str
) -> None:
    """Names go into suites, records and reports; ranges say what decides."""
    with pytest.raises(ValueError, match=message):
        checked_numbers(numbers)
    assert checked_numbers([named("counted"), named("counted")]) == (named("counted"),)


def test_the_catalogue_has_the_same_order_whoever_comes_first() -> None:
    """Thresholds and reports stand in its order, and workers load metrics in any."""
    either = checked_numbers([named("b"), named("a")]), checked_numbers([named("a"), named("b")])
    assert [list(catalogue_of(numbers)) for numbers in either] == [[*CATALOGUE, "a", "b"]] * 2
    assert all(each.metric in METRICS for each in CATALOGUE.values())


def installed(monkeypatch: pytest.MonkeyPatch, **packages: Any) -> None:
    """Have these metrics installed, a package each."""
    entries = [
        SimpleNamespace(
            name=name.rstrip("_"), value=f"{name}:x", dist=SimpleNamespace(name=f"{name}-package"),
            load=lambda kind=kind: kind,
        )
        for name, kind in packages.items()
    ]  # fmt: skip
    monkeypatch.setattr(
        catalogue, "entry_points", lambda group: entries if group == catalogue.GROUP else ()
    )


@pytest.mark.parametrize(
    ("packages", "message"),
    [
        ({"facet": Counted}, "a metric 'facet', which is a name of ours"),
        ({"counted": Counted, "counted_": Counted}, "both give a metric 'counted'; uninstall"),
        ({"counted": dict}, "is no subclass of summeval_pytest.Metric"),
        ({"counted": type("Nameless", (Metric,), {"numbers": ()})}, "not of 'counted'"),
        ({"counted": type("Other", (Metric,), {"numbers": (named("x"),)})}, "not of 'counted'"),
        ({"counted": type("Bare", (Metric,), {})}, "no attribute 'numbers'"),
    ],
)
@pytest.mark.usefixtures("forget_own_metrics")
def test_a_package_that_gives_no_metric_is_named(
    monkeypatch: pytest.MonkeyPatch, packages: dict[str, Any], message: str
) -> None:
    """Whoever runs the gate did not write the package and has to know which it is."""
    installed(monkeypatch, **packages)
    with pytest.raises(UsageError, match=message) as error:
        custom_metric("counted")
    assert "package" in str(error.value)


@pytest.mark.usefixtures("forget_own_metrics")
def test_an_installed_metric_is_made_with_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options that it does not take are the suite's mistake, and not that of its code."""
    installed(monkeypatch, counted=Counted)
    assert isinstance(custom_metric("counted"), Counted)
    with pytest.raises(OptionError, match="takes no such options"):
        custom_metric("counted", (("mark", "!"),))
    with pytest.raises(OptionError, match="no installed package gives a metric 'countd'"):
        custom_metric("countd")


def test_a_signature_tells_versions_and_options_apart() -> None:
    """Two runs compare only where the same was counted in the same way."""
    plain = custom_signature("counted", Counted(), (), "abc")
    assert str(plain) == "counted|norm:5|split:5|suite:abc|v:1"
    long, longer = (
        custom_signature("counted", Counted(), (("a", "x" * n),), "abc") for n in (99, 98)
    )
    assert long.differing(longer) == ("option.a",)
    assert len(str(long)) < len("x" * 99)


def texts(summary: str = SUMMARY) -> MetricTexts:
    """A summary with two sections of a source."""
    return MetricTexts(summary=summary, references=(), source=SOURCE)


def test_the_metric_of_the_docs_counts_what_they_say() -> None:
    """Whoever copies it starts from something that works."""
    page = Path(__file__).parents[2] / "docs/pages/how-to/metric.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page
    metric = names["Novelty"](n=2)
    summary = texts("Roofs of moss stay cool. Cooling costs less.")
    assert metric.measure(summary) == {"novelty": pytest.approx(4 / 7)}
    assert metric.measure(texts("Moss")) == {"novelty": None}
    (problem,) = metric.problems(texts("Roofs of moss stay cool in July. Cooling costs less."))
    assert (problem.title, problem.verdict) == ("sentence 1", "copied from the paper")
