"""The tables of a study: cells, sections that fit the width, and all analyses in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import StringIO
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import HELD
from summeval_pytest.questions import FACETS
from summeval_pytest.text.printing import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from summeval_pytest.analysis.columns import Column, Mean, Place, Spread
    from summeval_pytest.analysis.effects import EffortOf, HeatCell, JudgeHeat, Seconds
    from summeval_pytest.analysis.study import Profile, Study


NAME: Final = 24
HEAD: Final = 16
"""In the head of a column, which is about as wide as its numbers."""
REFERENCE: Final = "(reference)"
"""In place of a system's name: who wrote the references."""
NONE: Final = "-"
_LONGEST: Final = 240
_SOME: Final = 10
_MANY: Final = 1000
_LEADING_ZERO = re.compile(r"\b0(?=\.)")


def named(name: str | None, width: int = NAME) -> str:
    """A system, judge or record by name, on one line; of a long one the middle is left out.

    Long names of one suite mostly differ at one of their ends.
    """
    if name is None:
        return REFERENCE
    shown = one_line(name, _LONGEST)
    if len(shown) <= width:
        return shown
    tail = (width - 1) // 2
    return f"{shown[: width - 1 - tail]}\u2026{shown[-tail:]}"


def number(value: float | None, digits: int = 3) -> str:
    """A number: so many digits under 10, two fewer from 10 on, none from 1,000; a dash for none."""
    if value is None:
        return NONE
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


def covered(mean: Mean) -> str:
    """How many of how many, where these are not all; nothing where they are."""
    return "" if mean.n == mean.n_of else f"{mean.n:,} of {mean.n_of:,}"


def stacked(*lines: str) -> str:
    """The lines of one cell, empty ones left out."""
    return "\n".join(line for line in lines if line)


def mean_cell(mean: Mean) -> str:
    """A mean over its interval, and over how many of how many where these are not all."""
    return stacked(number(mean.value), interval(mean.low, mean.high), covered(mean))


def percent_cell(mean: Mean) -> str:
    """A rate in per cent, as `mean_cell` has it."""
    if mean.value is None:
        return mean_cell(mean)
    bounds = ""
    if mean.low is not None and mean.high is not None:
        bounds = f"[{100 * mean.low:.0f}, {100 * mean.high:.0f}]"
    return stacked(f"{100 * mean.value:.1f} %", bounds, covered(mean))


def p_cell(value: float | None) -> str:
    """A p value; what is smaller than can be told is said to be."""
    if value is None:
        return NONE
    return "<.0001" if value < 0.0001 else f"{value:.4f}"  # noqa: PLR2004 - four digits are shown


def column_head(column: Column) -> str:
    """A column's name over who gives it."""
    return "\n".join(_column(column, HEAD))


def column_told(column: Column) -> str:
    """A column on one line, in full as far as names go."""
    return ", ".join(_column(column, NAME))


def _column(column: Column, width: int) -> tuple[str, str]:
    match column.giver:
        case "judge":
            return column.name, named(column.by, width)
        case "record":
            return named(column.by, width), "recorded"
        case "label":
            return column.name, "labels"
        case "text":
            return column.name, "texts"


GAP: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One analysis as a table.

    Attributes:
        title: What it is.
        head: The columns' names; a line break is a line of its own.
        rows: A cell a column; a line break is a line of its own.
        n_names: So many columns from the left name the row, and are repeated in further tables.
        notes: What a reader has to know.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 1
    notes: tuple[str, ...] = ()


def section_lines(section: Section, *, width: int, colour: bool) -> Iterator[str]:
    """The section in lines of at most ``width`` characters, as far as a single column is not wider.

    Args:
        section: The section.
        width: So many characters fit on a line.
        colour: Whether the lines may hold the escape sequences of a terminal.
    """
    from rich.text import Text

    console = _console(width, colour=colour)
    console.print(Text(safe(section.title), style="bold"))
    for place, columns in enumerate(_panels(section, width)):
        if place:
            console.print()
        console.print(_table(section, columns))
    for note in section.notes:
        console.print(Text(safe(note), style="dim"))
    stream = console.file
    assert isinstance(stream, StringIO)
    yield from (line.rstrip() for line in stream.getvalue().splitlines())


def _console(width: int, *, colour: bool) -> Console:
    """A console that writes nowhere and looks at no environment."""
    from rich.console import Console

    return Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )


def _table(section: Section, columns: Sequence[int]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column in columns:
        is_name = column < section.n_names
        table.add_column(
            Text(safe(section.head[column])),
            justify="left" if is_name else "right",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in section.rows:
        table.add_row(*(Text(safe(row[column])) for column in columns))
    return table


def _panels(section: Section, width: int) -> Iterator[list[int]]:
    """The columns of each table: as many as fit beside those that name the rows."""
    widths = [_widest(section, column) + GAP for column in range(len(section.head))]
    names = list(range(section.n_names))
    room = width + GAP - sum(widths[: section.n_names])
    panel: list[int] = []
    taken = 0
    for column in range(section.n_names, len(section.head)):
        if panel and taken + widths[column] > room:
            yield [*names, *panel]
            panel, taken = [], 0
        panel.append(column)
        taken += widths[column]
    yield [*names, *panel]


def _widest(section: Section, column: int) -> int:
    from rich.cells import cell_len

    cells = [section.head[column], *(row[column] for row in section.rows)]
    return max(cell_len(line) for cell in cells for line in safe(cell).split("\n"))


_ASSOCIATED: Final = 32
_P_VALUES: Final = (
    "p takes summaries of one paper as independent, as published; the interval does not."
    " Readability is a grade: rho > 0 says that harder texts have more of it."
)
_GIVERS: Final = {"label": "labels", "record": "recorded", "judge": "judge", "text": "texts"}


def _standing(study: Study) -> Section:
    """Systems by numbers, with ranks."""
    notes = ["(1): rank among the systems; equal means share a rank. More words are not better."]
    if any(standing.is_uneven for standing in study.standings):
        notes.append("Some ranks compare means over different papers: see n of N.")
    rows = tuple(
        (named(system.name), *(_place_cell(standing.places[row]) for standing in study.standings))
        for row, system in enumerate(study.systems)
    )
    return Section(
        title="Systems: mean over papers (rank)",
        head=("system", *(column_head(standing.column) for standing in study.standings)),
        rows=rows if study.standings else (),
        notes=tuple(notes),
    )


def _place_cell(place: Place) -> str:
    mean = place.mean
    rank = "" if place.rank is None else f" ({place.rank})"
    return stacked(f"{number(mean.value)}{rank}", interval(mean.low, mean.high), covered(mean))


def _rating(study: Study) -> Section:
    """Ratings of facets as shares of their scales."""
    return Section(
        title="Facet ratings as shares of their scales, mean over papers",
        head=("by", "system", *FACETS),
        rows=tuple(
            (
                _GIVERS[each.giver] if not each.by else named(each.by),
                named(each.system),
                *(mean_cell(each.means[facet]) for facet in FACETS),
            )
            for each in study.ratings
        ),
        n_names=2,
        notes=("Papers whose reference lacks a facet have no rating of it.",),
    )


def _proportion(study: Study) -> Section:
    """Which share of the words each facet has."""
    return Section(
        title="Facet proportions: words of the facet / words of all four, all texts together",
        head=("cut by", "writer", *FACETS, "whole", "parts", "absent"),
        rows=tuple(
            (
                named(each.by),
                named(each.system),
                *(mean_cell(each.shares[facet]) for facet in FACETS),
                *(f"{each.held[way]:,}" for way in HELD),
            )
            for each in study.proportions
        ),
        n_names=2,
        notes=(
            (
                "whole, parts, absent: segments that their text contains word for word, in some"
                " sentences, not at all; reviewed ones are not counted."
            ),
        ),
    )


def _profiles(study: Study) -> Iterator[Section]:
    """Numbers, lengths, novelty, readability."""
    yield _profile(
        study.numbers,
        "Numbers a text, and in 100 words of all texts together",
        "Numbers in digits; placeholders of formulas are left out.",
    )
    yield _profile(
        study.lengths,
        "Lengths in words, mean over papers",
        "compression: source / text; of reference: text / reference.",
    )
    yield _profile(
        study.novelty,
        "Novelty: share of a text's n-grams that its source lacks, n = 1 to 4",
        "repetition: share of 4-grams that the text has had before.",
    )
    is_known = any(profile.means["Dale-Chall"].n for profile in study.readability)
    lacking = "Dale-Chall needs --familiar FILE, the familiar words, one a line."
    yield _profile(
        study.readability,
        "Readability as grade levels: higher is harder to read",
        *(() if is_known else (lacking,)),
    )


def _profile(profiles: Sequence[Profile], title: str, *notes: str) -> Section:
    names = tuple(profiles[0].means) if profiles else ()
    return Section(
        title=title,
        head=("writer", *names),
        rows=tuple(
            (named(profile.system), *(mean_cell(profile.means[name]) for name in names))
            for profile in profiles
        ),
        notes=notes,
    )


def _association(study: Study) -> Section:
    """Novelty, difficulty and hallucination."""
    return Section(
        title="Novelty, readability and hallucination over all summaries: Spearman",
        head=("", "", "pairs", "rho", "interval", "p", "Holm"),
        rows=tuple(
            (
                named(each.first, _ASSOCIATED),
                named(each.second, _ASSOCIATED),
                f"{each.n_pairs:,}",
                number(each.spearman, 2),
                interval(each.low, each.high),
                p_cell(each.p_value),
                p_cell(each.p_adjusted),
            )
            for each in study.associations
        ),
        n_names=2,
        notes=(_P_VALUES,),
    )


def _popularity(study: Study) -> Section:
    """How common the words are."""
    bands = tuple(next((each.shares for each in study.popularity if each.shares), {}))
    return Section(
        title="Word popularity: share of words by their rank among the words of all sources",
        head=("writer", "texts", *bands),
        rows=tuple(
            (
                named(each.system),
                f"{each.n_texts:,}",
                *(number(each.shares.get(band)) for band in bands),
            )
            for each in study.popularity
        ),
    )


_LABELS: Final = "labels"
_METRICS: Final = {"faithfulness": "supported sentences", "facet": "FM"}
_POWER: Final = (
    "power: chance to find a true difference of this size, paired, level .05;"
    " seen: the smallest difference found with a chance of .8."
)
_SHARED: Final = (
    "What several pairs share counts for the first that needs it; calls and tokens count replies"
    " that were remembered, too."
)
_SECONDS: Final = (
    "Seconds are of this run on this machine and not reproducible: they are measured where one pair"
    " at a time is judged, and stand in no file."
)
_STAGES: Final = (
    "facts: those listed that differ; chains: as they refine each other; relations: across"
    " sentences, where the suite asks for them; kept: those that no fact comes near to; a sentence:"
    " facts / sentences."
)
_QUARTERS: Final = (("2.5 %", 1), ("25 %", 10), ("50 %", 20), ("75 %", 30), ("97.5 %", 39))
"""Where these quantiles stand among the 41."""


def _hallucination(study: Study) -> Section:
    """How much is unsupported, of sentences and of summaries."""
    return Section(
        title="Hallucination: unsupported sentences, and summaries that have one",
        head=("by", "system", "sentences", "unanswered", "of sentences", "of summaries"),
        rows=tuple(
            (
                named(each.by) or _LABELS,
                named(each.system),
                f"{each.n_sentences:,}",
                f"{each.n_unanswered:,}",
                percent_cell(each.sentences),
                percent_cell(each.summaries),
            )
            for each in study.hallucination
        ),
        n_names=2,
    )


def _heats(study: Study) -> Iterator[Section]:
    """Judges by systems, and whether they prefer their own."""
    for heat in study.heats:
        rows: dict[str, list[str]] = {}
        for cell in heat.cells:
            rows.setdefault(cell.judge, []).append(_heat_cell(heat, cell))
        if rows:
            yield Section(
                title=f"Judges by systems: {_METRICS[heat.metric]}, mean over papers",
                head=("judge", *(named(system.name) for system in study.systems)),
                rows=tuple((named(judge), *cells) for judge, cells in rows.items()),
                notes=tuple(_preference_notes(heat)),
            )


def _heat_cell(heat: JudgeHeat, cell: HeatCell) -> str:
    shown = percent_cell if heat.metric == "faithfulness" else mean_cell
    first, *rest = shown(cell.mean).split("\n")
    return stacked(f"{first} *" if cell.is_own else first, *rest)


def _preference_notes(heat: JudgeHeat) -> Iterator[str]:
    found = heat.preference
    if any(cell.is_own for cell in heat.cells):
        yield "*: judge and system are of one family"
    if found.value is None:
        yield (
            "self-preference cannot be told: it takes several judges, one with a system of its own"
            " family and one of another, and papers that all have scored"
        )
        return
    bounds = interval(found.low, found.high) or "without an interval"
    raw = "" if heat.difference is None else f"; not taken out: {heat.difference:+.3f}"
    yield (
        f"self-preference {found.value:+.3f} {bounds} on {found.n:,} of {found.n_of:,} papers:"
        " what judges add for their own family, each judge's and each system's level taken out"
        f"{raw}"
    )


def _spreads(study: Study) -> Iterator[Section]:
    """How a mean would vary over other papers, a table a number."""
    for column in dict.fromkeys(each.column for each in study.spreads):
        yield Section(
            title=f"Bootstrap distribution of the mean over papers: {column_told(column)}",
            head=("system", *(name for name, _ in _QUARTERS), "IQR", "papers"),
            rows=tuple(
                (
                    named(each.system),
                    *_quantile_cells(each),
                    number(each.iqr),
                    f"{each.n:,} of {each.n_of:,}",
                )
                for each in study.spreads
                if each.column == column
            ),
        )


def _quantile_cells(spread: Spread) -> Iterator[str]:
    for _, place in _QUARTERS:
        yield number(spread.quantiles[place]) if spread.quantiles else NONE


def _effects(study: Study) -> Iterator[Section]:
    """How far systems are apart, a table a number."""
    for column in dict.fromkeys(each.column for each in study.effects):
        yield Section(
            title=f"Effects, first system minus second: {column_told(column)}",
            head=("first", "second", "difference", "Cohen's d", "power", "seen"),
            rows=tuple(
                (
                    named(each.first, 16),
                    named(each.second, 16),
                    stacked(
                        f"{number(each.difference.value)}"
                        f" {interval(each.difference.low, each.difference.high)}".rstrip(),
                        covered(each.difference),
                    ),
                    number(each.cohen_d, 2),
                    number(each.power, 2),
                    number(each.detectable),
                )
                for each in study.effects
                if each.column == column
            ),
            n_names=2,
            notes=(_POWER,),
        )


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


def _fact(study: Study) -> Section:
    """How many pieces EVA-Score makes."""
    return Section(
        title="Facts a text, by stage",
        head=("judge", "writer", *_FACTS),
        rows=tuple(
            (
                named(each.judge),
                named(each.system),
                *(mean_cell(getattr(each, name)) for name in _FACTS.values()),
            )
            for each in study.facts
        ),
        n_names=2,
        notes=(_STAGES,),
    )


def _effort(study: Study, seconds: Sequence[Seconds]) -> Section:
    """What judging takes, by the length of the summary."""
    return Section(
        title="Effort by length of the summary, a pair on average",
        head=("judge", "words", "pairs", "questions", "calls", "tokens", "seconds", "longest"),
        rows=tuple(
            _effort_row(each, timed) for each, timed in zip(study.efforts, seconds, strict=True)
        ),
        n_names=2,
        notes=(_SHARED, _SECONDS),
    )


def _effort_row(effort: EffortOf, timed: Seconds) -> tuple[str, ...]:
    n = effort.n_pairs
    return (
        named(effort.judge),
        f"{effort.fewest_words:,}-{effort.most_words:,}",
        f"{n:,}",
        f"{effort.n_questions / n:.1f}",
        f"{effort.n_calls / n:.1f}",
        f"{effort.n_tokens / n:,.0f}",
        number(timed.mean),
        number(timed.longest),
    )


_INTRODUCTION: Final = (
    "Intervals: 95 %, papers resampled. Under a number, n of N says that it covers n of N papers;"
    " papers without a value are never counted as 0."
)


def study_lines(
    study: Study, seconds: Sequence[Seconds], *, width: int, colour: bool
) -> Iterator[str]:
    """All tables of a study, and above them who was studied.

    Args:
        study: The study.
        seconds: Those of each of its efforts.
        width: So many characters fit on a line.
        colour: Whether the lines may hold the escape sequences of a terminal.
    """
    yield one_line(
        f"{study.suite}: {study.n_papers:,} papers, suite {study.fingerprint}", max(width, 60)
    )
    for judge in study.judges:
        yield one_line(f"judge {judge.name} (family {judge.family}): {judge.signature}", 300)
    systems = (
        f"{named(system.name)} ({system.n_papers:,}, {named(system.family)})"
        for system in study.systems
    )
    yield from map(safe, wrap(f"systems (papers, family): {', '.join(systems)}", width))
    yield from wrap(_INTRODUCTION, width)
    sections = (
        _standing(study),
        _rating(study),
        _hallucination(study),
        *_heats(study),
        *_spreads(study),
        *_effects(study),
        _proportion(study),
        _fact(study),
        *_profiles(study),
        _association(study),
        _popularity(study),
        _effort(study, seconds),
    )
    for section in sections:
        if section.rows:
            yield ""
            yield from section_lines(section, width=width, colour=colour)
