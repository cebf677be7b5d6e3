"""Facts checked against premises, whole chains together and from the root on.

A request shows all premises and some facts; a fact that refines another is judged by what it adds,
so the other is shown even where it is not asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import Kind, instructions
from summeval_pytest.judges.llm.json_reading import (
    UnreadableError,
    choice,
    fields,
    listed,
    read_object,
    whole_number,
    words,
)
from summeval_pytest.judges.llm.material import block, numbered, shown
from summeval_pytest.judges.llm.schema import array, integer, one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, read_entries, span
from summeval_pytest.questions import Fact, FactCheck, Settled
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FACTS_PER_REQUEST: Final = 15
FACTS_PER_REQUEST_AT_MOST: Final = 25
"""Where enough premises do, replies are shorter."""

ENTAILED: Final = "entailed"
NOT_ENTAILED: Final = "not_entailed"
_DECISIONS: Final[Mapping[bool | None, str]] = MappingProxyType(
    {True: ENTAILED, False: NOT_ENTAILED, None: "undecided"}
)
_KEYS: Final = ("id", "reason", "premises", "label")
_SHAPES: Final = (integer(), text(), array(integer()), one_of((ENTAILED, NOT_ENTAILED)))
_SCHEMA: Final = schema(
    "fact_checks", record({"checks": array(record(dict(zip(_KEYS, _SHAPES, strict=True))))})
)


@dataclass(frozen=True, slots=True)
class FactSheet:
    """Facts to check, and the premises to check them against.

    With ``earlier`` verdicts the request is of another kind; without, it is what it always was.
    """

    facts: tuple[Fact, ...]
    premises: tuple[str, ...]
    every_premise: bool = True
    earlier: tuple[Settled, ...] = ()

    @property
    def topic(self) -> str:
        """The kind, and the first fact."""
        return f"fact checks {one_line(self.facts[0].text, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The chains: a fact that refines none, and all that refine it or each other."""
        root_of: list[int] = []
        chains: dict[int, list[int]] = {}
        for place in range(len(self.facts)):
            parent = self._parent(place)
            root_of.append(place if parent is None else root_of[parent])
            chains.setdefault(root_of[place], []).append(place + 1)
        return tuple(tuple(chain) for chain in chains.values())

    @property
    def size(self) -> int:
        """How many facts a request may hold."""
        return FACTS_PER_REQUEST if self.every_premise else FACTS_PER_REQUEST_AT_MOST

    def draft(self, ids: Sequence[int]) -> Draft:
        """The premises, then the facts."""
        parents = {id_: self._parent(id_ - 1) for id_ in ids}
        shown_too = sorted({p + 1 for p in parents.values() if p is not None} - set(ids))
        lines = []
        for id_ in ids:
            parent = parents[id_]
            refining = "" if parent is None else f"(refines [{parent + 1}]) "
            lines.append(f"[{id_}] {refining}{shown(self.facts[id_ - 1].text)}")
        blocks = [block("premises", numbered(self.premises))]
        if self.earlier:
            told = (f"{_DECISIONS[one.holds]}: {shown(one.text)}" for one in self.earlier)
            blocks.append(block("earlier", told))
        if shown_too:
            texts = [fact.text for fact in self.facts]
            blocks.append(block("context", numbered(texts, shown_too)))
        wanted = "all premises that carry it" if self.every_premise else "enough premises"
        blocks += [
            block("facts", lines),
            f"Check facts: {span(ids)}. For each entailed fact name {wanted}.",
        ]
        kind: Kind = "fact_checks_in_chain" if self.earlier else "fact_checks"
        return Draft(system=instructions(kind), user="\n\n".join(blocks), schema=_SCHEMA)

    def read(self, text: str, ids: Sequence[int]) -> Read[FactCheck]:
        """The checks in a reply."""
        reply = fields(read_object(text), ("checks",), "the reply")
        return read_entries(reply["checks"], ids, self._read_check)

    def _parent(self, place: int) -> int | None:
        """The fact that one refines; None where none stands before it."""
        parent = self.facts[place].parent
        return parent if parent is not None and 0 <= parent < place else None

    def _read_check(self, entry: object, what: str) -> FactCheck:
        check = fields(entry, _KEYS, what)
        label = choice(check["label"], (ENTAILED, NOT_ENTAILED), f"{what}: label")
        numbers = [whole_number(n, f"{what}: premise") for n in listed(check["premises"], what)]
        for number in numbers:
            if not 1 <= number <= len(self.premises):
                told = f"{what}: premise {number} of {len(self.premises)}"
                raise UnreadableError("off_scale", told)
        if label == ENTAILED and not numbers:
            raise UnreadableError("off_scale", f"{what} is entailed by no premise")
        return FactCheck(
            reason=words(check["reason"], f"{what}: reason"),
            entailed=label == ENTAILED,
            premises=tuple(dict.fromkeys(number - 1 for number in numbers)),
        )
