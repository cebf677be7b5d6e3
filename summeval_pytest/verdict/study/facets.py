"""Facet by facet: how much of a text each takes, and how each is rated.

Proportions are those of FM, figure 4a, which are shares of the words of all texts together; ratings
as shares of their scales are those of FM, figure 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.metrics.grounding import Held, count_held
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.verdict.study.columns import Giver  # noqa: TC001
from summeval_pytest.verdict.study.estimates import Mean, rate_of
from summeval_pytest.verdict.study.standing import over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair, StudiedText


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetProportions:
    """How the words of one writer's texts are spread over the facets.

    Attributes:
        by: Who cut the texts into facets.
        system: Who wrote them; None for the references.
        shares: By facet, its words / the words of all four, over all texts, 0 to 1.
        held: How many segments their texts contain word for word, in parts, and not at all
            (metrics.md 1.1, stage A, post-check 2); reviewed ones are not counted.
    """

    by: str
    system: str | None
    shares: Mapping[Facet, Mean]
    held: Mapping[Held, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetMeans:
    """How one system's facets are rated, as shares of their scales.

    Attributes:
        giver: What kind of giver rated them.
        by: The judge or the record by name; empty for people.
        system: The system.
        means: By facet, 1/3 or 1/4 to 1; a facet that the reference lacks counts for no paper.
    """

    giver: Giver
    by: str
    system: str
    means: Mapping[Facet, Mean]


def facet_proportions_of(
    by_writer: Mapping[str | None, Sequence[StudiedText]], n_papers: int
) -> tuple[FacetProportions, ...]:
    """The proportions by each who cut some text into facets, records first."""
    every = [text for texts in by_writer.values() for text in texts]
    cutters = dict.fromkeys(by for text in every for by in text.cuts)
    return tuple(
        FacetProportions(
            by=by,
            system=writer,
            shares=_shares(by, texts, n_papers),
            held=count_held(way for text in texts if by in text.cuts for way in text.cuts[by].held),
        )
        for by in cutters
        for writer, texts in by_writer.items()
    )


def _shares(by: str, texts: Sequence[StudiedText], n_papers: int) -> dict[Facet, Mean]:
    cut = [(text.group, text.cuts[by].words) for text in texts if by in text.cuts]
    return {
        facet: rate_of(
            [(group, words.get(facet, 0), sum(words.values())) for group, words in cut],
            n_of=n_papers,
        )
        for facet in FACETS
    }


def facet_means(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[FacetMeans, ...]:
    """The ratings by judges, and by people and records where they rate facets."""
    records = {by for pairs in by_system.values() for pair in pairs for by in pair.recorded}
    others: list[tuple[Giver, str]] = [("label", "")]
    others += [("record", record) for record in sorted(records)]
    every = [pair for pairs in by_system.values() for pair in pairs]
    raters: list[tuple[Giver, str]] = [("judge", judge) for judge in judges]
    raters += [
        (giver, by)
        for giver, by in others
        if any(_share(pair, giver, by, facet) is not None for pair in every for facet in FACETS)
    ]
    return tuple(
        FacetMeans(
            giver=giver,
            by=by,
            system=system,
            means={
                facet: over(n_papers, [(pair.group, _share(pair, giver, by, facet)) for pair in of])
                for facet in FACETS
            },
        )
        for giver, by in raters
        for system, of in by_system.items()
    )


def _share(pair: StudiedPair, giver: Giver, by: str, facet: Facet) -> float | None:
    """A rating of one facet as a share of its scale."""
    if giver == "label":
        return pair.label.facets.get(facet) if pair.label else None
    if giver == "record":
        record = pair.recorded.get(by)
        return None if record is None else record.facets.get(facet)
    judged = pair.judged.get(by)
    rating = None if judged is None else judged.values.get(f"facet.{facet}")
    return None if rating is None else rating / SCALES[facet]
