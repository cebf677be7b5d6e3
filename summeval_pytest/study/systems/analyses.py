"""The analyses of a study: each makes rows of what texts, judges, people and records say.

A row is a line of the JSON file. Its docstring names the keys: the numbers that are there in every
row are not named twice. None as a ``system`` wrote the references.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from summeval_pytest.metrics.facet import EXTENTS
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats.bootstrap import bootstrap_interval
from summeval_pytest.stats.correlation import spearman
from summeval_pytest.stats.paired import detectable_drop, holm, power_of_drop
from summeval_pytest.study.systems.studied import (
    FAITHFULNESS,
    LABELS,
    LENGTH,
    RESAMPLES,
    SEED,
    By,
    Column,
    draws,
    mean_of,
    rate_of,
    rounded,
)
from summeval_pytest.study.systems.texts import (
    BANDS,
    BINS,
    COUNTED,
    COUNTED_WORDS,
    LENGTHS,
    NOVELTIES,
    NOVELTY,
    NUMBERS,
    PER_100_WORDS,
    READABILITY,
    popularity_profile,
)
from summeval_pytest.study.tables import Mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.metrics.facts import StageCounts
    from summeval_pytest.study.systems.studied import Studied, StudiedText

    Tables = list[tuple[str, NDArray[np.float64]]]
    Stages = tuple[str, StageCounts]

Row: TypeAlias = "dict[str, Any]"
"""A line of the JSON file, by key: names, counts, `Column`s, `Mean`s."""
_ROUNDING: Final = 1e-9


# FM: tables 2 and 4, figures 4a, 4d and 9


def standings(studied: Studied) -> Iterator[Row]:
    """Every number by system, in the suite's order.

    Each of the ``places`` has a mean, and a rank from 1: None without a mean, and where more is not
    better.
    """
    for column in studied.columns():
        means = {system: studied.mean(column, pairs) for system, pairs in studied.by_system.items()}
        values = {system: mean.value for system, mean in means.items()}
        ranks = ranked(values) if column.is_ranked else {}
        places = [{"system": s, "mean": mean, "rank": ranks.get(s)} for s, mean in means.items()]
        yield {"column": column, "places": places}


def ranked(values: Mapping[str, float | None]) -> dict[str, int]:
    """The rank of each value from the highest, 1; equal ones share the better rank.

    So 3, 5, 5, 1 have the ranks 3, 1, 1, 4. What is None has none.
    """
    known = {name: value for name, value in values.items() if value is not None}
    return {
        name: 1 + sum(other > value + _ROUNDING for other in known.values())
        for name, value in known.items()
    }


STEPS: Final = 40
"""The quantiles go up by 1 / 40."""


def spreads(studied: Studied) -> Iterator[Row]:
    """The bootstrap distribution of each system's mean of the leading numbers.

    ``quantiles`` are of 1,000 resamples, 41 values from 0 to 1 in steps of 1/40, and ``iqr`` is the
    range of the middle half; empty and None with fewer than two groups of papers. ``n`` of ``n_of``
    papers have the number.
    """
    for column in studied.columns(leading=True):
        for system, pairs in studied.by_system.items():
            known = [(p.group, v, 1.0) for p in pairs if (v := column.of(p)) is not None]
            row: Row = {"column": column, "system": system, "n": len(known)}
            row |= {"n_of": studied.n_papers, "quantiles": [], "iqr": None}
            if len(means := draws(known)):
                steps = np.quantile(means, np.linspace(0, 1, STEPS + 1))
                row["quantiles"] = quantiles = [rounded(float(value)) for value in steps]
                row["iqr"] = rounded(quantiles[3 * STEPS // 4] - quantiles[STEPS // 4])
            yield row


def facet_proportions(studied: Studied) -> Iterator[Row]:
    """How the words of each writer's texts are spread over the facets, by each who cut them.

    ``shares`` are words of the facet / words of all four, over all texts, 0 to 1. ``held`` counts
    the segments that their texts contain word for word, in parts, and not at all (metrics.md 1.1,
    stage A, post-check 2); reviewed ones are not counted.
    """
    texts = [text for of in studied.by_writer.values() for text in of]
    for by in dict.fromkeys(by for text in texts for by in text.cuts):
        for writer, written in studied.by_writer.items():
            cuts = [(text.group, text.cuts[by]) for text in written if by in text.cuts]
            words = {
                facet: [(g, cut.words.get(facet, 0), sum(cut.words.values())) for g, cut in cuts]
                for facet in FACETS
            }
            ways = [way for _, cut in cuts for way in cut.extents]
            yield {
                "by": by,
                "system": writer,
                "shares": {facet: rate_of(words[facet], studied.n_papers) for facet in FACETS},
                "held": {way: ways.count(way) for way in EXTENTS},
            }


def facet_means(studied: Studied) -> Iterator[Row]:
    """The ratings by judges, and by people and records where they rate facets.

    ``means`` are shares of the scales: 1/3 or 1/4 to 1. A facet that the reference lacks counts for
    no paper.
    """

    def share(pair: StudiedText, by: By, facet: str) -> float | None:
        rating = pair.by(by).values.get(f"facet.{facet}")
        return None if rating is None else rating / SCALES[facet]  # type: ignore[index]  # a facet

    judges: list[By] = [("judge", judge) for judge in studied.judges]
    others: list[By] = [LABELS, *(("record", by) for by in studied.records)]
    others = [by for by in others if any(share(p, by, f) for p in studied.pairs for f in FACETS)]
    for by in (*judges, *others):
        for system, pairs in studied.by_system.items():
            rated = {facet: [(p.group, share(p, by, facet)) for p in pairs] for facet in FACETS}
            means = {facet: mean_of(rated[facet], studied.n_papers) for facet in FACETS}
            yield {"giver": by[0], "by": by[1], "system": system, "means": means}


# FareBio: figures 2 to 5, tables 7 and 8


def hallucination_rates(studied: Studied) -> Iterator[Row]:
    """How much of each system's writing is unsupported, 0 to 1, lower is better.

    By each judge, and by the labels where they have any sentence. ``sentences`` is unsupported
    sentences / ``n_sentences``, those with a verdict, over all papers; ``n_unanswered`` are those
    that the judge was asked about and gave none on. ``summaries`` is summaries with an unsupported
    sentence / summaries of which that is known.
    """
    givers: list[By] = [("judge", judge) for judge in studied.judges]
    if any(pair.by(LABELS).n_answered for pair in studied.pairs):
        givers.append(LABELS)
    for by in givers:
        for system, pairs in studied.by_system.items():
            given = [(pair.group, pair.by(by)) for pair in pairs]
            wrong = [(g, not of.is_faithful) for g, of in given if of.is_faithful is not None]
            counts = [(g, of.n_answered - of.n_supported, of.n_answered) for g, of in given]
            n_answered = sum(of.n_answered for _, of in given)
            n_asked = n_answered if by == LABELS else sum(of.n_sentences for _, of in given)
            yield {
                "giver": by[0],
                "by": by[1],
                "system": system,
                "n_sentences": n_answered,
                "n_unanswered": n_asked - n_answered,
                "sentences": rate_of(counts, studied.n_papers),
                "summaries": mean_of(wrong, studied.n_papers),
            }


HEATED: Final = (FAITHFULNESS, "facet")
"""The rate of supported sentences, and FM."""


def judge_heats(studied: Studied) -> Iterator[Row]:
    """Judges by systems in each metric of `HEATED`, and what own families gain.

    ``cells`` are by judge, then by system. ``preference`` is b of `_preference`, over the papers
    that every judge has scored for every system. ``difference`` is the mean of the cells of one
    family minus the mean of the others over these papers, nothing taken out; None where there are
    not both.
    """
    of_judge, of_system = studied.families
    own = np.array(
        [[of_judge[j] == of_system[s] for s in studied.by_system] for j in studied.judges],
        dtype=np.float64,
    ).reshape(len(studied.judges), len(studied.by_system))
    for metric in HEATED:
        columns = [Column(giver="judge", by=judge, name=metric) for judge in studied.judges]
        tables = _complete(columns, studied)
        cells = [
            {
                "judge": column.by,
                "system": system,
                "is_own": of_judge[column.by] == of_system[system],
                "mean": studied.mean(column, pairs),
            }
            for column in columns
            for system, pairs in studied.by_system.items()
        ]
        is_mixed = len(np.unique(own)) > 1
        gains = [float(t[own > 0].mean() - t[own <= 0].mean()) for _, t in tables if is_mixed]
        yield {
            "metric": metric,
            "cells": cells,
            "difference": rounded(math.fsum(gains) / len(gains)) if gains else None,
            "preference": _preference(own, tables, studied.n_papers),
        }


def _complete(columns: Sequence[Column], studied: Studied) -> Tables:
    """The table of each paper without a gap, judges by systems, with the paper's group."""
    papers: dict[str, dict[str | None, StudiedText]] = {}
    for pair in studied.pairs:
        papers.setdefault(pair.paper, {})[pair.system] = pair
    tables: Tables = []
    for _, of in sorted(papers.items()):
        if len(of) < len(studied.by_system):
            continue
        rows = [[column.of(of[system]) for system in studied.by_system] for column in columns]
        if all(value is not None for row in rows for value in row):
            group = next(iter(of.values())).group
            tables.append((group, np.array(rows, dtype=np.float64)))
    return tables


def _preference(own: NDArray[np.float64], tables: Tables, n_papers: int) -> Mean:
    """B of score = judge's level + system's level + b * (judge and system are of one family).

    The levels are taken out by centring ``own`` by rows and columns; where nothing is left of it,
    nothing can be told apart.
    """
    centred = own
    if own.size:
        rows, columns = own.mean(axis=1, keepdims=True), own.mean(axis=0, keepdims=True)
        centred = own - rows - columns + own.mean()
    weight = float((centred * centred).sum())
    if weight < _ROUNDING:
        return Mean(value=None, n=len(tables), n_of=n_papers)
    gains = [(group, float((centred * table).sum()) / weight) for group, table in tables]
    return mean_of(gains, n_papers)


POWER: Final = 0.8


def effects(studied: Studied) -> Iterator[Row]:
    """How far every two systems are apart in the leading numbers, first minus second.

    ``difference`` is the mean over papers that both have. ``power`` is the chance that the
    one-sided paired test of level .05 finds a true difference of this size on so many papers, and
    ``detectable`` the smallest difference that it finds with a chance of .8; None where the
    differences do not vary, power also where their mean is 0.
    """
    for column in studied.columns(leading=True):
        for first, second in combinations(studied.by_system, 2):
            one, other = (
                {p.paper: (p.group, value) for p in pairs if (value := column.of(p)) is not None}
                for pairs in (studied.by_system[first], studied.by_system[second])
            )
            both = [(*one[p], other[p][1]) for p in sorted(one.keys() & other.keys())]
            power, detectable = _power([a - b for _, a, b in both])
            yield {
                "column": column,
                "first": first,
                "second": second,
                "difference": mean_of([(group, a - b) for group, a, b in both], studied.n_papers),
                "cohen_d": cohen_d([a for _, a, _ in both], [b for _, _, b in both]),
                "power": power,
                "detectable": detectable,
            }


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
    n = len(differences)
    deviation = rounded(statistics.stdev(differences)) if n > 1 else 0.0
    if not deviation:
        return None, None
    size = rounded(abs(statistics.mean(differences)))
    seen = detectable_drop(deviation, n, power=POWER)
    power = rounded(power_of_drop(size, deviation, n)) if size else None
    return power, None if seen is None else rounded(seen)


def associations(studied: Studied) -> list[Row]:
    """Spearman of novelty by readability, novelty by hallucination, readability by hallucination.

    Hallucination is the share of a summary's sentences that are unsupported, by each judge, and by
    the labels where people looked at sentences. Readability is a grade level: a positive
    coefficient says that harder summaries have more of it. ``p_value`` is two-sided, by the t
    distribution, as published: it takes the pairs as independent, which those of one paper are not.
    The interval does not. ``p_adjusted`` is Holm's, over all rows.
    """
    pairs, columns = studied.pairs, list[tuple[str, str, list[float | None]]]()
    for family, names in (("novelty", NOVELTIES), ("readability", READABILITY)):
        columns += [(family, name, [p.numbers.get(name) for p in pairs]) for name in names]
    givers: list[By] = [*(("judge", judge) for judge in studied.judges), LABELS]
    for by in givers:
        shares = [pair.by(by).values.get(FAITHFULNESS) for pair in pairs]
        wrong = [None if share is None else 1 - share for share in shares]
        columns.append(("hallucination", f"hallucination, {by[1] or 'labels'}", wrong))
    columns = [column for column in columns if any(v is not None for v in column[2])]
    rows = []
    for (family, one, x), (other_family, other, y) in combinations(columns, 2):
        if family != other_family:
            both = [(p.group, a, b) for p, a, b in zip(pairs, x, y, strict=True)]
            known = [(g, a, b) for g, a, b in both if a is not None and b is not None]
            rows.append({"first": one, "second": other, **_association(known)})
    tested = [row for row in rows if row["p_value"] is not None]
    for row, p_value in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
        row["p_adjusted"] = rounded(p_value)
    return rows


def _association(known: Sequence[tuple[str, float, float]]) -> Row:
    """The coefficient of some rows of a group and two numbers, with its interval over groups."""
    x, y = (np.array([row[side] for row in known], dtype=np.float64) for side in (1, 2))
    row: Row = dict.fromkeys(("spearman", "low", "high", "p_value", "p_adjusted"))
    row["n_pairs"] = len(known)
    rho = spearman(x, y)
    if rho is None:
        return row
    row |= {"spearman": rounded(rho), "p_value": p_value_of(rho, len(known))}
    groups = [group for group, _, _ in known]
    if len(set(groups)) > 1:  # one group varies with nothing
        drawn = bootstrap_interval(
            groups, lambda at: spearman(x[at], y[at]), n_resamples=RESAMPLES, seed=SEED
        )
        if drawn.low is not None and drawn.high is not None:
            row |= {"low": rounded(drawn.low), "high": rounded(drawn.high)}
    return row


def p_value_of(rho: float, n_rows: int) -> float | None:
    """The two-sided p value of a Spearman coefficient; None with fewer than 3 rows.

    t = rho sqrt((n - 2) / (1 - rho^2)), by the t distribution of n - 2 degrees of freedom.
    """
    from scipy.special import stdtr

    freedom = n_rows - 2
    if freedom < 1:
        return None
    if abs(rho) >= 1:
        return 0.0
    t = abs(rho) * np.sqrt(freedom / ((1 - rho) * (1 + rho)))
    return rounded(float(2 * stdtr(freedom, -t)))


# EVA-Score: facts by stage, and table 6

_COUNTS: Final = {
    "sentences": "n_sentences",
    "listed": "n_listed",
    "facts": "n_facts",
    "chains": "n_chains",
    "relations": "n_relations",
    "kept_relations": "n_kept_relations",
}


def fact_stages(studied: Studied) -> Iterator[Row]:
    """Mean counts of each writer's texts, as each judge has listed them.

    Of the facts ``listed``, ``facts`` differ, and make so many ``chains``; a fact that no other
    refines is a chain of its own. Of the ``relations`` across sentences (0 where nobody was asked)
    no fact comes near to ``kept_relations``. ``facts_per_sentence`` is a rate over all papers.
    """
    for judge in studied.judges:
        references: dict[str, Stages] = {}
        for pair in studied.pairs:  # a paper's reference is the same for every system
            if (facts := pair.by(("judge", judge)).facts) is not None:
                references.setdefault(pair.paper, (pair.group, facts.reference))
        written: dict[str | None, list[Stages]] = {None: list(references.values())}
        for system, pairs in studied.by_system.items():
            of = [(pair.group, pair.by(("judge", judge)).facts) for pair in pairs]
            written[system] = [(group, each.candidate) for group, each in of if each]
        for writer, known in written.items():
            means = {
                key: mean_of([(g, getattr(of, name)) for g, of in known], studied.n_papers)
                for key, name in _COUNTS.items()
            }
            rate = [(group, of.n_facts, of.n_sentences) for group, of in known]
            means["facts_per_sentence"] = rate_of(rate, studied.n_papers)
            yield {"judge": judge, "system": writer, **means}


QUARTERS: Final = 4


def efforts(studied: Studied) -> Iterator[Row]:
    """What the summaries of each quarter of the lengths took of each judge, in all.

    Calls are replies of an endpoint, asked for or remembered; tokens were sent and received. The
    mean and the longest of the ``seconds`` of one pair are of this run, and stand in no file.
    """
    for judge in studied.judges:
        pairs = [pair for pair in studied.pairs if ("judge", judge) in pair.given]
        for few, words in _quarters(pairs):
            of = [pair.by(("judge", judge)).effort for pair in few]
            timed = [each.seconds for each in of if each.seconds is not None]
            yield {
                "judge": judge,
                "fewest_words": min(words),
                "most_words": max(words),
                "n_pairs": len(few),
                "n_questions": sum(each.n_questions for each in of),
                "n_calls": sum(each.n_calls for each in of),
                "n_tokens": sum(each.n_tokens for each in of),
                "seconds": (statistics.mean(timed), max(timed)) if timed else (None, None),
            }


def _quarters(pairs: Sequence[StudiedText]) -> Iterator[tuple[list[StudiedText], list[int]]]:
    """The pairs by length in up to four bins, with their lengths; one length is in one bin."""
    words = {id(pair): int(pair.numbers.get(LENGTH, 0)) for pair in pairs}
    lengths, low = sorted(words.values()), -1
    places = [(len(lengths) - 1) * part // QUARTERS for part in range(1, QUARTERS + 1)]
    for edge in sorted({lengths[place] for place in places if lengths}):
        if few := [pair for pair in pairs if low < words[id(pair)] <= edge]:
            yield few, [words[id(pair)] for pair in few]
        low = edge


# What texts alone say: FM, figures 4b and 4c; FareBio, table 1, figure 3


def profiles(studied: Studied, names: Sequence[str]) -> Iterator[Row]:
    """The means over papers of each writer's texts, by the names of the numbers."""
    for writer, texts in studied.by_writer.items():
        means = {
            name: mean_of(
                [(text.group, text.numbers.get(name)) for text in texts], studied.n_papers
            )
            for name in names
        }
        if PER_100_WORDS in names:  # of all texts together
            counts = [
                (text.group, text.numbers[COUNTED] * 100, text.numbers[COUNTED_WORDS])
                for text in texts
                if COUNTED_WORDS in text.numbers
            ]
            means[PER_100_WORDS] = rate_of(counts, studied.n_papers)
        yield {"system": writer, "means": means}


def popularities(studied: Studied) -> Iterator[Row]:
    """How the words of each writer's texts are spread over the ranks of the sources' words.

    ``shares`` are by band of ranks, of all words of the texts, 0 to 1; empty without a word.
    """
    for writer, written in studied.written.items():
        profile = popularity_profile(written, studied.sources, bins=BINS)
        shares = {band: rounded(share) for band, share in zip(BANDS, profile, strict=False)}
        yield {"system": writer, "n_texts": len(written), "shares": shares}


ANALYSES: Final[Mapping[str, tuple[str, Callable[[Studied], Iterable[Row]]]]] = {
    "systems": ("standings", standings),
    "ratings": ("ratings", facet_means),
    "hallucination": ("hallucination", hallucination_rates),
    "judges": ("heats", judge_heats),
    "spread": ("spreads", spreads),
    "effects": ("effects", effects),
    "proportions": ("proportions", facet_proportions),
    "facts": ("facts", fact_stages),
    "numbers": ("numbers", partial(profiles, names=NUMBERS)),
    "lengths": ("lengths", partial(profiles, names=LENGTHS)),
    "novelty": ("novelty", partial(profiles, names=NOVELTY)),
    "readability": ("readability", partial(profiles, names=READABILITY)),
    "associations": ("associations", associations),
    "popularity": ("popularity", popularities),
    "effort": ("efforts", efforts),
}
"""By analysis, in the order shown: the key of its rows in the JSON file, and what makes them."""
OF_TEXTS: Final = frozenset({"numbers", "lengths", "novelty", "readability", "popularity"})
"""The analyses that need no judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Who was studied, the ``analyses`` that were asked for, and the rows of each by key.

    ``n_papers`` are the papers of the suite; a system may lack some. ``reading`` names the rules by
    which texts were read, for the numbers that texts alone give.
    """

    suite: str
    fingerprint: str
    n_papers: int
    judges: Sequence[Row]
    systems: Sequence[Row]
    analyses: Sequence[str]
    reading: str = ""
    tables: Mapping[str, list[Row]] = field(
        default_factory=lambda: {key: [] for key, _ in ANALYSES.values()}
    )

    def figures(self) -> Row:
        """All of it as the JSON file has it; seconds are of one run, and left out."""
        head = ("suite", "fingerprint", "n_papers", "judges", "systems", "analyses", "reading")
        tables = {
            key: [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
            for key, rows in self.tables.items()
        }
        return {name: getattr(self, name) for name in head} | tables


def tables_of(analyses: Sequence[str], studied: Studied) -> dict[str, list[Row]]:
    """By key, the rows of every analysis; of one that is not asked for there are none."""
    return {
        key: list(make(studied)) if analysis in analyses else []
        for analysis, (key, make) in ANALYSES.items()
    }
