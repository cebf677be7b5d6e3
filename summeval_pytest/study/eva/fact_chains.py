"""Chains of facts: made of neighbours, and checked link by link (EVA-Score, section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from typing import ClassVar

from summeval_pytest import questions as q
from summeval_pytest.judges.llm import prompts
from summeval_pytest.judges.llm.asking import Poll
from summeval_pytest.judges.llm.fact_requests import DECISIONS, fact_batch
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.judges.offline import presence
from summeval_pytest.metrics import flow
from summeval_pytest.metrics.eva import check_offered
from summeval_pytest.metrics.facts import Check, Facts


def adjacent_chains(facts: Facts) -> flow.Dialogue[Facts]:
    """The facts with the parents that the paper's rule gives them; others are left out.

    One question for each two neighbours, all at once. An unanswered question ends a chain, as a no
    does: a chain decides what a fact is compared with, and never whether it counts.
    """
    roots = tuple(replace(fact, parent=None) for fact in facts)
    questions = [
        q.CheckFacts((one,), (other.text,), every_premise=False) for one, other in pairwise(roots)
    ]
    if not questions:
        return roots
    answers = yield from flow.ask_any(*questions)
    links = [*chain.from_iterable(map(_all_checks, questions, answers))]
    flow.limit_unanswered("pairs of neighbouring facts", links, len(links))
    return (
        roots[0],
        *(
            replace(fact, parent=place) if isinstance(link, q.FactCheck) and link.entailed else fact
            for place, (link, fact) in enumerate(zip(links, roots[1:], strict=True))
        ),
    )


def _all_checks(question: q.CheckFacts, answer: q.Answer) -> tuple[Check, ...]:
    """One check for each fact asked about; none is answered where the question is not."""
    if isinstance(answer, q.Unanswered):
        return (answer,) * len(question.facts)
    checks = flow.of_kind(q.FactChecks, question, answer).checks
    flow.expect_count("fact checks", len(checks), len(question.facts))
    return checks


def ancestors(facts: Sequence[q.Fact], place: int) -> tuple[int, ...]:
    """The places of all facts that one refines, from the root of its chain on."""
    places: list[int] = []
    parent = facts[place].parent
    while parent is not None:  # no recursion: a chain may be long
        places.append(parent)
        parent = facts[parent].parent
    return tuple(reversed(places))


@dataclass(frozen=True, slots=True)
class CheckInChain(q.CheckFacts, q.OtherQuestion):
    """Does each fact follow, when these of its chain were checked before?

    They stand from the root on, at least one, each with whether it holds, None where nobody could
    tell; and there is a premise. Each fact refines the last of them; only what it adds is judged.
    """

    earlier: tuple[tuple[str, bool | None], ...] = ()
    duty: ClassVar[q.Duty] = "facts"

    def computed(self) -> q.FactChecks:
        """As the embedded judge checks facts that refine the last one."""
        return presence.check_facts(self, self.earlier[-1][0])

    async def of_model(self, poll: Poll, judge: LlmJudge) -> q.FactChecks:
        """As a model checks facts, with the decisions on the earlier ones before it."""
        batch = self.batch(judge.decided.choose(self.reference))
        checks = await poll.outcomes(batch, lambda check: check.entailed)
        return q.FactChecks(checks)

    def batch(self, examples: tuple[str, ...] = ()) -> prompts.PromptBatch[q.FactCheck]:
        """Its requests."""
        lines = (f"{DECISIONS[holds]}: {prompts.inert(text)}" for text, holds in self.earlier)
        prompt = "summeval_pytest.study.eva/fact_checks_in_chain"
        return fact_batch(self, examples, prompt=prompt, more=(prompts.block("earlier", lines),))


Chosen = tuple[tuple[int, ...], ...]
"""By fact, the places of the premises that it is checked with, one by one."""


def validate(
    facts: Facts, premises: tuple[str, ...], chosen: Chosen | None, *, in_chains: bool
) -> flow.Dialogue[q.FactChecks]:
    """One check for each fact, in order; its premises are places among all premises.

    A parent stands before its children, and there is at least one premise. Where premises are
    ``chosen``, a fact holds if it follows from any of them. If an answer is missing, the fact is
    unanswered: that premise may be matched, too.
    """
    checks: dict[int, Check] = {}
    levels: defaultdict[int, dict[tuple[int, ...], list[int]]] = defaultdict(dict)
    for place in range(len(facts)):
        before = ancestors(facts, place) if in_chains else ()
        levels[len(before)].setdefault(before, []).append(place)
    for level in levels.values():
        parts = tuple(_parts(level, facts, premises, chosen, checks))
        answers = yield from flow.ask_any(*(question for _, question, _ in parts))
        by_place: defaultdict[int, list[Check]] = defaultdict(list)
        for (places, question, only), answer in zip(parts, answers, strict=True):
            if only is None and len(places) == len(facts):  # the only question
                flow.of_kind(q.FactChecks, question, answer)
            each = zip(places, question.facts, _all_checks(question, answer), strict=True)
            for place, fact, check in each:
                by_place[place].append(_among_all(check, fact, question, only))
        checks |= {p: each[0] if chosen is None else _any_of(each) for p, each in by_place.items()}
    return q.FactChecks(tuple(checks[place] for place in range(len(facts))))


_Part = tuple[list[int], q.CheckFacts, int | None]
"""The places of some facts, the question about them, and the only premise that it offers."""


def _among_all(check: Check, fact: q.Fact, question: q.CheckFacts, only: int | None) -> Check:
    """A check whose premises are places among all; ``only`` is the place of a single one."""
    if isinstance(check, q.Unanswered):
        return check
    check_offered(fact, check, len(question.premises))
    if only is None:
        return check
    named = check.entailed or check.premises  # there was no other to name
    return replace(check, premises=(only,) if named else ())


def _parts(
    level: Mapping[tuple[int, ...], list[int]],
    facts: Facts,
    premises: tuple[str, ...],
    chosen: Chosen | None,
    checks: Mapping[int, Check],
) -> Iterator[_Part]:
    """The questions about the facts of one level, which are given by the chains before them."""
    for before, places in level.items():
        earlier = tuple(
            (facts[place].text, getattr(checks[place], "entailed", None)) for place in before
        )
        kind = partial(CheckInChain, earlier=earlier) if earlier else q.CheckFacts
        alone = {place: replace(facts[place], parent=None) for place in places}
        if chosen is None:
            yield places, kind(tuple(alone.values()), premises), None
            continue
        for place, fact in alone.items():
            for premise in chosen[place]:
                yield [place], kind((fact,), (premises[premise],)), premise


def _any_of(parts: Sequence[Check]) -> Check:
    """One check from the checks of a fact with one premise each."""
    checks = [check for check in parts if isinstance(check, q.FactCheck)]
    deciding = [check for check in checks if check.entailed]
    if len(checks) < len(parts):  # a premise that is not answered may be matched, too
        return next(check for check in parts if isinstance(check, q.Unanswered))
    entailed, deciding = bool(deciding), deciding or checks
    beliefs = [check.support for check in deciding if check.support is not None]
    return q.FactCheck(
        reason=deciding[0].reason,
        entailed=entailed,
        premises=tuple(dict.fromkeys(p for check in deciding for p in check.premises)),
        support=max(beliefs, default=None),
        undecided=all(check.undecided for check in deciding),
        disputes=deciding[0].disputes,
    )
