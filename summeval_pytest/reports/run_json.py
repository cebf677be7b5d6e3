"""A decided run as one JSON object, for scripts: outcomes, numbers, what is missed, and findings.

`docs/pages/reference/files.md` has its fields. The pairs are written one by one, so that a long
run fits into memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from summeval_pytest.errors import Place
from summeval_pytest.metrics.number import Finding
from summeval_pytest.record.record_file import as_json
from summeval_pytest.reports.cases import (
    Part,
    judge_parts,
    pair_case,
    pair_parts,
    system_case,
    system_parts,
)
from summeval_pytest.verdict.run import PairResult, RunVerdict, SuiteRecord, SystemResult

FORMAT: Final = 1
"""The version of this layout. New keys may come without a new version."""
_OTHERS: Final = re.compile(r"[^\x00-\x7f]+")
Fields = dict[str, object]


def json_pieces(run: RunVerdict) -> Iterator[str]:
    """The object, in pieces of its text."""
    head = {
        "format": FORMAT,
        "outcome": run.shown,
        "may_release": run.may_release,
        "partial": run.partial,
        "judge": {"name": run.judge.name, "signature": run.judge.signature},
    }
    yield f'{_text(head)[:-1]}, "suites": ['
    for place, suite in enumerate(run.suites):
        yield f'{", " * bool(place)}{_text(_suite(run, suite))[:-1]}, "pairs": ['
        for number, pair in enumerate(suite.pairs):
            yield f"{',' * bool(number)}\n{_text(_pair(suite, pair))}"
        yield "]}"
    yield "]}\n"


def _text(value: Mapping[str, object]) -> str:
    """As JSON of ASCII letters, which any terminal and pipe can take."""
    return _OTHERS.sub(lambda match: json.dumps(match[0])[1:-1], as_json(value))


def _suite(run: RunVerdict, suite: SuiteRecord) -> Fields:
    trust = suite.trust
    return {
        "suite": suite.name,
        "file": suite.shown,
        "fingerprint": suite.fingerprint,
        "not_decided": run.gaps(suite),
        "judge": trust
        and {
            "outcome": "untrusted" if trust.is_untrusted else trust.outcome,
            "checks": _checks(judge_parts(trust)),
        },
        "systems": [_system(each) for each in suite.systems],
    }


def _system(system: SystemResult) -> Fields:
    return {
        "system": system.name,
        "outcome": system.outcome,
        "place": _place(system.place),
        "baseline": system.baseline,
        "reasons": system_case(system).phrases,
        "checks": _checks(system_parts(system, ())),
    }


def _pair(suite: SuiteRecord, pair: PairResult) -> Fields:
    explaining = {id(finding) for finding in pair.explanation}
    return {
        "system": pair.system,
        "paper": pair.paper,
        "outcome": pair.outcome,
        "place": _place(pair.place),
        "reasons": pair_case(pair).phrases,
        "numbers": pair.numbers().values,
        "checks": _checks(pair_parts(pair, suite.policy.thresholds_of(pair.paper))),
        "findings": [_finding(each, id(each) in explaining) for each in pair.findings],
        "change": pair.change and {"baseline": pair.change.baseline, "loss": pair.change.loss},
    }


def _checks(parts: Iterable[Part]) -> list[Fields]:
    return [
        {"name": part.name, "state": part.cause, "value": part.value, "bound": part.bound}
        for part in parts
    ]


def _finding(finding: Finding, is_reason: bool) -> Fields:
    return {
        "kind": finding.kind,
        "number": finding.number,
        "title": finding.title,
        "verdict": finding.verdict,
        "is_reason": is_reason,
        "severity": finding.severity,
        "conflict": finding.conflict,
        "disputes": finding.disputes,
        "reason": finding.reason,
        "summary": finding.summary,
        "reference": finding.reference,
        "sentence": finding.sentence,
        "source": [{"index": index, "text": text} for index, text in finding.evidence],
    }


def _place(place: Place) -> Fields:
    return {"file": place.path, "line": place.line}
