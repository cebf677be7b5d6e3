from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.asking import Tally
from summeval_pytest.judges.llm.facets_and_facts import Style
from summeval_pytest.judges.llm.judge import LlmJudge
from summeval_pytest.judges.llm.recipe import prompt_hash
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactCounts,
    FactList,
    ListFacts,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from tests.judges.llm.by_rule import RuleSender, ask, judge_of, kind_of, kinds_sent, sent_by

if TYPE_CHECKING:
    from summeval_pytest.endpoints.chat import ChatRequest
    from summeval_pytest.questions import Answer, Question
    from tests.judges.llm.by_rule import Hook

SENTENCES = (
    "Bricks crack.",
    "We fired forty bricks and weighed them.",
    "Slow firing gave bricks of 31 MPa.",
    "Slow firing is worth its fuel.",
)
TEXT = " ".join(SENTENCES)
FACTS = (
    Fact(text="Forty bricks were fired.", sentence=0),
    Fact(text="Slow firing gave 31 MPa.", sentence=1),
    Fact(text="Slow firing gave 22 MPa.", sentence=1, parent=1),
)
PAIRS = (
    FacetPair(facet="method", reference="We fired forty bricks.", candidate="Forty bricks fired."),
    FacetPair(facet="result", reference="Slow firing gave 31 MPa.", candidate="Fuel was dear."),
)


def test_every_kind_of_question_is_answered_in_order() -> None:
    """Worked example; the rules of the model are in by_rule.py."""
    judge = judge_of()
    answers = ask(
        judge,
        CheckSentences(("Forty bricks were fired.", "Winter came."), SENTENCES),
        SegmentFacets(TEXT),
        CheckFacts(FACTS, SENTENCES),
        ListFacts(SENTENCES),
        RateFacets(PAIRS),
    )
    assert answers == (
        SentenceChecks(
            (
                SentenceCheck(reason="words", supported=True, evidence=(1,)),
                SentenceCheck(reason="words", supported=False),
            )
        ),
        FacetSegments(
            background=SENTENCES[0],
            method=SENTENCES[1],
            result=SENTENCES[2],
            conclusion=SENTENCES[3],
        ),
        FactChecks(
            (
                FactCheck(reason="words", entailed=True, premises=(1,)),
                FactCheck(reason="words", entailed=True, premises=(2,)),
                FactCheck(reason="words", entailed=False),
            )
        ),
        FactList(
            (
                Fact(text="Bricks crack.", sentence=0),
                Fact(text="We fired forty bricks.", sentence=1),
                Fact(text="weighed them.", sentence=1, parent=1),
                Fact(text="Slow firing gave bricks of 31 MPa.", sentence=2),
                Fact(text="Slow firing is worth its fuel.", sentence=3),
            )
        ),
        FacetRatings(
            (
                FacetRating(facet="method", reason="100% of the words", rating=4),
                FacetRating(facet="result", reason="0% of the words", rating=1),
            )
        ),
    )
    assert judge.tally == Tally()


def test_facets_and_facts_of_a_text_are_one_request() -> None:
    """Two metrics ask about the same sentences; the sender is asked twice and sends once."""
    judge = judge_of()
    ask(judge, SegmentFacets(TEXT), ListFacts(SENTENCES))
    assert kinds_sent(judge) == {"facets_and_facts": 1}


def test_long_questions_are_cut_into_requests() -> None:
    """Of 32 facts in chains of 2, seven chains fit a request of 15, and twelve one of 25.

    Of 30 sentences, 12 are worked on at once, and 15 checked.
    """
    judge = judge_of()
    many = tuple(f"Kiln {n} was hot." for n in range(30))
    chains = tuple(
        Fact(text=f"Kiln {n} was hot.", sentence=n // 2, parent=n - 1 if n % 2 else None)
        for n in range(32)
    )
    ask(
        judge,
        ListFacts(many),
        CheckSentences(many, SENTENCES),
        CheckFacts(chains, SENTENCES),
        CheckFacts(chains, SENTENCES, every_premise=False),
    )
    assert [request.topic.rpartition("', ")[2] for request in sent_by(judge)] == [
        "1-12", "13-24", "25-30", "1-15", "16-30", "1-14", "15-28", "29-32", "1-24", "25-32",
    ]  # fmt: skip


def test_one_by_one_every_item_has_a_request_of_its_own() -> None:
    """One call for each sentence, facet and fact is how the papers' numbers were made."""
    judge = judge_of(batched=False)
    questions = (
        SegmentFacets(TEXT),
        ListFacts(SENTENCES),
        RateFacets(PAIRS),
        CheckFacts(FACTS, SENTENCES),
        CheckSentences(SENTENCES[:2], SENTENCES),
    )
    assert ask(judge, *questions) == ask(judge_of(), *questions)
    assert kinds_sent(judge) == {
        "facets": 4, "facts": 4, "facet_ratings": 2, "fact_checks": 3, "sentence_checks": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (SegmentFacets(""), FacetSegments()),
        (ListFacts(()), FactList(())),
        (RateFacets(()), FacetRatings(())),
        (CheckFacts((), SENTENCES), FactChecks(())),
        (CheckSentences((), SENTENCES), SentenceChecks(())),
        (
            CheckFacts(FACTS[:1], ()),
            FactChecks((FactCheck(reason="there is no premise", entailed=False),)),
        ),
        (
            CheckSentences(SENTENCES[:1], ()),
            SentenceChecks((SentenceCheck(reason="there is no source", supported=False),)),
        ),
    ],
    ids=["text", "sentences", "pairs", "facts", "checks", "premises", "source"],
)
def test_what_answers_itself_is_not_asked(question: Question, answer: Answer) -> None:
    """A request about nothing costs money and has no reply."""
    judge = judge_of()
    assert ask(judge, question) == (answer,)
    assert sent_by(judge) == []


def dropping(id_: int) -> Hook:
    """A model that never answers about one item."""

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        del request
        reply = json.loads(text)
        for key, entries in reply.items():
            if isinstance(entries, list):
                reply[key] = [entry for entry in entries if entry["id"] != id_]
        return ChatReply(text=json.dumps(reply))

    return hook


def test_an_item_without_an_answer_leaves_the_others_theirs() -> None:
    """It keeps its place, so that no answer stands for another fact."""
    judge = judge_of(dropping(2))
    (answer,) = ask(judge, CheckFacts(FACTS, SENTENCES))
    assert isinstance(answer, FactChecks)
    assert answer.checks[1] == Unanswered("item 2 is missing; ask again")
    assert [type(check) for check in answer.checks[::2]] == [FactCheck, FactCheck]
    assert judge.tally == Tally(n_reasked=2, n_unanswered=1)


@pytest.mark.parametrize("question", [SegmentFacets(TEXT), ListFacts(SENTENCES)], ids=type)
def test_a_text_with_a_sentence_unread_is_unanswered_as_a_whole(question: Question) -> None:
    """Its facts would be fewer, and fewer facts have a higher precision."""
    assert ask(judge_of(dropping(3)), question) == (Unanswered("item 3 is missing; ask again"),)


def test_facts_with_invented_numbers_and_quotes_with_invented_words_are_counted() -> None:
    """They are the judge's faults, and the report says how many."""

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        del request
        return text.replace("Bricks crack.", "9 bricks crack.").replace(
            '"quote": "We fired forty', '"quote": "We fired 50'
        )

    judge = judge_of(hook)
    listed, checked = ask(
        judge, ListFacts(SENTENCES), CheckSentences(("Forty bricks were fired.",), SENTENCES)
    )
    assert isinstance(listed, FactList)
    assert len(listed.facts) == 4
    assert checked == SentenceChecks(
        (SentenceCheck(reason="words", supported=True, n_ungrounded=1),)
    )
    assert judge.tally == Tally(n_ungrounded_quotes=1, n_dropped_facts=1)


def test_votes_are_asked_under_their_own_numbers_and_orders() -> None:
    """A second vote equal to the first in every byte would be the first one's reply again."""
    judge = judge_of(votes=3)
    ask(judge, CheckSentences(SENTENCES, SENTENCES), ListFacts(SENTENCES))
    checks = [r for r in sent_by(judge) if kind_of(r) == "sentence_checks"]
    assert [(request.vote, request.seed) for request in checks] == [(0, 0), (1, 1), (2, 2)]
    assert len({request.messages[1].content for request in checks}) == 3
    source = checks[0].messages[1].content.split("<<<sentences")[0]
    assert all(request.messages[1].content.startswith(source) for request in checks)
    assert kinds_sent(judge)["facets_and_facts"] == 1
    assert (judge.tally.n_voted, judge.tally.n_agreeing) == (4, 4.0)


def voting(*labels: str) -> Hook:
    """A model whose votes on the first item are these; where one is empty it has no reply."""

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        label, reply = labels[request.vote], json.loads(text)
        for entry in reply["checks"]:
            entry["reason"] = f"vote {request.vote}"
            if entry["id"] == 1:
                entry["label"] = label
        return json.dumps(reply)

    return hook


CHECK = CheckFacts(FACTS[:1], SENTENCES)


@pytest.mark.parametrize(
    ("labels", "entailed", "support", "reason"),
    [
        (("not_entailed", "entailed", "entailed"), True, 2 / 3, "vote 1"),
        (("entailed", "not_entailed"), False, 1 / 2, "vote 1"),
        (("entailed", "", "entailed"), True, 1.0, "vote 0"),
        (("entailed", "", "not_entailed"), False, 1 / 2, "vote 2"),
        (("not_entailed",) * 3, False, 0.0, "vote 0"),
    ],
    ids=["majority", "tie", "lost", "lost tie", "none"],
)
def test_labels_go_by_majority(
    labels: tuple[str, ...], entailed: bool, support: float, reason: str
) -> None:
    """Reason and premises are of the first vote that agrees; support is the share that affirms."""
    judge = judge_of(voting(*labels), votes=len(labels))
    (answer,) = ask(judge, CHECK)
    assert answer == FactChecks(
        (FactCheck(reason=reason, entailed=entailed, premises=(1,), support=support),)
    )


def test_agreement_is_the_mean_over_items() -> None:
    """Item 1: two of three agree; items 2 and 3: all three. 2/3 + 1 + 1 = 8/3."""
    judge = judge_of(voting("entailed", "entailed", "not_entailed"), votes=3)
    ask(judge, CheckFacts(FACTS, SENTENCES))
    assert judge.counts()["n_voted"] == 3
    assert judge.counts()["n_agreeing"] == pytest.approx(8 / 3)


def test_the_signature_holds_all_that_moves_the_answers() -> None:
    """And it is one judge among others."""
    judge = judge_of()
    assert judge.in_flight == 64
    assert judge.signature == f"m-1 at=rule temp=0 prompt={prompt_hash()} votes=1 calls=batched"
    other = judge_of(votes=3, batched=False)
    assert other.signature == f"m-1 at=rule temp=0 prompt={prompt_hash()} votes=3 calls=single"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"votes": 0}, "votes is 0; it has to be 1 or more"),
        ({"in_flight": -1}, "in_flight is -1; it has to be 1 or more"),
        ({"model": ""}, "an LLM judge needs the name of a model and of its endpoint"),
        ({"endpoint": ""}, "an LLM judge needs the name of a model and of its endpoint"),
    ],
    ids=["votes", "in flight", "model", "endpoint"],
)
def test_a_judge_that_cannot_judge_is_refused(wrong: dict[str, object], message: str) -> None:
    """No votes would answer everything with nothing."""
    settings: dict[str, object] = {"model": "m", "endpoint": "e"} | wrong
    with pytest.raises(OptionError) as caught:
        LlmJudge(RuleSender(), **settings)  # type: ignore[arg-type]  # a wrong value is the point
    assert str(caught.value) == message


def test_the_style_of_ratings_is_in_request_and_signature() -> None:
    """Another rubric, or examples, may move every rating."""
    usual = judge_of()
    other = LlmJudge(
        RuleSender(), model="m-1", endpoint="rule", style=Style(rubric="release", examples=True)
    )
    ask(usual, RateFacets(PAIRS[:1]))
    ask(other, RateFacets(PAIRS[:1]))
    (plain,), (styled,) = sent_by(usual), sent_by(other)
    assert "## Examples" in styled.messages[0].content
    assert "## Examples" not in plain.messages[0].content
    assert "nothing relevant" in plain.messages[0].content.split("## Reply", maxsplit=1)[0]
    assert "nothing relevant" not in styled.messages[0].content
    assert plain.messages[1] == styled.messages[1]
    assert other.signature.endswith(" calls=batched rubric=release examples=7")
    assert usual.signature.endswith(" calls=batched")


@pytest.mark.parametrize("batched", [True, False])
def test_the_judge_counts_in_one_request(*, batched: bool) -> None:
    """By rule each of three content words is a fact, of which two are in the summary's three."""
    judge = judge_of(batched=batched, votes=3)
    (answer,) = ask(judge, CountFacts("Zinc helped mice.", "Zinc helped rats."))
    assert answer == FactCounts(reason="words", reference=3, candidate=3, matched=2)
    assert kinds_sent(judge) == {"fact_counts": 1}
