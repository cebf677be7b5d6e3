"""Means of what texts give, a system a row, and the references beside them.

Numbers per summary are those of FM, figure 4b, whose numbers per 100 words are those of all texts
together, so that long texts count for more; novelty and readability those of FareBio, figures
3a and 3b; lengths those of EVA-Score, tables 3 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.verdict.study.estimates import Mean, rate_of
from summeval_pytest.verdict.study.standing import over
from summeval_pytest.verdict.study.texts import COUNTED, COUNTED_WORDS, PER_100_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedText


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The means of one writer's texts.

    Attributes:
        system: Who wrote them; None for the references.
        means: By the names of the numbers.
    """

    system: str | None
    means: Mapping[str, Mean]


def profiles(
    by_writer: Mapping[str | None, Sequence[StudiedText]], names: Sequence[str], n_papers: int
) -> tuple[Profile, ...]:
    """The means of each writer's texts over papers.

    Args:
        by_writer: The texts of each system, and under None the references.
        names: The numbers, of `TEXT_NUMBERS`.
        n_papers: How many papers there are.
    """
    return tuple(
        Profile(
            system=writer,
            means={name: _mean(name, texts, n_papers) for name in names},
        )
        for writer, texts in by_writer.items()
    )


def _mean(name: str, texts: Sequence[StudiedText], n_papers: int) -> Mean:
    if name != PER_100_WORDS:
        return over(n_papers, [(text.group, text.numbers.get(name)) for text in texts])
    known = [
        (text.group, text.numbers[COUNTED] * 100, text.numbers[COUNTED_WORDS])
        for text in texts
        if COUNTED_WORDS in text.numbers
    ]
    return rate_of(known, n_of=n_papers)
