"""What an annotator is told of each kind of item: the scales of the papers, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.suite import ItemKind

_THREE: Final = """\
3  generally consistent with what the reference says there
2  relevant, but part of what the reference says there is missing
1  contradicts it, says nothing relevant, or is absent
-  the reference itself has no such facet"""
_FOUR: Final = """\
4  covers it; at most minor details are missing
3  part of the key information is missing
2  none of the key information
1  contradicts it, says nothing relevant, or is absent
-  the reference itself has no such facet
Key is what the core message needs: the numbers of the main finding, the direction of an effect.
One reversed key statement makes the facet a 1."""
_SENTENCE: Final = """\
y  everything that the sentence says follows from the source
n  something in it does not
After y: the numbers of the source sentences that carry it, best first, as y 3 7
After n: what the source says instead, if anything, and the kind of error: n 12 number
Kinds that the bundled suite names: number, unit, direction, negation, entity-swap, causal-claim,
invented-detail, overgeneral-claim"""
_REFERENCE_FACT: Final = """\
y  the summary states this fact, in whatever words, and correctly
n  it does not, or only part of it"""
_CANDIDATE_FACT: Final = """\
y  the fact follows from the reference
n  it does not, whether or not it is true"""

_RUBRICS: Final[Mapping[str, str]] = {
    "background": _THREE,
    "method": _FOUR,
    "result": _FOUR,
    "conclusion": _THREE,
    "sentence": _SENTENCE,
    "reference fact": _REFERENCE_FACT,
    "candidate fact": _CANDIDATE_FACT,
}


def rubric_of(kind: ItemKind) -> str:
    """The rubric of a kind of item (FM, section 3.2 for the facets), several lines."""
    return _RUBRICS[kind]
