"""Proportions of facets, facts and popular words (FM, figures 4a, 4c and 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.analysis.columns import Giver, Mean, over, rate_of, rounded
from summeval_pytest.metrics.facet import Held, count_held
from summeval_pytest.metrics.texts import band_names, popularity_profile
from summeval_pytest.questions import FACETS, SCALES, Facet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.analysis.columns import StudiedPair, StudiedText
    from summeval_pytest.metrics.score import StageCounts

    Counted = Sequence[tuple[str, StageCounts | None]]


BINS: Final = (10, 100, 1000)
"""The last rank of each band, 1 for the most frequent word of the sources."""
BANDS: Final = band_names(BINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """How the words of one writer's texts are spread over the ranks of the sources' words.

    Attributes:
        system: Who wrote the texts; None for the references.
        n_texts: How many there are.
        shares: By band of ranks, the share of all words of the texts, 0 to 1; empty without a word.
    """

    system: str | None
    n_texts: int
    shares: Mapping[str, float]


def popularities(
    texts: Mapping[str | None, Sequence[str]], sources: Sequence[str]
) -> tuple[Popularity, ...]:
    """The profile of each writer's texts, all words counted alike."""
    found = []
    for writer, written in texts.items():
        shares = popularity_profile(written, sources, bins=BINS)
        told = {band: rounded(share) for band, share in zip(BANDS, shares, strict=False)}
        found.append(Popularity(system=writer, n_texts=len(written), shares=told))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts:
    """Mean counts of one writer's texts.

    Attributes:
        judge: Who listed the facts.
        system: Who wrote the texts; None for the references.
        sentences: Sentences a text.
        listed: Facts that were listed.
        facts: Those of them that differ.
        chains: Chains that these make; a fact that no other refines is one of its own.
        relations: Relations across sentences that were found; 0 where nobody was asked.
        kept_relations: Those of them that no fact comes near to.
        facts_per_sentence: Facts / sentences, over all papers.
    """

    judge: str
    system: str | None
    sentences: Mean
    listed: Mean
    facts: Mean
    chains: Mean
    relations: Mean
    kept_relations: Mean
    facts_per_sentence: Mean


def fact_counts(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[FactCounts, ...]:
    """The counts of the references and of every system by each judge."""
    every = [pair for pairs in by_system.values() for pair in pairs]
    return tuple(
        counts
        for judge in judges
        for counts in (
            _counts(judge, None, _of_references(every, judge), n_papers),
            *(
                _counts(judge, system, _of_summaries(pairs, judge), n_papers)
                for system, pairs in by_system.items()
            ),
        )
    )


def _of_summaries(pairs: Sequence[StudiedPair], judge: str) -> Counted:
    found = ((pair.group, pair.judged.get(judge)) for pair in pairs)
    return [
        (group, None if judged is None or judged.facts is None else judged.facts.candidate)
        for group, judged in found
    ]


def _of_references(pairs: Sequence[StudiedPair], judge: str) -> Counted:
    """The counts of each paper's reference, which are the same for every system."""
    found: dict[str, tuple[str, StageCounts]] = {}
    for pair in pairs:
        judged = pair.judged.get(judge)
        if judged is not None and judged.facts is not None:
            found.setdefault(pair.paper, (pair.group, judged.facts.reference))
    return list(found.values())


def _counts(judge: str, system: str | None, found: Counted, n_papers: int) -> FactCounts:
    def mean(name: str) -> Mean:
        return over(
            n_papers,
            [(group, float(getattr(of, name)) if of else None) for group, of in found],
        )

    known = [(group, of.n_facts, of.n_sentences) for group, of in found if of]
    return FactCounts(
        judge=judge,
        system=system,
        sentences=mean("n_sentences"),
        listed=mean("n_listed"),
        facts=mean("n_facts"),
        chains=mean("n_chains"),
        relations=mean("n_relations"),
        kept_relations=mean("n_kept_relations"),
        facts_per_sentence=rate_of(known, n_of=n_papers),
    )


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
