"""Requests about facets: which words of a text state them, and how well a summary covers them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from summeval_pytest import questions as q
from summeval_pytest.endpoints.chat import Schema
from summeval_pytest.judges.llm import prompts, replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.text.excerpts import excerpt, pieces_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How facets of a summary are rated.

    Attributes:
        examples: Whether ten worked examples of our own go with it, where one rating ends and the
            next begins (FM, section 5.2).
        labelled: Summaries that people rated, in place of our own examples.
        main: The prompt file that explains the ratings.
        facets: How a facet of the reference is found in a summary; a ``whole`` one is shown once.
        rubric: The name of other words for the ratings, if ``main`` has them.
    """

    examples: bool = True
    labelled: Examples = NO_EXAMPLES
    main: str = "facet_ratings_whole"
    facets: str = "whole"
    rubric: str = ""

    def __str__(self) -> str:
        rubric = self.rubric and f" rubric={self.rubric}"
        return f"{rubric} examples={self.labelled or 10 * self.examples} facets={self.facets}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The prompt files that explain them, with examples."""
        if self.labelled:
            return self.main, "facet_coverage", "facet_examples_labels"
        return (self.main, "facet_coverage", "facet_examples")[: 3 if self.examples else 2]


PLAIN: Final = Style()
MAX_FACETS: Final = 3
"""A sentence may pass from one facet to the next; one that "states" all four was not read."""
PAIRS_PER_REQUEST: Final = 4
LEAST_COVERAGE: Final[Mapping[int, tuple[int, ...]]] = {3: (50,), 4: (40, 75)}
"""By scale, the least coverage of each rating from 3 on."""


def _check_facets(facets: list[q.Facet]) -> list[q.Facet]:
    if len(set(facets)) > MAX_FACETS:
        raise PydanticCustomError("off_scale", f"more than {MAX_FACETS} facets")
    return facets


def _check_percent(number: int) -> int:
    if not 0 <= number <= 100:  # noqa: PLR2004 - per cent
        raise PydanticCustomError("off_scale", "no number from 0 to 100")
    return number


class FacetsEntry(replies.Entry):
    """The facets that one sentence states."""

    facets: Annotated[list[q.Facet], AfterValidator(_check_facets)]


class _Copied(replies.Values):
    background: str
    method: str
    result: str
    conclusion: str


class _CoveredOfFour(replies.Values):
    reason: replies.Line
    coverage: Annotated[replies.Whole, AfterValidator(_check_percent)]
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(replies.as_whole)]


class _CoveredOfThree(_CoveredOfFour):
    rating: Annotated[int, Field(ge=1, le=3), BeforeValidator(replies.as_whole)]


_RATED: Final[Mapping[int, type[_CoveredOfFour]]] = {3: _CoveredOfThree, 4: _CoveredOfFour}


def labels_batch(sentences: tuple[str, ...]) -> prompts.PromptBatch[FacetsEntry]:
    """Asks which facets each sentence of a text states."""
    return prompts.work_batch("facets", FacetsEntry, lambda entry: entry, sentences)


def segments_batch(text: str) -> prompts.PromptBatch[q.FacetSegments]:
    """Asks for the words of a text that state each facet."""
    return prompts.single_batch(
        "facet_segments",
        _Copied,
        lambda copied: _copied(q.FacetSegments(**copied.model_dump()), text),
        {"text": text},
        "Copy the four facets.",
    )


def _copied(segments: q.FacetSegments, text: str) -> q.FacetSegments:
    """Segments of which each has words of the text.

    Raises:
        UnreadableError: for one that the judge made up.
    """
    for facet in q.FACETS:
        pieces = pieces_of(segments.segment(facet))
        if pieces and not any(excerpt(piece, text) for piece in pieces):
            what = f"the words copied for {facet!r} do not stand in the text"
            raise replies.UnreadableError("invented", what)
    return segments


async def segment_facets(question: q.SegmentFacets, poll: Poll) -> q.FacetSegments:
    """The words of a text that state each facet, which may share them.

    The facets of a summary may stand anywhere in it, so it states each of them as a whole.
    """
    if not question.text.strip():
        return q.FacetSegments()
    if question.is_summary:
        return q.FacetSegments(**dict.fromkeys(q.FACETS, question.text))
    return (await poll.all_of(segments_batch(question.text)))[0]


def rating_example(
    reference: str | q.FacetSegments, summary: str, ratings: Mapping[q.Facet, int]
) -> str:
    """A summary that people rated, as a message shows it.

    The reference is cut into its facets as in a question, where people have done so. The ratings
    stand as in a reply. People gave no reason and no coverage, so it shows none.
    """
    texts = (
        {"reference": reference}
        if isinstance(reference, str)
        else {f"{facet} reference": reference.segment(facet) for facet in ratings}
    )
    blocks = [
        prompts.block(f"example {name}", [prompts.inert(text)])
        for name, text in (texts | {"summary": summary}).items()
    ]
    reply = {facet: {"rating": rating} for facet, rating in ratings.items()}
    return "\n\n".join([*blocks, f"People's ratings of this example: {json.dumps(reply)}"])


def rating_batch(
    pairs: tuple[q.FacetPair, ...], style: Style = PLAIN, examples: tuple[str, ...] = ()
) -> prompts.PromptBatch[q.FacetRating]:
    """Asks for a rating of each pair, the reference's text before the summary's.

    An answer is named by its facet, with a number where several pairs are of one facet. A summary
    that is read as a whole stands behind all facets, once. The examples stand before them.
    """
    items: dict[int, tuple[str, q.FacetPair]] = {}
    for id_, pair in enumerate(pairs, start=1):
        n_same = sum(other.facet == pair.facet for other in pairs[:id_])
        items[id_] = (f"{pair.facet}_{n_same}" if n_same > 1 else pair.facet, pair)
    models = {id_: _RATED[q.SCALES[pair.facet]] for id_, (_, pair) in items.items()}

    def read(text: str, ids: prompts.Ids) -> replies.Read[q.FacetRating]:
        reply = replies.read_object(text)

        def item(id_: int) -> q.FacetRating | replies.UnreadableError:
            key, pair = items[id_]
            values = [reply[key]] if key in reply else []
            return replies.read_item(
                values,
                key,
                models[id_],
                lambda rated: q.FacetRating(facet=pair.facet, **rated.model_dump()),
            )

        return {id_: item(id_) for id_ in ids}

    def schema(ids: prompts.Ids) -> Schema:
        shapes = {items[id_][0]: replies.shape_of(models[id_]) for id_ in ids}
        return prompts.schema_of("facet_ratings", replies.record(shapes))

    return prompts.PromptBatch(
        topic=prompts.about("facet_ratings", [pair.candidate for pair in pairs]),
        units=prompts.apart(pairs),
        size=PAIRS_PER_REQUEST,
        system=prompts.instructions(*style.kinds),
        parts=lambda ids: [*examples, *_rating_parts([items[id_] for id_ in ids], style.facets)],
        schema=schema,
        read=read,
    )


def _rating_parts(items: Sequence[tuple[str, q.FacetPair]], facets: str) -> Iterator[str]:
    texts = {pair.candidate for _, pair in items}
    is_shared = facets == "whole" and len(texts) == 1
    for key, pair in items:
        yield prompts.block(f"{key} reference", [prompts.inert(pair.reference)])
        if not is_shared:
            yield prompts.block(f"{key} summary", [prompts.inert(pair.candidate)])
    if is_shared:
        yield prompts.block("summary", map(prompts.inert, texts))
    scales = [f"{key} (1 to {q.SCALES[pair.facet]})" for key, pair in items]
    yield f"Rate: {', '.join(scales)}."


async def rate_facets(question: q.RateFacets, style: Style, poll: Poll) -> q.FacetRatings:
    """A rating of each pair."""
    batch = rating_batch(question.pairs, style, style.labelled.choose(question.reference))
    ratings = await poll.outcomes(batch, lambda rated: rated.rating)
    return q.FacetRatings(ratings)
