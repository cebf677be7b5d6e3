"""What a failing pair is told: every number under its threshold, and every wrong piece of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.questions import SCALES
from summeval_pytest.verdict.evidence import closest_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.metrics import EvaScore, FacetScore, FaithfulnessScore

Kind = Literal["facet", "fact", "sentence"]

MISSING_FACT: Final = 0.5
"""How bad a fact that the summary leaves out is beside an unsupported one (1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number under its threshold; ``value`` None where the summary gives nothing to count."""

    name: str
    value: float | None
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One wrong facet, fact or sentence.

    Attributes:
        kind: What it is.
        title: Which one, for a heading: "facet result", "sentence 3".
        verdict: Its score and what was asked of it, in words.
        reason: Why.
        reference: The reference's words; None where they play no part, empty where it has none.
        summary: The summary's words; empty where it has none.
        evidence: Source sentences, each with its index; the closest first.
        severity: 0 to 1; the worst come first.
    """

    kind: Kind
    title: str
    verdict: str
    reason: str
    reference: str | None
    summary: str
    evidence: tuple[tuple[int, str], ...]
    severity: float


def facet_findings(
    score: FacetScore, least: dict[str, float], source: Sequence[str], *, all_partial: bool
) -> Iterator[Finding]:
    """The facets under their own threshold, or below full scale where FM itself is too low.

    Args:
        score: The pair's facets.
        least: The thresholds of single facets, by name.
        source: The source's sentences.
        all_partial: Whether FM is under its threshold, so that every lost point counts.
    """
    for rated in score.ratings:
        scale = SCALES[rated.facet]
        wanted = least.get(f"facet.{rated.facet}")
        is_under = wanted is not None and rated.rating < wanted
        if not is_under and not (all_partial and rated.rating < scale):
            continue
        asked = f", at least {wanted:g} wanted" if wanted is not None and is_under else ""
        yield Finding(
            kind="facet",
            title=f"facet {rated.facet}",
            verdict=f"rated {rated.rating} of {scale}{asked}",
            reason=rated.reason,
            reference=rated.reference,
            summary=rated.candidate,
            evidence=closest_sentence(rated.reference, source),
            severity=1.0 - (rated.rating - 1) / (scale - 1),
        )


def sentence_findings(score: FaithfulnessScore, source: Sequence[str]) -> Iterator[Finding]:
    """Every sentence that the source does not support."""
    for sentence in score.sentences:
        if sentence.supported is not False:
            continue
        support = "" if sentence.support is None else f", support {sentence.support:.2f} of 1"
        yield Finding(
            kind="sentence",
            title=f"sentence {sentence.index + 1}",
            verdict=f"unsupported{support}",
            reason=sentence.reason,
            reference=None,
            summary=sentence.text,
            evidence=tuple((place, source[place]) for place in sentence.evidence[:1])
            or closest_sentence(sentence.text, source),
            severity=1.0 - (sentence.support or 0.0),
        )


def fact_findings(score: EvaScore, source: Sequence[str]) -> Iterator[Finding]:
    """The summary's facts that do not follow from the reference, and those that it leaves out."""
    for checked in score.candidate:
        if checked.holds is False:
            yield Finding(
                kind="fact",
                title="fact of the summary",
                verdict="does not follow from the reference",
                reason=checked.reason,
                reference=" ".join(checked.evidence),
                summary=checked.fact.text,
                evidence=closest_sentence(checked.fact.text, source),
                severity=1.0 - (checked.support or 0.0),
            )
    for place, checked in enumerate(score.reference):
        if checked.holds is False and place not in score.matched:
            yield Finding(
                kind="fact",
                title="fact of the reference",
                verdict="does not follow from the summary",
                reason=checked.reason,
                reference=checked.fact.text,
                summary=" ".join(checked.evidence),
                evidence=closest_sentence(checked.fact.text, source),
                severity=MISSING_FACT,
            )
