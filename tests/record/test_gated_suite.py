from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.errors import JudgeError, OptionError, Place
from summeval_pytest.judges.judge import find_judge
from summeval_pytest.metrics.catalogue import Score, findings_of
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.faithfulness import JudgedSentence
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.record.gated_suite import GatedSuite, gated_suite, pair_result_of
from summeval_pytest.record.narrowing import narrowed
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.suite.suite import paper_digest
from summeval_pytest.suite.values import Pair, Paper, Section
from summeval_pytest.verdict.run import PairResult, PaperRecord, SuiteRecord
from tests.asked_suite import WRITER, write_suite
from tests.golden_suite import BAD_OF_KILN, GOOD_OF_KILN, NOWHERE, write_labelled
from tests.label_suite import write_lines
from tests.record.papers import paper
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import faithful, pair, run, suite


@pytest.fixture
def gated(tmp_path: Path) -> GatedSuite:
    """Two papers, kiln and moss, and two labels of kiln; the good system is gated."""
    path = write_labelled(tmp_path / "roofs", GOOD_OF_KILN, BAD_OF_KILN).path
    return gated_suite(path, Session({}, Terms(min=("facet=0.5",))))


ANSWERS = tuple(
    golden(answered("result", 4, 4), paper="kiln", system=system) for system in ("bad", "good")
)


def of(gated: GatedSuite, **changes: object) -> SuiteRecord:
    """A record of the suite, in another order, with more than is asked for."""
    pairs = (
        *(pair(paper, faithful(1.0), system="good") for paper in ("moss", "kiln")),
        pair("kiln", system="bad"),
    )
    papers = tuple(map(paper, ("moss", "kiln", "zinc")))
    stored = replace(gated.record(), shown="then/summeval.toml", pairs=pairs, papers=papers)
    return replace(stored, golden=ANSWERS, **changes)  # type: ignore[arg-type]  # its fields


def test_a_record_is_narrowed_to_what_is_gated_in_its_order(gated: GatedSuite) -> None:
    """Systems, papers and labels as they are now; what was measured with stays to be checked."""
    stored = of(gated)
    then = replace(stored.systems[0], summaries="0a", fault="then", papers=("moss", "kiln"))
    (result,) = narrowed(run(replace(stored, systems=(then,), labels="then")), [gated]).suites
    assert (result.shown, result.labels) == (gated.suite.shown, "then")
    assert result.systems == (replace(gated.record().systems[0], summaries="0a"),)
    assert [(pair.system, pair.paper) for pair in result.pairs] == [
        ("good", "kiln"),
        ("good", "moss"),
    ]
    assert [paper.id for paper in result.papers] == ["kiln", "moss"]
    assert [each.system for each in result.golden] == ["good", "bad"]
    (other,) = narrowed(run(replace(stored, systems=())), [gated]).suites
    assert other.systems == gated.record().systems, "that its pairs are missing says more"


def test_a_judge_is_measured_on_every_label_or_on_none(gated: GatedSuite) -> None:
    """Of a shard whose item 'judge' was not run, the labels that are left may be the easy ones."""
    (result,) = narrowed(run(replace(of(gated), golden=ANSWERS[:1])), [gated]).suites
    assert (result.golden, result.golden_fault) == (
        (),
        (
            f"1 of 2 labelled pairs are in no record, first good on kiln; run {gated.suite.shown}"
            "::judge in each of the recorded runs"
        ),
    )
    (result,) = narrowed(run(of(gated, golden_fault="no reply")), [gated]).suites
    assert (result.golden, result.golden_fault) == ((), "no reply")


def test_a_record_of_another_suite_is_refused(gated: GatedSuite) -> None:
    """Of a suite of that name with other papers it is left to what was measured."""
    with pytest.raises(OptionError) as caught:
        narrowed(run(suite(name="moss"), suite(name="fern")), [gated])
    assert str(caught.value) == (
        f"--summ-from: these runs are of suite 'fern', 'moss', and not of {gated.suite.name!r};"
        f" name runs of {gated.suite.shown}"
    )
    changed = of(gated, fingerprint="000000000000")
    assert narrowed(run(changed), [gated]).suites[0].fingerprint == "000000000000"
    both = narrowed(run(changed, of(gated)), [gated])
    assert both.suites[0].fingerprint == gated.suite.fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f'model = "{WRITER}"', 'model = "writer-8b"'),
        (f'endpoint = "here"\nmodel = "{WRITER}"', f'endpoint = "ollama"\nmodel = "{WRITER}"'),
        ("temperature = 0.5", "temperature = 0.6"),
        ("max_tokens = 500", ""),
        ("context_tokens = 9000", "context_tokens = 8000"),
        ('reasoning_effort = "low"', ""),
        ('prompt = "mine.txt"', ""),
        ("Summarise {source}", "Shorten {source}"),
        ("On kiln", "On kilns"),
        (NOWHERE, "http://127.0.0.1:8/v1"),
    ],
)
def test_a_digest_tells_how_a_system_is_asked(tmp_path: Path, old: str, new: str) -> None:
    """A record of another model, or of one at another address, would pass for this one."""
    keys = 'prompt = "mine.txt"\ntemperature = 0.5\nmax_tokens = 500\nreasoning_effort = "low"'
    tail = "\ncontext_tokens = 9000"
    folder = write_suite(tmp_path / "roofs", NOWHERE, systems=["writer"], system=keys + tail)
    (folder / "mine.txt").write_text("{title} Summarise {source}", encoding="utf-8")

    def digests() -> set[str]:
        gated = gated_suite(folder, Session({}, Terms(min=("facet=0.5",))))
        return {system.summaries for system in gated.record().systems}

    (before,) = digests()
    for file in map(folder.joinpath, ("summeval.toml", "mine.txt", "papers.jsonl")):
        file.write_text(file.read_text("utf-8").replace(old, new or "#"), encoding="utf-8")
    (now,) = digests()
    assert before != now


SOURCE: Final = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
    "Nobody was surprised.",
    "Ferns were left out.",
)
PAPER: Final = Paper(
    id="moss-01",
    title="Moss and rain",
    source=(Section(text=" ".join(SOURCE)),),
    references=("Moss grew.", "Rain makes moss grow."),
    place=Place("golden/papers.jsonl", 7),
)
WRITTEN: Final = Pair(
    paper=PAPER,
    system="careful",
    summary="Moss grew. Ferns died.",
    place=Place("golden/systems/careful.jsonl", 2),
    note="source cut",
)
WET: Final = RatedFacet(
    facet="result", rating=1, reason="", reference="Wet moss grew fast.", candidate=""
)
LOST: Final = FacetScore(value=0.25, ratings=(WET,))


def sentence(index: int, *evidence: int, supported: bool = True) -> JudgedSentence:
    """A judged sentence of the summary."""
    return JudgedSentence(
        index=index, text="Ferns died.", supported=supported, reason="", evidence=evidence
    )


def evaluation(*scores: Score | Unscored) -> Evaluation:
    """The pair with these scores."""
    recipes = (read_signature("facet|judge:fair-1|v:1"),)
    return Evaluation(pair=WRITTEN, scores=scores, signatures=recipes, source=SOURCE)


def test_all_that_was_measured_is_kept() -> None:
    """Worked example: every verdict and report is made of this and of nothing else."""
    silent = Unscored(metric="faithfulness", status="unanswered", reason="cut off")
    measured = evaluation(LOST, silent)
    pair, paper = pair_result_of(measured)
    assert pair == PairResult(
        paper="moss-01",
        system="careful",
        summary=WRITTEN.summary,
        place=WRITTEN.place,
        note="source cut",
        scores=(LOST, silent),
        signatures=("facet|judge:fair-1|v:1",),
        findings=findings_of((LOST,), SOURCE),
    )
    assert pair.outcome == "error", "nothing has passed that was not decided"
    assert pair.numbers() == measured.numbers()
    assert paper == PaperRecord(
        id="moss-01",
        title="Moss and rain",
        place=PAPER.place,
        references=PAPER.references,
        digest=paper_digest(PAPER),
        source=SOURCE,
    )


def test_a_system_with_a_pair_that_broke_down_never_passes(tmp_path: Path) -> None:
    """Its mean meets the threshold without it, and the test of the pair may be left out."""
    names = [f"kiln-{n}" for n in range(20)]
    papers = [{"id": n, "source": f"{n} was hot.", "reference": "Hot."} for n in names]
    write_lines(tmp_path / "papers.jsonl", *papers)
    summaries = [{"paper": n, "summary": f"Heat was in {n}."} for n in names]
    write_lines(tmp_path / "good.jsonl", *summaries)
    toml = (
        'papers = "papers.jsonl"\n[systems.good]\nsummaries = "good.jsonl"\n'
        "[thresholds.mean]\nfaithfulness = 0.5\n"
    )
    (tmp_path / "summeval.toml").write_text(toml, encoding="utf-8")
    gated = gated_suite(tmp_path / "summeval.toml", Session({}, Terms()))

    class Down(Runner):
        """One pair of 20 breaks down."""

        def evaluation(self, task: Task) -> Evaluation:
            """A supported sentence, or nothing."""
            if task.paper == names[7]:
                self._broken[task] = JudgeError("the judge broke down")
                raise self._broken[task]
            measured = evaluation(faithful(1.0))
            held = replace(measured.pair, paper=task.suite.paper(task.paper))
            self._numbers[task] = replace(measured, pair=held).numbers()
            return measured

    with closing(Down(find_judge("offline"))) as runner:
        system = gated.measure_system(runner, "good").system
    assert system is not None
    assert not system.verdict.fails
    fault = "system 'good' is undecided: the judge broke down"
    assert (system.outcome, system.fault) == ("error", fault)
    pair = gated.faulty_pair("good", names[7], "the judge broke down")
    assert pair.numbers().fault == pair.fault, "so that its record decides the same"
    assert (pair.outcome, pair.summary) == ("error", "")
    assert [(s.metric, s.status) for s in pair.scores if isinstance(s, Unscored)] == [
        ("faithfulness", "unanswered")
    ]


@pytest.mark.parametrize(
    ("least", "floors", "metrics"),
    [
        ("faithfulness=0.5", "", ["faithfulness"]),
        ("facet=0.5", "", ["facet"]),
        ("faithfulness=0.5", "facet_exact = 0.1", ["facet", "faithfulness"]),
    ],
)
def test_of_labels_only_what_a_threshold_or_a_floor_needs_is_asked(
    tmp_path: Path, least: str, floors: str, metrics: list[str]
) -> None:
    """Facets were half of the tokens of a run that decides by sentences alone."""
    whole = {**GOOD_OF_KILN, "facets": {"result": 3}}
    whole["sentences"] = [{"index": 0, "faithful": True}]
    path = write_labelled(tmp_path / "roofs", whole, floors=floors).path
    gated = gated_suite(path, Session({}, Terms(min=(least,))))
    ((task, label),) = gated.labelled.items()
    assert [*task.metrics] == metrics
    assert (label.facets is not None) == ("facet" in metrics)
    assert (label.sentences is not None) == ("faithfulness" in metrics)
