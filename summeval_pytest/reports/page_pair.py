"""The pairs of the page: list, texts, facets, facts and changes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, TypeVar
from urllib.parse import quote

from summeval_pytest.metrics.score import (
    CATALOGUE,
    CONFLICTS,
    SUPPORT,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    Unscored,
)
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports.pair import averaged_note, missed_numbers, short_of, shown
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import safe
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words
from summeval_pytest.verdict.findings import rated_words, sentence_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.metrics.score import CheckedFact, Score
    from summeval_pytest.questions import Facet
    from summeval_pytest.record.record import (
        Claim,
        Outcome,
        PairChange,
        PairRecord,
        PaperRecord,
        RunRecord,
        SuiteRecord,
    )
    from summeval_pytest.verdict.findings import Finding


QUOTE: Final = 2_000
"""The longest quotation, in characters, as in the text of a failing test."""
WHOLE: Final = 20_000
"""The longest reference or summary; a longer one is cut, and says so."""
_LAST_BASIC: Final = "\uffff"

_character = cache(safe)


def visible(text: str) -> str:
    r"""The text with every invisible character written out, line breaks kept.

    Character by character, so that a place in the text can be followed into what is shown.

    >>> visible("a\u202eb")
    'a\\u202eb'
    """
    return text if text.isprintable() else "".join(map(_character, text))


def cut(text: str, most: int = QUOTE) -> str:
    """The text, or its beginning and a note of how long it is."""
    if len(text) <= most:
        return text
    return f"{text[:most].rstrip()} \u2026 [cut here: {len(text):,} characters in all]"


def places_shown(text: str) -> Sequence[int]:
    """For each place in a text, its end included, the place in what `visible` makes of it.

    Counted in UTF-16 units, as a browser counts.
    """
    if text.isprintable() and (text.isascii() or max(text) <= _LAST_BASIC):
        return range(len(text) + 1)
    lengths = (len(_character(c).encode("utf-16-le")) // 2 for c in text)
    return tuple(accumulate(lengths, initial=0))


Range = tuple[int, int]
"""Start and end of a passage, in UTF-16 units of the text as it is shown."""

_OTHERS: Final = re.compile(r"[\W_]+")
_ANCHOR: Final = 12
"""Letters at each end by which a passage is known whose middle differs, as by a special token."""
_SLACK: Final = 1.5
"""How much longer than the passage such a place may be."""


class Passages:
    """One text, cut to what a page shows, in which passages can be found."""

    def __init__(self, text: str) -> None:
        self.text = cut(text, WHOLE)
        self._letters = _letters(self.text)
        self._at = [i for i, character in enumerate(self.text) if character.isalnum()]
        self._shown = places_shown(self.text)
        self._found: dict[str, tuple[Range, ...]] = {}
        self._sentences = sentence_texts(normalise(self.text))

    def find(self, passage: str) -> tuple[Range, ...]:
        """Where a passage stands: in one place, or sentence by sentence; nothing if nowhere."""
        if passage not in self._found:
            self._found[passage] = self._found_in(passage)
        return self._found[passage]

    def _found_in(self, passage: str) -> tuple[Range, ...]:
        whole = self._find(passage)
        if whole is not None:
            return (self._range(whole),)
        found = map(self._find_loosely, sentence_texts(passage))
        return tuple(dict.fromkeys(self._range(place) for place in found if place is not None))

    def in_order(self, passages: Iterable[str]) -> Iterator[tuple[Range, ...]]:
        """Where each of some passages stands, each looked for behind the one before it first."""
        after = 0
        for passage in passages:
            place = self._find_loosely(passage, after) or self._find_loosely(passage)
            if place is None:
                yield ()
                continue
            after = place[1]
            yield (self._range(place),)

    def sentence(self, index: int) -> tuple[Range, ...]:
        """Where a sentence stands, by its index as metrics count; nothing where none has it."""
        return self.find(self._sentences[index]) if 0 <= index < len(self._sentences) else ()

    def shared_words(self, index: int, text: str) -> int:
        """How many content words a sentence shares with another text; -1 where there is none."""
        if not 0 <= index < len(self._sentences):
            return -1
        return len(set(content_words(self._sentences[index])) & set(content_words(text)))

    def _find_loosely(self, passage: str, after: int = 0) -> Range | None:
        whole = self._find(passage, after)
        if whole is not None:
            return whole
        letters = _letters(passage)
        if len(letters) <= 2 * _ANCHOR:
            return None
        start = self._letters.find(letters[:_ANCHOR], after)
        last = self._letters.find(letters[-_ANCHOR:], start + _ANCHOR) if start >= 0 else -1
        end = last + _ANCHOR
        return (start, end) if last >= 0 and end - start <= _SLACK * len(letters) else None

    def _find(self, passage: str, after: int = 0) -> Range | None:
        """The first place of a passage's letters that begins and ends with a word."""
        letters = _letters(passage)
        start = self._letters.find(letters, after) if letters else -1
        while start >= 0:
            end = start + len(letters)
            if self._is_border(start) and self._is_border(end):
                return start, end
            start = self._letters.find(letters, start + 1)
        return None

    def _is_border(self, place: int) -> bool:
        if not 0 < place < len(self._at):
            return True
        return self._at[place] - self._at[place - 1] > 1

    def _range(self, place: Range) -> Range:
        """From letters to what is shown, with the punctuation that closes the passage."""
        end = self._at[place[1] - 1] + 1
        while end < len(self.text) and not (self.text[end].isalnum() or self.text[end].isspace()):
            end += 1
        return self._shown[self._at[place[0]]], self._shown[end]


def _letters(text: str) -> str:
    """The letters and digits of a text in lower case, one for each that it has."""
    kept = _OTHERS.sub("", text)
    lowered = kept.lower()
    return lowered if len(lowered) == len(kept) else "".join(c.lower()[0] for c in kept)


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
        """The sentence that states a fact, of the reference that shares most words with it."""
        index, texts = checked.fact.sentence, self.references
        if not texts:
            return ()
        best = max(range(len(texts)), key=lambda n: texts[n].shared_words(index, checked.fact.text))
        return tuple((best + 1, *found) for found in texts[best].sentence(index))


def subject_of(finding: Finding) -> tuple[str, str]:
    """What a finding is about: its number, and the words of its fact or sentence."""
    match finding.kind:
        case "facet":
            return finding.number, ""
        case "fact" if finding.number == "eva.recall":
            return finding.number, finding.reference or ""
        case _:
            return finding.number, finding.summary


_INERT: Final = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")


def block(value: object) -> str:
    """A value as JSON without `<`, `>` and `&`, every text in it visible.

    Fields that hold nothing are left out; zero is something.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, written in _INERT:
        text = text.replace(character, written)
    return text


def _plain(value: object) -> object:
    match value:
        case str():
            return visible(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case dict():
            return {
                visible(name): _plain(held)
                for name, held in value.items()
                if held is not None and held is not False and held not in ("", (), [])
            }
        case _ if is_dataclass(value):
            return _plain({field.name: getattr(value, field.name) for field in fields(value)})
        case _:
            return value


T = TypeVar("T")
Kind = Literal["facet", "sentence", "expected", "stated"]
State = Literal["good", "bad", "open"]

MOST: Final = 300
"""Pieces of one kind that a pair shows; the bad ones are kept first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One facet, sentence or fact, as the page's script reads it.

    Attributes:
        kind: What it is; ``expected`` is a fact of the reference, ``stated`` one of the summary.
        number: Which one of its kind, from 1; a facet has none.
        text: Its words; empty where they are to be read at ``at``.
        state: Good, bad, or open where the judge gave no answer.
        verdict: What it came to, in words.
        reason: Why.
        facet: Which facet, for a facet.
        at: Where it stands.
        other: What it was held against on the other side, or what carries it there: the place of
            another piece among all of them, or words.
        there: Where that stands.
        source: Indices of the source sentences to read, the first one first.
    """

    kind: Kind
    number: int | None = None
    text: str = ""
    state: State
    verdict: str
    reason: str
    facet: Facet | None = None
    at: tuple[Span, ...] = ()
    other: tuple[int | str, ...] = ()
    there: tuple[Span, ...] = ()
    source: tuple[int, ...] = ()


def is_about(finding: Finding, piece: Piece) -> bool:
    """Whether a finding is about this piece."""
    match finding.kind:
        case "facet":
            return finding.number == f"facet.{piece.facet}"
        case "sentence":
            return (piece.kind, finding.title) == ("sentence", f"sentence {piece.number}")
        case "fact":
            kind = "expected" if finding.number == "eva.recall" else "stated"
            return (piece.kind, piece.text) == (kind, cut(subject_of(finding)[1]))


def pieces_of(pair: PairRecord, locator: Locator) -> tuple[Piece, ...]:
    """The pieces of a pair, in the order of its scores; each names others by their places."""
    pieces = [piece for score in pair.scores for piece in _pieces_of(score, locator)]
    places = {piece.text: place for place, piece in enumerate(pieces) if piece.text}
    sentences = {p.number: place for place, p in enumerate(pieces) if p.kind == "sentence"}
    for score in pair.scores:
        if isinstance(score, FaithfulnessScore):
            places |= {
                sentence.text: sentences[sentence.index + 1]
                for sentence in score.sentences
                if sentence.index + 1 in sentences
            }
    return tuple(
        replace(piece, other=tuple(places.get(str(other), other) for other in piece.other))
        for piece in pieces
    )


def _pieces_of(score: Score | Unscored, locator: Locator) -> Iterator[Piece]:
    match score:
        case FacetScore():
            yield from facets(score, locator)
        case FaithfulnessScore():
            yield from sentences(score, locator)
        case EvaScore():
            yield from expected_facts(score, locator)
            yield from stated_facts(score, locator)
        case _:
            pass


def facets(score: FacetScore, locator: Locator) -> Iterator[Piece]:
    """The rated facets, in reading order."""
    for rated in score.ratings:
        scale = SCALES[rated.facet]
        yield Piece(
            kind="facet",
            state="good" if rated.rating == scale else "bad",
            verdict=rated_words(rated),
            reason=cut(rated.reason),
            facet=rated.facet,
            at=locator.in_summary(rated.candidate),
            there=locator.in_references(rated.reference),
            source=locator.cited(f"facet.{rated.facet}"),
        )


def sentences(score: FaithfulnessScore, locator: Locator) -> Iterator[Piece]:
    """The judged sentences of the summary, in order."""
    held = [False if s.number_conflict else s.supported for s in score.sentences]
    kept = _worst(score.sentences, held)
    places = locator.summary.in_order(sentence.text for sentence in kept)
    for sentence, found in zip(kept, places, strict=True):
        state, _ = _judged(sentence.supported, "", "")
        numbers = ("faithfulness", CONFLICTS)
        cited = [place for number in numbers for place in locator.cited(number, sentence.text)]
        yield Piece(
            kind="sentence",
            number=sentence.index + 1,
            text="" if found else cut(sentence.text),
            state="bad" if sentence.number_conflict else state,
            verdict=sentence_words(sentence),
            reason=cut(sentence.reason),
            at=tuple((0, *place) for place in found),
            source=tuple(dict.fromkeys((*sentence.evidence, *cited))),
        )


def expected_facts(score: EvaScore, locator: Locator) -> Iterator[Piece]:
    """The reference's facts, missing ones first."""
    held = [
        True if place in score.matched else checked.holds
        for place, checked in enumerate(score.reference)
    ]
    for place in _bad_first(_worst(range(len(held)), held), held):
        checked = score.reference[place]
        state, verdict = _judged(held[place], "matched", "missing")
        if held[place] and place not in score.matched:
            verdict = "follows from the summary, matched by no single fact"
        yield Piece(
            kind="expected",
            number=place + 1,
            text=cut(checked.fact.text),
            state=state,
            verdict=verdict,
            reason=cut(checked.reason),
            at=locator.fact_in_references(checked),
            other=tuple(map(cut, checked.evidence)),
            there=tuple(s for text in checked.evidence for s in locator.in_summary(text)),
            source=locator.cited("eva.recall", checked.fact.text),
        )


def stated_facts(score: EvaScore, locator: Locator) -> Iterator[Piece]:
    """The summary's facts, unsupported ones first."""
    held = [checked.holds for checked in score.candidate]
    carriers: Mapping[str, CheckedFact] = {
        checked.fact.text: checked for checked in reversed(score.reference)
    }

    def carried(text: str) -> tuple[Span, ...]:
        known = carriers.get(text)
        return locator.fact_in_references(known) if known else locator.in_references(text)

    for place in _bad_first(_worst(range(len(held)), held), held):
        checked = score.candidate[place]
        state, verdict = _judged(checked.holds, "supported", "unsupported")
        yield Piece(
            kind="stated",
            number=place + 1,
            text=cut(checked.fact.text),
            state=state,
            verdict=verdict,
            reason=cut(checked.reason),
            at=locator.fact_in_summary(checked),
            other=tuple(map(cut, checked.evidence)),
            there=tuple(dict.fromkeys(s for text in checked.evidence for s in carried(text))),
            source=locator.cited("eva.precision", checked.fact.text),
        )


def _judged(held: bool | None, yes: str, no: str) -> tuple[State, str]:
    if held is None:
        return "open", "unanswered"
    return ("good", yes) if held else ("bad", no)


def _worst(items: Sequence[T], held: Sequence[bool | None]) -> list[T]:
    """The items in their order; of too many, as many as a page shows, the good ones left out."""
    if len(items) <= MOST:
        return list(items)
    ranked = sorted(range(len(items)), key=lambda n: (held[n] is True, n))[:MOST]
    return [items[n] for n in sorted(ranked)]


def _bad_first(places: Sequence[int], held: Sequence[bool | None]) -> list[int]:
    return sorted(places, key=lambda n: (held[n] is not False, held[n] is True))


_SHORT: Final = 200
"""The longest quotation within a note."""


def paper_block(paper: PaperRecord, pairs: Iterable[PairRecord]) -> dict[str, object]:
    """A paper: its references, and those of its source sentences that the pairs point at."""
    cited = {
        index: text for pair in pairs for found in pair.findings for index, text in found.evidence
    }
    cited |= dict(paper.cited)
    return {
        "references": [Passages(text).text for text in paper.references],
        "n_sentences": paper.n_sentences,
        "source": dict(sorted((str(index), cut(text)) for index, text in cited.items())),
        "place": str(paper.place),
    }


def pair_block(pair: PairRecord, references: Sequence[Passages]) -> dict[str, object]:
    """A pair, as the page's script reads it; ``references`` are its paper's.

    ``first`` is the place, in ``pieces``, of the one to look at first; none where nothing is wrong.
    """
    summary = Passages(pair.summary)
    pieces = pieces_of(pair, Locator(pair, summary, references))
    return {
        "summary": summary.text,
        "misses": [*map(cut, missed_numbers(pair.verdict))],
        "waived": [*map(short_of, pair.verdict.waived)],
        "fault": cut(pair.fault),
        "notes": [*map(cut, _notes(pair))],
        "place": str(pair.place),
        "pieces": pieces,
        "first": _first(pair, pieces),
        "change": None if pair.change is None else _change(pair.change),
    }


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
        if note := averaged_note(score):
            yield note
        yield from _score_notes(score)


def _score_notes(score: Score | Unscored) -> Iterator[str]:
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
            if score.support is not None:
                support = shown(SUPPORT, score.support)
                yield f"faithfulness {shown('faithfulness', score.value)}: support {support}"
            if len(score.sentences) > MOST:
                yield f"of {len(score.sentences):,} sentences, {MOST} are shown, the bad ones first"
        case _:
            pass


def _facet_notes(score: FacetScore) -> Iterator[str]:
    if score.removed:
        yield f"the reference does not state: {', '.join(score.removed)}"
    if score.ungrounded:
        quoted = "; ".join(f'"{cut(text, _SHORT)}"' for text in score.ungrounded)
        yield f"segments that the judge gave and no text contains: {quoted}"
    if score.ratings and score.coverage < 1:
        yield f"facets cover {score.coverage:.0%} of the summary"


def _change(change: PairChange) -> dict[str, object]:
    """What changed against the baseline; claims by heading, each a text and a reason."""
    headings: tuple[tuple[str, str, tuple[Claim, ...]], ...] = (
        ("Lost facts of the reference", "bad", change.lost),
        ("New unsupported sentences", "bad", change.unsupported),
        ("New facts that do not follow from the reference", "bad", change.invented),
        ("Regained facts of the reference", "good", change.regained),
        ("Unsupported sentences that are gone", "good", change.mended),
    )
    return {
        "baseline": change.baseline,
        "numbers": [
            f"{name} {shown(name, old)} \u2192 {shown(name, new)}"
            for name, old, new in change.numbers
            if old != new
        ],
        "facets": [
            {
                "title": f"{f.facet} {_rating(f.old)} \u2192 {_rating(f.new)}",
                "before": cut(f.before),
                "after": cut(f.after),
                "reason": cut(f.reason),
            }
            for f in change.facets
        ],
        "claims": [
            (heading, state, [(cut(c.text), cut(c.reason)) for c in claims[:MOST]])
            for heading, state, claims in headings
            if claims
        ],
    }


def _rating(rating: int | None) -> str:
    return "none" if rating is None else str(rating)


WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
"""Outcomes of pairs."""
_TITLE: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One pair of the list.

    Attributes:
        pair: The pair.
        suite: Its suite.
        system: What a link names its system by.
        title: The paper's title, or its id where it has none.
        misses: What fails it, a phrase each.
        waived: What would, but for a waiver.
        ratings: Each rated facet, its rating, and whether that is less than full.
        numbers: The metrics, each with its text.
        lost: What it lost points on: facets, "facts" and "sentences".
        trend: How its metrics moved against the baseline; empty where they did not.
    """

    pair: PairRecord
    suite: SuiteRecord
    system: str
    title: str
    misses: tuple[str, ...]
    waived: tuple[str, ...]
    ratings: tuple[tuple[Facet, str, bool], ...]
    numbers: tuple[tuple[str, str], ...]
    lost: tuple[str, ...]
    trend: str = ""

    @property
    def of(self) -> tuple[str, str]:
        """Its suite and its paper."""
        return self.suite.name, self.pair.paper

    @property
    def key(self) -> str:
        """What a deep link names it by."""
        return f"{self.system}/{visible(self.pair.paper)}"

    @property
    def href(self) -> str:
        """The deep link, within the page."""
        return pair_link(self.system, self.pair.paper)


def rows_of(record: RunRecord) -> tuple[Row, ...]:
    """Every judged pair, errors first, then the failed ones, by how far they fall short."""
    pairs = [(suite, pair) for suite in record.suites for pair in suite.pairs]
    titles = {(suite.name, p.id): p.title for suite in record.suites for p in suite.papers}
    several = len(record.suites) > 1
    pairs.sort(key=lambda found: _badness(found[1]))
    return tuple(
        _row(suite, pair, titles.get((suite.name, pair.paper), ""), several=several)
        for suite, pair in pairs
    )


def system_key(suite: str, system: str, *, several: bool) -> str:
    """What a link names a system by; the suite is named, too, where there are several."""
    return visible(f"{suite}/{system}" if several else system)


def pair_link(system: str, paper: str) -> str:
    """The deep link to a pair, within the page; ``system`` as `system_key` gives it."""
    return f"#pair={quote(f'{system}/{visible(paper)}')}"


def _row(suite: SuiteRecord, pair: PairRecord, title: str, *, several: bool) -> Row:
    values = {
        name: value
        for score in pair.scores
        if not isinstance(score, Unscored)
        for name, value in score.values().items()
    }
    fault = (pair.fault or "unscored",) if pair.outcome == "error" else ()
    return Row(
        pair=pair,
        suite=suite,
        system=system_key(suite.name, pair.system, several=several),
        title=cut(title.strip() or pair.paper, _TITLE),
        misses=tuple(cut(text, _TITLE) for text in (*fault, *missed_numbers(pair.verdict))),
        waived=tuple(map(short_of, pair.verdict.waived)),
        ratings=tuple(_ratings(values)),
        numbers=tuple(
            (name, shown(name, values[name]))
            for name in ("facet", "eva", "faithfulness")
            if name in values
        ),
        lost=tuple(_lost(pair)),
        trend=_trend(pair),
    )


def _ratings(values: Mapping[str, float | None]) -> Iterator[tuple[Facet, str, bool]]:
    for facet in FACETS:
        value = values.get(f"facet.{facet}")
        if value is not None:
            yield facet, f"{value:g}", value < SCALES[facet]


def _lost(pair: PairRecord) -> Iterator[str]:
    for score in pair.scores:
        match score:
            case FacetScore():
                yield from (r.facet for r in score.ratings if r.rating < SCALES[r.facet])
            case EvaScore() if score.value < 1:
                yield "facts"
            case FaithfulnessScore() if not score.is_faithful or score.conflicts:
                yield "sentences"
            case _:
                pass


def _trend(pair: PairRecord) -> str:
    loss = 0.0 if pair.change is None else pair.change.loss
    if not round(loss, 3):
        return ""
    return f"\u25bc {loss:.3f} worse" if loss > 0 else f"\u25b2 {-loss:.3f} better"


def _badness(pair: PairRecord) -> tuple[int, float]:
    """The worse, the lower: by outcome, then by how far the pair falls short in all."""
    depth = len(pair.verdict.lacking) + sum(
        CATALOGUE[short.name].gap(short.value, short.least) for short in pair.verdict.shortfalls
    )
    return WORST_FIRST.index(pair.outcome), -depth
