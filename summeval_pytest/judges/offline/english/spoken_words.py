"""What is known of each word by itself, and where a sentence breaks into clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.adjectives import GOODS, ILLS, STATES
from summeval_pytest.judges.offline.english.denials import (
    ALIKE,
    ASKING,
    FINDING,
    IMPLIED,
    NEGATORS,
    NULL,
)
from summeval_pytest.judges.offline.english.lexicon import GENERIC
from summeval_pytest.judges.offline.english.opposites import OPPOSED
from summeval_pytest.judges.offline.english.polarity import EXTRA, MULTIPLIERS, POLAR
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.text import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_TOKEN: Final = re.compile(
    r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019]t\b)?\d*|[;:,%]|(?<=\s)[-\u2013\u2014](?=\s)"
)
_ASCII_TOKEN: Final = re.compile(
    r"[a-z]+(?:'t\b)?[0-9]*|[0-9]+(?:[.,][0-9]+)*|[;:,%]|(?<=\s)-(?=\s)"
)
"""The same in a lower-cased text of ASCII characters, which most are, in half the time."""
_BREAKS: Final = frozenset(
    "; : , - \u2013 \u2014 whereas while but although though however yet and because".split()
)
VERBS: Final = frozenset(
    """
    is are was were be been has have had do does did can could may might will would should fell
    rose led grew became brought cut ran took gave held kept lost made met set shrank spread
    went won came saw found showed shows show remains remained did not cannot
    """.split()
)
_EMPTY: Final = (
    NEGATORS
    | NULL
    | ALIKE
    | frozenset("ci cis confidence interval odds ratio hazard hr or rr irr sd se iqr".split())
)
PREPOSITIONS: Final = frozenset("with to for in at of by from as on".split())
PRESENTS: Final[Mapping[str, str]] = MappingProxyType(
    dict(
        pair.split("=")
        for pair in """
        knew=know known=know slept=sleep gave=give given=give went=go gone=go took=take taken=take
        saw=see seen=see ran=run came=come spoke=speak spoken=speak wrote=write written=write
        chose=choose chosen=choose bought=buy sold=sell built=build spent=spend sent=send met=meet
        led=lead felt=feel thought=think taught=teach caught=catch broke=break broken=break
        drove=drive driven=drive ate=eat eaten=eat drank=drink began=begin begun=begin swam=swim
        flew=fly flown=fly threw=throw paid=pay said=say told=tell held=hold kept=keep left=leave
        stood=stand understood=understand made=make bound=bind wound=wind ground=grind fed=feed
        bred=breed dealt=deal meant=mean bent=bend lent=lend bore=bear borne=bear wore=wear
        worn=wear stuck=stick struck=strike froze=freeze frozen=freeze hid=hide hidden=hide
        lay=lie laid=lay sought=seek forgot=forget forgotten=forget forbade=forbid stole=steal
        men=man women=woman children=child mice=mouse feet=foot teeth=tooth leaves=leaf
        """.split()
    )
)
"""Irregular forms, each with the form that its stem is taken of."""
HEAD: Final = 6
"""Words that begin with so many same letters are of one family ("permeable", "permeability")."""
SUBORDINATE: Final = frozenset("what which that who whether where when because".split())
"""Words behind which a denial of the main clause denies nothing."""
_OTHERS: Final = SUBORDINATE | frozenset(
    "rather against and up down above below many much from too way".split()
)
_LETTERS: Final = frozenset("wbahy")
"""What the words among the breaks begin with."""


@dataclass(slots=True, eq=False)
class Word:
    """What is known of a word by itself.

    Attributes:
        stem: Its stem, empty where it is not informative.
        weight: How much it tells, 0 where it is not informative.
        tells: Whether it may deny, state, ask or point anywhere.
        is_verb: Whether it may be the verb of a clause.
        base: Its stem, informative or not.
        denies: Whether it denies what follows it.
    """

    stem: str
    weight: float
    tells: bool
    is_verb: bool
    base: str
    denies: bool


def is_negation(word: str) -> bool:
    """Whether a word denies what follows it."""
    return word in NEGATORS or word.endswith(("n't", "n\u2019t"))


@lru_cache(maxsize=65536)
def known(word: str) -> Word:
    """What is known of a word, number or break in lower case."""
    if word[0].isdigit():
        return Word(word.replace(",", ""), 1.0, tells=False, is_verb=False, base=word, denies=False)
    base = stem(PRESENTS.get(word, word))
    denies = is_negation(word)
    is_verb = word in VERBS or word.endswith("ed") or denies or base in POLAR or word in EXTRA
    is_direction = base in POLAR and word not in EXTRA
    is_empty = (
        word in STOP_WORDS or len(word) == 1 or base in GENERIC or base in FINDING or is_direction
        or word in _EMPTY or denies
    )  # fmt: skip
    tells = (
        denies or base in POLAR or word in EXTRA or word in NULL or word in ALIKE
        or base in FINDING or base in ASKING or base in IMPLIED or word in OPPOSED
        or word in STATES or word in GOODS or word in ILLS or word in MULTIPLIERS
        or word in _OTHERS or word.endswith("er")
    )  # fmt: skip
    if is_empty:
        return Word("", 0.0, tells, is_verb, base, denies)
    return Word(base[:HEAD], 0.2 + rarity(base), tells, is_verb, base, denies)


def pieces(tokens: Sequence[str]) -> list[list[str]]:
    """The words of a sentence, cut into clauses; a piece without a verb joins its neighbour."""
    cut: list[tuple[list[str], bool, bool]] = []
    piece: list[str] = []
    has_verb = is_telling = False
    for token in tokens:
        if token in _BREAKS:
            if piece:
                cut.append((piece, has_verb, is_telling))
            piece = [token] if token[0] in _LETTERS else []
            has_verb = is_telling = False
        else:
            piece.append(token)
            entry = known(token)
            has_verb = has_verb or entry.is_verb
            is_telling = is_telling or (entry.weight > 0 and token[0] > "9")
    cut.append((piece, has_verb, is_telling))
    joined: list[list[str]] = []
    held: list[str] = []
    for words, has_verb, is_telling in cut:
        opens = not joined or not words or words[0] not in PREPOSITIONS
        if has_verb and opens and (held or not joined or is_telling):
            joined.append(held + words)
            held = []
        elif joined:
            joined[-1] += words
        else:
            held += words
    if held:
        joined.append(held)
    return joined


def tells(tokens: Iterable[str]) -> bool:
    """Whether any word of a sentence denies, states, asks or points anywhere."""
    return any(known(word).tells for word in tokens if word != "and")


def tokens_of(text: str) -> tuple[str, ...]:
    """The words, numbers and breaks of a text in order, in lower case."""
    lowered = text.lower()
    return tuple((_ASCII_TOKEN if lowered.isascii() else _TOKEN).findall(lowered))
