"""The summary's facts checked against the reference's: together or chain by chain, by all or some.

The paper asks for each fact with each of its k most similar premises, given the verdicts on the
facts before it in its chain; the fact holds where one of these does (EVA-Score, section 3.4, and
metrics.md 3.3 for what that changes). By default one question has all facts and all premises.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.metrics.conversation import (
    Dialogue,
    NoAnswerError,
    ask_any,
    expect_count,
    of_kind,
)
from summeval_pytest.metrics.fact_chains import ancestors
from summeval_pytest.questions import (
    CheckFacts,
    Fact,
    FactCheck,
    FactChecks,
    Settled,
    Unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.metrics.similarity import Encoder
    from summeval_pytest.metrics.stages import Stages
    from summeval_pytest.questions import Answer

_Check = FactCheck | Unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One question about some facts.

    Attributes:
        places: The places of its facts.
        offered: The places of its premises among all.
        question: The question.
        is_single: Whether its one premise is one of several that the fact is checked with.
    """

    places: tuple[int, ...]
    offered: tuple[int, ...]
    question: CheckFacts
    is_single: bool = False


def validate(
    facts: tuple[Fact, ...],
    premises: tuple[str, ...],
    *,
    stages: Stages,
    encode: Encoder | None,
    beside: Sequence[CheckFacts] = (),
) -> Dialogue[tuple[FactChecks, tuple[FactChecks, ...]]]:
    """One check for each fact, in order; the premises in it are places among all premises.

    A fact that was checked with several premises one by one holds where any check says so, and
    then with just these premises; it is unanswered where no check says so and one is missing.

    Args:
        facts: The summary's facts, each after its parent.
        premises: The reference's facts, at least one.
        stages: How facts and premises are put together.
        encode: Measures which premises are similar to a fact; None for TF-IDF.
        beside: What else is asked, along with the first questions.

    Returns:
        The checks, and the answers to what was asked beside.

    Raises:
        NoAnswerError: if the judge's answers cannot carry them.
    """
    chosen = _chosen(facts, premises, stages, encode)
    checks: dict[int, _Check] = {}
    others: tuple[FactChecks, ...] = ()
    for number, level in enumerate(_levels(facts, stages)):
        parts = tuple(_parts(level, facts, premises, chosen, checks, stages))
        also = tuple(beside) if number == 0 else ()
        answers = yield from ask_any(*(part.question for part in parts), *also)
        for place, found in _by_fact(parts, answers[: len(parts)], len(facts)).items():
            checks[place] = found[0] if chosen is None else _any_of(found)
        if also:
            others = tuple(
                of_kind(FactChecks, question, answer)
                for question, answer in zip(also, answers[len(parts) :], strict=True)
            )
    return FactChecks(tuple(checks[place] for place in range(len(facts)))), others


def _chosen(
    facts: tuple[Fact, ...], premises: tuple[str, ...], stages: Stages, encode: Encoder | None
) -> tuple[tuple[int, ...], ...] | None:
    """For each fact its premises, the most similar first; None where all have all."""
    if stages.premises is None:
        return None
    from summeval_pytest.metrics.similarity import most_similar  # numpy, which no help text needs

    return most_similar([fact.text for fact in facts], premises, stages.premises, encode)


def _levels(facts: tuple[Fact, ...], stages: Stages) -> list[list[int]]:
    """The places that are asked about at once: all, or all roots, then all their children."""
    if stages.validation == "together":
        return [list(range(len(facts)))]
    levels: list[list[int]] = []
    for place in range(len(facts)):
        depth = len(ancestors(facts, place))
        if depth == len(levels):
            levels.append([])
        levels[depth].append(place)
    return levels


def _parts(  # noqa: PLR0913, PLR0917 - a step of `validate`, which has them all at hand
    level: list[int],
    facts: tuple[Fact, ...],
    premises: tuple[str, ...],
    chosen: tuple[tuple[int, ...], ...] | None,
    checks: dict[int, _Check],
    stages: Stages,
) -> Iterator[_Part]:
    """The questions about the facts of one level."""
    everything = tuple(range(len(premises)))
    if stages.validation == "together" and chosen is None:
        yield _Part(places=tuple(level), offered=everything, question=CheckFacts(facts, premises))
        return
    groups: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for place in level:
        groups[ancestors(facts, place) if stages.validation == "chain" else ()].append(place)
    for before, places in groups.items():
        earlier = tuple(_settled(facts[n], checks[n]) for n in before)
        asked = [replace(facts[place], parent=None) for place in places]
        if chosen is None:
            question = CheckFacts(tuple(asked), premises, earlier=earlier)
            yield _Part(places=tuple(places), offered=everything, question=question)
            continue
        for place, fact in zip(places, asked, strict=True):
            for premise in chosen[place]:
                question = CheckFacts((fact,), (premises[premise],), earlier=earlier)
                yield _Part(places=(place,), offered=(premise,), question=question, is_single=True)


def _settled(fact: Fact, check: _Check) -> Settled:
    holds = check.entailed if isinstance(check, FactCheck) else None
    return Settled(text=fact.text, holds=holds)


def _by_fact(
    parts: Sequence[_Part], answers: Sequence[Answer], n_facts: int
) -> dict[int, list[_Check]]:
    """By the place of a fact, the checks of it, with premises as places among all."""
    found: defaultdict[int, list[_Check]] = defaultdict(list)
    for part, answer in zip(parts, answers, strict=True):
        is_some = part.is_single or len(part.places) < n_facts
        if isinstance(answer, Unanswered) and is_some:
            checks: tuple[_Check, ...] = (answer,) * len(part.places)
        else:
            checks = of_kind(FactChecks, part.question, answer).checks
        expect_count("fact checks", len(checks), len(part.places))
        for place, fact, check in zip(part.places, part.question.facts, checks, strict=True):
            found[place].append(_among_all(part, fact, check))
    return found


def _among_all(part: _Part, fact: Fact, check: _Check) -> _Check:
    """The check with its premises as places among all premises."""
    if isinstance(check, Unanswered):
        return check
    if not all(0 <= premise < len(part.offered) for premise in check.premises):
        raise NoAnswerError(f"fact {fact.text!r}: a premise of {check.premises} was not offered")
    if part.is_single and check.entailed:
        return replace(check, premises=part.offered)  # there was no other to name
    places = tuple(part.offered[premise] for premise in check.premises)
    return check if places == check.premises else replace(check, premises=places)


def _any_of(found: Sequence[_Check]) -> _Check:
    """What checks of one fact with one premise each come to."""
    checks = [check for check in found if isinstance(check, FactCheck)]
    lacking = [check for check in found if isinstance(check, Unanswered)]
    holding = [check for check in checks if check.entailed]
    if lacking and not holding:
        return lacking[0]
    deciding = holding or checks
    beliefs = [check.support for check in deciding if check.support is not None]
    return FactCheck(
        reason=deciding[0].reason,
        entailed=bool(holding),
        premises=tuple(dict.fromkeys(p for check in deciding for p in check.premises)),
        support=max(beliefs, default=None),
        undecided=all(check.undecided for check in deciding),
    )
