"""Requests about facts: listing and checking them.

A statement with a number that its text does not state is unusable: it is none of the text's facts
(FActScore does the same).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from summeval_pytest import questions as q
from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.text.quantities import Quantity, find_quantities

FACTS_PER_REQUEST: Final = 15
FACTS_PER_REQUEST_AT_MOST: Final = 25
"""Where enough premises do, replies are shorter."""
DECISIONS: Final[Mapping[bool | None, str]] = {
    True: "entailed", False: "not_entailed", None: "undecided",
}  # fmt: skip


class StatedFact(replies.Values):
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: replies.TellingLine
    refines: replies.Whole


def _check_order(facts: list[StatedFact]) -> list[StatedFact]:
    for number, fact in enumerate(facts, start=1):
        if not 0 <= fact.refines < number:
            fault = f"fact {number} refines fact {fact.refines}, which is not before it"
            raise PydanticCustomError("off_scale", fault)
    return facts


class FactsEntry(replies.Entry):
    """The facts that one sentence states."""

    facts: Annotated[list[StatedFact], AfterValidator(_check_order)]


class _FactEntry(replies.Entry):
    reason: replies.Line
    premises: list[replies.Whole]
    label: Literal["entailed", "not_entailed"]


def has_its_numbers(statement: str, stated: Sequence[Quantity]) -> bool:
    """Whether every number of a statement is among those that its text states."""
    return all(
        any(number.agrees_with(other) for other in stated) for number in find_quantities(statement)
    )


def facts_batch(sentences: tuple[str, ...]) -> prompts.PromptBatch[FactsEntry]:
    """Asks which facts each sentence of a text states."""
    return prompts.work_batch("facts", FactsEntry, lambda entry: entry, sentences)


async def list_facts(sentences: tuple[str, ...], poll: Poll) -> q.FactList:
    """The facts of a text; what refined an unusable fact refines what that one refined."""
    stated = await poll.all_of(facts_batch(sentences))
    usable: list[q.Fact] = []
    unusable: list[q.Fact] = []

    def sort_out() -> None:
        for index, (sentence, entry) in enumerate(zip(sentences, stated, strict=True)):
            numbers = find_quantities(sentence)
            places: list[int | None] = [None]
            for fact in entry.facts:
                parent = places[fact.refines]
                if has_its_numbers(fact.text, numbers):
                    places.append(len(usable))
                    usable.append(q.Fact(text=fact.text, sentence=index, parent=parent))
                else:
                    places.append(parent)
                    unusable.append(q.Fact(text=fact.text, sentence=index))

    await read_off_loop(sum(len(fact.text) for entry in stated for fact in entry.facts), sort_out)
    poll.counts.n_dropped_facts += len(unusable)
    return q.FactList(tuple(usable), tuple(unusable))


def fact_example(premises: Sequence[str], facts: Sequence[str], decisions: Sequence[bool]) -> str:
    """Facts that people checked against premises, as a message shows them."""
    checks = [
        {"id": id_, "label": DECISIONS[holds]} for id_, holds in enumerate(decisions, start=1)
    ]
    blocks = (
        prompts.block("example premises", prompts.numbered(premises)),
        prompts.block("example facts", prompts.numbered(facts)),
        prompts.block("example labels", [prompts.inert(json.dumps({"checks": checks}))]),
    )
    return "\n\n".join(blocks)


def fact_batch(
    question: q.CheckFacts,
    examples: tuple[str, ...] = (),
    *,
    prompt: str = "fact_checks",
    more: tuple[str, ...] = (),
) -> prompts.PromptBatch[q.FactCheck]:
    """Asks whether each fact follows from the premises; the facts of a chain stay together.

    Examples stand before the premises, and ``more`` parts behind them.
    """
    n_premises = len(question.premises)
    parents = [
        fact.parent if fact.parent is not None and 0 <= fact.parent < place else None
        for place, fact in enumerate(question.facts)
    ]
    root_of: list[int] = []
    chains: defaultdict[int, list[int]] = defaultdict(list)
    for place, parent in enumerate(parents):
        root_of.append(place if parent is None else root_of[parent])
        chains[root_of[place]].append(place + 1)

    def check(entry: _FactEntry) -> q.FactCheck:
        for number in entry.premises:
            if not 1 <= number <= n_premises:
                fault = f"item {entry.id}: premise {number} of {n_premises}"
                raise replies.UnreadableError("off_scale", fault)
        entailed = entry.label == "entailed"
        if entailed and not entry.premises:
            raise replies.UnreadableError("off_scale", f"item {entry.id} is entailed by no premise")
        premises = tuple(dict.fromkeys(number - 1 for number in entry.premises))
        return q.FactCheck(reason=entry.reason, entailed=entailed, premises=premises)

    return prompts.entries_batch(
        "fact_checks",
        "checks",
        _FactEntry,
        check,
        texts=[fact.text for fact in question.facts],
        parts=lambda ids: [*examples, *_fact_parts(question, parents, ids, more)],
        size=FACTS_PER_REQUEST if question.every_premise else FACTS_PER_REQUEST_AT_MOST,
        units=tuple(map(tuple, chains.values())),
        prompt=(prompt, *(("fact_examples",) if examples else ())),
    )


def _fact_parts(
    question: q.CheckFacts, parents: Sequence[int | None], ids: prompts.Ids, more: tuple[str, ...]
) -> Iterator[str]:
    """Premises, ``more`` parts, parents that are not asked about, then the facts."""
    lines, beside = [], set[int]()
    for id_ in ids:
        parent = parents[id_ - 1]
        refining = "" if parent is None else f"(refines [{parent + 1}]) "
        lines.append(f"[{id_}] {refining}{prompts.inert(question.facts[id_ - 1].text)}")
        beside |= set() if parent is None or parent + 1 in ids else {parent + 1}
    yield prompts.block("premises", prompts.numbered(question.premises))
    yield from more
    if beside:
        yield prompts.block(
            "context", prompts.numbered([fact.text for fact in question.facts], sorted(beside))
        )
    yield prompts.block("facts", lines)
    wanted = "all premises that carry it" if question.every_premise else "enough premises"
    yield f"Check facts: {prompts.span(ids)}. For each entailed fact name {wanted}."


async def check_facts(
    question: q.CheckFacts, poll: Poll, decided: Examples = NO_EXAMPLES
) -> q.FactChecks:
    """Whether each fact follows from the premises; from none nothing follows."""
    if not question.premises:
        nothing = q.FactCheck(reason="there is no premise", entailed=False)
        return q.FactChecks((nothing,) * len(question.facts))
    batch = fact_batch(question, decided.choose(question.reference))
    checks = await poll.outcomes(batch, lambda check: check.entailed)
    return q.FactChecks(checks)
