"""Typed reading of one JSON object or TOML table, key by key, with a place for every mistake."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard, TypeVar

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.names import closest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from summeval_pytest.errors import Place

OWN_KEYS: Final = "x_"
"""What the keys begin with that a suite's owner may use freely."""

ChoiceT = TypeVar("ChoiceT", bound=str)

MOST: Final = 10**15 - 1
"""The largest whole number that a file may hold where no other bound is set."""
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The keys and values of one object.

    Attributes:
        values: As the file has them.
        owner: What the object is, in words that a message can go on from.
        where: The place of a key.
    """

    values: Mapping[str, object]
    owner: str
    where: Callable[[str], Place]

    def only(self, known: Collection[str]) -> None:
        """Refuse every key that is neither known nor the owner's own (``x_``)."""
        for key in self.values:
            if key not in known and not key.startswith(OWN_KEYS):
                raise self.fault(
                    key, f"unknown key {brief(key)} in {self.owner}; {closest(key, known)}"
                )

    def fault(self, key: str, message: str) -> SuiteError:
        """A mistake at a key."""
        return SuiteError(self.where(key), message)

    def wrong(self, key: str, value: object, expected: str) -> SuiteError:
        """A value at a key that is not what was expected there."""
        return self.fault(key, f"{key!r} of {self.owner} is {brief(value)}; write {expected}")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def value(self, key: str, expected: str) -> object:
        """The value as it is; the key must be there."""
        if key not in self.values:
            raise self.fault(key, f"{self.owner} has no {key!r}; add the key with {expected}")
        return self.values[key]

    def text(self, key: str, *, remedy: str = "write a text") -> str:
        """A text with a visible character; ``remedy`` is what to do where it has none."""
        value = self.value(key, "a text")
        return self.visible(key, value, remedy=remedy)

    def visible(self, key: str, value: object, *, remedy: str = "write a text") -> str:
        """The value as a text with at least one visible character, wherever under the key."""
        if not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        if not is_visible(value):
            raise self.fault(key, f"{key!r} of {self.owner} is empty ({brief(value)}); {remedy}")
        return value

    def text_if_any(self, key: str) -> str | None:
        """A text, or None where the key is absent."""
        return self.text(key) if key in self.values else None

    def whole(self, key: str, *, least: int, most: int = MOST) -> int:
        """An integer within bounds, both included."""
        bounds = f"of at least {least}" if most == MOST else f"from {least} to {most}"
        expected = f"a whole number {bounds}"
        value = self.value(key, expected)
        if not is_whole(value) or value < least:
            raise self.wrong(key, value, expected)
        if value > most:
            raise self.wrong(key, value, f"a whole number from {least} to {most}")
        return value

    def number(self, key: str) -> float:
        """A finite number."""
        value = self.value(key, "a finite number")
        number = finite(value)
        if number is None:
            raise self.wrong(key, value, "a finite number")
        return number

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self.value(key, "true or false")
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def choice(self, key: str, offered: tuple[ChoiceT, ...]) -> ChoiceT:
        """One of a few words; the first where the key is absent."""
        value = self.values.get(key, offered[0])
        for choice in offered:
            if value == choice:
                return choice
        raise self.wrong(key, value, " or ".join(f'"{choice}"' for choice in offered))

    def items(self, key: str, expected: str) -> list[object]:
        """A list with at least one item."""
        value = self.value(key, expected)
        if not isinstance(value, list):
            raise self.wrong(key, value, expected)
        if not value:
            raise self.fault(key, f"{key!r} of {self.owner} is an empty list, []; write {expected}")
        return value

    def texts(self, key: str, expected: str = "a list of texts") -> tuple[str, ...]:
        """A list of texts, at least one and none of them twice."""
        found: dict[str, None] = {}
        for value in self.items(key, expected):
            text = self.visible(key, value)
            if text in found:
                raise self.fault(
                    key, f"{key!r} of {self.owner} holds {brief(text)} twice; delete one"
                )
            found[text] = None
        return tuple(found)

    def inside(self, key: str, value: object, owner: str, expected: str) -> Fields:
        """The keys and values of an object that stands somewhere under the key."""
        if not isinstance(value, dict):
            raise self.fault(key, f"{owner} is {brief(value)}; write {expected}")
        return Fields(values=value, owner=owner, where=lambda _: self.where(key))


def is_whole(value: object) -> TypeGuard[int]:
    """Whether the value is an integer, which a boolean is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_visible(text: str) -> bool:
    """Whether the text has a character that can be seen."""
    return any(character.isprintable() and not character.isspace() for character in text)


def finite(value: object) -> float | None:
    """The value as a float; None where it is no finite number, or a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def brief(value: object) -> str:
    """A value as a message shows it: in the notation of the file, and not for ever."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if abs(value) > MOST:
            return "a very large integer"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"an object with {len(value)} keys"
        case _:
            is_moment = isinstance(value, dt.date | dt.time)
            text = str(value) if is_moment else repr(value)
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
