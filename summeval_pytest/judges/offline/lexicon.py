"""What the embedded judge has learned: plain arrays that ship with it, the recipe beside each.

`weights/NAME.npz` holds arrays of numbers and nothing that runs; `weights/NAME.json` says which
data they were fitted to, by which command, and how well they did on what they had not seen.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib import resources
from math import exp
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from summeval_pytest.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@lru_cache
def learned(name: str) -> Mapping[str, NDArray[np.generic]]:
    """The arrays of one model, by name; read once in a process.

    Args:
        name: ``roles``, ``rarity``, ...: a file in the folder ``weights`` beside this module.
    """
    path = resources.files("summeval_pytest.judges.offline").joinpath("weights", f"{name}.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        return MappingProxyType({key: arrays[key] for key in arrays.files})


STEPS: Final = 1000
"""Weights ship in thousandths, so that they are the same numbers everywhere."""


@lru_cache
def _weights(model: str) -> tuple[tuple[float, ...], float]:
    *weights, start = (int(step) / STEPS for step in learned(model)["weights"])
    return tuple(weights), start


def logit(model: str, shares: Sequence[float]) -> float:
    """The logarithm of the odds; above 0 where the chance is above one half.

    Args:
        model: The name of what was learned; its weights, the start last.
        shares: As many as it has weights.
    """
    weights, start = _weights(model)
    return start + sum(weight * share for weight, share in zip(weights, shares, strict=True))


def chance(odds: float) -> float:
    """The chance, 0 to 1, of which ``odds`` is the logit."""
    return 1.0 / (1.0 + exp(-odds))


N_PLACES: Final = 1 << 16
RARITY_STEPS: Final = 255
"""Rarity is kept in so many steps."""


def place_of(word: str) -> int:
    """The place of a stem in a table of `N_PLACES`."""
    return crc32(word.encode()) % N_PLACES


@lru_cache(maxsize=65536)
def rarity(word: str) -> float:
    """How rare a stem is, 0 (in every text) to 1 (in none)."""
    return int(learned("rarity")["steps"][place_of(word)]) / RARITY_STEPS


ORDER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys("before preceded preceding precedes prior".split(), "before")
    | dict.fromkeys("after followed following follows afterwards".split(), "after")
)
"""Words that say which of two came first, by what they mean."""

GENERIC: Final = frozenset(
    stem(word)
    for word in (
        "study studies paper article work research result results finding findings show shows"
        " showed shown found find"
        " use used using method methods approach analysis data show report reported reports"
        " author authors present"
        " presented investigate investigated examine examined evaluate evaluated assess"
        " assessed compare compared"
        " comparison group groups respectively significant significantly significance"
        " difference differences"
        " different effect effects increase increased decrease decreased higher lower level"
        " levels value values"
        " mean median total number measure measured measurement test tested sample samples"
        " case cases time period"
        " patient patients participant participants subject subjects model models system"
        " systems large small"
        " important role well based include included including associated association related"
        " relation suggest"
        " suggests conclude conclusion potential new high low first second one two three four"
        " however therefore"
        " many several various among change changes changed observed performed obtained known"
        " common provide"
        " provides remain remains need needed further future rate rates percent per increase"
        " reduce reduced"
    ).split()
)
"""Stems so common in abstracts that sharing them says little."""

LIGHT: Final = frozenset(
    stem(word)
    for word in (
        "say says said tell tells telling told claim claims claimed announce announced"
        " announces reveal revealed reveals add added adds admit admitted admits believe"
        " believed believes think thinks thought want wants wanted get gets got getting gotten"
        " make makes made making take takes took taken taking give gives gave given giving go"
        " goes went gone going come comes came coming put puts set sets use uses used using show"
        " shows showed shown know knows knew known call calls called see sees saw seen look"
        " looks looked find finds found keep keeps kept hold holds held become becomes became"
        " start starts started begin begins began begun need needs needed try tries tried happen"
        " happens happened occur occurs occurred involve involves involved receive receives"
        " received include includes included due part place face faces faced leave leaves left"
        " let lets move moves moved bring brings brought turn turns turned run runs ran appear"
        " appears appeared seem seems seemed done plan plans planned aim aims aimed agree agrees"
        " agreed ask asks asked decide decides decided return returns returned lead leads led"
        " end ends ended carry carries carried remain remains remained stay stays stayed conduct"
        " conducts conducted perform performs performed provide provides provided observe"
        " observes observed report reports reported"
    ).split()
)
"""Stems of verbs and nouns that stand for many others ("took part", "was found to be")."""


@cache
def opposites() -> Mapping[str, Mapping[int, bool]]:
    """By word: the lines of ``opposites.txt`` that have it, and whether it stands on their left."""
    text = resources.files("summeval_pytest.judges.offline").joinpath("opposites.txt")
    table: dict[str, dict[int, bool]] = {}
    for number, line in enumerate(text.read_text(encoding="utf-8").splitlines()):
        left, mark, right = line.partition(" > ")
        if mark and not line.startswith("#"):
            for side, words in ((True, left), (False, right)):
                for word in words.split():
                    table.setdefault(word, {})[number] = side
    return table
