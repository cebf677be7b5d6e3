"""One disagreement between a claim and its evidence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.judges.offline.lexicon import GENERIC, ORDER_WORDS, opposites
from summeval_pytest.text.numbers import find_figures, unstated_figures
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.words import STOP_WORDS, content_words, stem, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.text.numbers import Figure


NOWHERE: Final = "nowhere in the evidence"
"""What stands instead of a number that nothing replaces."""
ASKS: Final = "conflict, needs an LLM or a person"
"""How a reason begins that rests on a conflict: rules see it, a reader has to decide."""
_SHOWN: Final = 120
"""So many characters of a sentence are shown."""

ConflictKind = Literal["number", "unit", "swap", "direction", "negation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One disagreement: what the claim says, and what the evidence says instead.

    ``sentence`` is the one to read, where a whole sentence of the evidence can be named.
    """

    kind: ConflictKind
    says: str
    instead: str
    sentence: str | None = None

    @property
    def is_of_numbers(self) -> bool:
        """Whether it is read off numbers."""
        return self.kind in {"number", "unit", "swap"}

    @property
    def told(self) -> str:
        """The reason that it makes."""
        return f"{ASKS}: {self}"

    def __str__(self) -> str:
        if self.instead == NOWHERE:
            return f"{self.kind}: {self.says!r} is {NOWHERE}"
        return f"{self.kind}: {self.says!r} against {self.instead!r}"


def between(kind: ConflictKind, claim: str, sentence: str) -> Conflict:
    """The conflict of a claim with a whole sentence of the evidence."""
    says, instead = one_line(claim, _SHOWN), one_line(sentence, _SHOWN)
    return Conflict(kind=kind, says=says, instead=instead, sentence=sentence)


_REACH: Final = 150
"""Characters on either side of a number that may say what it is about."""
_CLAUSE_END = re.compile(
    r"[;:]|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:whereas|while|but|although|though|however|yet|and|because)\b",
    re.IGNORECASE,
)
_MARGIN: Final = 0.1
_TABLE: Final = 12
"""A sentence with more numbers is a table, where neighbours do not say what a number is about."""
SAME_PLACE: Final = 1.0
"""Two numbers stand in the same place from this tie on: as if one neighbouring word was shared."""
ALIKE: Final = 0.3
"""Two sentences that share such a part of the words of the longer one may compare the same."""
COPIED: Final = 0.7
"""Such a part is shared by sentences that say the same but for a number."""
_JOINED: Final = 14
"""Two numbers closer than so many characters ("3.4 against 3.6") stand by the same words."""
_CHANGE = re.compile(
    r"\bfrom\s+(?:about\s+|around\s+)?(\d[\d.,]*)(?:\s?[^\W\d]{1,12}|\s?%)?(?:\s[^\d,;]{0,40}?)?\s+to"
    r"\s+(?:about\s+|around\s+)?(\d[\d.,]*)",
    re.IGNORECASE,
)


def _clause(figure: Figure) -> tuple[int, int]:
    """Where the clause of a number begins and ends."""
    start, end = 0, len(figure.sentence)
    for match in _CLAUSE_END.finditer(figure.sentence):
        if match.start() > figure.quantity.start:
            return start, match.start()
        start = match.start()
    return start, end


@lru_cache(maxsize=4096)
def _neighbours(figure: Figure) -> Mapping[str, float]:
    """The informative stems of a number's clause, each with its nearness, (0, 1].

    Words that have an opposite are none of them: they say which way it went, not what it is of.
    """
    text, quantity = figure.sentence, figure.quantity
    start, end = _clause(figure)
    before = _telling(text[max(start, quantity.start - _REACH) : quantity.start])
    after = _telling(text[quantity.end : min(end, quantity.end + _REACH)])
    after = after[1:] if after[:1] == [quantity.unit] else after
    directions, nearness = opposites(), dict[str, float]()
    for side in (reversed(before), after):
        for distance, word in enumerate(side):
            known = stem(word)
            is_empty = len(word) == 1 or known in GENERIC or word in directions
            if word[0].isalpha() and not is_empty:
                nearness[known] = max(nearness.get(known, 0.0), 1.0 / (1 + distance))
    return nearness


def _telling(text: str) -> list[str]:
    """The words that say what a number is about: no function words but "before" and "after"."""
    return [
        ORDER_WORDS.get(word, word)
        for word in tokens(text)
        if word not in STOP_WORDS or word in ORDER_WORDS
    ]


def _tie(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two neighbourhoods are: the sum of the products of nearness."""
    return sum(near * other[word] for word, near in one.items() if word in other)


def _nearness(one: Figure, other: Figure) -> float:
    return _tie(_neighbours(one), _neighbours(other))


def missing_number(claim: str, evidence: Sequence[str], text: tuple[str, ...]) -> Conflict | None:
    """The first number of a claim that a text does not state, and what stands in its place.

    Args:
        claim: A sentence, or a fact.
        evidence: The sentences of the text that are closest to it.
        text: All its sentences.
    """
    for figure in unstated_figures(claim, text):
        rivals = [
            other
            for sentence in evidence
            for other in find_figures(sentence)
            if other.quantity.dimension == figure.quantity.dimension
        ]
        rival = max(
            rivals,
            key=lambda other: (other.size == figure.size, _nearness(figure, other)),
            default=None,
        )
        if rival is None or not (rival.size == figure.size or _nearness(figure, rival)):
            return Conflict(kind="number", says=figure.text, instead=NOWHERE)
        kind: ConflictKind = "unit" if rival.size == figure.size else "number"
        return Conflict(kind=kind, says=figure.text, instead=rival.text, sentence=rival.sentence)
    return None


def replaced_number(
    reference: Sequence[str], summary: tuple[str, ...], known: tuple[str, ...]
) -> Conflict | None:
    """A number of a summary in the place of one of the reference that the summary does not state.

    Same dimension, same words next to it, and the reference does not state it either; so a summary
    may add numbers, and leave some out.

    Args:
        reference: The sentences of a facet of the reference.
        summary: All sentences of the summary.
        known: All that is known of the reference.
    """
    lost = [figure for text in reference for figure in unstated_figures(text, summary)]
    if not lost:
        return None
    added = [
        figure for text in summary if text not in known for figure in unstated_figures(text, known)
    ]
    pairs = [
        (_nearness(mine, theirs), mine, theirs)
        for theirs in lost
        for mine in added
        if mine.quantity.dimension == theirs.quantity.dimension
        and mine.quantity.decimals == theirs.quantity.decimals
        and are_alike(mine.sentence, theirs.sentence, COPIED)
    ]
    near, mine, theirs = max(pairs, key=lambda pair: pair[0], default=(0.0, None, None))
    if mine is None or theirs is None or near < SAME_PLACE:
        return None
    return Conflict(kind="number", says=mine.text, instead=theirs.text, sentence=theirs.sentence)


def are_alike(one: str, other: str, least: float) -> bool:
    """Whether two sentences share that part of the words of the longer one."""
    mine, theirs = (
        {word for word in content_words(text) if not word[0].isdigit()} for text in (one, other)
    )
    return len(mine & theirs) >= least * max(len(mine), len(theirs))


def swapped_numbers(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """Two numbers, each of which stands by the words that belong to the other one.

    Each stands once only: of a number that stands twice no place can be told.
    """
    own = _single(find_figures(claim))
    for sentence in evidence if len(own) > 1 else ():
        theirs = find_figures(sentence)
        if max(len(own), len(theirs)) > _TABLE or not are_alike(claim, sentence, ALIKE):
            continue
        pairs = [
            (mine, other)
            for mine in own
            for other in _single(theirs)
            if mine.size == other.size and mine.quantity.agrees_with(other.quantity)
        ]
        if any(_are_crossed(*one, *two) for one, two in combinations(pairs, 2)):
            return between("swap", claim, sentence)
    return None


def _single(figures: Sequence[Figure]) -> list[Figure]:
    """The figures whose number stands once, without small counts."""
    sizes = [figure.size for figure in figures]
    return [f for f in figures if sizes.count(f.size) == 1 and not f.is_own_count]


def _are_crossed(mine: Figure, theirs: Figure, mine2: Figure, theirs2: Figure) -> bool:
    """Whether two numbers of a claim have exchanged the words they stand by in the evidence.

    Words that stand by all four tell nothing; each crossing has to outweigh both straight ties.
    """
    if _are_joined(mine, mine2) or _are_joined(theirs, theirs2):
        return False
    if mine.quantity.agrees_with(mine2.quantity) or theirs.quantity.agrees_with(theirs2.quantity):
        return False
    sides = [_neighbours(figure) for figure in (mine, mine2, theirs, theirs2)]
    everywhere = set.intersection(*map(set, sides))
    one, two, one_there, two_there = (
        {word: near for word, near in side.items() if word not in everywhere} for side in sides
    )
    straight = max(_tie(one, one_there), _tie(two, two_there))
    crossed = min(_tie(one, two_there), _tie(two, one_there))
    return crossed > straight + _MARGIN


def _are_joined(one: Figure, other: Figure) -> bool:
    return abs(other.quantity.start - one.quantity.end) < _JOINED


def _changes(text: str) -> Iterator[tuple[str, str]]:
    for match in _CHANGE.finditer(text):
        yield match[1].rstrip(".,"), match[2].rstrip(".,")


def reversed_change(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """A change from one number to another that the evidence tells the other way round."""
    changes = set(_changes(claim))
    for sentence in evidence if changes else ():
        theirs = set(_changes(sentence))
        for start, end in changes:
            if start != end and (end, start) in theirs and (start, end) not in theirs:
                says, instead = f"from {start} to {end}", f"from {end} to {start}"
                return Conflict(kind="swap", says=says, instead=instead, sentence=sentence)
    return None
