"""A sheet: the items of one question, how to ask about some of them, and how to read the reply.

Items are numbered from 1; a reply is held to these numbers. Which items share a request, and how
often one is asked about, is no business of a sheet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from summeval_pytest.judges.llm.json_reading import ReplyFault, UnreadableError, listed

if TYPE_CHECKING:
    from summeval_pytest.models.request import Schema

ItemT = TypeVar("ItemT")
ItemT_co = TypeVar("ItemT_co", covariant=True)
Read = Mapping[int, ItemT | ReplyFault]
"""What a reply holds for each item asked about: the item, or why it cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is asked, before it is known of which model and for which time."""

    system: str
    user: str
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeDraft:
    """The same where the reply is free text and no schema shapes it."""

    system: str
    user: str
    schema: None = None


class Sheet(Protocol[ItemT_co]):
    """The items of one question; its parameter is what a reply holds for one of them."""

    @property
    def topic(self) -> str:
        """What is asked, in a few words for messages and cassettes."""
        ...

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The items, those together that must not be torn apart."""
        ...

    def draft(self, ids: Sequence[int]) -> Draft | FreeDraft:
        """The request about some items, in this order."""
        ...

    def read(self, text: str, ids: Sequence[int]) -> Read[ItemT_co]:
        """What the text of a reply holds for each of these items.

        Raises:
            UnreadableError: if it holds nothing that can be read.
        """
        ...


def apart(items: Sequence[object]) -> tuple[tuple[int, ...], ...]:
    """The units of items that may all be torn apart: each by itself."""
    return tuple((id_,) for id_ in range(1, len(items) + 1))


def read_entries(
    entries: object, ids: Sequence[int], read: Callable[[object, str], ItemT]
) -> Read[ItemT]:
    """What a list of entries holds for each item.

    An entry belongs to the item whose number is its ``id``; one without such a number, or with
    another item's, answers nothing. Two entries for an item have to be the same.

    Args:
        entries: The list, as the reply has it.
        ids: The items asked about.
        read: From one entry, and what to call it, to an item.

    Raises:
        UnreadableError: if there is no list.
    """
    found: dict[int, list[object]] = {id_: [] for id_ in ids}
    for entry in listed(entries, "the reply"):
        if isinstance(entry, dict) and type(entry.get("id")) in {int, float}:
            found.get(entry["id"], []).append(entry)
    return {id_: read_item(found[id_], f"item {id_}", read) for id_ in ids}


def read_item(
    entries: Sequence[object], what: str, read: Callable[[object, str], ItemT]
) -> ItemT | ReplyFault:
    """What the entries for one item come to."""
    if not entries:
        return ReplyFault("missing", f"{what} is missing")
    if len({json.dumps(entry, sort_keys=True) for entry in entries}) > 1:
        return ReplyFault("contradictory", f"{what} is answered in {len(entries)} ways")
    try:
        return read(entries[0], what)
    except UnreadableError as error:
        return error.fault


def span(ids: Sequence[int]) -> str:
    """The numbers in words, runs of them shortened: ``1-3, 7``."""
    runs: list[list[int]] = []
    for id_ in sorted(ids):
        if runs and id_ == runs[-1][-1] + 1:
            runs[-1].append(id_)
        else:
            runs.append([id_])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
