"""Several annotators of one item: who contradicts whom, and what counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import SuiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.suite.labels import EvidenceLabel
    from summeval_pytest.suite.marking import Item, Marking

Markings = dict["Item", "Marking"]


def by_annotator(markings: Iterable[Marking]) -> dict[str, Markings]:
    """What each annotator says of each item, annotators and items in the order in which they come.

    Raises:
        SuiteError: Where one of them says two things of one item.
    """
    found: dict[str, Markings] = {}
    for marking in markings:
        own = found.setdefault(marking.annotator, {})
        first = own.setdefault(marking.item, marking)
        if _said(first) != _said(marking):
            who = f"{marking.annotator!r} says" if marking.annotator else "the labels say"
            where = f" at {first.place}" if first.place != marking.place else ""
            raise SuiteError(
                marking.place,
                f"{who} two things of {marking.item.told}: {shown(first.value)}{where} and"
                f" {shown(marking.value)}{_beside(first, marking)}; delete one",
            )
    return found


def _said(marking: Marking) -> tuple[object, ...]:
    return marking.value, marking.evidence, marking.error


def _beside(first: Marking, second: Marking) -> str:
    return ", with other evidence or another error" if first.value == second.value else ""


def shown(value: float | bool | None) -> str:
    """A marking's value in words: yes and no, a rating, or none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}"


def by_item(annotators: Mapping[str, Markings]) -> dict[Item, list[Marking]]:
    """What is said of each item, by whomever."""
    found: defaultdict[Item, list[Marking]] = defaultdict(list)
    for markings in annotators.values():
        for item, marking in markings.items():
            found[item].append(marking)
    return dict(found)


def disputed(annotators: Mapping[str, Markings]) -> tuple[Item, ...]:
    """The items of which two annotators say different things; evidence is no dispute."""
    return tuple(
        item
        for item, said in by_item(annotators).items()
        if any(marking.value != said[0].value for marking in said)
    )


def settled(annotators: Mapping[str, Markings]) -> list[Marking]:
    """One marking an item: the value that more annotators give than any other.

    Evidence is what most of those name who give that value and name any, else all that they name;
    an error is kept where more of them name it than any other.

    Raises:
        SuiteError: Where two values are given equally often, naming the item.
    """
    return [_settle(item, said) for item, said in by_item(annotators).items()]


def _settle(item: Item, said: Sequence[Marking]) -> Marking:
    (value, most), *others = Counter(marking.value for marking in said).most_common()
    if others and others[0][1] == most:
        told = ", ".join(f"{marking.annotator} {shown(marking.value)}" for marking in said)
        raise SuiteError(
            said[-1].place,
            f"no majority on {item.told}: {told}; say who counts with --annotator NAME",
        )
    winners = [marking for marking in said if marking.value == value]
    return replace(
        winners[0],
        evidence=_evidence(winners),
        error=_most([marking.error for marking in winners if marking.error]),
        annotator="\n".join(marking.annotator for marking in said),
    )


def _evidence(winners: Sequence[Marking]) -> tuple[EvidenceLabel, ...]:
    named = [marking.evidence for marking in winners if marking.evidence]
    counts = Counter(label for evidence in named for label in evidence)
    most = tuple(label for label, count in counts.items() if 2 * count > len(named))
    return most or tuple(counts)


def _most(errors: Sequence[str]) -> str | None:
    """The error that is named more often than any other; None where there is none."""
    counts = Counter(errors).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):  # noqa: PLR2004 - a tie
        return None
    return counts[0][0]
