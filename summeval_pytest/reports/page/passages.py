"""Where the words of a passage stand in a text.

Judges quote what `summeval_pytest.text.normalise` left of a text; a reader sees what was written.
So passages are found by their letters and digits alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.page.visible import WHOLE, cut, places_shown
from summeval_pytest.text import content_words, normalise, sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Range = tuple[int, int]
"""Start and end of a passage, in UTF-16 units of the text as it is shown."""

_OTHERS: Final = re.compile(r"[\W_]+")
_ANCHOR: Final = 12
"""Letters at each end by which a passage is known whose middle differs, as by a special token."""
_SLACK: Final = 1.5
"""How much longer than the passage such a place may be."""


class Passages:
    """One text, cut to what a page shows, in which passages can be found."""

    def __init__(self, text: str) -> None:
        self.text = cut(text, WHOLE)
        self._letters = _letters(self.text)
        self._at = [i for i, character in enumerate(self.text) if character.isalnum()]
        self._shown = places_shown(self.text)
        self._found: dict[str, tuple[Range, ...]] = {}
        self._sentences = sentence_texts(normalise(self.text))

    def find(self, passage: str) -> tuple[Range, ...]:
        """Where a passage stands: in one place, or sentence by sentence; nothing if nowhere."""
        if passage not in self._found:
            self._found[passage] = self._found_in(passage)
        return self._found[passage]

    def _found_in(self, passage: str) -> tuple[Range, ...]:
        whole = self._find(passage)
        if whole is not None:
            return (self._range(whole),)
        found = map(self._find_loosely, sentence_texts(passage))
        return tuple(dict.fromkeys(self._range(place) for place in found if place is not None))

    def in_order(self, passages: Iterable[str]) -> Iterator[tuple[Range, ...]]:
        """Where each of some passages stands, each looked for behind the one before it first."""
        after = 0
        for passage in passages:
            place = self._find_loosely(passage, after) or self._find_loosely(passage)
            if place is None:
                yield ()
                continue
            after = place[1]
            yield (self._range(place),)

    def sentence(self, index: int) -> tuple[Range, ...]:
        """Where a sentence stands, by its index as metrics count; nothing where none has it."""
        return self.find(self._sentences[index]) if 0 <= index < len(self._sentences) else ()

    def shared_words(self, index: int, text: str) -> int:
        """How many content words a sentence shares with another text; -1 where there is none."""
        if not 0 <= index < len(self._sentences):
            return -1
        return len(set(content_words(self._sentences[index])) & set(content_words(text)))

    def _find_loosely(self, passage: str, after: int = 0) -> Range | None:
        whole = self._find(passage, after)
        if whole is not None:
            return whole
        letters = _letters(passage)
        if len(letters) <= 2 * _ANCHOR:
            return None
        start = self._letters.find(letters[:_ANCHOR], after)
        last = self._letters.find(letters[-_ANCHOR:], start + _ANCHOR) if start >= 0 else -1
        end = last + _ANCHOR
        return (start, end) if last >= 0 and end - start <= _SLACK * len(letters) else None

    def _find(self, passage: str, after: int = 0) -> Range | None:
        """The first place of a passage's letters that begins and ends with a word."""
        letters = _letters(passage)
        start = self._letters.find(letters, after) if letters else -1
        while start >= 0:
            end = start + len(letters)
            if self._is_border(start) and self._is_border(end):
                return start, end
            start = self._letters.find(letters, start + 1)
        return None

    def _is_border(self, place: int) -> bool:
        if not 0 < place < len(self._at):
            return True
        return self._at[place] - self._at[place - 1] > 1

    def _range(self, place: Range) -> Range:
        """From letters to what is shown, with the punctuation that closes the passage."""
        end = self._at[place[1] - 1] + 1
        while end < len(self.text) and not (self.text[end].isalnum() or self.text[end].isspace()):
            end += 1
        return self._shown[self._at[place[0]]], self._shown[end]


def best_sentence(texts: Sequence[Passages], index: int, fact: str) -> int:
    """Which text a fact is from that names its sentence by index: the one that shares most words.

    -1 where there are no texts.
    """
    if len(texts) == 1:
        return 0
    return max(range(len(texts)), key=lambda n: texts[n].shared_words(index, fact), default=-1)


def _letters(text: str) -> str:
    """The letters and digits of a text in lower case, one for each that it has."""
    kept = _OTHERS.sub("", text)
    lowered = kept.lower()
    return lowered if len(lowered) == len(kept) else "".join(c.lower()[0] for c in kept)
