"""Judges whose class and keys a suite names."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.questions import Duty
from summeval_pytest.run.judge_inputs import JudgeInputs
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.suite.values import JudgeKeys, JudgeSpec
from tests.asked_suite import (
    PRICES,
    by_rule,
    desk_for,
    evaluated,
    loaded,
    tasks_of,
    write_suite,
)
from tests.label_suite import write_lines
from tests.scripted_server import ScriptedServer

USE = "tests.run.test_judge_inputs"


@dataclass(frozen=True, kw_only=True)
class House(JudgeKeys):
    """A judge of a team with a file and a number; it can leave facts to another judge."""

    terms: str
    strictness: float = 0.5
    facts: str = ""

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Facts are another judge's, if one is named."""
        return (self.facts if self.facts and duty == "facts" else self.name,)

    def judge(self, given: JudgeInputs) -> Judge:
        """The embedded judge under a signature that has the keys."""
        terms = "+".join(given.file(suite, "terms").path.read_text() for suite in given.suites)
        return OfflineJudge(f"house {terms} {self.strictness:g}")


@dataclass(frozen=True, kw_only=True)
class Hasty(JudgeKeys):
    """A judge of a team that is not ready: it breaks down, or makes something else."""

    makes: str

    def judge(self, given: JudgeInputs) -> object:  # noqa: ARG002 - so it is called
        """What the key says."""
        if self.makes == "exit":
            sys.exit(0)
        if self.makes == "error":
            raise ValueError("no\nterms")
        return None if self.makes == "none" else self.makes

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Itself, or what is no tuple of names."""
        return "offline" if self.makes == "asks" else super().asks(duty)  # type: ignore[return-value]  # a team's mistake


@dataclass(frozen=True, kw_only=True)
class Rules(JudgeSpec):
    """A judge of a team that asks a model, and signs with a key of its own."""

    tone: str

    def judge(self, given: JudgeInputs) -> Judge:
        """An LLM judge with a longer signature."""
        return given.llm(self, Toned, effort=None)


class Toned(LlmJudge):
    """An LLM judge of a team."""

    @property
    def signature(self) -> str:
        """The usual one, and more."""
        return f"{super().signature} toned"


def suite_with(folder: Path, tables: str) -> Suite:
    """A suite of one pair with these judges."""
    folder.mkdir(exist_ok=True)
    write_lines(folder / "papers.jsonl", {"id": "moss", "source": "Moss.", "reference": "It grew."})
    write_lines(folder / "good.jsonl", {"paper": "moss", "summary": "It grew."})
    (folder / "terms.txt").write_text(folder.name, encoding="utf-8")
    text = f'papers = "papers.jsonl"\n[systems.good]\nsummaries = "good.jsonl"\n{tables}'
    (folder / "summeval.toml").write_text(text, encoding="utf-8")
    return load_suite(folder, folder.name)


def house(more: str = "", terms: str = "terms.txt") -> str:
    """The table of a judge of the team."""
    return f'[judges.house]\nuse = "{USE}:House"\nterms = "{terms}"\n{more}'


def test_keys_go_to_the_class_and_files_lie_beside_the_suite(tmp_path: Path) -> None:
    """A suite of another folder has a file of its own under the same keys."""
    one, two = (suite_with(tmp_path / name, house("strictness = 0.7\n")) for name in ("a", "b"))
    assert Session({}).judge("house", [one, two]).signature == "house a+b 0.7"
    other = suite_with(tmp_path / "c", house())
    with pytest.raises(OptionError, match="two suites of this run define judge 'house'"):
        Session({}).judge("house", [one, other])


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("strictnes = 1", "a/summeval.toml:7: unknown key 'strictnes' in judge 'house'; did you"),
        ('strictness = "high"', "toml:7: 'strictness' of judge 'house' is 'high'; write a number"),
        ('name = "x"', "toml:7: unknown key 'name' in judge 'house'"),
    ],
)
def test_mistakes_in_keys_have_a_line(tmp_path: Path, more: str, message: str) -> None:
    """They are found when the judge is used: until then the class is not loaded."""
    suite = suite_with(tmp_path / "a", house(more))
    with pytest.raises(SuiteError, match=message):
        Session({}).judge("house", [suite])
    assert Session({}).judge("offline", [suite]).signature.startswith("offline-")


@pytest.mark.parametrize(
    ("makes", "fault"),
    [
        ("error", r"makes no judge: ValueError: no terms; mend the class"),
        ("exit", r"makes no judge: SystemExit: 0; mend the class"),
        ("none", r"makes null, which is no judge: it needs a signature, in_flight \(1 or more\)"),
        ("text", "makes 'text', which is no judge"),
    ],
)
def test_a_class_that_makes_no_judge_is_a_mistake_with_a_line(
    tmp_path: Path, makes: str, fault: str
) -> None:
    """It would end pytest by an internal error that names no suite."""
    table = f'[judges.hasty]\nuse = "{USE}:Hasty"\nmakes = "{makes}"\n'
    suite = suite_with(tmp_path / "a", table)
    with pytest.raises(SuiteError, match=f"a/summeval.toml:5: 'use' of judge 'hasty' {fault}"):
        Session({}).judge("hasty", [suite])


def test_a_class_that_asks_no_names_is_a_mistake(tmp_path: Path) -> None:
    """A text is a list of letters to Python."""
    suite = suite_with(tmp_path / "a", f'[judges.hasty]\nuse = "{USE}:Hasty"\nmakes = "asks"\n')
    with pytest.raises(
        OptionError, match="asks\\('facets'\\) of judge 'hasty' breaks down: TypeError"
    ):
        Session({}).judge("hasty", [suite])


def test_a_replay_asks_no_judge_of_a_team(tmp_path: Path) -> None:
    """Nothing of what it answers is recorded; our own classes of records and models may answer."""
    suite = suite_with(tmp_path / "a", house())
    with pytest.raises(OptionError, match="--summ-record=none replays recorded answers, and judge"):
        Session({}, Terms(record="none")).judge("house", [suite])


def test_a_judge_leaves_questions_to_one_that_exists(tmp_path: Path) -> None:
    """A misspelt name would be a model to which texts are sent."""
    suite = suite_with(tmp_path / "a", house('facts = "offline"\n'))
    judge = Session({}).judge("house", [suite])
    assert judge.signature.startswith("facets+listing+sentences=(house a 0.5) facts=(offline-")
    for tables, fault in (
        (house('facts = "ofline"\n'), "to 'ofline', which no suite defines; did you mean"),
        (house('facts = "mine"\n') + '[judges.mine]\nfacts = "house"\n', "which asks it in turn"),
    ):
        with pytest.raises(OptionError, match=fault):
            Session({}).judge("house", [suite_with(tmp_path / "a", tables)])


def test_a_class_that_asks_a_model_is_planned_and_stored_as_any_other(tmp_path: Path) -> None:
    """Its replies come from the store in the second run, so its plan is empty."""
    keys = f'use = "{USE}:Rules"\ntone = "calm"\n{PRICES}'
    with ScriptedServer(by_rule) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url, judge=keys))
        tasks = tasks_of(suite)
        for is_first in (True, False):
            n_before = len(server.seen)
            session = desk_for(tmp_path / "store", suite)
            assert session.is_asked("rule", [suite])
            survey, signature = session.survey("rule", [suite], tasks, imagine=True)
            assert bool(survey.missing) == is_first
            assert signature == session.judge("rule", [suite]).signature
            assert signature.endswith("toned")
            assert all(each.scores for each in evaluated(session, suite, tasks))
            assert (len(server.seen) > n_before) == is_first


def test_an_endpoint_of_a_class_is_checked_as_any_other(tmp_path: Path) -> None:
    """A model at an endpoint that nobody knows could be anybody's."""
    table = f'[judges.rule]\nuse = "{USE}:Rules"\ntone = "calm"\nendpoint = "hear"\nmodel = "m"\n'
    with pytest.raises(SuiteError, match="judge 'rule' names the unknown endpoint"):
        Session({}).judge("rule", [suite_with(tmp_path / "a", table)])


def test_no_class_is_loaded_before_its_judge_is_used(tmp_path: Path) -> None:
    """A run by another judge needs none of its packages."""
    suite_with(tmp_path, '[judges.old]\nuse = "summeval_pytest.study.recorded_judge:Gone"\n')
    code = (
        "import sys; from summeval_pytest import load_suite; load_suite(sys.argv[1]);"
        " sys.exit(any('study' in name for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
