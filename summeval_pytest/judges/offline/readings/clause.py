"""One clause of a sentence, as the embedded judge reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.readings.sides import Sides


@dataclass(slots=True, eq=False)
class Clause:
    """A clause of a sentence.

    Attributes:
        tokens: Its words, as written in lower case.
        stems: Its informative stems with their rarity, without directions and generic words.
        ends: By scale, the end that its words point to: +1, -1, or 0 where they point to both.
        denied: The informative stems that a negation stands before.
        found: The stems of its findings.
        missed: The stems of findings that it denies.
        opposable: The words that have an opposite, as they stand and not denied.
        total: The weight of its stems that are no numbers.
        change: Which way it goes by its numbers, where it says so in no word; else 0.
        relation: Whether two things are said to grow together (1), or one at the other's cost (-1).
        sides: The two groups that it compares, where it does.
        rank: Whether the first of the two has more (1) or less (-1) of what is compared.
        is_negated: Whether it has any negation.
        is_null: Whether it denies a finding ("could not be told apart", p = 0.4).
        states: Whether it states a difference or an effect, by a direction or outright.
        asks: Whether it asks or supposes, and claims nothing.
    """

    tokens: tuple[str, ...] = ()
    stems: dict[str, float] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    denied: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()
    missed: frozenset[str] = frozenset()
    opposable: frozenset[str] = frozenset()
    total: float = 0.0
    change: int = 0
    relation: int = 0
    sides: Sides | None = None
    rank: int = 0
    is_negated: bool = False
    is_null: bool = False
    states: bool = False
    asks: bool = False

    def told(self, sentence: str) -> str:
        """The clause as it stands in its sentence."""
        words = r"\W*".join(map(re.escape, self.tokens)) + r"(?:[.!?]\Z)?"
        found = re.search(words, sentence, re.IGNORECASE)
        return found.group() if found else " ".join(self.tokens)
