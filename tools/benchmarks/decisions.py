"""Requests, tokens and seconds a pair of decision judges beside a judge in chat.

    python -m tools.benchmarks.decisions

A server on this machine answers by rule after 200 ms, so agreement is not measured. The suite is
`golden/`, its system `careful`; a token is four characters of a body, sent or received.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path

from summeval_pytest.options import IN_FLIGHT
from tests.asked_suite import desk_for, evaluated, loaded, tasks_of
from tests.decisions_by_rule import decided
from tests.judges.llm.by_rule import answer_by_rule
from tests.scripted_server import Action, Answer, ScriptedServer, Seen

ROOT = Path(__file__).parents[2]
SYSTEM = "careful"
LATENCY_SECONDS = 0.2
JUDGES = """
[endpoints.here]
base_url = "{url}"
max_in_flight = {n}
[judges.chat]
endpoint = "here"
model = "rule"
[judges.decisions]
kind = "decisions"
endpoint = "here"
model = "rule"
[judges.systemone]
kind = "systemone"
endpoint = "here"
model = "rule"
"""


def main() -> None:
    """Prints a line for each judge."""
    for judge in ("chat", "decisions", "systemone"):
        n_sent: list[int] = []
        n_replied: list[int] = []

        def script(seen: Seen, sent: list[int] = n_sent, replied: list[int] = n_replied) -> Action:
            sent.append(len(json.dumps(seen.body, ensure_ascii=False)) // 4)
            if "messages" not in seen.body:
                return decided(seen)
            text = answer_by_rule(seen.body)
            replied.append(len(text) // 4)
            return Answer(text)

        server = ScriptedServer(script, keep=False, latency_seconds=LATENCY_SECONDS)
        with tempfile.TemporaryDirectory() as folder, server:
            path = shutil.copytree(ROOT / "golden", Path(folder) / "golden")
            with (path / "summeval.toml").open("a", encoding="utf-8") as file:
                file.write(JUDGES.format(url=server.url, n=IN_FLIGHT))
            suite = loaded(path)
            tasks = tasks_of(suite, (SYSTEM,))
            start = time.perf_counter()
            evaluated(desk_for(Path(folder) / "store", suite), suite, tasks, judge)
            seconds = time.perf_counter() - start
            size = sum(f.stat().st_size for f in (Path(folder) / "store").rglob("*.db"))
        counts = [len(n_sent), sum(n_sent), sum(n_replied)]
        requests, sent, received = (count / len(tasks) for count in counts)
        print(
            f"{judge}: {len(tasks)} pairs in {seconds:.1f} s, store {size:,} bytes; a pair:"
            f" {requests:.1f} requests, {sent:,.0f} tokens sent, {received:,.0f} received"
        )


if __name__ == "__main__":
    main()
