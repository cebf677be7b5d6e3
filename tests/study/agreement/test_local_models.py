from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.run.golden import EvidenceCount
from summeval_pytest.study.agree import agree
from summeval_pytest.study.agreement.local_models import (
    BERTSCORE,
    EMBEDDING,
    LocalModels,
    extra_columns,
    lines_of_models,
    retrieved_evidence,
)
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.label_suite import loaded, mistake, write_lines, write_suite
from tests.local_models import LetterEncoder, WordScorer

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.suite.suite import Suite

HERE = Place("suite")
BOTH = LocalModels(encoder=LetterEncoder(), scorer=WordScorer())
FAITHFUL = {"index": 0, "faithful": True, "evidence": [0]}
LABEL = {"paper": "moss-01", "system": "long", "overall": 0.8, "sentences": [FAITHFUL]}


def pair(summary: str, *references: str) -> Pair:
    """A summary beside its references."""
    paper = Paper(id="sand", source=(Section(text="Moss."),), references=references, place=HERE)
    return Pair(paper=paper, system="plain", summary=summary, place=HERE)


def test_columns_are_those_of_the_models_that_are_named() -> None:
    """An option that is not given adds nothing."""
    assert LocalModels().columns == ()
    assert LocalModels(scorer=WordScorer()).columns == BERTSCORE
    assert LocalModels(encoder=LetterEncoder()).columns == EMBEDDING
    pairs = [pair("aa.", "aa."), pair("bb.", "aa.")]
    assert extra_columns(pairs, LocalModels()) == [{}, {}]
    assert [tuple(columns) for columns in extra_columns(pairs, BOTH)] == [BOTH.columns] * 2


@pytest.mark.parametrize(
    ("summary", "references", "bertscore", "embedding"),
    [
        # one of the summary's three words is one of the reference's two
        ("moss grew fast", ["moss died"], [0.4, 1 / 3, 0.5], None),
        # one of two sentences, of one word to three, is the summary's only one
        ("Aaa.", ["Aaa. Bbb bb b."], None, [0.4, 1.0, 0.25]),
        # of several references the best counts, each number by itself
        ("moss grew", ["ferns", "moss", "moss grew on sand"], [2 / 3, 1.0, 1.0], None),
        ("moss grew", ["ferns", "moss grew"], [1.0] * 3, [1.0] * 3),
        # a baseline has a number for every pair
        ("<pad>", ["moss"], [0.0] * 3, [0.0] * 3),
    ],
)
def test_the_summary_is_compared_with_its_references(
    summary: str,
    references: list[str],
    bertscore: list[float] | None,
    embedding: list[float] | None,
) -> None:
    """Worked examples: F1, precision, recall."""
    (columns,) = extra_columns([pair(summary, *references)], BOTH)
    for names, expected in ((BERTSCORE, bertscore), (EMBEDDING, embedding)):
        found = [columns[name] for name in names]
        assert expected is None or found == pytest.approx(expected, abs=1e-6)


def test_scores_stay_with_their_pairs_whatever_their_references() -> None:
    """All pairs are handed over at once; special tokens do not show."""
    pairs = [pair("moss", "moss", "fern"), pair("moss", "fern"), pair("fern", "moss", "a", "fern")]
    assert [columns["BERTScore"] for columns in extra_columns(pairs, BOTH)] == [1, 0, 1]
    clean, raw = extra_columns([pair("Aa b.", "Aa."), pair("<s> Abstract: Aa b.</s>", "Aa.")], BOTH)
    assert clean == raw


def test_a_reader_is_reported_the_recipe_and_what_was_cut() -> None:
    """A number of half a text is not one of the text. Each text is counted once."""
    pairs = [pair("Moss grew on the north side.", "Moss."), pair("<s>Fern.", "Moss.")]
    assert list(lines_of_models(pairs, BOTH)) == [
        "BERTScore: words 1; 0 of 3 texts are longer than the model reads and were cut.",
        "It orders texts and no more: unrelated ones score high, by how much is the model's.",
        "embedding: letters 1; 1 of 3 sentences are longer than the model reads and were cut.",
    ]
    assert list(lines_of_models(pairs, LocalModels())) == []
    assert BOTH.recipes == {"BERTScore": "words 1", "embedding": "letters 1"}
    assert LocalModels(encoder=LetterEncoder()).recipes == {"embedding": "letters 1"}


def found(suite: Suite) -> dict[str, EvidenceCount]:
    """The evidence that is retrieved for the labels of a suite."""
    labelled = [(label, suite.pair(*key)) for key, label in suite.labels.items()]
    return retrieved_evidence(labelled, LetterEncoder())


def test_the_nearest_source_sentences_are_compared_with_the_labelled_ones(tmp_path: Path) -> None:
    """Worked example: the summary's first sentence is the source's first, word by word.

    The label names that one and the third, so the best of either way is one of two; the best three
    are all the source's sentences. By BM25 the second shares no word with the claim and is not
    named, nor is the third but for "roof".
    """
    label = LABEL | {"sentences": [FAITHFUL | {"evidence": [0, 2]}]}
    counts = found(loaded(tmp_path, label))
    assert counts["embedding, best 1"] == EvidenceCount(named=1, labelled=2, both=1)
    assert counts["embedding, best 3"] == EvidenceCount(named=3, labelled=2, both=2)
    assert counts["BM25, best 1"] == EvidenceCount(named=1, labelled=2, both=1)
    assert counts["BM25, best 3"] == EvidenceCount(named=2, labelled=2, both=2)
    assert list(counts) == [f"{way}, best {n}" for way in ("BM25", "embedding") for n in (1, 2, 3)]


def test_only_faithful_sentences_with_evidence_count_and_add_up(tmp_path: Path) -> None:
    """As FareBio counts: nobody can find evidence for what has none; micro over pairs."""
    others = [{"index": 1, "faithful": False, "evidence": [2]}, {"index": 2, "faithful": True}]
    label = LABEL | {"sentences": [FAITHFUL, *others]}
    assert found(loaded(tmp_path, label)) == found(loaded(tmp_path / "other", LABEL))
    both = found(loaded(tmp_path / "both", LABEL, LABEL | {"system": "short"}))["embedding, best 2"]
    assert (both.named, both.labelled) == (4, 2)
    bare = {key: value for key, value in LABEL.items() if key != "sentences"}
    assert found(loaded(tmp_path / "bare", bare)) == {}
    exchanged = LABEL | {"sentences": [FAITHFUL | {"index": 3}]}
    assert mistake(lambda: found(loaded(tmp_path / "exchanged", exchanged))).endswith(
        "is about sentence 3, and the summary has 3, counted from 0; mend the index"
    )


@pytest.mark.usefixtures("few_resamples")
def test_agreement_is_shown_with_the_columns_of_the_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A computed BERTScore marks the recorded one; without the option that keeps its name."""
    labels = [LABEL, LABEL | {"system": "short", "overall": 0.2}]
    labels.append({"paper": "moss-02", "system": "long", "overall": 0.5})
    folder = write_suite(tmp_path / "moss", *labels)
    toml = folder / "summeval.toml"
    toml.write_text('recorded = "recorded.jsonl"\n' + toml.read_text("utf-8"), "utf-8")
    line = {"paper": "moss-01", "system": "long", "by": "BERTScore", "overall": 0.7}
    write_lines(folder / "recorded.jsonl", line)
    file = tmp_path / "figures.json"

    def lines(models: LocalModels) -> list[str]:
        monkeypatch.setattr("summeval_pytest.study.agree.models_of", lambda _: models)
        return agree(folder, json_file=file)

    plain = lines(LocalModels())
    before = json.loads(file.read_text("utf-8"))
    shown = lines(BOTH)
    after = json.loads(file.read_text("utf-8"))

    assert [line for line in plain if line.startswith("BERTScore ")]
    assert not {"recipes", "evidence"} & set(before)
    names = [line.split("  ")[0] for line in shown]
    start = names.index("length") + 1
    assert names[start : start + 7] == [*BERTSCORE, *EMBEDDING, "BERTScore (recorded)"]
    counts = {row["column"]: row["n"] for row in after["levels"]["pooled"]}
    assert (counts["BERTScore"], counts["BERTScore (recorded)"]) == (3, 1)
    assert after["recipes"] == BOTH.recipes
    assert after["evidence"]["embedding, best 1"] == {"named": 2, "labelled": 2, "both": 1}
    assert "embedding, best 1" in names
    assert shown[-1].startswith("embedding: letters 1; ")
    assert {row["column"] for row in before["levels"]["pooled"]} <= counts.keys()
