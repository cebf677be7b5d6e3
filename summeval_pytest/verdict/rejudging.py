"""The golden answers of two judges, item by item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.questions import FACETS, Facet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair

Verdicts = Literal[
    "unfaithful sentences", "faithful sentences", "facts that do not hold", "facts that hold"
]
DriftKind = Facet | Verdicts
"""What is tested together: the ratings of one facet; yes or no answers by what their label says.

Were both labels one kind, a judge that calls everything faithful would come nearer to the labels,
since most sentences are."""
KINDS: Final[tuple[DriftKind, ...]] = (*FACETS, *get_args(Verdicts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """One labelled item with the answers of both runs, which label it alike.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        group: What is resampled: papers with the same reference have the same.
        old: The old run's answer; there is one.
        new: The new run's.
    """

    paper: str
    system: str
    group: str
    old: GoldenAnswer
    new: GoldenAnswer

    @property
    def kind(self) -> DriftKind:
        """What it is tested with."""
        kind, is_yes = self.new.kind, bool(self.new.label)
        match kind:
            case "sentence":
                return "faithful sentences" if is_yes else "unfaithful sentences"
            case "reference fact" | "candidate fact":
                return "facts that hold" if is_yes else "facts that do not hold"
            case "overall":
                raise ValueError("an overall score follows from the ratings, and is no item")
            case _:
                return kind

    @property
    def shift(self) -> float:
        """How far the answer moved; above 0 is more lenient."""
        assert self.old.answer is not None
        assert self.new.answer is not None
        return self.new.answer - self.old.answer

    @property
    def loss(self) -> float:
        """How much farther from the label the answer is; below 0 is nearer."""
        assert self.old.answer is not None
        assert self.new.answer is not None
        return abs(self.new.answer - self.new.label) - abs(self.old.answer - self.old.label)

    @property
    def told(self) -> GoldenAnswer:
        """The side that has the texts: a side that says what the label says has none."""
        return self.old if self.new.agrees else self.new


Place = tuple[str, str, str, int]
"""Which item: system, paper, what was labelled, index."""


def _answers(pairs: Iterable[GoldenPair]) -> Mapping[Place, GoldenAnswer]:
    """The answers of a run; what has none is left out."""
    return {
        (pair.system, pair.paper, each.kind, each.index): each
        for pair in pairs
        for each in pair.answers
        if each.answer is not None
    }


def shared_answers(
    old: Sequence[GoldenPair], new: Sequence[GoldenPair]
) -> tuple[tuple[GoldenPair, ...], tuple[GoldenPair, ...], tuple[int, int]]:
    """The pairs of both with the items that both answered, in the order of the new ones.

    The counts are of the items that only the old one answered, and only the new one; overall
    scores, which follow from the ratings, are not counted.
    """
    before, now = _answers(old), _answers(new)
    kept_old, kept_new = [], []
    for pair in new:
        both = [
            (before[place], now[place])
            for each in pair.answers
            if (place := (pair.system, pair.paper, each.kind, each.index)) in now
            and place in before
        ]
        kept_old.append(replace(pair, answers=tuple(one for one, _ in both)))
        kept_new.append(replace(pair, answers=tuple(other for _, other in both)))
    n_only = [
        sum(kind != "overall" for _, _, kind, _ in one.keys() - other.keys())
        for one, other in ((before, now), (now, before))
    ]
    return tuple(kept_old), tuple(kept_new), (n_only[0], n_only[1])


def rejudged_items(old: Sequence[GoldenPair], new: Sequence[GoldenPair]) -> Iterator[Rejudged]:
    """Every item of pairs that `shared_answers` has made, without the overall scores."""
    for before, now in zip(old, new, strict=True):
        for one, other in zip(before.answers, now.answers, strict=True):
            if other.kind != "overall":
                yield Rejudged(
                    paper=now.paper, system=now.system, group=now.group, old=one, new=other
                )
