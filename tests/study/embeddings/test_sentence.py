from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study.embeddings import SentenceEncoder, load_encoder
from tests.study.embeddings.conftest import Letters

if TYPE_CHECKING:
    from pathlib import Path

    from tests.study.embeddings.conftest import Bar, Torch


@pytest.fixture
def letters(torch: Torch) -> Letters:
    """The model behind the encoder."""
    return Letters(torch)


@pytest.fixture
def encoder(letters: Letters) -> SentenceEncoder:
    """An encoder by the letters of a text."""
    return SentenceEncoder(letters, "letters 1")


def test_a_row_is_a_unit_vector_in_the_order_of_the_texts(encoder: SentenceEncoder) -> None:
    """Worked example: one a and one b are each 1 / sqrt(2) long, one c is 1."""
    rows = encoder.encode(["ab", "c"])
    assert rows.shape == (2, 26)
    assert rows[:, :3] == pytest.approx(np.array([[0.5**0.5, 0.5**0.5, 0], [0, 0, 1]]))
    assert not len(encoder.encode([]))


def test_each_text_is_encoded_alone_and_once_on_one_thread(
    encoder: SentenceEncoder, letters: Letters, torch: Torch
) -> None:
    """In a batch, or on two threads, the last bits of a vector would depend on what is not it."""
    first = encoder.encode(["moss", "stone", "moss"])
    again = encoder.encode(["stone"])
    assert letters.asked == [("moss",), ("stone",)]
    assert (first[0] == first[2]).all()
    assert (again[0] == first[1]).all()
    assert (letters.threads, torch.threads) == ([1, 1], 4)


def test_a_vector_without_length_is_refused(encoder: SentenceEncoder, torch: Torch) -> None:
    """It has no cosine with anything; 0 would be made up. The threads come back all the same."""
    with pytest.raises(OptionError) as caught:
        encoder.encode(["moss", "123"])
    assert str(caught.value) == (
        "the model of 'letters 1' gives no vector for '123', its length is 0.0; choose another"
        " model"
    )
    assert torch.threads == 4


def test_texts_that_are_longer_than_the_model_reads_are_counted(
    encoder: SentenceEncoder, letters: Letters
) -> None:
    """Worked example: four words and two marks are the six tokens it reads, five words are not."""
    texts = ["a b c d", "a b c d e", "a b c d e f", ""]
    assert encoder.count_cut(texts) == 2
    assert encoder.count_cut([]) == 0
    letters.max_seq_length = None
    assert encoder.count_cut(texts) == 0


def test_a_model_is_loaded_from_its_folder_in_silence(
    model: Path, letters: Letters, bar: Bar, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signature names packages and content; a progress bar would stand in a report's way."""

    def load(path: str, *, device: str, local_files_only: bool) -> Letters:
        bar.seen.append((bar.is_shown, bar.level))
        assert (path, device, local_files_only) == (str(model), "cpu", True)
        return letters

    stand_in = SimpleNamespace(SentenceTransformer=load)
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    before = load_encoder(str(model), option="--embeddings").signature
    assert letters.is_eval
    assert (bar.seen, bar.is_shown, bar.level) == ([(False, 40)], True, 30)
    packages, _, content = before.rpartition(", ")
    assert packages == "sentence-transformers 6.2.0, transformers 5.23.0"
    (model / "model.safetensors").write_bytes(b"\x00\x01\x03")
    after = load_encoder(str(model), option="--embeddings").signature
    assert after.rpartition(", ")[0] == packages
    assert content.startswith("model ")
    assert content not in after
