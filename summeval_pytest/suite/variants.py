"""Which variant of the metrics a suite asks for: EVA-Score's stages, and several references."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.suite.fields import MOST, finite, is_whole

if TYPE_CHECKING:
    from summeval_pytest.suite.fields import Fields
    from summeval_pytest.suite.lines import TextFile

EvaRecall = Literal["both", "matched"]
EVA_RECALLS: Final[tuple[EvaRecall, ...]] = ("both", "matched")
"""Whether EVA-Score also checks the reference's facts against the summary, or only matches them."""
EvaChains = Literal["parent", "adjacent"]
EVA_CHAINS: Final[tuple[EvaChains, ...]] = ("parent", "adjacent")
"""Whether a fact refines the one that the judge names, or the one before it (the paper)."""
EvaValidation = Literal["together", "chain"]
EVA_VALIDATIONS: Final[tuple[EvaValidation, ...]] = ("together", "chain")
"""Whether facts are checked at once, or chain by chain with earlier verdicts (the paper)."""
References = Literal["best", "mean"]
REFERENCES: Final[tuple[References, ...]] = ("best", "mean")
"""What counts of several references of a paper."""
ALL_PREMISES: Final = "all"
RELATIONS_THRESHOLD: Final = 0.65
"""What ``eva_relations = true`` stands for (EVA-Score, section 3.3): not portable from one encoder
to another (metrics.md EV7)."""

VARIANT_KEYS: Final = (
    "eva_recall",
    "eva_chains",
    "eva_validation",
    "eva_premises",
    "eva_relations",
    "encoder",
    "references",
)
"""The keys of a suite file that are read here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaVariant:
    """The form of EVA-Score.

    Attributes:
        recall: Whether the reference's facts are checked against the summary, too.
        chains: What makes a chain of the summary's facts.
        validation: Whether facts are checked together or chain by chain.
        premises: With how many facts of the reference each is checked, one by one; None for all.
        relations: Relations across sentences count unless a fact is as similar as this, above 0
            to 1; None for none.
        encoder: The model of this machine that tells which facts are similar: the folder, absolute,
            where it stands beside the suite file, else as the suite names it; None for TF-IDF.
    """

    recall: EvaRecall = "both"
    chains: EvaChains = "parent"
    validation: EvaValidation = "together"
    premises: int | None = None
    relations: float | None = None
    encoder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """The form of all metrics; ``references`` is for those that have some, facet and eva."""

    eva: EvaVariant = EvaVariant()
    references: References = "best"


def read_variants(fields: Fields, file: TextFile) -> Variants:
    """What the top of a suite file asks for.

    Args:
        fields: The top of the file.
        file: The suite file, beside which folders are looked for.

    Raises:
        SuiteError: for a value that no variant has.
    """
    return Variants(
        eva=EvaVariant(
            recall=fields.choice("eva_recall", EVA_RECALLS),
            chains=fields.choice("eva_chains", EVA_CHAINS),
            validation=fields.choice("eva_validation", EVA_VALIDATIONS),
            premises=_premises(fields),
            relations=_relations(fields),
            encoder=_encoder(fields, file),
        ),
        references=fields.choice("references", REFERENCES),
    )


def _premises(fields: Fields) -> int | None:
    value = fields.values.get("eva_premises", ALL_PREMISES)
    if value == ALL_PREMISES:
        return None
    if not is_whole(value) or not 1 <= value <= MOST:
        raise fields.wrong("eva_premises", value, '"all" or a whole number of at least 1')
    return value


def _relations(fields: Fields) -> float | None:
    value = fields.values.get("eva_relations", False)
    if isinstance(value, bool):
        return RELATIONS_THRESHOLD if value else None
    threshold = finite(value)
    if threshold is None or not 0 < threshold <= 1:
        raise fields.wrong("eva_relations", value, "true, false or a number above 0 and up to 1")
    return threshold


def _encoder(fields: Fields, file: TextFile) -> str | None:
    """A folder beside the suite file travels with it; any other name is this machine's to know."""
    if not fields.has("encoder"):
        return None
    name = fields.text("encoder")
    if _premises(fields) is None and _relations(fields) is None:
        raise fields.fault(
            "encoder",
            f"'encoder' of {fields.owner} finds similar facts, and nothing asks for them; add"
            " eva_premises = 3 or eva_relations = true, or delete it",
        )
    folder = file.beside(name, fields.where("encoder")).path
    if os.path.isdir(folder):  # noqa: PTH112 - Path raises for a name that is too long
        return str(folder.absolute())
    if not file.may_leave and os.path.isdir(os.path.expanduser(name)):  # noqa: PTH111, PTH112
        raise file.leaving(name, fields.where("encoder"))
    return name
