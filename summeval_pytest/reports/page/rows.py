"""The list of pairs, the worst first: a row each, which needs no script to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from summeval_pytest.metrics import CATALOGUE, EvaScore, FacetScore, FaithfulnessScore, Unscored
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports.failure import missed_numbers, short_of
from summeval_pytest.reports.numbers import shown
from summeval_pytest.reports.page.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.questions import Facet
    from summeval_pytest.verdict import Outcome, PairRecord, RunRecord, SuiteRecord

WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
"""Outcomes of pairs."""
_TITLE: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The rating of one facet; empty where the reference does not state it."""

    facet: Facet
    rating: str
    is_lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One pair of the list.

    Attributes:
        pair: The pair.
        suite: Its suite.
        system: What a link names its system by.
        title: The paper's title, or its id where it has none.
        misses: What fails it, a phrase each.
        waived: What would, but for a waiver.
        ratings: Of the four facets.
        numbers: The metrics, each with its text.
        lost: What it lost points on: facets, "facts" and "sentences".
        trend: How its metrics moved against the baseline; empty where they did not.
    """

    pair: PairRecord
    suite: SuiteRecord
    system: str
    title: str
    misses: tuple[str, ...]
    waived: tuple[str, ...]
    ratings: tuple[Rating, ...]
    numbers: tuple[tuple[str, str], ...]
    lost: tuple[str, ...]
    trend: str = ""

    @property
    def key(self) -> str:
        """What a deep link names it by."""
        return _key(self.system, self.pair.paper)

    @property
    def href(self) -> str:
        """The deep link, within the page."""
        return pair_link(self.system, self.pair.paper)


def rows_of(record: RunRecord) -> tuple[Row, ...]:
    """Every judged pair, errors first, then the failed ones, by how far they fall short."""
    pairs = [(suite, pair) for suite in record.suites for pair in suite.pairs]
    titles = {(suite.name, p.id): p.title for suite in record.suites for p in suite.papers}
    several = len(record.suites) > 1
    pairs.sort(key=lambda found: _badness(found[1]))
    return tuple(
        _row(suite, pair, titles.get((suite.name, pair.paper), ""), several=several)
        for suite, pair in pairs
    )


def system_key(suite: str, system: str, *, several: bool) -> str:
    """What a link names a system by; the suite is named, too, where there are several."""
    return visible(f"{suite}/{system}" if several else system)


def pair_link(system: str, paper: str) -> str:
    """The deep link to a pair, within the page; ``system`` as `system_key` gives it."""
    return f"#pair={quote(_key(system, paper))}"


def _key(system: str, paper: str) -> str:
    return f"{system}/{visible(paper)}"


def _row(suite: SuiteRecord, pair: PairRecord, title: str, *, several: bool) -> Row:
    values = {
        name: value
        for score in pair.scores
        if not isinstance(score, Unscored)
        for name, value in score.values().items()
    }
    return Row(
        pair=pair,
        suite=suite,
        system=system_key(suite.name, pair.system, several=several),
        title=cut(title.strip() or pair.paper, _TITLE),
        misses=_misses(pair),
        waived=tuple(map(short_of, pair.verdict.waived)),
        ratings=tuple(_rating(facet, values) for facet in FACETS),
        numbers=tuple(
            (name, shown(name, values[name]))
            for name in ("facet", "eva", "faithfulness")
            if name in values
        ),
        lost=tuple(_lost(pair)),
        trend=_trend(pair),
    )


def _misses(pair: PairRecord) -> tuple[str, ...]:
    fault = (pair.fault or "unscored",) if pair.outcome == "error" else ()
    return tuple(cut(text, _TITLE) for text in (*fault, *missed_numbers(pair.verdict)))


def _rating(facet: Facet, values: Mapping[str, float | None]) -> Rating:
    value = values.get(f"facet.{facet}")
    if value is None:
        return Rating(facet=facet, rating="", is_lost=False)
    return Rating(facet=facet, rating=f"{value:g}", is_lost=value < SCALES[facet])


def _lost(pair: PairRecord) -> Iterator[str]:
    for score in pair.scores:
        match score:
            case FacetScore():
                yield from (r.facet for r in score.ratings if r.rating < SCALES[r.facet])
            case EvaScore() if score.value < 1:
                yield "facts"
            case FaithfulnessScore() if not score.is_faithful or score.conflicts:
                yield "sentences"
            case _:
                pass


def _trend(pair: PairRecord) -> str:
    loss = 0.0 if pair.change is None else pair.change.loss
    if not round(loss, 3):
        return ""
    return f"\u25bc {loss:.3f} worse" if loss > 0 else f"\u25b2 {-loss:.3f} better"


def _badness(pair: PairRecord) -> tuple[int, float]:
    """The worse, the lower: by outcome, then by how far the pair falls short in all."""
    depth = len(pair.verdict.lacking) + sum(
        CATALOGUE[short.name].gap(short.value, short.least) for short in pair.verdict.shortfalls
    )
    return WORST_FIRST.index(pair.outcome), -depth
