"""One reading of a text: its pieces without marks of Markdown and without traces of a model.

A piece is a paragraph, a heading, an item of a list or a row of a table. Models mark items in many
ways that Markdown does not know, and papers wrap lines that it would take for lists ("> 5 mg",
"2019. It"), so lines are sorted here; what stands within a piece is parsed by `markdown-it-py`.

Each step blanks characters and moves none. So a place in what is read is a place as written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from summeval_pytest.text.marks import blank, content
from summeval_pytest.text.sentences import ends_sentence

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

NORMALISER: Final = "3"
"""Version of the rules by which a text is read; part of every signature."""

Kind = Literal["paragraph", "heading", "item", "row"]
_GONE: Final = "\x00"
"""Stands for a character that leaves no space behind."""
_TRACE = re.compile(r"(?i)</?s>|<pad>|<unk>|<\|(?:endoftext|im_start|im_end)\|>")
_BREAK = re.compile(r"(?i)<n>|<br\s{0,20}/?>|</?(?:p|div|ul|ol|li|h[1-6]|tr)>")
_TAG = re.compile(
    r"(?i)</?(?:b|i|u|em|strong|span|sub|sup|small|mark|td|th)(?:\s[\w-]{1,30}=[^<>\n]{0,200})?>"
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|nbsp|quot|deg|plusmn|times|middot|[mn]dash|#\d{2,5});")
_LABELS = re.compile(
    r"(?i)\A\s*(?:(?:\*\*|#+\s*)?(?:abstract|summary|tl;?dr)(?:\*\*)?\s*:(?:\*\*)?\s*"
    r"|(?:\*\*|#+[^\S\n]+)(?:abstract|summary|tl;?dr)(?:\*\*)?[^\S\n]*\n\s*"
    r"|(?:(?:sure|certainly|of course|okay)\b[^\n:]{0,20}[,.!:]\s*)?(?:here(?:\s?['\u2019]s|\sis|\sare)|below\sis|the\sfollowing\sis)\b"
    r"[^\n.:]{0,60}\b(?:summary|abstract|overview|points|findings|tl;?dr)\b[^\n.:]{0,90}:[^\S\n*]*(?:\*\*)?[^\S\n]*\n\s*)+"
)
_SOFT_HYPHEN = re.compile(r"\u00ad[^\S\n]*\n\s*")
_CUT_WORD = re.compile(
    r"(?<=[^\W\d_])(-[^\S\n]*\n[^\S\n]*)(?!(?:and|or|to|nor|und|oder|et)\b)([^\W_]+)"
)
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_QUOTE = re.compile(r"(?:>\s?)+(?=[^\s\d=])")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)\s?\w*\s*\Z|\s*(?:[-*_=]\s?){3,}\s*\Z")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*\Z")
_BULLET: Final = (
    "\u2022\u2023\u2043\u2219\u00b7\u25aa\u25ab\u25a0\u25a1\u25cf\u25cb\u25e6\u25ba\u25b8\u25b6\u27a2\u27a4\u2192\u21d2\u2713\u2714\u2705"
    "\u2605\u2606\u2726\u2756\u25c6\u25c7\u29bf\u204c\u2794\u279c"
)
_ITEM = re.compile(
    rf"""(?x)\s*(?:>\s+)?(?P<mark>
      (?P<bullet>[{_BULLET}]\ufe0f?\s*|[\U0001f300-\U0001faff\u2600-\u27bf\u2b00-\u2bff]\ufe0f?\s+|\d\ufe0f?\u20e3\s*)
    | (?P<number>(?:\*\*|__)?(?:\d{{1,2}}[.)]|\(\d{{1,2}}\)|[a-z][).]|\((?:[a-z]|[ivx]{{1,4}})\)|\d{{1,2}}\s[-\u2013\u2014](?=\s)
        |[A-Z][a-z]+\ \d{{1,2}}:)(?:\*\*|__)?\s+)
    | (?P<sign>[-*+\u2013\u2014>]\s+)
    )(?:\[[\sxX]\]\s+)?(?=\S)"""
)
_HEADING = re.compile(r"\s{0,3}(#{1,6}\s+)(?=\S)")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?\s*\Z")
_SECTION = re.compile(
    r"""(?ix)[\W\d_]*(?:(?:and|of|the|in|for|main|key|study|research|paper|brief|short|overall|materials?|patients
    |background|introduction|context|objectives?|aims?|purpose|motivation|methods?|methodology|approach|design
    |setting|participants|measures?|data|results?|findings?|outcomes?|conclusions?|discussion|summary|abstract
    |overview|highlights?|limitations?|implications?|significance|takeaways?|points?|interpretation
    )\b[\W_]*)+\Z"""
)
_ENDED = re.compile(r"[.!?:;][\"'*_)\]\u201d\u2019]*\Z")
_RUNS_ON = re.compile(
    r"(?i)(?:[,(\u2013-]|\b(?:a|an|and|as|at|by|for|from|in|of|on|or|than|that|the|to|was|were|with|is|are|et al\.|e\.g\.|i\.e\.|cf\.|vs\.|figs?\.|eqs?\.|no\.|approx\.|ca\.|refs?\.))\Z"
)
_INLINE_MARK = re.compile(r"[*`]|(?<!\w)_|_(?!\w)|\]\(|\\[\\*_`#\[\]|~>+.!(){}-]")
_FIRST_MARK = re.compile(r"[^\w\s\"'(\[.]|\d|[(a-z]")
_LONGEST_LABEL: Final = 80
_FULL: Final = 0.8
"""A line that leaves a fifth of the width free, though the next word is short, was ended."""
_LITERAL = re.compile(r"\$[^$\n]{1,200}\$|(?<=[\w)])\*(?=[\w(])|(?<=\w)\*\*(?=\d)")
_ESCAPED: Final = frozenset("\\" + mark for mark in "\\*_`#[]|~>+.!(){}-")
_UNMARKED: Final = {"softbreak": "\n", "hardbreak": "\n", "link_open": "["}
_LINK = re.compile(r"\]\((?:[^()\n]|\([^()\n]*\)){0,2000}\)")
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^()\n]{0,2000}\)")
_ADDRESS = re.compile(r"(?:https?:|www\.|mailto:|#|/|\w+\.\w)")


class Piece(NamedTuple):
    """One piece of a text; ``start`` and ``end`` are places in the text as it is read."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as metrics and judges read it.

    Attributes:
        text: What is read: the pieces, with an empty line between two.
        pieces: Where each of them stands in it.
        written: The text as it came.
    """

    text: str
    pieces: tuple[Piece, ...]
    written: str

    def places(self) -> Sequence[int]:
        """For each place in ``text``, its end included, the place in the text as written."""
        return _places(self.written)


def visible(character: str) -> str:
    """The character; nothing for one that is not seen, a mark for half a character pair."""
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf" or (category == "Cc" and character not in "\n\t\r\f\v\x85"):
        return ""
    return (
        unicodedata.normalize("NFKC", character) if "\ufb00" <= character <= "\ufb06" else character
    )


@cache
def _markdown() -> MarkdownIt:
    """The parser of what stands within a piece; loaded when the first text has marks."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 (most runs read plain prose)

    return MarkdownIt("commonmark").disable(["html_inline", "autolink"])


@lru_cache(maxsize=128)
def read(text: str) -> Reading:
    """Read a text: without marks, traces, invisible characters and the wrapping of lines."""
    pieces, result = (), text
    for marked, found in _steps(text):
        parts = [(kind, _squeezed(marked[start:end])) for kind, start, end in found]
        parts = [(kind, part) for kind, part in parts if part]
        ends = accumulate((len(part) + 2 for _, part in parts), initial=0)
        pieces = tuple(
            Piece(kind, start, start + len(part))
            for (kind, part), start in zip(parts, ends, strict=False)
        )
        result = "\n\n".join(part for _, part in parts)
    return Reading(result, pieces, text)


def normalise(text: str) -> str:
    r"""The text of its reading: what metrics and judges are given. Idempotent.

    White space becomes one space, or an empty line between two pieces.

    >>> normalise("<s> Abstract:  zinc\u200b **helps** .</s><pad>")
    'zinc helps .'
    """
    return read(text).text


def _squeezed(marked: str) -> str:
    return " ".join(marked.replace(_GONE, "").split())


def _steps(written: str) -> Iterator[tuple[str, list[Piece]]]:
    """Read until nothing changes: a mark may show only when another one around it is gone."""
    text = _seen(written)
    while True:
        marked, pieces = _marked(text)
        yield marked, pieces
        parts = (_squeezed(marked[start:end]) for _, start, end in pieces)
        read_once = "\n\n".join(part for part in parts if part)
        if read_once == text:
            return
        text = read_once


def _without_soft_hyphens(written: str) -> str:
    if "\u00ad" not in written:
        return written
    return blank(written, (m.span() for m in _SOFT_HYPHEN.finditer(written)), _GONE)


def _seen(written: str) -> str:
    text = _without_soft_hyphens(written)
    if not text.isascii() or not text.isprintable():
        for character in set(text):
            if (seen := visible(character)) != character:
                text = text.replace(character, seen)
    return text


def _places(written: str) -> Sequence[int]:
    hyphenless = _without_soft_hyphens(written)
    places = [at for at, character in enumerate(hyphenless) for _ in visible(character)]
    for marked, pieces in _steps(written):
        kept: list[int] = []
        for _, start, end in pieces:
            words = [
                at for at in range(start, end) if marked[at] != _GONE and not marked[at].isspace()
            ]
            if not words:
                continue
            kept += [kept[-1] + 1] * 2 if kept else []
            for before, at in zip([words[0], *words], words, strict=False):
                if any(map(str.isspace, marked[before + 1 : at])):
                    kept.append(before + 1)
                kept.append(at)
        places = [places[min(at, len(places) - 1)] for at in kept]
    return [*places, places[-1] + 1] if places else [0]


def _marked(text: str) -> tuple[str, list[Piece]]:
    """The text with marks blanked, in its full length, and where its pieces stand."""
    if "<" in text:
        text = _TRACE.sub(lambda m: " " * len(m[0]), text)  # may leave a break: "<br<s>/>"
        text = _BREAK.sub(lambda m: "\n\n".ljust(len(m[0])), text)
        text = _TAG.sub(
            lambda m: ("^" if m[0][:4].lower() == "<sup" else "").ljust(len(m[0]), _GONE), text
        )
    if "&" in text:
        text = _ENTITY.sub(lambda m: unescape(m[0]).ljust(len(m[0]), _GONE), text)
    if labels := _LABELS.match(text):
        text = blank(text, [labels.span()])
    if "\n" in text and "-" in text:
        text = _joined_words(text)
    lines: list[tuple[int, int]] = []
    gone: list[tuple[int, int]] = []
    pieces: list[Piece] = []
    place = 0
    for line in (*text.split("\n"), ""):
        if stripped := line.strip():
            start = place + line.index(stripped)
            lines.append((start, start + len(stripped)))
        elif lines:
            pieces += _block(text, lines, gone)
            lines = []
        place += len(line) + 1
    has_marks = any(mark in text for mark in ("*", "_", "`", "\\", "]("))
    for _, start, end in pieces if has_marks else ():
        if _INLINE_MARK.search(text, start, end):
            gone += _inline_marks(text, start, end)
    if gone:
        text = blank(text, gone, _GONE)
    return text, [piece for piece in pieces if _claims(text, piece)]


def _claims(text: str, piece: Piece) -> bool:
    """Whether a piece is more than a word count, or the label of a section."""
    kind, start, end = piece
    if end - start > _LONGEST_LABEL:
        return True
    words = _squeezed(text[start:end])
    if (kind == "heading" or words.endswith(":")) and _SECTION.fullmatch(words):
        return False
    return not any(map(str.isalnum, words)) or any(map(str.isalnum, content(words)))


def _joined_words(text: str) -> str:
    """The text with words joined that a line's end has cut: "co-\\noperation"."""
    parts, end = [], 0
    for match in _CUT_WORD.finditer(text):
        start, last = match.start(), match[2]
        first = _LAST_WORD.search(text[max(0, start - 40) : start])[0]
        keeps = not last[0].islower() or (f"{first}-{last}" in text and first + last not in text)
        kept = start + keeps
        parts += text[end:kept], _GONE * (match.end(1) - kept)
        end = match.end(1)
    return "".join((*parts, text[end:]))


def _block(text: str, lines: list[tuple[int, int]], gone: list[tuple[int, int]]) -> list[Piece]:
    """The pieces of lines that no empty line parts; their marks go to ``gone``."""
    written = [text[start:end] for start, end in lines]
    if written[0][0] == ">" and _QUOTE.match(written[0]):
        quotes = list(map(_QUOTE.match, written))
        lines = [(s + (q.end() if q else 0), e) for (s, e), q in zip(lines, quotes, strict=True)]
        written = [text[start:end] for start, end in lines]
    is_table = any("|" in line and _RULE.fullmatch(line) for line in written)
    items = (
        list(map(_ITEM.match, written))
        if len(written) > 1 or _FIRST_MARK.match(written[0])
        else [None]
    )
    width = max(map(len, written))
    are_listed = len(written) > 2 and not any(
        not line[:1].isupper() or _RUNS_ON.search(line) for line in written
    )
    pieces: list[Piece] = []
    starts = True
    for place, ((start, end), line, item) in enumerate(zip(lines, written, items, strict=True)):
        before = written[place - 1] if place else ""
        kind: Kind | None = None
        if _FENCE.match(line) or _RULE.fullmatch(line):
            if pieces and not starts and line[0] in "=-" and "|" not in line:
                pieces[-1] = pieces[-1]._replace(kind="heading")
            starts = True
            continue
        if heading := _HEADING.match(line):
            kind, start = "heading", start + heading.end()
            end = start + len(text[start:end].rstrip("# ")) or end
        elif is_table or (line[0] == line[-1] == "|" and len(line) > 2):
            kind = "row"
            start, end = start + (line[0] == "|"), end - (line[-1] == "|")
        elif _BOLD_LINE.fullmatch(line):
            kind = "heading"
        elif item and _is_item(items, place, line, opens=starts or _has_ended(before, line)):
            kind = "item"
            start += item.end() if _is_bare(item) else 0
        elif starts or _breaks(before, line, width, are_listed=are_listed):
            kind = "paragraph"
        if kind:
            pieces.append(Piece(kind, start, end))
        else:
            pieces[-1] = pieces[-1]._replace(end=end)
        starts = kind in {"heading", "row"}
    return pieces


def _is_bare(item: re.Match[str]) -> bool:
    """Whether a mark may go; "(1)" and "Finding 1:" are shown, and are no content."""
    number = item["number"]
    return not number or number[0].isdigit() and number.rstrip()[-1] in ".)"


def _is_item(items: list[re.Match[str] | None], place: int, line: str, *, opens: bool) -> bool:
    """Whether the mark at a line's start is one, and no "2019. It" or "+ 3 degrees" of a sentence."""
    item = items[place]
    if item is None:
        return False
    if item["bullet"]:
        return True
    group = "sign" if item["sign"] else "number"
    near = [
        each for each in (*items[max(0, place - 1) : place], *items[place + 1 : place + 2]) if each
    ]
    has_like = any(
        each[group] and each[group][0] == item[group][0] or group == "number" and each[group]
        for each in near
    )
    follows_item = place > 0 and items[place - 1] is not None
    is_figure = group == "sign" and line[item.end()].isdigit()
    return has_like or follows_item or (opens and not is_figure)


def _has_ended(line: str, following: str) -> bool:
    return line[-1:] in {".", "!", "?", ":"} and (line[-1] == ":" or ends_sentence(line, following))


def _breaks(line: str, following: str, width: int, *, are_listed: bool) -> bool:
    """Whether a line's end is meant, and does not only wrap a sentence."""
    has_room = len(line) + 1 + len(following.split(None, 1)[0]) <= _FULL * width
    if line[-1:] in {".", "!", "?", ":"}:
        wraps_colon = line[-1] == ":" and following[0].islower() and not has_room and len(line) > 40
        return not wraps_colon and _has_ended(line, following)
    return are_listed or (has_room and following[0].isupper() and not _RUNS_ON.search(line))


def _inline_marks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the marks of emphasis, code, links and escapes stand within a piece."""
    source = text[start:end]
    for image in _IMAGE.finditer(source):
        yield start + image.start(), start + image.end()
        source = source[: image.start()] + "x" * len(image[0]) + source[image.end() :]
    source = _LITERAL.sub(lambda match: "x" * len(match[0]), source).replace("\r", " ")
    source = source.replace(_GONE, "\ufffd")
    at, opened = 0, 0
    for token in _markdown().parseInline(source)[0].children or ():
        sought = token.markup or token.content
        if token.type in _UNMARKED:
            sought = _UNMARKED[token.type]
        if token.type == "link_close":
            link = _LINK.match(source, at)
            if link and _ADDRESS.match(link[0], 2) and not source[opened + 1 : at].isdigit():
                yield start + opened, start + opened + 1
                yield start + at, start + link.end()
            at = link.end() if link else at
            continue
        first = source.find(sought, at)
        if first < 0:
            return
        at = first + len(sought)
        if token.type == "link_open":
            opened = first
        elif token.type == "code_inline":
            close = re.compile(rf"(?<!`){token.markup}(?!`)").search(source, at)
            yield start + first, start + at
            if close:
                yield start + close.start(), start + close.end()
                at = close.end()
        elif token.nesting:
            yield start + first, start + at
        elif token.type == "text_special" and sought in _ESCAPED:
            yield start + first, start + first + 1
