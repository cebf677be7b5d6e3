"""How probably people say that a fact stands in a text, and which of its sentences carry it.

    p = 1 / (1 + exp(-(a + sum of b_i x_i))), every b_i >= 0

over the six things of `Signs`, fitted to human labels of facts in summaries (`training.presence`).
What several facts of one question say counts less in each of them: it is their topic, and no news.
A conflict in numbers, direction or negation outweighs any number of shared words.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import astuple, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflict import NOWHERE
from summeval_pytest.judges.offline.conflicts import find_conflict
from summeval_pytest.judges.offline.facts import added_by, added_to
from summeval_pytest.judges.offline.learned import learned
from summeval_pytest.judges.offline.number_conflicts import missing_number
from summeval_pytest.judges.offline.premises import premises_of, weighed
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.judges.offline.reading import read
from summeval_pytest.judges.offline.support import Support
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.conflict import Conflict
    from summeval_pytest.judges.offline.premises import PremiseIndex, Traces

PRESENT: Final = 0.4
"""A fact holds from this probability on: where F1 is best on the mean of the sets of the fit."""
MAX_EVIDENCE: Final = 3
LEAST_GAIN: Final = 0.1
"""A further premise is evidence only if it carries this share more of the fact's weight."""
_LOOK_AROUND: Final = 5
"""A conflict may stand in one of so many premises beside the evidence."""
_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for a fact; all but the two losses lie in 0 to 1, and more is always better.

    Attributes:
        found: Share of the fact's weight that stands anywhere in the premises.
        together: Share that stands in one premise and the next.
        close: How close the words found stand: 1 where each follows the one before it.
        numbers_lost: Minus the share of the fact's numbers that are nowhere, -1 to 0.
        rarest_lost: Minus the rarity of the rarest word that is nowhere, -1 to 0.
        beside: What ``found`` is for the facts before and after it: a summary leaves out whole
            passages, so beside a fact that is there stand others. The fact's own where no
            neighbours count.
    """

    found: float
    together: float
    close: float
    numbers_lost: float
    rarest_lost: float
    beside: float


def signs_of(traces: Traces, index: PremiseIndex) -> Signs:
    """The signs for one fact that has words, without its neighbours."""
    whole = sum(traces.weights)
    pairs = list(zip(traces.words, traces.found, strict=True))
    lost = [word for word, here in pairs if here is None]
    n_numbers = sum(word[0].isdigit() for word in traces.words)
    found = 1.0 if not lost else traces.weight_of(traces.bits_found) / whole
    windows = {
        words | traces.carried.get(place + 1, 0) for place, words in traces.carried.items()
    }
    return Signs(
        found=found,
        together=max(map(traces.weight_of, sorted(windows)), default=0.0) / whole,
        close=index.closeness(traces),
        numbers_lost=-sum(word[0].isdigit() for word in lost) / max(1, n_numbers),
        rarest_lost=-max(map(rarity, lost), default=0.0),
        beside=found,
    )


def signs_among(
    facts: Sequence[str], premises: tuple[str, ...], *, in_order: bool
) -> list[tuple[Signs, Traces] | None]:
    """The signs for each fact and where its words stand; None for a fact without words.

    Args:
        facts: What is weighed of each.
        premises: Facts or sentences.
        in_order: Whether the facts stand as one text has them, so that neighbours count.
    """
    index = premises_of(premises)
    words = [weighed(fact) for fact in facts]
    n_facts = Counter(word for bag in words for word, _ in bag)
    found: list[tuple[Signs, Traces] | None] = []
    for bag in words:
        traces = index.trace(tuple((word, weight / n_facts[word]) for word, weight in bag))
        found.append((signs_of(traces, index), traces) if bag else None)
    return _with_neighbours(found) if in_order else found


def _with_neighbours(
    found: list[tuple[Signs, Traces] | None],
) -> list[tuple[Signs, Traces] | None]:
    shares = [each[0].found if each else 0.0 for each in found]
    whole: list[tuple[Signs, Traces] | None] = []
    for place, each in enumerate(found):
        near = [*shares[max(0, place - 1) : place], *shares[place + 1 : place + 2]]
        if each is not None and near:
            each = replace(each[0], beside=sum(near) / len(near)), each[1]  # noqa: PLW2901 - same, completed
        whole.append(each)
    return whole


@lru_cache
def _model() -> tuple[float, tuple[float, ...]]:
    arrays = learned("presence")
    return float(arrays["intercept"]), tuple(float(slope) for slope in arrays["slopes"])


def probability(signs: Signs) -> float:
    """The probability, of four decimals, that people say the fact is there."""
    intercept, slopes = _model()
    logit = intercept + sum(b * x for b, x in zip(slopes, astuple(signs), strict=True))
    return round(1.0 / (1.0 + math.exp(-logit)), _DECIMALS)


def support_fact(fact: str, added: str, premises: tuple[str, ...]) -> Support:
    """Whether the premises carry what a fact adds to the fact it refines.

    Args:
        fact: The whole fact.
        added: What it says that the fact it refines does not; the same for a root.
        premises: Facts or sentences.

    Returns:
        ``strength`` is the probability that people say so; 0 where a conflict is found.
    """
    (signs,) = signs_among((added,), premises, in_order=False)
    return _support(fact, added, premises, signs)


def check_facts(question: CheckFacts) -> FactChecks:
    """The answer to a question about facts.

    Where enough premises are wanted and not all, the facts are a reference's in its order and the
    premises a summary, so that neighbours count.
    """
    added = [_added(fact, question) for fact in question.facts]
    signs = signs_among(added, question.premises, in_order=not question.every_premise)
    checks = []
    for fact, news, sign in zip(question.facts, added, signs, strict=True):
        found = _support(fact.text, news, question.premises, sign)
        checks.append(
            FactCheck(
                reason=found.reason,
                entailed=found.holds,
                premises=found.evidence,
                support=found.strength,
            )
        )
    return FactChecks(tuple(checks))


def _added(fact: Fact, question: CheckFacts) -> str:
    """What a fact adds to the one it refines: in the question, or the last checked before."""
    if fact.parent is None and question.earlier:
        return added_to(question.earlier[-1].text, fact.text)
    return added_by(fact, question.facts)


def _support(
    fact: str, added: str, premises: tuple[str, ...], found: tuple[Signs, Traces] | None
) -> Support:
    if fact in premises:
        place = premises.index(fact)
        return Support(holds=True, strength=1.0, evidence=(place,), reason="stated word for word")
    if found is None:
        return Support(holds=False, strength=0.0, evidence=(), reason="it has no words to look for")
    signs, traces = found
    strength = probability(signs)
    evidence = _evidence(traces)
    if strength >= PRESENT:
        conflict = _conflict(fact, added, premises, traces, evidence)
        if conflict is not None:
            first = () if conflict.sentence is None else (premises.index(conflict.sentence),)
            evidence = tuple(dict.fromkeys((*first, *evidence)))
            return Support(holds=False, strength=0.0, evidence=evidence, reason=str(conflict))
    reason = f"{signs.found:.0%} of its words found, present with probability {strength:.2f}"
    return Support(
        holds=strength >= PRESENT, strength=strength, evidence=evidence, reason=reason
    )


def _evidence(traces: Traces) -> tuple[int, ...]:
    """The few premises that together carry most: each time the one that adds most weight."""
    left = traces.bits_found
    least = 0.0
    chosen: list[int] = []
    while left and len(chosen) < MAX_EVIDENCE:
        gains = {words: traces.weight_of(words & left) for words in set(traces.carried.values())}
        best = min(traces.carried, key=lambda place: (-gains[traces.carried[place]], place))
        if gains[traces.carried[best]] <= least:
            break
        chosen.append(best)
        left &= ~traces.carried[best]
        least = LEAST_GAIN * sum(traces.weights)
    return tuple(chosen)


def _conflict(
    fact: str,
    added: str,
    premises: tuple[str, ...],
    traces: Traces,
    evidence: tuple[int, ...],
) -> Conflict | None:
    """What the premises that are closest to a fact say against it.

    A number in whose place nothing stands is a gap and no conflict; it costs its share of `Signs`.
    """
    weight = {words: traces.weight_of(words) for words in set(traces.carried.values())}
    ranked = sorted(traces.carried, key=lambda place: (-weight[traces.carried[place]], place))
    near = [read(premises[p]) for p in dict.fromkeys((*evidence, *ranked[:_LOOK_AROUND]))]
    whole, news = read(fact), read(added)
    if news.quantities:
        everywhere = [placed for premise in premises for placed in read(premise).quantities]
        conflict = missing_number(news, near, everywhere)
        if conflict is not None and conflict.instead != NOWHERE:
            return conflict
    return find_conflict(whole, near)
