"""The examples that a judge takes from a suite's labels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.judge import RecordedJudge
from summeval_pytest.judges.llm.llm_judge import fact_examples_hash, sentence_examples_hash
from summeval_pytest.judges.llm.prompts import Examples
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.golden import check_stated, golden_tasks
from summeval_pytest.run.judge_material import label_examples, recorded_judge
from summeval_pytest.run.session import Session
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.suite.values import RecordedSpec
from summeval_pytest.text.reading import normalise
from tests.asked_suite import (
    GOOD,
    SENTENCES,
    by_rule,
    desk_for,
    evaluated,
    loaded,
    tasks_of,
    write_suite,
)
from tests.label_suite import write_lines
from tests.scripted_server import ScriptedServer

REFERENCES = {paper: " ".join(texts) for paper, texts in SENTENCES.items()}
URL = "http://127.0.0.1:9/v1"
LABELS = [
    {"paper": paper, "system": system, "facets": facets}
    for paper in SENTENCES
    for system, facets in (
        ("good", {"background": None, "method": 4, "result": 3}),
        ("bad", {"method": 1, "conclusion": 1}),
    )
]


def suite_in(
    folder: Path, *labels: object, url: str = URL, judge: str = 'examples = "labels"'
) -> Suite:
    """A suite whose judge takes its examples from these labels."""
    write_suite(folder, url, head='labels = "labels.jsonl"', judge=judge)
    write_lines(folder / "labels.jsonl", *labels)
    return loaded(folder)


def rewrite_papers(folder: Path, **changed: Mapping[str, object]) -> dict[str, dict[str, str]]:
    """The papers of a suite by id, with other values for some, and with new ones."""
    file = folder / "papers.jsonl"
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    papers = {paper["id"]: paper for paper in lines}
    for name, values in changed.items():
        papers[name] = {**papers.get(name, {}), **values}
    write_lines(file, *papers.values())
    return papers


def signature_of(*suites: Suite) -> str:
    """The signature of the suites' judge."""
    return Session({}).judge("rule", suites).signature


def test_each_labelled_pair_is_judged_with_examples_of_other_papers(tmp_path: Path) -> None:
    """Labels serve as examples and still test the judge: no answer stands in its own prompt."""
    with ScriptedServer(by_rule) as server:
        suite = suite_in(tmp_path / "kilns", *LABELS, url=server.url)
        evaluated(desk_for(tmp_path / "store", suite), suite, list(golden_tasks(suite)))
    users = [seen.texts[1] for seen in server.seen]
    ratings = [user for user in users if user.startswith("<<<example ")]
    assert len(ratings) == len(LABELS)
    for user in ratings:
        examples, question = user.split("<<<background reference ")
        (other,) = (text for text in REFERENCES.values() if text in examples)
        (own,) = (text for text in REFERENCES.values() if text != other)
        assert own.split(". ")[1] in question
        assert own.split(". ")[1] not in examples
        assert '{"method": {"rating": 4}, "result": {"rating": 3}}' in examples
        assert '{"method": {"rating": 1}, "conclusion": {"rating": 1}}' in examples


def test_the_signature_follows_the_labels_and_not_their_order(tmp_path: Path) -> None:
    """Numbers under other examples must not be compared in silence."""
    one = suite_in(tmp_path / "one", *LABELS)
    backward = suite_in(tmp_path / "backward", *reversed(LABELS))
    fewer = suite_in(tmp_path / "fewer", *LABELS[1:])
    assert " examples=labels:" in signature_of(one)
    assert signature_of(one) == signature_of(backward) != signature_of(fewer)


def test_a_part_of_a_run_has_the_examples_of_the_whole(tmp_path: Path) -> None:
    """Shards are merged under one signature, and a judge of facets leaves other labels out."""
    suite = suite_in(tmp_path / "kilns", *LABELS)
    part = suite.labelled_where(lambda paper: paper == "moss").labelled_by_facets()
    assert len(part.labels) == 2
    assert signature_of(part) == signature_of(suite)


def examples_of(suite: Suite) -> Examples:
    """The ratings that the suite's judge is shown."""
    return label_examples("examples", "rule", [suite])


def test_frozen_facets_are_shown_in_place_of_the_reference(tmp_path: Path) -> None:
    """A rating of a facet that the frozen reference does not state shows nothing."""
    folder = tmp_path / "kilns"
    suite_in(folder, *LABELS)
    frozen = {"method": SENTENCES["kiln"][1], "result": SENTENCES["kiln"][2]}
    rewrite_papers(folder, kiln={"reference_facets": frozen})
    bad, good = sorted(examples_of(loaded(folder)).choose(REFERENCES["moss"]), key=len)
    assert good.startswith("<<<example method reference ")
    assert SENTENCES["kiln"][0] not in good
    assert bad.endswith('{"method": {"rating": 1}}')


@pytest.mark.parametrize("key", ["reference", "source"])
def test_papers_that_share_a_text_are_one(tmp_path: Path, key: str) -> None:
    """The judge sees texts and no ids; any of several references is its paper's."""
    folder = tmp_path / "kilns"
    suite_in(folder, *LABELS)
    papers = rewrite_papers(folder)
    papers = rewrite_papers(folder, moss={key: f"<s> {papers['kiln'][key]}"})
    with pytest.raises(OptionError, match="at least two papers"):
        examples_of(loaded(folder))
    several = {"reference": [REFERENCES["moss"], REFERENCES["kiln"]], "source": "Moss."}
    rewrite_papers(folder, moss=several)
    with pytest.raises(OptionError, match="at least two papers"):
        examples_of(loaded(folder))
    rewrite_papers(folder, moss=papers["moss"])
    clay = {**papers["kiln"], "id": "clay", "source": "Clay.", "reference": "Clay is good."}
    rewrite_papers(folder, clay=clay)
    write_lines(folder / "good.jsonl", *[{"paper": p, "summary": "It."} for p in (*papers, "clay")])
    toml = folder / "summeval.toml"
    toml.write_text(toml.read_text().replace('"bad.jsonl"', '"bad.jsonl"\nskip = ["clay"]'))
    write_lines(
        folder / "labels.jsonl",
        *LABELS,
        {"paper": "clay", "system": "good", "facets": {"method": 2}},
    )
    examples = examples_of(loaded(folder))
    for paper in ("kiln", "moss"):
        (text,) = examples.choose(normalise(rewrite_papers(folder)[paper]["reference"]))
        assert "Clay is good." in text


def test_a_suite_that_does_not_define_the_judge_gives_no_examples(tmp_path: Path) -> None:
    """Its labels may be of another field, and its own judge may be tested by them."""
    one = suite_in(tmp_path / "one", *LABELS)
    suite_in(tmp_path / "other", *LABELS)
    rewrite_papers(tmp_path / "other", moss={"reference": "Moss is moss."})
    toml = tmp_path / "other" / "summeval.toml"
    toml.write_text(toml.read_text("utf-8").replace("[judges.rule]", "[judges.else]"), "utf-8")
    other = loaded(tmp_path / "other")
    examples = label_examples("examples", "rule", [one, other])
    assert examples.digest == examples_of(one).digest
    assert {each.rank for each in examples.pool} == {0}


@pytest.mark.parametrize(
    "labels",
    [
        LABELS[:2],
        [{**label, "facets": {"method": None}} for label in LABELS],
        [{"paper": p, "system": "writer", "facets": {"method": 2}} for p in SENTENCES],
        [{"paper": p, "system": "good", "overall": 0.5} for p in SENTENCES],
    ],
    ids=["of one paper", "without a rating", "of a model under test", "without facets"],
)
def test_too_few_ratings_are_a_usage_error(tmp_path: Path, labels: list[object]) -> None:
    """Without an example of another paper, the judge would be asked in another way in silence."""
    suite = suite_in(tmp_path / "kilns", *labels)
    with pytest.raises(OptionError) as caught:
        signature_of(suite)
    assert str(caught.value) == (
        f"judge 'rule' takes its 'examples' from labels, and {suite.shown} has too few: it needs"
        " recorded summaries of at least two papers with ratings of facets, at most 3,000 tokens"
        " each with the reference; label more, or delete 'examples'"
    )


@pytest.mark.parametrize("text", ["kiln " * 3000, "<pad>"], ids=["long", "empty"])
def test_a_summary_that_is_too_long_or_empty_is_no_example(tmp_path: Path, text: str) -> None:
    """It would leave no room for others, and half a summary would be rated as if it were whole."""
    folder = tmp_path / "kilns"
    suite_in(folder, *LABELS)
    unfit = [{"paper": paper, "summary": text} for paper in SENTENCES]
    write_lines(folder / "good.jsonl", *unfit)
    examples = examples_of(loaded(folder))
    assert len(examples.pool) == 2
    write_lines(folder / "bad.jsonl", *unfit)
    with pytest.raises(OptionError, match="at most 3,000 tokens each with the reference"):
        examples_of(loaded(folder))


CHECKED = [
    {"paper": paper, "system": "good", "sentences": [
        {"index": 2, "faithful": True},
        {"index": 1, "faithful": True},
        {"index": 0, "faithful": False, "error": "number"},
    ]}
    for paper in SENTENCES
]  # fmt: skip


def test_sentences_are_checked_with_labelled_sentences_of_other_papers(tmp_path: Path) -> None:
    """As many faithful ones as unfaithful ones; the third sentence would be one too many."""
    with ScriptedServer(by_rule) as server:
        folder = tmp_path / "kilns"
        suite = suite_in(folder, *CHECKED, url=server.url, judge="sentence_examples = true")
        for evaluation in evaluated(
            desk_for(tmp_path / "store", suite), suite, list(golden_tasks(suite))
        ):
            assert not evaluation.numbers().unscored
    assert len(server.seen) == len(CHECKED)
    for seen in server.seen:
        examples, question = seen.texts[1].split("<<<source ")
        (other,) = (paper for paper in SENTENCES if SENTENCES[paper][0] in examples)
        assert SENTENCES[other][0] not in question
        assert (
            '{"checks": [{"id": 1, "reason": "number", "label": "unsupported"},'
            ' {"id": 2, "label": "supported"}]}'
        ) in examples
    shown = label_examples("sentence_examples", "rule", [suite])
    assert [each.rank for each in shown.pool] == sorted(len(each.text) for each in shown.pool)
    assert signature_of(suite).endswith(f" sentence_examples={shown}/{sentence_examples_hash()}")


STATED = [
    {
        "paper": paper,
        "system": system,
        "facts": {
            "reference": [
                {"text": f"{text} {paper} was tried.", "covered": text == "One"}
                for text in ("One", "Two", "Three")
            ]
        },
    }
    for paper in SENTENCES
    for system in ("good", "bad")
]


def test_facts_are_checked_with_labelled_facts_of_other_papers(tmp_path: Path) -> None:
    """In each direction, and in FM by facts: another system's labels would give them away, too."""
    judge = 'fact_examples = true\nfacets = "facts"'
    with ScriptedServer(by_rule) as server:
        suite = suite_in(tmp_path / "kilns", *STATED, url=server.url, judge=judge)
        tasks = [*golden_tasks(suite), *tasks_of(suite, ["good"])]
        evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    checks = [seen.texts[1] for seen in server.seen if "\n\n<<<facts " in seen.texts[1]]
    assert len(checks) == 8
    for message in checks:
        examples, question = message.rsplit("<<<premises ", 1)
        (other,) = (paper for paper in SENTENCES if f"{paper} was tried" in examples)
        assert GOOD[other].split(". ")[0] in examples
        assert not any(text in question for text in SENTENCES[other])
        assert '{"id": 1, "label": "entailed"}, {"id": 2, "label": "not_entailed"}]' in examples
        assert f"Three {other}" not in examples, "as many that follow as do not"
    shown = label_examples("fact_examples", "rule", [suite])
    assert len(shown) == 4
    assert signature_of(suite).endswith(f" fact_examples={shown}/{fact_examples_hash()}")


def test_labels_of_one_kind_are_no_examples_of_sentences(tmp_path: Path) -> None:
    """A judge that sees faithful sentences only would learn to say yes; the 100th is not there."""
    sentences = [{"index": 0, "faithful": True}, {"index": 99, "faithful": False}]
    faithful = [{**label, "sentences": sentences} for label in CHECKED]
    suite = suite_in(tmp_path / "kilns", *faithful, judge="sentence_examples = true")
    with pytest.raises(OptionError) as caught:
        signature_of(suite)
    assert str(caught.value) == (
        f"judge 'rule' takes its 'sentence_examples' from labels, and {suite.shown} has too few: it"
        " needs recorded summaries of at least two papers with both faithful and unfaithful"
        " sentences, at most 3,000 tokens each with the source; label more, or delete"
        " 'sentence_examples'"
    )


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


def test_frozen_facets_are_what_was_rated(tmp_path: Path) -> None:
    """The metric asks about them in place of the recorded segments of the reference."""
    frozen = {"background": None, "method": "Roofs with moss.", "result": None, "conclusion": None}
    suite = recorded_suite_in(tmp_path / "a", extra={"reference_facets": frozen})
    score = score_of(judge_of(suite), suite, "long")
    assert isinstance(score, FacetScore)
    assert [(rated.reference, rated.rating) for rated in score.ratings] == [("Roofs with moss.", 4)]


def test_equal_texts_with_different_ratings_have_the_lower_median(tmp_path: Path) -> None:
    """A question has one answer; of an even number the stricter of the middle two."""
    kinder = {"long": {**RATINGS["long"], "method": 3}, "short": RATINGS["short"]}
    suite = recorded_suite_in(tmp_path / "a", papers=("moss", "fern"), ratings={"fern": kinder})
    score = score_of(judge_of(suite), suite, "long")
    assert isinstance(score, FacetScore)
    assert score.ratings[0].rating == 3


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


def test_every_suite_of_a_run_needs_the_records(tmp_path: Path) -> None:
    """A judge that knows nothing of a suite would leave all of it unscored."""
    suite, other = recorded_suite_in(tmp_path / "a"), recorded_suite_in(tmp_path / "b")
    toml = (tmp_path / "b/summeval.toml").read_text(encoding="utf-8")
    (tmp_path / "b/summeval.toml").write_text(toml.replace("judges.old", "judges.new"))
    other = load_suite(tmp_path / "b", "b")
    with pytest.raises(OptionError) as caught:
        judge_of(suite, other)
    assert str(caught.value) == (
        "judge 'old' is recorded, and b/summeval.toml has no records of it; gate the suites one by"
        " one"
    )
