"""A small suite about moss whose summaries a rule can judge, and judges that follow such rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from summeval_pytest import questions as q
from summeval_pytest.desk import new_suite
from summeval_pytest.run.session import Session
from summeval_pytest.study.recorded_judge import USE

SYSTEMS = ("plain", "bold")


def grown(text: str) -> int:
    """The one digit of a text: how often its moss grew."""
    (digit,) = [character for character in text if character.isdigit()]
    return int(digit)


def read(question: q.Question) -> q.Answer:
    """The rules of the judge below."""
    match question:
        case q.SegmentFacets(text) if "torn" in text:
            return q.Unanswered("the page is torn")
        case q.SegmentFacets(text):
            return q.FacetSegments(result=text)
        case q.RateFacets(pairs):
            (pair,) = pairs
            rating = grown(pair.candidate)
            if rating > q.SCALES[pair.facet]:
                return q.FacetRatings((q.Unanswered(f"rating {rating} is off its scale 1 to 4"),))
            return q.FacetRatings((q.FacetRating(facet=pair.facet, reason="", rating=rating),))
        case q.CheckSentences(sentences):
            supported = [grown(sentence) > 2 for sentence in sentences]
            checks = (q.SentenceCheck(reason="", supported=answer) for answer in supported)
            return q.SentenceChecks(tuple(checks))
        case _:
            return q.Unanswered("facts are not my trade")


class Reader:
    """Rates a summary as often as its moss grew, and supports what grew more than twice."""

    signature = "reader-1"
    in_flight = 3

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """The rules' answers."""
        return tuple(map(read, questions))


class Dead(Reader):
    """Cannot be reached."""

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Nothing."""
        raise ConnectionError(f"no route for {len(questions)} questions")


READER = f"{__name__}:Reader"
DEAD = f"{__name__}:Dead"


def session() -> Session:
    """A way to judges of this process, on which nothing is asked of an endpoint or remembered."""
    return Session({})


def write_suite(
    folder: Path,
    papers: Sequence[Mapping[str, object]],
    summaries: Mapping[tuple[str, str], str],
    labels: Sequence[Mapping[str, object]],
    recorded: Sequence[Mapping[str, object]] = (),
) -> Path:
    """A suite of two systems with labels, and with other judges' records where there are any."""
    own = {
        system: [
            {"paper": p, "summary": text} for (p, of), text in summaries.items() if of == system
        ]
        for system in SYSTEMS
    }
    files = {"papers": papers, "labels": labels}
    judge = [f'[judges.old]\nuse = "{USE}"\nfile = "recorded.jsonl"\nby = "GPT"\nsegments = "GPT"']
    texts = new_suite.suite_files([], files, own, judges=judge if recorded else (), thresholds=())
    records = {"recorded.jsonl": new_suite.json_lines(recorded)} if recorded else {}
    new_suite.write_new(folder, texts | records)
    return folder


def moss(folder: Path, recorded: Sequence[Mapping[str, object]] = ()) -> Path:
    """Three papers, two systems; one of the labelled pairs cannot be read."""
    papers = [
        {"id": name, "source": f"Moss was on {name}.", "reference": f"It grew on {name}."}
        for name in ("sand", "rock", "bark")
    ]
    summaries = {
        ("sand", "plain"): "It grew 1 time.",
        ("sand", "bold"): "It grew 3 times.",
        ("rock", "plain"): "It grew 2 times.",
        ("rock", "bold"): "It grew 4 times.",
        ("bark", "plain"): "A torn page 5.",
        ("bark", "bold"): "It grew 6 times.",
    }
    human = {("sand", "plain"): 1, ("sand", "bold"): 2, ("rock", "plain"): 3, ("rock", "bold"): 4}
    labels: list[dict[str, object]] = [
        {"paper": paper, "system": system, "facets": {"result": rating}, "overall": rating / 10}
        for (paper, system), rating in human.items()
    ]
    labels += [
        {"paper": "bark", "system": "plain", "overall": 0.9},
        {"paper": "bark", "system": "bold", "facets": {"result": 4}},
    ]
    return write_suite(folder, papers, summaries, labels, recorded)


def labels_of(**parts: object) -> list[dict[str, object]]:
    """Labels of both systems on sand."""
    return [{"paper": "sand", "system": of, **parts} for of in SYSTEMS]


SAND = [{"id": "sand", "source": "Moss.", "reference": "It grew 3 times."}]
GREW = {("sand", "plain"): "It grew 1 time.", ("sand", "bold"): "It grew 3 times!"}
