"""How time and memory grow with the number of pairs, whoever judges them.

    python -m tools.benchmarks.size [--pairs 3000 30000] [--only gate compare page judge dask]

The suite is golden/ repeated: 30 papers and five systems, under other names in each copy. It is
judged by the embedded judge, which remembers what it has read of a text, so that the harness is
what is measured. Each row is one command:

gate     pytest -n 2 with a run record and a JUnit report
compare  summeval compare of that record with itself
page     summeval report --html of it
judge    summeval judge, -j 1 and -j 2, into a record, which pytest then decides by
dask     the same on two Dask workers of this machine

`cpu` is what all processes of a command computed, and `ms a pair` that for each pair, which a busy
machine moves less than the time; `MB` are the peaks of its largest processes, by what Linux says of
them. Records of judge and dask have to be equal to the byte (tests/scale kills workers, too).

Ends with 1 where a command fails or a record differs.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parents[2] / "golden"
LOOK_SECONDS: Final = 0.1
"""How often the memory of a run's processes is looked at; the system keeps each one's peak."""
PARTS: Final = ("gate", "compare", "page", "judge", "dask")
_TOML: Final = """\
papers = "papers.jsonl"
[thresholds]
facet = 0.3
eva = 0.1
faithfulness = 0.5
[thresholds.mean]
facet = 0.3
"""
_SUMMEVAL: Final = (sys.executable, "-m", "summeval_pytest.cli.app")
_PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def make_repeated(folder: Path, n_pairs: int) -> int:
    """Writes golden/ repeated, and returns how many pairs it has: no fewer than are wanted."""
    papers = _lines(GOLDEN / "papers.jsonl")
    systems = {file.stem: _lines(file) for file in sorted((GOLDEN / "systems").glob("*.jsonl"))}
    n_copies = -(-n_pairs // (len(papers) * len(systems)))
    folder.mkdir(parents=True)
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    tables = (f'[systems.{name}]\nsummaries = "{name}.jsonl"\n' for name in systems)
    (folder / "summeval.toml").write_text(_TOML + "".join(tables), encoding="utf-8")
    for name, key, lines in (
        ("papers", "id", papers),
        *((name, "paper", lines) for name, lines in systems.items()),
    ):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for copy in range(n_copies):
                for line in lines:
                    file.write(f"{json.dumps(line | {key: f'{line[key]}-{copy}'})}\n")
    return n_copies * len(papers) * len(systems)


def _lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a command took; memory is that of each of its processes, the largest first."""

    wall_seconds: float
    cpu_seconds: float
    megabytes: tuple[float, ...]
    code: int
    printed: str


def watched(command: tuple[str, ...], folder: Path) -> Taken:
    """Runs a command, and looks at its processes every now and then."""
    peaks: dict[int, float] = {}
    used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryFile("w+") as printed:
        with subprocess.Popen(
            command, cwd=folder, stdout=printed, stderr=subprocess.STDOUT, text=True
        ) as run:
            while run.poll() is None:
                peaks |= dict(family_megabytes(run.pid))
                time.sleep(LOOK_SECONDS)
        printed.seek(0)
        text = printed.read()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return Taken(wall, cpu, tuple(sorted(peaks.values(), reverse=True)), run.returncode, text)


def family_megabytes(pid: int) -> Iterator[tuple[int, float]]:
    """The peaks so far of a process and of all that it has started."""
    for each in family(pid):
        try:
            status = Path("/proc", str(each), "status").read_text(encoding="utf-8")
        except OSError:  # it has just ended
            continue
        if found := re.search(r"VmHWM:\s+(\d+) kB", status):
            yield each, int(found.group(1)) / 1024


def family(pid: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield pid
    for task in Path("/proc", str(pid), "task").glob("*/children"):
        try:
            children = task.read_text(encoding="utf-8").split()
        except OSError:
            continue
        for child in children:
            yield from family(int(child))


class Bench:
    """The commands of one size, over one suite; their rows are printed as they end.

    Args:
        folder: Where the suite is, and records go.
        n_pairs: How many pairs it has.
    """

    def __init__(self, folder: Path, n_pairs: int) -> None:
        self._folder = folder
        self._n_pairs = n_pairs
        self.wrongs: list[str] = []

    def row(self, name: str, command: tuple[str, ...], made: str) -> None:
        """Runs a command and prints a row; ``made`` is the file that it makes."""
        taken = watched(command, self._folder)
        megabytes = ", ".join(f"{peak:.0f}" for peak in taken.megabytes[:3])
        file = self._folder / made
        size = f"{file.stat().st_size / 1e6:9.1f}" if made and file.exists() else f"{'':9}"
        print(
            f"{self._n_pairs:7,}  {name:22}{taken.wall_seconds:8.1f} s{taken.cpu_seconds:8.1f} s"
            f"{1000 * taken.cpu_seconds / self._n_pairs:9.2f}{size}   {megabytes}",
            flush=True,
        )
        if taken.code not in {0, 1}:
            self.wrongs.append(f"{name} ended with {taken.code}:\n{taken.printed[-1000:]}")

    def gate(self) -> None:
        """A run of pytest with a record and a JUnit report."""
        options = ("-n", "2", "--summ-run-record=gate.jsonl", "--summ-junit=junit.xml")
        self.row("pytest -n 2", (*_PYTEST, "summeval.toml", *options), "gate.jsonl")

    def compare(self) -> None:
        """That record with itself."""
        self.row("compare", (*_SUMMEVAL, "compare", "gate.jsonl", "gate.jsonl"), "")

    def page(self) -> None:
        """That record as a page."""
        command = (*_SUMMEVAL, "report", "gate.jsonl", "--html", "page.html")
        self.row("report --html", command, "page.html")

    def judge(self) -> None:
        """Judged without pytest, and decided by it."""
        self._judged("judge -j 1", "one.jsonl", "-j", "1")
        self._judged("judge -j 2", "two.jsonl", "-j", "2")
        self._same("one.jsonl", "two.jsonl")
        command = (*_PYTEST, "summeval.toml", "--summ-from=two.jsonl")
        self.row("pytest --summ-from", command, "")

    def dask(self) -> None:
        """Judged on Dask."""
        self._judged("judge --dask -j 2", "dask.jsonl", "--dask", "-j", "2")
        self._same("one.jsonl", "dask.jsonl")

    def _judged(self, name: str, out: str, *options: str) -> None:
        command = (*_SUMMEVAL, "judge", "summeval.toml", f"--out={out}", *options)
        self.row(name, command, out)

    def _same(self, one: str, other: str) -> None:
        if (self._folder / one).read_bytes() != (self._folder / other).read_bytes():
            self.wrongs.append(f"{one} and {other} of {self._n_pairs:,} pairs differ")


def main() -> None:
    """Measures."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="time and memory by the number of pairs")
    parser.add_argument("--pairs", type=int, nargs="+", default=[3_000], help="(default: 3000)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="(default: all)")
    options = parser.parse_args()
    print(f"  pairs  {'':22}{'wall':>10}{'cpu':>10}{'ms a pair':>9}  MB of file   MB of processes")
    wrongs = []
    for n_pairs in options.pairs:
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room, "suite")
            bench = Bench(folder, make_repeated(folder, n_pairs))
            for part in options.only:
                getattr(bench, part)()
            wrongs += bench.wrongs
    for wrong in wrongs:
        print(f"WRONG: {wrong}")
    sys.exit(bool(wrongs))


if __name__ == "__main__":
    main()
