from __future__ import annotations

import json
import random
from pathlib import Path

from summeval_pytest.judges.offline.roles import STATES
from tests.label_suite import write_lines
from tools.fitting.role_texts import (
    RoleText,
    cut_text,
    cut_texts,
    labelled_texts,
    segmented_texts,
)

FIVE = RoleText(
    "csabstruct", "g", tuple("abcde"), (frozenset({0}),) * 5, (0, 0, 1, 2, None), (1.0,) * 5
)


def test_results_may_be_conclusions_where_a_set_has_none(tmp_path: Path) -> None:
    """The two computer-science and medicine sets put conclusions among results."""
    lines: list[dict[str, object]] = [
        {"sentence": "Ants won.", "role": "result", "bmrc": "R", "annotator_confidence": 0.7},
        {"sentence": "Ants race.", "role": "objective", "bmrc": "B"},
        {"sentence": "See online.", "role": "other", "bmrc": None},
    ]
    records = [line | {"doc_id": "x", "sentence_index": 2 - n} for n, line in enumerate(lines)]
    (tmp_path / "csabstruct").mkdir()
    write_lines(tmp_path / "csabstruct/dev.jsonl", *records)

    (text,) = labelled_texts(tmp_path, "csabstruct")

    assert text.sentences == ("See online.", "Ants race.", "Ants won.")
    assert [{STATES[state] for state in states} for states in text.allowed] == [
        set(STATES),
        {"objective"},
        {"result", "conclusion"},
    ]
    assert text.facets == (None, 0, 2)
    assert text.certainty == (1.0, 1.0, 0.7)


def test_sentence_is_of_the_segment_that_holds_its_word_pairs(tmp_path: Path) -> None:
    """Recorded segments drop words at their ends, so half of the pairs is enough."""
    said = {"background": "", "method": ["ants ran in 9 lanes"], "result": "red ants won"}
    empty = json.dumps(dict.fromkeys(said, ""))
    systems = "gpt35_fm llama2_70b longt5 longt5_block bigbird_pegasus bigbird_pegasus_block"
    record: dict[str, object] = {
        "human": "In this study, ants ran in 9 lanes. Red ants won. They slept.",
        "ground_aspect": json.dumps(said),
    }
    record |= dict.fromkeys(systems.split(), "Ants slept.")
    record |= {f"{system}_aspect": empty for system in systems.split()}
    (tmp_path / "scholarsum").mkdir()
    write_lines(tmp_path / "scholarsum/pubmed.json", record)

    reference, *summaries = segmented_texts(tmp_path)

    assert reference.facets == (1, 2, None)
    assert [text.facets for text in summaries] == [(None,)] * 6
    assert {text.group for text in summaries} == {reference.group}


def test_cut_texts_keep_each_sentence_with_its_label() -> None:
    """A label that slipped by one would teach the wrong role in every copy."""
    labels = dict(zip(FIVE.sentences, FIVE.facets, strict=True))
    chance = random.Random(1)
    for text in (cut_text(FIVE, chance) for _ in range(200)):
        assert [labels[sentence] for sentence in text.sentences] == list(text.facets)
        assert len(set(text.sentences)) == len(text.sentences)
    assert cut_texts([FIVE.only([0, 1])], chance, copies=3) == []  # two have no middle to lose
