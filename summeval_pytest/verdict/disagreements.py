"""Where a judge and the golden labels differ: confusion matrices, kinds of errors, worst cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.counting import counts_of, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair

WORST: Final = 5
_MOST_OF_A_KIND: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How many items of one kind have which label (rows) and which answer (columns)."""

    of: str
    categories: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One answer that is not the label's, and whose it is."""

    paper: str
    system: str
    answer: GoldenAnswer


def confusions(pairs: Sequence[GoldenPair]) -> tuple[Confusion, ...]:
    """The confusion matrices of what was labelled and answered: facets, sentences, facts."""
    total = counts_of(pairs).sum(axis=0)
    kinds: dict[str, tuple[str, ...]] = {
        facet: tuple(map(str, range(1, SCALES[facet] + 1))) for facet in FACETS
    }
    kinds["sentence"] = ("unfaithful", "faithful")
    kinds["fact"] = ("does not hold", "holds")
    found = (
        Confusion(of=of, categories=categories, table=table_of(total, of))
        for of, categories in kinds.items()
    )
    return tuple(each for each in found if any(map(any, each.table)))


def worst_disagreements(pairs: Sequence[GoldenPair]) -> tuple[Disagreement, ...]:
    """The five worst disagreements, on different papers and of several kinds where there are."""
    found = sorted(_disagreements(pairs), key=_badness)
    chosen: list[Disagreement] = []
    for is_wanted in (_is_new, _is_other_paper, _is_other_kind, _is_any):
        for each in found:
            if len(chosen) < WORST and each not in chosen and is_wanted(each, chosen):
                chosen.append(each)
    return tuple(sorted(chosen, key=_badness))


def _is_any(_: Disagreement, __: Sequence[Disagreement]) -> bool:
    return True


def _is_other_paper(each: Disagreement, chosen: Sequence[Disagreement]) -> bool:
    return all(other.paper != each.paper for other in chosen)


def _is_other_kind(each: Disagreement, chosen: Sequence[Disagreement]) -> bool:
    n_alike = sum(other.answer.kind == each.answer.kind for other in chosen)
    return n_alike < _MOST_OF_A_KIND


def _is_new(each: Disagreement, chosen: Sequence[Disagreement]) -> bool:
    """Whether it is about another paper than those, and no third one of its kind."""
    return _is_other_kind(each, chosen) and _is_other_paper(each, chosen)


def _disagreements(pairs: Sequence[GoldenPair]) -> Iterator[Disagreement]:
    for pair in pairs:
        for each in pair.answers:
            if each.answer is not None and not each.agrees and each.kind != "overall":
                yield Disagreement(paper=pair.paper, system=pair.system, answer=each)


def _badness(each: Disagreement) -> tuple[float, bool, str, str, str, int]:
    """The farthest from the label first, what passes for right before what is wrongly refused."""
    answer = each.answer
    assert answer.answer is not None
    top = SCALES[answer.kind] - 1 if answer.kind in FACETS else 1
    distance = abs(answer.answer - answer.label) / top
    is_lenient = answer.answer > answer.label
    return -distance, not is_lenient, answer.kind, each.paper, each.system, answer.index
