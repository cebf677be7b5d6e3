"""Whether a text is English, the one language that the embedded judge and our rules read.

A sentence is not if it has more function words of other languages than of English. Names, genes
and formulas have neither, so a sentence without any is taken for English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_ENGLISH: Final = frozenset(
    """
    about after all also although and are at be because been before being between both but by can
    could did does each for from had has have how if into is it its not of on only or our over
    should show showed shows some such than that the their them then there these they this those
    through to two using versus was we were what when where which while who whose with without would
    """.split()
)
_OTHERS: Final = frozenset(
    """
    aber auch auf aus bei bis das dass dem den der des durch ein eine einem einen einer es für ist
    jedoch mehr mit nach nicht nur oder sich sie sind sowie um und vom von vor waren werden wie wir
    wird wurde wurden zum zur zwischen über au aux avec ces cette chez dans de du elle est il ils
    la le les leur mais nous ou par pas plus pour que qui sont sur un une été como cuando del donde
    el ella en este esta fue fueron han hasta las los más mucho muy para pero por según ser sobre
    su sus también tras una ao aos das depois dos durante em entre foi foram mas muito nas nem não
    os pela pelo quando sua são uma alla che della delle di gli nel nella più sono tra è bez było
    były być czy dla jak jest lub na nad nie niż o oraz podczas przez przy są się tak tylko u w z
    za ze że bij dat deze dit het maar naar niet ook op te uit van voor werd werden wordt zijn
    zonder att av det ej eller ett från för hän inte med mellan mot och om på som så vid är ikke og
    til af bir daha için ile olarak ve ale jsou která které který nebo pro při však egy és hogy nem
    dari dengan pada yang
    """.split()
)
"""Function words of German, French, Spanish, Portuguese, Italian, Polish, Dutch, Swedish, Danish,
Turkish, Czech, Hungarian and Indonesian that are no English words."""
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
    if 3 * sum(map(len, _OTHER_SCRIPT.findall(text))) > sum(map(str.isalpha, text)):
        return False
    sentences = [_WORD.findall(sentence) for sentence in _SENTENCE_END.split(text)]
    n_words, n_foreign = sum(map(len, sentences)), sum(map(len, filter(_is_foreign, sentences)))
    return n_foreign * 4 <= n_words and not _is_foreign([w for words in sentences for w in words])
