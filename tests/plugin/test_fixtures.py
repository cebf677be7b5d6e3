from __future__ import annotations

import pytest

from summeval_pytest.suite.suite import load_suite
from tests.plugin.conftest import BOTH, FAIR, Bench, Run

OWN = [
    f"test_own.py::test_own[{pair}]"
    for pair in ("good-limpet-01", "good-kiln-02", "bad-limpet-01", "bad-kiln-02")
]


def test_summ_pair_hands_over_texts_scores_and_evidence(bench: Bench) -> None:
    """What a team asserts on: the arithmetic of the judge by rule, seen from a test of theirs."""
    fingerprint = load_suite(bench.path).fingerprint
    bench.write(
        "test_own.py",
        f"""\
def test_own(summ_pair):
    facet, eva, faithfulness = summ_pair.facet, summ_pair.eva, summ_pair.faithfulness
    if summ_pair.system == "good":
        assert summ_pair.paper in ("limpet-01", "kiln-02")
        assert summ_pair.summary == summ_pair.pair.summary
        assert facet.value == eva.value == faithfulness.value == 1.0
        assert faithfulness.is_faithful
        return
    assert summ_pair.summary.startswith("The alloy of " + summ_pair.paper)
    assert facet.value == 0.25
    assert [rated.facet for rated in facet.ratings] == ["result"]
    assert eva.value == 0.0
    assert len(eva.candidate) == 2
    assert faithfulness.value == 0.0
    assert [s.text for s in faithfulness.sentences][1] == "Sleepers liked its alloy lamp."
    assert "|suite:{fingerprint}|" in str(summ_pair.evaluation.signatures[0])
    assert repr(summ_pair) == "<summ_pair bad on " + summ_pair.paper + ">"
""",
    )
    listed = bench.inside("summeval.toml", "test_own.py", "--collect-only", "-q", BOTH)
    assert listed.collected[4:] == OWN
    picked = bench.inside(OWN[3], BOTH, FAIR, "-rA")
    assert picked.outcomes == {OWN[3]: "PASSED"}
    assert bench.pairs_asked() == {"bad::kiln-02"}
    run = bench.inside("test_own.py", BOTH, FAIR, "-rA")
    assert (run.code, run.outcomes) == (0, dict.fromkeys(OWN, "PASSED"))


def test_check_holds_the_suites_thresholds(bench: Bench) -> None:
    """The same verdict and the same text as the suite's own test, without a traceback."""
    bench.write("test_own.py", "def test_own(summ_pair):\n    summ_pair.check()\n")
    suite = bench.inside("summeval.toml", BOTH, FAIR)
    own = bench.inside("test_own.py", BOTH, FAIR)

    def message(run: Run) -> list[str]:
        first = run.lines.index("facet 0.250 < 0.600; faithfulness 0.000 < 0.800")
        n_lines = next(n for n, line in enumerate(run.lines[first:]) if line.startswith("___"))
        return run.lines[first : first + n_lines]

    assert own.last == suite.last == "2 failed, 2 passed"
    assert len(message(own)) > 10
    assert message(own) == message(suite)
    assert not own.shows_code


def test_the_marker_chooses_suite_and_metrics(bench: Bench) -> None:
    """Only what is marked is asked about; check() holds the thresholds of those metrics."""
    bench.suite("lab/summeval.toml", papers=("moss-03",))
    test = """\
import pytest

@pytest.mark.summ(suite="lab", metrics=["faithfulness"])
def test_own(summ_pair):
    assert [score.metric for score in summ_pair.evaluation.scores] == ["faithfulness"]
    summ_pair.check()
"""
    bench.write("test_own.py", test)
    run = bench.inside("test_own.py", BOTH, FAIR, "-rA")
    assert run.outcomes == {
        "test_own.py::test_own[good-moss-03]": "PASSED",
        "test_own.py::test_own[bad-moss-03]": "FAILED",
    }
    kinds = {asked.question.split("(", maxsplit=1)[0] for asked in bench.asked()}
    assert kinds == {"CheckSentences"}
    assert "faithfulness 0.000 < 0.800" in run.lines

    bench.write("test_own.py", test.replace("faithfulness", "eva"))
    run = bench.inside("test_own.py", FAIR, "-rA")
    assert set(run.outcomes.values()) == {"FAILED"}
    message = "lab/summeval.toml has no threshold for eva; add one under [thresholds], or assert"
    assert message in run.out


@pytest.mark.parametrize(
    ("ini", "argument", "paper"),
    [
        ("pytest.ini", "", "moss-03"),
        ("", "--summ-suite=lab", "moss-03"),
        ("", "lab", "moss-03"),
        ("checks/pytest.ini", "", "limpet-01"),
    ],
    ids=["ini", "flag", "among", "above"],
)
def test_the_suite_is_named_found_among_the_arguments_or_above(
    bench: Bench, ini: str, argument: str, paper: str
) -> None:
    """Whoever has one suite need not name it; whoever has several can."""
    bench.suite("lab/summeval.toml", papers=("moss-03",))
    bench.write("checks/test_own.py", "def test_own(summ_pair): pass\n")
    if ini == "checks/pytest.ini":
        bench.suite("checks/summeval.toml", papers=("limpet-01",))
        bench.write(ini, "[pytest]\n")
    elif ini:
        bench.write(ini, "[pytest]\nsumm_suite = lab/summeval.toml\n")
    arguments = filter(None, ("checks/test_own.py", argument))
    run = bench.inside(*arguments, "--collect-only", "-q")

    assert run.code == 0
    assert next(node for node in run.collected if "[" in node).endswith(f"[good-{paper}]")


def test_the_judges_fault_is_an_error_and_the_systems_fault_a_failure(bench: Bench) -> None:
    """Told in one line, before the test begins, or where a score is wanted that a refusal lacks."""
    bench.good["limpet-01"] = "I'm sorry, I would rather not."
    bench.suite()
    bench.write("test_own.py", "def test_own(summ_pair):\n    assert summ_pair.eva.value > 0.5\n")
    run = bench.inside("test_own.py", "--summ-judge=rule:Silent", BOTH, "-rA")

    assert run.code == 1
    assert run.outcomes == dict(zip(OWN, ("FAILED", "PASSED", "ERROR", "ERROR"), strict=True))
    message = "paper 'limpet-01', system 'bad': facet is unscored: unanswered, no line"
    assert [line for line in run.lines if line.startswith(message)]
    assert "good on limpet-01: eva: the system refused" in run.lines
    assert "\x1b" not in run.out
    bad = bench.inside("test_own.py", "--summ-judge=rule:Silent", "--summ-model=bad")
    assert not bad.shows_code


def test_summ_judge_is_asked_about_any_texts(bench: Bench) -> None:
    """A team's own corner cases need no suite: texts in, scores or Unscored out."""
    (bench.path / "summeval.toml").unlink()
    bench.suite("lab/summeval.toml")
    bench.write(
        "test_own.py",
        """\
from summeval_pytest import Unscored, load_suite

def test_own(summ_judge):
    assert summ_judge.signature == "fair-1"
    reference = "The lamp was blue. It hung low."
    assert summ_judge.facet(summary="The lamp was blue and low.", reference=reference).value == 1.0
    assert summ_judge.facet(summary="An alloy.", reference=reference).value == 0.25
    # One of two facts is affirmed, by the first of two premises: P = 1/2, R = 1/2.
    half = "The lamp was low. It was an alloy."
    assert summ_judge.eva(summary=half, reference=reference).value == 0.5
    paper = load_suite("lab").paper("limpet-01")
    assert summ_judge.faithfulness(summary=half, source=paper.source).sentences[0].supported
    sections = [{"heading": "Lamp", "text": "The lamp was blue."}, "It hung low."]
    halves = summ_judge.faithfulness(summary=half, source=sections)
    assert [sentence.supported for sentence in halves.sentences] == [True, False]
    refusal = summ_judge.facet(summary="I'm sorry, no.", reference=reference)
    assert isinstance(refusal, Unscored)
    assert refusal.reason == "the system refused"
""",
    )
    run = bench.inside("test_own.py", FAIR, "-rA")

    assert run.code == 0
    assert run.outcomes == {"test_own.py::test_own": "PASSED"}
