from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.study.agreement.columns import RoleAnswer
from summeval_pytest.study.agreement.item_agreement import (
    AUC,
    STOPPED,
    alphas_of,
    annotator_agreement,
    annotator_lines,
    annotators_in_short,
    classes_of,
    iccs_of,
    item_agreements,
    role_agreement,
)
from summeval_pytest.study.tables import Estimate, Row
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel
from tests.verdict.golden_answers import answered, filled, golden

NOTHING = Estimate(None, None, None)


def test_wrong_sentences_are_found_or_overlooked_as_a_hand_counts() -> None:
    """Worked example: of 4 wrong sentences 3 are called so, and 1 of 6 good ones, too.

    Exact 8/10; called 4/10 and labelled 4/10; chance .4 * .4 + .6 * .6 = .52, kappa .28 / .48.
    Facts of both sides are counted together.
    """
    facts = (answered("reference fact", 0, 0), answered("candidate fact", 0, 1))
    found = item_agreements([golden(*filled("sentence", ((3, 1), (1, 5)), 0), *facts)])
    assert {name: each.value for name, each in found["sentence"].items() if name != "items"} == (
        pytest.approx(
            {
                "exact": 0.8,
                "exact, always pass": 0.6,
                "kappa": 0.28 / 0.48,
                "balanced accuracy": (3 / 4 + 5 / 6) / 2,
                "recall of wrong": 0.75,
                "called wrong": 0.4,
                "labelled wrong": 0.4,
                AUC: None,
                "bad summaries stopped": 1.0,
                "good summaries stopped": None,
            }
        )
    )
    assert (found["sentence"]["items"], found["fact"]["items"]) == (10, 2)
    assert found["fact"]["recall of wrong"].value == 0.5


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


def test_summaries_are_stopped_whole() -> None:
    """Worked example: the judge stops one of two bad summaries, and one of three good ones."""
    bad, unseen = (
        golden(answered("sentence", 0, 0)),
        golden(*filled("sentence", ((0, 1), (0, 2)), 0)),
    )
    good, stopped = golden(answered("sentence", 1, 1)), golden(answered("sentence", 1, 0))
    found = item_agreements([bad, unseen, good, good, stopped])["sentence"]
    values = [found[name].value for name in STOPPED]
    assert values == [0.5, pytest.approx(1 / 3)]


def test_support_tells_wrong_items_from_right_ones() -> None:
    """Worked example: supported .9 and .4, not .6 and .4: 1 + 1 + 0 + 1/2 of 4 pairs in order.

    The verdicts (all *yes*) tell nothing; what the judge did not answer is left out. A judge
    without strengths of belief has them where a rule found a sentence in the source: no sample.
    """
    sentences = [
        answered("sentence", label, 1, support=support)
        for label, support in ((1, 0.9), (1, 0.4), (0, 0.6), (0, 0.4))
    ]
    found = item_agreements([golden(*sentences, answered("sentence", 0, None))])
    assert found["sentence"][AUC] == Estimate(0.625, 0.625, 0.625)
    assert found["fact"][AUC] == NOTHING
    some = golden(answered("sentence", 1, 1, support=1.0), answered("sentence", 0, 0))
    assert item_agreements([some])["sentence"][AUC] == NOTHING


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
    nothing = role_agreement([])  # neither 0 nor 1 would be true
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


Labels = dict[tuple[str, str], Label]


def labels(*found: Label) -> Labels:
    """Labels by their pairs."""
    return {(label.paper, label.system): label for label in found}


def rated(paper: str, facets: Mapping[Facet, int | None], overall: float | None = None) -> Label:
    """A pair with facet ratings."""
    place = Place("l")
    return Label(paper=paper, system="s", facets=dict(facets), overall=overall, place=place)


def checked(paper: str, *sentences: SentenceLabel, facts: FactLabels | None = None) -> Label:
    """A pair with sentences and facts."""
    return Label(paper=paper, system="s", sentences=sentences, facts=facts, place=Place("l"))


def sentence(index: int, faithful: bool, *evidence: int) -> SentenceLabel:
    """A sentence with evidence."""
    named = tuple(EvidenceLabel(index=each) for each in evidence)
    return SentenceLabel(index=index, faithful=faithful, evidence=named)


def only(found: Row) -> tuple[int, int]:
    """How many only the first, and only the second has labelled."""
    return found["only 1st"], found["only 2nd"]


def test_ratings_of_a_facet_are_compared_where_both_give_one() -> None:
    """Worked example of six papers.

    a: 4 4 2 1, b: 4 3 2 2, of n = 4: exact 2/4. Plain: p_o = .5; p_e = (1*0 + 1*2 + 0*1 + 2*1)/16
    = .25; kappa = (.5 - .25) / .75 = 1/3. Quadratic: observed 0 + 1 + 0 + 1 = 2; expected
    sum over all 16 (a, b): a = 4 twice: 0+1+4+4 = 9 each; a = 2: 4+1+0+0 = 5; a = 1: 9+4+1+1 = 15;
    (9 + 9 + 5 + 15)/4 = 9.5; kappa = 1 - 2/9.5 = 15/19.
    """
    a, b = (
        labels(*(rated(f"p{n}", {"result": rating}) for n, rating in enumerate(ratings)))
        for ratings in ((4, 4, 2, 1, None, None), (4, 3, 2, 2, 3, None))
    )
    a |= labels(rated("p5", {"result": None, "method": 1}))
    agreement = annotator_agreement(a, b)
    found = agreement["items"]["result"]
    assert (found["items"], agreement["absent_to_one"], only(found)) == (4, 1, (0, 0))
    assert found["exact"].value == 0.5
    assert found["kappa"].value == pytest.approx(1 / 3)
    assert found["quadratic kappa"].value == pytest.approx(15 / 19)
    assert only(agreement["items"]["method"]) == (1, 0)


def test_sentences_facts_and_evidence_are_compared_where_both_say_something() -> None:
    """Worked example: sentences yes/yes, yes/no, no/no and one that only b has.

    exact 2/3; p_e = (2/3)(1/3) + (1/3)(2/3) = 4/9, kappa = (2/3 - 4/9)/(5/9) = .4.
    Evidence where both name some, in two sentences: {1, 2} and {2, 3}, {5} and {5}: both 2, named
    4 + 2, F1 = 2 * 2 / 6. The same words on the other side are another fact.
    """
    x, y = FactLabel(text="x", holds=True), FactLabel(text="y", holds=True)
    wrong = FactLabel(text="x", holds=False)
    of_a = sentence(0, True, 1, 2), sentence(1, True, 5), sentence(2, False, 7)
    of_b = sentence(0, True, 2, 3), sentence(1, False, 5), sentence(2, False), sentence(3, True, 1)
    a = labels(checked("p", *of_a, facts=FactLabels(reference=(x,))))
    b = labels(checked("p", *of_b, facts=FactLabels(reference=(x, y), candidate=(wrong,))))
    found = annotator_agreement(a, b)
    sentences, facts = found["items"]["sentence"], found["items"]["fact"]
    assert (sentences["items"], only(sentences)) == (3, (0, 1))
    assert (sentences["exact"].value, sentences["kappa"].value) == pytest.approx((2 / 3, 0.4))
    assert set(sentences) == {"items", "exact", "kappa", "only 1st", "only 2nd"}
    assert found["evidence"] == {"sentences": 2, "f1": pytest.approx(4 / 6)}
    assert (facts["items"], only(facts), facts["exact"].value) == (1, (0, 2), 1.0)


def test_every_figure_of_two_annotators_stands_beside_what_it_stands_on(
    snapshot: SnapshotAssertion,
) -> None:
    """A kappa of two items is another thing than one of a thousand."""
    a = labels(
        rated("p1", {"result": 4, "method": None}, 0.5),
        rated("p2", {"result": 4}),
        checked("p3", sentence(0, True, 1, 2)),
    )
    b = labels(
        rated("p1", {"result": 4, "method": 2}, 0.25),
        rated("p2", {"result": 3}),
        checked("p3", sentence(0, True, 2)),
    )
    found = annotator_agreement(a, b)
    assert list(annotator_lines(found, "a.jsonl", "b\x1b.jsonl")) == snapshot
    assert annotators_in_short(found) == (
        "result 0.500 exact, kappa - (n 2); sentence 1.000 exact, kappa - (n 1)"
    )
    assert annotators_in_short(annotator_agreement({}, {})) == "no item that both have labelled"
