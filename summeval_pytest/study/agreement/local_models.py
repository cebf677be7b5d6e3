"""Columns by models on this machine: BERTScore and sentence embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.study.embeddings import embedding_match
from summeval_pytest.suite.marking import cut
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.study.agreement.columns import LabelledPair
    from summeval_pytest.study.embeddings import LocalEncoder, PairScore, PairScorer
    from summeval_pytest.suite.values import Pair


BERTSCORE: Final = ("BERTScore", "BERTScore precision", "BERTScore recall")
EMBEDDING: Final = ("embedding F1", "embedding precision", "embedding recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModels:
    """What the options name; None for an option that is not given."""

    encoder: LocalEncoder | None = None
    scorer: PairScorer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they fill, in the order shown."""
        return (*(BERTSCORE if self.scorer else ()), *(EMBEDDING if self.encoder else ()))

    @property
    def recipes(self) -> dict[str, str]:
        """The signature of each model that is used."""
        used = {"BERTScore": self.scorer, "embedding": self.encoder}
        return {name: model.signature for name, model in used.items() if model is not None}


def extra_columns(pairs: Sequence[Pair], models: LocalModels) -> list[dict[str, float]]:
    """The columns of each pair that these models fill; of several references the best counts.

    0 where a text is empty, as for ROUGE: a baseline has a number for every pair.
    """
    by_pair: list[dict[str, float]] = [{} for _ in pairs]
    if models.scorer is not None:
        both = [
            (normalise(reference), normalise(pair.summary))
            for pair in pairs
            for reference in pair.paper.references
        ]
        scores = iter(models.scorer.score(both))
        for columns, pair in zip(by_pair, pairs, strict=True):
            columns.update(_best(BERTSCORE, [next(scores) for _ in pair.paper.references]))
    if models.encoder is not None:
        encode = models.encoder.encode
        for columns, pair in zip(by_pair, pairs, strict=True):
            references, summary = map(cut, pair.paper.references), cut(pair.summary)
            matches = [embedding_match(each, summary, encode) for each in references]
            columns.update(_best(EMBEDDING, matches))
    return by_pair


def _best(names: Sequence[str], scores: Sequence[PairScore]) -> dict[str, float]:
    values = zip(*((score.f1, score.precision, score.recall) for score in scores), strict=True)
    return {name: max(of) for name, of in zip(names, values, strict=True)}


def with_columns(pairs: Sequence[LabelledPair], models: LocalModels) -> list[LabelledPair]:
    """The pairs with the columns of these models; a recorded one of the same name is marked."""
    names = frozenset(models.columns)
    more = extra_columns([pair.pair for pair in pairs if pair.pair is not None], models)
    return [
        replace(
            pair,
            columns={f"{c} (recorded)" if c in names else c: n for c, n in pair.columns.items()}
            | columns,
        )
        for pair, columns in zip(pairs, more, strict=True)
    ]


def lines_of_models(pairs: Sequence[Pair], models: LocalModels) -> Iterator[str]:
    """What a reader of the columns has to know: the recipe, and how many texts were cut."""
    texts = {text for pair in pairs for text in (pair.summary, *pair.paper.references)}
    if models.scorer is not None:
        whole = sorted(map(normalise, texts))
        yield (
            f"BERTScore: {models.scorer.signature}; {models.scorer.count_cut(whole)} of"
            f" {len(whole)} texts are longer than the model reads and were cut."
        )
        yield "It orders texts and no more: unrelated ones score high, by how much is the model's."
    if models.encoder is not None:
        sentences = sorted({sentence for text in texts for sentence in cut(text)})
        yield (
            f"embedding: {models.encoder.signature}; {models.encoder.count_cut(sentences)} of"
            f" {len(sentences)} sentences are longer than the model reads and were cut."
        )
