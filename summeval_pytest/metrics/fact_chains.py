"""Chains of facts: which fact adds to which, by the paper's rule, and who comes before whom.

The paper's chains are runs of neighbours: fact i is asked whether it is entailed by fact i+1, and
where it is, i+1 says all of i and more. So i is the earlier and more general one, the parent, and
i+1 is judged by what it adds (EVA-Score, section 3.2; only for the summary, metrics.md EV5, EV10).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from summeval_pytest.metrics.conversation import (
    Dialogue,
    ask_any,
    expect_count,
    limit_unanswered,
    of_kind,
)
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, FactChecks, Unanswered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.questions import Answer


def adjacent_chains(facts: tuple[Fact, ...]) -> Dialogue[tuple[Fact, ...]]:
    """The facts with the parents that the paper's rule gives them; others are left out.

    One question for each two neighbours, all at once. What nobody can tell ends a chain, as a no
    does: a chain decides what a fact is judged by, and never whether it counts.

    Raises:
        NoAnswerError: if more than 5 % of the questions stay unanswered.
    """
    roots = tuple(replace(fact, parent=None) for fact in facts)
    questions = [
        CheckFacts((one,), (other.text,), every_premise=False) for one, other in pairwise(roots)
    ]
    if not questions:
        return roots
    answers = yield from ask_any(*questions)
    links = [_check(q, a) for q, a in zip(questions, answers, strict=True)]
    reasons = [link.reason for link in links if isinstance(link, Unanswered)]
    limit_unanswered("pairs of neighbouring facts", reasons, len(links))
    return (
        roots[0],
        *(
            replace(fact, parent=place) if isinstance(link, FactCheck) and link.entailed else fact
            for place, (link, fact) in enumerate(zip(links, roots[1:], strict=True))
        ),
    )


def _check(question: CheckFacts, answer: Answer) -> FactCheck | Unanswered:
    """The one check of a question about one fact."""
    if isinstance(answer, Unanswered):
        return answer
    checks = of_kind(FactChecks, question, answer).checks
    expect_count("fact checks", len(checks), 1)
    return checks[0]


def ancestors(facts: Sequence[Fact], place: int) -> tuple[int, ...]:
    """The places of all facts that one refines, from the root of its chain on."""
    found: list[int] = []
    parent = facts[place].parent
    while parent is not None:
        found.append(parent)
        parent = facts[parent].parent
    return tuple(reversed(found))
