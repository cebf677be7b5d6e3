"""Real runs of suites that ask for variants of the metrics; a scripted model judges over HTTP."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.judges.llm.by_rule import answer_by_rule
from tests.plugin.conftest import GOOD, PAPERS
from tests.scripted_server import Answer, ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Bench, Run
    from tests.scripted_server import Seen

PAPER: Final = """\
default_systems = ["good"]
eva_recall = "matched"
eva_chains = "adjacent"
eva_validation = "chain"
eva_premises = 3
eva_relations = true
"""
JUDGE: Final = """
[judges.rule]
endpoint = "here"
model = "rule-1"
{judge}

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
"""


def by_rule(seen: Seen) -> Answer:
    """Judges by rule."""
    return Answer(answer_by_rule(seen.body))


@contextmanager
def serving(bench: Bench, head: str, *, judge: str = "") -> Iterator[ScriptedServer]:
    """A suite in the folder with these keys at its top, whose judge is a scripted server."""
    with ScriptedServer(by_rule) as server:
        bench.suite(head=head, pair="eva = 0.3", papers=("limpet-01",))
        file = bench.path / "summeval.toml"
        text = file.read_text(encoding="utf-8") + JUDGE.format(url=server.url, judge=judge)
        file.write_text(text, encoding="utf-8")
        yield server


def judged(bench: Bench, *arguments: str) -> Run:
    """A run in one process, with the judge behind the endpoint."""
    return bench.inside("summeval.toml", "--summ-judge=rule", "-rA", "-n0", *arguments)


def kinds(server: ScriptedServer) -> Counter[str]:
    """How many requests of each kind it has seen."""
    return Counter(str(seen.texts[0]).splitlines()[0].removeprefix("# ") for seen in server.seen)


def scored(bench: Bench, name: str = "run.json") -> dict[str, Any]:
    """The one score of a run record, with the signature."""
    record = json.loads((bench.path / name).read_text(encoding="utf-8"))
    (pair,) = record["suites"][0]["pairs"]
    (score,) = pair["scores"]
    return {**score, "signature": pair["signatures"][0]}


@pytest.mark.parametrize(
    ("judge", "reading"),
    [
        ("", {"Facets and facts": 2, "Relations": 2}),
        ("batched = false", {"Facts": 6, "Entities": 2, "Triples": 2, "Statements": 1}),
    ],
    ids=["batched", "one by one"],
)
def test_the_papers_form_gates_a_pair(bench: Bench, judge: str, reading: dict[str, int]) -> None:
    """Three sentences a text, each one fact, and one relation on either side.

    One by one, the two relations are alike, and so is the request for their statement. There are 2
    links; of 3 facts and 1 relation each is asked with 3 of the reference's 4: 12. No fact entails
    another by rule, so all are roots and no request has earlier verdicts.
    """
    with serving(bench, PAPER, judge=judge) as server:
        first = judged(bench, "--summ-run-record=run.json")
        found = kinds(server)
        n_requests = server.n_requests
        again = judged(bench)

    assert first.outcomes == {"summeval.toml::good::limpet-01": "PASSED"}
    assert found == {**reading, "Fact checks": 2 + 12}
    assert again.outcomes == first.outcomes
    assert server.n_requests == n_requests
    score = scored(bench)
    assert len(score["candidate"]) == len(score["reference"]) == 4
    assert [fact["fact"]["text"] for fact in score["candidate"]][-1].endswith("told of together.")
    assert "counts" not in score
    recipe = dict(part.split(":", 1) for part in score["signature"].split("|")[1:])
    assert {key: recipe[key] for key in ("chains", "premises", "relations", "validation")} == {
        "chains": "adjacent",
        "premises": "3",
        "relations": "0.65",
        "validation": "chain",
    }
    assert len(recipe["prompts"]) == 8


def test_a_baseline_of_another_variant_is_not_compared(bench: Bench) -> None:
    """The verdict names the keys in which the recipes differ."""
    plain = 'default_systems = ["good"]\neva_recall = "matched"'
    with serving(bench, plain):
        bench.spoil("summeval.toml", "[judges.rule]", "[thresholds.mean]\neva = 0.1\n[judges.rule]")
        judged(bench, "--summ-save=v1")
        bench.spoil("summeval.toml", plain, f'{plain}\neva_validation = "chain"')
        run = judged(bench, "--summ-compare=v1")

    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "prompts" in run.out
    assert "validation" in run.out


@pytest.mark.parametrize(("references", "passes"), [("best", True), ("mean", False)])
def test_several_references_count_by_their_best_or_their_mean(
    bench: Bench, references: str, *, passes: bool
) -> None:
    """Of two references the summary is all of one and nothing of the other."""
    head = f'default_systems = ["good"]\neva_recall = "matched"\nreferences = "{references}"'
    with serving(bench, head):
        bench.spoil("summeval.toml", "eva = 0.3", "eva = 0.8")
        own = " ".join(PAPERS["limpet-01"])
        bench.lines(
            "papers.jsonl",
            {
                "id": "limpet-01",
                "source": own,
                "reference": [GOOD["limpet-01"], "Kilns are hot. Fuel is dear."],
            },
        )
        run = judged(bench, "--summ-run-record=run.json")

    assert run.outcomes == {"summeval.toml::good::limpet-01": "PASSED" if passes else "FAILED"}
    score = scored(bench)
    assert f"|references:{references}|" in score["signature"]
    if passes:
        assert (score["value"], "by_reference" in score) == (1.0, False)
    else:
        assert score["value"] == 0.5
        assert [each["value"] for each in score["by_reference"]] == [1.0, 0.0]
        assert [fact["fact"]["text"] for fact in score["reference"]] == [
            "Kilns are hot.",
            "Fuel is dear.",
        ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'eva_chains = "no"',
            """'eva_chains' of the suite is 'no'; write "parent" or "adjacent\"""",
        ),
        ("eva_premises = 0", """'eva_premises' of the suite is 0; write "all" or a whole number"""),
        ("eva_relations = 2", "'eva_relations' of the suite is 2; write true, false or a number"),
        (
            'references = "worst"',
            """'references' of the suite is 'worst'; write "best" or "mean\"""",
        ),
    ],
)
def test_a_variant_that_there_is_not_is_a_usage_error(
    bench: Bench, line: str, message: str
) -> None:
    """With its line, before anything is asked."""
    with serving(bench, f'default_systems = ["good"]\n{line}') as server:
        run = judged(bench)

    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert f"summeval.toml:3: {message}" in run.out + run.err
    assert server.n_requests == 0
