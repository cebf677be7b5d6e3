"""Decision endpoints: questions about one input, which are answered by probabilities.

OpenAI's ``POST /v1/decisions`` and TypeSafe's ``POST /v1/systemone`` ask the same in two forms. A
request is a `ChatRequest` of another route: its first message is the input as JSON, its second the
questions. So its reply is stored, replayed and paid for as any other. The text of a reply is the
JSON of its answers, as they came.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
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
    """The reply that a body holds, whatever its answers are worth.

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
