"""Learns which sentences state background, method, result and conclusion.

    python -m summeval_pytest.judges.training.roles --data ../shared/data

Scores are of five folds by paper: every text is read by a model that has not seen its paper.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from summeval_pytest.judges.offline.facets.role_features import (
    BESIDE,
    N_PLACE_ROWS,
    N_WORD_ROWS,
    OWN,
    name_of,
    place_rows,
    word_rows,
    words_of,
)
from summeval_pytest.judges.offline.facets.roles import STATES, STEP, RoleModel
from summeval_pytest.judges.training.chain import Batch, Chain, fit
from summeval_pytest.judges.training.data import data_folder
from summeval_pytest.judges.training.role_texts import (
    LABELLED,
    SEGMENTED,
    WITHOUT_CONCLUSION,
    RoleText,
    cut_texts,
    role_texts,
)
from summeval_pytest.judges.training.saving import save
from summeval_pytest.judges.training.word_vectors import WordVectors, word_vectors
from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

N_FOLDS: Final = 5
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


def against(text: RoleText) -> NDArray[np.float64]:
    """What speaks against each state, (sentences, states): 0 where its label allows it."""
    table = np.full((len(text.sentences), len(STATES)), _FORBIDDEN)
    for row, (states, certainty) in enumerate(zip(text.allowed, text.certainty, strict=True)):
        if certainty < 1.0:
            table[row] = np.log(DOUBT * (1.0 - certainty) / max(0.2, certainty))
        table[row, list(states)] = 0.0
    return table


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
    own = vectors.by_place([name.own for name in names], OWN) * VECTOR_SCALE
    beside = vectors.by_place([name.beside for name in names], BESIDE) * BESIDE_SCALE
    none = sp.csr_matrix((N_PLACE_ROWS, 0))
    blocks = [sp.csr_matrix(block) for block in (own, beside, beside)]
    return sp.csr_matrix(sp.block_diag([*blocks, none], dtype=np.float32))


def model_of(chain: Chain) -> RoleModel:
    """The chain in whole steps, as it ships."""
    steps = np.rint(chain.weights / STEP)
    return RoleModel(
        words=np.clip(steps[:N_WORD_ROWS], -127, 127).astype(np.int8),
        places=steps[N_WORD_ROWS:].astype(np.int16),
        order=np.rint(chain.order / STEP).astype(np.int16),
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
    found = fit(
        sp.csr_matrix(sp.hstack([names, names @ vectors])),
        Batch([len(text.sentences) for text in everything], weights),
        np.concatenate([against(text) for text in everything]),
        penalties,
    )
    folded = found.weights[:n_names] + vectors @ found.weights[n_names:]
    return model_of(Chain(weights=folded, order=found.order))


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


def fold_of(text: RoleText) -> int:
    """The fold of a text's paper."""
    return crc32(text.group.encode()) % N_FOLDS


def crossed_scores(texts: Sequence[RoleText]) -> dict[str, Any]:
    """Scores by models that have not seen the paper."""
    read_texts = []
    for fold in range(N_FOLDS):
        model = learn([text for text in texts if fold_of(text) != fold], seed=fold)
        read_texts += [(text, read(model, text)) for text in texts if fold_of(text) == fold]
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
            "command": "python -m summeval_pytest.judges.training.roles --data ../shared/data",
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
