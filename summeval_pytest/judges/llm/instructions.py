"""The judge's standing instructions: files in our own words, one for each kind of question."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal

Kind = Literal[
    "facets_and_facts",
    "facets",
    "facts",
    "facet_ratings",
    "fact_checks",
    "sentence_checks",
    "summary_rating",
    "fact_checks_in_chain",
    "relations",
    "entities",
    "triples",
    "statements",
    "fact_counts",
]
"""What a request asks for; names a prompt file and a schema. Only variants and baselines ask
those after the sentence checks."""

Variant = Literal["facet_ratings_release", "facet_examples"]
"""A prompt file that stands in place of a kind's own, or goes with it, where a judge wants it."""

_MATERIAL: Final = "material"
"""The file about what is material and no instruction, which goes with every kind."""


@cache
def instructions(kind: Kind, *, told: Variant | None = None, also: Variant | None = None) -> str:
    """The system message of one kind of question.

    Args:
        kind: What is asked for.
        told: The file that tells it, in place of the kind's own.
        also: A file that goes with it.
    """
    names = [told or kind, *([also] if also else []), _MATERIAL]
    return "\n\n".join(map(_prompt, names))


def _prompt(name: str) -> str:
    file = files("summeval_pytest.judges.llm") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()
