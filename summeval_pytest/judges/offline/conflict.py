"""One disagreement between a claim and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from summeval_pytest.text import one_line

NOWHERE: Final = "nowhere in the evidence"
"""What stands instead of a number that nothing replaces."""
ASKS: Final = "conflict, needs an LLM or a person"
"""How a reason begins that rests on a conflict: rules see it, a reader has to decide."""
_SHOWN: Final = 120
"""So many characters of a sentence are shown."""

ConflictKind = Literal["number", "unit", "swap", "direction", "negation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One disagreement: what the claim says, and what the evidence says instead.

    ``sentence`` is the one to read, where a whole sentence of the evidence can be named.
    """

    kind: ConflictKind
    says: str
    instead: str
    sentence: str | None = None

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is read off numbers."""
        return self.kind in {"number", "unit", "swap"}

    @property
    def told(self) -> str:
        """The reason that it makes."""
        return f"{ASKS}: {self}"

    def __str__(self) -> str:
        if self.instead == NOWHERE:
            return f"{self.kind}: {self.says!r} is {NOWHERE}"
        return f"{self.kind}: {self.says!r} against {self.instead!r}"


def between(kind: ConflictKind, claim: str, sentence: str) -> Conflict:
    """The conflict of a claim with a whole sentence of the evidence."""
    says, instead = one_line(claim, _SHOWN), one_line(sentence, _SHOWN)
    return Conflict(kind=kind, says=says, instead=instead, sentence=sentence)
