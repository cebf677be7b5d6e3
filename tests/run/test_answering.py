from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.score import (
    CheckedFact,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.questions import FACETS, Fact
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer, golden_pair, places_of
from summeval_pytest.run.measure import Evaluation, StatedFacts
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel
from summeval_pytest.suite.values import Pair, Paper, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.questions import Facet

HERE = Place("golden/labels.jsonl", 7)
SOURCE = ("Zinc was given to mice.", "Growth rose by 24 %.", "No harm was seen.")
SUMMARY = "Zinc was given. Growth fell. Ok. It did no harm."
"""Its third sentence is too short to be one, and is not judged."""
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")
REFUSED = Unscored(metric="facet", status="refused_candidate", reason="the system refused")


def label(
    *,
    facets: Mapping[Facet, int | None] | None = None,
    overall: float | None = None,
    sentences: tuple[SentenceLabel, ...] | None = None,
    facts: FactLabels | None = None,
) -> Label:
    """What people found in the pair."""
    return Label(
        paper="zinc",
        system="careful",
        facets=facets,
        overall=overall,
        sentences=sentences,
        facts=facts,
        place=HERE,
    )


def evaluation(
    *scores: Score | Unscored,
    stated: StatedFacts | Unscored | None = None,
    reference: str = "Zinc helps.",
) -> Evaluation:
    """What the judge found in it."""
    paper = Paper(
        id="zinc",
        source=(Section(text=" ".join(SOURCE)),),
        references=(reference, "Another reference."),
        place=HERE,
    )
    pair = Pair(paper=paper, system="careful", summary=SUMMARY, place=HERE)
    return Evaluation(pair=pair, scores=scores, signatures=(), source=SOURCE, stated=stated)


def answers(found: Label, of: Evaluation) -> tuple[GoldenAnswer, ...]:
    """The answers of the pair."""
    return golden_pair(found, of).answers


def rated(value: float = 0.5, **ratings: int) -> FacetScore:
    """FM with these ratings."""
    return FacetScore(
        value=value,
        ratings=tuple(
            RatedFacet(
                facet=facet,
                rating=ratings[facet],
                reason=f"the {facet} is so",
                reference=f"their {facet}",
                candidate=f"our {facet}",
            )
            for facet in FACETS
            if facet in ratings
        ),
    )


def judged(**supported: bool | None) -> FaithfulnessScore:
    """Sentences by their numbers, ``s0`` and so on."""
    return FaithfulnessScore(
        value=0.5,
        sentences=tuple(
            JudgedSentence(
                index=int(name[1:]),
                text="as the judge saw it",
                supported=holds,
                reason=f"{name} is so",
                evidence=(1, 2),
            )
            for name, holds in supported.items()
        ),
    )


def checked(text: str, holds: bool | None) -> CheckedFact:
    """A fact with its check."""
    return CheckedFact(
        fact=Fact(text=text, sentence=0), holds=holds, reason="so it is", evidence=("A.", "B.")
    )


# Whose


def test_papers_with_one_reference_have_one_group() -> None:
    """They are resampled as one; special tokens and spaces make no other text of it."""

    def group(reference: str) -> str:
        return golden_pair(label(overall=1), evaluation(rated(result=1), reference=reference)).group

    assert group("Zinc helps.") == group("<s> Zinc  helps. </s>") != group("Zinc harms.")


# Ratings


def test_a_rating_stands_beside_the_label_with_both_texts() -> None:
    """Where they differ, the reader is shown what the judge saw; in reading order."""
    found = answers(
        label(facets={"conclusion": 3, "result": 4}),
        evaluation(rated(result=2, conclusion=3)),
    )
    assert found == (
        GoldenAnswer(
            kind="result",
            label=4,
            answer=2,
            text="our result",
            against="their result",
            reason="the result is so",
        ),
        GoldenAnswer(kind="conclusion", label=3, answer=3),
    )


@pytest.mark.parametrize(
    ("facets", "score"),
    [
        ({"method": None, "result": 3}, rated(method=1, result=3)),
        ({"result": 3}, rated(method=1, result=3)),
        ({"method": 2, "result": 3}, rated(result=3)),
    ],
    ids=["not in the reference for people", "not labelled", "not in the reference for the judge"],
)
def test_only_facets_that_both_rated_are_compared(
    facets: Mapping[Facet, int | None], score: FacetScore
) -> None:
    """A facet that one side does not find in the reference has no rating to agree with."""
    assert answers(label(facets=facets), evaluation(score)) == (
        GoldenAnswer(kind="result", label=3, answer=3),
    )


def test_labels_of_all_facets_make_an_overall_score() -> None:
    """Worked example: FM of 3/3, 2/4 and 1/3 where the reference has no method.

    (.1 * 1 + .3 * .5 + .3 * 1/3) / .7 = .35 / .7 = .5
    """
    facets: dict[Facet, int | None] = {
        "background": 3,
        "method": None,
        "result": 2,
        "conclusion": 1,
    }
    *_, overall = answers(label(facets=facets), evaluation(rated(value=0.25, result=2)))
    assert overall == GoldenAnswer(kind="overall", label=0.5, answer=0.25)
    *_, given_one = answers(
        label(facets=facets, overall=0.9), evaluation(rated(value=0.25, result=2))
    )
    assert given_one.label == 0.9


def test_ratings_that_the_judge_leaves_out_are_unanswered() -> None:
    """Each labelled facet and the overall score, with the judge's reason: none is dropped."""
    facets: dict[Facet, int | None] = {"background": None, "method": 1, "result": 2}
    found = answers(label(facets=facets, overall=0.5), evaluation(SILENT))
    assert [(a.kind, a.label) for a in found] == [("method", 1), ("result", 2), ("overall", 0.5)]
    assert {(a.answer, a.reason) for a in found} == {(None, "the reply was cut off")}


def test_a_summary_that_is_none_has_no_ratings_to_compare() -> None:
    """The system is at fault, and the judge was never asked."""
    facets: dict[Facet, int | None] = {"method": 1, "result": 1}
    assert answers(label(facets=facets, overall=0), evaluation(REFUSED)) == ()


# Sentences


def test_a_sentence_stands_beside_its_label() -> None:
    """1 where it is faithful; where they differ, the sentence and the labelled evidence."""
    found = answers(
        label(
            sentences=(
                SentenceLabel(index=1, faithful=False, error="direction"),
                SentenceLabel(
                    index=0,
                    faithful=True,
                    evidence=(EvidenceLabel(index=0), EvidenceLabel(index=2)),
                ),
            )
        ),
        evaluation(judged(s0=False, s1=False)),
    )
    assert found == (
        GoldenAnswer(kind="sentence", index=1, label=0, answer=0, error="direction"),
        GoldenAnswer(
            kind="sentence",
            index=0,
            label=1,
            answer=0,
            evidence=EvidenceCount(named=2, labelled=2, both=1),
            text="Zinc was given.",
            against="Zinc was given to mice. No harm was seen.",
            reason="s0 is so",
        ),
    )


def test_evidence_is_counted_where_the_sentence_is_faithful_and_labelled_with_it() -> None:
    """Worked example: the judge names 1 and 2; the labels 2, 2 and 0, which are two places."""
    evidence = tuple(EvidenceLabel(index=place) for place in (2, 2, 0))
    found = answers(
        label(
            sentences=(
                SentenceLabel(index=0, faithful=True, evidence=evidence),
                SentenceLabel(index=1, faithful=False, evidence=evidence),
                SentenceLabel(index=3, faithful=True),
            )
        ),
        evaluation(judged(s0=True, s1=False, s3=True)),
    )
    assert [answer.evidence for answer in found] == [
        EvidenceCount(named=2, labelled=2, both=1),
        None,
        None,
    ]


def test_a_sentence_without_a_verdict_is_unanswered() -> None:
    """Nobody knows of its evidence either: none is named, and what is labelled is remembered."""
    (found,) = answers(
        label(
            sentences=(SentenceLabel(index=0, faithful=True, evidence=(EvidenceLabel(index=1),)),)
        ),
        evaluation(judged(s0=None)),
    )
    assert found.answer is None
    assert found.evidence == EvidenceCount(named=0, labelled=1, both=0)
    assert (found.text, found.reason) == ("Zinc was given.", "s0 is so")


def test_sentences_that_the_judge_leaves_out_are_unanswered() -> None:
    """All that are labelled, in their order, with their kinds of errors."""
    silent = Unscored(metric="faithfulness", status="unanswered", reason="cut off")
    found = answers(
        label(
            sentences=(
                SentenceLabel(index=3, faithful=True),
                SentenceLabel(index=1, faithful=False, error="direction"),
            )
        ),
        evaluation(silent),
    )
    assert [(a.index, a.label, a.answer, a.error, a.reason) for a in found] == [
        (3, 1, None, "", "cut off"),
        (1, 0, None, "direction", "cut off"),
    ]


def test_a_summary_that_is_none_has_no_sentences_to_compare() -> None:
    """What was labelled is not what the system returned now; the judge was not asked."""
    lacking = Unscored(metric="faithfulness", status="degenerate_candidate", reason="empty")
    sentences = (SentenceLabel(index=0, faithful=True),)
    assert answers(label(sentences=sentences), evaluation(lacking)) == ()


def test_a_fragment_is_no_sentence_to_compare() -> None:
    """The metric leaves pieces under five characters out, whoever judges."""
    found = answers(
        label(sentences=tuple(SentenceLabel(index=n, faithful=True) for n in (2, 3))),
        evaluation(judged(s0=True, s1=True, s3=True)),
    )
    assert [answer.index for answer in found] == [3]


def test_a_label_of_a_sentence_beyond_a_written_summary_is_refused() -> None:
    """The model wrote less than what was labelled; which of its sentences was meant is unknown."""
    with pytest.raises(SuiteError) as caught:
        golden_pair(
            label(sentences=(SentenceLabel(index=4, faithful=True),)), evaluation(judged(s0=True))
        )
    assert caught.value.place == HERE
    assert "is about sentence 4, and the summary has 4, counted from 0" in str(caught.value)


# Facts


def test_facts_stand_beside_their_labels() -> None:
    """Facts of the reference first; where they differ, what carries them for the judge."""
    found = answers(
        label(
            facts=FactLabels(
                reference=(FactLabel(text="a", holds=True), FactLabel(text="b", holds=False)),
                candidate=(FactLabel(text="c", holds=False),),
            )
        ),
        evaluation(
            stated=StatedFacts(
                reference=(checked("a", True), checked("b", True)),
                candidate=(checked("c", False),),
            )
        ),
    )
    assert found == (
        GoldenAnswer(kind="reference fact", index=0, label=1, answer=1),
        GoldenAnswer(
            kind="reference fact",
            index=1,
            label=0,
            answer=1,
            text="b",
            against="A. B.",
            reason="so it is",
        ),
        GoldenAnswer(kind="candidate fact", index=0, label=0, answer=0),
    )


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        (Unscored(metric="eva", status="unanswered", reason="cut off"), "cut off"),
        (None, "the judge gave no answer"),
    ],
)
def test_facts_that_the_judge_leaves_out_are_unanswered(
    stated: Unscored | None, reason: str
) -> None:
    """Both sides, each with its label."""
    facts = FactLabels(
        reference=(FactLabel(text="a", holds=True),), candidate=(FactLabel(text="c", holds=False),)
    )
    found = answers(label(facts=facts), evaluation(stated=stated))
    assert [(a.kind, a.label, a.answer, a.text, a.reason) for a in found] == [
        ("reference fact", 1, None, "a", reason),
        ("candidate fact", 0, None, "c", reason),
    ]


# Where evidence stands


def places(*labels: EvidenceLabel) -> tuple[int, ...]:
    """The places of evidence in the source."""
    return places_of(labels, SOURCE)


def at(index: int, starts: str | None = None) -> EvidenceLabel:
    """Evidence at an index, perhaps with its first words."""
    return EvidenceLabel(index=index, starts=starts)


def test_first_words_find_a_sentence_that_was_counted_otherwise() -> None:
    """Another splitter gives another index; spaces and special tokens are no difference."""
    assert places(at(0, "No harm")) == (2,)
    assert places(at(17, "Growth  rose")) == (1,)
    assert places(at(1, "Growth rose")) == (1,)


def test_of_several_sentences_that_begin_alike_the_nearest_is_meant() -> None:
    """And the index itself, where it is one of them."""
    alike = ("We gave zinc.", "It rose.", "It fell.", "We gave lead.", "We gave tin.")
    assert places_of([at(1, "We gave")], alike) == (0,)
    assert places_of([at(2, "We gave")], alike) == (3,)
    assert places_of([at(4, "We gave")], alike) == (4,)


def test_first_words_that_stand_nowhere_leave_the_index() -> None:
    """A label that quotes a word otherwise still means the sentence that it counts."""
    assert places(at(1, "Growth sank")) == (1,)
    assert places(at(7, "Growth sank")) == ()


@given(
    st.lists(
        st.builds(
            at, st.integers(0, 5), st.none() | st.sampled_from(["Zinc", "Growth", "No", "x"])
        ),
        max_size=6,
    )
)
def test_places_are_sorted_single_and_in_the_source(labels: list[EvidenceLabel]) -> None:
    """Law: what is counted as labelled could be named by a judge."""
    found = places_of(labels, SOURCE)
    assert list(found) == sorted(set(found))
    assert set(found) <= set(range(len(SOURCE)))
    assert len(found) <= len(labels)
