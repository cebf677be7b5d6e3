from __future__ import annotations

from summeval_pytest.analysis.columns import Labelled, RecordedNumbers
from summeval_pytest.analysis.proportions import facet_means, facet_proportions_of
from summeval_pytest.questions import FACETS
from tests.analysis.study.studied import JUDGE, pair


def test_proportions_are_shares_of_all_words_together() -> None:
    """Worked example: 10 of 20 words and 0 of 80 are .1 of all, and not .25."""
    texts = [
        pair("a", "good", words={"GPT": {"background": 10, "method": 10}}).text,
        pair("b", "good", words={"GPT": {"background": 0, "method": 80}}).text,
        pair("c", "good").text,
    ]
    (found,) = facet_proportions_of({"good": texts}, 3)
    assert (found.by, found.system) == ("GPT", "good")
    assert found.shares["background"].value == 0.1
    assert found.shares["method"].value == 0.9
    assert found.shares["result"].value == 0.0
    assert (found.shares["method"].n, found.shares["method"].n_of) == (2, 3)


def test_segments_are_counted_by_how_their_texts_hold_them() -> None:
    """Two texts with a segment each; a reviewed cut has none to count."""
    texts = [
        pair("a", "good", words={"GPT": {"method": 5}}, held=("whole", "parts")).text,
        pair("b", "good", words={"GPT": {"method": 5}}, held=("whole",)).text,
        pair("c", "good", words={"GPT": {"method": 5}}).text,
    ]
    (found,) = facet_proportions_of({"good": texts}, 3)
    assert found.held == {"whole": 2, "parts": 1, "absent": 0}


def test_a_writer_whose_texts_nobody_has_cut_is_said_to_have_none() -> None:
    """It must not vanish beside the others."""
    cut = pair("a", "good", words={"GPT": {"method": 5}}).text
    found = facet_proportions_of({"good": [cut], "bad": [pair("a", "bad").text]}, 1)
    assert [(each.system, each.shares["method"].value) for each in found] == [
        ("good", 1.0),
        ("bad", None),
    ]


def test_ratings_of_people_judges_and_records_are_shares_of_their_scales() -> None:
    """Worked example: 3 of 4 by the judge; a facet that the reference lacks counts for no paper."""
    one = pair(
        "a",
        "good",
        scores={JUDGE: {"facet.method": 3.0}},
        label=Labelled(facets={"method": 0.5}),
        recorded={"GPT": RecordedNumbers(facets={"method": 0.25}), "x": RecordedNumbers(overall=1)},
    )
    found = facet_means({"good": [one]}, [JUDGE], 2)
    assert [(each.giver, each.by, each.means["method"].value) for each in found] == [
        ("judge", JUDGE, 0.75),
        ("label", "", 0.5),
        ("record", "GPT", 0.25),
    ]
    assert all(each.means["result"].n == 0 for each in found)
    assert set(found[0].means) == set(FACETS)
