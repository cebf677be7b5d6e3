"""A conflict of a claim with its evidence, and the words of reasons.

`text/contradictions.py` finds those of numbers, `copies.py` those of one word in a near copy. In
other sentences only numbers are compared, so a claim without a conflict may still be wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from summeval_pytest.questions import Dispute
from summeval_pytest.text.contradictions import Contradiction
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.words import known_tokens, stem

ConflictKind = Literal["number", "unit", "swap", "change", "direction", "negation"]


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
        return self.kind in {"number", "unit", "swap", "change"}

    @property
    def disputes(self) -> tuple[Dispute, ...]:
        """What a page marks in the claim, and in the evidence."""
        here, there = (self.says, self.instead), (self.instead, self.says)
        return (here, there) if self.kind == "swap" else (here,)

    def evidence_in(self, texts: Sequence[str], evidence: tuple[int, ...]) -> tuple[int, ...]:
        """The place of its sentence among these texts, then the other evidence."""
        first = () if self.sentence is None else (texts.index(self.sentence),)
        return tuple(dict.fromkeys((*first, *evidence)))

    def __str__(self) -> str:
        if self.kind == "swap":
            return f"swap: {self.says!r} and {self.instead!r} have changed places"
        return f"{self.kind}: {self.says!r} instead of {self.instead!r}"


_NAMED: Final = 5
"""So many words that were not found are named."""
_LONGEST: Final = 40
"""Characters of the longest of them; a longer one is cut."""


def words_found(text: str, missing: Collection[str]) -> str:
    """Which words of a text were not found, by their stems: "words not found: leek and 2 more"."""
    if not missing:
        return "all words found"
    written = {stem(token.replace(",", "")): token for token in reversed(known_tokens(text))}
    written |= {f"{figure.size:g}": figure.text for figure in find_quantities(text)}
    named = [*dict.fromkeys(one_line(written[word], _LONGEST) for word in missing)]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"words not found: {', '.join(named[:_NAMED])}{more}"


def in_number(each: Contradiction) -> Conflict:
    """The conflict of a number with the one in whose place it stands."""
    says, partner = each.number.text, each.partner
    return Conflict(kind=each.kind, says=says, instead=partner.text, sentence=partner.sentence)
