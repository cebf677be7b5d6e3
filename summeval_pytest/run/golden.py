"""Golden answers: each label of a suite beside the judge's answer.

A label without an answer counts as a miss, never as left out, where the judge is at fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

from summeval_pytest.errors import SuiteError
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.facet import FacetScore, facet_aware_metric
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import SPARSE, MetricName, Unscored
from summeval_pytest.questions import FACETS, Facet, Fact
from summeval_pytest.run.measure import Evaluation, StatedFacts
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.suite.labels import (
    EvidenceLabel,
    FactLabel,
    FactLabels,
    Label,
    SentenceLabel,
    cut,
)
from summeval_pytest.suite.lines import brief
from summeval_pytest.suite.suite import Suite, check_texts
from summeval_pytest.suite.values import Paper
from summeval_pytest.text.excerpts import is_verbatim
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import content_words

LabelledKind = Literal[
    "background", "method", "result", "conclusion",
    "overall", "sentence", "reference fact", "candidate fact",
]  # fmt: skip
"""What was labelled: a facet's rating, the overall score, a sentence, a fact of either side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCount:
    """How many source sentences the judge named, the label names, and both do."""

    named: int
    labelled: int
    both: int


def count_evidence(labelled: Collection[int], named: Collection[int]) -> EvidenceCount:
    """How far named source sentences are the labelled ones; each counts once."""
    both = len(set(labelled) & set(named))
    return EvidenceCount(named=len(set(named)), labelled=len(set(labelled)), both=both)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenAnswer:
    """One labelled item and the judge's answer.

    Attributes:
        index: The sentence of the summary, or the fact of the label, from 0; else 0.
        label: A rating on the facet's scale, an overall score, or 1 for a faithful sentence or a
            fact that holds, else 0.
        answer: The judge's, on the same scale; None where it gave none.
        error: The kind of error that the label names.
        evidence: How far the evidence agrees, for a faithful sentence with labelled evidence. It is
            ignored if the judge gave no answer.
        text: The text in question, if label and answer differ or there is no answer.
        against: In the same case, what it was compared with: the reference's facet, or evidence.
        reason: In the same case, the judge's reason.
        support: The judge's strength of belief, 0 to 1, where it has one.
    """

    kind: LabelledKind
    index: int = field(default=0, metadata=SPARSE)
    label: float
    answer: float | None
    error: str = field(default="", metadata=SPARSE)
    evidence: EvidenceCount | None = field(default=None, metadata=SPARSE)
    text: str = field(default="", metadata=SPARSE)
    against: str = field(default="", metadata=SPARSE)
    reason: str = field(default="", metadata=SPARSE)
    support: float | None = field(default=None, compare=False, metadata=SPARSE)

    @property
    def agrees(self) -> bool:
        """Whether the judge says what the label says."""
        return self.answer == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenPair:
    """The labelled items of one pair, with the judge's answers.

    Attributes:
        group: The unit of resampling. Papers with the same reference are one group.
        answers: Facets in reading order, the overall score, sentences, facts.
        n_left_out: Labelled facets that the judge does not find in the reference.
        rated: Every facet that the judge finds in the reference, labelled or not, with its rating.
        coverages: The coverages of these facets, 0 to 100, if the judge states them.
    """

    paper: str
    system: str
    group: str
    answers: tuple[GoldenAnswer, ...]
    n_left_out: int = 0
    rated: tuple[tuple[Facet, int], ...] = ()
    coverages: tuple[tuple[Facet, int], ...] = field(default=(), metadata=SPARSE)

    def answered(self, kind: str) -> Iterator[tuple[float, float]]:
        """Label and answer of each item of one kind that has an answer."""
        for each in self.answers:
            if each.kind == kind and each.answer is not None:
                yield each.label, each.answer


def group_of(paper: Paper) -> str:
    """12 hex digits over a paper's first reference; its papers are resampled as one group."""
    return sha256(normalise(paper.references[0]).encode()).hexdigest()[:12]


def golden_tasks(suite: Suite, needed: Collection[MetricName] = METRICS) -> dict[Task, Label]:
    """The tasks that the labels need, in file order, each with its label.

    Of a label only what belongs to the ``needed`` metrics counts. Roles of sentences are for
    `summeval agree`: no floor depends on them.
    """
    tasks: dict[Task, Label] = {}
    for whole in suite.labels.values():
        label = whole
        if "facet" not in needed:
            label = replace(label, facets=None, overall=None)
        if "faithfulness" not in needed:
            label = replace(label, sentences=None)
        if "eva" not in needed:
            label = replace(label, facts=None)
        is_rated = label.facets is not None or label.overall is not None
        metrics: tuple[MetricName, ...] = ("facet",) if is_rated else ()
        metrics += ("faithfulness",) if label.sentences is not None else ()
        if metrics or label.facts is not None:
            tasks[label_task(suite, label, metrics, label.facts)] = label
    return tasks


def label_task(
    suite: Suite, label: Label, metrics: tuple[MetricName, ...], facts: FactLabels | None = None
) -> Task:
    """The task of evaluating the pair of a label."""
    return Task(suite=suite, paper=label.paper, system=label.system, metrics=metrics, facts=facts)


def labels_fingerprint(suite: Suite) -> str:
    """12 hex digits over the labels and the recorded summaries they are about, in any order."""
    parts = []
    for label in suite.labels.values():
        sentences = sorted(label.sentences or (), key=lambda sentence: sentence.index)
        factual = [(s.index, s.factual) for s in sentences if s.factual is not None]
        is_asked = suite.systems[label.system].endpoint is not None
        parts.append(
            (
                label.paper,
                label.system,
                "" if is_asked else normalise(suite.pair(label.paper, label.system).summary),
                sorted((label.facets or {}).items()),
                label.overall,
                repr(sentences),
                repr(label.facts),
                # a missing part adds nothing, so that older fingerprints stay the same
                *((repr(factual),) if factual else ()),
                *((repr(label.roles),) if label.roles is not None else ()),
            )
        )
    return sha256(repr(sorted(parts)).encode()).hexdigest()[:12]


def check_sentences(suite: Suite) -> None:
    """Refuse a label of another text, and of a sentence that its summary does not have.

    Raises:
        SuiteError: naming the label's line; systems whose model is asked are left out.
    """
    for label in suite.labels.values():
        if suite.systems[label.system].endpoint is None:
            pair = suite.pair(label.paper, label.system)
            check_texts(label, pair)
            summary = pair.summary
            if label.sentences or label.roles:
                check_indices(label, len(split_sentences(normalise(summary))))
                check_roles(label, summary)


def check_stated(suite: Suite) -> None:
    """Refuse facets and facts that a suite states for a reference, but that are of another text.

    Whoever replaces the reference may leave them; summaries would be compared with the old text.
    They may say the same in other words: one word of the reference is enough.
    """

    def words_of(text: str) -> set[str]:
        # scripts without spaces have no words to compare
        return set(filter(str.isascii, content_words(text)))

    for paper in map(suite.paper, suite.paper_ids):
        own, facets = content_words(paper.references[0]), paper.reference_facets
        stated = {
            "reference_facets": [facets.segment(facet) for facet in FACETS] if facets else [],
            "reference_facts": [fact.text for fact in paper.reference_facts or ()],
        }
        for key, texts in stated.items():
            if all(words_of(text).isdisjoint(own) for text in texts) and any(map(words_of, texts)):
                what = f"{key!r} of paper {paper.id!r} are of another text than its reference"
                raise SuiteError(paper.place, f"{what}; write them anew, or delete the key")


def check_indices(label: Label, n_sentences: int) -> None:
    """Refuse a label of a sentence that a summary of so many does not have, by a SuiteError."""
    beyond = [s.index for s in label.sentences or () if s.index >= n_sentences]
    if beyond:
        raise SuiteError(
            label.place,
            f"the label of system {label.system!r} on paper {label.paper!r} is about sentence"
            f" {beyond[0]}, and the summary has {n_sentences}, counted from 0; mend the index",
        )


def check_roles(label: Label, summary: str) -> None:
    """Refuse a role of a sentence that the summary does not have word for word, likewise."""
    text = normalise(summary)
    for role in label.roles or ():
        if not is_verbatim(normalise(role.text), text):
            raise SuiteError(
                label.place,
                f"a role of system {label.system!r} on paper {label.paper!r} is of the sentence"
                f" {brief(role.text)}, which the summary does not have; copy it word for word",
            )


def golden_pair(label: Label, evaluation: Evaluation) -> GoldenPair:
    """One labelled pair with the judge's answers.

    Raises:
        SuiteError: for a label of another text, or of a sentence that it does not have.
    """
    check_texts(label, evaluation.pair)
    facets = tuple(_facets(label, evaluation))
    pair = GoldenPair(
        paper=label.paper,
        system=label.system,
        group=group_of(evaluation.pair.paper),
        answers=(*facets, *_sentences(label, evaluation), *_facts(label, evaluation)),
    )
    score = evaluation.score("facet") if facets else None
    if not isinstance(score, FacetScore):
        return pair
    n_labelled = sum(rating is not None for rating in (label.facets or {}).values())
    stated = score.ratings if score.key_coverage is not None else ()
    return replace(
        pair,
        n_left_out=n_labelled - sum(answer.kind in FACETS for answer in facets),
        rated=tuple((each.facet, each.rating) for each in score.ratings),
        coverages=tuple((each.facet, each.coverage or 0) for each in stated),
    )


def labelled_overall(label: Label) -> float | None:
    """The overall score of a label, else FM of its ratings where all facets are rated."""
    if label.overall is not None or set(label.facets or ()) != set(FACETS):
        return label.overall
    return facet_aware_metric({f: r for f, r in (label.facets or {}).items() if r is not None})


def _facets(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    """The facets that both label and judge find in the reference, then the overall score."""
    labels = {f: float(r) for f, r in (label.facets or {}).items() if r is not None}
    overall = labelled_overall(label)
    score = next((each for each in evaluation.scores if each.metric == "facet"), None)
    if isinstance(score, FacetScore) and not score.identical:  # nothing is asked about a copy
        rated = {each.facet: each for each in score.ratings}
        for facet in FACETS:
            if facet in rated and facet in labels:
                each = rated[facet]
                answer = GoldenAnswer(kind=facet, label=labels[facet], answer=float(each.rating))
                yield _with_texts(answer, each.candidate, each.reference, each.reason)
        if overall is not None:
            yield GoldenAnswer(kind="overall", label=overall, answer=score.value)
    if isinstance(score, Unscored) and score.fault == "judge":
        kinds: list[tuple[LabelledKind, float | None]] = [*labels.items(), ("overall", overall)]
        for kind, value in kinds:
            if value is not None:
                yield GoldenAnswer(kind=kind, label=value, answer=None, reason=score.reason)


def _with_texts(answer: GoldenAnswer, text: str, against: str, reason: str) -> GoldenAnswer:
    """The answer, with its texts where it differs from the label."""
    if answer.agrees:
        return answer
    return replace(answer, text=text, against=against, reason=reason)


def labelled_sentences(
    label: Label, evaluation: Evaluation
) -> Iterator[tuple[SentenceLabel, str, JudgedSentence]]:
    """Each labelled sentence, its text and the judge's verdict.

    Fragments are left out, and so are all sentences of a summary that could not be judged.
    """
    if not label.sentences:
        return
    texts = cut(evaluation.pair.summary)
    check_indices(label, len(texts))
    score = evaluation.score("faithfulness")
    sentences: Sequence[JudgedSentence] = ()
    if isinstance(score, FaithfulnessScore):
        sentences = score.sentences
    elif isinstance(score, Unscored) and score.fault == "judge":
        sentences = [
            JudgedSentence(index=n, text=text, supported=None, reason=score.reason)
            for n, text in enumerate(texts)
        ]
    judged = {sentence.index: sentence for sentence in sentences}
    for each in label.sentences:
        if each.index in judged:
            yield each, texts[each.index], judged[each.index]


def _sentences(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    source = evaluation.source
    for each, text, judged in labelled_sentences(label, evaluation):
        places = places_of(each.evidence, source)
        is_answered = judged.supported is not None
        named = judged.evidence if is_answered else ()
        answer = GoldenAnswer(
            kind="sentence",
            index=each.index,
            label=float(each.faithful),
            answer=_number(judged.supported),
            error=each.error or "",
            evidence=count_evidence(places, named) if each.faithful and places else None,
            support=judged.support if is_answered else None,
        )
        yield _with_texts(answer, text, " ".join(source[place] for place in places), judged.reason)


def _number(holds: bool | None) -> float | None:
    return None if holds is None else float(holds)


def places_of(evidence: Sequence[EvidenceLabel], source: tuple[str, ...]) -> tuple[int, ...]:
    """The places of labelled evidence in a source, each once and in order.

    Another splitter may count sentences differently, so the first words decide where they occur,
    and the index decides otherwise. Evidence beyond the source is left out.
    """
    places = set()
    for label in evidence:
        words = None if label.starts is None else normalise(label.starts)
        hits = [i for i, text in enumerate(source) if words is not None and text.startswith(words)]
        # the nearest, which is the labelled one if it starts so, too
        place = min(hits, key=lambda hit: abs(hit - label.index), default=label.index)
        if place < len(source):
            places.add(place)
    return tuple(sorted(places))


def _facts(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    stated, facts = evaluation.stated, label.facts
    if facts is None or (isinstance(stated, Unscored) and stated.fault == "system"):
        return
    reason = stated.reason if isinstance(stated, Unscored) else "the judge gave no answer"
    checks = stated if isinstance(stated, StatedFacts) else StatedFacts()
    sides: tuple[tuple[LabelledKind, Sequence[FactLabel], Sequence[CheckedFact]], ...] = (
        ("reference fact", facts.reference, checks.reference),
        ("candidate fact", facts.candidate, checks.candidate),
    )
    for kind, labels, of_side in sides:
        for index, each in enumerate(labels):
            fact = Fact(text=each.text, sentence=0)
            check = of_side[index] if of_side else CheckedFact(fact=fact, holds=None, reason=reason)
            answer = GoldenAnswer(
                kind=kind,
                index=index,
                label=float(each.holds),
                answer=_number(check.holds),
                support=check.support if check.holds is not None else None,
            )
            yield _with_texts(answer, each.text, " ".join(check.evidence), check.reason)


def golden_answers(runner: Runner, tasks: Mapping[Task, Label]) -> tuple[GoldenPair, ...]:
    """The judge's answers to golden labels, in their order; `golden_tasks` has the tasks.

    Raises:
        JudgeError: where the judge breaks its contract.
        NoReplyError: where a labelled summary could not be had.
    """
    with closing(runner.evaluations(list(tasks))) as evaluations:
        return tuple(map(golden_pair, tasks.values(), evaluations))
