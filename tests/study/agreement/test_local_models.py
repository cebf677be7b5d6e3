from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.study.agree import agree
from summeval_pytest.study.agreement.local_models import (
    BERTSCORE,
    EMBEDDING,
    LocalModels,
    extra_columns,
    lines_of_models,
    with_columns,
)
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.local_models import LetterEncoder, WordScorer
from tests.study.agreement.agreements import labelled
from tests.study.moss_suite import READER, moss

if TYPE_CHECKING:
    from pathlib import Path


HERE = Place("suite")
BOTH = LocalModels(encoder=LetterEncoder(), scorer=WordScorer())


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


def test_a_computed_column_marks_the_recorded_one_of_its_name() -> None:
    """Neither may hide the other; without the option the recorded one keeps its name."""
    recorded = replace(labelled("moss", 0.5, BERTScore=0.7), pair=pair("moss", "moss"))
    (both,) = with_columns([recorded], BOTH)
    assert (both.columns["BERTScore"], both.columns["BERTScore (recorded)"]) == (1.0, 0.7)
    assert with_columns([recorded], LocalModels()) == [recorded]


@pytest.mark.usefixtures("few_resamples")
def test_agreement_is_shown_with_the_columns_of_the_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They follow our own, and the recipe of each model is in the file and below the tables."""
    monkeypatch.setattr("summeval_pytest.study.agree.models_of", lambda _: BOTH)
    file = tmp_path / "figures.json"
    lines = agree(moss(tmp_path / "moss"), judge=READER, json_file=file)
    names = [line.split("  ")[0] for line in lines]
    start = names.index("length") + 1
    assert names[start : start + 6] == [*BERTSCORE, *EMBEDDING]
    assert json.loads(file.read_text("utf-8"))["recipes"] == BOTH.recipes
    assert lines[-1].startswith("embedding: letters 1; ")
