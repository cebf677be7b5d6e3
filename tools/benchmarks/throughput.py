"""How fast an exact number of requests goes through, and that none of them is asked twice.

    python -m tools.benchmarks.throughput [--only bare n0 n4 eight shared paced]

n0     one process
n4     one run of four xdist workers, which share the 64 requests in flight
eight  eight processes started together on the same store, each with 64 requests in flight
shared the same on a PostgreSQL database
paced  two processes on such a database, by a limit of 300 requests a minute: 300 requests of
       which take a minute, and how many a minute went through is printed

500 pairs of four requests each, 200 ms a reply (`made_suite` says how the count comes to be exact).
Every setting begins with an empty store; a second run of the same on the store that it leaves must
ask nothing. The server runs in a process of its own, on the same machine.

bare   the openai package alone, as many requests from one process: the machine's own floor

The ideal is 2,000 x 0.2 s / 64 = 6.25 s. `asking` is the time from the first request's arrival to
the end of the last reply, `wall` that of the whole run, from its start to its exit, and `cpu` what
its processes computed meanwhile, which a busy machine moves less.

Ends with 1 where a count is wrong; times are only printed.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tools.benchmarks.endpoint import ScriptedEndpoint, scripted_endpoint
from tools.benchmarks.made_suite import REQUESTS_A_PAIR, make_suite
from tools.benchmarks.pytest_run import PytestRun, store_in

IN_FLIGHT: Final = 64
PER_MINUTE: Final = 300
BARE: Final = "bare"
_BARE: Final = Path(__file__).parent / "bare_client.py"


@dataclass(frozen=True, slots=True)
class Setting:
    """How a suite is run: how many processes start together, with which arguments and store."""

    n_runs: int
    arguments: tuple[str, ...] = ("-n", "0")
    is_shared: bool = False
    limits: str = ""


SETTINGS: Final = {
    "n0": Setting(1),
    "n4": Setting(1, ("-n", "4")),
    "eight": Setting(8),
    "shared": Setting(8, is_shared=True),
    "paced": Setting(2, is_shared=True, limits=f"requests_per_minute = {PER_MINUTE}"),
}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is asked: papers, sentences of each, and how long the endpoint takes for a reply."""

    n_pairs: int
    n_source: int
    latency_ms: float

    @property
    def n_needed(self) -> int:
        """Requests that a run on an empty store needs."""
        return REQUESTS_A_PAIR * self.n_pairs

    @property
    def ideal_seconds(self) -> float:
        """How long they take where all slots are always taken."""
        return self.n_needed * self.latency_ms / 1000 / IN_FLIGHT


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run took from start to exit, what its processes computed, and what went wrong."""

    wall_seconds: float
    cpu_seconds: float
    wrongs: tuple[str, ...]


def cpu_seconds() -> float:
    """What the processes computed that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_all(folder: Path, store: str, setting: Setting) -> Taken:
    """One run of a setting."""
    start, cpu = time.perf_counter(), cpu_seconds()
    runs = [
        PytestRun(folder, store, *setting.arguments, f"--summ-in-flight={IN_FLIGHT}")
        for _ in range(setting.n_runs)
    ]
    wrongs = []
    try:
        for run in runs:
            code, printed = run.ended()
            if code:
                wrongs.append(f"pytest ended with {code}:\n{printed[-1000:]}")
    finally:
        for run in runs:
            run.kill()
    return Taken(time.perf_counter() - start, cpu_seconds() - cpu, tuple(wrongs))


def wrong_counts(size: Size, endpoint: ScriptedEndpoint) -> list[str]:
    """What is wrong with the requests that the server has seen since it started."""
    stats = endpoint.stats()
    if stats["n_requests"] == stats["n_different"] == stats["n_replied"] == size.n_needed:
        return []
    return [f"{size.n_needed} requests are needed, each once; the server saw {dict(stats)}"]


def measure_bare(size: Size) -> None:
    """Sends as many requests without anything of ours, and prints a line."""
    start, cpu = time.perf_counter(), cpu_seconds()
    with scripted_endpoint(size.latency_ms) as endpoint:
        arguments = [endpoint.url, str(size.n_needed), str(IN_FLIGHT)]
        subprocess.run([sys.executable, str(_BARE), *arguments], check=True, timeout=240)
        wall, cpu = time.perf_counter() - start, cpu_seconds() - cpu
        stats = endpoint.stats()
    print(asked(BARE, size, stats, wall, cpu), flush=True)


def asked(name: str, size: Size, stats: Mapping[str, float], wall: float, cpu: float) -> str:
    """The first half of a line: what the requests took."""
    asking = stats["busy_seconds"]
    return (
        f"{name:6}{asking:8.2f} s{asking / size.ideal_seconds:7.2f}"
        f"{stats['n_requests']:10.0f}{stats['peak']:6.0f}{wall:8.2f} s{cpu:8.2f} s"
    )


def measure(name: str, size: Size, room: Path) -> list[str]:
    """Runs a setting twice on one store, prints a line, and returns what was wrong."""
    folder, setting = room / "suite", SETTINGS[name]
    if setting.limits:
        size = replace(size, n_pairs=PER_MINUTE // REQUESTS_A_PAIR)
    with scripted_endpoint(size.latency_ms) as other:
        make_suite(room / "small", other.url, n_pairs=2, n_source=size.n_source)
        warm = run_all(room / "small", str(room / "warm"), Setting(1))
    with (
        scripted_endpoint(size.latency_ms) as endpoint,
        store_in(room, is_shared=setting.is_shared) as store,
    ):
        make_suite(
            folder,
            endpoint.url,
            n_pairs=size.n_pairs,
            n_source=size.n_source,
            limits=setting.limits,
        )
        first = run_all(folder, store, setting)
        stats = endpoint.stats()
        wrongs = wrong_counts(size, endpoint)
        second = run_all(folder, store, setting)
        wrongs += wrong_counts(size, endpoint)
        n_again = endpoint.stats()["n_requests"] - stats["n_requests"]
    print(
        f"{asked(name, size, stats, first.wall_seconds, first.cpu_seconds)}"
        f"{n_again:15.0f}{second.wall_seconds:8.2f} s{second.cpu_seconds:8.2f} s",
        flush=True,
    )
    if setting.limits:
        a_minute = 60 * (size.n_needed - 1) / (stats["busy_seconds"] - size.latency_ms / 1000)
        print(f"{name}: {a_minute:.1f} requests a minute, limit {PER_MINUTE}")
    return [*warm.wrongs, *first.wrongs, *second.wrongs, *wrongs]


def main() -> None:
    """Measures."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that `timeout` leaves no server
    parser = argparse.ArgumentParser(description="requests a second, and none of them twice")
    parser.add_argument("--only", nargs="+", choices=[BARE, *SETTINGS], default=[BARE, *SETTINGS])
    parser.add_argument("--repeat", type=int, default=1, help="how often (default: 1)")
    parser.add_argument("--pairs", type=int, default=500, help="papers (default: 500)")
    parser.add_argument("--source", type=int, default=60, help="sentences of each (default: 60)")
    parser.add_argument("--latency-ms", type=float, default=200.0, help="(default: 200)")
    options = parser.parse_args()
    size = Size(options.pairs, options.source, options.latency_ms)
    print(f"{size.n_needed} requests of {size.latency_ms:g} ms, ideal {size.ideal_seconds:.2f} s")
    columns = "requests  peak      wall       cpu"
    print(f"        asking  ratio  {columns}   again: {columns.replace('  peak', '')}")
    wrongs = []
    for _ in range(options.repeat):
        for name in options.only:
            if name == BARE:
                measure_bare(size)
                continue
            with tempfile.TemporaryDirectory() as room:
                wrongs += measure(name, size, Path(room))
    for wrong in dict.fromkeys(wrongs):
        print(f"WRONG: {wrong}")
    sys.exit(bool(wrongs))


if __name__ == "__main__":
    main()
