"""Contradictions in a near copy: a negation, a direction, exchanged partners, a replaced number.

A claim and a sentence are read as words in clauses. Where nearly all words of the claim stand in
the sentence, their differences are listed. A single difference is a contradiction. Two differences
may undo each other ("A was higher than B", "B was lower than A"), and a word in the place of
another may mean that the two are about different things, so neither is judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
"""A clause of so many words may have one that the other sentence lacks."""
_PREFIX: Final = 5
"""Words of one family ("cost", "costly") share so many letters."""
_CHANGED: Final = 5
"""So many words from the start of a change its end is named."""
_FARTHEST: Final = 8
"""Numbers that are told apart by such a factor hardly change places."""
_YEARS: Final = range(1800, 2100)
_TOKEN = re.compile(
    r"(?i)n['\u2019]t\b|[^\W\d_]+?(?=n['\u2019]t\b)|[^\W\d_]+\d*|\d+(?:[.,]\d+)*|[;:,()]"
)
_NEGATIONS: Final = frozenset(
    "not n't n\u2019t never cannot no nor none nobody nothing without failed fails fail".split()
)
_NOT_DENYING: Final = frozenset("only just least longer later".split())
"""After these a "not" or a "no" denies nothing that could be compared."""
_ALIKE: Final = frozenset(
    """
    unchanged unaffected unaltered indistinguishable unrelated negligible similar similarly
    comparable alike constant steady stable equal equally identical independent same unlike except
    """.split()
)
"""Words that deny a difference without a "not", or that take something out."""
_OPEN: Final = frozenset("whether if may might could should unknown unclear aim aimed".split())
"""What these introduce is asked or possible, not said."""
_COMPARED: Final = frozenset({"than", "compared"})
_SPLITS: Final = _COMPARED | frozenset(
    "; : , ( ) and but while whereas although though yet however because when nor".split()
)
"""Where a clause begins."""
_SIDES: Final = frozenset({"with", "without"})
"""Where a sentence has both, they name two groups and deny nothing."""
_SKIPPED: Final = frozenset(
    "the a an against versus vs about around approximately roughly nearly almost".split()
)
_BOUNDS: Final = frozenset({"more", "less", "fewer"})
_FRACTIONS: Final = frozenset("half third quarter fifth tenth twice".split())
_NO_ADVERBS: Final = frozenset("early daily weekly monthly yearly hourly elderly family".split())
_SPARE: Final = frozenset("far long much well among unlike neither except".split())
_ALONG: Final = frozenset({"time", "length", "frequency", "temperature", ""})
"""What a thing may rise or fall along: "fell from 6 to 12 months"."""


class _Word(NamedTuple):
    """A word that is compared, its clause, its place, what stands beside it, and its opposites.

    ``lines`` are the lines of ``opposites.txt`` that have it.
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
    def is_adverb(self) -> bool:
        """Whether it says how, which nearly any paraphrase leaves out."""
        return (self.text.endswith("ly") and self.text not in _NO_ADVERBS) or self.text in _SIDES

    @property
    def is_spare(self) -> bool:
        """Whether a paraphrase may leave it out or add it."""
        is_common = self.key in GENERIC or self.key in LIGHT or self.text in _SPARE
        return not self.lines and (is_common or self.is_adverb)

    def is_opposed_to(self, other: _Word) -> bool:
        """Whether the two exclude each other."""
        return any(self.lines.get(line, side) != side for line, side in other.lines.items())

    def is_like(self, other: _Word) -> bool:
        """Whether the two are one word, of one family, or go the same way."""
        if self.lines and other.lines and self.key != other.key:
            return any(self.lines.get(line) == side for line, side in other.lines.items())
        one, two = self.key[:_PREFIX], other.key[:_PREFIX]
        is_kin = one == two and len(one) == _PREFIX and one.isalpha() and not self.lines
        return is_kin or self.key == other.key


class _Denial(NamedTuple):
    """A negation: where it starts, its clause, the words there, and those that it denies."""

    start: int
    clause: int
    words: tuple[_Word, ...]
    heads: tuple[_Word, ...]


class _Reading(NamedTuple):
    """A sentence as it is compared; ``compared`` is the clause of a "than"."""

    text: str
    words: tuple[_Word, ...]
    denials: tuple[_Denial, ...]
    tokens: frozenset[str]
    figures: Mapping[int, Quantity]
    compared: int

    def shown(self, word: _Word) -> str:
        """A word as written."""
        return self.text[word.start : word.end]

    def clause(self, number: int) -> list[_Word]:
        """The words of one clause."""
        return [word for word in self.words if word.clause == number]

    def is_denied(self, clause: int) -> bool:
        """Whether a clause says that something is not so."""
        return any(denial.clause == clause for denial in self.denials)

    def has(self, word: _Word) -> bool:
        """Whether the same word, or its opposite, stands here."""
        return any(word.is_like(other) or word.is_opposed_to(other) for other in self.words)

    def lacking(self, words: Iterable[_Word]) -> list[_Word]:
        """Those of some words that a paraphrase keeps and that do not stand here."""
        return [word for word in words if not (word.is_spare or self.has(word))]

    def is_reworded(self, words: Sequence[_Word]) -> bool:
        """Whether some of these words, spare ones too, do not stand here."""
        return not all(w.is_adverb or w.key in GENERIC or self.has(w) for w in words)


def _denies(word: str, behind: str, tokens: frozenset[str]) -> bool:
    if word not in _NEGATIONS or behind in _NOT_DENYING:
        return False
    if word == "without":
        return "with" not in tokens or _is_act(behind)
    return not word.startswith("fail") or behind == "to"


def _is_act(word: str) -> bool:
    """Whether a "without" before it says what did not happen, not which group."""
    return word == "any" or word.endswith("ing")


@lru_cache(maxsize=2048)
def _read(text: str) -> _Reading:
    figures = {figure.start: figure for figure in find_figures(text)}
    found = [("", 0, 0)]
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if start >= found[-1][2] and match[0].lower() not in _SKIPPED:
            end = figures[start].end if start in figures else end
            found.append((text[start:end].lower(), start, end))
        if len(found) > LONGEST:
            break
    found = [*found[1:], ("", 0, 0)]
    for place, (word, _, _) in enumerate(found[:-2]):
        number, start, _ = found[place + 2]
        if word in _BOUNDS and found[place + 1][0] == "than":
            if start in figures or number in _FRACTIONS:
                is_no = found[place - 1][0] in {"no", "not"}
                found[place - is_no : place + 2] = [("", 0, 0)] * (2 + is_no)
    found = [each for each in found[:-1] if each[0]] + found[-1:]
    tokens = frozenset(word for word, _, _ in found)
    clause, compared, words, negations, before = 0, -1, [], [], ","
    for place, ((word, start, end), (behind, _, _)) in enumerate(pairwise(found)):
        is_denying = _denies(word, behind, tokens)
        clause += word in _SPLITS or (is_denying and word == "without")
        compared = clause if word in _COMPARED and compared < 0 else compared
        lines = opposites().get(word, {})
        if is_denying:
            negations.append((start, clause, place, word == "without"))
        elif start in figures or lines or word in _SIDES or _is_content(word):
            key = f"{figures[start].size:g}" if start in figures else stem(word)
            words.append(_Word(word, key, clause, place, start, end, before, behind, lines))
        before = word
    return _Reading(text, tuple(words), _denials(words, negations), tokens, figures, compared)


def _is_content(word: str) -> bool:
    return len(word) > 1 and word not in STOP_WORDS and word not in _SPLITS


def _denials(
    words: Sequence[_Word], negations: Sequence[tuple[int, int, int, bool]]
) -> tuple[_Denial, ...]:
    """The negations that hold: two in one clause undo each other."""
    numbers = Counter(clause for _, clause, _, _ in negations)
    denials = []
    for start, clause, place, is_group in negations:
        own = [word for word in words if word.clause == clause]
        behind = [word for word in own if word.place > place]
        heads = [word for word in behind if not word.is_adverb] or behind
        if is_group:
            denials.append(_Denial(start, -1, tuple(heads[:1]), tuple(heads[:1])))
        elif numbers[clause] % 2:
            denials.append(_Denial(start, clause, tuple(own), tuple(heads[:_HEADS] or own)))
    return tuple(denials)


def find_conflict(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """The contradiction of a claim with the sentence that it nearly copies; None if none is seen.

    Of the sentences, the one that has most of the claim's words counts. ``numbers`` says whether
    one number in the place of another counts. A sentence of the evidence disagrees with nothing.
    """
    if claim in evidence:
        return None
    words = set(content_words(claim))
    ranked = []
    for sentence in evidence:
        if 2 * len(words.intersection(content_words(sentence))) < len(words):
            continue
        mine, yours = _read(claim), _read(sentence)
        n_lacking = len(yours.lacking(mine.words))
        n_asked = sum(not word.is_spare for word in mine.words)
        if len(mine.words) - n_lacking < _LEAST or n_lacking > (1 - COVERED) * n_asked:
            continue
        known = [other for other in evidence if other != sentence] if numbers else None
        differences = list(_differences(mine, yours, known))
        ranked.append((n_lacking, len(differences), len(ranked), sentence, differences))
    for _, n_differences, _, sentence, differences in sorted(ranked)[:1]:
        if n_differences == 1:
            kind, says, instead = differences[0]
            return Conflict(kind=kind, says=says, instead=instead, sentence=sentence)
    return _wrong_change(claim, evidence)


_Difference = tuple[ConflictKind, str, str]


def _differences(
    claim: _Reading, sentence: _Reading, known: Sequence[str] | None
) -> Iterator[_Difference]:
    """What a claim says otherwise than a sentence that has its words."""
    changes, reversed_ = _changes(claim), _changes(sentence)
    for (start, end), (one, two, _) in changes.items():
        if (end, start) in reversed_ and (start, end) not in reversed_:
            yield "swap", one.digits, two.digits
            return
    if claim.tokens & _OPEN == sentence.tokens & _OPEN:
        yield from _negations(claim, sentence)
    crossed, turned = _crossed(claim, sentence), list(_directions(claim, sentence))
    if not crossed:
        yield from turned
    same = {word.key for word in sentence.words if word.lines}
    is_same_way = not turned and any(word.key in same for word in claim.words)
    pair = (crossed if crossed[1:] and is_same_way else ()) or _exchanged(claim, sentence)
    if pair:
        yield ("swap", *(claim.shown(word) for word in pair))
    if known is not None:
        yield from _numbers(claim, sentence, known)


def _negations(claim: _Reading, sentence: _Reading) -> Iterator[_Difference]:
    """The first thing that one of the two denies and the other asserts in the same words."""
    for one, other in ((claim, sentence), (sentence, claim)):
        for denial in one.denials:
            if not any(_are_about_one(denial, rival, one) for rival in other.denials):
                for head, there in _asserted(denial, one, other):
                    pair = one.text[denial.start : head.end], other.shown(there)
                    yield ("negation", *(pair if one is claim else pair[::-1]))
                    return


def _are_about_one(one: _Denial, other: _Denial, reading: _Reading) -> bool:
    """Whether one of two negations denies what stands by the other.

    "Beyond the reef, coral did not grow" denies what "but none grew beyond the reef" denies.
    """
    opening = reading.clause(one.clause - 1)
    words = (*one.words, *opening) if len(opening) <= _LEAST else one.words
    return any(
        head.is_like(word)
        for heads, there in ((one.heads, other.words), (other.heads, words))
        for head in heads
        for word in there
    )


def _asserted(denial: _Denial, one: _Reading, other: _Reading) -> Iterator[tuple[_Word, _Word]]:
    """The denied word, and the word where the other sentence asserts it."""
    heads = [head for head in denial.heads[:2] if head.key not in LIGHT] or denial.heads[:1]
    for there in filter(heads[0].is_like, other.words) if heads else ():
        theirs = other.clause(there.clause)
        is_alike = any(word.text in _ALIKE and word != there for word in theirs)
        has_heads = all(any(h.is_like(w) or h.is_opposed_to(w) for w in theirs) for h in heads)
        n_lacking = len(other.lacking(denial.words)), len(one.lacking(theirs))
        is_near = min(n_lacking) == 0 and max(n_lacking) <= (len(denial.words) >= _LONG)
        is_part = len(theirs) < _LEAST and any(each.clause >= 0 for each in other.denials)
        if has_heads and is_near and not (is_alike or is_part) and heads[0].start > denial.start:
            yield heads[0], there


def _directions(claim: _Reading, sentence: _Reading) -> Iterator[_Difference]:
    """Words in the place of their opposites, where neither is denied."""
    own, theirs = _ways(claim, sentence), _ways(sentence, claim)
    rest = [there for there in theirs if not any(map(there.is_like, own))]
    for word in own:
        if any(map(word.is_like, theirs)):
            continue
        for end in filter(word.is_opposed_to, rest):
            if _is_turned(word, own) and _is_turned(end, rest):
                if _are_in_place(word, claim, end, sentence):
                    yield "direction", claim.shown(word), sentence.shown(end)
                    rest.remove(end)
                    break


def _is_turned(word: _Word, ways: Sequence[_Word]) -> bool:
    """Whether the word alone tells the way of its clause: a smaller decrease is no decrease."""
    ends = [end for end in ways if end.clause == word.clause and end != word]
    return not any(end.lines.keys() & word.lines.keys() for end in ends)


def _are_in_place(word: _Word, claim: _Reading, end: _Word, sentence: _Reading) -> bool:
    """Whether two opposites stand in clauses that are alike, and no other word is replaced."""
    here, there = claim.clause(word.clause), sentence.clause(end.clause)
    missing, added = claim.lacking(there), sentence.lacking(claim.words)
    if (missing and (added or sentence.is_reworded(here))) or (added and claim.is_reworded(there)):
        return False
    is_form = _is_comparative(word) == _is_comparative(end) or 0 not in word.lines
    numbers = {w.key for w in here if w.start in claim.figures}
    return is_form or any(w.key in numbers for w in there)


def _is_comparative(word: _Word) -> bool:
    return word.text.endswith("er") or word.text in _BOUNDS


def _ways(reading: _Reading, other: _Reading) -> list[_Word]:
    """The words with an opposite that stand here alone, and are not denied."""
    known = Counter(word.key for word in other.words)
    known.subtract(word.key for word in reading.words)
    return [
        w for w in reading.words if w.lines and known[w.key] < 0 and not reading.is_denied(w.clause)
    ]


def _crossed(claim: _Reading, sentence: _Reading) -> tuple[_Word, ...]:
    """Words of the two sides of a "than" that stand on the other side in the sentence.

    One word where the claim names one side only.
    """
    (left, right), (there_left, there_right) = _sides(claim), _sides(sentence)
    firsts = [left[key] for key in left if key in there_right]
    seconds = [right[key] for key in right if key in there_left]
    if not firsts or (right and not seconds):
        return ()
    pairs = [(one, two) for one in firsts for two in seconds if _are_parallel(one, two, claim)]
    return pairs[0] if pairs else (firsts[0], *seconds[:1])


def _sides(reading: _Reading) -> tuple[dict[str, _Word], dict[str, _Word]]:
    """By key, what stands in the clause of a "than" alone, after what stands elsewhere alone."""
    behind = {word.key: word for word in reading.clause(reading.compared)}
    others = {word.key: word for word in reading.words if word.clause != reading.compared}
    return (
        {key: others[key] for key in others if key not in behind},
        {key: behind[key] for key in behind if key not in others},
    )


def _exchanged(claim: _Reading, sentence: _Reading) -> tuple[_Word, ...]:
    """Two words, each of which stands by the value that belongs to the other one.

    Values are two numbers of a kind, or two opposites. Names that stand by their own values in both
    say that the values are where they belong.
    """
    twins = [(word, there) for word in claim.words if (there := _twin(word, claim, sentence))]
    pairs = list(combinations(twins, 2))
    names = [
        ((left, left2), (right, right2))
        for (left, left2), (right, right2) in pairs
        if _are_parallel(left, right, claim) and _are_parallel(left2, right2, sentence)
    ]
    for (one, one2), (two, two2) in pairs:
        if not (_are_values(claim, one, two) and _are_values(sentence, one2, two2)):
            continue
        if _is_frame(claim, one, two, sentence):
            return one, two
        moved: tuple[_Word, ...] = ()
        is_kept = False
        for (left, left2), (right, right2) in names:
            if {left.place, right.place} & {one.place, two.place}:
                continue
            here = _order(claim, one, two, left, right)
            there = _order(sentence, one2, two2, left2, right2)
            is_plain = here.is_plain and there.is_plain
            if here.is_same != there.is_same and (is_plain or here.zones == there.zones):
                moved = (one, two) if one.start in claim.figures else (left, right)
            is_value = left.start in claim.figures or left.is_opposed_to(right)
            is_kept |= here.is_same == there.is_same and is_plain and not is_value
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
    """Whether a claim is a part of the sentence, in its order, once two words are exchanged."""
    exchanged = {one.key: two.key, two.key: one.key}
    rest = iter([word.key for word in sentence.words])
    return all(exchanged.get(word.key, word.key) in rest for word in claim.words)


def _are_values(reading: _Reading, one: _Word, two: _Word) -> bool:
    """Whether two words say how much, apart from each other, so that they may change places."""
    first, second = reading.figures.get(one.start), reading.figures.get(two.start)
    if abs(reading.words.index(one) - reading.words.index(two)) == 1:
        return False
    if first is None or second is None:
        return one.is_opposed_to(two)
    if first.dimension != second.dimension or first.decimals != second.decimals:
        return False
    low, high = sorted((first.size, second.size))
    is_year = not first.dimension and (low in _YEARS or high in _YEARS)
    is_range = any("to" in {w.before, w.behind} and w.before != "from" for w in (one, two))
    is_own = is_own_count(first) or is_own_count(second)
    return high <= _FARTHEST * low and not (is_year or is_range or is_own)


def _are_parallel(one: _Word, two: _Word, reading: _Reading) -> bool:
    """Whether two words name the same kind of thing, by what stands around them."""
    if one.key[0].isdigit() != two.key[0].isdigit() or one.before[:1].isdigit():
        return False
    if one.is_opposed_to(two) or {one.text, two.text} == _SIDES:
        return True
    if any(one.is_opposed_to(w) or two.is_opposed_to(w) for w in reading.words):
        return False
    beside = [(one.before, two.before), (one.behind, two.behind)]
    ends = opposites()
    return any(
        (a and a == b)
        or (a in _SPLITS and b in _SPLITS)
        or any(ends.get(a, {}).get(line, side) != side for line, side in ends.get(b, {}).items())
        for a, b in beside
    )


class _Order(NamedTuple):
    """How two names stand to two values: whether the first belongs to the first value.

    ``zones`` says how many values stand before each name, and ``is_plain`` whether that tells what
    belongs to what.
    """

    is_same: bool
    zones: tuple[int, ...]
    is_plain: bool


def _order(reading: _Reading, one: _Word, two: _Word, left: _Word, right: _Word) -> _Order:
    clauses = one.clause, two.clause
    if one.clause != two.clause and {left.clause, right.clause} == set(clauses):
        return _Order(left.clause == one.clause, (), is_plain=True)
    first, second = sorted((one.place, two.place))
    zones = tuple(sum(v < w for v in (first, second)) for w in sorted((left.place, right.place)))
    between = sum(first < word.place < second for word in reading.words)
    is_plain = zones in {(0, 1), (1, 2)} or (zones in {(0, 0), (2, 2)} and between <= 1)
    return _Order((one.place < two.place) == (left.place < right.place), zones, is_plain)


def _numbers(claim: _Reading, sentence: _Reading, known: Sequence[str]) -> Iterator[_Difference]:
    """A number in the place of another, which no sentence of the evidence states."""
    theirs = {(w.before, w.behind): w for w in sentence.words if w.start in sentence.figures}
    stated = [other for text in (*known, sentence.text) for other in find_figures(text)]
    for word in claim.words:
        figure, there = claim.figures.get(word.start), theirs.get((word.before, word.behind))
        is_bare = claim.text[: word.start].lower().rstrip(" =<>~(").endswith(word.before)
        if (
            figure is None
            or there is None
            or not is_bare
            or claim.has(there)
            or sentence.has(word)
            or there.text.startswith("00")
        ):
            continue
        is_stated = any(map(figure.agrees_with, stated))
        if not is_stated and not is_worked_out(figure, [sentence.text]):
            yield "number", figure.digits, sentence.figures[there.start].digits


def _changes(reading: _Reading) -> dict[tuple[float, float], tuple[Quantity, Quantity, _Word]]:
    """By its numbers, each change "from A to B", with the word before it."""
    changes = {}
    words = [word for word in reading.words if not word.is_adverb]
    for place, one in enumerate(words):
        start = reading.figures.get(one.start)
        if start and place and one.before == "from":
            two = next((w for w in words[place + 1 :] if w.start in reading.figures), one)
            if two.before == "to" and two.place - one.place <= _CHANGED and two.clause == one.clause:
                end = reading.figures[two.start]
                changes[start.size, end.size] = start, end, words[place - 1]
    return changes


def _wrong_change(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """A change whose numbers go against its verb, unless the evidence says so itself.

    A fall in rank is a rise. Numbers that may say where or when it changes prove nothing.
    """
    if "from" not in claim or "rank" in claim:
        return None
    for sizes, (start, end, verb) in _changes(_read(claim)).items():
        is_up = verb.lines.get(0)
        is_along = start.dimension in _ALONG and not (start.decimals or end.decimals)
        if is_up is None or is_along or start.dimension != end.dimension:
            continue
        others = [_changes(_read(text)).get(sizes) for text in evidence if "from" in text]
        is_said = any(other is not None and other[2].is_like(verb) for other in others)
        size, goal = start.size * start.factor, end.size * end.factor
        if not is_said and size != goal and is_up != (goal > size):
            instead = f"from {start.text} to {end.text}"
            return Conflict(kind="change", says=claim[verb.start : verb.end], instead=instead)
    return None
