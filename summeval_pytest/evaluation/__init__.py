"""Driving conversations: many question flows at once, through one judge."""

from __future__ import annotations

from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.evaluation.measuring import Evaluation, Numbers, converse, evaluate
from summeval_pytest.evaluation.runner import Runner, Task

__all__ = [
    "Asker",
    "Evaluation",
    "Numbers",
    "Runner",
    "Task",
    "converse",
    "evaluate",
]
