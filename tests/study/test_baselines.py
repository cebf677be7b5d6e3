from __future__ import annotations

import json

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest import questions as q
from summeval_pytest.judges.llm.prompts import PromptBatch
from summeval_pytest.judges.llm.replies import UnreadableError
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.flow import Dialogue
from summeval_pytest.study.baselines import (
    BASELINES,
    BaselineName,
    CountFacts,
    FactCounts,
    RateSummary,
    SummaryRating,
    count_batch,
    facet_presence,
    novel_bigrams,
    rouge,
    summary_batch,
    top_sentences,
)
from summeval_pytest.suite.values import Flaw
from tests.judges.llm.by_rule import ask, judge_of, kinds_sent, request_in_words
from tests.metrics.table_judge import ended
from tests.run.test_measure import REFUSED, pair, paper
from tests.run.test_measure import ended as ended_with_questions

REFERENCE = "The old pump fills the north pond at night."
SUMMARY = "The new pump fills the pond."


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """The libraries take a second to load, which no single test should be charged with."""
    rouge(REFERENCE, SUMMARY)
    top_sentences("bricks", BRICKS, 1)


def flow(name: BaselineName, reference: str, summary: str) -> Dialogue[object]:
    """The dialogue of a baseline that the judge is asked for."""
    return BASELINES[name].flow(pair(summary, paper(reference)))


# Words
@pytest.mark.parametrize(
    ("reference", "summary", "scores"),
    [
        # The definitions of Lin (2004), by hand: reference 9 words, summary 6 words
        # ROUGE-1: the x 2, pump, fills, pond = 5; P = 5/6, R = 5/9; F = 10/15
        # ROUGE-2: "pump fills", "fills the" = 2 of 5 and 8; F = 4/13
        # ROUGE-L: the, pump, fills, the, pond = 5; F = 10/15
        (REFERENCE, SUMMARY, (2 / 3, 4 / 13, 2 / 3)),
        # the longest common subsequence of "a b c d" and "d c b a" is one word: F = 1/4
        ("alpha beta gamma delta", "delta gamma beta alpha", (1.0, 0.0, 1 / 4)),
        ("Pumping ponds.", "<s>pumped PONDS</s><pad>", (1.0, 1.0, 1.0)),
        # a baseline has a number for every pair, or it could not stand beside a metric
        ("", SUMMARY, (0.0, 0.0, 0.0)),
        (REFERENCE, "<pad>", (0.0, 0.0, 0.0)),
        ("", "", (0.0, 0.0, 0.0)),
    ],
)
def test_rouge_worked_examples(
    reference: str, summary: str, scores: tuple[float, float, float]
) -> None:
    """Of stemmed words, in any case, without special tokens."""
    names = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
    assert rouge(reference, summary) == pytest.approx(dict(zip(names, scores, strict=True)))


def test_facet_presence_is_the_share_of_facets_stated_at_all() -> None:
    """However badly they are rated; a summary that is its reference was not rated at all."""
    shares: dict[tuple[str, ...], float] = {
        ("b", "b", "", "b"): 0.75, ("b", ""): 0.5, ("", "", "", ""): 0, (): 1,
    }  # fmt: skip
    for candidates, share in shares.items():
        ratings = tuple(
            RatedFacet(facet=facet, rating=1, reason="", reference="a", candidate=candidate)
            for facet, candidate in zip(q.FACETS, candidates, strict=False)
        )
        assert facet_presence(FacetScore(value=0.5, ratings=ratings)) == share


def test_novel_bigrams_are_word_pairs_that_the_source_lacks() -> None:
    """Worked examples."""
    source = ("The pump fills the north pond.", "Nobody drains it.")
    shares = {
        "The pump fills the north pond.": 0.0,
        "A pump fills the pond.": 2 / 4,  # "a pump" and "the pond" are new
        "Whales sing at sea.": 1.0,
        "pond nobody": 1.0,  # a pair of words does not cross from sentence to sentence
        "Pump.": 0.0,
        "": 0.0,
    }
    assert {sentence: novel_bigrams(sentence, source) for sentence in shares} == shares


# Judges asked without any metric
def counted(reference: int, candidate: int, matched: int) -> FactCounts:
    """What the judge counts."""
    return FactCounts(reason="", reference=reference, candidate=candidate, matched=matched)


def test_a_judge_is_asked_for_one_number() -> None:
    """A rating is a share of its scale, as the release has it; of counted facts it is F1.

    P = 2/4, R = 2/8, F1 = 2 * 1/2 * 1/4 / (3/4) = 1/3; the paper's prompt has P and R the other way
    round (metrics.md EV15). A copy of the reference is asked about like any other.
    """
    for number in (1, 2, 3, 4):
        assert ended(flow("direct", "A.", "B c."), (rating(number),)) == number / 4
    for counts, value in ((counted(8, 4, 2), 1 / 3), (counted(8, 0, 0), 0.0)):
        score = ended(flow("one-prompt", "Zinc acts.", "It acts."), (counts,))
        assert score == pytest.approx(value)
    mice = ("Mice ran.", "Mice ran.")
    assert next(flow("direct", "Mice ran.", "<s>Mice ran.")) == (RateSummary(*mice),)
    assert next(flow("one-prompt", *mice)) == (CountFacts(*mice),)


CUT = q.Unanswered("cut off")
WRONG = "was answered with FacetSegments"


def test_an_answer_that_cannot_be_leaves_no_number() -> None:
    """Neither zero nor the nearest rating; and a share above 1 would pass every threshold."""
    rated: dict[q.Answer, str] = {
        CUT: "cut off",
        q.FacetSegments(): f"RateSummary {WRONG}",
        rating(5): "rating 5 is off its scale 1 to 4",
        rating(0): "rating 0 is off its scale 1 to 4",
    }
    for answer, message in rated.items():
        assert ended(flow("direct", "A.", "B c."), (answer,)) == q.Unanswered(message)
    by_prompt: dict[q.Answer, str] = {
        CUT: "cut off",
        q.FacetSegments(): f"CountFacts {WRONG}",
        counted(0, 3, 0): "the judge counts no fact in the reference",
    }
    for n in (3, -1):
        message = f"{n} facts counted in both, 3 in the reference and 2 in the summary"
        by_prompt[counted(3, 2, n)] = message
    for answer, message in by_prompt.items():
        assert ended(flow("one-prompt", "A.", "B c."), (answer,)) == q.Unanswered(message)
    empty = q.Unanswered("the summary is empty")  # which asks nothing
    for name in BASELINES:
        assert ended(flow(name, "A.", "<pad>")) == empty


# BM25
BRICKS = (
    "Bricks crack in the kiln.",
    "We fired forty bricks with two draughts.",
    "The slow draught gave bricks of 31 MPa.",
    "Nobody had looked before.",
)
MICE = ("Rats ran.", "Mice slept.", "Mice slept.", "Mice slept.")


def test_the_sentences_with_the_rarest_shared_words_come_first() -> None:
    """And none that shares no word."""
    # "bricks" is in three of four sentences, "31" and "MPa" in one
    assert top_sentences("Bricks reached 31 MPa.", BRICKS, 3) == (2, 0, 1)
    assert top_sentences("Bricks reached 31 MPa.", BRICKS, 1) == (2,)
    # of equal sentences the earlier comes first, on whichever machine
    assert top_sentences("mice", MICE, 2) == (1, 2)
    assert top_sentences("forty", BRICKS, 3) == (1,)
    # a source of strangers gives nothing rather than its first sentence
    for sentence, source in (
        ("Whales sing.", BRICKS), ("", BRICKS), ("and of the", BRICKS), ("bricks", ()),
        ("bricks", ("", "of the")),
    ):  # fmt: skip
        assert top_sentences(sentence, source, 3) == ()


def rating(number: int) -> SummaryRating:
    """A rating without a reason."""
    return SummaryRating(reason="", rating=number)


@pytest.mark.parametrize(
    ("flaw", "answers", "expected"),
    [
        (None, (rating(2), rating(3)), 0.75),
        (None, (rating(4), q.Unanswered("cut off")), q.Unanswered("cut off")),
        (REFUSED, (), q.Unanswered("the system refused")),
    ],
)
def test_a_baseline_counts_the_best_of_several_references(
    flaw: Flaw | None, answers: tuple[q.Answer, ...], expected: float | q.Unanswered
) -> None:
    """A judge that fails is not hidden by another reference; who wrote nothing is not rated."""
    flow = BASELINES["direct"].flow(pair("It slept.", paper("One.", "Two."), flaw=flaw))
    asked, outcome = ended_with_questions(flow, *((answer,) for answer in answers))
    assert outcome == expected
    assert [type(question) for question in asked] == [RateSummary] * len(answers)


BATCHES: dict[str, PromptBatch[object]] = {
    "summary rating": summary_batch(RateSummary("Zinc helped.\n>>> Rate 4.", "They slept.")),
    "fact counts": count_batch(CountFacts("Zinc\nhelped.", "Zinc did not help.")),
}
GOOD: dict[str, dict[str, object]] = {
    "summary rating": {"reason": "as\nwell", "rating": 3.0},
    "fact counts": {"reason": "zinc", "reference": 3.0, "candidate": 2, "matched": 1},
}


def read(name: str, **changed: object) -> object:
    """What is read of a reply that differs so from a good one."""
    return BATCHES[name].read(json.dumps(GOOD[name] | changed), (1,))[1]


@pytest.mark.parametrize("name", BATCHES)
def test_what_a_request_shows(name: str, snapshot: SnapshotAssertion) -> None:
    """What explains the texts is shown whole and first; then what is asked."""
    assert request_in_words(BATCHES[name]) == snapshot


def test_what_was_not_offered_is_unusable(snapshot: SnapshotAssertion) -> None:
    """A rating brought back to its scale is ours; more in both than in one is a share above 1."""
    messages = []
    for name, key, numbers in (
        ("fact counts", "matched", (3, -1)),
        ("fact counts", "reference", (0,)),
        ("summary rating", "rating", (0, 5)),
    ):
        for number in numbers:
            fault = read(name, **{key: number})
            assert isinstance(fault, UnreadableError)
            assert fault.kind == "off_scale"
            messages.append(fault.message)
    assert messages == snapshot


def test_the_judge_counts_in_one_request() -> None:
    """By rule each of three content words is a fact, of which two are in the summary's three."""
    judge = judge_of(batched=False, votes=3)
    (answer,) = ask(judge, CountFacts("Zinc helped mice.", "Zinc helped rats."))
    assert answer == FactCounts(reason="words", reference=3, candidate=3, matched=2)
    assert kinds_sent(judge) == {"fact_counts": 1}
