from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study import onnx_model
from summeval_pytest.study.onnx_model import OnnxModel
from tests.local_models import make_checker, make_weights

LABELS = ("entailment", "other")
NOWHERE = (
    "there is no such folder, and no model of that name in this user's cache of Hugging Face; a run"
    " downloads nothing, so name the folder of a model"
)
EXPORT = (
    "and one ONNX file is needed; export the model with: optimum-cli export onnx --model NAME"
    " FOLDER"
)
NO_CONFIG = (
    "holds no config.json with a JSON object; name the folder of a model, the one with its"
    " configuration and weights"
)


def found(folder: Path | str) -> OnnxModel:
    """The model, asked for as a key does."""
    return OnnxModel(str(folder), option="checker")


def read(folder: Path | str) -> list[float]:
    """What its network gives."""
    _, output = found(folder).run("moss", "zinc", most=64)
    return list(map(float, output))


def refusal(folder: Path | str) -> str:
    """Why it is not read, without the key and the model that are named first."""
    with pytest.raises(OptionError) as caught:
        read(folder)
    assert str(caught.value).startswith(f"checker={folder}: ")
    return str(caught.value).removeprefix(f"checker={folder}: ").removeprefix(f"{folder} ")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a classifier."""
    return make_checker(tmp_path / "tiny", LABELS)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hugging Face's cache, and nothing in it."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_one_onnx_file_is_read_wherever_exports_put_it(model: Path, tmp_path: Path) -> None:
    """Of several files `model.onnx` is the whole one; among others nobody can choose."""
    expected = read(model)
    for name in ("onnx/model.onnx", "model_quantized.onnx"):
        assert read(make_checker(tmp_path / name[:5], LABELS, file=name)) == expected
    folder = make_checker(tmp_path / "int8", LABELS, file="onnx/model_int8.onnx")
    assert read(folder) == expected
    (folder / "model_fp16.onnx").write_bytes(b"")
    assert refusal(folder) == f"holds model_fp16.onnx, onnx/model_int8.onnx, {EXPORT}"
    shutil.copy(model / "model.onnx", folder)
    assert read(folder) == expected


def test_a_folder_without_its_files_is_refused(model: Path) -> None:
    """The folder above a model is named, or files were forgotten.

    Pickles and code are not opened: either could run whatever it likes.
    """
    weights = (model / "model.onnx").rename(model / "kept")
    (model / "pytorch_model.bin").write_bytes(b"\x80\x04")
    (model / "modeling.py").write_text("raise SystemExit", "utf-8")
    assert refusal(model) == f"holds no ONNX file, {EXPORT}"
    weights.rename(model / "model.onnx")
    (model / "tokenizer.json").unlink()
    assert refusal(model) == "holds no tokenizer.json; add the one of this model"
    (model / "config.json").write_text("[]", "utf-8")
    assert refusal(model) == refusal(model.parent) == NO_CONFIG


def test_weights_beside_the_onnx_file_are_read_and_no_others(tmp_path: Path) -> None:
    """A model must not depend on what its folder, and so its hash, does not hold."""
    weights = make_weights(1, len(LABELS))["letters"].tobytes()
    inside = make_checker(tmp_path / "inside", LABELS, outside="model.onnx_data")
    (inside / "model.onnx_data").write_bytes(weights)
    plain = make_checker(tmp_path / "plain", LABELS)
    assert read(inside) == read(plain)
    before = found(inside).fingerprint
    (inside / "model.onnx_data").write_bytes(weights[::-1])
    assert found(inside).fingerprint != before
    assert read(inside) != read(plain)

    (tmp_path / "secret").write_bytes(weights)
    for name in ("../secret", str(tmp_path / "secret"), "link", "lost"):
        folder = make_checker(tmp_path / "outside", LABELS, outside=name)
        (folder / "link").unlink(missing_ok=True)
        (folder / "link").symlink_to(tmp_path / "secret")
        message = refusal(folder)
        assert message.startswith("this model cannot be read, Fail: ")
        assert "External data path" in message
        assert message.endswith("; name another folder")


def test_files_that_are_broken_are_a_usage_error(model: Path) -> None:
    """A download that broke off, weights that a training has spoilt, or an operator to load."""
    evil = make_checker(model.parent / "evil", LABELS, operators="ai.evil")
    assert "ai.evil:Add(-1) is not a registered" in refusal(evil)  # no library is loaded
    spoilt = make_checker(model.parent / "nan", LABELS, bias=(float("nan"), 0.0))
    assert refusal(spoilt) == "this model gives no numbers; name another"
    (model / "model.onnx").write_bytes(b"\0" * 40)
    assert refusal(model).startswith("this model cannot be read, InvalidProtobuf: ")
    (model / "tokenizer.json").write_text("{}", "utf-8")
    assert refusal(model).startswith("this model cannot be read, Exception: ")
    (model / "model.onnx").unlink()
    (model / "model.onnx").symlink_to(model / "gone")
    assert refusal(model) == f"{model / 'model.onnx'}: No such file or directory"


def test_a_model_in_the_cache_is_found_by_its_name(cache: Path) -> None:
    """Hugging Face's layout: a reference names the snapshot, whose files are links to blobs."""
    home = cache / "models--moss--tiny"
    snapshot = home / "snapshots" / ("a" * 40)
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text("a" * 40, "utf-8")
    snapshot.mkdir(parents=True)
    plain = make_checker(cache / "plain", LABELS)
    blobs = make_checker(home / "blobs", LABELS, outside="model.onnx_data")
    weights = make_weights(1, len(LABELS))["letters"]
    (blobs / "b1").write_bytes(weights.astype(np.float32).tobytes())
    for blob in ("config.json", "tokenizer.json", "model.onnx"):
        (snapshot / blob).symlink_to(f"../../blobs/{blob}")
    (snapshot / "model.onnx_data").symlink_to("../../blobs/b1")
    assert read("moss/tiny") == read(plain)


@pytest.mark.usefixtures("cache")
def test_a_name_that_is_nowhere_is_refused_with_the_way_to_fetch_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run never downloads."""
    fetch = f"{NOWHERE}, or fetch it beforehand: hf download moss/large"
    assert (refusal("moss/large"), refusal("/no/where")) == (fetch, NOWHERE)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(OptionError, match="'huggingface_hub' is not installed"):
        found("moss/large")
    monkeypatch.setattr(onnx_model, "find_spec", lambda name: name == "onnxruntime" or None)
    with pytest.raises(OptionError, match=r"'tokenizers' is not installed; .*pytest\[onnx"):
        found("moss/large")
