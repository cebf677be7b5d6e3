from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.analysis.annotators import (
    AnnotatorAgreement,
    EvidenceAgreement,
    KindAgreement,
    OverallAgreement,
    annotator_agreement,
)
from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Facet

Labels = dict[tuple[str, str], Label]


def labels(*found: Label) -> Labels:
    """Labels by their pairs."""
    return {(label.paper, label.system): label for label in found}


def rated(paper: str, facets: Mapping[Facet, int | None], overall: float | None = None) -> Label:
    """A pair with facet ratings."""
    return Label(
        paper=paper,
        system="s",
        facets=MappingProxyType(dict(facets)),
        overall=overall,
        place=Place("l"),
    )


def checked(paper: str, *sentences: SentenceLabel, facts: FactLabels | None = None) -> Label:
    """A pair with sentences and facts."""
    return Label(paper=paper, system="s", sentences=sentences, facts=facts, place=Place("l"))


def sentence(index: int, faithful: bool, *evidence: int) -> SentenceLabel:
    """A sentence with evidence."""
    return SentenceLabel(
        index=index,
        faithful=faithful,
        evidence=tuple(EvidenceLabel(index=each) for each in evidence),
    )


def kind(found: AnnotatorAgreement, name: str) -> KindAgreement:
    """The figures of one kind."""
    (agreement,) = [each for each in found.kinds if each.kind == name]
    return agreement


def test_ratings_of_a_facet_are_compared_where_both_give_one() -> None:
    """Worked example of six papers.

    a: 4 4 2 1, b: 4 3 2 2, of n = 4: exact 2/4. Plain: p_o = .5; p_e = (1*0 + 1*2 + 0*1 + 2*1)/16
    = .25; kappa = (.5 - .25) / .75 = 1/3. Quadratic: observed 0 + 1 + 0 + 1 = 2; expected
    sum over all 16 (a, b): a = 4 twice: 0+1+4+4 = 9 each; a = 2: 4+1+0+0 = 5; a = 1: 9+4+1+1 = 15;
    (9 + 9 + 5 + 15)/4 = 9.5; kappa = 1 - 2/9.5 = 15/19.
    """
    a = labels(
        rated("p1", {"result": 4}),
        rated("p2", {"result": 4}),
        rated("p3", {"result": 2}),
        rated("p4", {"result": 1}),
        rated("p5", {"result": None}),
        rated("p6", {"result": None, "method": 1}),
    )
    b = labels(
        rated("p1", {"result": 4}),
        rated("p2", {"result": 3}),
        rated("p3", {"result": 2}),
        rated("p4", {"result": 2}),
        rated("p5", {"result": 3}),
        rated("p6", {"result": None}),
    )
    found = kind(annotator_agreement(a, b), "result")
    assert (found.n_items, found.n_absent, found.n_only) == (4, 1, (0, 0))
    assert found.exact == 0.5
    assert found.kappa == pytest.approx(1 / 3)
    assert found.quadratic == pytest.approx(15 / 19)
    assert kind(annotator_agreement(a, b), "method").n_only == (1, 0)


def test_sentences_and_evidence_are_compared_where_both_say_something() -> None:
    """Worked example: sentences yes/yes, yes/no, no/no and one that only b has.

    exact 2/3; p_e = (2/3)(1/3) + (1/3)(2/3) = 4/9, kappa = (2/3 - 4/9)/(5/9) = .4.
    Evidence where both name some, in two sentences: {1, 2} and {2, 3}, {5} and {5}: both 2, named
    4 + 2, F1 = 2 * 2 / 6.
    """
    a = labels(checked("p", sentence(0, True, 1, 2), sentence(1, True, 5), sentence(2, False, 7)))
    b = labels(
        checked(
            "p",
            sentence(0, True, 2, 3),
            sentence(1, False, 5),
            sentence(2, False),
            sentence(3, True, 1),
        )
    )
    found = annotator_agreement(a, b)
    sentences = kind(found, "sentence")
    assert (sentences.n_items, sentences.n_only, sentences.quadratic) == (3, (0, 1), None)
    assert sentences.exact == pytest.approx(2 / 3)
    assert sentences.kappa == pytest.approx(0.4)
    assert found.evidence.n_sentences == 2
    assert found.evidence.f1 == pytest.approx(4 / 6)


def test_facts_are_compared_by_side_and_text() -> None:
    """The same words on the other side are another question."""
    facts = FactLabels(reference=(FactLabel(text="x", holds=True),))
    other = FactLabels(
        reference=(FactLabel(text="x", holds=True), FactLabel(text="y", holds=True)),
        candidate=(FactLabel(text="x", holds=False),),
    )
    found = annotator_agreement(
        labels(checked("p", facts=facts)), labels(checked("p", facts=other))
    )
    assert [(each.kind, each.n_items, each.n_only, each.exact) for each in found.kinds] == [
        ("reference fact", 1, (0, 1), 1.0),
        ("candidate fact", 0, (0, 1), None),
    ]


def test_pairs_and_overall_scores_are_counted() -> None:
    """Worked example: |.5 - .25| and |1 - 1| differ by .125 on average; one pair is only a's."""
    a = labels(rated("p1", {}, 0.5), rated("p2", {}, 1), rated("p3", {}, 0))
    b = labels(rated("p1", {}, 0.25), rated("p2", {}, 1))
    found = annotator_agreement(a, b)
    assert found.n_pairs == (3, 2, 2)
    assert found.overall == OverallAgreement(n_pairs=2, difference=0.125, n_only=(1, 0))
    assert found.kinds == ()


def test_nothing_in_common_is_no_figure() -> None:
    """Neither 0 nor 1 would be true."""
    found = annotator_agreement(
        labels(rated("p1", {"result": 4})), labels(rated("p2", {"result": 4}))
    )
    (result,) = found.kinds
    assert (result.exact, result.kappa, result.quadratic) == (None, None, None)
    assert (result.n_items, result.n_only) == (0, (1, 1))
    assert found.evidence == EvidenceAgreement(n_sentences=0, f1=None)
    assert found.overall == OverallAgreement(n_pairs=0, difference=None)


RATINGS = st.fixed_dictionaries(
    {}, optional={facet: st.none() | st.integers(1, SCALES[facet]) for facet in FACETS}
)
BOOKS = st.dictionaries(st.sampled_from(["p1", "p2", "p3", "p4"]), RATINGS, max_size=4).map(
    lambda by_paper: labels(*(rated(paper, facets) for paper, facets in by_paper.items()))
)


@given(BOOKS, BOOKS)
def test_swapping_the_annotators_swaps_only_what_one_of_them_has(a: Labels, b: Labels) -> None:
    """Nobody of two is the truth."""
    there, back = annotator_agreement(a, b), annotator_agreement(b, a)
    for one, other in zip(there.kinds, back.kinds, strict=True):
        assert (one.kind, one.n_items, one.n_absent) == (other.kind, other.n_items, other.n_absent)
        assert (one.exact, one.kappa, one.quadratic) == (other.exact, other.kappa, other.quadratic)
        assert one.n_only == other.n_only[::-1]


@given(BOOKS)
def test_annotator_agrees_with_themselves(a: Labels) -> None:
    """Identity is the most there is."""
    for each in annotator_agreement(a, a).kinds:
        assert each.exact in {1.0, None}
        assert each.kappa in {1.0, None}
        assert (each.n_absent, each.n_only) == (0, (0, 0))
