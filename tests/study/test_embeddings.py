from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from summeval_pytest.options import Options
from summeval_pytest.study.agree import agree
from summeval_pytest.study.embeddings import (
    PairScore,
    embedding_match,
    extra_columns,
    lines_of_models,
    load_bertscore,
    load_encoder,
    with_columns,
)
from summeval_pytest.study.eva.similarity import Vectors
from tests.local_models import LETTERS, MARKS, LetterEncoder, WordScorer, make_checker, make_weights
from tests.run.test_measure import pair, paper
from tests.study import moss_suite
from tests.study.agreement.agreements import labelled


def encode(texts: Sequence[str]) -> Vectors:
    """Vectors in the plane: a sentence begins with its angle in degrees."""
    angles = np.deg2rad([float(text.split()[0]) for text in texts])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.mark.parametrize(
    ("reference", "summary", "precision", "recall", "f1"),
    [
        # The reference's sentences at 0 and 90 degrees, of 3 words and 1, are best matched at 0 and
        # 60: R = (3 * 1 + 1 * cos 30) / 4. The summary's, of 1 word each: P = (1 + cos 30) / 2
        (["0 a b", "90"], ["0", "60"], 0.933013, 0.966506, 0.949464),
        # harmonic means are of positive numbers; two negative ones would make a good one
        (["0"], ["90"], 0.0, 0.0, 0.0),
        (["0"], ["180"], -1.0, -1.0, 0.0),
        # a baseline has a number for every pair, or it could not stand beside a metric
        ([], ["0"], 0.0, 0.0, 0.0),
        (["0"], [], 0.0, 0.0, 0.0),
        ([], [], 0.0, 0.0, 0.0),
    ],
)
def test_embedding_match_worked_examples(
    reference: list[str], summary: list[str], precision: float, recall: float, f1: float
) -> None:
    """A long sentence weighs by its words."""
    match = PairScore(precision=precision, recall=recall, f1=f1)
    assert embedding_match(reference, summary, encode) == match


TEXTS = ["moss grew on kilns.", "it did not rain", "zinc"]
POOLED: dict[str, dict[str, object]] = {
    "mean": {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True},
    "cls": {"pooling_mode": "cls"},
}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder of 8 numbers a token, with random weights; it reads 64 tokens."""
    return make_checker(tmp_path_factory.mktemp("models") / "tiny", "abcdefgh", of_tokens=True)


def vectors_of(text: str) -> Any:  # an array of NumPy
    """The vectors of `tiny` by hand, of each token and of the marks around them; a row each."""
    weights = make_weights(1, 8)
    ids = [len(MARKS) + LETTERS.index(letter) for letter in text.replace(" ", "")]
    tokens = [MARKS.index("[CLS]"), *ids, MARKS.index("[SEP]")]
    rows = (weights["letters"][tokens] + weights["texts"][0]) @ weights["head"] + weights["bias"]
    return rows.astype(np.float64)


def units(rows: Any) -> Any:
    """The rows with a length of 1 each."""
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.mark.parametrize("pooling", [None, "mean", "cls"])
def test_a_vector_is_pooled_as_the_folder_says_and_has_a_length_of_1(
    tmp_path: Path, pooling: str | None
) -> None:
    """Oracle: the network by hand. The mean is what sentence-transformers takes by itself."""
    folder = make_checker(tmp_path / "tiny", "abcdefgh", of_tokens=True)
    if pooling:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(POOLED[pooling]), "utf-8")
    encoder = load_encoder(str(folder), option="o")
    rows = [vectors_of(text) for text in TEXTS]
    pooled = [row[0] if pooling == "cls" else row.mean(axis=0) for row in rows]
    assert encoder.encode(TEXTS) == pytest.approx(units(np.array(pooled)), abs=1e-6)
    assert encoder.signature.endswith(f" window=64 pooling={pooling or 'mean'}")
    assert not len(encoder.encode([]))


@pytest.mark.parametrize("limit", [None, 20])
def test_texts_that_are_longer_than_the_model_reads_are_counted_and_cut(
    tmp_path: Path, limit: int | None
) -> None:
    """Worked example: 64 tokens, or the 20 of the folder's limit, hold 2 marks."""
    folder = make_checker(tmp_path / "tiny", "abcdefgh", of_tokens=True)
    if limit:
        (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 20}', "utf-8")
    encoder = load_encoder(str(folder), option="o")
    most = (limit or 64) - 2
    assert encoder.count_cut(["z" * most, "z" * (most + 1), "z [SEP]"]) == 1
    whole, longer = encoder.encode(["z" * most, "z" * most + "inc"])
    assert (whole == longer).all()
    assert load_bertscore(str(folder), option="o").count_cut(["z" * 62, "z" * 63]) == 1


def test_bertscore_is_the_mean_of_the_nearest_tokens(tiny: Path) -> None:
    """Oracle: the formula by hand. bert-score itself differs by 5e-7 at most on MiniLM.

    An empty text scores 0, as a baseline has a number for every pair.
    """
    scorer = load_bertscore(str(tiny), option="o")
    for one, other in product(TEXTS, TEXTS):
        score = scorer.score(one, other)
        cosines = units(vectors_of(one)) @ units(vectors_of(other)).T
        recall, precision = cosines.max(1)[1:-1].mean(), cosines.max(0)[1:-1].mean()
        f1 = 2 * precision * recall / (precision + recall)
        assert score == pytest.approx((f1, precision, recall), abs=2e-6)
        assert (score.f1 == 1.0) == (one == other)
    assert scorer.signature.endswith(" window=64 idf=no")
    nothing = PairScore(precision=0, recall=0, f1=0)
    assert scorer.score("moss", " ") == scorer.score("", "moss") == nothing


BOTH = (WordScorer(), LetterEncoder())
BERTSCORE, EMBEDDING = (model.columns for model in BOTH)


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
        ("<s> Abstract: moss.</s>", ["moss."], [1.0] * 3, [1.0] * 3),
    ],
)
def test_the_summary_is_compared_with_its_references(
    summary: str,
    references: list[str],
    bertscore: list[float] | None,
    embedding: list[float] | None,
) -> None:
    """Worked examples: F1, precision, recall."""
    columns = extra_columns(pair(summary, paper(*references)), BOTH)
    for names, expected in ((BERTSCORE, bertscore), (EMBEDDING, embedding)):
        found = [columns[name] for name in names]
        assert expected is None or found == pytest.approx(expected, abs=1e-6)


def test_a_reader_is_reported_the_recipe_and_what_was_cut() -> None:
    """A number of half a text is not one of the text. Each text is counted once.

    An option that is not given adds nothing. A computed column marks the recorded one of its name.
    """
    moss = paper("Moss.")
    pairs = [pair("Moss grew on the north side.", moss), pair("<s>Fern.", moss)]
    assert list(lines_of_models(pairs, BOTH)) == [
        "BERTScore: words 1; 0 of 3 texts are longer than the model reads and were cut.",
        "It orders texts and no more: unrelated ones score high, by how much is the model's.",
        "embedding: letters 1; 1 of 3 sentences are longer than the model reads and were cut.",
    ]
    assert list(lines_of_models(pairs, ())) == []
    recorded = replace(labelled("moss", 0.5, BERTScore=0.7), pair=pair("moss", paper("moss")))
    (both,) = with_columns([recorded], BOTH)
    assert tuple(both.columns) == ("BERTScore (recorded)", *BERTSCORE, *EMBEDDING)
    assert (both.columns["BERTScore"], both.columns["BERTScore (recorded)"]) == (1.0, 0.7)
    assert with_columns([recorded], ()) == [recorded]


@pytest.mark.usefixtures("few_resamples")
def test_agreement_is_shown_with_the_columns_of_the_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They follow our own, and the recipe of each model is in the file and below the tables."""
    monkeypatch.setattr("summeval_pytest.study.agree.models_of", lambda _: BOTH)
    file = tmp_path / "figures.json"
    lines = agree(
        moss_suite.moss(tmp_path / "moss"), options=Options(judge=moss_suite.READER), json_file=file
    )
    names = [line.split("  ")[0] for line in lines]
    start = names.index("length") + 1
    assert names[start : start + 6] == [*BERTSCORE, *EMBEDDING]
    assert json.loads(file.read_text("utf-8"))["recipes"] == {
        "BERTScore": "words 1",
        "embedding": "letters 1",
    }
    assert lines[-1].startswith("embedding: letters 1; ")
