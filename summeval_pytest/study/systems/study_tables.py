"""The tables of a study: all analyses in order, in the width of the terminal."""

from __future__ import annotations

import re
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Final, cast

from summeval_pytest.metrics.facet import EXTENTS
from summeval_pytest.questions import FACETS
from summeval_pytest.study.tables import Mean
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.text.table import Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.study.systems.analyses import Row, Study
    from summeval_pytest.study.systems.studied import Column

    Cells = Mapping[str, str | Callable[[Row], str]]
    """By the head of a column, the key of its value, or what makes its cell of a row."""


NAME: Final = 24
HEAD: Final = 16
"""In the head of a column, which is about as wide as its numbers."""
_LONGEST: Final = 240
_SOME: Final = 10
_MANY: Final = 1000
_LEADING_ZERO = re.compile(r"\b0(?=\.)")


def named(name: str | None, width: int = NAME) -> str:
    """A system, judge or record by name, on one line; of a long one the middle is left out.

    Long names of one suite mostly differ at one of their ends. None wrote the references.
    """
    shown = "(reference)" if name is None else one_line(name, _LONGEST)
    if len(shown) <= width:
        return shown
    tail = (width - 1) // 2
    return f"{shown[: width - 1 - tail]}\u2026{shown[-tail:]}"


def number(value: float | None, digits: int = 3) -> str:
    """A number: so many digits under 10, two fewer from 10 on, none from 1,000; a dash for none."""
    if value is None:
        return "-"
    if abs(value) >= _MANY:
        return f"{value:,.0f}"
    fewer = 0 if abs(value) < _SOME else 2
    return f"{value:.{max(0, digits - fewer)}f}"


def interval(low: float | None, high: float | None) -> str:
    """Both bounds in brackets, of the same digits and without a zero before the point."""
    if low is None or high is None:
        return ""
    size = max(abs(low), abs(high))
    digits = sum(size < bound for bound in (_SOME, _MANY / 10))
    return _LEADING_ZERO.sub("", f"[{low:,.{digits}f}, {high:,.{digits}f}]")


def mean_cell(mean: Mean, mark: str = "", *, is_percent: bool = False) -> str:
    """A mean over its interval, and over how many of how many where these are not all."""
    first, bounds = number(mean.value), interval(mean.low, mean.high)
    if is_percent and mean.value is not None:
        first = f"{100 * mean.value:.1f} %"
        if mean.low is not None and mean.high is not None:
            bounds = f"[{100 * mean.low:.0f}, {100 * mean.high:.0f}]"
    covered = "" if mean.n == mean.n_of else f"{mean.n:,} of {mean.n_of:,}"
    return "\n".join(line for line in (first + mark, bounds, covered) if line)


def p_cell(value: float | None) -> str:
    """A p value; what is smaller than can be told is said to be."""
    if value is None:
        return "-"
    return "<.0001" if value < 0.0001 else f"{value:.4f}"  # noqa: PLR2004 - four digits are shown


def column_parts(column: Column, width: int = NAME) -> tuple[str, str]:
    """A column's name, and who gives it."""
    match column.giver:
        case "judge":
            return column.name, named(column.by, width)
        case "record":
            return named(column.by, width), "recorded"
        case "label":
            return column.name, "labels"
        case "text":
            return column.name, "texts"


def column_words(column: Column) -> str:
    """A column on one line, in full as far as names go."""
    return ", ".join(column_parts(column))


def study_lines(study: Study, width: int, *, is_coloured: bool) -> Iterator[str]:
    """All tables of a study that have rows, and above them who was studied."""
    yield one_line(
        f"{study.suite}: {study.n_papers:,} papers, suite {study.fingerprint}", max(width, 60)
    )
    for judge in study.judges:
        line = f"judge {judge['name']} (family {judge['family']}): {judge['signature']}"
        yield one_line(line, 300)
    systems = (
        f"{named(system['name'])} ({system['n_papers']:,}, {named(system['family'])})"
        for system in study.systems
    )
    yield from map(safe, wrap(f"systems (papers, family): {', '.join(systems)}", width))
    yield from wrap(
        "Intervals: 95 %, papers resampled. Under a number, n of N says that it covers n of N"
        " papers; papers without a value are never counted as 0.",
        width,
    )
    for table in _tables(study):
        if table.rows:
            yield ""
            yield from table_lines(table, width, is_coloured=is_coloured)


def _table(title: str, rows: Sequence[Row], cells: Cells, *notes: str, n_names: int = 1) -> Table:
    return Table(
        title=title,
        head=tuple(cells),
        rows=[tuple(_cell(row, key) for key in cells.values()) for row in rows],
        n_names=n_names,
        notes=notes,
    )


def _cell(row: Row, key: str | Callable[[Row], str]) -> str:
    """The value of a key as its kind is shown; ``means/fact`` is a key within a key."""
    if not isinstance(key, str):
        return key(row)
    value: object = row
    for part in key.split("/"):
        value = cast("Row", value).get(part)
    if key in _NAMES:
        return named(cast("str | None", value))
    match value:
        case Mean():
            return mean_cell(value)
        case int():
            return f"{value:,}"
        case _:
            return number(cast("float | None", value))


_NAMES: Final = ("judge", "by", "system")
_BY: Final[Cells] = {"by": lambda row: named(row["by"]) or "labels", "system": "system"}
_FACTS: Final = {
    "sentences": "sentences",
    "listed": "listed",
    "facts": "facts",
    "chains": "chains",
    "relations": "relations",
    "kept": "kept_relations",
    "a sentence": "facts_per_sentence",
}
"""The columns of the table of facts, and what each shows."""
_QUANTILES: Final = {"2.5 %": 1, "25 %": 10, "50 %": 20, "75 %": 30, "97.5 %": 39}
"""Where these quantiles stand among the 41."""


def _tables(study: Study) -> Iterator[Table]:
    of = study.tables
    yield _standings(study)
    yield _table(
        "Facet ratings as shares of their scales, mean over papers",
        of["ratings"],
        {**_BY, **{facet: f"means/{facet}" for facet in FACETS}},
        "Papers whose reference lacks a facet have no rating of it.",
        n_names=2,
    )
    yield _table(
        "Hallucination: unsupported sentences, and summaries that have one",
        of["hallucination"],
        {
            **_BY,
            "sentences": "n_sentences",
            "unanswered": "n_unanswered",
            "of sentences": lambda row: mean_cell(row["sentences"], is_percent=True),
            "of summaries": lambda row: mean_cell(row["summaries"], is_percent=True),
        },
        n_names=2,
    )
    yield from (_heat(heat, study) for heat in of["heats"])
    yield from _spreads(of["spreads"])
    yield from _effects(of["effects"])
    yield _table(
        "Facet proportions: words of the facet / words of all four, all texts together",
        of["proportions"],
        {
            "cut by": "by",
            "writer": "system",
            **{facet: f"shares/{facet}" for facet in FACETS},
            **{way: f"held/{way}" for way in EXTENTS},
        },
        "whole, parts, absent: segments that their text contains word for word, in some sentences,"
        " not at all; reviewed ones are not counted.",
        n_names=2,
    )
    yield _table(
        "Facts a text, by stage",
        of["facts"],
        {"judge": "judge", "writer": "system", **_FACTS},
        "facts: those listed that differ; chains: as they refine each other; relations: across"
        " sentences, where the suite asks for them; kept: those that no fact comes near to; a"
        " sentence: facts / sentences.",
        n_names=2,
    )
    yield from _profiles(of)
    yield _table(
        "Novelty, readability and hallucination over all summaries: Spearman",
        of["associations"],
        {
            "": lambda row: named(row["first"], 2 * HEAD),
            " ": lambda row: named(row["second"], 2 * HEAD),
            "pairs": "n_pairs",
            "rho": lambda row: number(row["spearman"], 2),
            "interval": lambda row: interval(row["low"], row["high"]),
            "p": lambda row: p_cell(row["p_value"]),
            "Holm": lambda row: p_cell(row["p_adjusted"]),
        },
        "p takes summaries of one paper as independent, as published; the interval does not."
        " Readability is a grade: rho > 0 says that harder texts have more of it.",
        n_names=2,
    )
    bands: Row = next((row["shares"] for row in of["popularity"] if row["shares"]), {})
    yield _table(
        "Word popularity: share of words by their rank among the words of all sources",
        of["popularity"],
        {"writer": "system", "texts": "n_texts", **{band: f"shares/{band}" for band in bands}},
    )
    yield _table(
        "Effort by length of the summary, a pair on average",
        of["efforts"],
        {
            "judge": "judge",
            "words": lambda row: f"{row['fewest_words']:,}-{row['most_words']:,}",
            "pairs": "n_pairs",
            "questions": lambda row: f"{row['n_questions'] / row['n_pairs']:.1f}",
            "calls": lambda row: f"{row['n_calls'] / row['n_pairs']:.1f}",
            "tokens": lambda row: f"{row['n_tokens'] / row['n_pairs']:,.0f}",
            "seconds": lambda row: number(row["seconds"][0]),
            "longest": lambda row: number(row["seconds"][1]),
        },
        "What several pairs share counts for the first that needs it; calls and tokens count"
        " replies that were remembered, too.",
        "Seconds are of this run on this machine and not reproducible: they are measured where one"
        " pair at a time is judged, and stand in no file.",
        n_names=2,
    )


def _standings(study: Study) -> Table:
    rows = study.tables["standings"]
    notes = ["(1): rank among the systems; equal means share a rank. More words are not better."]
    if any(len({place["mean"].n for place in row["places"]}) > 1 for row in rows):
        notes.append("Some ranks compare means over different papers: see n of N.")
    heads = ["\n".join(column_parts(row["column"], HEAD)) for row in rows]
    cells = [
        [
            mean_cell(place["mean"], f" ({place['rank']})" if place["rank"] else "")
            for place in row["places"]
        ]
        for row in rows
    ]
    systems = [named(system["name"]) for system in study.systems]
    return Table(
        title="Systems: mean over papers (rank)",
        head=("system", *heads),
        rows=list(zip(systems, *cells, strict=True)) if cells else [],
        notes=tuple(notes),
    )


def _heat(heat: Row, study: Study) -> Table:
    rows: dict[str, list[str]] = {}
    for cell in heat["cells"]:
        mark = " *" if cell["is_own"] else ""
        shown = mean_cell(cell["mean"], mark, is_percent=heat["metric"] == "faithfulness")
        rows.setdefault(cell["judge"], []).append(shown)
    metric = {"faithfulness": "supported sentences", "facet": "FM"}[heat["metric"]]
    return Table(
        title=f"Judges by systems: {metric}, mean over papers",
        head=("judge", *(named(system["name"]) for system in study.systems)),
        rows=[(named(judge), *cells) for judge, cells in rows.items()],
        notes=tuple(_preference_notes(heat)),
    )


def _preference_notes(heat: Row) -> Iterator[str]:
    mean: Mean = heat["preference"]
    if any(cell["is_own"] for cell in heat["cells"]):
        yield "*: judge and system are of one family"
    if mean.value is None:
        yield (
            "self-preference cannot be told: it takes several judges, one with a system of its own"
            " family and one of another, and papers that all have scored"
        )
        return
    bounds = interval(mean.low, mean.high) or "without an interval"
    raw = heat["difference"]
    yield (
        f"self-preference {mean.value:+.3f} {bounds} on {mean.n:,} of {mean.n_of:,} papers:"
        " what judges add for their own family, each judge's and each system's level taken out"
        + ("" if raw is None else f"; not taken out: {raw:+.3f}")
    )


def _spreads(rows: Sequence[Row]) -> Iterator[Table]:
    """How a mean would vary over other papers, a table a number."""

    def quantile(place: int, row: Row) -> str:
        return number(row["quantiles"][place] if row["quantiles"] else None)

    for column in dict.fromkeys(row["column"] for row in rows):
        yield _table(
            f"Bootstrap distribution of the mean over papers: {column_words(column)}",
            [row for row in rows if row["column"] == column],
            {
                "system": "system",
                **{name: partial(quantile, place) for name, place in _QUANTILES.items()},
                "IQR": "iqr",
                "papers": lambda row: f"{row['n']:,} of {row['n_of']:,}",
            },
        )


def _effects(rows: Sequence[Row]) -> Iterator[Table]:
    """How far systems are apart, a table a number."""
    for column in dict.fromkeys(row["column"] for row in rows):
        yield _table(
            f"Effects, first system minus second: {column_words(column)}",
            [row for row in rows if row["column"] == column],
            {
                "first": lambda row: named(row["first"], HEAD),
                "second": lambda row: named(row["second"], HEAD),
                "difference": lambda row: mean_cell(row["difference"]).replace("\n[", " [", 1),
                "Cohen's d": lambda row: number(row["cohen_d"], 2),
                "power": lambda row: number(row["power"], 2),
                "seen": "detectable",
            },
            "power: chance to find a true difference of this size, paired, level .05; seen: the"
            " smallest difference found with a chance of .8.",
            n_names=2,
        )


_PROFILES: Final = {
    "numbers": (
        "Numbers a text, and in 100 words of all texts together",
        "Numbers in digits; placeholders of formulas are left out.",
    ),
    "lengths": (
        "Lengths in words, mean over papers",
        "compression: source / text; of reference: text / reference.",
    ),
    "novelty": (
        "Novelty: share of a text's n-grams that its source lacks, n = 1 to 4",
        "repetition: share of 4-grams that the text has had before.",
    ),
    "readability": (
        "Readability as grade levels: higher is harder to read",
        "Dale-Chall needs --familiar FILE, the familiar words, one a line.",
    ),
}


def _profiles(tables: Mapping[str, Sequence[Row]]) -> Iterator[Table]:
    for key, (title, note) in _PROFILES.items():
        rows = tables[key]
        means = [row["means"].get("Dale-Chall") for row in rows]
        is_known = any(mean.n for mean in means if mean is not None)
        names = list(rows[0]["means"]) if rows else []
        cells = {"writer": "system", **{name: f"means/{name}" for name in names}}
        yield _table(title, rows, cells, *(() if is_known else (note,)))
