"""The words of a sentence: tokens, stems, words of content, and sentences ranked by them.

Beside them stand the words that say little, and those that mean the opposite of each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from summeval_pytest.text.lists import lines_of
from summeval_pytest.text.marks import content

_TOKEN = re.compile(r"[^\W\d_]+\d*|\d+(?:[.,]\d+)*|%")
_ASCII_TOKEN = re.compile(r"[a-z]+[0-9]*|[0-9]+(?:[.,][0-9]+)*|%")
"""The same in a lower-cased text of ASCII characters, which most are, in half the time."""

STOP_WORDS: Final = frozenset(
    """
    a about above after again against all also although am among an and any are as at be
    because been before being below between both but by can could did do does doing down
    during each either et few for from further had has have having he her here hers him his
    how however i if in into is it its itself just may me might more most must my near of off
    on once only or other our ours out over own per rather same she should since so some
    still such than that the their theirs them then there thereby therefore these they this
    those through thus to too toward towards under until up upon us very via was we were what
    when where whereas whether which while who whom whose why will with within would yet you
    your al
    """.split()
)
"""Words without content of their own. Negations are not among them."""

_ENDINGS: Final = tuple(
    pair.split(">")
    for pair in """
    uctions>uce uction>uce eases>ease ational>ate ization>ize isation>ize iveness>ive
    fulness>ful ements>e ement>e ations>ate ation>ate ities>ity nesses> ments> ment> ness>
    ingly> edly> ally>al ised>ize ises>ize ising>ize ies>y ied>y sses>ss ss>ss us>us is>is ings>
    ions> ing> ion> ed> ly> es> s>
    """.split()
)
"""Endings and what stands instead; the first that fits is taken."""
_BY_LAST: Final = {
    last: tuple(pair for pair in _ENDINGS if pair[0][-1] == last)
    for last in {ending[-1] for ending, _ in _ENDINGS}
}
"""Those that end in one letter, in their order."""
_MIN_STEM: Final = 4


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without its inflection: a light, deterministic stem, the same for any language.

    >>> stem("reduces"), stem("reduced"), stem("reduction")
    ('reduc', 'reduc', 'reduc')
    """
    if len(word) <= _MIN_STEM or not word.isalpha():
        return word
    for ending, instead in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _MIN_STEM:
            word = word[: -len(ending)] + instead
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > _MIN_STEM and word[-1] in "ey" else word


@lru_cache(maxsize=65536)
def _stem_of(token: str) -> str:
    """The stem of a token, a number as it is written, nothing for a common word."""
    if token in STOP_WORDS or (len(token) == 1 and not token.isdigit()):
        return ""
    return token.replace(",", "") if token[0].isdigit() else stem(token)


def tokens(text: str) -> list[str]:
    """The words, numbers and percent signs of what a text claims, lower-cased, in order."""
    lowered = content(text).lower()
    return (_ASCII_TOKEN if lowered.isascii() else _TOKEN).findall(lowered)


@lru_cache(maxsize=4096)
def known_tokens(text: str) -> tuple[str, ...]:
    """The same, kept for a sentence that is asked about again: its numbers, stems and weights."""
    return tuple(tokens(text))


def has_tokens(text: str) -> bool:
    """Whether a text has a word, a number or a percent sign at all."""
    return _TOKEN.search(content(text)) is not None


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[str, ...]:
    """The stems of the words that carry content, in order; numbers stay as they are written."""
    return tuple(filter(None, map(_stem_of, known_tokens(text))))


@lru_cache(maxsize=128)
def places_of(sentences: tuple[str, ...]) -> Mapping[str, Sequence[int]]:
    """By word of content, the places of the sentences that have it, in order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(sentences):
        for word in dict.fromkeys(content_words(sentence)):
            places[word].append(place)
    return dict(places)


def rank_sentences(words: Iterable[str], sentences: tuple[str, ...]) -> list[int]:
    """The places of the sentences that share words with others, those that share most first.

    A shared word counts 1 / the number of sentences that have it; the earlier sentence wins a tie.
    """
    places = places_of(sentences)
    shares: defaultdict[int, float] = defaultdict(float)
    for word in words:
        for place in places.get(word, ()):
            shares[place] += 1.0 / len(places[word])
    return sorted(shares, key=lambda place: (-shares[place], place))


def count_content(text: str) -> int:
    """How many words of a text carry content, each as often as it stands."""
    return sum(map(bool, map(_stem_of, tokens(text))))


MOST_CLOSEST: Final = 3


def closest_sentences(claim: str, places: Sequence[int], source: Sequence[str]) -> tuple[int, ...]:
    """Of the sentences at these places those that share most words with a claim, the best first.

    They are three at most. Each one adds words that those before it lack; empty where none shares
    any.
    """
    wanted = set(content_words(claim))
    left = {place: set(content_words(source[place])) for place in places}
    closest: list[int] = []
    while left and len(closest) < MOST_CLOSEST:
        best = max(left, key=lambda place: len(wanted & left[place]))
        if not wanted & left[best]:
            break
        wanted -= left.pop(best)
        closest.append(best)
    return tuple(closest)


def _stems(name: str) -> frozenset[str]:
    return frozenset(stem(word) for line in lines_of(name) for word in line.split())


GENERIC: Final = _stems("generic")
"""Stems so common in abstracts that sharing them says little."""

LIGHT: Final = _stems("light")
"""Stems of verbs and nouns that stand for many others ("took part", "was found to be")."""


@cache
def opposites() -> Mapping[str, Mapping[int, bool]]:
    """By word: the lines of ``opposites.txt`` that have it, and whether it stands on their left."""
    table: dict[str, dict[int, bool]] = {}
    for number, line in enumerate(lines_of("opposites")):
        left, mark, right = line.partition(" > ")
        for side, words in ((True, left), (False, right)) if mark else ():
            for word in words.split():
                table.setdefault(word, {})[number] = side
    return table
