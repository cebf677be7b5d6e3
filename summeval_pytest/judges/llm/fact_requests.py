"""Requests about facts and relations: listing, checking and counting them.

A statement with a number that its text does not state is unusable: it is none of the text's facts
(FActScore does the same). Relations across sentences are asked for all at once, or in the paper's
steps:

    at once:  entities, relations and their statements, sentence by sentence
    in steps: entities of each paragraph; triples of the whole text; a statement for each triple

A relation belongs to the later of the sentences that it takes, and names another one that it has to
be read with (EVA-Score, section 3.3; JSON in place of the triples in parentheses that lose entities
with commas).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from summeval_pytest import questions as q
from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.text.quantities import Quantity, find_quantities
from summeval_pytest.text.sentences import sentence_texts

FACTS_PER_REQUEST: Final = 15
FACTS_PER_REQUEST_AT_MOST: Final = 25
"""Where enough premises do, replies are shorter."""
EntityType = Literal[
    "person", "organisation", "location", "time", "number", "product", "miscellaneous"
]
"""The paper's seven; they are asked for so that all entities are looked for, and counted."""
_DECISIONS: Final[Mapping[bool | None, str]] = {
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


class _Counts(replies.Values):
    reason: replies.Line
    reference: replies.Whole
    candidate: replies.Whole
    matched: replies.Whole


class _Entity(replies.Values):
    name: replies.TellingLine
    type: EntityType


class _Triple(replies.Values):
    other: replies.Whole = Field(alias="with")
    head: replies.TellingLine
    relation: replies.TellingLine
    tail: replies.TellingLine


class _StatedTriple(_Triple):
    statement: replies.TellingLine


class _EntitiesEntry(replies.Entry):
    entities: list[_Entity]


class _RelationsEntry(_EntitiesEntry):
    relations: list[_StatedTriple]


class _TriplesEntry(replies.Entry):
    relations: list[_Triple]


class _StatementEntry(replies.Entry):
    statement: replies.TellingLine


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
        {"id": id_, "label": _DECISIONS[holds]} for id_, holds in enumerate(decisions, start=1)
    ]
    blocks = (
        prompts.block("example premises", prompts.numbered(premises)),
        prompts.block("example facts", prompts.numbered(facts)),
        prompts.block("example labels", [prompts.inert(json.dumps({"checks": checks}))]),
    )
    return "\n\n".join(blocks)


def fact_batch(
    question: q.CheckFacts, examples: tuple[str, ...] = ()
) -> prompts.PromptBatch[q.FactCheck]:
    """Asks whether each fact follows from the premises; the facts of a chain stay together.

    With ``earlier`` verdicts the request is of another kind. Examples stand before the premises.
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
        parts=lambda ids: [*examples, *_fact_parts(question, parents, ids)],
        size=FACTS_PER_REQUEST if question.every_premise else FACTS_PER_REQUEST_AT_MOST,
        units=tuple(map(tuple, chains.values())),
        prompt=(
            "fact_checks_in_chain" if question.earlier else "fact_checks",
            *(("fact_examples",) if examples else ()),
        ),
    )


def _fact_parts(
    question: q.CheckFacts, parents: Sequence[int | None], ids: prompts.Ids
) -> Iterator[str]:
    """Premises, earlier verdicts, parents that are not asked about, then the facts."""
    lines, beside = [], set[int]()
    for id_ in ids:
        parent = parents[id_ - 1]
        refining = "" if parent is None else f"(refines [{parent + 1}]) "
        lines.append(f"[{id_}] {refining}{prompts.inert(question.facts[id_ - 1].text)}")
        beside |= set() if parent is None or parent + 1 in ids else {parent + 1}
    yield prompts.block("premises", prompts.numbered(question.premises))
    if question.earlier:
        earlier = (
            f"{_DECISIONS[one.holds]}: {prompts.inert(one.text)}" for one in question.earlier
        )
        yield prompts.block("earlier", earlier)
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


def count_batch(question: q.CountFacts) -> prompts.PromptBatch[q.FactCounts]:
    """Asks for counts of facts; more facts in both texts than in one of them cannot be."""

    def fact_counts(counts: _Counts) -> q.FactCounts:
        reference, candidate, matched = counts.reference, counts.candidate, counts.matched
        if not 0 <= matched <= min(reference, candidate):
            fault = f"{matched} facts in both of {reference} in the reference, {candidate} in the"
            raise replies.UnreadableError("off_scale", f"{fault} summary")
        return q.FactCounts(**counts.model_dump())

    texts = {"reference": question.reference, "summary": question.summary}
    return prompts.single_batch("fact_counts", _Counts, fact_counts, texts, "Count the facts.")


Relations = list[q.Relation]
"""Relations that a sentence completes; one that came without a statement has an empty one."""


def relation_batch(sentences: tuple[str, ...]) -> prompts.PromptBatch[Relations]:
    """Asks for entities, relations and their statements, sentence by sentence."""
    make = partial(_relations, n_sentences=len(sentences))
    return prompts.work_batch("relations", _RelationsEntry, make, sentences)


def triple_batch(
    sentences: tuple[str, ...], entities: Sequence[str]
) -> prompts.PromptBatch[Relations]:
    """Asks for relations of known entities, in one request about the whole text."""
    make = partial(_relations, n_sentences=len(sentences))
    known = [prompts.block("entities", map(prompts.inert, entities))]
    batch = prompts.work_batch("triples", _TriplesEntry, make, sentences, more=known)
    return replace(batch, size=None)


def _relations(entry: _RelationsEntry | _TriplesEntry, n_sentences: int) -> Relations:
    """The relations that one sentence completes, each with another sentence of the text."""
    for place, triple in enumerate(entry.relations, start=1):
        if not 1 <= triple.other <= n_sentences or triple.other == entry.id:
            fault = f"of sentence {entry.id} of {n_sentences} is with sentence {triple.other}"
            raise replies.UnreadableError("off_scale", f"item {entry.id}: relation {place} {fault}")
    return [
        q.Relation(**{"statement": ""} | triple.model_dump(exclude={"other"}))
        for triple in entry.relations
    ]


def entity_batch(paragraphs: Sequence[str]) -> prompts.PromptBatch[list[str]]:
    """Asks for the names of the entities of each paragraph, one a request."""
    return prompts.work_batch(
        "entities",
        _EntitiesEntry,
        lambda entry: [entity.name for entity in entry.entities],
        paragraphs,
        of="paragraphs",
    )


def statement_batch(relations: Sequence[q.Relation]) -> prompts.PromptBatch[str]:
    """Asks for the statement of each relation, one a request."""
    return prompts.work_batch(
        "statements",
        _StatementEntry,
        lambda entry: entry.statement,
        [f"{one.head} | {one.relation} | {one.tail}" for one in relations],
        of="relations",
        key="statements",
    )


async def relations_of(text: str, poll: Poll) -> q.RelationList:
    """The relations of a text."""
    sentences = sentence_texts(text)
    if not sentences:
        return q.RelationList(())
    if poll.batched:
        relations = list(chain(*await poll.all_of(relation_batch(sentences))))
    else:
        paragraphs = list(filter(str.strip, text.split("\n\n")))
        names: dict[str, str] = {}  # each once, however it is capitalised
        for name in chain(*await poll.all_of(entity_batch(paragraphs))):
            names.setdefault(name.casefold(), name)
        triples = list(chain(*await poll.all_of(triple_batch(sentences, [*names.values()]))))
        statements = await poll.all_of(statement_batch(triples))
        relations = [replace(t, statement=s) for t, s in zip(triples, statements, strict=True)]

    def sorted_out() -> q.RelationList:
        stated = find_quantities(" ".join(sentences))
        usable: list[q.Relation] = []
        unusable: list[q.Relation] = []
        for one in relations:
            (usable if has_its_numbers(one.statement, stated) else unusable).append(one)
        return q.RelationList(tuple(usable), tuple(unusable))

    answer = await read_off_loop(sum(len(one.statement) for one in relations), sorted_out)
    poll.counts.n_dropped_facts += len(answer.unusable)
    return answer
