"""Whether a run record that can be read makes sense: it may come from a stranger, or an editor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from summeval_pytest.metrics import CATALOGUE, FacetScore, Unscored, read_signature
from summeval_pytest.questions import SCALES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.metrics import Score
    from summeval_pytest.verdict import PairRecord, RunRecord, SuiteRecord


def implausible(record: RunRecord) -> str:
    """The first thing that no run could have written, in words; empty where there is none."""
    return next(_faults(record), "")


def _faults(record: RunRecord) -> Iterator[str]:
    if not record.suites:
        yield "it holds no suite"
    for suite in record.suites:
        yield from _suite_faults(suite)


def _suite_faults(suite: SuiteRecord) -> Iterator[str]:
    papers = {system.name: set(system.papers) for system in suite.systems}
    if not papers:
        yield f"suite {suite.name!r} has no system"
    for (system, paper), count in Counter((p.system, p.paper) for p in suite.pairs).items():
        if paper not in papers.get(system, ()):
            yield f"{system!r} on {paper!r} is no pair of suite {suite.name!r}"
        if count > 1:
            yield f"{system!r} on {paper!r} is in it {count} times"
    for pair in suite.pairs:
        yield from _pair_faults(pair)
    yield from (f"unknown number {name!r}" for name in _named(suite) if name not in CATALOGUE)


def _named(suite: SuiteRecord) -> Iterator[str]:
    """Every name of a number in what was decided."""
    yield from (threshold.name for threshold in suite.thresholds.pair)
    yield from (threshold.name for threshold in suite.thresholds.mean)
    yield from (use.waiver.finding for use in suite.waivers)
    for system in suite.systems:
        yield from (mean.name for mean in system.means)
        if system.comparison is not None:
            yield from (difference.name for difference in system.comparison.differences)
    for pair in suite.pairs:
        yield from (short.name for short in pair.verdict.shortfalls)
        yield from (short.name for short in pair.verdict.waived)


def _pair_faults(pair: PairRecord) -> Iterator[str]:
    whose = f"{pair.system!r} on {pair.paper!r}"
    if not pair.scores:
        yield f"{whose} has no score, and no reason for none"
    for score in pair.scores:
        if not isinstance(score, Unscored):
            yield from (f"{whose}: {fault}" for fault in _score_faults(score))
    for text in pair.signatures:
        try:
            read_signature(text)
        except ValueError as error:
            yield f"{whose}: {error}"


def _score_faults(score: Score) -> Iterator[str]:
    if isinstance(score, FacetScore):
        for rated in score.ratings:
            if not 1 <= rated.rating <= SCALES[rated.facet]:
                yield f"{rated.facet} is rated {rated.rating} of {SCALES[rated.facet]}"
    for name, value in score.values().items():
        named = CATALOGUE[name]
        if value is not None and not named.low <= value <= named.high:
            yield f"{name} = {value:g} is out of its range, {named.low:g} to {named.high:g}"
