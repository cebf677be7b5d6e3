"""What texts alone tell: lengths, numbers, novelty, readability and popular words.

They are tables and figures of all three papers: FM, figures 4b, 4c; FareBio, table 1, figure 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.study.baselines import rouge
from summeval_pytest.study.systems.studied import LENGTH, Mean, Studied, mean_of, rate_of, rounded
from summeval_pytest.study.systems.texts import (
    band_names,
    count_numbers,
    novelty,
    numbers_per_100_words,
    popularity_profile,
    readability,
    repetition_rate,
    without_placeholders,
)
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.study.systems.studied import StudiedText


LENGTHS: Final = (LENGTH, "reference words", "source words", "compression", "of reference")
"""Words of the text, its reference and its source; source / text, and text / reference."""
COUNTED: Final = "numbers"
COUNTED_WORDS: Final = "counted words"
"""Words without placeholders of formulas, by which numbers per 100 words are counted."""
PER_100_WORDS: Final = "per 100 words"
NUMBERS: Final = (COUNTED, PER_100_WORDS)
NOVELTIES: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4")
"""Share of the text's n-grams that the source lacks, n = 1 to 4."""
NOVELTY: Final = (*NOVELTIES, "repetition")
"""With the share of its 4-grams that it has had before."""
READABILITY: Final = ("FKGL", "Coleman-Liau", "Dale-Chall")
"""Grade levels: higher is harder to read."""


def text_numbers(  # noqa: PLR0913 - by keyword; each says what is wanted, or of what
    text: str,
    *,
    source: str,
    references: Sequence[str] = (),
    familiar: frozenset[str] | None = None,
    overlap: bool = True,
    novel: bool = True,
) -> Mapping[str, float]:
    """The numbers of a summary or a reference of a paper; those that it does not have are absent.

    A summary is held to ``references``, a reference to none: ROUGE is that of the best one, lengths
    are those of the first. ``familiar`` words are for Dale-Chall. ROUGE (``overlap``) takes longer
    than all the rest, novelty half as long.
    """
    text, source = normalise(text), normalise(source)
    first = normalise(references[0]) if references else text
    n_words, n_reference, n_source = (len(each.split()) for each in (text, first, source))
    found: dict[str, float | None] = {
        LENGTH: float(n_words),
        "reference words": float(n_reference),
        "source words": float(n_source),
        "compression": n_source / n_words if n_words else None,
        "of reference": n_words / n_reference if n_reference else None,
        COUNTED: float(count_numbers(text)),
        PER_100_WORDS: numbers_per_100_words(text),
        "repetition": repetition_rate(text),
    }
    if found[PER_100_WORDS] is not None:
        found[COUNTED_WORDS] = float(len(without_placeholders(text).split()))
    found |= {name: novelty(text, source, n) for n, name in enumerate(NOVELTIES, 1) if novel}
    graded = readability(text, familiar=familiar)
    if graded is not None:
        grades = (graded.fkgl, graded.coleman_liau, graded.dale_chall)
        found |= dict(zip(READABILITY, grades, strict=True))
    scores = [rouge(reference, text) for reference in references if overlap]
    found |= {name: max(score[name] for score in scores) for name in (scores[0] if scores else ())}
    return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The means of one writer's texts by the names of the numbers; None wrote the references."""

    system: str | None
    means: Mapping[str, Mean]


def profiles(studied: Studied, names: Sequence[str]) -> tuple[Profile, ...]:
    """The means of each writer's texts over papers."""
    return tuple(
        Profile(system=writer, means={name: _mean(name, texts, studied.n_papers) for name in names})
        for writer, texts in studied.by_writer.items()
    )


def _mean(name: str, texts: Sequence[StudiedText], n_papers: int) -> Mean:
    if name != PER_100_WORDS:
        return mean_of([(text.group, text.numbers.get(name)) for text in texts], n_papers)
    known = [
        (text.group, text.numbers[COUNTED] * 100, text.numbers[COUNTED_WORDS])
        for text in texts
        if COUNTED_WORDS in text.numbers
    ]
    return rate_of(known, n_papers)


BINS: Final = (10, 100, 1000)
"""The last rank of each band, 1 for the most frequent word of the sources."""
BANDS: Final = band_names(BINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """How the words of one writer's texts are spread over the ranks of the sources' words.

    ``shares`` are by band of ranks, of all words of the texts, 0 to 1; empty without a word.
    """

    system: str | None
    n_texts: int
    shares: Mapping[str, float]


def popularities(studied: Studied) -> tuple[Popularity, ...]:
    """The profile of each writer's texts, all words counted alike; None wrote the references."""
    found = []
    for writer, written in studied.written.items():
        shares = popularity_profile(written, studied.sources, bins=BINS)
        told = {band: rounded(share) for band, share in zip(BANDS, shares, strict=False)}
        found.append(Popularity(system=writer, n_texts=len(written), shares=told))
    return tuple(found)
