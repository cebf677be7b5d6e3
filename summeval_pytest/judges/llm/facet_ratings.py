"""Requests about facets: which words of a text state them, and how well a summary covers them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from summeval_pytest.judges.llm.fact_checks import check_facts, list_facts, sentences_batch
from summeval_pytest.judges.llm.prompts import (
    PromptBatch,
    about,
    apart,
    block,
    instructions,
    schema_of,
    shown,
    single_batch,
)
from summeval_pytest.judges.llm.replies import (
    Entry,
    Line,
    Read,
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
    Facet,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SummaryRating,
    Unanswered,
)
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.endpoints.chat import Schema
    from summeval_pytest.judges.llm.asking import Poll
    from summeval_pytest.judges.llm.prompts import Ids, Kind
    from summeval_pytest.questions import FacetReading, FactCheck, Rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How facets are read and their scales explained.

    Attributes:
        facets: How a facet of the reference is found in a summary (`questions.FacetReading`).
        rubric: ``paper``, where 1 is a contradiction or nothing relevant, or ``release``, the words
            of the released prompts, where 1 is a contradiction only (metrics.md FM5); a summary
            that is read as a whole has instructions of its own, and ``facts`` needs none.
        examples: Whether ten worked examples of our own go with it, where one rating ends and the
            next begins (FM, section 5.2; metrics.md FM14).
    """

    facets: FacetReading = "whole"
    rubric: Rubric = "paper"
    examples: bool = True

    def __str__(self) -> str:
        told = "" if self.rubric == "paper" else f" rubric={self.rubric}"
        told += f" examples={10 if self.examples else 0}"
        return f"{told} facets={self.facets}"

    @property
    def prompts(self) -> tuple[Kind, ...]:
        """The prompt files that explain them."""
        rubric: Kind = "facet_ratings" if self.rubric == "paper" else "facet_ratings_release"
        main: Kind = "facet_ratings_whole" if self.facets == "whole" else rubric
        more: tuple[Kind, ...] = ("facet_examples",) if self.examples else ()
        return (main, "facet_coverage", *more)


PLAIN: Final = Style()


MAX_FACETS: Final = 3
"""A sentence may pass from one facet to the next; one that "states" all four was not read."""


def _check_facets(facets: list[Facet]) -> list[Facet]:
    if len(set(facets)) > MAX_FACETS:
        raise PydanticCustomError("off_scale", f"more than {MAX_FACETS} facets")
    return facets


class FacetsEntry(Entry):
    """The facets that one sentence states."""

    facets: Annotated[list[Facet], AfterValidator(_check_facets)]


def labels_batch(sentences: tuple[str, ...]) -> PromptBatch[FacetsEntry]:
    """Asks which facets each sentence of a text states."""
    return sentences_batch("facets", FacetsEntry, sentences)


class _Copied(Values):
    background: str
    method: str
    result: str
    conclusion: str


def segments_batch(text: str) -> PromptBatch[FacetSegments]:
    """Asks for the words of a text that state each facet."""
    return single_batch(
        "facet_segments",
        _Copied,
        lambda copied: FacetSegments(**copied.model_dump()),
        {"text": text},
        "Copy the four facets.",
    )


async def segment_facets(question: SegmentFacets, style: Style, poll: Poll) -> FacetSegments:
    """The words of a text that state each facet, which may share them.

    A summary whose facets may stand anywhere in it states each of them as a whole. Facts of a
    reference are told apart by their sentences.
    """
    if not question.text.strip():
        return FacetSegments()
    if question.is_summary and style.facets in {"whole", "facts"}:
        return FacetSegments(**dict.fromkeys(FACETS, question.text))
    if style.facets in {"free", "whole"}:
        return (await poll.all_of(segments_batch(question.text)))[0]
    sentences = sentence_texts(question.text)
    labels = await poll.all_of(labels_batch(sentences))
    pairs = list(zip(sentences, labels, strict=True))
    by_facet: dict[Facet, str] = {
        facet: " ".join(sentence for sentence, label in pairs if facet in label.facets)
        for facet in FACETS
    }
    return FacetSegments(**by_facet)


PAIRS_PER_REQUEST: Final = 4


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
    texts = {pair.candidate for _, pair in asked}
    is_shared = reading == "whole" and len(texts) == 1
    for key, pair in asked:
        yield block(f"{key} reference", [shown(pair.reference)])
        if not is_shared:
            yield block(f"{key} summary", [shown(pair.candidate)])
    if is_shared:
        yield block("summary", map(shown, texts))
    scales = [f"{key} (1 to {SCALES[pair.facet]})" for key, pair in asked]
    yield f"Rate: {', '.join(scales)}."


async def rate_facets(question: RateFacets, style: Style, poll: Poll) -> FacetRatings:
    """A rating of each pair: the model's own, or one that follows from checked facts."""
    if style.facets != "facts":
        batch = rating_batch(question.pairs, style)
        ratings = await poll.outcomes(batch, lambda rated: rated.rating)
        return FacetRatings(ratings)
    sentences = sentence_texts(question.reference)
    facts = question.reference_facts or (await list_facts(sentences, poll)).facts
    # What EVA-Score asks for its recall, so that one reply serves both.
    asked = CheckFacts(facts, sentence_texts(question.summary), every_premise=False)
    checks = (await check_facts(asked, poll)).checks
    stated = [sentences[fact.sentence] for fact in facts]

    def held(pair: FacetPair) -> list[FactCheck | Unanswered]:
        return [
            check
            for text, check in zip(stated, checks, strict=True)
            if text in pair.reference or pair.reference in text
        ]

    return FacetRatings(tuple(rating_by_facts(pair.facet, held(pair)) for pair in question.pairs))


LEAST_COVERAGE: Final[Mapping[int, tuple[int, ...]]] = MappingProxyType({3: (50,), 4: (40, 75)})
"""By scale, the least coverage of each rating from 3 on."""


def rating_by_facts(
    facet: Facet, checks: Sequence[FactCheck | Unanswered]
) -> FacetRating | Unanswered:
    """The rating of a facet whose facts were checked in a summary.

    coverage = 100 * max(0, facts that hold - facts that the summary contradicts) / facts

    A fact that does not hold and names premises is contradicted by them. The rating is the highest
    whose least coverage is reached; 2 below; 1 where contradicted facts outweigh those that hold.
    """
    lost = [check for check in checks if isinstance(check, Unanswered)]
    known = [check for check in checks if not isinstance(check, Unanswered)]
    if lost or not known:
        return lost[0] if lost else Unanswered("the reference states no fact of it")
    n_held = sum(check.entailed for check in known)
    n_against = sum(bool(check.premises) and not check.entailed for check in known)
    coverage = max(0, 100 * (n_held - n_against) // len(known))
    n_reached = sum(coverage >= least for least in LEAST_COVERAGE[SCALES[facet]])
    rating = 2 + n_reached if n_held >= n_against else 1
    reason = f"{n_held} of {len(known)} facts hold, {n_against} are contradicted"
    return FacetRating(facet=facet, reason=reason, rating=rating, coverage=coverage)


def summary_batch(question: RateSummary) -> PromptBatch[SummaryRating]:
    """Asks for one rating of a whole summary."""
    return single_batch(
        "summary_rating",
        _OfFour,
        lambda rated: SummaryRating(reason=rated.reason, rating=rated.rating),
        {"reference": question.reference, "summary": question.summary},
        f"Rate the summary, 1 to {SUMMARY_SCALE}.",
    )
