"""What checking the sentences of a summary ends in: each of them, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.recorded import SPARSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SUPPORT: Final = "faithfulness.support"
"""The number beside the rate that only a judge with strengths of belief gives."""
CONFLICTS: Final = "faithfulness.conflicts"
"""The number beside the rate that one wrong figure raises, however long the summary is."""
_DIGITS: Final = 12
"""As FM is rounded: the mean of three .7 is not under .7."""


def mean_support(values: Iterable[float | None]) -> float | None:
    """The mean of a judge's strengths of belief; None where any item has none, or there is no item.

    A mean over some of the items would be that of those which a rule answered.
    """
    found = tuple(values)
    known = [value for value in found if value is not None]
    if not known or len(known) < len(found):
        return None
    return round(fsum(known) / len(known), _DIGITS)


def lacks_support(values: Mapping[str, float | None]) -> bool:
    """Whether a pair's numbers have a rate of supported sentences without the mean of support.

    Over several pairs, one that lacks it shows that the judge gives none: on the others a rule
    answered every sentence, and their mean is none of the judge's.
    """
    return "faithfulness" in values and SUPPORT not in values


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence of a summary and whether the source supports it.

    Attributes:
        index: 0-based place among the summary's sentences.
        text: The sentence.
        supported: None where the judge gave no answer.
        reason: The judge's reason, or the rule that decided without it.
        evidence: Indices (0-based, over the sections in order) of the deciding source sentences.
        support: The judge's strength of belief, 0 to 1, where it has one.
        by_rule: Whether the verdict followed without a question (verbatim in the source).
        factual: Whether an unsupported sentence is true all the same by general knowledge, as the
            judge believes; None where it was not asked.
        undecided: Whether the verdict rests on a conflict that the judge cannot decide.
        number_conflict: Whether it states a number that the source contradicts or does not state,
            whatever the verdict is.
    """

    index: int
    text: str
    supported: bool | None
    reason: str
    evidence: tuple[int, ...] = ()
    support: float | None = None
    by_rule: bool = False
    factual: bool | None = field(default=None, metadata=SPARSE)
    undecided: bool = field(default=False, metadata=SPARSE)
    number_conflict: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessScore:
    """Sentence faithfulness of one summary (FareBio, sections 3 and 4).

    Attributes:
        value: Supported sentences / answered sentences, 0 to 1, higher is better.
        sentences: Every judged sentence in order; fragments under five characters are left out.
        n_ungrounded: Evidence that the judge named or quoted and the source does not hold.
        n_unsupported_yes: Sentences called supported without any evidence.
        n_copied: Of the ungrounded quotations, those that stand in the summary instead.
        conflicts: How many sentences contradict or exceed the source in a number, 0 and up, lower
            is better; None in records of before that was counted.
    """

    value: float
    sentences: tuple[JudgedSentence, ...]
    n_ungrounded: int = 0
    n_unsupported_yes: int = 0
    n_copied: int = field(default=0, metadata=SPARSE)
    conflicts: int | None = field(default=None, metadata=SPARSE)
    metric: Literal["faithfulness"] = "faithfulness"

    @property
    def is_faithful(self) -> bool:
        """Whether every sentence is supported (FareBio's summary level)."""
        return all(sentence.supported for sentence in self.sentences)

    @property
    def support(self) -> float | None:
        """The sum of the answered sentences' support / their count, 0 to 1, higher is better.

        It keeps what the rate rounds away: how near each sentence came to the other verdict. A
        sentence copied from the source counts 1. None unless each of them has a support; a model
        with one vote gives none. Source: SummaC-ZS (Laban et al., TACL 2022), which takes the mean
        of its sentences' scores for a summary's; with experts it goes better than the rate does.
        """
        return mean_support(s.support for s in self.sentences if s.supported is not None)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; the mean support only where the judge gives it."""
        named: dict[str, float | None] = {"faithfulness": self.value}
        if self.conflicts is not None:
            named[CONFLICTS] = float(self.conflicts)
        support = self.support
        if support is not None:
            named[SUPPORT] = support
        return MappingProxyType(named)
