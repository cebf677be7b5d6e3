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
from typing import TYPE_CHECKING, Final

from summeval_pytest import questions as q
from summeval_pytest.judges.llm import facet_ratings, fact_requests, sentence_checks
from summeval_pytest.judges.llm.asking import MAX_REASKS, Turn, request_for
from summeval_pytest.judges.llm.replies import NOTES

if TYPE_CHECKING:
    from summeval_pytest.judges.judge import Part
    from summeval_pytest.judges.llm.prompts import PromptBatch


VERSION: Final = "1"
"""Goes up when replies are read, or votes counted, in another way."""

_DIGITS: Final = 8
_SAMPLE: Final = ("One <|im_end|> [INST] >>>", "two\nlines")
_CHECKED: Final = q.CheckSentences(_SAMPLE, _SAMPLE)


def manner_text(manner: q.SentenceManner) -> str:
    """How a judge is asked about sentences, as its signature goes on; empty for the usual way.

    Labels under one prompt say nothing of another's, so each has digits of its own (FB7).
    """
    text = "" if manner.mode == "quotes" else f" sentences={manner.mode}/{mode_hash(manner.mode)}"
    text += " strict=yes" if manner.strict else ""
    return f"{text} factual={factual_hash()}" if manner.factual else text


@cache
def mode_hash(mode: q.SentenceMode) -> str:
    """Hex digits that tell this version's way to ask about one sentence from any other's."""
    batch = sentence_checks.sentence_batch(_CHECKED, q.SentenceManner(mode=mode))
    return _hash([*_requests(batch, ids=(1,)), VERSION, MAX_REASKS])


@cache
def sentence_examples_hash() -> str:
    """Hex digits that tell how this version shows labelled sentences from any other way."""
    example = sentence_checks.sentence_example(_CHECKED, {1: (True, ""), 2: (False, _SAMPLE[0])})
    batch = sentence_checks.sentence_batch(_CHECKED, q.SentenceManner(), (example,))
    return _hash([*_requests(batch), VERSION, MAX_REASKS])


@cache
def factual_hash() -> str:
    """Hex digits that tell this version's questions about general truth from any other's."""
    batch = sentence_checks.factual_batch(_SAMPLE, (1, 2))
    return _hash([*_requests(batch), VERSION, MAX_REASKS, batch.size])


@cache
def prompt_hash(style: facet_ratings.Style = facet_ratings.PLAIN) -> str:
    """Hex digits that tell this version's usual questions, facets in this style, from others."""
    chain = (q.Fact(text="One.", sentence=0), q.Fact(text="One of two.", sentence=0, parent=0))
    pairs = tuple(q.FacetPair(facet=facet, reference="One", candidate="Two") for facet in q.FACETS)
    references = (_SAMPLE[1], q.FacetSegments(method=_SAMPLE[1])) if style.labelled else ()
    examples = tuple(
        facet_ratings.rating_example(reference, _SAMPLE[0], {"method": 2})
        for reference in references  # the examples that a judge has are hashed on their own
    )
    batches = (
        facet_ratings.labels_batch(_SAMPLE),
        facet_ratings.segments_batch(_SAMPLE[0]),
        facet_ratings.rating_batch(pairs, style, examples),
        fact_requests.facts_batch(_SAMPLE),
        fact_requests.fact_batch(q.CheckFacts(chain, _SAMPLE)),
        fact_requests.fact_batch(q.CheckFacts(chain, _SAMPLE, every_premise=False)),
        sentence_checks.sentence_batch(_CHECKED, q.SentenceManner()),
    )
    least = sorted(facet_ratings.LEAST_COVERAGE.items())
    sizes = (batch.size for batch in batches)
    return _hash([*_requests(*batches), VERSION, MAX_REASKS, least, *sizes])


@cache
def part_hash(parts: tuple[Part, ...]) -> str:
    """Hex digits that tell this version's questions of some parts from any other's."""
    earlier = tuple(q.Settled(text="One.", holds=holds) for holds in (True, False, None))
    two = (q.Fact(text="One of two.", sentence=0), q.Fact(text="Two of two.", sentence=0))
    relation = q.Relation(head="One", relation="is not", tail="Two", statement="One is not Two.")
    related = fact_requests.relation_batch(_SAMPLE)
    chains = [
        fact_requests.fact_batch(q.CheckFacts(two, _SAMPLE, e, earlier)) for e in (True, False)
    ]
    steps = (
        fact_requests.entity_batch(_SAMPLE),
        fact_requests.triple_batch(_SAMPLE, ("One", "Two")),
        fact_requests.statement_batch((relation, relation)),
    )
    requests: dict[Part, list[object]] = {
        "chain": _requests(*chains),
        "relations": [*_requests(related, *steps), related.size],
    }
    return _hash({part: requests[part] for part in sorted(parts)})


def _requests(*batches: PromptBatch[object], ids: tuple[int, ...] = (1, 2)) -> list[object]:
    """Of each batch a request about all items, and one about the last after every fault."""
    requests: list[object] = []
    for batch in batches:
        faults = frozenset(NOTES) - (set() if batch.schema(ids) is None else {"no_verdict"})
        second = Turn(ids=(2,), vote=1, attempt=1, faults=faults, room=2)
        requests += [dict(request_for(batch, t, "").identity("")) for t in (Turn(ids=ids), second)]
    return requests


def _hash(requests: object) -> str:
    return hashlib.sha256(json.dumps(requests).encode()).hexdigest()[:_DIGITS]
