"""Sentence faithfulness: is each sentence of a summary supported by the paper, and by what?

    rate = supported sentences / sentences
    unsupported = sentences that the judge calls unsupported
    overgeneral = those of them that claim more than the source
    conflicts = those of them that the source contradicts: a near copy with a word turned round, as
                the embedded judge sees it, or a number that differs from the source's, unless a
                reference states it, too

A sentence without an answer is not supported, and counts in each of the counts.

Source: FareBio (Findings of EMNLP 2024), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest.metrics import flow, number
from summeval_pytest.metrics.number import Finding, NumberSpec, closest_sentence
from summeval_pytest.questions import (
    CheckSentences,
    Dispute,
    SentenceCheck,
    SentenceChecks,
    SentenceError,
    Unanswered,
)
from summeval_pytest.text.contradictions import NumberCheck, check_numbers
from summeval_pytest.text.languages import is_english
from summeval_pytest.text.numbers import unstated_figures
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import has_tokens

MIN_CHARACTERS: Final = 5
"""Shorter pieces of a summary are no sentences (FareBio, section 3.1)."""
SUPPORT: Final = "faithfulness.support"
"""The mean support of the sentences; only a judge with strengths of belief gives it."""
UNSUPPORTED: Final = "faithfulness.unsupported"
"""The number of unsupported sentences, however long the summary is."""
OVERGENERAL: Final = "faithfulness.overgeneral"
"""The number of sentences that claim more; only a judge that names kinds of error gives it."""
CONFLICTS: Final = "faithfulness.conflicts"
"""The number of sentences that the source contradicts, however long the summary is."""


def _count(
    name: str,
    meaning: str,
    explained_by: str = "faithfulness",
    *,
    not_said: str = "",
    remedy: str = "",
) -> NumberSpec:
    """A number that counts what is wrong, so that its threshold is a maximum."""
    return NumberSpec(
        name=name,
        metric="faithfulness",
        meaning=meaning,
        high=number.ENDLESS,
        lower_is_better=True,
        explained_by=explained_by,
        is_detail=True,
        not_said=not_said,
        remedy=remedy,
    )


NUMBERS: Final = (
    NumberSpec(name="faithfulness", metric="faithfulness", meaning="share of supported sentences"),
    _count(UNSUPPORTED, "sentences that the judge calls unsupported"),
    _count(
        OVERGENERAL,
        "unsupported sentences that claim more than the source",
        not_said="name the kind of error of every unsupported sentence",
        remedy="use an LLM judge, hold faithfulness.unsupported in its place, or remove the"
        " threshold",
    ),
    _count(
        CONFLICTS,
        "unsupported sentences that the source contradicts, in a number or a near copy",
        explained_by="",
    ),
    NumberSpec(
        name=SUPPORT,
        metric="faithfulness",
        meaning="mean support of the sentences",
        explained_by="faithfulness",
        is_detail=True,
        not_said="say of every sentence how far it is supported",
        remedy="use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or"
        " remove the threshold",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence of a summary and whether the source supports it; None if unanswered.

    Attributes:
        index: Its place among the summary's sentences, from 0. A finding's title counts from 1.
        evidence: Indices of the source sentences that decide, from 0 over all sections.
        support: The judge's strength of belief, 0 to 1.
        by_rule: Whether the source contains it word for word, so that the judge was not asked.
        factual: Whether an unsupported sentence is true in general; None if this was not asked.
        undecided: Whether the judge met a conflict that it cannot decide.
        conflict: Whether it is unsupported or unanswered, and the source contradicts it, in a
            number that no reference states or, if the judge sees that, a word of a near copy.
        disputes: What it says wrongly, and what the source says in its place.
        missing: Its numbers that the source neither states nor contradicts, as written.
        error: The kind of error of an unsupported sentence, of `questions.ERRORS`; empty where
            there is none or the judge does not name it.
    """

    index: int
    text: str
    supported: bool | None
    reason: str
    evidence: tuple[int, ...] = ()
    support: float | None = None
    by_rule: bool = False
    factual: bool | None = field(default=None, metadata=number.SPARSE)
    undecided: bool = field(default=False, metadata=number.SPARSE)
    conflict: bool = field(default=False, metadata=number.SPARSE)
    disputes: tuple[Dispute, ...] = field(default=(), metadata=number.SPARSE)
    missing: tuple[str, ...] = field(default=(), metadata=number.SPARSE)
    error: SentenceError | Literal[""] = field(default="", metadata=number.SPARSE)

    @property
    def words(self) -> str:
        """Its verdict in words, with how far it is supported where it is not, or in conflict."""
        words = {True: "supported", False: "unsupported", None: "unanswered"}[self.supported]
        if self.error and not self.conflict:
            words += f" ({self.error})"
        is_wrong = self.supported is False or self.conflict
        if is_wrong and self.support is not None:
            words += f", support {self.support:.2f} of 1"
        if self.conflict:
            return f"conflict ({self.error or 'number'}), {words}"
        return f"{words}, with a number that was not found" if self.missing else words


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessScore:
    """Sentence faithfulness of one summary (FareBio, sections 3 and 4).

    Attributes:
        value: Supported sentences / sentences, 0 to 1, higher is better.
        sentences: Every judged sentence in order. Fragments under five characters are left out.
        n_ungrounded: How many pieces of the judge's evidence the source does not contain.
        n_unsupported_yes: How many sentences the judge called supported without any evidence.
        n_copied: How many of the ungrounded quotations are copied from the summary.
        conflicts: Sentences with a conflict or without an answer, lower is better.
        overgeneral: Sentences that claim more than the source, or have no answer; None from a judge
            that does not name the kinds of errors.
    """

    value: float
    sentences: tuple[JudgedSentence, ...]
    n_ungrounded: int = 0
    n_unsupported_yes: int = 0
    n_copied: int = field(default=0, metadata=number.SPARSE)
    conflicts: int | None = field(default=None, metadata=number.SPARSE)
    overgeneral: int | None = field(default=None, metadata=number.SPARSE)
    metric: Literal["faithfulness"] = "faithfulness"

    @property
    def is_faithful(self) -> bool:
        """Whether every sentence is supported (FareBio's summary level)."""
        return all(sentence.supported for sentence in self.sentences)

    @property
    def support(self) -> float | None:
        """The mean support of the sentences, 0 to 1, higher is better.

        It keeps what the rate rounds away: how near each sentence came to the other verdict. A
        sentence copied from the source counts 1, and one without an answer 0. None unless each
        answered sentence has a support; an LLM with one vote gives none. Source: SummaC-ZS (Laban
        et al., TACL 2022).
        """
        supports = [0.0 if s.supported is None else s.support for s in self.sentences]
        known = [support for support in supports if support is not None]
        return number.rounded_mean(known) if known and len(known) == len(supports) else None

    @staticmethod
    def applies(name: str) -> bool:  # noqa: ARG004 - see `FacetScore`
        """Whether a number without a value could have one: the judge did not give it."""
        return True

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; an optional one only where the judge gives it."""
        named: dict[str, float | None] = {"faithfulness": self.value}
        named[UNSUPPORTED] = float(sum(not sentence.supported for sentence in self.sentences))
        if self.overgeneral is not None:
            named[OVERGENERAL] = float(self.overgeneral)
        if self.conflicts is not None:
            named[CONFLICTS] = float(self.conflicts)
        support = self.support
        if support is not None:
            named[SUPPORT] = support
        return MappingProxyType(named)

    def unanswered(self) -> Mapping[str, int]:
        """By number, how many sentences without an answer count as wrong in it."""
        n_open = sum(sentence.supported is None for sentence in self.sentences)
        return dict.fromkeys(self.values(), n_open) if n_open else {}

    def wrong_pieces(self) -> list[JudgedSentence]:
        """The unsupported sentences."""
        return [sentence for sentence in self.sentences if sentence.supported is False]

    def findings(self, source: Sequence[str]) -> Iterator[Finding]:
        """Every sentence that is unsupported, in conflict, or has a number not found."""
        for sentence in self.sentences:
            is_wrong = sentence.supported is False or sentence.conflict
            if not is_wrong and not sentence.missing:
                continue
            factual = ", though judged true in general" if sentence.factual else ""
            severity = 1.0 - (sentence.support or 0.0) if is_wrong else 0.0
            name = "faithfulness" if is_wrong else SUPPORT  # which a number not found lowers
            yield Finding(
                kind="sentence",
                number=CONFLICTS if sentence.conflict else name,
                title=f"sentence {sentence.index + 1}",
                verdict=sentence.words + factual,
                reason=sentence.reason,
                reference=None,
                summary=sentence.text,
                evidence=tuple((p, source[p]) for p in sentence.evidence[:1] if p < len(source))
                or closest_sentence(sentence.text, source),
                severity=1.0 if sentence.conflict else severity,
                disputes=sentence.disputes,
                conflict=sentence.undecided or sentence.conflict,
            )


def judged_sentences(scores: Iterable[object]) -> dict[int, JudgedSentence]:
    """The sentences by their places; none where no score is of faithfulness."""
    scored = (score for score in scores if isinstance(score, FaithfulnessScore))
    return {sentence.index: sentence for score in scored for sentence in score.sentences}


def conflict_note(judged: Mapping[int, JudgedSentence], text: str) -> str:
    """Says that a sentence of a facet conflicts with the source; empty where none does."""
    stated = {*sentence_texts(text)}
    for sentence in judged.values():
        if sentence.conflict and sentence.text in stated:
            return f", but sentence {sentence.index + 1} conflicts with the source"
    return ""


def source_note(sentence: JudgedSentence | None, *, holds: bool | None) -> str:
    """How the source differs from the reference, where a fact ``holds`` or not; else empty."""
    if sentence is None or holds is None:
        return ""
    if holds and sentence.conflict:
        return ", but the sentence conflicts with the source"
    if sentence.supported in {None, holds}:
        return ""
    does = "supports" if sentence.supported else "does not support"
    return f", but the source {does} the sentence"


def source_sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a source, section by section; evidence indices count them from 0."""
    return tuple(s for text in texts for s in sentence_texts(normalise(text)))


@flow.ends_unscored("faithfulness")
def measure(
    summary: str,
    source: tuple[str, ...],
    *,
    references: tuple[str, ...] = (),
    short_circuit: bool = True,
) -> flow.Dialogue[FaithfulnessScore]:
    """The dialogue that checks each sentence of a summary against the source's.

    A number that one of the ``references`` states is no conflict. ``short_circuit``: a sentence
    that stands in the source word for word is supported without a question.
    """
    summary = normalise(summary)
    flow.check_usable(summary)
    sentences = [
        (index, sentence)
        for index, sentence in enumerate(sentence_texts(summary))
        if len(sentence) >= MIN_CHARACTERS and has_tokens(sentence)
    ]
    if not sentences:
        raise flow.NoScoreError("the summary has no sentence to check", "degenerate_candidate")
    places = _places(source) if short_circuit else {}
    known = {
        index: JudgedSentence(
            index=index,
            text=text,
            supported=True,
            reason="copied from the source",
            evidence=(places[words],),
            support=1.0,
            by_rule=True,
        )
        for index, text in sentences
        if (words := tuple(text.lower().split())) in places
    }
    unknown = [(index, text) for index, text in sentences if index not in known]
    checks: tuple[SentenceCheck | Unanswered, ...] = ()
    if unknown:
        question = CheckSentences(tuple(text for _, text in unknown), source)
        (answer,) = yield from flow.ask(SentenceChecks, question)
        checks = answer.checks
        flow.expect_count("sentence checks", len(checks), len(unknown))
        flow.limit_unanswered("sentences", checks, len(sentences))
    # A check without an answer, and a summary without a question, take no kind of error away.
    names_kinds = all(getattr(check, "error", "") is not None for check in checks)
    are_read = is_english(summary) and is_english("\n".join(source))
    for sentence, check in zip(unknown, checks, strict=True):
        known[sentence[0]] = _judged(sentence, check, source, references, are_read=are_read)
    judged = tuple(known[index] for index, _ in sentences)
    given = [check for check in checks if isinstance(check, SentenceCheck)]
    n_open = len(checks) - len(given)
    n_named = sum(len(check.evidence) for check in given)
    n_valid = sum(len(sentence.evidence) for sentence in judged if not sentence.by_rule)
    return FaithfulnessScore(
        value=sum(bool(sentence.supported) for sentence in judged) / len(judged),
        sentences=judged,
        n_ungrounded=sum(check.n_ungrounded for check in given) + n_named - n_valid,
        n_unsupported_yes=sum(bool(s.supported) and not s.evidence for s in judged),
        n_copied=sum(check.n_copied for check in given),
        conflicts=sum(sentence.conflict or sentence.supported is None for sentence in judged),
        overgeneral=n_open + sum(s.error == "overgeneral" for s in judged) if names_kinds else None,
    )


@lru_cache(maxsize=32)
def _places(source: tuple[str, ...]) -> Mapping[tuple[str, ...], int]:
    """Where the words of each source sentence stand first; many systems summarise one source."""
    places: dict[tuple[str, ...], int] = {}
    for place, text in enumerate(source):
        places.setdefault(tuple(text.lower().split()), place)
    return MappingProxyType(places)


def _judged(
    sentence: tuple[int, str],
    check: SentenceCheck | Unanswered,
    source: tuple[str, ...],
    references: tuple[str, ...],
    *,
    are_read: bool,
) -> JudgedSentence:
    """One sentence with its check; evidence that the source does not hold is dropped.

    With any judge, an unsupported or unanswered sentence with a number that the source contradicts
    is a conflict, unless a reference states it. The reason names the numbers. ``are_read``: whether
    our rules read the language of both texts; else only what the judge says counts.
    """
    index, text = sentence
    given = check if isinstance(check, SentenceCheck) else None
    supported = given.supported if given else None
    numbers = NumberCheck() if supported or not are_read else check_numbers(text, source)
    partners = {each.number.text: each.partner.text for each in numbers.contradicted}
    missing = given.missing if given else ()
    missing = missing or tuple(figure.text for figure in numbers.missing)
    # A reference may know what the source does not: its numbers excuse the sentence.
    excused = _stated_in(references, text, {*partners, *missing})
    contradicted = [figure for figure in partners if figure not in excused]
    missing = tuple(figure for figure in missing if figure not in excused)
    is_named = given is not None and given.conflict
    # No number of a reference excuses a word that is turned round.
    is_of_words = given is not None and given.error in {"direction", "negation"}
    is_excused = bool(excused) and not contradicted and not missing and not is_of_words
    notes: list[str] = []
    disputes = given.disputes if given else ()
    if not is_named:
        notes += (f"the source has {partners[figure]!r}, not {figure!r}" for figure in contradicted)
        disputes += tuple((figure, partners[figure]) for figure in contradicted)
    disputes += tuple((figure, "") for figure in missing)
    if missing:
        notes.append(f"not found in the source: {', '.join(map(repr, missing))}")
    # What is wrong comes first: a conflict that the judge names, or else the figures.
    notes.insert(0 if is_named else len(notes), check.reason)
    if excused:
        notes.append(f"a reference states {', '.join(map(repr, sorted(excused)))}")
    evidence = given.evidence if given else ()
    seen = (each.kind for each in numbers.contradicted if each.number.text not in excused)
    error: SentenceError | Literal[""] = next(seen, "")
    if given and given.error:
        error = given.error
    return JudgedSentence(
        index=index,
        text=text,
        supported=supported,
        reason="; ".join(notes),
        evidence=tuple(place for place in evidence if 0 <= place < len(source)),
        support=given.support if given else None,
        factual=given.factual if given and not supported else None,
        undecided=given is not None and given.undecided and not is_excused,
        conflict=not (supported or is_excused) and (is_named or bool(contradicted)),
        disputes=disputes,
        missing=missing,
        error=error if supported is False else "",
    )


def _stated_in(references: tuple[str, ...], text: str, numbers: Set[str]) -> Set[str]:
    """Those of a sentence's numbers that the references state."""
    if not numbers or not references:
        return frozenset()
    unstated = unstated_figures(text, source_sentences(references))
    return numbers - {figure.text for figure in unstated}
