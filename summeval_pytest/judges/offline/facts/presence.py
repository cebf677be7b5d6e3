"""How probably people say that a fact stands in a text, and which of its sentences carry it.

    p = 1 / (1 + exp(-(a + sum of b_i x_i))), every b_i >= 0

over the seven things of `Signs`, fitted to what people said of facts in summaries
(`tests/fitting/presence.py`). What several facts of one question say counts less in each of them:
it is their topic, and no news. A conflict in numbers, direction or negation outweighs any number of
shared words: the fact does not hold. As a third of the conflicts seen are none to readers, its
probability is then `PRESENT` times what it was, instead of 0.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from operator import mul
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.judges.offline.conflict import NOWHERE
from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.facts.cutting import added_by, added_to
from summeval_pytest.judges.offline.facts.premises import premises_of, weighed
from summeval_pytest.judges.offline.learned import learned
from summeval_pytest.judges.offline.logistic import chance
from summeval_pytest.judges.offline.numbers import missing_number
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.judges.offline.sentences.support import Support, copied_from
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.conflict import Conflict
    from summeval_pytest.judges.offline.facts.premises import PremiseIndex, Traces

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


class Sought(NamedTuple):
    """A fact looked for: where its words stand, and what that is a sign of."""

    traces: Traces
    signs: Signs


def _share(traces: Traces) -> float:
    """The share of a fact's weight that is found; 0 for a fact without words."""
    if None not in traces.found:
        return float(bool(traces.found))
    return traces.sums[traces.held] / traces.total


def _signs(
    traces: Traces, index: PremiseIndex, *, found: float, beside: float, of_summary: bool
) -> Signs:
    carried, together = traces.carried, found
    if traces.held not in carried.values():
        windows = {words | carried.get(place + 1, 0) for place, words in carried.items()}
        together = max(map(traces.sums.__getitem__, windows), default=0.0) / traces.total
    numbers_lost = rarest_lost = 0.0
    if found < 1.0:
        lost = [w for w, here in zip(traces.words, traces.found, strict=True) if here is None]
        n_lost = len([word for word in lost if word[0].isdigit()])
        if n_lost:
            numbers_lost = -n_lost / len([word for word in traces.words if word[0].isdigit()])
        rarest_lost = -max(map(rarity, lost), default=0.0)
    return Signs(
        found=found,
        together=together,
        close=index.closeness(traces),
        numbers_lost=numbers_lost,
        rarest_lost=rarest_lost,
        beside=beside,
        of_summary=float(of_summary),
    )


def look_for(
    facts: Sequence[str], premises: tuple[str, ...], *, of_summary: bool, in_order: bool
) -> list[Sought | None]:
    """Each fact looked for; None for a fact without words.

    Args:
        facts: What is weighed of each.
        premises: Facts or sentences.
        of_summary: Whether the facts are a summary's, and the premises a reference's.
        in_order: Whether the facts stand as one text has them, so that neighbours count.
    """
    index = premises_of(premises)
    words = [weighed(fact) for fact in facts]
    n_facts = Counter([word for bag in words for word, _ in bag])
    traces = [
        index.trace(tuple([(word, weight / n_facts[word]) for word, weight in bag]))
        for bag in words
    ]
    shares = [_share(each) for each in traces]
    found: list[Sought | None] = []
    for place, (each, share) in enumerate(zip(traces, shares, strict=True)):
        near = shares[max(0, place - 1) : place] + shares[place + 1 : place + 2]
        beside = sum(near) / len(near) if in_order and near else share
        if not each.words:
            found.append(None)
            continue
        signs = _signs(each, index, found=share, beside=beside, of_summary=of_summary)
        found.append(Sought(traces=each, signs=signs))
    return found


@lru_cache
def _model() -> tuple[float, tuple[float, ...]]:
    arrays = learned("presence")
    return float(arrays["intercept"]), tuple(float(slope) for slope in arrays["slopes"])


def probability(signs: Signs) -> float:
    """The probability, of four decimals, that people say the fact is there."""
    intercept, slopes = _model()
    logit = intercept + sum(map(mul, slopes, signs))
    return round(chance(logit), _DECIMALS)


def check_facts(question: CheckFacts) -> FactChecks:
    """The answer to a question about facts.

    Where enough premises are wanted and not all, the facts are a reference's in its order and the
    premises a summary. If none refines another, as where people have listed them, neighbours count;
    clauses of one sentence have their subject in common already.
    """
    of_summary = question.every_premise
    in_order = not of_summary and all(fact.parent is None for fact in question.facts)
    added = [_added(fact, question) for fact in question.facts]
    sought = look_for(added, question.premises, of_summary=of_summary, in_order=in_order)
    checks = []
    for fact, news, each in zip(question.facts, added, sought, strict=True):
        found = _support(fact.text, news, question.premises, each)
        checks.append(
            FactCheck(
                reason=found.reason,
                entailed=found.holds,
                premises=found.evidence,
                support=found.strength,
                undecided=found.undecided,
            )
        )
    return FactChecks(tuple(checks))


def _added(fact: Fact, question: CheckFacts) -> str:
    """What a fact adds to the one it refines: in the question, or the last checked before."""
    if fact.parent is None and question.earlier:
        return added_to(question.earlier[-1].text, fact.text)
    return added_by(fact, question.facts)


def _support(fact: str, added: str, premises: tuple[str, ...], sought: Sought | None) -> Support:
    if fact in premises:
        return copied_from(premises.index(fact))
    if sought is None:
        return Support(holds=False, strength=0.0, evidence=(), reason="it has no words to look for")
    strength = probability(sought.signs)
    evidence = _evidence(sought.traces)
    if strength >= PRESENT:
        near = _near(sought.traces, evidence)
        conflict = _conflict(fact, added, premises, near)
        if conflict is not None:
            first = () if conflict.sentence is None else (premises.index(conflict.sentence),)
            evidence = tuple(dict.fromkeys((*first, *evidence)))
            strength = round(PRESENT * strength, _DECIMALS)
            return Support(
                holds=False,
                strength=strength,
                evidence=evidence,
                reason=conflict.told,
                undecided=True,
            )
    return Support(
        holds=strength >= PRESENT,
        strength=strength,
        evidence=evidence,
        reason=f"{sought.signs.found:.0%} of its words found, probability {strength:.2f}",
    )


def _evidence(traces: Traces) -> tuple[int, ...]:
    """The few premises that together carry most: each time the one that adds most weight."""
    left, least, sums = traces.held, 0.0, traces.sums
    chosen: list[int] = []
    while left and len(chosen) < MAX_EVIDENCE:
        best, most = -1, least
        for place, words in traces.carried.items():
            gain = sums[words & left]
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
    ranked = sorted([(-sums[words], place) for place, words in traces.carried.items()])
    most = NEAR * ranked[0][0] if ranked else 0.0
    near = [place for weight, place in ranked[:LOOK_AROUND] if weight <= most]
    return tuple(dict.fromkeys((*evidence, *near)))


def _conflict(
    fact: str, added: str, premises: tuple[str, ...], places: tuple[int, ...]
) -> Conflict | None:
    """What the premises at these places say against a fact.

    A number in whose place nothing stands is a gap and no conflict; it costs its share of `Signs`.
    """
    near = [premises[place] for place in places]
    conflict = missing_number(added, near, premises)
    if conflict is not None and conflict.instead != NOWHERE:
        return conflict
    return find_conflict(fact, near)
