"""Driving conversations: many question flows at once, through one judge."""

from __future__ import annotations

from summeval_pytest.evaluation.addressing import find_endpoint
from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.evaluation.budget import Budget
from summeval_pytest.evaluation.desk import IN_FLIGHT, Desk, Terms
from summeval_pytest.evaluation.exchange import DRAIN_SECONDS, Exchange
from summeval_pytest.evaluation.ledger import ORIGINS, Ledger, Totals
from summeval_pytest.evaluation.measuring import (
    Evaluation,
    Numbers,
    converse,
    evaluate,
    numbers_of,
)
from summeval_pytest.evaluation.memory import Memory, Record
from summeval_pytest.evaluation.planning import PlannedCalls, planned_calls
from summeval_pytest.evaluation.roles import Roles
from summeval_pytest.evaluation.runner import Runner, Task
from summeval_pytest.evaluation.summarising import Summariser
from summeval_pytest.evaluation.surveying import Missing, Survey

__all__ = [
    "DRAIN_SECONDS",
    "IN_FLIGHT",
    "ORIGINS",
    "Asker",
    "Budget",
    "Desk",
    "Evaluation",
    "Exchange",
    "Ledger",
    "Memory",
    "Missing",
    "Numbers",
    "PlannedCalls",
    "Record",
    "Roles",
    "Runner",
    "Summariser",
    "Survey",
    "Task",
    "Terms",
    "Totals",
    "converse",
    "evaluate",
    "find_endpoint",
    "numbers_of",
    "planned_calls",
]
