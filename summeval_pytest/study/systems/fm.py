"""Systems by numbers, and facets of texts (FM, tables 2 and 4, figures 4a, 4d and 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.metrics.facet import HELD, Held
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.study.systems.studied import (
    LABELS,
    By,
    Column,
    Giver,
    Mean,
    Studied,
    draws,
    mean_of,
    rate_of,
    rounded,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.study.systems.studied import StudiedText


_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMean:
    """One system's mean of one number over its papers.

    Ranks start from 1, equal means share the better one; None without a mean, and where more is not
    better.
    """

    system: str
    mean: Mean
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """All systems by one number, in the suite's order."""

    column: Column
    places: tuple[RankedMean, ...]

    @property
    def is_uneven(self) -> bool:
        """Whether the means stand on different numbers of papers."""
        return len({place.mean.n for place in self.places}) > 1


def standings(studied: Studied) -> tuple[Standing, ...]:
    """Every number by system."""
    return tuple(_standing(column, studied) for column in studied.columns())


def _standing(column: Column, studied: Studied) -> Standing:
    means = {system: studied.mean(column, pairs) for system, pairs in studied.by_system.items()}
    values = {system: mean.value for system, mean in means.items()}
    ranks = ranked(values) if column.is_ranked else {}
    places = (
        RankedMean(system=system, mean=mean, rank=ranks.get(system))
        for system, mean in means.items()
    )
    return Standing(column=column, places=tuple(places))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The bootstrap distribution of one system's mean of one number over ``n`` of ``n_of`` papers.

    ``quantiles`` are of 1,000 resamples, 41 values from 0 to 1 in steps of 1/40, and ``iqr`` is the
    range of the middle half; empty and None with fewer than two groups of papers.
    """

    column: Column
    system: str
    n: int
    n_of: int
    quantiles: tuple[float, ...]
    iqr: float | None


def spreads(studied: Studied) -> tuple[Spread, ...]:
    """The distribution of every system's mean of the leading numbers."""
    return tuple(
        _spread(column, system, pairs, studied.n_papers)
        for column in studied.leading_columns()
        for system, pairs in studied.by_system.items()
    )


def _spread(column: Column, system: str, pairs: Sequence[StudiedText], n_papers: int) -> Spread:
    known = [(pair.group, value) for pair in pairs if (value := column.of(pair)) is not None]
    found = draws(known, [1.0] * len(known))
    quantiles: tuple[float, ...] = ()
    iqr = None
    if len(found):
        steps = np.quantile(found, np.linspace(0, 1, STEPS + 1))
        quantiles = tuple(rounded(float(value)) for value in steps)
        iqr = rounded(quantiles[3 * STEPS // 4] - quantiles[STEPS // 4])
    return Spread(
        column=column, system=system, n=len(known), n_of=n_papers, quantiles=quantiles, iqr=iqr
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetProportions:
    """How the words of one writer's texts are spread over the facets; None wrote the references.

    ``shares`` are words of the facet / words of all four, over all texts, 0 to 1. ``held`` counts
    the segments that their texts contain word for word, in parts, and not at all (metrics.md 1.1,
    stage A, post-check 2); reviewed ones are not counted.
    """

    by: str
    system: str | None
    shares: Mapping[Facet, Mean]
    held: Mapping[Held, int]


def facet_proportions(studied: Studied) -> tuple[FacetProportions, ...]:
    """The proportions by each who cut some text into facets, records first."""
    texts = [text for of in studied.by_writer.values() for text in of]
    found = []
    for by in dict.fromkeys(by for text in texts for by in text.cuts):
        for writer, written in studied.by_writer.items():
            cuts = [(text.group, text.cuts[by]) for text in written if by in text.cuts]
            shares = {
                facet: rate_of(
                    [(g, cut.words.get(facet, 0), sum(cut.words.values())) for g, cut in cuts],
                    studied.n_papers,
                )
                for facet in FACETS
            }
            ways = [way for _, cut in cuts for way in cut.held]
            held = {way: ways.count(way) for way in HELD}
            found.append(FacetProportions(by=by, system=writer, shares=shares, held=held))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetMeans:
    """How one system's facets are rated, as shares of their scales: 1/3 or 1/4 to 1.

    A facet that the reference lacks counts for no paper.
    """

    giver: Giver
    by: str
    system: str
    means: Mapping[Facet, Mean]


def facet_means(studied: Studied) -> tuple[FacetMeans, ...]:
    """The ratings by judges, and by people and records where they rate facets."""
    judges: list[By] = [("judge", judge) for judge in studied.judges]
    others: list[By] = [LABELS, *(("record", by) for by in studied.records)]
    raters = judges + [
        by for by in others if any(_share(p, by, f) for p in studied.pairs for f in FACETS)
    ]
    return tuple(
        FacetMeans(
            giver=by[0],
            by=by[1],
            system=system,
            means={
                facet: mean_of([(p.group, _share(p, by, facet)) for p in pairs], studied.n_papers)
                for facet in FACETS
            },
        )
        for by in raters
        for system, pairs in studied.by_system.items()
    )


def _share(pair: StudiedText, by: By, facet: Facet) -> float | None:
    rating = Column(giver=by[0], by=by[1], name=f"facet.{facet}").of(pair)
    return None if rating is None else rating / SCALES[facet]
