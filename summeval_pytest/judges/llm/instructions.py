"""The judge's standing instructions: files in our own words, one for each kind of question."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal

Kind = Literal[
    "facets_and_facts", "facets", "facts", "facet_ratings", "fact_checks", "sentence_checks",
    "sentence_labels", "sentence_quotes", "factual_checks",
]  # fmt: skip
"""What a request asks for; names a prompt file and a schema."""

_MATERIAL: Final = "material"
"""The file about what is material and no instruction, which goes with every kind."""


@cache
def instructions(kind: Kind) -> str:
    """The system message of one kind of question."""
    return f"{_prompt(kind)}\n\n{_prompt(_MATERIAL)}"


def _prompt(name: str) -> str:
    file = files("summeval_pytest.judges.llm") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()
