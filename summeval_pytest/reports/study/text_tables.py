"""The tables of systems by numbers, and of what texts give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.grounding import HELD
from summeval_pytest.questions import FACETS
from summeval_pytest.reports.study.cells import (
    column_head,
    covered,
    interval,
    mean_cell,
    named,
    number,
    p_cell,
    stacked,
)
from summeval_pytest.reports.study.sheet import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict.study.profiles import Profile
    from summeval_pytest.verdict.study.standing import Place
    from summeval_pytest.verdict.study.study import Study

_ASSOCIATED: Final = 32
_P_VALUES: Final = (
    "p takes summaries of one paper as independent, as published; the interval does not."
    " Readability is a grade: rho > 0 says that harder texts have more of it."
)
_GIVERS: Final = {"label": "labels", "record": "recorded", "judge": "judge", "text": "texts"}


def standing_sections(study: Study) -> Iterator[Section]:
    """Systems by numbers, with ranks."""
    if not study.standings:
        return
    notes = ["(1): rank among the systems; equal means share a rank. More words are not better."]
    if any(standing.is_uneven for standing in study.standings):
        notes.append("Some ranks compare means over different papers: see n of N.")
    yield Section(
        title="Systems: mean over papers (rank)",
        head=("system", *(column_head(standing.column) for standing in study.standings)),
        rows=tuple(
            (
                named(system.name),
                *(_place_cell(standing.places[row]) for standing in study.standings),
            )
            for row, system in enumerate(study.systems)
        ),
        notes=tuple(notes),
    )


def _place_cell(place: Place) -> str:
    mean = place.mean
    rank = "" if place.rank is None else f" ({place.rank})"
    return stacked(f"{number(mean.value)}{rank}", interval(mean.low, mean.high), covered(mean))


def rating_sections(study: Study) -> Iterator[Section]:
    """Ratings of facets as shares of their scales."""
    if study.ratings:
        yield Section(
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


def proportion_sections(study: Study) -> Iterator[Section]:
    """Which share of the words each facet has."""
    if study.proportions:
        yield Section(
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


def profile_sections(study: Study) -> Iterator[Section]:
    """Numbers, lengths, novelty, readability."""
    yield from _profile(
        study.numbers,
        "Numbers a text, and in 100 words of all texts together",
        ("Numbers in digits; placeholders of formulas are left out.",),
    )
    yield from _profile(
        study.lengths,
        "Lengths in words, mean over papers",
        ("compression: source / text; of reference: text / reference.",),
    )
    yield from _profile(
        study.novelty,
        "Novelty: share of a text's n-grams that its source lacks, n = 1 to 4",
        ("repetition: share of 4-grams that the text has had before.",),
    )
    lacking = (
        ()
        if any(profile.means["Dale-Chall"].n for profile in study.readability)
        else ("Dale-Chall needs --familiar FILE, the familiar words, one a line.",)
    )
    yield from _profile(
        study.readability,
        "Readability as grade levels: higher is harder to read",
        lacking,
    )


def _profile(profiles: Sequence[Profile], title: str, notes: tuple[str, ...]) -> Iterator[Section]:
    if profiles:
        names = tuple(profiles[0].means)
        yield Section(
            title=title,
            head=("writer", *names),
            rows=tuple(
                (named(profile.system), *(mean_cell(profile.means[name]) for name in names))
                for profile in profiles
            ),
            notes=notes,
        )


def association_sections(study: Study) -> Iterator[Section]:
    """Novelty, difficulty and hallucination."""
    if study.associations:
        yield Section(
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


def popularity_sections(study: Study) -> Iterator[Section]:
    """How common the words are."""
    if study.popularity:
        bands = tuple(next((each.shares for each in study.popularity if each.shares), {}))
        yield Section(
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
