"""The end of a run: one line a system, with its outcomes and its means over the judged pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import METRICS
from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SHORT_NAME: Final = 17
"""With names that fit, the table is 80 columns wide."""
_LONG_NAME: Final = 32


@dataclass(slots=True)
class SystemTally:
    """What a run has seen of one system so far: pairs by outcome, and their numbers."""

    outcomes: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, outcome: str, numbers: Mapping[str, float | None], note: str = "") -> None:
        """Counts one pair; ``note`` is what a reader has to know of how its summary was made."""
        if note:
            self.notes.append(note)
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        for metric in METRICS:
            value = numbers.get(metric)
            if value is not None:
                self.values.setdefault(metric, []).append(value)

    @property
    def n_pairs(self) -> int:
        """How many pairs were judged."""
        return sum(self.outcomes.values())


def summary_lines(tallies: Mapping[str, SystemTally]) -> Iterator[str]:
    """The lines of a table: a system's pairs by outcome, and its mean of each metric.

    A mean that does not cover all of the system's judged pairs says how many it covers.
    """
    measured = [metric for metric in METRICS if any(metric in t.values for t in tallies.values())]
    longest = max(map(len, tallies), default=0)
    width = min(max(longest + 1, _SHORT_NAME), _LONG_NAME)
    heading = "".join(f" {metric:>13}" for metric in measured)
    yield f"{'system':<{width}}{'passed':>7}{'failed':>7}{'errors':>7}{heading}"
    for system, tally in sorted(tallies.items()):
        counts = "".join(f"{tally.outcomes.get(o, 0):>7}" for o in ("passed", "failed", "error"))
        means = ""
        for metric in measured:
            values = sorted(tally.values.get(metric, []))
            cell = shown(metric, sum(values) / len(values)) if values else "-"
            if values and len(values) < tally.n_pairs:
                cell += f" ({len(values)}/{tally.n_pairs})"
            means += f" {cell:>13}"
        yield f"{one_line(system, width - 1):<{width}}{counts}{means}"
    for system, tally in sorted(tallies.items()):
        if tally.notes:
            pairs = f"{len(tally.notes)} of {tally.n_pairs} pairs"
            yield one_line(f"{system}, {pairs}: {tally.notes[0]}")
