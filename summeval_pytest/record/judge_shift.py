"""The judge's part of a change between two runs: what moved where the summary did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.score import METRICS, Unscored
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
    Text = tuple[str, str]
    """A paper and a summary of it."""


SEED: Final = 20247
RESAMPLES: Final = 2000
_DIGITS: Final = 12


def judge_shifts(
    old: SuiteRecord, new: SuiteRecord, *, system: str, against: str
) -> tuple[JudgeShift, ...]:
    """The judge's part of the change from a system of an old run to one of a new run, by metric.

    Both runs have to be over the same papers. A metric is left out whose recipes differ in more
    than the judge, and one where summaries changed and nothing else was judged twice.
    """
    if old.fingerprint != new.fingerprint:
        return ()
    before, now = _by_text(old.pairs), _by_text(new.pairs)
    both = [text for text in now if text in before]
    were = {pair.paper: pair for pair in old.pairs_of(against)}
    pairs = [(were[pair.paper], pair) for pair in new.pairs_of(system) if pair.paper in were]
    found = []
    for metric in METRICS:
        if not _is_judged_alike(old, new, metric):
            continue
        twice = {
            text: change
            for text in both
            if (change := _change(before[text], now[text], metric)) is not None
        }
        own = [
            (pair.paper, _seen(was, pair, change, twice), change)
            for was, pair in pairs
            if (change := _change(was, pair, metric)) is not None
        ]
        others = [(paper, change) for (paper, _), change in twice.items()]
        others += _golden_changes(old, new, metric, judged=both)
        if own and (shift := _shift(metric, own, others)) is not None:
            found.append(shift)
    return tuple(found)


def _by_text(pairs: Sequence[PairRecord]) -> dict[Text, PairRecord]:
    """One pair of each text: what several systems wrote is judged once."""
    return {(pair.paper, pair.summary): pair for pair in pairs}


def _change(before: PairRecord, now: PairRecord, metric: MetricName) -> float | None:
    values = [
        score.value
        for pair in (before, now)
        for score in pair.scores
        if score.metric == metric and not isinstance(score, Unscored)
    ]
    return values[1] - values[0] if len(values) == len((before, now)) else None


def _seen(
    was: PairRecord, pair: PairRecord, change: float, twice: Mapping[Text, float]
) -> float | None:
    """What of a paper's change is seen to be the judge's; None where nothing is.

    All of it where the summary is the same, else the mean of what moved on the old summary and on
    the new one, where both runs judged them.
    """
    if was.summary == pair.summary:
        return change
    texts = ((each.paper, each.summary) for each in (was, pair))
    moved = [twice[text] for text in texts if text in twice]
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
    texts = dict.fromkeys(text for pair in suite.pairs for text in pair.signatures)
    return [found for found in map(read_signature, texts) if found.metric == metric]


def _golden_changes(
    old: SuiteRecord, new: SuiteRecord, metric: MetricName, *, judged: Collection[Text]
) -> Iterator[tuple[str, float]]:
    """The changes on labelled summaries that are no pairs of the run, each with its paper.

    FM, and the share of the labelled sentences that are called faithful. Golden answers are not
    calibrated, so they say nothing of scores that are.
    """
    if old.is_calibrated or new.is_calibrated or any(golden_mismatches(old, new)):
        return
    texts = {(pair.system, pair.paper): (pair.paper, pair.summary) for pair in new.pairs}
    before, now, _ = shared_answers(old.golden, new.golden)
    for was, pair in zip(before, now, strict=True):
        if texts.get((pair.system, pair.paper)) in judged:
            continue
        earlier, later = _golden_value(was, metric), _golden_value(pair, metric)
        if earlier is not None and later is not None:
            yield pair.paper, later - earlier


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

    from summeval_pytest.stats.bootstrap import drawn_groups, percentile_bounds

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
    draws = drawn_groups(len(names), n_resamples=RESAMPLES, seed=SEED)
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
