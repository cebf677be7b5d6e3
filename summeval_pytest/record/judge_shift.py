"""The judge's part of a change between two runs: what moved where the summary did not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.score import METRICS, OwnScore, Unscored
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.record.changes import golden_mismatches, shared_answers
from summeval_pytest.record.record import JudgeShift
from summeval_pytest.verdict.trust import KEY

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.record.record import PairRecord, SuiteRecord
    from summeval_pytest.run.golden import GoldenPair

    Floats = NDArray[np.float64]
    Text = tuple[str, bytes]
    """A paper, and a hash of a summary of it."""


SEED: Final = 20247
RESAMPLES: Final = 2000
_DIGITS: Final = 12


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is held of a pair: its text, and the values that it has, by metric."""

    text: Text
    values: Mapping[MetricName, float]


class JudgedTwice:
    """What two runs of a suite say of the same texts; each of their pairs is read once.

    Args:
        old: The suite of the old run.
        new: That of the new one.
    """

    def __init__(self, old: SuiteRecord, new: SuiteRecord) -> None:
        self._old = old
        self._new = new

    def shifts(self, *, system: str, against: str) -> tuple[JudgeShift, ...]:
        """The judge's part of the change from the old run's ``against`` to ``system``, by metric.

        Both runs have to be over the same papers. A metric is left out whose recipes differ in more
        than the judge, and one where summaries changed and nothing else was judged twice.
        """
        if self._old.fingerprint != self._new.fingerprint:
            return ()
        before, now = self._judged
        pairs = [
            (before[against, paper], pair)
            for (of, paper), pair in now.items()
            if of == system and (against, paper) in before
        ]
        found = []
        for metric, (moved, golden) in self._moved.items():
            own = [
                (pair.text[0], _seen(was, pair, change, moved), change)
                for was, pair in pairs
                if (change := _change(was, pair, metric)) is not None
            ]
            others = [(paper, change) for (paper, _), change in moved.items()] + golden
            if own and (shift := _shift(metric, own, others)) is not None:
                found.append(shift)
        return tuple(found)

    @cached_property
    def _judged(self) -> tuple[Mapping[tuple[str, str], _Judged], ...]:
        """The pairs of both runs, by system and paper."""
        return tuple(
            {
                (outline.system, outline.paper): _judged(pair)
                for outline, pair in zip(suite.outlines, suite.pairs, strict=True)
            }
            for suite in (self._old, self._new)
        )

    @cached_property
    def _moved(self) -> Mapping[MetricName, tuple[Mapping[Text, float], list[tuple[str, float]]]]:
        """For each metric that is judged alike, what moved on texts that both runs judged.

        By text, and, on labelled summaries that are no pairs of the run, by paper.
        """
        # what several systems wrote is judged once
        before, now = ({each.text: each for each in run.values()} for run in self._judged)
        both = [text for text in now if text in before]
        is_golden_known = not (
            # golden answers are not calibrated, so they say nothing of scores that are
            self._old.is_calibrated
            or self._new.is_calibrated
            or any(golden_mismatches(self._old, self._new))
        )
        return {
            metric: (
                {
                    text: change
                    for text in both
                    if (change := _change(before[text], now[text], metric)) is not None
                },
                list(self._golden_changes(metric, before)) if is_golden_known else [],
            )
            for metric in METRICS
            if _is_judged_alike(self._old, self._new, metric)
        }

    def _golden_changes(
        self, metric: MetricName, before: Collection[Text]
    ) -> Iterator[tuple[str, float]]:
        """FM, and the share of the labelled sentences that are called faithful."""
        _, pairs = self._judged
        earlier, later, _ = shared_answers(self._old.golden, self._new.golden)
        for was, now in zip(earlier, later, strict=True):
            pair = pairs.get((now.system, now.paper))
            if pair is not None and pair.text in before:
                continue
            old, new = _golden_value(was, metric), _golden_value(now, metric)
            if old is not None and new is not None:
                yield now.paper, new - old


def _judged(pair: PairRecord) -> _Judged:
    summary = blake2b(pair.summary.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    values: dict[MetricName, float]
    values = {s.metric: s.value for s in pair.scores if not isinstance(s, Unscored | OwnScore)}
    return _Judged((pair.paper, summary), values)


def _change(before: _Judged, now: _Judged, metric: MetricName) -> float | None:
    both = metric in before.values and metric in now.values
    return now.values[metric] - before.values[metric] if both else None


def _seen(was: _Judged, pair: _Judged, change: float, twice: Mapping[Text, float]) -> float | None:
    """What of a paper's change is seen to be the judge's; None where nothing is.

    All of it where the summary is the same, else the mean of what moved on the old summary and on
    the new one, where both runs judged them.
    """
    if was.text == pair.text:
        return change
    moved = [twice[each.text] for each in (was, pair) if each.text in twice]
    return sum(moved) / len(moved) if moved else None


def _is_judged_alike(old: SuiteRecord, new: SuiteRecord, metric: MetricName) -> bool:
    """Whether the recipes differ in nothing that is not the judge's.

    The prompts of a variant are the judge's, and so is a calibration that both learned from the
    same labels.
    """
    judges = {"judge", "prompts"}
    if old.trust is not None and new.trust is not None and old.trust.labels == new.trust.labels:
        judges.add(KEY)
    recipes = _recipes(new, metric)
    return all(judges.issuperset(a.differing(b)) for a in _recipes(old, metric) for b in recipes)


def _recipes(suite: SuiteRecord, metric: MetricName) -> list[Signature]:
    texts = dict.fromkeys(text for outline in suite.outlines for text in outline.signatures)
    return [found for found in map(read_signature, texts) if found.metric == metric]


def _golden_value(pair: GoldenPair, metric: MetricName) -> float | None:
    kinds = {"facet": "overall", "faithfulness": "sentence"}
    given = [answer for _, answer in pair.answered(kinds.get(metric, ""))]
    return sum(given) / len(given) if given else None


def _shift(
    metric: MetricName,
    own: Sequence[tuple[str, float | None, float]],
    twice: Sequence[tuple[str, float]],
) -> JudgeShift | None:
    """The split of the mean of a system's own changes; None where it is not known.

    ``own`` has a paper a row, what of its change is seen to be the judge's, and the change;
    ``twice`` has every summary that both runs judged.
    """
    import numpy as np

    from summeval_pytest.stats.bootstrap import draws_of, percentile_bounds

    n_seen = sum(seen is not None for _, seen, _ in own)
    if n_seen == len(own):
        twice = []
    elif not twice:
        return None
    names = sorted({row[0] for row in own} | {row[0] for row in twice})
    rows = {paper: row for row, paper in enumerate(names)}
    table = np.zeros((len(names), 6))
    for paper, seen, change in own:
        table[rows[paper], :4] += (seen or 0.0, seen is None, 1, change)
    for paper, change in twice:
        table[rows[paper], 4:] += (change, 1)
    draws = draws_of(len(names), n_resamples=RESAMPLES, seed=SEED)
    drawn = _parts(np.array([table[draw].sum(axis=0) for draw in draws]))
    lows, highs = percentile_bounds(drawn, n_resamples=RESAMPLES)
    judge, of_system = _parts(table.sum(axis=0)[np.newaxis])[0]
    low, high, system_low, system_high = (
        None if len(names) == 1 or np.isnan(bound) else _rounded(bound)
        for bound in (lows[0], highs[0], lows[1], highs[1])
    )
    return JudgeShift(
        metric=metric,
        n_papers=len(own),
        n_seen=n_seen,
        n_pairs=len(twice) or n_seen,
        change=_rounded(judge + of_system),
        judge=_rounded(judge),
        low=low,
        high=high,
        system=_rounded(of_system),
        system_low=system_low,
        system_high=system_high,
    )


def _rounded(value: float) -> float:
    """Without what sums of floats leave, so that nothing is no minus 0."""
    return round(float(value), _DIGITS) + 0.0


def _parts(sums: Floats) -> Floats:
    """The judge's part of the mean change and the system's, of each row of sums over papers.

    With s what is seen to be the judge's on a paper, and m the mean change over all summaries that
    were judged twice,

        judge  = (sum of s where something is seen + m * papers where nothing is) / papers
        system = mean change - judge
    """
    import numpy as np

    from summeval_pytest.stats.bootstrap import shares

    seen, n_unseen, n_papers, change, twice, n_twice = sums.T
    expected = np.where(n_unseen > 0, shares(twice, n_twice) * n_unseen, 0.0)
    judge = shares(seen + expected, n_papers)
    return np.column_stack([judge, shares(change, n_papers) - judge])
