"""The golden labels of a pair beside the judge's answers to the same questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.evaluation.golden import (
    GoldenAnswer,
    GoldenPair,
    check_indices,
    count_evidence,
    group_of,
)
from summeval_pytest.evaluation.stating import StatedFacts
from summeval_pytest.metrics import FacetScore, FaithfulnessScore, Unscored
from summeval_pytest.metrics.facet import facet_aware_metric
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.indexed import cut
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation.measuring import Evaluation
    from summeval_pytest.metrics import CheckedFact, JudgedSentence
    from summeval_pytest.suite import EvidenceLabel, FactLabel, Label, SentenceLabel

_NOT_SAID: Final = "the judge gave no answer"


def golden_pair(label: Label, evaluation: Evaluation) -> GoldenPair:
    """One labelled pair, answered.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    facets = tuple(_facets(label, evaluation))
    score = evaluation.score("facet") if facets else None
    n_labelled = sum(rating is not None for rating in (label.facets or {}).values())
    n_rated = sum(answer.kind in FACETS for answer in facets)
    return GoldenPair(
        paper=label.paper,
        system=label.system,
        group=group_of(evaluation.pair.paper),
        answers=(*facets, *_sentences(label, evaluation), *_facts(label, evaluation)),
        n_left_out=n_labelled - n_rated if isinstance(score, FacetScore) else 0,
        rated=tuple((each.facet, each.rating) for each in score.ratings)
        if isinstance(score, FacetScore)
        else (),
    )


def labelled_overall(label: Label) -> float | None:
    """The overall score that a label states, else FM of its ratings where all facets are rated."""
    if label.overall is not None or set(label.facets or ()) != set(FACETS):
        return label.overall
    return facet_aware_metric({f: r for f, r in (label.facets or {}).items() if r is not None})


def _facets(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    """The facets that both label and judge find in the reference, then the overall score."""
    ratings = {f: r for f, r in (label.facets or {}).items() if r is not None}
    overall = labelled_overall(label)
    if not ratings and overall is None:
        return
    score = evaluation.score("facet")
    if isinstance(score, FacetScore) and score.identical:
        return  # the judge was not asked about a copy of the reference
    if isinstance(score, FacetScore):
        yield from _rated(ratings, overall, score)
    elif isinstance(score, Unscored) and score.fault == "judge":
        for facet, rating in ratings.items():
            yield GoldenAnswer(kind=facet, label=rating, answer=None, reason=score.reason)
        if overall is not None:
            yield GoldenAnswer(kind="overall", label=overall, answer=None, reason=score.reason)


def _rated(
    ratings: Mapping[Facet, int], overall: float | None, score: FacetScore
) -> Iterator[GoldenAnswer]:
    rated = {each.facet: each for each in score.ratings}
    for facet in FACETS:
        if facet in rated and facet in ratings:
            each = rated[facet]
            yield _told(
                GoldenAnswer(kind=facet, label=ratings[facet], answer=each.rating),
                text=each.candidate,
                against=each.reference,
                reason=each.reason,
            )
    if overall is not None:
        yield GoldenAnswer(kind="overall", label=overall, answer=score.value)


def _told(answer: GoldenAnswer, *, text: str, against: str, reason: str) -> GoldenAnswer:
    """The answer, with its texts where it is not the label's."""
    if answer.agrees:
        return answer
    return replace(answer, text=text, against=against, reason=reason)


def _sentences(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    if not label.sentences:
        return
    texts = cut(evaluation.pair.summary)
    check_indices(label, len(texts))
    score = evaluation.score("faithfulness")
    if isinstance(score, Unscored) and score.fault == "system":
        return
    reason = score.reason if isinstance(score, Unscored) else _NOT_SAID
    judged = {s.index: s for s in score.sentences} if isinstance(score, FaithfulnessScore) else None
    for each in label.sentences:
        if judged is not None and each.index not in judged:
            continue  # a fragment that is no sentence
        found = judged[each.index] if judged is not None else None
        yield _sentence(each, found, texts[each.index], evaluation.source, reason)


def _sentence(
    label: SentenceLabel,
    judged: JudgedSentence | None,
    text: str,
    source: tuple[str, ...],
    reason: str,
) -> GoldenAnswer:
    places = places_of(label.evidence, source)
    supported = judged.supported if judged is not None else None
    named = judged.evidence if judged is not None and supported is not None else ()
    answer = GoldenAnswer(
        kind="sentence",
        index=label.index,
        label=float(label.faithful),
        answer=None if supported is None else float(supported),
        error=label.error or "",
        evidence=count_evidence(places, named) if label.faithful and places else None,
        support=judged.support if judged is not None and supported is not None else None,
    )
    return _told(
        answer,
        text=text,
        against=" ".join(source[place] for place in places),
        reason=judged.reason if judged is not None else reason,
    )


def places_of(evidence: Sequence[EvidenceLabel], source: tuple[str, ...]) -> tuple[int, ...]:
    """Where labelled evidence stands in a source, each place once and in order.

    Its first words find a sentence that another splitter has counted otherwise; without any, or
    where they stand nowhere, its index is taken. What the source does not have is left out.
    """
    found = set()
    for label in evidence:
        place = label.index
        if label.starts is not None and not _starts(source, place, label.starts):
            hits = [i for i in range(len(source)) if _starts(source, i, label.starts)]
            place = min(hits, key=lambda hit: abs(hit - label.index), default=place)
        if place < len(source):
            found.add(place)
    return tuple(sorted(found))


def _starts(source: tuple[str, ...], place: int, words: str) -> bool:
    return place < len(source) and source[place].startswith(normalise(words))


def _facts(label: Label, evaluation: Evaluation) -> Iterator[GoldenAnswer]:
    if label.facts is None:
        return
    stated = evaluation.stated
    if isinstance(stated, Unscored) and stated.fault == "system":
        return
    reason = stated.reason if isinstance(stated, Unscored) else _NOT_SAID
    checks = stated if isinstance(stated, StatedFacts) else StatedFacts()
    yield from _side("reference fact", label.facts.reference, checks.reference, reason)
    yield from _side("candidate fact", label.facts.candidate, checks.candidate, reason)


def _side(
    kind: Literal["reference fact", "candidate fact"],
    labels: Sequence[FactLabel],
    checks: Sequence[CheckedFact],
    reason: str,
) -> Iterator[GoldenAnswer]:
    for index, label in enumerate(labels):
        check = checks[index] if checks else None
        holds = check.holds if check is not None else None
        yield _told(
            GoldenAnswer(
                kind=kind,
                index=index,
                label=float(label.holds),
                answer=None if holds is None else float(holds),
                support=check.support if check is not None and holds is not None else None,
            ),
            text=label.text,
            against=" ".join(check.evidence) if check is not None else "",
            reason=check.reason if check is not None else reason,
        )
