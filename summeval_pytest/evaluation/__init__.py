"""Driving conversations: many question flows at once, through one judge."""

from __future__ import annotations

from summeval_pytest.evaluation.addressing import ALLOW, Keys, find_endpoint
from summeval_pytest.evaluation.answering import golden_pair, labelled_overall, places_of
from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.evaluation.baselines import BASELINES, BaselineName
from summeval_pytest.evaluation.budget import Budget
from summeval_pytest.evaluation.desk import IN_FLIGHT, Desk, Terms
from summeval_pytest.evaluation.exchange import DRAIN_SECONDS, Exchange
from summeval_pytest.evaluation.golden import (
    EvidenceCount,
    GoldenAnswer,
    GoldenPair,
    check_sentences,
    count_evidence,
    golden_tasks,
    group_of,
    labels_fingerprint,
)
from summeval_pytest.evaluation.ledger import ORIGINS, Ledger, ModelSeen, Totals, models_seen
from summeval_pytest.evaluation.measuring import (
    Evaluation,
    converse,
    evaluate,
)
from summeval_pytest.evaluation.memory import Memory, Record
from summeval_pytest.evaluation.numbers import Numbers, numbers_of
from summeval_pytest.evaluation.placing import RoleAnswer, role_answers
from summeval_pytest.evaluation.planning import PlannedCalls, planned_calls
from summeval_pytest.evaluation.roles import Roles
from summeval_pytest.evaluation.runner import Runner
from summeval_pytest.evaluation.stating import StatedFacts
from summeval_pytest.evaluation.summarising import Summariser
from summeval_pytest.evaluation.supporting import EvidenceCase, evidence_cases, evidence_tasks
from summeval_pytest.evaluation.surveying import Missing, Survey
from summeval_pytest.evaluation.task import OwnTexts, Task, tasks_of
from summeval_pytest.evaluation.variants import recipe_of
from summeval_pytest.evaluation.watching import Watch

__all__ = [
    "ALLOW",
    "BASELINES",
    "DRAIN_SECONDS",
    "IN_FLIGHT",
    "ORIGINS",
    "Asker",
    "BaselineName",
    "Budget",
    "Desk",
    "Evaluation",
    "EvidenceCase",
    "EvidenceCount",
    "Exchange",
    "GoldenAnswer",
    "GoldenPair",
    "Keys",
    "Ledger",
    "Memory",
    "Missing",
    "ModelSeen",
    "Numbers",
    "OwnTexts",
    "PlannedCalls",
    "Record",
    "RoleAnswer",
    "Roles",
    "Runner",
    "StatedFacts",
    "Summariser",
    "Survey",
    "Task",
    "Terms",
    "Totals",
    "Watch",
    "check_sentences",
    "converse",
    "count_evidence",
    "evaluate",
    "evidence_cases",
    "evidence_tasks",
    "find_endpoint",
    "golden_pair",
    "golden_tasks",
    "group_of",
    "labelled_overall",
    "labels_fingerprint",
    "models_seen",
    "numbers_of",
    "places_of",
    "planned_calls",
    "recipe_of",
    "role_answers",
    "tasks_of",
]
