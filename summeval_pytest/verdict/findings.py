"""Findings: what is wrong with a summary, and which pieces explain a verdict.

Findings know no threshold: the same ones serve every decision that is taken again later.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.score import (
    CONFLICTS,
    METRICS,
    SPARSE,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    OwnScore,
)
from summeval_pytest.questions import SCALES
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from summeval_pytest.metrics.score import (
        CheckedFact,
        JudgedSentence,
        RatedFacet,
        Score,
        Unscored,
    )


@lru_cache(maxsize=64)
def _bags(source: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The content words of each sentence of a source, which many findings ask for in turn."""
    return tuple(frozenset(content_words(sentence)) for sentence in source)


def closest_sentence(text: str, source: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The source sentence that shares most with a text, with its index; nothing if none does.

    A shared word counts 1 / the number of source sentences that have it; the earlier sentence wins
    a tie.
    """
    wanted = set(content_words(text))
    bags = _bags(tuple(source))
    found_in = Counter(word for bag in bags for word in bag & wanted)
    shares = [sum(1.0 / found_in[word] for word in sorted(bag & wanted)) for bag in bags]
    best = max(range(len(source)), key=shares.__getitem__, default=None)
    return ((best, source[best]),) if best is not None and shares[best] > 0 else ()


FindingKind = Literal["facet", "fact", "sentence", "own"]
_KINDS: Final[tuple[FindingKind, ...]] = ("sentence", "facet", "fact", "own")
"""The worst first: what the paper does not say, what is not said well, its parts, and the rest."""

MISSING_FACT: Final = 0.5
"""How bad a fact that the summary leaves out is beside an unsupported one (1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One wrong facet, fact or sentence, or a problem of a metric of one's own.

    Attributes:
        number: The number that it makes worse, by the name of its threshold.
        title: Which one, for a heading: "facet result", "sentence 3".
        verdict: What it came to, in words.
        reference: The reference's words; None where they play no part, empty where it has none.
        summary: The summary's words; empty where it has none.
        evidence: Source sentences, each with its index, from 0; the closest first.
        severity: 0 to 1; of one kind the worst come first.
        conflict: Whether the summary contradicts what it is held against, as far as is seen.
    """

    kind: FindingKind
    number: str
    title: str
    verdict: str
    reason: str
    reference: str | None
    summary: str
    evidence: tuple[tuple[int, str], ...]
    severity: float
    conflict: bool = field(default=False, metadata=SPARSE)


def rank(finding: Finding) -> tuple[bool, int, float]:
    """Where a finding stands among others, the worst first; every report lists them so.

    Conflicts, then unsupported sentences, then facets, then facts; of each the severest first.
    """
    return not finding.conflict, _KINDS.index(finding.kind), -finding.severity


def findings_of(scores: Iterable[Score | Unscored], source: Sequence[str]) -> tuple[Finding, ...]:
    """Everything wrong with a summary, by `rank`."""
    found: list[Finding] = []
    for score in scores:
        match score:
            case FacetScore():
                found += facet_findings(score, source)
            case EvaScore():
                found += fact_findings(score, source)
            case FaithfulnessScore():
                found += sentence_findings(score, source)
            case OwnScore():
                found += own_findings(score)
            case _:
                pass
    return tuple(sorted(found, key=rank))


def wrong_pieces(scores: Iterable[Score | Unscored]) -> dict[str, int]:
    """How many facets lost a point, facts do not hold and sentences are unsupported.

    ``undecided`` counts those of them that rest on a conflict that the judge cannot decide.
    """
    found: dict[str, list[RatedFacet | CheckedFact | JudgedSentence]]
    found = {"facet": [], "fact": [], "sentence": []}
    for score in scores:
        match score:
            case FacetScore():
                found["facet"] += _lowered(score)
            case EvaScore():
                found["fact"] += [*_invented(score), *_left_out(score)]
            case FaithfulnessScore():
                found["sentence"] += [s for s in score.sentences if s.supported is False]
            case _:
                pass
    counts = {kind: len(pieces) for kind, pieces in found.items()}
    counts["undecided"] = sum(piece.undecided for pieces in found.values() for piece in pieces)
    return counts


def _lowered(score: FacetScore) -> list[RatedFacet]:
    return [rated for rated in score.ratings if rated.rating < SCALES[rated.facet]]


def _invented(score: EvaScore) -> list[CheckedFact]:
    return [checked for checked in score.candidate if checked.holds is False]


def _left_out(score: EvaScore) -> list[CheckedFact]:
    reference = enumerate(score.reference)
    return [fact for n, fact in reference if fact.holds is False and n not in score.matched]


def explaining(findings: Iterable[Finding], missed: Collection[str]) -> tuple[Finding, ...]:
    """The findings that explain why these numbers miss their thresholds.

    Where FM is, every facet that lost a point counts, else only those under a threshold of their
    own; facts count where EVA-Score or one of its parts is, sentences where any of the three
    metrics is, and problems of a metric of one's own where any of its numbers is.
    """
    heads = {name.partition(".")[0] for name in missed}
    explains: dict[FindingKind, Callable[[Finding], bool]] = {
        "facet": lambda finding: "facet" in missed or finding.number in missed,
        "fact": lambda _: any(name.startswith("eva") for name in missed),
        "sentence": lambda _: not heads.isdisjoint(METRICS),
        "own": lambda finding: finding.number.partition(".")[0] in heads,
    }
    return tuple(finding for finding in findings if explains[finding.kind](finding))


def rated_words(rated: RatedFacet) -> str:
    """A rating in words, with how sure of it the judge says it is, where it says so."""
    sure = "" if rated.confidence is None else f", confidence {rated.confidence:.2f} of 1"
    return f"rated {rated.rating} of {SCALES[rated.facet]}{sure}"


def facet_findings(score: FacetScore, source: Sequence[str]) -> Iterator[Finding]:
    """The facets below full scale."""
    for rated in _lowered(score):
        scale = SCALES[rated.facet]
        yield Finding(
            kind="facet",
            number=f"facet.{rated.facet}",
            title=f"facet {rated.facet}",
            verdict=rated_words(rated),
            reason=rated.reason,
            reference=rated.reference,
            summary=rated.candidate,
            evidence=closest_sentence(rated.reference, source),
            severity=1.0 - (rated.rating - 1) / (scale - 1),
            conflict=rated.undecided,
        )


def sentence_words(sentence: JudgedSentence) -> str:
    """A judged sentence in words, with how far it is supported where it is not, or in conflict."""
    held = {True: "supported", False: "unsupported", None: "unanswered"}[sentence.supported]
    is_wrong = sentence.supported is False or sentence.number_conflict
    if is_wrong and sentence.support is not None:
        held += f", support {sentence.support:.2f} of 1"
    return f"conflict in a number, {held}" if sentence.number_conflict else held


def sentence_findings(score: FaithfulnessScore, source: Sequence[str]) -> Iterator[Finding]:
    """Every sentence that the source does not support, or that is in conflict in a number."""
    for sentence in score.sentences:
        if sentence.supported is not False and not sentence.number_conflict:
            continue
        factual = ", though judged true in general" if sentence.factual else ""
        yield Finding(
            kind="sentence",
            number=CONFLICTS if sentence.number_conflict else "faithfulness",
            title=f"sentence {sentence.index + 1}",
            verdict=sentence_words(sentence) + factual,
            reason=sentence.reason,
            reference=None,
            summary=sentence.text,
            evidence=tuple((place, source[place]) for place in sentence.evidence[:1])
            or closest_sentence(sentence.text, source),
            severity=1.0 if sentence.number_conflict else 1.0 - (sentence.support or 0.0),
            conflict=sentence.undecided or sentence.number_conflict,
        )


def fact_findings(score: EvaScore, source: Sequence[str]) -> Iterator[Finding]:
    """The summary's facts that do not follow from the reference, and those that it leaves out."""
    for is_left_out, facts in enumerate((_invented(score), _left_out(score))):
        ours, theirs = ("reference", "summary") if is_left_out else ("summary", "reference")
        for checked in facts:
            texts = {ours: checked.fact.text, theirs: " ".join(checked.evidence)}
            yield Finding(
                kind="fact",
                number="eva.recall" if is_left_out else "eva.precision",
                title=f"fact of the {ours}",
                verdict=f"does not follow from the {theirs}",
                reason=checked.reason,
                reference=texts["reference"],
                summary=texts["summary"],
                evidence=closest_sentence(checked.fact.text, source),
                severity=MISSING_FACT if is_left_out else 1.0 - (checked.support or 0.0),
                conflict=checked.undecided,
            )


def own_findings(score: OwnScore) -> Iterator[Finding]:
    """The problems that a metric of one's own names."""
    for problem in score.problems:
        yield Finding(
            kind="own",
            number=problem.number,
            title=one_line(f"{problem.number}, {problem.title}"),
            verdict=one_line(problem.verdict),
            reason=problem.reason,
            reference=None,
            summary=problem.summary,
            evidence=(),
            severity=problem.severity,
        )
