"""Real runs of suites that ask for variants of the metrics; a scripted model judges over HTTP."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pytest

from tests.plugin.conftest import Bench
from tests.scripted_server import ScriptedServer

PAPER: Final = """\
default_systems = ["good"]
eva_recall = "matched"
eva_chains = "adjacent"
eva_validation = "chain"
eva_premises = 3
eva_relations = true
"""
JUDGED: Final = ("summeval.toml", "--summ-judge=rule", "--summ-run-record=run.json")


def kinds(server: ScriptedServer) -> Counter[str]:
    """How many requests of each kind it has seen."""
    return Counter(str(seen.texts[0]).splitlines()[0] for seen in server.seen)


def test_the_papers_form_gates_a_pair(bench: Bench) -> None:
    """Three sentences a text, each one fact, and one relation on either side.

    There are 2 links; of 3 facts and 1 relation each is asked with 3 of the reference's 4: 12. No
    fact entails another by rule, so all are roots and no request has earlier verdicts.
    """
    bench.suite(head=PAPER, pair="eva = 0.3", papers=("limpet-01",))
    with bench.serving() as server:
        assert bench.inside(*JUDGED).last == "1 passed"
        assert kinds(server) == {"# Facts": 2, "# Relations": 2, "# Fact checks": 2 + 12}
        n_requests = server.n_requests
        assert bench.inside(*JUDGED).last == "1 passed"
        assert server.n_requests == n_requests

    (pair,) = bench.pairs()
    (score,) = pair["scores"]
    assert len(score["candidate"]) == len(score["reference"]) == 4
    assert score["candidate"][-1]["fact"]["text"].endswith("told of together.")
    assert "counts" not in score
    recipe = dict(part.split(":", 1) for part in pair["signatures"][0].split("|")[1:])
    wanted = {"chains": "adjacent", "premises": "3", "relations": "0.65", "validation": "chain"}
    assert {key: recipe[key] for key in wanted} == wanted
    assert len(recipe["prompts"]) == 8


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
