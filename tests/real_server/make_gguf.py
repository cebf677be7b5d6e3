"""A tiny llama with random weights, for tests that ask a real server and do not mind the answer.

    pip install numpy gguf
    python tests/real_server/make_gguf.py /tmp/tiny.gguf

Half a megabyte, written in a moment, the same bytes for the same seed; nothing is downloaded. A
character is a token, so a token limit is a limit on characters. The model knows nothing: what it
says is noise, and only a schema makes it an answer.
"""

from __future__ import annotations

import argparse
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

NAME: Final = "tiny-random-llama"
CONTEXT: Final = 65_536
WIDTH: Final = 64
HEADS: Final = 4
HIDDEN: Final = 128
LAYERS: Final = 2
EPSILON: Final = 1e-5
SEED: Final = 20260101

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
"""The kinds of token, numbered as in llama.cpp's ``llama_token_type``."""

CHAT: Final = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "assistant: "
)
"""The chat template: roles by name, since a vocabulary of characters has no marks for them."""

SHARPNESS: Final = 6.0
"""How much louder queries and keys are than other noise: with a flat attention, the likeliest
token is soon the same for ever, and a greedy reply never ends."""

LEVEL: Final = 8.0
"""What every hidden state holds in coordinate 0, where no layer writes: a constant to lean on."""

MUTE: Final = -4.0
"""The weight of coordinate 0 for a token that shall never be said."""

ENDING: Final = 0.15
"""The same for a token that ends something, so that replies are short even where none must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One entry of the vocabulary."""

    text: str
    kind: int

    @property
    def lean(self) -> float:
        """The weight of coordinate 0, which makes a token likely or not whatever was said before.

        Plain characters are as likely as chance has it. Loose bytes would be broken UTF-8, which
        llama-server answers with 500, and a backslash may begin half a surrogate.
        """
        if self.text in {"</s>", '"', ",", "}"}:
            return ENDING
        return MUTE if self.kind != NORMAL or self.text == "\\" else 0.0


def vocabulary() -> tuple[Token, ...]:
    """Three marks, the 256 bytes, and printable ASCII with the space as SentencePiece spells it."""
    plain = "\N{LOWER ONE EIGHTH BLOCK}" + string.digits + string.ascii_letters + string.punctuation
    return (
        Token(text="<unk>", kind=UNKNOWN),
        Token(text="<s>", kind=CONTROL),
        Token(text="</s>", kind=CONTROL),
        *(Token(text=f"<0x{byte:02X}>", kind=BYTE) for byte in range(256)),
        *(Token(text=character, kind=NORMAL) for character in plain),
    )


def weights(seed: int) -> dict[str, NDArray[np.float32]]:
    """The tensors by llama.cpp's names, rows before columns.

    Normal noise with a deviation of 1/sqrt(inputs), so that states neither fade nor explode, but
    for what `SHARPNESS`, `LEVEL` and `Token.lean` say.
    """
    rng = np.random.default_rng(seed)

    def noise(rows: int, columns: int) -> NDArray[np.float32]:
        return rng.standard_normal((rows, columns), dtype=np.float32) * np.float32(columns**-0.5)

    ones = np.ones(WIDTH, dtype=np.float32)
    tokens = vocabulary()
    tensors = {"token_embd.weight": noise(len(tokens), WIDTH) * np.float32(WIDTH**0.5)}
    tensors["token_embd.weight"][:, 0] = LEVEL
    for layer in range(LAYERS):
        for name, rows, columns in (
            ("attn_q", WIDTH, WIDTH),
            ("attn_k", WIDTH, WIDTH),
            ("attn_v", WIDTH, WIDTH),
            ("attn_output", WIDTH, WIDTH),
            ("ffn_gate", HIDDEN, WIDTH),
            ("ffn_up", HIDDEN, WIDTH),
            ("ffn_down", WIDTH, HIDDEN),
        ):
            tensors[f"blk.{layer}.{name}.weight"] = noise(rows, columns)
        for name in ("attn_q", "attn_k"):
            tensors[f"blk.{layer}.{name}.weight"] *= SHARPNESS
        for name in ("attn_output", "ffn_down"):
            tensors[f"blk.{layer}.{name}.weight"][0] = 0.0
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"blk.{layer}.{name}.weight"] = ones
    tensors["output_norm.weight"] = ones
    tensors["output.weight"] = noise(len(tokens), WIDTH)
    tensors["output.weight"][:, 0] = [token.lean for token in tokens]
    return tensors


def write_model(path: Path, seed: int = SEED) -> None:
    """Writes the model of this seed as a GGUF file; the folder must exist."""
    # No test needs gguf but those of a real server, so it is no dependency of this project.
    from gguf import GGUFWriter

    tokens = vocabulary()
    writer = GGUFWriter(path, "llama")
    writer.add_name(NAME)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token.text for token in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([token.kind for token in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHAT)
    for name, tensor in weights(seed).items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Writes the model to the path of the command line."""
    parser = argparse.ArgumentParser(description="Write a tiny llama with random weights.")
    parser.add_argument("path", type=Path, help="the GGUF file to write")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the weights (default: {SEED})")
    options = parser.parse_args()
    write_model(options.path, options.seed)


if __name__ == "__main__":
    main()
