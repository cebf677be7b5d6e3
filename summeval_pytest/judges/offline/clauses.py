"""The clauses of a sentence: what each speaks of, which way it says things go, what it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.denials import (
    ALIKE,
    AN_EFFECT,
    ASKING,
    DESCRIBING,
    FINDING,
    IMPLIED,
    NEGATORS,
    NOT_NEGATING_BEFORE,
    NULL,
    STATED,
    WEAK_P_VALUE,
)
from summeval_pytest.judges.offline.lexicon import GENERIC
from summeval_pytest.judges.offline.polarity import (
    ADJECTIVES,
    AMOUNT,
    EXTRA,
    MULTIPLIERS,
    ONLY_BEFORE,
    OPPOSED,
    POLAR,
)
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.text import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TOKEN: Final = re.compile(
    r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['\u2019]t\b)?\d*|[;:,%]|(?<=\s)[-\u2013\u2014](?=\s)"
)
_BREAKS: Final = frozenset(
    "; : , - \u2013 \u2014 whereas while but although though however yet and because".split()
)
_NOT_BASE: Final = frozenset("a an one half two three four five ten".split())
_VERBS: Final = frozenset(
    "is are was were be been has have had do does did can could may might will would should fell rose"
    " led grew became brought cut ran took gave held kept lost made met set shrank spread went won"
    " came saw found showed shows show remains remained did not cannot".split()
)
_EMPTY: Final = (
    NEGATORS
    | NULL
    | ALIKE
    | frozenset("ci cis confidence interval odds ratio hazard hr or rr irr sd se iqr".split())
)
_PREPOSITIONS: Final = frozenset("with to for in at of by from as on".split())
_WIDE: Final = frozenset("without none neither nor nothing".split())
"""Negators of what is listed behind them, of which no single word is denied."""
_LETTERS: Final = frozenset("wbahy")
"""What the words among the breaks begin with."""
_EFFECTS: Final = frozenset({"effect", "influenc", "impact"})
_OPENING: Final = 2
"""A negation among so many first words sets a thing against another, and denies no verb."""
_AFTER_NAME: Final = frozenset({"the", "of", "than", ""})
"""Not behind a comparative that names a thing ("the wider outlet")."""
_GOING: Final = frozenset("went go goes going gone move moved moves pushed push brought".split())
_WAYS: Final = {"up": 1, "down": -1}
_CHANGE_LENGTH: Final = 8
_FAR: Final = 999
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
        opposable: The words that have an opposite, as they stand and not denied.
        total: The weight of its stems that are no numbers.
        change: Which way it goes by its numbers, where it says so in no word; else 0.
        is_negated: Whether it has any negation.
        is_null: Whether it denies a finding ("could not be told apart", p = 0.4).
        states: Whether it states a difference or an effect, by a direction or outright.
        asks: Whether it asks or supposes, and claims nothing.
    """

    tokens: list[str] = field(default_factory=list)
    stems: dict[str, float] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)
    opposable: set[str] = field(default_factory=set)
    total: float = 0.0
    change: int = 0
    is_negated: bool = False
    is_null: bool = False
    states: bool = False
    asks: bool = False

    @staticmethod
    def stem_of(word: str) -> str:
        """The stem of a word if it is informative, else an empty one."""
        return _known(word).stem

    @property
    def text(self) -> str:
        """Its words, for a reader."""
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class _Word:
    """What is known of a word by itself.

    Attributes:
        stem: Its stem, empty where it is not informative.
        weight: How much it tells, 0 where it is not informative.
        tells: Whether it may deny, state, ask or point anywhere.
        is_verb: Whether it may be the verb of a clause.
        base: Its stem, informative or not.
    """

    stem: str
    weight: float
    tells: bool
    is_verb: bool
    base: str


def _is_negation(word: str) -> bool:
    return word in NEGATORS or word.endswith(("n't", "n\u2019t"))


@lru_cache(maxsize=65536)
def _known(word: str) -> _Word:
    if word[0].isdigit():
        return _Word(word.replace(",", ""), 1.0, tells=False, is_verb=False, base=word)
    base = stem(word)
    is_negation = _is_negation(word)
    is_verb = word in _VERBS or word.endswith("ed") or is_negation or base in POLAR or word in EXTRA
    is_direction = base in POLAR and word not in EXTRA
    is_empty = (
        word in STOP_WORDS or len(word) == 1 or base in GENERIC or base in FINDING or is_direction
        or word in _EMPTY or is_negation
    )  # fmt: skip
    tells = (
        is_negation or base in POLAR or word in EXTRA or word in NULL or word in ALIKE
        or base in FINDING or base in ASKING or base in IMPLIED or word in OPPOSED
        or word in {"rather", "against", "and", "up", "down"}
    )  # fmt: skip
    if is_empty:
        return _Word("", 0.0, tells, is_verb, base)
    return _Word(base, 0.2 + rarity(base), tells, is_verb, base)


def _pieces(tokens: Sequence[str]) -> list[list[str]]:
    """The words of a sentence, cut into clauses; a piece without a verb joins its neighbour."""
    pieces: list[tuple[list[str], bool, bool]] = []
    piece: list[str] = []
    has_verb = tells = False
    for token in tokens:
        if token in _BREAKS:
            if piece:
                pieces.append((piece, has_verb, tells))
            piece = [token] if token[0] in _LETTERS else []
            has_verb = tells = False
        else:
            piece.append(token)
            known = _known(token)
            has_verb = has_verb or known.is_verb
            tells = tells or (known.weight > 0 and token[0] > "9")
    pieces.append((piece, has_verb, tells))
    joined: list[list[str]] = []
    held: list[str] = []
    for words, has_verb, tells in pieces:
        if has_verb and (held or not joined or tells):
            joined.append(held + words)
            held = []
        elif joined:
            joined[-1] += words
        else:
            held += words
    if held:
        joined.append(held)
    return joined


def _direction(tokens: list[str], place: int) -> tuple[tuple[str, int], ...]:
    """The scales on which the word at a place points to an end; none where it is an idiom."""
    word = tokens[place]
    following = tokens[place + 1] if place + 1 < len(tokens) else ""
    needed = ONLY_BEFORE.get(word)
    if needed is not None and following not in needed:
        return ()
    ends = EXTRA.get(word) or POLAR.get(_known(word).base, ())
    if not ends:
        return ()
    if following == "than":
        third = tokens[place + 2] if place + 2 < len(tokens) else ""
        if third and (third[0].isdigit() or third in _NOT_BASE):
            return ()
    if following == "or" and word == "more":
        return ()
    sign = MULTIPLIERS.get(word)
    if sign is not None and following:
        adjective = ADJECTIVES.get(following)
        if adjective:
            return ((adjective[0], adjective[1] * sign),)
    return ends


def _read(tokens: list[str]) -> Clause:  # noqa: C901, PLR0912, PLR0915 - one pass over the words, a case for each kind
    clause = Clause(tokens=tokens)
    denied_at, left, needed = -_FAR, 0, 1
    stated = False
    skip = -1
    last = len(tokens) - 1
    before = ""
    for place, word in enumerate(tokens):
        entry = _known(word)
        if not entry.tells:
            if entry.weight:
                clause.stems[entry.stem] = entry.weight
                if word[0] > "9":
                    clause.total += entry.weight
                    if left and not word.endswith("ly"):
                        clause.denied.add(entry.stem)
                        left -= 1
            before = word
            continue
        following = tokens[place + 1] if place < last else ""
        if _is_negation(word):
            if following not in NOT_NEGATING_BEFORE:
                clause.is_negated = True
                denied_at, left = place, 1
                if word in _WIDE or (
                    place < _OPENING and following not in _PREPOSITIONS | _VERBS
                ):
                    left = 0
                elif following in _PREPOSITIONS:
                    left = needed = 2
            elif following == "longer":
                skip = place + 1
            before = word
            continue
        if word == "rather" and following == "than":
            if place + 2 <= last and _known(tokens[place + 2]).base in POLAR:
                denied_at = place
            continue
        if word == "against" and following.endswith("ing"):
            clause.is_negated, denied_at, left = True, place, 1
            continue
        if word == "and":
            left = 0
        since = place - denied_at
        is_near = since <= _NEAR
        known = entry.base
        if word in NULL or (word in ALIKE and before not in DESCRIBING):
            if is_near:
                stated = True
            else:
                clause.is_null = True
        elif known in FINDING:
            if since <= _SCOPE:
                clause.is_null = True
                left = 0
            elif (
                word in STATED
                or before == "did"
                or (known in _EFFECTS and before in AN_EFFECT)
            ):
                stated = True
        if known in IMPLIED:
            clause.is_negated = True
        if known in ASKING:
            clause.asks = True
        if (
            place != skip
            and (known in POLAR or word in EXTRA)
            and not (before == "the" and word.endswith("er") and following not in _AFTER_NAME)
        ):
            ends = _direction(tokens, place)
            if ends and word in MULTIPLIERS and following in ADJECTIVES:
                skip = place + 1
            if ends and is_near:
                clause.is_null = True
                left = 0
            elif ends:
                for scale, sign in ends:
                    clause.ends[scale] = sign if clause.ends.get(scale, sign) == sign else 0
        if word in _WAYS and before in _GOING:
            clause.ends[AMOUNT] = _WAYS[word]
        if word in OPPOSED and since > _SCOPE:
            clause.opposable.add(word)
        if entry.weight:
            clause.stems[entry.stem] = entry.weight
            clause.total += entry.weight
            if left and not word.endswith("ly"):
                clause.denied.add(entry.stem)
                left -= 1
        before = word
    if len(clause.denied) < needed:
        clause.denied.clear()
    clause.states = not clause.is_null and (stated or bool(clause.ends))
    if AMOUNT not in clause.ends and "from" in tokens:
        _read_change(clause)
    return clause


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


def tells(tokens: Iterable[str]) -> bool:
    """Whether any word of a sentence denies, states, asks or points anywhere."""
    return any(_known(word).tells for word in tokens if word != "and")


def tokens_of(text: str) -> tuple[str, ...]:
    """The words, numbers and breaks of a text in order, in lower case."""
    return tuple(_TOKEN.findall(text.lower()))


def clauses_of(text: str, tokens: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses of a sentence in order.

    Args:
        text: The sentence.
        tokens: What `tokens_of` makes of it.
    """
    clauses = tuple(_read(piece) for piece in _pieces(tokens))
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
