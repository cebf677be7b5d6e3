"""How often the source sentences nearest to a summary's are those that people named as evidence.

FareBio sets judges beside BM25 this way: precision, recall and F1 over source sentences, micro over
the summary's sentences that are labelled faithful with evidence (metrics.md FB1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation import EvidenceCount, count_evidence, places_of
from summeval_pytest.evaluation.golden import check_indices
from summeval_pytest.metrics.embedding import nearest
from summeval_pytest.metrics.retrieval import top_sentences
from summeval_pytest.suite.indexed import cut, source_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from summeval_pytest.encoders import Encoder
    from summeval_pytest.suite import Label, Pair

_TOPS: Final = (1, 2, 3)
"""Evidence of so many sentences is retrieved."""
_NAME: Final = 26


def retrieved_evidence(
    labelled: Iterable[tuple[Label, Pair]], encoder: Encoder
) -> Mapping[str, EvidenceCount]:
    """How far the nearest source sentences are the labelled evidence, for each way to find them.

    Over sentences labelled faithful with evidence, micro as in FareBio: by embeddings and, beside
    them, by BM25, the best 1, 2 and 3. Empty where no label has evidence.

    Raises:
        SuiteError: for a label of a sentence that the summary does not have.
    """
    counts: dict[str, list[EvidenceCount]] = {}
    sources: dict[str, tuple[tuple[str, ...], NDArray[np.float64]]] = {}
    for label, pair in labelled:
        wanted = [one for one in label.sentences or () if one.faithful and one.evidence]
        if not wanted:
            continue
        if label.paper not in sources:
            source = source_sentences(pair.paper)
            sources[label.paper] = source, encoder.encode(source)
        source, vectors = sources[label.paper]
        summary = cut(pair.summary)
        check_indices(label, len(summary))
        for one in wanted:
            places = places_of(one.evidence, source)
            claim = summary[one.index]
            (row,) = encoder.encode([claim])
            ways = {
                "embedding": nearest(row, vectors, _TOPS[-1]),
                "BM25": top_sentences(claim, source, _TOPS[-1]),
            }
            for way, order in ways.items():
                for top in _TOPS:
                    found = count_evidence(places, order[:top])
                    counts.setdefault(f"{way}, best {top}", []).append(found)
    return {
        way: EvidenceCount(
            named=sum(one.named for one in each),
            labelled=sum(one.labelled for one in each),
            both=sum(one.both for one in each),
        )
        for way, each in sorted(counts.items())
    }


def as_counts(found: Mapping[str, EvidenceCount]) -> dict[str, object]:
    """The counts of each way as plain JSON values; nothing where no label has evidence."""
    counts = {
        way: {"named": count.named, "labelled": count.labelled, "both": count.both}
        for way, count in found.items()
    }
    return {"evidence": counts} if counts else {}


def evidence_table(found: Mapping[str, EvidenceCount]) -> Iterator[str]:
    """Precision, recall and F1 of each way; nothing where no label has evidence."""
    if not found:
        return
    yield ""
    titles = f"{'named':>6}{'labelled':>10}{'both':>6}{'P':>7}{'R':>7}{'F1':>7}"
    yield f"{'labelled evidence':<{_NAME}}{titles}"
    for way, count in found.items():
        counted = f"{count.named:>6}{count.labelled:>10}{count.both:>6}"
        shares = f"{count.precision:>7.3f}{count.recall:>7.3f}{count.f1:>7.3f}"
        yield f"{way:<{_NAME}}{counted}{shares}"
