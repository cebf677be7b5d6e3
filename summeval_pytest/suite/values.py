"""Values of a suite: papers, pairs, and specifications of systems and judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place  # noqa: TC001 - run records read it
from summeval_pytest.questions import OFFLINE, SentenceManner
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from summeval_pytest.endpoints.endpoint import Price
    from summeval_pytest.questions import Duty, FacetReading, FacetSegments, Fact, Rubric
    from summeval_pytest.suite.lines import Fields


PROMPTS: Final = ("abstract", "plain")
"""The prompts for models under test that exist without being written to a file."""

SOURCE_MARK: Final = "{source}"
"""Where a prompt's template takes the paper's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a paper's source; the heading is empty where the paper gives none."""

    heading: str = ""
    text: str


def section_of(given: object) -> Section | None:
    """The section that a caller gives as one, as a text or as its fields; None for what is none."""
    match given:
        case Section():
            return given
        case str(text):
            return Section(text=text)
        case {"text": str(text), **more}:
            return Section(heading=str(more.get("heading") or ""), text=text)
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper: at least one section of source, and at least one reference abstract.

    The facets and facts of its one reference may be frozen; None where they are not.
    """

    id: str
    title: str = ""
    source: tuple[Section, ...]
    references: tuple[str, ...]
    reference_facets: FacetSegments | None = None
    reference_facts: tuple[Fact, ...] | None = None
    place: Place


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a text that a model returned is no summary: it was cut off, declined, or filtered."""

    status: Literal["degenerate_candidate", "refused_candidate"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One system's summary of one paper.

    Attributes:
        place: The line that holds the summary, or that of the system where a model was asked.
        flaw: The system's fault that leaves nothing to score; None where there is none.
        note: What a reader of the verdict has to know of how the summary was made; mostly empty.
    """

    paper: Paper
    system: str
    summary: str
    place: Place
    flaw: Flaw | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """A system: recorded summaries, or an endpoint that is asked for them; exactly one of both.

    Attributes:
        summaries: The file of summaries as the suite names it.
        endpoint: The endpoint that is asked, by its name.
        model: The endpoint's name for the model; there exactly where an endpoint is.
        prompt: One of `PROMPTS`, or the text of a template of one's own.
        max_tokens: Of a summary; one that needs more is cut off, and fails.
        context_tokens: What the model can read and write at once; longer sources lose their middle.
        temperature: Of its sampling, 0 to 2.
        price: What its tokens cost; None where nobody said.
        skip: The papers that this system has no summary for, on purpose.
    """

    name: str
    summaries: str | None = None
    endpoint: str | None = None
    model: str | None = None
    prompt: str = PROMPTS[0]
    max_tokens: int = 1024
    context_tokens: int | None = None
    temperature: float = 0.0
    price: Price | None = None
    skip: tuple[str, ...] = ()
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec:
    """A model that judges.

    Attributes:
        endpoint: The endpoint that is asked, by its name.
        model: The endpoint's name for the model.
        votes: How many votes it gives on each question.
        batched: Whether a request may ask about several items; the papers ask about one at a time.
        rubric: In whose words it is told what a rating of a facet means.
        examples: Whether it is shown worked examples of ratings.
        facets: How a facet of the reference is found in a summary.
        pinned: Whether replies have to come from that very model; None where its name decides.
        price: What its tokens cost; None where nobody said.
    """

    name: str
    endpoint: str
    model: str
    votes: int = 1
    batched: bool = True
    rubric: Rubric = "paper"
    examples: bool = True
    facets: FacetReading = "whole"
    pinned: bool | None = None
    price: Price | None = None
    manner: SentenceManner = field(default_factory=SentenceManner)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSpec:
    """A judge whose judgements the suite's file of records holds; it rates facets, nothing else.

    ``by`` names whose ratings of facets count, ``segments_by`` whose segments were rated.
    """

    name: str
    by: str
    segments_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedSpec:
    """A judge that leaves each kind of question to another judge, by its name."""

    name: str
    facets: str = OFFLINE
    facts: str = OFFLINE
    sentences: str = OFFLINE

    def asks(self, duty: Duty) -> str:
        """Who answers the questions of a kind."""
        own: str = self.facts if duty == "listing" else getattr(self, duty)
        return own


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckerSpec:
    """A small model of this machine that checks facts and sentences; the rest is others'.

    Attributes:
        folder: The model: absolute where it stands beside the suite file, else as it is named.
        supported: The label that means support, or its number; None where the model says.
        threshold: From which probability on a claim is supported, 0 to 1.
        window: How many tokens it reads at once; None for the usual number.
        joined: Whether it reads text and claim as one text, and not as a pair.
        device: ``cpu``, ``auto`` or another of torch's.
        facets: Who answers about facets.
        facts: Who lists facts and relations.
    """

    name: str
    folder: str
    supported: str | int | None = None
    threshold: float = 0.5
    window: int | None = None
    joined: bool = False
    device: str = "cpu"
    facets: str = OFFLINE
    facts: str = OFFLINE

    def asks(self, duty: Duty) -> str:
        """Who answers the questions of a kind."""
        return {"facets": self.facets, "listing": self.facts}.get(duty, self.name)


def summaries_digest(summaries: Mapping[str, str]) -> str:
    """12 hex digits over a system's summaries, by paper, in any order."""
    texts = sorted((paper, normalise(text)) for paper, text in summaries.items())
    return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


AnyJudge = JudgeSpec | RecordedSpec | ComposedSpec | CheckerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One threshold as written: a finite number; `verdict.thresholds` checks its range."""

    name: str
    value: float
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Somebody's word that one number of one pair may fall short for a while.

    Attributes:
        paper: The paper, or ``all-papers`` for a mean.
        system: The system.
        finding: The number that may fall short, by the name of its threshold.
        least: What it may not fall below all the same; None for no bound.
        most: What it may not exceed, where its threshold is an upper bound; None for no bound.
        owner: Who answers for it.
        reason: Why; every report says it.
        expires: The last day on which it holds, as ``2027-01-31``.
    """

    name: str
    paper: str
    system: str
    finding: str
    least: float | None = None
    most: float | None = None
    owner: str
    reason: str
    expires: str
    place: Place

    @property
    def bound(self) -> float | None:
        """What the number has to keep all the same; None for no bound."""
        return self.least if self.most is None else self.most

    def __str__(self) -> str:
        """The waiver in words that a message can go on from."""
        return f"{self.place}: waiver {self.name!r} of {self.finding} (owner {self.owner!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The papers and systems that other lines may name."""

    papers: Collection[str]
    systems: Mapping[str, SystemSpec]

    def paper(self, fields: Fields) -> str:
        """The paper that these fields name under ``paper``."""
        return self._known(fields, "paper", self.papers)

    def system(self, fields: Fields, paper: str) -> str:
        """The system that these fields name under ``system``; it must not skip the paper."""
        name = self._known(fields, "system", self.systems)
        if paper in self.systems[name].skip:
            raise fields.fault(
                "system",
                f"{fields.owner} is for paper {paper!r}, which system {name!r} lists under"
                " 'skip'; delete one of the two",
            )
        return name

    def _known(self, fields: Fields, key: str, known: Collection[str]) -> str:
        name = fields.text(key)
        fields.check_known(key, name, known, f"{fields.owner} is for the unknown {key}")
        return name
