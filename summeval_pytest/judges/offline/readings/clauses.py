"""The clauses of a sentence: what each speaks of, which way it says things go, what it denies."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.adjectives import (
    AMOUNT,
    ATTRIBUTES,
    GOODS,
    ILLS,
    LINKING,
    PREDICATES,
    SPEED,
    STATES,
    WORTH,
)
from summeval_pytest.judges.offline.english.denials import (
    ALIKE,
    AN_EFFECT,
    ASKING,
    DESCRIBING,
    FINDING,
    IMPLIED,
    NOT_NEGATING_BEFORE,
    NULL,
    STATED,
    WEAK_P_VALUE,
)
from summeval_pytest.judges.offline.english.idioms import (
    AFTER_NAME,
    EFFECTS,
    EXCESS,
    FAR,
    GIVING,
    GOING,
    HEDGES,
    LASTING,
    LOSING,
    NEAR,
    NOT_BASE,
    OPENING,
    PREVENTING,
    SCANT,
    SCOPE,
    STATING,
    SUPPOSING,
    TRANSPARENT,
    WAYS,
    WHOLE,
    WIDE,
)
from summeval_pytest.judges.offline.english.opposites import OPPOSED
from summeval_pytest.judges.offline.english.polarity import (
    ADJECTIVES,
    ESTIMATE,
    EXTRA,
    MULTIPLIERS,
    ONLY_BEFORE,
    POLAR,
    SHARE,
)
from summeval_pytest.judges.offline.english.spoken_words import (
    PREPOSITIONS,
    SUBORDINATE,
    VERBS,
    known,
    pieces,
)
from summeval_pytest.judges.offline.readings.clause import Clause
from summeval_pytest.judges.offline.readings.relations import (
    point,
    rank,
    read_change,
    read_comparative,
    relation,
)
from summeval_pytest.judges.offline.readings.sides import (
    ABOVE,
    HEIGHT,
    JOINTS,
    compares_height,
    sides_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_NAMES: Final = PREPOSITIONS | VERBS
"""What follows a negation that denies a verb, and no thing."""


def _direction(  # noqa: C901, PLR0911 - one idiom after the other, the cheapest test first
    tokens: tuple[str, ...], place: int
) -> tuple[tuple[str, int], ...]:
    """The scales on which the word at a place points to an end; none where it is an idiom."""
    word = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    needed = ONLY_BEFORE.get(word)
    if needed is not None and following not in needed:
        return ()
    ends = EXTRA.get(word) or POLAR.get(known(word).base, ())
    sign = MULTIPLIERS.get(word)
    if not ends and sign is None:
        return ()
    if word in {"few", "minority", "majority"} and (place > 1 or following == "of"):
        return ()
    if following == "than":
        third = tokens[place + 2] if place + 2 < len(tokens) else ""
        if third and (third[0].isdigit() or third in NOT_BASE):
            return ()
    if following == "or" and word == "more":
        return ()
    if following in MULTIPLIERS and word in LOSING:
        return ()
    if sign is not None and following:
        adjective = ADJECTIVES.get(following)
        if adjective and (sign < 0 or following not in ATTRIBUTES):
            return tuple([(scale, end * sign) for scale, end in adjective])
        if word == "most":
            return ((SHARE, 1),) if not place else ()
        if word == "least":
            return ()
    return ends


def _read(tokens: tuple[str, ...]) -> Clause:  # noqa: C901, PLR0912, PLR0915 - one pass over the words, a case for each kind
    clause = Clause(tokens=tokens)
    denied_at, left, needed = -FAR, 0, 1
    stated = False
    skip = -1
    turns: list[tuple[int, int]] = []
    value = 0
    last = len(tokens) - 1
    before = ""
    for place, word in enumerate(tokens):
        entry = known(word)
        if not entry.tells:
            if entry.weight:
                clause.stems[entry.stem] = entry.weight
                if word[0] > "9":
                    clause.total += entry.weight
                    if left and not word.endswith("ly") and word not in TRANSPARENT:
                        clause.denied |= {entry.stem}
                        left -= 1
            before = word
            continue
        following = tokens[place + 1] if place < last else ""
        if entry.denies:
            if following not in NOT_NEGATING_BEFORE:
                clause.is_negated = True
                denied_at, left = (-FAR if before in SUPPOSING else place), 1
                if word in WIDE or (
                    place < OPENING and word != "no" and following not in _NO_NAMES
                ):
                    left = 0
                elif following in PREPOSITIONS:
                    left = needed = 2
            elif following == "longer":
                clause.is_negated = True
                skip = place + 1
            before = word
            continue
        if word == "rather" and following == "than":
            if place + 2 <= last and known(tokens[place + 2]).base in POLAR:
                denied_at = place
            continue
        if word == "against" and following.endswith("ing"):
            clause.is_negated, denied_at, left = True, place, 1
            continue
        if word in SUBORDINATE:
            denied_at = -FAR
        if word == "from" and not PREVENTING.isdisjoint(tokens[max(0, place - 4) : place]):
            clause.is_negated, left = True, 1
        if word == "and":
            left = 0
        since = place - denied_at
        is_near = since <= NEAR
        base = entry.base
        if word in NULL or (
            word in ALIKE
            and before not in DESCRIBING
            and (before != "the" or word == "same")
            and (word != "same" or following in WHOLE)
        ):
            if is_near:
                stated = True
            else:
                clause.is_null = True
        elif base in FINDING:
            if since <= SCOPE or before in SCANT:
                clause.is_null = True
                clause.missed |= {base}
                left = 0
            elif word in STATED or before == "did" or (base in EFFECTS and before in AN_EFFECT):
                stated = True
                clause.found |= {base}
            else:
                clause.found |= {base}
        if base in IMPLIED:
            clause.is_negated = True
        if base in ASKING:
            clause.asks = True
        if (
            place != skip
            and (base in POLAR or word in EXTRA or word in MULTIPLIERS)
            and not (before == "the" and word.endswith("er") and following not in AFTER_NAME)
        ):
            ends = _direction(tokens, place)
            if ends and word in MULTIPLIERS and following in ADJECTIVES:
                skip = place + 1
            if ends and is_near:
                clause.is_null = True
                left = 0
            elif ends:
                point(clause, ends)
                turns.append((place, ends[0][1]))
        elif (
            word in PREDICATES
            and place != skip
            and before in LINKING
            and not is_near
            and not (word.endswith("ly") and following.endswith("ed"))
        ):
            point(clause, STATES[word])
            turns.append((place, STATES[word][0][1]))
        if word in WAYS and not GOING.isdisjoint(tokens[max(0, place - 4) : place]):
            clause.ends[AMOUNT] = WAYS[word]
            turns.append((place, WAYS[word]))
        elif word in ABOVE and compares_height(tokens, place):
            clause.ends[HEIGHT] = ABOVE[word]
            turns.append((place, ABOVE[word]))
        if word == "way" and before in GIVING:
            clause.ends[AMOUNT] = -1
        if before == "too" and (word in EXCESS or word in STATES):
            clause.ends[ESTIMATE] = EXCESS[word] if word in EXCESS else STATES[word][0][1]
        if word in GOODS:
            value = 1
        elif word in ILLS:
            value = -1
        if word in OPPOSED and since > SCOPE:
            clause.opposable |= {word}
        if entry.weight:
            clause.stems[entry.stem] = entry.weight
            clause.total += entry.weight
            if left and not word.endswith("ly") and word not in TRANSPARENT:
                clause.denied |= {entry.stem}
                left -= 1
        before = word
    if len(clause.denied) < needed:
        clause.denied = frozenset()
    if clause.ends.get(AMOUNT) and SPEED not in clause.ends and not LASTING.isdisjoint(tokens):
        clause.ends[SPEED] = -clause.ends[AMOUNT]
    if "than" in tokens:
        read_comparative(clause, tokens[tokens.index("than") - 1])
    if value and WORTH not in clause.ends and clause.ends.get(AMOUNT):
        clause.ends[WORTH] = value * clause.ends[AMOUNT]
    if clause.ends:
        if not JOINTS.isdisjoint(tokens):
            clause.sides = sides_of(tokens)
        clause.relation = 0 if clause.sides else relation(clause, turns)
        if clause.sides and turns:
            clause.rank = rank(tokens, turns)
    if "only" in tokens and tokens[tokens.index("only") + 1 :][:1] in {("from",), ("by",)}:
        stated = False
    clause.states = not clause.is_null and (
        stated or (not clause.ends.keys().isdisjoint(STATING) and HEDGES.isdisjoint(tokens))
    )
    if AMOUNT not in clause.ends and "from" in tokens:
        read_change(clause)
    return clause


def clauses_of(text: str, tokens: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses of a sentence in order.

    Args:
        text: The sentence.
        tokens: What `tokens_of` makes of it.
    """
    clauses = tuple([_read(tuple(piece)) for piece in pieces(tokens)])
    for before, clause in pairwise(clauses):
        clause.asks = clause.asks or (before.asks and VERBS.isdisjoint(clause.tokens))
    if "p" in tokens and WEAK_P_VALUE.search(text):
        _mark_weak(text, clauses)
    return clauses


def _mark_weak(text: str, clauses: tuple[Clause, ...]) -> None:
    """Makes null the clauses that hold a p-value over .05."""
    weak = {match.group().split()[-1].lstrip("=>pP") for match in WEAK_P_VALUE.finditer(text)}
    for clause in clauses:
        held = [
            w for at, w in enumerate(clause.tokens) if "p" in clause.tokens[max(0, at - 2) : at]
        ]
        if any(number in weak for number in held):
            clause.is_null = True
            clause.states = False
