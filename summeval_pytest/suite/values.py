"""Values of a suite, which are the models of its files: papers, pairs, systems, judges, waivers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic.functional_validators import ValidateAs

from summeval_pytest.endpoints.chat import DecisionRoute, Effort, text_of
from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.errors import Place
from summeval_pytest.questions import (
    FACETS,
    OFFLINE,
    Duty,
    FacetSegments,
    Fact,
    PanelRule,
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
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.text.output import Output, read_text
from summeval_pytest.text.reading import normalise

PROMPTS: Final = ("abstract", "plain")
"""The prompts for models under test that exist without being written to a file."""

SOURCE_MARK: Final = "{source}"
"""Where a prompt's template takes the paper's text."""


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
    return BeforeValidator(
        lambda value: form(value) if isinstance(value, str) else value,
        json_schema_input_type=Text | Annotated[list[Any], Field(min_length=1)],
    )


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

    def has_text(self, text: str, *, in_references: bool = True) -> bool:
        """Whether a text is the source or one of the references, word for word."""
        own = [" ".join(section.text for section in self.source)]
        own += self.references if in_references else ()
        return text.split() in map(str.split, own)


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
    if paper.has_text(output.text, in_references=False):
        note = "the summary is the whole paper, word for word"
        return Pair(paper=paper, system=system, summary=output.text, place=place, note=note)
    if not output.had_thoughts:
        return Pair(paper=paper, system=system, summary=output.text, place=place)
    flaw = None if output.text else NO_SUMMARY
    note = "the model's thoughts were left out of its summary"
    return Pair(paper=paper, system=system, summary=output.text, place=place, flaw=flaw, note=note)


Dollars = Annotated[Number, Field(ge=0, le=100_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Priced:
    """The price of a model's tokens (else the list's), and who may reply.

    Attributes:
        input_price: Dollars per million prompt tokens. It needs `output_price`.
        output_price: Dollars per million reply tokens.
        cached_input_price: Dollars per million prompt tokens from the endpoint's cache.
        pinned: Whether replies must come from this very model; None: yes if its name has a date, a
            digest or a numbered tag, and else from no other model of its family.
    """

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
class _Model(_Priced):
    """The tokens of a model's replies.

    Attributes:
        max_tokens: The maximum number of tokens of a reply, including hidden reasoning; None:
            16384, or more if the model was seen to need more. A longer reply is cut off, and cannot
            be used.
        reasoning_effort: How much a reasoning model thinks before it answers.
    """

    max_tokens: Given[Whole] = None
    reasoning_effort: Given[Effort] = None


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


@dataclass(frozen=True, kw_only=True)
class JudgeKeys:
    """The table of a judge. A class that a suite names by ``use`` extends it: its fields are keys.

    It has a method ``judge(given)``, which makes the judge from `run.judge_inputs.JudgeInputs`. A
    class that extends `JudgeSpec` asks a model. One that sets ``facets_only`` answers no other
    questions: metrics, thresholds and labels of anything else are left out.
    """

    name: str
    facets_only: ClassVar[bool] = False

    def asks(self, duty: Duty) -> tuple[str, ...]:  # noqa: ARG002 - others depend on it
        """The judges that answer the questions of a kind, by name: this one unless it says so."""
        return (self.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpec(_Model, JudgeKeys):
    """A model that judges.

    Attributes:
        endpoint: The model's endpoint.
        model: The endpoint's name for the model.
        votes: How often each question is asked.
        batched: Whether a request may ask about several items. The papers ask about one at a time.
        examples: Whether the prompt has worked examples of ratings. ``"labels"`` takes examples of
            ratings, sentences and facts from the suite's labels, never of the same paper.
    """

    endpoint: Text
    model: Text
    votes: Annotated[Whole, Field(le=999_999)] = 1
    batched: Flag = True
    examples: Annotated[Flag | Literal["labels"], expecting('true, false or "labels"')] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionSpec(_Priced, JudgeKeys):
    """A decision model that judges: it answers with probabilities.

    Attributes:
        kind: The route of its endpoint: `"decisions"` (OpenAI's) or `"systemone"` (TypeSafe's).
        endpoint: The model's endpoint.
        model: The endpoint's name for the model.
        threshold: A sentence or fact is supported from this probability on, 0 to 1.
        facts: The judge that lists facts: a judge of the suite, or `offline`.
    """

    kind: DecisionRoute
    endpoint: Text
    model: Text
    threshold: Annotated[Number, Field(ge=0, le=1)] = 0.5
    facts: Text = OFFLINE

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind."""
        return (self.facts if duty == "listing" else self.name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedSpec(JudgeKeys):
    """A judge of a class that the suite names; `file.used_keys` reads the keys of the class.

    Attributes:
        use: The class, as ``package.module:Class``.
        values: The keys of the class and their values. They and ``use`` tell two judges apart.
        table: The table, for messages.
        file: The suite's file, beside which files lie.
        endpoints: The names of the suite's endpoints.
    """

    use: str
    values: Mapping[str, object]
    table: FileEntry = field(compare=False, repr=False)
    file: TextFile = field(compare=False, repr=False)
    endpoints: Collection[str] = field(compare=False, repr=False)


_Jury = Annotated[
    Names,
    _short(lambda text: [text]),
    Field(min_length=1),
    expecting("a name or a list of names"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedSpec(JudgeKeys):
    """A judge that leaves each kind of question to another judge, by its name, or to several.

    Attributes:
        facets: The judge that rates facets, or several.
        facts: The judge that checks facts, or several. The first one lists them.
        sentences: The judge of sentences, or several.
        rule: If there are several judges: `"all"` of them have to support a sentence or fact,
            `"any"` of them, or the `"majority"` (3 judges or more). A rating is the lowest, the
            highest or the median.
    """

    facets: _Jury = (OFFLINE,)
    facts: _Jury = (OFFLINE,)
    sentences: _Jury = (OFFLINE,)
    rule: PanelRule = "all"

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind."""
        own: tuple[str, ...] = self.facts[:1] if duty == "listing" else getattr(self, duty)
        return own


def _in_order(pair: tuple[float, ...]) -> tuple[float, ...]:
    if pair[0] > pair[1]:
        raise mistake("begins above its end; write the lower probability first")
    return pair


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeSpec(JudgeKeys):
    """A judge, and a second one for the items of which the first is unsure.

    Attributes:
        first: The judge of all items: a judge of the suite.
        then: The judge of the unsure items: a judge of the suite.
        unsure: A sentence or fact is unsure if its probability is between these two, ends included.
            A rating is unsure if its probability is below the second.
    """

    first: Text
    then: Text
    unsure: Annotated[
        tuple[Annotated[Number, Field(ge=0, le=1)], ...],
        Field(min_length=2, max_length=2),
        AfterValidator(_in_order),
        expecting("two probabilities, as [0.3, 0.7]"),
    ]

    def asks(self, duty: Duty) -> tuple[str, ...]:
        """Who answers the questions of a kind: the first judge lists facts."""
        return (self.first if duty == "listing" else self.name,)


AskedSpec = JudgeSpec | DecisionSpec
"""A judge that asks a model at an endpoint."""
AnyJudge = AskedSpec | ComposedSpec | CascadeSpec | UsedSpec


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
            `no_worse = {facet = 0.05}`. Without `no_worse` and `drop`, each metric has 0.05.
        drop: A table from metrics or numbers to how far their means may drop, as in
            `drop = {facet = 0.02}`, whether the drop is significant or not.
        share: The share of all papers that both runs must have, more than 0 and at most 1.
            Otherwise they are not compared.
    """

    no_worse: tuple[Setting, ...] = ()
    drop: tuple[Setting, ...] = ()
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
        most: The number must not exceed this, if its threshold is a maximum; None: no bound.
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
