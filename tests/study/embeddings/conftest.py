"""Stand-ins for the packages of the extras: what this package uses of them, and nothing heavy."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.study import embeddings as packages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

VERSIONS = {"sentence-transformers": "6.2.0", "bert-score": "0.3.13", "transformers": "5.23.0"}


@dataclass
class Torch:
    """Counts threads as torch does."""

    threads: int = 4

    def get_num_threads(self) -> int:
        """How many there are."""
        return self.threads

    def set_num_threads(self, n_threads: int) -> None:
        """So many from now on."""
        self.threads = n_threads

    def inference_mode(self) -> AbstractContextManager[None]:
        """There are no gradients here."""
        return nullcontext()


class Tokenizer:
    """A token a word, and one before and after."""

    model_max_length = 8

    def __call__(self, texts: Sequence[str], *, verbose: bool) -> dict[str, list[list[int]]]:
        """The tokens of each text, however many."""
        assert not verbose
        return {"input_ids": [[0, *map(len, text.split()), 0] for text in texts]}


@dataclass
class Letters:
    """A sentence transformer that counts letters, and keeps what it was asked and on how much."""

    torch: Torch
    path: str = ""
    max_seq_length: int | None = 6
    asked: list[tuple[str, ...]] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    is_eval: bool = False
    tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def encode(self, sentences: list[str], *, show_progress_bar: bool) -> NDArray[np.float32]:
        """How often each letter stands in each sentence."""
        assert not show_progress_bar
        self.asked.append(tuple(sentences))
        self.threads.append(self.torch.threads)
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        rows = [[sentence.lower().count(letter) for letter in alphabet] for sentence in sentences]
        return np.array(rows, dtype=np.float32)

    def eval(self) -> None:
        """No dropout."""
        self.is_eval = True


@dataclass
class Words:
    """A BERTScorer by shared words: P over the summary's, R over the reference's."""

    torch: Torch
    model_type: str = ""
    num_layers: int = 0
    device: str = "cpu"
    asked: list[list[str]] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    _tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def score(
        self, cands: list[str], refs: list[str], *, batch_size: int
    ) -> tuple[NDArray[np.float64], ...]:
        """Precision, recall and F1, an array each."""
        assert batch_size == 1
        self.asked.append(cands)
        self.threads.append(self.torch.threads)
        rows = [self._row(set(c.split()), set(r.split())) for c, r in zip(cands, refs, strict=True)]
        return tuple(np.array(rows).T)

    def _row(self, summary: set[str], reference: set[str]) -> tuple[float, float, float]:
        both = len(summary & reference)
        if "nan" in summary:
            return (float("nan"),) * 3
        return both / len(summary), both / len(reference), 2 * both / len([*summary, *reference])


@dataclass
class Bar:
    """The progress bar and the log level of transformers."""

    is_shown: bool = True
    level: int = 30
    seen: list[tuple[bool, int]] = field(default_factory=list)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Torch:
    """Four threads, and nothing behind them."""
    found = Torch()
    monkeypatch.setitem(sys.modules, "torch", found)
    return found


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Bar:
    """Transformers, as far as it talks, and the errors of safetensors."""
    found = Bar()
    logging = SimpleNamespace(
        is_progress_bar_enabled=lambda: found.is_shown,
        disable_progress_bar=lambda: setattr(found, "is_shown", False),
        enable_progress_bar=lambda: setattr(found, "is_shown", True),
        get_verbosity=lambda: found.level,
        set_verbosity=lambda level: setattr(found, "level", level),
        set_verbosity_error=lambda: setattr(found, "level", 40),
    )
    safetensors = SimpleNamespace(SafetensorError=type("SafetensorError", (Exception,), {}))
    monkeypatch.setitem(sys.modules, "transformers", ModuleType("transformers"))
    monkeypatch.setitem(sys.modules, "transformers.utils", SimpleNamespace(logging=logging))
    monkeypatch.setitem(sys.modules, "safetensors", safetensors)
    monkeypatch.setattr(packages, "version", VERSIONS.__getitem__)
    return found


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Hugging Face's cache: the folder of each model in it."""
    cached: dict[str, str] = {}

    def snapshot_download(name: str, *, local_files_only: bool) -> str:
        assert local_files_only, "nothing may be downloaded in a run"
        if name.startswith("/") or name.count("/") > 1:
            raise ValueError("no name of a repository")
        if name not in cached:
            raise FileNotFoundError("not in the cache")
        return cached[name]

    stand_in = SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", stand_in)
    return cached


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model with four layers; its weights are a few bytes."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert", "num_hidden_layers": 4}', "utf-8")
    (folder / "vocab.txt").write_text("moss\nstone\n", "utf-8")
    (folder / "model.safetensors").write_bytes(b"\x00\x01\x02")
    return folder
