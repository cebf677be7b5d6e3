from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.score import EvaScore, FacetScore
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.record.changes import pair_change, worst_first
from summeval_pytest.record.record import Claim, FacetChange, PairChange
from tests.verdict.records import (
    SILENT,
    carried,
    checked,
    eva,
    faithful,
    marks,
    pair,
    rated,
    supported,
    unscored,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.questions import Facet

SAME_FACET = FacetScore(value=1.0, identical=True)
SAME_FACTS = EvaScore(value=1.0, precision=1.0, recall=1.0, recall_entailed=1.0, identical=True)
JUDGED = "so the judge says"


def change(old: Score | Unscored, new: Score | Unscored) -> PairChange:
    """What changed between two summaries of one paper, each with one score."""
    return pair_change(pair("moss-01", old), pair("moss-01", new), baseline="v1.3 (careful)")


def texts(claims: Iterable[Claim]) -> list[str]:
    """What is claimed."""
    return [claim.text for claim in claims]


def test_the_numbers_that_both_have_are_told_with_old_and_new() -> None:
    """Worked example: facet 1 to 0.7, eva 0.5 to 0.75: a loss of 0.3 - 0.25 = 0.05.

    The method at 1 of 4: 0.1 + 0.3 / 4 + 0.3 + 0.3 = 0.775 of 1. So the loss is 0.225 - 0.25.
    """
    found = pair_change(
        pair("moss-01", rated(), eva(0.5), faithful(1)),
        pair("moss-01", rated(marks(method=1)), eva(0.75), system="terse"),
        baseline="v1.3 (careful)",
    )
    assert (found.paper, found.system, found.baseline) == ("moss-01", "terse", "v1.3 (careful)")
    assert [name for name, _, _ in found.numbers] == ["facet", "eva"]
    values = [value for _, *both in found.numbers for value in both]
    assert values == pytest.approx([1.0, 0.775, 0.5, 0.75])
    assert found.loss == pytest.approx(-0.025)


def test_a_facet_that_flipped_is_told_with_what_both_summaries_say_of_it() -> None:
    """The reviewer sees the reference's words, both summaries', and the judge's reason."""
    old = rated(reason="all there", result="Two hours longer.")
    new = rated(marks(result=2), reason="the hours are missing", result="Longer.")
    assert change(old, new).facets == (
        FacetChange(
            facet="result",
            old=4,
            new=2,
            reference="The result of the reference.",
            before="Two hours longer.",
            after="Longer.",
            reason="the hours are missing",
        ),
    )


def test_flipped_facets_stand_by_the_share_of_the_scale_that_they_lost() -> None:
    """Worked example: -2/2, -3/3, -1/2 and +1/3 of the scale; ties in the order of an abstract."""
    old = rated(marks(method=2))
    new = rated(marks(background=1, method=3, result=1, conclusion=2))
    found = [(c.facet, c.old, c.new) for c in change(old, new).facets]
    assert found == [
        ("background", 3, 1),
        ("result", 4, 1),
        ("conclusion", 3, 2),
        ("method", 2, 3),
    ]


def test_a_facet_that_one_reading_of_the_reference_lacks_is_a_change() -> None:
    """A judge that finds another facet in the same text moves FM, and that is told."""
    few: dict[Facet, int] = {"method": 4}
    both: dict[Facet, int] = {"method": 4, "result": 2}
    (lost,) = change(rated(both), rated(few)).facets
    assert (lost.facet, lost.old, lost.new) == ("result", 2, None)
    assert (lost.before, lost.after, lost.reason) == ("A result.", "", JUDGED)
    (found,) = change(rated(few), rated(both)).facets
    assert (found.facet, found.old, found.new) == ("result", None, 2)
    assert (found.before, found.after) == ("", "A result.")


def test_facets_of_equal_rating_are_no_change_whatever_was_said() -> None:
    """Another wording, another reason: nobody has to look at that."""
    found = change(rated(reason="a", result="x"), rated(reason="b", result="y"))
    assert found.facets == ()
    assert not found.is_change


FACTS = {"Mice slept.": True, "Rats ran.": True, "Cats sang.": False, "Dogs sat.": False}


def test_facts_of_the_reference_are_lost_and_regained() -> None:
    """Worked example of the four ways: kept, lost, regained, still missing."""
    now = {"Mice slept.": True, "Rats ran.": False, "Cats sang.": True, "Dogs sat.": False}
    found = change(carried(FACTS), carried(now, reason="no fact\nsays\x1b[31m so"))
    assert found.lost == (Claim(text="Rats ran.", reason=r"no fact says\x1b[31m so"),)
    assert texts(found.regained) == ["Cats sang."]


def test_matching_decides_whether_a_fact_is_carried_as_it_decides_recall() -> None:
    """EVA's recall counts matched facts; the check in the other direction is another number."""
    old = carried({"Mice slept.": False, "Rats ran.": False})
    new = replace(old, matched=frozenset({1}))
    assert texts(change(old, new).regained) == ["Rats ran."]
    assert texts(change(new, old).lost) == ["Rats ran."]


def test_a_lost_fact_that_the_summary_implies_says_that_it_was_not_stated() -> None:
    """The judge's reason says why the fact holds, and would contradict that it is lost.

    A fact that is lost and does not hold keeps the judge's reason, which says why not.
    """
    old = carried({"Mice slept.": True, "Rats ran.": True})
    new = replace(carried({"Mice slept.": True, "Rats ran.": False}), matched=frozenset())
    assert change(old, new).lost == (
        Claim(
            text="Mice slept.",
            reason="it follows from the summary, of which no single fact matches it",
        ),
        Claim(text="Rats ran.", reason=JUDGED),
    )


def test_a_fact_that_is_carried_again_keeps_the_judges_reason() -> None:
    """Also where the check in the other direction says the same, or nothing, or no."""
    old = carried({"Mice slept.": False})
    for holds in (True, False, None):
        score = replace(old, reference=checked({"Mice slept.": holds}, JUDGED))
        found = change(old, replace(score, matched=frozenset({0})))
        assert found.regained == (Claim(text="Mice slept.", reason=JUDGED),)


def test_a_lost_fact_of_which_nobody_knows_whether_it_follows_is_not_called_implied() -> None:
    """No answer is no verdict; its reason is why there is none."""
    old = carried({"Mice slept.": True})
    score = replace(old, reference=checked({"Mice slept.": None}, "cut off"), matched=frozenset())
    assert change(old, score).lost == (Claim(text="Mice slept.", reason="cut off"),)


def test_a_fact_that_only_one_reading_of_the_reference_has_is_neither() -> None:
    """It was read differently, and no summary is to blame for that."""
    found = change(carried({"Mice slept.": True}), carried({"Rats ran.": False, "Owls": True}))
    assert (found.lost, found.regained) == ((), ())


def test_invented_facts_are_those_that_are_new() -> None:
    """One that the baseline's summary had invented already is no news; no answer is no verdict."""
    old = carried({"a": True}, {"Mice slept.": True, "Rats ran.": False})
    said = {"Mice slept.": False, "RATS  ran.": False, "Cats sang.": True, "Dogs sat.": None}
    found = change(old, carried({"a": True}, said))
    assert found.invented == (Claim(text="Mice slept.", reason=JUDGED),)


def test_unsupported_sentences_are_new_or_mended() -> None:
    """What was wrong and still is, is neither; no answer is no verdict."""
    old = supported({"Mice slept.": False, "Rats ran.": False, "Owls sat.": True})
    now = {"Rats ran.": False, "Cats sang.": False, "Dogs sat.": None, "Owls sat.": True}
    found = change(old, supported(now, reason="no\tevidence"))
    assert found.unsupported == (Claim(text="Cats sang.", reason="no evidence"),)
    assert texts(found.mended) == ["Mice slept."]


def test_a_sentence_that_lost_its_support_is_new_and_one_that_found_it_is_mended() -> None:
    """The same words, judged on another paper version: what counts is the verdict."""
    old = supported({"Mice slept.": True, "Rats ran.": False})
    found = change(old, supported({"Mice slept.": False, "Rats ran.": True}))
    assert (texts(found.unsupported), texts(found.mended)) == (["Mice slept."], ["Rats ran."])


def test_white_space_and_case_make_no_change() -> None:
    """A judge copies facts with another break or capital, and that is the same fact."""
    for one, other in (("Mice slept long.", "MICE\n slept  long."), ("STRASSE", "Straße")):
        assert not change(carried({one: True}), carried({other: True})).is_change
        assert not change(supported({one: False}), supported({other: False})).is_change
        invented = carried({"a": True}, {one: False}), carried({"a": True}, {other: False})
        assert not change(*invented).is_change
        assert texts(change(carried({one: True}), carried({other: False})).lost) == [other]


def test_a_summary_that_was_its_reference_had_everything() -> None:
    """Nothing was asked about it, so what it had is read from the other side."""
    now = rated(marks(background=1, result=3), result="Longer.")
    assert [(c.facet, c.old, c.new, c.before) for c in change(SAME_FACET, now).facets] == [
        ("background", 3, 1, "The background of the reference."),
        ("result", 4, 3, "The result of the reference."),
    ]
    found = change(SAME_FACTS, carried(FACTS))
    assert texts(found.lost) == ["Cats sang.", "Dogs sat."]
    assert found.regained == ()


def test_a_summary_that_became_its_reference_has_everything() -> None:
    """The same from the other side."""
    was = rated(marks(background=1, result=3), result="Longer.")
    found = change(was, SAME_FACET).facets
    assert [(c.facet, c.old, c.new, c.reason) for c in found] == [
        ("result", 3, 4, "the summary is its reference"),
        ("background", 1, 3, "the summary is its reference"),
    ]
    regained = change(carried(FACTS), SAME_FACTS)
    assert texts(regained.regained) == ["Cats sang.", "Dogs sat."]
    assert regained.lost == ()


@pytest.mark.parametrize("same", [SAME_FACET, SAME_FACTS])
def test_two_summaries_that_are_the_reference_differ_in_nothing(same: Score) -> None:
    """Neither side has anything to read from."""
    assert not change(same, same).is_change


def test_what_one_side_did_not_measure_is_no_change() -> None:
    """A metric that was refused, left unanswered or not asked for says nothing of a piece."""
    wrong: list[Score] = [
        rated(marks(result=1)),
        carried(dict.fromkeys(FACTS, False), {"Owls sat.": False}),
        supported({"Owls sat.": False}),
    ]
    for score in wrong:
        for status in ("refused_candidate", SILENT):
            lacking = unscored(score.metric, status)
            facets_or_facts = (change(score, lacking), change(lacking, score))
            for found in facets_or_facts:
                assert (found.numbers, found.facets, found.lost, found.regained) == ((), (), (), ())
                assert found.loss == 0
    assert change(faithful(1), eva(0.5)).numbers == ()


flags = st.dictionaries(st.sampled_from("abcdefgh"), st.booleans(), min_size=1)
judged = st.dictionaries(st.sampled_from("abcdefgh"), st.none() | st.booleans())
sentences = judged.filter(lambda s: any(holds is not None for holds in s.values()))
ratings = st.fixed_dictionaries(
    {}, optional={facet: st.integers(1, SCALES[facet]) for facet in FACETS}
).filter(bool)
scores = st.tuples(
    ratings.map(rated) | st.just(SAME_FACET),
    st.builds(carried, flags, judged) | st.just(SAME_FACTS),
    sentences.map(supported),
)


@given(scores, scores)
def test_looked_at_from_the_other_side_every_change_is_reversed(
    old: tuple[Score, ...], new: tuple[Score, ...]
) -> None:
    """Law: lost is regained, unsupported is mended, a drop is a rise, and a loss is a gain."""
    one, other = pair("moss-01", *old), pair("moss-01", *new)
    there = pair_change(one, other, baseline="")
    back = pair_change(other, one, baseline="")
    assert set(texts(there.lost)) == set(texts(back.regained))
    assert set(texts(there.regained)) == set(texts(back.lost))
    assert texts(there.unsupported) == texts(back.mended)
    assert texts(there.mended) == texts(back.unsupported)
    assert there.loss == -back.loss
    assert {(c.facet, c.old, c.new) for c in there.facets} == {
        (c.facet, c.new, c.old) for c in back.facets
    }
    assert there.numbers == tuple((name, was, now) for name, now, was in back.numbers)


@given(scores)
def test_a_summary_against_itself_has_no_change(old: tuple[Score, ...]) -> None:
    """Law: and so it is not listed."""
    one = pair("moss-01", *old)
    found = pair_change(one, one, baseline="")
    assert not found.is_change
    assert found.loss == 0
    assert worst_first([found]) == ()


def test_papers_stand_by_how_much_worse_they_became() -> None:
    """The reviewer reads from the top and stops; ties stand by paper, what is equal is left out."""
    judged = {"moss-04": 0.5, "moss-03": 0.25, "moss-02": 0.0, "moss-01": 0.25, "moss-05": 0.75}
    changes = [
        pair_change(pair(paper, faithful(0.5)), pair(paper, faithful(now)), baseline="")
        for paper, now in judged.items()
    ]
    assert [found.paper for found in worst_first(changes)] == [
        "moss-02",
        "moss-01",
        "moss-03",
        "moss-05",
    ]


def test_a_paper_whose_numbers_are_equal_and_whose_pieces_are_not_is_listed() -> None:
    """One fact lost and another regained: the same recall, and not the same summary."""
    old, new = carried({"a": True, "b": False}), carried({"a": False, "b": True})
    assert len(worst_first([change(old, new)])) == 1
