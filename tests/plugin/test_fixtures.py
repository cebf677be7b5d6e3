from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.suite import load_suite

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

FAIR = "--summ-judge=rule:Fair"
BOTH = "--summ-model=good,bad"
PAIRS = ("good-limpet-01", "good-kiln-02", "bad-limpet-01", "bad-kiln-02")


def nodes(test: str, pairs: tuple[str, ...] = PAIRS[:2]) -> list[str]:
    """The node ids of one test over pairs."""
    return [f"{test}[{pair}]" for pair in pairs]


def test_summ_pair_makes_one_test_a_pair(bench: Bench) -> None:
    """They are selected, repeated and reported like any parametrized test."""
    bench.write("test_own.py", "def test_own(summ_pair): pass\n")
    own = "test_own.py::test_own"

    run = bench.inside("summeval.toml", "test_own.py", "--collect-only", "-q", BOTH)
    assert run.collected[4:] == nodes(own, PAIRS)
    picked = bench.inside(f"{own}[bad-kiln-02]", BOTH, FAIR, "-rA")
    assert picked.outcomes == {f"{own}[bad-kiln-02]": "PASSED"}
    assert bench.pairs_asked() == {"bad::kiln-02"}


def test_summ_pair_hands_over_texts_scores_and_evidence(bench: Bench) -> None:
    """What a team asserts on: the arithmetic of the judge by rule, seen from a test of theirs."""
    fingerprint = load_suite(bench.path).fingerprint
    bench.write(
        "test_own.py",
        f"""\
def test_good(summ_pair):
    if summ_pair.system == "bad":
        return
    assert summ_pair.paper in ("limpet-01", "kiln-02")
    assert summ_pair.summary == summ_pair.pair.summary
    assert summ_pair.facet.value == 1.0
    assert summ_pair.eva.value == 1.0
    assert summ_pair.faithfulness.value == 1.0
    assert summ_pair.faithfulness.is_faithful

def test_bad(summ_pair):
    if summ_pair.system == "good":
        return
    assert summ_pair.summary.startswith("The alloy of " + summ_pair.paper)
    assert summ_pair.facet.value == 0.25
    assert [rated.facet for rated in summ_pair.facet.ratings] == ["result"]
    assert summ_pair.eva.value == 0.0
    assert len(summ_pair.eva.candidate) == 2
    assert summ_pair.faithfulness.value == 0.0
    assert [s.text for s in summ_pair.faithfulness.sentences][1] == "Sleepers liked its alloy lamp."
    assert "|suite:{fingerprint}|" in str(summ_pair.evaluation.signatures[0])
    assert repr(summ_pair) == "<summ_pair bad on " + summ_pair.paper + ">"
""",
    )
    run = bench.inside("test_own.py", BOTH, FAIR, "-rA")

    assert run.code == 0
    assert run.last == "8 passed"


def test_check_holds_the_suites_thresholds(bench: Bench) -> None:
    """The same verdict and the same text as the suite's own test, without a traceback."""
    bench.write("test_own.py", "def test_own(summ_pair):\n    summ_pair.check()\n")
    suite = bench.inside("summeval.toml", BOTH, FAIR)
    own = bench.inside("test_own.py", BOTH, FAIR)

    def told(run: Run) -> list[str]:
        first = run.lines.index("facet 0.250 < 0.600; faithfulness 0.000 < 0.800")
        n_lines = next(n for n, line in enumerate(run.lines[first:]) if line.startswith("___"))
        return run.lines[first : first + n_lines]

    assert own.last == suite.last == "2 failed, 2 passed"
    assert len(told(own)) > 10
    assert told(own) == told(suite)
    assert not own.shows_code


def test_the_marker_chooses_suite_and_metrics(bench: Bench) -> None:
    """Only what is marked is asked about; check() holds the thresholds of those metrics."""
    bench.suite("lab/summeval.toml", papers=("moss-03",))
    bench.write(
        "test_own.py",
        """\
import pytest

@pytest.mark.summ(suite="lab", metrics=["faithfulness"])
def test_own(summ_pair):
    assert [score.metric for score in summ_pair.evaluation.scores] == ["faithfulness"]
    summ_pair.check()
""",
    )
    run = bench.inside("test_own.py", BOTH, FAIR, "-rA")

    assert run.outcomes == {
        "test_own.py::test_own[good-moss-03]": "PASSED",
        "test_own.py::test_own[bad-moss-03]": "FAILED",
    }
    assert {asked.question.split("(", maxsplit=1)[0] for asked in bench.asked()} == {
        "CheckSentences"
    }
    assert "faithfulness 0.000 < 0.800" in run.lines


def test_check_without_a_threshold_to_hold_says_so(bench: Bench) -> None:
    """A check of nothing would always be green."""
    bench.write(
        "test_own.py",
        """\
import pytest

@pytest.mark.summ(metrics=["eva"])
def test_own(summ_pair):
    summ_pair.check()
""",
    )
    run = bench.inside("test_own.py", FAIR, "-rA")

    assert set(run.outcomes.values()) == {"FAILED"}
    assert (
        "summeval.toml has no threshold for eva; add one under [thresholds], or assert" in run.out
    )


@pytest.mark.parametrize("spelling", ["ini", "flag", "among", "above"])
def test_the_suite_is_named_found_among_the_arguments_or_above(bench: Bench, spelling: str) -> None:
    """Whoever has one suite need not name it; whoever has several can."""
    bench.suite("lab/summeval.toml", papers=("moss-03",))
    test = "checks/test_own.py"
    bench.write(test, "def test_own(summ_pair): pass\n")
    arguments = [test]
    expected = "good-moss-03"
    if spelling == "ini":
        bench.write("pytest.ini", "[pytest]\nsumm_suite = lab/summeval.toml\n")
    elif spelling == "flag":
        arguments.append("--summ-suite=lab")
    elif spelling == "among":
        arguments.append("lab")
    else:
        bench.write("checks/pytest.ini", "[pytest]\n")
        bench.suite("checks/summeval.toml", papers=("limpet-01",))
        expected = "good-limpet-01"
    run = bench.inside(*arguments, "--collect-only", "-q")

    assert run.code == 0
    assert next(node for node in run.collected if "[" in node).endswith(f"[{expected}]")


def test_the_judges_fault_is_an_error_before_the_test_begins(bench: Bench) -> None:
    """A test of one's own must not fail for what the judge did, and tells it in one line."""
    bench.write("test_own.py", "def test_own(summ_pair):\n    assert not summ_pair\n")
    run = bench.inside("test_own.py", "--summ-judge=rule:Silent", "--summ-model=bad", "-rA")

    assert run.code == 1
    assert run.outcomes == dict.fromkeys(nodes("test_own.py::test_own", PAIRS[2:]), "ERROR")
    told = "paper 'limpet-01', system 'bad' is unscored: facet: unanswered, no line"
    assert [line for line in run.lines if line.startswith(told)]
    assert not run.shows_code
    assert "\x1b" not in run.out


def test_the_systems_fault_is_a_failure_where_a_score_is_wanted(bench: Bench) -> None:
    """A refusal has no score to assert on; the test fails with the reason, not a TypeError."""
    bench.good["limpet-01"] = "I'm sorry, I would rather not."
    bench.suite()
    bench.write("test_own.py", "def test_own(summ_pair):\n    assert summ_pair.eva.value > 0.5\n")
    run = bench.inside("test_own.py", FAIR, "-rA")

    assert run.outcomes == {
        "test_own.py::test_own[good-limpet-01]": "FAILED",
        "test_own.py::test_own[good-kiln-02]": "PASSED",
    }
    assert "good on limpet-01: eva: the system refused" in run.lines


def test_summ_judge_is_asked_about_any_texts(bench: Bench) -> None:
    """A team's own corner cases need no suite: texts in, scores or Unscored out."""
    (bench.path / "summeval.toml").unlink()
    bench.write(
        "test_own.py",
        """\
from summeval_pytest import Unscored

def test_own(summ_judge):
    assert summ_judge.signature == "fair-1"
    reference = "The lamp was blue. It hung low."
    assert summ_judge.facet(reference, "The lamp was blue and low.").value == 1.0
    assert summ_judge.facet(reference, "An alloy.").value == 0.25
    # One of two facts is affirmed, by the first of two premises: P = 1/2, R = 1/2.
    assert summ_judge.eva(reference, "The lamp was low. It was an alloy.").value == 0.5
    halves = summ_judge.faithfulness("The lamp was low. It was an alloy.", reference)
    assert [sentence.supported for sentence in halves.sentences] == [True, False]
    refusal = summ_judge.facet(reference, "I'm sorry, no.")
    assert isinstance(refusal, Unscored)
    assert refusal.reason == "the system refused"
""",
    )
    run = bench.inside("test_own.py", FAIR, "-rA")

    assert run.code == 0
    assert run.outcomes == {"test_own.py::test_own": "PASSED"}


def test_a_source_may_be_given_in_sections(bench: Bench) -> None:
    """As a suite's paper has it, so that evidence counts the same sentences."""
    bench.write(
        "test_own.py",
        """\
from summeval_pytest import load_suite

TEXTS = ["The lamp was blue.", "It hung low."]

def test_own(summ_judge):
    suite = load_suite("summeval.toml")
    paper = suite.paper(suite.paper_ids[0])
    told = [{"heading": "Lamp", "text": TEXTS[0]}, TEXTS[1]]
    for source in (TEXTS, told, [{"text": text} for text in TEXTS], tuple(TEXTS)):
        (sentence,) = summ_judge.faithfulness("It hung low.", source).sentences
        assert (sentence.supported, sentence.evidence) == (True, (1,))
    assert summ_judge.faithfulness(paper.source[0].text, paper.source).value == 1.0
""",
    )
    run = bench.inside("test_own.py", FAIR, "-rA")

    assert run.outcomes == {"test_own.py::test_own": "PASSED"}


def test_what_is_no_section_is_said(bench: Bench) -> None:
    """A misspelt key would leave a part of the paper out, and every sentence of it unsupported."""
    bench.write(
        "test_own.py",
        """\
def test_own(summ_judge):
    summ_judge.faithfulness("It hung low.", [{"txt": "It hung low."}])
""",
    )
    run = bench.inside("test_own.py", FAIR)

    assert run.code == 4
    assert (
        "summ_judge.faithfulness: {'txt': 'It hung low.'} is no section of a source;"
        " write a text or {'heading', 'text'}"
    ) in run.out + run.err
