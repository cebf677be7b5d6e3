"""Sixty good summaries of invented papers and sixty with exactly one error, and who judges them.

`README.md` says who wrote them. No rule and no threshold was chosen on them.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from summeval_pytest import questions as q
from summeval_pytest.desk.imports import sample_suite
from summeval_pytest.judges.judge import Judge
from summeval_pytest.run.runner import Runner, tasks_of
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.verdict.pair import PairVerdict, pair_verdict
from summeval_pytest.verdict.thresholds import Waivers, thresholds_of
from tests.golden.oracle import Oracle, computed

HERE: Final = Path(__file__).parent
SYSTEMS: Final = tuple(f"{kind}-{n}" for kind in ("good", "bad") for n in (1, 2, 3))


def write_suite(folder: Path, *, has_llm: bool) -> None:
    """A suite of these texts with the thresholds that `summeval init` writes."""
    lines = ['papers = "papers.jsonl"', 'labels = "labels.jsonl"']
    for system in SYSTEMS:
        lines += ["", f"[systems.{system}]", f'summaries = "systems/{system}.jsonl"']
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.md"))
    text = "\n".join([*lines, "", sample_suite(has_llm=has_llm)[1]])
    (folder / "summeval.toml").write_text(text, encoding="utf-8")


def kind_of(label: Label) -> str:
    """The kind of the one error of a summary; empty for a good one."""
    (kind,) = {each.error for each in label.sentences or () if each.error} or {""}
    is_lost = not kind and (label.facets or {}).get("result") == 1
    return "lost-result" if is_lost else kind or ""


class OneErrorOracle(Oracle):
    """Says what the labels say; how much of a facet is covered, it reads off the rating.

    Nobody labelled facts: the embedded judge lists and checks them.
    """

    def __init__(self, suite: Suite) -> None:
        self._labels: Mapping[str, Label] = {
            normalise(suite.pair(*key).summary): label for key, label in suite.labels.items()
        }
        self._checks = {
            text: each
            for summary, label in self._labels.items()
            for each, text in zip(label.sentences or (), sentence_texts(summary), strict=True)
        }

    def say(self, question: q.Question) -> q.Answer:
        """The answer to one question."""
        is_of_facts = isinstance(question, q.ListFacts | q.CheckFacts)
        return computed(question) if is_of_facts else super().say(question)

    def rate(self, facet: q.Facet, summary: str) -> q.FacetRating:
        """The label of one facet."""
        rating = (self._labels[summary].facets or {})[facet] or 1
        covered = 100 * (rating - 1) // (q.SCALES[facet] - 1)
        return q.FacetRating(facet=facet, reason="as labelled", rating=rating, coverage=covered)

    def check(self, text: str, source: tuple[str, ...]) -> q.SentenceCheck:  # noqa: ARG002 - of another suite
        """The label of one sentence."""
        return q.SentenceCheck(reason="as labelled", supported=self._checks[text].faithful)


def verdicts(suite: Suite, judge: Judge) -> dict[tuple[str, str], PairVerdict]:
    """The verdict on each pair, by paper and system."""
    thresholds = thresholds_of(suite)
    tasks = tasks_of(suite, SYSTEMS, thresholds.metrics)
    with closing(Runner(judge)) as runner:
        pairs = runner.numbers(tasks)
    return {
        (pair.paper, pair.system): pair_verdict(pair, thresholds.pair, Waivers()) for pair in pairs
    }


def stopped(suite: Suite, judge: Judge) -> tuple[Counter[str], Counter[str]]:
    """By kind of error, how many summaries do not pass, and how many there are."""
    failed, total = Counter[str](), Counter[str]()
    for key, verdict in verdicts(suite, judge).items():
        kind = kind_of(suite.labels[key])
        total[kind] += 1
        failed[kind] += verdict.outcome != "passed"
    return failed, total
