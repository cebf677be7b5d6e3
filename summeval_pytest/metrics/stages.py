"""Which form each stage of EVA-Score takes: the defaults, or what the paper did."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

TFIDF: Final = "tfidf-1"
"""The similarity that needs no model, and its version (see `similarity`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The form of each stage (metrics.md 1.3 and section 7).

    Attributes:
        chains: Whether a fact's parent is the one that its lister names, or the fact before it
            where that one is entailed by it (the paper; the summary's facts only, EV5, EV10).
        validation: Whether all facts are checked in one question, or chain by chain from the root
            on, each with the verdicts on those before it (the paper).
        premises: With how many of the reference's facts, the most similar ones, each fact of the
            summary is checked, one question for each; None for all of them in one question. The
            paper has 3, its code 5.
        relations: Relations across sentences count, too, unless their statement is as similar as
            this to a fact of its text; above 0 to 1, None for no relations. The paper has 0.65.
        similarity: The name of what measures similarity; give another with another encoder.
    """

    chains: Literal["parent", "adjacent"] = "parent"
    validation: Literal["together", "chain"] = "together"
    premises: int | None = None
    relations: float | None = None
    similarity: str = TFIDF

    def recipe(self) -> Mapping[str, str]:
        """What a signature says of them: only what is not the default."""
        told: dict[str, str] = {}
        if self.chains != "parent":
            told["chains"] = self.chains
        if self.validation != "together":
            told["validation"] = self.validation
        if self.premises is not None:
            told["premises"] = str(self.premises)
        if self.relations is not None:
            told["relations"] = f"{self.relations:g}"
        if self.premises is not None or self.relations is not None:
            told["similarity"] = self.similarity
        return MappingProxyType(told)


DEFAULT_STAGES: Final = Stages()
