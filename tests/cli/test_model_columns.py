from __future__ import annotations

import sys
from pathlib import Path

import pytest

from summeval_pytest.cli.agree import (
    BERTSCORE,
    EMBEDDING,
    NO_MODELS,
    LocalModels,
    Tables,
    extra_columns,
    models_of,
    recipes_of,
    told_of_models,
)
from summeval_pytest.cli.app import main
from summeval_pytest.errors import OptionError, Place
from summeval_pytest.suite.values import Pair, Paper, Section
from tests.local_models import LetterEncoder, WordScorer

HERE = Place("suite")
BOTH = LocalModels(encoder=LetterEncoder(), scorer=WordScorer())


def pair(summary: str, *references: str) -> Pair:
    """A summary beside its references."""
    paper = Paper(id="sand", source=(Section(text="Moss."),), references=references, place=HERE)
    return Pair(paper=paper, system="plain", summary=summary, place=HERE)


def test_columns_are_those_of_the_models_that_are_named() -> None:
    """An option that is not given adds nothing."""
    assert NO_MODELS.columns == ()
    assert LocalModels(scorer=WordScorer()).columns == BERTSCORE
    assert LocalModels(encoder=LetterEncoder()).columns == EMBEDDING
    assert BOTH.columns == (*BERTSCORE, *EMBEDDING)
    pairs = [pair("aa.", "aa."), pair("bb.", "aa.")]
    assert extra_columns(pairs, NO_MODELS) == ({}, {})
    assert [tuple(columns) for columns in extra_columns(pairs, BOTH)] == [BOTH.columns] * 2


def test_bertscore_knows_the_reference_from_the_summary() -> None:
    """Worked example: one of the summary's three words is one of the reference's two."""
    (columns,) = extra_columns([pair("moss grew fast", "moss died")], BOTH)
    assert [columns[name] for name in BERTSCORE] == [0.4, 1 / 3, 0.5]


def test_embedding_recall_is_over_the_sentences_of_the_reference() -> None:
    """Worked example: one of two sentences, of one word to three, is the summary's only one."""
    (columns,) = extra_columns([pair("Aaa.", "Aaa. Bbb bb b.")], BOTH)
    assert columns["embedding precision"] == 1.0
    assert columns["embedding recall"] == pytest.approx(0.25, abs=1e-6)
    assert columns["embedding F1"] == pytest.approx(0.4, abs=1e-6)


def test_the_best_of_several_references_counts() -> None:
    """As for ROUGE, and each number by itself."""
    (columns,) = extra_columns([pair("moss grew", "ferns", "moss", "moss grew on sand")], BOTH)
    assert [columns[name] for name in BERTSCORE] == [2 / 3, 1.0, 1.0]
    (one,) = extra_columns([pair("moss grew", "ferns", "moss grew")], BOTH)
    assert [one[name] for name in BOTH.columns] == [1.0] * 6


def test_scores_stay_with_their_pairs_whatever_their_references() -> None:
    """All pairs are handed over at once."""
    pairs = [pair("moss", "moss", "fern"), pair("moss", "fern"), pair("fern", "moss", "a", "fern")]
    assert [columns["BERTScore"] for columns in extra_columns(pairs, BOTH)] == [1, 0, 1]


def test_an_empty_summary_has_zeros() -> None:
    """A baseline has a number for every pair."""
    (columns,) = extra_columns([pair("<pad>", "moss")], BOTH)
    assert set(columns.values()) == {0.0}


def test_special_tokens_do_not_show() -> None:
    """A system that leaves its tokens in is not worse for it here."""
    clean, raw = extra_columns([pair("Aa b.", "Aa."), pair("<s> Abstract: Aa b.</s>", "Aa.")], BOTH)
    assert clean == raw


def test_a_reader_is_told_the_recipe_and_what_was_cut() -> None:
    """A number of half a text is not one of the text. Each text is counted once."""
    pairs = [pair("Moss grew on the north side.", "Moss."), pair("<s>Fern.", "Moss.")]
    assert list(told_of_models(pairs, BOTH)) == [
        "",
        "BERTScore: words 1; 0 of 3 texts are longer than the model reads and were cut.",
        "It orders texts and no more: unrelated ones score high, by how much is the model's.",
        "embedding: letters 1; 1 of 3 sentences are longer than the model reads and were cut.",
    ]
    assert list(told_of_models(pairs, NO_MODELS)) == []


def test_recipes_are_those_of_the_models_used() -> None:
    """Figures as JSON are compared by machines, which read no remarks."""
    assert recipes_of(BOTH) == {"recipes": {"BERTScore": "words 1", "embedding": "letters 1"}}
    assert recipes_of(LocalModels(encoder=LetterEncoder())) == {
        "recipes": {"embedding": "letters 1"}
    }
    assert recipes_of(NO_MODELS) == {}


def test_layers_without_a_model_are_refused() -> None:
    """Mostly --bertscore was forgotten, and its columns would be missed only at the end."""
    assert models_of(Tables()) == NO_MODELS
    with pytest.raises(OptionError) as caught:
        models_of(Tables(bertscore_layers=3))
    assert str(caught.value) == (
        "--bertscore-layers=3 goes with --bertscore=MODEL; add it or leave this out"
    )


@pytest.mark.parametrize(
    ("option", "package", "extra"),
    [
        ("--bertscore", "bert_score", "bertscore"),
        ("--embeddings", "sentence_transformers", "embeddings"),
    ],
)
def test_without_the_extra_the_command_says_what_to_install(
    option: str,
    package: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A usage error before anybody is asked: the suite has not even been read."""
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["agree", "no-such-suite", option, str(Path.cwd())]) == 4
    assert capsys.readouterr().err == (
        f"summeval: error: {option}: the package {package!r} is not installed; install it with:"
        f" pip install 'summeval-pytest[{extra}]'\n"
    )


def test_layers_are_a_whole_number(capsys: pytest.CaptureFixture[str]) -> None:
    """Zero layers would be the words alone, and no BERT."""
    assert main(["agree", "suite", "--bertscore-layers", "0"]) == 4
    assert "'0' is no whole number from 1 to 999999" in capsys.readouterr().err
