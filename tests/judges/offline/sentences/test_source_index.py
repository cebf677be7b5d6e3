from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.sentences import DEPTH, SourceIndex, source_index

if TYPE_CHECKING:
    from collections.abc import Sequence

PIPES = SourceIndex(("copper pipes corrode", "iron pipes rust quickly", "wood rots"))
RARE = log(1 + 2.5 / 1.5)  # in one of three sentences
SHARED = log(1 + 1.5 / 2.5)  # "pipes" is in two
UNSEEN = log(1 + 3.5 / 0.5)  # in none


def test_shares_are_of_the_weight_of_all_words() -> None:
    """Rare words weigh more, and a word that the source lacks weighs most."""
    found = PIPES.overlap("copper pipes burst")
    total = RARE + SHARED + UNSEEN

    assert found.places == (0, 1)
    assert found.shares == pytest.approx(((RARE + SHARED) / total, SHARED / total), rel=1e-15)
    assert found.anywhere == pytest.approx((RARE + SHARED) / total, rel=1e-15)
    assert found.best == found.shares[0]


def test_gain_is_what_nearer_sentences_do_not_carry() -> None:
    """The second sentence shares pipes too, but the first has said it; rust is its own."""
    found = PIPES.overlap("copper pipes corrode, pipes rust")
    total = 3 * RARE + SHARED

    assert found.gains == pytest.approx(((2 * RARE + SHARED) / total, RARE / total), rel=1e-15)
    assert found.best_three == pytest.approx(1.0)


def test_of_two_that_share_the_same_the_shorter_is_nearer() -> None:
    """BM25 divides by length: 1.2 (.25 + .75 * 2 / 3) = .9 against 1.2 (.25 + .75 * 4 / 3) = 1.5.

    Nearness is the weight times 1 + .5 * 2.2 / (1 + that).
    """
    index = SourceIndex(("zebras graze slowly nearby", "zebras drink"))

    found = index.overlap("zebras")

    assert found.places == (1, 0)
    assert found.nearness == pytest.approx((1.0, (1 + 1.1 / 2.5) / (1 + 1.1 / 1.9)))


def test_generic_word_weighs_three_tenths() -> None:
    """Sharing "results" says little, in the source or not."""
    found = SourceIndex(("copper", "tin")).overlap("copper results")
    copper, results = log(1 + 1.5 / 1.5), 0.3 * log(1 + 2.5 / 0.5)

    assert found.anywhere == pytest.approx(copper / (copper + results), rel=1e-15)


def test_phrases_are_pairs_of_neighbouring_words() -> None:
    """Of copper-pipes and pipes-rust, each sentence has one: half."""
    assert PIPES.overlap("copper pipes rust").phrases == 0.5
    assert PIPES.overlap("pipes copper").phrases == 0.0


def test_likeness_counts_what_the_sentence_says_beyond_the_claim() -> None:
    """The claim is in the first sentence, which also says that pipes corrode."""
    found = PIPES.overlap("copper")

    assert found.likeness == pytest.approx(RARE / (2 * RARE + SHARED), rel=1e-15)


@pytest.mark.parametrize(
    ("claim", "share"), [("40 sacks", 1.0), ("40 or 60 sacks", 0.5), ("sacks", 1.0)]
)
def test_numbers_have_to_stand_nearby(claim: str, share: float) -> None:
    """A claim without numbers lacks none."""
    assert SourceIndex(("40 sacks a day", "bees")).overlap(claim).numbers == share


def test_far_sentences_do_not_count_for_numbers() -> None:
    """The number is in the source, but five others are closer to what the claim is about."""
    near = ("amber lamps", "calm seas", "granite harbours", "winter storms", "weary sailors")

    found = SourceIndex((*near, "77 boats")).overlap("77 " + ", ".join(near))

    assert found.places == (0, 1, 2, 3, 4, 5)
    assert found.numbers == 0.0


@pytest.mark.parametrize("claim", ["", "of the", "zinc"])
def test_claim_without_a_shared_word_has_nothing_near(claim: str) -> None:
    """Nothing found is 0, not an error."""
    found = PIPES.overlap(claim)

    assert found.places == ()
    assert (found.best, found.best_three, found.anywhere, found.likeness) == (0.0, 0.0, 0.0, 0.0)


def test_source_without_sentences_shares_nothing() -> None:
    """An empty source answers like any other."""
    assert SourceIndex(()).overlap("copper pipes").places == ()


def test_index_of_a_source_is_made_once() -> None:
    """All sentences of a summary ask about the same source."""
    sentences = ("copper pipes corrode",)

    assert source_index(sentences) is source_index(sentences)


WORDS = st.lists(st.sampled_from("copper iron pipes rust 40 7 results wood".split()), max_size=8)


@settings(deadline=None)
@given(WORDS, st.lists(WORDS, max_size=14))
def test_shares_are_shares(claim: Sequence[str], source: Sequence[Sequence[str]]) -> None:
    """Nothing leaves 0 to 1, and the whole source has at least what its nearest sentences have."""
    found = SourceIndex(tuple(map(" ".join, source))).overlap(" ".join(claim))

    shares = (*found.shares, found.best_three, found.anywhere, found.phrases, found.likeness)
    assert all(0.0 <= share <= 1.0 + 1e-12 for share in (*shares, *found.nearness, found.numbers))
    assert found.best - 1e-12 <= found.best_three <= found.anywhere + 1e-12
    assert len(set(found.places)) == len(found.places) <= DEPTH
    assert list(found.nearness) == sorted(found.nearness, reverse=True)
