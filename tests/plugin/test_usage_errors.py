from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

FAIR = "--summ-judge=rule:Fair"


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
        name="agreement floor without labels",
        spoil=("summeval.toml", "facet = 0.6", "facet = 0.6\n[thresholds.judge]\nfact_f1 = 0.5"),
        told="summeval.toml:13: agreement floor 'fact_f1' can never be held: the suite has no"
        " labels",
    ),
    Mistake(
        name="unknown agreement floor",
        spoil=("summeval.toml", "facet = 0.6", "facet = 0.6\n[thresholds.judge]\nfact_f2 = 0.5"),
        told="summeval.toml:13: unknown agreement floor 'fact_f2'; did you mean 'fact_f1'?",
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
        name="a system at an endpoint that nobody defines",
        spoil=(
            "summeval.toml",
            '[systems.good]\nsummaries = "good.jsonl"',
            '[systems.good]\nendpoint = "olama"\nmodel = "m"',
        ),
        told="summeval.toml:5: system 'good' names the unknown endpoint 'olama'; did you mean",
    ),
    Mistake(
        name="a system that reads a file that is not there",
        spoil=(
            "summeval.toml",
            '[systems.good]\nsummaries = "good.jsonl"',
            '[systems.good]\nendpoint = "ollama"\nmodel = "m"\nprompt = "gone.txt"',
        ),
        told="summeval.toml:7: 'prompt' of system 'good' is 'gone.txt', neither abstract nor plain",
    ),
]

OPTIONS = [
    Mistake(
        name="no such suite",
        arguments=("gone.summeval.toml",),
        told="gone.summeval.toml: there is no suite file",
    ),
    Mistake(
        name="unknown system at an unknown endpoint",
        arguments=("summeval.toml", "--summ-model=goood", "--summ-endpoint=olama"),
        told="no endpoint 'olama'; did you mean 'ollama'? (or write a URL)",
    ),
    Mistake(
        name="a system with a name that no node id can hold",
        arguments=("summeval.toml", "--summ-model=a::b"),
        told="--summ-model=a::b: system 'a::b'",
    ),
    Mistake(
        name="a flag given as nothing",
        arguments=("summeval.toml", "--summ-model="),
        told="--summ-model is given as nothing; give a value or leave it out",
    ),
    Mistake(
        name="misspelt judge",
        arguments=("summeval.toml", "--summ-judge=ofline"),
        told="no judge 'ofline'; did you mean 'offline'?",
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
        " use --summ-judge=offline, or --summ-record=new",
    ),
    Mistake(
        name="votes of a judge that is no model",
        arguments=("summeval.toml", FAIR, "--summ-votes=3"),
        told="--summ-votes asks a model several times, and judge 'rule:Fair' is none; leave it out",
    ),
    Mistake(
        name="no votes at all",
        arguments=("summeval.toml", "--summ-votes=0"),
        told="--summ-votes='0' (or summ_votes, SUMM_VOTES) is not a whole number from 1 to",
    ),
    Mistake(
        name="votes without end",
        arguments=("summeval.toml", f"--summ-votes={'9' * 5_000}"),
        told=f"--summ-votes='{'9' * 59} (or summ_votes, SUMM_VOTES) is not a whole number from 1",
    ),
    Mistake(
        name="requests in flight without end",
        arguments=("summeval.toml", "--summ-in-flight=1000000"),
        told="--summ-in-flight='1000000' (or summ_in_flight, SUMM_IN_FLIGHT) is not a whole number",
    ),
    Mistake(
        name="a budget without end",
        arguments=("summeval.toml", "--summ-budget=1e999"),
        told="--summ-budget='1e999' (or summ_budget, SUMM_BUDGET) is not a number of dollars of at",
    ),
    Mistake(
        name="minimum beyond all numbers",
        arguments=("summeval.toml", "--summ-min=facet=1e999"),
        told="--summ-min=facet=1e999: threshold facet = inf can never decide",
    ),
    Mistake(
        name="requests in flight in words",
        arguments=("summeval.toml", "--summ-in-flight=many"),
        told="--summ-in-flight='many' (or summ_in_flight, SUMM_IN_FLIGHT) is not a whole number",
    ),
    Mistake(
        name="a budget below nothing",
        arguments=("summeval.toml", "--summ-budget=-1"),
        told="--summ-budget='-1' (or summ_budget, SUMM_BUDGET) is not a number of dollars of at",
    ),
    Mistake(
        name="a budget without a price",
        arguments=("summeval.toml", "--summ-judge=gtp", "--summ-budget=1"),
        told="--summ-budget needs a price; write input_price and output_price, dollars per million"
        " tokens, under [judges.gtp] of the suite",
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


LATE = [
    Mistake(
        name="unknown system",
        arguments=("summeval.toml", FAIR, "--summ-model=llama3", "--summ-endpoint={nobody}"),
        told="system 'llama3' asks model 'llama3': endpoint '{nobody}' at {nobody}: nothing answers"
        " (connection refused, or a name that nobody knows);",
    ),
    Mistake(
        name="system of the suite where nobody listens",
        spoil=(
            "summeval.toml",
            '[systems.good]\nsummaries = "good.jsonl"',
            (
                '[endpoints.near]\nbase_url = "{nobody}"\n\n'
                '[systems.good]\nendpoint = "near"\nmodel = "m"'
            ),
        ),
        arguments=("summeval.toml", FAIR),
        told="system 'good' asks model 'm': endpoint 'near' at {nobody}: nothing answers",
    ),
    Mistake(
        name="unknown judge without a key",
        arguments=("summeval.toml", "--summ-judge=gtp"),
        told="'gtp' is asked at https://api.openai.com/v1, which needs a key: set OPENAI_API_KEY,"
        " name another address with --summ-endpoint, or replay with --summ-record=none",
    ),
    Mistake(
        name="judge of the suite without a key",
        spoil=(
            "summeval.toml",
            "[thresholds]",
            '[judges.gpt]\nendpoint = "openai"\nmodel = "m"\n\n[thresholds]',
        ),
        arguments=("summeval.toml", "--summ-judge=gpt"),
        told="'m' is asked at https://api.openai.com/v1, which needs a key: set OPENAI_API_KEY,",
    ),
]
"""What shows only where something has to be asked: replaying needs neither a server nor a key."""


def assert_ended(bench: Bench, run: Run, told: str) -> str:
    """Exit code 4, the message alone as the last line, and a judge that nobody asked."""
    assert run.code == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in run.err.splitlines() if line.startswith("ERROR: ")]
    assert len(errors) == 1
    message = errors[0].removeprefix("ERROR: ")
    assert message.startswith(told)
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out + run.err
    assert bench.asked() == []
    return message


def assert_stopped(bench: Bench, run: Run, told: str) -> None:
    """Ended as above, and before any test."""
    assert_ended(bench, run, told)
    assert run.outcomes == {}


@pytest.mark.parametrize("mistake", SUITE + OPTIONS, ids=lambda mistake: mistake.name)
def test_a_mistake_stops_the_run_before_anything_is_asked(bench: Bench, mistake: Mistake) -> None:
    """The user mends it in seconds instead of reading a red run, and pays nothing for it."""
    if mistake.spoil:
        bench.spoil(*mistake.spoil)
    run = bench.inside(FAIR, *mistake.arguments)

    assert_stopped(bench, run, mistake.told)


@pytest.mark.parametrize(
    ("mistake", "processes"), [*((mistake, "0") for mistake in LATE), (LATE[0], "2")]
)
def test_a_mistake_that_shows_while_judging_errs_one_test_and_ends_the_run(
    bench: Bench, nobody: str, mistake: Mistake, processes: str
) -> None:
    """Every other test would meet it, too: one line at the end says what to mend, and exit 4.

    Each of two workers may have met it before the controller hears of it.
    """
    bench.suite(papers=("limpet-01", "kiln-02", "moss-03"))
    if mistake.spoil:
        file, old, new = mistake.spoil
        bench.spoil(file, old, new.replace("{nobody}", nobody))
    arguments = [argument.replace("{nobody}", nobody) for argument in mistake.arguments]
    start = bench.inside if processes == "0" else bench.run
    run = start(*arguments, "-n", processes, "-rA")

    told = mistake.told.replace("{nobody}", nobody)
    message = assert_ended(bench, run, told)
    assert set(run.outcomes.values()) == {"ERROR"}
    assert 1 <= len(run.outcomes) <= max(1, int(processes))
    assert run.lines.count(message) == len(run.outcomes)
    assert not run.shows_code


def test_a_system_that_somebody_may_have_meant_is_named_first(bench: Bench, nobody: str) -> None:
    """Whoever types a system's name wrong asks for a model, and should read of the system."""
    run = bench.inside("summeval.toml", FAIR, "--summ-model=goood", f"--summ-endpoint={nobody}")

    told = "ERROR: summeval.toml has no system 'goood'; did you mean 'good'? As a model it was"
    assert run.err.startswith(told)


def test_a_judge_that_somebody_may_have_meant_is_named(bench: Bench) -> None:
    """Whoever types a judge's name wrong asks for a model, and should read of the judge."""
    bench.spoil(
        "summeval.toml",
        "[thresholds]",
        '[judges.panel]\nendpoint = "openai"\nmodel = "m"\n\n[thresholds]',
    )
    run = bench.inside("summeval.toml", "--summ-judge=panell")

    told = " or replay with --summ-record=none (a judge of the suite? did you mean 'panel'?)"
    assert run.err.rstrip("\n").endswith(told)


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
    "misspelt judge": (
        "def test_judge(summ_judge): pass",
        ("--summ-judge=ofline",),
        "no judge 'ofline'; did you mean 'offline'?",
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


@pytest.mark.parametrize(
    "test",
    [
        "def test_judged(summ_pair): pass",
        "def test_judged(summ_judge): summ_judge.facet('The lamp was blue.', 'It was red.')",
    ],
    ids=["summ_pair", "summ_judge"],
)
def test_a_mistake_that_a_hand_written_test_meets_ends_the_run(bench: Bench, test: str) -> None:
    """Whoever judges, without a key nothing can be: the message alone, and no test after it."""
    bench.write("test_own.py", f"{test}\ndef test_plain(): open('ran', 'w').close()\n")
    run = bench.inside("test_own.py", "--summ-judge=gtp", "-rA")

    assert_ended(bench, run, "'gtp' is asked at https://api.openai.com/v1, which needs a key: set")
    assert len(run.outcomes) == 1
    assert not (bench.path / "ran").exists()


def test_workers_that_meet_a_mistake_stop_the_run_as_one_process_does(bench: Bench) -> None:
    """A worker can only crash or report; the controller ends the run, and no test has run."""
    (bench.path / "summeval.toml").unlink()
    test, _, told = HANDWRITTEN["no suite"]
    bench.write("tests/test_pair.py", f"import pytest\n{test}\n")
    bench.write("tests/test_plain.py", "def test_plain(): open('ran', 'w').close()\n")
    run = bench.inside("tests", FAIR, "-n", "2")

    assert_stopped(bench, run, told)
    assert run.last == "no tests ran"
    assert not (bench.path / "ran").exists()
