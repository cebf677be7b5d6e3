"""Items and pairs asked in several ways, made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.evaluation import AskedItem, PairInWays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.evaluation.items import ItemKind

Scores = dict[str, float | None]


def item(  # noqa: PLR0913 - by keyword; each is one answer
    single: int | None,
    batched: int | None,
    *,
    again: int | None = -1,
    turned: int | None = -1,
    kind: ItemKind = "sentence",
    is_front: bool | None = None,
) -> AskedItem:
    """One item; asked again it is answered as alone, and turned round as together."""
    return AskedItem(
        kind=kind,
        low=1 if kind == "rating" else 0,
        high=4 if kind == "rating" else 1,
        single=single,
        again=single if again == -1 else again,
        batched=batched,
        reversed=batched if turned == -1 else turned,
        is_front=is_front,
        fault="torn" if None in {single, batched, again, turned} else "",
    )


def pair(
    paper: str,
    single: Mapping[str, float | None],
    batched: Mapping[str, float | None],
    *,
    again: Mapping[str, float | None] | None = None,
    system: str = "good",
) -> PairInWays:
    """One pair; asked again it is scored as alone."""
    return PairInWays(
        paper=paper,
        system=system,
        group=paper,
        single=single,
        again=single if again is None else again,
        batched=batched,
    )
