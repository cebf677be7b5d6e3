"""Every option in one table: its three spellings, its default, its help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RECORD_MODES: Final = ("none", "new", "all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option in its three spellings.

    Attributes:
        name: Its name; the flag is ``--summ-NAME``, the ini key ``summ_NAME``, the variable
            ``SUMM_NAME``.
        metavar: What stands for its value in the help.
        help: What it does, and its default.
        is_list: Whether it may be given several times (ini: one a line; variable: with commas).
        choices: The values it may have; empty for any.
        is_switch: Whether the flag stands alone; ini and variable say true or false.
        is_of_suite: Whether hand-written tests have no use for it, so that it needs a suite among
            the arguments.
    """

    name: str
    metavar: str
    help: str
    is_list: bool = False
    choices: tuple[str, ...] = ()
    is_switch: bool = False
    is_of_suite: bool = False

    @property
    def flag(self) -> str:
        """The command-line flag."""
        return f"--summ-{self.name.replace('_', '-')}"

    @property
    def ini(self) -> str:
        """The ini key."""
        return f"summ_{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"SUMM_{self.name.upper()}"


TABLE: Final = (
    Option(
        name="model",
        metavar="SYSTEM",
        help="gate these systems of the suite, or models at an endpoint (default: its"
        " default_systems, else all)",
        is_list=True,
    ),
    Option(
        name="judge",
        metavar="NAME",
        help="who judges: 'offline', embedded, no key and no network (default), a judge of the"
        " suite, a model at an endpoint, or your own judge as package.module:Class",
    ),
    Option(
        name="endpoint",
        metavar="NAME|URL",
        help="where the models are that no suite defines (default: OPENAI_BASE_URL, else Ollama for"
        " --summ-model and OpenAI for --summ-judge)",
    ),
    Option(
        name="allow_endpoints",
        metavar="[NAME=]ORIGIN",
        help="where a suite may send the key in variable NAME, or any key that it names, e.g."
        " HOUSE_KEY=https://llm.example.org (default: --summ-endpoint=URL and OPENAI_BASE_URL)",
        is_list=True,
    ),
    Option(
        name="allow_outside",
        metavar="",
        help="let a suite name files outside of its folder (default: refuse them)",
        is_switch=True,
    ),
    Option(
        name="min",
        metavar="METRIC=VALUE",
        help="a threshold in place of the suite's, e.g. facet=0.6 or mean.eva=0.4; at most, for"
        " faithfulness.conflicts=0 (default: the suite's thresholds)",
        is_list=True,
    ),
    Option(
        name="record",
        metavar="MODE",
        help="none: replay the suite's cassette and ask nothing; new: ask what nobody has asked;"
        " all: ask everything again (default: new)",
        choices=RECORD_MODES,
    ),
    Option(
        name="store",
        metavar="DIR",
        help="where replies are remembered on this machine (default: the user's cache folder)",
    ),
    Option(
        name="plan",
        metavar="",
        help="say what the run would ask and cost, and ask nothing (default: judge)",
        is_switch=True,
        is_of_suite=True,
    ),
    Option(
        name="budget",
        metavar="DOLLARS",
        help="stop asking before a call could cost more than is left (default: no limit)",
    ),
    Option(
        name="in_flight",
        metavar="N",
        help="requests open at once, of all workers together (default: 64)",
    ),
    Option(
        name="votes",
        metavar="N",
        help="votes on each question in place of the judge's own number (default: that, else 1)",
    ),
    Option(
        name="run_record",
        metavar="FILE",
        help="write everything that was judged and decided there, as JSON (default: nowhere)",
        is_of_suite=True,
    ),
    Option(
        name="save",
        metavar="NAME",
        help="save the run under this name beside the suite, to compare with later (default: no)",
        is_of_suite=True,
    ),
    Option(
        name="compare",
        metavar="NAME|FILE",
        help="compare each system with a saved run, or with one of its systems, NAME:SYSTEM"
        " (default: no)",
        is_of_suite=True,
    ),
    Option(
        name="compare_fail",
        metavar="RULE",
        help="what fails the comparison, e.g. facet:0.02 (the mean drops by more), faithfulness:"
        "p0.05 (it drops significantly), facet:0.02:p0.05 (both) (default: p0.05, any number"
        " drops significantly)",
        is_list=True,
        is_of_suite=True,
    ),
    Option(
        name="junit",
        metavar="FILE",
        help="write a JUnit report with a case for each facet and metric there (default: nowhere;"
        " pytest's own --junitxml has a case for each pair)",
        is_of_suite=True,
    ),
    Option(
        name="html",
        metavar="FILE",
        help="write the run as one page to read there (default: nowhere)",
        is_of_suite=True,
    ),
    Option(
        name="github",
        metavar="",
        help="annotate failing pairs and write a step summary for GitHub Actions (default: where"
        " GITHUB_ACTIONS is set)",
        is_switch=True,
        is_of_suite=True,
    ),
    Option(
        name="metamorphic",
        metavar="RELATION",
        help="try the judge with edited texts, too: all, metamorphic, hostile, or relations by name"
        " (default: none)",
        is_list=True,
        is_of_suite=True,
    ),
    Option(
        name="suite",
        metavar="PATH",
        help="the suite of hand-written tests with summ_pair, as a path from the root directory"
        " (default: the suite among the arguments, else the nearest summeval.toml above the test)",
    ),
)
