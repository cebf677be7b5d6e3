"""Saying: verdicts as text that people and terminals can read, safe whatever it quotes."""

from __future__ import annotations

from summeval_pytest.reports.again import run_lines, suite_lines
from summeval_pytest.reports.calls import calls_lines, usage_line
from summeval_pytest.reports.comparison import change_lines, comparison_lines, detectable_text
from summeval_pytest.reports.corrected import corrected_line
from summeval_pytest.reports.drift import drift_lines, golden_lines
from summeval_pytest.reports.ending import ending_lines, waiver_line
from summeval_pytest.reports.failure import (
    broken_rules,
    describe_means,
    describe_pair,
    missed_numbers,
    short_of,
    signature_lines,
)
from summeval_pytest.reports.files import append, unwritable, write_whole
from summeval_pytest.reports.header import (
    cassette_lines,
    header_line,
    uncalibrated_lines,
    unheld_lines,
)
from summeval_pytest.reports.models import changed_model_lines, model_lines, models_told
from summeval_pytest.reports.plan import plan_lines
from summeval_pytest.reports.relations import describe_relation, relation_lines, relation_text
from summeval_pytest.reports.rendering import RENDERERS
from summeval_pytest.reports.run_record import as_json, from_json, read_record, record_text
from summeval_pytest.reports.summary import SystemTally, summary_lines
from summeval_pytest.reports.supporting import supporting_table
from summeval_pytest.reports.trust import (
    UNTRUSTED,
    agreement_lines,
    describe_trust,
    trust_lines,
    trust_phrase,
    untrusted_lines,
)

__all__ = [
    "RENDERERS",
    "UNTRUSTED",
    "SystemTally",
    "agreement_lines",
    "append",
    "as_json",
    "broken_rules",
    "calls_lines",
    "cassette_lines",
    "change_lines",
    "changed_model_lines",
    "comparison_lines",
    "corrected_line",
    "describe_means",
    "describe_pair",
    "describe_relation",
    "describe_trust",
    "detectable_text",
    "drift_lines",
    "ending_lines",
    "from_json",
    "golden_lines",
    "header_line",
    "missed_numbers",
    "model_lines",
    "models_told",
    "plan_lines",
    "read_record",
    "record_text",
    "relation_lines",
    "relation_text",
    "run_lines",
    "short_of",
    "signature_lines",
    "suite_lines",
    "summary_lines",
    "supporting_table",
    "trust_lines",
    "trust_phrase",
    "uncalibrated_lines",
    "unheld_lines",
    "untrusted_lines",
    "unwritable",
    "usage_line",
    "waiver_line",
    "write_whole",
]
