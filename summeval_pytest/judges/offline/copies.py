"""Contradictions in a near copy: a negation, a direction, exchanged partners, a replaced number.

Where nearly all words of a claim stand in a sentence, the differences of the two are listed. One
difference is a contradiction. Two may undo each other ("A was higher than B", "B was lower than
A"), and a word in the place of another may say that the two are about different things, so neither
is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from summeval_pytest.judges.offline.clauses import WORDS, Clauses, Denial, Word, read
from summeval_pytest.judges.offline.conflicts import Conflict, ConflictKind
from summeval_pytest.text.marks import content
from summeval_pytest.text.numbers import find_figures, is_own_count, is_worked_out
from summeval_pytest.text.quantities import Quantity
from summeval_pytest.text.words import LIGHT, content_words, opposites

COVERED: Final = 0.75
"""Such a part of a claim's words stands in the sentence that it nearly copies."""
_ALIKE: Final = 0.5
"""A sentence that shares fewer words, by stems alone, is not read."""
_LEAST: Final = 3
"""Two sentences that share fewer words share them by chance."""
_LONG: Final = 6
"""A clause of so many words may have one that the other sentence lacks."""
_CHANGED: Final = 5
"""So many words behind the start of a change stands its end."""
_TABLE: Final = 12
"""A sentence with more numbers is a table, where order does not say what belongs to what."""
_FARTHEST: Final = 8
"""Numbers that are told apart by such a factor hardly change places."""
_YEARS: Final = range(1800, 2100)

_Difference = tuple[ConflictKind, str, str]
_Pair = tuple[Word, Word]
"""Two words of one text, or a word of the claim and the same word of the sentence."""


def find_conflict(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """The contradiction of a claim with the sentence that it nearly copies; None if none is seen.

    Of the sentences, the one that has most of the claim's words counts. ``numbers`` says whether
    one number in the place of another counts. A sentence of the evidence disagrees with nothing.
    """
    if claim in evidence:
        return None
    words = set(content_words(claim))
    ranked: list[tuple[int, int, int, str, list[_Difference]]] = []
    for sentence in evidence:
        if len(words.intersection(content_words(sentence))) < _ALIKE * len(words):
            continue
        mine, yours = read(content(claim)), read(content(sentence))
        n_lacking = len(yours.lacking(mine.words))
        if len(mine.words) - n_lacking < _LEAST or n_lacking > (1 - COVERED) * mine.n_asked:
            continue
        known = [other for other in evidence if other != sentence] if numbers else None
        differences = list(_differences(mine, yours, known))
        ranked.append((n_lacking, len(differences), len(ranked), sentence, differences))
    if ranked:
        *_, sentence, differences = min(ranked)
        if len(differences) == 1:
            kind, says, instead = differences[0]
            return Conflict(kind=kind, says=says, instead=instead, sentence=sentence)
    return _wrong_change(claim, evidence)


def _differences(
    claim: Clauses, sentence: Clauses, known: Sequence[str] | None
) -> Iterator[_Difference]:
    """What a claim says otherwise than a sentence that has its words."""
    changes = _changes(sentence)
    for (start, end), (one, two, _) in _changes(claim).items():
        if (end, start) in changes and (start, end) not in changes:
            yield "swap", one.digits, two.digits
            return
    if claim.tokens & WORDS["open"] == sentence.tokens & WORDS["open"]:
        yield from _negations(claim, sentence)
    crossed, turned = _crossed(claim, sentence), list(_directions(claim, sentence))
    if not crossed:
        yield from turned
    pair = crossed if crossed[1:] and not turned and _go_one_way(claim, sentence) else ()
    is_table = max(len(claim.figures), len(sentence.figures)) > _TABLE
    has_values = len(claim.figures) > 1 or sum(bool(w.lines) for w in claim.words) > 1
    moved = _exchanged(claim, sentence, pair) if has_values and not is_table else ()
    is_other = min(claim.compared, sentence.compared) >= 0 and not _go_one_way(claim, sentence)
    is_undone = (pair or is_other) and moved and moved[0].start not in claim.figures
    for first, second, *_ in filter(None, [pair or moved] if not is_undone else []):
        yield "swap", claim.shown(first), claim.shown(second)
    if known is not None and not is_table:
        yield from _numbers(claim, sentence, known)


def _negations(claim: Clauses, sentence: Clauses) -> Iterator[_Difference]:
    """The first thing that one of the two denies and the other asserts in the same words."""
    for one, other in ((claim, sentence), (sentence, claim)):
        for denial in one.denials:
            is_there = denial.clause < 0 and "without" in other.tokens  # "47% without" of what?
            if not (is_there or any(_are_about_one(denial, rival) for rival in other.denials)):
                for head, there in _asserted(denial, one, other):
                    start, end = min(denial.start, head.start), max(denial.end, head.end)
                    pair = one.text[start:end], other.shown(there)
                    yield ("negation", *(pair if one is claim else pair[::-1]))
                    return


def _are_about_one(one: Denial, other: Denial) -> bool:
    """Whether one of two negations denies what stands by the other, or both say it of one thing."""
    shared = [word for word in one.words if any(map(word.is_like, other.words))]
    heads = [head for head in one.heads if any(map(head.is_like, other.words))]
    return bool(heads or shared[1:]) or any(h.is_like(w) for h in other.heads for w in one.words)


def _asserted(denial: Denial, one: Clauses, other: Clauses) -> Iterator[_Pair]:
    """The denied word, and the word where the other sentence asserts it."""
    heads = [head for head in denial.heads[:2] if head.key not in LIGHT] or denial.heads[:1]
    is_count = any(h.key[0].isdigit() and h.start < denial.start for h in heads)  # "9 did not"
    for there in other.words if heads and not is_count else ():
        if not heads[0].is_like(there):
            continue
        theirs = other.clause(there.clause)
        is_alike = any(word.text in WORDS["alike"] and word != there for word in theirs)
        is_part = len(theirs) < _LEAST and any(each.clause >= 0 for each in other.denials)
        has_heads = all(any(h.is_like(w) or h.is_opposed_to(w) for w in theirs) for h in heads)
        n_lacking = len(other.lacking(denial.words)), len(one.lacking(theirs))
        is_near = min(n_lacking) == 0 and max(n_lacking) <= (len(denial.words) >= _LONG)
        if has_heads and is_near and not (is_alike or is_part):
            yield heads[0], there


def _directions(claim: Clauses, sentence: Clauses) -> Iterator[_Difference]:
    """Words in the place of their opposites, where neither is denied."""
    own = _ways(claim, sentence)
    theirs = _ways(sentence, claim) if own else []
    rest = [there for there in theirs if not any(map(there.is_like, own))]
    for word in own:
        ends = [] if any(map(word.is_like, theirs)) else filter(word.is_opposed_to, rest)
        for end in ends:
            is_alone = _is_alone(word, own) and _is_alone(end, rest)
            if is_alone and _are_in_place(word, claim, end, sentence):
                yield "direction", claim.shown(word), sentence.shown(end)
                rest.remove(end)
                break


def _ways(reading: Clauses, other: Clauses) -> list[Word]:
    """The words with an opposite that stand here alone, and are not denied."""
    known = Counter(word.key for word in other.words)
    known.subtract(word.key for word in reading.words)
    denied = {denial.clause for denial in reading.denials}
    return [w for w in reading.words if w.lines and known[w.key] < 0 and w.clause not in denied]


def _is_alone(word: Word, ways: Sequence[Word]) -> bool:
    """Whether no other word of its clause turns it: a smaller decrease is no decrease."""
    others = [end for end in ways if end.clause == word.clause and end != word]
    return not any(end.lines.keys() & word.lines.keys() for end in others)


def _are_in_place(word: Word, claim: Clauses, end: Word, sentence: Clauses) -> bool:
    """Whether two opposites stand in clauses that are alike, and no other word is replaced."""
    here, there = claim.clause(word.clause), sentence.clause(end.clause)
    numbers = {w.key for w in here if w.start in claim.figures}
    has_number = any(w.key in numbers for w in there)
    told = [w for w in claim.words if w.clause <= word.clause] if has_number else claim.words
    missing, added = claim.lacking(there), sentence.lacking(told)
    if (missing and (added or sentence.is_reworded(here))) or (added and claim.is_reworded(there)):
        return False
    return word.is_comparative == end.is_comparative or 0 not in word.lines or has_number


def _crossed(claim: Clauses, sentence: Clauses) -> tuple[Word, ...]:
    """Words of the two sides of a "than" that stand on the other side in the sentence.

    One word where one of the two names one side only.
    """
    if claim.compared < 0 and sentence.compared < 0:
        return ()
    (left, right), (there_left, there_right) = _sides(claim), _sides(sentence)
    firsts = [left[key] for key in left if key in there_right]
    seconds = [right[key] for key in right if key in there_left]
    if not there_right:
        return tuple(seconds[:1])
    if not firsts or (right and not seconds):
        return tuple(firsts[:1])
    pairs = [(one, two) for one in firsts for two in seconds if _are_parallel(one, two, claim)]
    return pairs[0] if pairs else (firsts[0], *seconds[:1])


def _go_one_way(claim: Clauses, sentence: Clauses) -> bool:
    """Whether two comparisons have one comparative, and no word in the place of another."""
    same = {word.key for word in sentence.words if word.lines and word.is_comparative}
    is_reworded = sentence.is_reworded(claim.words) and claim.is_reworded(sentence.words)
    return not (same.isdisjoint(claim.keys) or is_reworded)


def _sides(reading: Clauses) -> tuple[dict[str, Word], dict[str, Word]]:
    """By key, what stands outside the clause of a "than" alone, and what stands in it alone."""
    behind = {word.key: word for word in reading.clause(reading.compared)}
    others = {word.key: word for word in reading.words if word.clause != reading.compared}
    both = behind.keys() & others.keys()
    left, right = ({k: w for k, w in side.items() if k not in both} for side in (others, behind))
    return left, right


def _exchanged(claim: Clauses, sentence: Clauses, but: Sequence[Word]) -> tuple[Word, ...]:
    """Two words, each of which stands by the value that belongs to the other one.

    Values are two numbers of a kind, or two opposites. Names that stand by their own values in both
    say that the values are where they belong.
    """
    twins = [pair for pair in _twins(claim, sentence) if pair[0] not in but]
    ends = [(word, other) for word, other in twins if word.lines or word.start in claim.figures]
    values = [
        ((one, two), (one2, two2))
        for (one, one2), (two, two2) in combinations(ends, 2)
        if _are_values(claim, one, two) and _are_values(sentence, one2, two2)
    ]
    names = [
        ((left, right), (left2, right2))
        for (left, left2), (right, right2) in combinations(twins if values else (), 2)
        if _are_parallel(left, right, claim) and _are_parallel(left2, right2, sentence)
    ]
    for own, theirs in values:
        if _is_frame(claim, *own, sentence):
            return own
        moved: tuple[Word, ...] = ()
        is_kept = False
        for name, name2 in names:
            if own[0] in name or own[1] in name:
                continue
            is_same, zones, is_plain = _order(claim, own, name)
            was_same, were_zones, was_plain = _order(sentence, theirs, name2)
            is_plain = is_plain and was_plain
            if is_same != was_same and (is_plain or zones == were_zones):
                moved = own if own[0].start in claim.figures else name
            is_name = name[0].start not in claim.figures and not name[0].is_opposed_to(name[1])
            is_kept |= is_same == was_same and is_plain and is_name
        if moved and not is_kept:
            return moved
    return ()


def _twins(claim: Clauses, sentence: Clauses) -> Iterator[_Pair]:
    """The words that stand once in both, in one form or another."""
    own, theirs = (Counter(w.key for w in reading.words) for reading in (claim, sentence))
    places = {word.key: word for word in sentence.words}
    for word in claim.words:
        if word.key in theirs:
            if own[word.key] == theirs[word.key] == 1:
                yield word, places[word.key]
        elif sentence.has(word):
            like = [other for other in sentence.words if word.is_like(other)]
            if len(like) == sum(map(word.is_like, claim.words)) == 1:
                yield word, like[0]


def _is_frame(claim: Clauses, one: Word, two: Word, sentence: Clauses) -> bool:
    """Whether a claim is a part of the sentence, in its order, once two words are exchanged."""
    exchanged = {one.key: two.key, two.key: one.key}
    rest = iter([word.key for word in sentence.words])
    return all(exchanged.get(word.key, word.key) in rest for word in claim.words)


def _are_values(reading: Clauses, one: Word, two: Word) -> bool:
    """Whether two words say how much, apart from each other, so that they may change places."""
    first, second = reading.figures.get(one.start), reading.figures.get(two.start)
    low, high = sorted((one.place, two.place))
    if not any(low < word.place < high for word in reading.words):
        return False
    if first is None or second is None:
        return one.is_opposed_to(two)
    if first.dimension != second.dimension or first.decimals != second.decimals:
        return False
    small, large = sorted((first.size, second.size))
    is_year = not first.dimension and (small in _YEARS or large in _YEARS)
    ends = {w.place for w in reading.words if w.start in reading.figures}
    is_range = any(  # "11 to 25", but neither "fell from 11 to 7" nor "fell to 7"
        (w.behind == "to" and w.before != "from")
        or (w.before == "to" and not ends.isdisjoint({w.place - 2, w.place - 3}))
        for w in (one, two)
    )
    is_own = is_own_count(first) or is_own_count(second)
    return large <= _FARTHEST * small and not (is_year or is_range or is_own)


def _are_parallel(one: Word, two: Word, reading: Clauses) -> bool:
    """Whether two words name the same kind of thing, by what stands around them."""
    is_counted = one.before[:1].isdigit() and one.behind != two.behind  # it may be a unit
    if one.key[0].isdigit() != two.key[0].isdigit() or is_counted:
        return False
    if one.is_opposed_to(two) or {one.text, two.text} == WORDS["sides"]:
        return True
    beside = [(one.before, two.before), (one.behind, two.behind)]
    ends, splits = opposites(), WORDS["splits"]
    is_alike = any(
        (a and a == b)
        or (a in splits and b in splits)
        or any(ends.get(a, {}).get(line, side) != side for line, side in ends.get(b, {}).items())
        for a, b in beside
    )
    return is_alike and not any(w.is_opposed_to(one) or w.is_opposed_to(two) for w in reading.words)


def _order(reading: Clauses, values: _Pair, names: _Pair) -> tuple[bool, list[int], bool]:
    """Whether the first name belongs to the first value.

    With the number of values before each name, and whether that tells what belongs to what.
    """
    (one, two), (left, right) = values, names
    if one.clause != two.clause and {left.clause, right.clause} == {one.clause, two.clause}:
        return left.clause == one.clause, [], True
    first, second = sorted((one.place, two.place))
    zones = [(first < w) + (second < w) for w in sorted((left.place, right.place))]
    between = sum(first < word.place < second for word in reading.words)
    is_plain = zones in ([0, 1], [1, 2]) or (zones in ([0, 0], [2, 2]) and between <= 1)
    return (one.place < two.place) == (left.place < right.place), zones, is_plain


def _numbers(claim: Clauses, sentence: Clauses, known: Sequence[str]) -> Iterator[_Difference]:
    """A number in the place of another, which no sentence of the evidence states."""
    if not (claim.figures and sentence.figures):
        return
    theirs = {(w.before, w.behind): w for w in sentence.words if w.start in sentence.figures}
    for word in claim.words:
        figure, there = claim.figures.get(word.start), theirs.get((word.before, word.behind))
        if figure is None or there is None or claim.has(there) or sentence.has(word):
            continue
        is_bare = claim.text[: word.start].lower().rstrip(" =<>~(").endswith(word.before)
        stated = [other for text in (*known, sentence.text) for other in find_figures(text)]
        is_stated = there.text.startswith("00") or any(map(figure.agrees_with, stated))
        if is_bare and not is_stated and not is_worked_out(figure, [sentence.text]):
            yield "number", figure.digits, sentence.figures[there.start].digits


def _changes(reading: Clauses) -> dict[tuple[float, float], tuple[Quantity, Quantity, Word]]:
    """By its numbers, each change "from A to B", with the word before it."""
    changes: dict[tuple[float, float], tuple[Quantity, Quantity, Word]] = {}
    if "from" not in reading.tokens:
        return changes
    words = [word for word in reading.words if not word.is_adverb]
    for place, one in enumerate(words):
        if place and one.before == "from" and one.start in reading.figures:
            two = next((w for w in words[place + 1 :] if w.start in reading.figures), one)
            is_near = two.place - one.place <= _CHANGED and two.clause == one.clause
            if two.before == "to" and is_near:
                start, end = reading.figures[one.start], reading.figures[two.start]
                changes[start.size, end.size] = start, end, words[place - 1]
    return changes


def _wrong_change(claim: str, evidence: Sequence[str]) -> Conflict | None:
    """A change whose numbers go against its verb, unless the evidence says so itself.

    A fall in rank is a rise. Numbers that may say where or when it changes prove nothing.
    """
    for sizes, (start, end, verb) in _changes(read(claim)).items() if "from" in claim else ():
        is_along = start.dimension in {"", *WORDS["along"]} and not start.decimals + end.decimals
        if 0 not in verb.lines or is_along or start.dimension != end.dimension or "rank" in claim:
            continue
        others = [_changes(read(text)).get(sizes) for text in evidence if "from" in text]
        is_said = any(other is not None and other[2].is_like(verb) for other in others)
        size, goal = start.size * start.factor, end.size * end.factor
        if not is_said and size != goal and verb.lines[0] != (goal > size):
            instead = f"from {start.text} to {end.text}"
            return Conflict(kind="change", says=claim[verb.start : verb.end], instead=instead)
    return None
