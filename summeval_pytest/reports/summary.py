"""The end of a run: one line a system, with its outcomes and its means over the judged pairs."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import METRICS
from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.verdict import Comparison

_SHORT_NAME: Final = 17
"""With names that fit, the table is 80 columns wide."""
_LONG_NAME: Final = 32
_COUNTS: Final = 21
"""The width of the three columns of counts."""


@dataclass(slots=True)
class SystemTally:
    """What a run has seen of one system so far: pairs by outcome, and their numbers.

    Attributes:
        n_papers: How many papers the suite has for the system; 0 where that is not known.
    """

    n_papers: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    wrong: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        outcome: str,
        numbers: Mapping[str, float | None],
        *,
        note: str = "",
        wrong: Mapping[str, int] | None = None,
    ) -> None:
        """Counts one pair.

        Args:
            outcome: passed, failed or error.
            numbers: Its numbers.
            note: What a reader has to know of how its summary was made.
            wrong: How many facets, facts and sentences are wrong.
        """
        if note:
            self.notes.append(note)
        for kind, count in (wrong or {}).items():
            self.wrong[kind] = self.wrong.get(kind, 0) + count
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        for metric in METRICS:
            value = numbers.get(metric)
            if value is not None:
                self.values.setdefault(metric, []).append(value)

    @property
    def n_pairs(self) -> int:
        """How many pairs were judged."""
        return sum(self.outcomes.values())


def summary_lines(
    tallies: Mapping[str, SystemTally],
    comparisons: Mapping[str, Comparison] | None = None,
    corrected: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The lines of a table: a system's pairs by outcome, and its mean of each metric.

    A mean that does not cover all of the system's judged pairs says how many it covers. Under it
    stand how many of its papers were judged, where that is not all, its means corrected by labels
    and the changes against a baseline, where there are any, and what is wrong.
    """
    measured = [metric for metric in METRICS if any(metric in t.values for t in tallies.values())]
    longest = max(map(len, tallies), default=0)
    width = min(max(longest + 1, _SHORT_NAME), _LONG_NAME)
    heading = "".join(f" {metric:>13}" for metric in measured)
    yield f"{'system':<{width}}{'passed':>7}{'failed':>7}{'errors':>7}{heading}"
    for system, tally in sorted(tallies.items()):
        yield _row(system, tally, measured, width)
        if tally.n_pairs < tally.n_papers:
            yield f"  partial: {tally.n_pairs} of {tally.n_papers} papers"
        if line := (corrected or {}).get(system):
            yield f"  corrected: {line}"
        comparison = (comparisons or {}).get(system)
        if comparison is not None:
            yield _changes(comparison, measured, width + _COUNTS)
        yield from _wrong(tally.wrong)
    for system, tally in sorted(tallies.items()):
        if tally.notes:
            pairs = f"{len(tally.notes)} of {tally.n_pairs} pairs"
            yield one_line(f"{system}, {pairs}: {tally.notes[0]}")


def _row(system: str, tally: SystemTally, measured: Sequence[str], width: int) -> str:
    """One system: its pairs by outcome, and its means."""
    counts = "".join(f"{tally.outcomes.get(o, 0):>7}" for o in ("passed", "failed", "error"))
    means = ""
    for metric in measured:
        values = tally.values.get(metric, [])
        cell = shown(metric, statistics.mean(values)) if values else "-"
        if values and len(values) < tally.n_pairs:
            cell += f" ({len(values)}/{tally.n_pairs})"
        means += f" {cell:>13}"
    return f"{one_line(system, width - 1):<{width}}{counts}{means}"


def _changes(comparison: Comparison, measured: Sequence[str], width: int) -> str:
    """The changes of the metrics against a baseline; an exclamation mark where a rule is broken."""
    label = "  " + one_line(f"against {comparison.baseline}", width - 3)
    if comparison.mismatches:
        return f"{label}: cannot be compared"
    cells = ""
    for metric in measured:
        difference = comparison.difference(metric)
        cell = "-" if difference is None else f"{difference.change:+.3f}"
        mark = "!" if difference is not None and difference.broken else ""
        cells += f" {mark + ' ' + cell if mark else cell:>13}"
    return f"{label:<{width}}{cells}"


def _wrong(wrong: Mapping[str, int]) -> Iterator[str]:
    """What is wrong, by its kind, and how much of that nobody has decided."""
    parts = [
        f"{wrong[kind]:,} {one if wrong[kind] == 1 else more}"
        for kind, one, more in (
            ("facet", "facet below full rating", "facets below full rating"),
            ("fact", "fact", "facts"),
            ("sentence", "unsupported sentence", "unsupported sentences"),
        )
        if wrong.get(kind)
    ]
    if parts:
        yield f"  wrong: {', '.join(parts)}"
    if undecided := wrong.get("undecided"):
        yield f"  {undecided:,} of these undecided, for an LLM or a person"
