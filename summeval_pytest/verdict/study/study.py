"""A study: every analysis of a suite's pairs that was asked for, and who was studied."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from summeval_pytest.verdict.study.associations import Association, associations
from summeval_pytest.verdict.study.effects import Effect, effects
from summeval_pytest.verdict.study.effort import EffortOf, Seconds, efforts
from summeval_pytest.verdict.study.facets import (
    FacetMeans,
    FacetProportions,
    facet_means,
    facet_proportions_of,
)
from summeval_pytest.verdict.study.facts import FactCounts, fact_counts
from summeval_pytest.verdict.study.hallucination import HallucinationRate, hallucination_rates
from summeval_pytest.verdict.study.popularity import Popularity, popularities
from summeval_pytest.verdict.study.preference import JudgeHeat, judge_heats
from summeval_pytest.verdict.study.profiles import Profile, profiles
from summeval_pytest.verdict.study.spread import Spread, spreads
from summeval_pytest.verdict.study.standing import Standing, standings
from summeval_pytest.verdict.study.texts import LENGTHS, NOVELTY, NUMBERS, READABILITY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair, StudiedText

Analysis = Literal[
    "systems", "ratings", "hallucination", "judges", "spread", "effects", "proportions", "facts",
    "numbers", "lengths", "novelty", "readability", "associations", "popularity", "effort",
]  # fmt: skip
ANALYSES: Final[tuple[Analysis, ...]] = get_args(Analysis)
"""In the order shown."""
OF_TEXTS: Final[frozenset[Analysis]] = frozenset(
    {"numbers", "lengths", "novelty", "readability", "popularity"}
)
"""The analyses that need no judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedJudge:
    """Who judged.

    Attributes:
        name: As the user named it.
        signature: Its signature.
        family: Its family.
        recipes: By metric, the recipe of its numbers: those of two studies compare only where it is
            the same.
    """

    name: str
    signature: str
    family: str
    recipes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedSystem:
    """Who was judged.

    Attributes:
        name: The system.
        family: Its family.
        n_papers: The papers that it has a summary of, or was asked for one.
    """

    name: str
    family: str
    n_papers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything that a study found; what was not asked for is empty.

    Attributes:
        suite: The suite as the user named it.
        fingerprint: That of its papers.
        n_papers: The papers of the suite; a system may lack some.
        judges: Who judged.
        systems: Who was judged.
        analyses: What was asked for.
        reading: The rules by which texts were read, for the numbers that texts alone give.
    """

    suite: str
    fingerprint: str
    n_papers: int
    judges: tuple[StudiedJudge, ...]
    systems: tuple[StudiedSystem, ...]
    analyses: tuple[Analysis, ...]
    reading: str = ""
    standings: tuple[Standing, ...] = ()
    ratings: tuple[FacetMeans, ...] = ()
    hallucination: tuple[HallucinationRate, ...] = ()
    heats: tuple[JudgeHeat, ...] = ()
    spreads: tuple[Spread, ...] = ()
    effects: tuple[Effect, ...] = ()
    proportions: tuple[FacetProportions, ...] = ()
    facts: tuple[FactCounts, ...] = ()
    numbers: tuple[Profile, ...] = ()
    lengths: tuple[Profile, ...] = ()
    novelty: tuple[Profile, ...] = ()
    readability: tuple[Profile, ...] = ()
    associations: tuple[Association, ...] = ()
    popularity: tuple[Popularity, ...] = ()
    efforts: tuple[EffortOf, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a study is made of.

    Attributes:
        pairs: Every pair of the systems, each system's papers in any order.
        references: The references.
        written: The texts of each system, and under None the references, for word popularity.
        sources: The sources of all papers, for word popularity.
    """

    pairs: Sequence[StudiedPair]
    references: Sequence[StudiedText]
    written: Mapping[str | None, Sequence[str]]
    sources: Sequence[str]


def study_of(empty: Study, material: Material) -> tuple[Study, tuple[Seconds, ...]]:
    """The study with every analysis that it asks for, and the seconds of each of its efforts.

    Args:
        empty: Who was studied, and what is asked for.
        material: What it is made of.
    """
    names = [judge.name for judge in empty.judges]
    n_papers, pairs = empty.n_papers, material.pairs
    by_system = {
        system.name: [pair for pair in pairs if pair.system == system.name]
        for system in empty.systems
    }
    by_writer: dict[str | None, Sequence[StudiedText]] = {None: material.references}
    by_writer |= {system: [pair.text for pair in of] for system, of in by_system.items()}
    families = (
        {judge.name: judge.family for judge in empty.judges},
        {system.name: system.family for system in empty.systems},
    )
    makers: dict[Analysis, tuple[str, Callable[[], object]]] = {
        "systems": ("standings", lambda: standings(by_system, names, n_papers)),
        "ratings": ("ratings", lambda: facet_means(by_system, names, n_papers)),
        "hallucination": (
            "hallucination",
            lambda: hallucination_rates(by_system, names, n_papers),
        ),
        "judges": ("heats", lambda: judge_heats(by_system, names, families, n_papers)),
        "spread": ("spreads", lambda: spreads(by_system, names, n_papers)),
        "effects": ("effects", lambda: effects(by_system, names, n_papers)),
        "proportions": ("proportions", lambda: facet_proportions_of(by_writer, n_papers)),
        "facts": ("facts", lambda: fact_counts(by_system, names, n_papers)),
        "numbers": ("numbers", lambda: profiles(by_writer, NUMBERS, n_papers)),
        "lengths": ("lengths", lambda: profiles(by_writer, LENGTHS, n_papers)),
        "novelty": ("novelty", lambda: profiles(by_writer, NOVELTY, n_papers)),
        "readability": ("readability", lambda: profiles(by_writer, READABILITY, n_papers)),
        "associations": ("associations", lambda: associations(pairs, names)),
        "popularity": ("popularity", lambda: popularities(material.written, material.sources)),
    }
    found: dict[str, Any] = {
        field: make() for asked, (field, make) in makers.items() if asked in empty.analyses
    }
    seconds: tuple[Seconds, ...] = ()
    if "effort" in empty.analyses:
        found["efforts"], seconds = efforts(pairs, names)
    return replace(empty, **found), seconds
