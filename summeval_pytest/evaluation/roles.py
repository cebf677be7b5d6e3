"""Who judges and who is judged, from the names that a user gives and a suite defines.

A name that no suite defines is a model at the address that was asked for, else at OPENAI_BASE_URL,
else at OpenAI for a judge and at Ollama for a model under test.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Protocol, TypeVar

from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.evaluation.addressing import (
    OLLAMA,
    OPENAI,
    Keys,
    default_endpoint,
    find_endpoint,
)
from summeval_pytest.judges import OFFLINE
from summeval_pytest.suite import EndpointSpec, JudgeSpec, SystemSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.evaluation.addressing import Address
    from summeval_pytest.judges import Judge
    from summeval_pytest.models import Price, Sender
    from summeval_pytest.suite import Suite

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
        from summeval_pytest.judges.llm import LlmJudge, Style

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
