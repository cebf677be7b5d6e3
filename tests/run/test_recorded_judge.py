from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.run.recorded_judge import recorded_judge
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import RecordedSpec
from tests.label_suite import write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.judges.recorded import RecordedJudge
    from summeval_pytest.metrics.number import Unscored
    from summeval_pytest.suite.suite import Suite

REFERENCE = "We planted six roofs. They stayed cool. Moss is worth it."
LONG = "Six roofs were planted. The roofs stayed cool."
SHORT = "The roofs were hot."
_TOML = """\
papers = "papers.jsonl"
recorded = "recorded.jsonl"
[judges.old]
recorded = "GPT"
segments = "GPT segments"
[systems.long]
summaries = "long.jsonl"
[systems.short]
summaries = "short.jsonl"
[systems.writer]
endpoint = "ollama"
model = "writer-7b"
"""
SEGMENTS: dict[str | None, dict[str, str | None]] = {
    None: {
        "background": None,
        "method": "We planted six roofs.",
        "result": "They stayed cool.",
        "conclusion": "Moss is worth it.",
    },
    "long": {"method": "six roofs were planted", "result": "The roofs stayed cool. Bees came."},
    "short": {"result": "The roofs were hot."},
}
RATINGS = {
    "long": {"background": 1, "method": 4, "result": 3, "conclusion": 1},
    "short": {"background": 1, "method": 1, "result": 1, "conclusion": 1},
}


def suite_in(
    folder: Path,
    *,
    papers: tuple[str, ...] = ("moss",),
    ratings: dict[str, dict[str, dict[str, int]]] | None = None,
    extra: dict[str, object] | None = None,
) -> Suite:
    """A suite with one recorded judge; all of its papers have the same texts."""
    folder.mkdir(exist_ok=True)
    (folder / "summeval.toml").write_text(_TOML, encoding="utf-8")
    paper = {"source": "Moss.", "reference": REFERENCE, **(extra or {})}
    write_lines(folder / "papers.jsonl", *[{"id": name, **paper} for name in papers])
    for system, summary in (("long", LONG), ("short", SHORT)):
        write_lines(folder / f"{system}.jsonl", *[{"paper": p, "summary": summary} for p in papers])
    rows: list[dict[str, object]] = []
    for name in papers:
        rated = (ratings or {}).get(name, RATINGS)
        rows += [
            {"paper": name, "system": system, "by": "GPT segments", "segments": segments}
            for system, segments in SEGMENTS.items()
        ]
        rows += [
            {"paper": name, "system": system, "by": "GPT", "facets": facets}
            for system, facets in rated.items()
        ]
        rows.append({"paper": name, "system": "writer", "by": "GPT", "facets": {"method": 2}})
    write_lines(folder / "recorded.jsonl", *rows)
    return load_suite(folder)


def judge_of(*suites: Suite) -> RecordedJudge:
    """The recorded judge."""
    spec = suites[0].judges["old"]
    assert isinstance(spec, RecordedSpec)
    return recorded_judge(spec, suites)


def score_of(judge: RecordedJudge, suite: Suite, system: str) -> FacetScore | Unscored:
    """What FM comes to under the judge, on the suite's first paper."""
    pair = suite.pair(suite.paper_ids[0], system)
    flow = facet.measure(
        pair.paper.references[0], pair.summary, reference_facets=pair.paper.reference_facets
    )
    try:
        questions = next(flow)
        while True:
            questions = flow.send(asyncio.run(judge.answer(questions)))
    except StopIteration as end:
        score: FacetScore | Unscored = end.value
        return score


def test_a_pair_is_rated_as_it_was(tmp_path: Path) -> None:
    """The rule for facets that the summary lacks comes before what was recorded of them."""
    suite = suite_in(tmp_path / "a")
    score = score_of(judge_of(suite), suite, "long")
    assert isinstance(score, FacetScore)
    assert {rated.facet: rated.rating for rated in score.ratings} == {
        "method": 4,
        "result": 3,
        "conclusion": 1,
    }
    assert [rated.reason for rated in score.ratings] == [
        "as recorded from GPT",
        "as recorded from GPT",
        "the summary does not state it",
    ]
    assert score.ungrounded == ("Bees came.",)
    # weights of .3 each: the mean of 4 of 4, 3 of 4 and 1 of 3
    assert score.value == pytest.approx((1 + 0.75 + 1 / 3) / 3)


def test_frozen_facets_are_what_was_rated(tmp_path: Path) -> None:
    """The metric asks about them in place of the recorded segments of the reference."""
    frozen = {"background": None, "method": "Roofs with moss.", "result": None, "conclusion": None}
    suite = suite_in(tmp_path / "a", extra={"reference_facets": frozen})
    score = score_of(judge_of(suite), suite, "long")
    assert isinstance(score, FacetScore)
    assert [(rated.reference, rated.rating) for rated in score.ratings] == [("Roofs with moss.", 4)]


def test_equal_texts_with_different_ratings_have_the_lower_median(tmp_path: Path) -> None:
    """A question has one answer; of an even number the stricter of the middle two."""
    kinder = {"long": {**RATINGS["long"], "method": 3}, "short": RATINGS["short"]}
    suite = suite_in(tmp_path / "a", papers=("moss", "fern"), ratings={"fern": kinder})
    score = score_of(judge_of(suite), suite, "long")
    assert isinstance(score, FacetScore)
    assert score.ratings[0].rating == 3


def test_the_signature_changes_with_what_is_recorded(tmp_path: Path) -> None:
    """Two sets of records are two judges; the same ones are the same judge wherever they lie."""
    one = judge_of(suite_in(tmp_path / "a")).signature
    again = judge_of(suite_in(tmp_path / "b")).signature
    kinder = {"long": {**RATINGS["long"], "method": 3}, "short": RATINGS["short"]}
    other = judge_of(suite_in(tmp_path / "c", ratings={"moss": kinder})).signature
    assert one.startswith("recorded GPT segments=GPT segments data=")
    assert one == again != other


def test_every_suite_of_a_run_needs_the_records(tmp_path: Path) -> None:
    """A judge that knows nothing of a suite would leave all of it unscored."""
    suite, other = suite_in(tmp_path / "a"), suite_in(tmp_path / "b")
    toml = (tmp_path / "b/summeval.toml").read_text(encoding="utf-8")
    (tmp_path / "b/summeval.toml").write_text(toml.replace("judges.old", "judges.new"))
    other = load_suite(tmp_path / "b", "b")
    with pytest.raises(OptionError) as caught:
        judge_of(suite, other)
    assert str(caught.value) == (
        "judge 'old' is recorded, and b/summeval.toml has no records of it; gate the suites one by"
        " one"
    )
