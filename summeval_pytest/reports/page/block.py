"""Values as JSON inside a page, where no text in them can end the block or be run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Final

from summeval_pytest.reports.page.visible import visible

_INERT: Final = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")


def block(value: object) -> str:
    """A value as JSON without `<`, `>` and `&`, every text in it visible.

    Fields of a dataclass that hold nothing are left out; zero is something.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, written in _INERT:
        text = text.replace(character, written)
    return text


def _plain(value: object) -> object:
    match value:
        case str():
            return visible(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case Mapping():
            return {visible(str(key)): _plain(value[key]) for key in sorted(value)}
        case _ if is_dataclass(value):
            named = ((field.name, getattr(value, field.name)) for field in fields(value))
            return {name: _plain(held) for name, held in named if not _is_empty(held)}
        case _:
            return value


def _is_empty(value: object) -> bool:
    return value is None or value is False or value in ("", ())
