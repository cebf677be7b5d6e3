"""Requests about facets and facts: listing, rating, checking and counting.

A summary's facets and its facts are two questions of two metrics, and one request: whoever sends
requests sees that they are the same. In replication mode they are asked for separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from summeval_pytest.judges.llm.prompts import (
    Ids,
    PromptBatch,
    Units,
    about,
    apart,
    block,
    entries_batch,
    instructions,
    numbered,
    schema_of,
    shown,
    single_batch,
    span,
)
from summeval_pytest.judges.llm.replies import (
    Entry,
    Line,
    Read,
    TellingLine,
    UnreadableError,
    Values,
    Whole,
    as_whole,
    read_item,
    read_object,
    record,
    shape_of,
)
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    SUMMARY_SCALE,
    CheckFacts,
    CountFacts,
    Facet,
    FacetPair,
    FacetRating,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactCounts,
    FactList,
    RateSummary,
    SummaryRating,
)
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.endpoints.chat import Schema
    from summeval_pytest.judges.llm.asking import Poll
    from summeval_pytest.judges.llm.prompts import Kind
    from summeval_pytest.judges.llm.replies import EntryT
    from summeval_pytest.questions import FacetReading, Rubric
    from summeval_pytest.text.quantities import Quantity


SENTENCES_PER_REQUEST: Final = 12
MAX_FACETS: Final = 2
"""A sentence may pass from one facet to the next; one that "states" three was not read."""


class StatedFact(Values):
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: TellingLine
    refines: Whole


def _check_facets(facets: list[Facet]) -> list[Facet]:
    if len(set(facets)) > MAX_FACETS:
        raise PydanticCustomError("off_scale", f"more than {MAX_FACETS} facets")
    return facets


def _check_order(facts: list[StatedFact]) -> list[StatedFact]:
    for number, fact in enumerate(facts, start=1):
        if not 0 <= fact.refines < number:
            told = f"fact {number} refines fact {fact.refines}, which is not before it"
            raise PydanticCustomError("off_scale", told)
    return facts


class FacetsEntry(Entry):
    """The facets that one sentence states."""

    facets: Annotated[list[Facet], AfterValidator(_check_facets)]


class FactsEntry(Entry):
    """The facts that one sentence states."""

    facts: Annotated[list[StatedFact], AfterValidator(_check_order)]


class BothEntry(FactsEntry, FacetsEntry):
    """The facets, which the schema names first, and the facts that one sentence states."""


_KINDS: Final[Mapping[type[Entry], Kind]] = MappingProxyType(
    {BothEntry: "facets_and_facts", FacetsEntry: "facets", FactsEntry: "facts"}
)


def stated_batch(entry: type[EntryT], sentences: tuple[str, ...]) -> PromptBatch[EntryT]:
    """Asks what each sentence of a text states."""
    return entries_batch(
        _KINDS[entry],
        "sentences",
        entry,
        lambda stated: stated,
        texts=sentences,
        parts=lambda ids: [block("text", numbered(sentences)), f"Work on sentences: {span(ids)}."],
        size=SENTENCES_PER_REQUEST,
    )


async def segment_facets(text: str, poll: Poll) -> FacetSegments:
    """The facets of a text: for each the sentences that state it, word for word and in order."""
    sentences = sentence_texts(text)
    batch = stated_batch(BothEntry if poll.batched else FacetsEntry, sentences)
    pairs = list(zip(sentences, await poll.all_of(batch), strict=True))
    by_facet: dict[Facet, str] = {
        facet: " ".join(sentence for sentence, found in pairs if facet in found.facets)
        for facet in FACETS
    }
    return FacetSegments(**by_facet)


def whole_text(text: str) -> FacetSegments:
    """A text each of whose facets may stand anywhere in it."""
    return FacetSegments(**dict.fromkeys(FACETS, text))


async def list_facts(sentences: tuple[str, ...], poll: Poll) -> FactList:
    """The facts of a text.

    A fact with a number that its sentence does not state is none of its facts (FActScore does the
    same), and unusable; what refined it refines what it refined.
    """
    batch = stated_batch(BothEntry if poll.batched else FactsEntry, sentences)
    stated = await poll.all_of(batch)
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
    poll.counts.n_dropped_facts += len(unusable)
    return FactList(tuple(kept), tuple(unusable))


def has_its_numbers(statement: str, stated: Sequence[Quantity]) -> bool:
    """Whether every number of a statement is among those that its text states."""
    return all(
        any(number.agrees_with(other) for other in stated) for number in find_quantities(statement)
    )


PAIRS_PER_REQUEST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How the scales are explained.

    Attributes:
        rubric: ``paper``, where 1 is a contradiction or nothing relevant, or ``release``, the words
            of the released prompts, where 1 is a contradiction only (metrics.md FM5).
        examples: Whether seven worked examples of our own go with it, one for each rating of either
            scale (FM, section 5.2; metrics.md FM14).
        facets: What a facet of the reference is held against: the summary's sentences that state
            it, or the whole summary, which has instructions of its own in place of a rubric.
    """

    rubric: Rubric = "paper"
    examples: bool = False
    facets: FacetReading = "sentences"

    def __str__(self) -> str:
        told = "" if self.rubric == "paper" else f" rubric={self.rubric}"
        told += " examples=7" if self.examples else ""
        return told if self.facets == "sentences" else f"{told} facets={self.facets}"

    @property
    def prompts(self) -> tuple[Kind, ...]:
        """The prompt files that explain them."""
        rubric: Kind = "facet_ratings" if self.rubric == "paper" else "facet_ratings_release"
        main: Kind = "facet_ratings_whole" if self.facets == "whole" else rubric
        return (main, "facet_examples") if self.examples else (main,)


PLAIN: Final = Style()


class _OfFour(Values):
    reason: Line
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(as_whole)]


def _check_percent(number: int) -> int:
    if not 0 <= number <= 100:  # noqa: PLR2004 - per cent
        raise PydanticCustomError("off_scale", "no number from 0 to 100")
    return number


class _CoveredOfFour(Values):
    reason: Line
    coverage: Annotated[Whole, AfterValidator(_check_percent)]
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(as_whole)]


class _CoveredOfThree(_CoveredOfFour):
    rating: Annotated[int, Field(ge=1, le=3), BeforeValidator(as_whole)]


_RATED: Final[Mapping[int, type[_CoveredOfFour]]] = MappingProxyType(
    {3: _CoveredOfThree, 4: _CoveredOfFour}
)


def rating_batch(pairs: tuple[FacetPair, ...], style: Style = PLAIN) -> PromptBatch[FacetRating]:
    """Asks for a rating of each pair, the reference's text before the summary's.

    An answer is named by its facet, with a number where several pairs are of one facet. A summary
    that is read as a whole stands behind all facets, once.
    """
    asked: dict[int, tuple[str, FacetPair, type[_CoveredOfFour]]] = {}
    for id_, pair in enumerate(pairs, start=1):
        n_same = sum(other.facet == pair.facet for other in pairs[:id_])
        key = f"{pair.facet}_{n_same}" if n_same > 1 else pair.facet
        asked[id_] = (key, pair, _RATED[SCALES[pair.facet]])

    def rating(facet: Facet, rated: _CoveredOfFour) -> FacetRating:
        return FacetRating(
            facet=facet, reason=rated.reason, rating=rated.rating, coverage=rated.coverage
        )

    def read(text: str, ids: Ids) -> Read[FacetRating]:
        reply = read_object(text)
        found: dict[int, FacetRating | UnreadableError] = {}
        for id_ in ids:
            key, pair, model = asked[id_]
            values = [reply[key]] if key in reply else []
            found[id_] = read_item(values, key, model, partial(rating, pair.facet))
        return found

    def schema(ids: Ids) -> Schema:
        shapes = {key: shape_of(model) for key, _, model in map(asked.__getitem__, ids)}
        return schema_of("facet_ratings", record(shapes))

    return PromptBatch(
        topic=about("facet_ratings", [pair.candidate for pair in pairs]),
        units=apart(pairs),
        size=PAIRS_PER_REQUEST,
        system=instructions(*style.prompts),
        parts=lambda ids: _rating_parts([asked[id_][:2] for id_ in ids], style.facets),
        schema=schema,
        read=read,
    )


def _rating_parts(asked: Sequence[tuple[str, FacetPair]], reading: FacetReading) -> Iterator[str]:
    for key, pair in asked:
        yield block(f"{key} reference", [shown(pair.reference)])
        if reading == "sentences":
            yield block(f"{key} summary", [shown(pair.candidate)])
    if reading == "whole":
        for text in dict.fromkeys(pair.candidate for _, pair in asked):
            yield block("summary", [shown(text)])
    scales = [f"{key} (1 to {SCALES[pair.facet]})" for key, pair in asked]
    yield f"Rate: {', '.join(scales)}."


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


def summary_batch(question: RateSummary) -> PromptBatch[SummaryRating]:
    """Asks for one rating of a whole summary."""
    return single_batch(
        "summary_rating",
        _OfFour,
        lambda rated: SummaryRating(reason=rated.reason, rating=rated.rating),
        question,
        f"Rate the summary, 1 to {SUMMARY_SCALE}.",
    )


class _Counts(Values):
    reason: Line
    reference: Whole
    candidate: Whole
    matched: Whole


def count_batch(question: CountFacts) -> PromptBatch[FactCounts]:
    """Asks for counts of facts; more facts in both texts than in one of them cannot be."""
    return single_batch("fact_counts", _Counts, _fact_counts, question, "Count the facts.")


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
