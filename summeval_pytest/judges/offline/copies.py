"""Contradictions in a near copy: a negation, a direction, exchanged partners, a replaced number.

A claim and a sentence are read as words in clauses. Where nearly all words of the claim stand in
the sentence, their differences are listed. A single difference is a contradiction. Two differences
may undo each other ("A was higher than B", "B was lower than A"), and a word in the place of
another may mean that the two are about different things, so neither is judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from summeval_pytest.judges.offline.conflicts import Conflict, ConflictKind
from summeval_pytest.judges.offline.lexicon import GENERIC, LIGHT, opposites
from summeval_pytest.text.numbers import find_figures, is_own_count, is_worked_out
from summeval_pytest.text.quantities import Quantity
from summeval_pytest.text.sentences import STOP_WORDS, content_words, stem

LONGEST: Final = 120
"""So many words of a sentence are compared; a longer one is a table or a list."""
COVERED: Final = 0.75
"""Such a part of a claim's words stands in the sentence that it nearly copies."""
_LEAST: Final = 3
"""Two sentences that share fewer words share them by chance."""
_HEADS: Final = 3
"""So many words behind a negation are what it denies."""
_LONG: Final = 6
"""A denied clause of so many words may have one that the other sentence lacks."""
_PREFIX: Final = 5
"""Words of one family ("cost", "costly") share so many letters."""
_TOKEN = re.compile(
    r"n['\u2019]t\b|[^\W\d_]+?(?=n['\u2019]t\b)|[^\W\d_]+\d*|\d+(?:[.,]\d+)*|[;:,()]", re.IGNORECASE
)
_NEGATIONS: Final = frozenset(
    "not n't n\u2019t never cannot no none nobody nothing without failed fails fail".split()
)
_NOT_DENYING: Final = frozenset("only just least longer later".split())
"""After these a "not" or a "no" denies nothing that could be compared."""
_ALIKE: Final = frozenset(
    """
    unchanged unaffected unaltered indistinguishable unrelated negligible similar similarly
    comparable alike constant steady stable equal equally identical independent same unlike except
    neither nor
    """.split()
)
"""Words that deny a difference without a "not", or that take something out."""
_OPEN: Final = frozenset("whether if may might could should unknown unclear aim aimed".split())
"""What these introduce is asked or possible, not said."""
_SPLITS: Final = frozenset(
    "; : , ( ) and but while whereas although though yet however because than when nor".split()
)
"""Where a clause begins."""
_SIDES: Final = frozenset({"with", "without"})
"""Where a sentence has both, they name two groups and deny nothing."""
_FARTHEST: Final = 20
"""Numbers that are told apart by such a factor hardly change places."""
_YEARS: Final = range(1800, 2100)
_HEDGES: Final = frozenset(
    "the a an against versus vs about around approximately roughly nearly almost".split()
)
_NO_ADVERBS: Final = frozenset("early daily weekly monthly yearly hourly elderly family".split())
_SPARE: Final = frozenset("far long much well among unlike nor except".split())


class _Word(NamedTuple):
    """A word that is compared: as written, its key, its clause, and its place among all words.

    ``lines`` are the lines of ``opposites.txt`` that have it; ``before`` and ``behind`` stand next
    to it.
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

    @property
    def is_spare(self) -> bool:
        """Whether a paraphrase may leave it out or add it."""
        is_common = self.key in GENERIC or self.key in LIGHT or self.text in _SPARE
        is_adverb = self.text.endswith("ly") and self.text not in _NO_ADVERBS
        return not self.lines and (is_common or is_adverb or self.text in _SIDES)

    def is_opposed_to(self, other: _Word) -> bool:
        """Whether the two exclude each other."""
        return any(self.lines.get(line, side) != side for line, side in other.lines.items())

    def is_like(self, other: _Word) -> bool:
        """Whether the two are one word, of one family, or go the same way."""
        if self.lines and other.lines:
            return any(self.lines.get(line) == side for line, side in other.lines.items())
        if self.key == other.key:
            return True
        one, two = self.key[:_PREFIX], other.key[:_PREFIX]
        return one == two and len(one) == _PREFIX and one.isalpha() and not self.lines


class _Denial(NamedTuple):
    """A negation: where it starts, and the words of its clause that it denies."""

    start: int
    clause: int
    heads: tuple[_Word, ...]


class _Reading(NamedTuple):
    """A sentence as it is compared."""

    text: str
    words: tuple[_Word, ...]
    denials: tuple[_Denial, ...]
    plain: frozenset[str]
    figures: Mapping[int, Quantity]
    than: int

    def shown(self, word: _Word) -> str:
        """A word as written."""
        return self.text[word.start : word.end]

    def clause(self, number: int) -> list[_Word]:
        """The words of one clause."""
        return [word for word in self.words if word.clause == number]

    def is_denied(self, clause: int) -> bool:
        """Whether a clause says that something is not so."""
        return any(denial.clause == clause for denial in self.denials)

    def like(self, word: _Word) -> list[_Word]:
        """The same word here."""
        return [other for other in self.words if other.is_like(word)]

    def opposed(self, word: _Word) -> list[_Word]:
        """Its opposites here."""
        return [o for o in self.words if o.is_opposed_to(word)] if word.lines else []

    def lacking(self, words: Sequence[_Word]) -> list[_Word]:
        """Those of some words that neither stand here nor have an opposite here."""
        return [
            word for word in words if not (word.is_spare or self.like(word) or self.opposed(word))
        ]


@lru_cache(maxsize=2048)
def _read(text: str) -> _Reading:
    figures = {figure.start: figure for figure in find_figures(text)}
    found: list[tuple[str, int, int]] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() >= end and match[0].lower() not in _HEDGES:
            figure = figures.get(match.start())
            end = figure.end if figure else match.end()
            found.append((text[match.start() : end].lower(), match.start(), end))
        if len(found) > LONGEST:
            break
    plain = frozenset([word for word, _, _ in found])
    clause, words, negations = 0, [], []
    for place, (word, start, end) in enumerate(found):
        before = found[place - 1][0] if place else ","
        behind = found[place + 1][0] if place + 1 < len(found) else ""
        is_denying = word in _NEGATIONS and behind not in _NOT_DENYING
        is_denying = is_denying and not (word.startswith("fail") and behind != "to")
        if word == "without":
            is_denying = "with" not in plain or behind == "any" or behind.endswith("ing")
        if word in _SPLITS or (word == "without" and is_denying):
            clause += 1
        if is_denying:
            negations.append((start, clause, place))
        elif word not in _SPLITS and word not in _NEGATIONS - _SIDES:
            lines = opposites().get(word, {})
            figure = figures.get(start)
            if figure or lines or word in _SIDES or (word not in STOP_WORDS and len(word) > 1):
                key = f"{figure.size:g}" if figure else stem(word)
                words.append(_Word(word, key, clause, place, start, end, before, behind, lines))
    numbers = Counter(number for _, number, _ in negations)
    denials = []
    for start, number, place in negations:
        behind_it = [w for w in words if w.clause == number and w.place > place]
        heads = [w for w in behind_it if not w.text.endswith("ly")] or behind_it
        if numbers[number] % 2:
            denials.append(_Denial(start, number, tuple(heads[:_HEADS])))
    than = next((place for place, (word, _, _) in enumerate(found) if word == "than"), LONGEST + 1)
    return _Reading(text, tuple(words), tuple(denials), plain, figures, than)


def find_conflict(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """The contradiction of a claim with the sentence that it nearly copies; None if none is seen.

    Of the sentences, those that have most of the claim's words count. ``numbers`` says whether one
    number in the place of another counts. A sentence of the evidence disagrees with nothing.
    """
    if claim in evidence:
        return None
    words = set(content_words(claim))
    ranked = []
    for sentence in evidence:
        if 2 * len(words.intersection(content_words(sentence))) < len(words):
            continue
        mine, yours = _read(claim), _read(sentence)
        asked = [word for word in mine.words if not word.is_spare]
        lacking = mine.words and yours.lacking(mine.words)
        if len(mine.words) - len(lacking) < _LEAST or len(lacking) > (1 - COVERED) * len(asked):
            continue
        known = [other for other in evidence if other != sentence]
        differences = list(_differences(mine, yours, known, numbers=numbers))
        ranked.append((len(lacking), len(differences), len(ranked), sentence, differences))
    for _, n_differences, _, sentence, differences in sorted(ranked)[:1]:
        if n_differences == 1:
            kind, says, instead = differences[0]
            return Conflict(kind=kind, says=says, instead=instead, sentence=sentence)
    return _wrong_change(claim, evidence)


_Difference = tuple[ConflictKind, str, str]


def _differences(
    claim: _Reading, sentence: _Reading, known: Sequence[str], *, numbers: bool
) -> Iterator[_Difference]:
    """What a claim says otherwise than a sentence that has its words."""
    there = _changes(sentence)
    for (start, end), change in _changes(claim).items():
        if (end, start) in there and (start, end) not in there:
            yield "swap", change.start.digits, change.end.digits
            return
    if claim.plain & _OPEN == sentence.plain & _OPEN:
        yield from _negations(claim, sentence)
    crossed, turned = _crossed(claim, sentence), list(_directions(claim, sentence))
    if not crossed:
        yield from turned
    is_same_way = any(w.place < claim.than and w.lines and sentence.like(w) for w in claim.words)
    pair = crossed if len(crossed) == 2 and is_same_way and not turned else ()
    pair = pair or _exchanged(claim, sentence)
    if pair:
        yield ("swap", *(claim.shown(word) for word in pair))
    if numbers:
        yield from _numbers(claim, sentence, known)


def _negations(claim: _Reading, sentence: _Reading) -> Iterator[_Difference]:
    """What one of the two denies and the other asserts in the same words."""
    for one, other in ((claim, sentence), (sentence, claim)):
        for denial in one.denials:
            found = _asserted(denial, one, other)
            if found is None:
                continue
            head, there = found
            denied = one.text[denial.start : head.end]
            pair = denied, other.shown(there)
            yield ("negation", *(pair if one is claim else pair[::-1]))


def _asserted(denial: _Denial, one: _Reading, other: _Reading) -> tuple[_Word, _Word] | None:
    """The denied word, and the word where the other sentence asserts it."""
    own = one.clause(denial.clause)
    for rival in other.denials:
        theirs = other.clause(rival.clause)
        heads = [*denial.heads, *([] if rival.heads else theirs)]
        if any(h.is_like(w) for h in heads for w in theirs):
            return None
        if any(h.is_like(w) for h in (*rival.heads, *([] if denial.heads else own)) for w in own):
            return None
    heads = [head for head in denial.heads[:2] if head.key not in LIGHT] or denial.heads[:1]
    for head in heads[:1]:
        for there in other.like(head):
            theirs = other.clause(there.clause)
            if not all(any(h.is_like(w) or h.is_opposed_to(w) for w in theirs) for h in heads):
                continue
            if not _ALIKE.isdisjoint(word.text for word in theirs):
                return None
            missing, added = other.lacking(own), one.lacking(theirs)
            if len(missing) + len(added) <= (len(own) >= _LONG) and not (missing and added):
                return head, there
    return None


def _directions(claim: _Reading, sentence: _Reading) -> Iterator[_Difference]:
    """Words in the place of their opposites, where neither is denied."""
    for word in claim.words:
        if not word.lines or sentence.like(word) or claim.is_denied(word.clause):
            continue
        for there in sentence.opposed(word):
            if sentence.is_denied(there.clause) or claim.like(there):
                continue
            missing = claim.lacking(sentence.clause(there.clause))
            if not (missing and sentence.lacking(claim.words)):
                yield "direction", claim.shown(word), sentence.shown(there)
                break


def _sides(reading: _Reading) -> tuple[list[_Word], list[_Word]]:
    """What stands before a "than" alone, and what stands in the clause behind it alone."""
    before = [word for word in reading.words if word.place < reading.than]
    behind = [word for word in reading.words if word.place > reading.than]
    behind = [word for word in behind if word.clause == behind[0].clause]
    keys, others = {word.key for word in before}, {word.key for word in behind}
    return (
        [word for word in before if word.key not in others],
        [word for word in behind if word.key not in keys],
    )


def _crossed(claim: _Reading, sentence: _Reading) -> tuple[_Word, ...]:
    """Words of the two sides of a "than" that stand on the other side in the sentence.

    One word where the claim names one side only.
    """
    (left, right), (there_left, there_right) = _sides(claim), _sides(sentence)
    firsts = [word for word in left if word.key in {other.key for other in there_right}]
    seconds = [word for word in right if word.key in {other.key for other in there_left}]
    if not firsts or (right and not seconds):
        return ()
    pairs = [(one, two) for one in firsts for two in seconds if _are_parallel(one, two)]
    return pairs[0] if pairs else (firsts[0], *seconds[:1])


def _exchanged(claim: _Reading, sentence: _Reading) -> tuple[_Word, ...]:
    """Two words, each of which stands by the value that belongs to the other one.

    Values are two numbers of a kind, or two opposites. A word belongs to the value next to which it
    stands, where values and words take turns, or come in the same order.
    """
    single = [(word, there) for word in claim.words if (there := _twin(word, claim, sentence))]
    for (one, one2), (two, two2) in combinations(single, 2):
        if not (_are_values(claim, one, two) and _are_values(sentence, one2, two2)):
            continue
        if _is_frame(claim, one, two, sentence):
            return one, two
        rest = [pair for pair in single if pair[0].place not in {one.place, two.place}]
        moved, is_kept = (), False
        for (left, left2), (right, right2) in combinations(rest, 2):
            if bool(claim.opposed(left)) != bool(claim.opposed(right)):
                continue
            if _are_parallel(left, right) and _are_parallel(left2, right2):
                here, is_plain = _order(claim, (one, two), (left, right))
                there, is_plain2 = _order(sentence, (one2, two2), (left2, right2))
                is_plain = is_plain and is_plain2
                if here[0] != there[0]:
                    if is_plain or here[1:] == there[1:]:
                        moved = (one, two) if one.start in claim.figures else (left, right)
                elif is_plain and left.start not in claim.figures and not left.is_opposed_to(right):
                    is_kept = True
        if moved and not is_kept:
            return moved
    return ()


def _twin(word: _Word, claim: _Reading, sentence: _Reading) -> _Word | None:
    """The one word of a sentence that is the same as a word that stands once in a claim."""
    for is_same in (_have_one_key, _Word.is_like):
        there = [other for other in sentence.words if is_same(word, other)]
        if there:
            is_single = len(there) == sum(is_same(word, other) for other in claim.words) == 1
            return there[0] if is_single else None
    return None


def _have_one_key(one: _Word, other: _Word) -> bool:
    return one.key == other.key


def _is_frame(claim: _Reading, one: _Word, two: _Word, sentence: _Reading) -> bool:
    """Whether a claim is a part of the sentence in its order once two of its words are exchanged."""
    exchanged = {one.key: two.key, two.key: one.key}
    keys = [exchanged.get(word.key, word.key) for word in claim.words]
    rest = iter([word.key for word in sentence.words])
    is_apart = any(one.place < word.place < two.place for word in claim.words)
    return is_apart and all(key in rest for key in keys)


def _are_values(reading: _Reading, one: _Word, two: _Word) -> bool:
    """Whether two words say how much, apart from each other, so that they may change places."""
    if not any(
        min(one.place, two.place) < w.place < max(one.place, two.place) for w in reading.words
    ):
        return False
    first, second = reading.figures.get(one.start), reading.figures.get(two.start)
    if first and second:
        is_kind = first.dimension == second.dimension and first.decimals == second.decimals
        is_count = is_own_count(first) or is_own_count(second)
        low, high = sorted((first.size, second.size))
        is_year = not first.dimension and (low in _YEARS or high in _YEARS)
        is_kind = (
            is_kind and high <= _FARTHEST * low and one.text[0].isdigit() == two.text[0].isdigit()
        )
        is_range = any("to" in {w.before, w.behind} and w.before != "from" for w in (one, two))
        return is_kind and not (is_count or is_year or is_range)
    return one.is_opposed_to(two)


def _are_parallel(one: _Word, two: _Word) -> bool:
    """Whether two words name the same kind of thing, by what stands around them."""
    if one.key[0].isdigit() != two.key[0].isdigit() or one.before[:1].isdigit():
        return False
    beside = [(one.before, two.before), (one.behind, two.behind)]
    is_alike = any(a == b or (a in _SPLITS and b in _SPLITS) for a, b in beside if a and b)
    ends = opposites()
    are_ends = any(
        ends.get(a, {}).get(line, side) != side
        for a, b in beside
        for line, side in ends.get(b, {}).items()
    )
    return is_alike or are_ends or one.is_opposed_to(two) or {one.text, two.text} == _SIDES


def _order(
    reading: _Reading, values: tuple[_Word, _Word], words: tuple[_Word, _Word]
) -> tuple[tuple[bool, int, int], bool]:
    """Whether the first word stands to the first value as the second to the second one.

    With how many values stand before the words, and whether that says what belongs to what.
    """
    (first, second), (left, right) = sorted(values, key=_place), sorted(words, key=_place)
    zones = [sum(v.place < w.place for v in values) for w in (left, right)]
    between = sum(first.place < word.place < second.place for word in reading.words)
    is_plain = zones in ([0, 1], [1, 2]) or (zones in ([0, 0], [2, 2]) and between <= 1)
    return ((first is values[0]) == (left is words[0]), *zones), is_plain


def _place(word: _Word) -> int:
    return word.place


def _numbers(claim: _Reading, sentence: _Reading, known: Sequence[str]) -> Iterator[_Difference]:
    """A number in the place of another, which no sentence of the evidence states."""
    theirs = {(w.before, w.behind): w for w in sentence.words if w.start in sentence.figures}
    for word in claim.words:
        figure, there = claim.figures.get(word.start), theirs.get((word.before, word.behind))
        is_replaced = figure and there and not (sentence.like(word) or claim.like(there))
        if not is_replaced or there.text.startswith("00"):
            continue
        stated = [other for text in known for other in find_figures(text)]
        is_stated = any(map(figure.agrees_with, (*stated, *sentence.figures.values())))
        if not is_stated and not is_worked_out(figure, [sentence.text]):
            yield "number", figure.digits, sentence.figures[there.start].digits


_MOVE = re.compile(
    r"r[io]s[ei]|increas|gr[eo]w|climb|raised|f[ae]ll|drop|decreas|declin|s[ah][nr]|reduc|lower[se]"
)
"""How the verbs begin that say whether a number goes up or down."""
_ELSE = re.compile(
    r"(?i)\b(?:up|down|was|were|is|are|went|goes|came|varied|ranged|\w{3,}ed|as)\b|[.;:,\d]"
)
"""What parts a change from the verb before it."""
_RANK = re.compile(r"(?i)\b(?:rank\w*|place|position)\b")
"""Of these, a lower number is a rise."""
_ALONG: Final = frozenset({"time", "length", "frequency", "temperature", ""})
"""What a thing may rise or fall along: "fell from 6 to 12 months"."""


class _Change(NamedTuple):
    """A change "from A to B", and the verb that says which way it goes, if any."""

    start: Quantity
    end: Quantity
    verb: _Word | None


def _changes(reading: _Reading) -> dict[tuple[float, float], _Change]:
    """The changes of a sentence by their numbers."""
    changes = {}
    numbers = [word for word in reading.words if word.start in reading.figures]
    for one, two in pairwise(numbers):
        if one.before == "from" and two.before == "to" and one.clause == two.clause:
            start, end = reading.figures[one.start], reading.figures[two.start]
            moves = [w for w in reading.clause(one.clause) if w.place < one.place and w.lines]
            verb = moves[-1] if moves and _MOVE.match(moves[-1].text) else None
            if verb and (
                _ELSE.search(reading.text, verb.end, start.start) or _RANK.search(reading.text)
            ):
                verb = None
            changes[start.size, end.size] = _Change(start, end, verb)
    return changes


def _wrong_change(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """A change whose numbers go against its verb, unless the evidence says so itself.

    Numbers that may say where or when something changes prove nothing.
    """
    if "from" not in claim:
        return None
    for sizes, change in _changes(_read(claim)).items():
        start, end, verb = change
        is_along = start.dimension in _ALONG and not (start.decimals or end.decimals)
        if verb is None or is_along or start.dimension != end.dimension:
            continue
        is_up = verb.lines.get(0)
        others = [_changes(_read(text)).get(sizes) for text in evidence if "from" in text]
        is_said = any(o and o.verb and o.verb.is_like(verb) for o in others)
        size, goal = start.size * start.factor, end.size * end.factor
        if not is_said and size != goal and is_up is not None and is_up != (goal > size):
            instead = f"from {start.text} to {end.text}"
            return Conflict(kind="change", says=claim[verb.start : verb.end], instead=instead)
    return None
