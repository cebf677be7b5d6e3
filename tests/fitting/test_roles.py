from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp

from summeval_pytest.judges.offline.roles import BESIDE, OWN, name_of
from tools.fitting.role_texts import RoleText
from tools.fitting.roles import (
    BESIDE_SCALE,
    VECTOR_SCALE,
    Batch,
    WordVectors,
    against,
    fit_chain,
    learn,
    read,
    scores_of,
    vectors_by_name,
    word_rows,
    word_vectors,
)

WORDS = ("Little is known", "We measured", "It rose", "We conclude")
DRINKS, TOOLS = ("tea", "milk"), ("saw", "axe")


def _abstract(number: int) -> RoleText:
    sentences = tuple(f"{words} about kettle {number}." for words in WORDS)
    states = tuple(frozenset({state}) for state in (0, 2, 3, 4))
    return RoleText("pubmedqa_roles", str(number), sentences, states, (0, 1, 2, 3), (1.0,) * 4)


def test_roles_are_learned_from_made_up_abstracts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six abstracts of one form, and one that was not among them."""
    monkeypatch.setattr("tools.fitting.roles._ROUNDS", 8)
    model = learn([_abstract(number) for number in range(6)])
    unseen = _abstract(99)
    assert read(model, unseen).tolist() == [0, 1, 2, 3]


def test_a_vector_stands_in_the_tables_where_its_word_is_read() -> None:
    """Worked: only so do the sums of a sentence's vectors fold into the words of the model.

    Neighbours are read in tables of their own. Words that share a place share a mean.
    """
    vectors = WordVectors({"kettle": 0}, np.array([5]), np.ones((1, 1)))
    own, _, beside, *_ = name_of("kettle")

    found = vectors_by_name(vectors).tocoo()

    assert {
        (row, column): value for row, column, value in zip(*found.coords, found.data, strict=True)
    } == {
        (own, 0): pytest.approx(VECTOR_SCALE),
        (OWN + beside, 1): pytest.approx(BESIDE_SCALE),
        (OWN + BESIDE + beside, 2): pytest.approx(BESIDE_SCALE),
    }
    first, second = word_rows(["kettles", "kettles"])
    after = {row - OWN - BESIDE for row in first if row >= OWN + BESIDE}
    assert after == {row - OWN for row in second if row >= OWN}
    assert all(row < OWN or row >= OWN + BESIDE for row in first)
    vectors = WordVectors({"a": 0, "b": 1, "c": 2}, np.array([3, 1, 1]), np.eye(3))
    assert vectors.by_place([0, 0, 2], 3).tolist() == [[0.75, 0.25, 0], [0, 0, 0], [0, 0, 1]]


def test_a_doubted_label_does_not_forbid_the_others() -> None:
    """Worked: certainty .6 leaves ln(.3 * .4 / .6) = ln .2 against each other state."""
    text = RoleText("csabstruct", "g", ("a",), (frozenset({2}),), (1,), (0.6,))
    others = [np.log(0.2)] * 2 + [0.0] + [np.log(0.2)] * 2
    assert against(text)[0] == pytest.approx(others)


def test_sentences_without_a_facet_count_only_as_errors() -> None:
    """Both figures are told, for a set's "other" is no facet of ours."""
    text = RoleText("pubmedqa_roles", "g", ("a",) * 5, (), (0, 1, 2, 3, None), (1.0,) * 5)
    scores = scores_of([(text, np.array([0, 1, 2, 3, 0]))])["pubmedqa_roles"]
    assert scores["macro_f1"] == pytest.approx(1.0)
    assert scores["macro_f1_others_as_errors"] == pytest.approx((2 / 3 + 3) / 4, abs=5e-4)


def test_sums_are_those_of_all_paths_counted_one_by_one() -> None:
    """Oracle: texts of 3, 1 and 2 sentences with 2 states have 8, 2 and 4 paths."""
    chance = np.random.default_rng(3)
    lengths, weights = (3, 1, 2), np.array([1.0, 0.5, 2.0])
    evidence, order = chance.normal(size=(6, 2)), chance.normal(size=(4, 2))
    ln_z, states, pairs = 0.0, np.zeros((6, 2)), np.zeros((4, 2))
    for start, length, weight in zip((0, 3, 4), lengths, weights, strict=True):
        paths = list(product(range(2), repeat=length))
        odds = np.array([np.exp(_said(path, start, evidence, order)) for path in paths])
        ln_z += weight * np.log(odds.sum())
        for path, share in zip(paths, weight * odds / odds.sum(), strict=True):
            pairs[2, path[0]] += share
            pairs[3, path[-1]] += share
            for place, state in enumerate(path):
                states[start + place, state] += share
            for one, two in pairwise(path):
                pairs[one, two] += share

    found = Batch(lengths, weights).sums(evidence, order)

    assert found[0] == pytest.approx(ln_z, rel=1e-12)
    assert found[1] == pytest.approx(states, rel=1e-12)
    assert found[2] == pytest.approx(pairs, rel=1e-12)


def _said(path: tuple[int, ...], start: int, evidence: np.ndarray, order: np.ndarray) -> float:
    said = sum(evidence[start + place, state] for place, state in enumerate(path))
    followed = sum(order[one, two] for one, two in pairwise(path))
    return float(said + followed + order[2, path[0]] + order[3, path[-1]])


def test_labels_that_allow_two_states_are_settled_by_the_others() -> None:
    """Name 0 is state 0 and name 1 state 1 where labelled; where both are allowed, it follows."""
    names = sp.csr_matrix(np.array([[1, 0], [0, 1]] * 10 + [[0, 1]], dtype=np.float32))
    allowed = np.array([[0.0, -1e3], [-1e3, 0.0]] * 10 + [[0.0, 0.0]])
    batch = Batch([2] * 10 + [1], np.ones(11))
    weights, order = fit_chain(names, batch, allowed, np.full(2, 0.1))
    assert weights[0, 0] > weights[0, 1]
    assert weights[1, 1] > weights[1, 0]
    assert order[0, 1] > order[1, 0]


def _sentences() -> list[list[str]]:
    drunk = [["she", "drank", "hot", drink, "slowly"] for drink in DRINKS]
    used = [["he", "sharpened", "the", tool, "yesterday"] for tool in TOOLS]
    return [*drunk, *used] * 6


def test_words_among_the_same_neighbours_have_one_vector() -> None:
    """This is what lets a word of few sentences borrow from one of many."""
    found = word_vectors(_sentences(), dimensions=4)
    tea, milk, saw = (found.vectors[found.rows[word]] for word in ("tea", "milk", "saw"))
    assert tea @ milk == pytest.approx(1.0)
    assert tea @ saw < 0.5
