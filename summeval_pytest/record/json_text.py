"""The values of a record as JSON text, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, TypeVar, cast

from pydantic import RootModel, ValidationError

from summeval_pytest.metrics.number import CustomNumbers

T = TypeVar("T")
_HALF: Final = re.compile("[\ud800-\udfff]")


def _plain(value: object) -> object:
    """A value that `json` cannot write, as one that it can; metadata says which fields it has."""
    if is_dataclass(value) and not isinstance(value, type):
        contents = [(f, getattr(value, f.name), f.metadata.get("recorded")) for f in fields(value)]
        return {
            field.name: content
            for field, content, when in contents
            if when is None or (when == "where set" and bool(content != field.default))
        }
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return [*value]
    raise TypeError(f"{value!r} has no place in a run record")


def as_json(value: object) -> str:
    """A record, or a part of one, as JSON text.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    text = json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HALF.sub("\ufffd", text)


@cache
def _reader(kind: Any) -> type[RootModel[Any]]:
    """The strict reader for one type; it refuses infinite numbers and NaN."""
    from pydantic import ConfigDict, RootModel

    class Reader(RootModel[kind]):
        model_config = ConfigDict(strict=True, allow_inf_nan=False)

    return Reader


def from_json(kind: type[T], text: str) -> T:
    """Reads what `as_json` has written; every value must have the type of its field.

    Raises:
        ValueError: for anything else, with the place of the first fault in it.
    """
    from pydantic import ValidationError

    try:
        value: T = _reader(cast("Hashable", kind)).model_validate_json(text, extra="forbid").root
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None
    return value


def with_custom(value: T, custom: CustomNumbers) -> T:
    """A part of a record that was read, in which every value knows the custom metrics' numbers."""
    if not custom:
        return value
    if isinstance(value, tuple):
        return cast("T", tuple(with_custom(each, custom) for each in value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = [field.name for field in fields(value)]
    parts = {name: with_custom(getattr(value, name), custom) for name in names if name != "custom"}
    return replace(value, **parts, **({"custom": custom} if "custom" in names else {}))


def _first_fault(error: ValidationError) -> str:
    """The first fault that is not only that of another kind of score."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    others = [f["loc"][:-1] for f in faults if f["loc"][-1:] == ("metric",)]
    own = (f for f in faults if not any(f["loc"][: len(o)] == o for o in others))
    first = next(own, faults[0])
    place = ".".join(map(str, first["loc"])) or "the whole"
    is_unknown = first["type"] == "unexpected_keyword_argument"
    return f"{place}: {'unknown key' if is_unknown else first['msg']}"
