"""One direction of a text reversed: what rose falls, what was higher is lower."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.editing.claims import asks, clause_at, denies, hedges
from summeval_pytest.text.editing.edits import Change, Edit, change_one
from summeval_pytest.text.quantities import find_quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BOTH_WAYS: Final = """
    increase=decrease increases=decreases increased=decreased increasing=decreasing
    rose=fell risen=fallen rises=falls
    higher=lower highest=lowest faster=slower fastest=slowest
    better=worse best=worst longer=shorter longest=shortest
    stronger=weaker strongest=weakest improve=worsen improves=worsens improved=worsened
    improving=worsening improvement=deterioration improvements=deteriorations
    gained=lost gains=losses gaining=losing grew=shrank grows=shrinks
    lengthen=shorten lengthens=shortens lengthened=shortened lengthening=shortening
    strengthen=weaken strengthens=weakens strengthened=weakened strengthening=weakening
    accelerated=slowed accelerates=slows accelerating=slowing
    enhance=impair enhances=impairs enhanced=impaired enhancing=impairing
    raised=lowered raises=lowers raising=lowering
    doubled=halved doubles=halves doubling=halving
    upward=downward upwards=downwards above=below
    positively=negatively positive=negative thicker=thinner warmer=colder heavier=lighter
    deeper=shallower widened=narrowed widens=narrows widening=narrowing
    climbed=dropped climbs=drops climbing=dropping
    superior=inferior beneficial=harmful sooner=later earlier=later
    more=less outperformed=underperformed outperforms=underperforms outperform=underperform
    larger=smaller largest=smallest
"""
_ONE_WAY: Final = """
    reduce=increase reduces=increases reduced=increased reducing=increasing reduction=increase
    reductions=increases greater=smaller greatest=smallest fewer=more later=earlier
    declined=increased declines=increases declining=increasing decline=increase
    diminished=increased diminishes=increases diminish=increase speeded=slowed
    exceeded=fell_short_of exceeds=falls_short_of exceed=fall_short_of
    surpassed=trailed surpasses=trails
    rise=fall fall=rise raise=lower gain=loss drop=rise
"""


def _reversed() -> dict[str, str]:
    """By word: what says the opposite, in the same inflection."""
    table: dict[str, str] = {}
    for pair in _BOTH_WAYS.split():
        one, other = pair.split("=")
        table.setdefault(one, other)
        table.setdefault(other, one)
    for pair in _ONE_WAY.split():
        one, _, other = pair.replace("_", " ").partition("=")
        table[one] = other
    return table


OPPOSITES: Final[Mapping[str, str]] = MappingProxyType(_reversed())
"""By lower-cased word, the word that reverses it."""

_WORD = re.compile(r"\b(?<!-)[A-Za-z]+\b(?!-)")
_NEXT = re.compile(r"\s+([\w%-]+)")
_ARTICLE = re.compile(r"\b([Aa])n?(\s+)\Z")
_LAST = re.compile(r"([\w-]+)\s+\Z")
_INFINITIVE: Final = frozenset("to may can could should will would might must not".split())
_AMBIGUOUS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        word: re.compile(pattern)
        for word, pattern in {
            "above": r"\s+(?:the|a|\d)",
            "below": r"\s+(?:the|a|\d)",
            "positive": r"\s+(?:correlat|associat|relation|effect|impact|influence|trend|change)",
            "negative": r"\s+(?:correlat|associat|relation|effect|impact|influence|trend|change)",
            "earlier": r"\s+(?:than|with|in|and|by)\b",
            "later": r"\s+(?:than|with)\b",
            "falls": r"\s+(?:from|by|to|with|below)\b",
            "rises": r"\s+(?:from|by|to|with|above)\b",
            "fall": r"\s+(?:in|from|by|to|below)\b",
            "rise": r"\s+(?:in|from|by|to|above)\b",
            "drop": r"\s+(?:in|from|by|to|below)\b",
            "gain": r"\s+(?:in|of)\b",
            "lower": r"\s+(?!extremit|limb|leg|lip|jaw|bound|abdom|tract|back|body|respir|urin)",
            "higher": r"\s+(?!education|order|school|plant)",
            "grew": r"\s+(?:by|from|to|with|faster|larger)\b",
            "grows": r"\s+(?:by|from|to|with|as)\b",
            "lost": r"\s+(?!to follow)",
            "fell": r"\s+(?!short|ill|asleep|within)",
            "best": r"\s+(?!known|practice|possible|available|of (?:our|my))",
            "lighter": r"\s+than\b",
            "raise": r"\s+(?!concern|question|awareness)",
            "raises": r"\s+(?!concern|question|the (?:question|possib))",
            "raised": r"\s+(?!concern|question|the (?:question|possib))",
            "raising": r"\s+(?!concern|question|the (?:question|possib))",
        }.items()
    }
)
"""What has to follow a word for it to say a direction."""
_IDIOM = re.compile(r"\s+(?:than\s+(?:\d|one\b|half\b|two\b|twice\b|a\b|an\b)|or\b|and more\b)")
_AIM = re.compile(r"\bto\s\Z", re.IGNORECASE)
_MERE_PLACE = re.compile(r"above|below|\w+est\Z|worst", re.IGNORECASE)
"""What says where something lies more often than where it went."""
_MORE_WORK = re.compile(r"\s+(?:research|stud|work|data|trials?|evidence)")
_NOT_BEFORE_MORE: Final = frozenset(
    "no any once the one two three four five six seven eight nine ten many some or".split()
)
_PLURAL = re.compile(r"[a-z-]*[^su\W]s\Z")
_NOT_PLURAL = re.compile(r"(?:is|us|ous|less|ss|ness|always)\Z")


def reverse_direction(text: str) -> Edit | None:
    """The text with one word of direction reversed, its inflection and capital kept.

    A word in a denied or asked clause is left alone, since "did not rise" is as true of what fell.
    What was found is preferred to what may be, and a sentence with figures to one without.
    """
    return change_one(text, _changes_of)


def _changes_of(sentence: str) -> Iterator[Change]:
    if asks(sentence):
        return
    is_hedged, is_bare = hedges(sentence), not find_quantities(sentence)
    for match in _WORD.finditer(sentence):
        opposite = _opposite(sentence, match)
        if not opposite or denies(clause_at(sentence, match.start())):
            continue
        is_aim = bool(_AIM.search(sentence[: match.start()]))
        if match.group()[0].isupper():
            opposite = opposite.upper() if _is_shouted(match.group()) else opposite.capitalize()
        start = match.start()
        article = _ARTICLE.search(sentence[:start])
        new = opposite
        if article:
            start = article.start()
            is_vowel = opposite[0].lower() in "aeiou"
            new = f"{article[1]}{'n' if is_vowel else ''}{article[2]}{opposite}"
        yield Change(
            new=sentence[:start] + new + sentence[match.end() :],
            before=match.group(),
            after=opposite,
            rank=(is_hedged, is_bare or is_aim or bool(_MERE_PLACE.match(opposite))),
        )


def _is_shouted(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _opposite(sentence: str, match: re.Match[str]) -> str:
    """What reverses a word where it stands; empty where it says no direction there."""
    word, end = match.group().lower(), match.end()
    opposite = OPPOSITES.get(word, "")
    required = _AMBIGUOUS.get(word)
    if not opposite or (required and not required.match(sentence, end)):
        return ""
    last = _LAST.search(sentence[: match.start()])
    before = last[1].lower() if last else ""
    if word in {"more", "less", "fewer"}:
        return _more_or_less(sentence, word, before, end)
    if word == "lower":
        return "raise" if before in _INFINITIVE else opposite
    return opposite


def _more_or_less(sentence: str, word: str, before: str, end: int) -> str:
    if before in _NOT_BEFORE_MORE or _IDIOM.match(sentence, end) or _MORE_WORK.match(sentence, end):
        return ""
    if word != "more":
        return "more"
    following = _NEXT.match(sentence, end)
    counted = following[1] if following else ""
    is_plural = _PLURAL.search(counted) and not _NOT_PLURAL.search(counted)
    return "fewer" if is_plural else "less"
