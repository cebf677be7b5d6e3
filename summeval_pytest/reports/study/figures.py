"""The figures of a study: heat maps, violins and bars, as SVG and PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.reports.study.bars import Bar, draw_groups, draw_stacks
from summeval_pytest.reports.study.cells import column_told
from summeval_pytest.reports.study.drawing import drawable, label, look, new_figure, row_label, save
from summeval_pytest.reports.study.heat import draw_heat
from summeval_pytest.reports.study.violins import draw_violins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from summeval_pytest.verdict.study.estimates import Mean
    from summeval_pytest.verdict.study.hallucination import HallucinationRate
    from summeval_pytest.verdict.study.profiles import Profile
    from summeval_pytest.verdict.study.spread import Spread
    from summeval_pytest.verdict.study.study import Study

WIDTH: Final = 7.0
_ROW: Final = 0.34
_HEAD: Final = 0.85
_HEATS: Final = {"faithfulness": "Supported sentences, %", "facet": "FM"}
_NOVELTIES: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4")


def draw(study: Study, folder: Path) -> list[str]:
    """Draws every figure that the study has something for; the names of the files.

    Raises:
        OSError: if a file cannot be written.
    """
    with look():
        return [file for name, figure in _figures(study) for file in save(figure, folder, name)]


def _figures(study: Study) -> Iterator[tuple[str, Figure]]:
    """The figures by name; a panel for which nobody has a number is left to the tables."""
    yield from _heats(study)
    known = {each.column for each in study.spreads if each.n}
    spreads = [each for each in study.spreads if each.column in known]
    if spreads:
        yield "spread", _spreads(spreads, len(study.systems))
    if study.proportions:
        yield "proportions", _proportions(study)
    givers = {(each.giver, each.by) for each in study.hallucination if each.summaries.n}
    rates = [each for each in study.hallucination if (each.giver, each.by) in givers]
    if rates:
        yield "hallucination", _hallucination(rates)
    if _has(study.novelty, _NOVELTIES):
        yield "novelty", _profiles(study.novelty, _NOVELTIES, "Share of n-grams not in the source")
    readable = tuple(name for name in _names(study.readability) if _has(study.readability, (name,)))
    if readable:
        yield "readability", _profiles(study.readability, readable, "Grade, higher is harder")


def _heats(study: Study) -> Iterator[tuple[str, Figure]]:
    """Judges by systems, where there are several judges."""
    if len(study.judges) < 2:  # noqa: PLR2004 - one row is no map
        return
    for heat in study.heats:
        if any(cell.mean.n for cell in heat.cells):
            yield f"judges-{heat.metric}", draw_heat(heat, _HEATS[heat.metric])


def _spreads(spreads: Sequence[Spread], n_systems: int) -> Figure:
    columns = list(dict.fromkeys(each.column for each in spreads))
    height = 0.3 + len(columns) * (_HEAD + _ROW * 1.2 * n_systems)
    figure, panels = new_figure(WIDTH, height, len(columns))
    for column, axes in zip(columns, panels, strict=True):
        draw_violins(axes, [each for each in spreads if each.column == column])
        axes.set_title(drawable(column_told(column)))
    figure.suptitle("Mean over papers, resampled", x=0.02, ha="left", fontsize=10)
    return figure


def _proportions(study: Study) -> Figure:
    cutters = list(dict.fromkeys(each.by for each in study.proportions))
    n_rows = len(study.proportions)
    figure, panels = new_figure(WIDTH, 0.6 + _HEAD * len(cutters) + _ROW * n_rows, len(cutters))
    for by, axes in zip(cutters, panels, strict=True):
        held = [each for each in study.proportions if each.by == by]
        draw_stacks(
            axes,
            [_covered(each.system, tuple(each.shares.values())) for each in held],
            {facet: [each.shares[facet].value or 0.0 for each in held] for facet in FACETS},
        )
        axes.set_title(f"Share of words, cut by {label(by)}")
    _legend_below(figure, panels[0], len(FACETS))
    return figure


def _legend_below(figure: Figure, axes: object, n_columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()  # type: ignore[attr-defined]
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)


def _hallucination(rates: Sequence[HallucinationRate]) -> Figure:
    givers = list(dict.fromkeys((each.giver, each.by) for each in rates))
    height = 0.6 + _HEAD * len(givers) + _ROW * 1.5 * len(rates)
    figure, panels = new_figure(WIDTH, height, len(givers))
    for (giver, by), axes in zip(givers, panels, strict=True):
        held = [each for each in rates if (each.giver, each.by) == (giver, by)]
        draw_groups(
            axes,
            [row_label(each.system, each.summaries.n, each.summaries.n_of) for each in held],
            {
                "of sentences": [_bar(each.sentences, 100) for each in held],
                "of summaries": [_bar(each.summaries, 100) for each in held],
            },
        )
        axes.set_xlim(0, 100)
        axes.set_title(f"Unsupported, %, by {label(by) if by else 'labels'}")
    _legend_below(figure, panels[0], 2)
    return figure


def _covered(system: str | None, means: Sequence[Mean]) -> str:
    """The row's name, with the fewest papers that one of its bars tells of."""
    fewest = min(means, key=lambda mean: mean.n)
    return row_label(system, fewest.n, fewest.n_of)


def _bar(mean: Mean, factor: float = 1.0) -> Bar:
    def times(value: float | None) -> float | None:
        return None if value is None else factor * value

    return Bar(times(mean.value), times(mean.low), times(mean.high))


def _names(profiles: Sequence[Profile]) -> tuple[str, ...]:
    return tuple(profiles[0].means) if profiles else ()


def _has(profiles: Sequence[Profile], names: Sequence[str]) -> bool:
    return any(profile.means[name].n for profile in profiles for name in names)


def _profiles(profiles: Sequence[Profile], names: Sequence[str], title: str) -> Figure:
    height = 0.6 + _HEAD + _ROW * 0.7 * len(names) * len(profiles)
    figure, (axes,) = new_figure(WIDTH, height)
    draw_groups(
        axes,
        [_covered(profile.system, [profile.means[name] for name in names]) for profile in profiles],
        {name: [_bar(profile.means[name]) for profile in profiles] for name in names},
    )
    axes.set_title(title)
    _legend_below(figure, axes, len(names))
    return figure
