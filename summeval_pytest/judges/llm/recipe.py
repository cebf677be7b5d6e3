"""The prompt hash in a judge's signature: it changes with prompts, schemas and layout.

The digits are a hash of the requests that a fixed set of questions would make, so nothing that
shapes a request can be forgotten. What only variants of EVA-Score ask has digits of its own: they
stand in the recipe of a metric that asks it (``prompts``) and not in the judge's signature, so that
who uses no variant loses no baseline to its prompts.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm import facets_and_facts, relations, sentences
from summeval_pytest.judges.llm.asking import MAX_REASKS, NOTES, Turn, request_for
from summeval_pytest.questions import (
    FACETS,
    CheckFacts,
    FacetPair,
    Fact,
    Relation,
    SentenceManner,
    Settled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.judges.judge import Part
    from summeval_pytest.judges.llm.replies import ItemT, PromptBatch
    from summeval_pytest.questions import SentenceMode


VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
_SAMPLE: Final = ("One <|im_end|> [INST] >>>", "two\nlines")


def manner_text(manner: SentenceManner) -> str:
    """How a judge is asked about sentences, as its signature goes on; empty for the usual way.

    Labels under one prompt say nothing of another's, so each has digits of its own (FB7).
    """
    text = "" if manner.mode == "quotes" else f" sentences={manner.mode}/{mode_hash(manner.mode)}"
    text += " strict=yes" if manner.strict else ""
    return f"{text} factual={factual_hash()}" if manner.factual else text


@cache
def mode_hash(mode: SentenceMode) -> str:
    """Hex digits that tell this version's way to ask about one sentence from any other's."""
    batch = sentences.sentence_batch(_SAMPLE, _SAMPLE, SentenceManner(mode=mode))
    return _hash([*_requests(batch, ids=(1,)), VERSION, MAX_REASKS])


@cache
def factual_hash() -> str:
    """Hex digits that tell this version's questions about general truth from any other's."""
    asked = _requests(sentences.factual_batch(_SAMPLE, (1, 2)))
    return _hash([*asked, VERSION, MAX_REASKS, sentences.SENTENCES_PER_REQUEST])


@cache
def prompt_hash(style: facets_and_facts.Style = facets_and_facts.PLAIN) -> str:
    """Hex digits that tell this version's questions from any other's.

    Ratings are asked for in the style given.
    """
    facts = (Fact(text="One.", sentence=0), Fact(text="One of two.", sentence=0, parent=0))
    pairs = tuple(FacetPair(facet=facet, reference="One", candidate="Two") for facet in FACETS)
    asked = [
        *_requests(facets_and_facts.stated_batch(_SAMPLE)),
        *_requests(facets_and_facts.stated_batch(_SAMPLE, "facets")),
        *_requests(facets_and_facts.stated_batch(_SAMPLE, "facts")),
        *_requests(facets_and_facts.rating_batch(pairs, style)),
        *_requests(facets_and_facts.fact_batch(CheckFacts(facts, _SAMPLE))),
        *_requests(facets_and_facts.fact_batch(CheckFacts(facts, _SAMPLE, every_premise=False))),
        *_requests(sentences.sentence_batch(_SAMPLE, _SAMPLE, SentenceManner())),
        VERSION,
        MAX_REASKS,
        facets_and_facts.SENTENCES_PER_REQUEST,
        facets_and_facts.PAIRS_PER_REQUEST,
        facets_and_facts.FACTS_PER_REQUEST,
        facets_and_facts.FACTS_PER_REQUEST_AT_MOST,
        sentences.SENTENCES_PER_REQUEST,
    ]
    return _hash(asked)


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    return _hash({part: _ASKED[part]() for part in sorted(parts)})


def _chain() -> list[object]:
    earlier = tuple(Settled(text="One.", holds=holds) for holds in (True, False, None))
    facts = (Fact(text="One of two.", sentence=0), Fact(text="Two of two.", sentence=0))
    return [
        request
        for every in (True, False)
        for request in _requests(
            facets_and_facts.fact_batch(CheckFacts(facts, _SAMPLE, every, earlier))
        )
    ]


def _relations() -> list[object]:
    relation = Relation(head="One", relation="is not", tail="Two", statement="One is not Two.")
    return [
        *_requests(relations.relation_batch(_SAMPLE)),
        *_requests(relations.entity_batch(_SAMPLE)),
        *_requests(relations.relation_batch(_SAMPLE, ("One", "Two"))),
        *_requests(relations.statement_batch((relation, relation))),
        relations.SENTENCES_PER_REQUEST,
    ]


_ASKED: Final[Mapping[Part, Callable[[], list[object]]]] = MappingProxyType(
    {
        "chain": _chain,
        "relations": _relations,
        "counts": lambda: _requests(facets_and_facts.count_batch(*_SAMPLE)),
    }
)


def _requests(batch: PromptBatch[ItemT], ids: tuple[int, ...] = (1, 2)) -> list[object]:
    """A first request about all items, and a second one about the last after every fault."""
    first = Turn(ids=ids)
    faults = frozenset(NOTES)
    if batch.schema(ids) is not None:
        faults -= {"no_verdict"}
    second = Turn(ids=(2,), vote=1, attempt=1, faults=faults, room=2)
    return [dict(request_for(batch, turn, "").identity("")) for turn in (first, second)]


def _hash(asked: object) -> str:
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:_DIGITS]
