"""What the LLM judge can use, found in its request within microseconds.

The server of a benchmark shares the machine with what is measured, so it reads no more than it has
to. Every reply holds all that was asked for, so that nothing is asked twice:

    facets:    each the whole text
    sentences: the sentence itself as its only fact
    ratings:   2, which is on every scale
    facts:     entailed by the first premise
    checks:    supported by the source's first sentence, quoted
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import cast

FACETS = ("background", "method", "result", "conclusion")

Body = Mapping[str, object]

_LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_ASKED = re.compile(r"^(?:Work on|Check) (?:sentences|facts): ([\d, -]+)\.", re.MULTILINE)


def answer(body: Body) -> str:
    """The reply to a request of the LLM judge, which has to send its schema; else KeyError."""
    wanted = cast("Mapping[str, Mapping[str, Mapping[str, object]]]", body["response_format"])
    asked = wanted["json_schema"]
    user = cast("list[Mapping[str, str]]", body["messages"])[-1]["content"]
    match cast("str", asked["name"]):
        case "facet_segments":
            return json.dumps(dict.fromkeys(FACETS, user.split("\n", 2)[1]))
        case "facts":
            reply = {"sentences": _stated(user)}
        case "facet_ratings":
            facets = cast("Mapping[str, object]", asked["schema"]["properties"])
            rated = {"reason": "close", "coverage": 50, "rating": 2}
            return json.dumps(dict.fromkeys(facets, rated))
        case "fact_checks":
            reply = {"checks": _checked(user, {"premises": [1], "label": "entailed"})}
        case "sentence_checks":
            first = next(_LINE.finditer(user))
            evidence = [{"id": int(first[1]), "quote": first[2]}]
            reply = {"checks": _checked(user, {"evidence": evidence, "label": "supported"})}
        case kind:
            raise KeyError(kind)
    return json.dumps(reply)


def _stated(user: str) -> list[dict[str, object]]:
    lines = {int(line[1]): line[2] for line in _LINE.finditer(user)}
    return [{"id": id_, "facts": [{"text": lines[id_], "refines": 0}]} for id_ in _ids(user)]


def _checked(user: str, found: Mapping[str, object]) -> list[dict[str, object]]:
    return [{"id": id_, "reason": "so it says", **found} for id_ in _ids(user)]


def _ids(user: str) -> list[int]:
    """The numbers of the items asked about, from the line that ends a request."""
    ids: list[int] = []
    for run in _ASKED.findall(user)[-1].split(", "):
        first, _, last = run.partition("-")
        ids.extend(range(int(first), int(last or first) + 1))
    return ids
