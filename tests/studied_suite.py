"""A small suite of two systems, and two judges who like their own.

A summary is of the system whose mark, ``alpha`` or ``beta``, it holds. A judge gives the best
rating to what holds its own mark, the second best to the rest, and supports every sentence but
those that hold the other's mark and a 7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from summeval_pytest.questions import (
    SCALES,
    Answer,
    CheckFacts,
    CheckSentences,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    Question,
    RateFacets,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.study.recorded_judge import USE
from tests.label_suite import write_lines

PAPERS: Final = ("kiln", "moss", "rope", "salt")
ALPHA: Final = "tests.studied_suite:Alpha"
BETA: Final = "tests.studied_suite:Beta"
FAMILIES: Final = (f"--family={ALPHA}=a", f"--family={BETA}=b", "--family=one=a", "--family=two=b")


def summary(paper: str, mark: str, place: int) -> str:
    """Two sentences, the second with a number that says which paper it is."""
    return f"The {mark} team looked at {paper}. It took {mark} {place + 5} days of {paper}."


def write_studied(
    folder: Path,
    *,
    papers: Sequence[str] = PAPERS,
    names: Mapping[str, str] | None = None,
    skip: Sequence[str] = (),
    by: str = "ROUGE-1",
) -> Path:
    """Writes the suite, papers in file order; names are those of systems by their marks.

    The second system skips what is named; ``by`` has recorded a score and segments of every pair.
    """
    names = names or {"alpha": "one", "beta": "two"}
    folder.mkdir()
    head = ['papers = "papers.jsonl"', 'labels = "labels.jsonl"']
    labels: list[object] = []
    recorded: list[object] = []
    for mark, name in names.items():
        skipped = [paper for paper in skip if mark == "beta"]
        head += [f"[systems.{json.dumps(name, ensure_ascii=False)}]", f'summaries = "{mark}.jsonl"']
        head += [f"skip = {json.dumps(skipped)}"]
        places = {paper: PAPERS.index(paper) for paper in papers if paper not in skipped}
        summaries = {paper: summary(paper, mark, place) for paper, place in places.items()}
        lines = [{"paper": paper, "summary": text} for paper, text in summaries.items()]
        write_lines(folder / f"{mark}.jsonl", *lines)
        for paper, place in places.items():
            pair = {"paper": paper, "system": name}
            facets = {"result": 1 + place, "conclusion": None}
            sentences = [{"index": n, "faithful": n > 0} for n in range(2)]
            overall = (1 + place) / 4
            labels.append({**pair, "facets": facets, "overall": overall, "sentences": sentences})
            segments = {"background": f"The {mark} team", "result": "looked at"}
            recorded.append({**pair, "by": by, "overall": place, "segments": segments})
    head += ["[judges.old]", f'use = "{USE}"', 'file = "recorded.jsonl"']
    head += [f"by = {json.dumps(by)}", f"segments = {json.dumps(by)}"]
    source = "Somebody had {0} before. The team looked at {0} with care."
    texts = [
        {
            "id": paper,
            "source": source.format(paper),
            "reference": f"A team looked at {paper} for {PAPERS.index(paper)} days.",
        }
        for paper in papers
    ]
    write_lines(folder / "papers.jsonl", *texts)
    write_lines(folder / "labels.jsonl", *labels)
    write_lines(folder / "recorded.jsonl", *recorded)
    (folder / "summeval.toml").write_text("\n".join(head) + "\n", encoding="utf-8")
    return folder


class Alpha:
    """Likes what holds its mark."""

    mark = "alpha"
    other = "beta"
    in_flight = 1

    @property
    def signature(self) -> str:
        """Its name."""
        return f"{self.mark}-1"

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question."""
        return tuple(map(self.say, questions))

    def say(self, question: Question) -> Answer:
        """The answer to one question."""
        match question:
            case SegmentFacets(text):
                return FacetSegments(background=text.split(". ", maxsplit=1)[0], result=text)
            case RateFacets(pairs):
                return FacetRatings(
                    tuple(
                        FacetRating(
                            facet=pair.facet,
                            reason="",
                            rating=SCALES[pair.facet] - (self.mark not in pair.candidate),
                        )
                        for pair in pairs
                    )
                )
            case ListFacts(sentences):
                return FactList(
                    tuple(
                        Fact(text=f"{text} {kind}", sentence=place, parent=parent)
                        for place, text in enumerate(sentences)
                        for kind, parent in (("", None), ("more", 2 * place))
                    )
                )
            case CheckFacts(facts, premises):
                check = FactCheck(reason="", entailed=True, premises=tuple(range(len(premises))))
                return FactChecks((check,) * len(facts))
            case CheckSentences(sentences):
                return SentenceChecks(tuple(map(self.check, sentences)))
            case _:
                return Unanswered("no suite of ours asks for it")

    def check(self, sentence: str) -> SentenceCheck | Unanswered:
        """Whether a sentence is supported."""
        supported = not (self.other in sentence and "7" in sentence)
        return SentenceCheck(reason="", supported=supported, evidence=(0,) if supported else ())


class Beta(Alpha):
    """The other."""

    mark = "beta"
    other = "alpha"


class Mute(Alpha):
    """Leaves whatever is about the paper on salt unanswered."""

    mark = "mute"
    other = "nobody"

    def say(self, question: Question) -> Answer:
        """No answer about salt."""
        return Unanswered("too salty") if "salt" in str(question) else super().say(question)
