"""Requests about facts: listing, checking and counting them."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.judges.llm.prompts import (
    Ids,
    PromptBatch,
    Units,
    block,
    entries_batch,
    numbered,
    shown,
    single_batch,
    span,
)
from summeval_pytest.judges.llm.replies import (
    Entry,
    Line,
    TellingLine,
    UnreadableError,
    Values,
    Whole,
)
from summeval_pytest.questions import (
    CheckFacts,
    CountFacts,
    Fact,
    FactCheck,
    FactChecks,
    FactCounts,
    FactList,
)
from summeval_pytest.text.quantities import find_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.judges.llm.asking import Poll
    from summeval_pytest.judges.llm.prompts import Kind
    from summeval_pytest.judges.llm.replies import EntryT
    from summeval_pytest.text.quantities import Quantity


SENTENCES_PER_REQUEST: Final = 12


def sentences_batch(
    kind: Kind, entry: type[EntryT], sentences: tuple[str, ...]
) -> PromptBatch[EntryT]:
    """Asks what each sentence of a text states."""
    return entries_batch(
        kind,
        "sentences",
        entry,
        lambda stated: stated,
        texts=sentences,
        parts=lambda ids: [block("text", numbered(sentences)), f"Work on sentences: {span(ids)}."],
        size=SENTENCES_PER_REQUEST,
    )


class StatedFact(Values):
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: TellingLine
    refines: Whole


def _check_order(facts: list[StatedFact]) -> list[StatedFact]:
    for number, fact in enumerate(facts, start=1):
        if not 0 <= fact.refines < number:
            told = f"fact {number} refines fact {fact.refines}, which is not before it"
            raise PydanticCustomError("off_scale", told)
    return facts


class FactsEntry(Entry):
    """The facts that one sentence states."""

    facts: Annotated[list[StatedFact], AfterValidator(_check_order)]


def facts_batch(sentences: tuple[str, ...]) -> PromptBatch[FactsEntry]:
    """Asks which facts each sentence of a text states."""
    return sentences_batch("facts", FactsEntry, sentences)


async def list_facts(sentences: tuple[str, ...], poll: Poll) -> FactList:
    """The facts of a text.

    A fact with a number that its sentence does not state is none of its facts (FActScore does the
    same), and unusable; what refined it refines what it refined.
    """
    stated = await poll.all_of(facts_batch(sentences))
    n_characters = sum(len(fact.text) for found in stated for fact in found.facts)
    facts = await read_off_loop(n_characters, partial(_facts_of, sentences, stated))
    poll.counts.n_dropped_facts += len(facts.unusable)
    return facts


def _facts_of(sentences: tuple[str, ...], stated: Sequence[FactsEntry]) -> FactList:
    kept: list[Fact] = []
    unusable: list[Fact] = []
    for index, (sentence, found) in enumerate(zip(sentences, stated, strict=True)):
        numbers = find_quantities(sentence)
        places: list[int | None] = [None]
        for fact in found.facts:
            parent = places[fact.refines]
            if has_its_numbers(fact.text, numbers):
                places.append(len(kept))
                kept.append(Fact(text=fact.text, sentence=index, parent=parent))
            else:
                places.append(parent)
                unusable.append(Fact(text=fact.text, sentence=index))
    return FactList(tuple(kept), tuple(unusable))


def has_its_numbers(statement: str, stated: Sequence[Quantity]) -> bool:
    """Whether every number of a statement is among those that its text states."""
    return all(
        any(number.agrees_with(other) for other in stated) for number in find_quantities(statement)
    )


FACTS_PER_REQUEST: Final = 15
FACTS_PER_REQUEST_AT_MOST: Final = 25
"""Where enough premises do, replies are shorter."""

_DECISIONS: Final[Mapping[bool | None, str]] = MappingProxyType(
    {True: "entailed", False: "not_entailed", None: "undecided"}
)


class _FactEntry(Entry):
    reason: Line
    premises: list[Whole]
    label: Literal["entailed", "not_entailed"]


def fact_batch(question: CheckFacts) -> PromptBatch[FactCheck]:
    """Asks whether each fact follows from the premises; the facts of a chain stay together.

    With ``earlier`` verdicts the request is of another kind.
    """
    n_premises = len(question.premises)
    parents = [
        fact.parent if fact.parent is not None and 0 <= fact.parent < place else None
        for place, fact in enumerate(question.facts)
    ]

    def check(entry: _FactEntry) -> FactCheck:
        for number in entry.premises:
            if not 1 <= number <= n_premises:
                told = f"item {entry.id}: premise {number} of {n_premises}"
                raise UnreadableError("off_scale", told)
        entailed = entry.label == "entailed"
        if entailed and not entry.premises:
            raise UnreadableError("off_scale", f"item {entry.id} is entailed by no premise")
        return FactCheck(
            reason=entry.reason,
            entailed=entailed,
            premises=tuple(dict.fromkeys(number - 1 for number in entry.premises)),
        )

    return entries_batch(
        "fact_checks",
        "checks",
        _FactEntry,
        check,
        texts=[fact.text for fact in question.facts],
        parts=partial(_fact_parts, question, parents),
        size=FACTS_PER_REQUEST if question.every_premise else FACTS_PER_REQUEST_AT_MOST,
        units=_chains(parents),
        told="fact_checks_in_chain" if question.earlier else None,
    )


def _fact_parts(question: CheckFacts, parents: Sequence[int | None], ids: Ids) -> Iterator[str]:
    """Premises, earlier verdicts, parents that are not asked about, then the facts."""
    lines, beside = [], set[int]()
    for id_ in ids:
        parent = parents[id_ - 1]
        refining = "" if parent is None else f"(refines [{parent + 1}]) "
        lines.append(f"[{id_}] {refining}{shown(question.facts[id_ - 1].text)}")
        beside |= set() if parent is None or parent + 1 in ids else {parent + 1}
    yield block("premises", numbered(question.premises))
    if question.earlier:
        told = (f"{_DECISIONS[one.holds]}: {shown(one.text)}" for one in question.earlier)
        yield block("earlier", told)
    if beside:
        yield block("context", numbered([fact.text for fact in question.facts], sorted(beside)))
    yield block("facts", lines)
    wanted = "all premises that carry it" if question.every_premise else "enough premises"
    yield f"Check facts: {span(ids)}. For each entailed fact name {wanted}."


def _chains(parents: Sequence[int | None]) -> Units:
    """A fact that refines none, and all that refine it or each other, by number."""
    root_of: list[int] = []
    chains: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        root_of.append(place if parent is None else root_of[parent])
        chains.setdefault(root_of[place], []).append(place + 1)
    return tuple(map(tuple, chains.values()))


async def check_facts(question: CheckFacts, poll: Poll) -> FactChecks:
    """Whether each fact follows from the premises; from none nothing follows."""
    if not question.premises:
        nothing = FactCheck(reason="there is no premise", entailed=False)
        return FactChecks((nothing,) * len(question.facts))
    checks = await poll.outcomes(fact_batch(question), lambda check: check.entailed)
    return FactChecks(checks)


class _Counts(Values):
    reason: Line
    reference: Whole
    candidate: Whole
    matched: Whole


def count_batch(question: CountFacts) -> PromptBatch[FactCounts]:
    """Asks for counts of facts; more facts in both texts than in one of them cannot be."""
    texts = {"reference": question.reference, "summary": question.summary}
    return single_batch("fact_counts", _Counts, _fact_counts, texts, "Count the facts.")


def _fact_counts(counts: _Counts) -> FactCounts:
    reference, candidate, matched = counts.reference, counts.candidate, counts.matched
    if min(reference, candidate, matched) < 0 or matched > min(reference, candidate):
        told = (
            f"{matched} facts in both of {reference} in the reference, {candidate} in the summary"
        )
        raise UnreadableError("off_scale", told)
    return FactCounts(
        reason=counts.reason, reference=reference, candidate=candidate, matched=matched
    )
