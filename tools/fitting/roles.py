"""Learns which sentences state background, method, result and conclusion.

    python -m tools.fitting.roles --data ../shared/data

The model is a conditional random field with partial labels: a sentence's label allows one state or
several, and what is made great is the probability of all paths through allowed states,

    sum over texts of weight * (ln Z(allowed paths) - ln Z(all paths)) - penalties,

by L-BFGS. So that a rare word borrows from others that are used alike, words also have vectors,
learned without labels: the neighbours of each word, by place (two before to two after), weighed by
their positive pointwise mutual information and cut to a few dimensions by singular values (Levy,
Goldberg and Dagan, TACL 2015: context shares to the power of .75, square roots of the singular
values).

Scores are of five folds by paper: every text is read by a model that has not seen its paper.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse.linalg import svds

from summeval_pytest.judges.offline.roles import (
    BESIDE,
    N_PLACE_ROWS,
    N_WORD_ROWS,
    OWN,
    STATES,
    STEP,
    RoleModel,
    name_of,
    own_and_beside,
    place_rows,
    words_of,
)
from summeval_pytest.questions import FACETS
from tools.fitting.data import N_FOLDS, data_folder, save
from tools.fitting.role_texts import (
    LABELLED,
    SEGMENTED,
    WITHOUT_CONCLUSION,
    RoleText,
    cut_texts,
    role_texts,
)

Floats = NDArray[np.float64]


COPIES: Final = 4
"""Cut copies of each text."""
COPY_WEIGHT: Final = 0.25
PENALTY: Final = 20.0
BESIDE_PENALTY: Final = 80.0
VECTOR_PENALTY: Final = 20.0
VECTOR_SCALE: Final = 0.15
BESIDE_SCALE: Final = 0.075
DOUBT: Final = 0.3
"""How much of an annotator's doubt counts for the states that were not chosen."""
COMPUTING: Final = frozenset({"csabstruct"})
"""The one set that is not medicine."""
SCHOLARSUM: Final = frozenset({"references", "summaries"})
_FORBIDDEN: Final = -1e3
_TINY: Final = 1e-300
_ROUNDS: Final = 40
_ORDER_PENALTY: Final = 1.0
_SPREAD: Final = 1e-3
"""Weights start at random numbers of this spread: states that share a label must come apart."""
DIMENSIONS: Final = 80
_MOST_WORDS: Final = 15000
_MOST_NEIGHBOURS: Final = 3000
"""Only so many of the most frequent words count as neighbours."""
_LEAST_OFTEN: Final = 5
"""How often a word must occur."""
_OFFSETS: Final = (-2, -1, 1, 2)
_FLATTENED: Final = 0.75


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Unit vectors (words, dimensions) of words, the most frequent first, and how often each is.

    Words that are used alike point the same way.
    """

    rows: Mapping[str, int]
    counts: NDArray[np.int64]
    vectors: Floats

    def by_place(self, places: Sequence[int], n_places: int) -> Floats:
        """The mean vector of the words at each place of a table, weighed by how often they occur.

        Two words may share a place; one of no word gets zeros.
        """
        shape = (n_places, len(self.counts))
        sums = sp.csr_matrix((self.counts, (places, np.arange(shape[1]))), shape=shape)
        totals = np.maximum(1, np.asarray(sums.sum(axis=1)))
        means: Floats = np.asarray(sums @ self.vectors) / totals
        return means


def word_vectors(sentences: Sequence[Sequence[str]], dimensions: int = DIMENSIONS) -> WordVectors:
    """The vectors of the words that occur at least 5 times in these sentences.

    The dimensions are no more than one fewer than the words; without two such words there are none.
    """
    counted = Counter(word for sentence in sentences for word in sentence)
    frequent = sorted(counted.items(), key=lambda found: (-found[1], found[0]))[:_MOST_WORDS]
    counts = {word: count for word, count in frequent if count >= _LEAST_OFTEN}
    rows = {word: row for row, word in enumerate(counts)}
    dimensions = min(dimensions, len(rows) - 1)
    if dimensions < 1:
        return WordVectors({}, np.zeros(0, dtype=np.int64), np.zeros((0, 1)))
    shared = _information(_neighbours(sentences, rows))
    left, strengths, _ = svds(shared, k=dimensions, random_state=0)
    vectors = left * np.sqrt(np.maximum(0.0, strengths))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return WordVectors(rows, np.array(list(counts.values())), vectors / np.maximum(1e-9, lengths))


def _neighbours(
    sentences: Sequence[Sequence[str]], rows: Mapping[str, int]
) -> sp.csr_matrix[np.float64]:
    """How often each word (row) has each frequent word at each offset (columns)."""
    gap = [-1] * len(_OFFSETS)
    line = np.array([row for s in sentences for row in (*(rows.get(w, -1) for w in s), *gap)])
    most = min(_MOST_NEIGHBOURS, len(rows))
    pairs = []
    for block, offset in enumerate(_OFFSETS):
        beside = np.roll(line, -offset)  # what wraps round meets the gap after the last sentence
        kept = (line >= 0) & (beside >= 0) & (beside < most)
        pairs.append((line[kept], block * most + beside[kept]))
    of, with_ = (np.concatenate(found) for found in zip(*pairs, strict=True))
    return sp.csr_matrix((np.ones(len(of)), (of, with_)), shape=(len(rows), most * len(_OFFSETS)))


def _information(found: sp.csr_matrix[np.float64]) -> sp.csr_matrix[np.float64]:
    """max(0, ln(count * total / (of the word * of the neighbour, flattened)))."""
    words = np.asarray(found.sum(axis=1)).ravel()
    beside = np.asarray(found.sum(axis=0)).ravel() ** _FLATTENED
    pairs = found.tocoo()
    expected = words[pairs.row] * beside[pairs.col] / max(1e-9, beside.sum())
    information = np.maximum(0.0, np.log(pairs.data / expected))
    return sp.csr_matrix((information, (pairs.row, pairs.col)), shape=found.shape)


class Batch:
    """Texts side by side, the longest first, so that those still running are a leading slice."""

    def __init__(self, lengths: Sequence[int], weights: Floats) -> None:
        sizes = np.asarray(lengths)
        self.order = np.argsort(-sizes, kind="stable")
        self.sizes = sizes[self.order]
        self.weights = weights[self.order]
        self.running = [int((sizes > place).sum()) for place in range(int(sizes.max()))]
        firsts = (np.cumsum(sizes) - sizes)[self.order]
        self.rows = [firsts[:count] + place for place, count in enumerate(self.running)]
        self.lasts = firsts + self.sizes - 1
        self.row_weights = np.repeat(weights, sizes)[:, None]

    def sums(self, evidence: Floats, order: Floats) -> tuple[float, Floats, Floats]:
        """The weighted sum of ln Z, weighted posteriors (sentences, states), and pairs of states.

        Pairs are as ``order`` is, (states + 2, states).
        """
        top = evidence.max(axis=1)
        odds = np.exp(evidence - top[:, None])
        steps, ends = np.exp(order[:-2]), np.exp(order[-1])
        forward, scale = self._forward(odds, steps, np.exp(order[-2]))
        at_end = forward[self.lasts] @ ends + _TINY
        ln_z = (np.log(scale) + top)[:, None] * self.row_weights
        backward = np.empty_like(odds)
        backward[self.lasts] = ends / at_end[:, None]
        pairs = np.zeros_like(order)
        for place in range(len(self.rows) - 1, 0, -1):
            rows = self.rows[place]
            coming = odds[rows] * backward[rows] / scale[rows, None]
            before = rows - 1
            backward[before] = coming @ steps.T
            pairs[:-2] += (forward[before].T @ (coming * self.row_weights[rows])) * steps
        posteriors = forward * backward * self.row_weights
        pairs[-2] = posteriors[self.rows[0]].sum(axis=0)
        pairs[-1] = posteriors[self.lasts].sum(axis=0)
        return float(ln_z.sum() + (np.log(at_end) * self.weights).sum()), posteriors, pairs

    def _forward(self, odds: Floats, steps: Floats, starts: Floats) -> tuple[Floats, Floats]:
        forward, scale = np.empty_like(odds), np.empty(len(odds))
        for place, rows in enumerate(self.rows):
            reached = (forward[rows - 1] @ steps if place else starts[None]) * odds[rows]
            scale[rows] = reached.sum(axis=1) + _TINY
            forward[rows] = reached / scale[rows, None]
        return forward, scale


def fit_chain(
    names: sp.csr_matrix[np.float32],
    batch: Batch,
    allowed: Floats,
    penalties: Floats,
    *,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """The weights (names, states) and the order (states + 2, states) that make the paths likely.

    The last two rows of the order speak for a state at the first and at the last place.

    ``names`` (sentences, names) are those that each sentence has; ``allowed`` (sentences, states)
    is 0 where the label allows the state, else what speaks against; half of each of ``penalties``,
    times the squared weight, is taken off.
    """
    n_states = allowed.shape[1]
    across = names.T.tocsr()
    shape = (names.shape[1] + n_states + 2, n_states)
    pull = np.concatenate([penalties, np.full(n_states + 2, _ORDER_PENALTY)])[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        table = flat.reshape(shape)
        order = table[-n_states - 2 :]
        evidence = np.asarray(names @ table[: -n_states - 2].astype(np.float32), dtype=np.float64)
        all_z, all_states, all_pairs = batch.sums(evidence, order)
        z, states, pairs = batch.sums(evidence + allowed, order)
        steep = across @ (all_states - states).astype(np.float32)
        slope = np.concatenate([steep, all_pairs - pairs]) + pull * table
        return all_z - z + 0.5 * float((pull * table**2).sum()), slope.ravel()

    start = np.random.default_rng(seed).normal(0.0, _SPREAD, shape).ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    table = np.asarray(found.x).reshape(shape)
    return table[: -n_states - 2], table[-n_states - 2 :]


def against(text: RoleText) -> Floats:
    """What speaks against each state, (sentences, states): 0 where its label allows it."""
    table = np.full((len(text.sentences), len(STATES)), _FORBIDDEN)
    for row, (states, certainty) in enumerate(zip(text.allowed, text.certainty, strict=True)):
        if certainty < 1.0:
            table[row] = np.log(DOUBT * (1.0 - certainty) / max(0.2, certainty))
        table[row, list(states)] = 0.0
    return table


_own_and_beside = lru_cache(maxsize=4096)(own_and_beside)


def word_rows(sentences: Sequence[str]) -> list[list[int]]:
    """For each sentence, the rows of its names: its own, those before it, those after it."""
    read = [_own_and_beside(sentence) for sentence in sentences]
    rows = [list(own) for own, _ in read]
    for row, (_, beside) in zip(rows[1:], read, strict=False):
        row.extend(OWN + place for place in beside)
    for row, (_, beside) in zip(rows, read[1:], strict=False):
        row.extend(OWN + BESIDE + place for place in beside)
    return rows


def names_of(texts: Sequence[RoleText]) -> sp.csr_matrix[np.float32]:
    """The names that each sentence has: words, then places."""
    found: list[list[int]] = []
    for text in texts:
        places = place_rows(len(text.sentences))
        for words, standing in zip(word_rows(text.sentences), places, strict=True):
            found.append([*words, *(N_WORD_ROWS + place for place in standing)])
    ends = np.cumsum([0, *map(len, found)])
    columns = np.concatenate([np.array(names) for names in found])
    ones = np.ones(len(columns), dtype=np.float32)
    return sp.csr_matrix((ones, columns, ends), shape=(len(found), N_WORD_ROWS + N_PLACE_ROWS))


def vectors_by_name(vectors: WordVectors) -> sp.csr_matrix[np.float32]:
    """(names, 3 * dimensions): the vector of each word's own place, and of those beside."""
    names = [name_of(word) for word in vectors.rows]
    own = vectors.by_place([own for own, *_ in names], OWN) * VECTOR_SCALE
    beside = vectors.by_place([place for _, _, place, *_ in names], BESIDE) * BESIDE_SCALE
    none = sp.csr_matrix((N_PLACE_ROWS, 0))
    blocks = [sp.csr_matrix(block) for block in (own, beside, beside)]
    return sp.csr_matrix(sp.block_diag([*blocks, none], dtype=np.float32))


def model_of(weights: Floats, order: Floats) -> RoleModel:
    """What was fitted, in whole steps, as it ships."""
    steps = np.rint(weights / STEP)
    return RoleModel(
        words=np.clip(steps[:N_WORD_ROWS], -127, 127).astype(np.int8),
        places=steps[N_WORD_ROWS:].astype(np.int16),
        order=np.rint(order / STEP).astype(np.int16),
    )


def learn(texts: Sequence[RoleText], *, seed: int = 0) -> RoleModel:
    """The model of these texts and of cut copies of them.

    A sentence is also read as the sum of the vectors of its words, and its neighbours so. As sums
    are linear, what was learned of vectors is then added to the words that have them, and the
    model that ships knows no vectors.
    """
    copies = cut_texts(texts, random.Random(seed), copies=COPIES)
    everything = [*texts, *copies]
    weights = np.repeat([1.0, COPY_WEIGHT], [len(texts), len(copies)])
    sentences = dict.fromkeys(sentence for text in texts for sentence in text.sentences)
    vectors = vectors_by_name(word_vectors([words_of(sentence) for sentence in sentences]))
    n_names = vectors.shape[0]
    penalties = np.full(n_names + vectors.shape[1], PENALTY)
    penalties[OWN : OWN + 2 * BESIDE] = BESIDE_PENALTY
    penalties[n_names:] = VECTOR_PENALTY
    names = names_of(everything)
    weights_of, order = fit_chain(
        sp.csr_matrix(sp.hstack([names, names @ vectors])),
        Batch([len(text.sentences) for text in everything], weights),
        np.concatenate([against(text) for text in everything]),
        penalties,
    )
    return model_of(weights_of[:n_names] + vectors @ weights_of[n_names:], order)


def read(model: RoleModel, text: RoleText) -> NDArray[np.int64]:
    """The facet (column) that a model gives each sentence; results where a set merges both."""
    posteriors = model.posteriors(text.sentences).copy()
    if text.name in WITHOUT_CONCLUSION:
        posteriors[:, 2] += posteriors[:, 3]
        posteriors[:, 3] = 0.0
    best: NDArray[np.int64] = posteriors.argmax(axis=1)
    return best


def f1(truth: NDArray[np.int64], given: NDArray[np.int64], facet: int) -> float:
    """2 tp / (labelled + given); 0 to 1."""
    both = ((truth == facet) & (given == facet)).sum()
    return float(2 * both / max(1, (truth == facet).sum() + (given == facet).sum()))


def scores_of(read_texts: Sequence[tuple[RoleText, NDArray[np.int64]]]) -> dict[str, Any]:
    """By set: macro-F1 without the sentences that have no facet, and with them as errors."""
    scores: dict[str, Any] = {}
    for name in dict.fromkeys(text.name for text, _ in read_texts):
        chosen = [(text, facets) for text, facets in read_texts if text.name == name]
        truth = np.array([-1 if f is None else f for text, _ in chosen for f in text.facets])
        given = np.concatenate([facets for _, facets in chosen])
        n_facets = len(FACETS) - (name in WITHOUT_CONCLUSION)
        kept = truth >= 0
        by_facet = [f1(truth[kept], given[kept], facet) for facet in range(n_facets)]
        strict = [f1(truth, given, facet) for facet in range(n_facets)]
        scores[name] = {
            "macro_f1": round(float(np.mean(by_facet)), 3),
            "f1": [round(value, 3) for value in by_facet],
            "accuracy": round(float((truth[kept] == given[kept]).mean()), 3),
            "macro_f1_others_as_errors": round(float(np.mean(strict)), 3),
            "n_texts": len(chosen),
        }
    return scores


def crossed_scores(texts: Sequence[RoleText]) -> dict[str, Any]:
    """Scores by models that have not seen the paper."""
    read_texts, fold_of = [], [crc32(text.group.encode()) % N_FOLDS for text in texts]
    for fold in range(N_FOLDS):
        model = learn([t for t, of in zip(texts, fold_of, strict=True) if of != fold], seed=fold)
        read_texts += [
            (text, read(model, text)) for text, of in zip(texts, fold_of, strict=True) if of == fold
        ]
    return scores_of(read_texts)


def transfer_scores(texts: Sequence[RoleText]) -> dict[str, Any]:
    """Scores on each set by a model that saw none of it, and from one field to the other."""
    scores: dict[str, Any] = {}
    names = list(dict.fromkeys(text.name for text in texts))
    tests: list[frozenset[str]] = [frozenset({name}) for name in names if name not in SCHOLARSUM]
    tests += [SCHOLARSUM, frozenset(names) - COMPUTING]
    for test in tests:
        model = learn([text for text in texts if text.name not in test])
        key = "from computer science" if len(test) > len(SCHOLARSUM) else "without the set"
        unseen = [(text, read(model, text)) for text in texts if text.name in test]
        scores.setdefault(key, {}).update(
            {name: found["macro_f1"] for name, found in scores_of(unseen).items()}
        )
    return scores


def main() -> None:
    """Scores, fits, and writes ``weights/roles``."""
    texts = role_texts(data_folder(__doc__))
    model = learn(texts)
    scores = crossed_scores(texts) | {"transfer": transfer_scores(texts)}
    save(
        "roles",
        {"words": model.words, "places": model.places, "order": model.order},
        recipe={
            "data": sorted([*LABELLED.values(), SEGMENTED]),
            "method": "conditional random field with partial labels on hashed words and places, "
            f"L2 {PENALTY:g} and {BESIDE_PENALTY:g}, and on sums of word vectors learned from the "
            f"same sentences and folded into the words, L2 {VECTOR_PENALTY:g}; {COPIES} cut copies "
            f"of each text at {COPY_WEIGHT:g}; scores: {N_FOLDS} folds by paper",
            "scores": scores,
        },
    )


if __name__ == "__main__":
    main()
