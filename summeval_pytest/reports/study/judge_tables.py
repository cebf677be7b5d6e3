"""The tables of what judges find, how sure it is, and what it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.study.cells import (
    NONE,
    column_told,
    covered,
    interval,
    mean_cell,
    named,
    number,
    percent_cell,
    stacked,
)
from summeval_pytest.reports.study.sheet import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict.study.effort import EffortOf, Seconds
    from summeval_pytest.verdict.study.preference import HeatCell, JudgeHeat
    from summeval_pytest.verdict.study.spread import Spread
    from summeval_pytest.verdict.study.study import Study

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


def hallucination_sections(study: Study) -> Iterator[Section]:
    """How much is unsupported, of sentences and of summaries."""
    if study.hallucination:
        yield Section(
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


def heat_sections(study: Study) -> Iterator[Section]:
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


def spread_sections(study: Study) -> Iterator[Section]:
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


def effect_sections(study: Study) -> Iterator[Section]:
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


def fact_sections(study: Study) -> Iterator[Section]:
    """How many pieces EVA-Score makes."""
    if study.facts:
        yield Section(
            title="Facts a text, by stage",
            head=(
                "judge",
                "writer",
                "sentences",
                "listed",
                "facts",
                "chains",
                "relations",
                "kept",
                "a sentence",
            ),
            rows=tuple(
                (
                    named(each.judge),
                    named(each.system),
                    mean_cell(each.sentences),
                    mean_cell(each.listed),
                    mean_cell(each.facts),
                    mean_cell(each.chains),
                    mean_cell(each.relations),
                    mean_cell(each.kept_relations),
                    mean_cell(each.facts_per_sentence),
                )
                for each in study.facts
            ),
            n_names=2,
            notes=(_STAGES,),
        )


def effort_sections(study: Study, seconds: Sequence[Seconds]) -> Iterator[Section]:
    """What judging takes, by the length of the summary."""
    if study.efforts:
        yield Section(
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
