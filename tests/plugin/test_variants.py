"""Real runs of suites that ask for variants of the metrics; a scripted model judges over HTTP."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from tests.plugin.conftest import Bench
from tests.scripted_server import ScriptedServer

JUDGED: Final = ("summeval.toml", "--summ-judge=rule", "--summ-run-record=run.json")


def kinds(server: ScriptedServer) -> Counter[str]:
    """How many requests of each kind it has seen."""
    return Counter(str(seen.texts[0]).splitlines()[0] for seen in server.seen)


def test_a_pair_fails_for_the_sentence_in_another_manner(bench: Bench) -> None:
    """One sentence of two is unsupported, and its truth in general is told."""
    bench.good["limpet-01"] = (
        "Limpets were counted on many shores in spring. The world is round in any year."
    )
    bench.suite(pair="faithfulness = 0.9", papers=("limpet-01",))
    manner = 'sentences = "label-and-sentences"\nfactual = true\nstrict = true'
    with bench.serving(judge=manner) as server:
        run = bench.inside(*JUDGED)
        assert kinds(server) == {"# Sentence quotes": 2, "# Factual checks": 1}
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "unsupported, though judged true in general" in run.out
    assert "sentence 2" in run.out
    assert "The world is round in any year." in run.out
