from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.questions import FACETS
from summeval_pytest.study import tables
from summeval_pytest.study.agreement.columns import RoleAnswer
from summeval_pytest.study.agreement.item_agreement import (
    AUC,
    ITEM_KINDS,
    RATING_FIGURES,
    VERDICT_FIGURES,
    alphas_of,
    classes_of,
    iccs_of,
    item_agreements,
    role_agreement,
)
from summeval_pytest.study.tables import Estimate
from tests.verdict.golden_answers import answered, filled, golden, pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.questions import Facet
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.study.tables import Row

NOTHING = Estimate(None, None, None)


def few(labelled: Sequence[GoldenPair]) -> dict[str, Row]:
    """The figures with intervals from 15 resamples, for laws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "RESAMPLES", 15)
        return item_agreements(labelled)


def test_wrong_sentences_are_found_or_overlooked_as_a_hand_counts() -> None:
    """Worked example: of 4 wrong sentences 3 are called so, and 1 of 6 good ones, too.

    Exact 8/10; called 4/10 and labelled 4/10; chance .4 * .4 + .6 * .6 = .52, kappa .28 / .48.
    """
    table = ((3, 1), (1, 5))
    found = item_agreements([golden(*filled("sentence", table, 0))])["sentence"]
    assert found["items"] == 10
    values = {name: estimate.value for name, estimate in found.items() if name != "items"}
    assert values == pytest.approx(
        {
            "exact": 0.8,
            "kappa": 0.28 / 0.48,
            "balanced accuracy": (3 / 4 + 5 / 6) / 2,
            "recall of wrong": 0.75,
            "called wrong": 0.4,
            "labelled wrong": 0.4,
            AUC: None,
        }
    )


def test_facts_of_both_sides_are_counted_together() -> None:
    """A fact that does not hold is found whichever text it stands in."""
    facts = golden(
        answered("reference fact", 0, 0),
        answered("candidate fact", 0, 1),
        answered("sentence", 1, 1),
    )
    found = item_agreements([facts])
    assert found["fact"]["items"] == 2
    assert found["fact"]["recall of wrong"].value == 0.5
    assert found["sentence"]["items"] == 1


def test_an_interval_resamples_papers_and_only_those_with_items() -> None:
    """Worked example: all right on one paper and none on the other make 0, 1/2 and 1."""
    right, wrong = (
        golden(*(answered("method", 2, j) for _ in range(3)), paper=paper)
        for paper, j in (("kiln", 2), ("moss", 3))
    )
    others = [golden(answered("result", 2, 2), paper=f"fern-{n}") for n in range(9)]
    assert item_agreements([right, wrong, *others])["method"]["exact"] == Estimate(0.5, 0.0, 1.0)
    one_group = [replace(pair, group="one text") for pair in (right, wrong)]
    assert item_agreements(one_group)["method"]["exact"] == Estimate(0.5, 0.5, 0.5)


def test_what_nobody_labelled_is_undefined() -> None:
    """Every kind is there, and 0 items say why it has no figure."""
    found = item_agreements([])
    assert tuple(found) == ITEM_KINDS
    for kind, each in found.items():
        assert each["items"] == 0
        wanted = RATING_FIGURES if kind in FACETS else {*VERDICT_FIGURES, AUC}
        assert set(each) == {"items", *wanted}
        assert {value for name, value in each.items() if name != "items"} == {NOTHING}


@pytest.mark.parametrize(("facet", "highest"), [("background", 3), ("method", 4)])
def test_each_facet_has_its_own_scale(facet: Facet, highest: int) -> None:
    """The highest rating is a category: a judge that knows both ends agrees fully."""
    found = item_agreements([golden(answered(facet, 1, 1), answered(facet, highest, highest))])
    assert {found[facet][name].value for name in RATING_FIGURES} == {1.0}


@settings(deadline=None, max_examples=15)
@given(labelled=pairs(), data=st.data())
def test_the_order_of_pairs_and_of_items_does_not_matter(
    labelled: list[GoldenPair], data: st.DataObject
) -> None:
    """Law: a file sorted another way holds the same labels, and every figure stays in its range."""
    moved = [
        replace(pair, answers=tuple(data.draw(st.permutations(pair.answers))))
        for pair in data.draw(st.permutations(labelled))
    ]
    one, other = few(labelled), few(moved)
    assert one == other
    for each in one.values():
        for name in each.keys() - {"items"}:
            for value in each[name]:
                assert value is None or value <= 1 + 1e-9
                assert value is None or value >= 0 or name in {"kappa", *RATING_FIGURES}


def test_support_tells_wrong_items_from_right_ones() -> None:
    """Worked example: supported .9 and .4, not .6 and .4: 1 + 1 + 0 + 1/2 of 4 pairs in order.

    The verdicts (all *yes*) tell nothing; what the judge did not answer is left out.
    """
    sentences = [
        answered("sentence", label, 1, support=support)
        for label, support in ((1, 0.9), (1, 0.4), (0, 0.6), (0, 0.4))
    ]
    found = item_agreements([golden(*sentences, answered("sentence", 0, None))])
    assert found["sentence"][AUC] == Estimate(0.625, 0.625, 0.625)
    assert found["fact"][AUC] == NOTHING


def test_support_of_some_items_is_no_sample_of_all() -> None:
    """A judge without strengths of belief has them where a rule found a sentence in the source."""
    found = item_agreements(
        [golden(answered("sentence", 1, 1, support=1.0), answered("sentence", 0, 0))]
    )
    assert found["sentence"][AUC] == NOTHING


def role(right: str, answer: Facet | None) -> RoleAnswer:
    """One sentence; what is right by the facets' first letters."""
    return RoleAnswer(right=tuple(f for f in FACETS if f[0] in right), answer=answer)


def roles(*answers: RoleAnswer) -> list[tuple[str, RoleAnswer]]:
    """The sentences of one paper."""
    return [("moss", answer) for answer in answers]


def test_roles_agree_as_a_hand_counts() -> None:
    """Worked example: of three methods two are found, one as a result; one result stands nowhere.

    Method: P 2/2, R 2/3, F1 4/5. Result: the judge has 1, labelled 1, both 0: all 0. Background:
    all 1. Macro (1 + .8 + 0) / 3 = .6, accuracy 3/5.
    """
    methods = [role("m", "method"), role("m", "method"), role("m", "result")]
    found = role_agreement(roles(*methods, role("r", None), role("b", "background")))
    assert (found["items"], found["n_nowhere"]) == (5, 1)
    message = {
        name: (each["items"], *(each[of].value for of in ("precision", "recall", "F1")))
        for name, each in found["classes"].items()
    }
    assert message == {
        "background": (1, 1, 1, 1),
        "method": (3, 1, pytest.approx(2 / 3), pytest.approx(0.8)),
        "result": (1, 0, 0, 0),
    }
    assert (found["macro F1"].value, found["accuracy"].value) == pytest.approx((0.6, 0.6))


def test_facets_that_are_right_together_are_one_class() -> None:
    """Labels without conclusions punish no judge for naming one; elsewhere it is a miss.

    Whoever merges two facets on one sentence cannot tell them apart on another.
    """
    merged = [role("rc", "conclusion"), role("rc", "result"), role("rc", "method")]
    found = role_agreement(roles(*merged, role("m", None)))
    assert list(found["classes"]) == ["method", "result or conclusion"]
    recall = found["classes"]["result or conclusion"]["recall"]
    assert (recall.value, found["accuracy"].value) == pytest.approx((2 / 3, 0.5))
    bare = role_agreement(roles(role("m", "conclusion"), role("m", "method")))["classes"]["method"]
    assert (bare["recall"].value, bare["precision"].value) == (0.5, 1.0)
    answers = [role(right, None) for right in ("r", "b", "c", "rc", "mr")]
    assert classes_of(answers) == (("background",), ("method", "result", "conclusion"))


def test_without_labelled_roles_there_is_no_agreement() -> None:
    """Neither 0 nor 1 would be true."""
    nothing = role_agreement([])
    assert (nothing["items"], nothing["classes"]) == (0, {})
    assert nothing["macro F1"] == nothing["accuracy"] == NOTHING


def test_alpha_and_icc_of_four_pairs_as_a_hand_computes() -> None:
    """Worked examples: 1 and 1, 2 and 2, 3 and 3, 1 and 3.

    Alpha: of 8 ratings 3, 2, 3 are 1, 2, 3; their middles are 1.5, 4, 6.5, so distances are 6.25,
    25, 6.25. Observed 2 * 25 * (8 - 1) = 350, expected 2 * (6 * 6.25 + 9 * 25 + 6 * 6.25) = 600.
    ICC: squares 6 in all, 4 of targets, 1/2 of raters, 3/2 left; MS 4/3, 1/2, 1/2:
    (4/3 - 1/2) / (4/3 + 1/2 + 0). Turned round they are the same; of equal ratings undefined.
    """
    table = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]])
    for each in (table, table.T):
        assert float(alphas_of(each)) == pytest.approx(1 - 350 / 600)
        assert float(iccs_of(each, categories=(1, 2, 3))) == pytest.approx((5 / 6) / (11 / 6))
    alike = np.array([[3, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert np.isnan([alphas_of(alike), iccs_of(alike, categories=(1, 2, 3))]).all()
