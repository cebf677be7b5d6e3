"""Benchmarks: ratios measured in one run, because machines are noisy.

    python -m tools.benchmarks.bench [NAME...]

judge     the embedded judge, all three metrics, beside rouge-score on the same pairs
library   `evaluate` on 300 different rows, the plugin on the same pairs, a loop over rouge-score
many      a gated suite of 1,000 different pairs on two workers: seconds, and memory of each process
warm      a pair of a gated suite beside a test of a trivial parametrized suite of the same size
startup   pytest with the plugin off, installed but unused, and gating one pair

The modules `size`, `throughput` and `kill` are run by themselves.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from zlib import crc32

from rouge_score.rouge_scorer import RougeScorer

from summeval_pytest.judges.judge import find_judge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.record.record_file import read_record
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.suite.suite import Suite, load_suite
from tools.benchmarks.size import watched

ROOT = Path(__file__).parents[2]
ROUNDS = 5
WARM = 300
NEW = 12
"""The papers of a warm suite, each told again under other names."""
MANY = 1000
ENVIRON = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Byte code is kept, as it is for an installed package."""
_READERS = tuple(
    f"summeval_pytest.{package}" for package in ("judges.offline", "text", "metrics", "run")
)
_KEPT = frozenset({"learned"})
"""Cached, and no text: the judge's weights are read once, as rouge-score's scorer is made once."""


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


def ratio(own: list[float], others: list[float]) -> float:
    """How many times as long, in the median round."""
    return median(one / other for one, other in zip(own, others, strict=True))


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

    scorer = rouge_scorer()

    def lexical() -> None:
        for reference, summary in texts:
            scorer.score(reference, summary)

    own, other = in_turn(embedded, lexical)
    print(f"embedded judge, three metrics  {len(pairs) / median(own):8.1f} pairs/s")
    print(f"rouge-score, ROUGE-1/2/L       {len(pairs) / median(other):8.1f} pairs/s")
    print(f"embedded / rouge-score         {ratio(own, other):8.2f} times as long")


def rouge_scorer() -> RougeScorer:
    """The package as it comes: our own baseline of that name remembers the stems of words."""
    return RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)


def clear() -> None:
    """Forgets all that was read off texts, so that every round reads them anew.

    That is every cache of the modules below that is kept by an argument; tables that are computed
    without one stay.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_READERS):
            for cached in vars(module).values():
                if hasattr(cached, "cache_clear") and _is_of_texts(cached):
                    cached.cache_clear()


def _is_of_texts(cached: object) -> bool:
    function = getattr(cached, "__wrapped__", None)
    if function is None:
        return not isinstance(cached, type)
    takes_texts = isinstance(function, type) or bool(function.__code__.co_argcount)
    return function.__name__ not in _KEPT and takes_texts


def measure(suite: Suite, pairs: list[tuple[str, str]]) -> None:
    """Evaluates pairs one after the other."""
    runner = Runner(find_judge("offline"))
    try:
        for paper, system in pairs:
            runner.evaluation(Task(suite=suite, paper=paper, system=system, metrics=METRICS))
    finally:
        runner.close()


def pytest_in(folder: Path) -> list[str]:
    """The command of a pytest run whose only configuration is an empty one in its folder."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini"]


def expect_run(returned: int) -> None:
    """Hold a run to having run: tests may fail here, but a usage error would look fast."""
    if returned not in {0, 1}:
        raise SystemExit(f"pytest ended with {returned}; nothing was measured")


def run_pytest(folder: Path, *arguments: str) -> None:
    """One whole pytest process; which tests pass does not matter here."""
    command = [*pytest_in(folder), *arguments]
    run = subprocess.run(
        command, cwd=folder, env=ENVIRON, capture_output=True, check=False, timeout=600
    )
    expect_run(run.returncode)


def golden_lines(name: str) -> list[str]:
    """The lines of a file of golden's."""
    return (ROOT / "golden" / name).read_text(encoding="utf-8").splitlines()


def many_pairs(folder: Path) -> None:
    """A warm suite: 300 pairs, but only 12 different texts, each under many names."""
    papers = golden_lines("papers.jsonl")[:NEW]
    summaries = golden_lines("systems/careful.jsonl")[:NEW]
    pairs = []
    for number in range(WARM):
        paper = json.loads(papers[number % len(papers)])
        summary = json.loads(summaries[number % len(papers)])["summary"]
        pairs.append((paper | {"id": f"{paper['id']}-{number}"}, summary))
    write_suite(folder, pairs)


def write_suite(folder: Path, pairs: list[tuple[dict[str, str], str]]) -> None:
    """A suite of these papers and summaries of one system, with thresholds for all metrics."""
    (folder / "summeval.toml").write_text(
        'papers = "p.jsonl"\n[systems.s]\nsummaries = "s.jsonl"\n[thresholds]\nfacet = 0.3\n'
        "eva = 0.1\nfaithfulness = 0.5\n",
        encoding="utf-8",
    )
    papers = [json.dumps(paper) for paper, _ in pairs]
    summaries = [json.dumps({"paper": paper["id"], "summary": text}) for paper, text in pairs]
    for name, lines in (("p.jsonl", papers), ("s.jsonl", summaries)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


EVALUATE = """
import json, summeval_pytest
rows = summeval_pytest.evaluate(json.load(open("rows.json")), progress=False)
json.dump({row.paper: dict(row.numbers) for row in rows}, open("numbers.json", "w"))
"""
ROUGE = """
import json
from rouge_score.rouge_scorer import RougeScorer
scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
for row in json.load(open("rows.json")):
    scorer.score(row["reference"], row["summary"])
"""


def library() -> None:
    """CPU seconds of three whole processes, and that both of ours have equal numbers."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        summaries = dict(different_pairs(folder, WARM))
        lines = (folder / "p.jsonl").read_text(encoding="utf-8").splitlines()
        papers = [  # without what golden has frozen of references, which a row does not say
            {key: paper[key] for key in ("id", "reference", "source")}
            for paper in map(json.loads, lines)
        ]
        write_suite(folder, [(paper, summaries[paper["reference"]]) for paper in papers])
        rows = [
            {
                "paper": paper["id"],
                "summary": summaries[paper["reference"]],
                "reference": paper["reference"],
                "source": paper["source"],
            }
            for paper in papers
        ]
        (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
        commands = {
            "rouge-score, a loop": (sys.executable, "-c", ROUGE),
            "evaluate": (sys.executable, "-c", EVALUATE),
            "pytest": (*pytest_in(folder), "summeval.toml", "--summ-run-record=run.jsonl"),
        }
        seconds = {name: watched(each, folder).cpu_seconds for name, each in commands.items()}
        found = json.loads((folder / "numbers.json").read_text(encoding="utf-8"))
        pairs = [
            p for suite in read_record(folder / "run.jsonl", "RUN").suites for p in suite.pairs
        ]
        n_equal = sum(dict(pair.numbers().values) == found[pair.paper] for pair in pairs)
    loop = seconds["rouge-score, a loop"]
    for name, taken in seconds.items():
        print(f"{name:<20}{taken:8.1f} s of CPU{taken / loop:8.2f} times as long")
    print(f"same numbers        {n_equal:8} of {len(rows)} rows, by evaluate and pytest")


def many() -> None:
    """Seconds and memory of a gated suite of 1,000 pairs that have no sentence in common."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        texts = different_pairs(folder, MANY)
        run = watched((*pytest_in(folder), "-n", "2", "summeval.toml"), folder)
        expect_run(run.code)
        seconds, peaks = run.wall_seconds, run.megabytes
    scorer = rouge_scorer()
    start = time.perf_counter()
    for reference, summary in texts:
        scorer.score(reference, summary)
    lexical = time.perf_counter() - start
    shown = ", ".join(f"{peak:.0f}" for peak in peaks)
    print(f"{MANY} pairs, pytest -n 2{seconds:14.1f} s, {MANY / seconds:.1f} pairs/s (goal: 60 s)")
    print(f"peak memory of a process    {max(peaks):8.0f} MB (goal: 300 MB; processes: {shown})")
    print(f"rouge-score, one process    {lexical:8.1f} s, {MANY / lexical:.1f} pairs/s")
    print(f"whole run / rouge-score     {seconds / lexical:8.2f} times as long")


def different_pairs(folder: Path, n_pairs: int) -> list[tuple[str, str]]:
    """A suite of so many pairs made of golden's, and the reference and the summary of each.

    Every copy of a paper has other words in place of a quarter of its own, the same ones in all its
    texts, so that what is stated stays stated and nothing has been read before.
    """
    papers = golden_lines("papers.jsonl")
    files = sorted((ROOT / "golden/systems").glob("*.jsonl"))
    systems = [
        {line["paper"]: line["summary"] for line in map(json.loads, golden_lines(str(file)))}
        for file in files
    ]
    pairs = []
    for number in range(n_pairs):
        copy, place = divmod(number, len(papers))
        original = json.loads(papers[place])["id"]
        paper = json.loads(reworded(papers[place], copy)) | {"id": f"{original}-{copy}"}
        pairs.append((paper, reworded(systems[copy % len(systems)][original], copy)))
    write_suite(folder, pairs)
    return [(paper["reference"], summary) for paper, summary in pairs]


def reworded(text: str, copy: int) -> str:
    """A text or a line of JSON, in which a quarter of the longer words in small letters are others.

    Keys of papers are left alone.
    """
    code = chr(ord("b") + copy % 20) + chr(ord("b") + copy // 20)

    def other(match: re.Match[str]) -> str:
        word = match.group()
        return word + code if crc32((code + word).encode()) % 4 == 0 else word

    return re.sub(r"(?<![\w\\])[a-z]{4,}(?!\w|\":)", other, text)


def warm() -> None:
    """Milliseconds a pair and a trivial test, whole processes of 300 each."""
    with tempfile.TemporaryDirectory() as room:
        gated, trivial = Path(room, "gated"), Path(room, "trivial")
        gated.mkdir()
        trivial.mkdir()
        many_pairs(gated)
        (trivial / "test_trivial.py").write_text(
            "import pytest\n"
            f"@pytest.mark.parametrize('n', range({WARM}))\n"
            "def test_trivial(n):\n    assert n >= 0\n",
            encoding="utf-8",
        )
        own, plain = in_turn(
            lambda: run_pytest(gated, "summeval.toml"),
            lambda: run_pytest(trivial, "-p", "no:summ", "."),
            rounds=3,
        )
    print(
        f"gated pair     {1000 * median(own) / WARM:8.2f} ms ({WARM} pairs, {NEW} different texts)"
    )
    print(f"trivial test   {1000 * median(plain) / WARM:8.2f} ms")
    print(f"pair / test    {ratio(own, plain):8.2f} times as long")


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
    jobs = {job.__name__: job for job in (judge, library, many, warm, startup)}
    for name in sys.argv[1:] or list(jobs):
        print(f"-- {name}", flush=True)
        jobs[name]()


if __name__ == "__main__":
    main()
