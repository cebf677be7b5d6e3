"""The end of a run beyond its table: what was not judged, what a comparison could see, waivers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import METRICS
from summeval_pytest.reports.comparison import detectable_text
from summeval_pytest.reports.relations import relation_lines
from summeval_pytest.text import one_line, safe_lines
from summeval_pytest.verdict import rank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict import (
        Comparison,
        Finding,
        PairRecord,
        RunRecord,
        SuiteRecord,
        WaiverUse,
    )

_WIDTH: Final = 80


def ending_lines(record: RunRecord, *, n_worst: int = 0) -> Iterator[str]:
    """The lines.

    Args:
        record: The run.
        n_worst: How many of the worst findings to list.
    """
    for suite in record.suites:
        for gap in suite.gaps:
            yield from safe_lines(f"{one_line(suite.shown)}: {one_line(gap)}")
        yield from relation_lines(suite.relations)
        for system in suite.systems:
            if system.comparison is not None:
                yield from _comparison(system.name, system.comparison)
        for use in suite.waivers:
            yield from safe_lines(waiver_line(use))
        yield from _worst(suite, n_worst)


def _comparison(system: str, comparison: Comparison) -> Iterator[str]:
    """How a comparison came out, and how large a drop it could have overlooked."""
    against = f"{system} against {comparison.baseline} ({comparison.system})"
    if comparison.mismatches:
        yield from safe_lines(f"{one_line(against)}: {one_line(comparison.mismatches[0])}")
        return
    broken = [difference.name for difference in comparison.differences if difference.broken]
    tested = [d for d in comparison.differences if d.p is not None]
    told_of = [d for d in tested if d.name in METRICS] or tested
    seen = [f"{d.name} {detectable_text(d)}" for d in told_of]
    n_papers = max((d.n_papers for d in comparison.differences), default=0)
    told = f"fails: {', '.join(broken)}" if broken else "no rule broken"
    told = "undecided, by the judge's fault" if comparison.undecided else told
    yield from safe_lines(f"{one_line(against)}: {told}")
    varies = any(d.deviation is None or d.deviation for d in comparison.differences)
    if seen and varies:
        papers = "1 paper" if n_papers == 1 else f"{n_papers} papers"
        show = "shows" if n_papers == 1 else "show"
        told = f"  smallest drop that {papers} {show} with 80 % power: {', '.join(seen)}"
        yield from safe_lines(told)
    for warning in comparison.brevity:
        yield from safe_lines(f"  note: {one_line(warning)}")


def waiver_line(use: WaiverUse) -> str:
    """A waiver and what became of it, on one line."""
    waiver = use.waiver
    way = "down" if waiver.most is None else "up"
    least = "" if waiver.bound is None else f" {way} to {waiver.bound:g}"
    return one_line(
        f"waiver {waiver.name} ({use.state}): {waiver.system} on {waiver.paper},"
        f" {waiver.finding}{least}, until {waiver.expires}, owner {waiver.owner}: {waiver.reason}"
    )


def _worst(suite: SuiteRecord, n_worst: int) -> Iterator[str]:
    """The worst findings of failing pairs, each on two lines."""
    found: list[tuple[PairRecord, Finding]] = [
        (pair, finding) for pair in suite.pairs for finding in pair.told
    ]
    found.sort(key=lambda each: rank(each[1]))
    if not found or not n_worst:
        return
    yield f"worst findings ({min(n_worst, len(found))} of {len(found)}):"
    for pair, finding in found[:n_worst]:
        yield one_line(f"{pair.system} on {pair.paper}: {finding.title}, {finding.verdict}", _WIDTH)
        yield f"  {one_line(finding.reason, _WIDTH - 2)}"
