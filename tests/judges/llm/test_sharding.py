from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.llm.asking import shards, shuffled

UNITS = ((1, 2), (3, 4, 5), (6,), (7, 8), (9,))

lengths = st.lists(st.integers(1, 6), max_size=8)


def units_of(lengths: list[int]) -> tuple[tuple[int, ...], ...]:
    """Units of these lengths, numbered through."""
    units, first = [], 1
    for length in lengths:
        units.append(tuple(range(first, first + length)))
        first += length
    return tuple(units)


def test_a_request_is_filled_with_whole_units() -> None:
    """Size 4: (1, 2) has no room for (3, 4, 5), takes (6,), and (9,); (3, 4, 5) none for (7, 8)."""
    assert shards(UNITS, 4) == ((1, 2, 6, 9), (3, 4, 5), (7, 8))


def test_a_unit_too_large_for_a_request_is_cut_in_order() -> None:
    """A sentence of forty facts must not make a reply that is cut off."""
    assert shards(((1, 2, 3, 4, 5), (6,)), 2) == ((1, 2), (3, 4), (5, 6))


@settings(deadline=None, max_examples=60)
@given(lengths, st.integers(1, 7))
def test_every_item_is_in_one_request_and_units_stay_whole(lengths: list[int], size: int) -> None:
    """An item left out would shrink a denominator."""
    units = units_of(lengths)
    made = shards(units, size)
    assert sorted(i for shard in made for i in shard) == [i for unit in units for i in unit]
    assert all(0 < len(shard) <= size for shard in made)
    for unit in units:
        homes = [shard for shard in made if set(unit) & set(shard)]
        assert len(homes) == -(-len(unit) // size)
        if len(unit) <= size:
            places = [homes[0].index(item) for item in unit]
            assert places == list(range(places[0], places[0] + len(unit)))


def test_the_first_vote_keeps_the_order_and_others_have_their_own() -> None:
    """A judge that favours the first item is outvoted by itself; the order is the same anywhere."""
    orders = [shuffled(UNITS, "Which?", vote) for vote in range(4)]
    assert orders[0] == UNITS
    assert len(set(orders)) == 4
    assert all(sorted(order) == sorted(UNITS) for order in orders)
    assert orders[1] == ((7, 8), (3, 4, 5), (9,), (1, 2), (6,))
    assert shuffled(UNITS, "Who?", 1) != orders[1]
