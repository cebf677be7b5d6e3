"""The sentences that labels count: those of a summary, and those of a source over its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.suite.labels import EvidenceLabel
from summeval_pytest.text import normalise, sentence_texts

if TYPE_CHECKING:
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper

_WORDS: Final = 5


class IndexedTexts:
    """Sentences of a suite's texts, each text cut once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._summaries: dict[tuple[str, str], tuple[str, ...] | None] = {}
        self._sources: dict[str, tuple[str, ...]] = {}

    def summary(self, paper: str, system: str) -> tuple[str, ...] | None:
        """The sentences of a summary; None where a model is asked for it."""
        key = (paper, system)
        if key not in self._summaries:
            recorded = self._suite.systems[system].endpoint is None
            self._summaries[key] = (
                cut(self._suite.pair(paper, system).summary) if recorded else None
            )
        return self._summaries[key]

    def source(self, paper: str) -> tuple[str, ...]:
        """The sentences of a paper's source, section by section."""
        if paper not in self._sources:
            self._sources[paper] = source_sentences(self._suite.paper(paper))
        return self._sources[paper]

    def evidence(self, paper: str, index: int) -> EvidenceLabel:
        """A source sentence as a label names it: by its index and its first words."""
        return evidence_label(self.source(paper), index)


def source_sentences(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section."""
    return tuple(sentence for section in paper.source for sentence in cut(section.text))


def cut(text: str) -> tuple[str, ...]:
    """The sentences of a text, as every metric counts them."""
    return sentence_texts(normalise(text))


def evidence_label(source: tuple[str, ...], index: int) -> EvidenceLabel:
    """A sentence of this source, by its index and its first words."""
    sentence = source[index]
    start = sentence[: len(sentence) - len(sentence.split(None, _WORDS)[-1])].rstrip()
    short = len(sentence.split()) <= _WORDS
    return EvidenceLabel(index=index, starts=sentence if short else start)


def stands_in(text: str, sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Which sentences hold this text, or are held by it; by their letters alone."""
    wanted = normalise(text)
    if not wanted:
        return ()
    exact = tuple(i for i, sentence in enumerate(sentences) if sentence == wanted)
    return exact or tuple(
        i for i, sentence in enumerate(sentences) if wanted in sentence or sentence in wanted
    )
