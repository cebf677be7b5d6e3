"""Something changes between measuring and deciding.

No command is green where a run of today is red; what a record cannot know is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import Bench, Run
from tests.plugin.test_correcting import FAIR, labelled
from tests.resealing import resealed

Edit = Callable[[Bench], object]

pytestmark = pytest.mark.usefixtures("few_resamples", "forget_own_metrics")

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
METRIC: Final = """\
from summeval_pytest import Metric, Named


class Words(Metric):
    numbers = (Named(name="words", metric="words", meaning="share of long words"),)

    def __init__(self, least=1):
        self.least = least

    def measure(self, texts):
        words = texts.summary.split()
        return {"words": sum(len(word) >= self.least for word in words) / len(words)}
"""
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
    bench.write("words_metric.py", METRIC)
    bench.write("words-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: words\nVersion: 1\n")
    entry = "[summeval.metrics]\nwords=words_metric:Words\n"
    bench.write("words-1.dist-info/entry_points.txt", entry)
    bench.spoil("summeval.toml", PAIR, f"{PAIR}\nwords = 0.9")
    bench.extend("[metrics.words]\nleast = 2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changes after a record was made, and how commands answer then.

    Attributes:
        edit: The change; None where only the options change.
        before: What is special about the suite when the record is made.
        options: The options of today.
        live: How a run of today ends.
        recorded: How deciding the record ends.
        message: What that says.
    """

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
    "a judge without floors of its own": Change(
        before=more("[thresholds.judge]\nfacet_exact = 1.0\n[thresholds.judge.offline]"),
        live="untrusted", recorded="untrusted", message="UNTRUSTED",
    ),
    "all summaries": Change(
        edit=lambda bench: bench.write("good.jsonl", bench.text("bad.jsonl")),
        live="failed", recorded="refused", message=SUMMARIES,
    ),
    "one summary": Change(
        edit=lambda bench: bench.spoil("good.jsonl", kiln(bench), FALSE),
        live="failed", recorded="refused", message=SUMMARIES,
    ),
    "a reference": Change(
        edit=lambda bench: bench.spoil(
            "papers.jsonl", 'fuel."}', 'fuel. Alloy. An alloy. One alloy. It is alloy."}'
        ),
        live="failed", recorded="refused", message="the papers were ",
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
    "no labels": Change(
        edit=suite('labels = "labels.jsonl"\n', ""),
        live="passed", recorded="refused", message="and are none now",
    ),
    "a threshold": Change(
        edit=suite("faithfulness = 0.5", "faithfulness = 0.7"),
        live="failed", recorded="failed", message="faithfulness 0.667 < 0.700",
    ),
    "a threshold of means": Change(
        edit=more("[thresholds.mean]\nfaithfulness = 0.9"),
        live="failed", recorded="failed", message="mean faithfulness 0.889 < 0.900",
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
    "a waiver that goes": Change(
        before=waived,
        edit=suite(WAIVER, ""),
        live="failed", recorded="failed", message="faithfulness 0.333 < 0.500",
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
    "a variant": Change(
        edit=suite("labels =", 'references = "mean"\nlabels ='),
        live="passed", recorded="refused",
        message="eva was measured with references = 'best', and references is 'mean' now",
    ),
    "a metric's options": Change(
        before=own_metric,
        edit=suite("least = 2", "least = 6"),
        live="failed", recorded="refused",
        message="words was measured with option.least = '2', and option.least is '6' now",
    ),
    "a system more": Change(
        options=(FAIR, "--summ-model=good,bad"),
        live="failed", recorded="refused",
        message="3 of 6 pairs of summeval.toml are in no record, first bad on limpet-01",
    ),
}  # fmt: skip


MERGED: Final = ("nothing", "a threshold", "a floor", "one summary")
"""The changes that `summeval merge` is asked about; it runs pytest with ``--summ-from``."""


def answered(run: Run) -> str:
    """How a run ended."""
    if run.code == pytest.ExitCode.TESTS_FAILED:
        return "failed" if "failed" in run.last else "undecided"
    return {0: "passed", 4: "refused", 10: "untrusted"}[run.code]


RECORDS: Final[dict[str, list[str]]] = {}
"""The texts of the record of a suite and of its shards, by what is special about it."""
NAMES: Final = ("run.json", "1-2.json", "2-2.json")


def measure(bench: Bench, before: Edit | None) -> None:
    """A suite that passes, its record, and those of its shards."""
    bench.good["kiln-02"] = bench.good["kiln-02"].replace("Slow firing", "An alloy")
    labelled(bench, pair=PAIR)
    if before is not None:
        before(bench)
    key = bench.text("summeval.toml") + bench.text("good.jsonl")
    if key not in RECORDS:
        for name, shard in zip(NAMES, ("", "--summ-shard=1/2", "--summ-shard=2/2"), strict=True):
            record = f"--summ-run-record={name}"
            made = bench.inside("summeval.toml", FAIR, record, *filter(None, [shard]))
            assert (bench.path / name).exists(), made.err
        RECORDS[key] = [bench.text(name).replace(bench.path.name, "GATE") for name in NAMES]
    for name, text in zip(NAMES, RECORDS[key], strict=True):
        bench.write(name, resealed(text.replace("GATE", bench.path.name)))


Fixtures = tuple[pytest.MonkeyPatch, pytest.CaptureFixture[str]]


@pytest.fixture
def fixtures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fixtures:
    """What running a command in this process takes."""
    return monkeypatch, capsys


def merged(bench: Bench, fixtures: Fixtures, *names: str, options: Sequence[str] = ()) -> Run:
    """`summeval merge`, its pytest run in this process."""
    monkeypatch, capsys = fixtures
    done: list[Run] = []

    class Done:
        returncode = 0

    def run(command: list[str], *, check: bool) -> type[Done]:
        assert not check
        done.append(bench.inside(*command[3:]))
        Done.returncode = done[0].code
        return Done

    monkeypatch.chdir(bench.path)
    monkeypatch.setattr("summeval_pytest.cli.runs.subprocess.run", run)
    asked = (f"--option={option}" for option in options)
    try:
        code = main(["merge", *names, "--out=merged.json", *asked])
    except SystemExit as end:
        code = int(end.code or 0)
    return done[0] if done else Run(code=code, out="", err=capsys.readouterr().err)


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_since_measuring_is_never_green_by_mistake(
    bench: Bench, fixtures: Fixtures, name: str
) -> None:
    """The table: a change, how a run of today ends, and every command that decides a record."""
    change = CHANGES[name]
    measure(bench, change.before)
    if change.edit is not None:
        change.edit(bench)
    live = bench.inside("summeval.toml", *change.options, "--summ-run-record=today.json")
    assert answered(live) == change.live, live.out + live.err
    given = [each for each in change.options if each != FAIR]
    again = {"shards": bench.inside("summeval.toml", "--summ-from=1-2.json,2-2.json", *given)}
    if name in MERGED:
        again["merge"] = merged(bench, fixtures, "run.json", options=given)
    for command, run in again.items():
        assert answered(run) == change.recorded, (command, run.out + run.err)
        assert change.message in " ".join((run.out + run.err).split()), command
    if change.live != "passed":
        assert change.recorded != "passed"
    if change.live != "refused":
        commands = (["report"], ["rescore"], ["compare", "run.json", "--fail=p0.05"])
        codes = {command[0]: main([*command, "today.json"]) for command in commands}
        if change.live != "passed":
            assert codes == {"report": 1, "rescore": 1, "compare": 1}
        else:
            assert codes["report"] == codes["rescore"] == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgery:
    """A record of a run that failed, changed by hand, and how commands answer.

    Attributes:
        edit: The change of its lines; its hash is made to fit.
        decided: How ``--summ-from`` ends.
        message: What it says.
        code: The exit code of ``report``, ``rescore`` and ``compare``. They know no suite, so that
            the thresholds are those that the record names.
    """

    edit: Callable[[list[str]], list[str]]
    decided: str
    message: str
    code: int = 1


def of_kiln(line: str) -> bool:
    """Whether a line is that of the pair that failed."""
    return line.startswith('{"numbers"') and '"paper": "kiln-02"' in line


def edited(old: str, new: str) -> Callable[[list[str]], list[str]]:
    """Replaces a text wherever it stands."""
    return lambda lines: [line.replace(old, new) for line in lines]


FORGERIES: Final = {
    "nothing": Forgery(edit=list, decided="failed", message="faithfulness 0.667 < 0.700"),
    "an outcome": Forgery(
        edit=edited('"outcome": "failed"', '"outcome": "passed"'),
        decided="failed",
        message="faithfulness 0.667 < 0.700",
    ),
    "a row deleted": Forgery(
        edit=lambda lines: [line for line in lines if not of_kiln(line)],
        decided="refused",
        message="1 of 3 pairs of summeval.toml are in no record, first good on kiln-02",
    ),
    "a row doubled": Forgery(
        edit=lambda lines: [*lines, *filter(of_kiln, lines)],
        decided="refused",
        message="twice",
        code=4,
    ),
    "a number off its range": Forgery(
        edit=edited('"value": 0.6666666666666666', '"value": 1.5'),
        decided="refused",
        message="ranges from 0 to 1",
        code=4,
    ),
    "the threshold": Forgery(
        edit=edited('"least": 0.7', '"least": 0.1'),
        decided="failed",
        message="faithfulness 0.667 < 0.700",
        code=0,
    ),
    "the judge's name": Forgery(
        edit=edited('"name": "rule:Fair"', '"name": null'),
        decided="refused",
        message="of a version that did not keep the judge's name; judge again",
    ),
    "the version of the file": Forgery(
        edit=edited('"schema": 2', '"schema": 3'),
        decided="refused",
        message="it has schema 3, this version reads 2",
        code=4,
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_an_edited_record_is_never_green_by_mistake(bench: Bench, name: str) -> None:
    """What it decided is decided anew; what it may hold is checked, and the hash is no secret."""
    forgery = FORGERIES[name]
    measure(bench, None)
    bench.spoil("summeval.toml", "faithfulness = 0.5", "faithfulness = 0.7")
    bench.inside("summeval.toml", "--summ-from=run.json", "--summ-run-record=failed.json")
    *lines, _, _ = bench.text("failed.json").split("\n")
    forged = forgery.edit(lines)
    assert (forged == lines) == (name == "nothing")
    bench.write("forged.json", resealed("\n".join([*forged, "", ""])))
    run = bench.inside("summeval.toml", "--summ-from=forged.json")
    assert answered(run) == forgery.decided, run.out + run.err
    assert forgery.message in " ".join((run.out + run.err).split())
    commands = (["report"], ["rescore"], ["compare", "run.json", "--fail=p0.05"])
    codes = {main([*command, "forged.json"]) for command in commands}
    assert codes == {forgery.code}


def test_other_votes_are_another_judge(bench: Bench) -> None:
    """Three votes answer what one did not."""
    bench.suite()
    with bench.serving():
        bench.inside("summeval.toml", "--summ-judge=rule", "--summ-run-record=run.json")
        run = bench.inside("summeval.toml", "--summ-from=run.json", "--summ-votes=3")
    assert answered(run) == "refused"
    assert "votes=1" in run.err
    assert "votes=3" in run.err


def test_a_record_whose_hash_does_not_fit_is_refused(bench: Bench) -> None:
    """An accident or a careless edit is met here already."""
    measure(bench, None)
    bench.write("run.json", bench.text("run.json").replace("0.6666666666666666", "1"))
    run = bench.inside("summeval.toml", "--summ-from=run.json")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "hash" in run.err
