"""A run in shards, and what decides over all of them."""

from __future__ import annotations

from contextlib import chdir

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.options import TABLE
from summeval_pytest.plugin.controller import EMPTY_SHARD
from summeval_pytest.record.shards import is_in_shard
from tests.plugin import labelled as labels
from tests.plugin.conftest import BOTH, PAPERS, Bench, Run

REPORTS = {name: option.flag for name, option in TABLE.items() if option.is_report}


def labelled(bench: Bench) -> None:
    """A suite of three papers and two systems, whose labels hold the judge."""
    limits = "facet = 0.6\neva = 0.5\nfaithfulness = 0.8"
    labels.labelled(bench, pair=limits, mean="facet = 0.7", floors="facet_exact = 0.1")
    bench.spoil("summeval.toml", 'default_systems = ["good"]\n', "")


def shards(bench: Bench, n_shards: int, *arguments: str) -> list[str]:
    """The records of so many shards; some may have no paper."""
    names = [f"{k}-{n_shards}.json" for k in range(1, n_shards + 1)]
    for k, name in enumerate(names, start=1):
        bench.inside(
            *("summeval.toml", BOTH, f"--summ-shard={k}/{n_shards}", f"--summ-run-record={name}"),
            *arguments,
        )
    return names


def reported(bench: Bench, name: str, *arguments: str) -> Run:
    """A run with all its reports."""
    files = [f"{flag}={name}.{kind}" for kind, flag in REPORTS.items()]
    return bench.inside("summeval.toml", BOTH, *files, *arguments)


def test_merged_shards_are_the_whole_run_to_the_byte(bench: Bench) -> None:
    """Means, comparisons, the judge's agreement and every report, in whatever order named."""
    labelled(bench)
    bench.inside("summeval.toml", "--summ-model=good", "--summ-run-record=old.jsonl")
    compared = "--summ-compare=old.jsonl:good"
    whole = reported(bench, "whole", compared)
    names = shards(bench, 4, compared)
    assert [bench.record(name).shard for name in names] == [(k, 4) for k in range(1, 5)]
    named = [f"--summ-from={name}" for name in reversed(names)]
    merged = reported(bench, "merged", compared, *named)
    assert (merged.code, merged.last) == (whole.code, whole.last)
    other = bench.inside("summeval.toml", BOTH, "--summ-compare=old.jsonl", *named)
    assert (other.code, f"with {compared};" in other.err.replace("\n", " ")) == (4, True)
    assert bench.record("merged.run_record").suites[0].comparisons.keys() == {"good", "bad"}
    for kind in REPORTS:
        made, expected = (bench.path / f"{name}.{kind}" for name in ("merged", "whole"))
        assert made.read_bytes() == expected.read_bytes(), kind


def test_a_shard_decides_no_means_and_holds_no_floor(bench: Bench) -> None:
    """It sees some papers only: an UNTRUSTED shard would say nothing of the judge."""
    labelled(bench)
    bench.spoil("summeval.toml", "facet_exact = 0.1", "facet_exact = 1.0")
    assert reported(bench, "whole").code == 10
    for name in shards(bench, 2):
        (suite,) = bench.record(name).suites
        assert not bench.record(name).may_release
        assert not suite.is_untrusted
        assert {system.outcome for system in suite.systems} == {"not judged"}
        assert {pair.paper for pair in suite.golden} == {pair.paper for pair in suite.pairs}
    assert reported(bench, "merged", "--summ-from=1-2.json,2-2.json").code == 10


def test_a_shard_without_papers_passes_and_says_so(bench: Bench) -> None:
    """Merging needs its record. A shard of which all tests were deselected has judged nothing."""
    papers = ("limpet-01", "kiln-02")
    bench.suite(papers=papers)
    full, empty = (
        next(k for k in range(1, 5) if any(is_in_shard(p, (k, 4)) for p in papers) == has_papers)
        for has_papers in (True, False)
    )
    for workers in ("0", "1"):
        shard = (f"--summ-shard={empty}/4", f"--summ-run-record={workers}.json", "-n", workers)
        run = bench.inside("summeval.toml", *shard)
        assert (run.code, EMPTY_SHARD in run.lines) == (0, True), run.out
        assert not bench.record(f"{workers}.json").suites[0].rows
    deselected = bench.inside("summeval.toml", "-k", "nothing", f"--summ-shard={full}/4")
    assert (deselected.code, EMPTY_SHARD in deselected.lines) == (5, False)


def test_all_systems_of_a_paper_are_in_one_shard_and_every_paper_in_one() -> None:
    """A shard is told by the paper's id alone, on any machine; worked: sha256 of "a" is ca97..."""
    papers = [f"paper-{n}" for n in range(200)]
    for n_shards in (1, 3, 8):
        stored = [
            [is_in_shard(paper, (k, n_shards)) for k in range(1, n_shards + 1)] for paper in papers
        ]
        assert all(sum(row) == 1 for row in stored)
        assert all(map(any, zip(*stored, strict=True)))
    assert is_in_shard("a", (0xCA978112CA1BBDCA % 7 + 1, 7))


def test_missing_and_incomplete_shards_are_refused_by_name(bench: Bench) -> None:
    """What is missing would be a mean over other papers, and nobody would see it."""
    bench.inside("summeval.toml", BOTH, "--summ-shard=1/3", "--summ-run-record=1-3.json")
    bench.inside("summeval.toml", BOTH, "-k", "not kiln-02", "--summ-run-record=part.jsonl")
    for named, message in (
        ("1-3.json", "shard 2/3, 3/3 is missing; name its run, too, or run it with"),
        ("part.jsonl", "2 of 4 pairs of summeval.toml are in no record, first good on"),
        ("nowhere.json", "nowhere.json cannot be read as a run record"),
    ):
        run = bench.inside("summeval.toml", BOTH, f"--summ-from={named}")
        assert run.code == 4
        assert message in run.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--summ-shard=0/2",), "is not a shard; write its number and how many there are, as 2/8"),
        (("--summ-shard=1/2", "--summ-save=x"), "--summ-save does not go with --summ-shard"),
        (("--summ-shard=1/2", "--summ-from=1-2.json"), "leave out --summ-shard"),
        (("--summ-from=1-2.json", "--summ-plan"), "--summ-plan does not go with --summ-from"),
        (("--summ-plan", "--summ-html=x.html"), "--summ-html does not go with --summ-plan"),
    ],
)
def test_what_shards_cannot_do_is_a_usage_error(
    bench: Bench, arguments: tuple[str, ...], message: str
) -> None:
    """Before anything is judged."""
    run = bench.inside("summeval.toml", *arguments)
    assert run.code == 4
    assert message in run.err


def test_merge_is_a_command_with_the_exit_code_of_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a workflow calls once all of its shards are there."""
    bench.suite(mean="facet = 0.7", papers=tuple(PAPERS))
    reported(bench, "whole")
    names = shards(bench, 2)
    monkeypatch.chdir(bench.path)
    monkeypatch.setenv("SUMM_HTML", "shard.html")  # of the job of a shard; nobody typed it here
    with pytest.raises(SystemExit) as ended:
        main(["merge", *names, "--out", "run.jsonl", f"--option={BOTH}"])
    assert ended.value.code == 1  # the bad system fails
    assert not (bench.path / "shard.html").exists()
    assert bench.text("run.jsonl") == bench.text("whole.run_record")
    assert main(["merge", "--out", "run.jsonl"]) == 4


@pytest.mark.parametrize(
    ("option", "code", "said"),
    [
        ("--collect-only", 4, "pytest decided nothing"),
        ("--deselect=summeval.toml::good::limpet-01", 1, "the merged run is partial"),
    ],
)
def test_a_merge_without_a_verdict_is_no_success(
    bench: Bench, capfd: pytest.CaptureFixture[str], option: str, code: int, said: str
) -> None:
    """Whatever pytest says; an earlier verdict is not taken for one."""
    bench.suite(papers=tuple(PAPERS))
    names = [f"{k}-2.json" for k in (1, 2)]
    for k, name in enumerate(names, start=1):
        run = ("summeval.toml", "--summ-model=good", f"--summ-shard={k}/2")
        assert bench.inside(*run, f"--summ-run-record={name}").code == 0
    bench.write("run.jsonl", "of an earlier run")
    options = [f"--option={each}" for each in ("--summ-model=good", option) if each]
    with chdir(bench.path):
        assert main(["merge", *names, "--out", "run.jsonl", *options]) == code
    output = capfd.readouterr()
    assert said in output.out + output.err
