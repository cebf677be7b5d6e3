"""A regression-test harness for summarization: papers and summaries in, red or green tests out.

The names below load when they are first used, so that importing this package, as pytest does when
the plugin is installed, costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summeval_pytest.errors import JudgeError, SuiteError, SummevalError, UsageError
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.eva import EvaScore
    from summeval_pytest.metrics.facet import FacetScore
    from summeval_pytest.metrics.faithfulness import FaithfulnessScore
    from summeval_pytest.metrics.number import ENDLESS, NumberSpec, Unscored
    from summeval_pytest.metrics.own import Metric, MetricTexts, OwnScore, Problem
    from summeval_pytest.run.judge_inputs import JudgeInputs
    from summeval_pytest.scoring import Evaluated, Scored, evaluate, score
    from summeval_pytest.suite.suite import Suite, load_suite
    from summeval_pytest.suite.values import JudgeKeys, Pair, Paper
    from summeval_pytest.verdict.means import MeanScore

    __version__: str

__all__ = [
    "ENDLESS",
    "EvaScore",
    "Evaluated",
    "FacetScore",
    "FaithfulnessScore",
    "Judge",
    "JudgeError",
    "JudgeInputs",
    "JudgeKeys",
    "MeanScore",
    "Metric",
    "MetricTexts",
    "NumberSpec",
    "OwnScore",
    "Pair",
    "Paper",
    "Problem",
    "Scored",
    "Suite",
    "SuiteError",
    "SummevalError",
    "Unscored",
    "UsageError",
    "evaluate",
    "load_suite",
    "score",
]

_HOMES = {
    "errors": ("JudgeError", "SuiteError", "SummevalError", "UsageError"),
    "judges.judge": ("Judge",),
    "metrics.eva": ("EvaScore",),
    "metrics.facet": ("FacetScore",),
    "metrics.faithfulness": ("FaithfulnessScore",),
    "metrics.number": ("ENDLESS", "NumberSpec", "Unscored"),
    "metrics.own": ("Metric", "MetricTexts", "OwnScore", "Problem"),
    "run.judge_inputs": ("JudgeInputs",),
    "scoring": ("Evaluated", "Scored", "evaluate", "score"),
    "suite.suite": ("Suite", "load_suite"),
    "suite.values": ("JudgeKeys", "Pair", "Paper"),
    "verdict.means": ("MeanScore",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("summeval-pytest")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
