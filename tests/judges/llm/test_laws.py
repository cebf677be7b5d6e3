"""What holds whatever a model replies."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatReply, Finish
from summeval_pytest.errors import Place
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.questions import (
    CheckFacts,
    CheckSentences,
    FacetPair,
    FacetRatings,
    FacetSegments,
    Fact,
    FactChecks,
    FactList,
    ListFacts,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.run.measure import Asker, evaluate
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.judges.llm.by_rule import RuleSender, ask, judge_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from summeval_pytest.endpoints.chat import ChatRequest
    from summeval_pytest.metrics.score import Score
    from summeval_pytest.questions import Question
    from summeval_pytest.run.measure import Evaluation
    from tests.judges.llm.by_rule import Hook

SOURCE = (
    "Kilns with a slow draught are rare in the valley.",
    "We fired forty bricks in two kilns and weighed each of them twice.",
    "The slow draught gave bricks of 31 MPa, and the fast draught gave bricks of 22 MPa.",
    "Cracks were seen in 4 of 20 bricks from the fast draught.",
    "Slow firing is worth its fuel where bricks must carry a roof.",
)
REFERENCE = " ".join(SOURCE).replace("rare", "seldom seen")
SUMMARY = (
    "Slow kilns are rare in the valley. We fired forty bricks in two kilns and counted them. "
    "The slow draught gave bricks of 31 MPa, and the fast draught gave bricks of 35 MPa. "
    "Slow firing is worth its fuel."
)


PAIR = Pair(
    paper=Paper(
        id="kiln-02",
        source=(Section(heading="", text=" ".join(SOURCE)),),
        references=(REFERENCE,),
        reference_facets=None,
        reference_facts=None,
        place=Place("papers.jsonl", 1),
    ),
    system="careful",
    summary=SUMMARY,
    place=Place("careful.jsonl", 1),
)


def measured(sender: RuleSender, *, votes: int = 1) -> Evaluation:
    """The summary of the bricks' paper, by all three metrics."""
    asker = Asker(LlmJudge(sender, model="m", endpoint="rule", votes=votes))
    return asyncio.run(evaluate(PAIR, asker, suite="s"))


QUESTIONS: tuple[Question, ...] = (
    SegmentFacets(" ".join(SOURCE)),
    RateFacets(
        (
            FacetPair(facet="method", reference=SOURCE[1], candidate=SOURCE[1]),
            FacetPair(facet="result", reference=SOURCE[2], candidate=SOURCE[3]),
        )
    ),
    ListFacts(SOURCE),
    CheckFacts(tuple(Fact(text=t, sentence=0, parent=0 if t else None) for t in SOURCE), SOURCE),
    CheckSentences(SOURCE[:3], SOURCE),
)

DIRECT = RateSummary(REFERENCE, SUMMARY)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 6)
    | st.floats()
    | st.sampled_from(["id", "label", "entailed", "supported", "result", "checks"])
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "label", "checks", "sentences", "reason", "facts", "method"])
            | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def _drop(holder: dict[str, object] | list[object], place: int, value: object) -> None:
    del value
    if holder and isinstance(holder, dict):
        del holder[list(holder)[place % len(holder)]]
    elif isinstance(holder, list):
        del holder[place % max(1, len(holder)) :]


def _put(holder: dict[str, object] | list[object], place: int, value: object) -> None:
    if holder and isinstance(holder, dict):
        holder[list(holder)[place % len(holder)]] = value
    elif isinstance(holder, list):
        holder.insert(place % (len(holder) + 1), value)


def _repeat(holder: dict[str, object] | list[object], place: int, value: object) -> None:
    del value
    if holder and isinstance(holder, list):
        holder.append(holder[place % len(holder)])


@st.composite
def edits(draw: st.DrawFn) -> Callable[[str], str]:
    """A part of a reply that is left out, another one, or there twice."""
    edit = draw(st.sampled_from([_drop, _put, _repeat]))
    place, value = draw(st.integers(0, 400)), draw(json_values)

    def mutate(text: str) -> str:
        reply = json.loads(text)
        holders: list[dict[str, object] | list[object]] = []
        _collect(reply, holders)
        edit(holders[place % len(holders)], place, value)
        return json.dumps(reply)

    return mutate


mutations = (
    edits()
    | st.text(max_size=12).map(lambda words: lambda text: f"{words}{text}{words}")
    | st.text(max_size=12).map(lambda words: lambda text: words + text[:0])
    | st.integers(0, 400).map(lambda place: lambda text: text[:place])
    | json_values.map(lambda value: lambda text: json.dumps(value) + text[:0])
)
"""Some way in which a reply may differ from what was asked for."""


def _collect(value: object, into: list[dict[str, object] | list[object]]) -> None:
    if isinstance(value, dict | list):
        into.append(value)
        for inner in value.values() if isinstance(value, dict) else value:
            _collect(inner, into)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(mutations, min_size=1, max_size=4),
    st.lists(st.sampled_from(get_args(Finish)), min_size=1, max_size=3),
    st.integers(1, 3),
)
def test_every_reply_ends_in_answers_of_the_right_kind_and_count(
    mutated: list[Callable[[str], str]], finishes: list[Finish], votes: int
) -> None:
    """Replies are other people's text: whatever they hold, every item has an answer or none."""
    n_sent = 0

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        nonlocal n_sent
        n_sent += 1
        assert request.attempt <= 2
        return ChatReply(
            text=mutated[n_sent % len(mutated)](text), finish=finishes[n_sent % len(finishes)]
        )

    judge = judge_of(hook, votes=votes)
    segments, ratings, listed, facts, sentences = ask(judge, *QUESTIONS)
    assert isinstance(segments, FacetSegments | Unanswered)
    assert isinstance(listed, FactList | Unanswered)
    assert isinstance(ratings, FacetRatings)
    assert isinstance(facts, FactChecks)
    assert isinstance(sentences, SentenceChecks)
    assert [len(ratings.ratings), len(facts.checks), len(sentences.checks)] == [2, 5, 3]
    for item in (segments, listed, *ratings.ratings, *facts.checks, *sentences.checks):
        if isinstance(item, Unanswered):
            assert item.reason.isprintable()
    json.dumps(str((segments, ratings, listed, facts, sentences))).encode("utf-8")


HOSTILE = (
    *("NaN", "Infinity", "1e999", "-1e999", "1e308", "9" * 1_000, "9" * 5_000, "-0", "1.0"),
    *('"\\ud800"', '"\\udfff x"', '"\\u0000"', '{"a": 1, "a": 2}', '{"id": 1e999}', "true", "null"),
    *(opened * depth + "0" + closed * depth
      for depth in (90, 101, 900, 970, 980, 990, 100_000)
      for opened, closed in (("[", "]"), ('{"a":', "}"))),
)  # fmt: skip
"""JSON, or what some readers take for JSON, that breaks who does not expect it."""


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(HOSTILE), st.integers(0, 60), st.sampled_from([*QUESTIONS, DIRECT]))
def test_hostile_json_is_read_or_unusable(token: str, place: int, question: Question) -> None:
    """Whatever stands for one value of a reply, no reader breaks, and no message runs over."""

    def hook(_: ChatRequest, text: str) -> str:
        reply = json.loads(text)
        holders: list[dict[str, object] | list[object]] = []
        _collect(reply, holders)
        held = [(h, k) for h in holders for k in (h if isinstance(h, dict) else range(len(h)))]
        holder, key = held[place % len(held)]
        holder[key] = "here"  # type: ignore[index]  # a key of this holder
        return json.dumps(reply).replace('"here"', token)

    (answer,) = ask(judge_of(hook), question)
    items = (answer, *getattr(answer, "ratings", ()), *getattr(answer, "checks", ()))
    reasons = [item.reason for item in items if isinstance(item, Unanswered)]
    assert all(reason.isprintable() and len(reason) < 300 for reason in reasons)
    str(answer).encode()


def without(kind: str, place: int, *, attempts: int, vote: int | None = None) -> Hook:
    """A model that leaves one item out of replies of a kind, at so many first attempts."""

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        is_meant = kind_of(request) == kind and request.attempt < attempts
        if not is_meant or vote not in {None, request.vote}:
            return text
        reply = json.loads(text)
        entries = next(iter(reply.values()))
        if isinstance(entries, list):
            ids = [entry["id"] for entry in entries if entry["id"] == place]
            reply = {"checks" if "checks" in reply else "sentences": [
                entry for entry in entries if entry["id"] not in ids
            ]}  # fmt: skip
        else:
            reply.pop(list(reply)[place % len(reply)])
        return json.dumps(reply)

    return hook


WHOLE = {score.metric: score for score in measured(RuleSender()).scores}


def scored(sender: RuleSender, *, votes: int = 1) -> list[tuple[Score | Unscored, Score]]:
    """What each metric comes to, and what it came to with whole replies."""
    pairs = []
    for score in measured(sender, votes=votes).scores:
        whole = WHOLE[score.metric]
        assert not isinstance(whole, Unscored)
        pairs.append((score, whole))
    return pairs


def test_the_whole_replies_leave_room_to_rise() -> None:
    """A score of 1 could not be raised, and the laws below would hold of nothing."""
    assert all(not isinstance(s, Unscored) and 0 < s.value < 1 for s in WHOLE.values())


kinds = st.sampled_from(["facets_and_facts", "facet_ratings", "fact_checks", "sentence_checks"])


@settings(deadline=None, max_examples=15)
@given(kinds, st.integers(1, 8), st.integers(1, 3))
def test_a_reply_that_drops_an_item_never_raises_a_score(
    kind: str, place: int, attempts: int
) -> None:
    """Other tools divide by the items that came back (metrics.md section 6, failure 1).

    What is answered when asked again alone leaves the score as it was; what is never answered
    leaves no score.
    """
    sender = RuleSender(without(kind, place, attempts=attempts))
    for score, whole in scored(sender):
        assert score == whole if attempts < 3 else isinstance(score, Unscored) or score == whole


@settings(deadline=None, max_examples=10)
@given(st.integers(1, 8), st.integers(0, 3), st.sampled_from(["premises", "evidence"]))
def test_a_check_that_names_less_evidence_never_raises_a_score(
    place: int, index: int, key: str
) -> None:
    """Premises carry recall; a fact entailed by none is asked about again."""

    def hook(request: ChatRequest, text: str) -> ChatReply | str:
        reply = json.loads(text)
        for entry in reply.get("checks", []):
            if entry["id"] == place and key in entry and request.attempt == 0:
                entry[key] = entry[key][:index] + entry[key][index + 1 :]
        return json.dumps(reply)

    for score, whole in scored(RuleSender(hook)):
        assert isinstance(score, Unscored) or score.value <= whole.value
