"""The columns of `summeval agree` that need a model of this machine: BERTScore and embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.retrieving import as_counts, evidence_table, retrieved_evidence
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.embedding import embedded, embedding_match
from summeval_pytest.suite.indexed import cut
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.encoders import Encoder, PairScorer
    from summeval_pytest.metrics.embedding import EmbeddedSentences
    from summeval_pytest.suite import Pair, Suite
    from summeval_pytest.verdict.labelled import LabelledPair

BERTSCORE: Final = ("BERTScore", "BERTScore precision", "BERTScore recall")
EMBEDDING: Final = ("embedding F1", "embedding precision", "embedding recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModels:
    """What the options name; None for an option that is not given."""

    encoder: Encoder | None = None
    scorer: PairScorer | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they fill, in the order shown."""
        return (*(BERTSCORE if self.scorer else ()), *(EMBEDDING if self.encoder else ()))


NO_MODELS: Final = LocalModels()


def models_of(chosen: argparse.Namespace) -> LocalModels:
    """The models that the options ``--bertscore``, ``--bertscore-layers``, ``--embeddings`` name.

    Raises:
        OptionError: if a model or its package is not there, or layers are named without a model.
    """
    bertscore, layers = chosen.bertscore, chosen.bertscore_layers
    if layers is not None and bertscore is None:
        raise OptionError(
            f"--bertscore-layers={layers} goes with --bertscore=MODEL; add it or leave this out"
        )
    if bertscore is None and chosen.embeddings is None:
        return NO_MODELS
    from summeval_pytest.encoders import load_bertscore, load_encoder

    encoder = scorer = None
    if bertscore is not None:
        scorer = load_bertscore(bertscore, layers=layers, option="--bertscore")
    if chosen.embeddings is not None:
        encoder = load_encoder(chosen.embeddings, option="--embeddings")
    return LocalModels(encoder=encoder, scorer=scorer)


def extra_columns(pairs: Sequence[Pair], models: LocalModels) -> tuple[Mapping[str, float], ...]:
    """The columns of each pair that these models fill; of several references the best counts.

    0 where a text is empty, as for ROUGE: a baseline has a number for every pair.
    """
    found: tuple[dict[str, float], ...] = tuple({} for _ in pairs)
    if models.scorer is not None:
        for columns, more in zip(found, _bertscores(pairs, models.scorer), strict=True):
            columns.update(more)
    if models.encoder is not None:
        for columns, more in zip(found, _embeddings(pairs, models.encoder), strict=True):
            columns.update(more)
    return found


def with_columns(pairs: Sequence[LabelledPair], models: LocalModels) -> list[LabelledPair]:
    """The pairs with the columns of these models; a recorded one of the same name is marked."""
    ours = frozenset(models.columns)
    texts = [pair.pair for pair in pairs if pair.pair is not None]
    more = extra_columns(texts, models)
    return [
        replace(
            pair,
            columns={f"{c} (recorded)" if c in ours else c: n for c, n in pair.columns.items()}
            | dict(columns),
        )
        for pair, columns in zip(pairs, more, strict=True)
    ]


def model_figures(
    suite: Suite, pairs: Sequence[LabelledPair], models: LocalModels
) -> tuple[dict[str, object], list[str]]:
    """What these models say beside their columns: for the JSON file, and as lines."""
    if not models.columns:
        return {}, []
    texts = [pair.pair for pair in pairs if pair.pair is not None]
    labelled = [(suite.labels[pair.paper.id, pair.system], pair) for pair in texts]
    found = retrieved_evidence(labelled, models.encoder) if models.encoder is not None else {}
    lines = [*evidence_table(found), *told_of_models(texts, models)]
    return recipes_of(models) | as_counts(found), lines


def _bertscores(pairs: Sequence[Pair], scorer: PairScorer) -> Iterator[Mapping[str, float]]:
    by_reference = [
        [(normalise(reference), normalise(pair.summary)) for reference in pair.paper.references]
        for pair in pairs
    ]
    scores = iter(scorer.score([texts for one in by_reference for texts in one]))
    for texts in by_reference:
        some = [next(scores) for _ in texts]
        values = (
            max(score.f1 for score in some),
            max(score.precision for score in some),
            max(score.recall for score in some),
        )
        yield dict(zip(BERTSCORE, values, strict=True))


def _embeddings(pairs: Sequence[Pair], encoder: Encoder) -> Iterator[Mapping[str, float]]:
    for pair in pairs:
        summary = _embedded(pair.summary, encoder)
        some = [
            embedding_match(_embedded(reference, encoder), summary)
            for reference in pair.paper.references
        ]
        values = (
            max(match.f1 for match in some),
            max(match.precision for match in some),
            max(match.recall for match in some),
        )
        yield dict(zip(EMBEDDING, values, strict=True))


def _embedded(text: str, encoder: Encoder) -> EmbeddedSentences:
    sentences = cut(text)
    return embedded(sentences, encoder.encode(sentences))


def recipes_of(models: LocalModels) -> dict[str, object]:
    """The signature of each model that is used, for the figures as JSON."""
    used = {"BERTScore": models.scorer, "embedding": models.encoder}
    recipes = {name: model.signature for name, model in used.items() if model is not None}
    return {"recipes": recipes} if recipes else {}


def told_of_models(pairs: Sequence[Pair], models: LocalModels) -> Iterator[str]:
    """What a reader of the columns has to know: the recipe, and how many texts were cut."""
    if models.columns:
        yield ""
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
