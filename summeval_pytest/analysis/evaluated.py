"""Evaluations of pairs for a command: a runner as long as somebody asks for more."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from summeval_pytest.run.runner import Runner
from summeval_pytest.run.summaries import Summariser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import FindPair, Task
    from summeval_pytest.run.session import Session


def evaluated(
    judge: Judge, tasks: Sequence[Task], session: Session, find_pair: FindPair | None = None
) -> Iterator[Evaluation]:
    """What a judge makes of pairs, in the order of the tasks.

    Pairs are of the suite's files, or made by asking the systems, unless ``find_pair`` makes them.

    Raises:
        UsageError: for a system that cannot be asked.
        JudgeError: if the judge breaks its contract.
        NoReplyError: if a system's endpoint gave no summary.
    """
    find_pair = find_pair or Summariser(session.sender).pair
    with closing(Runner(judge, find_pair=find_pair, finish=session.finish)) as runner:
        yield from runner.evaluations(tasks)
