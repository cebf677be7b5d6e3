"""Real runs whose judge is asked about sentences in another manner than the usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.judges.llm.by_rule import answer_by_rule
from tests.scripted_server import Answer, ScriptedServer

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

JUDGE: Final = """
[judges.rule]
endpoint = "here"
model = "rule-1"
{manner}

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
"""
ROUND: Final = "Limpets were counted on many shores in spring. The world is round in any year."


def judged(bench: Bench, manner: str, *arguments: str) -> tuple[Run, list[str]]:
    """A run over one pair with a sentence that is only true in general, and what was asked."""
    bench.good["limpet-01"] = ROUND
    bench.suite(pair="faithfulness = 0.9", papers=("limpet-01",))
    with ScriptedServer(lambda seen: Answer(answer_by_rule(seen.body))) as server:
        file = bench.path / "summeval.toml"
        table = JUDGE.format(manner=manner, url=server.url)
        file.write_text(file.read_text(encoding="utf-8") + table, encoding="utf-8")
        run = bench.inside("summeval.toml", "--summ-judge=rule", "-rA", *arguments)
        return run, [seen.texts[0].split("\n")[0] for seen in server.seen]


@pytest.mark.parametrize(
    ("manner", "asked"),
    [
        ("", ["# Sentence checks"]),
        ('sentences = "label"', ["# Sentence labels"] * 2),
        ('sentences = "label-and-sentences"', ["# Sentence quotes"] * 2),
        ("factual = true", ["# Sentence checks", "# Factual checks"]),
        (
            'sentences = "label-and-sentences"\nfactual = true\nstrict = true',
            ["# Sentence quotes", "# Sentence quotes", "# Factual checks"],
        ),
    ],
    ids=["usual", "label", "both", "factual", "all"],
)
def test_a_pair_fails_for_the_sentence_in_every_manner(
    bench: Bench, manner: str, asked: list[str]
) -> None:
    """One sentence of two is unsupported; where it was asked, its truth in general is told."""
    run, sent = judged(bench, manner)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert sent == asked
    told = "unsupported, though judged true in general"
    assert (told in run.out) is ("factual" in manner)
    assert "sentence 2" in run.out
    assert "The world is round in any year." in run.out
