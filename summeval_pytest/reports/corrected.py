"""Means with the judge's error taken out, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.metrics import METRICS
from summeval_pytest.reports.numbers import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.verdict import CorrectedMean


def corrected_line(means: Iterable[CorrectedMean]) -> str:
    """The corrected means of the metrics on one line, each with its interval; empty for none."""
    return ", ".join(corrected_text(mean) for mean in means if mean.name in METRICS)


def corrected_text(mean: CorrectedMean) -> str:
    """One corrected mean with its name."""
    return f"{mean.name} {corrected_value(mean)}"


def corrected_value(mean: CorrectedMean) -> str:
    """One corrected mean with its 95 % interval, or why there is none."""
    if mean.value is None:
        return f"unknown ({mean.reason})"
    interval = (
        f" ({mean.reason})"
        if mean.low is None or mean.high is None
        else f" [{mean.low:.2f}, {mean.high:.2f}]"
    )
    return f"{shown(mean.name, mean.value)}{interval}"


def missed_lines(means: Iterable[CorrectedMean]) -> Iterator[str]:
    """The thresholds on corrected means that are not reached, a phrase each."""
    for mean in means:
        if mean.missed and not mean.is_covered:
            covered = f"{mean.n_scored} of {mean.n_of} papers"
            yield f"corrected mean {mean.name} covers only {covered}; the others have no score"
            continue
        for floor in mean.missed:
            held = mean.held(floor)
            value = "unknown" if held is None else shown(mean.name, held, floor.least)
            least = shown(mean.name, floor.least, floor.least)
            yield f"corrected mean {floor.title} {value} < {least} ({corrected_text(mean)})"
