"""Models of this machine: stand-ins by letters and shared words, and tiny ones of transformers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from summeval_pytest.study.embeddings import PairScore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


class LetterEncoder:
    """The letters and digits of a text; reads 20 characters, and says so of longer texts."""

    signature = "letters 1"

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


class WordScorer:
    """The share of a summary's words, and of a reference's, that the other has."""

    signature = "words 1"

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary)."""
        return tuple(self._scored(set(one.split()), set(other.split())) for one, other in pairs)

    def _scored(self, reference: set[str], summary: set[str]) -> PairScore:
        both = len(reference & summary)
        return PairScore(
            precision=both / max(1, len(summary)),
            recall=both / max(1, len(reference)),
            f1=2 * both / max(1, len(reference) + len(summary)),
        )

    def count_cut(self, texts: Sequence[str]) -> int:
        """None."""
        return 0 * len(texts)


@dataclass(eq=False)
class WordReader:
    """Supports a claim by the share of its words that a text has, and keeps what it was asked."""

    window: int = 64
    signature: str = "words 1"
    asked: list[tuple[str, str]] = field(default_factory=list)

    def count(self, texts: Sequence[str]) -> list[int]:
        """A token a word."""
        return [len(text.split()) for text in texts]

    def support(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The share, 0 where the claim has no word."""
        self.asked.extend(pairs)
        words = [(set(text.lower().split()), claim.lower().split()) for text, claim in pairs]
        return [sum(w in text for w in claim) / max(1, len(claim)) for text, claim in words]


MARKS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789.,"
_WHERE_ABSENT: Final = "torch and transformers (summeval-pytest[local]) are not installed"


def torch_here() -> tuple[Any, Any]:
    """Torch and transformers; the test is skipped where they are not installed."""
    torch: Any = pytest.importorskip("torch", reason=_WHERE_ABSENT)
    return torch, pytest.importorskip("transformers", reason=_WHERE_ABSENT)


def make_classifier(
    folder: Path,
    labels: Sequence[str],
    *,
    bias: Sequence[float] = (),
    limit: int = 64,
    seed: int = 1,
) -> Path:
    """A BERT with random weights that spells its words; with a bias it says the same of any text.

    It reads ``limit`` tokens.
    """
    torch, transformers = torch_here()
    folder.mkdir()
    pieces = [*MARKS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=limit,
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
        initializer_range=0.5,
    )
    model = transformers.BertForSequenceClassification(config)
    if bias:
        torch.nn.init.zeros_(model.classifier.weight)
        model.classifier.bias.data = torch.tensor(bias)
    model.save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def make_writer(folder: Path) -> Path:
    """A T5 with random weights, whose tokens are letters and the digits 0 and 1."""
    torch, transformers = torch_here()
    tokenizers: Any = pytest.importorskip("tokenizers", reason=_WHERE_ABSENT)
    marks = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    words = {word: n for n, word in enumerate([*marks.values(), *LETTERS, ":"])}
    spelling = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, marks["unk_token"]))
    spelling.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.WhitespaceSplit(),
            tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated"),
        ]
    )
    spelling.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    torch.manual_seed(1)
    config = transformers.T5Config(
        vocab_size=len(words), d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(tokenizer_object=spelling, **marks).save_pretrained(folder)
    return folder
