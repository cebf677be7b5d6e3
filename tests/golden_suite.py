"""The suite of `tests.asked_suite` with golden labels, and a judge that answers as it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from summeval_pytest.questions import (
    FACETS,
    SCALES,
    Answer,
    CheckFacts,
    CheckSentences,
    Facet,
    FacetRating,
    FacetRatings,
    FacetSegments,
    FactCheck,
    FactChecks,
    FactList,
    Question,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.sentences import split_sentences
from tests.asked_suite import loaded, write_suite

NOWHERE: Final = "http://127.0.0.1:9/v1"
GOOD_OF_KILN: Final = {
    "paper": "kiln",
    "system": "good",
    "facets": {"background": None, "method": 4, "result": 4, "conclusion": 3},
    "overall": 0.9,
    "sentences": [
        {"index": 0, "faithful": True, "evidence": [1]},
        {"index": 1, "faithful": True, "evidence": [2]},
    ],
    "facts": {
        "reference": [{"text": "Bricks crack often.", "covered": False}],
        "candidate": [{"text": "The slow draught gave 31 MPa.", "supported": True}],
    },
}
BAD_OF_KILN: Final = {
    "paper": "kiln",
    "system": "bad",
    "facets": {"background": 1, "method": 1, "result": 2, "conclusion": 1},
    "sentences": [
        {"index": 0, "faithful": False, "error": "invented detail"},
        {"index": 1, "faithful": False, "error": "entity swap"},
    ],
}


def write_labelled(folder: Path, *labels: Mapping[str, object], floors: str = "") -> Suite:
    """The suite with these labels, and a ``[thresholds.judge]`` of these lines."""
    tail = f"[thresholds.judge]\n{floors}\n" if floors else ""
    head = 'labels = "labels.jsonl"' if labels else ""
    write_suite(folder, NOWHERE, head=head, tail=tail)
    lines = "".join(json.dumps(label) + "\n" for label in labels)
    (folder / "labels.jsonl").write_text(lines, encoding="utf-8")
    return loaded(folder)


@dataclass(slots=True, kw_only=True)
class LabelledJudge:
    """A judge that finds everything right but for what it is told.

    ``ratings`` are others than the full ones, by the words of a summary's facet; sentences and
    facts that are ``untrue`` do not follow, for those that are ``silent`` it has no answer.
    """

    ratings: Mapping[str, int] = field(default_factory=dict)
    untrue: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    evidence: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    asked: list[Question] = field(default_factory=list)
    signature: str = "told-1"
    in_flight: int = 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """What it was told of each."""
        self.asked.extend(questions)
        return tuple(map(self._answer, questions))

    def _answer(self, question: Question) -> Answer:
        match question:
            case SegmentFacets(text):
                return segmented(text)
            case RateFacets(pairs):
                return FacetRatings(tuple(self._rate(p.facet, p.candidate) for p in pairs))
            case CheckFacts(facts):
                return FactChecks(tuple(self._fact(fact.text) for fact in facts))
            case CheckSentences(sentences):
                return SentenceChecks(tuple(map(self._sentence, sentences)))
            case _:
                return FactList(())

    def _rate(self, facet: Facet, text: str) -> FacetRating | Unanswered:
        rating = self.ratings.get(text, SCALES[facet])
        rated = FacetRating(facet=facet, reason=f"worth {rating}", rating=rating)
        return Unanswered("no idea") if text in self.silent else rated

    def _fact(self, text: str) -> FactCheck | Unanswered:
        check = self._sentence(text)
        if isinstance(check, Unanswered):
            return check
        return FactCheck(reason=check.reason, entailed=check.supported, premises=check.evidence)

    def _sentence(self, text: str) -> SentenceCheck | Unanswered:
        if text in self.silent:
            return Unanswered("no idea")
        evidence = self.evidence.get(text, ())
        supported = text not in self.untrue
        return SentenceCheck(reason="so it was told", supported=supported, evidence=evidence)


def segmented(text: str) -> FacetSegments:
    """A sentence a facet; the last is the conclusion."""
    sentences = [sentence.text for sentence in split_sentences(text)][-len(FACETS) :]
    return FacetSegments(**dict(zip(FACETS[-len(sentences) :], sentences, strict=True)))
