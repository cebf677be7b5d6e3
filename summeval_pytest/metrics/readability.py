"""How hard a text is to read, by three formulas: all are grades, and higher is harder.

    FKGL          = .39 words/sentences + 11.8 syllables/words - 15.59
    Coleman-Liau  = .0588 L - .296 S - 15.8      L letters, S sentences per 100 words
    Dale-Chall    = .1579 D + .0496 words/sentences, + 3.6365 where D > 5
                                                 D unfamiliar words per 100 words

Source: FareBio, figure 3b. What the paper correlates with faithfulness is therefore difficulty, not
ease (metrics.md FB5). The formulas leave open what they count; here

- a word is a run of letters and digits with at least one letter, hyphens and apostrophes within it
  ("double-blind", "patient's", "IL-6"); a number is no word, a placeholder of a formula neither;
- a sentence is one of `split_sentences` that holds a word;
- a letter is a letter, no digit; syllables are those of `text.syllables`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import normalise, split_sentences
from summeval_pytest.text.placeholders import without_placeholders
from summeval_pytest.text.syllables import syllables

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD = re.compile(r"\w+(?:['\u2019\u2010\u2011-]\w+)*")
_PARTS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CLITIC = re.compile(r"\s+(?=['\u2019](?:s|re|ve|ll|d|m)\b)", re.IGNORECASE)
"""The space of tokenised text ("patient 's"), which would make a word of one letter."""
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
_MANY_UNFAMILIAR: Final = 5.0
_MIN_BASE: Final = 2

_ENDINGS: Final = tuple(
    (ending, instead)
    for ending, _, instead in (
        pair.partition(">")
        for pair in """
        s> es> ies>y ed> ed>e ied>y ing> ing>e er> er>e ier>y est> est>e iest>y ly> ily>y
        """.split()
    )
)
"""The inflections of a familiar word that are familiar too: what ends the word, and what ended the
word in the list. Before a vowel a doubled consonant may stand for one ("stopped")."""


@dataclass(frozen=True, slots=True)
class Readability:
    """The grades of one text; higher is harder, and none has an upper bound.

    Attributes:
        fkgl: The Flesch-Kincaid grade level; may be negative for very easy texts.
        coleman_liau: The Coleman-Liau index; may be negative for very easy texts.
        dale_chall: The Dale-Chall score, 0 or more (9 and above: read at college); None where no
            list of familiar words was given.
    """

    fkgl: float
    coleman_liau: float
    dale_chall: float | None


def readability(text: str, *, familiar: frozenset[str] | None = None) -> Readability | None:
    """The grades of a text; None for a text without a word.

    Args:
        text: The text, as any metric gets it.
        familiar: The words that a reader of the fourth grade knows, about 3,000 in the formula's
            own list, in any case. None is shipped, because that list is not ours to copy.

    Raises:
        ValueError: For a list without a word, by which every word would be unfamiliar.
    """
    if familiar is not None and not familiar:
        raise ValueError("familiar is empty; give the familiar words, or None to go without")
    plain = _CLITIC.sub("", without_placeholders(normalise(text)))
    sentences = [found for s in split_sentences(plain) if (found := _words(s.text))]
    words = [word for sentence in sentences for word in sentence]
    if not words:
        return None
    length = len(words) / len(sentences)
    letters = sum(map(str.isalpha, "".join(words)))
    return Readability(
        fkgl=flesch_kincaid(length, sum(map(syllables, words)) / len(words)),
        coleman_liau=coleman_liau(100 * letters / len(words), 100 / length),
        dale_chall=None if familiar is None else dale_chall(_unfamiliar(words, familiar), length),
    )


def flesch_kincaid(words_per_sentence: float, syllables_per_word: float) -> float:
    """The Flesch-Kincaid grade level of these two means."""
    return 0.39 * words_per_sentence + 11.8 * syllables_per_word - 15.59


def coleman_liau(letters_per_100_words: float, sentences_per_100_words: float) -> float:
    """The Coleman-Liau index of these two means."""
    return 0.0588 * letters_per_100_words - 0.296 * sentences_per_100_words - 15.8


def dale_chall(unfamiliar_per_100_words: float, words_per_sentence: float) -> float:
    """The Dale-Chall score of these two means, with its step above 5 unfamiliar words in 100."""
    score = 0.1579 * unfamiliar_per_100_words + 0.0496 * words_per_sentence
    return score + 3.6365 if unfamiliar_per_100_words > _MANY_UNFAMILIAR else score


def is_familiar(word: str, familiar: frozenset[str]) -> bool:
    """Whether a word, its parts, or what it is inflected from stand in a list of lower-cased words.

    An inflection is one of: -s, -es, -ies; -ed, -ied; -ing; -er, -ier; -est, -iest; -ly, -ily; one
    ending a word, with a silent e given back and a doubled consonant undone. A possessive is the
    word itself; a compound is familiar where all its parts are, whatever digits stand in it.
    """
    lowered = word.lower()
    if lowered in familiar:
        return True
    parts = [_POSSESSIVE.sub("", part) for part in _PARTS.findall(lowered)]
    return all(any(base in familiar for base in _bases(part)) for part in parts)


def _bases(word: str) -> Iterator[str]:
    """The word, and what it may be inflected from."""
    yield word
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if base == word or len(base) < _MIN_BASE:
            continue
        yield base + instead
        if ending[0] in "ei" and not instead and base[-1] == base[-2]:
            yield base[:-1]


def _words(sentence: str) -> list[str]:
    return [word for word in _WORD.findall(sentence) if any(map(str.isalpha, word))]


def _unfamiliar(words: list[str], familiar: frozenset[str]) -> float:
    """How many of 100 words are unfamiliar."""
    known = frozenset(map(str.lower, familiar))
    return 100 * sum(not is_familiar(word, known) for word in words) / len(words)
