"""Real runs against a saved run, and waivers."""

from __future__ import annotations

from typing import Final

from tests.plugin.conftest import FAIR, Bench, Run

GOOD, BAD = "--summ-model=good", "--summ-model=bad"
SAVE, COMPARE = "--summ-save=v1", "--summ-compare=v1"
DROP = "[compare]\ndrop = {facet = 0.1}\n"


def saved(bench: Bench, *arguments: str) -> Run:
    """A run that is saved as v1."""
    run = bench.inside("summeval.toml", *(arguments or (GOOD,)), SAVE, "--tb=no")
    assert "saved: baselines/v1.jsonl" in run.lines
    return run


def test_a_run_against_itself_passes_with_difference_0(bench: Bench) -> None:
    """Whatever fails here would be the harness's own doing; a record's file will do, too."""
    saved(bench)
    bench.extend(DROP)
    run = bench.inside("summeval.toml", GOOD, COMPARE, "--summ-run-record=elsewhere.json")

    assert (run.code, run.last) == (0, "3 passed")
    assert "good against run v1: no rule broken" in run.lines
    assert any("  change on 2 papers: faithfulness +0.000" in line for line in run.lines)
    run = bench.inside("summeval.toml", GOOD, "--summ-compare=elsewhere.json")
    assert run.code == 0
    assert "good against run elsewhere.json: no rule broken" in run.lines


def test_a_drop_fails_and_names_the_facets_that_flipped(bench: Bench) -> None:
    """The reviewer sees where, the old words beside the new ones, and the sentence that is new."""
    saved(bench)
    bench.extend(DROP)
    run = bench.inside("summeval.toml", BAD, COMPARE, "--summ-min=facet=0.3", "-rA")

    assert run.code == 1
    assert "thresholds by --summ-min: facet=0.3" in run.lines
    assert run.outcomes["summeval.toml::bad::all-papers"] == "FAILED"
    assert "facet drops by " in run.out
    assert "  limpet-01: result 4 -> 2" in run.lines
    assert any(
        line.startswith("against run v1, system good: facet 1.000 -> ") for line in run.lines
    )
    assert "  new unsupported sentence:" in run.lines
    assert '    "Sleepers liked its alloy lamp."' in run.lines


NAME = " is not a name for a saved run; use letters, digits, '.', '-' and '_'"


REFUSED: Final = (
    (("--summ-compare=v11",), "baselines has no run 'v11'; did you mean 'v1'?"),
    (("--summ-compare=cut",), "cut.jsonl was cut before it closed its record"),
    (("--summ-save=../v1",), f"--summ-save='../v1'{NAME}"),
)


def test_what_cannot_be_compared_or_saved_is_a_usage_error(bench: Bench) -> None:
    """A gate that compares with nothing, or holds nothing, must not be green."""
    bare = bench.inside("summeval.toml", COMPARE)
    assert bare.code == 4
    none = "baselines has no run 'v1'; no run is saved there; save one with --summ-save=v1"
    assert none in bare.err

    saved(bench)
    text = bench.text("baselines/v1.jsonl")
    bench.write("baselines/cut.jsonl", "".join(text.splitlines(keepends=True)[:-2]))
    for arguments, message in REFUSED:
        run = bench.inside("summeval.toml", *arguments)
        assert (run.code, message in run.err) == (4, True), run.err


def test_a_run_of_some_pairs_is_neither_saved_nor_compared(bench: Bench) -> None:
    """The worst paper would be the one that is missing, where the judge has left it unscored."""
    run = bench.inside("summeval.toml::good::limpet-01", SAVE)
    assert run.code == 1
    message = "--summ-save=v1: not saved, summeval.toml: 1 of 2 pairs are judged; run all of them"
    assert message in run.lines
    assert not (bench.path / "baselines").exists()

    saved(bench, BAD, FAIR)
    run = bench.inside("summeval.toml", BAD, COMPARE, "--summ-judge=rule:Silent", "-rA")
    assert run.outcomes["summeval.toml::bad::all-papers"] == "ERROR"
    assert "is undecided: limpet-01: facet is unscored: unanswered" in run.out
