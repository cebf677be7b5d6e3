from __future__ import annotations

import json
import sys
import tomllib
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.command import main
from summeval_pytest.verdict import figure_changes, measuring, swapping, translating
from tests.asked_suite import KEY, by_rule, write_suite
from tests.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD: Final = 'labels = "labels.jsonl"'
TAIL: Final = """
[thresholds]
facet = 0.5
"facet.result" = 2
faithfulness = 0.8
[thresholds.mean]
faithfulness = 0.8
"""
LABELS: Final = (
    {"paper": "kiln", "system": "good", "facets": {"result": 4}},
    {"paper": "moss", "system": "good", "sentences": [{"index": 0, "faithful": True}]},
    {"paper": "moss", "system": "bad", "sentences": [{"index": 0, "faithful": False}]},
)


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals have tests of their own."""
    for module in (figure_changes, measuring, swapping, translating):
        monkeypatch.setattr(module, "RESAMPLES", 10)


class Bench:
    """A suite with labels and thresholds, and the command over it."""

    def __init__(self, folder: Path, server: ScriptedServer, *, tail: str = TAIL) -> None:
        self.folder = folder
        self.server = server
        suite = folder / "kilns"
        suite.mkdir()
        lines = "".join(json.dumps(label) + "\n" for label in LABELS)
        (suite / "labels.jsonl").write_text(lines, encoding="utf-8")
        write_suite(suite, server.url, systems=("good", "bad"), head=HEAD, tail=tail)

    def swap(self, *arguments: str) -> int:
        """One run of the command."""
        return main(["swap", "kilns", "--store", str(self.folder / "store"), *arguments])


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A folder with the suite; its models answer by rule."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer(by_rule) as server:
        yield Bench(tmp_path, server)


JUDGES: Final = ("--from", "offline", "--to", "rule")
RECORDED: Final = ("--model", "good,bad")


def test_two_judges_are_compared_and_thresholds_translated(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything that a team needs to decide is on one page, and the last part can be pasted."""
    assert bench.swap(*JUDGES, *RECORDED, "--json", "swap.json") == 0
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "kilns/summeval.toml: 4 pairs of 2 papers"
    assert lines[1] == "from offline: offline-3"
    assert lines[2].startswith("to rule: rule-1 at=here temp=0")
    for start in ("facet ", "eva ", "faithfulness ", "result ", "sentence ", "  good ", "  bad "):
        assert any(line.startswith(start) for line in lines), start
    for start in ("unfaithful_recall", "facet_exact.result", "from: ", "to: ", "mean.faithfulness"):
        assert any(line.startswith(start) for line in lines), start
    block = lines[lines.index("[thresholds] # under judge rule") :][:6]
    thresholds = tomllib.loads("\n".join(block))["thresholds"]
    assert set(thresholds) == {"facet", "facet.result", "faithfulness", "mean"}

    figures = json.loads((bench.folder / "swap.json").read_text(encoding="utf-8"))
    assert figures["n_pairs"] == 4
    assert {
        each["name"]: each["new"] for each in figures["thresholds"] if each["scope"] == "pair"
    } == {name: value for name, value in thresholds.items() if name != "mean"}
    assert {each["name"] for each in figures["items"]} >= {"result", "sentence"}


def test_a_judge_beside_itself_keeps_every_threshold(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second asks nobody: what the first was told is remembered."""
    assert bench.swap("--from", "rule", "--to", "rule", *RECORDED) == 0
    lines = capsys.readouterr().out.splitlines()
    bodies = [str(sorted(seen.body.items())) for seen in bench.server.seen]

    assert len(bodies) == len(set(bodies)) > 0
    assert "facet = 0.5  # was 0.5" in lines
    assert '"facet.result" = 2  # was 2' in lines
    assert "no two systems change places" in lines
    assert not any(line.startswith(("warning", "note")) for line in lines)


def test_systems_that_are_models_are_asked_once_for_both_judges(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where everything is asked anew: two judges of different summaries compare nothing."""
    assert bench.swap(*JUDGES, "--model", "writer", "--record", "all") == 0
    assert "kilns/summeval.toml: 2 pairs of 2 papers" in capsys.readouterr().out
    asked = [seen for seen in bench.server.seen if seen.model == "writer-7b"]
    assert len(asked) == 2
    assert not [e for e in (bench.folder / "store").rglob("runs/*") if e.is_dir()]


def test_all_systems_of_the_suite_are_judged_without_a_choice(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default systems are those that a run gates, and ranks need the others."""
    assert bench.swap("--from", "offline", "--to", "offline") == 0
    assert "kilns/summeval.toml: 6 pairs of 2 papers" in capsys.readouterr().out


def test_a_judge_that_cannot_be_is_told_before_anybody_is_asked(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first judge's answers would be paid for in vain."""
    assert bench.swap("--from", "rule", "--to", "ofline", *RECORDED) == 4
    assert "no judge 'ofline'; did you mean 'offline'?" in capsys.readouterr().err
    assert bench.server.n_requests == 0


def test_a_file_that_cannot_be_written_is_told_at_once(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before a call is paid for."""
    assert bench.swap(*JUDGES, "--json", "none/swap.json") == 4
    assert "--json=none/swap.json: cannot be written" in capsys.readouterr().err
    assert bench.server.n_requests == 0


def test_a_suite_without_thresholds_or_labels_is_compared_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to translate, and that is said."""
    monkeypatch.chdir(tmp_path)
    with ScriptedServer(by_rule) as server:
        write_suite(tmp_path / "kilns", server.url)
        arguments = ["--store", "store", *JUDGES, *RECORDED]
        assert main(["swap", "kilns", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "the suite has no threshold to translate"
    assert not any(line.startswith("agreement") for line in lines)


def test_a_judge_of_ones_own_is_found_in_this_folder(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is for every other command, on either side."""
    text = "from summeval_pytest.judges.offline import OfflineJudge\nclass Mine(OfflineJudge):\n"
    (bench.folder / "swapped.py").write_text(f"{text}    signature = 'mine-1'\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert bench.swap("--from", "swapped:Mine", "--to", "offline", *RECORDED) == 0
    assert "from swapped:Mine: mine-1" in capsys.readouterr().out
