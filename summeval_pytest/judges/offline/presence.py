"""Facts of a sentence, and whether premises entail them, by the embedded judge.

A sentence is cut where a clause, a prepositional phrase or a parenthesis begins, once there are
words enough for a fact. The facts of a sentence refine its first one and repeat its subject; only
what a fact adds to the one it refines is weighed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from math import ceil
from operator import mul
from typing import Final, NamedTuple

from summeval_pytest.judges.offline.conflicts import in_number, words_found
from summeval_pytest.judges.offline.copies import find_conflict
from summeval_pytest.judges.offline.learned import chance, learned, rarity
from summeval_pytest.judges.offline.roles import cut_at_labels
from summeval_pytest.judges.offline.support import COPIED
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks
from summeval_pytest.text.contradictions import compare_numbers
from summeval_pytest.text.marks import content
from summeval_pytest.text.numbers import unstated_figures
from summeval_pytest.text.words import (
    LIGHT,
    STOP_WORDS,
    content_words,
    count_content,
    known_tokens,
    stem,
)

_PREPOSITION: Final = (
    "with|by|in|for|on|from|at|to|than|after|before|during|using|among|between|under|within|via"
    "|through|across|without"
)
_AUXILIARY: Final = (
    "was|were|is|are|had|has|have|did|does|do|may|might|can|cannot|could|should|would|will"
)
_PAST: Final = "fell|rose|led|grew|became|brought|cut|ran|took|gave"
_BREAK = re.compile(
    r"(?=[\s;:,()\[\]])"  # whatever follows begins so, and most places do not
    r"(?:\s*[;:,()\[\]]\s+(?:(?:and|or|but|which|who|yet)\s+)?|\s+[(\[]\s*"
    r"|\s+(?:and|or|but|that|which|who|whereas|while|although|because)\s+"
    rf"|\s+(?!(?<=[\d%]\s)to\s)(?=(?:{_PREPOSITION})\s))",
    re.IGNORECASE,
)
_VERB = re.compile(
    rf"(?:(?:also|then|thus|therefore|however)\s+)?(?:{_AUXILIARY}|must|not|\w+(?:ed|es))\b"
    rf"|(?:{_PAST}|held|kept|lost|made|met|set|shrank|spread|went|won|wrote)\b",
    re.IGNORECASE,
)
_SUBJECT_END = re.compile(
    rf"\s(?:{_AUXILIARY}|\w{{3,}}ed|{_PAST}|shows?|suggests?|remains?|appears?)\b", re.IGNORECASE
)
_OWN_SUBJECT = re.compile(
    rf"(?!(?:{_PREPOSITION}|which|who|that|of|not|also|then|thus)\b)(?:[\w-]+\s+){{1,6}}?"
    rf"(?:{_AUXILIARY}|must|fell|rose|grew|became|remained|kept)\b",
    re.IGNORECASE,
)
"""A clause with a subject of its own before its verb: it has no use for the sentence's."""
_NAMES_NOBODY = re.compile(
    rf"(?:{_PREPOSITION})\b(?!\s+\w+ing\b)|(?:this|these|it|they|there)\Z", re.IGNORECASE
)
"""What may stand before the first verb and is no subject to repeat: "On day 21", "This"."""
_ASIDE = re.compile(r"\A.*,\s|\s*[(\[].*\Z|\s(?:which|that|who)\Z")
_LEAST_WORDS: Final = 3
"""A shorter piece says too little to be true or false by itself."""
_DIGIT = re.compile(r"\d")
_LONGEST_SUBJECT: Final = 8
_MARKS: Final = ".,;:()[]"


def _subject(sentence: str) -> str:
    """The words before the first verb; empty where they are too many, or name nobody."""
    match = _SUBJECT_END.search(sentence)
    subject = sentence[: match.start()] if match else ""
    subject = _ASIDE.sub("", subject).strip(" -" + _MARKS)
    is_short = 0 < len(subject.split()) <= _LONGEST_SUBJECT
    return subject if is_short and not _NAMES_NOBODY.match(subject) else ""


def _pieces(sentence: str) -> Iterator[str]:
    """The sentence in order, cut at the first break after enough words; each has content."""
    breaks = [match.span() for match in _BREAK.finditer(sentence)]
    starts = [0, *(end for _, end in breaks)]
    ends = [*(start for start, _ in breaks), len(sentence)]
    said = [count_content(sentence[a:b]) for a, b in zip(starts, ends, strict=True)]
    begin, n_words, n_left = 0, 0, sum(said)
    if not n_left:
        return
    for (end, start), words in zip(breaks, said, strict=False):
        n_words, n_left = n_words + words, n_left - words
        if min(n_words, n_left) >= _LEAST_WORDS:
            yield sentence[begin:end]
            begin, n_words = start, 0
    yield sentence[begin:]


def is_heading(sentence: str) -> bool:
    """Whether a sentence states nothing: a question, or a few words before a colon."""
    is_open = sentence.endswith("?") or (
        sentence.endswith(":") and count_content(sentence) <= _LEAST_WORDS
    )
    return is_open and not _DIGIT.search(sentence)


def facts_of(sentence: str, place: int, offset: int) -> list[Fact]:
    """The facts that a sentence states, in order.

    ``place`` is its index among the sentences of the question; ``offset`` facts stand before these
    in the whole list, which parents are indices of.
    """
    facts: list[Fact] = []
    if is_heading(sentence):
        return facts
    for part in cut_at_labels(" ".join(content(sentence).split())):
        root = offset + len(facts)
        subject = _subject(part)
        for piece in _pieces(part):
            text = piece.strip(" " + _MARKS)
            is_root = offset + len(facts) == root
            names_subject = text.startswith(subject) or _OWN_SUBJECT.match(text)
            if subject and not is_root and not names_subject:
                text = f"{subject}{' ' if _VERB.match(text) else ': '}{text}"
            capital = text[0].upper()
            if capital.lower() == text[0]:  # of a micro sign it is another letter
                text = capital + text[1:]
            facts.append(Fact(text=f"{text}.", sentence=place, parent=None if is_root else root))
    return facts


@lru_cache(maxsize=4096)
def added_to(parent: str, fact: str) -> str:
    """What one text says after the words with which it repeats another."""
    known = {word.strip(_MARKS).lower() for word in parent.split()}
    words = fact.split()
    for place, word in enumerate(words):
        if word.strip(_MARKS).lower() not in known:
            rest = " ".join(words[place:])
            return rest if count_content(rest) else fact
    return fact


_HEAD: Final = 4
_LEAST_SHARED: Final = 0.6
"""Two stems are of one family if they begin alike, with this share of the longer one's letters."""
_GAP: Final = 3
"""Words between the last of a premise and the first of the next."""
_FLOOR: Final = 0.5
"""What a word counts that every text has; the rarest counts this and 1."""
_LIGHT_SHARE: Final = 0.4
_VERB_SHARE: Final = 0.5
_NUMBER_SHARE: Final = 1.5
KEPT: Final = 64
"""So many premises are kept with their index: the facts of a reference are asked about again for
each system."""

_COUNTS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred"
).split()
# "eighty" has the stem of "eight", so "eight" counts as 80; another table is another version.
_IN_DIGITS: Final = {
    stem(word): str(n) for n, word in zip((*range(20), *range(20, 101, 10)), _COUNTS, strict=True)
}
_OTHER_FORM: Final = _IN_DIGITS | {digits: word for word, digits in _IN_DIGITS.items()}
"""Numbers in words by their digits, and digits by their words."""


@lru_cache(maxsize=65536)
def _weight(word: str) -> tuple[str, float] | None:
    """The stem of a word and what it counts; None for a word that is not counted."""
    if word in STOP_WORDS:
        return None
    if word[0].isdigit():
        return word.replace(",", ""), _NUMBER_SHARE * (_FLOOR + rarity(word))
    if len(word) == 1:
        return None
    known = stem(word)
    weight = _FLOOR + rarity(known)
    if known in LIGHT:
        weight *= _LIGHT_SHARE
    if word.endswith("ed"):
        weight *= _VERB_SHARE
    return known, weight


@lru_cache(maxsize=16384)
def weighed(text: str) -> Mapping[str, float]:
    """The stems of a text, each once and in order, with what each counts.

        weight = (0.5 + rarity) * (1.5 for a number; 0.4 for a light word, 0.5 for an -ed form)

    Light words and verbs are what a paraphrase replaces first; numbers are kept.
    """
    weights: dict[str, float] = {}
    for entry in filter(None, map(_weight, known_tokens(text))):
        weights.setdefault(*entry)
    return weights


class Traces(NamedTuple):
    """What of a fact stands where; words as bits: word ``i`` is ``1 << i``.

    Attributes:
        matches: By word of the fact, in order, the word of the premises that stands for it, None
            where there is none.
        present: The words that stand anywhere.
        carried: By premise, in their order, the words that it has.
        total: What all the words count together.
        sums: From some bits to what their words count together.
    """

    matches: Mapping[str, str | None]
    present: int
    carried: Mapping[int, int]
    total: float
    sums: Callable[[int], float]


class PremiseIndex:
    """The premises of one question by their words."""

    def __init__(self, premises: tuple[str, ...]) -> None:
        self._at: defaultdict[str, list[int]] = defaultdict(list)
        self._place_at: list[int] = []
        for place, premise in enumerate(premises):
            words = content_words(premise)
            for at, word in enumerate(words, start=len(self._place_at)):
                self._at[word].append(at)
            self._place_at += [place] * (len(words) + _GAP)
        self._stands_for: dict[str, str | None] = {word: word for word in self._at}
        self._families: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._at:
            self._families[word[:_HEAD]].append(word)

    def trace(self, words: Mapping[str, float]) -> Traces:
        """Where the words of a fact, with their weights, stand."""
        carried: dict[int, int] = {}
        matches = {word: self.stands_for(word) for word in words}
        present, bit = 0, 1
        for match in matches.values():
            if match is not None:
                present |= bit
                for at in self._at[match]:
                    place = self._place_at[at]
                    carried[place] = carried.get(place, 0) | bit
            bit <<= 1
        weights = tuple(words.values())

        @cache  # many premises carry the same words
        def sums(bits: int) -> float:
            known = 0.0
            for place, weight in enumerate(weights):
                if bits >> place & 1:
                    known += weight
            return known

        by_place = dict(sorted(carried.items()))
        return Traces(matches, present, by_place, sum(weights), sums)

    def stands_for(self, word: str) -> str | None:
        """The word of the premises that says what this one says; None where none does."""
        if word not in self._stands_for:
            family = self._families.get(word[:_HEAD], ()) if word.isalpha() else ()
            other = _OTHER_FORM.get(word) or next((w for w in family if _akin(word, w)), None)
            self._stands_for[word] = other if other in self._at else None
        return self._stands_for[word]

    def closeness(self, traces: Traces) -> float:
        """How close the matches stand, 0 to 1: the mean of 1 / distance from each to the next.

        A word without a match leaves its pair out and its share at 0.
        """
        matches = [word for word in traces.matches.values() if word is not None]
        if len(traces.matches) < 2:  # noqa: PLR2004 - one word has no next
            return float(bool(matches))
        near = 0.0
        for one, other in pairwise(matches):
            places = self._at[other]
            near += 1.0 / max(1, min(abs(a - b) for a in self._at[one] for b in places))
        return near / (len(traces.matches) - 1)


def _akin(word: str, other: str) -> bool:
    least = max(_HEAD, ceil(_LEAST_SHARED * max(len(word), len(other))))
    return len(word) >= least and other.startswith(word[:least]) and other.isalpha()


premises_of = lru_cache(maxsize=KEPT)(PremiseIndex)
"""The index of premises, kept for the next facts about them."""


PRESENT: Final = 0.35
"""A fact holds from this probability on. On the sets of the fit F1 is flat from .3 to .45; in other
words a fact is missed more often than a foreign one is taken for it, so the cut is low in that."""
MAX_EVIDENCE: Final = 3
LEAST_GAIN: Final = 0.1
"""A further premise is evidence only if it carries this share more of the fact's weight."""
LOOK_AROUND: Final = 3
"""A conflict may stand in one of so many premises that carry most of the fact."""
NEAR: Final = 0.5
"""They carry at least this share of what the best one does."""
_DECIMALS: Final = 4


class Signs(NamedTuple):
    """What speaks for a fact, in the order of the slopes.

    All but the two losses lie in 0 to 1, and more is always better.

    Attributes:
        found: Share of the fact's weight that stands anywhere in the premises.
        together: Share that stands in one premise and the next.
        close: How close the words found stand: 1 where each follows the one before it.
        numbers_lost: Minus the share of the fact's numbers that are nowhere, -1 to 0.
        rarest_lost: Minus the rarity of the rarest word that is nowhere, -1 to 0.
        beside: What ``found`` is for the facts before and after it: a summary leaves out whole
            passages, so beside a fact that is there stand others. The fact's own where no
            neighbours count.
        of_summary: 1 for a fact of a summary checked against a reference's facts, else 0. People
            grant such a fact more readily than they find a reference's fact in a summary.
    """

    found: float
    together: float
    close: float
    numbers_lost: float
    rarest_lost: float
    beside: float
    of_summary: float


def look_for(
    facts: Sequence[str], premises: tuple[str, ...], *, of_summary: bool, in_order: bool
) -> list[tuple[Traces, Signs] | None]:
    """Where the words of each fact stand, and of what that is a sign; None for a fact without any.

    Args:
        facts: What is weighed of each.
        premises: Facts or sentences.
        of_summary: Whether the facts are a summary's, and the premises a reference's.
        in_order: Whether the facts stand as one text has them, so that neighbours count.
    """
    index = premises_of(premises)
    words = [weighed(fact) for fact in facts]
    n_facts = Counter(chain.from_iterable(words))
    traces = [
        index.trace({word: weight / n_facts[word] for word, weight in bag.items()}) for bag in words
    ]
    shares = [_share(each) for each in traces]
    sought: list[tuple[Traces, Signs] | None] = []
    for place, (each, share) in enumerate(zip(traces, shares, strict=True)):
        near = shares[max(0, place - 1) : place] + shares[place + 1 : place + 2]
        beside = sum(near) / len(near) if in_order and near else share
        losses = _losses(each) if share < 1.0 else (0.0, 0.0)
        together, close = _together(each, share), index.closeness(each)
        signs = Signs(share, together, close, *losses, beside, float(of_summary))
        sought.append((each, signs) if each.matches else None)
    return sought


def _share(traces: Traces) -> float:
    """The share of a fact's weight that stands anywhere; 0 for a fact without words."""
    if None not in traces.matches.values():
        return float(bool(traces.matches))
    return traces.sums(traces.present) / traces.total


def _together(traces: Traces, share: float) -> float:
    """The greatest share that one premise and the next have together."""
    carried = traces.carried
    if not traces.matches or traces.present in carried.values():
        return share
    windows = {words | carried.get(place + 1, 0) for place, words in carried.items()}
    return max(map(traces.sums, windows), default=0.0) / traces.total


def _losses(traces: Traces) -> tuple[float, float]:
    """Minus the share of the numbers, and minus the rarity of the rarest word, without a match."""
    lost = [word for word, match in traces.matches.items() if match is None]
    n_lost = sum(word[0].isdigit() for word in lost)
    n_numbers = sum(word[0].isdigit() for word in traces.matches)
    return (-n_lost / n_numbers if n_lost else 0.0), -max(map(rarity, lost), default=0.0)


@cache
def _model() -> tuple[float, tuple[float, ...]]:
    arrays = learned("presence")
    return float(arrays["intercept"]), tuple(float(slope) for slope in arrays["slopes"])


def probability(signs: Signs) -> float:
    """The probability, of four decimals, that people say the fact is there."""
    intercept, slopes = _model()
    return round(chance(intercept + sum(map(mul, slopes, signs))), _DECIMALS)


def check_facts(question: CheckFacts, before: str = "") -> FactChecks:
    """The answer to a question about facts, each of which refines the one ``before``, if any.

    Where enough premises are wanted and not all, the facts are a reference's in its order and the
    premises a summary. If none refines another, as where people have listed them, neighbours count;
    clauses of one sentence have their subject in common already.
    """
    facts, premises, of_summary = question.facts, question.premises, question.every_premise
    in_order = not of_summary and all(fact.parent is None for fact in facts)
    added = [_added(fact, question, before) for fact in facts]
    sought = look_for(added, premises, of_summary=of_summary, in_order=in_order)
    each = zip(facts, added, sought, strict=True)
    return FactChecks(tuple([_check(fact.text, news, premises, one) for fact, news, one in each]))


def _added(fact: Fact, question: CheckFacts, before: str) -> str:
    """What a fact adds to the one it refines: in the question, or the one checked before."""
    if fact.parent is not None and 0 <= fact.parent < len(question.facts):
        return added_to(question.facts[fact.parent].text, fact.text)
    if fact.parent is None and before:
        return added_to(before, fact.text)
    return fact.text


def _check(
    fact: str, added: str, premises: tuple[str, ...], sought: tuple[Traces, Signs] | None
) -> FactCheck:
    if fact in premises:
        place = premises.index(fact)
        return FactCheck(reason=COPIED, entailed=True, premises=(place,), support=1.0)
    if sought is None:
        return FactCheck(reason="it has no words to look for", entailed=False, support=0.0)
    traces, signs = sought
    strength, evidence = probability(signs), _evidence(traces)
    conflict = None
    if strength >= PRESENT:
        near = [premises[place] for place in _near(traces, evidence)]
        # A number in whose place nothing stands is a gap; it costs its share of `Signs`.
        numbers = compare_numbers(added, near, unstated_figures(added, premises), close=0.0)
        conflict = next(map(in_number, numbers.contradicted), None) or find_conflict(fact, near)
    if conflict is None:
        missing = [word for word, match in traces.matches.items() if match is None]
        likely = f"{strength:.0%} likely to be there, {PRESENT:.0%} needed"
        return FactCheck(
            reason=f"{words_found(added, missing)}; {likely}",
            entailed=strength >= PRESENT,
            premises=evidence,
            support=strength,
        )
    return FactCheck(
        reason=str(conflict),
        entailed=False,
        premises=conflict.evidence_in(premises, evidence),
        support=round(PRESENT * strength, _DECIMALS),
        undecided=True,
        disputes=conflict.disputes,
    )


def _evidence(traces: Traces) -> tuple[int, ...]:
    """The few premises that together carry most: each time the one that adds most weight."""
    left, least, sums = traces.present, 0.0, traces.sums
    chosen: list[int] = []
    while left and len(chosen) < MAX_EVIDENCE:
        best, most = -1, least
        for place, words in traces.carried.items():
            gain = sums(words & left)
            if gain > most:
                best, most = place, gain
        if best < 0:
            break
        chosen.append(best)
        left &= ~traces.carried[best]
        least = LEAST_GAIN * traces.total
    return tuple(chosen)


def _near(traces: Traces, evidence: tuple[int, ...]) -> tuple[int, ...]:
    """The premises that a fact is compared with: its evidence, and those that carry much of it."""
    sums = traces.sums
    ranked = sorted([(-sums(words), place) for place, words in traces.carried.items()])
    most = NEAR * ranked[0][0] if ranked else 0.0
    near = [place for weight, place in ranked[:LOOK_AROUND] if weight <= most]
    return tuple(dict.fromkeys((*evidence, *near)))
