"""From the variant that a suite asks for to how its metrics are measured and what they are called.

A suite knows no metric and a metric no suite; here one's words become the other's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation.encoding import encoder_of
from summeval_pytest.judges import Prompting
from summeval_pytest.metrics import Stages, signature_of
from summeval_pytest.metrics.stages import TFIDF
from summeval_pytest.suite import Variants

if TYPE_CHECKING:
    from summeval_pytest.judges import Judge, Part
    from summeval_pytest.metrics import MetricName, Signature
    from summeval_pytest.suite import EvaVariant

PLAIN: Final = Variants()
"""What a suite asks for that says nothing of variants."""


def stages_of(variant: EvaVariant) -> Stages:
    """The stages of EVA-Score in the form that a suite asks for.

    Raises:
        OptionError: if the suite's encoder is not on this machine.
    """
    encoder = encoder_of(variant)
    return Stages(
        chains=variant.chains,
        validation=variant.validation,
        premises=variant.premises,
        relations=variant.relations,
        similarity=TFIDF if encoder is None else encoder.signature,
    )


def recipe_of(
    metric: MetricName, *, judge: Judge, suite: str, variants: Variants = PLAIN
) -> Signature:
    """The recipe of a metric's numbers in a variant, under one judge, on one suite's papers.

    A judge's signature covers what it asks by default. What only a variant asks has a hash of its
    own, ``prompts``, in the recipe of the metric that asks it, so that a new prompt of a variant
    leaves everybody else's numbers comparable.

    Args:
        metric: Which metric.
        judge: Who answers.
        suite: The fingerprint of the suite's papers.
        variants: What the suite asks for.
    """
    told: dict[str, str] = {}
    if metric != "faithfulness" and variants.references != "best":
        told["references"] = variants.references
    if metric == "eva":
        told |= stages_of(variants.eva).recipe()
        parts = _parts(variants.eva)
        if parts and isinstance(judge, Prompting):
            told["prompts"] = judge.prompts_for(parts)
    return signature_of(metric, judge=judge.signature, suite=suite, variant=told)


def _parts(variant: EvaVariant) -> tuple[Part, ...]:
    """What the variant asks a judge beyond its usual questions."""
    parts: list[Part] = []
    if variant.validation == "chain":
        parts.append("chain")
    if variant.relations is not None:
        parts.append("relations")
    return tuple(parts)
