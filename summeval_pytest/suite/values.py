"""Values of a suite, which are the models of its files: papers, pairs, systems, judges, waivers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, ValidationInfo
from pydantic.functional_validators import ValidateAs

from summeval_pytest.endpoints.chat import Effort, text_of
from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.errors import Place
from summeval_pytest.questions import (
    FACETS,
    OFFLINE,
    Duty,
    FacetReading,
    FacetSegments,
    Fact,
    PanelRule,
    Rubric,
    SentenceManner,
    SentenceMode,
)
from summeval_pytest.suite.entries import (
    FileEntry,
    Flag,
    Given,
    Index,
    Names,
    Number,
    Text,
    Whole,
    expecting,
    mistake,
)
from summeval_pytest.text.output import Output, read_text
from summeval_pytest.text.reading import normalise

PROMPTS: Final = ("abstract", "plain")
"""The prompts for models under test that exist without being written to a file."""

SOURCE_MARK: Final = "{source}"
"""Where a prompt's template takes the paper's text."""
CLAIM_MARK: Final = "{claim}"
"""Where a checker's prompt takes the claim, if both are one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a paper's source; the heading is empty where the paper gives none."""

    heading: Text = ""
    text: Text


def section_of(given: object) -> Section | None:
    """A section that a caller gives as one, as a text or as its fields; None for anything else."""
    match given:
        case Section():
            return given
        case str(text):
            return Section(text=text)
        case {"text": str(text), **more}:
            return Section(heading=str(more.get("heading") or ""), text=text)
        case _:
            return None


_Segment = Annotated[Text | None, expecting("a text, or null where there is none")]


@dataclass(slots=True)
class _Segments:
    background: _Segment = None
    method: _Segment = None
    result: _Segment = None
    conclusion: _Segment = None


def _segments(line: _Segments) -> FacetSegments:
    return FacetSegments(**{facet: getattr(line, facet) or "" for facet in FACETS})


def _any_segment(segments: FacetSegments) -> FacetSegments:
    if segments == FacetSegments():
        raise mistake("has no text for any facet; write one, or leave the key out")
    return segments


Segments = Annotated[FacetSegments, ValidateAs(_Segments, _segments)]
"""The segment of each facet; one that is null or not there is empty."""


@dataclass(slots=True)
class _Fact:
    text: Text
    sentence: Index = 0
    parent: Annotated[Index | None, expecting("the index of an earlier fact, or null")] = None


def _facts(lines: tuple[_Fact, ...]) -> tuple[Fact, ...]:
    for index, line in enumerate(lines):
        if line.parent is not None and line.parent >= index:
            what = f"names fact {line.parent} as the 'parent' of fact {index}"
            raise mistake(f"{what}; write the index of an earlier fact, from 0, or null")
    return tuple(Fact(text=line.text, sentence=line.sentence, parent=line.parent) for line in lines)


def _short(form: Callable[[str], object]) -> BeforeValidator:
    """Read a text as the value that it is short for."""
    return BeforeValidator(lambda value: form(value) if isinstance(value, str) else value)


_Facts = Annotated[
    tuple[Fact, ...],
    ValidateAs(tuple[Annotated[_Fact, _short(lambda text: {"text": text})], ...], _facts),
    Field(min_length=1),
    expecting("a list of texts or of {'text', 'sentence', 'parent'}"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper: at least one section of source, and at least one reference abstract.

    The facets and facts of its one reference may be frozen; None if they are not.
    """

    id: Text
    title: Text = ""
    source: Annotated[
        tuple[Section, ...],
        _short(lambda text: [{"text": text}]),
        Field(min_length=1),
        expecting("a text or a list of {'heading', 'text'}"),
    ]
    references: Annotated[
        Names,
        _short(lambda text: [text]),
        Field(validation_alias="reference", min_length=1),
        expecting("a text or a list of texts"),
    ]
    reference_facets: Given[Annotated[Segments, AfterValidator(_any_segment)]] = None
    reference_facts: Given[_Facts] = None
    provenance: Given[Text] = field(default=None, compare=False, repr=False)
    place: Place

    def repeats_reference(self, summary: str) -> bool:
        """Whether a summary is one of the references, word for word."""
        return summary.split() in map(str.split, self.references)


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a text of a model is no summary: it was cut off, declined, or filtered."""

    status: Literal["degenerate_candidate", "refused_candidate"]
    reason: str


NO_SUMMARY: Final = Flaw(
    "degenerate_candidate", "the model's output has thoughts, and no summary after them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One system's summary of one paper.

    Attributes:
        place: The line of the summary, or of the system if a model wrote it.
        flaw: The system's fault that leaves nothing to score; None without one.
        note: Anything unusual about how the summary was made; mostly empty.
    """

    paper: Paper
    system: str
    summary: str
    place: Place
    flaw: Flaw | None = None
    note: str = ""


def read_output(content: object) -> Output | None:
    """The output in a message's content; None where it is no text and no list of parts."""
    text = text_of(content)
    if text is None:
        return None
    output = read_text(text)
    has_more = isinstance(content, list) and any("text" not in part["type"] for part in content)
    return output._replace(had_thoughts=output.had_thoughts or has_more)


def pair_of(paper: Paper, system: str, output: Output, place: Place) -> Pair:
    """The pair of a recorded output; one with thoughts and no summary is the system's fault."""
    if not output.had_thoughts:
        return Pair(paper=paper, system=system, summary=output.text, place=place)
    flaw = None if output.text else NO_SUMMARY
    note = "the model's thoughts were left out of its summary"
    return Pair(paper=paper, system=system, summary=output.text, place=place, flaw=flaw, note=note)


Dollars = Annotated[Number, Field(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """The tokens of a model's replies, their price (else the list's), and who may reply.

    Attributes:
        max_tokens: The maximum number of tokens of a reply, including hidden reasoning; None:
            16384, or more if the model was seen to need more. A longer reply is cut off, and cannot
            be used.
        reasoning_effort: How much a reasoning model thinks before it answers.
        input_price: Dollars per million prompt tokens. It needs `output_price`.
        output_price: Dollars per million reply tokens.
        cached_input_price: Dollars per million prompt tokens from the endpoint's cache.
        pinned: Whether replies must come from this very model; None: yes if its name has a date, a
            digest or a numbered tag.
    """

    max_tokens: Given[Whole] = None
    reasoning_effort: Given[Effort] = None
    pinned: Given[Flag] = None
    input_price: Given[Dollars] = None
    output_price: Given[Dollars] = None
    cached_input_price: Given[Dollars] = None

    @property
    def price(self) -> Price | None:
        """What the tokens cost; None where nobody said."""
        if self.input_price is None or self.output_price is None:
            return None
        return Price(self.input_price, self.output_price, self.cached_input_price)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec(_Model):
    """A system with recorded summaries, or with an endpoint that is asked for them.

    Attributes:
        summaries: The file of summaries, as the suite names it.
        skip: Papers for which this system has no summary, on purpose; not all of them.
        endpoint: The endpoint of the model that writes the summaries.
        model: The endpoint's name for the model. It needs `endpoint`.
        prompt: One of `PROMPTS`, or the text of your own template.
        context_tokens: The maximum number of tokens that the model can read and write. Longer
            sources lose their middle.
        temperature: The temperature of its sampling, 0 to 2.
    """

    name: str
    summaries: Given[Text] = None
    skip: Names = ()
    endpoint: Given[Text] = None
    model: Given[Text] = None
    prompt: Text = PROMPTS[0]
    context_tokens: Given[Whole] = None
    temperature: Annotated[Number, Field(ge=0, le=2)] = 0.0
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec(_Model):
    """A model that judges.

    Attributes:
        endpoint: The model's endpoint.
        model: The endpoint's name for the model.
        votes: How often each question is asked.
        batched: Whether a request may ask about several items. The papers ask about one at a time.
        rubric: The words that explain a facet's ratings to the model. `"paper"`: those of the FM
            paper. `"release"`: those of its released prompts.
        examples: Whether the prompt has worked examples of ratings. ``"labels"`` takes them from
            the suite's labels, never of the same paper.
        sentence_examples: Whether the prompt has labelled sentences of other papers as examples. It
            needs ``sentences = "quotes"``.
        fact_examples: Whether the prompt has labelled facts of other papers as examples.
        facets: What the judge compares with a facet of the reference. `"whole"`: the whole summary.
            `"free"`: the words that it copies from the summary for this facet. `"sentences"`: the
            sentences that state this facet. `"facts"`: the whole summary, fact by fact.
        sentences: What the judge is asked about a sentence. `"quotes"`: a label with quotations.
            `"label"`: yes or no, one sentence per request. `"label-and-sentences"`: the same, and
            the supporting sentences.
        strict: Whether a sentence counts as unsupported if the judge calls it supported but names
            no evidence. Not with `sentences = "label"`.
        factual: Whether the judge is also asked if an unsupported sentence is true in general.
    """

    name: str
    endpoint: Text
    model: Text
    votes: Annotated[Whole, Field(le=999_999)] = 1
    batched: Flag = True
    rubric: Rubric = "paper"
    examples: Annotated[Flag | Literal["labels"], expecting('true, false or "labels"')] = True
    facets: FacetReading = "whole"
    sentences: SentenceMode = "quotes"
    strict: Flag = False
    factual: Flag = False
    sentence_examples: Flag = False
    fact_examples: Flag = False

    @property
    def manner(self) -> SentenceManner:
        """How it is asked about sentences."""
        return SentenceManner(mode=self.sentences, strict=self.strict, factual=self.factual)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSpec:
    """A judge whose ratings of facets stand in the suite's file of records.

    ``by`` names whose ratings of facets count, ``segments_by`` whose segments were rated.
    """

    name: str
    by: Annotated[Text, Field(validation_alias="recorded")]
    segments_by: Annotated[Text, Field(validation_alias="segments")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedSpec:
    """A judge that leaves each kind of question to another judge, by its name.

    Attributes:
        sentences: The judge of sentences, or several of them.
        rule: If there are several judges of sentences: `"all"` of them have to support a sentence,
            or `"any"` of them.
    """

    name: str
    facets: Text = OFFLINE
    facts: Text = OFFLINE
    sentences: Annotated[
        Names,
        _short(lambda text: [text]),
        Field(min_length=1),
        expecting("a name or a list of names"),
    ] = (OFFLINE,)
    rule: PanelRule = "all"

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind."""
        own: str | tuple[str, ...] = self.facts if duty == "listing" else getattr(self, duty)
        return (own,) if isinstance(own, str) else own


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckerSpec:
    """A small model on this machine that checks facts and sentences.

    Attributes:
        folder: The model: a folder beside the suite, or a model's name.
        supported: The name or index of the class that means "supported"; None: the one that the
            model's class names suggest.
        threshold: A claim is supported from this probability, 0 to 1.
        window: The maximum length of an input in tokens; None: 512, or the model's maximum if that
            is smaller.
        prompt: How the model reads a source. With ``{claim}``, it reads both as one text, else as a
            pair.
        facets: The judge that rates facets.
        facts: The judge that lists facts and relations.
    """

    name: str
    folder: Annotated[Text, Field(validation_alias="checker")]
    supported: Given[
        Annotated[Text | Annotated[int, Strict()], expecting("a label of the model, or its number")]
    ] = None
    threshold: Annotated[Number, Field(ge=0, le=1)] = 0.5
    window: Given[Whole] = None
    prompt: Annotated[
        Text,
        Field(pattern=r"^[^{}]*\{source\}[^{}]*(\{claim\}[^{}]*)?$"),
        expecting('a text with "{source}", and then "{claim}" if both are one text'),
    ] = SOURCE_MARK
    facets: Text = OFFLINE
    facts: Text = OFFLINE

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind."""
        return ({"facets": self.facets, "listing": self.facts}.get(duty, self.name),)


AnyJudge = JudgeSpec | RecordedSpec | ComposedSpec | CheckerSpec


def summaries_digest(summaries: Mapping[str, str]) -> str:
    """12 hex digits over a system's summaries, by paper, in any order."""
    texts = sorted((paper, normalise(text)) for paper, text in summaries.items())
    return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


ASKED: Final = "asked-"
"""The digest of a system that is asked for its summaries starts so."""
MIN_SHARE: Final = 0.8
"""The least share of papers in common where a suite names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One threshold as written: a finite number; `verdict.thresholds` checks its range."""

    name: str
    value: float
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareTable:
    """The table ``[compare]``, for comparisons with a saved run; `verdict.policy` checks it.

    Attributes:
        no_worse: A table from metrics or numbers to how much worse they may be, as in
            `no_worse = {facet = 0.05}`.
        share: The share of all papers that both runs must have, more than 0 and at most 1.
            Otherwise they are not compared.
    """

    no_worse: tuple[Setting, ...] = ()
    share: Annotated[
        Annotated[Number, Field(gt=0, le=1)], expecting("a number above 0 and up to 1")
    ] = MIN_SHARE


def _day(value: object, info: ValidationInfo) -> object:
    """The last day of a waiver; TOML has dates, and a text that reads as one will do."""
    if not info.context:
        return value
    day = dt.date.fromisoformat(value) if isinstance(value, str) else value
    if type(day) is dt.date:  # which a moment is, too
        return day.isoformat()
    raise ValueError("no day")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A permission for one number of one pair to miss its threshold for a while.

    Attributes:
        paper: The paper, or ``all-papers`` for a mean.
        system: The system.
        finding: The number that may miss its threshold.
        least: The number must still reach this; None: no bound.
        most: The number must not exceed this, if its threshold is an upper bound; None: no bound.
        owner: Who is responsible.
        reason: Why. Every report states it.
        expires: The last day on which it holds, as ``2027-01-31``.
    """

    name: str
    paper: Text
    system: Text
    finding: Text
    least: Given[Number] = None
    most: Given[Number] = None
    owner: Text
    reason: Text
    expires: Annotated[str, BeforeValidator(_day), expecting("a day, expires = 2027-01-31")]
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

    papers: Mapping[str, Paper]
    systems: Mapping[str, SystemSpec]

    def check(self, entry: FileEntry, paper: str | None, system: str | None = None) -> None:
        """Refuse an unknown paper or system, and a system that skips the paper."""
        for key, name, known in (("paper", paper, self.papers), ("system", system, self.systems)):
            if name is not None:
                entry.check_known(key, name, known, f"{entry.owner} is for the unknown {key}")
        if system is not None and paper in self.systems[system].skip:
            what = f"{entry.owner} is for paper {paper!r}, which system {system!r} lists under"
            raise entry.fault("system", f"{what} 'skip'; delete one of the two")
