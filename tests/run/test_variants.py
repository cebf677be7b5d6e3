from __future__ import annotations

import pytest

from summeval_pytest.judges.judge import Prompting
from summeval_pytest.judges.llm.llm_judge import LlmJudge
from summeval_pytest.judges.llm.recipe import part_hash
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.metrics.score import METRICS, MetricName
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.run.measure import recipe_of
from summeval_pytest.suite.file import EvaVariant, Variants
from tests.judges.llm.by_rule import RuleSender

SUITE = "77be02a1c3d4"
OFFLINE = OfflineJudge()
LLM = LlmJudge(RuleSender(), model="m-1", endpoint="rule")
PAPER = EvaVariant(chains="adjacent", validation="chain", premises=3, relations=0.65)


def added(metric: MetricName, judge: OfflineJudge | LlmJudge, variants: Variants) -> dict[str, str]:
    """What a recipe says that the default's does not."""
    plain = signature_of(metric, judge=judge.signature, suite=SUITE)
    recipe = recipe_of(metric, judge=judge, suite=SUITE, variants=variants)
    return {key: value for key, value in recipe.recipe if (key, value) not in plain.recipe}


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("judge", [OFFLINE, LLM], ids=["offline", "llm"])
def test_the_defaults_leave_every_signature_as_it_was(
    metric: MetricName, judge: OfflineJudge | LlmJudge
) -> None:
    """Baselines of before stay comparable, whoever judges."""
    plain = signature_of(metric, judge=judge.signature, suite=SUITE)
    assert recipe_of(metric, judge=judge, suite=SUITE) == plain
    matched = Variants(eva=EvaVariant(recall="matched"))
    assert recipe_of(metric, judge=judge, suite=SUITE, variants=matched) == plain


def test_a_variant_of_eva_is_in_evas_recipe_alone() -> None:
    """A facet's number does not move with it."""
    variants = Variants(eva=PAPER)
    assert added("eva", OFFLINE, variants) == {
        "chains": "adjacent",
        "premises": "3",
        "relations": "0.65",
        "similarity": "tfidf-1",
        "validation": "chain",
    }
    assert added("facet", OFFLINE, variants) == added("faithfulness", OFFLINE, variants) == {}


def test_the_mean_of_references_is_told_where_there_are_references() -> None:
    """Faithfulness knows the source alone."""
    mean = Variants(references="mean")
    assert added("facet", OFFLINE, mean) == added("eva", OFFLINE, mean) == {"references": "mean"}
    assert added("faithfulness", OFFLINE, mean) == {}


@pytest.mark.parametrize(
    ("eva", "parts"),
    [
        (EvaVariant(validation="chain"), ("chain",)),
        (EvaVariant(relations=0.65), ("relations",)),
        (PAPER, ("chain", "relations")),
    ],
)
def test_prompts_that_only_variants_use_have_a_hash_in_the_recipe(
    eva: EvaVariant, parts: tuple[str, ...]
) -> None:
    """The judge's own signature does not know of them, and theirs are the LLM judge's alone."""
    assert isinstance(LLM, Prompting)
    assert added("eva", LLM, Variants(eva=eva))["prompts"] == part_hash(parts)
    assert "prompts" not in added("eva", OFFLINE, Variants(eva=eva))
