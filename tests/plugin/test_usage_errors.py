from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

FAIR = "--summ-judge=rule:Fair"
PROCESSES = pytest.mark.parametrize("processes", ["0", "2"], ids=["alone", "two workers"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One mistake of a user's, and what the run says of it.

    Attributes:
        name: What it is.
        spoil: File, and which text in it becomes which.
        arguments: What is given besides the suite and the judge.
        told: How the message begins, place first.
    """

    name: str
    told: str
    spoil: tuple[str, str, str] | None = None
    arguments: tuple[str, ...] = field(default=("summeval.toml",))


SUITE = [
    Mistake(
        name="broken TOML",
        spoil=("summeval.toml", "[thresholds]", "[thresholds"),
        told="summeval.toml:10: ",
    ),
    Mistake(
        name="unknown key",
        spoil=("summeval.toml", "default_systems", "default_system"),
        told="summeval.toml:2: unknown key 'default_system'",
    ),
    Mistake(
        name="unknown default system",
        spoil=("summeval.toml", '["good"]', '["goods"]'),
        told="summeval.toml:2: ",
    ),
    Mistake(
        name="missing file",
        spoil=("summeval.toml", "good.jsonl", "gone.jsonl"),
        told="summeval.toml:5: ",
    ),
    Mistake(
        name="unknown threshold",
        spoil=("summeval.toml", "facet = 0.6", "facett = 0.6"),
        told="summeval.toml:11: unknown threshold 'facett'; did you mean 'facet'?",
    ),
    Mistake(
        name="threshold out of range",
        spoil=("summeval.toml", "facet = 0.6", "facet = 60"),
        told="summeval.toml:11: threshold facet = 60 can never decide",
    ),
    Mistake(
        name="agreement floor out of range",
        spoil=("summeval.toml", "facet = 0.6", "facet = 0.6\n[thresholds.judge]\nkappa = 2"),
        told="summeval.toml:13: agreement floor kappa = 2 is out of range",
    ),
    Mistake(
        name="no threshold",
        spoil=("summeval.toml", "facet = 0.6\nfaithfulness = 0.8", ""),
        told="summeval.toml has no threshold, so nothing could fail",
    ),
    Mistake(
        name="pair without a summary",
        spoil=("good.jsonl", '"kiln-02"', '"limpet-01"'),
        told="good.jsonl:2: ",
    ),
    Mistake(
        name="summary of an unknown paper",
        spoil=("good.jsonl", '"kiln-02"', '"kiln-20"'),
        told="good.jsonl:2: ",
    ),
    Mistake(
        name="broken JSON in a system that is not gated",
        spoil=("bad.jsonl", '"limpet-01"', '"limpet-01'),
        told="bad.jsonl:1: ",
    ),
    Mistake(
        name="same paper twice",
        spoil=("papers.jsonl", '"kiln-02"', '"limpet-01"'),
        told="papers.jsonl:2: ",
    ),
    Mistake(
        name="a system that would have to be asked",
        spoil=(
            "summeval.toml",
            '[systems.good]\nsummaries = "good.jsonl"',
            '[systems.good]\nendpoint = "ollama"\nmodel = "m"\nprompt = "abstract"',
        ),
        told="summeval.toml:4: ",
    ),
]

OPTIONS = [
    Mistake(
        name="no such suite",
        arguments=("gone.summeval.toml",),
        told="gone.summeval.toml: there is no suite file",
    ),
    Mistake(
        name="unknown system",
        arguments=("summeval.toml", "--summ-model=goood"),
        told="--summ-model=goood: summeval.toml has no system 'goood'; did you mean 'good'?",
    ),
    Mistake(
        name="a flag given as nothing",
        arguments=("summeval.toml", "--summ-model="),
        told="--summ-model is given as nothing; give a value or leave it out",
    ),
    Mistake(
        name="unknown judge",
        arguments=("summeval.toml", "--summ-judge=gtp"),
        told="no judge 'gtp': known: offline",
    ),
    Mistake(
        name="judge behind an endpoint",
        spoil=(
            "summeval.toml",
            "[thresholds]",
            '[judges.gpt]\nendpoint = "openai"\nmodel = "m"\n\n[thresholds]',
        ),
        arguments=("summeval.toml", "--summ-judge=gpt"),
        told="judge 'gpt' asks an endpoint, which this version cannot do yet",
    ),
    Mistake(
        name="judge in no module",
        arguments=("summeval.toml", "--summ-judge=nowhere:Fair"),
        told="no judge 'nowhere:Fair': No module named 'nowhere'; name it package.module:Class",
    ),
    Mistake(
        name="judge that its module lacks",
        arguments=("summeval.toml", "--summ-judge=rule:Unfair"),
        told="no judge 'rule:Unfair': module 'rule' has no attribute 'Unfair'",
    ),
    Mistake(
        name="a class that is no judge",
        arguments=("summeval.toml", "--summ-judge=rule:NoJudge"),
        told="'rule:NoJudge' is no judge: it needs signature, in_flight and answer()",
    ),
    Mistake(
        name="unknown record mode",
        arguments=("summeval.toml", "--summ-record=some"),
        told="--summ-record='some' (or summ_record, SUMM_RECORD) is no mode; choose none, new, all",
    ),
    Mistake(
        name="replay with a judge that has no record",
        arguments=("summeval.toml", FAIR, "--summ-record=none"),
        told="--summ-record=none replays recorded answers, and judge 'rule:Fair' has none;"
        " use --summ-judge=offline or --summ-record=new",
    ),
    Mistake(
        name="minimum without a value",
        arguments=("summeval.toml", "--summ-min=facet"),
        told="--summ-min='facet' is no METRIC=VALUE; write --summ-min facet=0.6",
    ),
    Mistake(
        name="minimum that is no number",
        arguments=("summeval.toml", "--summ-min=facet=high"),
        told="--summ-min='facet=high' is no METRIC=VALUE; write --summ-min facet=0.6",
    ),
    Mistake(
        name="minimum of an unknown metric",
        arguments=("summeval.toml", "--summ-min=mean.evaa=0.5"),
        told="--summ-min=mean.evaa=0.5: unknown threshold 'evaa'; did you mean 'eva'?",
    ),
    Mistake(
        name="minimum out of range",
        arguments=("summeval.toml", "--summ-min=facet.result=5"),
        told="--summ-min=facet.result=5: threshold facet.result = 5 can never decide",
    ),
]


def assert_stopped(bench: Bench, run: Run, told: str) -> None:
    """Exit code 4, the message alone, and a judge that nobody asked."""
    assert run.code == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in run.err.splitlines() if line.startswith("ERROR: ")]
    assert len(errors) == 1
    assert errors[0].removeprefix("ERROR: ").startswith(told)
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out + run.err
    assert bench.asked() == []


@PROCESSES
@pytest.mark.parametrize("mistake", SUITE + OPTIONS, ids=lambda mistake: mistake.name)
def test_a_mistake_stops_the_run_before_anything_is_asked(
    bench: Bench, mistake: Mistake, processes: str
) -> None:
    """The user mends it in seconds instead of reading a red run, and pays nothing for it."""
    if mistake.spoil:
        bench.spoil(*mistake.spoil)
    run = bench.inside(FAIR, *mistake.arguments, "-n", processes)

    assert_stopped(bench, run, mistake.told)


def test_a_mistake_in_one_of_two_suites_stops_both(bench: Bench) -> None:
    """Half a gate is none."""
    bench.suite("other/summeval.toml", head="unheard = 1")
    run = bench.inside("summeval.toml", "other", FAIR)

    assert_stopped(bench, run, "other/summeval.toml:2: unknown key 'unheard'")


def test_a_mistake_in_the_environment_is_a_usage_error_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable of the machine is an option like any other."""
    monkeypatch.setenv("SUMM_RECORD", "sometimes")
    run = bench.inside("summeval.toml", FAIR)

    told = (
        "--summ-record='sometimes' (or summ_record, SUMM_RECORD) is no mode; choose none, new, all"
    )
    assert_stopped(bench, run, told)


@pytest.mark.parametrize("arguments", [("summeval.toml",), ()], ids=["suite", "hand-written"])
def test_collecting_alone_finds_a_mistake(bench: Bench, arguments: tuple[str, ...]) -> None:
    """--collect-only is how people check a suite without running it."""
    bench.spoil("summeval.toml", "facet = 0.6", "facett = 0.6")
    bench.write("test_pair.py", "def test_pair(summ_pair): pass\n")
    run = bench.inside(*(arguments or ("test_pair.py",)), "--collect-only", FAIR)

    assert_stopped(bench, run, "summeval.toml:11: unknown threshold 'facett'")


HANDWRITTEN = {
    "no suite": (
        "def test_pair(summ_pair): pass",
        (),
        (
            "tests/test_pair.py:2: test_pair uses summ_pair, and no suite is among the arguments;"
            " name one with --summ-suite=PATH, the ini key summ_suite or"
            " @pytest.mark.summ(suite='PATH')"
        ),
    ),
    "two suites": (
        "def test_pair(summ_pair): pass",
        ("golden", "silver"),
        "tests/test_pair.py:2: test_pair uses summ_pair, and more than one suite is among the",
    ),
    "marked suite that is not there": (
        "@pytest.mark.summ(suite='bronze')\ndef test_pair(summ_pair): pass",
        ("golden",),
        "tests/test_pair.py:2: @pytest.mark.summ: bronze: there is no suite 'bronze'",
    ),
    "given suite that is not there": (
        "def test_pair(summ_pair): pass",
        ("--summ-suite=bronze",),
        "bronze: there is no suite 'bronze'",
    ),
    "unknown metric": (
        "@pytest.mark.summ(metrics=['facett'])\ndef test_pair(summ_pair): pass",
        ("golden",),
        (
            "tests/test_pair.py:2: @pytest.mark.summ(metrics=['facett']) names no list of metrics;"
            " choose from facet, eva, faithfulness"
        ),
    ),
    "metrics as one text": (
        "@pytest.mark.summ(metrics='facet')\ndef test_pair(summ_pair): pass",
        ("golden",),
        "tests/test_pair.py:2: @pytest.mark.summ(metrics='facet') names no list of metrics;",
    ),
    "no metric at all": (
        "@pytest.mark.summ(metrics=[])\ndef test_pair(summ_pair): pass",
        ("golden",),
        "tests/test_pair.py:2: @pytest.mark.summ(metrics=[]) names no list of metrics;",
    ),
    "marker with another key": (
        "@pytest.mark.summ('golden', metric=['facet'])\ndef test_pair(summ_pair): pass",
        ("golden",),
        (
            "tests/test_pair.py:2: @pytest.mark.summ has no use for 'golden', metric; it takes"
            " suite='PATH' and metrics=[NAME, ...]"
        ),
    ),
    "unknown judge": (
        "def test_judge(summ_judge): pass",
        ("--summ-judge=gtp",),
        "no judge 'gtp': known: offline",
    ),
    "unknown record mode": (
        "def test_judge(summ_judge): pass",
        ("--summ-record=some",),
        "--summ-record='some' (or summ_record, SUMM_RECORD) is no mode; choose none, new, all",
    ),
}


@pytest.mark.parametrize("mistake", HANDWRITTEN)
def test_a_mistake_of_a_hand_written_test_stops_the_run_too(bench: Bench, mistake: str) -> None:
    """It shows while tests are collected, where pytest would make it an error of one file."""
    bench.suite("golden/summeval.toml")
    bench.suite("silver/summeval.toml")
    (bench.path / "summeval.toml").unlink()
    test, arguments, told = HANDWRITTEN[mistake]
    bench.write("tests/test_pair.py", f"import pytest\n{test}\ndef test_plain(): pass\n")
    run = bench.inside("tests", FAIR, *arguments)

    assert_stopped(bench, run, told)
    assert run.last == "no tests ran"


@pytest.mark.parametrize("mistake", ["no suite", "marked suite that is not there"])
def test_workers_that_meet_a_mistake_stop_the_run_as_one_process_does(
    bench: Bench, mistake: str
) -> None:
    """A worker can only crash or report; the controller ends the run, and no test has run."""
    (bench.path / "summeval.toml").unlink()
    test, _, told = HANDWRITTEN[mistake]
    bench.write("tests/test_pair.py", f"import pytest\n{test}\n")
    bench.write("tests/test_plain.py", "def test_plain(): open('ran', 'w').close()\n")
    run = bench.inside("tests", FAIR, "-n", "2")

    assert_stopped(bench, run, told)
    assert run.last == "no tests ran"
    assert not (bench.path / "ran").exists()
