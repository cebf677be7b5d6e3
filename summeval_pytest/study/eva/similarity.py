"""The similarity of short texts, by TF-IDF or by the vectors of an encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.text.words import content_words

Vectors: TypeAlias = NDArray[np.float64]
Encoder: TypeAlias = Callable[[Sequence[str]], Vectors]
"""From texts to one vector each, the rows of the array; any length but 0 can be compared."""
TFIDF: Final = "tfidf-1"
"""The similarity that needs no model, and its version (see `tf_idf`)."""


_DIGITS: Final = 12
"""The order of similar texts must be the same on every machine, and a copy's cosine be 1."""


def cosines(texts: Sequence[str], among: Sequence[str], encode: Encoder | None = None) -> Vectors:
    """The cosines of ``texts``, a row each, with the texts ``among``, a column each.

    ``encode`` makes the vectors; None for TF-IDF over ``among``. Similarities of different encoders
    share no threshold. Cosines are -1 to 1, from 0 with TF-IDF; 1 for the same text; 0 for a vector
    of zeros.
    """
    if not texts or not among:
        return np.zeros((len(texts), len(among)))
    vectors = tf_idf(texts, among) if encode is None else encode([*texts, *among])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    rounded: Vectors = np.round(units[: len(texts)] @ units[len(texts) :].T, _DIGITS)
    return np.clip(rounded, -1.0, 1.0)


def tf_idf(texts: Sequence[str], among: Sequence[str]) -> Vectors:
    """The vectors of ``texts`` and then of ``among``, with the idf of ``among``.

    tf-idf of word w in text t = count of w in t * (ln((1 + n) / (1 + df(w))) + 1)

    n texts are searched, df(w) of them contain w. Words are stems of content words. A word in no
    searched text has df = 0, so that a text about something else is far from all of them. The
    smoothed idf is scikit-learn's. EVA-Score's paper filters relations by BERT's cosine, its code
    by TF-IDF's.
    """
    bags = [Counter(content_words(text)) for text in (*texts, *among)]
    columns = {word: place for place, word in enumerate(dict.fromkeys(w for b in bags for w in b))}
    counts = np.zeros((len(bags), len(columns)))
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            counts[row, columns[word]] = count
    n_texts = (counts[len(texts) :] > 0).sum(axis=0)
    weighted: Vectors = counts * (np.log((1 + len(among)) / (1 + n_texts)) + 1)
    return weighted


def most_similar(
    texts: Sequence[str], among: Sequence[str], most: int, encode: Encoder | None = None
) -> tuple[tuple[int, ...], ...]:
    """For each text the places of the most similar ones, the best first, ties in order."""
    order = (-cosines(texts, among, encode)).argsort(axis=1, kind="stable")[:, :most]
    return tuple(tuple(int(place) for place in row) for row in order)
