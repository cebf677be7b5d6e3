"""What a suite holds, as values: papers, pairs, and the specs of systems, endpoints and judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from summeval_pytest.errors import Place
    from summeval_pytest.questions import FacetSegments, Fact

BUILT_IN_ENDPOINTS: Final = ("ollama", "openai")
"""The endpoints that exist without being written in a suite."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One system's summary of one paper, and the line that holds the summary."""

    paper: Paper
    system: str
    summary: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """A system: recorded summaries, or an endpoint that is asked for them; exactly one of both.

    Attributes:
        name: The system's name in node ids and labels.
        summaries: The file of summaries as the suite names it.
        endpoint: The endpoint that serves the system; None where summaries are recorded.
        model: The endpoint's name for the model; there exactly where an endpoint is.
        prompt: A named template or a file; None stands for the endpoint's default.
        skip: The papers that this system has no summary for, on purpose.
        place: The line of the system's table.
    """

    name: str
    summaries: str | None = None
    endpoint: str | None = None
    model: str | None = None
    prompt: str | None = None
    skip: tuple[str, ...] = ()
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSpec:
    """Where models answer; None leaves the address or the limit to what is built in."""

    name: str
    base_url: str | None = None
    max_in_flight: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec:
    """A model that judges, and how many votes it gives on each question."""

    name: str
    endpoint: str
    model: str
    votes: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One threshold as written: a finite number; its range is the verdict's business."""

    name: str
    value: float
    place: Place
