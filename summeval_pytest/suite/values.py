"""Values of a suite: papers, pairs, and specifications of systems and judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place  # noqa: TC001 - run records read it
from summeval_pytest.questions import SentenceManner

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from summeval_pytest.endpoints.endpoint import Price
    from summeval_pytest.questions import FacetSegments, Fact, Rubric
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper with its reference abstracts, and what someone has reviewed and frozen of them.

    Attributes:
        id: The name of the paper in node ids and in every other file of the suite.
        title: Empty where the suite gives none.
        source: The paper's text, at least one section.
        references: The reference abstracts, at least one.
        reference_facets: The facets of the one reference; None where they are not frozen.
        reference_facts: The facts of the one reference; None where they are not frozen.
        place: The line of the paper.
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
        paper: The paper.
        system: The system's name.
        summary: What it wrote.
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
        name: The system's name in node ids and labels.
        summaries: The file of summaries as the suite names it.
        endpoint: The endpoint that serves the system; None where summaries are recorded.
        model: The endpoint's name for the model; there exactly where an endpoint is.
        prompt: One of `PROMPTS`, or the text of a template of one's own.
        max_tokens: At most so many tokens of summary; one that needs more is cut off, and fails.
        context_tokens: What the model can read and write at once; longer sources lose their middle.
        temperature: 0 for the likeliest summary.
        price: What its tokens cost; None where nobody said.
        skip: The papers that this system has no summary for, on purpose.
        place: The line of the system's table.
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
        name: The judge's name.
        endpoint: The endpoint that serves it.
        model: The endpoint's name for the model.
        votes: How many votes it gives on each question.
        batched: Whether a request may ask about several items; the papers ask about one at a time.
        rubric: In whose words it is told what a rating of a facet means.
        examples: Whether it is shown worked examples of ratings.
        pinned: Whether replies have to come from that very model; None where its name decides.
        price: What its tokens cost; None where nobody said.
        manner: How it is asked about sentences.
    """

    name: str
    endpoint: str
    model: str
    votes: int = 1
    batched: bool = True
    rubric: Rubric = "paper"
    examples: bool = False
    pinned: bool | None = None
    price: Price | None = None
    manner: SentenceManner = field(default_factory=SentenceManner)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSpec:
    """A judge whose judgements the suite's file of records holds; it rates facets, nothing else.

    Attributes:
        name: The judge's name.
        by: Whose ratings of facets count, as the records name it.
        segments_by: Whose segments of the texts were rated.
    """

    name: str
    by: str
    segments_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One threshold as written: a finite number; its range is the verdict's business."""

    name: str
    value: float
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Somebody's word that one number of one pair may fall short for a while.

    Attributes:
        name: The waiver's name in the suite file.
        paper: The paper, or ``all-papers`` for a mean.
        system: The system.
        finding: The number that may fall short, by the name of its threshold.
        least: What it may not fall below all the same; None for no bound.
        most: What it may not exceed, where its threshold is an upper bound; None for no bound.
        owner: Who answers for it.
        reason: Why.
        expires: The last day on which it holds, as ``2027-01-31``.
        place: The line of the waiver.
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

    @property
    def told(self) -> str:
        """The waiver in words that a message can go on from."""
        return f"{self.place}: waiver {self.name!r} of {self.finding} (owner {self.owner!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The papers and systems that other lines may name."""

    papers: Collection[str]
    systems: Mapping[str, SystemSpec]

    def paper(self, fields: Fields) -> str:
        """The paper that these fields name under ``paper``."""
        name = fields.text("paper")
        what = f"{fields.owner} is for the unknown paper"
        fields.check_known("paper", name, self.papers, what)
        return name

    def system(self, fields: Fields, paper: str) -> str:
        """The system that these fields name under ``system``; it must not skip the paper."""
        name = fields.text("system")
        what = f"{fields.owner} is for the unknown system"
        fields.check_known("system", name, self.systems, what)
        if paper in self.systems[name].skip:
            raise fields.fault(
                "system",
                f"{fields.owner} is for paper {paper!r}, which system {name!r} lists under"
                " 'skip'; delete one of the two",
            )
        return name
