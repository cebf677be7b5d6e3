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
from summeval_pytest.judges.llm.fact_requests import check_facts, list_facts
from summeval_pytest.judges.llm.prompts import NO_EXAMPLES, Examples
from summeval_pytest.text.sentences import sentence_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How facets are read and their scales explained.

    Attributes:
        facets: How a facet of the reference is found in a summary (`questions.FacetReading`).
        rubric: ``paper``, where 1 is a contradiction or nothing relevant, or ``release``, the words
            of the released prompts, where 1 is a contradiction only; a summary
            that is read as a whole has instructions of its own, and ``facts`` needs none.
        examples: Whether ten worked examples of our own go with it, where one rating ends and the
            next begins (FM, section 5.2).
        labelled: Summaries that people rated, in place of our own examples.
    """

    facets: q.FacetReading = "whole"
    rubric: q.Rubric = "paper"
    examples: bool = True
    labelled: Examples = NO_EXAMPLES

    def __str__(self) -> str:
        rubric = "" if self.rubric == "paper" else f" rubric={self.rubric}"
        return f"{rubric} examples={self.labelled or 10 * self.examples} facets={self.facets}"

    @property
    def kinds(self) -> tuple[prompts.Kind, ...]:
        """The prompt files that explain them."""
        main: prompts.Kind = "facet_ratings_whole"
        if self.facets != "whole":
            main = "facet_ratings" if self.rubric == "paper" else "facet_ratings_release"
        if self.labelled:
            return main, "facet_coverage", "facet_examples_labels"
        return (main, "facet_coverage", "facet_examples")[: 3 if self.examples else 2]


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


class _OfFour(replies.Values):
    reason: replies.Line
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(replies.as_whole)]


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
        lambda copied: q.FacetSegments(**copied.model_dump()),
        {"text": text},
        "Copy the four facets.",
    )


async def segment_facets(question: q.SegmentFacets, style: Style, poll: Poll) -> q.FacetSegments:
    """The words of a text that state each facet, which may share them.

    A summary whose facets may stand anywhere in it states each of them as a whole. Facts of a
    reference are told apart by their sentences.
    """
    if not question.text.strip():
        return q.FacetSegments()
    if question.is_summary and style.facets in {"whole", "facts"}:
        return q.FacetSegments(**dict.fromkeys(q.FACETS, question.text))
    if style.facets in {"free", "whole"}:
        return (await poll.all_of(segments_batch(question.text)))[0]
    sentences = sentence_texts(question.text)
    labels = await poll.all_of(labels_batch(sentences))
    own: dict[q.Facet, list[str]] = {facet: [] for facet in q.FACETS}
    for sentence, label in zip(sentences, labels, strict=True):
        for facet in set(label.facets):
            own[facet].append(sentence)
    return q.FacetSegments(**{facet: " ".join(stated) for facet, stated in own.items()})


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


def _rating_parts(
    items: Sequence[tuple[str, q.FacetPair]], reading: q.FacetReading
) -> Iterator[str]:
    texts = {pair.candidate for _, pair in items}
    is_shared = reading == "whole" and len(texts) == 1
    for key, pair in items:
        yield prompts.block(f"{key} reference", [prompts.inert(pair.reference)])
        if not is_shared:
            yield prompts.block(f"{key} summary", [prompts.inert(pair.candidate)])
    if is_shared:
        yield prompts.block("summary", map(prompts.inert, texts))
    scales = [f"{key} (1 to {q.SCALES[pair.facet]})" for key, pair in items]
    yield f"Rate: {', '.join(scales)}."


async def rate_facets(
    question: q.RateFacets, style: Style, poll: Poll, decided: Examples = NO_EXAMPLES
) -> q.FacetRatings:
    """A rating of each pair: the model's own, or one that follows from checked facts.

    ``decided`` are facts that people checked, as examples.
    """
    if style.facets != "facts":
        examples = style.labelled.choose(question.reference)
        batch = rating_batch(question.pairs, style, examples)
        ratings = await poll.outcomes(batch, lambda rated: rated.rating)
        return q.FacetRatings(ratings)
    sentences = sentence_texts(question.reference)
    facts = question.reference_facts or (await list_facts(sentences, poll)).facts
    # What EVA-Score asks for its recall, so that one reply serves both.
    recall = q.CheckFacts(
        facts,
        sentence_texts(question.summary),
        every_premise=False,
        reference=question.reference,
    )
    checks = (await check_facts(recall, poll, decided)).checks
    ratings_by_facts = []
    for pair in question.pairs:
        stated = zip((sentences[fact.sentence] for fact in facts), checks, strict=True)
        own = [c for text, c in stated if text in pair.reference or pair.reference in text]
        ratings_by_facts.append(rating_by_facts(pair.facet, own))
    return q.FacetRatings(tuple(ratings_by_facts))


def rating_by_facts(
    facet: q.Facet, checks: Sequence[q.FactCheck | q.Unanswered]
) -> q.FacetRating | q.Unanswered:
    """The rating of a facet whose facts were checked in a summary.

    coverage = 100 * max(0, facts that hold - facts that the summary contradicts) / facts

    A fact that does not hold and names premises is contradicted by them. The rating is the highest
    whose least coverage is reached, and 2 below. It is 1 where more are contradicted than hold.
    """
    lost = [check for check in checks if isinstance(check, q.Unanswered)]
    known = [check for check in checks if not isinstance(check, q.Unanswered)]
    if lost or not known:
        return lost[0] if lost else q.Unanswered("the reference states no fact of it")
    n_holding = sum(check.entailed for check in known)
    n_against = sum(bool(check.premises) and not check.entailed for check in known)
    coverage = max(0, 100 * (n_holding - n_against) // len(known))
    n_reached = sum(coverage >= least for least in LEAST_COVERAGE[q.SCALES[facet]])
    rating = 2 + n_reached if n_holding >= n_against else 1
    reason = f"{n_holding} of {len(known)} facts hold, {n_against} are contradicted"
    return q.FacetRating(facet=facet, reason=reason, rating=rating, coverage=coverage)


def summary_batch(question: q.RateSummary) -> prompts.PromptBatch[q.SummaryRating]:
    """Asks for one rating of a whole summary."""
    return prompts.single_batch(
        "summary_rating",
        _OfFour,
        lambda rated: q.SummaryRating(reason=rated.reason, rating=rated.rating),
        {"reference": question.reference, "summary": question.summary},
        f"Rate the summary, 1 to {q.SUMMARY_SCALE}.",
    )
