"""Numbers of a text without a judge: lengths, readability, novelty, numbers, popularity.

    FKGL          = .39 words/sentences + 11.8 syllables/words - 15.59
    Coleman-Liau  = .0588 L - .296 S - 15.8      L letters, S sentences per 100 words
    Dale-Chall    = .1579 D + .0496 words/sentences, + 3.6365 where D > 5
                                                 D unfamiliar words per 100 words

Source: FareBio, figure 3b. What the paper correlates with faithfulness is therefore difficulty, not
ease (metrics.md FB5). The formulas leave open what they count; here

- a word is a run of letters and digits with at least one letter, hyphens and apostrophes within it
  ("double-blind", "patient's", "IL-6"); a number is no word, a placeholder of a formula neither;
- a sentence is one of `split_sentences` that holds a word;
- a letter is a letter, no digit.

Every text is normalised first, and the placeholders of its formulas are taken out. Words counted
for lengths and for 100 words are what stands between spaces.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from summeval_pytest.study.baselines import rouge
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import tokens

LENGTH: Final = "words"
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

    A summary is compared with ``references``: ROUGE is that of the best one, lengths are those of
    the first. ``familiar`` words are for Dale-Chall. ROUGE (``overlap``) takes longer than all the
    rest, novelty half as long.
    """
    text, source = normalise(text), normalise(source)
    first = normalise(references[0]) if references else text
    n_words, n_reference, n_source = (len(each.split()) for each in (text, first, source))
    numbers: dict[str, float | None] = {
        LENGTH: float(n_words),
        "reference words": float(n_reference),
        "source words": float(n_source),
        "compression": n_source / n_words if n_words else None,
        "of reference": n_words / n_reference if n_reference else None,
        COUNTED: float(count_numbers(text)),
        COUNTED_WORDS: float(len(_plain(text).split())) or None,
        "repetition": repetition_rate(text),
    }
    numbers |= {name: novelty(text, source, n) for n, name in enumerate(NOVELTIES, 1) if novel}
    numbers |= readability(text, familiar=familiar)
    scores = [rouge(reference, text) for reference in references if overlap]
    numbers |= {
        name: max(score[name] for score in scores) for name in (scores[0] if scores else ())
    }
    return {name: value for name, value in numbers.items() if value is not None}


_PLACEHOLDER = re.compile(r"(?:[^\S\n]*@x[^\W_]+)+[^\S\n]*")
"""Marks such as ``@xmath12`` or ``@xcite`` in the arXiv and PubMed sets; their digits number the
formulas and state nothing."""


def _plain(text: str) -> str:
    return _PLACEHOLDER.sub(" ", normalise(text))


_WORD = re.compile(r"\w+(?:['\u2019\u2010\u2011-]\w+)*")
_PARTS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")
_CLITIC = re.compile(r"\s+(?=['\u2019](?:s|re|ve|ll|d|m)\b)", re.IGNORECASE)
"""The space of tokenised text ("patient 's"), which would make a word of one letter."""
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
_MANY_UNFAMILIAR: Final = 5.0
_ENDINGS: Final = tuple(
    pair.split(">")
    for pair in """
    s> es> ies>y ed> ed>e ied>y ing> ing>e er> er>e ier>y est> est>e iest>y ly> ily>y
    """.split()
)
"""Inflections of a familiar word are familiar: the ending of the word, and that of its base.

Before a vowel a doubled consonant may stand for one ("stopped").
"""


def readability(text: str, *, familiar: frozenset[str] | None = None) -> dict[str, float]:
    """The grades of a text by the names of `READABILITY`; nothing for a text without a word.

    Higher is harder, and none has an upper bound. FKGL and Coleman-Liau may be negative for very
    easy texts. Dale-Chall is 0 or more (9 and above: read at college), and absent without
    ``familiar`` words, those that a reader of the fourth grade knows, about 3,000 in the formula's
    own list. None are shipped, because that list is not ours to copy.
    """
    plain = _CLITIC.sub("", _plain(text))
    word_lists = [_WORD.findall(sentence.text) for sentence in split_sentences(plain)]
    sentences = [[word for word in each if any(map(str.isalpha, word))] for each in word_lists]
    words = [word for sentence in sentences for word in sentence]
    if not words:
        return {}
    length = len(words) / sum(map(bool, sentences))
    letters = sum(map(str.isalpha, "".join(words)))
    n_syllables = sum(map(syllables, words)) / len(words)
    grades = {
        "FKGL": 0.39 * length + 11.8 * n_syllables - 15.59,
        "Coleman-Liau": 0.0588 * (100 * letters / len(words)) - 0.296 * (100 / length) - 15.8,
    }
    if familiar:
        known = frozenset(map(str.lower, familiar))
        unfamiliar = 100 * sum(not is_familiar(word, known) for word in words) / len(words)
        score = 0.1579 * unfamiliar + 0.0496 * length
        grades["Dale-Chall"] = score + 3.6365 if unfamiliar > _MANY_UNFAMILIAR else score
    return grades


def is_familiar(word: str, familiar: frozenset[str]) -> bool:
    """Whether a word, its parts, or what it is inflected from stand in a list of lower-cased words.

    A word is inflected by one ending of -s, -es, -ies, -ed, -ied, -ing, -er, -ier, -est, -iest, -ly
    and -ily. A possessive is the word itself; a compound is familiar where all its parts are,
    whatever digits stand in it.
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
        if base == word or len(base) <= 1:
            continue
        yield base + instead
        if ending[0] in "ei" and not instead and base[-1] == base[-2]:
            yield base[:-1]


_LETTERS = re.compile(r"[a-z]+")
_RUN = re.compile(r"[aeiouy]+")
_NOT_HEARD = re.compile(
    r"""
      (?<=[^aeiouy])e$                    # dose, whole
    | (?<=[^aeiouytd])e(?=d$)             # caused; not treated
    | (?<=[^aeiouyscgxzh])e(?=s$)         # lines; not doses
    | (?<=[tpg]h)e(?=s$)                  # lathes; not branches
    | (?<=[^aeiouy])e(?=(?:ly|ments?|ful|less|ness)$)   # safely, measurement
    """,
    re.VERBOSE,
)
_HEARD_LE = re.compile(r"[^aeiouyl]le[sd]?$")
"""The one e after a consonant that is heard at the end: muscle, enabled."""
_CONSONANT_VOWELS = re.compile(r"(?<=q)u|(?<=g)u(?=[aei])|(?<![^aeiou])y(?=[aeiou])")
"""Vowel letters that sound as consonants: quality, guide, layer, year."""
_HEARD_APART = re.compile(
    r"""
      (?<![ct])ia | [ct]ia(?![ln]|$)      # bacteria, associate; not special, dementia
    | (?<![ctsgxln])io | [ctsg]io(?![nu])  # period, ratio; not region, infectious, opinion
    | [ln]io(?!n)                         # senior, cheerio
    | iu                                  # medium
    | iet | ^scien | (?<![ctrg])ien | rien(?!d)   # variety, science, gradient, nutrient
    | (?:(?<=[aeiouy][^aeiouy])|(?<=rr)|(?<=rl))ie(?:r|st)s?$    # easier, barrier, earliest
    | (?<![gp])eo | geo(?!n|us)           # video, geometry; not surgeon, people
    | crea(?![ms]) | pancrea | react | [gn]eal | (?<=[aeiou]n)ear$ | uclear   # creation, nuclear
    | (?<=[aeiou][^aeiou])eas?$ | (?<=[aeiou]s)ea$   # area, urea, nausea
    | ua(?!d)                             # actual; the u of quality is no vowel here
    | uen | uou | duo                     # influence, continuous, duodenum
    | [ln]ui[dn] | suic | ruin | uity     # fluid, genuine, suicide
    | coag | zoa | poe[mt] | coe[fx]      # coagulate, poem, coefficient
    | ao | aic | ii | coin(?!s?$)         # aorta, mosaic, radii, coincide
    | [aeou]ing | [^aeiou]y[aeiou]        # going, studying, embryo
    | ^rei(?!g|n$) | eum | eus$           # reinforce, museum, nucleus
    | [ia]sms?$ | thms?$                  # organism, algorithm: a syllable without a vowel letter
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=65536)
def syllables(word: str) -> int:
    """How many syllables a word has, at least 1; the parts of a compound are counted one by one.

    Accents and case do not matter; digits and marks are not read.

    >>> syllables("patients"), syllables("radiation"), syllables("double-blind")
    (2, 4, 3)
    """
    plain = unicodedata.normalize("NFKD", word.lower().replace("'", "").replace("\u2019", ""))
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    return max(1, sum(map(_of_part, _LETTERS.findall(letters))))


def _of_part(part: str) -> int:
    part = _CONSONANT_VOWELS.sub("w", part)
    heard = part if _HEARD_LE.search(part) else _NOT_HEARD.sub("", part)
    return max(1, len(_RUN.findall(heard)) + len(_HEARD_APART.findall(part)))


def novelty(summary: str, source: str, n: int) -> float | None:
    """The share of the summary's n-grams that are not in the source: 0 copied, 1 all its own.

    Neither is good or bad by itself. An n-gram ends with its sentence; None where the summary has
    none.
    """
    known = set(_ngrams(_plain(source), n))
    stated = [
        gram for sentence in split_sentences(_plain(summary)) for gram in _ngrams(sentence.text, n)
    ]
    return sum(gram not in known for gram in stated) / len(stated) if stated else None


def repetition_rate(text: str, n: int = 4) -> float | None:
    """The share of the text's n-grams that it has had before: 0 to below 1, lower is better.

    None where the text has fewer than n tokens.
    """
    grams = _ngrams(_plain(text), n)
    return 1 - len(set(grams)) / len(grams) if grams else None


def _ngrams(text: str, n: int) -> list[tuple[str, ...]]:
    words = tokens(text)
    return list(zip(*(words[start:] for start in range(n)), strict=False))


_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def count_numbers(text: str) -> int:
    """How many numbers the text states, 0 or more."""
    return len(_NUMBER.findall(_plain(text)))


def popularity_profile(
    texts: Sequence[str], corpus: Sequence[str], *, bins: Sequence[int]
) -> tuple[float, ...]:
    """The share of the texts' words in each band of ranks, from common words to unknown ones.

    A word's rank is 1 + how many words are more frequent in the ``corpus``. ``bins`` are the last
    ranks of the bands, rising: (100, 1000) is 1 to 100 and 101 to 1000. Then come rarer words and
    words that the corpus does not have. The shares of all words of the texts, taken as one, are 1
    together; empty where the texts have no word.
    """
    frequencies = Counter(_all_words(corpus))
    rank_of: dict[int, int] = {}
    for rank, frequency in enumerate(sorted(frequencies.values(), reverse=True), 1):
        rank_of.setdefault(frequency, rank)
    counts = [0] * (len(bins) + 2)
    for word in _all_words(texts):
        frequency = frequencies[word]
        counts[bisect_left(bins, rank_of[frequency]) if frequency else -1] += 1
    total = sum(counts)
    return tuple(count / total for count in counts) if total else ()


BINS: Final = (10, 100, 1000)
"""The last rank of each band, 1 for the most frequent word of the sources."""
BANDS: Final = (
    *(f"{low + 1}-{high}" for low, high in pairwise((0, *BINS))), "rarer", "not in the corpus",
)  # fmt: skip
"""What each share of a profile by `BINS` is of."""


def _all_words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (token for token in tokens(_plain(text)) if token[0].isalpha())
