from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.lexicon import learned
from summeval_pytest.judges.offline.number_conflicts import ASKS
from summeval_pytest.judges.offline.sentences import LEAST_STRENGTH, support_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

MILL = (
    "The mill ground 40 sacks of rye a day.",
    "Wind speed fell in August.",
    "The miller kept bees.",
)


SHORE = tuple(
    f"{what.capitalize()} were counted by {who} in every {when}."
    for what, who, when in (
        ("eels", "divers", "spring"),
        ("herons", "wardens", "June"),
        ("otters", "anglers", "week"),
        ("crabs", "pupils", "night"),
        ("seals", "pilots", "May"),
        ("gulls", "nuns", "year"),
        ("terns", "poets", "March"),
        ("whelks", "cooks", "hour"),
    )
)


def test_paraphrase_with_the_same_numbers_is_supported() -> None:
    """Most of what it says stands in one sentence."""
    found = support_sentences(("Each day 40 rye sacks were ground.",), MILL)[0]

    assert found.holds
    assert found.strength > LEAST_STRENGTH
    assert found.evidence == (0,)


def test_sentence_on_another_subject_is_not_supported() -> None:
    """It shares no more with the source than any sentence would."""
    found = support_sentences(("Penguins swim far.",), MILL)[0]

    assert not found.holds
    assert found.evidence == ()
    assert found.reason == (
        "0% of its words, by weight, in the five closest sentences; the summary shares no more"
        " rare words with the source than one of another paper"
    )


def test_conflict_outweighs_shared_words() -> None:
    """However many words are shared; the evidence is what the source says."""
    found = support_sentences(("Wind speed rose in August.",), MILL)[0]
    same = support_sentences(("In August wind speed fell.",), MILL)[0]

    assert not found.holds
    assert found.undecided
    assert found.strength < same.strength / 1.9
    assert found.evidence == (1,)
    assert found.reason == (
        f"{ASKS}: direction: 'Wind speed rose in August.' against 'Wind speed fell in August.'"
    )


def test_other_words_are_not_held_against_a_summary_told_in_other_words() -> None:
    """Of a lay summary the source has few words, so a missing one says nothing about it."""
    lay = (
        "The rye became flour daily.",
        "Late summer was a calm season for whoever lives by sails.",
        "The miller also sold honey from hives of his own in town.",
    )

    first, second, _ = support_sentences(lay, MILL)

    assert first.holds
    assert second.holds
    assert first.strength < LEAST_STRENGTH
    assert first.reason.endswith("the summary is told in other words, so this decides nothing")


def test_the_same_sentence_is_held_against_a_summary_told_in_the_words_of_the_source() -> None:
    """Its neighbours keep to the source's words, so one that has none of them was not there."""
    close = (
        "Forty sacks of rye were what the mill ground in a day.",
        "Speed of wind in August fell.",
        "Bees were kept by the miller.",
    )

    *others, last = support_sentences((*close, "Grain became flour daily."), MILL)

    assert all(found.holds for found in others)
    assert not last.holds
    assert f"of such sentences are supported, {LEAST_STRENGTH:.0%} needed" in last.reason


def test_words_that_stand_apart_do_not_support_what_they_are_put_together_to() -> None:
    """Every word is the source's, but each from another sentence."""
    claim = "Divers counted herons; anglers, crabs; pilots, gulls; poets, whelks; and cooks, eels."

    found = support_sentences((claim,), SHORE)[0]

    assert not found.holds
    assert "100% in the whole source, so they stand apart" in found.reason


def test_a_heading_is_nothing_to_support() -> None:
    """Two words, none of them in the source, in a summary that otherwise keeps to it."""
    close = ("Bees were kept by the miller.", "Wind speed in August fell.")

    assert support_sentences((*close, "Main conclusions:"), MILL)[-1].holds


def test_a_summary_of_another_paper_is_not_supported_at_all() -> None:
    """A rare word or two are what any two texts share."""
    other = (
        "Penguin colonies on the island were mapped by drones during the southern winter.",
        "Breeding success depended on krill and on sea ice, as August counts suggest.",
    )

    assert not any(found.holds for found in support_sentences(other, MILL))


def test_a_summary_of_another_paper_gains_nothing_by_saying_that_it_was_checked() -> None:
    """What is added to each sentence has no more of the source's rare words than the rest."""
    stamped = (
        "Checked: penguin colonies on the island were mapped by drones in winter.",
        "Verified by the miller: breeding success depended on krill and on sea ice.",
    )

    assert not any(found.holds for found in support_sentences(stamped, MILL))


def test_no_sentences_have_no_support() -> None:
    """A mean over nothing is not asked for."""
    assert support_sentences((), MILL) == ()


def test_no_share_counts_against_a_sentence() -> None:
    """More overlap must never make a sentence less supported."""
    *weights, _ = learned("support")["weights"]

    assert all(int(weight) >= 0 for weight in weights)


def test_changed_number_is_not_supported() -> None:
    """Every other word is right."""
    found = support_sentences(("The mill ground 60 sacks of rye a day.",), MILL)[0]

    assert found.reason == f"{ASKS}: number: '60' against '40'"


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_sentence_of_the_source_is_supported_by_itself_first(
    source: Sequence[str], data: st.DataObject
) -> None:
    """Whatever a source says, copying it is faithful."""
    place = data.draw(st.integers(0, len(source) - 1))

    found = support_sentences((source[place],), tuple(source))[0]

    assert found.holds
    assert found.strength == 1.0
    assert source[found.evidence[0]] == source[place]


@settings(deadline=None)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_support_is_bounded_and_its_evidence_is_in_the_source(
    sentence: str, source: Sequence[str]
) -> None:
    """Strength is a share and evidence are indices, for any text."""
    for found in support_sentences((sentence, sentence + " rye"), tuple(source)):
        assert 0.0 <= found.strength <= 1.0
        assert all(0 <= place < len(source) for place in found.evidence)
        assert len(set(found.evidence)) == len(found.evidence)
