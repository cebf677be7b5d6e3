"""Who judges and who is judged, from the names that a user gives and a suite defines.

A name that no suite defines is a model at the address that was asked for, else at OPENAI_BASE_URL,
else at OpenAI for a judge and at Ollama for a model under test.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from statistics import median_low
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from summeval_pytest.endpoints.endpoint import (
    OLLAMA,
    OPENAI,
    EndpointSpec,
    Keys,
    default_endpoint,
    find_endpoint,
)
from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.judges.judge import OFFLINE
from summeval_pytest.judges.recorded import RecordedJudge
from summeval_pytest.metrics.facet import EMPTY_RATING, ground, stated_again
from summeval_pytest.questions import FACETS, FacetPair, FacetRating
from summeval_pytest.suite.values import JudgeSpec, SystemSpec
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import Address, Price
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.suite.labels import Recorded
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper, RecordedSpec


SpecT = TypeVar("SpecT")


class Lines(Protocol):
    """Whoever connects to endpoints: to ask them, or only to find out what would be asked."""

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender of requests to one endpoint, whose tokens have a price."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What a run needs to know to find a judge and the models under test.

    Attributes:
        environ: The environment variables.
        endpoint: Where models are that no suite defines; None for the usual place.
        keys: Where keys may go.
        votes: Votes on each question, in place of the judge's own number.
        in_flight: How many requests one process may have open at once.
        n_processes: How many processes share an endpoint's own limits.
    """

    environ: Mapping[str, str]
    endpoint: str | None = None
    keys: Keys = field(default_factory=lambda: Keys.of({}))
    votes: int | None = None
    in_flight: int = 64
    n_processes: int = 1

    def judge(self, spec: JudgeSpec, suites: Sequence[Suite], lines: Lines) -> Judge:
        """A model that judges.

        Raises:
            OptionError: if its endpoint is unknown.
        """
        from summeval_pytest.judges.llm.facets_and_facts import Style
        from summeval_pytest.judges.llm.judge import LlmJudge

        address = self.judge_address(spec, suites)
        address = replace(address, hint=_hint(spec.name, suites), pinned=spec.pinned)
        return LlmJudge(
            lines.line(address, address.price(spec.price)),
            model=spec.model,
            endpoint=address.endpoint.name,
            votes=self.votes_of(spec),
            batched=spec.batched,
            style=Style(rubric=spec.rubric, examples=spec.examples),
            in_flight=self.in_flight,
            manner=spec.manner,
        )

    def votes_of(self, spec: JudgeSpec) -> int:
        """How often a model is asked for each judgement."""
        return spec.votes if self.votes is None else self.votes

    def judge_spec(self, name: str, suites: Sequence[Suite]) -> JudgeSpec:
        """The judge as a suite defines it, else a model of that name at the usual place.

        Raises:
            OptionError: if two suites define it differently, and for a misspelt ``offline``.
        """
        defined = _agreed("judge", (suite.judges for suite in suites))
        if name in defined:
            return defined[name]
        if get_close_matches(name, [OFFLINE], cutoff=0.8):
            raise OptionError(f"no judge {name!r}; did you mean {OFFLINE!r}?")
        place = default_endpoint(self.endpoint, self.environ, OPENAI)
        return JudgeSpec(name=name, endpoint=place, model=name)

    def system_spec(self, name: str) -> SystemSpec:
        """A system that no suite defines: a model of that name at the usual place."""
        place = default_endpoint(self.endpoint, self.environ, OLLAMA)
        return SystemSpec(
            name=name, endpoint=place, model=name, place=Place(f"--summ-model={name}")
        )

    def sender(self, suite: Suite, spec: SystemSpec, lines: Lines) -> Sender:
        """Who gets the replies of a model under test.

        Raises:
            OptionError: if its endpoint is unknown.
        """
        assert spec.endpoint is not None, "recorded summaries are asked of nobody"
        address = self.address(spec.endpoint, suite.endpoints)
        return lines.line(address, address.price(spec.price))

    def judge_address(self, spec: JudgeSpec, suites: Sequence[Suite]) -> Address:
        """Where a judge is asked.

        Raises:
            OptionError: if its endpoint is unknown.
        """
        return self.address(spec.endpoint, _endpoints(suites))

    def address(self, endpoint: str, defined: Mapping[str, EndpointSpec]) -> Address:
        """The endpoint of a name.

        Raises:
            OptionError: if it is unknown, and for a key that may not go there.
        """
        return find_endpoint(
            endpoint, defined, self.environ, self.keys, n_processes=self.n_processes
        )


def _hint(name: str, suites: Sequence[Suite]) -> str:
    """The defined judge that somebody may have meant who named one that is not defined."""
    defined = {name for suite in suites for name in (*suite.judges, *suite.recorded_judges)}
    meant = "" if name in defined else nearest(name, defined)
    return f" (a judge of the suite? {meant})" if meant.startswith("did you mean") else ""


def _endpoints(suites: Sequence[Suite]) -> Mapping[str, EndpointSpec]:
    return _agreed("endpoint", (suite.endpoints for suite in suites))


def _agreed(kind: str, tables: Iterable[Mapping[str, SpecT]]) -> Mapping[str, SpecT]:
    found: dict[str, SpecT] = {}
    for table in tables:
        for name, spec in table.items():
            if found.setdefault(name, spec) != spec:
                raise disagreement(kind, name)
    return found


def disagreement(kind: str, name: str) -> OptionError:
    """The mistake of suites that mean different things by one name."""
    return OptionError(
        f"two suites of this run define {kind} {name!r} differently; gate them one by one, or"
        " rename one of the two"
    )


_DIGITS: Final = 12


def recorded_judge(spec: RecordedSpec, suites: Sequence[Suite]) -> RecordedJudge:
    """The judge of that name, over the records of all suites of a run.

    Where two papers or summaries are the same text, the first record of its segments counts, and
    of several ratings of the same two segments the lower median: a question has one answer.

    Raises:
        OptionError: where a suite of the run does not define the judge.
    """
    segments: dict[str, FacetSegments] = {}
    ratings: defaultdict[FacetPair, list[int]] = defaultdict(list)
    digest = hashlib.sha256()
    for suite in suites:
        if suite.recorded_judges.get(spec.name) != spec:
            raise OptionError(
                f"judge {spec.name!r} is recorded, and {suite.shown} has no records of it; gate the"
                " suites one by one"
            )
        records = [record for record in suite.recorded() if _is_text_known(suite, record)]
        for record in records:
            if record.by == spec.segments_by and record.segments is not None:
                segments.setdefault(_text(suite, record), record.segments)
                digest.update(_bytes(record))
        for record in records:
            if record.by == spec.by and record.facets is not None and record.system is not None:
                digest.update(_bytes(record))
                for pair, rating in _rated(suite, record, segments):
                    ratings[pair].append(rating)
    return RecordedJudge(
        signature=f"recorded {spec.by} segments={spec.segments_by} "
        f"data={digest.hexdigest()[:_DIGITS]}",
        segments=MappingProxyType(segments),
        ratings=MappingProxyType(
            {
                pair: FacetRating(
                    facet=pair.facet,
                    reason=f"as recorded from {spec.by}",
                    rating=median_low(found),
                )
                for pair, found in ratings.items()
            }
        ),
    )


def _bytes(record: Recorded) -> bytes:
    """What a record says, to the byte."""
    told = [
        record.paper,
        record.system,
        dict(record.facets or {}),
        asdict(record.segments) if record.segments is not None else None,
    ]
    return json.dumps(told, sort_keys=True).encode()


def _is_text_known(suite: Suite, record: Recorded) -> bool:
    """Whether the text that a record is about stands in the suite, and need not be asked for."""
    return record.system is None or suite.systems[record.system].summaries is not None


def _text(suite: Suite, record: Recorded) -> str:
    """The text that a record is about, as the metric asks about it."""
    if record.system is None:
        return normalise(suite.paper(record.paper).references[0])
    return normalise(suite.pair(record.paper, record.system).summary)


def _rated(
    suite: Suite, record: Recorded, segments: Mapping[str, FacetSegments]
) -> Iterator[tuple[FacetPair, int]]:
    """The ratings of a record, each with the two segments that the metric asks about.

    A facet that the recorded segments leave empty is absent, also where the metric finds its
    sentences elsewhere in the summary and asks about them.
    """
    summary = _text(suite, record)
    paper = suite.paper(record.paper)
    theirs = _reference_segments(paper, segments)
    if theirs is None or summary not in segments:
        return
    ours = ground(segments[summary], summary).segments
    asked = stated_again(theirs, ours, summary)
    for facet in FACETS:
        rating = (record.facets or {}).get(facet)
        if rating is None and not ours.segment(facet):
            rating = EMPTY_RATING
        if theirs.segment(facet) and asked.segment(facet) and rating is not None:
            pair = FacetPair(
                facet=facet, reference=theirs.segment(facet), candidate=asked.segment(facet)
            )
            yield pair, rating


def _reference_segments(
    paper: Paper, segments: Mapping[str, FacetSegments]
) -> FacetSegments | None:
    """The reference's segments: the reviewed ones where the suite has frozen them."""
    if paper.reference_facets is not None:
        return paper.reference_facets
    text = normalise(paper.references[0])
    return ground(segments[text], text).segments if text in segments else None
