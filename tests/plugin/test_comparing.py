from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

GOOD, BAD = "--summ-model=good", "--summ-model=bad"
SAVE, COMPARE = "--summ-save=v1", "--summ-compare=v1"
DROP = "--summ-compare-fail=facet:0.1"


def saved(bench: Bench, *arguments: str) -> Run:
    """A run that is saved as v1."""
    run = bench.inside("summeval.toml", GOOD, SAVE, *arguments)
    assert run.code == 0
    assert "saved: baselines/v1.json" in run.lines
    return run


def test_a_run_against_itself_passes_with_difference_0(bench: Bench) -> None:
    """Whatever fails here would be the harness's own doing."""
    saved(bench)
    run = bench.inside("summeval.toml", GOOD, COMPARE)

    assert run.code == 0
    assert run.last == "3 passed"
    assert "good against v1 (good): no rule broken" in run.lines
    (changes,) = [line for line in run.lines if line.startswith("  against v1")]
    assert changes.split() == ["against", "v1", "+0.000", "+0.000"]


def test_a_drop_fails_and_names_the_facets_that_flipped(bench: Bench) -> None:
    """A release gate that fails without saying where would be argued with."""
    saved(bench)
    run = bench.inside("summeval.toml", BAD, COMPARE, DROP, "-rA")

    assert run.code == 1
    assert run.outcomes["summeval.toml::bad::all-papers"] == "FAILED"
    assert "facet drops by " in run.out
    assert "facets rated lower, worst first (" in run.out
    assert "  limpet-01: result 4 -> 2" in run.lines
    assert any(line.startswith("facet ") and line.endswith("FAILS") for line in run.lines)


def test_a_failing_pair_says_what_its_baseline_had(bench: Bench) -> None:
    """The reviewer sees the old words beside the new ones, and the sentence that is new."""
    saved(bench)
    run = bench.inside("summeval.toml::bad::limpet-01", BAD, COMPARE)

    assert run.code == 1
    assert any(line.startswith("against v1 (good): facet 1.000 -> ") for line in run.lines)
    assert "  new unsupported sentence:" in run.lines
    assert '    "Sleepers liked its alloy lamp."' in run.lines


def test_two_papers_show_no_drop_and_the_run_says_so(bench: Bench) -> None:
    """A green from an underpowered suite is visibly weak: no p value of two papers is under .05."""
    saved(bench)
    bench.bad["kiln-02"] += f" {bench.good['kiln-02']}"
    bench.suite()
    run = bench.inside("summeval.toml", BAD, COMPARE, "--tb=short", "--summ-min=facet=0.3")

    assert "bad against v1 (good): no rule broken" in run.lines
    assert (
        "smallest drop that 2 papers show with 80 % power: facet none, faithfulness none"
    ) in " ".join(run.out.split())


def test_a_missing_baseline_is_a_usage_error_that_names_the_saved_ones(bench: Bench) -> None:
    """A gate that compares with nothing must not be green."""
    bare = bench.inside("summeval.toml", COMPARE)
    saved(bench)
    misspelt = bench.inside("summeval.toml", "--summ-compare=v11")

    assert bare.code == misspelt.code == 4
    assert "baselines has no run 'v1'; no run is saved there; save one with --summ-save=v1" in (
        bare.err
    )
    assert "baselines has no run 'v11'; did you mean 'v1'?" in misspelt.err


def test_another_judge_fails_and_is_named(bench: Bench) -> None:
    """A drop that another judge sees is no drop of the system."""
    saved(bench)
    run = bench.inside("summeval.toml", GOOD, COMPARE, "--summ-judge=rule:Fair")

    assert run.code == 1
    assert "good: judge differs: 'fair-1' here, 'offline-3' in v1 (facet, faithfulness)" in run.out


def test_the_baselines_system_can_be_named(bench: Bench) -> None:
    """A saved run of several systems leaves open which one is meant."""
    bench.inside("summeval.toml", "--summ-model=good,bad", SAVE, "--tb=no")
    bench.spoil("summeval.toml", "[systems.bad]", "[systems.other]")
    other = "--summ-model=other"
    unclear = bench.inside("summeval.toml", other, COMPARE)
    named = bench.inside("summeval.toml", other, f"{COMPARE}:bad", "--tb=no")

    assert unclear.code == 4
    assert "'v1' has no system 'other'" in unclear.err
    assert "name one of them, v1:SYSTEM" in unclear.err
    assert "other against v1 (bad): no rule broken" in named.lines


def test_a_file_will_do_for_a_baseline(bench: Bench) -> None:
    """The record of another checkout, or of an artifact of CI."""
    bench.inside("summeval.toml", GOOD, "--summ-run-record=elsewhere.json")
    run = bench.inside("summeval.toml", GOOD, "--summ-compare=elsewhere.json")

    assert run.code == 0
    assert "good against elsewhere.json (good): no rule broken" in run.lines


def test_a_run_of_some_pairs_is_not_saved(bench: Bench) -> None:
    """Whatever was compared with it would be compared on those pairs only."""
    run = bench.inside("summeval.toml::good::limpet-01", SAVE)

    assert run.code == 1
    assert (
        "--summ-save=v1: not saved, summeval.toml: 1 of 2 pairs are judged; run all of them"
    ) in run.lines
    assert not (bench.path / "baselines").exists()


@pytest.mark.parametrize("name", ["../v1", "a b", ".hidden", "v1/2", "v1.json"])
def test_a_name_that_is_no_file_name_is_refused(bench: Bench, name: str) -> None:
    """It would be written somewhere else, or nowhere on another machine."""
    run = bench.inside("summeval.toml", f"--summ-save={name}")

    assert run.code == 4
    assert f"--summ-save={name!r} is no name; use letters, digits, '.', '-' and '_'" in run.err


def test_rules_without_a_baseline_are_a_usage_error(bench: Bench) -> None:
    """Somebody believes that a drop fails, and nothing is compared."""
    run = bench.inside("summeval.toml", DROP)

    assert run.code == 4
    assert "--summ-compare-fail says what fails and nothing is compared" in run.err


WAIVER = """
[waivers.known]
paper = "limpet-01"
system = "bad"
finding = "{finding}"
owner = "ann@example.org"
reason = "the reference is wrong"
expires = {expires}
"""


def waive(bench: Bench, *findings: str, expires: str = "2999-01-01") -> None:
    """Waives findings of the bad system on one paper."""
    text = (bench.path / "summeval.toml").read_text(encoding="utf-8")
    for number, finding in enumerate(findings):
        waiver = WAIVER.format(finding=finding, expires=expires)
        text += waiver.replace("waivers.known", f"waivers.known-{number}")
    bench.write("summeval.toml", text)


def test_a_waived_finding_passes_and_is_listed(bench: Bench) -> None:
    """An exception that somebody answers for is visible in every run."""
    waive(bench, "facet", "faithfulness")
    run = bench.inside("summeval.toml", BAD, "-rA", "--tb=no")

    assert run.outcomes["summeval.toml::bad::limpet-01"] == "PASSED"
    assert run.outcomes["summeval.toml::bad::kiln-02"] == "FAILED"
    assert (
        run.block("waiver known-0 (in use): bad on limpet-01, facet, until 2999-01-01, owner", 2)[1]
        == "  ann@example.org: the reference is wrong"
    )


def test_a_waiver_of_no_threshold_is_a_usage_error(bench: Bench) -> None:
    """A misspelt waiver would be found out only when the pair fails."""
    waive(bench, "facet.results")
    run = bench.inside("summeval.toml", BAD)

    assert run.code == 4
    assert "summeval.toml:" in run.err
    assert "is of 'facet.results', which [thresholds] does not hold" in run.err


def test_an_expired_waiver_fails(bench: Bench) -> None:
    """What nobody renews ends."""
    waive(bench, "facet", "faithfulness", expires="2020-01-01")
    run = bench.inside("summeval.toml::bad::limpet-01", BAD)

    assert run.code == 1
    assert "expired on 2020-01-01; mend, renew or delete it" in " ".join(run.out.split())


def test_a_waiver_that_nothing_needs_fails(bench: Bench) -> None:
    """Left behind, it would waive the next mistake."""
    bench.bad["limpet-01"] = bench.good["limpet-01"]
    bench.suite()
    waive(bench, "facet")
    run = bench.inside("summeval.toml::bad::limpet-01", BAD)

    assert run.code == 1
    assert "waiver 'known-0' of facet (owner 'ann@example.org') is no longer needed" in run.out


def test_other_papers_fail_and_name_the_key(bench: Bench) -> None:
    """Means over other papers are other numbers."""
    saved(bench)
    bench.suite(papers=("limpet-01", "kiln-02", "moss-03"))
    run = bench.inside("summeval.toml", GOOD, COMPARE)

    assert run.code == 1
    assert run.last == "1 failed, 3 passed"
    assert "good: suite differs: " in run.out
    assert "numbers of different recipes do not compare" in " ".join(run.out.split())
