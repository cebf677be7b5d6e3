"""From names to answers, for one process: judges, models under test, store, cassettes and budget.

Nothing is opened before something is asked: where the embedded judge judges recorded summaries,
there is no store and no exchange.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.endpoints.endpoint import Keys
from summeval_pytest.endpoints.exchange import Exchange, Memory
from summeval_pytest.endpoints.spending import Budget
from summeval_pytest.errors import OptionError, Place
from summeval_pytest.judges.judge import OFFLINE, find_judge, is_local
from summeval_pytest.metrics.score import METRICS
from summeval_pytest.run.measure import check_encoders
from summeval_pytest.run.plan import Survey
from summeval_pytest.run.roles import Roles, disagreement, recorded_judge
from summeval_pytest.store.cache import default_directory, prepare
from summeval_pytest.store.cassette import read_cassette
from summeval_pytest.suite.lines import RESERVED_SYSTEMS, check_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import EndpointSpec, Price
    from summeval_pytest.endpoints.exchange import Record
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.run.roles import Lines
    from summeval_pytest.run.runner import Task
    from summeval_pytest.store.cassette import Cassette, Row
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import RecordedSpec, SystemSpec


IN_FLIGHT: Final = 64
"""Requests open at once: enough to wait for most endpoints without a pause."""
BUDGET_FILE: Final = "budget"


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether nobody sits before the run: CI is set, as GitHub, GitLab and others set it."""
    return environ.get("CI", "").strip().lower() not in {"", "0", "false"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On which terms a process may ask.

    Attributes:
        environ: The environment variables, for addresses and keys.
        record: What may be asked.
        directory: The local store; None for the user's cache folder.
        endpoint: Where models are that no suite defines; None for the usual place.
        allow_endpoints: Origins that a suite may send a key to, with the key's variable before "=".
        votes: Votes on each question, in place of the judge's own number.
        budget: The most that all processes of the run may spend, in dollars; None for no limit.
        in_flight: Requests open at once, of all processes of the run together.
        n_processes: How many processes share the run.
        run: A name that all processes of the run share, and no other run has.
    """

    environ: Mapping[str, str]
    record: Record = "new"
    directory: Path | None = None
    endpoint: str | None = None
    allow_endpoints: tuple[str, ...] = ()
    votes: int | None = None
    budget: float | None = None
    in_flight: int = IN_FLIGHT
    n_processes: int = 1
    run: str = ""


def _recorded(judge: str, suites: Sequence[Suite]) -> RecordedSpec | None:
    """The recorded judge of a name; None where no suite defines one."""
    defined = (suite.recorded_judges.get(judge) for suite in suites)
    return next((spec for spec in defined if spec is not None), None)


class Desk:
    """The way from names to answers, for one process of a run."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        sent = {} if terms.record == "none" else terms.environ  # a replay sends no key
        self.roles = Roles(
            environ=terms.environ,
            endpoint=terms.endpoint,
            keys=Keys.of(sent, typed=terms.endpoint, allowed=terms.allow_endpoints),
            votes=terms.votes,
            in_flight=max(1, terms.in_flight // terms.n_processes),
            n_processes=terms.n_processes,
        )
        self.cassettes: dict[Path, Cassette] = {}
        self._rows: dict[str, Row] = {}
        self._exchange: Exchange | None = None
        self._endpoints: dict[str, EndpointSpec | None] = {}

    @property
    def exchange(self) -> Exchange:
        """Where requests go through, made at the first look."""
        if self._exchange is None:
            self._exchange = Exchange(
                self.memory(),
                in_flight=self.roles.in_flight,
                budget=self._budget(),
                is_strict=is_ci(self.terms.environ),
            )
        return self._exchange

    @property
    def is_asking(self) -> bool:
        """Whether anything was ever to be asked."""
        return self._exchange is not None

    @property
    def directory(self) -> Path:
        """The local store."""
        return self.terms.directory or default_directory()

    def memory(self) -> Memory:
        """What is remembered, for one more user of it."""
        return Memory(self.terms.record, self.directory, self._rows, run=self.terms.run)

    def add_cassette(self, suite: Suite) -> None:
        """Reads the replies that a suite holds.

        Raises:
            SuiteError: at the first line that is none.
        """
        file = suite.cassette
        if file.path.is_file() and file.path not in self.cassettes:
            cassette = read_cassette(file.path, file.shown)
            self.cassettes[file.path] = cassette
            self._rows.update(cassette.rows)

    def judge(self, name: str, suites: Sequence[Suite], lines: Lines | None = None) -> Judge:
        """The judge of a name.

        Args:
            name: The name.
            suites: The suites that may define it.
            lines: Who connects it to its endpoint; None for this desk's exchange.

        Raises:
            OptionError: if there can be none on these terms, or the encoder that one of the suites
                names is not on this machine.
        """
        check_encoders(suites)
        if self.is_asked(name, suites):
            spec = self.roles.judge_spec(name, suites)
            price = self.roles.judge_address(spec, suites).price(spec.price)
            self._check_price(price, f"[judges.{name}]")
            return self.roles.judge(spec, suites, lines or self.exchange)
        recorded = _recorded(name, suites)
        if recorded is None and self.terms.record == "none" and name != OFFLINE:
            raise OptionError(
                f"--summ-record=none replays recorded answers, and judge {name!r} has none;"
                f" use --summ-judge={OFFLINE}, or --summ-record=new"
            )
        if self.terms.votes is not None:
            raise OptionError(
                f"--summ-votes asks a model several times, and judge {name!r} is none; leave it out"
            )
        return find_judge(name) if recorded is None else recorded_judge(recorded, suites)

    def is_asked(self, judge: str, suites: Sequence[Suite]) -> bool:
        """Whether a judge is a model at an endpoint, and does not answer in this process."""
        return not is_local(judge) and _recorded(judge, suites) is None

    def metrics_of(self, judge: str, suites: Sequence[Suite]) -> tuple[MetricName, ...]:
        """The metrics whose questions a judge can answer: FM alone for a recorded one."""
        return METRICS if _recorded(judge, suites) is None else ("facet",)

    def votes_of(self, judge: str, suites: Sequence[Suite]) -> int | None:
        """How often a judge is asked for each judgement; None where it is no model.

        Raises:
            OptionError: if two suites define it differently, and for a misspelt ``offline``.
        """
        if not self.is_asked(judge, suites):
            return None
        return self.roles.votes_of(self.roles.judge_spec(judge, suites))

    def check_system(self, suite: Suite, spec: SystemSpec) -> None:
        """Refuses a model under test that cannot be asked.

        Raises:
            OptionError: if its endpoint is unknown or may not have its key, if another suite calls
                another endpoint so, or if it has no price and there is a budget.
        """
        if spec.endpoint is not None:
            address = self.roles.address(spec.endpoint, suite.endpoints)
            self._check_agreed(spec.endpoint, suite.endpoints.get(spec.endpoint))
            self._check_price(address.price(spec.price), f"[systems.{spec.name}]")

    def systems(
        self, suite: Suite, asked: Iterable[str], flag: str
    ) -> tuple[Suite, tuple[str, ...]]:
        """The systems to gate, and the suite with those that it does not define itself.

        Args:
            suite: The suite.
            asked: The systems asked for; none for the suite's own choice.
            flag: The option that asks for them, for messages.

        Raises:
            UsageError: for a name that none can have, and for a model that cannot be asked.
        """
        names = tuple(dict.fromkeys(asked))
        for name in names:
            if name not in suite.systems:
                check_name(name, "system", Place(f"{flag}={name}"), RESERVED_SYSTEMS)
                suite = suite.with_system(self.roles.system_spec(name))
        systems = names or suite.default_systems
        for name in systems:
            self.check_system(suite, suite.systems[name])
        return suite, systems

    def sender(self, suite: Suite, spec: SystemSpec) -> Sender:
        """Who gets the summaries of a model under test."""
        return self.roles.sender(suite, spec, self.exchange)

    def survey(
        self, judge: str, suites: Sequence[Suite], tasks: Iterable[Task], *, imagine: bool
    ) -> tuple[Survey, str]:
        """What pairs need of what is remembered, and what nobody has answered yet.

        Args:
            judge: The name of who would judge.
            suites: The suites that may define it.
            tasks: The pairs.
            imagine: Whether to go on behind a missing reply with a stand-in.

        Returns:
            The survey, and the judge's signature.
        """
        memory = self.memory()
        survey = Survey(memory)
        answering = self.judge(judge, suites, survey)
        try:
            asyncio.run(survey.of(tasks, self.roles, answering, imagine=imagine))
        finally:
            memory.close()
        return survey, answering.signature

    async def finish(self, seconds: float) -> None:
        """Ends what is open, on the loop that it is open on."""
        if self._exchange is not None:
            await self._exchange.drain(seconds)

    def redacted(self, text: str) -> str:
        """The text with ``[key]`` for every key that was sent so far."""
        return text if self._exchange is None else self._exchange.redacted(text)

    def forget_run(self) -> None:
        """Removes what only this run needed; said once, when all its processes have ended."""
        if self.terms.record == "all" or self.terms.budget is not None:
            self.memory().forget_run()

    def _budget(self) -> Budget | None:
        terms = self.terms
        if terms.budget is None:
            return None
        if terms.n_processes == 1 or terms.record == "none":
            return Budget(terms.budget)
        prepare(self.directory)
        return Budget(terms.budget, prepare(self.memory().run_directory) / BUDGET_FILE)

    def _check_agreed(self, name: str, spec: EndpointSpec | None) -> None:
        """Holds all suites of a run to one meaning of a name, by which replies are remembered."""
        if self._endpoints.setdefault(name, spec) != spec:
            raise disagreement("endpoint", name)

    def _check_price(self, price: Price | None, table: str) -> None:
        if self.terms.budget is not None and price is None:
            raise OptionError(
                f"--summ-budget needs a price; write input_price and output_price, dollars per"
                f" million tokens, under {table} of the suite"
            )
