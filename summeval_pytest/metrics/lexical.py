"""Baselines that need no judge; an agreement report without them says little.

ROUGE comes from the `rouge-score` package (stemmed; F-measure, and recall of words), with ROUGE-L
over the whole text. A word is stemmed once, however many texts have it: that is most of its time.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from summeval_pytest.text import normalise, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.metrics.score import FacetScore

ROUGE_NAMES: Final = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
_WORDS: Final = 32_768
"""So many words are remembered with their tokens."""


class _Scored(Protocol):
    fmeasure: float
    recall: float


class _Scorer(Protocol):
    def score(self, target: str, prediction: str) -> Mapping[str, _Scored]: ...


class _WordTokenizer:
    """The package's own tokens, word by word: white space always parts two of them."""

    def __init__(self, tokenize: Callable[[str], list[str]]) -> None:
        self._of_word = lru_cache(maxsize=_WORDS)(tokenize)

    def tokenize(self, text: str) -> list[str]:
        """The stemmed tokens of a text."""
        return [token for word in text.split() for token in self._of_word(word)]


@cache
def _scorer() -> _Scorer:
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

    tokenizer = _WordTokenizer(DefaultTokenizer(use_stemmer=True).tokenize)
    scorer: _Scorer = RougeScorer(list(ROUGE_NAMES), tokenizer=tokenizer)
    return scorer


@lru_cache(maxsize=8)
def _scored(reference: str, summary: str) -> Mapping[str, _Scored]:
    return _scorer().score(normalise(reference), normalise(summary))


def rouge(reference: str, summary: str) -> Mapping[str, float]:
    """ROUGE-1, ROUGE-2 and ROUGE-L F-measures, 0 to 1 each, by the papers' names."""
    scores = _scored(reference, summary)
    return {shown: float(scores[name].fmeasure) for name, shown in ROUGE_NAMES.items()}


def rouge_1_recall(reference: str, summary: str) -> float:
    """The share of the reference's words that the summary has, 0 to 1, each as often as it stands.

    Against labelled recall of content units a recall is the fairer baseline: an F-measure counts
    what a summary says beyond the reference, too.
    """
    return float(_scored(reference, summary)["rouge1"].recall)


def length(summary: str) -> float:
    """The words of a summary: a metric that rewards nothing but talking."""
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
