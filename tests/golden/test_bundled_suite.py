"""The bundled suite: what it holds, and what the embedded judge makes of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.judge import find_judge
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.metrics.score import FaithfulnessScore
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.record.record import judged
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import tokens
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.thresholds import read_thresholds

if TYPE_CHECKING:
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.verdict.findings import Finding

GOLDEN = Path(__file__).parents[2] / "golden"
SYSTEMS = ("careful", "plain", "terse", "careless", "glib")
ERRORS = (
    "number", "unit", "direction", "negation", "entity-swap", "causal-claim", "invented-detail",
    "overgeneral-claim",
)  # fmt: skip


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
    """Thirty papers in six fields; sources and references of the length of real abstracts."""
    papers = raw("papers.jsonl")
    assert len(papers) >= 30
    assert len({paper["x_field"] for paper in papers}) == 6
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
    assert len(with_facts) >= 14


def test_evidence_labels_point_at_their_sentences() -> None:
    """An index alone would move when the splitter does; the first words hold it in place."""
    for (paper, _), label in suite().labels.items():
        source = source_sentences([section.text for section in suite().paper(paper).source])
        for sentence in label.sentences or ():
            assert sentence.evidence or not sentence.faithful
            for evidence in sentence.evidence:
                assert evidence.starts is not None
                assert source[evidence.index].startswith(evidence.starts)


def test_every_rating_of_every_facet_is_labelled_often() -> None:
    """A kappa over ratings that hardly occur says nothing about them."""
    counts = Counter(
        (facet, rating)
        for label in suite().labels.values()
        for facet, rating in (label.facets or {}).items()
    )
    rare = {
        (facet, rating): counts[facet, rating]
        for facet in FACETS
        for rating in range(1, SCALES[facet] + 1)
        if counts[facet, rating] < 15
    }
    assert not rare


def test_every_unfaithful_sentence_names_its_error() -> None:
    """Eight kinds, each often enough to hold a judge to; every error is planted on purpose."""
    errors: Counter[str] = Counter()
    for line in raw("labels.jsonl"):
        planted = {e["sentence"]: e["kind"] for e in line.get("x_planted", ())}  # type: ignore[attr-defined]
        for sentence in line["sentences"]:  # type: ignore[attr-defined]
            if not sentence["faithful"]:
                errors[sentence["error"]] += 1
                assert planted[sentence["index"]] == sentence["error"]
    assert set(errors) == set(ERRORS)
    assert min(errors.values()) >= 20
    assert errors.total() >= 150


def test_enough_facts_are_labelled() -> None:
    """An F1 over few facts has an interval as wide as its range."""
    facts = [label.facts for label in suite().labels.values() if label.facts is not None]
    assert sum(len(each.reference) + len(each.candidate) for each in facts) >= 300


def test_every_line_says_where_it_comes_from() -> None:
    """Who finds a text later knows that it was written for this project, and by whom."""
    files = ("papers.jsonl", "labels.jsonl", "second_labels.jsonl")
    for name in (*files, *(f"systems/{system}.jsonl" for system in SYSTEMS)):
        assert all(line["provenance"] for line in raw(name)), name


def test_hard_cases_are_hard_for_whoever_counts_words() -> None:
    """Hard negatives keep the source's words and are wrong; hard positives use none and are right.

    An unfaithful sentence of `glib` shares more words with its evidence than a faithful one of
    `plain` does, in nine of ten draws: word overlap ranks them the wrong way round.
    """
    glib = overlaps("glib", faithful=False)
    plain = overlaps("plain", faithful=True)
    wins = sum(wrong > right for wrong in glib for right in plain)
    assert wins / (len(glib) * len(plain)) >= 0.9
    assert sum(overlap < 0.2 for overlap in plain) >= 90


def overlaps(system: str, *, faithful: bool) -> list[float]:
    """The share of each sentence's content words that its labelled evidence has."""
    found = []
    for (paper, name), label in suite().labels.items():
        if name != system:
            continue
        source = source_sentences([section.text for section in suite().paper(paper).source])
        sentences = split_sentences(normalise(suite().pair(paper, name).summary))
        for each in label.sentences or ():
            if each.faithful is faithful and each.evidence:
                words = {word for word in tokens(sentences[each.index].text) if len(word) > 3}
                there = set(tokens(" ".join(source[e.index] for e in each.evidence)))
                found.append(len(words & there) / len(words))
    return found


def test_only_two_systems_are_unfaithful() -> None:
    """The other three are faithful by construction, which is what makes them baselines."""
    unfaithful = Counter(
        system
        for (_, system), label in suite().labels.items()
        for sentence in label.sentences or ()
        if not sentence.faithful
    )
    assert set(unfaithful) == {"careless", "glib"}


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


def told_of_sentences() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """By kind of error, and "" for faithful ones: sentences, those called unsupported, by system.

    The third counts the faithful sentences of each system that are called unsupported.
    """
    labelled: Counter[str] = Counter()
    called: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    for system in SYSTEMS:
        for evaluation in evaluations(system):
            labels = suite().labels[evaluation.paper, system].sentences or ()
            score = evaluation.score("faithfulness")
            assert isinstance(score, FaithfulnessScore)
            for label, sentence in zip(labels, score.sentences, strict=True):
                labelled[label.error or ""] += 1
                called[label.error or ""] += sentence.supported is False
                alarms[system] += label.faithful and sentence.supported is False
    return labelled, called, alarms


def test_the_readme_tells_what_is_found() -> None:
    """The figures beside the suite are those that this run gives, kind by kind."""
    labelled, called, alarms = told_of_sentences()
    readme = (GOLDEN / "README.md").read_text(encoding="utf-8")
    told = {
        kind: (int(n_planted), int(n_named))
        for kind, n_planted, n_named in re.findall(
            r"^\| ([a-z-]+) \| (\d+) \| (\d+) \|", readme, re.MULTILINE
        )
        if kind in ERRORS
    }
    assert told == {kind: (labelled[kind], called[kind]) for kind in ERRORS}
    n_faithful, n_alarms = labelled[""], called[""]
    spaced = " ".join(readme.split())
    assert f"{n_alarms} of the {n_faithful} faithful sentences" in spaced
    assert f"{alarms['plain']} of them in `plain`" in spaced


def test_faithful_sentences_in_usual_words_are_seldom_called_unsupported() -> None:
    """A gate that cries wolf is switched off; `plain` is there to show where this one does."""
    labelled, _, alarms = told_of_sentences()
    usual = sum(alarms[system] for system in SYSTEMS if system != "plain")
    assert usual / labelled[""] <= 0.05


@pytest.mark.parametrize("system", ["plain", "careless"])
def test_scores_do_not_depend_on_the_run(system: str) -> None:
    """The same judge on the same texts gives the same bits, whoever was judged before."""
    evaluations.cache_clear()
    again = evaluations(system)
    evaluations.cache_clear()
    assert evaluations(system) == again
