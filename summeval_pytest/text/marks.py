"""What a sentence shows and does not claim: the numbers of lists, citations and word counts.

They stay in the text, since a reader looks for it as it is written. `content` blanks them, so that
no metric takes the "3" of "thin.3" or of "Finding 3:" for a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

_NUMBERS: Final = r"\d{1,3}(?:\s?[,;\u2013\u2212-]\s?\d{1,3}){0,9}"
_SUPERSCRIPTS: Final = (
    r"[\u00b9\u00b2\u00b3\u2070\u2074-\u2079][\u00b9\u00b2\u00b3\u2070\u2074-\u2079,\u207b\u2013-]*"
)
_STOP: Final = r"[.!?,;:][\"'\u201d\u2019)\]]*"
_YEAR: Final = r"(?:1[89]|20)\d\d"
_NAME: Final = r"[A-Z][\w'\u2019-]{1,30}"
_AUTHORS: Final = rf"{_NAME}(?:,?\s(?:and|&)\s{_NAME}|\set\sal\b\.?)?"

AFTER_STOP = re.compile(
    rf"(?:\[{_NUMBERS}\]|\s\[{_NUMBERS}\](?=\s+[\"'(\u201c]?[A-Z]|\s*\Z)|\({_NUMBERS}\)|\^?{_SUPERSCRIPTS}|\^\d{{1,3}})+(?!\w)"
)
"""Citation marks behind a stop, of which no number can be part."""
_PLAIN = re.compile(r"\d{1,3}(?:[,\u2013-]\d{1,3})*(?=\s+[\"'(\u201c]?[A-Z]|\s*\Z)")
"""The same as plain digits, if what follows begins a sentence."""
_OPEN_WORD = re.compile(
    r"(?i)(?:\A|[^a-z])(?:figs?|eqs?|nos?|refs?|secs?|tabs?|vols?|pp?|vs?|ch|art|ver)\Z"
)
_CITED = re.compile(rf"(?:[^\W\d_]{{2}}|[/\u00b7]\w|\d\s?[^\W\d_]|[%\u00b0]|(?<![\d.,]){_YEAR})\Z")
"""What no decimal point follows: a word, a unit, a year."""
_CITATION = re.compile(
    rf"""(?x)
      (?<=[.!?,;:])["'\u201d\u2019)\]]{{0,3}}({AFTER_STOP.pattern})
    | \s?(\((?:(?:see|cf\.|e\.g\.,?)\ )?{_AUTHORS},?\s{_YEAR}[a-z]?
        (?:[;,]\s(?:{_AUTHORS},?\s)?{_YEAR}[a-z]?){{0,9}}\))
    | (?:et\ al\.?|(?:and|&)\s{_NAME})(\s\({_YEAR}[a-z]?\))
    | (?:(?<=[^\W\d_])|(?<=[)%])|(?<=(?<![\d.,]){_YEAR}))(\s?\[{_NUMBERS}\])
    """
)
_IN_BRACKETS: Final = 4
"""The group of a mark in brackets behind a word, where an interval may stand as well."""
_INTERVAL = re.compile(r"(?i)\b(?:ci|cri|iqr|hdi|interval|range|limits|between|from)\Z")
_COUNT = re.compile(
    r"(?i)[(\[]?\b(?:total )?word[ -]count\s?[:=]?\s?\W?\d{1,5}(?: words)?[)\]]?\.?"
    r"|[(\[](?:about |approximately |approx\. |~ ?)?\d{1,5} words[)\]]\.?"
)
_FIRST = re.compile(
    r"""(?x)\s*(?:
      (?i:(?:key\ |main\ )?(?:finding|step|point|result|takeaway|claim|item|conclusion|observation
        |highlight|insight|message|lesson|reason|theme|fact|statement|sentence|contribution
        |recommendation|bullet|note|part|section))\ \#?\d{1,2}\s?[:.)\u2013\u2014-]\s
    | (?:\d{1,2}\s?[.):]|[ivx]{1,4}\.|\(\d{1,2}\)|\[\d{1,3}\]|[a-z]\)|\((?:[a-z]|[ivx]{1,4})\)|\d{1,2}\s[-\u2013\u2014|])
      \s+(?=["'(\u201c\u2018]?[^\W\d_])
    | \#\d{1,2}[:.]?\s
    )"""
)
"""The number of a list's item, at its start."""
_INLINE = re.compile(
    r"(?:(?<=[:;,.])|(?<=\band)|(?<=\bor)|(?<=[^\W\d_]))\s"
    r"(\((\d{1,2}|[a-z]|[ivx]{2,4})\)|(\d{1,2})[.)])\s?(?=[\"'(\u201c]?[^\W\d_])"
)
_ROMAN: Final = {
    name: place for place, name in enumerate("i ii iii iv v vi vii viii ix x".split(), 1)
}
_LONGEST: Final = 60
"""No word count has so many characters."""
_WORD = re.compile(r"[^\W_]")
_ANY = re.compile(r"[\d\u00b9\u00b2\u00b3\u2070-\u2079]|[a-z]\)|\A[ivx]{1,4}\.")


def _enumerators(text: str) -> Iterator[tuple[int, int]]:
    """The marks of an enumeration within a sentence: those that ascend, or begin it at a colon."""
    found = list(_INLINE.finditer(text))
    for values in (_ordinal, _roman):
        rank = [values(match) for match in found]
        for place, (match, value) in enumerate(zip(found, rank, strict=True)):
            near = rank[max(0, place - 1) : place] + rank[place + 1 : place + 2]
            begins = value == 1 and text[match.start() - 1] == ":"
            before, after = place > 0 and rank[place - 1] == value - 1, value + 1 in near
            if value > 0 and (before or after or begins):
                yield match.span(1)


def _ordinal(match: re.Match[str]) -> int:
    value = match[2] or match[3]
    return int(value) if value.isdigit() else ord(value) - 96 if len(value) == 1 else -9


def _roman(match: re.Match[str]) -> int:
    return _ROMAN.get(match[2] or "", -9)


def citation_after(text: str, stop: int, *, may_count: bool = False) -> int:
    """Where the citation marks behind a full stop end; the stop's own end where there are none.

    Plain digits are a mark behind a word ("thin.3") and behind a year ("2019.1"). Behind another
    number they are so only for one who knows that marks count up there.
    """
    following = text[stop : stop + 2]
    if not following.strip() or (following[0].isspace() and following[1] != "["):
        return stop
    if match := AFTER_STOP.match(text, stop):
        return match.end()
    match = _PLAIN.match(text, stop)
    before = text[max(0, stop - 12) : stop].rstrip("\"'\u201d\u2019)]")
    if not match or before[-1:] not in {".", "!", "?"}:
        return stop
    if (
        may_count
        or text[stop - 1] != "."
        or text[stop - 2 : stop - 1] in tuple("\"'\u201d\u2019)]")
    ):
        return match.end()
    is_word = _CITED.search(before[:-1]) and not _OPEN_WORD.search(before[:-1])
    return match.end() if is_word else stop


@lru_cache(maxsize=16384)
def content(sentence: str) -> str:
    """The sentence with what claims nothing blanked; offsets stay valid, as its length does.

    Blank are the number of a list's item ("2. ", "(b) ", "Finding 3: "), the marks of an
    enumeration, citations ("thin.3", "[4, 9]", "(Berg et al., 2014)") and word counts.
    """
    if not _ANY.search(sentence):
        return sentence
    spans = [match.span() for match in _COUNT.finditer(sentence)]
    if first := _FIRST.match(sentence):
        spans.append(first.span())
    for match in _CITATION.finditer(sentence):
        group = match.lastindex or 0
        before = sentence[max(0, match.start() - 11) : match.start() + 1]
        if group != _IN_BRACKETS or not _INTERVAL.search(before):
            spans.append(match.span(group))
    spans += _enumerators(sentence)
    written = sentence.rstrip()
    stop = len(written.rstrip("0123456789,-\u2013"))
    if stop < len(written) and citation_after(written, stop) == len(written):
        spans.append((stop, len(written)))
    return blank(sentence, spans)


def claims(text: str) -> bool:
    """Whether a text is more than a word count or another mark."""
    return len(text) > _LONGEST or not _WORD.search(text) or bool(_WORD.search(content(text)))


def blank(text: str, spans: Iterable[tuple[int, int]], filling: str = " ") -> str:
    """The text with another character at each place of the spans, as long as before."""
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        start = max(start, end)
        if start < stop:
            parts += text[end:start], filling * (stop - start)
            end = stop
    return "".join((*parts, text[end:]))
