"""What stands above the list: the verdict, the systems by metric, the baseline and the waivers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.questions import FACETS
from summeval_pytest.reports.corrected import corrected_value
from summeval_pytest.reports.page.baseline import mean_shown, signed
from summeval_pytest.reports.page.rows import WORST_FIRST, system_key
from summeval_pytest.verdict import Threshold, fault_of, mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.metrics import Named
    from summeval_pytest.verdict import (
        Outcome,
        RunRecord,
        SuiteRecord,
        SystemRecord,
        WaiverUse,
    )

COLUMNS: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "eva", "faithfulness")
"""The numbers of the heatmap."""
_LOST: Final = {"eva": "facts", "faithfulness": "sentences"}
"""What a filter of the list calls the points that a metric loses."""
_STEPS: Final = 8
"""Shades between nothing missing and everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One mean of one system.

    Attributes:
        name: The number.
        text: The mean; a dash where none can be taken.
        shade: 0 where nothing is missing, to `_STEPS`.
        held: How it stands to its threshold, "< 0.75"; empty where it has none.
        coverage: "11 of 12 papers" where some have no score; else empty.
        fails: Whether it fails the system.
        waived: Whether a waiver covers it.
        change: Against the baseline, with its sign; empty without one.
        href: Filters the list to the pairs that lost points on it; empty where it cannot.
        corrected: With the judge's error taken out; empty where labels do not tell.
    """

    name: str
    text: str
    shade: int
    held: str
    coverage: str
    fails: bool
    waived: bool
    change: str
    href: str
    corrected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One system of the heatmap.

    Attributes:
        system: The system.
        suite: Its suite.
        outcome: Of its pairs and means together.
        key: What links name it by.
        counts: Its pairs by outcome, in words.
        cells: Its means.
        href: Filters the list to its pairs.
    """

    system: SystemRecord
    suite: SuiteRecord
    outcome: str
    key: str
    counts: str
    cells: tuple[Cell, ...]
    href: str


def lines_of(record: RunRecord) -> Iterator[Line]:
    """The heatmap, a line a system, in the order of the suites."""
    several = len(record.suites) > 1
    for suite in record.suites:
        for system in suite.systems:
            yield _line(suite, system, several=several)


def counted(outcomes: Mapping[Outcome, int]) -> str:
    """Outcomes in words, the worst first: "1 error, 2 failed, 9 passed"."""
    told = [f"{outcomes[name]:,} {name}" for name in WORST_FIRST if outcomes.get(name)]
    return ", ".join(told) or "none judged"


def filter_link(suite: str, system: str, lost: str = "", *, several: bool) -> str:
    """A link within the page that filters its list."""
    name = system_key(suite, system, several=several)
    chosen = {"system": name} | ({"lost": lost} if lost else {})
    return f"#{urlencode(chosen)}"


def _line(suite: SuiteRecord, system: SystemRecord, *, several: bool) -> Line:
    pairs = suite.pairs_of(system.name)
    outcomes = Counter(pair.outcome for pair in pairs)
    counts = counted(outcomes)
    if len(pairs) != len(system.papers):
        counts += f"; {len(pairs):,} of {len(system.papers):,} papers judged"
    found = {system.outcome, *outcomes}
    outcome = next((o for o in WORST_FIRST if o in found), "not judged")
    numbers = [pair.numbers() for pair in pairs]
    return Line(
        system=system,
        suite=suite,
        outcome=outcome,
        key=system_key(suite.name, system.name, several=several),
        counts=counts,
        cells=tuple(_cell(suite, system, numbers, name, several=several) for name in COLUMNS),
        href=filter_link(suite.name, system.name, several=several),
    )


def _cell(
    suite: SuiteRecord,
    system: SystemRecord,
    numbers: Sequence[Numbers],
    name: str,
    *,
    several: bool,
) -> Cell:
    least = next((t.least for t in suite.thresholds.mean if t.name == name), None)
    named = CATALOGUE[name]
    mean = mean_of(numbers, Threshold(name, least or 0.0))
    missed = {m.name for m in system.verdict.missed}
    corrected = next((each for each in system.corrected if each.name == name), None)
    if corrected is not None and corrected.missed:
        missed.add(name)
    value = mean.value
    lost = name.removeprefix("facet.") if name.startswith("facet.") else _LOST.get(name, "")
    difference = None if system.comparison is None else system.comparison.difference(name)
    missing = 0.0 if value is None else named.gap(value, named.best)
    decided = next((m for m in system.means if m.name == name), None)
    return Cell(
        name=name,
        text=mean_shown(name, value, least),
        shade=0 if not missing else max(1, round(missing * _STEPS)),
        held="" if least is None else _held(named, value, least),
        coverage=""
        if mean.n_scored == mean.n_papers
        else f"{mean.n_scored:,} of {mean.n_papers:,} papers",
        fails=name in missed,
        waived=decided is not None and not decided.passes and name not in missed,
        change="" if difference is None else signed(difference.change),
        href=filter_link(suite.name, system.name, lost, several=several) if lost else "",
        corrected="" if corrected is None else corrected_value(corrected),
    )


def _held(named: Named, value: float | None, least: float) -> str:
    signs = (">", "\u2264") if named.lower_is_better else ("<", "\u2265")
    return f"{signs[named.meets(value, least)]} {least:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverLine:
    """One waiver, with what is wrong with it; empty where nothing is."""

    use: WaiverUse
    fault: str


def waiver_lines(record: RunRecord) -> Iterator[WaiverLine]:
    """Every waiver of the run, the ones to mend first."""
    uses = [use for suite in record.suites for use in suite.waivers]
    lines = [WaiverLine(use=use, fault=fault_of(use)) for use in uses]
    yield from sorted(lines, key=lambda line: not line.fault)
