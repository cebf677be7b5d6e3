"""The analyses of a study: each makes rows of what texts, judges, people and records say.

A row is a line of the JSON file, and beside each analysis stand the tables of its rows. A docstring
names the keys. None as a ``system`` wrote the references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats.agreement import spearman
from summeval_pytest.stats.paired import holm
from summeval_pytest.study import tables
from summeval_pytest.study.agreement.coefficients import (
    drawn_counts,
    estimate_of_resamples,
    weighted_coefficients,
)
from summeval_pytest.study.systems.corrected import corrected_means
from summeval_pytest.study.systems.studied import (
    EXTENTS,
    FAITHFULNESS,
    LABELS,
    STAGES,
    By,
    Column,
    Studied,
    StudiedText,
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
from summeval_pytest.study.tables import (
    Cells,
    Mean,
    Row,
    Table,
    interval_text,
    mean_cell,
    named,
    number,
    p_cell,
    table_of,
)

Scores = Iterator[tuple[str, NDArray[np.float64]]]
Stages = tuple[str, Mapping[str, int]]

HEAD: Final = 16
"""Characters of a name in the head of a column, which is about as wide as its numbers."""
_ROUNDING: Final = 1e-9


def column_parts(column: Column, width: int = tables.NAME) -> tuple[str, str]:
    """A column's name, and who gives it."""
    by = named(column.by, width)
    parts = {"judge": (column.name, by), "record": (by, "recorded")}
    return parts.get(column.giver, (column.name, f"{column.giver}s"))


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


def _standings_table(rows: Sequence[Row]) -> Iterator[Table]:
    notes = ["(1): rank among the systems; equal means share a rank. More words are not better."]
    if any(len({place["mean"].n for place in row["places"]}) > 1 for row in rows):
        notes.append("Some ranks compare means over different papers: see n of N.")

    def cell(place: Row) -> str:
        return mean_cell(place["mean"], f" ({place['rank']})" if place["rank"] else "")

    yield Table(
        title="Systems: mean over papers (rank)",
        head=("system", *("\n".join(column_parts(row["column"], HEAD)) for row in rows)),
        rows=[
            (named(places[0]["system"]), *map(cell, places))
            for places in zip(*(row["places"] for row in rows), strict=True)
        ],
        notes=tuple(notes),
    )


QUANTILES: Final = (0.025, 0.25, 0.5, 0.75, 0.975)


def spreads(studied: Studied) -> Iterator[Row]:
    """The bootstrap distribution of each system's mean of the leading numbers.

    ``quantiles`` are `QUANTILES` of 1,000 resamples; empty with fewer than two groups of papers.
    ``n`` of ``n_of`` papers have the number.
    """
    for column in studied.columns(leading=True):
        for system, pairs in studied.by_system.items():
            known = [(p.group, v, 1.0) for p in pairs if (v := column.of(p)) is not None]
            means = draws(known)
            quantiles = np.quantile(means, QUANTILES) if len(means) else ()
            yield {
                "column": column,
                "system": system,
                "n": len(known),
                "n_of": studied.n_papers,
                "quantiles": [rounded(float(value)) for value in quantiles],
            }


def _spread_tables(rows: Sequence[Row]) -> Iterator[Table]:
    heads = [f"{100 * q:g} %" for q in QUANTILES]
    for column in dict.fromkeys(row["column"] for row in rows):
        yield table_of(
            f"Bootstrap distribution of the mean over papers: {', '.join(column_parts(column))}",
            [
                {"system": row["system"], "papers": f"{row['n']:,} of {row['n_of']:,}"}
                | dict(zip(heads, row["quantiles"] or [None] * len(heads), strict=True))
                for row in rows
                if row["column"] == column
            ],
            {name: name for name in ("system", *heads, "papers")},
        )


def facet_proportions(studied: Studied) -> Iterator[Row]:
    """How the words of each writer's texts are spread over the facets, by each who cut them.

    ``shares`` are words of the facet / words of all four, over all texts, 0 to 1. ``extents``
    counts the segments that their texts contain word for word, in parts, and not at all (metrics.md
    1.1, stage A, post-check 2); reviewed ones are not counted.
    """
    texts = [text for of in studied.by_writer.values() for text in of]
    for by in dict.fromkeys(by for text in texts for by in text.cuts):
        for writer, written in studied.by_writer.items():
            cuts = [
                (t.group, t.cuts[by], sum(t.cuts[by].words.values()))
                for t in written
                if by in t.cuts
            ]
            words = {f: [(g, cut.words.get(f, 0), n) for g, cut, n in cuts] for f in FACETS}
            ways = [way for _, cut, _ in cuts for way in cut.extents]
            yield {
                "by": by,
                "system": writer,
                "shares": {facet: rate_of(words[facet], studied.n_papers) for facet in FACETS},
                "extents": {way: ways.count(way) for way in EXTENTS},
            }


def facet_means(studied: Studied) -> Iterator[Row]:
    """The ratings by judges, and by people and records where they rate facets.

    ``means`` are shares of the scales: 1/3 or 1/4 to 1. A facet that the reference lacks counts for
    no paper.
    """

    def share(pair: StudiedText, by: By, facet: str) -> float | None:
        rating = pair.by(by).values.get(f"facet.{facet}")
        return None if rating is None else rating / SCALES[facet]  # type: ignore[index]  # a facet

    for by in studied.givers:
        known = any(share(pair, by, facet) for pair in studied.pairs for facet in FACETS)
        for system, pairs in studied.by_system.items() if known or by[0] == "judge" else ():
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
    givers = [by for by in studied.givers if by[0] == "judge"]
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


HEATED: Final = {FAITHFULNESS: "supported sentences", "facet": "FM"}


def judge_heats(studied: Studied) -> Iterator[Row]:
    """Judges by systems in each metric of `HEATED`, and what own families gain.

    ``cells`` are by judge, then by system. ``preference`` is b of `_preference`, over the papers
    that every judge has scored for every system.
    """
    of_judge, of_system = studied.families
    both = [(judge, system) for judge in studied.judges for system in studied.by_system]
    is_own = {(judge, system): of_judge[judge] == of_system[system] for judge, system in both}
    own = np.array([is_own[each] for each in both], dtype=np.float64)
    own = own.reshape(len(studied.judges), len(studied.by_system))
    for metric in HEATED:
        columns = [Column(giver="judge", by=judge, name=metric) for judge in studied.judges]
        cells = [
            {
                "judge": column.by,
                "system": system,
                "is_own": is_own[column.by, system],
                "mean": studied.mean(column, pairs),
            }
            for column in columns
            for system, pairs in studied.by_system.items()
        ]
        gains = _preference(own, _complete(columns, studied))
        yield {"metric": metric, "cells": cells, "preference": mean_of(gains, studied.n_papers)}


def _complete(columns: Sequence[Column], studied: Studied) -> Scores:
    """The scores of each paper without a gap, judges by systems, with the paper's group."""
    papers: dict[str, dict[str | None, StudiedText]] = {}
    for pair in studied.pairs:
        papers.setdefault(pair.paper, {})[pair.system] = pair
    for _, of in sorted(papers.items()):
        pairs = [of[system] for system in studied.by_system if system in of]
        rows = [[column.of(pair) for pair in pairs] for column in columns]
        if len(pairs) == len(studied.by_system) and all(None not in row for row in rows):
            yield pairs[0].group, np.array(rows, dtype=np.float64)


def _preference(own: NDArray[np.float64], scores: Scores) -> list[tuple[str, float | None]]:
    """B of score = judge's level + system's level + b * (judge and system are of one family).

    By paper, with its group. The levels are taken out by centring ``own`` by rows and columns;
    where nothing is left of it, nothing can be told apart.
    """
    if not own.size:
        return []
    rows, columns = own.mean(axis=1, keepdims=True), own.mean(axis=0, keepdims=True)
    centred = own - rows - columns + own.mean()
    weight = float((centred * centred).sum())
    if weight < _ROUNDING:
        return []
    return [(group, float((centred * of).sum()) / weight) for group, of in scores]


def _heat_tables(rows: Sequence[Row]) -> Iterator[Table]:
    for heat in rows:
        is_percent, texts = heat["metric"] == FAITHFULNESS, dict[str, list[str]]()
        for cell in heat["cells"]:
            text = mean_cell(cell["mean"], " *" if cell["is_own"] else "", is_percent=is_percent)
            texts.setdefault(cell["judge"], []).append(text)
        systems = dict.fromkeys(cell["system"] for cell in heat["cells"])
        yield Table(
            title=f"Judges by systems: {HEATED[heat['metric']]}, mean over papers",
            head=("judge", *map(named, systems)),
            rows=[(named(judge), *cells) for judge, cells in texts.items()],
            notes=tuple(preference_notes(heat)),
        )


def preference_notes(heat: Row) -> Iterator[str]:
    """What a star says, and what judges add for their own family."""
    mean: Mean = heat["preference"]
    if any(cell["is_own"] for cell in heat["cells"]):
        yield "*: judge and system are of one family"
    if mean.value is None:
        yield (
            "self-preference cannot be told: it takes several judges, one with a system of its own"
            " family and one of another, and papers that all have scored"
        )
        return
    bounds = interval_text(mean.low, mean.high) or "without an interval"
    yield (
        f"self-preference {mean.value:+.3f} {bounds} on {mean.n:,} of {mean.n_of:,} papers:"
        " what judges add for their own family, each judge's and each system's level taken out"
    )


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
    for by in (by for by in studied.givers if by[0] in {"judge", "label"}):
        shares = [pair.by(by).values.get(FAITHFULNESS) for pair in pairs]
        wrong = [None if share is None else 1 - share for share in shares]
        columns.append(("hallucination", f"hallucination, {by[1] or 'labels'}", wrong))
    rows = []
    for (family, one, x), (other_family, other, y) in combinations(columns, 2):
        both = [(p.group, a, b) for p, a, b in zip(pairs, x, y, strict=True)]
        known = [(g, a, b) for g, a, b in both if a is not None and b is not None]
        is_there = any(v is not None for v in x) and any(v is not None for v in y)
        if family != other_family and is_there:
            rows.append({"first": one, "second": other, **_association(known)})
    tested = [row for row in rows if row["p_value"] is not None]
    for row, p_value in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
        row["p_adjusted"] = rounded(p_value)
    return rows


def _association(known: Sequence[tuple[str, float, float]]) -> Row:
    """The coefficient of some rows of a group and two numbers, with its interval over groups."""
    from scipy.stats import spearmanr

    x, y = (np.array([row[side] for row in known], dtype=np.float64) for side in (1, 2))
    row: Row = dict.fromkeys(("spearman", "low", "high", "p_value", "p_adjusted"))
    row["n_pairs"] = len(known)
    if spearman(x, y) is None:
        return row
    rho, p_value = map(float, spearmanr(x, y))
    row |= {"spearman": rounded(rho), "p_value": None if np.isnan(p_value) else rounded(p_value)}
    groups = [group for group, _, _ in known]
    if len(set(groups)) > 1:  # one group varies with nothing
        codes, counts = drawn_counts(groups)
        value, *drawn = weighted_coefficients("spearman", x, y, counts[:, codes])
        _, low, high = estimate_of_resamples(value, np.array(drawn))
        if low is not None and high is not None:
            row |= {"low": rounded(low), "high": rounded(high)}
    return row


# EVA-Score: facts by stage


def fact_stages(studied: Studied) -> Iterator[Row]:
    """Mean counts of each writer's texts, as each judge has listed them.

    The names are those of `STAGES`; relations are 0 where nobody was asked. ``a sentence`` has
    facts / sentences, over all papers.
    """
    for judge in studied.judges:
        by: By = ("judge", judge)
        known = [(pair, facts) for pair in studied.pairs if (facts := pair.by(by).facts)]
        # a paper's reference is the same for every system
        references = {p.paper: (p.group, facts[0]) for p, facts in reversed(known)}
        written: dict[str | None, list[Stages]] = {None: list(references.values())}
        for system in studied.by_system:
            written[system] = [(p.group, f[1]) for p, f in known if p.system == system]
        for writer, stages in written.items():
            counts = {name: [(group, of[name]) for group, of in stages] for name in STAGES}
            means = {key: mean_of(of, studied.n_papers) for key, of in counts.items()}
            rate = [(group, of["facts"], of["sentences"]) for group, of in stages]
            means["a sentence"] = rate_of(rate, studied.n_papers)
            yield {"judge": judge, "system": writer, **means}


# What texts alone say: FM, figures 4b and 4c; FareBio, table 1, figure 3


def profiles(studied: Studied, names: Sequence[str]) -> Iterator[Row]:
    """The means over papers of each writer's texts, by the names of the numbers."""
    for writer, texts in studied.by_writer.items():
        numbers = {name: [(t.group, t.numbers.get(name)) for t in texts] for name in names}
        means = {name: mean_of(of, studied.n_papers) for name, of in numbers.items()}
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
    for writer, texts in studied.by_writer.items():
        profile = popularity_profile([each.text for each in texts], studied.sources, bins=BINS)
        shares = {band: rounded(share) for band, share in zip(BANDS, profile, strict=False)}
        yield {"system": writer, "n_texts": len(texts), "shares": shares}


class Analysis(NamedTuple):
    """One analysis: the key of its rows in the JSON file, what makes them, and their tables."""

    key: str
    rows: Callable[[Studied], Iterable[Row]]
    tables: Callable[[Sequence[Row]], Iterable[Table]]
    needs_judge: bool = True


def _one_table(
    title: str, cells: Cells, *notes: str, n_names: int = 1
) -> Callable[[Sequence[Row]], list[Table]]:
    return lambda rows: [table_of(title, rows, cells, *notes, n_names=n_names)]


def _profile(key: str, names: Sequence[str], title: str, note: str) -> Analysis:
    cells = {"writer": "system", **{name: f"means/{name}" for name in names}}

    def table(rows: Sequence[Row]) -> list[Table]:
        means = [row["means"].get("Dale-Chall") for row in rows]
        is_known = any(mean.n for mean in means if mean is not None)
        return [table_of(title, rows, cells, *(() if is_known else (note,)))]

    return Analysis(key, partial(profiles, names=names), table, needs_judge=False)


_BY: Final[Cells] = {"by": lambda row: named(row["by"]) or "labels", "system": "system"}
ANALYSES: Final[Mapping[str, Analysis]] = {
    "systems": Analysis("standings", standings, _standings_table),
    "ratings": Analysis(
        "ratings",
        facet_means,
        _one_table(
            "Facet ratings as shares of their scales, mean over papers",
            {**_BY, **{facet: f"means/{facet}" for facet in FACETS}},
            "Papers whose reference lacks a facet have no rating of it.",
            n_names=2,
        ),
    ),
    "hallucination": Analysis(
        "hallucination",
        hallucination_rates,
        _one_table(
            "Hallucination: unsupported sentences, and summaries that have one",
            {
                **_BY,
                "sentences": "n_sentences",
                "unanswered": "n_unanswered",
                "of sentences": lambda row: mean_cell(row["sentences"], is_percent=True),
                "of summaries": lambda row: mean_cell(row["summaries"], is_percent=True),
            },
            n_names=2,
        ),
    ),
    "corrected": Analysis(
        "corrected",
        corrected_means,
        _one_table(
            "Means without the judge's error, which labelled pairs show",
            {
                "judge": "judge",
                "system": "system",
                "number": "number",
                "judged": lambda row: number(row["raw"]),
                "corrected": lambda row: number(row["value"]),
                "interval": lambda row: interval_text(row["low"], row["high"]),
                "labelled": "n_golden",
                "papers": "n_papers",
            },
            "labelled: pairs, or sentences for faithfulness. A system that the labels are on is"
            " corrected by its own pairs, too.",
            n_names=3,
        ),
    ),
    "judges": Analysis("heats", judge_heats, _heat_tables),
    "spread": Analysis("spreads", spreads, _spread_tables),
    "proportions": Analysis(
        "proportions",
        facet_proportions,
        _one_table(
            "Facet proportions: words of the facet / words of all four, all texts together",
            {
                "cut by": "by",
                "writer": "system",
                **{facet: f"shares/{facet}" for facet in FACETS},
                **{way: f"extents/{way}" for way in EXTENTS},
            },
            "whole, parts, absent: segments that their text contains word for word, in some"
            " sentences, not at all; reviewed ones are not counted.",
            n_names=2,
        ),
    ),
    "facts": Analysis(
        "facts",
        fact_stages,
        _one_table(
            "Facts a text, by stage",
            {"judge": "judge", "writer": "system", **{n: n for n in (*STAGES, "a sentence")}},
            "facts: those listed that differ; chains: as they refine each other; relations: across"
            " sentences, where the suite asks for them; kept: those that no fact comes near to; a"
            " sentence: facts / sentences.",
            n_names=2,
        ),
    ),
    "numbers": _profile(
        "numbers",
        NUMBERS,
        "Numbers a text, and in 100 words of all texts together",
        "Numbers in digits; placeholders of formulas are left out.",
    ),
    "lengths": _profile(
        "lengths",
        LENGTHS,
        "Lengths in words, mean over papers",
        "compression: source / text; of reference: text / reference.",
    ),
    "novelty": _profile(
        "novelty",
        NOVELTY,
        "Novelty: share of a text's n-grams that its source lacks, n = 1 to 4",
        "repetition: share of 4-grams that the text has had before.",
    ),
    "readability": _profile(
        "readability",
        READABILITY,
        "Readability as grade levels: higher is harder to read",
        "Dale-Chall needs --familiar FILE, the familiar words, one a line.",
    ),
    "associations": Analysis(
        "associations",
        associations,
        _one_table(
            "Novelty, readability and hallucination over all summaries: Spearman",
            {
                "": lambda row: named(row["first"], 2 * HEAD),
                " ": lambda row: named(row["second"], 2 * HEAD),
                "pairs": "n_pairs",
                "rho": lambda row: number(row["spearman"], 2),
                "interval": lambda row: interval_text(row["low"], row["high"]),
                "p": lambda row: p_cell(row["p_value"]),
                "Holm": lambda row: p_cell(row["p_adjusted"]),
            },
            "p takes summaries of one paper as independent, as published; the interval does not."
            " Readability is a grade: rho > 0 says that harder texts have more of it.",
            n_names=2,
        ),
    ),
    "popularity": Analysis(
        "popularity",
        popularities,
        _one_table(
            "Word popularity: share of words by their rank among the words of all sources",
            {"writer": "system", "texts": "n_texts", **{band: f"shares/{band}" for band in BANDS}},
        ),
        needs_judge=False,
    ),
}
"""By analysis, in the order shown."""
