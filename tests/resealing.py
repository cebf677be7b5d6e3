"""A run record that somebody changed by hand, with the hash that fits."""

from __future__ import annotations

import hashlib
import json


def resealed(text: str) -> str:
    """The text of a record whose last line, of its hash, fits the lines before it again."""
    *lines, _, _ = text.split("\n")
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    return "\n".join([*lines, json.dumps({"end": {"sha256": digest}}), ""])
