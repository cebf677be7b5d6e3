"""Something changes between measuring and deciding.

No command is green where a run of today is red; what a record cannot know is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import FAIR, Bench, Run
from tests.plugin.labelled import labelled
from tests.plugin.test_own_metrics import install_loud
from tests.resealing import resealed

Edit = Callable[[Bench], object]


@pytest.fixture
def here(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are typed in the folder of the suite."""
    monkeypatch.chdir(bench.path)


pytestmark = pytest.mark.usefixtures("few_resamples", "forget_own_metrics", "here")

PAIR: Final = '"eva.recall" = 0.5\nfaithfulness = 0.5'
FLOOR: Final = "[thresholds.judge]\nfacet_exact = 0.1"
WAIVER: Final = """\
[waivers.known]
paper = "kiln-02"
system = "good"
finding = "faithfulness"
reason = "it is known"
owner = "ines"
expires = 2999-01-31"""
FALSE: Final = "It is an alloy. Steel is an alloy. Bricks are hot."
STRICT: Final = """

class Strict(Fair):
    signature = "strict-1"

    @staticmethod
    def likes(text):
        return False


Fair = Strict
"""


def suite(old: str, new: str) -> Edit:
    """Replaces what stands once in the suite."""
    return lambda bench: bench.spoil("summeval.toml", old, new)


def more(text: str) -> Edit:
    """Appends a table to the suite."""
    return lambda bench: bench.extend(text)


def kiln(bench: Bench) -> str:
    """The summary of one paper."""
    summary: str = json.loads(bench.text("good.jsonl").splitlines()[1])["summary"]
    return summary


def waived(bench: Bench) -> None:
    """One summary is false, and that is waived."""
    bench.spoil("good.jsonl", kiln(bench), FALSE)
    bench.spoil("summeval.toml", PAIR, "faithfulness = 0.5")
    bench.extend(WAIVER)


def own_metric(bench: Bench) -> None:
    """A metric of one's own, with an option."""
    install_loud(bench)
    bench.spoil("summeval.toml", PAIR, f"{PAIR}\nshouts = 1")
    bench.extend('[metrics.shouts]\nmark = "?"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changes after a record was made, and how a run and decisions of the record then end."""

    edit: Edit | None = None
    before: Edit | None = None
    options: tuple[str, ...] = (FAIR,)
    live: str
    recorded: str
    message: str = ""


SUMMARIES: Final = "the summaries of system 'good' are not those that were judged"
CHANGES: Final = {
    "nothing": Change(before=more(FLOOR), live="passed", recorded="passed"),
    "the judge": Change(
        options=("--summ-judge=rule:Sure",),
        live="passed", recorded="refused",
        message="the runs were judged by 'rule:Fair', and --summ-judge=rule:Sure names another",
    ),
    "the judge's version": Change(
        before=more(FLOOR),
        edit=lambda bench: bench.write("rule.py", bench.text("rule.py") + STRICT),
        live="failed", recorded="refused", message="the judge was 'fair-1' and is 'strict-1' now",
    ),
    "one summary": Change(
        edit=lambda bench: bench.spoil("good.jsonl", kiln(bench), FALSE),
        live="failed", recorded="refused", message=SUMMARIES,
    ),
    "a source": Change(
        edit=lambda bench: bench.spoil(
            "papers.jsonl", "fuel. Nobody had looked", "fuel. Nobody ever looked"
        ),
        live="passed", recorded="refused", message="the papers were ",
    ),
    "labels": Change(
        edit=lambda bench: bench.write(
            "labels.jsonl", bench.text("labels.jsonl").replace('"result": ', '"result": 4, "x_": ')
        ),
        live="passed", recorded="refused", message="the labels were ",
    ),
    "a threshold": Change(
        edit=suite("faithfulness = 0.5", "faithfulness = 0.7"),
        live="failed", recorded="failed", message="faithfulness 0.667 < 0.700",
    ),
    "an option": Change(
        options=(FAIR, "--summ-min=faithfulness=0.7"),
        live="failed", recorded="failed", message="faithfulness 0.667 < 0.700",
    ),
    "a floor": Change(
        before=more(FLOOR),
        edit=suite("facet_exact = 0.1", "facet_exact = 1.0"),
        live="untrusted", recorded="untrusted", message="UNTRUSTED",
    ),
    "a waiver that expires": Change(
        before=waived,
        edit=suite("2999-01-31", "2026-01-31"),
        live="failed", recorded="failed", message="expired on 2026-01-31",
    ),
    "a number that was not measured": Change(
        before=suite("labels =", 'eva_recall = "matched"\nlabels ='),
        edit=suite('eva_recall = "matched"\n', ""),
        options=(FAIR, "--summ-min=eva.recall_entailed=1"),
        live="passed", recorded="refused",
        message="the record of summeval.toml has no eva.recall_entailed on 3 of 3 pairs",
    ),
    "a metric's options": Change(
        before=own_metric,
        edit=suite('mark = "?"', 'mark = "."'),
        live="failed", recorded="refused",
        message="shouts was measured with option.mark = '?', and option.mark is '.' now",
    ),
}  # fmt: skip


def answered(run: Run) -> str:
    """How a run ended."""
    if run.code == pytest.ExitCode.TESTS_FAILED:
        return "failed" if "failed" in run.last else "undecided"
    return {0: "passed", 4: "refused", 10: "untrusted"}[run.code]


RECORDS: Final[dict[str, list[str]]] = {}
"""The texts of the records of a suite's shards, by what is special about it."""
NAMES: Final = ("1-2.json", "2-2.json")


def measure(bench: Bench, before: Edit | None) -> None:
    """A suite that passes, and the records of its shards."""
    bench.good["kiln-02"] = bench.good["kiln-02"].replace("Slow firing", "An alloy")
    labelled(bench, pair=PAIR)
    if before is not None:
        before(bench)
    key = bench.text("summeval.toml") + bench.text("good.jsonl")
    if key not in RECORDS:
        for shard, name in enumerate(NAMES, start=1):
            options = (f"--summ-shard={shard}/2", f"--summ-run-record={name}")
            made = bench.inside("summeval.toml", FAIR, *options)
            assert (bench.path / name).exists(), made.err
        RECORDS[key] = [bench.text(name).replace(bench.path.name, "GATE") for name in NAMES]
    for name, text in zip(NAMES, RECORDS[key], strict=True):
        bench.write(name, resealed(text.replace("GATE", bench.path.name)))


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_since_measuring_is_never_green_by_mistake(bench: Bench, name: str) -> None:
    """The table: a change, how a run of today ends, and what decides a record."""
    change = CHANGES[name]
    measure(bench, change.before)
    if change.edit is not None:
        change.edit(bench)
    live = bench.inside("summeval.toml", *change.options, "--summ-run-record=today.json")
    assert answered(live) == change.live, live.out + live.err
    run = bench.inside("summeval.toml", "--summ-from=1-2.json,2-2.json", *change.options)
    assert answered(run) == change.recorded, run.out + run.err
    assert change.message in " ".join((run.out + run.err).split())
    commands = (["report"], ["compare", "1-2.json"])
    report, compare = (main([*command, "today.json"]) for command in commands)
    assert report == (change.live != "passed")
    if change.live != "passed":
        assert (compare, change.recorded != "passed") == (1, True)


FORGERIES: Final = {
    # by the text that is replaced: how --summ-from ends, what it says, and how `report` ends, which
    # knows no suite, so that the thresholds are those that the record names
    ('"outcome": "failed"', '"outcome": "passed"'): ("failed", "faithfulness 0.667 < 0.700", 1),
    ('"least": 0.7', '"least": 0.1'): ("failed", "faithfulness 0.667 < 0.700", 0),
}


@pytest.mark.parametrize("edit", FORGERIES)
def test_an_edited_record_is_never_green_by_mistake(bench: Bench, edit: tuple[str, str]) -> None:
    """What it decided is decided anew, and the hash, which is made to fit here, is no secret."""
    decided, message, code = FORGERIES[edit]
    measure(bench, None)
    bench.spoil("summeval.toml", "faithfulness = 0.5", "faithfulness = 0.7")
    decide = ("summeval.toml", FAIR)
    bench.inside(*decide, "--summ-from=1-2.json,2-2.json", "--summ-run-record=failed.json")
    assert edit[0] in bench.text("failed.json")
    bench.forge("failed.json", lambda text: text.replace(*edit), "forged.json")
    run = bench.inside(*decide, "--summ-from=forged.json")
    assert answered(run) == decided, run.out + run.err
    assert message in " ".join((run.out + run.err).split())
    assert main(["report", "forged.json"]) == code


def test_a_record_chooses_no_code(bench: Bench) -> None:
    """Its judge may name any function of this machine, and who opens a record trusts no code."""
    measure(bench, None)
    for name in NAMES:
        bench.forge(name, lambda text: text.replace("rule:Fair", "os:abort"))
    run = bench.inside("summeval.toml", "--summ-from=1-2.json,2-2.json")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "the runs name the judge 'os:abort', which is code that would be run" in run.err
