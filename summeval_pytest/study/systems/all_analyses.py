"""The study of a suite: who is studied, families, and all analyses of the three papers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.study.systems.eva_stages import EffortOf, FactStages, efforts, fact_stages
from summeval_pytest.study.systems.farebio import (
    Association,
    Effect,
    HallucinationRate,
    JudgeHeat,
    associations,
    effects,
    hallucination_rates,
    judge_heats,
)
from summeval_pytest.study.systems.fm import (
    FacetMeans,
    FacetProportions,
    Spread,
    Standing,
    facet_means,
    facet_proportions,
    spreads,
    standings,
)
from summeval_pytest.study.systems.text_profiles import (
    LENGTHS,
    NOVELTY,
    NUMBERS,
    READABILITY,
    Popularity,
    Profile,
    popularities,
    profiles,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.study.systems.studied import Studied


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
    """The family of each judge, and that of each system, both given with the model behind a name.

    The user says ``NAME=FAMILY``; where a judge and a system have one name, it is said of both.

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
    """Who judged, with the recipe of each metric: numbers compare only where it is the same."""

    name: str
    signature: str
    family: str
    recipes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedSystem:
    """Who was judged, on so many papers that it has a summary of, or was asked for one."""

    name: str
    family: str
    n_papers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything that a study found; what was not asked for is empty.

    ``n_papers`` are the papers of the suite; a system may lack some. ``reading`` names the rules by
    which texts were read, for the numbers that texts alone give.
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
    facts: tuple[FactStages, ...] = ()
    numbers: tuple[Profile, ...] = ()
    lengths: tuple[Profile, ...] = ()
    novelty: tuple[Profile, ...] = ()
    readability: tuple[Profile, ...] = ()
    associations: tuple[Association, ...] = ()
    popularity: tuple[Popularity, ...] = ()
    efforts: tuple[EffortOf, ...] = ()


_MAKERS: Final[Mapping[Analysis, tuple[str, Callable[[Studied], object]]]] = {
    "systems": ("standings", standings),
    "ratings": ("ratings", facet_means),
    "hallucination": ("hallucination", hallucination_rates),
    "judges": ("heats", judge_heats),
    "spread": ("spreads", spreads),
    "effects": ("effects", effects),
    "proportions": ("proportions", facet_proportions),
    "facts": ("facts", fact_stages),
    "numbers": ("numbers", partial(profiles, names=NUMBERS)),
    "lengths": ("lengths", partial(profiles, names=LENGTHS)),
    "novelty": ("novelty", partial(profiles, names=NOVELTY)),
    "readability": ("readability", partial(profiles, names=READABILITY)),
    "associations": ("associations", associations),
    "popularity": ("popularity", popularities),
    "effort": ("efforts", efforts),
}
"""By analysis, the field of a study, and what fills it."""


def study_of(empty: Study, studied: Studied) -> Study:
    """The study with every analysis that it asks for."""
    chosen = (_MAKERS[analysis] for analysis in empty.analyses)
    found: dict[str, Any] = {name: make(studied) for name, make in chosen}
    return replace(empty, **found)
