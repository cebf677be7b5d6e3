"""How well a summary's facet covers the reference's: recall of its words and numbers, with vetoes.

    recall = weight of the reference's words that the summary has / weight of all of them

A word that every abstract uses weighs 0.3, a number 1.5, any other 1. The cut points are round
numbers, not fitted.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.lexicon import GENERIC
from summeval_pytest.judges.offline.matching import GENERIC_WEIGHT
from summeval_pytest.judges.offline.number_conflicts import replaced_number
from summeval_pytest.judges.offline.reading import Reading, read
from summeval_pytest.questions import SCALES, FacetPair, FacetRating
from summeval_pytest.text import split_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.judges.offline.conflict import Conflict

NUMBER_WEIGHT: Final = 1.5
"""A number is key information (FM, section 3.2) and is hardly ever reworded."""
CUT_POINTS: Final[Mapping[int, tuple[float, ...]]] = MappingProxyType(
    {3: (0.15, 0.35), 4: (0.15, 0.3, 0.5)}
)
"""By scale: the recall from which a facet is rated 2, 3, 4.

Below .15 what two abstracts of one field share by chance; half of the words is full coverage, since
the other half of a good paraphrase is reworded.
"""


def _readings(text: str) -> list[Reading]:
    return [read(text) for text in dict.fromkeys(s.text for s in split_sentences(text))]


def _weight(word: str) -> float:
    if word[0].isdigit():
        return NUMBER_WEIGHT
    return GENERIC_WEIGHT if word in GENERIC else 1.0


def recall(reference: list[Reading], candidate: list[Reading]) -> float:
    """The share of the reference's weight that the candidate's words carry, 0 to 1."""
    wanted = dict.fromkeys(word for reading in reference for word in reading.words)
    had = {word for reading in candidate for word in reading.words}
    total = sum(_weight(word) for word in wanted)
    return sum(_weight(word) for word in wanted if word in had) / total if total else 0.0


def contradiction(reference: list[Reading], candidate: list[Reading]) -> Conflict | None:
    """The first contradiction of the reference's facet by a sentence that is not copied from it."""
    for sentence in candidate:
        if sentence in reference:
            continue
        conflict = find_conflict(sentence, reference) or replaced_number(sentence, reference)
        if conflict is not None:
            return conflict
    return None


def rate_all(pairs: tuple[FacetPair, ...]) -> tuple[FacetRating, ...]:
    """One rating for each pair, 1 to its scale, and the reason for it.

    What a summary says of a facet may stand in a sentence that was read as another facet, so the
    share found in the facet's own segment and that found in any segment count half each.
    """
    anywhere = [reading for pair in pairs for reading in _readings(pair.candidate)]
    return tuple(_rate(pair, anywhere) for pair in pairs)


def _rate(pair: FacetPair, anywhere: list[Reading]) -> FacetRating:
    reference, candidate = _readings(pair.reference), _readings(pair.candidate)
    conflict = contradiction(reference, candidate)
    if conflict is not None:
        return FacetRating(facet=pair.facet, reason=str(conflict), rating=1)
    share = (recall(reference, candidate) + recall(reference, anywhere)) / 2
    rating = 1 + sum(share >= cut for cut in CUT_POINTS[SCALES[pair.facet]])
    reason = f"{share:.0%} of the reference's words and numbers found"
    return FacetRating(facet=pair.facet, reason=reason, rating=rating)
