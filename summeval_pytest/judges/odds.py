"""What the reply of a decision model answers to each question: odds, or why there are none."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.endpoints.decisions import DecisionQuestion

_SLACK: Final = 0.05
"""How far the probabilities of a question may be from a sum of 1: servers round them."""


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why a question has no usable answer; a refusal is the model's own."""

    reason: str
    is_refusal: bool = False


Odds = tuple[float, ...]
"""The probability of each option in order; that of a truth alone where there are none."""


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
