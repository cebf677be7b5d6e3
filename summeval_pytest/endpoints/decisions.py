"""Decision endpoints: questions about one input, which are answered by probabilities.

OpenAI's ``POST /v1/decisions`` and TypeSafe's ``POST /v1/systemone`` ask the same in two forms. A
request is a `ChatRequest` of another route: its first message is the input as JSON, its second the
questions. So its reply is stored, replayed and paid for as any other. The text of a reply is the
JSON of its answers, as they came.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from summeval_pytest.endpoints.chat import (
    ChatReply,
    ChatRequest,
    DecisionRoute,
    Message,
    Trouble,
    Usage,
    read_object,
    usage_of,
    word_of,
)
from summeval_pytest.errors import NoReplyError

MOST_QUESTIONS: Final = 400
"""Of one request; OpenAI refuses more."""
_CACHED: Final = 4096
"""Characters, some thousand tokens: OpenAI caches no shorter beginning of a prompt."""
_SLACK: Final = 0.05
"""How far the probabilities of a question may be from a sum of 1: servers round them."""
_NOT_SERVED: Final = 501
_TOO_MUCH: Final = frozenset(
    "bytes context exceed exceeds large length limit long many maximum most size tokens".split()
)
"""Words with which servers refuse too many questions, or too long an input."""
_SHARE: Final = 10
"""Fewer questions help only where the questions are a tenth of a request that is too long."""


@dataclass(frozen=True, slots=True)
class DecisionQuestion:
    """One question about the input; none of its words may be a paper's or a summary's.

    Attributes:
        options: What can be answered, and what it means, levels from low to high; without any, it
            is asked whether the instructions state a truth.
        is_scale: Whether the options are levels.
    """

    name: str
    instructions: str
    options: tuple[tuple[str, str], ...] = ()
    is_scale: bool = False


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a question has no usable answer; a refusal is the model's own."""

    reason: str
    is_refusal: bool = False


Odds = tuple[float, ...]
"""The probability of each option in order; that of a truth alone where there are none."""


def decision_request(  # noqa: PLR0913 - by keyword, each a fact of its own
    route: DecisionRoute,
    model: str,
    *,
    state: Mapping[str, object],
    questions: Sequence[DecisionQuestion],
    attempt: int = 0,
    topic: str = "",
) -> ChatRequest:
    """The request that asks these questions about an input."""
    texts = (state, [asdict(question) for question in questions])
    return ChatRequest(
        model=model,
        messages=tuple(Message("user", json.dumps(each, ensure_ascii=False)) for each in texts),
        max_tokens=0,
        attempt=attempt,
        route=route,
        topic=topic,
    )


def decision_body(request: ChatRequest) -> dict[str, object]:
    """A request's body as JSON values, as its route has them."""
    state, text = (message.content for message in request.messages)
    asked: list[dict[str, Any]] = json.loads(text)
    if request.route == "decisions":
        questions: object = [_openai_question(**each) for each in asked]
        return {"model": request.model, "input": state, "questions": questions}
    questions = {each.pop("name"): _typed_question(**each) for each in asked}
    return {"model": request.model, "state": json.loads(state), "questions": questions}


def sent_body(request: ChatRequest) -> dict[str, object]:
    """The body as it is sent: OpenAI reads inputs that begin alike once, if they name one cache.

    That changes no reply, so it is no part of a request's key.
    """
    values = decision_body(request)
    if request.route == "decisions":
        beginning = request.messages[0].content[:_CACHED].encode("utf-8", "replace")
        values["prompt_cache_key"] = hashlib.sha256(beginning).hexdigest()[:32]
    return values


def _openai_question(
    name: str, instructions: str, options: Sequence[tuple[str, str]], *, is_scale: bool
) -> dict[str, object]:
    values: dict[str, object] = {"type": "predicate", "name": name, "instructions": instructions}
    if is_scale:
        levels = [{"label": option, "description": meaning} for option, meaning in options]
        values |= {"type": "score", "levels": levels}
    elif options:
        choices = [{"value": option, "description": meaning} for option, meaning in options]
        values |= {"type": "choice", "choices": choices}
    return values


def _typed_question(
    instructions: str, options: Sequence[tuple[str, str]], *, is_scale: bool
) -> dict[str, object]:
    if not options:
        return {"type": "noul", "instructions": instructions}
    if is_scale:
        levels = [f"{option}: {meaning}" for option, meaning in options]
        return {"type": "score", "instructions": instructions, "criteria": levels}
    return {"type": "choice", "instructions": instructions, "criteria": dict(options)}


def read_decision(text: str) -> ChatReply:
    """The reply that a body holds, whatever its answers are worth: `read_odds` reads those.

    Raises:
        NoReplyError: "not_json" for what is no JSON text, "malformed" for what has no answers.
    """
    values = read_object(text)
    answers = values.get("answers")
    if not isinstance(answers, list | dict):
        raise NoReplyError("malformed", "its 'answers' are no list and no object")
    return ChatReply(
        text=json.dumps(answers, ensure_ascii=False, sort_keys=True),
        model=word_of(values.get("model")),
        usage=usage_of(values.get("usage"), "input", "output"),
    )


def settled(request: ChatRequest, outcome: ChatReply | Trouble) -> ChatReply | Trouble:
    """An attempt's outcome, where a request that is too large becomes a reply that was cut off.

    That reply is kept like any other, so that no later run asks in vain. Whoever reads it asks in
    parts. A server without the route is an error that no waiting cures.
    """
    if isinstance(outcome, ChatReply):
        return outcome
    if outcome.status == _NOT_SERVED:
        return replace(outcome, fault="unknown_model", may_pass=False)
    state, questions = (len(message.content) for message in request.messages)
    n_questions = len(json.loads(request.messages[1].content))
    is_about_them = any(each.startswith("question") for each in outcome.words)
    helps = n_questions > 1 and (is_about_them or questions * _SHARE > state)
    is_too_much = outcome.is_too_long or bool(outcome.words & _TOO_MUCH)
    if outcome.fault == "bad_request" and is_too_much and helps:
        return ChatReply(text=outcome.what, finish="length", usage=Usage(0, 0))
    return outcome


def read_odds(reply: ChatReply, questions: Sequence[DecisionQuestion]) -> list[Odds | NoAnswer]:
    """What a reply answers to each question, in order.

    Answers are found by their names. Those without a name count by their place, if there are as
    many as questions. A name that two answers have answers nothing.
    """
    answers: Any = []
    with suppress(ValueError, RecursionError):  # a line of a cassette may be anybody's
        answers = json.loads(reply.text)
    named: dict[str, list[Any]] = {question.name: [] for question in questions}
    if isinstance(answers, dict):
        pairs = list(answers.items())
    elif not isinstance(answers, list):
        pairs = []
    elif len(answers) == len(questions) and not any(map(_name_of, answers)):
        pairs = list(zip(named, answers, strict=True))
    else:
        pairs = [(_name_of(answer), answer) for answer in answers]
    for name, answer in pairs:
        if name in named:
            named[name].append(answer)
    return [_odds_of(question, named[question.name]) for question in questions]


def _name_of(answer: object) -> str:
    name = answer.get("name") if isinstance(answer, dict) else None
    return name if isinstance(name, str) else ""


def _odds_of(question: DecisionQuestion, answers: Sequence[Any]) -> Odds | NoAnswer:
    match answers:
        case [{"type": "refusal"}]:
            return NoAnswer("the model refused this question", is_refusal=True)
        case [{"type": "predicate", "probability": p} | {"type": "noul", "noul": p}]:
            odds = [] if question.options else [p]
        case [{"type": "choice" | "score" as kind, "probabilities": given}]:
            is_asked = bool(question.options) and question.is_scale == (kind == "score")
            odds = _of_options(question, given) if is_asked else []
        case []:
            return NoAnswer("the reply has no answer to this question")
        case _:
            return NoAnswer("the reply answers this question in another form")
    if not odds or not all(type(p) in {int, float} and 0 <= p <= 1 for p in odds):
        return NoAnswer("an answer has no probabilities from 0 to 1 for what was asked")
    if question.options and not math.isclose(sum(odds), 1, abs_tol=_SLACK):
        return NoAnswer(f"the probabilities of an answer add up to {sum(odds):.3g}")
    return tuple(map(float, odds))


def _of_options(question: DecisionQuestion, given: Any) -> list[Any]:
    """The probabilities in the options' order; none where they are of other options.

    `systemone` calls levels by their place from 0, `decisions` by their label.
    """
    options = [option for option, _ in question.options]
    if isinstance(given, list):
        label = "label" if question.is_scale else "value"
        if not all(isinstance(each, dict) for each in given):
            return []
        pairs = [(each.get(label), each.get("probability")) for each in given]
    elif isinstance(given, dict):
        pairs = list(given.items())
        options = [str(n) for n in range(len(options))] if question.is_scale else options
    else:
        return []
    by_option = {option: p for option, p in pairs if isinstance(option, str)}
    has_all = len(pairs) == len(options) and by_option.keys() == set(options)
    return [by_option[option] for option in options] if has_all else []
