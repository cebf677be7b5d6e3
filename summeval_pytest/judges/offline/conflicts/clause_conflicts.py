"""Clauses that contradict a claim's: another order, the opposite direction, a denial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts.conflict import Conflict
from summeval_pytest.judges.offline.english.adjectives import AMOUNT, SPEED
from summeval_pytest.judges.offline.english.denials import ALIKE, NULL, PARTICULAR
from summeval_pytest.judges.offline.english.idioms import STATING
from summeval_pytest.judges.offline.english.opposites import OPPOSED
from summeval_pytest.judges.offline.readings.sides import are_crossed, is_of_second

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.judges.offline.conflicts.conflict import ConflictKind
    from summeval_pytest.judges.offline.readings.clause import Clause
    from summeval_pytest.judges.offline.readings.reading import Reading

_TIMES: Final = frozenset(
    "time times duration period delay latency took take takes min minutes hours days weeks months"
    " years seconds earlier later sooner h s ms".split()
)
_ALIKE: Final = NULL | ALIKE
_AROUND: Final = 0.3
"""What a word of the rest of a claim counts beside one of the clause itself."""
_ELSEWHERE: Final = 0.5
"""What a word counts that the other sentence has in another of its clauses."""
_BOTH_WAYS: Final = 0.6
"""The weight of the share of the claim's words beside that of the evidence's."""
ALIGNED: Final = 0.4
"""The share from which two clauses speak of the same thing."""
_WORDS: Final = 2
"""Two clauses share so many words, unless the claim has no more."""
STRICT: Final = 0.6
"""The share that is asked where only two words exclude each other."""
_SOLE: Final = 0.1
"""What is added to the share of the one sentence that a claim must be about."""
ENOUGH: Final = 0.3
"""The share of a claim that this sentence has at least."""
AHEAD: Final = 1.5
"""So many times as much as any other sentence."""
_DENIED: Final = 0.5
"""The share that is asked where one clause denies what the other says."""
_UNSURE: Final = 0.6
"""The share that is asked where two clauses share one word, and the sentences another."""
LEAST: Final = 0.8
"""The weight of the words that they have to share."""
BEYOND_SAME: Final = 0.05
"""By so much a contradicting clause has to be closer than one that agrees."""
BEHIND_SAME: Final = 0.35
"""By so much it may be farther than one of its own sentence that says neither."""
BEHIND_OTHER: Final = 0.1
"""By so much it may be farther than one that says neither."""


def _aligned(
    claim: Reading, clause: Clause, evidence: Sequence[Reading], sole: Reading | None
) -> Iterator[tuple[float, Clause, Reading, bool]]:
    """The clauses of the evidence that share words with one of a claim, and how close each is.

    The mean of the share of the claim's words that the evidence has and of the share of the
    evidence's that the claim has, each word weighed by its rarity.
    """
    weights = {
        word: weight * _AROUND for each in claim.clauses for word, weight in each.stems.items()
    }
    weights.update(clause.stems)
    total = sum(weights.values())
    if not total:
        return
    for reading in evidence:
        if clause.stems.keys().isdisjoint(reading.stems):
            continue
        is_sole = reading is sole
        shared = [(word, weight) for word, weight in weights.items() if word in reading.stems]
        around = _ELSEWHERE * sum(weight for _, weight in shared)
        for other in reading.clauses:
            both = [weight for word, weight in shared if word in other.stems]
            own = sum(both)
            is_enough = (is_sole and both) or (
                around + own >= LEAST and both and len(shared) >= _WORDS
            )
            if not is_enough and clause.stems.keys() != other.stems.keys():
                continue
            mine = (around + (1 - _ELSEWHERE) * own) / total
            theirs = min(own, other.total) / other.total if other.total else 0.0
            share = _BOTH_WAYS * mine + (1 - _BOTH_WAYS) * theirs + _SOLE * is_sole
            yield (
                share,
                other,
                reading,
                is_sole or len(both) >= _WORDS or clause.stems.keys() == other.stems.keys(),
            )


def _sole(claim: Reading, evidence: Sequence[Reading]) -> Reading | None:
    """The one sentence that a claim must be about, if all others share far less with it."""
    weights = {word: weight for each in claim.clauses for word, weight in each.stems.items()}
    total = sum(weights.values())
    shares = sorted(
        (
            (sum(weight for word, weight in weights.items() if word in reading.stems), -place)
            for place, reading in enumerate(evidence)
        ),
        reverse=True,
    )
    best, place = shares[0]
    second = shares[1][0] if len(shares) > 1 else 0.0
    return evidence[-place] if best >= ENOUGH * total and best >= AHEAD * second else None


def _verdict(
    claim: Reading, clause: Clause, reading: Reading, other: Clause
) -> tuple[int, ConflictKind, float]:
    """Whether a clause contradicts (-1), agrees (1), or neither; in what; how close it must be."""
    if other.asks != clause.asks:
        return 0, "direction", 0.0
    verdict = _of_findings(clause, other)
    if verdict:
        return verdict, "negation", _DENIED
    verdict = _of_directions(clause, other)
    if verdict:
        return verdict, "direction", STRICT if clause.asks else ALIGNED
    if clause.denied or other.denied:
        return _of_denials(clause, other), "negation", _DENIED
    if _paces_differ(clause, other):
        return -1, "direction", ALIGNED
    return -int(_excludes(claim, clause, reading, other)), "direction", STRICT


def _of_findings(clause: Clause, other: Clause) -> int:
    """-1 where one clause finds nothing and the other something, 1 where both find nothing."""
    if not (clause.is_null or other.is_null):
        return 0
    if clause.is_null and other.is_null:
        return 1
    one, null = (other, clause) if clause.is_null else (clause, other)
    is_plain = STATING.isdisjoint(null.ends) and not (one.asks or one.is_negated)
    is_particular = bool(null.missed) and null.missed <= PARTICULAR
    is_stated = (one.states and not is_particular) or not one.found.isdisjoint(null.missed)
    return -int(is_stated and is_plain and _ALIKE.isdisjoint(one.tokens))


def _of_directions(clause: Clause, other: Clause) -> int:
    """-1 where two clauses point to opposite ends of one scale, 1 where to the same end.

    The reverse where both compare the same two groups, but not in the same order. Where both tell
    how one thing goes with another, that decides.
    """
    if clause.relation and other.relation:
        return clause.relation * other.relation
    if clause.rank and other.rank:
        if clause.ends.keys().isdisjoint(other.ends):
            return 0
        is_other = _is_of_other(clause, other)
        return -clause.rank * other.rank if is_other else clause.rank * other.rank
    ends = [sign * other.ends[scale] for scale, sign in clause.ends.items() if scale in other.ends]
    ends.append(clause.change * other.ends.get(AMOUNT, 0))
    ends.append(other.change * clause.ends.get(AMOUNT, 0))
    verdict = max(filter(None, ends), default=0)
    return -verdict if verdict and _is_of_other(clause, other) else verdict


def _is_of_other(clause: Clause, other: Clause) -> bool:
    """Whether what one clause says of a group, the other says of the group compared with it."""
    is_other = False
    if clause.sides and other.sides:
        is_other = are_crossed(clause.sides, other.sides)
    elif other.sides:
        is_other = bool(clause.stems) and is_of_second(tuple(clause.stems), other.sides)
    elif clause.sides:
        is_other = bool(other.stems) and is_of_second(tuple(other.stems), clause.sides)
    return is_other != (
        "than" not in other.tokens and _is_turned_in_time(clause.tokens, other.tokens)
    )


def _is_turned_in_time(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether one tells of what was before something, the other of what was after it."""
    if "before" in mine:
        return "after" in theirs and "before" not in theirs
    return "after" in mine and "before" in theirs and "after" not in theirs


def _of_denials(clause: Clause, other: Clause) -> int:
    """-1 where a word is denied in one clause only, 1 where in both."""
    if clause.is_negated and other.is_negated:
        return int(bool(clause.denied & other.denied))
    if min(len(clause.stems), len(other.stems)) < _WORDS:
        return 0
    if ("should" in clause.tokens) != ("should" in other.tokens):
        return 0
    return -int(other.denied <= clause.stems.keys() and clause.denied <= other.stems.keys())


def _paces_differ(clause: Clause, other: Clause) -> bool:
    """Whether something is quickened in one clause and lessened in the other, or the reverse.

    A time is shortened by what quickens, so nothing is said where time is spoken of.
    """
    pace = clause.ends.get(SPEED, 0) * other.ends.get(AMOUNT, 0)
    pace = pace or clause.ends.get(AMOUNT, 0) * other.ends.get(SPEED, 0)
    return pace < 0 and all(_TIMES.isdisjoint(each.tokens) for each in (clause, other))


def _excludes(claim: Reading, clause: Clause, reading: Reading, other: Clause) -> bool:
    """Whether a word stands against one that excludes it, and neither sentence has both."""
    for word in clause.opposable:
        for opposite in OPPOSED[word] & other.opposable:
            if not (opposite in claim.token_set or word in reading.token_set):
                return True
    return False


def opposite_clause(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A clause that goes the other way than the evidence about the same thing, or denies it."""
    if not claim.tells and not any(reading.tells for reading in evidence):
        return None
    opposed = [clause for clause in claim.clauses if _has_opposite(claim, clause, evidence)]
    sole = _sole(claim, evidence) if opposed else None
    for clause in opposed:
        conflict = _opposed(claim, clause, evidence, sole)
        if conflict is not None:
            return conflict
    return None


def _has_opposite(claim: Reading, clause: Clause, evidence: Sequence[Reading]) -> bool:
    """Whether any clause contradicts one that it shares a word with, however little else."""
    for reading in evidence:
        if clause.stems.keys().isdisjoint(reading.stems):
            continue
        for other in reading.clauses:
            if _may_contradict(clause, other) and _verdict(claim, clause, reading, other)[0] < 0:
                return True
    return False


def _may_contradict(clause: Clause, other: Clause) -> bool:
    """Whether two clauses say what `_verdict` compares at all; most do not."""
    return bool(
        clause.is_null
        or other.is_null
        or clause.denied
        or other.denied
        or ((clause.ends or clause.change) and (other.ends or other.change))
        or (clause.opposable and other.opposable)
    )


def _opposed(
    claim: Reading, clause: Clause, evidence: Sequence[Reading], sole: Reading | None
) -> Conflict | None:
    """The closest clause that contradicts one, unless one that agrees is closer."""
    best: tuple[float, ConflictKind, Clause, Reading] | None = None
    same = 0.0
    silent: list[tuple[float, Reading]] = []
    for share, other, reading, is_sure in _aligned(claim, clause, evidence, sole):
        verdict, kind, least = _verdict(claim, clause, reading, other)
        if not is_sure and not (
            verdict < 0
            and kind == "direction"
            and share >= _UNSURE
            and min(len(clause.stems), len(other.stems)) >= _WORDS
        ):
            continue
        if verdict < 0:
            if share >= least and (best is None or share > best[0]):
                best = (share, kind, other, reading)
        elif verdict:
            same = max(same, share)
        else:
            silent.append((share, reading))
    if best is None or best[0] < same + BEYOND_SAME:
        return None
    if any(
        best[0] < share - (BEHIND_SAME if reading is best[3] else BEHIND_OTHER)
        for share, reading in silent
    ):
        return None
    _, kind, other, reading = best
    says, instead = clause.told(claim.text), other.told(reading.text)
    return Conflict(kind=kind, says=says, instead=instead, sentence=reading.text)
