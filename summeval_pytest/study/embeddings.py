"""Similarity by models of this machine: sentence embeddings and BERTScore (extras).

Nothing is downloaded. Every text is encoded by itself and on one thread: in a batch, and with more
threads, its last bits would depend on its neighbours, or on how sums are shared out. What is wrong
with a user's model or package is an `OptionError` that names the option.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from math import isnan
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.similarity import TextEncoder
from summeval_pytest.study.onnx_model import (
    CONFIG,
    fingerprint,
    folder_of,
    needed_for,
    read_config,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from summeval_pytest.metrics.similarity import Encoder, Vectors


_DIGITS: Final = 6
"""Further digits of a model's vectors differ from processor to processor."""


class PairScore(NamedTuple):
    """How well a summary and its reference match by vectors; -1 to 1 each, higher is better."""

    precision: float
    recall: float
    f1: float


_NOTHING: Final = PairScore(precision=0.0, recall=0.0, f1=0.0)


def _pair_score(*values: float) -> PairScore:
    return PairScore(*(round(value, _DIGITS) for value in values))


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
    both = min(precision, recall) > 0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return _pair_score(precision, recall, f1)


class LocalEncoder(TextEncoder, Protocol):
    """An encoder that knows how much of a text it reads."""

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the model reads."""


class PairScorer(Protocol):
    """Compares a summary with its reference by a model of its own."""

    @property
    def signature(self) -> str:
        """Everything that can move the number: packages, settings and the model's content."""

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the model reads."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary), in their order; depends on that pair alone."""


def _count_cut(tokenizer: Any, texts: Sequence[str], most: int | None) -> int:
    if most is None or not texts:
        return 0
    return sum(len(ids) > most for ids in tokenizer(list(texts), verbose=False)["input_ids"])


_REMEMBERED: Final = 20_000
"""Texts whose vectors are kept: 60 MB with 384 numbers each."""


class SentenceEncoder:
    """A `LocalEncoder` by sentence-transformers, on the processor."""

    def __init__(self, model: Any, signature: str) -> None:  # the package has no types
        self.signature = signature
        self._model = model
        self._row = lru_cache(_REMEMBERED)(self._encoded)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in their order, each of length 1."""
        if not texts:
            return np.zeros((0, 0))
        with repeatable():
            return np.stack([self._row(text) for text in texts])

    def _encoded(self, text: str) -> Vectors:
        (row,) = self._model.encode([text], show_progress_bar=False).astype(np.float64)
        length = float(np.linalg.norm(row))
        if not length or not np.isfinite(length):
            raise OptionError(
                f"the model of {self.signature!r} gives no vector for {text[:60]!r}, its length is"
                f" {length}; choose another model"
            )
        unit: Vectors = row / length
        unit.flags.writeable = False
        return unit

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        return _count_cut(self._model.tokenizer, texts, self._model.max_seq_length)


def load_encoder(name: str, *, option: str) -> LocalEncoder:
    """The encoder of a model that sentence-transformers reads; ``option`` is for messages."""
    with needed_for(option, "embeddings"):
        import sentence_transformers
    folder = find_model(name, option=option, extra="embeddings")
    with reading("sentence-transformers", name, option):
        model = sentence_transformers.SentenceTransformer(
            str(folder.path), device="cpu", local_files_only=True
        )
    model.eval()
    return SentenceEncoder(model, recipe("sentence-transformers", folder.fingerprint))


_MOST_TOKENS: Final = 512
"""What a model reads whose tokenizer does not say."""
_TOGETHER: Final = 64
"""Pairs handed on at once: the vectors of all their tokens are in memory."""
_LAYER_KEYS: Final = ("num_hidden_layers", "n_layers", "num_layers", "n_layer", "encoder_layers")


class BertScorer:
    """A `PairScorer` by bert-score, on the processor, without idf weights and without rescaling."""

    def __init__(self, scorer: Any, signature: str) -> None:  # the package has no types
        self.signature = signature
        self._scorer = scorer
        self._tokenizer = scorer._tokenizer  # noqa: SLF001 - there is no public way to it
        if self._tokenizer.model_max_length > 10**6:
            self._tokenizer.model_max_length = _MOST_TOKENS

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary), in their order; 0 where a text is empty."""
        distinct = sorted({pair for pair in pairs if all(text.strip() for text in pair)})
        scores: dict[tuple[str, str], PairScore] = {}
        for start in range(0, len(distinct), _TOGETHER):
            some = distinct[start : start + _TOGETHER]
            references, summaries = map(list, zip(*some, strict=True))
            with repeatable():
                columns = self._scorer.score(summaries, references, batch_size=1)
            rows = list(zip(*(column.tolist() for column in columns), strict=True))
            if any(isnan(precision) or isnan(recall) for precision, recall, _ in rows):
                raise OptionError(
                    f"the model of {self.signature!r} gives no numbers; choose another model"
                )
            scores |= {pair: _pair_score(*row) for pair, row in zip(some, rows, strict=True)}
        return tuple(scores.get(pair, _NOTHING) for pair in pairs)

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        return _count_cut(self._tokenizer, texts, self._tokenizer.model_max_length)


def load_bertscore(name: str, *, option: str) -> PairScorer:
    """BERTScore by a model on this machine; ``option`` names it, for messages.

    The vectors are taken after as many layers as the package has tuned for a model of this name,
    else after all. A path that bert-score would misread is refused.
    """
    with needed_for(option, "bertscore"):
        import bert_score
    folder = find_model(name, option=option, extra="bertscore")
    config = read_config(folder.path, f"{option}={name}")
    kind = str(config.get("model_type", ""))
    if "t5" in str(folder.path) and "t5" not in kind:
        raise OptionError(
            f"{option}={folder.name}: bert-score takes every model with 't5' in its path for a T5,"
            f" and this one, {folder.path}, is a {kind!r}; move it or name a link to it elsewhere"
        )
    from bert_score.utils import model2layers

    most = next((n for key in _LAYER_KEYS if isinstance(n := config.get(key), int)), None)
    layers = model2layers.get(folder.name, model2layers.get(folder.path.name, most))
    if most is None or layers is None:
        raise OptionError(
            f"{option}={folder.name}: its {CONFIG} does not say how many layers it has; name"
            " another model"
        )
    layers = min(layers, most)
    with reading("bert-score", name, option):
        scorer = bert_score.BERTScorer(model_type=str(folder.path), num_layers=layers, device="cpu")
    signature = recipe("bert-score", folder.fingerprint, f"layers {layers}", "no idf")
    return BertScorer(scorer, signature)


_FAULTS: Final = (
    AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What reading somebody's model may raise."""


@contextmanager
def repeatable() -> Iterator[None]:
    """Run what is inside on one thread and without gradients."""
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(n_threads)


@contextmanager
def reading(package: str, name: str, option: str) -> Iterator[None]:
    """Load a model inside, without a progress bar or warnings of the package's own."""
    from pickle import UnpicklingError

    from safetensors import SafetensorError
    from transformers.utils import logging

    is_shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except (*_FAULTS, SafetensorError, UnpicklingError) as error:
        message = " ".join(str(error).split())[:200]
        raise OptionError(
            f"{option}={name}: {package} cannot read this model, {type(error).__name__}: {message};"
            " name another folder"
        ) from error
    finally:
        logging.set_verbosity(level)
        if is_shown:
            logging.enable_progress_bar()


def recipe(package: str, fingerprint: str, *settings: str) -> str:
    """A model's signature: the package and its version, that of transformers, and settings."""
    parts = (f"{name} {version(name)}" for name in (package, "transformers"))
    return ", ".join([*parts, f"model {fingerprint}", *settings])


_VOCABULARIES: Final = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
"""What holds a tokenizer's words; where none is there, one without any is made up in silence."""
_UNREAD: Final = frozenset({".h5", ".md", ".msgpack", ".onnx", ".ot", "onnx", "openvino"})
"""Endings and folders of files that are not read here: prose, and weights of other runtimes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """The absolute folder of a model, and its name as the user gave it.

    ``fingerprint`` has 12 hex digits over the names and bytes of the files that make the model.
    """

    name: str
    path: Path
    fingerprint: str


def find_model(name: str, *, option: str, extra: str) -> ModelFolder:
    """The folder of that name, else a model of that name in this user's cache of Hugging Face.

    ``option``, an option or a key, names it, for messages; this package's ``extra`` reads it.
    """
    path = folder_of(name, option, extra)
    if not any((path / file).is_file() for file in (CONFIG, "modules.json")):
        raise OptionError(
            f"{option}={name}: {path} holds no {CONFIG}; name the folder of a model, the one with"
            " its configuration and weights"
        )
    if not any(file.match(one) for file in path.rglob("*") for one in _VOCABULARIES):
        raise OptionError(
            f"{option}={name}: {path} holds no vocabulary ({', '.join(_VOCABULARIES)}), and without"
            " one every word would be the same; add the files of its tokenizer"
        )
    return ModelFolder(
        name=name, path=path, fingerprint=fingerprint(path, f"{option}={name}", _UNREAD)
    )
