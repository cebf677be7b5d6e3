"""Similarity by ONNX models of this machine, and its columns: sentence embeddings and BERTScore.

Every text is encoded by itself and on one thread: in a batch, and with more threads, its last bits
would depend on its neighbours, or on how sums are shared out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.errors import OptionError
from summeval_pytest.study.agreement.columns import LabelledPair
from summeval_pytest.study.eva.similarity import Encoder, Vectors
from summeval_pytest.study.onnx_model import CONFIG, OnnxModel, most_tokens, read_json
from summeval_pytest.suite.labels import cut
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import normalise

_DIGITS: Final = 6
"""Further digits of a model's vectors differ from processor to processor."""


class PairScore(NamedTuple):
    """How well a summary and its reference match by vectors; -1 to 1 each, higher is better."""

    f1: float
    precision: float
    recall: float


_NOTHING: Final = PairScore(f1=0.0, precision=0.0, recall=0.0)


def _pair_score(precision: float, recall: float) -> PairScore:
    both = min(precision, recall) > 0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return PairScore(*(round(value, _DIGITS) for value in (f1, precision, recall)))


def embedding_match(reference: Sequence[str], summary: Sequence[str], encode: Encoder) -> PairScore:
    """How well the sentences of a summary and of its reference match; 0 where either has none.

    Recall is the mean, over the reference's sentences weighed by their words, of the cosine with
    the nearest sentence of the summary; precision the other way round. ``encode`` gives unit rows.
    """
    if not reference or not summary:
        return _NOTHING
    cosines = np.clip(encode(reference) @ encode(summary).T, -1.0, 1.0)
    recall, precision = (
        float(np.average(cosines.max(axis=axis), weights=[len(each.split()) for each in sentences]))
        for axis, sentences in ((1, reference), (0, summary))
    )
    return _pair_score(precision, recall)


_MOST_TOKENS: Final = 512
"""Tokens that are read of a text if the model does not say how many."""
_REMEMBERED: Final = 20_000
"""Texts whose vectors are kept: 60 MB with 384 numbers each."""
_TOGETHER: Final = 64
"""Texts whose tokens' vectors are kept: 60 MB with 300 tokens of 384 numbers each."""


def _count_cut(model: OnnxModel, texts: Sequence[str], most: int) -> int:
    return sum(model.count(model.plain(text), marks=True) > most for text in texts)


def _units(vectors: Vectors, model: OnnxModel, text: str) -> Vectors:
    """The vectors of a text, with a length of 1 each."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if not lengths.all():
        raise OptionError(
            f"{model.what}: this model gives no vector for {one_line(text, 60)!r}; choose another"
            " model"
        )
    units: Vectors = vectors / lengths
    units.flags.writeable = False
    return units


class SentenceEncoder:
    """The mean of a text's token vectors, or the first one (``cls``).

    Its ``signature`` has all that can move a number: packages, settings and the model's content. A
    text's row depends on the text alone.
    """

    title, read = "embedding", "sentences"
    columns = ("embedding F1", "embedding precision", "embedding recall")

    def __init__(self, model: OnnxModel, most: int, pooling: str) -> None:
        self.signature = f"{model.signature} window={most} pooling={pooling}"
        self._model, self._most, self._pooling = model, most, pooling
        self._row = lru_cache(_REMEMBERED)(self._encoded)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in their order, each of length 1."""
        return np.stack([self._row(text) for text in texts]) if texts else np.zeros((0, 0))

    def parts(self, text: str) -> tuple[str, ...]:
        """What is read of a text, one after the other: its sentences."""
        return cut(text)

    def score(self, reference: str, summary: str) -> PairScore:
        """How well the sentences of both match."""
        return embedding_match(cut(reference), cut(summary), self.encode)

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        return _count_cut(self._model, texts, self._most)

    def _encoded(self, text: str) -> Vectors:
        _, vectors = self._model.run(self._model.plain(text), most=self._most)
        if vectors.ndim > 1:  # else the network has done it
            vectors = vectors[0] if self._pooling == "cls" else vectors.mean(axis=0)
        return _units(vectors, self._model, text)


_POOLINGS: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "cls": "cls",
    "mean": "mean",
}
"""By the words of sentence-transformers, old and new."""


def load_encoder(name: str, *, option: str) -> SentenceEncoder:
    """The encoder of a model; ``option`` is for messages.

    Of the files that sentence-transformers writes, it heeds how vectors are pooled and how many
    tokens are read; without them the mean of all that the model reads.
    """
    model = OnnxModel(name, option=option, threads=1)
    files = (model.folder / "1_Pooling" / CONFIG, model.folder / "sentence_bert_config.json")
    pooling, limit = (read_json(each, model.what) if each.is_file() else {} for each in files)
    modes = [pooling.get("pooling_mode"), *(key for key, used in pooling.items() if used is True)]
    mode = next((each for each in modes if each in _POOLINGS), None if any(modes) else "mean")
    if mode is None or any(model.folder.glob("*_Dense")):
        raise OptionError(
            f"{model.what}: its vectors are neither the mean of the tokens' nor the first; choose"
            " another model"
        )
    most = limit.get("max_seq_length")
    if not isinstance(most, int):
        most = most_tokens(model.config) or _MOST_TOKENS
    return SentenceEncoder(model, most, _POOLINGS[mode])


class BertScorer:
    """BERTScore of a reference and a summary, without idf weights and without rescaling.

    Recall is the mean, over the reference's tokens, of the cosine with the nearest token of the
    summary; precision the other way round. The marks around a text can be the nearest; they are no
    part of a mean. Source: Zhang et al., ICLR 2020; bert-score 0.3.13.
    """

    title, read = "BERTScore", "texts"
    columns = ("BERTScore", "BERTScore precision", "BERTScore recall")

    def __init__(self, model: OnnxModel, most: int) -> None:
        self.signature = f"{model.signature} window={most} idf=no"
        self._model, self._most = model, most
        self._start = " " if model.config.get("model_type") == "roberta" else ""
        self._tokens = lru_cache(_TOGETHER)(self._encoded)

    def parts(self, text: str) -> tuple[str, ...]:
        """What is read of a text: all of it."""
        return (normalise(text),)

    def score(self, reference: str, summary: str) -> PairScore:
        """How well the tokens of both match; 0 where a text is empty."""
        (wanted, of_reference), (given, of_summary) = map(self._tokens, (reference, summary))
        if not (of_reference.any() and of_summary.any()):
            return _NOTHING
        cosines = wanted @ given.T
        recall = float(cosines.max(axis=1)[of_reference].mean())
        precision = float(cosines.max(axis=0)[of_summary].mean())
        return _pair_score(precision, recall)

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        return _count_cut(self._model, texts, self._most)

    def _encoded(self, text: str) -> tuple[Vectors, NDArray[np.bool_]]:
        """The vectors of a text's tokens, and which of them are its own."""
        plain = self._start + self._model.plain(text).strip()
        tokens, vectors = self._model.run(plain, most=self._most)
        if vectors.ndim == 1:
            raise OptionError(
                f"{self._model.what}: this model gives no vector for each token; choose another"
                " model"
            )
        return _units(vectors, self._model, text), np.array(tokens.special_tokens_mask) == 0


def load_bertscore(name: str, *, option: str) -> BertScorer:
    """BERTScore by a model's last layer; ``option`` names it, for messages."""
    model = OnnxModel(name, option=option, threads=1)
    return BertScorer(model, most_tokens(model.config) or _MOST_TOKENS)


LocalModel = SentenceEncoder | BertScorer
"""A model that an option names; it fills the ``columns`` of its `PairScore`."""


def extra_columns(pair: Pair, models: Sequence[LocalModel]) -> dict[str, float]:
    """The columns of a pair that these models fill; of several references the best counts.

    0 where a text is empty, as for ROUGE: a baseline has a number for every pair.
    """
    summary, columns = normalise(pair.summary), dict[str, float]()
    for model in models:
        scores = [model.score(normalise(each), summary) for each in pair.paper.references]
        columns |= zip(model.columns, map(max, zip(*scores, strict=True)), strict=True)
    return columns


def with_columns(pairs: Sequence[LabelledPair], models: Sequence[LocalModel]) -> list[LabelledPair]:
    """The pairs with the columns of these models; a recorded one of the same name is marked."""
    marked = {name: f"{name} (recorded)" for model in models for name in model.columns}
    return [
        replace(
            pair,
            columns={marked.get(c, c): n for c, n in pair.columns.items()}
            | extra_columns(pair.pair, models),
        )
        for pair in pairs
        if pair.pair is not None
    ]


def lines_of_models(pairs: Sequence[Pair], models: Sequence[LocalModel]) -> Iterator[str]:
    """What a reader of the columns has to know: the recipe, and how many texts were cut."""
    texts = {text for pair in pairs for text in (pair.summary, *pair.paper.references)}
    for model in models:
        parts = sorted({part for text in texts for part in model.parts(text)})
        yield (
            f"{model.title}: {model.signature}; {model.count_cut(parts)} of {len(parts)}"
            f" {model.read} are longer than the model reads and were cut."
        )
        if isinstance(model, BertScorer):
            more = "unrelated ones score high, by how much is the model's."
            yield f"It orders texts and no more: {more}"
