"""The tables of a study: all analyses in order, in the width of the terminal."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import HELD
from summeval_pytest.questions import FACETS
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.text.table import Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.study.systems.all_analyses import Study
    from summeval_pytest.study.systems.eva_stages import EffortOf
    from summeval_pytest.study.systems.farebio import Effect, JudgeHeat
    from summeval_pytest.study.systems.fm import RankedMean
    from summeval_pytest.study.systems.studied import Column, Mean
    from summeval_pytest.study.systems.text_profiles import Profile


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


_METRICS: Final = {"faithfulness": "supported sentences", "facet": "FM"}
_QUANTILES: Final = {"2.5 %": 1, "25 %": 10, "50 %": 20, "75 %": 30, "97.5 %": 39}
"""Where these quantiles stand among the 41."""
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
_HELD: Final = (
    "whole, parts, absent: segments that their text contains word for word, in some sentences, not"
    " at all; reviewed ones are not counted."
)
_STAGES: Final = (
    "facts: those listed that differ; chains: as they refine each other; relations: across"
    " sentences, where the suite asks for them; kept: those that no fact comes near to; a sentence:"
    " facts / sentences."
)
_P_VALUES: Final = (
    "p takes summaries of one paper as independent, as published; the interval does not."
    " Readability is a grade: rho > 0 says that harder texts have more of it."
)
_POWER: Final = (
    "power: chance to find a true difference of this size, paired, level .05; seen: the smallest"
    " difference found with a chance of .8."
)
_SHARED: Final = (
    "What several pairs share counts for the first that needs it; calls and tokens count replies"
    " that were remembered, too."
)
_SECONDS: Final = (
    "Seconds are of this run on this machine and not reproducible: they are measured where one pair"
    " at a time is judged, and stand in no file."
)
_INTRODUCTION: Final = (
    "Intervals: 95 %, papers resampled. Under a number, n of N says that it covers n of N papers;"
    " papers without a value are never counted as 0."
)


def study_lines(study: Study, width: int, *, is_coloured: bool) -> Iterator[str]:
    """All tables of a study that have rows, and above them who was studied."""
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
    for table in _tables(study):
        if table.rows:
            yield ""
            yield from table_lines(table, width, is_coloured=is_coloured)


def _tables(study: Study) -> Iterator[Table]:
    yield _standings(study)
    yield Table(
        title="Facet ratings as shares of their scales, mean over papers",
        head=("by", "system", *FACETS),
        rows=[
            (
                named(each.by) or "labels",
                named(each.system),
                *(mean_cell(each.means[facet]) for facet in FACETS),
            )
            for each in study.ratings
        ],
        n_names=2,
        notes=("Papers whose reference lacks a facet have no rating of it.",),
    )
    yield Table(
        title="Hallucination: unsupported sentences, and summaries that have one",
        head=("by", "system", "sentences", "unanswered", "of sentences", "of summaries"),
        rows=[
            (
                named(each.by) or "labels",
                named(each.system),
                f"{each.n_sentences:,}",
                f"{each.n_unanswered:,}",
                mean_cell(each.sentences, is_percent=True),
                mean_cell(each.summaries, is_percent=True),
            )
            for each in study.hallucination
        ],
        n_names=2,
    )
    yield from (_heat(heat, study) for heat in study.heats)
    yield from _spreads(study)
    yield from _effects(study)
    yield Table(
        title="Facet proportions: words of the facet / words of all four, all texts together",
        head=("cut by", "writer", *FACETS, "whole", "parts", "absent"),
        rows=[
            (
                named(each.by),
                named(each.system),
                *(mean_cell(each.shares[facet]) for facet in FACETS),
                *(f"{each.held[way]:,}" for way in HELD),
            )
            for each in study.proportions
        ],
        n_names=2,
        notes=(_HELD,),
    )
    yield Table(
        title="Facts a text, by stage",
        head=("judge", "writer", *_FACTS),
        rows=[
            (
                named(each.judge),
                named(each.system),
                *(mean_cell(getattr(each, name)) for name in _FACTS.values()),
            )
            for each in study.facts
        ],
        n_names=2,
        notes=(_STAGES,),
    )
    yield _profile(study.numbers, *_PROFILES["numbers"])
    yield _profile(study.lengths, *_PROFILES["lengths"])
    yield _profile(study.novelty, *_PROFILES["novelty"])
    is_known = any(profile.means["Dale-Chall"].n for profile in study.readability)
    yield _profile(study.readability, *_PROFILES["readability"][: 1 if is_known else 2])
    yield Table(
        title="Novelty, readability and hallucination over all summaries: Spearman",
        head=("", "", "pairs", "rho", "interval", "p", "Holm"),
        rows=[
            (
                named(each.first, 2 * HEAD),
                named(each.second, 2 * HEAD),
                f"{each.n_pairs:,}",
                number(each.spearman, 2),
                interval(each.low, each.high),
                p_cell(each.p_value),
                p_cell(each.p_adjusted),
            )
            for each in study.associations
        ],
        n_names=2,
        notes=(_P_VALUES,),
    )
    bands = tuple(next((each.shares for each in study.popularity if each.shares), {}))
    yield Table(
        title="Word popularity: share of words by their rank among the words of all sources",
        head=("writer", "texts", *bands),
        rows=[
            (
                named(each.system),
                f"{each.n_texts:,}",
                *(number(each.shares.get(band)) for band in bands),
            )
            for each in study.popularity
        ],
    )
    yield Table(
        title="Effort by length of the summary, a pair on average",
        head=("judge", "words", "pairs", "questions", "calls", "tokens", "seconds", "longest"),
        rows=[_effort_row(each) for each in study.efforts],
        n_names=2,
        notes=(_SHARED, _SECONDS),
    )


def _standings(study: Study) -> Table:
    notes = ["(1): rank among the systems; equal means share a rank. More words are not better."]
    if any(standing.is_uneven for standing in study.standings):
        notes.append("Some ranks compare means over different papers: see n of N.")
    columns = [column_parts(standing.column, HEAD) for standing in study.standings]
    places = [[_place_cell(place) for place in standing.places] for standing in study.standings]
    return Table(
        title="Systems: mean over papers (rank)",
        head=("system", *map("\n".join, columns)),
        rows=[
            (named(system.name), *cells)
            for system, *cells in zip(study.systems, *places, strict=True)
            if cells
        ],
        notes=tuple(notes),
    )


def _place_cell(place: RankedMean) -> str:
    return mean_cell(place.mean, "" if place.rank is None else f" ({place.rank})")


def _heat(heat: JudgeHeat, study: Study) -> Table:
    rows: dict[str, list[str]] = {}
    for cell in heat.cells:
        is_percent = heat.metric == "faithfulness"
        shown = mean_cell(cell.mean, " *" if cell.is_own else "", is_percent=is_percent)
        rows.setdefault(cell.judge, []).append(shown)
    return Table(
        title=f"Judges by systems: {_METRICS[heat.metric]}, mean over papers",
        head=("judge", *(named(system.name) for system in study.systems)),
        rows=[(named(judge), *cells) for judge, cells in rows.items()],
        notes=tuple(_preference_notes(heat)),
    )


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


def _spreads(study: Study) -> Iterator[Table]:
    """How a mean would vary over other papers, a table a number."""
    for column in dict.fromkeys(each.column for each in study.spreads):
        yield Table(
            title=f"Bootstrap distribution of the mean over papers: {column_told(column)}",
            head=("system", *_QUANTILES, "IQR", "papers"),
            rows=[
                (
                    named(each.system),
                    *(
                        number(each.quantiles[n] if each.quantiles else None)
                        for n in _QUANTILES.values()
                    ),
                    number(each.iqr),
                    f"{each.n:,} of {each.n_of:,}",
                )
                for each in study.spreads
                if each.column == column
            ],
        )


def column_told(column: Column) -> str:
    """A column on one line, in full as far as names go."""
    return ", ".join(column_parts(column))


def _effects(study: Study) -> Iterator[Table]:
    """How far systems are apart, a table a number."""
    for column in dict.fromkeys(each.column for each in study.effects):
        yield Table(
            title=f"Effects, first system minus second: {column_told(column)}",
            head=("first", "second", "difference", "Cohen's d", "power", "seen"),
            rows=[_effect_row(each) for each in study.effects if each.column == column],
            n_names=2,
            notes=(_POWER,),
        )


def _effect_row(effect: Effect) -> tuple[str, ...]:
    return (
        named(effect.first, HEAD),
        named(effect.second, HEAD),
        mean_cell(effect.difference).replace("\n[", " [", 1),
        number(effect.cohen_d, 2),
        number(effect.power, 2),
        number(effect.detectable),
    )


def _profile(profiles: Sequence[Profile], title: str, *notes: str) -> Table:
    names = tuple(profiles[0].means) if profiles else ()
    return Table(
        title=title,
        head=("writer", *names),
        rows=[
            (named(profile.system), *(mean_cell(profile.means[name]) for name in names))
            for profile in profiles
        ],
        notes=notes,
    )


def _effort_row(effort: EffortOf) -> tuple[str, ...]:
    n = effort.n_pairs
    return (
        named(effort.judge),
        f"{effort.fewest_words:,}-{effort.most_words:,}",
        f"{n:,}",
        f"{effort.n_questions / n:.1f}",
        f"{effort.n_calls / n:.1f}",
        f"{effort.n_tokens / n:,.0f}",
        number(effort.seconds.mean),
        number(effort.seconds.longest),
    )
