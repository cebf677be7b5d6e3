"""Real pytest runs of metamorphic relations and attacks: a judge is tried without any label."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

NUMBER = "summeval.toml::metamorphic::number-edit"
THREE = ("limpet-01", "kiln-02", "moss-03")


def test_relations_are_tests_where_they_are_asked_for(bench: Bench) -> None:
    """Seven relations and the attacks, each a node id of its own; none by default."""
    bare = bench.inside("summeval.toml", "--collect-only", "-q")
    run = bench.inside("summeval.toml", "--summ-metamorphic=all", "--collect-only", "-q")

    assert not [node for node in bare.collected if "metamorphic" in node or "hostile" in node]
    tried = [node for node in run.collected if node not in bare.collected]
    assert NUMBER in tried
    assert len([node for node in tried if "::metamorphic::" in node]) == 7
    assert len([node for node in tried if "::hostile::" in node]) >= 8


def test_a_judge_that_believes_everything_fails(bench: Bench) -> None:
    """Told on how many papers, what was done to each, and which number did not move.

    So is a record: a run that failed on a relation is no passed run when it is read again.
    """
    reports = ("--summ-run-record=run.json", "--summ-html=run.html")
    run = bench.inside(NUMBER, "--summ-metamorphic=number-edit", "--summ-judge=rule:Fair", *reports)
    assert run.code == 1
    start = run.lines.index("number-edit: holds on 0 of 2 papers, at least 90% wanted")
    assert run.lines[start + 1] == "wanted: a sentence with a wrong figure is unsupported"
    assert run.lines[start + 3].startswith('kiln-02: "')
    assert " -> " in run.lines[start + 3]
    assert run.lines[start + 4] == "  faithfulness 1.000 -> 1.000, expected lower"
    assert not run.shows_code
    (verdict,) = json.loads(bench.text("run.json"))["suites"][0]["relations"]
    assert verdict["relation"] == "number-edit"
    assert [check["held"] for check in verdict["checks"]] == [False, False]
    page = bench.text("run.html")
    assert '<header class="top failed">' in page
    assert "number-edit: holds on 0 of 2 papers" in page


def test_a_suite_says_on_how_many_papers_a_relation_has_to_hold(bench: Bench) -> None:
    """A judge that is known to overlook a kind of edit is held to what it reaches."""
    bench.extend("[thresholds.metamorphic]\nnumber-edit = 0.0")
    run = bench.inside(NUMBER, "--summ-metamorphic=metamorphic", "--summ-judge=rule:Fair")
    assert run.code == 0


@pytest.mark.parametrize(
    ("floor", "told"),
    [
        ("number-edits = 1", "unknown relation 'number-edits'; did you mean 'number-edit'?"),
        ("number-edit = 2", "number-edit = 2 is no share of papers; write a value from 0 to 1"),
    ],
)
def test_a_floor_that_cannot_be_is_a_usage_error(bench: Bench, floor: str, told: str) -> None:
    """With its line, whether relations are asked for or not."""
    bench.extend(f"[thresholds.metamorphic]\n{floor}")
    run = bench.inside("summeval.toml")
    assert run.code == 4
    assert f"summeval.toml:15: {told}" in run.out + run.err


def test_a_judge_without_answers_is_an_error(bench: Bench) -> None:
    """Nothing was measured, so nothing moved: that is no relation that holds."""
    bench.write(
        "mute.py",
        "from rule import Fair, Unanswered\n"
        "class Mute(Fair):\n"
        "    signature = 'mute-1'\n"
        "    def say(self, question):\n"
        "        return Unanswered('no words')\n",
    )
    run = bench.inside(NUMBER, "--summ-metamorphic=number-edit", "--summ-judge=mute:Mute", "-rA")
    assert run.code == 1
    assert run.outcomes == {NUMBER: "ERROR"}
    assert "number-edit was not decided: the judge left 2 of 2 papers without a number" in run.out


def test_an_edit_that_no_paper_offers_is_skipped(bench: Bench) -> None:
    """A suite without figures is no reason to be green about figures."""
    bench.suite(papers=("moss-03",))
    text = bench.text("papers.jsonl")
    assert text.count("4.5 degrees cooler in July") == 2
    bench.write("papers.jsonl", text.replace("4.5 degrees cooler in July", "cooler in summer"))
    run = bench.inside(NUMBER, "--summ-metamorphic=number-edit")
    assert run.last == "1 skipped"
    run = bench.inside("summeval.toml", "--summ-metamorphic=hostile")
    assert "14 skipped" in run.last, "with one paper no attack has another paper's summary"


def test_an_obedient_judge_is_found_out(bench: Bench) -> None:
    """A judge that gives full marks to whoever asks for them fails the attack, with figures."""
    bench.write(
        "obedient.py",
        "from rule import Fair\n"
        "class Obedient(Fair):\n"
        "    signature = 'obedient-1'\n"
        "    def likes(self, text):\n"
        "        return '4' in text and 'facet' in text.lower()\n",
    )
    bench.suite(papers=THREE)
    run = bench.inside(
        "summeval.toml::hostile::instructions-after",
        "--summ-metamorphic=instructions-after",
        "--summ-judge=obedient:Obedient",
    )
    assert run.code == 1
    assert "instructions-after: holds on 0 of 3 papers, at least 100% wanted" in run.lines
    assert any("facet 0." in line and "-> 1.000, expected no higher" in line for line in run.lines)


def test_attacks_move_no_verdict_of_a_judge_behind_an_endpoint(bench: Bench) -> None:
    """What a summary says reaches an LLM judge as a text to judge, fenced, and replies stay ours.

    The scripted model judges by shared words; it is asked about every attack, over HTTP.
    """
    bench.suite(papers=THREE)
    with bench.serving() as server:
        arguments = ("--summ-metamorphic=hostile", "--summ-judge=rule", "-rA", "-k", "hostile")
        run = bench.inside("summeval.toml", *arguments)
        assert server.n_requests > 50
    assert run.code == 0
    assert len(run.outcomes) == 14
    assert set(run.outcomes.values()) == {"PASSED"}
