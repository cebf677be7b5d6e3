"""Sentences as vectors, by the sentence-transformers package and a model on this machine's disk."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, cast

import numpy as np

from summeval_pytest.encoders.folder import find_model
from summeval_pytest.encoders.packages import needed_for, reading, recipe, repeatable
from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.encoders.encoder import Encoder

EXTRA: Final = "embeddings"
_REMEMBERED: Final = 20_000
"""Texts whose vectors are kept: 60 MB with 384 numbers each."""


class _Model(Protocol):
    """What is used of a SentenceTransformer."""

    @property
    def max_seq_length(self) -> int | None: ...

    @property
    def tokenizer(self) -> Callable[..., object]: ...

    def encode(self, sentences: list[str], *, show_progress_bar: bool) -> NDArray[np.float32]: ...


class SentenceEncoder:
    """An `Encoder` by sentence-transformers, on the processor.

    Every text is encoded by itself: in a batch its last bits would depend on its neighbours, and on
    one thread a batch saves no time. So the same text has the same vector in every run on a
    machine, whatever else is encoded.
    """

    def __init__(self, model: _Model, signature: str) -> None:
        self.signature = signature
        self._model = model
        self._row = lru_cache(_REMEMBERED)(self._encoded)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, in their order, each of length 1.

        Raises:
            OptionError: if the model's vectors are no numbers.
        """
        if not texts:
            return np.zeros((0, 0))
        with repeatable():
            return np.stack([self._row(text) for text in texts])

    def _encoded(self, text: str) -> NDArray[np.float64]:
        (row,) = self._model.encode([text], show_progress_bar=False).astype(np.float64)
        length = float(np.linalg.norm(row))
        if not length or not np.isfinite(length):
            raise OptionError(
                f"the model of {self.signature!r} gives no vector for {text[:60]!r}, its length is"
                f" {length}; choose another model"
            )
        unit: NDArray[np.float64] = row / length
        unit.flags.writeable = False
        return unit

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        most = self._model.max_seq_length
        if most is None or not texts:
            return 0
        found = cast(
            "dict[str, list[list[int]]]", self._model.tokenizer(list(texts), verbose=False)
        )
        return sum(len(tokens) > most for tokens in found["input_ids"])


def load_encoder(name: str, *, option: str) -> Encoder:
    """The encoder of a model on this machine.

    Args:
        name: A folder with a model that sentence-transformers reads, or the name of a cached one.
        option: Who names it, for messages.

    Raises:
        OptionError: if the package is not installed, or there is no such model.
    """
    with needed_for(option, EXTRA):
        import sentence_transformers
    folder = find_model(name, option=option, extra=EXTRA)
    with reading("sentence-transformers", name, option):
        model = sentence_transformers.SentenceTransformer(
            str(folder.path), device="cpu", local_files_only=True
        )
    model.eval()
    return SentenceEncoder(model, recipe("sentence-transformers", folder.fingerprint))
