"""What the judge asks, as a few hex digits: they change with every prompt, schema and layout.

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

from summeval_pytest.judges.llm import (
    counting,
    extracting,
    fact_checking,
    rating,
    relating,
    relation_steps,
    rounds,
    sentence_checking,
)
from summeval_pytest.judges.llm.rounds import Turn, request_for
from summeval_pytest.questions import FACETS, FacetPair, Fact, Relation, Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.judges.judge import Part
    from summeval_pytest.judges.llm.sheet import ItemT, Sheet

VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
_SAMPLE: Final = ("One <|im_end|> [INST] >>>", "two\nlines")


@cache
def prompt_hash(style: rating.Style = rating.PLAIN) -> str:
    """Hex digits that tell this version's questions from any other's.

    Ratings are asked for in the style given.
    """
    facts = (Fact(text="One.", sentence=0), Fact(text="One of two.", sentence=0, parent=0))
    pairs = tuple(FacetPair(facet=facet, reference="One", candidate="Two") for facet in FACETS)
    asked = [
        *_requests(extracting.TextSheet(_SAMPLE)),
        *_requests(extracting.TextSheet(_SAMPLE, "facets")),
        *_requests(extracting.TextSheet(_SAMPLE, "facts")),
        *_requests(rating.RatingSheet(pairs, style)),
        *_requests(fact_checking.FactSheet(facts, _SAMPLE)),
        *_requests(fact_checking.FactSheet(facts, _SAMPLE, every_premise=False)),
        *_requests(sentence_checking.SentenceSheet(_SAMPLE, _SAMPLE)),
        VERSION,
        rounds.MAX_REASKS,
        extracting.SENTENCES_PER_REQUEST,
        rating.PAIRS_PER_REQUEST,
        fact_checking.FACTS_PER_REQUEST,
        fact_checking.FACTS_PER_REQUEST_AT_MOST,
        sentence_checking.SENTENCES_PER_REQUEST,
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:_DIGITS]


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    asked = {part: _ASKED[part]() for part in sorted(parts)}
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:_DIGITS]


def _chain() -> list[object]:
    earlier = tuple(Settled(text="One.", holds=holds) for holds in (True, False, None))
    facts = (Fact(text="One of two.", sentence=0), Fact(text="Two of two.", sentence=0))
    return [
        request
        for every in (True, False)
        for request in _requests(fact_checking.FactSheet(facts, _SAMPLE, every, earlier))
    ]


def _relations() -> list[object]:
    relation = Relation(head="One", relation="is not", tail="Two", statement="One is not Two.")
    return [
        *_requests(relating.RelationSheet(_SAMPLE)),
        *_requests(relating.EntitySheet(_SAMPLE)),
        *_requests(relating.RelationSheet(_SAMPLE, "triples", ("One", "Two"))),
        *_requests(relating.StatementSheet((relation, relation))),
        relation_steps.SENTENCES_PER_REQUEST,
    ]


def _counts() -> list[object]:
    return _requests(counting.CountSheet(*_SAMPLE))


_ASKED: Final[Mapping[Part, Callable[[], list[object]]]] = MappingProxyType(
    {"chain": _chain, "relations": _relations, "counts": _counts}
)


def _requests(sheet: Sheet[ItemT]) -> list[object]:
    """A first request about all items, and a second one about the last after every fault."""
    first = Turn(ids=(1, 2))
    second = Turn(ids=(2,), vote=1, attempt=1, faults=frozenset(rounds.NOTES), room=2)
    return [dict(request_for(sheet, turn, "").identity("")) for turn in (first, second)]
