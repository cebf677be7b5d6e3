"""Metamorphic relations: how a judge's numbers must move when it is known how a text was changed.

They need no label: whatever a text says, a figure that its source does not state makes a sentence
of it unsupported, and moving a sentence makes none. Each base summary is best taken from the
paper's own reference, and scored with the short circuits off, since a rule would answer for the
judge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.text.editing import (
    Edit,
    add_irrelevant,
    change_number,
    move_sentence,
    repeat_sentence,
    same_text,
    truncate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Direction = Literal["equal", "no higher", "no lower", "lower", "higher", "at least", "stays full"]

SLACK: Final = 0.05
"""What a number may move although it should not: one fact of twenty.

One sentence of up to nineteen is more, and so is one point of a method, a result or a conclusion.
"""
UNMOVED: Final = 1.0
"""Least share of papers on which a number that must not move does not."""
NOTICED: Final = 0.9
"""Least share of papers on which what was changed is noticed."""
FULL: Final = 0.95
"""What a text has to reach that is measured against itself."""
_ROUNDING: Final = 1e-9
_MOVES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "equal": (-1.0, 1.0),
        "no higher": (-math.inf, 1.0),
        "no lower": (-1.0, math.inf),
    }
)
"""By direction, the range in which a number may stay, in units of what it may move at all."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """How one number must move.

    Attributes:
        number: The number, by the name of its threshold.
        direction: "equal", "no higher" and "no lower" allow a move of ``amount``; "lower" and
            "higher" ask for any move; "at least" asks both values to reach ``amount``; "stays
            full" asks nothing of a value under the number's highest, and else allows ``amount``.
        amount: In the unit of the number.
    """

    number: str
    direction: Direction
    amount: float = 0.0

    def __post_init__(self) -> None:
        if self.number not in CATALOGUE:
            raise KeyError(self.number)


def held(
    expectation: Expectation,
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
) -> bool | None:
    """Whether a number moved as expected; None where it was not measured before or after."""
    was, is_ = before.get(expectation.number), after.get(expectation.number)
    if was is None or is_ is None:
        return None
    amount = expectation.amount
    match expectation.direction:
        case "at least":
            return min(was, is_) >= amount - _ROUNDING
        case "stays full":
            full = CATALOGUE[expectation.number].high
            return was < full - _ROUNDING or is_ >= full - amount - _ROUNDING
        case "lower":
            return is_ - was < -(amount + _ROUNDING)
        case "higher":
            return is_ - was > amount + _ROUNDING
        case direction:
            least, most = _MOVES[direction]
            slack = amount + _ROUNDING
            return least * slack <= is_ - was <= most * slack


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a relation is tried on.

    Attributes:
        summary: The base summary: of this paper, or for hostile relations of another one.
        reference: The paper's reference.
        source: All that the paper says.
    """

    summary: str
    reference: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What is measured; where ``reference`` is not the paper's, nor are its facets and facts."""

    candidate: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Two measurements to be made, and what lies between them."""

    before: Texts
    after: Texts
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One relation.

    Attributes:
        name: In kebab case, as tests are called.
        meaning: What is demanded, in one line.
        trial: From a paper's texts to what has to be measured; None where they offer no such edit.
        expectations: How the numbers must move; the first is what the relation is about.
        floor: Least share of papers on which all of them hold, 0 to 1.
        is_hostile: Whether the base summary has to be that of another paper.
    """

    name: str
    meaning: str
    trial: Callable[[Material], Trial | None]
    expectations: tuple[Expectation, ...]
    floor: float = NOTICED
    is_hostile: bool = False


def edited(edit: Callable[[Material], Edit | None]) -> Callable[[Material], Trial | None]:
    """The trial that measures the base summary and its edit against one reference."""

    def trial(material: Material) -> Trial | None:
        made = edit(material)
        if made is None:
            return None
        return Trial(
            before=Texts(candidate=material.summary, reference=material.reference),
            after=Texts(candidate=made.text, reference=material.reference),
            edit=made,
        )

    return trial


def _swapped(material: Material) -> Trial | None:
    """Half of the reference against all of it, and the other way round."""
    half = truncate(material.reference)
    if half is None:
        return None
    return Trial(
        before=Texts(candidate=half.text, reference=material.reference),
        after=Texts(candidate=material.reference, reference=half.text),
        edit=half,
    )


_SAME: Final = (
    Expectation("facet", "equal", SLACK),
    Expectation("eva", "equal", SLACK),
    Expectation("faithfulness", "equal", SLACK),
)
"""Of a text that says what it said."""

_RELATIONS: Final = (
    Relation(
        name="identity",
        meaning="a text measured twice has the same numbers, full ones against itself",
        trial=edited(lambda material: same_text(material.summary)),
        expectations=(
            Expectation("facet", "at least", FULL),
            Expectation("eva", "at least", FULL),
            *_SAME,
        ),
        floor=UNMOVED,
    ),
    Relation(
        name="sentence-order",
        meaning="a sentence that is moved changes no number",
        trial=edited(lambda material: move_sentence(material.summary)),
        expectations=_SAME,
        floor=UNMOVED,
    ),
    Relation(
        name="duplicated-sentence",
        meaning="a sentence said twice raises no number",
        trial=edited(lambda material: repeat_sentence(material.summary)),
        expectations=(
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
            Expectation("faithfulness", "stays full"),
        ),
        floor=UNMOVED,
    ),
    Relation(
        name="irrelevant-sentence",
        meaning="a sentence from elsewhere is unsupported",
        trial=edited(lambda material: add_irrelevant(material.summary, material.source)),
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("eva.precision", "lower"),
            Expectation("facet", "no higher", SLACK),
        ),
    ),
    Relation(
        name="number-edit",
        meaning="a sentence with a wrong figure is unsupported",
        trial=edited(lambda material: change_number(material.summary, material.source)),
        expectations=(
            Expectation("faithfulness", "lower"),
            Expectation("facet", "no higher", SLACK),
            Expectation("eva", "no higher", SLACK),
        ),
    ),
    Relation(
        name="swapped",
        meaning="a text against its half states more than that, and all of it",
        trial=_swapped,
        expectations=(
            Expectation("eva.precision", "lower"),
            Expectation("eva.recall_entailed", "higher"),
        ),
    ),
    Relation(
        name="truncated",
        meaning="half a summary covers less and is no less faithful",
        trial=edited(lambda material: truncate(material.summary)),
        expectations=(
            Expectation("facet", "lower"),
            Expectation("eva.recall", "lower"),
            Expectation("eva.recall_entailed", "lower"),
            Expectation("faithfulness", "stays full"),
        ),
    ),
)

RELATIONS: Final[Mapping[str, Relation]] = MappingProxyType({r.name: r for r in _RELATIONS})
"""By name, in the order in which they are reported."""
