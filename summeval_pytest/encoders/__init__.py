"""Models on this machine's own disk: sentences as vectors, and BERTScore; loaded only when used.

Nothing here goes to the network: a model is a folder, or one that Hugging Face's cache has already.
"""

from __future__ import annotations

from summeval_pytest.encoders.bertscore import load_bertscore
from summeval_pytest.encoders.encoder import Encoder, PairScore, PairScorer
from summeval_pytest.encoders.folder import ModelFolder, find_model
from summeval_pytest.encoders.sentence import load_encoder

__all__ = [
    "Encoder",
    "ModelFolder",
    "PairScore",
    "PairScorer",
    "find_model",
    "load_bertscore",
    "load_encoder",
]
