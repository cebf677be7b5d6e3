"""The ways of asking one judge about the same items: alone, alone once more, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.evaluation.items import Asked, ItemKind, OneByOne, count_of
from summeval_pytest.judges import Batching

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.judges import Judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """One judge, three times.

    Attributes:
        single: Every item has a request of its own.
        again: The same once more, its answers drawn afresh.
        batched: Items share requests.
        requests: The items of a question that share a request then, each in its order there.
    """

    single: Judge
    again: Judge
    batched: Judge
    requests: Callable[[Asked], tuple[tuple[int, ...], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedItem:
    """One item and its answer in each way; None where there is none.

    Attributes:
        kind: What it is.
        low: The lowest value that an answer can have.
        high: The highest.
        single: The first answer, asked alone.
        again: The second, asked alone.
        batched: Asked with others.
        reversed: Asked with the same others in the reverse order.
        is_front: Whether it stood in the front half of its request and then in the back half; False
            for the other way round, None where it did not change halves.
        fault: Why one of the answers is missing.
    """

    kind: ItemKind
    low: int
    high: int
    single: int | None
    again: int | None
    batched: int | None
    reversed: int | None
    is_front: bool | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairInWays:
    """The scores of one pair by metric, of each way.

    A metric that has nothing to score, by the summary's or the reference's fault, is left out; one
    that the judge's answers cannot carry is None, and ``fault`` says why.
    """

    paper: str
    system: str
    group: str
    single: Mapping[str, float | None]
    again: Mapping[str, float | None]
    batched: Mapping[str, float | None]
    fault: str = ""


def ways_of(judge: Judge) -> Ways:
    """The ways in which a judge can be asked.

    One that knows of no requests is asked about all items of a question at once, or about one.
    """
    if isinstance(judge, Batching):
        return Ways(
            single=judge.another_way(batched=False, sample=0),
            again=judge.another_way(batched=False, sample=1),
            batched=judge.another_way(batched=True, sample=0),
            requests=judge.requests,
        )
    return Ways(
        single=OneByOne(judge),
        again=OneByOne(judge),
        batched=judge,
        requests=lambda question: (tuple(range(count_of(question))),),
    )
