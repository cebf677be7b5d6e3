"""Benchmarks: ratios measured in one run, because machines are noisy.

    python tests/benchmarks/bench.py [judge] [warm] [startup]

judge    the embedded judge, all three metrics, beside rouge-score on the same pairs
warm     a pair of a gated suite beside a test of a trivial parametrized suite of the same size
startup  pytest with the plugin off, installed but unused, and gating one pair
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from summeval_pytest.evaluation import Runner, Task
from summeval_pytest.judges import find_judge
from summeval_pytest.metrics import METRICS
from summeval_pytest.metrics.lexical import rouge
from summeval_pytest.suite import Suite, load_suite

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
ROUNDS = 5
MANY = 300


def in_turn(*jobs: Callable[[], None], rounds: int = ROUNDS) -> list[list[float]]:
    """The seconds of each job, round by round, after one round that is not counted.

    The jobs take turns, so that what slows the machine for a while slows them all.
    """
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(rounds + 1):
        for job, taken in zip(jobs, times, strict=True):
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return [taken[1:] for taken in times]


def ratio(ours: list[float], theirs: list[float]) -> float:
    """How many times as long, in the median round."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def judge() -> None:
    """Pairs a second, and how many times as long as ROUGE-1, -2 and -L take on the same pairs."""
    suite = load_suite(ROOT / "golden")
    pairs = [(paper, system) for system in suite.systems for paper in suite.paper_ids]
    texts = [
        (suite.paper(paper).references[0], suite.pair(paper, system).summary)
        for paper, system in pairs
    ]

    def embedded() -> None:
        clear()
        measure(suite, pairs)

    def lexical() -> None:
        for reference, summary in texts:
            rouge(reference, summary)

    ours, theirs = in_turn(embedded, lexical)
    print(f"embedded judge, three metrics  {len(pairs) / median(ours):8.1f} pairs/s")
    print(f"rouge-score, ROUGE-1/2/L       {len(pairs) / median(theirs):8.1f} pairs/s")
    print(f"embedded / rouge-score         {ratio(ours, theirs):8.2f} times as long")


def clear() -> None:
    """Forgets what the judge has read, so that every round reads it anew."""
    from summeval_pytest.judges.offline import matching, reading, source_index

    matching.index_of.cache_clear()
    source_index.source_index.cache_clear()
    reading.read.cache_clear()


def measure(suite: Suite, pairs: list[tuple[str, str]]) -> None:
    """Evaluates pairs one after the other."""
    runner = Runner(find_judge("offline"))
    try:
        for paper, system in pairs:
            runner.evaluation(Task(suite=suite, paper=paper, system=system, metrics=METRICS))
    finally:
        runner.close()


def run_pytest(folder: Path, *arguments: str) -> None:
    """One whole pytest process; its outcome does not matter here."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null"]
    subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, check=False, timeout=600
    )


def many_pairs(folder: Path) -> None:
    """A warm suite: 300 pairs, of which all but 12 were answered before under another name."""
    papers = (ROOT / "golden/papers.jsonl").read_text(encoding="utf-8").splitlines()
    summaries = (ROOT / "golden/systems/careful.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "summeval.toml").write_text(
        'papers = "p.jsonl"\n[systems.s]\nsummaries = "s.jsonl"\n[thresholds]\nfacet = 0.3\n'
        "eva = 0.1\nfaithfulness = 0.5\n",
        encoding="utf-8",
    )
    with (
        (folder / "p.jsonl").open("w", encoding="utf-8") as all_papers,
        (folder / "s.jsonl").open("w", encoding="utf-8") as all_summaries,
    ):
        for number in range(MANY):
            paper = json.loads(papers[number % len(papers)])
            summary = json.loads(summaries[number % len(papers)])
            paper["id"] = summary["paper"] = f"{paper['id']}-{number}"
            all_papers.write(json.dumps(paper) + "\n")
            all_summaries.write(json.dumps(summary) + "\n")


def warm() -> None:
    """Milliseconds a pair and a trivial test, whole processes of 300 each."""
    with tempfile.TemporaryDirectory() as room:
        gated, trivial = Path(room, "gated"), Path(room, "trivial")
        gated.mkdir()
        trivial.mkdir()
        many_pairs(gated)
        (trivial / "test_trivial.py").write_text(
            "import pytest\n"
            f"@pytest.mark.parametrize('n', range({MANY}))\n"
            "def test_trivial(n):\n    assert n >= 0\n",
            encoding="utf-8",
        )
        ours, plain = in_turn(
            lambda: run_pytest(gated, "summeval.toml"),
            lambda: run_pytest(trivial, "-p", "no:summ", "."),
            rounds=3,
        )
    print(
        f"gated pair     {1000 * median(ours) / MANY:8.2f} ms (all but 12 of 300 answered before)"
    )
    print(f"trivial test   {1000 * median(plain) / MANY:8.2f} ms")
    print(f"pair / test    {ratio(ours, plain):8.2f} times as long")


def startup() -> None:
    """Whole pytest processes with one test."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        (folder / "test_one.py").write_text("def test_one():\n    pass\n", encoding="utf-8")
        pair = f"{ROOT / 'golden/summeval.toml'}::careful::zinc-01"
        off, unused, used = in_turn(
            lambda: run_pytest(folder, "-p", "no:summ", "test_one.py"),
            lambda: run_pytest(folder, "test_one.py"),
            lambda: run_pytest(folder, pair),
            rounds=2 * ROUNDS,
        )
    print(f"plugin off            {median(off):6.3f} s")
    print(f"installed but unused  {median(unused):6.3f} s  {ratio(unused, off):5.2f} times as long")
    print(f"gating one pair       {median(used):6.3f} s  {ratio(used, off):5.2f} times as long")


def main() -> None:
    """Runs the benchmarks named on the command line, or all."""
    jobs = {"judge": judge, "warm": warm, "startup": startup}
    for name in sys.argv[1:] or list(jobs):
        print(f"-- {name}")
        jobs[name]()


if __name__ == "__main__":
    main()
