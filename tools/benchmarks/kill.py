"""Runs killed at random moments: nothing that was answered is lost, and nothing is asked again.

    python -m tools.benchmarks.kill [--rounds 20] [--seed 1] [--postgres]

Each round starts a run of 300 requests, 100 ms each, 16 in flight, on an empty store, in turn with
`-n 0` and `-n 2`, and kills -9 its whole process group, or, half of the times that there are any,
one of its workers. The moment is a random one of the run: within two seconds of its start in one
round of eight, else when the server has seen so many requests. A run that lost a worker goes on to
its end by itself. Then it is run again, on the same store. Extent to:

    intact    SQLite finds nothing wrong with the store, looked at in a copy that nobody has mended
              (with --postgres the store is a database of a server, which is not killed)
    rerun     it asks for exactly those replies that the store did not hold
    complete  the store then holds all 300, and the server has seen 300 different requests
    lost      what was asked twice had been in flight at the kill: the server saw its connection
              break, or had replied so shortly before that the reply was not stored yet

Ends with 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from tools.benchmarks.endpoint import ScriptedEndpoint, scripted_endpoint
from tools.benchmarks.made_suite import REQUESTS_A_PAIR, make_suite
from tools.benchmarks.pytest_run import PytestRun, store_in
from tools.benchmarks.size import family

N_PAIRS: Final = 75
N_NEEDED: Final = REQUESTS_A_PAIR * N_PAIRS
N_SOURCE: Final = 20
LATENCY_MS: Final = 100.0
IN_FLIGHT: Final = 16
EARLY: Final = 1 / 8
"""Share of the rounds whose kill comes at any time since the start, so mostly before a request."""
EARLY_SECONDS: Final = 2.0
SETTLE_SECONDS: Final = 0.5
"""After which the server has seen all connections of a killed process break."""
LOOK_SECONDS: Final = 0.005


@dataclass(frozen=True, slots=True)
class Plan:
    """What is killed in one round, and when: so long after the server has seen ``n_requests``.

    ``worker`` is killed alone; None for the whole process group. 0 requests: only time counts.
    """

    n_workers: int
    worker: int | None
    n_requests: int
    seconds: float

    def __str__(self) -> str:
        what = "the run" if self.worker is None else f"worker {self.worker}"
        when = f"request {self.n_requests:3}" if self.n_requests else "the start  "
        return f"-n {self.n_workers} {what:8} {1000 * self.seconds:5.0f} ms after {when}"


def plan(place: int, chance: random.Random) -> Plan:
    """The plan of one round."""
    n_workers = 2 * (place % 2)
    worker = chance.choice([None, None, *range(n_workers)])
    if chance.random() < EARLY:
        return Plan(n_workers, worker, 0, chance.uniform(0.1, EARLY_SECONDS))
    return Plan(n_workers, worker, chance.randint(1, N_NEEDED), chance.uniform(0, 0.1))


def killed(folder: Path, store: str, plan: Plan, endpoint: ScriptedEndpoint) -> bool:
    """Run, kill, and wait for what is left to end; whether there was anything to kill."""
    run = start(folder, store, plan.n_workers)
    try:
        while plan.n_requests and endpoint.stats()["n_requests"] < plan.n_requests:
            if run.process.poll() is not None:
                break
            time.sleep(LOOK_SECONDS)
        time.sleep(plan.seconds)
        is_killed = run.process.poll() is None
        if plan.worker is None:
            run.kill()
        else:
            workers = [pid for pid in family(run.process.pid) if pid != run.process.pid]
            is_killed = plan.worker < len(workers)
            if is_killed:
                os.kill(workers[plan.worker], signal.SIGKILL)
        run.ended()
    finally:
        run.kill()
    time.sleep(SETTLE_SECONDS)
    return is_killed


def start(folder: Path, store: str, n_workers: int) -> PytestRun:
    """A run of the suite."""
    return PytestRun(folder, store, "-n", str(n_workers), f"--summ-in-flight={IN_FLIGHT}")


def look(store: str, room: Path) -> tuple[str, int]:
    """What SQLite says of a copy of the store's database, and how many replies it holds."""
    if "://" in store:
        with closing(psycopg.connect(store)) as connection:
            found = connection.execute("SELECT count(*) FROM summeval.replies").fetchone()
        return "ok", found[0] if found else 0
    folder = Path(store, "replies")
    if not folder.is_dir():
        return "ok", 0
    copy = Path(tempfile.mkdtemp(dir=room))
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    with closing(sqlite3.connect(copy / "cache.db")) as database:
        (message,) = database.execute("PRAGMA integrity_check").fetchone()
        (n_rows,) = database.execute("SELECT count(*) FROM Cache WHERE length(key) = 64").fetchone()
    return message, n_rows


def one_round(plan: Plan, room: Path, store: str) -> tuple[bool, list[str], str]:
    """Runs, kills, looks, and runs again: whether it was killed, what is wrong, and a line."""
    folder = room / "suite"
    with scripted_endpoint(LATENCY_MS) as endpoint:
        make_suite(folder, endpoint.url, n_pairs=N_PAIRS, n_source=N_SOURCE)
        is_killed = killed(folder, store, plan, endpoint)
        first, (intact, n_before) = endpoint.stats(), look(store, room)
        code, _ = start(folder, store, plan.n_workers).ended()
        last, (still_intact, n_after) = endpoint.stats(), look(store, room)
    n_again = int(last["n_requests"] - first["n_requests"])  # of the second run
    n_twice = int(last["n_requests"]) - N_NEEDED  # beyond the first for the same reply
    n_broken = int(last["n_abandoned"])  # whose connection broke before the reply
    kept = {
        f"the store is intact: {intact}, {still_intact}": intact == still_intact == "ok",
        f"the rerun passes: exit code {code}": code == 0,
        f"the rerun asks the rest: {n_again}": n_again == N_NEEDED - n_before,
        f"the store holds {N_NEEDED}: {n_after}": n_after == N_NEEDED,
        f"{N_NEEDED} are different: {last['n_different']}": last["n_different"] == N_NEEDED,
        f"at most {IN_FLIGHT} were lost: {n_twice}": n_twice <= IN_FLIGHT,
        f"broken ones are asked twice: {n_broken}": n_broken <= n_twice,
    }
    line = (
        f"{'killed' if is_killed else 'was over'}: stored {n_before:3}, rerun asked {n_again:3}, in"
        f" all {last['n_requests']:.0f} = {N_NEEDED} + {n_broken} broken off +"
        f" {n_twice - n_broken} replied and not stored"
    )
    return is_killed, [claim for claim, is_so in kept.items() if not is_so], line


def main() -> None:
    """Kills."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that `timeout` leaves no server
    parser = argparse.ArgumentParser(description="runs killed at random moments")
    parser.add_argument("--rounds", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    parser.add_argument("--postgres", action="store_true", help="the store is a database")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    n_wrong = n_killed = 0
    for place in range(options.rounds):
        planned = plan(place, chance)
        with (
            tempfile.TemporaryDirectory() as room,
            store_in(Path(room), is_shared=options.postgres) as store,
        ):
            is_killed, wrongs, line = one_round(planned, Path(room), store)
        print(f"{place + 1:2} {planned} {line}", flush=True)
        for wrong in wrongs:
            print(f"   WRONG: {wrong}")
        n_wrong += bool(wrongs)
        n_killed += is_killed
    print(f"{options.rounds} rounds, {n_killed} kills, {n_wrong} wrong")
    sys.exit(bool(n_wrong))


if __name__ == "__main__":
    main()
