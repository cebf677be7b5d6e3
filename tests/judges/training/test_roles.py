from __future__ import annotations

import numpy as np
import pytest

from summeval_pytest.judges.offline.facets.role_features import BESIDE, OWN, name_of
from summeval_pytest.judges.training.role_texts import RoleText
from summeval_pytest.judges.training.roles import (
    BESIDE_SCALE,
    VECTOR_SCALE,
    against,
    f1,
    learn,
    read,
    scores_of,
    vectors_by_name,
)
from summeval_pytest.judges.training.word_vectors import WordVectors

WORDS = ("Little is known", "We measured", "It rose", "We conclude")


def _abstract(number: int) -> RoleText:
    sentences = tuple(f"{words} about kettle {number}." for words in WORDS)
    states = tuple(frozenset({state}) for state in (0, 2, 3, 4))
    return RoleText("pubmedqa_roles", str(number), sentences, states, (0, 1, 2, 3), (1.0,) * 4)


def test_roles_are_learned_from_made_up_abstracts() -> None:
    """Thirty abstracts of one form, and one that was not among them."""
    model = learn([_abstract(number) for number in range(30)])

    unseen = _abstract(99)

    assert read(model, unseen).tolist() == [0, 1, 2, 3]


def test_a_vector_stands_in_the_tables_where_its_word_is_read() -> None:
    """Worked: only so do the sums of a sentence's vectors fold into the words of the model."""
    vectors = WordVectors({"kettle": 0}, np.array([5]), np.ones((1, 1)))
    name = name_of("kettle")

    found = vectors_by_name(vectors).tocoo()

    assert {
        (row, column): value for row, column, value in zip(*found.coords, found.data, strict=True)
    } == {
        (name.own, 0): pytest.approx(VECTOR_SCALE),
        (OWN + name.beside, 1): pytest.approx(BESIDE_SCALE),
        (OWN + BESIDE + name.beside, 2): pytest.approx(BESIDE_SCALE),
    }


def test_a_doubted_label_does_not_forbid_the_others() -> None:
    """Worked: certainty .6 leaves ln(.3 * .4 / .6) = ln .2 against each other state."""
    text = RoleText("csabstruct", "g", ("a",), (frozenset({2}),), (1,), (0.6,))

    others = [np.log(0.2)] * 2 + [0.0] + [np.log(0.2)] * 2

    assert against(text)[0] == pytest.approx(others)


def test_f1_is_worked_out_by_hand() -> None:
    """Facet 1 is labelled twice and given twice, once together: 2 * 1 / (2 + 2)."""
    assert f1(np.array([1, 1, 0]), np.array([1, 0, 1]), 1) == pytest.approx(0.5)


def test_sentences_without_a_facet_count_only_as_errors() -> None:
    """Both figures are told, for a set's "other" is no facet of ours."""
    text = RoleText("pubmedqa_roles", "g", ("a",) * 5, (), (0, 1, 2, 3, None), (1.0,) * 5)

    scores = scores_of([(text, np.array([0, 1, 2, 3, 0]))])["pubmedqa_roles"]

    assert scores["macro_f1"] == pytest.approx(1.0)
    assert scores["macro_f1_others_as_errors"] == pytest.approx((2 / 3 + 3) / 4, abs=5e-4)
