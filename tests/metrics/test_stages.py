from __future__ import annotations

import pytest

from summeval_pytest.metrics.facts import Stages


def test_the_defaults_add_nothing_to_a_signature() -> None:
    """Every baseline of before the variants stays comparable."""
    assert Stages().recipe() == {}


@pytest.mark.parametrize(
    ("stages", "recipe"),
    [
        (Stages(chains="adjacent"), {"chains": "adjacent"}),
        (Stages(validation="chain"), {"validation": "chain"}),
        (Stages(premises=3), {"premises": "3", "similarity": "tfidf-1"}),
        (Stages(relations=0.65), {"relations": "0.65", "similarity": "tfidf-1"}),
        (
            Stages(relations=1.0, similarity="minilm-1"),
            {"relations": "1", "similarity": "minilm-1"},
        ),
        (Stages(similarity="minilm-1"), {}),
    ],
)
def test_what_is_not_the_default_is_told(stages: Stages, recipe: dict[str, str]) -> None:
    """And the encoder only where something is measured with it."""
    assert stages.recipe() == recipe
