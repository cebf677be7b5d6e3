"""A sentence as words in clauses, with what it denies, so that two sentences can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from summeval_pytest.text.lists import lists_of
from summeval_pytest.text.numbers import find_figures
from summeval_pytest.text.quantities import Quantity
from summeval_pytest.text.words import GENERIC, LIGHT, STOP_WORDS, opposites, stem

LONGEST: Final = 80
"""So many words of a sentence are compared; a longer one is a table or a list."""
_HEADS: Final = 3
"""So many words behind a negation are what it denies."""
_OPENING: Final = 3
"""So few words before a clause open it: "Beyond the reef, coral did not grow"."""
_PREFIX: Final = 5
"""Words of one family ("cost", "costly") share so many letters."""
WORDS: Final = lists_of("copies")
"""The lists of ``copies.txt``, by name."""
_TOKEN = re.compile(
    r"(?i)n['\u2019]t\b|[^\W\d_]+?(?=n['\u2019]t\b)|[^\W\d_]+\d*|\d+(?:[.,]\d+)*|[;:,()]"
)
_BOUND = re.compile(r"(?i)\b(?:not? )?(?:more|less|fewer) than (?:an? )?(?=(\w*))")
_PARTS: Final = frozenset("half third quarter fifth tenth twice".split())


class Word(NamedTuple):
    """A word that is compared, its clause, its place, what stands beside it, and its opposites.

    ``lines`` are the lines of ``opposites.txt`` that have it, with the side where it stands;
    ``family`` is the beginning of its key, empty where it has no kin.
    """

    text: str
    key: str
    clause: int
    place: int
    start: int
    end: int
    before: str
    behind: str
    lines: Mapping[int, bool]
    family: str

    @property
    def is_adverb(self) -> bool:
        """Whether it says how, which nearly any paraphrase leaves out."""
        is_adverb = self.text.endswith("ly") and self.text not in WORDS["adjectives"]
        return is_adverb or self.text in WORDS["sides"]

    @property
    def is_comparative(self) -> bool:
        """Whether it compares: "more", "higher"."""
        return self.text.endswith("er") or self.text in {"more", "less"}

    @property
    def is_spare(self) -> bool:
        """Whether a paraphrase may leave it out or add it."""
        is_common = self.key in GENERIC or self.key in LIGHT or self.text in WORDS["spare"]
        return not self.lines and (is_common or self.is_adverb)

    def is_opposed_to(self, other: Word) -> bool:
        """Whether the two exclude each other."""
        return any(self.lines.get(line, side) != side for line, side in other.lines.items())

    def is_like(self, other: Word) -> bool:
        """Whether the two are one word, of one family, or go the same way."""
        if self.lines and other.lines and self.key != other.key:
            return any(self.lines.get(line) == side for line, side in other.lines.items())
        is_kin = not self.lines and bool(self.family) and self.family == other.family
        return is_kin or self.key == other.key


class Denial(NamedTuple):
    """A negation: where it starts, its clause, the words there, and those that it denies.

    A "without" denies the next word alone, and no clause (-1).
    """

    start: int
    end: int
    clause: int
    words: tuple[Word, ...]
    heads: tuple[Word, ...]


class Clauses(NamedTuple):
    """A sentence as it is compared.

    ``compared`` is the clause behind a "than", or -1; ``keys``, ``kin`` and ``lines`` are those of
    its words, and ``n_asked`` says how many of them no paraphrase leaves out.
    """

    text: str
    words: tuple[Word, ...]
    denials: tuple[Denial, ...]
    tokens: frozenset[str]
    figures: Mapping[int, Quantity]
    compared: int
    keys: frozenset[str]
    kin: frozenset[str]
    lines: frozenset[int]
    n_asked: int

    def shown(self, word: Word) -> str:
        """A word as written."""
        return self.text[word.start : word.end]

    def clause(self, number: int) -> list[Word]:
        """The words of one clause."""
        return [word for word in self.words if word.clause == number]

    def has(self, word: Word) -> bool:
        """Whether the same word, or its opposite, stands here."""
        if word.lines:
            return word.key in self.keys or not self.lines.isdisjoint(word.lines)
        return word.key in self.keys or word.family in self.kin

    def lacking(self, words: Iterable[Word]) -> list[Word]:
        """Those of some words that a paraphrase keeps and that do not stand here."""
        return [word for word in words if not (self.has(word) or word.is_spare)]

    def is_reworded(self, words: Iterable[Word]) -> bool:
        """Whether some of these words, common verbs too, do not stand here."""
        return not all(self.has(w) or w.key in GENERIC or w.is_adverb for w in words)


def _tokens(text: str, figures: Mapping[int, Quantity]) -> list[tuple[str, int, int]]:
    """The words, numbers and marks of a sentence, with their places."""

    def blank(match: re.Match[str]) -> str:
        is_bound = match.end() in figures or match[1] in _PARTS
        return " " * len(match[0]) if is_bound else match[0]

    found: list[tuple[str, int, int]] = []
    last = 0
    skipped = WORDS["skipped"]
    for match in _TOKEN.finditer(_BOUND.sub(blank, text) if "than" in text else text):
        start, end = match.span()
        word = match[0].lower()
        if start >= last and (word not in skipped or (start and match[0].isupper())):  # "group A"
            last = figures[start].end if start in figures else end
            found.append((text[start:last].lower() if last > end else word, start, last))
        if len(found) == LONGEST:
            break
    return found


@lru_cache(maxsize=2048)
def read(text: str) -> Clauses:
    """A sentence as it is compared."""
    figures = {figure.start: figure for figure in find_figures(text)}
    found = [*_tokens(text, figures), ("", 0, 0)]
    tokens = frozenset(word for word, _, _ in found)
    commas: set[int] = set()
    denies, splits, ends = WORDS["denies"], WORDS["splits"], opposites()
    clause, compared, words, negations, before = 0, -1, [], [], ","
    for place, ((word, start, end), (behind, _, _)) in enumerate(pairwise(found)):
        is_denying = word in denies and behind not in WORDS["undenied"]
        if word == "without":
            is_denying = "with" not in tokens or behind == "any" or behind.endswith("ing")
        elif word.startswith("fail"):
            is_denying = is_denying and behind == "to"
        is_split = word in splits
        clause += is_split or (is_denying and word == "without")
        if word == ",":
            commas.add(clause)
        if compared < 0 and is_split and word in WORDS["compared"]:
            compared = clause
        lines = ends.get(word, {})
        is_content = (len(word) > 1 and word not in STOP_WORDS) or text[start:end].isupper()
        if is_denying:
            verb = found[place - word.startswith(("n'", "n\u2019"))]  # "did" of "didn't"
            negations.append((word, verb[1], end, clause, place))
        elif not is_split and (start in figures or lines or word in WORDS["sides"] or is_content):
            key = f"{figures[start].size:g}" if start in figures else stem(word)
            kin = key[:_PREFIX] if len(key) >= _PREFIX and key[:_PREFIX].isalpha() else ""
            words.append(Word(word, key, clause, place, start, end, before, behind, lines, kin))
        before = word
    denials = tuple(_denials(words, negations, commas))
    return Clauses(
        text=text,
        words=tuple(words),
        denials=denials,
        tokens=tokens,
        figures=figures,
        compared=compared,
        keys=frozenset(word.key for word in words),
        kin=frozenset(word.family for word in words if word.family),
        lines=frozenset(line for word in words for line in word.lines),
        n_asked=sum(not word.is_spare for word in words),
    )


def _denials(
    words: Sequence[Word], negations: Sequence[tuple[str, int, int, int, int]], commas: set[int]
) -> Iterator[Denial]:
    """The negations that hold: two in one clause undo each other."""
    numbers = Counter(clause for *_, clause, _ in negations)
    for text, start, end, clause, place in negations:
        own = tuple(word for word in words if word.clause == clause)
        behind = tuple(word for word in own if word.place > place)
        heads = (tuple(word for word in behind if not word.is_adverb) or behind or own)[:_HEADS]
        opening = tuple(word for word in words if word.clause < clause)
        if text == "without":
            yield Denial(start, end, -1, heads[:1], heads[:1])
        elif numbers[clause] % 2:
            own = (*opening, *own) if len(opening) <= _OPENING and clause in commas else own
            yield Denial(start, end, clause, own, heads)
