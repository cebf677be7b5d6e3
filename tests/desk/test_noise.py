"""`summeval noise`: the same summaries, judged again by a judge that changes its mind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from summeval_pytest.stats.paired import pass_chance
from tests.asked_suite import by_rule, write_suite
from tests.cli.conftest import Shell
from tests.scripted_server import Answer, ScriptedServer, Seen

LIMITS = "\n[thresholds]\nfaithfulness = 0.9\n[thresholds.mean]\nfaithfulness = 0.9\n"


@pytest.fixture(name="fickle")
def make_fickle(server: ScriptedServer) -> Iterator[ScriptedServer]:
    """A judge that takes back what it said of moss when it is asked for the second time."""
    n_asked = Counter[str]()

    def script(seen: Seen) -> Answer:
        body = json.dumps(seen.body, sort_keys=True)
        n_asked[body] += 1
        answer = by_rule(seen)
        is_moss = "moss" in body and n_asked[body] == 2
        return (
            Answer(str(answer.text).replace('"supported"', '"unsupported"')) if is_moss else answer
        )

    del server
    with ScriptedServer(script) as fickle:
        yield fickle


def test_changing_decisions_are_counted(
    tmp_path: Path, fickle: ScriptedServer, shell: Shell
) -> None:
    """Worked example: one of four runs differs on one of two pairs."""
    # Two of the four runs are apart in 3 of 6 cases on that pair, so on a quarter over both pairs.
    write_suite(tmp_path / "kilns", fickle.url, tail=LIMITS)
    lines = shell.lines("noise", "kilns", "--judge=rule")
    assert lines == [
        "kilns/summeval.toml: judge rule, 3 runs asked anew: 6 replies, 0.00 dollars",
        "pairs: 1 of 2 are not decided alike in all 4 runs",
        "  two runs disagree on 25.0% of the pairs",
        "  good on moss: passed 3, failed 1",
        "system good: passed 3, failed 1",
        "  mean faithfulness: 0.833 to 1.000, threshold 0.900",
    ]
    n_asked = fickle.n_requests
    assert n_asked == 8
    assert shell.lines("noise", "kilns", "--judge=rule", "--times=1")[1:3] == [
        "pairs: 0 of 2 are not decided alike in all 2 runs",
        "  two runs disagree on 0.0% of the pairs",
    ]
    assert fickle.n_requests == n_asked + 2, "the first run is remembered, the others are not"


def test_runs_are_compared_with_a_saved_one(
    tmp_path: Path, server: ScriptedServer, shell: Shell
) -> None:
    """A comparison can flip, too; a judge that asks nobody would be measured as perfect."""
    write_suite(tmp_path / "kilns", server.url, tail=LIMITS)
    shell.lines("judge", "kilns", "--judge=rule", "--out=saved.jsonl")
    lines = shell.lines("noise", "kilns", "--judge=rule", "--times=1", "--against=saved.jsonl")
    assert lines[-1] == "  against saved.jsonl: does not pass 2"
    error = shell.error(4, "noise", "kilns")
    assert "--judge=offline gives the same answers every time" in error


@pytest.fixture(name="kilns")
def make_kilns(tmp_path: Path) -> Path:
    """A suite of two papers and of two systems with recorded summaries."""
    file = write_suite(tmp_path / "kilns", "http://127.0.0.1:9/v1") / "summeval.toml"
    recorded = file.read_text(encoding="utf-8").partition("[systems.writer]")[0]
    file.write_text(recorded, encoding="utf-8")
    return file


def test_power_says_what_passes_and_how_many_papers_would_do(kilns: Path, shell: Shell) -> None:
    """Before a team sets a margin, it learns which ones its papers can decide."""
    lines = shell.lines("power", kilns, "--margin=0.1", "--metric=facet,faithfulness")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:5]}
    deviation, chance, margin, needed = rows["facet"]
    assert set(rows) == {"facet", "faithfulness"}

    def passes(n_papers: int) -> float:
        return pass_chance(0.1, float(deviation), n_papers, level=0.05, width=0.75)

    assert passes(2) == pytest.approx(float(chance), abs=0.02)
    assert passes(int(needed) - 1) < 0.8 < passes(int(needed))
    assert float(margin) > 0.1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--margin=0", "--margin: 0 is no margin of facet; write a number above 0 and under 0.75"),
        ("--metric=facets", "--metric=facets: unknown metric; did you mean 'facet"),
    ],
)
def test_what_makes_no_sense_is_refused(
    kilns: Path, shell: Shell, option: str, message: str
) -> None:
    """In the words of the option that was typed."""
    arguments = [option] if option.startswith("--margin") else ["--margin=0.1", option]
    assert message in shell.error(4, "power", kilns, *arguments)
