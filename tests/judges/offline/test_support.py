from __future__ import annotations

from collections.abc import Sequence
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.support import (
    SourceIndex,
    evidence_of,
    support_sentences,
)

PIPES = SourceIndex(("copper pipes corrode", "iron pipes rust quickly", "wood rots"))
RARE = log(1 + 2.5 / 1.5)  # in one of three sentences
SHARED = log(1 + 1.5 / 2.5)  # "pipes" is in two
UNSEEN = log(1 + 3.5 / 0.5)  # in none
MILL = (
    "The mill ground 40 sacks of rye a day.",
    "Wind speed fell in August.",
    "The miller kept bees.",
)
SHORE = tuple(
    f"{what.capitalize()} were counted by {who} in every {when}."
    for what, who, when in (
        *(("eels", "divers", "spring"), ("herons", "wardens", "June")),
        *(("otters", "anglers", "week"), ("crabs", "pupils", "night"), ("seals", "pilots", "May")),
        *(("gulls", "nuns", "year"), ("terns", "poets", "March"), ("whelks", "cooks", "hour")),
    )
)


def test_shares_are_of_the_weight_of_all_words() -> None:
    """Rare words weigh more, and a word that the source lacks weighs most."""
    result = PIPES.overlap("copper pipes burst")
    total = RARE + SHARED + UNSEEN
    assert result.places == (0, 1)
    assert result.shares == pytest.approx(((RARE + SHARED) / total, SHARED / total), rel=1e-15)
    assert result.anywhere == pytest.approx((RARE + SHARED) / total, rel=1e-15)
    nothing = PIPES.overlap("zinc")
    assert (nothing.places, nothing.best, nothing.nearest(3), nothing.likeness) == ((), 0, 0, 0)


@pytest.mark.parametrize(
    ("claim", "share"), [("40 sacks", 1.0), ("40 or 60 sacks", 0.5), ("sacks", 1.0)]
)
def test_numbers_have_to_stand_nearby(claim: str, share: float) -> None:
    """A claim without numbers lacks none; a number far from its other words does not count."""
    assert SourceIndex(("40 sacks a day", "bees")).overlap(claim).numbers == share
    near = ("amber lamps", "calm seas", "granite harbours", "winter storms", "weary sailors")
    far = SourceIndex((*near, "77 boats")).overlap("77 " + ", ".join(near))
    assert (far.places, far.numbers) == ((0, 1, 2, 3, 4, 5), 0.0)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Wind speed fell, and a flood took the bridge.", {1, 3}),
        # However little the nearest shares: somebody who checks the claim has to look somewhere.
        ("Rye was unknown to ancient Egyptian sculptors and astronomers.", {0}),
    ],
)
def test_evidence_of_a_claim_put_together_is_all_of_it(claim: str, evidence: set[int]) -> None:
    """Neither sentence says it alone."""
    source = (*MILL[:2], "The miller kept bees in nine hives.", "A flood took the bridge.")
    result = evidence_of(SourceIndex((*source, "Bees swarm in warm weather.")).overlap(claim))
    assert set(result) == evidence


def test_a_summary_on_another_subject_is_not_supported() -> None:
    """It shares no more with the source than any summary would: a rare word or two."""
    other = (
        "Penguin colonies on the island were mapped by drones during the southern winter.",
        "Breeding success depended on krill and on sea ice, as August counts suggest.",
        "Fledglings left the colony later where krill had been scarce for several seasons.",
    )
    results = support_sentences(other, MILL)
    assert not any(result.supported for result in results)
    assert results[0].reason == (
        "words not found: penguin, colonies, island, mapped, drones and 2 more; the 5 closest"
        " sentences have 0% of its words; the summary has so few of its rare words"
        " that it may be of another paper"
    )
    stamped = (f"Checked: {other[0]}", f"Verified by the miller: {other[1]}", other[2])
    assert not any(result.supported for result in support_sentences(stamped, MILL))


def test_a_short_answer_need_share_no_rare_word() -> None:
    """Of an answer with fewer than 20 words of content, more than .15 of its words are enough."""
    (answer,) = support_sentences(("The weather calmed in August.",), MILL)
    assert answer.supported
    assert (answer.support or 0.0) < 0.48
    (foreign,) = support_sentences(("Penguins swim far.",), MILL)
    assert not foreign.supported
    assert foreign.evidence == ()


def test_a_conflict_outweighs_shared_words() -> None:
    """However many words are shared; the evidence is what the source says."""
    result = support_sentences(("Wind speed rose in August.",), MILL)[0]
    same = support_sentences(("In August wind speed fell.",), MILL)[0]
    changed = support_sentences(("The mill ground 60 sacks of rye a day.",), MILL)[0]
    assert (changed.supported, changed.conflict) == (False, True)
    assert not result.supported
    assert result.undecided
    assert (result.support or 0.0) < (same.support or 0.0) / 1.9
    assert result.evidence == (1,)
    assert result.reason == "direction: 'rose' instead of 'fell'"


def test_other_words_cost_a_summary_in_other_words_nothing() -> None:
    """Of a lay summary the source has few words, so a missing one says nothing about it."""
    lay = (
        "The rye became flour daily.",
        "Late summer was a calm season for whoever lives by sails.",
        "The miller also sold honey from hives of his own in town.",
    )
    first, second, _ = support_sentences(lay, MILL)
    assert first.supported
    assert second.supported
    assert (first.support or 0.0) < 0.48
    assert first.reason.endswith("the whole summary is in other words, so this decides nothing")


def test_the_same_sentence_is_compared_with_a_summary_written_in_the_words_of_the_source() -> None:
    """Its neighbours keep to the source's words, so one that has none of them was not there."""
    close = (
        "Forty sacks of rye were what the mill ground in a day.",
        "Speed of wind in August fell.",
        "Bees were kept by the miller.",
    )
    *others, last = support_sentences((*close, "Grain became flour daily."), MILL)
    assert all(result.supported for result in others)
    assert not last.supported
    assert last.reason.endswith("have 0% of its words; at least 10% needed")
    assert support_sentences((*close, "Main conclusions:"), MILL)[-1].supported


def test_words_that_stand_apart_do_not_support_what_they_are_put_together_to() -> None:
    """Every word is the source's, but each from another sentence."""
    claim = "Divers counted herons; anglers, crabs; pilots, gulls; poets, whelks; and cooks, eels."
    result = support_sentences((claim,), SHORE)[0]
    assert not result.supported
    assert "the whole source has 100%, but far apart" in result.reason


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_a_copied_sentence_is_supported_by_itself(
    source: Sequence[str], data: st.DataObject
) -> None:
    """Whatever a source says, copying it is faithful."""
    place = data.draw(st.integers(0, len(source) - 1))
    result = support_sentences((source[place],), tuple(source))[0]
    assert (result.supported, result.support) == (True, 1.0)
    assert source[result.evidence[0]] == source[place]


def test_gain_is_what_nearer_sentences_do_not_carry() -> None:
    """The second sentence shares pipes too, but the first has said it; rust is its own."""
    result = PIPES.overlap("copper pipes corrode, pipes rust")
    total = 3 * RARE + SHARED
    assert result.gains == pytest.approx(((2 * RARE + SHARED) / total, RARE / total), rel=1e-15)
    assert result.nearest(3) == pytest.approx(1.0)


def test_of_two_that_share_the_same_the_shorter_is_nearer() -> None:
    """BM25 divides by length: 1.2 (.25 + .75 * 2 / 3) = .9 against 1.2 (.25 + .75 * 4 / 3) = 1.5.

    Nearness is the weight times 1 + .5 * 2.2 / (1 + that).
    """
    result = SourceIndex(("zebras graze slowly nearby", "zebras drink")).overlap("zebras")
    assert result.places == (1, 0)
    assert result.nearness == pytest.approx((1.0, (1 + 1.1 / 2.5) / (1 + 1.1 / 1.9)))


def test_generic_word_weighs_three_tenths() -> None:
    """Sharing "results" says little, in the source or not."""
    result = SourceIndex(("copper", "tin")).overlap("copper results")
    copper, results = log(1 + 1.5 / 1.5), 0.3 * log(1 + 2.5 / 0.5)
    assert result.anywhere == pytest.approx(copper / (copper + results), rel=1e-15)


def test_phrases_are_pairs_and_likeness_counts_what_else_a_sentence_says() -> None:
    """Of copper-pipes and pipes-rust each sentence has one; the first also says "corrode"."""
    assert PIPES.overlap("copper pipes rust").phrases == 0.5
    assert PIPES.overlap("pipes copper").phrases == 0.0
    likeness = RARE / (2 * RARE + SHARED)
    assert PIPES.overlap("copper").likeness == pytest.approx(likeness, rel=1e-15)
