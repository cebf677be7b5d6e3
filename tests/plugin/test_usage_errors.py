from __future__ import annotations

import re
from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.plugin.conftest import FAIR, Bench, Run

SPOILT: Final = {
    "broken TOML": ("summeval.toml", "[thresholds]", "[thresholds"),
    "no threshold": ("summeval.toml", "facet = 0.6\nfaithfulness = 0.8", ""),
    "broken JSON in a system that is not gated": ("bad.jsonl", '"limpet-01"', '"limpet-01'),
}
"""By mistake: a file, and which text in it becomes which."""

GIVEN: Final = {
    "no such suite": ("gone.summeval.toml",),
    "unknown system at an unknown endpoint": ("--summ-model=goood", "--summ-endpoint=olama"),
    "judge in no module": ("--summ-judge=nowhere.rule:Fair",),
    "a class that is no judge": ("--summ-judge=rule:NoJudge",),
    "minimum of an unknown metric": ("--summ-min=mean.evaa=0.5",),
    "support of one vote": ("--summ-min=faithfulness.support=0.1", "--summ-judge=gpt-5"),
}
"""By mistake: the arguments."""


LATE: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "unknown system": ("", (FAIR, "--summ-model=llama3", "--summ-endpoint={nobody}")),
    "system of the suite where nobody listens": (
        '[endpoints.near]\nbase_url = "{nobody}"\n[systems.far]\nendpoint = "near"\nmodel = "m"',
        (FAIR, "--summ-model=far"),
    ),
    "unknown judge without a key": ("", ("--summ-judge=gtp",)),
    "judge of the suite without a key": (
        '[judges.gpt]\nendpoint = "openai"\nmodel = "m"',
        ("--summ-judge=gpt",),
    ),
}
"""What shows only where something has to be asked: replaying needs neither a server nor a key."""


def assert_ended(bench: Bench, run: Run, text: str = "") -> str:
    """Exit code 4, the message alone as the last line, and a judge that nobody asked."""
    assert run.code == pytest.ExitCode.USAGE_ERROR
    errors = [line for line in run.err.splitlines() if line.startswith("ERROR: ")]
    assert len(errors) == 1
    message = errors[0].removeprefix("ERROR: ")
    assert message.startswith(text)
    assert "Traceback" not in run.out + run.err
    assert "INTERNALERROR" not in run.out + run.err
    assert bench.asked() == []
    return message


def assert_stopped(bench: Bench, run: Run, text: str = "") -> str:
    """Ended as above, and before any test."""
    assert run.outcomes == {}
    return assert_ended(bench, run, text)


@pytest.mark.parametrize("mistake", SPOILT)
def test_a_mistake_in_the_suite_stops_the_run_before_anything_is_asked(
    bench: Bench, mistake: str, snapshot: SnapshotAssertion
) -> None:
    """The user mends it in seconds instead of reading a red run, and pays nothing for it."""
    bench.spoil(*SPOILT[mistake])
    run = bench.inside(FAIR, "summeval.toml")
    text = assert_stopped(bench, run)

    assert re.sub(r"(at column \d+): .*;", r"\1;", text) == snapshot  # Python's words vary


@pytest.mark.parametrize("mistake", GIVEN)
def test_a_mistake_in_an_option_stops_the_run_before_anything_is_asked(
    bench: Bench, mistake: str, snapshot: SnapshotAssertion
) -> None:
    """What is asked for and cannot be is said, with what to type instead."""
    suite = ("summeval.toml",) if mistake != "no such suite" else ()
    run = bench.inside(FAIR, *suite, *GIVEN[mistake])

    assert assert_stopped(bench, run) == snapshot


@pytest.mark.parametrize(
    ("mistake", "processes"),
    [*((mistake, "0") for mistake in LATE), ("unknown judge without a key", "1")],
)
def test_a_mistake_that_shows_while_judging_errs_one_test_and_ends_the_run(
    bench: Bench, nobody: str, snapshot: SnapshotAssertion, mistake: str, processes: str
) -> None:
    """Every other test would meet it, too: one line at the end says what to mend, and exit 4."""
    tables, given = LATE[mistake]
    bench.suite(papers=("limpet-01", "kiln-02", "moss-03"))
    bench.extend(tables.replace("{nobody}", nobody))
    arguments = [argument.replace("{nobody}", nobody) for argument in given]
    run = bench.inside("summeval.toml", *arguments, "-n", processes, "-rA")

    message = assert_ended(bench, run)
    assert message.replace(nobody, "http://nobody") == snapshot
    assert set(run.outcomes.values()) == {"ERROR"}
    assert len(run.outcomes) == 1
    assert run.lines.count(message) == len(run.outcomes)
    assert not run.shows_code


def test_a_path_that_is_no_suite_is_left_to_pytest(bench: Bench) -> None:
    """A foreign test suite must not be told of ours, wherever it stands."""
    run = bench.inside("tests/test_gone.py")
    assert run.code == 4
    assert "file or directory not found: tests/test_gone.py" in run.err


@pytest.mark.parametrize(
    "arguments", [("other", "summeval.toml"), ()], ids=["suites", "hand-written"]
)
def test_collecting_alone_finds_a_mistake(bench: Bench, arguments: tuple[str, ...]) -> None:
    """--collect-only is how people check a suite; with one of two suites half a gate is none."""
    bench.suite("other/summeval.toml")
    bench.spoil("summeval.toml", "facet = 0.6", "facett = 0.6")
    bench.write("test_pair.py", "def test_pair(summ_pair): pass\n")
    run = bench.inside(*(arguments or ("test_pair.py",)), "--collect-only", FAIR)

    assert_stopped(bench, run, "summeval.toml:11: unknown threshold 'facett'")


PAIR: Final = "def test_pair(summ_pair): pass"
JUDGE: Final = "def test_judge(summ_judge): pass"
HANDWRITTEN: Final[dict[str, tuple[str, ...]]] = {
    "no suite": (PAIR,),
    "two suites": (PAIR, "golden", "silver"),
    "marked suite that is not there": (f"@pytest.mark.summ(suite='bronze')\n{PAIR}", "golden"),
    "unknown metric": (f"@pytest.mark.summ(metrics=['facett'])\n{PAIR}", "golden"),
    "marker with another key": (f"@pytest.mark.summ('x', metric=['facet'])\n{PAIR}", "golden"),
    "misspelt judge": (JUDGE, "--summ-judge=ofline"),
}
"""By mistake: a test, and the arguments."""


@pytest.mark.parametrize("mistake", HANDWRITTEN)
def test_a_mistake_of_a_hand_written_test_stops_the_run_too(
    bench: Bench, mistake: str, snapshot: SnapshotAssertion
) -> None:
    """It shows while tests are collected, where pytest would make it an error of one file."""
    bench.suite("golden/summeval.toml")
    bench.suite("silver/summeval.toml")
    (bench.path / "summeval.toml").unlink()
    test, *arguments = HANDWRITTEN[mistake]
    bench.write("tests/test_pair.py", f"import pytest\n{test}\ndef test_plain(): pass\n")
    run = bench.inside("tests", FAIR, *arguments)

    assert assert_stopped(bench, run) == snapshot
    assert run.last == "no tests ran"


@pytest.mark.parametrize(
    "test",
    [
        "def test_judged(summ_pair): pass",
        "def test_judged(summ_judge): summ_judge.facet(summary='It.', reference='The lamp.')",
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


def test_a_worker_that_meets_a_mistake_stops_the_run_as_one_process_does(bench: Bench) -> None:
    """A worker can only crash or report; the controller ends the run, and no test has run."""
    (bench.path / "summeval.toml").unlink()
    bench.write("tests/test_pair.py", f"{PAIR}\n")
    bench.write("tests/test_plain.py", "def test_plain(): open('ran', 'w').close()\n")
    run = bench.inside("tests", FAIR, "-n1")

    assert_stopped(bench, run, "tests/test_pair.py:1: test_pair uses summ_pair, and no suite is")
    assert run.last == "no tests ran"
    assert not (bench.path / "ran").exists()
