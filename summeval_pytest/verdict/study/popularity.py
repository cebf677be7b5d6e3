"""How common the words are that systems use (FM, figure 4c), ranked by the papers' own sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.popularity import band_names, popularity_profile
from summeval_pytest.verdict.study.estimates import rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BINS: Final = (10, 100, 1000)
"""The last rank of each band, 1 for the most frequent word of the sources."""
BANDS: Final = band_names(BINS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """How the words of one writer's texts are spread over the ranks of the sources' words.

    Attributes:
        system: Who wrote the texts; None for the references.
        n_texts: How many there are.
        shares: By band of ranks, the share of all words of the texts, 0 to 1; empty without a word.
    """

    system: str | None
    n_texts: int
    shares: Mapping[str, float]


def popularities(
    texts: Mapping[str | None, Sequence[str]], sources: Sequence[str]
) -> tuple[Popularity, ...]:
    """The profile of each writer's texts, all words counted alike."""
    found = []
    for writer, written in texts.items():
        shares = popularity_profile(written, sources, bins=BINS)
        told = {band: rounded(share) for band, share in zip(BANDS, shares, strict=False)}
        found.append(Popularity(system=writer, n_texts=len(written), shares=told))
    return tuple(found)
