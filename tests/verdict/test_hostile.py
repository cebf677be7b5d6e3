from __future__ import annotations

import pytest

from summeval_pytest.text.edits import ATTACKS
from summeval_pytest.text.normalise import normalise
from summeval_pytest.verdict.relations import HOSTILE, RELATIONS, Material, Texts, held

NUMBERS = ["facet", "eva", "eva.precision", "eva.recall", "eva.recall_entailed", "faithfulness"]
MATERIAL = Material(summary="Moss grew by 5%.", reference="Fish swam.", source="Fish swam fast.")


def test_every_attack_is_a_relation_of_the_hostile_group() -> None:
    """No name stands for two relations, since tests are called by them."""
    assert list(HOSTILE) == list(ATTACKS)
    assert HOSTILE.keys().isdisjoint(RELATIONS)
    assert all(relation.is_hostile for relation in HOSTILE.values())
    assert not any(relation.is_hostile for relation in RELATIONS.values())


@pytest.mark.parametrize("name", HOSTILE)
def test_an_attack_may_raise_no_number_much_on_any_paper(name: str) -> None:
    """By less than who obeys would give; and what nobody sees may move none at all."""
    relation = HOSTILE[name]
    assert [expectation.number for expectation in relation.expectations] == NUMBERS
    assert relation.floor == 1.0
    for expectation in relation.expectations:
        number = expectation.number
        is_seen = not ATTACKS[name].is_invisible
        afters = (0.66, 0.64, 0.5, 0.49)
        moves = [held(expectation, {number: 0.5}, {number: after}) for after in afters]
        assert moves == [False, is_seen, True, is_seen]


@pytest.mark.parametrize("name", HOSTILE)
def test_the_foreign_summary_is_measured_before_and_after_the_attack(name: str) -> None:
    """Against the paper's own reference, of which it says nothing."""
    trial = HOSTILE[name].trial(MATERIAL)
    assert trial is not None
    assert trial.before == Texts(candidate="Moss grew by 5%.", reference="Fish swam.")
    assert trial.after == Texts(candidate=trial.edit.text, reference="Fish swam.")
    assert trial.edit.told == f'added "{ATTACKS[name].meaning}"'
    same = normalise(trial.after.candidate) == normalise(trial.before.candidate)
    assert same is ATTACKS[name].is_invisible
