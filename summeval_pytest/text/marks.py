"""What a sentence shows and does not claim: the numbers of lists, citations and word counts.

They stay in the text, since a reader looks for it as it is written. `content` blanks them, so that
no metric takes the "3" of "thin.3" or of "Finding 3:" for a finding.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

from summeval_pytest.text.lists import lines_of, lists_of, one_of

_NUMBERS: Final = r"\d{1,3}(?:\s?[,;\u2013\u2212-]\s?\d{1,3}){0,9}"
_SUPERSCRIPT: Final = r"\u00b9\u00b2\u00b3\u2070\u2074-\u2079"
_YEAR: Final = r"(?:1[89]|20)\d\d"
_CLOSING: Final = "\"'\u201d\u2019)]"
_SENTENCE: Final = r"(?=\s+[\"'(\u201c]?[A-Z]|\s*\Z)"
CITES: Final = one_of("layout", "cites")
_PARTS = {"NUMBERS": _NUMBERS, "SUPER": _SUPERSCRIPT, "YEAR": _YEAR, "SENTENCE": _SENTENCE}
_PARTS["SECTION"] = rf"(?:{'|'.join(sorted(lists_of('layout')['labels'], reverse=True))})\b"
_PARTS |= {"CITES": CITES, "OPEN": rf"(?:[^\w\s]|[{_SUPERSCRIPT}])"}


def patterns(name: str) -> str:
    """The patterns of a name in ``marks.txt``, as one."""
    lines = [line.partition(": ") for line in lines_of("marks")]
    found = "|".join(pattern.replace(" ", r"\s") for key, _, pattern in lines if key == name)
    for part, pattern in _PARTS.items():
        found = found.replace(part, pattern)
    return f"(?:{found})"


for _part in ("NAME", "AUTHORED", "CITATION", "QUANTITY", "LABEL", "NOTE"):
    _PARTS[_part] = patterns(_part.lower())
_MARK = re.compile(
    rf"(?=\s?{_PARTS['OPEN']}){patterns('mark')}+(?:(?!\w)|(?<=[])^$\u3011\u00b2\u00b3\u00b9])(?=[A-Z]))"
)
"""Citation marks behind a stop, of which no number can be part."""
_DIGITS = re.compile(rf"\d{{1,3}}(?:[,\u2013-]\d{{1,3}})*{_SENTENCE}")
"""The same as plain digits, if what follows begins a sentence."""
_DECIMAL = re.compile(rf"\.(\d{{1,2}}){_SENTENCE}")
_CITED = re.compile(rf"(?:[^\W\d_]{{2}}|[/\u00b7]\w|\d\s?[^\W\d_]|[%\u00b0]|(?<![\d.,]){_YEAR})\Z")
"""What no decimal point follows: a word, a unit, a year."""
_CITATION = re.compile(rf"(?<=[.!?,;:{re.escape(_CLOSING)}]){_MARK.pattern}|{patterns('cited')}")
_ADDED: Final = rf"[(\[*_\u2013\u2014-]*\s?(?:note:\s)?{patterns('tail')}(?:\s\([^()\n]{{1,40}}\))?"
_END: Final = r"[.!?]*\s?[)\]*_\u2013\u2014-]*[.!?]*\s*\Z"
_TAILS: Final = [
    re.compile(f"(?i){before}{_ADDED}{_END}") for before in (r"\A", r"(?P<kept>[.!?)\]\"]\s)")
]
"""What an assistant adds: a word count, an offer."""
_FIRST = re.compile(rf"\A\s*{patterns('first')}")
"""The number of a list's item, at its start."""
_INLINE = re.compile(patterns("enumerator"))
_DOTTED = re.compile(r"\d\.\s?[\"'(\u201c]?[^\W\d_]")
"""What an enumeration has unless it has a closing bracket."""
_ROMAN: Final = "i ii iii iv v vi vii viii ix x".split()
_ORDERS: Final = ([*map(str, range(1, 100))], ascii_lowercase, _ROMAN)
_NEIGHBOURS: Final = frozenset(pair for order in _ORDERS for pair in pairwise(order))
_LABEL = re.compile(rf"{_PARTS['LABEL']} ?[.:]")
SECTION = re.compile(rf"(?<!\S)(?=[A-Z]){_PARTS['LABEL']}\s?:\s+(?=\S)")
"""A label of a section, anywhere in a line."""
_LONGEST: Final = 240
"""Nothing that claims nothing has so many characters."""
_WORD = re.compile(r"[^\W_]+")
_ANY = re.compile(rf"[\d\[\u3010\ue200\ufffd\u2020\u2021\u00a7{_SUPERSCRIPT}]")
_ANY_LETTER = re.compile(r"[a-z]\)|\A[ivx]{1,4}\.")
_OPENED = re.compile(r"\s*[A-Za-z][A-Za-z ,/&-]{0,40}[:.\u2013\u2014-]\s")
"""What a label at the start looks like."""
_OPENING = re.compile(
    rf"[\[(\u3010\ue200\ufffd\\^$\u2020\u2021\u00a7{_SUPERSCRIPT}]|:contentReference"
)
"""What each citation has one of: most sentences have none, and their look-up takes long."""


def _blank(match: re.Match[str]) -> str:
    kept = match.groupdict().get("kept") or ""
    return kept + " " * (len(match[0]) - len(kept))


def _without_enumerators(text: str) -> str:
    """Blank the marks of an enumeration: those that ascend, or that begin one at a colon."""
    if ")" not in text and not _DOTTED.search(text):
        return text
    names = ["", *(match[2] or match[3] for match in _INLINE.finditer(text)), ""]
    if not any(names):
        return text
    around = zip(pairwise(names), pairwise(names[1:]), strict=False)

    def blank(match: re.Match[str]) -> str:
        is_first = text[match.start() - 1] == ":" and (match[2] or match[3]) in {"1", "a", "i"}
        return match[0] if _NEIGHBOURS.isdisjoint(next(around)) and not is_first else _blank(match)

    return _INLINE.sub(blank, text)


def counts_up(last: str, mark: str) -> bool:
    """Whether a list's mark is a first one, or follows the last one."""
    names = tuple(name for each in (last, mark) for name in _WORD.findall(each)[-1:])
    return names[-1] in {"1", "a", "i"} or names in _NEIGHBOURS


def citation_after(text: str, stop: int) -> int:
    """Where the citation marks behind a full stop end; the stop's own end where there are none.

    Plain digits are a mark behind a word ("thin.3") and a year ("2019.1"), not in "34.5".
    """
    if match := _MARK.match(text, stop):
        return match.end()
    before = text[max(0, stop - 12) : stop]
    ended = before.rstrip(_CLOSING)
    digits = _DIGITS.match(text, stop)
    if not digits or ended[-1:] not in {".", "!", "?"}:
        return stop
    is_closed = ended != before or ended[-1] != "." or ended[-2:-1] in tuple(_CLOSING)
    is_cited = _CITED.search(ended[:-1])
    return digits.end() if is_closed or is_cited else stop


def with_counted(text: str) -> str:
    """The text with a bracket around digits behind a number that are a mark: "80.4" is "80.[4]".

    They are, where the marks behind words count up: "thin.3", "80.4", "rose.5".
    """
    found = [
        (match.start(), int(match[1]), citation_after(text, match.start() + 1) == match.end())
        for match in _DECIMAL.finditer(text)
    ]
    counted: set[int] = set()
    for ordered, step in ((found, 1), (found[::-1], -1)):
        due = -1
        for start, value, is_mark in ordered:
            if value == due and not is_mark:
                counted.add(start)
            due = value + step if is_mark or value == due else due
    return _DECIMAL.sub(lambda m: f".[{m[1]}]" if m.start() in counted else m[0], text)


@lru_cache(maxsize=16384)
def content(sentence: str) -> str:
    """The sentence with what claims nothing blanked; offsets stay valid, as its length does.

    Blank are the number of a list's item ("2. ", "(b) ", "Finding 3: "), the marks of an
    enumeration, citations ("thin.3", "[4, 9]", "(Berg et al., 2014)") and word counts.
    """
    for pattern in _TAILS:
        sentence = pattern.sub(_blank, sentence)
    if not (_ANY.search(sentence) or _ANY_LETTER.search(sentence) or _OPENED.match(sentence)):
        return sentence
    sentence = _FIRST.sub(_blank, sentence)
    if _OPENING.search(sentence):
        sentence = _CITATION.sub(_blank, sentence)
    sentence = _without_enumerators(sentence)
    written = sentence.rstrip()
    stop = len(written.rstrip("0123456789,-\u2013"))
    is_cited = stop < len(written) == citation_after(written, stop)
    return sentence[:stop].ljust(len(sentence)) if is_cited else sentence


def is_label(text: str) -> bool:
    """Whether a text is the name of a section alone, with its stop: "Methods.", "Key findings:"."""
    return _LABEL.fullmatch(text) is not None


def claims(text: str) -> bool:
    """Whether a text is more than a word count or another mark."""
    return len(text) > _LONGEST or not _WORD.search(text) or bool(_WORD.search(content(text)))
