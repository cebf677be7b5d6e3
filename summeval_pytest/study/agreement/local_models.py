"""Columns and evidence by models on this machine: BERTScore and sentence embeddings."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.run.golden import EvidenceCount, check_indices, count_evidence, places_of
from summeval_pytest.study.baselines import top_sentences
from summeval_pytest.study.embeddings import embedding_match, nearest_sentences
from summeval_pytest.study.tables import table_of
from summeval_pytest.suite.marking import cut, source_sentences
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.metrics.similarity import Vectors
    from summeval_pytest.study.agreement.columns import LabelledPair
    from summeval_pytest.study.embeddings import LocalEncoder, PairScore, PairScorer
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.values import Pair
    from summeval_pytest.text.table import Table


BERTSCORE: Final = ("BERTScore", "BERTScore precision", "BERTScore recall")
EMBEDDING: Final = ("embedding F1", "embedding precision", "embedding recall")
_TOP: Final = 3
"""Evidence of one sentence, two, and so many is retrieved."""


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
    found: list[dict[str, float]] = [{} for _ in pairs]
    if models.scorer is not None:
        both = [
            (normalise(reference), normalise(pair.summary))
            for pair in pairs
            for reference in pair.paper.references
        ]
        scores = iter(models.scorer.score(both))
        for columns, pair in zip(found, pairs, strict=True):
            columns.update(_best(BERTSCORE, [next(scores) for _ in pair.paper.references]))
    if models.encoder is not None:
        encode = models.encoder.encode
        for columns, pair in zip(found, pairs, strict=True):
            references, summary = map(cut, pair.paper.references), cut(pair.summary)
            matches = [embedding_match(each, summary, encode) for each in references]
            columns.update(_best(EMBEDDING, matches))
    return found


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


def retrieved_evidence(
    labelled: Iterable[tuple[Label, Pair]], encoder: LocalEncoder
) -> dict[str, EvidenceCount]:
    """How far the nearest source sentences are the labelled evidence, for each way to find them.

    Over sentences labelled faithful with evidence, micro as in FareBio: by embeddings and, beside
    them, by BM25, the best 1, 2 and 3. Empty where no label has evidence.

    """
    counts: defaultdict[str, list[EvidenceCount]] = defaultdict(list)
    sources: dict[str, tuple[tuple[str, ...], Vectors]] = {}
    for label, pair in labelled:
        wanted = [one for one in label.sentences or () if one.faithful and one.evidence]
        if not wanted:
            continue
        if label.paper not in sources:
            sentences = source_sentences(pair.paper)
            sources[label.paper] = sentences, encoder.encode(sentences)
        (source, vectors), summary = sources[label.paper], cut(pair.summary)
        check_indices(label, len(summary))
        for one in wanted:
            places, claim = places_of(one.evidence, source), summary[one.index]
            (row,) = encoder.encode([claim])
            ways = {
                "embedding": nearest_sentences(row, vectors, _TOP),
                "BM25": top_sentences(claim, source, _TOP),
            }
            for way, order in ways.items():
                for top in range(1, _TOP + 1):
                    counts[f"{way}, best {top}"].append(count_evidence(places, order[:top]))
    return {
        way: EvidenceCount(
            named=sum(one.named for one in each),
            labelled=sum(one.labelled for one in each),
            both=sum(one.both for one in each),
        )
        for way, each in sorted(counts.items())
    }


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


def evidence_table(counts: Mapping[str, EvidenceCount]) -> Table:
    """Precision, recall and F1 of each way to find evidence."""
    names = ("named", "labelled", "both", "precision", "recall", "f1")
    return table_of(
        "",
        [{"way": way, **{n: getattr(each, n) for n in names}} for way, each in counts.items()],
        {"labelled evidence": "way", **dict(zip((*names[:3], "P", "R", "F1"), names, strict=True))},
    )
