"""Models of this machine: stand-ins by letters and shared words, and tiny ones of ONNX."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.study.embeddings import BertScorer, PairScore, SentenceEncoder
from summeval_pytest.study.local_checker import OnnxReader, Support

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


class LetterEncoder(SentenceEncoder):
    """The letters and digits of a text; reads 20 characters, and says so of longer texts."""

    signature = "letters 1"

    def __init__(self) -> None:
        """Loads no model."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, each of length 1."""
        if not texts:
            return np.zeros((0, 0))
        rows = np.array([[1e-9 + text.lower().count(c) for c in _ALPHABET] for text in texts])
        units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units

    def count_cut(self, texts: Sequence[str]) -> int:
        """Those of more than 20 characters."""
        return sum(len(text) > 20 for text in texts)


class WordScorer(BertScorer):
    """The share of a summary's words, and of a reference's, that the other has."""

    signature = "words 1"

    def __init__(self) -> None:
        """Loads no model."""

    def score(self, reference: str, summary: str) -> PairScore:
        """By shared words."""
        one, other = set(reference.split()), set(summary.split())
        both = len(one & other)
        precision, recall = both / max(1, len(other)), both / max(1, len(one))
        return PairScore(2 * both / max(1, len(one) + len(other)), precision, recall)

    def count_cut(self, texts: Sequence[str]) -> int:
        """None."""
        return 0 * len(texts)


class WordReader(OnnxReader):
    """Supports a claim by the share of its words that a text has, and keeps what it was asked."""

    signature = "words 1"

    def __init__(self, window: int = 64, *, labels_tokens: bool = False) -> None:
        """Loads no model."""
        self.window, self.labels_tokens = window, labels_tokens
        self.asked: list[tuple[str, str]] = []

    def count(self, texts: Sequence[str]) -> list[int]:
        """A token a word."""
        return [len(text.split()) for text in texts]

    def support(self, text: str, claim: str) -> Support:
        """The share, 0 where the claim has no word."""
        self.asked.append((text, claim))
        known, words = set(text.lower().split()), claim.lower().split()
        return Support(sum(word in known for word in words) / max(1, len(words)))


MARKS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789.,"
_DIM: Final = 8


def make_tokenizer(folder: Path) -> None:
    """A token a letter, with the marks of BERT."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers, processors

    words = {word: number for number, word in enumerate([*MARKS, *LETTERS])}
    tokenizer = Tokenizer(models.WordLevel(words, "[UNK]"))
    tokenizer.add_special_tokens([AddedToken(mark, special=True) for mark in MARKS])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(Regex("."), "isolated")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", words["[CLS]"]), ("[SEP]", words["[SEP]"])],
    )
    tokenizer.enable_truncation(9)  # as many folders have it; whoever reads one says how much
    tokenizer.save(str(folder / "tokenizer.json"))


def make_weights(
    seed: int, n_labels: int, *, bias: Sequence[float] = (), refused: str = ""
) -> dict[str, NDArray[np.float32]]:
    """Random weights; a bias alone gives the same for any text, letters ``refused`` another one."""
    random = np.random.default_rng(seed)
    weights = {
        "letters": random.normal(size=(len(MARKS) + len(LETTERS), _DIM)),
        "texts": random.normal(size=(2, _DIM)),
        "head": random.normal(size=(_DIM, n_labels)),
        "bias": np.array(bias or [0.0] * n_labels),
    }
    if bias:
        weights["head"][:] = weights["texts"][:] = weights["letters"][:] = 0
        weights["head"][0, -1] = 9.0  # the last label
        weights["letters"][[len(MARKS) + LETTERS.index(each) for each in refused], 0] = 1.0
    return {name: array.astype(np.float32) for name, array in weights.items()}


def make_checker(  # noqa: PLR0913 - a model and each way to spoil it
    folder: Path,
    labels: Sequence[str],
    *,
    bias: Sequence[float] = (),
    refused: str = "",
    seed: int = 1,
    of_tokens: bool = False,
    file: str = "model.onnx",
    outside: str = "",
    operators: str = "",
    config: Mapping[str, object] = MappingProxyType({}),
) -> Path:
    """An ONNX folder: the head over the tokens' vectors, or over their mean; it reads 64 tokens.

    Weights lie in the file ``outside``; the last operator is one of the library ``operators``.
    """
    import onnx
    from onnx import helper, numpy_helper

    folder.mkdir(exist_ok=True)
    weights = make_weights(seed, len(labels), bias=bias, refused=refused)
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    if outside:
        (letters := tensors[0]).ClearField("raw_data")
        letters.data_location = onnx.TensorProto.EXTERNAL
        letters.external_data.add(key="location", value=outside)
    nodes = [
        helper.make_node("Gather", ["letters", "input_ids"], ["a"]),
        helper.make_node("Gather", ["texts", "token_type_ids"], ["b"]),
        helper.make_node("Add", ["a", "b"], ["vectors"]),
        helper.make_node("Identity", ["vectors"], ["read"])
        if of_tokens
        else helper.make_node("ReduceMean", ["vectors"], ["read"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["read", "head"], ["c"]),
        helper.make_node("Add", ["c", "bias"], ["logits"], domain=operators),
    ]
    shape = ["batch", "tokens"]
    inputs = [
        helper.make_tensor_value_info(name, onnx.TensorProto.INT64, shape)
        for name in ("input_ids", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, None)
    opsets = [helper.make_opsetid("", 17)]
    opsets += [helper.make_opsetid(operators, 1)] if operators else []
    graph = helper.make_graph(nodes, "tiny", inputs, [output], tensors)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(model.SerializeToString())
    kind = "Token" if of_tokens else "Sequence"
    known: dict[str, object] = {
        "architectures": [f"BertFor{kind}Classification"],
        "id2label": {str(place): label for place, label in enumerate(labels)},
        "max_position_embeddings": 64,
    }
    (folder / "config.json").write_text(json.dumps({**known, **config}), "utf-8")
    make_tokenizer(folder)
    return folder
