"""Names that can stand in a pytest node id, and the name that was probably meant."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import Place, SuiteError, nearest

if TYPE_CHECKING:
    from collections.abc import Collection

JUDGE: Final = "judge"
"""The item of a suite that is about its judge."""

RESERVED_SYSTEMS: Final = frozenset({JUDGE, "metamorphic", "hostile"})
"""Items of a suite that are no system."""

ALL_PAPERS: Final = "all-papers"
"""The item of a system that is about all its papers; in place of a paper, a waiver of a mean."""

RESERVED_PAPERS: Final = frozenset({ALL_PAPERS})
"""Items of a system that are no paper."""

_LONGEST: Final = 200
_LISTED: Final = 12
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})


def check_name(name: str, kind: str, place: Place, reserved: Collection[str] = ()) -> None:
    """Refuse a name that could not be selected as part of ``suite::system::paper``.

    Raises:
        SuiteError: For a reserved or overlong name, and for one with white space, control
            characters, brackets, ``|``, ``::``, or a colon at either end.
    """
    if name in reserved:
        raise SuiteError(place, f"{kind} {name!r} has a reserved name; choose another")
    if len(name) > _LONGEST:
        raise SuiteError(
            place,
            f"{kind} {name[:20]!r}... has a name of {len(name)} characters; use at most {_LONGEST}",
        )
    if unfit := _unfit(name):
        raise SuiteError(
            place,
            f"{kind} {name!r} has {unfit} in its name, which no pytest node id can hold;"
            " use letters, digits, '-', '_' and '.'",
        )


def _unfit(name: str) -> str:
    for character in name:
        if character.isspace():
            return f"white space ({character!r})"
        if unicodedata.category(character) in _INVISIBLE:
            return f"a control character ({character!r})"
        if character in "[]|":
            return repr(character)
    if "::" in name:
        return "'::'"
    return "':' at an end" if name.startswith(":") or name.endswith(":") else ""


def closest(name: str, known: Collection[str]) -> str:
    """A clause that names the known name nearest to this one, or lists some of them."""
    clause = nearest(name, known)
    if clause.startswith("did you mean") or len(known) <= _LISTED:
        return clause
    some = ", ".join(sorted(known)[:_LISTED])
    return f"known: {some} and {len(known) - _LISTED} more"
