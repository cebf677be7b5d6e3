from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study.embeddings import find_model, load_bertscore, load_encoder

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.study.embeddings import ModelFolder


def found(folder: Path | str) -> ModelFolder:
    """The model, asked for as an option does."""
    return find_model(str(folder), option="--embeddings", extra="embeddings")


def test_a_folder_is_found_without_any_package(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative name means the folder that the user stands in, in whatever the run changes to."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(model.parent)
    assert (found("tiny").path, found("tiny").name) == (model, "tiny")


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "vocab.txt"])
def test_one_byte_of_weights_config_or_words_makes_another_model(model: Path, file: str) -> None:
    """Numbers of a model that was trained further must not be compared as if it were the same."""
    before = found(model).fingerprint
    content = (model / file).read_bytes()
    (model / file).write_bytes(content[:-1] + b" ")
    assert found(model).fingerprint != before


def test_a_file_that_moves_or_is_added_makes_another_model(model: Path) -> None:
    """The bytes alone would not tell a pooling's settings from a tokenizer's."""
    before = found(model).fingerprint
    (model / "1_Pooling").mkdir()
    (model / "1_Pooling" / "config.json").write_text("{}", "utf-8")
    pooled = found(model).fingerprint
    (model / "1_Pooling").rename(model / "2_Pooling")
    assert len({before, pooled, found(model).fingerprint}) == 3


def test_a_copy_and_what_is_not_read_do_not_count(model: Path, tmp_path: Path) -> None:
    """Neither a card that is reworded nor weights for another runtime can move a number."""
    before = found(model).fingerprint
    for name in ("README.md", ".cache/lock", "onnx/model.bin", "tf_model.h5"):
        (model / name).parent.mkdir(exist_ok=True)
        (model / name).write_text("Moss", "utf-8")
    copy = tmp_path / "elsewhere" / "copied"
    shutil.copytree(model, copy)
    assert found(model).fingerprint == found(copy).fingerprint == before
    assert len(before) == 12


def test_a_name_that_is_cached_is_found(model: Path, hub: dict[str, str]) -> None:
    """What the user has fetched once needs no path."""
    hub["moss/tiny"] = str(model)
    assert found("moss/tiny").path == model
    assert found("moss/tiny").fingerprint == found(model).fingerprint


NOWHERE = (
    "--embeddings={0}: there is no such folder, and no model of that name in this user's cache of"
    " Hugging Face; a run downloads nothing, so name the folder of a model"
)
NO_CONFIG = (
    "--embeddings={0}: {0} holds no config.json; name the folder of a model, the one with its"
    " configuration and weights"
)


@pytest.mark.usefixtures("hub")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("moss/large", f"{NOWHERE}, or fetch it beforehand: hf download {{0}}"),
        ("/no/where", NOWHERE),  # no name that one could fetch
        ("{folder}", NO_CONFIG),
    ],
)
def test_a_name_that_is_nowhere_is_refused_with_the_way_to_fetch_it(
    tmp_path: Path, name: str, message: str
) -> None:
    """A run never downloads; or the folder above a model is named."""
    name = name.format(folder=tmp_path)
    with pytest.raises(OptionError) as caught:
        found(name)
    assert str(caught.value) == message.format(name)


def test_a_model_without_words_or_with_a_lost_file_is_refused(model: Path) -> None:
    """Transformers 5 makes up a tokenizer that knows no word; a cache's links may be cleared."""
    (model / "model.safetensors").unlink()
    (model / "model.safetensors").symlink_to(model / "gone")
    with pytest.raises(OptionError, match=r"model\.safetensors: No such file"):
        found(model)
    (model / "vocab.txt").unlink()
    words = r"holds no vocabulary \(tokenizer.json, vocab.txt, vocab.json, \*.model\)"
    with pytest.raises(OptionError, match=words):
        found(model)


def test_a_missing_package_is_named_with_its_extra(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The packages are heavy, so nobody has one who has not asked for it."""
    message = []
    for package in ("huggingface_hub", "sentence_transformers", "bert_score"):
        monkeypatch.setitem(sys.modules, package, None)
    for load in (
        lambda: found("moss/tiny"),
        lambda: load_encoder(str(model), option="--embeddings"),
        lambda: load_bertscore(str(model), option="--bertscore"),
    ):
        with pytest.raises(OptionError) as caught:
            load()
        message.append(str(caught.value))
    assert message == [
        f"{option}: the package {package!r} is not installed; install it with:"
        f" pip install 'summeval-pytest[{option.strip('-')}]'"
        for option, package in (
            ("--embeddings", "huggingface_hub"),
            ("--embeddings", "sentence_transformers"),
            ("--bertscore", "bert_score"),
        )
    ]
