"""One reading of a text: its pieces, without marks of Markdown and without traces of a model.

A piece is a paragraph, a heading, an item of a list or a row of a table. Models mark items in many
ways that Markdown does not know, and papers wrap lines that Markdown would take for lists
("> 5 mg", "2019. It"). So lines are sorted here; `markdown-it-py` parses what stands within one.
JSON, tags and LaTeX become plain text first, in `notation.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.lists import lists_of, one_of
from summeval_pytest.text.marks import (
    CITES,
    SECTION,
    claims,
    counts_up,
    is_label,
    patterns,
    with_counted,
)
from summeval_pytest.text.notation import (
    with_usual_numbers,
    without_json,
    without_latex,
    without_tags,
)
from summeval_pytest.text.sentences import ends_sentence
from summeval_pytest.text.words import STOP_WORDS, tokens

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

NORMALISER: Final = "5"
"""Version of the rules by which a text is read; part of every signature."""

_TRACE = re.compile(
    r"(?i)</?s>|<pad>|<unk>|<\|(?:endoftext|im_start|im_end)\|>|(?<!\S):[a-z][a-z_+-]{1,29}:(?!\S)"
)
"""What models and chats leave; an emoji's name is one."""
_LABELS = re.compile(rf"(?i)\A\s*{patterns('lead')}+")
_SOFT_HYPHEN = re.compile(r"\u00ad[^\S\n]*\n\s*")
_CUT_WORD = re.compile(
    r"-(?<=[^\W\d_]-)[^\S\n]*(?=\n[^\S\n]*(?!(?:and|or|to|nor|und|oder|et)\b)([^\W_]{1,40}))"
)
_JOIN: Final = "\x01"
"""Ends a line whose last word goes on in the next one."""
_WORD = re.compile(r"[\w-]+")
_HEAD = re.compile(f"(?i).{{1,2}}|{one_of('layout', 'heads')}")
_TAIL = re.compile(f".{{0,2}}(?:{one_of('layout', 'tails')})")
"""What a torn word may begin or end with, and a compound ("double-blind") does not."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_BULLET: Final = (
    r"\u2022\u2023\u2043\u2219\u25a0-\u25ff\u2190-\u21ff\u2605\u2606\u2713\u2714\u2756\u204c\u00b7"
)
_INNER_BULLET = re.compile(
    r"(?<=[^\S\n])([\u2022\u2023\u25aa\u25cf\u25e6](?=\s)|\#{2,6}\s+(?=[A-Z])(?=[^\n]*\#\#\s))"
)
_INNER_RULE = re.compile(r"\|[^\S\n]+\|(?=[\s:]*---)[-\s:|]{3,400}\|[^\S\n]+\|")
_INNER_ROW = re.compile(r"\|[^\S\n]+\|")
"""Where a row of a table ends that stands in one line."""
_INNER_MARK = re.compile(
    r"(?<!\S)(?:(?P<sign>[-*+\u2013\u2014])(?=\s+[*_\"'(\[\u201c]*[a-z]{0,5}-?[A-Z])"
    r"|(?P<open>\(?)(?P<name>\d{1,2}|[a-z](?=\))|[ivx]{1,4}(?=\)))(?P<close>[.)])"
    r"(?=\s+[*_\"'(\[\u201c]*(?:[a-z]{0,5}-?[A-Z]|\d)))"
)
"""What may mark an item that has lost its line: "- Mice lived. - Rats died", "1) Mice 2) Rats"."""
_UNENDED = re.compile(r"(?i)(?:,|\b(?:and|or))\s*\Z")
"""Ends an item of an enumeration within a sentence."""
_NAMES = re.compile(r"\d{1,2}|[a-z]|[ivx]{1,4}")
_MANY: Final = 3
"""Of more lines one may be longer than a text is wrapped."""
_LEAST_WORDS: Final = 4
"""An item has so many; a label and what a dash adds have fewer."""
_NUMBER: Final = r"\d{1,2}\.|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)|\d{1,2}\s[-\u2013\u2014](?=\s)"
_ITEM = re.compile(
    rf"""(?x)(?P<bullet>[{_BULLET}]\s*|(?:\[\d\d(?::\d\d){{1,2}}\]\s*)+|[\U0001f300-\U0001faff\u2600-\u27bf\u2b00-\u2bff]\ufe0f?\s+
      |\d{{1,2}}\ufe0f?\u20e3\s*)
    | (?P<number>(?P<bold>\*\*|__)?(?:{_NUMBER}|[A-Z][a-z]+\ \d{{1,2}}[.:]
        |(?(bold)[^*_\n]{{1,60}}(?=:|\*\*:|__:):?))
      (?(bold)(?:\*\*|__):?)\s+)(?=\S)
    | (?P<sign>(?:[-+o\u2013\u2014]|\*{{1,3}})\s+(?:\[[ xX]\]\s+)?)(?=\S)"""
)
_BARE = re.compile(r"\(?\w+[.)]\s+")
"""A number that goes, "1." or "(b)"; one like "4 - " or "Finding 1:" is shown."""
_GOING_ON = re.compile(r"[<>=\u2264\u2265\u00b1]\s?\d|\((?!\w{1,2}\)\s)")
"""With what no line of a list begins."""
_SOURCES = re.compile(r"(?i)(?:references?|sources?|bibliography|works cited|citations)\W{0,3}")
_SOURCE = re.compile(
    r"\W*(?:\[\d{1,3}\]\W*)?https?:\S+\W*\Z|\W*\[\d{1,3}\](?:\D|(?<!\d)(?:19|20)\d\d(?!\d))*\Z"
)
"""An address, or an entry with its number and no figure but a year."""
_RULE = re.compile(r"(?:```|~~~)\s?\w*|\|?[\s:]*(?:[-*_=]\s?){2,}+[-:|\s]*")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)|(?:\*\*|__)[^*_\n]+(?:\*\*|__):?\Z")
_WORDS: Final = lists_of("layout")
_MARKS: Final = ("*", "_", "`", "](", "\\")
_ADDRESS: Final = r"(?:https?:|www\.|mailto:|#|/|\w+\.\w)"
_LITERAL = re.compile(
    r"(?<![\w`])(?P<fence>`{1,2})(?![\s`])(?P<code>[^`\n]{1,300})(?<!\s)(?P=fence)(?![\w`])"
    r"|\\.|\$[^$\n]{1,200}\$|(?<=[\w)])\*(?=[\w(])|(?<=\w)\*\*(?=\d)|(?<!\S)\*+(?!\S)"
    rf"|\](?=\()(?!\({_ADDRESS})"
)
_ESCAPED = re.compile(r"\A\\([!-/:-@\[-`{-~])\Z")
_NUMBERED_LINK = re.compile(
    rf"(?i)\[(\d{{1,3}}|(?:{CITES})\s?\d{{0,3}})\]\({_ADDRESS}[^()\s]{{0,300}}\)"
)
"""A citation: "[4](#ref4)" or "[source](https://...)"."""
_STANDINS = re.compile("[\ue000-\uf8ff]")
_FORMS = re.compile("[\ufb00-\ufb06\u2080-\u209c\uff01-\uff5e]")
"""Ligatures, what stands below the line, and wide forms; an exponent stays what it is."""
_FULL: Final = 0.8
"""A line that leaves a fifth of the width free, though the next word is short, was ended."""
_NARROW: Final = 30
_WIDE: Final = 130
"""Texts are wrapped in lines between these lengths."""
_LONGEST: Final = 100_000
"""A piece of so many characters is nothing that somebody emphasised."""
_DEPTH: Final = 20
"""So many marks within one another are read; a hostile text may have a million."""
_WINDOW: Final = 500
"""So many characters of marks may stand between two words."""
_NEAR: Final = 40
_SPREAD: Final = 6
"""So many may stand between two characters of a word, and on average."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as metrics and judges read it.

    Attributes:
        text: What is read: its pieces, with an empty line between two.
        written: The text as it came.
    """

    text: str
    written: str

    def places(self) -> Sequence[int]:
        """For each place in ``text``, its end included, the place in the text as written."""
        seen = [(c, at) for at, written in enumerate(self.written) for c in visible(written)]
        shown = "".join(c for c, _ in seen)
        at, places = 0, []
        for part in re.findall(r"\s+|\S+", self.text):
            found = [min(at, len(seen) - 1)] * len(part)
            if not part.isspace():
                found, at = _found(part, shown, at)
            places += [min(place, len(seen) - 1) for place in found]
        return [*(seen[place][1] for place in places), seen[places[-1]][1] + 1] if places else [0]


def _found(part: str, shown: str, at: int) -> tuple[list[int], int]:
    """The place of each character of a word in the text as written, from ``at`` on, and its end.

    A word that is written in another way ("10<sup>5</sup>") is found by its characters; one that
    is not written there, as a key of JSON at each item of a list, where the last one ended.
    """
    whole = shown.find(part, at, at + len(part) + _WINDOW)
    if whole >= 0:
        return [*range(whole, whole + len(part))], whole + len(part)
    end, found, n_found = at, [], 0
    for character in part:
        place = shown.find(character, end, end + _NEAR)
        found.append(place if place >= 0 else end)
        if place >= 0:
            end, n_found = place + 1, n_found + 1
    span = end - next((place for place in found if shown[place : place + 1] == part[:1]), at)
    is_there = 4 * n_found >= 3 * len(part) and span <= _SPREAD * len(part)
    return (found, end) if is_there else ([at] * len(part), at)


def visible(character: str) -> str:
    """What is seen of a character: nothing, the usual ones of a form, a mark for half a pair."""
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category == "Cf" or (category == "Cc" and character not in "\n\t\r\f\v\x85"):
        return ""
    if character in "\u2010\u2011":
        return "-"
    is_form = category == "Lm" or _FORMS.match(character)
    return unicodedata.normalize("NFKC", character) if is_form else character


@lru_cache(maxsize=128)
def read(text: str) -> Reading:
    """Read a text: without marks, traces, invisible characters and the wrapping of lines."""
    result = _SOFT_HYPHEN.sub("", text)
    for _ in range(_DEPTH):  # a mark may show only when another one around it is gone
        before = result
        if not (result.isascii() and result.isprintable()):
            result = result.translate({ord(each): visible(each) for each in set(result)})
        result = "\n\n".join(_without_sources([*_pieces(result)]))
        if result == before:
            break
    return Reading(result, text)


def normalise(text: str) -> str:
    r"""The text of its reading: what metrics and judges are given. Idempotent.

    White space becomes one space, or an empty line between two pieces.

    >>> normalise("<s> Abstract:  zinc\u200b **helps** .</s><pad>")
    'zinc helps .'
    """
    return read(text).text


def _pieces(text: str) -> Iterator[str]:
    for block in _PARAGRAPH.split(_cleaned(text)):
        lines = [line for line in map(str.strip, block.split("\n")) if line]
        for piece in _sorted(lines) if lines else ():
            has_marks = len(piece) < _LONGEST and any(map(piece.__contains__, _MARKS))
            words = " ".join((_unmarked(piece) if has_marks else piece).split())
            if claims(words) and not _is_label(words):
                yield words


def _without_sources(pieces: list[str]) -> list[str]:
    """The pieces without a list of sources at the end, each with its number, address or year."""
    end = len(pieces)
    for place in range(end - 1, 0, -1):
        if _SOURCES.fullmatch(pieces[place]):
            end = place
        elif not _SOURCE.match(pieces[place]):
            break
    return pieces[:end]


def _is_label(words: str) -> bool:
    """Whether a piece only names what follows: "Key findings", "Results:", "No. | Finding"."""
    if words[-1:] in ".!?":
        return is_label(words)
    names = set(tokens(words.removeprefix("No.")))
    known = _WORDS["labels"] | _WORDS["sections"] | _WORDS["asked"]
    return (words[-1:] == ":" or not names.isdisjoint(known)) and names <= known | STOP_WORDS


def _cleaned(text: str) -> str:
    """The text without tags, a label at its start, and words that a line's end cuts."""
    text = _TRACE.sub(" ", without_json(text))  # which may leave a break: "<br<s>/>"
    text = with_usual_numbers(without_latex(_LABELS.sub("", without_tags(text))))
    if "\nII. " in text:
        text = re.sub(r"(?m)^[IVX]{1,4}\.(?=\s)", "\u2022", text)
    known = frozenset(text.split())
    text = _CUT_WORD.sub(lambda match: _joined(match, known), text)
    if _INNER_RULE.search(text):
        text = _INNER_ROW.sub("|\n|", text)
    lines = _INNER_BULLET.sub(r"\n\1", text).split("\n")
    led = Counter(mark["sign"] or "n" for line in lines if (mark := _INNER_MARK.match(line)))
    return with_counted("\n".join(_with_breaks(line, led) for line in lines))


def _with_breaks(line: str, led: Mapping[str, int]) -> str:
    """A line with a break before each section, or each item of a list, if it has several.

    ``led`` says how many lines begin with a sign, or with a number: those of a list with lines.
    """
    sections = [mark.start() for mark in SECTION.finditer(line)] if line.count(":") > 1 else []
    if len(sections) > 1 and not sections[0]:
        parts = [line[start:end].rstrip() for start, end in pairwise([*sections, len(line)])]
        return "\n\n".join(parts)
    chains: dict[str, list[re.Match[str]]] = {}
    for mark in _INNER_MARK.finditer(line):
        kind = mark["sign"] or f"{mark['open']}n{mark['close']}"
        before = chains.get(kind, [])
        if mark["sign"] or counts_up(before[-1][0] if before else "", mark[0]):
            chains[kind] = [*before, mark]
    for chain in chains.values():
        starts = [mark.start() for mark in chain]
        head = line[: starts[0]].strip()
        parts = [line[start:end] for start, end in pairwise([*starts, len(line)])]
        is_led = not head or head[-1] == ":"
        is_alone = led.get(chain[0]["sign"] or "n", 0) <= (not head)
        if (
            len(parts) > 1
            and is_led
            and is_alone
            and _are_items([part.split(None, 1)[-1] for part in parts])
        ):
            is_sentence = head != "" and not _is_label(head)  # which the first item ends
            return "\n\n".join([f"{head} {parts[0]}" if is_sentence else parts[0], *parts[1:]])
    return line


def _are_items(parts: Sequence[str]) -> bool:
    """Whether each part of a line may be an item: long enough, ended, and with its brackets."""
    return all(
        len(part.split()) >= _LEAST_WORDS
        and all(part.count(one) == part.count(two) for one, two in ("()", "[]"))
        and part.count("**") % 2 == part.count("`") % 2 == 0
        and not (part is not parts[-1] and (_UNENDED.search(part) or _counts(part)))
        for part in parts
    )


def _counts(part: str) -> bool:
    """Whether the number behind a part belongs to its last word: "as listed in Table 2"."""
    return part.rsplit(maxsplit=1)[-1].lower().strip("(") in _WORDS["counted"]


def _joined(match: re.Match[str], known: Collection[str]) -> str:
    r"""What stands at a line's end that cuts a word ("co-\noperation"): its hyphen or nothing."""
    last, before = match[1], match.string[max(0, match.start() - 40) : match.start()]
    compound, _, first = _WORD.findall(before)[-1].rpartition("-")
    is_compound = compound or f"{first}-{last}" in known or not last.islower()
    is_torn = not is_compound and (_HEAD.fullmatch(first) or _TAIL.fullmatch(last))
    return _JOIN if is_torn or first + last in known else f"-{_JOIN}"


def _sorted(lines: list[str]) -> Iterator[str]:
    """The pieces of lines that no empty line parts."""
    if re.match(r">\s?[^\s\d=]", lines[0]):
        lines = [line for line in (line.lstrip("> ") for line in lines) if line]
    is_table = any("|" in line and _RULE.fullmatch(line) for line in lines)
    items = [*map(_ITEM.match, lines)]
    alike = Counter(item.lastgroup for item in items if item)
    width = max(map(len, lines), default=0)
    is_list = lines[2:] != [] and _is_list(lines)
    pieces: list[list[str]] = []
    before, marks = "", set[str]()
    for line, item in zip(lines, items, strict=True):
        if _RULE.fullmatch(line):
            before = ""
            continue
        is_alone = is_table or _HEADING.match(line)
        n = alike[item.lastgroup] if item else 0
        is_item = not before or (item and _marks(item, n, before, marks, is_all=n == len(lines)))
        if item and is_item and not is_alone and before[-1:] != _JOIN:
            is_shown = item["number"] and not _BARE.fullmatch(item[0])
            pieces.append([line if is_shown else line[item.end() :]])
            marks.update(_NAMES.findall(item[0])[-1:] or [""])
        elif is_alone or not before or _breaks(before, line, width, is_list=is_list and not item):
            pieces.append([line.strip("#| ") if is_alone else line])
        else:
            pieces[-1].append(line)
        before = "" if is_alone else line
    yield from (" ".join(parts).replace(f"{_JOIN} ", "").strip(_JOIN) for parts in pieces)


def _marks(
    item: re.Match[str], alike: int, before: str, marks: Collection[str], *, is_all: bool
) -> bool:
    """Whether an item's mark is one, as "12. It" and "+ 3 degrees" are not in a sentence.

    ``marks``: those before it, of this list and of those around it.
    """
    is_ended = before[-1] in ":;" or (before[-1] in ".!?" and ends_sentence(before, item.string))
    if item["bullet"] or is_ended or item["bold"] or is_all:
        return bool(item["bullet"]) or alike > 1
    first = item.string[item.end()]
    if item["sign"]:
        return alike > 1 and not (first.isdigit() and _runs_on(before))
    is_list = bool(marks) or (alike > 1 and first.isupper())
    return is_list and any(counts_up(mark, item[0]) for mark in ("", *marks))


def _is_list(lines: Sequence[str]) -> bool:
    """Whether lines without marks are items: none goes on in the next one."""
    if any(_GOING_ON.match(line) or _runs_on(line) for line in lines):
        return False
    return not any(line[0].islower() for line in lines) or _is_ragged(lines)


def _is_ragged(lines: Sequence[str]) -> bool:
    """Whether most lines end where the next one's first word had room: nobody wrapped them."""
    width = sorted(map(len, lines))[-2 if len(lines) > _MANY else -1]
    n_going_on = sum(line.split(None, 1)[0] in _WORDS["continuing"] for line in lines)
    n_free = sum(_room(line, following) <= _FULL * width for line, following in pairwise(lines))
    return 2 * n_free >= len(lines) and 3 * n_going_on <= len(lines)


def _room(line: str, following: str) -> int:
    """How long a line is with the first word of the next one."""
    return len(line) + 1 + len(following.split(None, 1)[0])


def _runs_on(line: str) -> bool:
    is_open = line[-1] in f",(-\u2013{_JOIN}" or line.count("(") > line.count(")")
    return is_open or line.rsplit(None, 1)[-1].lower() in _WORDS["linking"]


def _breaks(line: str, following: str, width: int, *, is_list: bool) -> bool:
    """Whether a line's end is meant, and does not only wrap a sentence."""
    has_room = _room(line, following) <= _FULL * width or width > _WIDE
    if line[-1] == ":":
        return has_room or len(line) <= _NARROW
    if line[-1] in ".!?":
        return ends_sentence(line, following)
    return is_list or (has_room and following[0].isupper() and not _runs_on(line))


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # loaded for the first text with marks

    return MarkdownIt("commonmark").disable(["html_inline", "autolink", "entity", "backticks"])


def _unmarked(piece: str) -> str:
    """A piece without emphasis, code marks and addresses; formulas and "5*3" stay as they are."""
    plain = _NUMBERED_LINK.sub(r"[\1]", _STANDINS.sub("\ufffd", piece))
    literal = iter([m["code"] or _ESCAPED.sub(r"\1", m[0]) for m in _LITERAL.finditer(plain)])
    parsed = _markdown().parseInline(_LITERAL.sub("\ue000", plain))[0].children or ()
    shown = "".join(token.content for token in parsed if token.type == "text")
    return re.sub("\ue000", lambda _: next(literal), shown)
