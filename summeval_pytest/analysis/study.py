"""The study of a suite: systems, families, profiles, and all analyses of the three papers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from summeval_pytest.analysis.columns import (
    COUNTED,
    COUNTED_WORDS,
    LENGTHS,
    NOVELTY,
    NUMBERS,
    PER_100_WORDS,
    READABILITY,
    Mean,
    Spread,
    Standing,
    over,
    rate_of,
    spreads,
    standings,
)
from summeval_pytest.analysis.effects import (
    Association,
    Effect,
    EffortOf,
    HallucinationRate,
    JudgeHeat,
    Seconds,
    associations,
    effects,
    efforts,
    hallucination_rates,
    judge_heats,
)
from summeval_pytest.analysis.proportions import (
    FacetMeans,
    FacetProportions,
    FactCounts,
    Popularity,
    facet_means,
    facet_proportions_of,
    fact_counts,
    popularities,
)
from summeval_pytest.errors import OptionError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.analysis.columns import StudiedPair, StudiedText


_STEM = re.compile(r"[^\W\d_]+")


def stem_of(name: str) -> str:
    """The first run of letters of a model's name, behind a vendor's, in lower case.

    >>> stem_of("openai/GPT-4o-2024-08-06"), stem_of("llama2_70b"), stem_of("7")
    ('gpt', 'llama', '7')
    """
    last = name.rsplit("/", 1)[-1]
    found = _STEM.search(last)
    return (found.group() if found else last).lower()


def families_of(
    judges: Mapping[str, str], systems: Mapping[str, str], told: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The family of each judge, and that of each system.

    Args:
        judges: By name, the model that judges, or the name again.
        systems: By name, the model behind it, or the name again.
        told: What the user says, ``NAME=FAMILY`` each; where a judge and a system have one name,
            it is said of both.

    Raises:
        OptionError: for a text that says nothing, for a name that nobody has, and for two families
            of one name.
    """
    families = tuple({name: stem_of(of[name]) for name in of} for of in (judges, systems))
    told_of: dict[str, str] = {}
    for text in told:
        name, _, family = text.rpartition("=")
        if not name or not family:
            raise OptionError(f"--family={text}: no family; write NAME=FAMILY, as gpt35=openai")
        if not any(name in of for of in families):
            raise OptionError(
                f"--family={text}: no judge or system {name!r} is studied;"
                f" {nearest(name, {*judges, *systems})}"
            )
        if family.lower() != told_of.setdefault(name, family.lower()):
            raise OptionError(
                f"--family={text}: {name!r} is of family {told_of[name]!r} already; leave one out"
            )
        for of in families:
            if name in of:
                of[name] = family.lower()
    return families[0], families[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The means of one writer's texts.

    Attributes:
        system: Who wrote them; None for the references.
        means: By the names of the numbers.
    """

    system: str | None
    means: Mapping[str, Mean]


def profiles(
    by_writer: Mapping[str | None, Sequence[StudiedText]], names: Sequence[str], n_papers: int
) -> tuple[Profile, ...]:
    """The means of each writer's texts over papers.

    Args:
        by_writer: The texts of each system, and under None the references.
        names: The numbers, of `TEXT_NUMBERS`.
        n_papers: How many papers there are.
    """
    return tuple(
        Profile(
            system=writer,
            means={name: _mean(name, texts, n_papers) for name in names},
        )
        for writer, texts in by_writer.items()
    )


def _mean(name: str, texts: Sequence[StudiedText], n_papers: int) -> Mean:
    if name != PER_100_WORDS:
        return over(n_papers, [(text.group, text.numbers.get(name)) for text in texts])
    known = [
        (text.group, text.numbers[COUNTED] * 100, text.numbers[COUNTED_WORDS])
        for text in texts
        if COUNTED_WORDS in text.numbers
    ]
    return rate_of(known, n_of=n_papers)


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
