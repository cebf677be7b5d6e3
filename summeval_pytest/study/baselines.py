"""Baselines beside the metrics: ROUGE, direct ratings, facts by one prompt, BM25.

ROUGE comes from the `rouge-score` package (stemmed; F-measure, and recall of words), with ROUGE-L
over the whole text. A word is stemmed once, however many texts have it: that is most of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field

from summeval_pytest.judges.llm import replies
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.prompts import PromptBatch, single_batch
from summeval_pytest.metrics.eva import f1
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.flow import Dialogue, NoScoreError, ask, check_usable
from summeval_pytest.questions import (
    Duty,
    FacetPair,
    OtherAnswer,
    OtherQuestion,
    RateFacets,
    Unanswered,
)
from summeval_pytest.run.measure import Extra, check_flaw
from summeval_pytest.study.onnx_model import needed_for
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.words import content_words, tokens

ROUGE_NAMES: Final = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}


@cache
def _scorer() -> Any:
    """The package's scorer with its own tokens, word by word: white space always parts two."""
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

    of_word = lru_cache(maxsize=32_768)(DefaultTokenizer(use_stemmer=True).tokenize)

    class WordTokenizer:
        def tokenize(self, text: str) -> list[str]:
            return [token for word in text.split() for token in of_word(word)]

    return RougeScorer(list(ROUGE_NAMES), tokenizer=WordTokenizer())


@lru_cache(maxsize=8)
def _scored(reference: str, summary: str) -> Any:
    return _scorer().score(normalise(reference), normalise(summary))


def rouge(reference: str, summary: str) -> Mapping[str, float]:
    """ROUGE-1, ROUGE-2 and ROUGE-L F-measures, 0 to 1 each, by the papers' names."""
    scores = _scored(reference, summary)
    return {title: float(scores[name].fmeasure) for name, title in ROUGE_NAMES.items()}


def rouge_1_recall(reference: str, summary: str) -> float:
    """The share of the reference's words that the summary has, 0 to 1, each as often as it stands.

    The fairer baseline against labelled recall: an F-measure also counts what a summary adds.
    """
    return float(_scored(reference, summary)["rouge1"].recall)


def length(summary: str) -> float:
    """The number of words of a summary: a metric that rewards nothing but talking."""
    return float(len(normalise(summary).split()))


@lru_cache(maxsize=64)
def _bigrams(texts: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    return frozenset(pair for text in texts for pair in pairwise(tokens(text)))


def novel_bigrams(sentence: str, source: tuple[str, ...]) -> float:
    """The share of a sentence's word pairs that no source sentence has, 0 to 1.

    How abstractive the sentence is (FareBio, section 5); 0 where it has a single word.
    """
    pairs = list(pairwise(tokens(normalise(sentence))))
    known = _bigrams(source)
    return sum(pair not in known for pair in pairs) / len(pairs) if pairs else 0.0


def facet_presence(score: FacetScore) -> float:
    """The share of the reference's facets that the summary states at all, 0 to 1.

    On ScholarSum this alone reaches Pearson .53 with GPT-4's segments (metrics.md section 2), so
    every agreement report shows it beside FM.
    """
    if not score.ratings:
        return 1.0
    return sum(bool(rated.candidate) for rated in score.ratings) / len(score.ratings)


BaselineName = Literal["direct", "one-prompt"]
Measure = Callable[[str, str], Dialogue[float]]
"""From a normalised reference and summary to a number; a `NoScoreError` says why there is none."""


SUMMARY_SCALE: Final = 4
"""The highest rating of a summary as a whole; the lowest is 1."""
_PROMPTS: Final = "summeval_pytest.study"


class _OfFour(replies.Values):
    reason: replies.Line
    rating: Annotated[int, Field(ge=1, le=4), BeforeValidator(replies.as_whole)]


class _Counts(replies.Values):
    reason: replies.Line
    reference: replies.Whole
    candidate: replies.Whole
    matched: replies.Whole


@dataclass(frozen=True, slots=True)
class _BothTexts(OtherQuestion):
    """A question about a reference and a summary."""

    reference: str
    summary: str

    @property
    def texts(self) -> tuple[str, str]:
        """Both."""
        return self.summary, self.reference


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRating(OtherAnswer):
    """A rating from 1 to `SUMMARY_SCALE`, and the reason for it."""

    reason: str
    rating: int


@dataclass(frozen=True, slots=True)
class RateSummary(_BothTexts):
    """How well does this summary cover the reference, both taken as a whole?"""

    duty: ClassVar[Duty] = "facets"

    def computed(self) -> SummaryRating:
        """A rating as of the result of a paper, which has the same scale."""
        from summeval_pytest.judges.offline.facets import rate_all  # loads numpy

        pair = FacetPair(facet="result", reference=self.reference, candidate=self.summary)
        (rated,) = rate_all(RateFacets((pair,)))
        return SummaryRating(reason=rated.reason, rating=rated.rating)

    async def of_model(self, poll: Poll, _: object) -> SummaryRating | Unanswered:
        """What the votes on the whole summary come to."""
        return (await poll.outcomes(summary_batch(self), lambda rated: rated.rating))[0]


def summary_batch(question: RateSummary) -> PromptBatch[SummaryRating]:
    """Asks for one rating of a whole summary."""
    return single_batch(
        f"{_PROMPTS}/summary_rating",
        _OfFour,
        lambda rated: SummaryRating(reason=rated.reason, rating=rated.rating),
        {"reference": question.reference, "summary": question.summary},
        f"Rate the summary, 1 to {SUMMARY_SCALE}.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts(OtherAnswer):
    """How many facts the reference states, how many the summary, and how many both do."""

    reason: str
    reference: int
    candidate: int
    matched: int


def _fact_counts(counts: _Counts) -> FactCounts:
    """Counts that can be: more facts in both texts than in one of them cannot."""
    reference, candidate, matched = counts.reference, counts.candidate, counts.matched
    if not 0 <= matched <= min(reference, candidate):
        fault = f"{matched} facts in both of {reference} in the reference, {candidate} in the"
        raise replies.UnreadableError("off_scale", f"{fault} summary")
    return FactCounts(**counts.model_dump())


@dataclass(frozen=True, slots=True)
class CountFacts(_BothTexts):
    """How many facts do the reference and the summary state, and how many both?"""

    duty: ClassVar[Duty] = "listing"

    async def of_model(self, poll: Poll, _: object) -> FactCounts:
        """The counts of one vote."""
        return (await poll.all_of(count_batch(self)))[0]


def count_batch(question: CountFacts) -> PromptBatch[FactCounts]:
    """Asks for counts of facts."""
    texts = {"reference": question.reference, "summary": question.summary}
    kind = f"{_PROMPTS}/fact_counts"
    return single_batch(kind, _Counts, _fact_counts, texts, "Count the facts.")


def _rating(reference: str, summary: str) -> Dialogue[float]:
    """The judge's rating of the summary as a share of its scale, 0.25 to 1, higher is better."""
    (answer,) = yield from ask(SummaryRating, RateSummary(reference, summary))
    if not 1 <= answer.rating <= SUMMARY_SCALE:
        raise NoScoreError(f"rating {answer.rating} is off its scale 1 to {SUMMARY_SCALE}")
    return answer.rating / SUMMARY_SCALE


def _counted_f1(reference: str, summary: str) -> Dialogue[float]:
    """F1, 0 to 1, higher is better, of the shares of the facts that the judge counts in both.

    There is none for unsound counts (more facts in both than in either would make a share above 1),
    and for a reference without a fact.
    """
    (counts,) = yield from ask(FactCounts, CountFacts(reference, summary))
    if not 0 <= counts.matched <= min(counts.reference, counts.candidate):
        raise NoScoreError(
            f"{counts.matched} facts counted in both, {counts.reference} in the reference and"
            f" {counts.candidate} in the summary"
        )
    if not counts.reference:
        raise NoScoreError("the judge counts no fact in the reference")
    precision = counts.matched / counts.candidate if counts.candidate else 0.0
    return f1(precision, counts.matched / counts.reference)


def _best(measure: Measure, pair: Pair) -> Dialogue[float | Unanswered]:
    """The dialogue of one baseline; a copy of the reference is asked about.

    Of several references the best counts. It ends in `Unanswered` where there is no summary, or any
    of the references gives no number.
    """
    values = []
    try:
        check_flaw(pair)
        check_usable(summary := normalise(pair.summary))
        for reference in pair.paper.references:
            value = yield from measure(normalise(reference), summary)
            values.append(value)
    except NoScoreError as fault:
        return Unanswered(str(fault))
    return max(values)


BASELINES: Final[Mapping[BaselineName, Extra]] = MappingProxyType(
    {
        "direct": Extra("direct", partial(_best, _rating)),
        "one-prompt": Extra("one-prompt", partial(_best, _counted_f1)),
    }
)
"""``direct`` is one rating of the whole summary (FM, section 5.2), ``one-prompt`` the F1 of facts
that one prompt counts (EVA-Score, Table 17)."""


@lru_cache(maxsize=64)
def _index(source: tuple[str, ...]) -> tuple[Any, frozenset[str]] | None:
    """The search index of a source, and its words; None where it has none."""
    from bm25s import BM25

    bags = [content_words(sentence) for sentence in source]
    if not any(bags):
        return None
    index = BM25(k1=1.5, b=0.75, method="lucene", dtype="float64")
    index.index(bags, show_progress=False)
    return index, frozenset(word for bag in bags for word in bag)


def top_sentences(sentence: str, source: tuple[str, ...], k: int) -> tuple[int, ...]:
    """Indices of the ``k`` source sentences with the highest BM25 score, the best first.

    The earlier one wins a tie. One that shares no word with the sentence is not among them, so
    there may be fewer than ``k``, at least 1.
    """
    import numpy as np

    indexed = _index(source)
    if indexed is None:
        return ()
    index, known = indexed
    words = [word for word in content_words(sentence) if word in known]
    if not words:
        return ()
    scores = index.get_scores(words)
    best = np.argsort(-scores, kind="stable")[:k]
    return tuple(int(place) for place in best if scores[place] > 0.0)


def check_baselines(command: str) -> None:
    """Refuses a command whose baselines are not installed, before a judge is asked.

    Raises:
        OptionError: with what to install.
    """
    with needed_for(command, "agree"):
        import bm25s  # noqa: F401
        import rouge_score  # noqa: F401
