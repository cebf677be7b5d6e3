"""A conflict of a claim with its evidence, and how it is written in a reason and read from it.

`text/contradictions.py` finds those of numbers, `copies.py` those of one word in a near copy. In
other sentences only numbers are compared, so a claim without a conflict may still be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from summeval_pytest.text.contradictions import Contradiction

ASKS: Final = "conflict, needs an LLM or a person"
"""How a reason begins that rests on a conflict: rules see it, a reader has to decide."""
ConflictKind = Literal["number", "unit", "swap", "change", "direction", "negation"]
_WRITTEN = re.compile(rf"""{ASKS}: (\w+): ('.*?'|".*?")(?: (?:against|and) ('.*?'|".*?"))?""")
"""The beginning of `Conflict.reason`."""
_ADDED = re.compile(
    r"; the source has '(?P<instead>.*?)' for '(?P<says>.*?)'"
    r"|; not found in the source: (?P<missing>[^;]*)"
)
"""What `faithfulness` adds to the reason of another judge."""


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
    def reason(self) -> str:
        """The reason for a verdict that rests on it."""
        return f"{ASKS}: {self}"

    def evidence_in(self, texts: Sequence[str], evidence: tuple[int, ...]) -> tuple[int, ...]:
        """The place of its sentence among these texts, then the other evidence."""
        first = () if self.sentence is None else (texts.index(self.sentence),)
        return tuple(dict.fromkeys((*first, *evidence)))

    def __str__(self) -> str:
        if self.kind == "swap":
            return f"swap: {self.says!r} and {self.instead!r} have changed places"
        return f"{self.kind}: {self.says!r} against {self.instead!r}"


def in_conflict(reason: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the claim says, and what the evidence says, by the reason of a conflict."""
    match = _WRITTEN.match(reason)
    if match is None:
        added = list(_ADDED.finditer(reason))
        missing = [text for each in added for text in re.findall("'(.*?)'", each["missing"] or "")]
        says = [each["says"] for each in added if each["says"]]
        return (*says, *missing), tuple(each["instead"] for each in added if each["instead"])
    kind, *quoted = match.groups()
    texts = tuple(text[1:-1] for text in quoted if text)
    return (texts, texts) if kind == "swap" else (texts[:1], texts[1:])


def in_number(each: Contradiction) -> Conflict:
    """The conflict of a number with the one in whose place it stands."""
    says, partner = each.number.text, each.partner
    return Conflict(kind=each.kind, says=says, instead=partner.text, sentence=partner.sentence)
