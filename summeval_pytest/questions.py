"""The contract between metrics and judges: typed questions, typed answers.

A metric yields questions and is sent answers of the matching type; it never sees a prompt, a model
or a formula of the embedded judge. A judge answers; it never sees a weight or a threshold. What
cannot be answered is `Unanswered`, for a whole question or for one of its items.

FM is the Facet-aware Metric (`facet`), EVA is EVA-Score (`eva`), FareBio is sentence faithfulness
(`faithfulness`). Questions are hashable: an answer is kept by its question. Indices count from 0.

    SegmentFacets(text)                  -> FacetSegments
    RateFacets(pairs)                    -> FacetRatings      one rating a facet
    ListFacts(sentences)                 -> FactList
    CheckFacts(facts, premises)          -> FactChecks        one check a fact
    CheckSentences(sentences, source)    -> SentenceChecks    one check a sentence
    OtherQuestion                        -> OtherAnswer       of code beside the core, or any other

In a check, ``support`` is how strongly the judge believes the fact or sentence, 0 to 1, if it says
so. ``disputes`` are what it says wrongly, as far as the judge can point at it. ``undecided``: the
judge met a conflict that a person has to resolve. It took the worse side, so
the check has an answer. A check, and a rating of a facet, of another type or range raises
`TypeError` or `ValueError` where it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, get_args

Facet = Literal["background", "method", "result", "conclusion"]
FACETS: Final[tuple[Facet, ...]] = get_args(Facet)
"""The four facets of a scientific abstract, in reading order (FM, section 3.2)."""

SCALES: Final[Mapping[Facet, int]] = MappingProxyType(
    {"background": 3, "method": 4, "result": 4, "conclusion": 3}
)
"""The highest rating of each facet; the lowest is 1 (FM, section 3.2)."""

OFFLINE: Final = "offline"
"""The name by which users choose the embedded judge, and the default."""


Dispute = tuple[str, str]
"""A figure or word of a claim, and what the evidence says in its place, empty if nothing does."""


def _check_type(answer: object, type_: type, *fields: str, or_none: bool = False) -> None:
    """Refuses a field that only resembles a bool or an int: 0.1 is neither true nor false."""
    for field in fields:
        value = getattr(answer, field)
        if type(value) is not type_ and not (or_none and value is None):
            raise TypeError(f"{field!r} is {value!r}, which is no {type_.__name__}")


def _check_range(answer: object, field: str, least: int, most: int) -> None:
    value = getattr(answer, field)
    if value is not None and not isinstance(value, (int, float)):
        raise TypeError(f"{field!r} is {value!r}, which is no number")
    if value is not None and not least <= value <= most:
        raise ValueError(f"{field!r} is {value!r}, not from {least} to {most}")


def _check_items(items: tuple[object, ...], type_: type) -> None:
    for item in items:
        if not isinstance(item, (type_, Unanswered)):
            raise TypeError(f"{item!r} is no {type_.__name__}")


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No usable answer, and why: the judge's fault, never a pass and never a zero."""

    reason: str


@dataclass(frozen=True, slots=True)
class SegmentFacets:
    """Which words of this text state its background, method, result and conclusion?

    ``is_summary``: whether it is the summary. A judge that rates whole summaries may
    return one uncut.
    """

    text: str
    is_summary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetSegments:
    """The segment of each facet; empty where the text does not state it.

    ``recorded_by`` names the released judge that gave and rated these segments, if one did. Without
    it, the metric drops a segment that the text does not contain.
    """

    background: str = ""
    method: str = ""
    result: str = ""
    conclusion: str = ""
    recorded_by: str = ""

    def segment(self, facet: Facet) -> str:
        """The segment of one facet."""
        segment: str = getattr(self, facet)
        return segment


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetPair:
    """One facet as the reference states it and as the summary does; neither is empty."""

    facet: Facet
    reference: str
    candidate: str


@dataclass(frozen=True, slots=True)
class RateFacets:
    """How well does each facet of the summary cover the reference's?

    The whole texts are for a judge that looks for what a segment lacks. The reference's facts, as
    a person reviewed them, are for a judge that counts facts. Both are empty if unknown.
    """

    pairs: tuple[FacetPair, ...]
    reference: str = ""
    summary: str = ""
    reference_facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetRating:
    """A rating from 1 to the facet's scale.

    ``coverage`` is how much of the reference's key information the summary gives, 0 to 100, and
    ``confidence`` the judge's probability, 0 to 1, that a person rates the same, if it has them.
    """

    facet: Facet
    reason: str
    rating: int
    coverage: int | None = None
    confidence: float | None = None
    undecided: bool = False
    disputes: tuple[Dispute, ...] = ()

    def __post_init__(self) -> None:
        if self.facet not in SCALES:
            raise ValueError(f"'facet' is {self.facet!r}; choose {', '.join(FACETS)}")
        _check_type(self, int, "rating")
        _check_type(self, int, "coverage", or_none=True)
        _check_type(self, bool, "undecided")
        _check_range(self, "rating", 1, SCALES[self.facet])
        _check_range(self, "coverage", 0, 100)
        _check_range(self, "confidence", 0, 1)


@dataclass(frozen=True, slots=True)
class FacetRatings:
    """One rating for each pair asked about, in the order asked."""

    ratings: tuple[FacetRating | Unanswered, ...]

    def __post_init__(self) -> None:
        _check_items(self.ratings, FacetRating)


@dataclass(frozen=True, slots=True)
class ListFacts:
    """Which atomic facts do these sentences state?"""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One piece of information in one short sentence that names its subject.

    Attributes:
        sentence: The index of the sentence that states it.
        parent: The index of the fact in the same list that it refines; None for a root.
    """

    text: str
    sentence: int
    parent: int | None = None


@dataclass(frozen=True, slots=True)
class FactList:
    """The facts in the order of their sentences; a parent stands before its children.

    ``unusable`` facts state a number that their sentence does not state; they are unanswered.
    """

    facts: tuple[Fact, ...]
    unusable: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """Does each fact follow from the premises, and from which of them?

    With ``every_premise`` a judge names all premises that support a fact, because recall counts
    them. ``reference`` only says which paper it is, so that a judge with labelled facts as examples
    leaves out those of this paper.
    """

    facts: tuple[Fact, ...]
    premises: tuple[str, ...]
    every_premise: bool = True
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """Whether one fact is entailed, and the indices of all premises that carry it."""

    reason: str
    entailed: bool
    premises: tuple[int, ...] = ()
    support: float | None = None
    undecided: bool = False
    disputes: tuple[Dispute, ...] = ()

    def __post_init__(self) -> None:
        _check_type(self, bool, "entailed", "undecided")
        _check_range(self, "support", 0, 1)


@dataclass(frozen=True, slots=True)
class FactChecks:
    """One check for each fact asked about, in the order asked."""

    checks: tuple[FactCheck | Unanswered, ...]

    def __post_init__(self) -> None:
        _check_items(self.checks, FactCheck)


@dataclass(frozen=True, slots=True)
class CheckSentences:
    """Is each sentence supported by the source, and by which of its sentences?"""

    sentences: tuple[str, ...]
    source: tuple[str, ...]


SentenceError = Literal[
    "number", "unit", "direction", "negation", "swap", "cause", "overgeneral", "invented", "other"
]
ERRORS: Final[tuple[SentenceError, ...]] = get_args(SentenceError)
"""What may be wrong with an unsupported sentence.

- ``number``, ``unit``: a figure, or what it counts.
- ``direction``, ``negation``: a rise for a fall, an effect for none, or the reverse.
- ``swap``: groups, materials or quantities have changed places.
- ``cause``: a link told as a cause.
- ``overgeneral``: a claim beyond what was studied, or surer than the source.
- ``invented``: nothing in the source says it.
- ``other``: anything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCheck:
    """Whether one sentence is supported, with the indices of the source sentences that decide it.

    For an unsupported sentence ``evidence`` is what the source says instead, and may be empty.
    ``n_ungrounded`` counts the quotations given as evidence that the source does not contain, and
    ``n_copied`` how many of these the summary contains instead. ``factual``: an unsupported
    sentence is true all the same by general knowledge; None if nobody asked.
    ``conflict``: the source contradicts it, in a number or by one word in a near copy.
    ``missing``: its numbers that the source neither states nor contradicts. ``error``: the kind of
    error of an unsupported sentence; empty where there is none, None from a judge that names no
    kinds.
    """

    reason: str
    supported: bool
    evidence: tuple[int, ...] = ()
    support: float | None = None
    n_ungrounded: int = 0
    n_copied: int = 0
    factual: bool | None = None
    undecided: bool = False
    conflict: bool = False
    disputes: tuple[Dispute, ...] = ()
    missing: tuple[str, ...] = ()
    error: SentenceError | Literal[""] | None = None

    def __post_init__(self) -> None:
        if self.error and self.error not in ERRORS:
            raise ValueError(f"error is {self.error!r}, which is none of {', '.join(ERRORS)}")
        _check_type(self, bool, "supported", "undecided", "conflict")
        _check_type(self, bool, "factual", or_none=True)
        _check_range(self, "support", 0, 1)


@dataclass(frozen=True, slots=True)
class SentenceChecks:
    """One check for each sentence asked about, in the order asked."""

    checks: tuple[SentenceCheck | Unanswered, ...]

    def __post_init__(self) -> None:
        _check_items(self.checks, SentenceCheck)


class OtherAnswer:
    """An answer to an `OtherQuestion`."""

    __slots__ = ()


class OtherQuestion:
    """A question that is defined outside of the core. It also says how our judges answer it.

    A judge of your own may answer it as `Unanswered`.
    """

    __slots__ = ()
    duty: ClassVar[Duty]

    @property
    def texts(self) -> tuple[str, str]:
        """The summary's text and the text that it is compared with, which may be empty."""
        raise NotImplementedError

    def computed(self) -> Answer:
        """The embedded judge's answer."""
        return Unanswered("the embedded judge follows no prompt; name an LLM judge for this one")

    def imagined(self, computed: Answer) -> Answer:
        """The answer that a plan assumes if none is stored: by default the embedded judge's."""
        return computed

    async def of_model(self, poll: Any, judge: Any) -> Answer:
        """The answer of an LLM judge, by its `Poll`."""
        raise NotImplementedError


_CoreQuestion = SegmentFacets | RateFacets | ListFacts | CheckFacts | CheckSentences
Question = _CoreQuestion | OtherQuestion
_CoreAnswer = FacetSegments | FacetRatings | FactList | FactChecks | SentenceChecks
Answer = _CoreAnswer | OtherAnswer | Unanswered


Duty = Literal["facets", "listing", "facts", "sentences"]
DUTIES: Final[tuple[Duty, ...]] = get_args(Duty)
"""The kinds of questions. Several judges may share them.

- ``facets``: about facets and whole summaries.
- ``listing``: for facts.
- ``facts``: whether facts follow.
- ``sentences``: whether sentences are supported."""


def duty_of(question: Question) -> Duty:
    """The kind of a question."""
    match question:
        case OtherQuestion():
            return question.duty
        case SegmentFacets() | RateFacets():
            return "facets"
        case ListFacts():
            return "listing"
        case CheckFacts():
            return "facts"
        case CheckSentences():
            return "sentences"


# How users set up judges: no part of the contract.

PanelRule = Literal["all", "any", "majority"]
PANEL_RULES: Final[tuple[PanelRule, ...]] = get_args(PanelRule)
"""Whether all of several judges have to support an item, any of them, or more than half."""
