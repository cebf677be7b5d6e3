"""Converts records of schema 1 into lines of today's.

Schema 1 kept no judge's name, no policy and no digest of summaries. What follows from the rest
is filled in; what cannot is left out, and refused by name where a decision needs it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from summeval_pytest.suite.values import summaries_digest
from summeval_pytest.verdict.run import SCHEMA

_LISTS: Final = {"pair": "pairs", "paper": "papers", "system": "systems", "waiver": "waivers"} | {
    "golden": "golden"
}


def upgraded(text: str) -> Iterator[dict[str, Any]]:
    """The lines, without the last one, of a record of schema 1: one JSON value, or a stream.

    Raises:
        ValueError: for what is none.
    """
    try:
        is_stream = text.startswith('{"begun":')
        run = _of_stream(text) if is_stream else json.loads(text)
        if run["schema"] != 1:
            raise ValueError(
                f"it has schema {run['schema']!r:.20}, this version reads 1 and {SCHEMA}"
            )
        yield from _lines(run)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError(f"it is not as any version wrote it ({error})") from None


def _of_stream(text: str) -> dict[str, Any]:
    """The run of a stream: its last line, or its first where it was cut, with all the items."""
    first, *lines = [json.loads(line) for line in text.split("\n")[:-1]]
    last = lines[-1] if lines else first
    run: dict[str, Any] = last.get("ended") or first["begun"]
    for suite in run["suites"]:
        suite["is_cut"] = "ended" not in last or suite.get("is_cut", False)
        for key, name in _LISTS.items():
            items = [line[key] for line in lines if key in line and line["suite"] == suite["shown"]]
            suite[name] = items or suite.get(name, [])
    return run


def _lines(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    suites = run.pop("suites")
    names = {(suite.get("trust") or {}).get("floors_of") for suite in suites} - {None, ""}
    judge = {"name": names.pop() if len(names) == 1 else None, "signature": run["judge"]}
    yield {"run": run | {"schema": SCHEMA, "judge": judge, "suites": [_suite(s) for s in suites]}}
    for suite in suites:
        for key in ("paper", "pair", "golden"):
            for item in suite.get(_LISTS[key], ()):
                yield {"suite": suite["shown"], key: _pair(item) if key == "pair" else item}


def _suite(suite: dict[str, Any]) -> dict[str, Any]:
    if suite.get("is_calibrated"):
        raise ValueError("its ratings were calibrated, which no version does any more; judge again")
    trust = suite.get("trust") or {}
    is_whole = trust.get("n_pairs", 0) == len(suite.get("golden", ()))
    if not (is_whole or trust.get("fault") or suite.get("is_cut")):
        raise ValueError(f"suite {suite['name']!r} has not all of its golden answers")
    floors = [floor for each in trust.get("agreements", ()) for floor in each.get("floors", ())]
    kept = {"name", "shown", "fingerprint", "trust", "waivers", "is_cut", "own_numbers"}
    return {key: value for key, value in suite.items() if key in kept} | {
        "labels": trust.get("labels", ""),
        "policy": {
            "thresholds": suite["thresholds"],
            "floors": [{"judge": trust.get("floors_of", ""), "floors": floors}] if floors else [],
            "waivers": {"waivers": [use["waiver"] for use in suite["waivers"]]},
        },
        "systems": [_system(system, suite["pairs"]) for system in suite["systems"]],
        "golden_fault": trust.get("fault", ""),
    }


def _system(system: dict[str, Any], pairs: list[dict[str, Any]]) -> dict[str, Any]:
    of_system = [pair for pair in pairs if pair["system"] == system["name"]]
    texts = {pair["paper"]: pair["summary"] for pair in of_system}
    kept = {"name", "place", "papers", "outcome", "fault", "baseline", "comparison"}
    result = {key: value for key, value in system.items() if key in kept}
    if comparison := result.get("comparison"):
        comparison.pop("shifts", None)
        for difference in comparison.get("differences", ()):
            del difference["deviation"], difference["detectable"]
        undecided = [[each.partition(" ")[0], each] for each in comparison.get("undecided", ())]
        result["comparison"] = comparison | {"undecided": undecided}
    is_asked = all(pair["place"] == system["place"] for pair in of_system)
    is_whole = set(texts) == set(system["papers"])
    return result | {"summaries": summaries_digest(texts) if is_whole and not is_asked else ""}


def _pair(pair: dict[str, Any]) -> dict[str, Any]:
    verdict = pair["verdict"]
    unscored = {"unscored": verdict.pop("lacking", [])}
    for score in pair["scores"]:
        for rated in (score, *score.get("by_reference", ())):
            for rating in rated.get("ratings", ()):
                rating.pop("calibrated", None)
    fault = pair.get("fault", "") if not pair.get("signatures") else ""
    return pair | {"verdict": verdict | unscored, "fault": fault}
