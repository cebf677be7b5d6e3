from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.roles import (
    BESIDE,
    N_PLACE_ROWS,
    OWN,
    STATES,
    RoleModel,
    chain_posteriors,
    own_and_beside,
    roles_of,
)

SENTENCES = (
    "Little is known about how kettles lose heat.",
    "We measured the temperature of 12 kettles every minute.",
    "Steel kettles cooled significantly faster than the others (p = 0.01).",
    "These findings suggest that kettles should be insulated.",
)


def test_capitals_and_tokenising_do_not_move_a_posterior() -> None:
    """Benchmarks are released lower-cased, with spaces around every sign."""
    released = [s.lower().replace("(", "( ").replace(".", " .") for s in SENTENCES[:2]]
    assert roles_of(tuple(released)).tolist() == roles_of(SENTENCES[:2]).tolist()


@given(st.lists(st.text(max_size=60), min_size=1, max_size=40))
def test_every_row_sums_to_one(sentences: list[str]) -> None:
    """Whatever a sentence holds, it has some facet; 9 digits are kept, and nobody changes them."""
    roles = roles_of(tuple(sentences))
    assert roles.shape == (len(sentences), 4)
    assert (roles >= 0.0).all()
    assert roles.sum(axis=1) == pytest.approx(1.0, abs=1e-8)
    assert not roles.flags.writeable


def test_posteriors_are_those_of_all_paths_counted_one_by_one() -> None:
    """Oracle: 3 states at 4 places are 81 paths, few enough to add up."""
    chance = np.random.default_rng(5)
    evidence, order = chance.normal(size=(4, 3)), chance.normal(size=(3, 3))
    counted = np.zeros((4, 3))
    for path in product(range(3), repeat=4):
        said = sum(evidence[place, state] for place, state in enumerate(path))
        followed = sum(order[one, two] for one, two in pairwise(path))
        for place, state in enumerate(path):
            counted[place, state] += np.exp(said + followed)
    posteriors = chain_posteriors(evidence, order)
    assert posteriors == pytest.approx(counted / counted.sum(axis=1)[:, None], rel=1e-12)


def test_weights_add_up_as_whole_steps() -> None:
    """Worked: 64 steps of 1/128 for a word, 128 at the first place; log-odds .5 + 1 = 1.5."""
    n_states = len(STATES)
    words = np.zeros((OWN + 2 * BESIDE, n_states), dtype=np.int8)
    own, _ = own_and_beside("kettles")
    words[own[0], 2] = 64
    order = np.zeros((n_states + 2, n_states), dtype=np.int16)
    order[-2, 2] = 128
    places = np.zeros((N_PLACE_ROWS, n_states), dtype=np.int16)
    model = RoleModel(words=words, places=places, order=order)
    assert model.evidence(["kettles"]).tolist() == [[0.0, 0.0, 1.5, 0.0, 0.0]]
    odds = np.exp(1.5)
    assert model.posteriors(["kettles"])[0] == pytest.approx(
        [2 / (4 + odds), odds / (4 + odds), 1 / (4 + odds), 1 / (4 + odds)], abs=1e-9
    )
