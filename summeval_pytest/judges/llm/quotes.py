"""Quotations looked up in the source: evidence is what stands there, and nothing else is.

A quotation is accepted in the sentence that it names, if its words stand there in a row, or nine in
ten of them in order with the same numbers, signs and negations; else it is looked for in the whole
source by the same rule; else it is ungrounded (metrics.md 1.2, stage C).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.material import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_SHARE: Final = 0.9
"""Share of a quotation's words that have to stand in a sentence in order."""
LEAST_WORDS: Final = 3
"""What is shorter stands anywhere, and is accepted only in the sentence that it names."""
MOST_WORDS: Final = 200
"""What is longer has to stand somewhere as it is: comparing takes time with the square."""
WIDEST_GAP: Final = 3
"""An ellipsis stands for so many sentences at most; over a wider gap only its ends are evidence."""

ELLIPSIS = re.compile(r"\s*(?:[\[(]\s*)?(?:\.\s?\.\s?\.+|\u2026)(?:\s*[\])])?\s*")
"""Words left out: three dots or their sign, in brackets or not."""
_WORD = re.compile(
    r"(?:(?<![\w.)%])[-\u2212\u2013])?(?:\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|[^\W\d_]+(?:['\u2019][^\W\d_]+)?\d*|[%<>=\u2264\u2265\u00b1]"
)
_NEGATIONS: Final = frozenset(
    """
    no not non nor none never neither nothing nobody nowhere cannot without lack lacks lacked
    lacking absent absence unable fail fails failed hardly
    """.split()
)


NOWHERE: Final = -1
"""In place of a sentence's number, for a quotation that names none."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a judge says stand in a sentence of the source, which it names from 0."""

    sentence: int
    text: str


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The sentences that hold the quotations, and how many quotations none does.

    ``n_copied`` counts those of them that were copied from the summary (FareBio, Table 5).
    """

    sentences: tuple[int, ...]
    n_ungrounded: int
    n_copied: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """Where words stand: a sentence, and from which to before which of its words."""

    sentence: int
    start: int
    end: int


def words_of(text: str) -> tuple[str, ...]:
    """The words, numbers and comparisons of a text, alike however they are typed."""
    typed = unicodedata.normalize("NFKC", text)
    return tuple(_plain(match.group()) for match in _WORD.finditer(typed))


@lru_cache(maxsize=8192)
def _shown_words(sentence: str) -> tuple[str, ...]:
    """The words of a sentence as a request shows it."""
    return words_of(shown(sentence))


def _plain(word: str) -> str:
    word = word.replace("\u2019", "'").replace("\u2212", "-").replace("\u2013", "-")
    if not word[-1].isdigit() or word[0].isalpha():
        return word.casefold()
    number = word.replace(",", "")
    return re.sub(r"\A(-?)\.", r"\g<1>0.", number)


def is_exact(word: str) -> bool:
    """Whether a word may not differ: a number, a comparison, or a negation."""
    return not word[0].isalpha() or word in _NEGATIONS or word.endswith("n't")


@dataclass(frozen=True, slots=True)
class _Read:
    """A source; the words of a sentence are read when they are first wanted."""

    sentences: Sequence[str]

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: int) -> tuple[str, ...]:
        return _shown_words(self.sentences[place])


def look_up(
    quotes: Sequence[Quote], source: Sequence[str], summary: Sequence[str] = ()
) -> LookedUp:
    """The sentences of the source that hold these quotations, in the order quoted, each once.

    Args:
        quotes: The quotations.
        source: The sentences in which they should stand.
        summary: The sentences asked about, in which a copied quotation stands instead.
    """
    read, of_summary = _Read(source), _Read(summary)
    sentences: dict[int, None] = {}
    n_ungrounded = n_copied = 0
    for quote in quotes:
        found = _find(quote, read)
        sentences.update(dict.fromkeys(found))
        if not found:
            n_ungrounded += 1
            n_copied += bool(_find(Quote(NOWHERE, quote.text), of_summary))
    return LookedUp(tuple(sentences), n_ungrounded, n_copied)


def _find(quote: Quote, source: _Read) -> tuple[int, ...]:
    """The sentences that hold one quotation; none where it is ungrounded."""
    whole = _search(words_of(quote.text), quote.sentence, source)
    if whole is not None:
        return (whole.sentence,)
    anchors = [words_of(piece) for piece in ELLIPSIS.split(quote.text) if piece]
    if len(anchors) < 2 or any(len(anchor) < LEAST_WORDS for anchor in anchors):  # noqa: PLR2004
        return ()
    first = _search(anchors[0], quote.sentence, source)
    return () if first is None else _follow(first, anchors[1:], source)


def _follow(first: Found, anchors: Sequence[tuple[str, ...]], source: _Read) -> tuple[int, ...]:
    """The sentences from one anchor to the next; none where an anchor does not follow."""
    places = [first.sentence]
    last = first
    for anchor in anchors:
        rest = (_after(last, anchor, place, source) for place in range(last.sentence, len(source)))
        following = next((found for found in rest if found is not None), None)
        if following is None:
            return ()
        between = range(last.sentence + 1, following.sentence)
        places.extend(between if len(between) <= WIDEST_GAP else ())
        places.append(following.sentence)
        last = following
    return tuple(dict.fromkeys(places))


def _after(last: Found, anchor: tuple[str, ...], place: int, source: _Read) -> Found | None:
    begin = last.end if place == last.sentence else 0
    return _stands(anchor, source[place], place, begin)


def _search(quoted: tuple[str, ...], named: int, source: _Read) -> Found | None:
    """Where words stand: in the sentence named, else in the nearest other one."""
    if not quoted:
        return None
    if 0 <= named < len(source):
        found = _stands(quoted, source[named], named)
        if found is not None:
            return found
    if len(quoted) < LEAST_WORDS:
        return None
    nearest = sorted(range(len(source)), key=lambda place: abs(place - named))
    found_all = (_stands(quoted, source[place], place) for place in nearest)
    return next((found for found in found_all if found is not None), None)


def _stands(
    quoted: tuple[str, ...], sentence: tuple[str, ...], place: int, begin: int = 0
) -> Found | None:
    """Where a sentence holds quoted words, from one of its words on."""
    for start in range(begin, len(sentence) - len(quoted) + 1):
        if sentence[start : start + len(quoted)] == quoted:
            return Found(place, start, start + len(quoted))
    rest = sentence[begin:]
    if len(quoted) > MOST_WORDS:
        return None
    if sum((Counter(quoted) & Counter(rest)).values()) < LEAST_SHARE * len(quoted):
        return None
    matched = _in_order(quoted, rest)
    if len(matched) < LEAST_SHARE * len(quoted):
        return None
    upto = rest[: matched[-1] + 1]
    end = begin + len(upto)
    start = end - 1 - _in_order(quoted[::-1], upto[::-1])[-1]
    exact = [word for word in sentence[start:end] if is_exact(word)]
    if exact != [word for word in quoted if is_exact(word)]:
        return None
    return Found(place, start, end)


def _in_order(quoted: tuple[str, ...], sentence: tuple[str, ...]) -> list[int]:
    """Places in a sentence of the most words that both have in the same order."""
    longest = [[0] * (len(sentence) + 1) for _ in range(len(quoted) + 1)]
    for i in reversed(range(len(quoted))):
        for j in reversed(range(len(sentence))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if quoted[i] == sentence[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    places, i, j = [], 0, 0
    while i < len(quoted) and j < len(sentence):
        if quoted[i] == sentence[j]:
            places.append(j)
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return places
