from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    METRICS,
    CheckedFact,
    EvaScore,
    FaithfulnessScore,
    JudgedSentence,
    Unscored,
)
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    ListRelations,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    SummaryRating,
    Unanswered,
)
from summeval_pytest.run.measure import (
    PLAIN,
    Asker,
    evaluate,
    source_of,
)
from summeval_pytest.run.numbers import numbers_of
from summeval_pytest.suite.file import EvaVariant, Variants
from summeval_pytest.suite.values import Flaw, Pair, Paper, Section

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.run.measure import Evaluation


def fair(question: Question) -> Answer:  # noqa: PLR0911 - a case for each kind of question
    """A judge's rules, simple enough to follow by hand.

    Every text is one result; it is rated 3 of 4; every sentence is a fact; a fact follows from
    premises that hold its very words; a sentence is supported where the source speaks of zinc.
    """
    match question:
        case SegmentFacets(text):
            return FacetSegments(result=text)
        case RateFacets(pairs):
            return FacetRatings(
                tuple(FacetRating(facet=pair.facet, reason="close", rating=3) for pair in pairs)
            )
        case ListFacts(sentences):
            facts = (Fact(text=text, sentence=place) for place, text in enumerate(sentences))
            return FactList(tuple(facts))
        case CheckFacts(facts, premises):
            found = [
                tuple(place for place, premise in enumerate(premises) if premise == fact.text)
                for fact in facts
            ]
            checks = (FactCheck(reason="", entailed=bool(f), premises=f) for f in found)
            return FactChecks(tuple(checks))
        case ListRelations() | CountFacts():
            return Unanswered("no rule for it")
        case CheckSentences(sentences, source):
            supported = any("zinc" in sentence.lower() for sentence in source)
            check = SentenceCheck(reason="", supported=supported)
            return SentenceChecks((check,) * len(sentences))
        case RateSummary():
            return SummaryRating(reason="close", rating=3)


class Fair:
    """Follows the rules above, and keeps every question."""

    signature = "fair-1"
    in_flight = 1

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The rules' answers."""
        self.asked.extend(questions)
        return tuple(map(fair, questions))


class Mute(Fair):
    """Cannot answer one kind of question."""

    def __init__(self, *kinds: type[Question]) -> None:
        super().__init__()
        self.kinds = kinds

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The rules' answers, with `Unanswered` in some places."""
        return tuple(
            Unanswered("the reply was cut off")
            if isinstance(question, self.kinds)
            else fair(question)
            for question in questions
        )


def paper(
    *references: str,
    facets: FacetSegments | None = None,
    facts: tuple[Fact, ...] | None = None,
) -> Paper:
    """A paper about zinc."""
    return Paper(
        id="zinc-01",
        source=(
            Section(heading="Methods", text="Zinc was given to mice. Others had water."),
            Section(heading="Results", text="They slept longer."),
        ),
        references=references or ("Mice slept longer. Water did nothing.",),
        reference_facets=facets,
        reference_facts=facts,
        place=Place("papers.jsonl", 1),
    )


def pair(summary: str, of: Paper | None = None, system: str = "careful") -> Pair:
    """A system's summary of it."""
    return Pair(
        paper=of or paper(), system=system, summary=summary, place=Place("careful.jsonl", 1)
    )


def measured(
    pair: Pair, judge: Fair, *metrics: MetricName, variants: Variants = PLAIN
) -> Evaluation:
    """The pair's evaluation."""
    return asyncio.run(
        evaluate(
            pair, Asker(judge), suite="77be02a1c3d4", metrics=metrics or METRICS, variants=variants
        )
    )


SLEPT = "Mice slept longer."


def test_a_pair_is_measured_by_all_three_metrics() -> None:
    """Worked example of a whole evaluation.

    FM: one facet, the result, rated 3 of 4. EVA: the summary's one fact is one of the reference's
    two, so P = 1, R = 1/2 and F1 = 2/3. Faithfulness: its one sentence is supported.
    """
    evaluation = measured(pair(SLEPT), Fair())
    assert (evaluation.paper, evaluation.system) == ("zinc-01", "careful")
    assert evaluation.pair.place == Place("careful.jsonl", 1)
    assert evaluation.source == (
        "Zinc was given to mice.",
        "Others had water.",
        "They slept longer.",
    )
    numbers = evaluation.numbers()
    assert (numbers.paper, numbers.system) == ("zinc-01", "careful")
    assert numbers.unscored == ()
    assert numbers.values == pytest.approx(
        {
            "facet": 0.75,
            "facet.result": 3,
            "eva": 2 / 3,
            "eva.precision": 1,
            "eva.recall": 1 / 2,
            "eva.recall_entailed": 1 / 2,
            "faithfulness": 1,
            "faithfulness.conflicts": 0,
        }
    )


def test_sizes_count_only_what_was_answered_and_right() -> None:
    """A fact or sentence without an answer is not counted as right."""
    facts = tuple(
        CheckedFact(fact=Fact(text=SLEPT, sentence=0), holds=holds, reason="")
        for holds in (True, False, None, True, True)
    )
    sentences = tuple(
        JudgedSentence(index=place, text=SLEPT, supported=supported, reason="")
        for place, supported in enumerate((None, True, False))
    )
    eva = EvaScore(
        value=0.5, precision=0.5, recall=0.5, recall_entailed=0.5, candidate=facts, reference=()
    )
    scores = (eva, FaithfulnessScore(value=0.5, sentences=sentences))
    numbers = numbers_of("zinc-01", "careful", "Mice\n\tslept. ", scores)
    assert numbers.sizes == {
        "words": 2,
        "eva.precision": 3,
        "faithfulness": 1,
        "sentences": 2,
        "unanswered": 1,
    }


def test_recall_by_matching_alone_asks_one_question_less() -> None:
    """Half of the checks of facts are the summary's side, and only one threshold needs them."""
    judge = Fair()
    values = (
        measured(pair(SLEPT), judge, "eva", variants=Variants(eva=EvaVariant(recall="matched")))
        .numbers()
        .values
    )
    assert values == pytest.approx({"eva": 2 / 3, "eva.precision": 1, "eva.recall": 1 / 2})
    assert [q for q in judge.asked if isinstance(q, CheckFacts)] == [
        CheckFacts((Fact(text=SLEPT, sentence=0),), (SLEPT, "Water did nothing."))
    ]


@pytest.mark.parametrize("status", ["degenerate_candidate", "refused_candidate"])
def test_a_reply_that_is_no_summary_is_unscored_and_asks_nothing(
    status: Literal["degenerate_candidate", "refused_candidate"],
) -> None:
    """What its endpoint says of it counts, even where the text reads like a summary."""
    judge = Fair()
    flawed = replace(pair(SLEPT), flaw=Flaw(status, "the summary was cut off"))
    evaluation = measured(flawed, judge)
    assert judge.asked == []
    assert evaluation.scores == tuple(
        Unscored(metric=metric, status=status, reason="the summary was cut off")
        for metric in METRICS
    )
    assert [signature.metric for signature in evaluation.signatures] == list(METRICS)


@pytest.mark.parametrize(
    ("metric", "kinds"),
    [
        ("facet", {SegmentFacets, RateFacets}),
        ("eva", {ListFacts, CheckFacts}),
        ("faithfulness", {CheckSentences}),
    ],
)
def test_only_the_metrics_wanted_are_asked_about(
    metric: MetricName, kinds: set[type[Question]]
) -> None:
    """A suite that gates one metric pays for one."""
    judge = Fair()
    evaluation = measured(pair(SLEPT), judge, metric)
    assert {type(question) for question in judge.asked} == kinds
    assert [score.metric for score in evaluation.scores] == [metric]
    assert [signature.metric for signature in evaluation.signatures] == [metric]


def test_the_reference_is_asked_about_once_for_all_systems() -> None:
    """The paper's side is half of the bill."""
    judge = Fair()
    zinc = paper()

    async def main() -> None:
        asker = Asker(judge)
        pairs = [pair(f"Mice slept {n} hours longer.", zinc, f"system-{n}") for n in range(4)]
        await asyncio.gather(*(evaluate(p, asker, suite="77be02a1c3d4") for p in pairs))

    asyncio.run(main())
    (reference,) = zinc.references
    assert judge.asked.count(SegmentFacets(reference)) == 1
    assert judge.asked.count(ListFacts((SLEPT, "Water did nothing."))) == 1
    # a system: its facets, its facts, one rating, two checks of facts, one of sentences
    assert len(judge.asked) == 2 + 4 * 6


def test_reviewed_facets_and_facts_are_not_asked_for() -> None:
    """What a person has frozen must not move because a judge reads the reference anew."""
    judge = Fair()
    zinc = paper(
        facets=FacetSegments(conclusion="Water did nothing.", result=SLEPT),
        facts=(Fact(text=SLEPT, sentence=0),),
    )
    values = measured(pair(SLEPT, zinc), judge, "facet", "eva").numbers().values
    (reference,) = zinc.references
    assert SegmentFacets(reference) not in judge.asked
    assert [q for q in judge.asked if isinstance(q, ListFacts)] == [ListFacts((SLEPT,))]
    # the conclusion is not in the summary: 1 of 3; the result is rated 3 of 4; equal weights
    assert values["facet"] == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert values["eva"] == 1.0


def test_the_best_of_several_references_counts() -> None:
    """A summary is right where it says what any of the reference authors says."""
    zinc = paper("Water did nothing.", SLEPT + " Water did nothing.", "Nothing at all.")
    values = measured(pair(SLEPT, zinc), Fair(), "eva").numbers().values
    assert values["eva"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("kind", "metric"),
    [(RateFacets, "facet"), (CheckFacts, "eva"), (CheckSentences, "faithfulness")],
)
def test_a_metric_without_an_answer_has_no_number(kind: type[Question], metric: MetricName) -> None:
    """Unscored is neither 0 nor a pass; the other metrics keep their scores."""
    numbers = measured(pair(SLEPT), Mute(kind)).numbers()
    assert not [name for name in numbers.values if name.split(".")[0] == metric]
    lack = numbers.lacking(metric)
    assert lack is not None
    assert (lack.metric, lack.status, lack.fault) == (metric, "unanswered", "judge")
    assert lack.reason.endswith("the reply was cut off")
    assert [numbers.lacking(other) for other in METRICS if other != metric] == [None, None]
    assert numbers.unscored == (lack,)


def test_the_source_is_the_sentences_of_its_sections_in_order() -> None:
    """Evidence indices count them over all sections."""
    assert source_of(paper()) == (
        "Zinc was given to mice.",
        "Others had water.",
        "They slept longer.",
    )


def test_the_mean_of_several_references_counts_where_the_suite_says_so() -> None:
    """The first states the summary's fact among two, the second alone: R = 1/2 and 1.

    F1 = 2/3 and 1, so .833; the evidence shown is against the first. FM is .75 against either.
    """
    two = paper(f"{SLEPT} Water did nothing.", f"{SLEPT} {SLEPT}")
    evaluation = measured(
        pair(SLEPT, two), Fair(), "facet", "eva", variants=Variants(references="mean")
    )
    values = evaluation.numbers().values
    assert values["eva"] == pytest.approx((2 / 3 + 1) / 2)
    assert values["eva.recall"] == 0.75
    assert values["facet"] == 0.75
    score = evaluation.score("eva")
    assert isinstance(score, EvaScore)
    assert [fact.fact.text for fact in score.reference] == [SLEPT, "Water did nothing."]
    assert len(score.by_reference) == 2
    assert all("|references:mean|" in str(signature) for signature in evaluation.signatures)


def test_a_variant_asks_its_own_questions() -> None:
    """What a suite asks for arrives at the judge: one premise at a time, here."""
    judge = Fair()
    one_by_one = Variants(eva=EvaVariant(recall="matched", premises=1))
    evaluation = measured(pair(SLEPT), judge, "eva", variants=one_by_one)
    assert evaluation.numbers().values["eva"] == pytest.approx(2 / 3)
    assert [q for q in judge.asked if isinstance(q, CheckFacts)] == [
        CheckFacts((Fact(text=SLEPT, sentence=0),), (SLEPT,))
    ]
    assert "|premises:1|" in str(evaluation.signatures[0])


def test_a_baseline_is_asked_for_beside_the_metrics_and_only_then() -> None:
    """It costs a question a pair, and moves no score."""
    judge = Fair()
    zinc = pair(SLEPT)
    found = asyncio.run(
        evaluate(zinc, Asker(judge), suite="77", metrics=("facet",), baselines=("direct",))
    )
    assert found.baselines == {"direct": 0.75}
    assert [type(question) for question in judge.asked].count(RateSummary) == 1
    assert found.scores == measured(zinc, Fair(), "facet").scores
    assert measured(zinc, Fair(), "facet").baselines == {}
