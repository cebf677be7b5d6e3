from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import MetricName, Unscored
from summeval_pytest.questions import FACETS, Facet, Fact
from summeval_pytest.run.golden import (
    EvidenceCount,
    GoldenAnswer,
    check_sentences,
    golden_pair,
    golden_tasks,
    labels_fingerprint,
    places_of,
)
from summeval_pytest.run.measure import Evaluation, StatedFacts
from summeval_pytest.suite.labels import EvidenceLabel, FactLabel, FactLabels, Label, SentenceLabel
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, write_labelled

RATINGS = {"background": None, "method": 4, "result": 4, "conclusion": 3}
SENTENCES = ({"index": 0, "faithful": True, "evidence": [1]}, {"index": 1, "faithful": False})
REFERENCE = {"text": "Bricks crack.", "covered": False}
CANDIDATE = {"text": "The slow draught gave 31 MPa.", "supported": True}
LABEL: dict[str, object] = {
    "paper": "kiln",
    "system": "good",
    "facets": RATINGS,
    "overall": 0.9,
    "sentences": SENTENCES,
    "facts": {"reference": [REFERENCE], "candidate": [CANDIDATE]},
}
"""A label with every part."""
MOSS = {"paper": "moss", "system": "good"}
SENTENCE = [{"index": 0, "faithful": False}]
FACTS = {"candidate": [{"text": "Moss cools.", "supported": True}]}


# What the judge is asked


@pytest.mark.parametrize(
    ("parts", "metrics"),
    [
        ({"facets": {"result": 2}}, ("facet",)),
        ({"overall": 0.5}, ("facet",)),
        ({"sentences": SENTENCE}, ("faithfulness",)),
        ({"facets": {"result": 2}, "sentences": SENTENCE}, ("facet", "faithfulness")),
        ({"facts": FACTS}, ()),
        ({"facts": FACTS, "overall": 1}, ("facet",)),
        ({"roles": [{"text": "Moss cools.", "facet": "result"}]}, None),  # no floor is on them
    ],
)
def test_the_judge_is_asked_what_the_label_speaks_of(
    tmp_path: Path, parts: Mapping[str, object], metrics: tuple[MetricName, ...] | None
) -> None:
    """Everything else would cost and be compared with nothing; facts are asked as they stand."""
    tasks = golden_tasks(write_labelled(tmp_path, {**MOSS, **parts}))
    holds = FactLabels(candidate=(FactLabel(text="Moss cools.", holds=True),))
    facts = holds if "facts" in parts else None
    expected = [] if metrics is None else [(metrics, facts)]
    assert [(task.metrics, task.facts) for task in tasks] == expected


# The fingerprint of the labels


def fingerprint(folder: Path, *labels: Mapping[str, object]) -> str:
    """That of a suite with these labels."""
    return labels_fingerprint(write_labelled(folder, *labels))


def test_the_order_of_the_lines_does_not_move_the_fingerprint(tmp_path: Path) -> None:
    """Sorting the file changes no figure, so two runs of it compare; nor does what says whence."""
    origin = dict.fromkeys(("labelled_by", "basis", "provenance"), "two nurses")
    moved = {**LABEL, "facets": dict(reversed(RATINGS.items())), **origin}
    outcome = fingerprint(tmp_path / "a", LABEL, BAD_OF_KILN)
    assert fingerprint(tmp_path / "b", BAD_OF_KILN, moved) == outcome
    assert len(outcome) == 12
    assert set(outcome) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "change",
    [
        {"paper": "moss"},
        {"system": "bad"},
        {"facets": {**RATINGS, "result": 3}},
        {"facets": {**RATINGS, "background": 1}},
        {"facets": {"method": 4, "result": 4, "conclusion": 3}},
        {"overall": 0.8},
        {"sentences": SENTENCES[:1]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "faithful": True}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "index": 2}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "error": "number"}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "factual": True}]},
        {"sentences": [SENTENCES[0], {**SENTENCES[1], "factual": False}]},
        {"sentences": [{**SENTENCES[0], "evidence": [3]}, SENTENCES[1]]},
        {"sentences": [{**SENTENCES[0], "evidence": []}, SENTENCES[1]]},
        {"facts": {"candidate": [CANDIDATE]}},
        {"facts": {"reference": [REFERENCE], "candidate": [{**CANDIDATE, "supported": False}]}},
        {"facts": {"reference": [{**REFERENCE, "text": "Bricks."}], "candidate": [CANDIDATE]}},
    ],
)
def test_whatever_a_label_says_moves_the_fingerprint(
    tmp_path: Path, change: Mapping[str, object]
) -> None:
    """Agreement with other labels is another number, also where the names are the same."""
    before = fingerprint(tmp_path / "a", LABEL)
    assert fingerprint(tmp_path / "b", {**LABEL, **change}) != before


# Sentences that a summary does not have


def test_a_label_of_a_sentence_that_the_summary_has_not_is_refused(tmp_path: Path) -> None:
    """The bad summary has two sentences; the label's file and line say where to mend it."""
    beyond = {**BAD_OF_KILN, "sentences": [{"index": n, "faithful": False} for n in (0, 2, 7)]}
    suite = write_labelled(tmp_path, GOOD_OF_KILN, beyond)
    with pytest.raises(SuiteError) as caught:
        check_sentences(suite)
    assert caught.value.place == Place(f"{tmp_path.name}/labels.jsonl", 2)
    assert str(caught.value) == (
        f"{tmp_path.name}/labels.jsonl:2: the label of system 'bad' on paper 'kiln' is about"
        " sentence 2, and the summary has 2, counted from 0; mend the index"
    )
    role = {**MOSS, "roles": [{"text": "No such.", "facet": None}]}
    with pytest.raises(SuiteError, match="which the summary does not have; copy it word for word"):
        check_sentences(write_labelled(tmp_path / "roles", role))


# Answers beside labels

HERE = Place("golden/labels.jsonl", 7)
SOURCE = ("Zinc was given to mice.", "Growth rose by 24 %.", "No harm was seen.")
SUMMARY = "Zinc was given. Growth fell. Ok. It did no harm."
"""Its third sentence is too short to be one, and is not judged."""
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")
REFUSED = Unscored(metric="facet", status="refused_candidate", reason="the system refused")


def label(**parts: object) -> Label:
    """The labels of the pair."""
    return Label(paper="zinc", system="careful", place=HERE, **parts)  # type: ignore[arg-type]  # the tests name its fields


def evaluation(
    *scores: Score | Unscored,
    stated: StatedFacts | Unscored | None = None,
    extras: Mapping[str, object] = MappingProxyType({}),
    reference: str = "Zinc helps.",
) -> Evaluation:
    """The evaluation of the pair."""
    paper = Paper(
        id="zinc",
        source=(Section(text=" ".join(SOURCE)),),
        references=(reference, "Another reference."),
        place=HERE,
    )
    pair = Pair(paper=paper, system="careful", summary=SUMMARY, place=HERE)
    return Evaluation(
        pair=pair, scores=scores, signatures=(), source=SOURCE, stated=stated, extras=extras
    )


def answers(of: Evaluation, **parts: object) -> tuple[GoldenAnswer, ...]:
    """The answers of the pair to a label with these parts."""
    return golden_pair(label(**parts), of).answers


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
    """Sentences by their numbers, ``s0`` and so on, with the evidence 1 and 2."""
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
    fact = Fact(text=text, sentence=0)
    return CheckedFact(fact=fact, holds=holds, reason="so it is", evidence=("A.", "B."))


def said(index: int, evidence: tuple[int, ...] = (), error: str | None = None) -> SentenceLabel:
    """A label of a sentence, faithful but for an error."""
    places = tuple(EvidenceLabel(index=place) for place in evidence)
    return SentenceLabel(index=index, faithful=error is None, evidence=places, error=error)


def test_papers_with_one_reference_have_one_group() -> None:
    """They are resampled as one; special tokens and spaces make no other text of it."""

    def group(reference: str) -> str:
        return golden_pair(label(overall=1), evaluation(rated(result=1), reference=reference)).group

    assert group("Zinc helps.") == group("<s> Zinc  helps. </s>") != group("Zinc harms.")


def test_a_rating_stands_beside_the_label_with_both_texts() -> None:
    """Where they differ, the reader is shown what the judge saw; in reading order."""
    outcome = answers(
        evaluation(rated(result=2, conclusion=3)), facets={"conclusion": 3, "result": 4}
    )
    assert outcome == (
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
    outcome = golden_pair(label(facets=facets), evaluation(score))
    assert outcome.answers == (GoldenAnswer(kind="result", label=3, answer=3),)
    assert outcome.n_left_out == (facets.get("method") is not None)
    assert outcome.rated == tuple((each.facet, each.rating) for each in score.ratings)


def test_labels_of_all_facets_make_an_overall_score() -> None:
    """Worked example: FM of 3/3, 2/4 and 1/3 where the reference has no method.

    (.1 * 1 + .3 * .5 + .3 * 1/3) / .7 = .35 / .7 = .5
    """
    facets = {"background": 3, "method": None, "result": 2, "conclusion": 1}
    of = evaluation(rated(value=0.25, result=2))
    assert answers(of, facets=facets)[-1] == GoldenAnswer(kind="overall", label=0.5, answer=0.25)
    assert answers(of, facets=facets, overall=0.9)[-1].label == 0.9


def test_what_the_judge_leaves_out_is_unanswered_and_what_the_system_does_is_nothing() -> None:
    """Every label keeps its place, with the judge's reason; who wrote nothing was not asked."""
    facets = {"background": None, "method": 1, "result": 2}
    outcome = answers(evaluation(SILENT), facets=facets, overall=0.5)
    assert [(a.kind, a.label) for a in outcome] == [("method", 1), ("result", 2), ("overall", 0.5)]
    assert {(a.answer, a.reason) for a in outcome} == {(None, "the reply was cut off")}
    assert answers(evaluation(REFUSED), facets=facets, overall=0) == ()

    silent = Unscored(metric="faithfulness", status="unanswered", reason="cut off")
    outcome = answers(evaluation(silent), sentences=(said(3), said(1, error="direction")))
    assert [(a.index, a.label, a.answer, a.error, a.reason) for a in outcome] == [
        (3, 1, None, "", "cut off"),
        (1, 0, None, "direction", "cut off"),
    ]
    unscored = Unscored(metric="faithfulness", status="degenerate_candidate", reason="empty")
    assert answers(evaluation(unscored), sentences=(said(0),)) == ()

    facts = FactLabels(
        reference=(FactLabel(text="a", holds=True),), candidate=(FactLabel(text="c", holds=False),)
    )
    cut_off = Unscored(metric="eva", status="unanswered", reason="cut off")
    for stated, reason in ((cut_off, "cut off"), (None, "the judge gave no answer")):
        outcome = answers(evaluation(stated=stated), facts=facts)
        assert [(a.kind, a.label, a.answer, a.text, a.reason) for a in outcome] == [
            ("reference fact", 1, None, "a", reason),
            ("candidate fact", 0, None, "c", reason),
        ]
    none = Unscored(metric="eva", status="refused_candidate", reason="it declined")
    assert answers(evaluation(stated=none), facts=facts) == ()


def test_a_sentence_stands_beside_its_label() -> None:
    """1 where it is faithful; where they differ, the sentence and the labelled evidence."""
    outcome = answers(
        evaluation(judged(s0=False, s1=False)),
        sentences=(said(1, error="direction"), said(0, (0, 2))),
    )
    assert outcome == (
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
    sentences = (said(0, (2, 2, 0)), said(1, (2, 0), error="number"), said(3))
    outcome = answers(evaluation(judged(s0=True, s1=False, s3=True)), sentences=sentences)
    counted = EvidenceCount(named=2, labelled=2, both=1)
    assert [answer.evidence for answer in outcome] == [counted, None, None]


def test_a_sentence_without_a_verdict_is_unanswered() -> None:
    """Nobody knows of its evidence either: none is named, and what is labelled is remembered."""
    (outcome,) = answers(evaluation(judged(s0=None)), sentences=(said(0, (1,)),))
    assert outcome.answer is None
    assert outcome.evidence == EvidenceCount(named=0, labelled=1, both=0)
    assert (outcome.text, outcome.reason) == ("Zinc was given.", "s0 is so")


def test_a_fragment_is_no_sentence_to_compare_and_one_beyond_the_summary_is_refused() -> None:
    """The metric leaves out pieces under five characters; a model may write less than labelled."""
    of = evaluation(judged(s0=True, s1=True, s3=True))
    assert [answer.index for answer in answers(of, sentences=(said(2), said(3)))] == [3]
    with pytest.raises(SuiteError, match="is about sentence 4, and the summary has 4"):
        answers(of, sentences=(said(4),))


def test_facts_stand_beside_their_labels() -> None:
    """Facts of the reference first; where they differ, what carries them for the judge."""
    outcome = answers(
        evaluation(
            stated=StatedFacts(
                reference=(checked("a", True), checked("b", True)), candidate=(checked("c", False),)
            )
        ),
        facts=FactLabels(
            reference=(FactLabel(text="a", holds=True), FactLabel(text="b", holds=False)),
            candidate=(FactLabel(text="c", holds=False),),
        ),
    )
    assert outcome == (
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


# Where evidence stands


def at(index: int, starts: str | None = None) -> EvidenceLabel:
    """Evidence at an index, perhaps with its first words."""
    return EvidenceLabel(index=index, starts=starts)


ALIKE = ("We gave zinc.", "It rose.", "It fell.", "We gave lead.", "We gave tin.")


@pytest.mark.parametrize(
    ("source", "evidence", "places"),
    [
        (SOURCE, at(0, "No harm"), (2,)),
        (SOURCE, at(17, "Growth  rose"), (1,)),
        (SOURCE, at(1, "Growth rose"), (1,)),
        (SOURCE, at(1, "Growth sank"), (1,)),
        (SOURCE, at(7, "Growth sank"), ()),
        (ALIKE, at(1, "We gave"), (0,)),
        (ALIKE, at(2, "We gave"), (3,)),
        (ALIKE, at(4, "We gave"), (4,)),
    ],
)
def test_first_words_find_the_nearest_sentence_that_was_counted_otherwise(
    source: tuple[str, ...], evidence: EvidenceLabel, places: tuple[int, ...]
) -> None:
    """Another splitter gives another index; where the words stand nowhere, the index is meant."""
    assert places_of([evidence], source) == places
