"""The examples that a judge takes from a suite's labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.llm_judge import fact_examples_hash, sentence_examples_hash
from summeval_pytest.judges.llm.prompts import Examples
from summeval_pytest.run.golden import golden_tasks
from summeval_pytest.run.judge_material import label_examples
from summeval_pytest.run.session import Session
from summeval_pytest.suite.suite import Suite
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
    return label_examples("rule", [suite]).ratings


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
    examples = label_examples("rule", [one, other]).ratings
    assert examples.digest == examples_of(one).digest
    assert {each.rank for each in examples.pool} == {0}


@pytest.mark.parametrize(
    "labels",
    [
        LABELS[:2],
        [{**label, "facets": {"method": None}} for label in LABELS],
        [{"paper": p, "system": "writer", "facets": {"method": 2}} for p in SENTENCES],
        [{"paper": p, "system": "good", "overall": 0.5} for p in SENTENCES],
        # of faithful sentences alone a judge would learn to say yes; the 100th is not there
        [
            {
                "paper": p,
                "system": "good",
                "sentences": [{"index": n, "faithful": n == 0} for n in (0, 99)],
            }
            for p in SENTENCES
        ],
    ],
    ids=["one paper", "no rating", "a model under test", "no facets", "sentences of one kind"],
)
def test_too_few_examples_are_a_usage_error(tmp_path: Path, labels: list[object]) -> None:
    """Without an example of another paper, the judge would be asked in another way in silence."""
    suite = suite_in(tmp_path / "kilns", *labels)
    with pytest.raises(OptionError) as caught:
        signature_of(suite)
    assert str(caught.value) == (
        f"judge 'rule' takes its examples from labels, and {suite.shown} has too few: it needs"
        " recorded summaries of at least two papers with ratings of facets, or with sentences or"
        " facts of both kinds, at most 3,000 tokens each with their texts; label more, or delete"
        " 'examples'"
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
    with pytest.raises(OptionError, match="at most 3,000 tokens each with their texts"):
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
        suite = suite_in(folder, *CHECKED, url=server.url)
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
    shown = label_examples("rule", [suite]).sentences
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
    judge = 'use = "summeval_pytest.study.llm_readings:LlmReadings"\n'
    judge += 'examples = "labels"\nfacets = "facts"'
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
    shown = label_examples("rule", [suite]).facts
    assert len(shown) == 4
    assert signature_of(suite).endswith(f" fact_examples={shown}/{fact_examples_hash()}")
