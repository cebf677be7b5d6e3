"""The JSON schema of suite files that the package ships."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft7Validator

from summeval_pytest.cli.app import main
from tools.documentation.schema import SCHEMA, schema_text

SUITE: Final = """
papers = "papers.jsonl"
references = "mean"
eva_recall = "matched"
x_team = ["ours"]
[slices]
field = "x_field"
[columns]
id = "doi"
[metrics.brevity]
most = 200
[metrics.eva]
use = "summeval_pytest.study.eva.printed_eva:PrintedEva"
relations = 0.65
premises = 3
[systems.recorded]
summaries = "summaries.jsonl"
skip = ["p-1"]
[systems.asked]
endpoint = "ollama"
model = "llama3"
temperature = 0.7
[endpoints.lab]
base_url = "http://localhost:8000/v1"
[judges.model]
endpoint = "lab"
model = "judge-1"
examples = "labels"
[judges.composed]
sentences = ["model", "offline"]
[thresholds]
facet.conclusion = 2
"faithfulness.conflicts" = 0
brevity = 3
[thresholds.mean]
eva.recall = 0.3
[thresholds.slice."field=cs"]
eva = 0.2
[thresholds.judge]
"unfaithful_recall.lower" = 0.7
"unfaithful_recall.number" = 0.7
[thresholds.judge.model]
facet_kappa = 0.6
[compare]
no_worse = {facet = 0.05}
[waivers.late]
paper = "p-1"
system = "recorded"
finding = "facet"
owner = "ada"
reason = "the reference is wrong"
expires = "2027-01-31"
"""
GOLDEN: Final = Path(__file__).parents[2] / "golden/summeval.toml"


def _mistakes(text: str) -> list[str]:
    schema: Any = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return [str(each.message) for each in Draft7Validator(schema).iter_errors(tomllib.loads(text))]


def test_shipped_schema_is_as_the_code_has_it() -> None:
    """`python -m tools.documentation.schema` writes it."""
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()
    Draft7Validator.check_schema(json.loads(schema_text()))


@pytest.mark.parametrize("text", [SUITE, GOLDEN.read_text("utf-8")])
def test_suites_that_pytest_reads_have_no_mistake(text: str) -> None:
    """An editor that marks good lines is switched off."""
    assert _mistakes(text) == []


def test_a_suite_that_init_writes_has_no_mistake(tmp_path: Path) -> None:
    """It is the first suite that most people open in an editor."""
    assert main(["init", str(tmp_path / "new")]) == 0
    assert _mistakes((tmp_path / "new/gate/summeval.toml").read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('papers = "papers.jsonl"', 'paper = "papers.jsonl"'),
        ('references = "mean"', 'references = "worst"'),
        ('id = "doi"', 'identifier = "doi"'),
        ("relations = 0.65", 'relations = "all"'),
        ("premises =", "premise ="),
        ('skip = ["p-1"]', 'skip = "p-1"'),
        ("temperature = 0.7", "temperature = 3"),
        ('base_url = "http', 'url = "http'),
        ('model = "judge-1"', "votes = 3"),
        ('examples = "labels"', 'examples = "best"'),
        ('sentences = ["model", "offline"]', "sentences = []"),
        ("facet.conclusion = 2", "facet.conclusion = 'two'"),
        ('"faithfulness.conflicts" = 0', '"faithfulness.conflict" = 0'),
        ("brevity = 3", "eva = 1.5"),
        ("facet_kappa = 0.6", "facet_kapa = 0.6"),
        ("facet = 0.05", "facet = -0.05"),
        ('owner = "ada"', ""),
    ],
)
def test_a_mistake_is_found(old: str, new: str) -> None:
    """Completion alone would leave what was typed by hand unchecked."""
    assert SUITE.count(old) == 1
    assert _mistakes(SUITE.replace(old, new))
