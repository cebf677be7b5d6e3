"""Text as metrics and judges read it: normalised, cut into sentences, and those into words.

Models leave traces (`<s>`, `<pad>`, a leading "Abstract:") that would tell a judge which system it
reads; 200 of the 300 summaries of ScholarSum's PubMed half carry one. So texts are normalised: no
special tokens, no invisible characters, plain white space.

Sentences are cut by our own rules, because no library does better on scientific text and none gives
offsets, a version and no dependency at once. They hold for running text ("et al.", "Fig. 2",
"p = .05. The") and for lower-cased or tokenised text ("in mice. we", "p < 0.05 . the cells"), the
forms in which benchmarks are released.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

NORMALISER: Final = "2"
"""Version of the rules by which text is normalised; part of every signature."""

_BREAK_TOKENS = re.compile(r"(?i)<n>|<br\s*/?>")
_SPECIAL_TOKENS = re.compile(r"(?i)</?s>|<pad>|<unk>|<\|(?:endoftext|im_start|im_end)\|>")
_LABELS = re.compile(r"(?i)\A\s*(?:(?:\*\*|#+\s*)?(?:abstract|summary)(?:\*\*)?\s*:(?:\*\*)?\s*)+")
_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_LIST_ITEM = re.compile(r"\n\s*(?=(?:[-*\u2022\u2023]|\d{1,2}[.)])\s)")
_SENTENCE_LINE = re.compile(r"(?<=[.!?:])[^\S\n]*\n\s*")
_MARK = "\x00"


def visible(character: str) -> str:
    """The character; nothing for one that is not seen, a mark for half a character pair."""
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf" or (category == "Cc" and character not in "\n\t\r\f\v\x85"):
        return ""
    return character


@lru_cache(maxsize=128)
def normalise(text: str) -> str:
    r"""The text without special tokens, leading labels, and invisible characters.

    White space becomes one space, or an empty line where a paragraph, a list item or a line that
    ends a sentence ends; so a later split into sentences can use the line structure. Idempotent.

    >>> normalise("<s> Abstract:  zinc\u200b helps .</s><pad>")
    'zinc helps .'
    """
    if not text.isascii() or not text.isprintable():
        for character in set(text):
            if (seen := visible(character)) != character:
                text = text.replace(character, seen)
    if "<" in text:
        text = _SPECIAL_TOKENS.sub(" ", text)  # which may leave a break: "<br<s>/>"
        text = _BREAK_TOKENS.sub("\n\n", text)
    text = _LABELS.sub("", text)
    if "\n" in text:
        for break_ in (_PARAGRAPH, _LIST_ITEM, _SENTENCE_LINE):
            text = break_.sub(_MARK, text)
    lines = (" ".join(line.split()) for line in text.split(_MARK))
    return "\n\n".join(line for line in lines if line)


SPLITTER: Final = "2"
"""Version of the rules by which sentences end; part of every signature."""

_CAPITAL = re.compile("[A-Z]")
_BOUNDARY = re.compile(r"(?P<mark>[.!?]+)(?P<close>[\"'\u201d\u2019)\]]*)(?=\s|\Z)")
_BRACKETS = re.compile(r"\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\]")
_LIST_NUMBER = re.compile(r"\s*\d{1,2}\Z")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_NEXT = re.compile(r"\s*([\"'(\[\u201c\u2018]*)(\S*)")

_ALWAYS_OPEN: Final = frozenset(
    """
    e.g i.e eg ie cf vs viz approx ca resp dr prof mr mrs ms st fig figs eq eqs eqn ref refs
    tab tbl sec sect ch suppl ser nos vol vols pp ed eds al sp spp var subsp thm lem cor prop
    def jr sr inc ltd dept univ assoc
    """.split()
)
"""Abbreviations after which a sentence goes on."""
_MAY_END: Final = frozenset({"al", "sp", "spp", "inc", "ltd", "jr", "sr"})
_UNITS: Final = frozenset({"ms", "sec"})
"""Units among them: after a number they end a sentence, as no "fig. 2 vs. 3" does."""
_BEFORE_NUMBER: Final = frozenset(
    """
    no nr p art par app ex col jan feb mar apr may jun jul aug sep sept oct nov dec
    """.split()
)
"""Abbreviations before a number; in front of anything else they may be the last word."""
_STARTERS: Final = frozenset(
    """
    a all although among an and as at because both but by compared despite during each finally
    findings first for from further furthermore here hence how however if in it its many more
    moreover most neither no none of on one only other our overall patients participants
    recent results second several since some such that the their then there therefore these
    they this those three thus to two under using we when whereas whether which while with
    within without
    """.split()
)
_LETTERED: Final = frozenset(
    """
    vitamin hepatitis group type class grade panel table figure arm site model category cohort
    plan influenza phase factor case part protein strain system
    """.split()
)
_LOOK_BACK: Final = 40
"""Characters before a full stop that may tell what it belongs to."""
_CAPITALS: Final = 0.005
"""Text with a smaller share of capitals among its letters has been lower-cased."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; ``start`` and ``end`` are character offsets in the text that was split."""

    text: str
    start: int
    end: int


def _starts_anew(following: str) -> bool:
    return following[:1].isupper() and following.lower().strip(",;:") in _STARTERS


def _goes_on(token: str, previous: str, following: str, *, opened: bool) -> bool:
    """Whether the full stop after ``token`` belongs to an abbreviation."""
    word = token.lower().rstrip(".")
    after_number = previous[-1:].isdigit()
    if word in _ALWAYS_OPEN:
        is_unit = after_number and token.islower()
        ends_unit = is_unit and (word in _UNITS or following[:1].isupper())
        return not ((word in _MAY_END and _starts_anew(following)) or ends_unit)
    if word in _BEFORE_NUMBER:
        return following[:1].isdigit()
    if len(token) == 1 and token.isalpha() and token.isupper():
        ends = after_number or previous.lower() in _LETTERED or opened
        return not (ends or _starts_anew(following))
    return _INITIALS.fullmatch(token) is not None and not _starts_anew(following)


def _is_lowered(text: str) -> bool:
    """Whether a text has lost its capitals, so that none can be asked of a sentence's start."""
    enough = int(_CAPITALS * len(text)) + 1
    if sum(1 for _ in islice(_CAPITAL.finditer(text), enough)) == enough:
        return False
    capitals = sum(map(str.isupper, text))
    return capitals < _CAPITALS * sum(map(str.isalpha, text))


def _is_boundary(text: str, match: re.Match[str], *, lowered: bool) -> bool:
    following = _NEXT.match(text, match.end())
    opening, word = following.groups() if following else ("", "")
    if not word and not opening:
        return True
    mark, close = match.groups()
    is_apart = text[match.start() - 1 : match.start()].isspace()
    start = match.start() - is_apart
    before = text[max(0, start - _LOOK_BACK) : start]
    if not before or before[-1].isspace():
        return False
    previous, last = ["", *before.split()][-2:]
    token = last.lstrip("\"'([\u201c\u2018")
    if not token or _LIST_NUMBER.match(text, 0, start):
        return False
    if mark == "." and not close and _goes_on(token, previous, word, opened=bool(opening)):
        return False
    if is_apart:
        return not (token[-1:].isdigit() and word[:1].isdigit())
    return lowered or bool(opening) or not word[:1].islower()


def _ends(line: str, *, lowered: bool) -> Iterator[int]:
    """Where the sentences of a line end."""
    brackets = [match.span() for match in _BRACKETS.finditer(line)]
    starts = [span[0] for span in brackets]
    for match in _BOUNDARY.finditer(line):
        inside = bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.end() < brackets[inside][1]:
            continue
        if _is_boundary(line, match, lowered=lowered):
            yield match.end()
    yield len(line)


@lru_cache(maxsize=512)
def sentence_texts(text: str) -> tuple[str, ...]:
    """The sentences of a normalised text without their places; a paper's, for all its systems."""
    return tuple([sentence.text for sentence in split_sentences(text)])


@lru_cache(maxsize=32)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in order; a line break always ends one.

    ``text[s.start:s.end] == s.text`` for every sentence, no two overlap, and what lies between them
    is white space. Feed it normalised text, where a line break means a paragraph or a list item.
    """
    sentences: list[Sentence] = []
    start = 0
    lowered = _is_lowered(text)
    for line in text.split("\n"):
        begin = 0
        for end in _ends(line, lowered=lowered):
            if stripped := line[begin:end].strip():
                place = start + line.index(stripped, begin)
                sentences.append(Sentence(stripped, place, place + len(stripped)))
            begin = end
        start += len(line) + 1
    return tuple(sentences)


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
def _content(token: str) -> str:
    """The stem of a token, a number as it is written, nothing for a common word."""
    if token in STOP_WORDS or (len(token) == 1 and not token.isdigit()):
        return ""
    return token.replace(",", "") if token[0].isdigit() else stem(token)


def tokens(text: str) -> list[str]:
    """The words, numbers and percent signs of a text, lower-cased, in order."""
    lowered = text.lower()
    return (_ASCII_TOKEN if lowered.isascii() else _TOKEN).findall(lowered)


@lru_cache(maxsize=4096)
def known_tokens(text: str) -> tuple[str, ...]:
    """The same, kept for a sentence that is asked about again: its numbers, stems and weights."""
    return tuple(tokens(text))


def has_tokens(text: str) -> bool:
    """Whether a text has a word, a number or a percent sign at all."""
    return _TOKEN.search(text) is not None


@lru_cache(maxsize=8192)
def content_words(text: str) -> tuple[str, ...]:
    """The stems of the words that carry content, in order; numbers stay as they are written."""
    return tuple(filter(None, map(_content, known_tokens(text))))


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
    return sum(map(bool, map(_content, tokens(text))))
