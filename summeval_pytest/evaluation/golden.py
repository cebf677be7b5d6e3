"""The golden labels of a suite as values: what was labelled, and what the judge says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from summeval_pytest.errors import SuiteError
from summeval_pytest.evaluation.placing import check_roles
from summeval_pytest.evaluation.task import Task
from summeval_pytest.metrics.recorded import UNRECORDED
from summeval_pytest.questions import Facet  # noqa: TC001
from summeval_pytest.text import normalise, split_sentences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from summeval_pytest.metrics import MetricName
    from summeval_pytest.suite import Label, Paper, Suite

Kind = Literal[
    "background", "method", "result", "conclusion",
    "overall", "sentence", "reference fact", "candidate fact",
]  # fmt: skip
"""What was labelled: a facet's rating, the overall score, a sentence, a fact of either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCount:
    """Source sentences that the judge named, that the label names, and that both do.

    Shares of them are 0 to 1, higher is better, and 0 where there is nothing to take a share of.
    """

    named: int
    labelled: int
    both: int

    @property
    def precision(self) -> float:
        """Named and labelled / named."""
        return self.both / max(1, self.named)

    @property
    def recall(self) -> float:
        """Named and labelled / labelled."""
        return self.both / max(1, self.labelled)

    @property
    def f1(self) -> float:
        """2 x named and labelled / (named + labelled)."""
        return 2 * self.both / max(1, self.named + self.labelled)


def count_evidence(labelled: Collection[int], named: Collection[int]) -> EvidenceCount:
    """How far named source sentences are the labelled ones; each counts once."""
    both = len(set(labelled) & set(named))
    return EvidenceCount(named=len(set(named)), labelled=len(set(labelled)), both=both)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenAnswer:
    """One labelled item and the judge's answer.

    Attributes:
        kind: What was labelled.
        index: Which sentence of the summary, or which fact of the label, from 0; else 0.
        label: A rating on the facet's scale, an overall score, or 1 where the sentence is faithful
            or the fact holds, and 0 where not.
        answer: The judge's, on the same scale; None where it gave none.
        error: The kind of error that the label names.
        evidence: How far the evidence agrees; for a labelled faithful sentence with evidence. It is
            counted nowhere where there is no answer.
        text: The text in question, where label and answer differ or there is none.
        against: What it was held against, then: the reference's facet, or the labelled evidence.
        reason: The judge's reason, then.
        support: The judge's strength of belief that the sentence is supported or the fact holds, 0
            to 1, where it has one. No run record has it.
    """

    kind: Kind
    index: int = 0
    label: float
    answer: float | None
    error: str = ""
    evidence: EvidenceCount | None = None
    text: str = ""
    against: str = ""
    reason: str = ""
    support: float | None = field(default=None, compare=False, metadata=UNRECORDED)

    @property
    def agrees(self) -> bool:
        """Whether the judge says what the label says."""
        return self.answer == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenPair:
    """The labelled items of one pair, answered.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        group: What is resampled: papers with the same reference have the same.
        answers: Facets in reading order, the overall score, sentences, facts.
        n_left_out: Labelled facets that the judge does not find in the reference.
        rated: Every facet that the judge finds in the reference, labelled or not, with its rating.
    """

    paper: str
    system: str
    group: str
    answers: tuple[GoldenAnswer, ...]
    n_left_out: int = 0
    rated: tuple[tuple[Facet, int], ...] = ()

    def answered(self, kind: str) -> Iterator[tuple[float, float]]:
        """Label and answer of each item of one kind that has an answer."""
        for each in self.answers:
            if each.kind == kind and each.answer is not None:
                yield each.label, each.answer


def group_of(paper: Paper) -> str:
    """12 hex digits over a paper's first reference: what is resampled, or held out, together."""
    return sha256(normalise(paper.references[0]).encode()).hexdigest()[:12]


def golden_tasks(suite: Suite) -> dict[Task, Label]:
    """What the judge is asked about the labelled pairs, in file order: what a label speaks of.

    Roles of sentences are for `summeval agree`: no floor holds a judge to them.
    """
    return {
        Task(
            suite=suite,
            paper=label.paper,
            system=label.system,
            metrics=_metrics(label),
            facts=label.facts,
            is_golden=True,
        ): label
        for label in suite.labels.values()
        if label.facts is not None or _metrics(label)
    }


def labels_fingerprint(suite: Suite) -> str:
    """12 hex digits over all that the labels say and the summaries they speak of, in any order.

    A summary that a model is asked for is left out.
    """
    told = sorted(
        (
            label.paper,
            label.system,
            "" if suite.systems[label.system].endpoint else normalise(_summary(suite, label)),
            sorted((label.facets or {}).items()),
            label.overall,
            repr(sorted(label.sentences or (), key=lambda sentence: sentence.index)),
            repr(label.facts),
            *_factual(label),
            *((repr(label.roles),) if label.roles is not None else ()),
        )
        for label in suite.labels.values()
    )
    return sha256(repr(told).encode()).hexdigest()[:12]


def _factual(label: Label) -> Iterator[str]:
    """What a label says of unfaithful sentences beyond the source; nothing where it is silent.

    So a label file that says nothing of it keeps the fingerprint that it has had.
    """
    said = sorted((s.index, s.factual) for s in label.sentences or () if s.factual is not None)
    if said:
        yield repr(said)


def _metrics(label: Label) -> tuple[MetricName, ...]:
    """The metrics that have the numbers of a label; its facts are asked about as they stand."""
    wanted: list[MetricName] = []
    if label.facets is not None or label.overall is not None:
        wanted.append("facet")
    if label.sentences is not None:
        wanted.append("faithfulness")
    return tuple(wanted)


def check_sentences(suite: Suite) -> None:
    """Refuses a label, or a role, of a sentence that its summary does not have.

    Raises:
        SuiteError: naming the label's line; systems whose model is asked are left out.
    """
    for label in suite.labels.values():
        if suite.systems[label.system].endpoint is not None:
            continue
        if label.sentences:
            check_indices(label, len(split_sentences(normalise(_summary(suite, label)))))
        if label.roles:
            check_roles(label, _summary(suite, label))


def _summary(suite: Suite, label: Label) -> str:
    return suite.pair(label.paper, label.system).summary


def check_indices(label: Label, n_sentences: int) -> None:
    """Refuses a label of a sentence that a summary of so many does not have.

    Raises:
        SuiteError: naming the label's line.
    """
    beyond = [s.index for s in label.sentences or () if s.index >= n_sentences]
    if beyond:
        raise SuiteError(
            label.place,
            f"the label of system {label.system!r} on paper {label.paper!r} is about sentence"
            f" {beyond[0]}, and the summary has {n_sentences}, counted from 0; mend the index",
        )
