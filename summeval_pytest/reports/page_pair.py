"""The pairs of the page, as data of its script: texts, facets, facts, sentences and changes.

A place in a text counts the characters that the page shows, as a browser counts them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import accumulate
from typing import Final, Literal

from summeval_pytest.metrics import faithfulness
from summeval_pytest.metrics.catalogue import CATALOGUE, Score
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore
from summeval_pytest.metrics.faithfulness import CONFLICTS, SUPPORT, FaithfulnessScore
from summeval_pytest.metrics.number import Finding, Unscored
from summeval_pytest.metrics.own import OwnScore
from summeval_pytest.questions import SCALES, Facet, Fact
from summeval_pytest.reports.cases import averaged_note, pair_case
from summeval_pytest.reports.wording import QUOTE, claims_of, disputed, moved_numbers, render
from summeval_pytest.text.printing import safe
from summeval_pytest.text.reading import read
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import content_words
from summeval_pytest.verdict.differences import PairChange
from summeval_pytest.verdict.run import PairResult, PaperRecord

WHOLE: Final = 20_000
"""The longest reference or summary; a longer one is cut, and says so."""
_SHORT: Final = 200
"""The longest quotation within a note."""
_PIECES: Final = 300
"""A pair shows so many pieces of one kind, the bad ones first."""
_LAST_BASIC: Final = "\uffff"
_OTHERS: Final = re.compile(r"[\W_]+")
_CLOSING: Final = re.compile(r"(?:\s\u00b0[CF]\b|[^\w\s]|_|\s[%\u2030\u00b0](?!\w))*")
"""What belongs to the words before it."""
_ANCHOR: Final = 12
"""So many equal letters at each end identify a passage whose middle differs."""
_SLACK: Final = 1.5
"""Such a place may be so much longer than the passage."""
_INERT: Final = tuple((character, f"\\u{ord(character):04x}") for character in "<>&\u2028\u2029")
State = Literal["good", "bad", "open", "extra"]
"""``extra`` is a fact that the source supports and the reference does not have."""
_STATES: Final[dict[bool | None, State]] = {True: "good", False: "bad", None: "open"}
_WORST_FIRST: Final[tuple[State, ...]] = ("bad", "open", "extra", "good")
_FACT_WORDS: Final = {
    "expected": ("matched", "missing"),
    "stated": ("in the reference", "not in the reference"),
}
Span = tuple[int, int, int]
"""A text (0 the summary, from 1 the references), and start and end in it, in UTF-16 units of the
text as it is shown."""

_character = cache(safe)


def visible(text: str) -> str:
    r"""The text with every invisible character written out, line breaks kept.

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


def block(value: object) -> str:
    """A value as JSON without `<`, `>` and `&`, every text in it visible; empty fields left out."""
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, written in _INERT:
        text = text.replace(character, written)
    return text


def _plain(value: object) -> object:
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    match value:
        case str():
            return visible(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case dict():
            return {
                visible(name): _plain(part)
                for name, part in value.items()
                if part is not None and part is not False and part not in ("", (), [])
            }
        case _:
            return value


class Passages:
    """One text, cut to what a page shows, in which passages can be found."""

    def __init__(self, text: str, number: int = 0) -> None:
        self.text = cut(text, WHOLE)
        self._number = number
        reading = read(self.text)
        self._letters = _letters(reading.text)
        self._read_at = [i for i, character in enumerate(reading.text) if character.isalnum()]
        places = reading.places()
        self._at = [places[i] for i in self._read_at]
        self._shown = places_shown(self.text)
        self._sentences = sentence_texts(reading.text)
        self._spans: dict[str, tuple[Span, ...]] = {}

    def find(self, passage: str) -> tuple[Span, ...]:
        """The places of a passage: one, or one for each sentence; none if it is not there."""
        if passage not in self._spans:
            whole = self._find(passage)
            parts = () if whole else map(self._find_loosely, sentence_texts(passage))
            places = filter(None, (whole, *parts))
            self._spans[passage] = tuple(dict.fromkeys(map(self._span, places)))
        return self._spans[passage]

    def of_facets(self, passages: Mapping[Facet, str]) -> dict[Facet, tuple[Span, ...]]:
        """The places of each facet's words; none if several facets have one text, as a whole."""
        n_alike = Counter(passages.values())
        return {
            facet: self.find(passage) if n_alike[passage] == 1 else ()
            for facet, passage in passages.items()
        }

    def in_order(self, passages: Iterable[str]) -> Iterator[tuple[Span, ...]]:
        """The place of each passage; each is first searched for behind the one before it."""
        after = 0
        for passage in passages:
            place = self._find_loosely(passage, after) or self._find_loosely(passage)
            after = place[1] if place else after
            yield (self._span(place),) if place else ()

    def sentence(self, index: int) -> tuple[Span, ...]:
        """The place of a sentence by its index, as metrics count; none where there is none."""
        return self.find(self.text_of(index))

    def text_of(self, index: int) -> str:
        """A sentence by its index; empty where none has it."""
        return self._sentences[index] if 0 <= index < len(self._sentences) else ""

    def cut_out(self, fact: Fact) -> tuple[Span, ...]:
        """The places of a fact that is made of words of its sentence, two at most.

        Only what follows a colon counts if the words before it are from elsewhere ("Healing: in
        patients taking zinc."). None if the fact is the whole sentence.
        """
        sentence = self.text_of(fact.sentence)
        within = self._find(sentence)
        if within is None or fact.text == sentence:
            return ()
        letters = _letters(sentence)
        own = fact.text.partition(": ")[2]
        words = (own if own and _letters(own) in letters else fact.text).split()
        first = bisect_left(
            range(len(words)), x=True, key=lambda n: _letters(" ".join(words[n:])) in letters
        )
        runs = filter(None, (" ".join(words[:first]), " ".join(words[first:])))
        places = [self._find(run, within[0]) for run in runs]
        inside = [place for place in places if place and place[1] <= within[1]]
        return tuple(map(self._span, inside)) if len(inside) == len(places) else ()

    def _find_loosely(self, passage: str, after: int = 0) -> tuple[int, int] | None:
        whole = self._find(passage, after)
        letters = _letters(passage)
        if whole is not None or len(letters) <= 2 * _ANCHOR:
            return whole
        start = self._letters.find(letters[:_ANCHOR], after)
        last = self._letters.find(letters[-_ANCHOR:], start + _ANCHOR) if start >= 0 else -1
        end = last + _ANCHOR
        return (start, end) if last >= 0 and end - start <= _SLACK * len(letters) else None

    def _find(self, passage: str, after: int = 0) -> tuple[int, int] | None:
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
        at = self._read_at
        return not 0 < place < len(at) or at[place] - at[place - 1] > 1

    def _span(self, place: tuple[int, int]) -> Span:
        """From letters to what is shown, with the punctuation that closes the passage."""
        end = self._at[place[1] - 1] + 1
        if closing := _CLOSING.match(self.text, end):
            end = closing.end()
        return self._number, self._shown[self._at[place[0]]], self._shown[end]


def _letters(text: str) -> str:
    """The letters and digits of a text in lower case, one for each that it has."""
    kept = _OTHERS.sub("", text)
    lowered = kept.lower()
    return lowered if len(lowered) == len(kept) else "".join(c.lower()[0] for c in kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One facet, sentence or fact, as the page's script reads it.

    ``expected`` is a fact of the reference, ``stated`` one of the summary; ``number`` counts those
    of a kind from 1. Facts that are cut out of a sentence are ``parts`` of the sentence's piece.
    An empty ``text`` can be read at ``at``. ``other`` is the matching text on the other side, at
    ``there``: the place of another piece, or words. ``source`` are indices of source sentences.
    ``disputed`` are its figures in conflict, and those in ``other`` or the source against them.
    """

    kind: Literal["facet", "sentence", "expected", "stated"]
    number: int | None = None
    text: str = ""
    state: State
    verdict: str
    reason: str
    facet: Facet | None = None
    disputed: tuple[tuple[str, ...], ...] = ()
    at: tuple[Span, ...] = ()
    other: tuple[int | str, ...] = ()
    there: tuple[Span, ...] = ()
    source: tuple[int, ...] = ()
    parts: tuple[Piece, ...] = ()


def paper_block(paper: PaperRecord, named: Collection[int] | None = None) -> dict[str, object]:
    """A paper: its references and the sentences of its source, only the named ones if given."""
    return {
        "references": [cut(text, WHOLE) for text in paper.references],
        "n_sentences": len(paper.source),
        "source": {
            str(index): cut(text)
            for index, text in enumerate(paper.source)
            if named is None or index in named
        },
        "place": str(paper.place),
    }


def cited(pair: PairResult) -> Iterator[int]:
    """The source sentences that a finding, or the verdict on a sentence, names."""
    yield from (index for finding in pair.findings for index, _ in finding.evidence)
    for sentence in faithfulness.judged_sentences(pair.scores).values():
        yield from sentence.evidence


def pair_block(pair: PairResult, references: Sequence[Passages]) -> dict[str, object]:
    """A pair, as the page's script reads it; ``references`` are its paper's.

    ``first`` is the place, in ``pieces``, of the worst finding that explains the verdict, else of
    the worst finding.
    """
    summary, case = Passages(pair.summary), pair_case(pair)
    pieces = _PairPieces(pair, summary, references).all()
    whole = whole_sentences(pair.scores, summary, references)
    notes = (note for score in pair.scores for note in _notes(score) if note)
    wrong = (
        place
        for finding in (*case.findings, *pair.findings)
        for place, piece in enumerate(pieces)
        if _is_about(finding, piece)
    )
    return {
        "summary": summary.text,
        "misses": [*map(cut, case.phrases)],
        "notes": [*map(cut, dict.fromkeys((*case.notes, *notes)))],
        "place": str(case.place),
        "pieces": [
            replace(piece, parts=tuple(replace(part, text="") for part in piece.parts))
            for piece in pieces
        ],
        "first": next(wrong, None),
        "change": pair.change and _change(pair.change, whole),
    }


def _subject(finding: Finding) -> tuple[str, str]:
    """What a finding is about: its number, and the words of its fact or sentence."""
    text = finding.reference or "" if finding.number == "eva.recall" else finding.summary
    return finding.number, "" if finding.kind == "facet" else text


def _is_about(finding: Finding, piece: Piece) -> bool:
    if finding.kind == "facet":
        return finding.number == f"facet.{piece.facet}"
    if finding.kind == "sentence":
        return (piece.kind, finding.title) == ("sentence", f"sentence {piece.number}")
    kind = "expected" if finding.number == "eva.recall" else "stated"
    texts = [each.text for each in piece.parts or (piece,)]
    return finding.kind == "fact" and piece.kind == kind and cut(_subject(finding)[1]) in texts


class _PairPieces:
    """The pieces of a pair, with their places in its summary and its paper's references."""

    def __init__(self, pair: PairResult, summary: Passages, references: Sequence[Passages]) -> None:
        self.pair = pair
        self.summary = summary
        self.references = references
        self._evidence = {_subject(f): f.evidence for f in reversed(pair.findings)}
        self._judged = faithfulness.judged_sentences(pair.scores)

    def all(self) -> tuple[Piece, ...]:
        """The pieces in the order of the scores; each names others by their places."""
        pieces: list[Piece] = []
        for score in self.pair.scores:
            match score:
                case FacetScore():
                    pieces += self._facets(score)
                case FaithfulnessScore():
                    pieces += self._sentences(score)
                case EvaScore():
                    pieces += [*self._facts(score, "expected"), *self._facts(score, "stated")]
        texts = ((each.text, n) for n, p in enumerate(pieces) for each in (p, *p.parts))
        places = {text: place for text, place in texts if text}
        for place, piece in enumerate(pieces):
            if piece.kind == "sentence" and piece.number is not None:
                places[self._judged[piece.number - 1].text] = place

        def referring(piece: Piece) -> Piece:
            other = dict.fromkeys(places.get(str(text), text) for text in piece.other)
            return replace(piece, other=tuple(other), parts=tuple(map(referring, piece.parts)))

        return tuple(map(referring, pieces))

    def _facets(self, score: FacetScore) -> Iterator[Piece]:
        places = self.summary.of_facets({each.facet: each.candidate for each in score.ratings})
        for rated in score.ratings:
            note = (
                "" if rated.undecided else faithfulness.conflict_note(self._judged, rated.candidate)
            )
            is_full = rated.rating == SCALES[rated.facet]
            yield Piece(
                kind="facet",
                state="bad" if not is_full else "open" if note else "good",
                verdict=rated.words + note,
                reason=cut(rated.reason),
                facet=rated.facet,
                disputed=disputed(rated.disputes, rated.candidate, [rated.reference]),
                at=places[rated.facet],
                there=self._quoted(rated.reference),
                source=tuple(n for n, _ in self._evidence.get((f"facet.{rated.facet}", ""), ())),
            )

    def _sentences(self, score: FaithfulnessScore) -> Iterator[Piece]:
        marks = [False if s.conflict else s.supported for s in score.sentences]
        kept = [(score.sentences[place], marks[place]) for place in _worst(marks)]
        places = self.summary.in_order(sentence.text for sentence, _ in kept)
        for (sentence, is_supported), at in zip(kept, places, strict=True):
            numbers = "faithfulness", CONFLICTS
            cited = [each for n in numbers for each in self._evidence.get((n, sentence.text), ())]
            source = [*sentence.evidence, *(index for index, _ in cited)]
            yield Piece(
                kind="sentence",
                number=sentence.index + 1,
                text="" if at else cut(sentence.text),
                state=_STATES[is_supported],
                verdict=sentence.words,
                reason=cut(sentence.reason),
                disputed=disputed(sentence.disputes, sentence.text, [text for _, text in cited]),
                at=at,
                source=tuple(dict.fromkeys(source)),
            )

    def _facts(self, score: EvaScore, kind: Literal["expected", "stated"]) -> list[Piece]:
        facts = score.reference if kind == "expected" else score.candidate
        matched = score.matched if kind == "expected" else range(len(facts))
        marks = [
            (kind == "expected" and place in matched) or checked.holds
            for place, checked in enumerate(facts)
        ]
        yes, no = _FACT_WORDS[kind]
        words = {None: "unanswered", True: yes, False: no}
        number = "eva.recall" if kind == "expected" else "eva.precision"
        known = {checked.fact.text: checked for checked in reversed(score.reference)}
        pieces: list[Piece] = []
        parts: dict[tuple[int, tuple[Span, ...]], list[Piece]] = {}
        for place in sorted(_worst(marks), key=lambda n: (marks[n] is not False, marks[n] is True)):
            checked, verdict = facts[place], words[marks[place]]
            state = _STATES[marks[place]]
            if marks[place] and place not in matched:
                verdict = "follows from the summary, matched by no single fact"
            sentence = self._judged.get(checked.fact.sentence)
            if kind == "stated" and (
                note := faithfulness.source_note(sentence, holds=checked.holds)
            ):
                verdict += note
                state = "open" if checked.holds or checked.undecided else "extra"
            if kind == "expected":
                stating = _stating(checked.fact, self.references)
                there = [span for text in checked.evidence for span in self.summary.find(text)]
            else:
                stating = self.summary
                carriers = ((known.get(text), text) for text in checked.evidence)
                spans = (
                    _sentence_of(of.fact, _stating(of.fact, self.references))
                    if of
                    else self._quoted(text)
                    for of, text in carriers
                )
                there = list(dict.fromkeys(span for each in spans for span in each))
            at = _sentence_of(checked.fact, stating)
            cut_out = stating.cut_out(checked.fact) if stating else ()
            piece = Piece(
                kind=kind,
                number=place + 1,
                text=cut(checked.fact.text),
                state=state,
                verdict=verdict,
                reason=cut(checked.reason),
                disputed=disputed(checked.disputes, checked.fact.text, checked.evidence),
                at=cut_out or at,
                other=tuple(map(cut, checked.evidence)),
                there=tuple(there),
                source=tuple(n for n, _ in self._evidence.get((number, checked.fact.text), ())),
            )
            if cut_out:
                parts.setdefault((checked.fact.sentence, at), []).append(piece)
            else:
                pieces.append(piece)
        pieces += [_as_sentence(*of, own) for of, own in sorted(parts.items())]
        return sorted(pieces, key=lambda piece: _WORST_FIRST.index(piece.state))

    def _quoted(self, passage: str) -> tuple[Span, ...]:
        """The place of a passage in the first reference that has it."""
        return next(filter(None, (text.find(passage) for text in self.references)), ())


def _stating(fact: Fact, references: Sequence[Passages]) -> Passages | None:
    """The reference that states a fact: its sentence shares most words with it."""
    words = {*content_words(fact.text)}

    def shared(reference: Passages) -> int:
        sentence = reference.text_of(fact.sentence)
        return len(words & {*content_words(sentence)}) if sentence else -1

    return max(references, key=shared, default=None)


def _sentence_of(fact: Fact, stating: Passages | None) -> tuple[Span, ...]:
    return stating.sentence(fact.sentence) if stating else ()


def _as_sentence(index: int, at: tuple[Span, ...], parts: Sequence[Piece]) -> Piece:
    """The sentence that facts are cut out of; the worst of them comes first."""
    parts = sorted(parts, key=lambda part: _WORST_FIRST.index(part.state))
    verdict = parts[0].verdict
    n_alike = sum(part.verdict == verdict for part in parts)
    return Piece(
        kind=parts[0].kind,
        number=index + 1,
        state=parts[0].state,
        verdict=verdict if n_alike == len(parts) else f"{n_alike} of {len(parts)} facts {verdict}",
        reason="",
        at=at,
        there=tuple(dict.fromkeys(span for part in parts for span in part.there)),
        parts=tuple(parts),
    )


def _worst(marks: Sequence[bool | None]) -> list[int]:
    """The places that a page shows, in their order; of too many, good ones are left out."""
    return sorted(sorted(range(len(marks)), key=lambda n: marks[n] is True)[:_PIECES])


def _notes(score: Score | Unscored) -> Iterator[str]:
    """What a reader has to know about a score beside its pieces; empty texts among it."""
    yield averaged_note(score)
    match score:
        case FacetScore(identical=True) | EvaScore(identical=True):
            yield f"{score.metric}: the summary is its reference, so nothing was asked"
        case FacetScore():
            removed = ", ".join(score.removed)
            yield removed and f"the reference does not state: {removed}"
            quoted = "; ".join(f'"{cut(text, _SHORT)}"' for text in score.ungrounded)
            yield quoted and f"segments that the judge gave and no text contains: {quoted}"
            is_partial = score.ratings and score.coverage < 1
            yield f"facets cover {score.coverage:.0%} of the summary" if is_partial else ""
        case EvaScore():
            precision = render(CATALOGUE["eva.precision"], score.precision)
            recall = render(CATALOGUE["eva.recall"], score.recall)
            value = render(CATALOGUE["eva"], score.value)
            yield f"eva {value}: precision {precision}, recall {recall}"
            are_many = max(len(score.reference), len(score.candidate)) > _PIECES
            of_facts = f"of the facts, {_PIECES} of each kind are shown, the bad ones first"
            yield of_facts if are_many else ""
        case FaithfulnessScore():
            if score.support is not None:
                value = render(CATALOGUE["faithfulness"], score.value)
                yield f"faithfulness {value}: support {render(CATALOGUE[SUPPORT], score.support)}"
            if len(score.sentences) > _PIECES:
                n_sentences = f"{len(score.sentences):,} sentences"
                yield f"of {n_sentences}, {_PIECES} are shown, the bad ones first"
        case OwnScore():
            yield from (f"{each.number}: {each.title}, {each.verdict}" for each in score.problems)


def whole_sentences(
    scores: Iterable[Score | Unscored], summary: Passages, references: Sequence[Passages]
) -> dict[tuple[str, str], str]:
    """The sentence of each fact that is cut out of it, by the fact's number and its text."""
    evas = [score for score in scores if isinstance(score, EvaScore)]
    stated = [("eva.precision", c.fact, summary) for score in evas for c in score.candidate]
    expected = [
        ("eva.recall", checked.fact, _stating(checked.fact, references))
        for score in evas
        for checked in score.reference
    ]
    return {
        (number, fact.text): stating.text_of(fact.sentence)
        for number, fact, stating in (*expected, *stated)
        if stating and stating.cut_out(fact)
    }


def _change(change: PairChange, whole: Mapping[tuple[str, str], str]) -> dict[str, object]:
    """What changed; ``whole`` are sentences to show in the place of facts cut out of them.

    Each claim is there once, with the reason of the first of equal texts.
    """
    claims = []
    for what, is_bad, changed in claims_of(change):
        number = "eva.recall" if "of the reference" in what else "eva.precision"
        texts: dict[str, tuple[object, ...]] = {}
        for claim in changed:
            text = cut(whole.get((number, claim.text), claim.text))
            texts.setdefault(
                text, (text, cut(claim.reason), *disputed(claim.disputes, text, ())[:1])
            )
        if texts:
            title = f"{what[0].upper()}{what[1:]} ({len(changed)})"
            claims.append((title, "bad" if is_bad else "good", [*texts.values()][:_PIECES]))
    return {
        "baseline": change.baseline,
        "numbers": moved_numbers(change),
        "facets": [
            {
                "title": f"{f.facet} {f.old} \u2192 {f.new}".replace("None", "none"),
                "before": cut(f.before),
                "after": cut(f.after),
                "reason": cut(f.reason),
            }
            for f in change.facets
        ],
        "claims": claims,
    }
