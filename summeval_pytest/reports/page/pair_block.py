"""What the page's script is given: a block a paper, a block a pair, each read when it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import SUPPORT, EvaScore, FacetScore, FaithfulnessScore
from summeval_pytest.reports.failure import missed_numbers, short_of
from summeval_pytest.reports.numbers import averaged_note, shown
from summeval_pytest.reports.page.locator import Locator
from summeval_pytest.reports.page.passages import Passages
from summeval_pytest.reports.page.pieces import MOST, Piece, is_about, pieces_of
from summeval_pytest.reports.page.visible import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.metrics import Score, Unscored
    from summeval_pytest.verdict import Claim, PairChange, PairRecord, PaperRecord

_SHORT: Final = 200
"""The longest quotation within a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperBlock:
    """A paper: its references, and those of its source sentences that something points at."""

    references: tuple[str, ...]
    n_sentences: int
    source: Mapping[str, str]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFacet:
    """A facet rated differently than the baseline's, with what both summaries say of it."""

    title: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changed against the baseline; ``claims`` by heading, each a text and a reason."""

    baseline: str
    numbers: tuple[str, ...]
    facets: tuple[ChangedFacet, ...]
    claims: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairBlock:
    """A pair, as the page's script reads it.

    Attributes:
        summary: What the system wrote.
        misses: What fails it, a phrase each.
        waived: What would, but for a waiver.
        fault: The judge's fault; empty where there is none.
        notes: What else a reader has to know.
        place: Where its summary stands.
        pieces: Its facets, sentences and facts.
        first: The place, in ``pieces``, of the one to look at first; None where nothing is wrong.
        change: Against the baseline.
    """

    summary: str
    misses: tuple[str, ...]
    waived: tuple[str, ...]
    fault: str
    notes: tuple[str, ...]
    place: str
    pieces: tuple[Piece, ...]
    first: int | None
    change: Change | None


def paper_block(paper: PaperRecord, pairs: Iterable[PairRecord]) -> PaperBlock:
    """One paper with all that the given pairs of it point at."""
    cited = {
        index: text for pair in pairs for found in pair.findings for index, text in found.evidence
    }
    cited |= dict(paper.cited)
    return PaperBlock(
        references=tuple(Passages(text).text for text in paper.references),
        n_sentences=paper.n_sentences,
        source={str(index): cut(text) for index, text in cited.items()},
        place=str(paper.place),
    )


def pair_block(pair: PairRecord, references: Sequence[Passages]) -> PairBlock:
    """One pair; ``references`` are its paper's."""
    summary = Passages(pair.summary)
    pieces = pieces_of(pair, Locator(pair, summary, references))
    return PairBlock(
        summary=summary.text,
        misses=tuple(map(cut, missed_numbers(pair.verdict))),
        waived=tuple(map(short_of, pair.verdict.waived)),
        fault=cut(pair.fault),
        notes=tuple(map(cut, _notes(pair))),
        place=str(pair.place),
        pieces=pieces,
        first=_first(pair, pieces),
        change=None if pair.change is None else _change(pair.change),
    )


def _first(pair: PairRecord, pieces: Sequence[Piece]) -> int | None:
    """The worst of the findings that explain the verdict, else the worst of all."""
    for finding in (*pair.told, *pair.findings):
        for place, piece in enumerate(pieces):
            if is_about(finding, piece):
                return place
    return None


def _notes(pair: PairRecord) -> Iterator[str]:
    if pair.note:
        yield pair.note
    for score in pair.scores:
        yield from _score_notes(score)


def _score_notes(score: Score | Unscored) -> Iterator[str]:
    if note := averaged_note(score):
        yield note
    match score:
        case FacetScore(identical=True) | EvaScore(identical=True):
            yield f"{score.metric}: the summary is its reference, so nothing was asked"
        case FacetScore():
            yield from _facet_notes(score)
        case EvaScore():
            precision = shown("eva.precision", score.precision)
            recall = shown("eva.recall", score.recall)
            yield f"eva {shown('eva', score.value)}: precision {precision}, recall {recall}"
            if max(len(score.reference), len(score.candidate)) > MOST:
                yield f"of the facts, {MOST} of each kind are shown, the bad ones first"
        case FaithfulnessScore():
            yield from _sentence_notes(score)
        case _:
            pass


def _sentence_notes(score: FaithfulnessScore) -> Iterator[str]:
    if score.support is not None:
        support = shown(SUPPORT, score.support)
        yield f"faithfulness {shown('faithfulness', score.value)}: support {support}"
    if len(score.sentences) > MOST:
        yield f"of {len(score.sentences):,} sentences, {MOST} are shown, the bad ones first"


def _facet_notes(score: FacetScore) -> Iterator[str]:
    if score.removed:
        yield f"the reference does not state: {', '.join(score.removed)}"
    if score.ungrounded:
        quoted = "; ".join(f'"{cut(text, _SHORT)}"' for text in score.ungrounded)
        yield f"segments that the judge gave and no text contains: {quoted}"
    if score.ratings and score.coverage < 1:
        yield f"facets cover {score.coverage:.0%} of the summary"


def _change(change: PairChange) -> Change:
    numbers = (
        f"{name} {shown(name, old)} \u2192 {shown(name, new)}"
        for name, old, new in change.numbers
        if old != new
    )
    headings: tuple[tuple[str, str, tuple[Claim, ...]], ...] = (
        ("Lost facts of the reference", "bad", change.lost),
        ("New unsupported sentences", "bad", change.unsupported),
        ("New facts that do not follow from the reference", "bad", change.invented),
        ("Regained facts of the reference", "good", change.regained),
        ("Unsupported sentences that are gone", "good", change.mended),
    )
    return Change(
        baseline=change.baseline,
        numbers=tuple(numbers),
        facets=tuple(
            ChangedFacet(
                title=f"{f.facet} {_rating(f.old)} \u2192 {_rating(f.new)}",
                before=cut(f.before),
                after=cut(f.after),
                reason=cut(f.reason),
            )
            for f in change.facets
        ),
        claims=tuple(
            (heading, state, tuple((cut(c.text), cut(c.reason)) for c in claims[:MOST]))
            for heading, state, claims in headings
            if claims
        ),
    )


def _rating(rating: int | None) -> str:
    return "none" if rating is None else str(rating)
