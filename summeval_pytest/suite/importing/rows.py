"""One answered row of any foreign format: fields by name, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.fields import OWN_KEYS, Fields
from summeval_pytest.suite.names import closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.errors import Place

LEFT_OUT: Final = "-"
"""What a name is mapped on that is to be left out."""

ABOUT: Final = ("paper", "system", "sentence", "facet", "side", "text")
"""What a row is about: a pair, or one sentence, facet or fact of it."""

ANSWERS: Final = (*FACETS, "rating", "overall", "faithful", "evidence", "error", "holds")
"""What a row says of it."""

ANNOTATOR: Final = "annotator"
FIELDS: Final = (*ABOUT, ANNOTATOR, *ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one annotator said in one place, field by field, as the format has it.

    ``owner`` is the row in words that a message can go on from; of ``values`` every key is one of
    `FIELDS` or the owner's own (``x_``), and none is empty.
    """

    values: Mapping[str, object]
    owner: str
    place: Place

    @property
    def fields(self) -> Fields:
        """The values as typed fields."""
        return Fields(values=self.values, owner=self.owner, where=lambda _: self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The rows of a file, and what of the file is in none of them."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Names:
    """Which name of the file is which field; a name that is not there is its own."""

    fields: Mapping[str, str]

    @classmethod
    def read(cls, options: Iterable[str]) -> Names:
        """The names of ``NAME=FIELD`` options.

        Raises:
            OptionError: For an option without ``=``, an unknown field, and a name given twice.
        """
        fields: dict[str, str] = {}
        for option in options:
            name, mark, field = option.rpartition("=")
            if not mark or not name:
                raise OptionError(f"--map={option}: no field is named; write NAME=FIELD")
            if field not in {*FIELDS, LEFT_OUT} and not field.startswith(OWN_KEYS):
                raise OptionError(
                    f"--map={option}: there is no field {field!r}; {closest(field, FIELDS)}"
                )
            if name in fields:
                raise OptionError(f"--map={option}: {name!r} is mapped twice; keep one")
            fields[name] = field
        return cls(fields)

    def field(self, name: str) -> str:
        """The field that a name of the file stands for."""
        return self.fields.get(name, name)

    def check_used(self, names: Sequence[str], shown: str) -> None:
        """Refuse a mapping of a name that the file does not have.

        Raises:
            OptionError: Naming the nearest one that it has.
        """
        for name in self.fields:
            if name not in names:
                raise OptionError(
                    f"--map={name}={self.fields[name]}: {shown} has no {name!r};"
                    f" {closest(name, names)}"
                )


def is_field(name: str) -> bool:
    """Whether a row may have this key."""
    return name in FIELDS or name.startswith(OWN_KEYS)


def unknown(name: str) -> str:
    """A clause about a name that is no field: the nearest one, and how to map it."""
    return (
        f"{closest(name, FIELDS)}; or say which field it is with --map {name}=FIELD"
        f" ({name}={LEFT_OUT} leaves it out)"
    )
