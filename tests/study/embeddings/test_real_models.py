from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.study.embeddings import find_model, load_bertscore, load_encoder

if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS: Final = (
    "moss grew on the north side of a stone it did not rain for days zinc helps . ,".split()
)


TEXTS: Final = ["moss grew on the north side .", "it did not rain for days .", "zinc helps ."]


LIMIT: Final = 16


pytestmark = pytest.mark.filterwarnings("default")  # what heavy packages deprecate is not ours


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers and 32 numbers a token, that reads 16 tokens."""
    reason = "an extra's packages are not installed"
    torch: Any = pytest.importorskip("torch", reason=reason)
    transformers: Any = pytest.importorskip("transformers", reason=reason)
    folder = tmp_path_factory.mktemp("models") / "tiny"
    folder.mkdir()
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("\n".join([*marks, *WORDS]) + "\n", "utf-8")
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(marks) + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LIMIT,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=LIMIT)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever opens a connection fails."""

    def refuse(*_: object) -> None:
        raise AssertionError("a run downloads nothing")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    yield
    logging.getLogger("sentence_transformers").setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def sentence_transformers() -> None:
    """The extra `embeddings`."""
    pytest.importorskip("sentence_transformers", reason="summeval-pytest[embeddings] is not there")


@pytest.fixture(scope="module")
def bert_score() -> None:
    """The extra `bertscore`."""
    pytest.importorskip("bert_score", reason="summeval-pytest[bertscore] is not there")


@pytest.mark.usefixtures("sentence_transformers")
def test_a_vector_depends_on_its_text_alone(tiny: Path) -> None:
    """Bit by bit: in any order, and beside any other text."""
    rows = load_encoder(str(tiny), option="--embeddings").encode(TEXTS)
    turned = load_encoder(str(tiny), option="--embeddings").encode([*TEXTS[::-1], "a stone " * 6])
    assert (rows == turned[2::-1]).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-12)
    assert rows.shape == (3, 32)


@pytest.mark.usefixtures("sentence_transformers")
def test_texts_that_are_too_long_are_counted_by_the_real_tokenizer(tiny: Path) -> None:
    """Worked example: 14 words and two marks are the 16 tokens that the model reads."""
    encoder = load_encoder(str(tiny), option="--embeddings")
    assert encoder.count_cut(["moss " * 14, "moss " * 15, "moss"]) == 1


@pytest.mark.usefixtures("bert_score")
def test_bertscore_of_a_pair_depends_on_that_pair_alone(tiny: Path) -> None:
    """Identical texts are 1, others less, and nobody's neighbours matter; too long ones are cut."""
    scorer = load_bertscore(str(tiny), option="--bertscore")
    pairs = [(one, other) for one in TEXTS for other in TEXTS]
    scores = scorer.score(pairs)
    assert [scorer.score([pair])[0] for pair in pairs] == list(scores)
    for (one, other), score in zip(pairs, scores, strict=True):
        assert (score.f1 == 1.0) == (one == other)
    assert scorer.score([("moss " * 14, "moss " * 15)])[0].f1 == 1.0
    assert scorer.count_cut(["moss " * 14, "moss " * 15]) == 1


@pytest.mark.usefixtures("bert_score", "sentence_transformers")
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_bytes_are_the_same_in_another_process(tiny: Path, hash_seed: str) -> None:
    """The packages sort sets of texts, whose order differs from process to process."""
    code = f"""
from summeval_pytest.study.embeddings import load_bertscore, load_encoder
texts = {TEXTS!r}
print(load_encoder({str(tiny)!r}, option="o").encode(texts).tobytes().hex())
scorer = load_bertscore({str(tiny)!r}, option="o")
print(scorer.score([(a, b) for a in texts for b in texts]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": hash_seed},
    )
    vectors = load_encoder(str(tiny), option="o").encode(TEXTS).tobytes().hex()
    scorer = load_bertscore(str(tiny), option="o")
    scores = scorer.score([(one, other) for one in TEXTS for other in TEXTS])
    assert done.stdout.splitlines() == [vectors, str(scores)]


@pytest.mark.usefixtures("sentence_transformers", "bert_score")
def test_weights_that_are_cut_short_are_a_usage_error(tiny: Path, tmp_path: Path) -> None:
    """A download that broke off is the usual way."""
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in tiny.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    weights = broken / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(OptionError, match="sentence-transformers cannot read this model, Safet"):
        load_encoder(str(broken), option="--embeddings")
    with pytest.raises(OptionError, match="bert-score cannot read this model, Safet"):
        load_bertscore(str(broken), option="--bertscore")


def test_a_cached_model_is_found_by_its_name(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layout of Hugging Face's cache: a reference names the snapshot."""
    constants: Any = pytest.importorskip(
        "huggingface_hub.constants", reason="huggingface_hub is not installed"
    )
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    home = tmp_path / "models--moss--tiny"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text("a" * 40, "utf-8")
    (home / "snapshots").mkdir()
    (home / "snapshots" / ("a" * 40)).symlink_to(tiny)
    found = find_model("moss/tiny", option="--embeddings", extra="embeddings")
    own = find_model(str(tiny), option="--embeddings", extra="embeddings")
    assert found.fingerprint == own.fingerprint
    with pytest.raises(OptionError, match="hf download moss/large"):
        find_model("moss/large", option="--embeddings", extra="embeddings")
