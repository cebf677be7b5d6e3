from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Final

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.record.record_file import read_record
from summeval_pytest.suite.values import summaries_digest
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.floors import Floors
from summeval_pytest.verdict.run import JudgeName, RunRecord, SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.verdict.records import record_text

RUN: Final[dict[str, Any]] = json.loads("""
{"header": {"cassettes": [], "commit": null, "created": null, "environment": {"python": "3.11.7"},
"models": [], "record": "new", "usage": {}}, "judge": "fair-1", "schema": 1, "suites": [
{"fingerprint": "77be02a1c3d4", "golden": [
{"answers": [{"answer": 4.0, "kind": "result", "label": 4.0}], "coverages": [], "group": "0a",
"n_left_out": 0, "paper": "moss-01", "rated": [["result", 4]], "system": "careful"}
], "has_labels": true, "is_calibrated": false, "name": "golden", "pairs": [
{"change": null, "fault": "", "findings": [], "note": "", "outcome": "passed", "paper": "moss-01",
"place": {"line": 1, "path": "golden/careful.jsonl"}, "scores": [{"coverage": 1.0,
"identical": false, "key_coverage": null, "metric": "facet", "ratings": [{"by_rule": false,
"calibrated": null, "candidate": "It grew.", "confidence": null, "coverage": null,
"facet": "result", "rating": 2, "reason": "", "reference": "It did."}], "removed": [],
"value": 0.5}], "signatures": ["facet|judge:fair-1|v:3"], "summary": "On moss.",
"system": "careful", "verdict": {"lacking": [], "shortfalls": [], "waived": [], "waivers": []}}
], "papers": [
{"cited": [[2, "It grew."]], "id": "moss-01", "n_sentences": 9, "references": ["It did."],
"place": {"line": 2, "path": "golden/papers.jsonl"}, "title": ""}
], "relations": [], "shown": "golden/summeval.toml", "systems": [
{"baseline": "v1", "comparison": {"baseline": "v1", "brevity": [], "differences": [{"broken":
["facet drops by 0.100, more than 0.05"], "change": -0.1, "detectable": null, "deviation": null,
"high": null, "low": null, "n_papers": 2, "name": "facet", "new": 0.75, "old": 0.85, "p": null}],
"flips": [], "mismatches": [], "shifts": [], "system": "careful", "undecided":
["facet drops by 0.100, more than 0.05, but not if what the judge left unanswered"]},
"corrected": [], "fault": "", "means": [], "name": "careful", "outcome": "error",
"papers": ["moss-01", "zinc-01"], "place": {"line": 6, "path": "golden/summeval.toml"},
"waivers": []}
], "thresholds": {"corrected": [], "mean": [], "pair": [{"least": 0.6, "name": "facet"}]},
"trust": {"agreements": [{"floors": [{"bound": "point", "least": 0.5, "name": "facet_exact"}],
"high": 1.0, "low": 1.0, "n_items": 1, "n_papers": 1, "name": "facet_exact", "value": 1.0}],
"fault": "", "floors_of": "fair", "judge": "fair-1", "labels": "c3d477be02a1", "n_left_out": 0,
"n_pairs": 1, "n_papers": 1, "n_unanswered": 0}, "waivers": [
{"state": "expired", "waiver": {"expires": "2027-01-14", "finding": "facet", "least": null,
"most": null, "name": "wet-moss", "owner": "ines", "paper": "moss-01", "reason": "new",
"place": {"line": 9, "path": "golden/summeval.toml"}, "system": "careful"}}
]}]}""")
"""A whole record of version 0.1.0, but that the second pair of its system is added below."""
LISTS: Final = {"pair": "pairs", "paper": "papers", "system": "systems", "waiver": "waivers"}


def pair(paper: str, rating: int | None, **changes: object) -> dict[str, Any]:
    """A pair with this rating of its result; None for one that the judge broke down on."""
    result: dict[str, Any] = copy.deepcopy(RUN["suites"][0]["pairs"][0])
    (score,) = result["scores"]
    if rating is None:
        result["scores"] = [{"metric": "facet", "reason": "no reply", "status": "unanswered"}]
        changes = {"signatures": [], **changes}
    else:
        score["ratings"][0]["rating"] = rating
        score["value"] = rating / 4
    return result | {"paper": paper, "summary": f"On {paper}.", **changes}


SUITE: Final[dict[str, Any]] = RUN["suites"][0]
SUITE["pairs"] = [pair("moss-01", 2), pair("zinc-01", 4)]


def changed(**changes: object) -> dict[str, Any]:
    """The run with another suite."""
    return {**RUN, "suites": [{**copy.deepcopy(SUITE), **changes}]}


def stream(run: dict[str, Any]) -> list[str]:
    """The lines that version 0.1.0 wrote where the name ended in .jsonl."""
    (suite,) = run["suites"]
    lists = LISTS | {"golden": "golden"}
    empty = {**run, "suites": [suite | {key: [] for key in lists.values()}]}
    begun = {
        **empty,
        "suites": [{**empty["suites"][0], "systems": suite["systems"], "trust": None}],
    }
    items = [
        {key: item, "suite": suite["shown"]} for key, name in lists.items() for item in suite[name]
    ]
    return [json.dumps(each) + "\n" for each in ({"begun": begun}, *items, {"ended": empty})]


def read(folder: Path, text: str) -> RunRecord:
    """The record that this text is."""
    (folder / "run.json").write_text(text, encoding="utf-8")
    return read_record(folder / "run.json", "RUN")


def only(folder: Path, run: dict[str, Any]) -> SuiteRecord:
    """The suite of a run of version 0.1.0."""
    (suite,) = read(folder, json.dumps(run)).suites
    return suite


def test_what_version_1_says_is_kept_and_decided_anew(tmp_path: Path) -> None:
    """Worked example, in both of its forms: judge, policy, digests, and not its outcomes."""
    record = read(tmp_path, json.dumps(RUN))
    assert record.judge == JudgeName(name="fair", signature="fair-1")
    (suite,) = record.suites
    assert (suite.labels, suite.fingerprint, suite.is_cut) == (
        "c3d477be02a1",
        "77be02a1c3d4",
        False,
    )
    assert suite.policy.thresholds == Thresholds(pair=(Threshold("facet", 0.6),), mean=())
    floor = Threshold("facet_exact", 0.5, "point")
    assert suite.policy.floors == (Floors(floors=(floor,), judge="fair"),)
    texts = {"moss-01": "On moss-01.", "zinc-01": "On zinc-01."}
    assert suite.systems[0].summaries == summaries_digest(texts)
    verdict = decide(record)
    (decided,) = verdict.suites
    assert [pair.outcome for pair in decided.pairs] == ["failed", "passed"]
    assert [use.state for use in decided.waivers] == ["expired"], "as on the day of the run"
    assert decided.trust is not None
    assert (decided.trust.outcome, decided.trust.n_floors) == ("passed", 1)
    assert decided.systems[0].outcome == "error", "silence, and not the system, made the drop"
    # a stream says the same; written again it is of today's version
    assert record_text(read(tmp_path, "".join(stream(RUN)))) == record_text(record)
    assert record_text(read(tmp_path, record_text(verdict))) == record_text(verdict)


def test_a_stream_that_was_cut_has_its_whole_lines_and_says_so(tmp_path: Path) -> None:
    """Law: wherever it was cut; and so does the record that is written of it."""
    lines = stream(RUN)
    for n_lines in range(1, len(lines)):
        cut = read(tmp_path, "".join(lines[:n_lines]) + lines[n_lines][:9])
        n_pairs = min(2, n_lines - 1)
        gap = f"not complete: {n_pairs} of 2 pairs, the run was cut"
        assert cut.suites[0].gaps == (gap,)
        assert read(tmp_path, record_text(cut)).suites[0].gaps == (gap,)


def test_what_version_1_did_not_keep_is_left_out(tmp_path: Path) -> None:
    """A decision that needs it refuses the record by name; one that does not goes on."""
    record = read(tmp_path, json.dumps(changed(trust=None, golden=[])))
    assert record.judge == JudgeName(name=None, signature="fair-1")
    (suite,) = record.suites
    assert (suite.labels, suite.policy.floors, suite.golden) == ("", (), ())
    assert decide(record).suites[0].trust is None
    # of what a model wrote, or of some pairs only, there is no digest
    model = [{**each, "place": SUITE["systems"][0]["place"]} for each in SUITE["pairs"]]
    for pairs in (model, SUITE["pairs"][:1]):
        assert only(tmp_path, changed(pairs=pairs)).systems[0].summaries == ""
    # a pair that broke down stays an error with its fault
    broken = pair("zinc-01", None, fault="no reply", outcome="error")
    (*_, result) = decide(read(tmp_path, json.dumps(changed(pairs=[broken])))).suites[0].pairs
    assert (result.outcome, result.verdict.undecided) == ("error", ("no reply",))
    # the fault of a judge that was not measured is no agreement, and no reason to go on without one
    fault = {**SUITE["trust"], "fault": "it timed out", "n_pairs": 0, "agreements": []}
    record = read(tmp_path, json.dumps(changed(trust=fault, golden=[])))
    assert (record.suites[0].golden_fault, decide(record).outcome) == ("it timed out", "error")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (changed(is_calibrated=True), "its ratings were calibrated, which no version does"),
        (changed(golden=[]), "suite 'golden' has not all of its golden answers"),
        (changed(golden=SUITE["golden"] * 2), "suite 'golden' has not all of its golden answers"),
        ({**RUN, "schema": 0}, "it has schema 0, this version reads 1 and 2"),
        ({**RUN, "suites": [{}]}, "it is not as any version wrote it ("),
        ({**RUN, "colour": 1}, "line 1: run.colour: unknown key"),
        (changed(pairs=[pair("moss-01", 5)]), "line 3: result is rated 5, off its scale"),
        (changed(pairs=[pair("moss-01", 4)] * 2), "line 4: 'careful' on 'moss-01' is there"),
    ],
)
def test_what_no_version_wrote_is_refused(
    tmp_path: Path, run: dict[str, Any], message: str
) -> None:
    """Version 1 had no hash, so that what was edited has to be seen otherwise."""
    with pytest.raises(OptionError) as caught:
        read(tmp_path, json.dumps(run))
    assert f"is no run record: {message}" in str(caught.value)
