"""Real runs of suites that ask for variants of the metrics; a scripted model judges over HTTP."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest

from tests.plugin.conftest import Bench, Run
from tests.scripted_server import ScriptedServer

PAPER: Final = """\
default_systems = ["good"]
eva_recall = "matched"
eva_chains = "adjacent"
eva_validation = "chain"
eva_premises = 3
eva_relations = true
"""
PLAIN: Final = 'default_systems = ["good"]\neva_recall = "matched"'
ROUND: Final = "Limpets were counted on many shores in spring. The world is round in any year."
QUOTES: Final = "# Sentence quotes"


def one_paper(bench: Bench, head: str, pair: str = "eva = 0.3", mean: str = "") -> None:
    """A suite of one paper with these keys at its top."""
    bench.suite(head=head, pair=pair, mean=mean, papers=("limpet-01",))


def judged(bench: Bench, *arguments: str) -> Run:
    """A run in one process, with the judge behind the endpoint."""
    return bench.inside("summeval.toml", "--summ-judge=rule", "-rA", "-n0", *arguments)


def kinds(server: ScriptedServer) -> Counter[str]:
    """How many requests of each kind it has seen."""
    return Counter(str(seen.texts[0]).splitlines()[0] for seen in server.seen)


def scored(bench: Bench) -> dict[str, Any]:
    """The one score of a run record, with the signature."""
    (pair,) = bench.pairs()
    (score,) = pair["scores"]
    return {**score, "signature": pair["signatures"][0]}


def test_the_papers_form_gates_a_pair(bench: Bench) -> None:
    """Three sentences a text, each one fact, and one relation on either side.

    There are 2 links; of 3 facts and 1 relation each is asked with 3 of the reference's 4: 12. No
    fact entails another by rule, so all are roots and no request has earlier verdicts.
    """
    one_paper(bench, PAPER)
    with bench.serving() as server:
        first = judged(bench, "--summ-run-record=run.json")
        assert kinds(server) == {"# Facts": 2, "# Relations": 2, "# Fact checks": 2 + 12}
        n_requests = server.n_requests
        again = judged(bench)
        assert server.n_requests == n_requests

    assert first.outcomes == again.outcomes == {"summeval.toml::good::limpet-01": "PASSED"}
    score = scored(bench)
    assert len(score["candidate"]) == len(score["reference"]) == 4
    assert [fact["fact"]["text"] for fact in score["candidate"]][-1].endswith("told of together.")
    assert "counts" not in score
    recipe = dict(part.split(":", 1) for part in score["signature"].split("|")[1:])
    wanted = {"chains": "adjacent", "premises": "3", "relations": "0.65", "validation": "chain"}
    assert {key: recipe[key] for key in wanted} == wanted
    assert len(recipe["prompts"]) == 8


@pytest.mark.parametrize(
    ("manner", "asked"),
    [
        ("", ["# Sentence checks"]),
        (
            'sentences = "label-and-sentences"\nfactual = true\nstrict = true',
            [QUOTES, QUOTES, "# Factual checks"],
        ),
    ],
    ids=["usual", "all"],
)
def test_a_pair_fails_for_the_sentence_in_every_manner(
    bench: Bench, manner: str, asked: list[str]
) -> None:
    """One sentence of two is unsupported; where it was asked, its truth in general is told."""
    bench.good["limpet-01"] = ROUND
    one_paper(bench, PLAIN, pair="faithfulness = 0.9")
    with bench.serving(judge=manner) as server:
        run = judged(bench)
        assert list(kinds(server).elements()) == asked
    assert run.code == pytest.ExitCode.TESTS_FAILED
    message = "unsupported, though judged true in general"
    assert (message in run.out) is ("factual" in manner)
    assert "sentence 2" in run.out
    assert "The world is round in any year." in run.out
