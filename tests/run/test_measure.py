from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from summeval_pytest import questions as q
from summeval_pytest.errors import Place
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.flow import Dialogue, Returned
from summeval_pytest.metrics.number import MetricName, Unscored
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.run.measure import (
    PLAIN,
    Asker,
    Evaluation,
    StatedFacts,
    metric_signature,
    stated_flow,
)
from summeval_pytest.run.runner import Task, evaluate_task
from summeval_pytest.study.agreement.columns import SEGMENTS
from summeval_pytest.study.baselines import BASELINES, RateSummary, SummaryRating
from summeval_pytest.study.eva.printed_eva import PrintedEva
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.labels import FactLabel, FactLabels
from summeval_pytest.suite.suite import suite_of_pairs
from summeval_pytest.suite.values import Flaw, Pair, Paper, Section
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from tests.judges.llm.by_rule import RuleSender

ZINC_PAPER = "Mice slept longer. Water did nothing."


def fair(question: q.Question) -> q.Answer:  # noqa: PLR0911 - a case for each kind of question
    """A judge's rules, simple enough to follow by hand.

    Every text is one result; it is rated 3 of 4; every sentence is a fact; a fact follows from
    premises that hold its very words; a sentence is supported where the source speaks of zinc.
    """
    match question:
        case q.SegmentFacets(text):
            return q.FacetSegments(result=text)
        case q.RateFacets(pairs):
            return q.FacetRatings(
                tuple(q.FacetRating(facet=pair.facet, reason="close", rating=3) for pair in pairs)
            )
        case q.ListFacts(sentences):
            facts = (q.Fact(text=text, sentence=place) for place, text in enumerate(sentences))
            return q.FactList(tuple(facts))
        case q.CheckFacts(facts, premises):
            outcome = [
                tuple(place for place, premise in enumerate(premises) if premise == fact.text)
                for fact in facts
            ]
            checks = (q.FactCheck(reason="", entailed=bool(f), premises=f) for f in outcome)
            return q.FactChecks(tuple(checks))
        case q.CheckSentences(sentences, source):
            supported = any("zinc" in sentence.lower() for sentence in source)
            check = q.SentenceCheck(reason="", supported=supported)
            return q.SentenceChecks((check,) * len(sentences))
        case RateSummary():
            return SummaryRating(reason="close", rating=3)
        case q.OtherQuestion():
            return q.Unanswered("no rule for it")


class Fair:
    """Follows the rules above but for kinds of questions that it is silent on; keeps them all."""

    signature = "fair-1"
    in_flight = 1

    def __init__(self, *silent_on: type[q.Question]) -> None:
        self.asked: list[q.Question] = []
        self.silent_on = silent_on

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """The rules' answers, with `Unanswered` in some places."""
        self.asked.extend(questions)
        cut_off = q.Unanswered("the reply was cut off")
        return tuple(
            cut_off if isinstance(each, self.silent_on) else fair(each) for each in questions
        )


def paper(
    *references: str, facets: q.FacetSegments | None = None, facts: tuple[q.Fact, ...] | None = None
) -> Paper:
    """A paper about zinc."""
    return Paper(
        id="zinc-01",
        source=(
            Section(heading="Methods", text="Zinc was given to mice. Others had water."),
            Section(heading="Results", text="They slept longer."),
        ),
        references=references or (ZINC_PAPER,),
        reference_facets=facets,
        reference_facts=facts,
        place=Place("papers.jsonl", 1),
    )


def pair(summary: str, of: Paper | None = None, *, flaw: Flaw | None = None) -> Pair:
    """A system's summary of it."""
    place = Place("careful.jsonl", 1)
    return Pair(paper=of or paper(), system="careful", summary=summary, place=place, flaw=flaw)


def task_of(pair: Pair, *metrics: MetricName, variants: Variants = PLAIN) -> Task:
    """The task of measuring a pair, by all metrics where none is named."""
    suite = replace(suite_of_pairs([pair], "zinc"), fingerprint=SUITE, variants=variants)
    paper, system = pair.paper.id, pair.system
    return Task(suite=suite, paper=paper, system=system, metrics=metrics or METRICS)


def measured(
    pair: Pair, judge: Fair, *metrics: MetricName, variants: Variants = PLAIN
) -> Evaluation:
    """The pair's evaluation."""
    task = task_of(pair, *metrics, variants=variants)
    return asyncio.run(evaluate_task(task, pair, Asker(judge)))


SUITE = "77be02a1c3d4"
SLEPT = "Mice slept longer."
REFUSED = Flaw(status="refused_candidate", reason="the system refused")


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
    expected = {
        "facet": 0.75,
        "facet.result": 3,
        "eva": 2 / 3,
        "eva.precision": 1,
        "eva.recall": 1 / 2,
        "eva.recall_entailed": 1 / 2,
        "faithfulness": 1,
        "faithfulness.conflicts": 0,
    }
    assert {name: numbers.values[name] for name in expected} == pytest.approx(expected)


def test_a_fact_cut_out_of_a_sentence_brings_the_sentence_with_it() -> None:
    """A fragment tells nothing; a fact in other words stands for itself."""
    summary = "Moss grew twice as fast in rain, but not on stones. Rain helps."
    whole, _, _ = summary.partition(" Rain helps")

    def checked(text: str, sentence: int = 0) -> CheckedFact:
        return CheckedFact(fact=q.Fact(text=text, sentence=sentence), holds=False, reason="")

    facts = checked("Moss: but not on stones."), checked("Stones lacked it."), checked(whole)
    score = EvaScore(
        value=0.0,
        precision=0.0,
        recall=0.0,
        recall_entailed=None,
        reference=(checked("In rain moss grew."),),
        candidate=facts,
    )
    actual = Evaluation(
        pair=Pair(
            paper=paper("Ice.", summary), system="careful", summary=summary, place=Place("a")
        ),
        scores=(score,),
        signatures=(),
        source=("Moss.",),
    ).findings()
    assert {
        (each.reference if each.number == "eva.recall" else each.summary): each.sentence
        for each in actual
    } == {
        "Moss: but not on stones.": whole,
        "Stones lacked it.": "",
        whole: "",
        "In rain moss grew.": whole,
    }


def test_a_finding_says_what_the_source_says_of_its_sentence() -> None:
    """What the paper supports is no error, so it comes last; a rating does not hide a conflict."""
    summary = "Moss grew by 41 cm. Rain helps."
    first, second = sentence_texts(summary)
    wrong = JudgedSentence(index=0, text=first, supported=False, reason="", conflict=True)
    right = JudgedSentence(index=1, text=second, supported=True, reason="")
    facts = (q.Fact(text=second, sentence=1), q.Fact(text="Moss was blue.", sentence=0))
    rated = RatedFacet(facet="result", rating=3, reason="", reference="R.", candidate=summary)
    checks = tuple(CheckedFact(fact=fact, holds=False, reason="") for fact in facts)
    eva = EvaScore(value=0.0, precision=0.0, recall=0.0, recall_entailed=None, candidate=checks)
    actual = Evaluation(
        pair=Pair(paper=paper("Ice."), system="careful", summary=summary, place=Place("a")),
        scores=(
            FacetScore(value=0.5, ratings=(rated,)),
            eva,
            FaithfulnessScore(value=0.5, sentences=(wrong, right)),
        ),
        signatures=(),
        source=("Moss.",),
    ).findings()
    assert [(each.title, each.verdict) for each in actual[1:]] == [
        ("facet result", "rated 3 of 4, but sentence 1 conflicts with the source"),
        ("fact of the summary", "not in the reference"),
        ("fact of the summary", "not in the reference, but the source supports the sentence"),
    ]


def test_a_reply_that_is_no_summary_is_unscored_and_asks_nothing() -> None:
    """What its endpoint says of it counts, even where the text reads like a summary."""
    judge = Fair()
    evaluation = measured(pair(SLEPT, flaw=REFUSED), judge)
    assert judge.asked == []
    assert evaluation.scores == tuple(
        Unscored(metric=metric, status=REFUSED.status, reason=REFUSED.reason) for metric in METRICS
    )
    assert [signature.metric for signature in evaluation.signatures] == list(METRICS)


@pytest.mark.parametrize(
    ("metric", "kinds"),
    [
        ("facet", {q.SegmentFacets, q.RateFacets}),
        ("eva", {q.ListFacts, q.CheckFacts}),
        ("faithfulness", {q.CheckSentences}),
    ],
)
def test_only_the_metrics_wanted_are_asked_about(
    metric: MetricName, kinds: set[type[q.Question]]
) -> None:
    """A suite that gates one metric pays for one."""
    judge = Fair()
    evaluation = measured(pair(SLEPT), judge, metric)
    assert {type(question) for question in judge.asked} == kinds
    assert [score.metric for score in evaluation.scores] == [metric]
    assert [signature.metric for signature in evaluation.signatures] == [metric]


def test_reviewed_facets_and_facts_are_not_asked_for() -> None:
    """What a person has frozen must not move because a judge reads the reference anew."""
    judge = Fair()
    zinc = paper(
        facets=q.FacetSegments(conclusion="Water did nothing.", result=SLEPT),
        facts=(q.Fact(text=SLEPT, sentence=0),),
    )
    values = measured(pair(SLEPT, zinc), judge, "facet", "eva").numbers().values
    (reference,) = zinc.references
    assert q.SegmentFacets(reference) not in judge.asked
    assert [each for each in judge.asked if isinstance(each, q.ListFacts)] == [
        q.ListFacts((SLEPT,))
    ]
    # the conclusion is not in the summary: 1 of 3; the result is rated 3 of 4; equal weights
    assert values["facet"] == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert values["eva"] == 1.0


@pytest.mark.parametrize(
    ("kind", "metric"),
    [(q.RateFacets, "facet"), (q.CheckFacts, "eva"), (q.CheckSentences, "faithfulness")],
)
def test_a_metric_without_an_answer_has_no_number(
    kind: type[q.Question], metric: MetricName
) -> None:
    """Unscored is neither 0 nor a pass; the other metrics keep their scores."""
    numbers = measured(pair(SLEPT), Fair(kind)).numbers()
    assert not [name for name in numbers.values if name.split(".")[0] == metric]
    lack = numbers.why_unscored(metric)
    assert lack is not None
    assert (lack.metric, lack.status, lack.fault) == (metric, "unanswered", "judge")
    assert lack.reason.endswith("the reply was cut off")
    assert [numbers.why_unscored(other) for other in METRICS if other != metric] == [None, None]
    assert numbers.unscored == (lack,)


def test_the_mean_of_several_references_counts_where_the_suite_says_so() -> None:
    """The first states the summary's fact among two, the second alone: R = 1/2 and 1.

    F1 = 2/3 and 1, so .833; the evidence shown is against the first. FM is .75 against either.
    Otherwise the best counts, which is 1.
    """
    two = paper(f"{SLEPT} Water did nothing.", f"{SLEPT} {SLEPT}")
    evaluation = measured(
        pair(SLEPT, two), Fair(), "facet", "eva", variants=Variants(references="mean")
    )
    values = evaluation.numbers().values
    assert measured(pair(SLEPT, two), Fair(), "eva").numbers().values["eva"] == 1.0
    assert values["eva"] == pytest.approx((2 / 3 + 1) / 2)
    assert values["eva.recall"] == 0.75
    assert values["facet"] == 0.75
    score = evaluation.score("eva")
    assert isinstance(score, EvaScore)
    assert [fact.fact.text for fact in score.reference] == [SLEPT, "Water did nothing."]
    assert len(score.by_reference) == 2
    assert all("|references:mean|" in str(signature) for signature in evaluation.signatures)


def test_what_is_asked_beside_the_metrics_moves_no_score() -> None:
    """A baseline and the facets of the summary cost a question each, where they are asked for."""
    judge, zinc = Fair(), pair(SLEPT)
    task = replace(task_of(zinc, "facet"), extras=(BASELINES["direct"], SEGMENTS))
    outcome = asyncio.run(evaluate_task(task, zinc, Asker(judge)))
    assert outcome.extras == {"direct": 0.75, "facet": q.FacetSegments(result=SLEPT)}
    assert [type(question) for question in judge.asked].count(RateSummary) == 1
    plain = measured(zinc, Fair(), "facet")
    assert outcome.scores == plain.scores
    assert plain.extras == {}


# Conversations beside the metrics


def ended(
    flow: Dialogue[Returned], *rounds: tuple[q.Answer, ...]
) -> tuple[list[q.Question], Returned]:
    """The questions of a conversation, and what it ends in after these answers."""
    asked: list[q.Question] = []
    try:
        asked += next(flow)
        for answers in rounds:
            asked += flow.send(answers)
    except StopIteration as end:
        value: Returned = end.value
        return asked, value
    pytest.fail(f"it goes on to ask {asked[-1]}")


ACTS, SAFE, GREW = "Zinc acts", "Zinc is safe", "Zinc grew"
ZINC = "Zinc changed growth. It is cheap."


def labels(*texts: str) -> tuple[FactLabel, ...]:
    """Facts that hold, say the labels; the judge is not told."""
    return tuple(FactLabel(text=text, holds=True) for text in texts)


def facts(*texts: str) -> tuple[q.Fact, ...]:
    """The facts of a question."""
    return tuple(q.Fact(text=text, sentence=0) for text in texts)


def checks(*entailed: bool) -> q.FactChecks:
    """Which facts follow, each from the first premise."""
    checks = (q.FactCheck(reason="so it is", entailed=e, premises=(0,)) for e in entailed)
    return q.FactChecks(tuple(checks))


def checked(text: str, premise: str, *, holds: bool) -> CheckedFact:
    """What these checks come to."""
    (fact,) = facts(text)
    return CheckedFact(fact=fact, holds=holds, reason="so it is", evidence=(premise,))


def test_labelled_facts_are_checked_as_recall_and_precision_check_them() -> None:
    """Those of the reference against the summary, then those of the summary against the others."""
    both = FactLabels(reference=labels(ACTS, SAFE), candidate=labels(GREW))
    requested, outcome = ended(
        stated_flow(pair(ZINC), both), (checks(True, False),), (checks(True),)
    )
    sentences = ("Zinc changed growth.", "It is cheap.")
    assert requested == [
        q.CheckFacts(facts(ACTS, SAFE), sentences, every_premise=False, reference=ZINC_PAPER),
        q.CheckFacts(facts(GREW), (ACTS, SAFE), every_premise=True, reference=ZINC_PAPER),
    ]
    assert outcome == StatedFacts(
        reference=(
            checked(ACTS, sentences[0], holds=True),
            checked(SAFE, sentences[0], holds=False),
        ),
        candidate=(checked(GREW, ACTS, holds=True),),
    )


@pytest.mark.parametrize(
    ("of", "premises"),
    [
        (paper(facts=facts(SAFE, ACTS)), (SAFE, ACTS)),
        (
            paper("<s> Zinc acts. It is safe. </s>", "Growth rose."),
            ("Zinc acts.", "It is safe.", "Growth rose."),
        ),
    ],
    ids=["reviewed facts", "sentences of all references"],
)
def test_facts_of_the_summary_are_checked_against_what_the_reference_states(
    of: Paper, premises: tuple[str, ...]
) -> None:
    """What somebody has frozen of it, else its sentences as a judge sees them."""
    flow = stated_flow(pair(ZINC, of), FactLabels(candidate=labels(GREW)))
    requested, outcome = ended(flow, (checks(True),))
    assert requested == [
        q.CheckFacts(
            facts(GREW), premises, every_premise=True, reference=normalise(of.references[0])
        )
    ]
    assert outcome == StatedFacts(candidate=(checked(GREW, premises[0], holds=True),))


def test_an_answer_that_does_not_fit_is_the_judges_fault() -> None:
    """A fact without a check must not pass for one that agrees."""
    flow = stated_flow(pair(ZINC), FactLabels(reference=labels(ACTS, SAFE)))
    reason = "the judge returned 1 fact checks for 2 asked about"
    unscored = Unscored(metric="eva", status="unanswered", reason=reason)
    assert ended(flow, (checks(True),))[1] == unscored


# Variants and their recipes

OFFLINE = OfflineJudge()
LLM = LlmJudge(RuleSender(), model="m-1", endpoint="rule")
WHOLE = PrintedEva(chains="adjacent", validation="chain", premises=3, relations=0.65)


def added(metric: MetricName, judge: OfflineJudge | LlmJudge, variants: Variants) -> dict[str, str]:
    """What a recipe says that the default's does not."""
    plain = signature_of(metric, judge=judge.signature, suite=SUITE)
    recipe = metric_signature(metric, judge=judge, suite=SUITE, variants=variants)
    return {key: value for key, value in recipe.recipe if (key, value) not in plain.recipe}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("judge", [OFFLINE, LLM], ids=["offline", "llm"])
def test_the_defaults_leave_every_signature_as_it_was(
    metric: MetricName, judge: OfflineJudge | LlmJudge
) -> None:
    """Baselines of before stay comparable, whoever judges."""
    plain = signature_of(metric, judge=judge.signature, suite=SUITE)
    for variants in (PLAIN, Variants(eva_recall="matched")):
        assert metric_signature(metric, judge=judge, suite=SUITE, variants=variants) == plain


def test_a_variant_is_in_the_recipes_that_it_moves_and_in_no_other() -> None:
    """A facet's number does not move with EVA's stages; faithfulness knows the source alone."""
    variants = Variants(eva=WHOLE)
    assert added("eva", OFFLINE, variants) == {
        "chains": "adjacent",
        "premises": "3",
        "relations": "0.65",
        "similarity": "tfidf-1",
        "validation": "chain",
    }
    assert added("facet", OFFLINE, variants) == added("faithfulness", OFFLINE, variants) == {}
    mean = Variants(references="mean")
    assert added("facet", OFFLINE, mean) == added("eva", OFFLINE, mean) == {"references": "mean"}
    assert added("faithfulness", OFFLINE, mean) == {}
