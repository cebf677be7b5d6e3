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

from summeval_pytest.judges.llm.replies import (
    Entry,
    Line,
    PromptBatch,
    Read,
    TellingLine,
    UnreadableError,
    Values,
    Whole,
    about,
    apart,
    as_whole,
    block,
    entries_batch,
    instructions,
    numbered,
    read_item,
    read_object,
    read_values,
    record,
    schema,
    shape_of,
    shown,
    single_batch,
    span,
)
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    SUMMARY_SCALE,
    CheckFacts,
    Facet,
    FacetPair,
    FacetRating,
    FacetSegments,
    Fact,
    FactCheck,
    FactCounts,
    FactList,
    SummaryRating,
)
from summeval_pytest.text.quantities import find_quantities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.questions import Rubric


SENTENCES_PER_REQUEST: Final = 12
MAX_FACETS: Final = 2
"""A sentence may pass from one facet to the next; one that "states" three was not read."""


class StatedFact(Values):
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: TellingLine
    refines: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one sentence states."""

    facets: frozenset[Facet] = frozenset()
    facts: tuple[StatedFact, ...] = ()


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


_Facets = Annotated[list[Facet], AfterValidator(_check_facets)]
_Facts = Annotated[list[StatedFact], AfterValidator(_check_order)]


class _FacetsEntry(Entry):
    facets: _Facets


class _FactsEntry(Entry):
    facts: _Facts


class _BothEntry(Entry):
    facets: _Facets
    facts: _Facts


StatedKind = Literal["facets_and_facts", "facets", "facts"]
_STATED: Final[Mapping[StatedKind, type[Entry]]] = MappingProxyType(
    {"facets_and_facts": _BothEntry, "facets": _FacetsEntry, "facts": _FactsEntry}
)


def stated_batch(
    sentences: tuple[str, ...], kind: StatedKind = "facets_and_facts"
) -> PromptBatch[Stated]:
    """Asks what each sentence of a text states."""

    def user(ids: Sequence[int]) -> str:
        return f"{block('text', numbered(sentences))}\n\nWork on sentences: {span(ids)}."

    def stated(entry: Entry, _: str) -> Stated:
        return Stated(
            facets=frozenset(getattr(entry, "facets", ())),
            facts=tuple(getattr(entry, "facts", ())),
        )

    return entries_batch(
        kind,
        "sentences",
        _STATED[kind],
        stated,
        texts=sentences,
        user=user,
    )


def segments(sentences: Sequence[str], stated: Sequence[Stated]) -> FacetSegments:
    """The facets of a text: for each the sentences that state it, word for word and in order."""
    pairs = list(zip(sentences, stated, strict=True))
    by_facet: dict[Facet, str] = {
        facet: " ".join(sentence for sentence, found in pairs if facet in found.facets)
        for facet in FACETS
    }
    return FacetSegments(**by_facet)


def facts(sentences: Sequence[str], stated: Sequence[Stated]) -> FactList:
    """The facts of a text.

    A fact with a number that its sentence does not state is none of its facts (FActScore does the
    same), and unusable; what refined it refines what it refined.
    """
    kept: list[Fact] = []
    unusable: list[Fact] = []
    for index, (sentence, found) in enumerate(zip(sentences, stated, strict=True)):
        places: list[int | None] = [None]
        for fact in found.facts:
            parent = places[fact.refines]
            if has_its_numbers(fact.text, sentence):
                places.append(len(kept))
                kept.append(Fact(text=fact.text, sentence=index, parent=parent))
            else:
                places.append(parent)
                unusable.append(Fact(text=fact.text, sentence=index))
    return FactList(tuple(kept), tuple(unusable))


def has_its_numbers(statement: str, text: str) -> bool:
    """Whether a text states every number of a statement."""
    stated = find_quantities(text)
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
    """

    rubric: Rubric = "paper"
    examples: bool = False

    def __str__(self) -> str:
        rubric = "" if self.rubric == "paper" else f" rubric={self.rubric}"
        return f"{rubric} examples=7" if self.examples else rubric


PLAIN: Final = Style()


class _OfThree(Values):
    reason: Line
    rating: Annotated[int, Field(ge=1, le=3), BeforeValidator(as_whole)]


class _OfFour(Values):
    reason: Line
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(as_whole)]


_RATED: Final[Mapping[int, type[_OfThree | _OfFour]]] = MappingProxyType({3: _OfThree, 4: _OfFour})


def rating_batch(pairs: tuple[FacetPair, ...], style: Style = PLAIN) -> PromptBatch[FacetRating]:
    """Asks for a rating of each pair, the reference's text before the summary's.

    An answer is named by its facet, with a number where several pairs are of one facet.
    """
    keys: list[str] = []
    for place, pair in enumerate(pairs):
        n_before = sum(other.facet == pair.facet for other in pairs[:place])
        keys.append(f"{pair.facet}_{n_before + 1}" if n_before else pair.facet)

    def user(ids: Sequence[int]) -> str:
        blocks, scales = [], []
        for id_ in ids:
            pair, key = pairs[id_ - 1], keys[id_ - 1]
            blocks.append(block(f"{key} reference", [shown(pair.reference)]))
            blocks.append(block(f"{key} summary", [shown(pair.candidate)]))
            scales.append(f"{key} (1 to {SCALES[pair.facet]})")
        return "\n\n".join([*blocks, f"Rate: {', '.join(scales)}."])

    def model(id_: int) -> type[_OfThree | _OfFour]:
        return _RATED[SCALES[pairs[id_ - 1].facet]]

    def read(text: str, ids: Sequence[int]) -> Read[FacetRating]:
        reply = read_object(text)

        def rating(id_: int, value: object, what: str) -> FacetRating:
            rated = read_values(model(id_), value, what)
            facet = pairs[id_ - 1].facet
            return FacetRating(facet=facet, reason=rated.reason, rating=rated.rating)

        return {
            id_: read_item(
                [reply[key]] if (key := keys[id_ - 1]) in reply else [], key, partial(rating, id_)
            )
            for id_ in ids
        }

    return PromptBatch(
        topic=about("facet ratings", [pair.candidate for pair in pairs]),
        units=apart(pairs),
        system=instructions(
            "facet_ratings",
            told="facet_ratings_release" if style.rubric == "release" else None,
            also="facet_examples" if style.examples else None,
        ),
        user=user,
        schema=lambda ids: schema(
            "facet_ratings", record({keys[id_ - 1]: shape_of(model(id_)) for id_ in ids})
        ),
        read=read,
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

    def check(entry: _FactEntry, what: str) -> FactCheck:
        for number in entry.premises:
            if not 1 <= number <= n_premises:
                raise UnreadableError("off_scale", f"{what}: premise {number} of {n_premises}")
        entailed = entry.label == "entailed"
        if entailed and not entry.premises:
            raise UnreadableError("off_scale", f"{what} is entailed by no premise")
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
        user=partial(_fact_message, question, parents),
        units=_chains(parents),
        told="fact_checks_in_chain" if question.earlier else None,
    )


def _fact_message(question: CheckFacts, parents: Sequence[int | None], ids: Sequence[int]) -> str:
    """Premises, earlier verdicts, parents that are not asked about, then the facts."""
    lines, beside = [], set[int]()
    for id_ in ids:
        parent = parents[id_ - 1]
        refining = "" if parent is None else f"(refines [{parent + 1}]) "
        lines.append(f"[{id_}] {refining}{shown(question.facts[id_ - 1].text)}")
        beside |= set() if parent is None else {parent + 1}
    blocks = [block("premises", numbered(question.premises))]
    if question.earlier:
        told = (f"{_DECISIONS[one.holds]}: {shown(one.text)}" for one in question.earlier)
        blocks.append(block("earlier", told))
    if beside - set(ids):
        texts = [fact.text for fact in question.facts]
        blocks.append(block("context", numbered(texts, sorted(beside - set(ids)))))
    blocks.append(block("facts", lines))
    wanted = "all premises that carry it" if question.every_premise else "enough premises"
    blocks.append(f"Check facts: {span(ids)}. For each entailed fact name {wanted}.")
    return "\n\n".join(blocks)


def _chains(parents: Sequence[int | None]) -> tuple[tuple[int, ...], ...]:
    """A fact that refines none, and all that refine it or each other, by number."""
    root_of: list[int] = []
    chains: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        root_of.append(place if parent is None else root_of[parent])
        chains.setdefault(root_of[place], []).append(place + 1)
    return tuple(map(tuple, chains.values()))


def summary_batch(reference: str, summary: str) -> PromptBatch[SummaryRating]:
    """Asks for one rating of a whole summary."""
    return single_batch(
        "summary_rating",
        _OfFour,
        lambda rated, _: SummaryRating(reason=rated.reason, rating=rated.rating),
        topic=about("summary rating", [summary]),
        blocks=(
            block("reference", [shown(reference)]),
            block("summary", [shown(summary)]),
            f"Rate the summary, 1 to {SUMMARY_SCALE}.",
        ),
    )


class _Counts(Values):
    reason: Line
    reference: Whole
    candidate: Whole
    matched: Whole


def count_batch(reference: str, summary: str) -> PromptBatch[FactCounts]:
    """Asks for counts of facts; more facts in both texts than in one of them cannot be."""
    return single_batch(
        "fact_counts",
        _Counts,
        _fact_counts,
        topic=about("fact counts", [summary]),
        blocks=(
            block("reference", [shown(reference)]),
            block("summary", [shown(summary)]),
            "Count the facts.",
        ),
    )


def _fact_counts(counts: _Counts, _: str) -> FactCounts:
    reference, candidate, matched = counts.reference, counts.candidate, counts.matched
    if min(reference, candidate, matched) < 0 or matched > min(reference, candidate):
        told = (
            f"{matched} facts in both of {reference} in the reference, {candidate} in the summary"
        )
        raise UnreadableError("off_scale", told)
    return FactCounts(
        reason=counts.reason, reference=reference, candidate=candidate, matched=matched
    )
