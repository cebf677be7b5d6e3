"""Records of schema 1 as lines of today's.

Schema 1 kept no judge's name, no policy and no digest of summaries. What can be told from the rest
is filled in; what cannot is left out, and refused by name where a decision needs it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.suite.values import summaries_digest
from summeval_pytest.verdict.run import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        run = _of_stream(text.strip().split("\n")) if is_stream else json.loads(text)
        if run["schema"] != 1:
            raise ValueError(
                f"it has schema {run['schema']!r:.20}, this version reads 1 and {SCHEMA}"
            )
        yield from _lines(run)
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise ValueError(f"it is not as any version wrote it ({error})") from None


def _of_stream(lines: Iterable[str]) -> dict[str, Any]:
    """The run of a stream: its first or last line, with the items of the others."""
    run: dict[str, Any] = {}
    items: dict[str, dict[str, list[Any]]] = {}
    for text in lines:
        line = json.loads(text)
        run = line.get("begun") or line.get("ended") or run
        for key, name in _LISTS.items():
            if key in line:
                items.setdefault(line["suite"], {}).setdefault(name, []).append(line[key])
    for suite in run["suites"]:
        suite.update(items.get(suite["shown"], {}))
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
    if suite.get("golden") and trust.get("n_pairs") not in {0, len(suite["golden"])}:
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
    texts = {pair["paper"]: pair["summary"] for pair in pairs if pair["system"] == system["name"]}
    kept = {"name", "place", "papers", "outcome", "fault", "baseline", "comparison"}
    found = {key: value for key, value in system.items() if key in kept}
    if comparison := found.get("comparison"):
        comparison.pop("shifts", None)
        phrases = comparison.get("undecided", ())
        found["comparison"] = comparison | {"undecided": [["", phrase] for phrase in phrases]}
    is_whole = set(texts) == set(system["papers"])
    return found | {"summaries": summaries_digest(texts) if is_whole else ""}


def _pair(pair: dict[str, Any]) -> dict[str, Any]:
    verdict = pair["verdict"]
    unscored = {"unscored": verdict.pop("lacking", [])}
    for score in pair["scores"]:
        for rated in (score, *score.get("by_reference", ())):
            for rating in rated.get("ratings", ()):
                rating.pop("calibrated", None)
    fault = pair.get("fault", "") if not pair.get("signatures") else ""
    return pair | {"verdict": verdict | unscored, "fault": fault}
