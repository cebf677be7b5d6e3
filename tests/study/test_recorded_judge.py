"""The judge whose ratings of facets were recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import FacetSegments
from summeval_pytest.run.golden import check_stated
from summeval_pytest.run.session import Session
from summeval_pytest.study.recorded_judge import Recorded, records_of
from summeval_pytest.suite.suite import Suite, load_suite
from tests.label_suite import write_lines
from tests.metrics.table_judge import driven

REFERENCE = "We planted six roofs. They stayed cool. Moss is worth it."
LONG = "Six roofs were planted. The roofs stayed cool."
SHORT = "The roofs were hot."
_TOML = """\
papers = "papers.jsonl"
[judges.old]
use = "summeval_pytest.study.recorded_judge:RecordedJudge"
file = "recorded.jsonl"
by = "GPT"
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


def recorded_suite_in(
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


def judge_of(*suites: Suite) -> Judge:
    """The recorded judge."""
    return Session({}).judge("old", suites)


def score_of(judge: Judge, suite: Suite, system: str) -> FacetScore | Unscored:
    """What FM comes to under the judge, on the suite's first paper."""
    pair = suite.pair(suite.paper_ids[0], system)
    flow = facet.measure(
        pair.paper.references[0], pair.summary, reference_facets=pair.paper.reference_facets
    )
    return driven(flow, lambda question: asyncio.run(judge.answer((question,)))[0])


def test_a_pair_is_rated_as_it_was(tmp_path: Path) -> None:
    """The rule for facets that the summary lacks comes before what was recorded of them."""
    suite = recorded_suite_in(tmp_path / "a")
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


def test_the_signature_changes_with_what_is_recorded(tmp_path: Path) -> None:
    """Two sets of records are two judges; the same ones are the same judge wherever they lie."""
    one = judge_of(recorded_suite_in(tmp_path / "a")).signature
    again = judge_of(recorded_suite_in(tmp_path / "b")).signature
    kinder = {"long": {**RATINGS["long"], "method": 3}, "short": RATINGS["short"]}
    other = judge_of(recorded_suite_in(tmp_path / "c", ratings={"moss": kinder})).signature
    assert one.startswith("recorded GPT segments=GPT segments data=")
    assert one == again != other


@pytest.mark.parametrize(
    ("file", "whose"), [("papers", "the reference"), ("long", "system 'long'")]
)
def test_records_of_other_texts_than_there_are_now_are_refused(
    tmp_path: Path, file: str, whose: str
) -> None:
    """A release that overwrites its summaries would keep the ratings of the old ones."""
    recorded_suite_in(tmp_path)
    lines = tmp_path / f"{file}.jsonl"
    for old in (REFERENCE, LONG):
        text = lines.read_text(encoding="utf-8")
        lines.write_text(text.replace(old, "Bananas are yellow."), encoding="utf-8")
    with pytest.raises(OptionError, match=f"recorded of {whose} on paper 'moss' are of another"):
        judge_of(load_suite(tmp_path))


@pytest.mark.parametrize("key", ["reference_facets", "reference_facts"])
def test_what_a_suite_states_of_another_reference_is_refused(tmp_path: Path, key: str) -> None:
    """Who replaces an abstract may leave what was cut of the old one."""
    stated = {
        "reference_facets": SEGMENTS[None],
        "reference_facts": [{"text": "Six roofs stayed cool."}],
    }
    check_stated(recorded_suite_in(tmp_path / "right", extra={key: stated[key]}))
    for name, reference, words in (
        ("spaceless", "我们种了六个屋顶。", "屋顶很凉爽"),
        ("rephrased", "Six roofs were planted.", "a trial of planted roofs"),
    ):
        own = {"reference_facets": {"result": words}, "reference_facts": [{"text": words}]}
        other: dict[str, object] = {"reference": reference, key: own[key]}
        check_stated(recorded_suite_in(tmp_path / name, extra=other))
    with pytest.raises(SuiteError, match=f"'{key}' of paper 'moss' are of another text than its"):
        check_stated(
            recorded_suite_in(
                tmp_path / "wrong", extra={key: stated[key], "reference": "Bananas are yellow."}
            )
        )


PAIR: dict[str, object] = {"paper": "moss", "system": "long"}
RECORD: dict[str, object] = {**PAIR, "by": "GPT"}


def test_records_of_pairs_and_references_are_read(tmp_path: Path) -> None:
    """A record without a system is about the reference. Two judges share a file."""
    recorded_suite_in(tmp_path)
    file = tmp_path / "summeval.toml"
    table = _TOML.partition("[judges.old]")[2].partition("[systems")[0]
    file.write_text(f"{_TOML}[judges.new]{table}", encoding="utf-8")
    write_lines(
        tmp_path / "recorded.jsonl",
        {**RECORD, "facets": {"result": 4}, "overall": 1},
        {**RECORD, "system": None, "segments": {"result": "Moss helps.", "method": None}},
        {**RECORD, "by": "other", "segments": {"method": None}, "x_date": 2024},
    )
    assert list(records_of(load_suite(tmp_path))) == [
        Recorded(paper="moss", system="long", by="GPT", facets={"result": 4}, overall=1.0),
        Recorded(paper="moss", system=None, by="GPT", segments=FacetSegments(result="Moss helps.")),
        Recorded(paper="moss", system="long", by="other", segments=FacetSegments()),
    ]


def fault_of(folder: Path) -> str:
    """The message with which the judge is refused."""
    with pytest.raises(SuiteError) as caught:
        judge_of(load_suite(folder, "a"))
    return str(caught.value)


def test_mistakes_in_records_have_a_remedy(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """One judge has one record of a pair; a misread one would rate another."""
    recorded_suite_in(tmp_path)
    said: dict[str, object] = {**RECORD, "overall": 1}
    messages = []
    for lines in (
        [RECORD],
        [{**said, "system": None}],
        [{"paper": "moss", "by": "GPT", "overall": 1}],
        [{**RECORD, "facets": {"result": None}}],
        [{**PAIR, "overall": 1}],
        [{**said, "overall": 1e308}],
        [{**said, "system": "gone"}],
        [{**said, "score": 1}],
        [said, {**said, "by": "other"}, said],
        [],
    ):
        write_lines(tmp_path / "recorded.jsonl", *lines)
        messages.append(fault_of(tmp_path))
    assert messages == snapshot


def test_a_judge_without_records_is_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """It would leave everything unscored; a composed judge cannot leave it facts."""
    recorded_suite_in(tmp_path)
    messages = []
    for old, new in (
        ('by = "GPT"', 'by = "GTP"'),
        ('segments = "GPT segments"', 'segments = "GPT"'),
        ('segments = "GPT segments"\n', ""),
        ('by = "GPT"', 'by = "GPT"\nvotes = 3'),
        ('"recorded.jsonl"', '"../recorded.jsonl"'),
        ('"recorded.jsonl"', '"gone.jsonl"'),
        ("RecordedJudge", "RecordJudge"),
        ("recorded_judge:", "recorded_judges:"),
        ("RecordedJudge", "Recorded"),
        ("study.recorded_judge:RecordedJudge", "study.recorded_judge"),
    ):
        (tmp_path / "summeval.toml").write_text(_TOML.replace(old, new), encoding="utf-8")
        messages.append(fault_of(tmp_path))
    assert messages == snapshot
    composed = '[judges.both]\nfacets = "old"\nfacts = "old"\n'
    (tmp_path / "summeval.toml").write_text(f"{_TOML}{composed}", encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        Session({}).judge("both", [load_suite(tmp_path)])
    assert str(caught.value) == (
        "judge 'both' leaves listing to 'old', which rates facets only; name another judge"
    )
