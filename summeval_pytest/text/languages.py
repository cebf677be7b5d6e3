"""Whether a text is English, the one language that the embedded judge and our rules read.

A sentence is not if it has more function words of other languages than of English. Names, genes
and formulas have neither, so a sentence without any is taken for English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from summeval_pytest.text.lists import lists_of

_LISTS: Final = lists_of("languages")
_ENGLISH, _OTHERS = _LISTS["english"], _LISTS["others"]
"""Function words of English, and of thirteen other languages that are no English words."""
_WORD: Final = re.compile(r"(?<![\d/_])[^\W\d_]++(?![\d/_])")
_SENTENCE_END: Final = re.compile(r"[.!?;:]\s|\n")
_OTHER_SCRIPT: Final = re.compile(  # one Greek letter is a symbol
    r"[\u0400-\u1dff\u2e80-\ud7ff\uf900-\uffef\U00020000-\U0003ffff]+|[\u0370-\u03ff\u1f00-\u1fff]{2,}"
)
_NAME: Final = re.compile(  # as "van der Berg" and "Rio de Janeiro"
    r"\b(?:van(?: de[nr]?)?|von der?|de(?: la| l[ao]s)?|du|del|di) (?=[A-Z])"
)
_READ: Final = 20_000
"""Characters that are read."""


def _is_foreign(words: list[str]) -> bool:
    """Whether words in Latin letters are of another language; names say nothing of it."""
    if _OTHERS.isdisjoint(words) and "".join(words).isascii():
        return False
    n_english = sum(word.lower() in _ENGLISH for word in words)
    n_others = sum(word in _OTHERS for word in words)
    n_accented = sum(word.islower() and not word.isascii() for word in words if word not in _OTHERS)
    if n_others > 1 and 2 * n_others + n_accented > 2 * n_english + 1:
        return True
    is_long = len(words) >= (6 if n_others else 12)  # else it has the benefit of the doubt
    return is_long and not n_english and 5 * (n_others + n_accented) >= len(words)


@lru_cache(maxsize=256)
def is_english(text: str) -> bool:
    """Whether at least three quarters of a text's words are English; in doubt they are.

    >>> is_english("Der Ertrag fiel um 3 t und stieg dann."), is_english("The yield fell by 3 t.")
    (False, True)
    """
    text = _NAME.sub("", text[:_READ])
    n_of_others = sum(map(len, _OTHER_SCRIPT.findall(text)))
    if n_of_others and 3 * n_of_others > sum(map(str.isalpha, text)):
        return False
    words = _WORD.findall(text)
    if _OTHERS.isdisjoint(words) and "".join(words).isascii():
        return True  # as most texts are: no sentence of it is foreign
    sentences = [_WORD.findall(sentence) for sentence in _SENTENCE_END.split(text)]
    n_words, n_foreign = sum(map(len, sentences)), sum(map(len, filter(_is_foreign, sentences)))
    return n_foreign * 4 <= n_words and not _is_foreign(words)
