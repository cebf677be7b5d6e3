"""The models in our examples: readers copy them, so they have to be there to be asked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.suite.addresses import OPENAI_URL
from summeval_pytest.suite.prices import EXAMPLE_MODEL, price_at

ROOT: Final = Path(__file__).parents[2]
TEXTS: Final = [ROOT / "README.md", *sorted((ROOT / "docs/pages").rglob("*.md"))]
_MODEL: Final = re.compile(r"(?:model = \"|--(?:summ-)?judge[= ])(gpt-[\w.-]+)")
"""A model that a reader is told to name."""


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.stem)
def test_examples_name_the_one_model_that_we_keep_alive(text: Path) -> None:
    """When this model ends, one constant changes, and this test names every page that has it."""
    assert set(_MODEL.findall(text.read_text("utf-8"))) <= {EXAMPLE_MODEL}


def test_some_examples_name_a_model() -> None:
    """A pattern that finds nothing would let every model pass."""
    found = [_MODEL.findall(text.read_text("utf-8")) for text in TEXTS]
    assert sum(map(len, found)) > 8


@pytest.mark.parametrize("route", ["chat/completions", "decisions"])
def test_the_model_of_examples_has_a_list_price(route: str) -> None:
    """A plan with no price, and a budget that refuses the model, would be a poor first look."""
    endpoint = Endpoint(name="openai", base_url=OPENAI_URL)
    assert price_at(endpoint, EXAMPLE_MODEL, route) is not None  # type: ignore[arg-type]
