"""Facets and facts of a text's sentences; both come out of the same replies.

A summary's facets and its facts are two questions of two metrics, and one request: whoever sends
requests sees that they are the same. In replication mode they are asked for separately.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.replies import (
    Draft,
    Kind,
    Read,
    ReplyFault,
    UnreadableError,
    apart,
    array,
    block,
    choice,
    fields,
    instructions,
    integer,
    listed,
    numbered,
    one_of,
    rating_on,
    read_entries,
    read_item,
    read_object,
    record,
    schema,
    shown,
    span,
    text,
    whole_number,
    words,
)
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    SUMMARY_SCALE,
    Facet,
    FacetPair,
    FacetRating,
    FacetSegments,
    Fact,
    FactCheck,
    FactCounts,
    FactList,
    Settled,
    SummaryRating,
)
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.quantities import find_quantities
from summeval_pytest.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.llm.replies import Shape
    from summeval_pytest.questions import Rubric


SENTENCES_PER_REQUEST: Final = 12
MAX_FACETS: Final = 2
"""A sentence may pass from one facet to the next; one that "states" three was not read."""

_KEYS: Final[Mapping[Kind, tuple[str, ...]]] = MappingProxyType(
    {
        "facets_and_facts": ("id", "facets", "facts"),
        "facets": ("id", "facets"),
        "facts": ("id", "facts"),
    }
)
_SHAPES: Final[Mapping[str, Shape]] = MappingProxyType(
    {
        "id": integer(),
        "facets": array(one_of(FACETS)),
        "facts": array(record({"text": text(), "refines": integer()})),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """A fact of one sentence; ``refines`` counts that sentence's facts from 1, 0 for none."""

    text: str
    refines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What one sentence states."""

    facets: frozenset[Facet] = frozenset()
    facts: tuple[StatedFact, ...] = ()


@dataclass(frozen=True, slots=True)
class TextSheet:
    """The sentences of a text, and what is wanted of them."""

    sentences: tuple[str, ...]
    kind: Kind = "facets_and_facts"

    @property
    def topic(self) -> str:
        """The kind, and how the text begins."""
        return f"{self.kind.replace('_', ' ')} {one_line(self.sentences[0], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The whole text, and which of its sentences are asked about."""
        entry = record({key: _SHAPES[key] for key in _KEYS[self.kind]})
        return Draft(
            system=instructions(self.kind),
            user=f"{block('text', numbered(self.sentences))}\n\nWork on sentences: {span(ids)}.",
            schema=schema(self.kind, record({"sentences": array(entry)})),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[Stated]:
        """What a reply says that each sentence states."""
        reply = fields(read_object(text), ("sentences",), "the reply")
        return read_entries(reply["sentences"], ids, self._read_sentence)

    def _read_sentence(self, entry: object, what: str) -> Stated:
        stated = fields(entry, _KEYS[self.kind], what)
        return Stated(
            facets=_read_facets(stated.get("facets", []), what),
            facts=_read_facts(stated.get("facts", []), what),
        )


def _read_facets(value: object, what: str) -> frozenset[Facet]:
    named = {choice(facet, FACETS, f"{what}: facet") for facet in listed(value, what)}
    if len(named) > MAX_FACETS:
        raise UnreadableError("off_scale", f"{what} has {len(named)} facets")
    return frozenset(facet for facet in FACETS if facet in named)


def _read_facts(value: object, what: str) -> tuple[StatedFact, ...]:
    facts: list[StatedFact] = []
    for number, entry in enumerate(listed(value, what), start=1):
        fact = fields(entry, ("text", "refines"), f"{what}: fact {number}")
        stated = " ".join(normalise(words(fact["text"], f"{what}: fact {number}")).split())
        refines = whole_number(fact["refines"], f"{what}: fact {number}")
        if not tokens(stated):
            raise UnreadableError("wrong_shape", f"{what}: fact {number} is empty")
        if not 0 <= refines < number:
            raise UnreadableError(
                "off_scale", f"{what}: fact {number} refines fact {refines}, which is not before it"
            )
        facts.append(StatedFact(text=stated, refines=refines))
    return tuple(facts)


def segments(sentences: Sequence[str], stated: Sequence[Stated]) -> FacetSegments:
    """The facets of a text: for each the sentences that state it, word for word and in order."""
    by_facet: dict[Facet, str] = {
        facet: " ".join(
            sentence
            for sentence, found in zip(sentences, stated, strict=True)
            if facet in found.facets
        )
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
            if _has_its_numbers(fact.text, sentence):
                places.append(len(kept))
                kept.append(Fact(text=fact.text, sentence=index, parent=parent))
            else:
                places.append(parent)
                unusable.append(Fact(text=fact.text, sentence=index))
    return FactList(tuple(kept), tuple(unusable))


def _has_its_numbers(fact: str, sentence: str) -> bool:
    stated = find_quantities(sentence)
    return all(
        any(number.agrees_with(other) for other in stated) for number in find_quantities(fact)
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
        parts = [f" rubric={self.rubric}"] if self.rubric != "paper" else []
        return "".join([*parts, *([" examples=7"] if self.examples else [])])


PLAIN: Final = Style()


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """Pairs of facets to rate."""

    pairs: tuple[FacetPair, ...]
    style: Style = PLAIN

    @property
    def topic(self) -> str:
        """The kind, and how the first facet of the summary begins."""
        return f"facet ratings {one_line(self.pairs[0].candidate, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each pair by itself."""
        return apart(self.pairs)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The pairs in this order, the reference's text before the summary's."""
        blocks, scales, shapes = [], [], {}
        for id_ in ids:
            pair, key = self.pairs[id_ - 1], self.key(id_)
            blocks.append(block(f"{key} reference", [shown(pair.reference)]))
            blocks.append(block(f"{key} summary", [shown(pair.candidate)]))
            scales.append(f"{key} (1 to {SCALES[pair.facet]})")
            ratings = range(1, SCALES[pair.facet] + 1)
            shapes[key] = record({"reason": text(), "rating": one_of(ratings)})
        asked = f"Rate: {', '.join(scales)}."
        return Draft(
            system=instructions(
                "facet_ratings",
                told="facet_ratings_release" if self.style.rubric == "release" else None,
                also="facet_examples" if self.style.examples else None,
            ),
            user="\n\n".join([*blocks, asked]),
            schema=schema("facet_ratings", record(shapes)),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[FacetRating]:
        """The ratings in a reply; an entry for a facet that was not asked about is none."""
        reply = read_object(text)
        found: dict[int, FacetRating | ReplyFault] = {}
        for id_ in ids:
            entries = [reply[self.key(id_)]] if self.key(id_) in reply else []
            pair = self.pairs[id_ - 1]
            found[id_] = read_item(entries, self.key(id_), partial(_read_rating, pair.facet))
        return found

    def key(self, id_: int) -> str:
        """The name of a pair: its facet, with a number where several pairs are of one facet."""
        facet = self.pairs[id_ - 1].facet
        n_before = sum(pair.facet == facet for pair in self.pairs[: id_ - 1])
        return f"{facet}_{n_before + 1}" if n_before else facet


def _read_rating(facet: Facet, entry: object, what: str) -> FacetRating:
    rated = fields(entry, ("reason", "rating"), what)
    rating = rating_on(SCALES[facet], rated["rating"], what)
    return FacetRating(facet=facet, reason=words(rated["reason"], f"{what}: reason"), rating=rating)


FACTS_PER_REQUEST: Final = 15
FACTS_PER_REQUEST_AT_MOST: Final = 25
"""Where enough premises do, replies are shorter."""

ENTAILED: Final = "entailed"
NOT_ENTAILED: Final = "not_entailed"
_DECISIONS: Final[Mapping[bool | None, str]] = MappingProxyType(
    {True: ENTAILED, False: NOT_ENTAILED, None: "undecided"}
)
_FACT_CHECKING_KEYS: Final = ("id", "reason", "premises", "label")
_FACT_CHECKING_SHAPES: Final = (
    integer(),
    text(),
    array(integer()),
    one_of((ENTAILED, NOT_ENTAILED)),
)
_SCHEMA: Final = schema(
    "fact_checks",
    record(
        {
            "checks": array(
                record(dict(zip(_FACT_CHECKING_KEYS, _FACT_CHECKING_SHAPES, strict=True)))
            )
        }
    ),
)


@dataclass(frozen=True, slots=True)
class FactSheet:
    """Facts to check, and the premises to check them against.

    With ``earlier`` verdicts the request is of another kind; without, it is what it always was.
    """

    facts: tuple[Fact, ...]
    premises: tuple[str, ...]
    every_premise: bool = True
    earlier: tuple[Settled, ...] = ()

    @property
    def topic(self) -> str:
        """The kind, and the first fact."""
        return f"fact checks {one_line(self.facts[0].text, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The chains: a fact that refines none, and all that refine it or each other."""
        root_of: list[int] = []
        chains: dict[int, list[int]] = {}
        for place in range(len(self.facts)):
            parent = self._parent(place)
            root_of.append(place if parent is None else root_of[parent])
            chains.setdefault(root_of[place], []).append(place + 1)
        return tuple(tuple(chain) for chain in chains.values())

    @property
    def size(self) -> int:
        """How many facts a request may hold."""
        return FACTS_PER_REQUEST if self.every_premise else FACTS_PER_REQUEST_AT_MOST

    def draft(self, ids: Sequence[int]) -> Draft:
        """The premises, then the facts."""
        parents = {id_: self._parent(id_ - 1) for id_ in ids}
        shown_too = sorted({p + 1 for p in parents.values() if p is not None} - set(ids))
        lines = []
        for id_ in ids:
            parent = parents[id_]
            refining = "" if parent is None else f"(refines [{parent + 1}]) "
            lines.append(f"[{id_}] {refining}{shown(self.facts[id_ - 1].text)}")
        blocks = [block("premises", numbered(self.premises))]
        if self.earlier:
            told = (f"{_DECISIONS[one.holds]}: {shown(one.text)}" for one in self.earlier)
            blocks.append(block("earlier", told))
        if shown_too:
            texts = [fact.text for fact in self.facts]
            blocks.append(block("context", numbered(texts, shown_too)))
        wanted = "all premises that carry it" if self.every_premise else "enough premises"
        blocks += [
            block("facts", lines),
            f"Check facts: {span(ids)}. For each entailed fact name {wanted}.",
        ]
        kind: Kind = "fact_checks_in_chain" if self.earlier else "fact_checks"
        return Draft(system=instructions(kind), user="\n\n".join(blocks), schema=_SCHEMA)

    def read(self, text: str, ids: Sequence[int]) -> Read[FactCheck]:
        """The checks in a reply."""
        reply = fields(read_object(text), ("checks",), "the reply")
        return read_entries(reply["checks"], ids, self._read_check)

    def _parent(self, place: int) -> int | None:
        """The fact that one refines; None where none stands before it."""
        parent = self.facts[place].parent
        return parent if parent is not None and 0 <= parent < place else None

    def _read_check(self, entry: object, what: str) -> FactCheck:
        check = fields(entry, _FACT_CHECKING_KEYS, what)
        label = choice(check["label"], (ENTAILED, NOT_ENTAILED), f"{what}: label")
        numbers = [whole_number(n, f"{what}: premise") for n in listed(check["premises"], what)]
        for number in numbers:
            if not 1 <= number <= len(self.premises):
                told = f"{what}: premise {number} of {len(self.premises)}"
                raise UnreadableError("off_scale", told)
        if label == ENTAILED and not numbers:
            raise UnreadableError("off_scale", f"{what} is entailed by no premise")
        return FactCheck(
            reason=words(check["reason"], f"{what}: reason"),
            entailed=label == ENTAILED,
            premises=tuple(dict.fromkeys(number - 1 for number in numbers)),
        )


_SUMMARY_RATING_KEYS: Final = ("reason", "rating")
_SUMMARY_RATING_SCHEMA: Final = schema(
    "summary_rating", record({"reason": text(), "rating": one_of(range(1, SUMMARY_SCALE + 1))})
)


@dataclass(frozen=True, slots=True)
class SummarySheet:
    """One summary to rate, which is one item."""

    reference: str
    summary: str

    @property
    def topic(self) -> str:
        """The kind, and how the summary begins."""
        return f"summary rating {one_line(self.summary, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The summary."""
        return ((1,),)

    def draft(self, ids: Sequence[int]) -> Draft:  # noqa: ARG002  # there is one item
        """The reference, then the summary."""
        blocks = [
            block("reference", [shown(self.reference)]),
            block("summary", [shown(self.summary)]),
            f"Rate the summary, 1 to {SUMMARY_SCALE}.",
        ]
        return Draft(
            system=instructions("summary_rating"),
            user="\n\n".join(blocks),
            schema=_SUMMARY_RATING_SCHEMA,
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[SummaryRating]:
        """The rating in a reply."""
        reply = read_object(text)
        return {id_: read_item([reply], "the summary", _summary_rating_read_rating) for id_ in ids}


def _summary_rating_read_rating(entry: object, what: str) -> SummaryRating:
    rated = fields(entry, _SUMMARY_RATING_KEYS, what)
    rating = rating_on(SUMMARY_SCALE, rated["rating"], what)
    return SummaryRating(reason=words(rated["reason"], f"{what}: reason"), rating=rating)


_COUNTS: Final = ("reference", "candidate", "matched")
_COUNTING_SCHEMA: Final = schema(
    "fact_counts", record({"reason": text(), **{count: integer() for count in _COUNTS}})
)


@dataclass(frozen=True, slots=True)
class CountSheet:
    """A reference and a summary: one item."""

    reference: str
    summary: str

    @property
    def topic(self) -> str:
        """The kind, and how the summary begins."""
        return f"fact counts {one_line(self.summary, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The one item."""
        return ((1,),)

    def draft(self, ids: Sequence[int]) -> Draft:
        """Both texts."""
        del ids
        blocks = (
            block("reference", [shown(self.reference)]),
            block("summary", [shown(self.summary)]),
        )
        return Draft(
            system=instructions("fact_counts"),
            user="\n\n".join([*blocks, "Count the facts."]),
            schema=_COUNTING_SCHEMA,
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[FactCounts]:
        """The counts in a reply; more facts in both than in one of them are none."""
        try:
            return dict.fromkeys(ids, _read_counts(read_object(text)))
        except UnreadableError as error:
            fault: ReplyFault = error.fault
            return dict.fromkeys(ids, fault)


def _read_counts(reply: object) -> FactCounts:
    stated = fields(reply, ("reason", *_COUNTS), "the reply")
    reference, candidate, matched = (
        whole_number(stated[name], f"the count {name!r}") for name in _COUNTS
    )
    if min(reference, candidate, matched) < 0 or matched > min(reference, candidate):
        told = (
            f"{matched} facts in both of {reference} in the reference, {candidate} in the summary"
        )
        raise UnreadableError("off_scale", told)
    return FactCounts(
        reason=words(stated["reason"], "the reason"),
        reference=reference,
        candidate=candidate,
        matched=matched,
    )
