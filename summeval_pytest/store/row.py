"""A remembered reply: the key of its request, what that was about, and the reply as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.store.json_line import read_line, start, write_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Row:
    """One reply as the store keeps it; what the reply means is its reader's business.

    Attributes:
        key: What `request_key` makes of the request: 64 hex digits.
        topic: What was asked, in a few words for who reads a cassette.
        reply: A JSON object.
    """

    key: str
    topic: str
    reply: Mapping[str, object]

    def __post_init__(self) -> None:
        """Refuses a key that is none.

        Raises:
            ValueError: Naming it.
        """
        if not is_key(self.key):
            raise ValueError(f"a row's key is 64 hex digits, and not {start(self.key)}")

    def as_line(self) -> str:
        """The row as one JSON line without its line end; `read_row` is the way back."""
        return write_line({"key": self.key, "topic": self.topic, "reply": dict(self.reply)})


def is_key(text: str) -> bool:
    """Whether a text is a request's key: 64 hex digits in lower case."""
    return _KEY.fullmatch(text) is not None


def read_row(line: str) -> Row:
    """The row that a line without its line end holds.

    Raises:
        ValueError: If it is anything else than `Row.as_line` writes, other spacing, order and
            escapes aside.
    """
    values = read_line(line)
    if set(values) != {"key", "topic", "reply"}:
        found = ", ".join(start(name) for name in sorted(values)) or "nothing"
        raise ValueError(f"a row has 'key', 'reply' and 'topic', and this has {found}")
    key, topic, reply = values["key"], values["topic"], values["reply"]
    if not isinstance(key, str) or not isinstance(topic, str):
        raise ValueError("a row's key and topic are texts")  # noqa: TRY004 (a file's fault)
    if not isinstance(reply, dict):
        raise ValueError("a row's reply is a JSON object")  # noqa: TRY004 (a file's fault)
    return Row(key, topic, reply)
