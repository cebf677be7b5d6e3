from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.embeddings import ModelFolder, find_model

if TYPE_CHECKING:
    from pathlib import Path


def found(folder: Path | str) -> ModelFolder:
    """The model, asked for as an option does."""
    return find_model(str(folder), option="--embeddings", extra="embeddings")


def refusal(folder: Path | str) -> str:
    """Why a folder is refused."""
    with pytest.raises(OptionError) as caught:
        found(folder)
    return str(caught.value)


def test_a_folder_is_found_without_any_package(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative name means the folder that the user stands in, in whatever the run changes to."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(model.parent)
    assert found("tiny").path == model
    assert found("tiny").name == "tiny"


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "vocab.txt"])
def test_one_byte_of_weights_config_or_words_makes_another_model(model: Path, file: str) -> None:
    """Numbers of a model that was trained further must not be compared as if it were the same."""
    before = found(model).fingerprint
    content = (model / file).read_bytes()
    (model / file).write_bytes(content[:-1] + b" ")
    assert found(model).fingerprint != before


def test_what_is_not_read_does_not_count(model: Path) -> None:
    """A card that is reworded, or weights for another runtime, cannot move a number."""
    before = found(model).fingerprint
    (model / "README.md").write_text("Moss", "utf-8")
    (model / ".cache").mkdir()
    (model / ".cache" / "lock").write_text("", "utf-8")
    (model / "onnx").mkdir()
    (model / "onnx" / "model.bin").write_bytes(b"1")
    assert found(model).fingerprint == before


def test_a_name_that_is_cached_is_found(model: Path, hub: dict[str, str]) -> None:
    """What the user has fetched once needs no path."""
    hub["moss/tiny"] = str(model)
    assert found("moss/tiny").path == model
    assert found("moss/tiny").fingerprint == found(model).fingerprint


@pytest.mark.usefixtures("hub")
def test_a_name_that_is_nowhere_is_refused_with_the_way_to_fetch_it() -> None:
    """A run never downloads: it would not be the same tomorrow, and CI may have no network."""
    assert refusal("moss/large") == (
        "--embeddings=moss/large: there is no such folder, and no model of that name in this"
        " user's cache of Hugging Face; a run downloads nothing, so name the folder of a model, or"
        " fetch it beforehand: hf download moss/large"
    )


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    """Mostly the folder above is named."""
    assert refusal(tmp_path) == (
        f"--embeddings={tmp_path}: {tmp_path} holds no config.json; name the folder of a model,"
        " the one with its configuration and weights"
    )


def test_a_model_without_words_is_refused(model: Path) -> None:
    """Transformers 5 makes up a tokenizer that knows no word, and all texts would be alike."""
    (model / "vocab.txt").unlink()
    assert "holds no vocabulary (tokenizer.json, vocab.txt, vocab.json, *.model)" in refusal(model)


def test_a_file_that_cannot_be_read_is_named(model: Path) -> None:
    """A link into a cache that was cleared is the usual way to lose a file."""
    (model / "model.safetensors").unlink()
    (model / "model.safetensors").symlink_to(model / "gone")
    assert "model.safetensors" in refusal(model)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a cache cannot be looked into."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert refusal("moss/tiny") == (
        "--embeddings: the package 'huggingface_hub' is not installed; install it with:"
        " pip install 'summeval-pytest[embeddings]'"
    )
