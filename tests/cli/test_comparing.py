from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from summeval_pytest.endpoints.limits import ModelSeen
from summeval_pytest.verdict.run import SuiteRecord
from summeval_pytest.verdict.trust import JudgeAgreement
from tests.cli.conftest import Shell
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import faithful, pair, record_text, run, suite, system

SEEN = ModelSeen(
    endpoint="openai", asked="gpt-4o", returned="gpt-4o-2024-08-06", fingerprint="fp_a",
    n_replies=8,
)  # fmt: skip


def rated(*ratings: int, name: str = "golden", labels: str = "0a") -> SuiteRecord:
    """A suite whose judge rated results that are labelled 4, a paper each."""
    pairs = [
        golden(answered("result", 4, rating), paper=f"moss-{i}") for i, rating in enumerate(ratings)
    ]
    stored = suite(pair("moss-0", faithful(1.0)), name=name)
    trust = JudgeAgreement(judge="fair-1", labels=labels, n_pairs=len(pairs), n_papers=len(pairs))
    return replace(stored, labels=labels, trust=trust, golden=tuple(pairs))


def saved(folder: Path, name: str, *suites: SuiteRecord, seen: tuple[ModelSeen, ...] = ()) -> str:
    """The file of a run over these suites."""
    record = run(*suites)
    record = replace(record, header=replace(record.header, models=seen))
    (folder / name).write_text(record_text(record), encoding="utf-8")
    return str(folder / name)


def test_a_move_away_from_the_labels_is_reported_and_fails(tmp_path: Path, shell: Shell) -> None:
    """8 papers fall by 1: 2 / 2 ** 8; a script reads the exit code."""
    old = saved(tmp_path, "old.jsonl", rated(*[4] * 8), seen=(SEEN,))
    moved = replace(SEEN, fingerprint="fp_b")
    new = saved(tmp_path, "new.jsonl", rated(*[3] * 8), seen=(moved,))
    code, lines, _ = shell.run("compare", old, new, "--golden", "--answers", "2")

    assert code == 1
    assert lines[:5] == [
        "old judge: fair-1",
        "  'gpt-4o' at openai as gpt-4o-2024-08-06, fingerprint fp_a: 8 replies",
        "new judge: fair-1",
        "  'gpt-4o' at openai as gpt-4o-2024-08-06, fingerprint fp_b: 8 replies",
        "note: 'gpt-4o' at openai had fingerprint fp_a then, has fp_b now",
    ]
    assert "golden/summeval.toml: 8 golden answers of 8 papers" in lines
    assert "6 more: --answers=8" in lines
    assert " ".join(lines[-2:]) == (
        "8 of 8 golden answers flipped, 8 away from the labels; result ratings moved away from the"
        " labels (p .008)"
    )
    assert max(map(len, lines)) <= 90


def test_labels_decide_what_is_compared(tmp_path: Path, shell: Shell) -> None:
    """A run beside itself has not drifted; what was not compared, for other labels, fails."""
    old = saved(tmp_path, "old", rated(4, 3, 2, labels="0a"))
    new = saved(tmp_path, "new", rated(4, 3, 2, labels="0b"))
    code, lines, _ = shell.run("compare", old, old, "--golden")
    assert (code, lines[-1]) == (0, "no golden answer flipped (3 compared)")
    code, lines, _ = shell.run("compare", old, new, "--golden")
    assert code == 1
    assert lines[-2:] == [
        "golden/summeval.toml: golden answers not compared",
        "  labels differ: '0a' then, '0b' now; drift needs the same labels",
    ]
    # of a system that was not judged nothing is known
    lacking = replace(rated(4), systems=(system("careful", "moss-0"), system("plain")))
    code, lines, _ = shell.run("compare", old, saved(tmp_path, "lacking", lacking))
    assert code == 1
    assert "golden/summeval.toml: plain was not judged" in lines
    # golden answers follow the systems and do not decide: the rules are about systems
    old, new = saved(tmp_path, "4s", rated(*[4] * 8)), saved(tmp_path, "3s", rated(*[3] * 8))
    _, lines, _ = shell.run("compare", old, new)
    _, alone, _ = shell.run("compare", old, new, "--golden")
    assert lines[0] == "golden/summeval.toml: careful"
    assert lines[-len(alone) - 2 :] == ["no paper changed", "", *alone]
    assert "golden/summeval.toml: 8 golden answers of 8 papers" in alone


def test_a_record_without_golden_answers_says_how_to_get_them(tmp_path: Path, shell: Shell) -> None:
    """NumberSpec as it was given; a judge that could not be measured says why."""
    # Most suites have no labels, and are compared by their systems; a rule about these that
    # ``--golden`` holds nothing to would pass unseen.
    file = saved(tmp_path, "run.jsonl", rated(4))
    plain = saved(tmp_path, "plain.json", suite(pair("moss-0", faithful(1.0))))
    silent = replace(rated(4), golden=(), golden_fault="it timed out")
    faulty = saved(tmp_path, "faulty.json", silent)

    error = shell.error(4, "compare", plain, file, "--golden")
    assert f"OLD: {plain} holds no golden answers; run pytest on a suite with labels" in error
    assert "with --summ-run-record=FILE" in error
    error = shell.error(4, "compare", file, faulty, "--golden")
    assert f"NEW: {faulty} holds no golden answers (it timed out); run pytest" in error
    for old, new in ((plain, file), (file, plain)):
        _, lines, _ = shell.run("compare", old, new)
        assert lines[-2:] == ["no paper changed", ""]
    for option in ("--system", "--against"):
        error = shell.error(4, "compare", file, file, "--golden", f"{option}=eva:0.1")
        assert error == f"--golden compares no systems; leave out {option}"
