"""The clauses of a sentence: what each speaks of, which way it says things go, what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.adjectives import (
    ATTRIBUTES,
    GOODS,
    ILLS,
    LINKING,
    PREDICATES,
    STATES,
)
from summeval_pytest.judges.offline.denials import (
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
from summeval_pytest.judges.offline.polarity import (
    ADJECTIVES,
    AMOUNT,
    ESTIMATE,
    EXTRA,
    MULTIPLIERS,
    ONLY_BEFORE,
    OPPOSED,
    POLAR,
    SHARE,
    SIGN,
    SPEED,
    WORTH,
)
from summeval_pytest.judges.offline.sides import (
    ABOVE,
    HEIGHT,
    JOINTS,
    Sides,
    compares_height,
    sides_of,
)
from summeval_pytest.judges.offline.spoken_words import (
    PREPOSITIONS,
    SUBORDINATE,
    VERBS,
    is_negation,
    known,
    pieces,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOT_BASE: Final = frozenset("a an one half two three four five ten".split())
_WIDE: Final = frozenset("without none neither nor nothing".split())
"""Negators of what is listed behind them, of which no single word is denied."""
_EFFECTS: Final = frozenset({"effect", "influenc", "impact"})
_OPENING: Final = 2
"""A negation among so many first words sets a thing against another, and denies no verb."""
_AFTER_NAME: Final = frozenset({"the", "of", "than", ""})
"""Not behind a comparative that names a thing ("the wider outlet")."""
_GOING: Final = frozenset(
    "went go goes going gone move moved moves pushed push pushes brought bring brings drove drive"
    " drives driven build built builds sent turned scaled broke break breaks came".split()
)
_LOSING: Final = frozenset("lost lose loses losing".split())
_PREVENTING: Final = frozenset(
    "prevent prevents prevented preventing stop stops stopped bar barred keep keeps kept".split()
)
_TRANSPARENT: Final = frozenset("able seem appear seen need likely shown sign evidence".split())
"""What is denied stands behind these."""
_SUPPOSING: Final = frozenset("should would may might".split())
"""Behind these a denial finds nothing."""
_WHOLE: Final = frozenset(
    "in as for with on at across under between among throughout after before by from when".split()
) | {""}
"""What may follow a "same" that describes no thing."""
_HEDGES: Final = frozenset("slightly barely merely marginally".split())
_SCANT: Final = frozenset("little scant minimal negligible".split())
_GIVING: Final = frozenset("gave give gives given giving".split())
_EXCESS: Final = MappingProxyType({"many": 1, "much": 1, "few": -1, "little": -1})
_LASTING: Final = frozenset("time times took take takes taking duration latency delay".split())
"""Of these, more is slower."""
STATING: Final = frozenset({AMOUNT, WORTH, SPEED, SIGN})
"""Scales by which a difference is stated."""
_WAYS: Final = {"up": 1, "down": -1}
_CHANGE_LENGTH: Final = 8
"""Words from the "from" of a change to its "to"."""
_FAR: Final = 999
"""Farther than any sentence is long."""
_JOINING: Final = frozenset({"and", "or", "but", "then", "nor"})
"""Words that set two things side by side, so that neither depends on the other."""
_NEAR: Final = 4
"""Words after a negation among which a direction is denied."""
_SCOPE: Final = 8
"""Words after a negation among which a finding is denied."""


@dataclass(slots=True, eq=False)
class Clause:
    """A clause of a sentence.

    Attributes:
        tokens: Its words, as written in lower case.
        stems: Its informative stems with their rarity, without directions and generic words.
        ends: By scale, the end that its words point to: +1, -1, or 0 where they point to both.
        denied: The informative stems that a negation stands before.
        found: The stems of its findings.
        missed: The stems of findings that it denies.
        opposable: The words that have an opposite, as they stand and not denied.
        total: The weight of its stems that are no numbers.
        change: Which way it goes by its numbers, where it says so in no word; else 0.
        relation: Whether two things are said to grow together (1), or one at the other's cost (-1).
        sides: The two groups that it compares, where it does.
        rank: Whether the first of the two has more (1) or less (-1) of what is compared.
        is_negated: Whether it has any negation.
        is_null: Whether it denies a finding ("could not be told apart", p = 0.4).
        states: Whether it states a difference or an effect, by a direction or outright.
        asks: Whether it asks or supposes, and claims nothing.
    """

    tokens: list[str] = field(default_factory=list)
    stems: dict[str, float] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)
    found: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    opposable: set[str] = field(default_factory=set)
    total: float = 0.0
    change: int = 0
    relation: int = 0
    sides: Sides | None = None
    rank: int = 0
    is_negated: bool = False
    is_null: bool = False
    states: bool = False
    asks: bool = False

    def told(self, sentence: str) -> str:
        """The clause as it stands in its sentence."""
        words = r"\W*".join(map(re.escape, self.tokens)) + r"(?:[.!?]\Z)?"
        found = re.search(words, sentence, re.IGNORECASE)
        return found.group() if found else " ".join(self.tokens)


def _direction(tokens: list[str], place: int) -> tuple[tuple[str, int], ...]:
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
        if third and (third[0].isdigit() or third in _NOT_BASE):
            return ()
    if following == "or" and word == "more":
        return ()
    if following in MULTIPLIERS and word in _LOSING:
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


def _read(tokens: list[str]) -> Clause:  # noqa: C901, PLR0912, PLR0915 - one pass over the words, a case for each kind
    clause = Clause(tokens=tokens)
    denied_at, left, needed = -_FAR, 0, 1
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
                    if left and not word.endswith("ly") and word not in _TRANSPARENT:
                        clause.denied.add(entry.stem)
                        left -= 1
            before = word
            continue
        following = tokens[place + 1] if place < last else ""
        if is_negation(word):
            if following not in NOT_NEGATING_BEFORE:
                clause.is_negated = True
                denied_at, left = (-_FAR if before in _SUPPOSING else place), 1
                if word in _WIDE or (
                    place < _OPENING and word != "no" and following not in PREPOSITIONS | VERBS
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
            denied_at = -_FAR
        if word == "from" and not _PREVENTING.isdisjoint(tokens[max(0, place - 4) : place]):
            clause.is_negated, left = True, 1
        if word == "and":
            left = 0
        since = place - denied_at
        is_near = since <= _NEAR
        base = entry.base
        if word in NULL or (
            word in ALIKE
            and before not in DESCRIBING
            and (before != "the" or word == "same")
            and (word != "same" or following in _WHOLE)
        ):
            if is_near:
                stated = True
            else:
                clause.is_null = True
        elif base in FINDING:
            if since <= _SCOPE or before in _SCANT:
                clause.is_null = True
                clause.missed.add(base)
                left = 0
            elif word in STATED or before == "did" or (base in _EFFECTS and before in AN_EFFECT):
                stated = True
                clause.found.add(base)
            else:
                clause.found.add(base)
        if base in IMPLIED:
            clause.is_negated = True
        if base in ASKING:
            clause.asks = True
        if (
            place != skip
            and (base in POLAR or word in EXTRA or word in MULTIPLIERS)
            and not (before == "the" and word.endswith("er") and following not in _AFTER_NAME)
        ):
            ends = _direction(tokens, place)
            if ends and word in MULTIPLIERS and following in ADJECTIVES:
                skip = place + 1
            if ends and is_near:
                clause.is_null = True
                left = 0
            elif ends:
                _point(clause, ends)
                turns.append((place, ends[0][1]))
        elif (
            word in PREDICATES
            and place != skip
            and before in LINKING
            and not is_near
            and not (word.endswith("ly") and following.endswith("ed"))
        ):
            _point(clause, STATES[word])
            turns.append((place, STATES[word][0][1]))
        if word in _WAYS and not _GOING.isdisjoint(tokens[max(0, place - 4) : place]):
            clause.ends[AMOUNT] = _WAYS[word]
            turns.append((place, _WAYS[word]))
        elif word in ABOVE and compares_height(tokens, place):
            clause.ends[HEIGHT] = ABOVE[word]
            turns.append((place, ABOVE[word]))
        if word == "way" and before in _GIVING:
            clause.ends[AMOUNT] = -1
        if before == "too" and (word in _EXCESS or word in STATES):
            clause.ends[ESTIMATE] = _EXCESS[word] if word in _EXCESS else STATES[word][0][1]
        if word in GOODS:
            value = 1
        elif word in ILLS:
            value = -1
        if word in OPPOSED and since > _SCOPE:
            clause.opposable.add(word)
        if entry.weight:
            clause.stems[entry.stem] = entry.weight
            clause.total += entry.weight
            if left and not word.endswith("ly") and word not in _TRANSPARENT:
                clause.denied.add(entry.stem)
                left -= 1
        before = word
    if len(clause.denied) < needed:
        clause.denied.clear()
    if clause.ends.get(AMOUNT) and SPEED not in clause.ends and not _LASTING.isdisjoint(tokens):
        clause.ends[SPEED] = -clause.ends[AMOUNT]
    if "than" in tokens:
        _read_comparative(clause, tokens[tokens.index("than") - 1])
    if value and WORTH not in clause.ends and clause.ends.get(AMOUNT):
        clause.ends[WORTH] = value * clause.ends[AMOUNT]
    if clause.ends:
        if not JOINTS.isdisjoint(tokens):
            clause.sides = sides_of(tokens)
        clause.relation = 0 if clause.sides else _relation(clause, turns)
        if clause.sides and turns:
            clause.rank = _rank(tokens, turns)
    if "only" in tokens and tokens[tokens.index("only") + 1 :][:1] in (["from"], ["by"]):
        stated = False
    clause.states = not clause.is_null and (
        stated or (not clause.ends.keys().isdisjoint(STATING) and _HEDGES.isdisjoint(tokens))
    )
    if AMOUNT not in clause.ends and "from" in tokens:
        _read_change(clause)
    return clause


def _point(clause: Clause, ends: tuple[tuple[str, int], ...]) -> None:
    """Adds the ends of one more word; a scale of which both ends are told says nothing."""
    for scale, sign in ends:
        clause.ends[scale] = sign if clause.ends.get(scale, sign) == sign else 0


def _read_comparative(clause: Clause, word: str) -> None:
    """Takes an "-er" word before a "than" for a scale of its own, where it stands on none."""
    if (
        not clause.ends
        and not clause.is_null
        and word.endswith("er")
        and word not in {"other", "rather"}
    ):
        clause.ends[word] = 1


def _rank(tokens: list[str], turns: list[tuple[int, int]]) -> int:
    """Which of two groups has more: "grew more slowly than" and "fell more than" say the first."""
    end = tokens.index("than") if "than" in tokens else len(tokens)
    signs = [sign for place, sign in turns if place < end]
    return prod(signs) if signs and len(signs) <= 2 else 0  # noqa: PLR2004 - a verb and its degree


def _relation(clause: Clause, turns: list[tuple[int, int]]) -> int:
    """How two things go together: "A grows with B", "more A makes less B", "at the cost of B"."""
    tokens = clause.tokens
    if SIGN in clause.ends:
        return clause.ends[SIGN]
    if "of" in tokens and ("cost" in tokens or "expense" in tokens):
        return -1
    if not turns:
        return 0
    first, sign = turns[0]
    if len(turns) == 1:
        return sign if "with" in tokens[first + 1 : first + 3] else 0
    if len(turns) == 2:  # noqa: PLR2004 - the one and the other
        then, other = turns[1]
        between = tokens[first + 1 : then]
        if (len(between) > 1 or between == ["the"]) and _JOINING.isdisjoint(between):
            return sign * other
    return 0


def _number(token: str) -> float:
    whole, point, rest = token.replace(",", "").partition(".")
    return float(whole + point + rest.partition(".")[0] if rest else whole)


def _read_change(clause: Clause) -> None:
    """Sets which way the amount goes where a clause only tells from what to what."""
    tokens = clause.tokens
    start = tokens.index("from")
    if "to" not in tokens[start : start + _CHANGE_LENGTH]:
        return
    end = tokens.index("to", start)
    numbers = [
        _number(tokens[place + 1])
        for place in (start, end)
        if place + 1 < len(tokens) and tokens[place + 1][0].isdigit()
    ]
    if len(numbers) == 2 and numbers[0] != numbers[1]:  # noqa: PLR2004 - from one, to the other
        clause.change = 1 if numbers[0] < numbers[1] else -1


def clauses_of(text: str, tokens: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses of a sentence in order.

    Args:
        text: The sentence.
        tokens: What `tokens_of` makes of it.
    """
    clauses = tuple([_read(piece) for piece in pieces(tokens)])
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
