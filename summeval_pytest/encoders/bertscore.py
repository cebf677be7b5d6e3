"""BERTScore, by the bert-score package and a model on this machine's disk.

Zhang et al. (2020): every token of one text is matched with the most similar token of the other;
precision averages over the summary's tokens, recall over the reference's. Only its order says
something: unrelated texts score high, how high depends on the model, and rescaling needs a file of
baselines for exactly this model, so it is not offered (metrics.md section 6, #18).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.encoders.encoder import PairScore, PairScorer
from summeval_pytest.encoders.folder import CONFIG, ModelFolder, find_model
from summeval_pytest.encoders.packages import DIGITS, needed_for, reading, recipe, repeatable
from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXTRA: Final = "bertscore"
_MOST_TOKENS: Final = 512
"""What a model reads whose tokenizer does not say."""
_TOGETHER: Final = 64
"""Pairs handed on at once: the vectors of all their tokens are in memory."""
_LAYER_KEYS: Final = ("num_hidden_layers", "n_layers", "num_layers", "n_layer", "encoder_layers")
_NOTHING: Final = PairScore(precision=0.0, recall=0.0, f1=0.0)


class BertScorer:
    """A `PairScorer` by bert-score, on the processor, without idf weights and without rescaling.

    Every text is encoded by itself, so a pair's score does not depend on the other pairs.
    """

    def __init__(self, scorer: Any, signature: str) -> None:  # the package has no types
        self.signature = signature
        self._scorer = scorer
        self._tokenizer = scorer._tokenizer  # noqa: SLF001 - there is no public way to it
        if self._tokenizer.model_max_length > 10**6:
            self._tokenizer.model_max_length = _MOST_TOKENS

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary), in their order; 0 where a text is empty.

        Raises:
            OptionError: if the model's vectors are no numbers.
        """
        distinct = sorted({pair for pair in pairs if all(text.strip() for text in pair)})
        found: dict[tuple[str, str], PairScore] = {}
        for start in range(0, len(distinct), _TOGETHER):
            some = distinct[start : start + _TOGETHER]
            found.update(zip(some, self._scored(some), strict=True))
        return tuple(found.get(pair, _NOTHING) for pair in pairs)

    def _scored(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        references, summaries = map(list, zip(*pairs, strict=True))
        with repeatable():
            columns = self._scorer.score(summaries, references, batch_size=1)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        scores = []
        for precision, recall, f1 in rows:
            if precision != precision or recall != recall:  # noqa: PLR0124 - NaN
                raise OptionError(
                    f"the model of {self.signature!r} gives no numbers; choose another model"
                )
            scores.append(
                PairScore(
                    precision=round(precision, DIGITS),
                    recall=round(recall, DIGITS),
                    f1=round(f1, DIGITS),
                )
            )
        return scores

    @property
    def most_tokens(self) -> int:
        """How many tokens of a text the model reads."""
        return int(self._tokenizer.model_max_length)

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts have more tokens than the model reads."""
        if not texts:
            return 0
        found = self._tokenizer(list(texts), verbose=False)["input_ids"]
        return sum(len(tokens) > self.most_tokens for tokens in found)


def load_bertscore(name: str, *, layers: int | None, option: str) -> PairScorer:
    """BERTScore by a model on this machine.

    Args:
        name: A folder with a model and its tokenizer, or the name of a cached one.
        layers: After how many layers the vectors are taken; None for the number that the package
            has tuned for a model of this name, else for all.
        option: Who names the model, for messages; ``option-layers`` names the layers.

    Raises:
        OptionError: if the package is not installed, there is no such model, or it has fewer
            layers.
    """
    with needed_for(option, EXTRA):
        import bert_score
    folder = find_model(name, option=option, extra=EXTRA)
    config = _config(folder, option)
    _check_name(folder, option, str(config.get("model_type", "")))
    layers = _layers(folder, option, config, layers)
    with reading("bert-score", name, option):
        scorer = bert_score.BERTScorer(model_type=str(folder.path), num_layers=layers, device="cpu")
    signature = recipe("bert-score", folder.fingerprint, f"layers {layers}", "no idf")
    return BertScorer(scorer, signature)


def _config(folder: ModelFolder, option: str) -> dict[str, object]:
    try:
        config = json.loads((folder.path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict):
        raise OptionError(
            f"{option}={folder.name}: {folder.path / CONFIG} is no JSON object; name the folder of"
            " a model, the one with its configuration and weights"
        )
    return config


def _check_name(folder: ModelFolder, option: str, kind: str) -> None:
    """Refuses a path that bert-score would misread: it takes any with 't5' in it for a T5 model."""
    if "t5" in str(folder.path) and "t5" not in kind:
        raise OptionError(
            f"{option}={folder.name}: bert-score takes every model with 't5' in its path for a T5,"
            f" and this one, {folder.path}, is a {kind!r}; move it or name a link to it elsewhere"
        )


def _layers(folder: ModelFolder, option: str, config: dict[str, object], wanted: int | None) -> int:
    most = next((n for key in _LAYER_KEYS if isinstance(n := config.get(key), int)), None)
    if wanted is None:
        from bert_score.utils import model2layers

        tuned = model2layers.get(folder.name, model2layers.get(folder.path.name))
        wanted = tuned if tuned is not None and most is not None and tuned <= most else most
    if wanted is None:
        raise OptionError(
            f"{option}={folder.name}: its {CONFIG} does not say how many layers it has; add"
            f" {option}-layers=N"
        )
    if most is not None and not 1 <= wanted <= most:
        raise OptionError(
            f"{option}-layers={wanted}: the model has {most} layers; choose 1 to {most}"
        )
    return wanted
