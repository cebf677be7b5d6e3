"""Where the pieces of a pair stand in its texts, and what of the source is to be read with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.reports.page.passages import best_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.metrics import CheckedFact
    from summeval_pytest.reports.page.passages import Passages
    from summeval_pytest.verdict import Finding, PairRecord

Span = tuple[int, int, int]
"""A text (0 the summary, from 1 the references), and start and end in it."""


class Locator:
    """A pair's summary and references, and what its findings point at in the source."""

    def __init__(self, pair: PairRecord, summary: Passages, references: Sequence[Passages]) -> None:
        self.summary = summary
        self.references = references
        self._cited = {
            subject_of(finding): tuple(index for index, _ in finding.evidence)
            for finding in reversed(pair.findings)
        }

    def cited(self, number: str, text: str = "") -> tuple[int, ...]:
        """The source sentences of a finding, by its number and what it is about."""
        return self._cited.get((number, text), ())

    def in_summary(self, passage: str) -> tuple[Span, ...]:
        """Where a passage stands in the summary."""
        return tuple((0, *found) for found in self.summary.find(passage))

    def in_references(self, passage: str) -> tuple[Span, ...]:
        """Where a passage stands in the first reference that has it."""
        for number, reference in enumerate(self.references, start=1):
            if found := reference.find(passage):
                return tuple((number, *place) for place in found)
        return ()

    def fact_in_summary(self, checked: CheckedFact) -> tuple[Span, ...]:
        """The summary's sentence that states a fact."""
        return tuple((0, *found) for found in self.summary.sentence(checked.fact.sentence))

    def fact_in_references(self, checked: CheckedFact) -> tuple[Span, ...]:
        """The reference's sentence that states a fact."""
        fact = checked.fact
        chosen = best_sentence(self.references, fact.sentence, fact.text)
        if chosen < 0:
            return ()
        return tuple(
            (chosen + 1, *found) for found in self.references[chosen].sentence(fact.sentence)
        )


def subject_of(finding: Finding) -> tuple[str, str]:
    """What a finding is about: its number, and the words of its fact or sentence."""
    match finding.kind:
        case "facet":
            return finding.number, ""
        case "fact" if finding.number == "eva.recall":
            return finding.number, finding.reference or ""
        case _:
            return finding.number, finding.summary
