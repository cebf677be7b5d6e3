"""A reply in free text: its yes or no, and the quotations that it gives in parentheses.

A pass has to be said in the word that was asked for. Whoever says yes and takes it back, in part or
in whole, has said no; whoever says neither is asked again (metrics.md 1.2, edges, and section 6).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.json_reading import UnreadableError
from summeval_pytest.judges.llm.quotes import ELLIPSIS, NOWHERE, Quote, look_up, words_of
from summeval_pytest.text import one_line, split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Cut = Callable[[str], list[str]]

LEAST_WORDS: Final = 2
"""What has fewer words between parentheses is no quotation: "(p < 0.05)", "(1)"."""
_VERDICT_WORDS: Final = 3
_OPENING_WORDS: Final = 6
"""Where a yes is weakened by a word that may also stand in a sentence about the matter."""
_ASCII: Final = str.maketrans("\uff08\uff09", "()")
_LEAD = re.compile(
    r"[\W_]*(?:(?:my |the |final )*(?:answer|label|verdict|decision|judge?ment)(?: is)?\b[\W_]*)?"
)
_BOTH = re.compile(r"(?:yes\s*(?:/|or\b)\s*no|no\s*(?:/|or\b)\s*yes)\b")
_HEDGE = re.compile(
    r"\b(?:but|except|although|though|however|partial|partially|partly|in part|half|somewhat"
    r"|mostly|largely|mainly|roughly|perhaps|possibly|probably|likely|maybe|unclear|mixed|and no"
    r"|to (?:some|a certain) (?:degree|extent)"
    r"|not (?:fully|entirely|completely|wholly|exactly|quite|directly|explicitly))\b"
)
_DENIAL = re.compile(
    r"\bunsupported\b|\bno (?:direct |explicit |clear )?(?:support|mention)\b"
    r"|(?:\b(?:not|never|cannot|partially|partly|only in part|half)|n['\u2019]t)[\s-]+"
    r"(?:\w+\s+){0,3}?(?:support(?:ed|s)?\b|stated?\b|mention(?:ed)?\b|"
    r"(?:found|given|backed|confirmed) (?:\w+ )?(?:in|by) the (?:source|text|paper|article))"
)
_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
_MARKS: Final = '"\u201c\u201d'


def groups_of(reply: str) -> tuple[str, ...]:
    """What stands between parentheses, outermost ones only: a quotation may hold some itself.

    The last one need not be closed; a closing one that nothing opened is left alone.

    >>> groups_of("Yes (It fell (p < 0.05).) (It rose.)")
    ('It fell (p < 0.05).', 'It rose.')
    """
    return tuple(group for is_group, group in _parted(reply) if is_group)


def own_words(reply: str) -> str:
    """What a reply says itself: nothing between parentheses, or quoted at more than three words."""
    outside = " ".join(piece for is_group, piece in _parted(reply) if not is_group)
    return " ".join(_QUOTED.sub(_kept, outside).split())


def _kept(quoted: re.Match[str]) -> str:
    """A word in quotation marks, as a verdict may be; a space in place of more."""
    return quoted.group() if len(quoted.group().split()) <= _VERDICT_WORDS else " "


def _parted(reply: str) -> Iterator[tuple[bool, str]]:
    """The pieces of a reply in order: whether it stands in parentheses, and the piece."""
    text = reply.translate(_ASCII)
    depth = start = 0
    for place, character in enumerate(text):
        if character == "(":
            if not depth:
                yield False, text[start:place]
                start = place + 1
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if not depth:
                yield True, text[start:place]
                start = place + 1
    yield depth > 0, text[start:]


def read_verdict(said: str) -> bool:
    """Whether a reply calls the sentence supported.

    Yes at its start is a yes, unless the same words hedge it or deny it; no, a hedge or a denial at
    its start is a no.

    Raises:
        UnreadableError: if it begins with none of them, or with both yes and no to choose from.
    """
    said = said.casefold()
    lead = _LEAD.match(said)
    text = said[lead.end() :] if lead else said
    if not _BOTH.match(text):
        if re.match(r"no\b", text) or _HEDGE.match(text) or _DENIAL.match(text):
            return False
        if re.match(r"yes\b", text):
            opening = " ".join(text.split()[:_OPENING_WORDS])
            return not (_HEDGE.search(opening) or _DENIAL.search(text))
    told = f"the reply begins {one_line(said, 40)!r}, with neither yes nor no"
    raise UnreadableError("no_verdict", told)


def quotations(groups: Iterable[str], source: Sequence[str]) -> list[Quote]:
    """The quotations in the parentheses of a reply.

    One pair of parentheses may hold several: in quotation marks, or as sentences or between
    semicolons, where it does not stand in the source as a whole.
    """
    return [
        quote
        for group in groups
        for piece in _marked(group)
        for quote in _cut(piece, source, (_sentences, _clauses))
    ]


def _marked(group: str) -> list[str]:
    """The pieces in quotation marks where there is nothing beside them, else the whole."""
    marked = [piece.strip(_MARKS) for piece in _QUOTED.findall(group)]
    return marked if marked and not words_of(_QUOTED.sub(" ", group)) else [group]


def _sentences(text: str) -> list[str]:
    """The sentences of a text; none ends at an ellipsis, both ends of which belong together."""
    return [sentence.text for sentence in split_sentences(ELLIPSIS.sub(" \u2026 ", text))]


def _clauses(text: str) -> list[str]:
    return text.split(";")


def _cut(text: str, source: Sequence[str], ways: Sequence[Cut]) -> Iterator[Quote]:
    """A text as one quotation where the source has it, else in pieces."""
    if sum(word[0].isalpha() for word in words_of(text)) < LEAST_WORDS:
        return
    whole = Quote(NOWHERE, text)
    if not ways or not look_up([whole], source).n_ungrounded:
        yield whole
        return
    for piece in ways[0](text):
        yield from _cut(piece, source, ways[1:])
