"""Texts edited so that it is known what a judge must make of them, sentence by sentence.

An edit is a function of a text: the same text gives the same edit, and a text that offers nothing
to edit gives none. All of them start from the normalised text, as the metrics do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LEANS = re.compile(
    r"\W*(?:(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|each"
    r"|neither|the (?:latter|former|other|others|same|two|three)|here|there|then|thus|hence|so"
    r"|therefore|however|moreover|furthermore|further|also|additionally|in addition|in contrast"
    r"|by contrast|conversely|instead|nevertheless|nonetheless|consequently|accordingly"
    r"|finally|similarly|likewise|second|secondly|third|thirdly|next|overall|together|but|and"
    r"|or|yet|as a result|as expected|for (?:example|instance)|on the other hand)\b)",
    re.IGNORECASE,
)
"""Opens a sentence that only the one before it explains."""
_LABEL = re.compile(r"\W*[^\W\d_][\w/&-]*(?: [\w/&-]+){0,3}\s?:")
"""Opens a sentence with a label, under which the next ones may stand, too."""
_TOLD: Final = 60
"""Characters of each side that a report shows."""

IRRELEVANT: Final = (
    "The village library opens at nine on Saturdays.",
    "A brass band rehearses in the harbour hall every Thursday.",
    "My neighbour painted her garden fence bright yellow.",
    "The ferry to the island leaves from the old wooden pier.",
    "Our baker sells rye bread with caraway on Fridays.",
    "The town clock was made by a travelling locksmith.",
    "Three postcards from Lisbon hang above the kitchen door.",
    "The puppet theatre sold all its tickets before noon.",
)
"""Sentences that belong to no paper; the first that shares no content word with one is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """An edited text, and what was done to it.

    Attributes:
        text: The edited text.
        sentence: Index, in the edited text, of the one sentence that was changed, moved or added;
            None where no single one was.
        before: What stood there; empty where something was added.
        after: What stands there now; empty where something was removed.
    """

    text: str
    sentence: int | None = None
    before: str = ""
    after: str = ""

    @property
    def told(self) -> str:
        """The edit in a few words, safe to print: ``"11.9%" -> "31.9%"``."""
        before, after = (f'"{one_line(side, _TOLD)}"' for side in (self.before, self.after))
        if self.before == self.after:
            return f"moved {before}" if self.before else "nothing changed"
        if not self.before:
            return f"added {after}"
        return f"{before} -> {after}" if self.after else f"removed {before}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One way to change one sentence.

    Attributes:
        new: The changed sentence.
        before: The words that were changed.
        after: What stands in their place.
        rank: How good a change it is; of a text's changes the lowest is made, the first of equals.
    """

    new: str
    before: str
    after: str
    rank: tuple[int | bool, ...] = ()


def change_one(text: str, changes_of: Callable[[str], Iterable[Change]]) -> Edit | None:
    """The text with the best of all changes to its sentences made.

    Only a change that leaves every other sentence as it was, and all of them told apart, is made.
    """
    text = normalise(text)
    sentences = split_sentences(text)
    found = [
        (index, change)
        for index, sentence in enumerate(sentences)
        for change in changes_of(sentence.text)
    ]
    for index, change in sorted(found, key=lambda each: each[1].rank):
        place = sentences[index]
        edited = text[: place.start] + change.new + text[place.end :]
        wanted = [sentence.text for sentence in sentences]
        if change.new != wanted[index]:
            wanted[index] = change.new
            if _is_cut(edited, wanted):
                return Edit(text=edited, sentence=index, before=change.before, after=change.after)
    return None


def same_text(text: str) -> Edit:
    """The text as it is."""
    return Edit(text=normalise(text))


def move_sentence(text: str) -> Edit | None:
    """The text with a late sentence moved to its front, the last one that can be read there.

    A sentence that leans on the one before it ("These ...", "However, ..."), or on which the next
    one leans, stays where it is; so does one that a label opens ("Results: ...").
    """
    sentences = _sentences(text)
    for place in range(len(sentences) - 1, 0, -1):
        following = sentences[place + 1 : place + 2]
        if _LABEL.match(sentences[place]) or any(map(_LEANS.match, [sentences[place], *following])):
            continue
        moved = sentences[place]
        order = [moved, *sentences[:place], *sentences[place + 1 :]]
        edited = _joined(order)
        if order != sentences and edited is not None:
            return Edit(text=edited, sentence=0, before=moved, after=moved)
    return None


def repeat_sentence(text: str) -> Edit | None:
    """The text with its longest sentence said again at its end; None without a sentence."""
    sentences = _sentences(text)
    if not sentences:
        return None
    return _appended(sentences, max(sentences, key=len))


def add_irrelevant(text: str, source: str = "") -> Edit | None:
    """The text with a sentence at its end that has nothing to do with it, nor with its source.

    None for an empty text, and where each sentence that we know shares a content word with either.
    """
    sentences = _sentences(text)
    known = {*content_words(text), *content_words(source)}
    for extra in IRRELEVANT if sentences else ():
        if known.isdisjoint(content_words(extra)):
            return _appended(sentences, extra)
    return None


def truncate(text: str) -> Edit | None:
    """The first half of the text's sentences, rounded down; None under two sentences."""
    sentences = _sentences(text)
    n_kept = len(sentences) // 2
    if not n_kept:
        return None
    text = normalise(text)
    kept = text[: split_sentences(text)[n_kept - 1].end]
    if not _is_cut(kept, sentences[:n_kept]):
        return None
    return Edit(text=kept, before=" ".join(sentences[n_kept:]))


def _sentences(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(normalise(text))]


def _appended(sentences: Sequence[str], extra: str) -> Edit | None:
    edited = _joined([*sentences, extra])
    return Edit(text=edited, sentence=len(sentences), after=extra) if edited else None


def _joined(sentences: Sequence[str]) -> str | None:
    """One text of these sentences: a paragraph where they can be told apart in it, else lines."""
    for between in (" ", "\n\n"):
        text = between.join(sentences)
        if _is_cut(text, sentences):
            return text
    return None


def _is_cut(text: str, sentences: Sequence[str]) -> bool:
    """Whether the metrics will see exactly these sentences."""
    cut = [sentence.text for sentence in split_sentences(text)]
    return cut == list(sentences) and normalise(text) == text
