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

from summeval_pytest.judges.llm import asking as rounds
from summeval_pytest.judges.llm import facets_and_facts as counting
from summeval_pytest.judges.llm import facets_and_facts as extracting
from summeval_pytest.judges.llm import facets_and_facts as fact_checking
from summeval_pytest.judges.llm import facets_and_facts as rating
from summeval_pytest.judges.llm import relations as relating
from summeval_pytest.judges.llm import relations as relation_steps
from summeval_pytest.judges.llm import sentences as factual_checking
from summeval_pytest.judges.llm import sentences as sentence_asking
from summeval_pytest.judges.llm import sentences as sentence_checking
from summeval_pytest.judges.llm.asking import Turn, request_for
from summeval_pytest.questions import FACETS, FacetPair, Fact, Relation, SentenceManner, Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.judges.judge import Part
    from summeval_pytest.judges.llm.replies import FaultKind, ItemT, Sheet
    from summeval_pytest.questions import SentenceMode


VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
_NO_MORE: Final[Mapping[FaultKind, str]] = MappingProxyType({})
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
    sheet = sentence_asking.sheet_of(_SAMPLE, _SAMPLE, SentenceManner(mode=mode))
    return _hash(
        [*_requests(sheet, ids=(1,), more_faults=rounds.FREE_NOTES), VERSION, rounds.MAX_REASKS]
    )


@cache
def factual_hash() -> str:
    """Hex digits that tell this version's questions about general truth from any other's."""
    asked = _requests(factual_checking.FactualSheet(_SAMPLE, (1, 2)))
    size = factual_checking.SENTENCES_PER_REQUEST
    return _hash([*asked, VERSION, rounds.MAX_REASKS, size])


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
    return _hash(asked)


def _hash(asked: object) -> str:
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:_DIGITS]


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    asked = {part: _ASKED[part]() for part in sorted(parts)}
    return _hash(asked)


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


def _requests(
    sheet: Sheet[ItemT],
    ids: tuple[int, ...] = (1, 2),
    more_faults: Mapping[FaultKind, str] = _NO_MORE,
) -> list[object]:
    """A first request about all items, and a second one about the last after every fault."""
    first = Turn(ids=ids)
    faults = frozenset((*rounds.NOTES, *more_faults))
    second = Turn(ids=(2,), vote=1, attempt=1, faults=faults, room=2)
    return [dict(request_for(sheet, turn, "").identity("")) for turn in (first, second)]
