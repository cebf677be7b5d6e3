from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.roles import chain_posteriors, roles_of

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
