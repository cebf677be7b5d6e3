"""Relations across sentences: the question, and the requests that find them.

They are asked for all at once, or in the paper's steps:

    at once:  entities, relations and their statements, sentence by sentence
    in steps: entities of each paragraph; triples of the whole text; a statement for each triple

A relation belongs to the later of the sentences that it takes, and names another one that it has to
be read with (EVA-Score, section 3.3; JSON in place of the triples in parentheses that lose entities
with commas).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import ClassVar, Final, Literal

from pydantic import Field

from summeval_pytest import questions as q
from summeval_pytest.endpoints.wire import read_off_loop
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.fact_requests import has_its_numbers
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.metrics.facts import Facts
from summeval_pytest.study.eva.similarity import Encoder, cosines, most_similar
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import sentence_texts

_PROMPTS: Final = "summeval_pytest.study.eva"


@dataclass(frozen=True, slots=True)
class ListRelations(q.OtherQuestion):
    """Which relations does this text state across its sentences, and in none of them alone?

    The answer is a `FactList` with a statement of each. Unusable ones state a number that the text
    does not state.
    """

    text: str
    duty: ClassVar[q.Duty] = "listing"

    @property
    def texts(self) -> tuple[str, str]:
        """The text alone."""
        return self.text, ""

    def computed(self) -> q.Unanswered:
        """No list, which would say that there are none."""
        return q.Unanswered(
            "the embedded judge finds no relations across sentences; delete 'relations' from"
            " [metrics.eva] of the suite, or name a judge that reads with --summ-judge"
        )

    def imagined(self, computed: q.Answer) -> q.FactList:  # noqa: ARG002 - see `OtherQuestion`
        """None, since nobody can guess how many there are."""
        return q.FactList(())

    async def of_model(self, poll: Poll, judge: LlmJudge) -> q.FactList:  # noqa: ARG002 - see above
        """What the model finds at once or in steps, as it is asked about other items."""
        sentences = sentence_texts(self.text)
        if not sentences:
            return q.FactList(())
        if poll.batched:
            relations = list(chain(*await poll.all_of(relation_batch(sentences))))
        else:
            relations = await _in_steps(self.text, sentences, poll)

        def sorted_out() -> q.FactList:
            stated = find_quantities(" ".join(sentences))
            usable: list[q.Fact] = []
            unusable: list[q.Fact] = []
            for one in relations:
                fact = q.Fact(text=one.statement, sentence=one.sentence)
                (usable if has_its_numbers(fact.text, stated) else unusable).append(fact)
            return q.FactList(tuple(usable), tuple(unusable))

        answer = await read_off_loop(sum(len(one.statement) for one in relations), sorted_out)
        poll.counts.n_dropped_facts += len(answer.unusable)
        return answer


async def _in_steps(text: str, sentences: tuple[str, ...], poll: Poll) -> Relations:
    paragraphs = list(filter(str.strip, text.split("\n\n")))
    names: dict[str, str] = {}  # each once, however it is capitalised
    for name in chain(*await poll.all_of(entity_batch(paragraphs))):
        names.setdefault(name.casefold(), name)
    triples = list(chain(*await poll.all_of(triple_batch(sentences, [*names.values()]))))
    statements = await poll.all_of(statement_batch(triples))
    return [replace(t, statement=s) for t, s in zip(triples, statements, strict=True)]


EntityType = Literal[
    "person", "organisation", "location", "time", "number", "product", "miscellaneous"
]
"""The paper's seven; they are asked for so that all entities are looked for, and counted."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Two entities, how they relate, the sentence that says so, and whose end it belongs to."""

    head: str
    relation: str
    tail: str
    statement: str = ""
    sentence: int


Relations = list[Relation]
"""Relations that a sentence completes; one that came without a statement has an empty one."""


def relation_batch(sentences: tuple[str, ...]) -> prompts.PromptBatch[Relations]:
    """Asks for entities, relations and their statements, sentence by sentence."""
    make = partial(_relations, n_sentences=len(sentences))
    return prompts.work_batch(f"{_PROMPTS}/relations", _RelationsEntry, make, sentences)


def triple_batch(
    sentences: tuple[str, ...], entities: Sequence[str]
) -> prompts.PromptBatch[Relations]:
    """Asks for relations of known entities, in one request about the whole text."""
    make = partial(_relations, n_sentences=len(sentences))
    known = [prompts.block("entities", map(prompts.inert, entities))]
    batch = prompts.work_batch(f"{_PROMPTS}/triples", _TriplesEntry, make, sentences, more=known)
    return replace(batch, size=None)


def _relations(entry: _RelationsEntry | _TriplesEntry, n_sentences: int) -> Relations:
    """The relations that one sentence completes, each with another sentence of the text."""
    for place, triple in enumerate(entry.relations, start=1):
        if not 1 <= triple.other <= n_sentences or triple.other == entry.id:
            fault = f"of sentence {entry.id} of {n_sentences} is with sentence {triple.other}"
            raise replies.UnreadableError("off_scale", f"item {entry.id}: relation {place} {fault}")
    return [
        Relation(sentence=entry.id - 1, **triple.model_dump(exclude={"other"}))
        for triple in entry.relations
    ]


def entity_batch(paragraphs: Sequence[str]) -> prompts.PromptBatch[list[str]]:
    """Asks for the names of the entities of each paragraph, one a request."""
    return prompts.work_batch(
        f"{_PROMPTS}/entities",
        _EntitiesEntry,
        lambda entry: [entity.name for entity in entry.entities],
        paragraphs,
        of="paragraphs",
    )


def statement_batch(relations: Sequence[Relation]) -> prompts.PromptBatch[str]:
    """Asks for the statement of each relation, one a request."""
    return prompts.work_batch(
        f"{_PROMPTS}/statements",
        _StatementEntry,
        lambda entry: entry.statement,
        [f"{one.head} | {one.relation} | {one.tail}" for one in relations],
        of="relations",
        key="statements",
    )


def new_statements(
    statements: tuple[str, ...], facts: Facts, threshold: float, encode: Encoder | None = None
) -> tuple[str, ...]:
    """The statements that no fact comes as near as the threshold to, in order (paper, 3.3)."""
    near = cosines(statements, [fact.text for fact in facts], encode)
    return tuple(
        statement
        for statement, row in zip(statements, near, strict=True)
        if not len(row) or row.max() < threshold
    )


def placed(
    statements: tuple[str, ...], sentences: tuple[str, ...], encode: Encoder | None
) -> Facts:
    """Statements as facts, each at the sentence most similar to it, for a reader to look at."""
    if not statements:
        return ()
    places = most_similar(statements, sentences, 1, encode)
    return tuple(
        q.Fact(text=text, sentence=place) for text, (place,) in zip(statements, places, strict=True)
    )
