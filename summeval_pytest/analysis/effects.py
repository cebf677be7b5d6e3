"""Effects and associations across systems and judges (FareBio, tables 7, 8; EVA-Score, table 6).

Readability is a grade level: a positive coefficient says that harder summaries have more of it.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.analysis.columns import (
    LENGTH,
    READABILITY,
    RESAMPLES,
    SEED,
    Column,
    Giver,
    Mean,
    leading_columns,
    mean_of,
    over,
    rate_of,
    rounded,
)
from summeval_pytest.stats.bootstrap import bootstrap_interval
from summeval_pytest.stats.correlation import spearman
from summeval_pytest.stats.paired import detectable_drop, holm, power_of_drop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.analysis.columns import Effort, StudiedPair


NOVELTIES: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4")
LABELS: Final = "labels"
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """How two numbers of summaries go together.

    Attributes:
        first: The one.
        second: The other.
        n_pairs: The pairs that have both.
        spearman: Over all of these, -1 to 1; None where it is undefined.
        low: Lower bound of its 95 % interval over papers; None with fewer than two groups.
        high: Upper bound.
        p_value: Two-sided, by the t distribution with n - 2 degrees of freedom, as published: it
            takes the pairs as independent, which those of one paper are not. The interval does not.
        p_adjusted: The same, Holm-adjusted over all associations that are told together.
    """

    first: str
    second: str
    n_pairs: int
    spearman: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None


def associations(pairs: Sequence[StudiedPair], judges: Sequence[str]) -> tuple[Association, ...]:
    """Novelty by readability, novelty by hallucination, and readability by hallucination.

    Hallucination is the share of a summary's sentences that are unsupported, by each judge, and by
    the labels where people looked at sentences.
    """
    columns = dict(_columns(pairs, judges))
    found = [
        _association(one, other, pairs, columns)
        for one, other in combinations(columns, 2)
        if _family(one) != _family(other)
    ]
    known = [each.p_value for each in found if each.p_value is not None]
    adjusted = iter(holm(known))
    return tuple(
        each if each.p_value is None else replace(each, p_adjusted=rounded(next(adjusted)))
        for each in found
    )


def _family(name: str) -> str:
    if name in NOVELTIES:
        return "novelty"
    return "readability" if name in READABILITY else "hallucination"


def _columns(
    pairs: Sequence[StudiedPair], judges: Sequence[str]
) -> Iterator[tuple[str, list[float | None]]]:
    """The numbers of every pair, a column a name; those that no pair has are left out."""
    for name in (*NOVELTIES, *READABILITY):
        yield from _known(name, [pair.text.numbers.get(name) for pair in pairs])
    for judge in judges:
        yield from _known(f"hallucination, {judge}", [_judged(pair, judge) for pair in pairs])
    yield from _known(f"hallucination, {LABELS}", [_labelled(pair) for pair in pairs])


def _known(name: str, values: list[float | None]) -> Iterator[tuple[str, list[float | None]]]:
    if any(value is not None for value in values):
        yield name, values


def _judged(pair: StudiedPair, judge: str) -> float | None:
    judged = pair.judged.get(judge)
    value = None if judged is None else judged.values.get("faithfulness")
    return None if value is None else 1 - value


def _labelled(pair: StudiedPair) -> float | None:
    label = pair.label
    return 1 - label.n_faithful / label.n_labelled if label and label.n_labelled else None


def _association(
    one: str, other: str, pairs: Sequence[StudiedPair], columns: dict[str, list[float | None]]
) -> Association:
    rows = [
        (pair.group, first, second)
        for pair, first, second in zip(pairs, columns[one], columns[other], strict=True)
        if first is not None and second is not None
    ]
    groups = [group for group, _, _ in rows]
    x, y = (np.array([row[side] for row in rows], dtype=np.float64) for side in (1, 2))
    value = spearman(x, y)
    if value is None:
        return Association(first=one, second=other, n_pairs=len(rows), spearman=None)
    low, high = _interval(groups, x, y)
    return Association(
        first=one,
        second=other,
        n_pairs=len(rows),
        spearman=rounded(value),
        low=low,
        high=high,
        p_value=p_value_of(value, len(rows)),
    )


def _interval(
    groups: list[str], x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[float | None, float | None]:
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return None, None
    found = bootstrap_interval(
        groups, lambda rows, _: spearman(x[rows], y[rows]), n_resamples=RESAMPLES, seed=SEED
    )
    if found.low is None or found.high is None:
        return None, None
    return rounded(found.low), rounded(found.high)


def p_value_of(rho: float, n_rows: int) -> float | None:
    """The two-sided p value of a Spearman coefficient; None with fewer than 3 rows.

    t = rho sqrt((n - 2) / (1 - rho^2)), by the t distribution of n - 2 degrees of freedom.
    """
    from scipy.special import stdtr

    if n_rows < _FEWEST:
        return None
    if abs(rho) >= 1:
        return 0.0
    freedom = n_rows - 2
    t = abs(rho) * np.sqrt(freedom / ((1 - rho) * (1 + rho)))
    return rounded(float(2 * stdtr(freedom, -t)))


POWER: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How far two systems are apart in one number.

    Attributes:
        column: The number.
        first: The one system.
        second: The other.
        difference: First minus second, the mean over papers that both have, with its interval.
        cohen_d: The difference of these means / the pooled standard deviation of both systems'
            scores; None where neither varies.
        power: The chance that the one-sided paired test of level .05 finds a true difference of
            this size on so many papers; None where the differences do not vary, or their mean is 0.
        detectable: The smallest difference that it finds with a chance of .8; None for none.
    """

    column: Column
    first: str
    second: str
    difference: Mean
    cohen_d: float | None
    power: float | None
    detectable: float | None


def effects(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Effect, ...]:
    """How far every two systems are apart in the leading numbers, on the papers that both have."""
    return tuple(
        effect
        for column in leading_columns(by_system, judges)
        for effect in _effects(column, by_system, n_papers)
    )


def _effects(
    column: Column, by_system: Mapping[str, Sequence[StudiedPair]], n_papers: int
) -> Iterator[Effect]:
    values = {
        system: {
            pair.paper: (pair.group, value)
            for pair in pairs
            if (value := column.of(pair)) is not None
        }
        for system, pairs in by_system.items()
    }
    for first, second in combinations(values, 2):
        one, other = values[first], values[second]
        papers = sorted(one.keys() & other.keys())
        rows = [(one[paper][0], one[paper][1], other[paper][1]) for paper in papers]
        yield _effect(column, (first, second), rows, n_papers)


def _effect(
    column: Column,
    systems: tuple[str, str],
    rows: Sequence[tuple[str, float, float]],
    n_papers: int,
) -> Effect:
    lacking = [("", None)] * (n_papers - len(rows))
    difference = mean_of([*((group, a - b) for group, a, b in rows), *lacking])
    power, detectable = _power([a - b for _, a, b in rows])
    return Effect(
        column=column,
        first=systems[0],
        second=systems[1],
        difference=difference,
        cohen_d=cohen_d([a for _, a, _ in rows], [b for _, _, b in rows]),
        power=power,
        detectable=detectable,
    )


def cohen_d(first: Sequence[float], second: Sequence[float]) -> float | None:
    """(mean(first) - mean(second)) / sqrt((var(first) + var(second)) / 2), for equal numbers.

    None with fewer than two values a side, and where neither side varies.
    """
    if len(first) < 2:  # noqa: PLR2004 - one value has no deviation
        return None
    pooled = (statistics.variance(first) + statistics.variance(second)) / 2
    if pooled <= 0:
        return None
    return rounded((statistics.mean(first) - statistics.mean(second)) / math.sqrt(pooled))


def _power(differences: Sequence[float]) -> tuple[float | None, float | None]:
    if len(differences) < 2:  # noqa: PLR2004 - one value has no deviation
        return None, None
    deviation = rounded(statistics.stdev(differences))
    size = rounded(abs(statistics.mean(differences)))
    if not deviation:
        return None, None
    seen = detectable_drop(deviation, len(differences), power=POWER)
    power = power_of_drop(size, deviation, len(differences)) if size else None
    return (
        None if power is None else rounded(power),
        None if seen is None else rounded(seen),
    )


BINS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class EffortOf:
    """What the summaries of one range of lengths took of one judge.

    Attributes:
        judge: The judge.
        fewest_words: The shortest summary.
        most_words: The longest.
        n_pairs: How many there are.
        n_questions: Questions in all; what several pairs share counts for the first.
        n_calls: Replies of an endpoint in all, asked for or remembered.
        n_tokens: Tokens of these, sent and received, as far as they were counted.
    """

    judge: str
    fewest_words: int
    most_words: int
    n_pairs: int
    n_questions: int
    n_calls: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Seconds:
    """Mean and longest time of one pair; None where no pair was alone with its judge."""

    mean: float | None
    longest: float | None


def efforts(
    pairs: Sequence[StudiedPair], judges: Sequence[str]
) -> tuple[tuple[EffortOf, ...], tuple[Seconds, ...]]:
    """The effort by quarters of the lengths, and what it took in seconds, in the same order."""
    told, timed = [], []
    for judge in judges:
        for held in _quarters([pair for pair in pairs if judge in pair.judged]):
            of = [pair.judged[judge].effort for pair in held]
            words = [_words(pair) for pair in held]
            told.append(
                EffortOf(
                    judge=judge,
                    fewest_words=min(words),
                    most_words=max(words),
                    n_pairs=len(held),
                    n_questions=sum(each.n_questions for each in of),
                    n_calls=sum(each.n_calls for each in of),
                    n_tokens=sum(each.prompt_tokens + each.completion_tokens for each in of),
                )
            )
            timed.append(_seconds(of))
    return tuple(told), tuple(timed)


def _words(pair: StudiedPair) -> int:
    return int(pair.text.numbers.get(LENGTH, 0))


def _quarters(pairs: Sequence[StudiedPair]) -> Iterator[list[StudiedPair]]:
    """The pairs by length in up to four bins; summaries of one length are in one bin."""
    if not pairs:
        return
    lengths = sorted(map(_words, pairs))
    edges = sorted({lengths[(len(lengths) - 1) * part // BINS] for part in range(1, BINS + 1)})
    low = -1
    for edge in edges:
        if held := [pair for pair in pairs if low < _words(pair) <= edge]:
            yield held
        low = edge


def _seconds(efforts: Sequence[Effort]) -> Seconds:
    known = [each.seconds for each in efforts if each.seconds is not None]
    if not known:
        return Seconds(None, None)
    return Seconds(statistics.mean(known), max(known))


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationRate:
    """How much of one system's writing is unsupported, 0 to 1, lower is better.

    Attributes:
        giver: Whether a judge says so, or people.
        by: The judge by name; empty for people.
        system: The system.
        n_sentences: Sentences with a verdict.
        n_unanswered: Sentences that the judge was asked about and gave none on.
        sentences: Unsupported sentences / sentences with a verdict, over all papers.
        summaries: Summaries with an unsupported sentence / summaries of which that is known.
    """

    giver: Giver
    by: str
    system: str
    n_sentences: int
    n_unanswered: int
    sentences: Mean
    summaries: Mean


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """Supported and answered sentences of one pair, those asked about, and the whole summary."""

    supported: int
    answered: int
    asked: int
    is_faithful: bool | None


def hallucination_rates(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[HallucinationRate, ...]:
    """The rates of every system by each judge, and by the labels where they have any sentence."""
    by_label = any(_verdicts(p, "label", "").answered for of in by_system.values() for p in of)
    givers: list[tuple[Giver, str]] = [("judge", judge) for judge in judges]
    if by_label:
        givers.append(("label", ""))
    return tuple(
        _rate(giver, by, system, pairs, n_papers)
        for giver, by in givers
        for system, pairs in by_system.items()
    )


def _rate(
    giver: Giver, by: str, system: str, pairs: Sequence[StudiedPair], n_papers: int
) -> HallucinationRate:
    found = [(pair.group, _verdicts(pair, giver, by)) for pair in pairs]
    return HallucinationRate(
        giver=giver,
        by=by,
        system=system,
        n_sentences=sum(each.answered for _, each in found),
        n_unanswered=sum(each.asked - each.answered for _, each in found),
        sentences=rate_of(
            [(group, each.answered - each.supported, each.answered) for group, each in found],
            n_of=n_papers,
        ),
        summaries=over(n_papers, [(group, _as_share(each.is_faithful)) for group, each in found]),
    )


def _as_share(is_faithful: bool | None) -> float | None:
    return None if is_faithful is None else float(not is_faithful)


def _verdicts(pair: StudiedPair, giver: Giver, by: str) -> _Verdicts:
    if giver == "judge":
        judged = pair.judged.get(by)
        if judged is None:
            return _Verdicts(0, 0, 0, None)
        asked = judged.n_sentences
        return _Verdicts(judged.n_supported, judged.n_answered, asked, judged.is_faithful)
    label = pair.label
    if label is None:
        return _Verdicts(0, 0, 0, None)
    return _Verdicts(label.n_faithful, label.n_labelled, label.n_labelled, label.is_faithful)


METRICS: Final = ("faithfulness", "facet")
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """What one judge thinks of one system."""

    judge: str
    system: str
    is_own: bool
    mean: Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeHeat:
    """Judges by systems in one metric, and what own families gain.

    Attributes:
        metric: ``faithfulness``, the rate of supported sentences, or ``facet``, FM.
        cells: By judge, then by system.
        difference: Mean of the cells of one family minus mean of the others, nothing taken out,
            over the papers of ``preference``; None where there are not both.
        preference: b, with its interval; n counts the papers that every judge has scored for every
            system.
    """

    metric: str
    cells: tuple[HeatCell, ...]
    difference: float | None
    preference: Mean


def judge_heats(
    by_system: Mapping[str, Sequence[StudiedPair]],
    judges: Sequence[str],
    families: tuple[Mapping[str, str], Mapping[str, str]],
    n_papers: int,
) -> tuple[JudgeHeat, ...]:
    """The heat of each metric.

    Args:
        by_system: The pairs of each system, in the order shown.
        judges: The judges, in the order shown.
        families: The family of each judge, and that of each system.
        n_papers: How many papers there are.
    """
    of_judge, of_system = families
    own = np.array(
        [[of_judge[judge] == of_system[system] for system in by_system] for judge in judges],
        dtype=np.float64,
    ).reshape(len(judges), len(by_system))
    return tuple(_heat(metric, by_system, judges, own, n_papers) for metric in METRICS)


def _heat(
    metric: str,
    by_system: Mapping[str, Sequence[StudiedPair]],
    judges: Sequence[str],
    own: NDArray[np.float64],
    n_papers: int,
) -> JudgeHeat:
    cells = tuple(
        HeatCell(
            judge=judge,
            system=system,
            is_own=bool(own[row, column]),
            mean=over(n_papers, [(pair.group, _value(pair, judge, metric)) for pair in pairs]),
        )
        for row, judge in enumerate(judges)
        for column, (system, pairs) in enumerate(by_system.items())
    )
    tables = _complete(metric, by_system, judges)
    return JudgeHeat(
        metric=metric,
        cells=cells,
        difference=_difference(own, tables),
        preference=_preference(own, tables, n_papers),
    )


def _value(pair: StudiedPair, judge: str, metric: str) -> float | None:
    judged = pair.judged.get(judge)
    return None if judged is None else judged.values.get(metric)


_Tables = list[tuple[str, "NDArray[np.float64]"]]


def _complete(
    metric: str, by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str]
) -> _Tables:
    """The table of each paper without a gap, with the paper's group."""
    papers: dict[str, dict[str, StudiedPair]] = {}
    for system, pairs in by_system.items():
        for pair in pairs:
            papers.setdefault(pair.paper, {})[system] = pair
    found: _Tables = []
    for of in (papers[paper] for paper in sorted(papers)):
        if len(of) < len(by_system):
            continue
        rows = [[_value(of[system], judge, metric) for system in by_system] for judge in judges]
        if all(value is not None for row in rows for value in row):
            group = next(iter(of.values())).group
            found.append((group, np.array(rows, dtype=np.float64)))
    return found


def _difference(own: NDArray[np.float64], tables: _Tables) -> float | None:
    is_own = own > 0
    if not tables or is_own.all() or not is_own.any():
        return None
    gains = [float(table[is_own].mean() - table[~is_own].mean()) for _, table in tables]
    return rounded(math.fsum(gains) / len(gains))


def _preference(own: NDArray[np.float64], tables: _Tables, n_papers: int) -> Mean:
    centred = _centred(own) if own.size else own
    weight = float((centred * centred).sum())
    if weight < _ROUNDING:
        return Mean(value=None, n=len(tables), n_of=n_papers)
    gains = [(group, float((centred * table).sum()) / weight) for group, table in tables]
    lacking = [("", None)] * (n_papers - len(gains))
    return mean_of([*gains, *lacking])


def _centred(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The table without the means of its rows and columns."""
    centred: NDArray[np.float64] = (
        table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + table.mean()
    )
    return centred
