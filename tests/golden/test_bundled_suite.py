"""The bundled suite: what it holds, and what the embedded judge makes of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from summeval_pytest.judges.judge import Judge
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, source_sentences
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.suite.labels import Label
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.verdict.pair import pair_verdict
from summeval_pytest.verdict.thresholds import Thresholds, Waivers, read_thresholds
from tests.golden.oracle import GOLDEN, Remembering, golden

SYSTEMS = ("careful", "plain", "terse", "careless", "glib", "subtle")
ERRORS = (
    "number", "unit", "direction", "negation", "entity-swap", "causal-claim", "invented-detail",
    "overgeneral-claim",
)  # fmt: skip
RARE = "hedge-removed"
"""A kind of error that only `subtle` has."""


@cache
def thresholds() -> Thresholds:
    """The thresholds of the suite, read where a test asks: each worker loads this file."""
    return read_thresholds(golden().thresholds)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled pair with the sentences of its summary and of its source."""

    label: Label
    sentences: tuple[str, ...]
    source: tuple[str, ...]


@cache
def labelled() -> tuple[Labelled, ...]:
    """Every labelled pair."""
    suite = golden()
    return tuple(
        Labelled(
            label,
            sentence_texts(normalise(suite.pair(paper, system).summary)),
            source_sentences([section.text for section in suite.paper(paper).source]),
        )
        for (paper, system), label in suite.labels.items()
    )


def raw(name: str) -> list[dict[str, object]]:
    """The lines of one of its files, with the keys that only people read."""
    text = (GOLDEN / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@cache
def evaluations(
    system: str, judge: type[Judge] = Remembering, n_papers: int | None = None
) -> tuple[Evaluation, ...]:
    """What the embedded judge makes of one system, with what the suite's thresholds need."""
    metrics = thresholds().metrics
    with closing(Runner(judge())) as runner:
        return tuple(
            runner.evaluation(Task(suite=golden(), paper=paper, system=system, metrics=metrics))
            for paper in golden().paper_ids[:n_papers]
        )


def n_shortfalls(system: str) -> list[int]:
    """By paper, how many thresholds a system's summary misses."""
    result = [
        pair_verdict(e.numbers(), thresholds().pair, Waivers()).shortfalls
        for e in evaluations(system)
    ]
    return [len(each) for each in result]


# What it holds
def test_the_suite_has_the_promised_size() -> None:
    """Thirty papers in six fields; sources and references of the length of real abstracts."""
    papers = raw("papers.jsonl")
    assert len(papers) >= 30
    assert len({paper["x_field"] for paper in papers}) == 6
    for paper in map(golden().paper, golden().paper_ids):
        assert 500 <= sum(len(section.text.split()) for section in paper.source) <= 900
        assert 120 <= len(paper.references[0].split()) <= 220
        assert all(paper.reference_facets and paper.reference_facets.segment(f) for f in FACETS)


def test_every_pair_is_labelled_in_full() -> None:
    """A pair without a facet or a sentence label would drop out of every agreement in silence."""
    assert len(labelled()) == len(golden().paper_ids) * len(SYSTEMS)
    for pair in labelled():
        assert set(pair.label.facets or ()) == set(FACETS)
        sentences = pair.label.sentences or ()
        assert [each.index for each in sentences] == list(range(len(pair.sentences)))
        for each in sentences:
            assert each.evidence or not each.faithful
            for evidence in each.evidence:
                assert evidence.starts is not None
                assert pair.source[evidence.index].startswith(evidence.starts)


def test_labels_are_enough_of_every_kind() -> None:
    """A kappa over ratings that hardly occur, or an F1 over few facts, says nothing."""
    labels = [pair.label for pair in labelled()]
    counts = Counter(rating for label in labels for rating in (label.facets or {}).items())
    for facet in FACETS:
        assert min(counts[facet, rating] for rating in range(1, SCALES[facet] + 1)) >= 15
    facts = [label.facts for label in labels if label.facts is not None]
    assert sum(len(each.reference) + len(each.candidate) for each in facts) >= 300
    assert len({label.paper for label in labels if label.facts is not None}) >= 14


def test_every_unfaithful_sentence_names_its_error() -> None:
    """Each was planted on purpose, in three systems; the others are faithful, to be baselines."""
    errors: Counter[str] = Counter()
    for line in raw("labels.jsonl"):
        planted = {e["sentence"]: e["kind"] for e in line.get("x_planted", ())}  # type: ignore[attr-defined]
        for sentence in line["sentences"]:  # type: ignore[attr-defined]
            if not sentence["faithful"]:
                errors[sentence["error"]] += 1
                assert planted[sentence["index"]] == sentence["error"]
                assert line["system"] in {"careless", "glib", "subtle"}
    assert set(errors) == {*ERRORS, RARE}
    assert min(errors[kind] for kind in ERRORS) >= 20
    assert errors.total() >= 150


def test_subtle_has_one_error_a_summary_three_of_each_kind() -> None:
    """A threshold that only catches summaries with many errors catches none of these."""
    own = [line for line in raw("labels.jsonl") if line["system"] == "subtle"]
    planted = [line["x_planted"] for line in own]
    assert {len(each) for each in planted} == {1}  # type: ignore[arg-type]  # raw JSON
    kinds = Counter(each[0]["kind"] for each in planted)  # type: ignore[index]
    assert kinds == dict.fromkeys((*ERRORS, RARE, "lost-result"), 3)
    for line in own:
        n_wrong = sum(not sentence["faithful"] for sentence in line["sentences"])  # type: ignore[attr-defined]
        assert n_wrong == (line["x_planted"][0]["kind"] != "lost-result")  # type: ignore[index]


def test_every_line_says_where_it_comes_from() -> None:
    """Who finds a text later knows that it was written for this project, and by whom."""
    files = ("papers.jsonl", "labels.jsonl", "second_labels.jsonl")
    for name in (*files, *(f"systems/{system}.jsonl" for system in SYSTEMS)):
        assert all(line["provenance"] for line in raw(name)), name


# What the embedded judge makes of it
def test_careless_passes_no_threshold() -> None:
    """Each has three errors; that `careful` passes is what the gate of golden itself tests."""
    assert all(n_shortfalls("careless"))


def test_the_readme_tells_what_is_found() -> None:
    """The figures beside the suite are those that this run gives, kind by kind."""
    n_labelled, n_called, alarms = Counter[str](), Counter[str](), Counter[str]()
    for system in SYSTEMS:
        for evaluation in evaluations(system):
            labels = golden().labels[evaluation.paper, system].sentences or ()
            score = evaluation.score("faithfulness")
            assert isinstance(score, FaithfulnessScore)
            for label, sentence in zip(labels, score.sentences, strict=True):
                n_labelled[label.error or ""] += 1
                n_called[label.error or ""] += sentence.supported is False
                alarms[system] += label.faithful and sentence.supported is False
    readme = (GOLDEN / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z-]+) \| (\d+) \| (\d+) \|", readme, re.MULTILINE)
    message = {kind: (int(n_planted), int(n_named)) for kind, n_planted, n_named in rows}
    kinds = (*ERRORS, RARE)
    assert {kind: message[kind] for kind in kinds} == {
        kind: (n_labelled[kind], n_called[kind]) for kind in kinds
    }
    spaced = " ".join(readme.split())
    assert f"{n_called['']} of the {n_labelled['']} faithful sentences" in spaced
    assert f"{alarms['plain']} of them in `plain`" in spaced
    assert (alarms.total() - alarms["plain"]) / n_labelled[""] <= 0.05


def test_scores_do_not_depend_on_the_run() -> None:
    """The same judge on the same texts gives the same bits, whoever was judged before."""
    assert evaluations("careless")[:4] == evaluations("careless", OfflineJudge, 4)
