"""Whatever papers, summaries and judges say, every report stays well-formed and harmless."""

from __future__ import annotations

import json
import re
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from tests.plugin.conftest import Bench, Run
from tests.plugin.rule import VENOM

LONG: Final = "alloy " * 20_000
"""A long text without a sentence's end; one paper, its summary and a reply on it hold it."""
WRITTEN: Final = VENOM.replace("\ud800", "")
"""As a file of a suite may hold it: half a surrogate pair is refused there."""
OURS: Final = re.compile(r"^::(error|warning) (file=[^,:]+,line=\d+,)?title=[^,:]*::", re.MULTILINE)
COMMAND: Final = re.compile(r"^\s*::", re.MULTILINE)
OLD_COMMAND: Final = re.compile(r"##\w*\[")
FILES: Final = ("run.jsonl", "run.xml", "run.html", "step.md")


def write_suite(bench: Bench) -> None:
    """A suite whose every text is hostile."""
    papers, bad = [], []
    for number in range(2):
        text = f"Moss number {number} grew. {WRITTEN} It stayed green."
        long = LONG if number == 0 else "alloy "
        source = [{"heading": WRITTEN, "text": text}, {"heading": "Results", "text": long}]
        papers.append(
            {"id": f"moss-{number}", "title": WRITTEN, "source": source, "reference": text}
        )
        bad.append(
            {
                "paper": f"moss-{number}",
                "summary": f"An alloy melted. {WRITTEN} {long} So alloy ends.",
            }
        )
    bench.lines("papers.jsonl", *papers)
    bench.lines("bad.jsonl", *bad)
    bench.write(
        "summeval.toml",
        'papers = "papers.jsonl"\n[systems.bad]\nsummaries = "bad.jsonl"\n'
        "[thresholds]\nfacet = 0.6\neva = 0.5\nfaithfulness = 0.8\n"
        "[thresholds.mean]\nfacet = 0.7\n"
        '[waivers.known]\npaper = "moss-0"\nsystem = "bad"\nfinding = "eva"\n'
        f"owner = {json.dumps(WRITTEN)}\nreason = {json.dumps(WRITTEN)}\nexpires = 2999-01-01\n",
    )
    bench.write(
        "test_own.py",
        "import sys\n"
        "def test_own(summ_pair):\n"
        "    text = summ_pair.summary.encode('utf-8', 'replace').decode()[:2000]\n"
        "    print(text)\n"
        "    print('kept as it is: a::b')\n"
        "    print(text, file=sys.stderr)\n"
        "    assert 'nothing' in text, text\n",
    )


def test_hostile_text_harms_neither_the_run_nor_a_report(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run in GitHub Actions; `tests/reports` looks at each report by itself."""
    folder = bench.path / "out"
    folder.mkdir()
    write_suite(bench)
    bench.write("conftest.py", "")  # in whose folder workers look for judges
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "step.md"))
    reports = ("run-record=out/run.jsonl", "junit=out/run.xml", "html=out/run.html")
    run = bench.inside(
        *("summeval.toml", "test_own.py", "-rA", "-v", "-n1", "--junitxml=out/own.xml"),
        *("--summ-judge=rule:Venomous", *(f"--summ-{report}" for report in reports)),
    )

    assert run.code == 1
    assert run.last == "5 failed", "hostile text changes no outcome"
    assert {file.name for file in folder.iterdir()} == {*FILES, "own.xml"}
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out + run.err
    assert_nothing_commands_runner_or_terminal(run)
    for name in ("run.xml", "own.xml"):
        tree = ET.parse(folder / name)  # noqa: S314 - the run has just written it
        assert len(list(tree.iter("failure"))) >= 3
    assert not COMMAND.search(bench.text("out/step.md"))

    record = bench.record("out/run.jsonl")
    assert record.is_complete
    reasons = {finding.reason for pair in record.suites[0].pairs for finding in pair.findings}
    assert any("::error file=x::took over" in reason for reason in reasons), "kept as it was said"
    assert json.loads(bench.text("out/run.jsonl").partition("\n")[0])["run"]["schema"] == 4


def assert_nothing_commands_runner_or_terminal(run: Run) -> None:
    """Escape sequences and marks of direction are shown, not obeyed, in all that is printed."""
    everything = f"{run.out}\n{run.err}"
    lines = [
        line for line in re.split(r"[\r\n\v\f\x85\u2028\u2029]", everything) if COMMAND.match(line)
    ]
    assert 0 < len(lines) <= 10
    assert all(OURS.match(line) for line in lines)
    assert not OLD_COMMAND.search(everything)
    assert "test_own[" in run.out
    assert "kept as it is: a::b" in run.lines
    assert not re.search("[\x00\x1b\ufffe\u202e\u2028]", run.out)
    assert r"\x1b" in run.out.partition("Captured stdout call")[2]
