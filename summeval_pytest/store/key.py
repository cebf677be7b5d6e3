"""The key of a request: one text for all that can change its reply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

_EXACT: Final = 2**53
"""Up to here a float that is whole is one number only."""


def request_key(identity: Mapping[str, object]) -> str:
    """The SHA-256, as 64 hex digits, of an identity's canonical JSON.

    Canonical: keys sorted, no spaces, ASCII only, and a whole number written without a fraction, so
    that equal requests have equal keys however their numbers were given. A ValueError for NaN and
    infinity, a TypeError for anything else that is no JSON value.
    """
    value = _canonical(identity)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _canonical(value: object) -> object:
    match value:
        case Mapping():
            return {_name(name): _canonical(part) for name, part in value.items()}
        case list() | tuple():
            return [_canonical(part) for part in value]
        case float() if value.is_integer() and abs(value) < _EXACT:
            return int(value)
        case None | bool() | str() | int() | float():
            return value
        case _:
            raise TypeError(f"{value!r} is no JSON value, so it cannot be part of a request's key")


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no text, so it cannot name a part of a request's key")
    return name
