"""The session of a process: judges and systems by name, over its endpoints and its replies.

A name that no suite defines is a model at the user's address, else at OPENAI_BASE_URL, else at
OpenAI for a judge and at Ollama for a model under test. Nothing is opened before it is used: the
embedded judge on recorded summaries needs no store and no exchange.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from summeval_pytest.endpoints.chat import CHAT
from summeval_pytest.endpoints.client import Sender
from summeval_pytest.endpoints.endpoint import OPENAI, Address, Endpoint, Price
from summeval_pytest.endpoints.exchange import Exchange, Memory
from summeval_pytest.endpoints.limits import Budget
from summeval_pytest.endpoints.wire import Wire
from summeval_pytest.errors import OptionError, Place, SuiteError, foreign_code, nearest
from summeval_pytest.judges.composed import Cascade, ComposedJudge, Panel
from summeval_pytest.judges.judge import Judge, find_judge, is_local
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.options import TABLE, Options, in_environment
from summeval_pytest.questions import DUTIES, OFFLINE, Duty, PanelRule
from summeval_pytest.run.judge_inputs import JudgeInputs
from summeval_pytest.run.measure import Evaluation, check_variants
from summeval_pytest.run.plan import Survey
from summeval_pytest.run.runner import FindPair, Runner, Task
from summeval_pytest.run.summaries import summarise
from summeval_pytest.store.cassette import Cassette, Row, read_cassette
from summeval_pytest.store.store import (
    SharedPlace,
    StorePlace,
    default_directory,
    open_store,
    read_place,
)
from summeval_pytest.suite.addresses import OLLAMA, Addresses, EndpointSpec
from summeval_pytest.suite.file import OURS, used_keys
from summeval_pytest.suite.lines import RESERVED_SYSTEMS, check_name
from summeval_pytest.suite.places import real_place
from summeval_pytest.suite.prices import price_at
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import (
    AskedSpec,
    CascadeSpec,
    ComposedSpec,
    DecisionSpec,
    JudgeKeys,
    JudgeSpec,
    Pair,
    SystemSpec,
    UsedSpec,
)
from summeval_pytest.text.printing import one_line, raised

Line = Callable[[Address, Price | None], Sender]
"""Connects to an endpoint, to ask it or only to find out what would be asked."""


SpecT = TypeVar("SpecT")
NOTICE: Final = dt.timedelta(days=60)
"""How long before its end a run says that a model ends."""
ASKED: Final = ("model", "min", "judge", "endpoint", "allow_endpoints", "votes")
"""The options that say what a run asks, and whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(Options):
    """The options of a run, and what all its processes share.

    Attributes:
        n_processes: How many they are.
        run: A name that no other run has.
    """

    n_processes: int = 1
    run: str = ""

    @property
    def judge_name(self) -> str:
        """The judge that is named, else the embedded one."""
        return self.judge or OFFLINE

    @property
    def place(self) -> StorePlace:
        """Where the store is; a StoreError for an address of another kind of database."""
        return read_place(self.store) if self.store else default_directory()

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
        return Memory(self._terms.record, self._terms.place, self._rows, run=self._terms.run)

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

    def judge_spec(self, name: str, suites: Sequence[Suite]) -> JudgeKeys | None:
        """Resolve a judge name to what a suite says of it; None if it answers in this process.

        Raises:
            OptionError: if two suites define it differently, and for a misspelt ``offline``.
            SuiteError: if the suite names a class, for the class and for its keys.
        """
        defined = _agreed("judge", (suite.judges for suite in suites))
        if name in defined:
            spec = defined[name]
            return used_keys(spec) if isinstance(spec, UsedSpec) else spec
        if is_local(name):
            return None
        if get_close_matches(name, [OFFLINE], cutoff=0.8):
            raise OptionError(f"no judge {name!r}; did you mean {OFFLINE!r}?")
        return JudgeSpec(name=name, endpoint=self.endpoints.usual(OPENAI), model=name)

    def _jury(
        self, judge: str, duty: Duty, suites: Sequence[Suite], above: tuple[str, ...] = ()
    ) -> tuple[tuple[str, ...], PanelRule]:
        """The judges that answer a kind of question for another, or for itself, and their rule."""
        spec = self.judge_spec(judge, suites)
        others = (judge,) if spec is None else self._asked_by(spec, duty)
        if others == (judge,):
            return others, "all"
        known, above = {OFFLINE, *_agreed("judge", (s.judges for s in suites))}, (*above, judge)
        for other in others:
            what = f"judge {judge!r} leaves {duty} to {other!r}"
            if other not in known:
                raise OptionError(f"{what}, which no suite defines; {nearest(other, known)}")
            own = self.judge_spec(other, suites)
            if other in above or (own is not None and own.facets_only and duty != "facets"):
                why = "which asks it in turn" if other in above else "which rates facets only"
                raise OptionError(f"{what}, {why}; name another judge")
        juries = [self._jury(other, duty, suites, above) for other in others]
        rule: PanelRule = spec.rule if isinstance(spec, ComposedSpec) else "all"
        names = tuple(name for names, _ in juries for name in names)
        return names, rule if len(juries) > 1 else juries[0][1]

    @staticmethod
    def _asked_by(spec: JudgeKeys, duty: Duty) -> tuple[str, ...]:
        """The judges that a table's class leaves a kind of question to, which may be its own."""

        def broken(error: BaseException) -> OptionError:
            return OptionError(
                f"asks({duty!r}) of judge {spec.name!r} breaks down: {raised(error)}"
            )

        with foreign_code(broken):
            others: object = spec.asks(duty)
            match others:
                case (str(), *more) if isinstance(others, tuple):
                    return (others[0], *map(str, more))
                case _:  # a text is many names of one letter
                    raise TypeError(f"it gives {others!r}; give a tuple of names")

    def judge(self, name: str, suites: Sequence[Suite], line: Line | None = None) -> Judge:
        """Resolve a judge name to a judge; ``line`` connects it, else the exchange does.

        Raises:
            OptionError: if there can be none in this session, or this machine cannot measure a
                variant that one of the suites names.
        """
        check_variants(suites)
        specs = [spec for duty in DUTIES for spec in self._asked(name, duty, suites)]
        if self.terms.votes is not None and not any(isinstance(s, JudgeSpec) for s in specs):
            raise OptionError(
                f"--summ-votes asks a model several times, and judge {name!r} is none; leave it out"
            )
        make = cache(partial(self._judge, suites=suites, line=line))
        answering = {duty: self._answering(name, duty, suites, make) for duty in DUTIES}
        parts = {id(part): part for part in answering.values()}
        return ComposedJudge(answering) if len(parts) > 1 else next(iter(parts.values()))

    def _answering(
        self, name: str, duty: Duty, suites: Sequence[Suite], make: Callable[[str], Judge]
    ) -> Judge:
        """Who answers a kind of question for a judge; ``make`` makes each judge once."""

        def one(each: str) -> Judge:
            spec = self.judge_spec(each, suites)
            if not isinstance(spec, CascadeSpec):
                return make(each)
            names = (spec.first, spec.then)
            first, then = (self._answering(other, duty, suites, make) for other in names)
            return Cascade((first, then), names, (spec.unsure[0], spec.unsure[1]))

        names, rule = self._jury(name, duty, suites)
        judges = tuple(map(one, names))
        return judges[0] if len(judges) == 1 else Panel(judges, rule)

    def _asked(self, name: str, duty: Duty, suites: Sequence[Suite]) -> Iterator[JudgeKeys | None]:
        """What the suites say of those who answer a kind of question, both judges of a cascade."""
        for each in self._jury(name, duty, suites)[0]:
            spec = self.judge_spec(each, suites)
            if isinstance(spec, CascadeSpec):
                yield from self._asked(spec.first, duty, suites)
                yield from self._asked(spec.then, duty, suites)
            else:
                yield spec

    def _judge(self, name: str, suites: Sequence[Suite], line: Line | None) -> Judge:
        spec = self.judge_spec(name, suites)
        if (make := getattr(spec, "judge", None)) is not None:  # a class that the suite names
            connect = partial(self._model, suites=suites, line=line)
            is_ours = type(spec).__module__.startswith(OURS)
            if not is_ours and not isinstance(spec, JudgeSpec):
                self._refuse_replay(name)
            used = JudgeInputs(name=name, suites=suites, connect=connect).made(make)
            if line is None or not is_ours or isinstance(spec, JudgeSpec):
                return used
            from summeval_pytest.judges.offline import OfflineJudge  # loads numpy

            # what asks no endpoint leads to no request, so a survey need not wait for it
            return OfflineJudge(used.signature)
        if isinstance(spec, DecisionSpec):
            return self._decisions(spec, suites, line)
        if isinstance(spec, JudgeSpec):
            return self._model(spec, suites=suites, line=line)
        if name != OFFLINE:
            self._refuse_replay(name)
        return find_judge(name)

    def _refuse_replay(self, name: str) -> None:
        """Refuse to ask somebody's judge where only recorded answers count."""
        if self.terms.record == "none":
            raise OptionError(
                f"--summ-record=none replays recorded answers, and judge {name!r} has none;"
                f" use --summ-judge={OFFLINE}, or --summ-record=new"
            )

    def _model(
        self,
        spec: JudgeSpec,
        kind: Callable[..., Judge] | None = None,
        *,
        suites: Sequence[Suite],
        line: Line | None,
        **more: Any,
    ) -> Judge:
        from summeval_pytest.judges.llm.facet_ratings import Style
        from summeval_pytest.judges.llm.llm_judge import LlmJudge
        from summeval_pytest.judges.llm.prompts import NO_EXAMPLES
        from summeval_pytest.run.judge_material import LabelExamples, label_examples

        of_labels = LabelExamples(NO_EXAMPLES, NO_EXAMPLES, NO_EXAMPLES)
        if spec.examples == "labels":
            of_labels = label_examples(spec.name, suites)
        sender, endpoint = self._sender(spec, suites, line)
        arguments: dict[str, Any] = {
            "model": spec.model,
            "endpoint": endpoint,
            "votes": self._votes(spec),
            "batched": spec.batched,
            "style": Style(examples=bool(spec.examples), labelled=of_labels.ratings),
            "in_flight": self.terms.own_in_flight,
            "labelled": of_labels.sentences,
            "decided": of_labels.facts,
            "max_tokens": spec.max_tokens,
            "effort": spec.reasoning_effort,
        }
        return (kind or LlmJudge)(sender, **(arguments | more))

    def _decisions(self, spec: DecisionSpec, suites: Sequence[Suite], line: Line | None) -> Judge:
        from summeval_pytest.judges.decision_judge import DecisionJudge

        sender, endpoint = self._sender(spec, suites, line)
        return DecisionJudge(
            sender,
            route=spec.kind,
            model=spec.model,
            endpoint=endpoint,
            threshold=spec.threshold,
            in_flight=self.terms.own_in_flight,
        )

    def _sender(
        self, spec: AskedSpec, suites: Sequence[Suite], line: Line | None
    ) -> tuple[Sender, str]:
        """Who sends a judge's requests, and the name of their endpoint."""
        endpoints = _agreed("endpoint", (suite.endpoints for suite in suites))
        address = self.endpoints.address(spec.endpoint, endpoints)
        price = self._price(address, spec)
        address = replace(address, hint=_hint(spec.name, suites), pinned=spec.pinned)
        return (line or self.replies.exchange.line)(address, price), address.endpoint.name

    def _price(self, address: Address, spec: AskedSpec | SystemSpec) -> Price | None:
        """What tokens cost at an address; an OptionError if there is a budget and no price."""
        route = spec.kind if isinstance(spec, DecisionSpec) else CHAT
        price = spec.price or price_at(address.endpoint, spec.model or "", route)
        if self.terms.budget is not None and price is None:
            table = "systems" if isinstance(spec, SystemSpec) else "judges"
            known = f"endpoint = {json.dumps(spec.endpoint)}, model = {json.dumps(spec.model)}"
            raise OptionError(
                f"--summ-budget needs a price, and nobody knows one of {spec.model!r}; the table"
                f" [{table}.{json.dumps(spec.name)}] of the suite needs {known},"
                " input_price and output_price (dollars per million tokens)"
            )
        return price

    def is_asked(self, judge: str, suites: Sequence[Suite]) -> bool:
        """Whether a model at an endpoint answers any questions, and not only this process."""
        specs = (spec for duty in DUTIES for spec in self._asked(judge, duty, suites))
        return any(isinstance(spec, AskedSpec) for spec in specs)

    def metrics_of(self, judge: str, suites: Sequence[Suite]) -> tuple[MetricName, ...]:
        """The metrics whose questions a judge can answer."""
        spec = self.judge_spec(judge, suites)
        return ("facet",) if spec is not None and spec.facets_only else METRICS

    def votes_of(self, judge: str, suites: Sequence[Suite]) -> int | None:
        """How often a judge is asked about each sentence, at least; None where no model is."""
        specs = self._asked(judge, "sentences", suites)
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
        if not systems:
            remedy = f"add a table [systems.NAME], or name a model with {flag}"
            raise SuiteError(Place(suite.shown), f"the suite has no system; {remedy}")
        for name in systems:
            self.check_system(suite, suite.systems[name])
        return suite, systems

    def remember(self, suites: Iterable[Suite]) -> None:
        """Notes in this machine's store what a run asks, so that it can be exported.

        A judge that is code, and an address that may hold a password, are not noted.
        """
        terms, (_, colon, attribute) = self.terms, self.terms.judge_name.rpartition(":")
        is_private = bool(colon) and attribute.isidentifier()
        is_private = is_private or any(mark in (terms.endpoint or "") for mark in "@?")
        if terms.is_shared or terms.record == "none" or is_private:
            return
        given = {name: value for name in ASKED if (value := getattr(terms, name))}
        texts = {k: v if isinstance(v, tuple) else [str(v)] for k, v in given.items()}
        with closing(open_store(terms.place)) as store:
            for suite in suites:
                store.put_note(_last_run_of(suite.path), json.dumps(texts))

    def ending_models(self, judge: str, suites: Sequence[Suite], today: dt.date) -> list[str]:
        """A sentence for each model of a judge that its endpoint ends within `NOTICE`.

        Endpoints are asked once a day; the store keeps what they say. No failure is an error.
        """
        endpoints = _agreed("endpoint", (suite.endpoints for suite in suites))
        specs = {s.name: s for duty in DUTIES for s in self._asked(judge, duty, suites) if s}
        lines = []
        for spec in specs.values():
            if not isinstance(spec, AskedSpec) or self.terms.record == "none":
                continue
            address = self.endpoints.address(spec.endpoint, endpoints)
            day = None if address.missing else self._ends(address.endpoint, today).get(spec.model)
            if day is not None and dt.date.fromisoformat(day) - today <= NOTICE:
                what = (
                    f"summeval: model {one_line(spec.model)!r} of judge {spec.name!r} ends on {day}"
                )
                lines.append(f"{what}; try another model on the labelled pairs")
        return lines

    def _ends(self, endpoint: Endpoint, today: dt.date) -> Mapping[str, str]:
        """By model, the last day that its endpoint names; asked for at most once a day."""
        name = f"ends at {endpoint.name} {endpoint.shown}"

        async def ask() -> Mapping[str, str]:
            wire = Wire(endpoint)
            try:
                return await wire.ends()
            finally:
                await wire.close()

        with closing(open_store(self.terms.place)) as store:
            day, ends = json.loads(store.note(name) or '["", {}]')
            if day != today.isoformat():
                ends = asyncio.run(ask())
                store.put_note(name, json.dumps([today.isoformat(), ends]))
        return dict(ends)

    def last_run(self, suite: Suite) -> dict[str, Any]:
        """The options that say what the last run of a suite asked; empty if nobody noted it."""
        if self.terms.is_shared:
            return {}
        with closing(open_store(self.terms.place)) as store:
            note = store.note(_last_run_of(suite.path))
        texts = json.loads(note) if note else {}
        return {name: TABLE[name].value(texts[name]) for name in ASKED if name in texts}

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
        price = spec.price or price_at(address.endpoint, spec.model or "")
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


def session_here(**options: Any) -> Session:
    """The session of a command or a call, a run of its own; store and endpoint are also variables.

    Raises:
        StoreError: for a store that is no folder and no PostgreSQL address.
    """
    given = {name: value for name, value in options.items() if value not in {None, ""}}
    places = in_environment(("store", "endpoint"))
    return Session(dict(os.environ), Terms(**(places | given), run=secrets.token_hex(8)))


def _last_run_of(suite: Path) -> str:
    """The name of the note."""
    return f"last run of {real_place(suite)}"


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
