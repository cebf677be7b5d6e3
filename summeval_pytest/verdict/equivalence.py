"""Does asking about many items at once give the answers of asking about one at a time?

The noise floor comes first: how often the same request, asked twice, is answered otherwise. Asking
together may differ a little more than that, with no lean to either side, and must leave scores and
the order of systems as they are (metrics.md, section 3.4). Whatever is unanswered never counts as
agreement: it is another answer, and more than 5 % of it refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation.items import ITEM_KINDS
from summeval_pytest.metrics import METRICS
from summeval_pytest.verdict.equal_answers import item_criteria
from summeval_pytest.verdict.equal_scores import score_criteria

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import AskedItem, PairInWays
    from summeval_pytest.verdict.criteria import Criterion

MIN_PAIRS: Final = 60
MIN_ITEMS: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCount:
    """The items of one kind.

    Attributes:
        kind: The kind.
        n_items: How many were asked about.
        n_answered: How many of them each way answered: alone, again, together, turned round.
        fault: Why one of them has no answer.
    """

    kind: str
    n_items: int
    n_answered: tuple[int, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Whether one judge may be asked about many items at once.

    Attributes:
        n_pairs: The pairs.
        n_papers: Their papers; those with one reference are one.
        items: The items by kind; kinds without any are left out.
        criteria: Everything that is held, the kinds of items first, then the metrics.
        fault: Why one of the pairs lacks a score.
    """

    n_pairs: int
    n_papers: int
    items: tuple[ItemCount, ...]
    criteria: tuple[Criterion, ...]
    fault: str = ""

    @property
    def n_items(self) -> int:
        """How many items were asked about in every way."""
        return sum(count.n_items for count in self.items)

    @property
    def is_small(self) -> bool:
        """Whether the protocol wants more pairs or items."""
        return self.n_pairs < MIN_PAIRS or self.n_items < MIN_ITEMS

    @property
    def unmet(self) -> tuple[Criterion, ...]:
        """What is missed, and what nobody can tell."""
        return tuple(each for each in self.criteria if each.standing in {"missed", "open"})

    @property
    def is_equivalent(self) -> bool:
        """Whether everything that can be held is met; without an item, nothing is shown."""
        return self.n_items > 0 and not self.unmet


def decide_equivalence(items: Sequence[AskedItem], pairs: Sequence[PairInWays]) -> Equivalence:
    """The decision over all items and pairs; their order does not matter."""
    by_kind = {kind: [item for item in items if item.kind == kind] for kind in ITEM_KINDS}
    ordered = sorted(pairs, key=lambda pair: (pair.group, pair.paper, pair.system))
    return Equivalence(
        n_pairs=len(pairs),
        n_papers=len({pair.group for pair in pairs}),
        items=tuple(_count(kind, held) for kind, held in by_kind.items() if held),
        criteria=(
            *item_criteria(by_kind),
            *(each for metric in METRICS for each in score_criteria(metric, ordered)),
        ),
        fault=min((pair.fault for pair in pairs if pair.fault), default=""),
    )


def _count(kind: str, items: Sequence[AskedItem]) -> ItemCount:
    answers = [(item.single, item.again, item.batched, item.reversed) for item in items]
    return ItemCount(
        kind=kind,
        n_items=len(items),
        n_answered=tuple(sum(a is not None for a in way) for way in zip(*answers, strict=True)),
        fault=min((item.fault for item in items if item.fault), default=""),
    )
