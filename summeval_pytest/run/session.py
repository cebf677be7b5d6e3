"""The session of a process: judges and systems by name, over its endpoints and its replies.

A name that no suite defines is a model at the user's address, else at OPENAI_BASE_URL, else at
OpenAI for a judge and at Ollama for a model under test. Nothing is opened before it is used: the
embedded judge on recorded summaries needs no store and no exchange.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

from summeval_pytest.endpoints.client import Sender
from summeval_pytest.endpoints.endpoint import (
    OLLAMA,
    OPENAI,
    Address,
    Addresses,
    EndpointSpec,
    Price,
)
from summeval_pytest.endpoints.exchange import Exchange, Memory, Record
from summeval_pytest.endpoints.limits import Budget
from summeval_pytest.errors import OptionError, Place, nearest
from summeval_pytest.judges.judge import ComposedJudge, Judge, Panel, find_judge, is_local
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.questions import DUTIES, OFFLINE, Duty, PanelRule
from summeval_pytest.run.measure import Evaluation, check_encoders
from summeval_pytest.run.plan import Survey
from summeval_pytest.run.runner import FindPair, Runner, Task
from summeval_pytest.run.summaries import summarise
from summeval_pytest.store.cassette import Cassette, Row, read_cassette
from summeval_pytest.store.store import SharedPlace, StorePlace, default_directory, read_place
from summeval_pytest.suite.lines import RESERVED_SYSTEMS, check_name
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import (
    AnyJudge,
    CheckerSpec,
    ComposedSpec,
    JudgeSpec,
    Pair,
    RecordedSpec,
    SystemSpec,
)

Line = Callable[[Address, Price | None], Sender]
"""Connects to an endpoint, to ask it or only to find out what would be asked."""


IN_FLIGHT: Final = 64
"""Requests open at once: enough to wait for most endpoints without a pause."""
SpecT = TypeVar("SpecT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the user chose for a run; all its processes have the same.

    Attributes:
        record: Which replies may be asked for.
        place: Where the store is; None for the user's cache folder.
        endpoint: Where models are that no suite defines; None for the usual place.
        allow_endpoints: Origins that a suite may send a key to, with the key's variable before "=".
        votes: Votes on each question, in place of the judge's own number.
        budget: The most that all processes of the run may spend, in dollars; None for no limit.
        in_flight: Requests open at once, of all processes of the run together.
        run: A name that all processes of the run share, and no other run has.
    """

    record: Record = "new"
    place: StorePlace | None = None
    endpoint: str | None = None
    allow_endpoints: tuple[str, ...] = ()
    votes: int | None = None
    budget: float | None = None
    in_flight: int = IN_FLIGHT
    n_processes: int = 1
    run: str = ""

    @property
    def own_in_flight(self) -> int:
        """Requests that each process may have open at once."""
        return max(1, self.in_flight // self.n_processes)

    @property
    def is_shared(self) -> bool:
        """Whether other machines may use the store."""
        return isinstance(self.place, SharedPlace)


class Replies:
    """The replies of one process: cassettes and store, and the exchange that asks for new ones.

    Attributes:
        cassettes: The cassettes that were read, by file.
    """

    def __init__(self, environ: Mapping[str, str], terms: Terms) -> None:
        self.cassettes: dict[Path, Cassette] = {}
        self._rows: dict[str, Row] = {}
        self._terms = terms
        # nobody sits before a run with CI set, as GitHub, GitLab and others set it
        self._is_strict = environ.get("CI", "").strip().lower() not in {"", "0", "false"}

    @property
    def place(self) -> StorePlace:
        """Where the store is."""
        return self._terms.place or default_directory()

    @cached_property
    def exchange(self) -> Exchange:
        """Sends requests; made when first used.

        Raises:
            StoreError: if the store needs a package that is not installed.
        """
        terms, memory = self._terms, self.memory()
        is_alone = terms.n_processes == 1 and not terms.is_shared
        pays_alone = is_alone or terms.record == "none"
        account = None if pays_alone else memory.store.account(terms.run)
        return Exchange(
            memory,
            in_flight=terms.own_in_flight,
            budget=None if terms.budget is None else Budget(terms.budget, account),
            is_strict=self._is_strict,
        )

    @property
    def is_asking(self) -> bool:
        """Whether the exchange was ever used."""
        return "exchange" in vars(self)

    def memory(self) -> Memory:
        """The remembered replies, opened once more."""
        return Memory(self._terms.record, self.place, self._rows, run=self._terms.run)

    def add_cassette(self, suite: Suite) -> None:
        """Read the cassette of a suite.

        Raises:
            SuiteError: at the first line that is none.
        """
        file = suite.cassette
        if file.path.is_file() and file.path not in self.cassettes:
            cassette = read_cassette(file.path, file.shown)
            self.cassettes[file.path] = cassette
            self._rows.update(cassette.rows)

    async def finish(self, seconds: float) -> None:
        """End open requests, on the loop that they are open on."""
        if self.is_asking:
            await self.exchange.drain(seconds)

    def redacted(self, text: str) -> str:
        """The text with ``[key]`` for every key that was sent so far."""
        return self.exchange.redacted(text) if self.is_asking else text

    def forget_run(self) -> None:
        """Remove what only this run needed; called once, when all its processes have ended."""
        if self._terms.record == "all" or self._terms.budget is not None:
            self.memory().forget_run()


class Session:
    """Resolves the names of judges and systems for one process of a run."""

    def __init__(self, environ: Mapping[str, str], terms: Terms | None = None) -> None:
        self.environ = environ
        self.terms = terms or Terms()
        self.endpoints = Addresses(
            environ,
            typed=self.terms.endpoint,
            allowed=self.terms.allow_endpoints,
            sends_keys=self.terms.record != "none",
            n_processes=self.terms.n_processes,
            is_pace_shared=self.terms.is_shared,
        )
        self.replies = Replies(environ, self.terms)
        self._endpoints: Mapping[str, EndpointSpec | None] = {}

    def judge_spec(self, name: str, suites: Sequence[Suite]) -> AnyJudge | None:
        """Resolve a judge name to what a suite says of it; None if it answers in this process.

        Raises:
            OptionError: if two suites define it differently, and for a misspelt ``offline``.
        """
        defined = _agreed("judge", (suite.judges for suite in suites))
        if name in defined:
            return defined[name]
        if is_local(name):
            return None
        if get_close_matches(name, [OFFLINE], cutoff=0.8):
            raise OptionError(f"no judge {name!r}; did you mean {OFFLINE!r}?")
        return JudgeSpec(name=name, endpoint=self.endpoints.usual(OPENAI), model=name)

    def _jury(
        self, judge: str, duty: Duty, suites: Sequence[Suite]
    ) -> tuple[tuple[str, ...], PanelRule]:
        """The judges that answer a kind of question for another, or for itself, and their rule."""
        spec = self.judge_spec(judge, suites)
        others = spec.asks(duty) if isinstance(spec, ComposedSpec | CheckerSpec) else (judge,)
        if others == (judge,):
            return others, "all"
        juries = [self._jury(other, duty, suites) for other in others]
        if len(juries) == 1:
            return juries[0]
        assert isinstance(spec, ComposedSpec), "a checker asks one judge for others"
        return tuple(name for names, _ in juries for name in names), spec.rule

    def judge(self, name: str, suites: Sequence[Suite], line: Line | None = None) -> Judge:
        """Resolve a judge name to a judge; ``line`` connects it, else the exchange does.

        Raises:
            OptionError: if there can be none in this session, or the encoder that one of the suites
                names is not on this machine.
        """
        check_encoders(suites)
        juries = {duty: self._jury(name, duty, suites) for duty in DUTIES}
        names = dict.fromkeys(each for each_names, _ in juries.values() for each in each_names)
        judges = {each: self._judge(each, suites, line) for each in names}
        if self.terms.votes is not None and not self.is_asked(name, suites):
            raise OptionError(
                f"--summ-votes asks a model several times, and judge {name!r} is none; leave it out"
            )
        if len(judges) == 1:
            return next(iter(judges.values()))
        answering: dict[Duty, Judge] = {}
        for duty, (panel, rule) in juries.items():
            each = tuple(judges[name] for name in panel)
            answering[duty] = each[0] if len(each) == 1 else Panel(each, rule)
        return ComposedJudge(answering)

    def _judge(self, name: str, suites: Sequence[Suite], line: Line | None) -> Judge:
        spec = self.judge_spec(name, suites)
        if isinstance(spec, JudgeSpec):
            return self._model(spec, suites, line)
        if isinstance(spec, RecordedSpec):
            from summeval_pytest.run.judge_material import recorded_judge  # loads the LLM judge

            return recorded_judge(spec, suites)
        if isinstance(spec, CheckerSpec):
            from summeval_pytest.judges.offline import OfflineJudge  # loads numpy

            checker: Judge = import_module("summeval_pytest.study.local_checker").local_checker(
                spec
            )
            # a checker's answers lead to no request, so a survey need not wait for them
            return OfflineJudge(checker.signature) if line is not None else checker
        if self.terms.record == "none" and name != OFFLINE:
            raise OptionError(
                f"--summ-record=none replays recorded answers, and judge {name!r} has none;"
                f" use --summ-judge={OFFLINE}, or --summ-record=new"
            )
        return find_judge(name)

    def _model(self, spec: JudgeSpec, suites: Sequence[Suite], line: Line | None) -> Judge:
        from summeval_pytest.judges.llm.facet_ratings import Style
        from summeval_pytest.judges.llm.llm_judge import LlmJudge
        from summeval_pytest.judges.llm.prompts import NO_EXAMPLES
        from summeval_pytest.run.judge_material import label_examples

        labelled = partial(label_examples, judge=spec.name, suites=suites)
        endpoints = _agreed("endpoint", (suite.endpoints for suite in suites))
        address = self.endpoints.address(spec.endpoint, endpoints)
        price = self._price(address, spec)
        address = replace(address, hint=_hint(spec.name, suites), pinned=spec.pinned)
        return LlmJudge(
            (line or self.replies.exchange.line)(address, price),
            model=spec.model,
            endpoint=address.endpoint.name,
            votes=self._votes(spec),
            batched=spec.batched,
            style=Style(
                rubric=spec.rubric,
                examples=bool(spec.examples),
                labelled=labelled("examples") if spec.examples == "labels" else NO_EXAMPLES,
                facets=spec.facets,
            ),
            in_flight=self.terms.own_in_flight,
            manner=spec.manner,
            labelled=labelled("sentence_examples") if spec.sentence_examples else NO_EXAMPLES,
            decided=labelled("fact_examples") if spec.fact_examples else NO_EXAMPLES,
            max_tokens=spec.max_tokens,
            effort=spec.reasoning_effort,
        )

    def _price(self, address: Address, spec: JudgeSpec | SystemSpec) -> Price | None:
        """What tokens cost at an address; an OptionError if there is a budget and no price."""
        price = address.price(spec.price, spec.model or "")
        if self.terms.budget is not None and price is None:
            table = "judges" if isinstance(spec, JudgeSpec) else "systems"
            known = f"endpoint = {json.dumps(spec.endpoint)}, model = {json.dumps(spec.model)}"
            raise OptionError(
                f"--summ-budget needs a price, and nobody knows one of {spec.model!r}; the table"
                f" [{table}.{json.dumps(spec.name)}] of the suite needs {known},"
                " input_price and output_price (dollars per million tokens)"
            )
        return price

    def is_asked(self, judge: str, suites: Sequence[Suite]) -> bool:
        """Whether a model at an endpoint answers any questions, and not only this process."""
        names = {each for duty in DUTIES for each in self._jury(judge, duty, suites)[0]}
        return any(isinstance(self.judge_spec(name, suites), JudgeSpec) for name in names)

    def metrics_of(self, judge: str, suites: Sequence[Suite]) -> tuple[MetricName, ...]:
        """The metrics whose questions a judge can answer: FM alone for a recorded one."""
        return ("facet",) if isinstance(self.judge_spec(judge, suites), RecordedSpec) else METRICS

    def votes_of(self, judge: str, suites: Sequence[Suite]) -> int | None:
        """How often a judge is asked about each sentence, at least; None where no model is."""
        names, _ = self._jury(judge, "sentences", suites)
        specs = [self.judge_spec(name, suites) for name in names]
        return min((self._votes(s) for s in specs if isinstance(s, JudgeSpec)), default=None)

    def _votes(self, spec: JudgeSpec) -> int:
        return spec.votes if self.terms.votes is None else self.terms.votes

    def systems(
        self, suite: Suite, names: Iterable[str], flag: str
    ) -> tuple[Suite, tuple[str, ...]]:
        """The systems to gate, and the suite with those that it does not define itself.

        A system that no suite defines is a model of that name at the usual place. ``flag`` is the
        option that asks for them, none of which is the suite's own choice.

        Raises:
            UsageError: for a name that none can have, and for a model that cannot be asked.
        """
        names = tuple(dict.fromkeys(names))
        for name in names:
            if name not in suite.systems:
                check_name(name, "system", Place(f"{flag}={name}"), RESERVED_SYSTEMS)
                where, place = self.endpoints.usual(OLLAMA), Place(f"--summ-model={name}")
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
            address = self.endpoints.address(spec.endpoint, suite.endpoints)
            own = {spec.endpoint: suite.endpoints.get(spec.endpoint)}
            self._endpoints = _agreed("endpoint", (self._endpoints, own))
            self._price(address, spec)

    async def pair(self, suite: Suite, paper: str, system: str, line: Line | None = None) -> Pair:
        """One paper with a system's summary, recorded or generated now.

        Raises:
            UsageError: for a system that cannot be asked.
            NoReplyError: for any other reply that is missing.
        """
        spec = suite.systems.get(system)
        if spec is None or spec.endpoint is None:
            return suite.pair(paper, system)
        address = self.endpoints.address(spec.endpoint, suite.endpoints)
        price = address.price(spec.price, spec.model or "")
        address = replace(address, pinned=spec.pinned)
        sender = (line or self.replies.exchange.line)(address, price)
        return await summarise(suite, suite.paper(paper), spec, sender, address.endpoint.shown)

    def survey(
        self, judge: str, suites: Sequence[Suite], tasks: Iterable[Task], *, imagine: bool
    ) -> tuple[Survey, str]:
        """The replies that pairs need, remembered or missing, and the judge's signature.

        With ``imagine``, a stand-in answers behind a missing reply.
        """
        memory = self.replies.memory()
        survey = Survey(memory)
        answering = self.judge(judge, suites, survey.line)
        try:
            find_pair = partial(self.pair, line=survey.line)
            asyncio.run(survey.of(tasks, find_pair, answering, imagine=imagine))
        finally:
            memory.close()
        return survey, answering.signature

    def evaluate(
        self, judge: Judge, tasks: Sequence[Task], find_pair: FindPair | None = None
    ) -> Iterator[Evaluation]:
        """The evaluations of pairs, in the order of the tasks.

        Pairs come from ``find_pair``, else from the suite's files and the models under test.

        Raises:
            UsageError: for a system that cannot be asked.
            JudgeError: if the judge breaks its contract.
            NoReplyError: if a system's endpoint gave no summary.
        """
        find_pair, finish = find_pair or self.pair, self.replies.finish
        with closing(Runner(judge, find_pair=find_pair, finish=finish)) as runner:
            yield from runner.evaluations(tasks)


def session_here(*, store: str | None, endpoint: str | None, **terms: Any) -> Session:
    """The session of a command or a call, a run of its own; SUMM_* variables are the defaults.

    ``terms`` are further `Terms`.

    Raises:
        StoreError: for a store that is no folder and no PostgreSQL address.
    """
    place = store or os.environ.get("SUMM_STORE")
    return Session(
        dict(os.environ),
        Terms(
            place=read_place(place) if place else None,
            endpoint=endpoint or os.environ.get("SUMM_ENDPOINT") or None,
            run=secrets.token_hex(8),
            **terms,
        ),
    )


def _hint(name: str, suites: Sequence[Suite]) -> str:
    """What the user may have meant by a name that no suite defines, in words."""
    defined = {name for suite in suites for name in suite.judges}
    if name in defined:
        return ""
    module, _, attribute = name.partition(":")
    if module.isidentifier() and attribute.isidentifier() and attribute[0].isupper():
        return f" (a class of yours? Python finds no module {module!r})"
    return f" (no judge of the suite is {name!r}; {nearest(name, defined)})" if defined else ""


def _agreed(kind: str, tables: Iterable[Mapping[str, SpecT]]) -> Mapping[str, SpecT]:
    """All entries of some tables, in which one name means one thing."""
    agreed: dict[str, SpecT] = {}
    for table in tables:
        for name, spec in table.items():
            if agreed.setdefault(name, spec) != spec:
                raise OptionError(
                    f"two suites of this run define {kind} {name!r} differently; gate them one by"
                    " one, or rename one of the two"
                )
    return agreed
