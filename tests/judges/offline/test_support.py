from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.support import SourceIndex, evidence_of, support_sentences

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
