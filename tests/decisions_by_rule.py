"""A decision model by rule, in both dialects: `decided` is the script of a `ScriptedServer`.

A sentence or fact is as probable as the share of its words in the source. A level is certain, by
the same share. A sentence of a reference states the facet of its place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.text.words import content_words
from tests.scripted_server import Action, Raw, Seen, Status

Json = dict[str, Any]
Change = Callable[[list[Json]], list[Json]]
"""What becomes of the answers, each with its name and in OpenAI's form, before they are sent."""
MOST: Final = 400


def decided(seen: Seen, change: Change | None = None, *, most: int = MOST) -> Action:
    """The response to a request: its answers, or why the endpoint takes no such request."""
    route = seen.path.rpartition("/")[2]
    if route not in {"decisions", "systemone"}:
        return Status(404, message=f"no route {seen.path}")
    asked: Any = seen.body["questions"]
    if route == "systemone":
        asked = [{"name": name, **question} for name, question in asked.items()]
    state: Any = seen.body.get("state") or json.loads(str(seen.body["input"]))
    if len(asked) > most:
        return Status(422 if route == "systemone" else 400, message=f"at most {most} questions")
    answers = [_answered(question, state) for question in asked]
    answers = change(answers) if change else answers
    n_tokens = len(json.dumps(seen.body)) // 4
    usage: Json = {"input_tokens": n_tokens, "output_tokens": 0}
    reply: Json = {"model": seen.model, "usage": usage}
    reply["answers"] = answers
    if route == "systemone":
        reply["answers"] = {each.pop("name"): _typed(each) for each in answers}
    return Raw(json.dumps(reply).encode())


def _answered(question: Json, state: Json) -> Json:
    name: str = question["name"]
    number = int(name[1:])
    listed = {
        each["number"]: each
        for key in ("sentences", "facts", "facets")
        for each in state.get(key, [])
    }
    item = listed[number]
    if name[0] == "g":
        place = min(number - 1, len(FACETS) - 1)
        options = [*FACETS, "none"]
        odds = [{"value": each, "probability": float(each == FACETS[place])} for each in options]
        return {"name": name, "type": "choice", "choice": FACETS[place], "probabilities": odds}
    if name[0] == "r":
        levels = question.get("levels") or question["criteria"]
        share = _share(item["reference"], state.get("summary") or item["summary"])
        chosen = round(share * (len(levels) - 1))
        levels_ = [
            {"label": str(n + 1), "value": n, "probability": float(n == chosen)}
            for n in range(len(levels))
        ]
        return {"name": name, "type": "score", "score": float(chosen), "probabilities": levels_}
    against = state["source"] if name[0] == "s" else " ".join(state["premises"])
    share = _share(item["text"], against)
    return {"name": name, "type": "predicate", "probability": round(share, 3)}


def _typed(answer: Json) -> Json:
    """The answer in TypeSafe's form."""
    if answer["type"] == "predicate":
        return {"type": "noul", "noul": answer["probability"]}
    if "probabilities" in answer:
        given = {str(each["value"]): each["probability"] for each in answer["probabilities"]}
        return {**answer, "probabilities": given}
    return answer


def _share(text: str, source: str) -> float:
    words, known = set(content_words(text)), set(content_words(source))
    return len(words & known) / len(words) if words else 1.0


def changing(**answers: Mapping[str, object] | None) -> Change:
    """Puts these answers in the place of a name's own; None takes it out."""

    def change(given: list[Json]) -> list[Json]:
        return [
            {"name": each["name"], **answers[each["name"]]}  # type: ignore[dict-item]
            if answers.get(each["name"])
            else each
            for each in given
            if answers.get(each["name"], each) is not None
        ]

    return change
