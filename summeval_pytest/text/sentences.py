"""The sentences of a text that has been read.

They are cut by our own rules, since no library does better on scientific text. On 1,200 abstracts
of three sets (`tools/benchmarks/splitting.py`) their boundary F1 is .989, .965 and .995; nupunkt
0.8, the best of five libraries, has .990, .966 and .993. The rules hold for running text ("et al.",
"Fig. 2", "p = .05. The", "thin.3 We") and for lower-cased or tokenised text ("in mice. we",
"p < 0.05 . the cells"), the forms in which benchmarks are released. What is too long for a sentence
and linked by semicolons, dashes or bars is cut there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from summeval_pytest.text.lists import lists_of
from summeval_pytest.text.marks import citation_after, claims, is_label

SPLITTER: Final = "5"
"""Version of the rules by which sentences end; part of every signature."""

_CAPITAL = re.compile("[A-Z\u00c0-\u00de\u0391-\u042f]")
_BOUNDARY = re.compile(
    r"(?<![.!?])(?P<mark>[.!?]++)(?P<close>[\"'\u201d\u2019)\]]*)"
    r"(?=\s|\Z|[A-Z\d(\[^\u00b9\u00b2\u00b3\u2070\u2074-\u2079\u3010\u2020\u2021\u00a7$\\:])"
)
_BRACKETS = re.compile(r"\([^()\n]{0,300}\)|\[[^\[\]\n]{0,300}\]")
_INNER_STOP = re.compile(r"[.!?](?![.!?]*+[\"'\u201d\u2019)\]]*\Z)")
"""A stop in a bracket, but for those that end it: "(It did.)"."""
_LINKS: Final = [
    (re.compile(r"(?<![\w./@])\w*[a-z]{2,}\)?\.(?=[A-Z][a-z]*[\s,])|\s(?:\||//|\u2192)\s+"), 25, 2),
    (re.compile(r"(?<=[\w%)\]])\s[\u2013\u2014-]\s+(?=[A-Z])"), 50, 2),
    (re.compile(r";\s+"), 60, 3),
]
"""What links the sentences of a chain without full stops, what parts most first; each with the
words and the links from which on a text is a chain."""
_LINK = re.compile(r"[;|\u2192]|//|\s[\u2013\u2014-]\s|[a-z%)]\.[A-Z]")
"""What each link has: most sentences have none, and looking for chains takes long."""
_LEAST: Final = 4
"""Of two that are parted each has more words."""
_LIST_NUMBER = re.compile(r"\s*(?:(?:[A-Z][a-z]+\s|[QAS])?\d{1,2}|[ivx]{1,4})\Z")
_SYMBOL = re.compile(
    r"\s*(?:[a-z]{1,6}-?[A-Z\d]|[\u00b5\u03b1-\u03c9]|[a-z]\s?[=<>\u2264\u2265]|[a-z]-[a-z]"
    r"|[b-z]\s(?:was|is|were|are|has|had|values?)\b|[a-z]['\u2019][A-Z\u00c0-\u00de])"
)
"""A word that keeps its small letter at a sentence's start: pH, mRNA, p53, the n of "n = 4"."""
_WORD_END = re.compile(r"(?:[a-z]{3}|[\d%)])\Z")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_NEXT = re.compile(r"\s*([\"'(\[\u201c\u2018]*)(\S{0,60})(?:\s+([^\W\d]\S{0,60}))?")

_WORDS: Final = lists_of("sentences")
_LOOK_BACK: Final = 40
"""Characters before a full stop that may tell what it belongs to."""
_CAPITALS: Final = 0.005
"""Text with a smaller share of capitals has been lower-cased."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence; ``start`` and ``end`` are character offsets in the text that was split."""

    text: str
    start: int
    end: int


def _starts_anew(following: str, after: str) -> bool:
    """Whether a word begins a sentence: it is known to, or is a plural that a verb follows."""
    word = following.strip(",;:")
    is_plural = word[-1:] == "s" and word[1:].islower() and after[:1].islower()
    is_known = word.lower() in _WORDS["starters"]
    return word[:1].isupper() and (is_known or (is_plural and after not in _WORDS["linking"]))


def _goes_on(token: str, previous: str, following: str, after: str) -> bool:
    """Whether the full stop after ``token`` belongs to an abbreviation."""
    word = token.lower().rstrip(".")
    after_number = previous[-1:].isdigit()
    if word in _WORDS["open"]:
        ends_unit = after_number and token in _WORDS["units"]
        return not (ends_unit or (word in _WORDS["may_end"] and following[:1].isupper()))
    is_title = token[:1].isupper() and word in _WORDS["titles"]
    if is_title or word in _WORDS["before_number"]:
        return following[:1].isdigit() or (is_title and following[:1].isupper())
    if len(token) == 1 and token.isalpha() and token.isupper():
        ends = after_number or previous.lower() in _WORDS["lettered"]
        return not (ends or _starts_anew(following, after))
    if _LIST_NUMBER.match(token):  # the item of "Two results: 1. Ice. 2. Seas."
        word = previous.rstrip(".:;!?)").lower()
        is_short = word in _WORDS["open"] | _WORDS["before_number"]
        return word not in {"", previous.lower()} and not is_short
    if _INITIALS.fullmatch(token) is None:
        return False
    is_latin = token.islower() and token not in _WORDS["hours"] and following[:1].isupper()
    return not (is_latin or _starts_anew(following, after))


def _is_name(word: str, after: str) -> bool:
    """Whether a word is a name in small letters, or part of one: "numpy", "van Dyk", "in vitro"."""
    is_particle = word in _WORDS["particles"] and after[:1].isalpha()
    is_small = not _WORDS["small"].isdisjoint((word.strip(",;:'\u2019"), f"{word}_{after}"))
    return is_small or (is_particle and (after[0].isupper() or after in _WORDS["particles"]))


def _is_lowered(text: str) -> bool:
    """Whether a text has lost its capitals, so that none can be asked of a sentence's start."""
    return len(_CAPITAL.findall(text)) < _CAPITALS * len(text)


def _boundary(text: str, match: re.Match[str], *, lowered: bool) -> int:
    """Where the sentence ends that ends at a stop, its citation marks included; 0 if none does."""
    end = citation_after(text, match.end())
    following = _NEXT.match(text, end)
    opening, word, after = following.groups("") if following else ("", "", "")
    if text[end : end + 1].strip():  # ".[1]Ice" has a mark between, "ice.The" lost its space
        is_word = _WORD_END.search(text, max(0, match.start() - _LOOK_BACK), match.start())
        is_parted = is_word and after and word.lower() in _WORDS["starters"]
        if not (text[end].isupper() and (is_parted or end > match.end())):
            return 0
    mark, close = match.groups()
    is_apart = text[match.start() - 1 : match.start()].isspace()
    start = match.start() - is_apart
    before = text[max(0, start - _LOOK_BACK) : start]
    previous, last = ["", "", *before.split()][-2:]
    token = last.lstrip("\"'([\u201c\u2018")
    if not token or before[-1].isspace():
        return 0
    is_number = is_apart and token[-1:].isdigit() and word[:1].isdigit()  # "0 . 5"
    is_plain = mark == "." and not close
    goes_on = is_plain and _goes_on(token, previous, word, after)
    if is_number or goes_on or _LIST_NUMBER.match(text, 0, start):
        return 0
    begins = opening or not word[:1].islower() or _SYMBOL.match(text, end) or _is_name(word, after)
    return end if lowered or is_apart or begins else 0


def ends_sentence(line: str, following: str) -> bool:
    """Whether a line that ends with a stop ends a sentence, if another line follows."""
    text = f"{line[-_LOOK_BACK:]} {following[:_LOOK_BACK]}"
    stop = len(line[-_LOOK_BACK:].rstrip(".!?"))
    match = _BOUNDARY.match(text, stop)
    return match is None or _boundary(text, match, lowered=True) > 0


def _ends(line: str, *, lowered: bool) -> Iterator[int]:
    """Where the sentences of a line end."""
    open_line = _BRACKETS.sub(lambda bracket: _INNER_STOP.sub(",", bracket[0]), line)
    stops = (_boundary(line, match, lowered=lowered) for match in _BOUNDARY.finditer(open_line))
    for start, end in pairwise([0, *filter(None, stops), len(line)]):
        if _LINK.search(line, start, end):
            yield from (start + cut for cut in _cuts(line[start:end]))
        yield end


def _cuts(chain: str, links: Sequence[tuple[re.Pattern[str], int, int]] = _LINKS) -> Iterator[int]:
    """Where a text that is too long for a sentence is cut: behind what parts it most."""
    if not links or chain.count(" ") < _LINKS[0][1]:
        return
    link, most, fewest = links[0]
    open_chain = _BRACKETS.sub(lambda bracket: "." * len(bracket[0]), chain)
    found = [0, *(match.end() for match in link.finditer(open_chain)), len(chain)]
    is_long = [chain.count(" ", *part) >= _LEAST for part in pairwise(found)]
    cuts = [end for end, both in zip(found[1:], pairwise(is_long), strict=False) if all(both)]
    is_chain = chain.count(" ") >= most and len(cuts) >= fewest
    for start, end in pairwise([0, *(cuts if is_chain else ()), len(chain)]):
        yield from (start + cut for cut in _cuts(chain[start:end], links[1:]))
        if end < len(chain):
            yield end


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
            if is_label(stripped := line[begin:end].strip()) and end < len(line):
                continue  # "Methods." belongs to what follows
            if stripped:
                place = start + line.index(stripped, begin)
                if begin and not claims(stripped):  # "(Word count: 17)" belongs to what it follows
                    place = sentences.pop().start
                    stripped = text[place : start + end].rstrip()
                sentences.append(Sentence(stripped, place, place + len(stripped)))
            begin = end
        start += len(line) + 1
    return tuple(sentences)
