"""The values of a record as JSON text, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from summeval_pytest.run.golden import GoldenAnswer

if TYPE_CHECKING:
    from collections.abc import Hashable
    from dataclasses import Field

    from pydantic import RootModel, ValidationError

T = TypeVar("T")
_HALF: Final = re.compile("[\ud800-\udfff]")
_INSTEAD: Final = "\ufffd"


def _recorded(value: Any) -> dict[str, object]:
    """By name, the fields of a dataclass that a record holds."""
    # thousands of golden answers have a label, an answer, no more
    is_short = isinstance(value, GoldenAnswer)
    found = ((field, getattr(value, field.name)) for field in fields(value))
    return {f.name: said for f, said in found if _is_recorded(f, said, is_short=is_short)}


def _plain(value: object) -> object:
    """What `json` does not know, as what it does."""
    if is_dataclass(value) and not isinstance(value, type):
        return _recorded(value)
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return [*value]
    raise TypeError(f"{value!r} has no place in a run record")


def _is_recorded(field: Field[Any], said: object, *, is_short: bool) -> bool:
    """Whether a record has a field with this value; its metadata may say that it needs not."""
    wanted = field.metadata.get("recorded", "where set" if is_short else "always")
    return wanted == "always" or (wanted == "where set" and bool(said != field.default))


def as_json(value: object) -> str:
    """A record, or a part of one, as JSON text.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    text = json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HALF.sub(_INSTEAD, text)


@cache
def _reader(kind: Any) -> type[RootModel[Any]]:
    """Who reads values of one type, strictly; no number is infinite or none."""
    from pydantic import ConfigDict, RootModel

    class Reader(RootModel[kind]):
        model_config = ConfigDict(strict=True, allow_inf_nan=False)

    return Reader


def from_json(kind: type[T], text: str) -> T:
    """What `as_json` has written, every value of the type that its field says.

    Raises:
        ValueError: for anything else, with the place of the first fault in it.
    """
    from pydantic import ValidationError

    try:
        value: T = _reader(cast("Hashable", kind)).model_validate_json(text, extra="forbid").root
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None
    return value


def _first_fault(error: ValidationError) -> str:
    """The first fault that is not only that of another kind of score."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    others = [f["loc"][:-1] for f in faults if f["loc"][-1:] == ("metric",)]
    own = (f for f in faults if not any(f["loc"][: len(o)] == o for o in others))
    first = next(own, faults[0])
    place = ".".join(map(str, first["loc"])) or "the whole"
    is_unknown = first["type"] == "unexpected_keyword_argument"
    return f"{place}: {'unknown key' if is_unknown else first['msg']}"
