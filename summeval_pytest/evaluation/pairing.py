"""From a task to the pair that is measured: a system's summary, or texts of the task's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from summeval_pytest.suite import Pair

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from summeval_pytest.evaluation.task import Task
    from summeval_pytest.suite import Suite

    FindPair = Callable[[Suite, str, str], Awaitable[Pair]]


async def pair_of(task: Task, find_pair: FindPair) -> Pair:
    """The pair of a task.

    With texts of its own it is about its paper's source, against that reference only; what is
    frozen of the paper's reference holds as long as it is the same.

    Raises:
        UsageError: if a file of the suite has changed since it was loaded, or nobody can be asked
            for the summary.
        NoReplyError: if the system's endpoint gave no summary.
    """
    texts = task.texts
    if texts is None:
        return await find_pair(task.suite, task.paper, task.system)
    paper = task.suite.paper(task.paper)
    if paper.references != (texts.reference,):
        is_own = texts.reference in paper.references
        paper = replace(
            paper,
            references=(texts.reference,),
            reference_facets=paper.reference_facets if is_own else None,
            reference_facts=paper.reference_facts if is_own else None,
        )
    return Pair(paper=paper, system=task.system, summary=texts.candidate, place=paper.place)
