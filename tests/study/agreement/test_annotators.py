from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.study.agreement.item_agreement import (
    annotator_agreement,
    annotator_lines,
    annotators_in_short,
)
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syrupy.assertion import SnapshotAssertion

    from summeval_pytest.questions import Facet
    from summeval_pytest.study.tables import Row

Labels = dict[tuple[str, str], Label]


def labels(*found: Label) -> Labels:
    """Labels by their pairs."""
    return {(label.paper, label.system): label for label in found}


def rated(paper: str, facets: Mapping[Facet, int | None], overall: float | None = None) -> Label:
    """A pair with facet ratings."""
    return Label(
        paper=paper,
        system="s",
        facets=dict(facets),
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
    sentences = found["items"]["sentence"]
    assert (sentences["items"], only(sentences)) == (3, (0, 1))
    assert sentences["exact"].value == pytest.approx(2 / 3)
    assert sentences["kappa"].value == pytest.approx(0.4)
    assert set(sentences) == {"items", "exact", "kappa", "only 1st", "only 2nd"}
    assert found["evidence"]["sentences"] == 2
    assert found["evidence"]["f1"] == pytest.approx(4 / 6)


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
    facts_ = found["items"]["fact"]
    assert (facts_["items"], only(facts_), facts_["exact"].value) == (1, (0, 2), 1.0)


RATINGS = st.fixed_dictionaries(
    {}, optional={facet: st.none() | st.integers(1, SCALES[facet]) for facet in FACETS}
)
BOOKS = st.dictionaries(st.sampled_from(["p1", "p2", "p3", "p4"]), RATINGS, max_size=4).map(
    lambda by_paper: labels(*(rated(paper, facets) for paper, facets in by_paper.items()))
)


@pytest.mark.usefixtures("few_resamples")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BOOKS, BOOKS)
def test_swapping_the_annotators_swaps_only_what_one_of_them_has(a: Labels, b: Labels) -> None:
    """Nobody of two is the truth; and who is compared with themselves agrees."""
    there, back = annotator_agreement(a, b)["items"], annotator_agreement(b, a)["items"]
    for kind, each in back.items():
        assert only(there[kind]) == only(each)[::-1]
        for name in each.keys() - {"only 1st", "only 2nd"}:
            assert there[kind][name] == pytest.approx(each[name], abs=1e-9)
    alike = annotator_agreement(a, a)
    assert alike["absent_to_one"] == 0
    for each in alike["items"].values():
        assert {each["exact"].value, each["kappa"].value} <= {1.0, None}
        assert only(each) == (0, 0)


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
        "result 0.500 exact, kappa 0.000 (n 2); sentence 1.000 exact, kappa - (n 1)"
    )
    assert annotators_in_short(annotator_agreement({}, {})) == "no item that both have labelled"
