"""The session of a process: judges and systems by name, store, cassettes and budget.

A name that no suite defines is a model at the address that was asked for, else at OPENAI_BASE_URL,
else at OpenAI for a judge and at Ollama for a model under test. Nothing is opened before something
is asked: where the embedded judge judges recorded summaries, there is no store and no exchange.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from contextlib import closing
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from summeval_pytest.endpoints.endpoint import (
    OLLAMA,
    OPENAI,
    Keys,
    default_endpoint,
    find_endpoint,
)
from summeval_pytest.endpoints.exchange import Exchange, Memory
from summeval_pytest.endpoints.spending import Budget
from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.judges.composed import ComposedJudge
from summeval_pytest.judges.judge import find_judge, is_local
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.questions import DUTIES, OFFLINE
from summeval_pytest.run.measure import check_encoders
from summeval_pytest.run.plan import Survey
from summeval_pytest.run.recorded_judge import recorded_judge
from summeval_pytest.run.runner import Runner
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.store.cache import default_directory
from summeval_pytest.store.cassette import read_cassette
from summeval_pytest.store.store import SharedPlace, read_place
from summeval_pytest.suite.lines import RESERVED_SYSTEMS, check_name
from summeval_pytest.suite.values import (
    CheckerSpec,
    ComposedSpec,
    JudgeSpec,
    RecordedSpec,
    SystemSpec,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import Address, EndpointSpec, Price
    from summeval_pytest.endpoints.exchange import Record
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.questions import Duty
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import FindPair, Task
    from summeval_pytest.store.cassette import Cassette, Row
    from summeval_pytest.store.store import Account, StorePlace
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import AnyJudge


IN_FLIGHT: Final = 64
"""Requests open at once: enough to wait for most endpoints without a pause."""
SpecT = TypeVar("SpecT")


class Connector(Protocol):
    """Connects to endpoints, to ask them or only to find out what would be asked."""

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender of requests to one endpoint, whose tokens have a price."""
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Session:
    """Resolves the names of judges and systems for one process of a run.

    Attributes:
        record: What may be asked.
        place: Where the store is; None for the user's cache folder.
        endpoint: Where models are that no suite defines; None for the usual place.
        allow_endpoints: Origins that a suite may send a key to, with the key's variable before "=".
        votes: Votes on each question, in place of the judge's own number.
        budget: The most that all processes of the run may spend, in dollars; None for no limit.
        in_flight: Requests open at once, of all processes of the run together.
        run: A name that all processes of the run share, and no other run has.
        cassettes: The cassettes that were read, by file.
    """

    environ: Mapping[str, str]
    record: Record = "new"
    place: StorePlace | None = None
    endpoint: str | None = None
    allow_endpoints: tuple[str, ...] = ()
    votes: int | None = None
    budget: float | None = None
    in_flight: int = IN_FLIGHT
    n_processes: int = 1
    run: str = ""
    cassettes: dict[Path, Cassette] = field(default_factory=dict, init=False)
    _keys: Keys = field(init=False)
    _rows: dict[str, Row] = field(default_factory=dict, init=False)
    _exchange: Exchange | None = field(default=None, init=False)
    _endpoints: dict[str, EndpointSpec | None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        sent = {} if self.record == "none" else self.environ  # a replay sends no key
        self._keys = Keys.of(sent, typed=self.endpoint, allowed=self.allow_endpoints)

    @property
    def own_in_flight(self) -> int:
        """Requests that this process may have open at once."""
        return max(1, self.in_flight // self.n_processes)

    @property
    def store(self) -> StorePlace:
        """Where the store is."""
        return self.place or default_directory()

    @property
    def exchange(self) -> Exchange:
        """Where requests go through, made at the first look.

        Raises:
            StoreError: if the store needs a package that is not installed.
        """
        if self._exchange is None:
            memory = self.memory()
            self._exchange = Exchange(
                memory,
                in_flight=self.own_in_flight,
                budget=None if self.budget is None else Budget(self.budget, self._account(memory)),
                # nobody sits before a run with CI set, as GitHub, GitLab and others set it
                is_strict=self.environ.get("CI", "").strip().lower() not in {"", "0", "false"},
            )
        return self._exchange

    @property
    def _is_shared(self) -> bool:
        """Whether other machines may use the store."""
        return isinstance(self.place, SharedPlace)

    def _account(self, memory: Memory) -> Account | None:
        """The account of the run; None where this process is all of it, or pays nothing."""
        is_alone = self.n_processes == 1 and not self._is_shared
        return None if is_alone or self.record == "none" else memory.store.account(self.run)

    @property
    def is_asking(self) -> bool:
        """Whether anything was ever to be asked."""
        return self._exchange is not None

    def memory(self) -> Memory:
        """What is remembered, for one more user of it."""
        return Memory(self.record, self.store, self._rows, run=self.run)

    def add_cassette(self, suite: Suite) -> None:
        """Read the replies that a suite holds.

        Raises:
            SuiteError: at the first line that is none.
        """
        file = suite.cassette
        if file.path.is_file() and file.path not in self.cassettes:
            cassette = read_cassette(file.path, file.shown)
            self.cassettes[file.path] = cassette
            self._rows.update(cassette.rows)

    def judge_spec(self, name: str, suites: Sequence[Suite]) -> AnyJudge | None:
        """Resolve a judge name to what a suite says of it; None if it answers in this process.

        Raises:
            OptionError: if two suites define it differently, and for a misspelt ``offline``.
        """
        for suite in suites:
            if name in suite.recorded_judges:
                return suite.recorded_judges[name]
        defined = _agreed("judge", (suite.judges for suite in suites))
        if name in defined:
            return defined[name]
        if is_local(name):
            return None
        if get_close_matches(name, [OFFLINE], cutoff=0.8):
            raise OptionError(f"no judge {name!r}; did you mean {OFFLINE!r}?")
        place = default_endpoint(self.endpoint, self.environ, OPENAI)
        return JudgeSpec(name=name, endpoint=place, model=name)

    def _asked(self, judge: str, duty: Duty, suites: Sequence[Suite]) -> str:
        """Who answers a kind of question: the judge itself, unless another is asked for it."""
        spec = self.judge_spec(judge, suites)
        whom = spec.asks(duty) if isinstance(spec, ComposedSpec | CheckerSpec) else judge
        return judge if whom == judge else self._asked(whom, duty, suites)

    def judge(self, name: str, suites: Sequence[Suite], lines: Connector | None = None) -> Judge:
        """Resolve a judge name to a judge; ``lines`` connect it, else the exchange does.

        Raises:
            OptionError: if there can be none in this session, or the encoder that one of the suites
                names is not on this machine.
        """
        check_encoders(suites)
        asked = {duty: self._asked(name, duty, suites) for duty in DUTIES}
        made = {whom: self._made(whom, suites, lines) for whom in dict.fromkeys(asked.values())}
        if self.votes is not None and not self.is_asked(name, suites):
            raise OptionError(
                f"--summ-votes asks a model several times, and judge {name!r} is none; leave it out"
            )
        if len(made) == 1:
            return next(iter(made.values()))
        return ComposedJudge({duty: made[whom] for duty, whom in asked.items()})

    def _made(self, name: str, suites: Sequence[Suite], lines: Connector | None) -> Judge:
        spec = self.judge_spec(name, suites)
        if isinstance(spec, JudgeSpec):
            return self._model(spec, suites, lines)
        if isinstance(spec, RecordedSpec):
            return recorded_judge(spec, suites)
        if isinstance(spec, CheckerSpec):
            from summeval_pytest.judges.offline.embedded import OfflineJudge  # loads numpy

            checker: Judge = import_module("summeval_pytest.study.local_checker").local_checker(
                spec
            )
            # what a checker answers leads to no request, so a survey need not wait for it
            is_surveyed = isinstance(lines, Survey)
            return OfflineJudge(checker.signature) if is_surveyed else checker
        if self.record == "none" and name != OFFLINE:
            raise OptionError(
                f"--summ-record=none replays recorded answers, and judge {name!r} has none;"
                f" use --summ-judge={OFFLINE}, or --summ-record=new"
            )
        return find_judge(name)

    def _model(self, spec: JudgeSpec, suites: Sequence[Suite], lines: Connector | None) -> Judge:
        from summeval_pytest.judges.llm.facet_ratings import Style
        from summeval_pytest.judges.llm.llm_judge import LlmJudge

        endpoints = _agreed("endpoint", (suite.endpoints for suite in suites))
        address = self._address(spec.endpoint, endpoints)
        price = address.price(spec.price)
        self._check_price(price, f"[judges.{spec.name}]")
        address = replace(address, hint=_hint(spec.name, suites), pinned=spec.pinned)
        return LlmJudge(
            (lines or self.exchange).line(address, price),
            model=spec.model,
            endpoint=address.endpoint.name,
            votes=self._votes(spec),
            batched=spec.batched,
            style=Style(rubric=spec.rubric, examples=spec.examples, facets=spec.facets),
            in_flight=self.own_in_flight,
            manner=spec.manner,
        )

    def is_asked(self, judge: str, suites: Sequence[Suite]) -> bool:
        """Whether a model at an endpoint answers any questions, and not only this process."""
        names = {self._asked(judge, duty, suites) for duty in DUTIES}
        return any(isinstance(self.judge_spec(name, suites), JudgeSpec) for name in names)

    def metrics_of(self, judge: str, suites: Sequence[Suite]) -> tuple[MetricName, ...]:
        """The metrics whose questions a judge can answer: FM alone for a recorded one."""
        is_recorded = isinstance(self.judge_spec(judge, suites), RecordedSpec)
        return ("facet",) if is_recorded else METRICS

    def votes_of(self, judge: str, suites: Sequence[Suite]) -> int | None:
        """How often a judge is asked about each sentence; None where no model is."""
        spec = self.judge_spec(self._asked(judge, "sentences", suites), suites)
        return self._votes(spec) if isinstance(spec, JudgeSpec) else None

    def _votes(self, spec: JudgeSpec) -> int:
        return spec.votes if self.votes is None else self.votes

    def systems(
        self, suite: Suite, asked: Iterable[str], flag: str
    ) -> tuple[Suite, tuple[str, ...]]:
        """The systems to gate, and the suite with those that it does not define itself.

        A system that no suite defines is a model of that name at the usual place. ``flag`` is the
        option that asks for them, none of which is the suite's own choice.

        Raises:
            UsageError: for a name that none can have, and for a model that cannot be asked.
        """
        names = tuple(dict.fromkeys(asked))
        for name in names:
            if name not in suite.systems:
                check_name(name, "system", Place(f"{flag}={name}"), RESERVED_SYSTEMS)
                where = default_endpoint(self.endpoint, self.environ, OLLAMA)
                place = Place(f"--summ-model={name}")
                spec = SystemSpec(name=name, endpoint=where, model=name, place=place)
                suite = suite.with_system(spec)
        systems = names or suite.default_systems
        for name in systems:
            self.check_system(suite, suite.systems[name])
        return suite, systems

    def check_system(self, suite: Suite, spec: SystemSpec) -> None:
        """Refuse a model under test that cannot be asked.

        Raises:
            OptionError: if its endpoint is unknown or may not have its key, if another suite calls
                another endpoint so, or if it has no price and there is a budget.
        """
        if spec.endpoint is not None:
            address = self._address(spec.endpoint, suite.endpoints)
            meant = suite.endpoints.get(spec.endpoint)
            if self._endpoints.setdefault(spec.endpoint, meant) != meant:
                raise _disagreement("endpoint", spec.endpoint)
            self._check_price(address.price(spec.price), f"[systems.{spec.name}]")

    def sender(self, suite: Suite, spec: SystemSpec, lines: Connector | None = None) -> Sender:
        """The client that generates summaries with a model under test."""
        assert spec.endpoint is not None, "recorded summaries are asked of nobody"
        address = self._address(spec.endpoint, suite.endpoints)
        return (lines or self.exchange).line(address, address.price(spec.price))

    def _address(self, endpoint: str, defined: Mapping[str, EndpointSpec]) -> Address:
        return find_endpoint(
            endpoint,
            defined,
            self.environ,
            self._keys,
            n_processes=self.n_processes,
            is_pace_shared=self._is_shared,
        )

    def _check_price(self, price: Price | None, table: str) -> None:
        if self.budget is not None and price is None:
            raise OptionError(
                f"--summ-budget needs a price; write input_price and output_price, dollars per"
                f" million tokens, under {table} of the suite"
            )

    def survey(
        self, judge: str, suites: Sequence[Suite], tasks: Iterable[Task], *, imagine: bool
    ) -> tuple[Survey, str]:
        """What pairs need of what is remembered, what is missing, and the judge's signature.

        With ``imagine``, a stand-in answers behind a missing reply.
        """
        memory = self.memory()
        survey = Survey(memory)
        answering = self.judge(judge, suites, survey)
        try:
            find_sender = partial(self.sender, lines=survey)
            asyncio.run(survey.of(tasks, find_sender, answering, imagine=imagine))
        finally:
            memory.close()
        return survey, answering.signature

    def evaluate(
        self, judge: Judge, tasks: Sequence[Task], find_pair: FindPair | None = None
    ) -> Iterator[Evaluation]:
        """What a judge makes of pairs, in the order of the tasks, as long as more are wanted.

        Pairs are of the suite's files, or made by asking the systems, unless ``find_pair`` makes
        them.

        Raises:
            UsageError: for a system that cannot be asked.
            JudgeError: if the judge breaks its contract.
            NoReplyError: if a system's endpoint gave no summary.
        """
        find_pair = find_pair or Summariser(self.sender).pair
        with closing(Runner(judge, find_pair=find_pair, finish=self.finish)) as runner:
            yield from runner.evaluations(tasks)

    async def finish(self, seconds: float) -> None:
        """End what is open, on the loop that it is open on."""
        if self._exchange is not None:
            await self._exchange.drain(seconds)

    def redacted(self, text: str) -> str:
        """The text with ``[key]`` for every key that was sent so far."""
        return text if self._exchange is None else self._exchange.redacted(text)

    def forget_run(self) -> None:
        """Remove what only this run needed; called once, when all its processes have ended."""
        if self.record == "all" or self.budget is not None:
            self.memory().forget_run()


def session_here(*, store: str | None, endpoint: str | None, **terms: Any) -> Session:
    """The session of a command or a call, a run of its own; SUMM_* variables say what is not given.

    ``terms`` are further ones of `Session`.

    Raises:
        StoreError: for a store that is no folder and no PostgreSQL address.
    """
    place = store or os.environ.get("SUMM_STORE")
    return Session(
        environ=dict(os.environ),
        place=read_place(place) if place else None,
        endpoint=endpoint or os.environ.get("SUMM_ENDPOINT") or None,
        run=secrets.token_hex(8),
        **terms,
    )


def _hint(name: str, suites: Sequence[Suite]) -> str:
    """Who was probably meant by a name that no suite defines."""
    defined = {name for suite in suites for name in (*suite.judges, *suite.recorded_judges)}
    if name in defined:
        return ""
    if (meant := nearest(name, defined)).startswith("did you mean"):
        return f" (a judge of the suite? {meant})"
    module, _, attribute = name.partition(":")
    is_class = module.isidentifier() and attribute.isidentifier() and attribute[0].isupper()
    return f" (a class of yours? Python finds no module {module!r})" if is_class else ""


def _agreed(kind: str, tables: Iterable[Mapping[str, SpecT]]) -> Mapping[str, SpecT]:
    found: dict[str, SpecT] = {}
    for table in tables:
        for name, spec in table.items():
            if found.setdefault(name, spec) != spec:
                raise _disagreement(kind, name)
    return found


def _disagreement(kind: str, name: str) -> OptionError:
    """The mistake of suites that mean different things by one name."""
    return OptionError(
        f"two suites of this run define {kind} {name!r} differently; gate them one by one, or"
        " rename one of the two"
    )
