"""The bundled suite: what it holds, and what the embedded judge makes of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from summeval_pytest.evaluation import Evaluation, Runner, Task
from summeval_pytest.judges import find_judge
from summeval_pytest.metrics import FaithfulnessScore
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.questions import FACETS
from summeval_pytest.suite import Suite, load_suite
from summeval_pytest.text import normalise, split_sentences
from summeval_pytest.verdict import Finding, decide, judged, read_thresholds

GOLDEN = Path(__file__).parents[2] / "golden"
SYSTEMS = ("careful", "terse", "careless")
PLANTED_KINDS = {
    "direction", "number", "unit", "swap", "invented", "negation", "dropped",
    "background_for_findings",
}  # fmt: skip


@cache
def suite() -> Suite:
    """The suite, loaded once."""
    return load_suite(GOLDEN)


@cache
def raw(name: str) -> tuple[dict[str, object], ...]:
    """The lines of one of its files, with the keys that only people read."""
    text = (GOLDEN / name).read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


@cache
def evaluations(system: str) -> tuple[Evaluation, ...]:
    """What the embedded judge makes of one system, with what the suite's thresholds need."""
    thresholds = read_thresholds(suite().thresholds, suite().mean_thresholds)
    runner = Runner(find_judge("offline"))
    try:
        return tuple(
            runner.evaluation(
                Task(suite=suite(), paper=paper, system=system, metrics=thresholds.metrics)
            )
            for paper in suite().paper_ids
        )
    finally:
        runner.close()


def findings(system: str) -> dict[str, tuple[Finding, ...]]:
    """By paper, what a failing pair lists."""
    thresholds = read_thresholds(suite().thresholds, suite().mean_thresholds)
    return {
        e.paper: judged("golden", e, decide(e.numbers(), thresholds.pair)).pair.told
        for e in evaluations(system)
    }


def test_the_suite_has_the_promised_size() -> None:
    """Twelve papers in four fields; sources and references of the length of real abstracts."""
    papers = raw("papers.jsonl")
    assert len(papers) >= 12
    assert len({paper["x_field"] for paper in papers}) >= 4
    for paper_id in suite().paper_ids:
        paper = suite().paper(paper_id)
        assert 500 <= sum(len(section.text.split()) for section in paper.source) <= 900
        assert 120 <= len(paper.references[0].split()) <= 220
        assert all(paper.reference_facets and paper.reference_facets.segment(f) for f in FACETS)


def test_every_pair_is_labelled_in_full() -> None:
    """A pair without a facet or a sentence label would drop out of every agreement in silence."""
    assert len(suite().labels) == len(suite().paper_ids) * len(SYSTEMS)
    with_facts = set()
    for (paper, system), label in suite().labels.items():
        summary = suite().pair(paper, system).summary
        assert label.facets is not None
        assert set(label.facets) == set(FACETS)
        assert label.sentences is not None
        n_sentences = len(split_sentences(normalise(summary)))
        assert [sentence.index for sentence in label.sentences] == list(range(n_sentences))
        if label.facts is not None:
            with_facts.add(paper)
    assert len(with_facts) >= 4


def test_evidence_labels_point_at_their_sentences() -> None:
    """An index alone would move when the splitter does; the first words hold it in place."""
    for (paper, _), label in suite().labels.items():
        source = source_sentences([section.text for section in suite().paper(paper).source])
        for sentence in label.sentences or ():
            assert sentence.evidence or not sentence.faithful
            for evidence in sentence.evidence:
                assert evidence.starts is not None
                assert source[evidence.index].startswith(evidence.starts)


def test_careless_has_planted_errors_of_every_kind() -> None:
    """The errors that a gate must name are written down beside the labels."""
    planted = [entry for line in raw("labels.jsonl") for entry in line.get("x_planted", ())]  # type: ignore[attr-defined]
    assert set(Counter(entry["kind"] for entry in planted)) == PLANTED_KINDS
    assert len(planted) >= 48


def test_only_careless_is_unfaithful() -> None:
    """`careful` and `terse` are faithful by construction, which is what makes them baselines."""
    unfaithful = Counter(
        system
        for (_, system), label in suite().labels.items()
        for sentence in label.sentences or ()
        if not sentence.faithful
    )
    assert set(unfaithful) == {"careless"}


def test_careful_passes_every_threshold() -> None:
    """A gate that fails good summaries is switched off within a week."""
    thresholds = read_thresholds(suite().thresholds, suite().mean_thresholds)
    missed = {
        e.paper: decide(e.numbers(), thresholds.pair).shortfalls for e in evaluations("careful")
    }
    assert not any(missed.values()), missed


def test_careless_fails_everywhere() -> None:
    """Each of its summaries holds at least three planted errors."""
    assert all(findings("careless").values())


def planted_and_named() -> tuple[Counter[str], Counter[str]]:
    """By kind, how many errors were planted, and how many the failing tests name.

    Named: its sentence is listed as unsupported; a spoilt facet without one, as that facet.
    """
    planted: Counter[str] = Counter()
    named: Counter[str] = Counter()
    listed = findings("careless")
    for line in raw("labels.jsonl"):
        for entry in line.get("x_planted", ()):  # type: ignore[attr-defined]
            if entry["sentence"] is None:
                wanted = f"facet {entry['facet']}"
            else:
                wanted = f"sentence {entry['sentence'] + 1}"
            planted[entry["kind"]] += 1
            named[entry["kind"]] += any(f.title == wanted for f in listed[str(line["paper"])])
    return planted, named


def test_sixty_percent_of_the_planted_errors_are_named() -> None:
    """A red test that does not show what is wrong sends the reader back to the paper."""
    planted, named = planted_and_named()
    assert named.total() / planted.total() >= 0.6


def test_the_readme_tells_what_is_named() -> None:
    """The figures beside the suite are those that this run gives, kind by kind."""
    planted, named = planted_and_named()
    readme = (GOLDEN / "README.md").read_text(encoding="utf-8")
    told = {
        kind: (int(n_planted), int(n_named))
        for kind, n_planted, n_named in re.findall(
            r"^\| (\w+) \| (\d+) \| (\d+) \|", readme, re.MULTILINE
        )
    }
    assert told == {kind: (planted[kind], named[kind]) for kind in planted}
    assert f"{named.total()} of {planted.total()} in all" in readme


def test_faithful_sentences_are_seldom_called_unsupported() -> None:
    """A gate that cries wolf is switched off; the suite's README tells how often this one does."""
    faithful = wrong = 0
    for system in SYSTEMS:
        for evaluation in evaluations(system):
            labels = suite().labels[evaluation.paper, system].sentences or ()
            score = evaluation.score("faithfulness")
            assert isinstance(score, FaithfulnessScore)
            for label, sentence in zip(labels, score.sentences, strict=True):
                faithful += label.faithful
                wrong += label.faithful and sentence.supported is False
    readme = " ".join((GOLDEN / "README.md").read_text(encoding="utf-8").split())
    assert f"{wrong} of the {faithful} faithful sentences" in readme
    assert wrong / faithful <= 0.05


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_do_not_depend_on_the_run(system: str) -> None:
    """The same judge on the same texts gives the same bits, whoever was judged before."""
    evaluations.cache_clear()
    again = evaluations(system)
    evaluations.cache_clear()
    assert evaluations(system) == again
