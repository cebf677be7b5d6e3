"""The source sentences that look most like a sentence: the baseline for a judge's evidence.

BM25 comes from the `bm25s` package, with the idf that has 1 added inside its logarithm (Lucene's),
so that a word in half of a source of twenty sentences still counts (metrics.md section 6, #16).
Its parameters are k1 = 1.5 and b = 0.75, over stems of content words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from summeval_pytest.text import content_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Retriever(Protocol):
    """Whoever finds source sentences for a sentence: by words here, by embeddings elsewhere."""

    def __call__(self, sentence: str, source: tuple[str, ...], k: int) -> tuple[int, ...]:
        """Indices of at most ``k`` source sentences, the best first."""
        ...


class _Index(Protocol):
    def get_scores(self, query_tokens_single: list[str]) -> NDArray[np.float64]: ...


@lru_cache(maxsize=64)
def _index(source: tuple[str, ...]) -> tuple[_Index, frozenset[str]] | None:
    """A source ready to be searched, and its words; None where it has none."""
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
    there may be fewer than ``k``.

    Raises:
        ValueError: if ``k`` is less than 1.
    """
    import numpy as np

    if k < 1:
        raise ValueError(f"k is {k!r}; ask for at least 1 sentence")
    found = _index(source)
    if found is None:
        return ()
    index, known = found
    words = [word for word in content_words(sentence) if word in known]
    if not words:
        return ()
    scores = index.get_scores(words)
    best = np.argsort(-scores, kind="stable")[:k]
    return tuple(int(place) for place in best if scores[place] > 0.0)
