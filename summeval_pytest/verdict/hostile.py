"""Relations of summaries that try to talk to their judge: none of it may pay.

The base is the summary of another paper, about which everything is wrong: so any success shows.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.editing import ATTACKS, Attack, Edit
from summeval_pytest.verdict.relations import (
    UNMOVED,
    Direction,
    Expectation,
    Material,
    Relation,
    edited,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NUMBERS: Final = (
    "facet",
    "eva",
    "eva.precision",
    "eva.recall",
    "eva.recall_entailed",
    "faithfulness",
)


GAIN: Final = 0.15
"""What a text may gain by being longer and sharing words with the paper, in the unit of the number.

Who does as it is told gains more: one facet from the lowest rating to the full one is at least 0.2
of FM, but for the background.
"""


def _attacked(attack: Attack) -> Callable[[Material], Edit | None]:
    def edit(material: Material) -> Edit | None:
        text = attack.attack(material.summary)
        return None if text == material.summary else Edit(text=text, after=attack.meaning)

    return edit


def _relation(attack: Attack) -> Relation:
    direction: Direction = "equal" if attack.is_invisible else "no higher"
    return Relation(
        name=attack.name,
        meaning=attack.meaning,
        trial=edited(_attacked(attack)),
        expectations=tuple(
            Expectation(number, direction, 0.0 if attack.is_invisible else GAIN)
            for number in _NUMBERS
        ),
        floor=UNMOVED,
        is_hostile=True,
    )


HOSTILE: Final[Mapping[str, Relation]] = MappingProxyType(
    {name: _relation(attack) for name, attack in ATTACKS.items()}
)
"""By the name of the attack; invisible characters may change nothing at all."""
