"""A folder in which pytest really runs: a suite of our own sentences, and judges by rule."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module, metadata
from importlib.metadata import EntryPoints, PackageMetadata, PackagePath
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final, cast
from xml.etree import ElementTree as ET

import pytest

import summeval_pytest
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.wire import Wire
from summeval_pytest.errors import NoReplyError
from summeval_pytest.record.record_file import read_record
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.run import RunVerdict
from tests.judges.llm.by_rule import answer_by_rule
from tests.processes import LEAN, clean_environment, is_ours
from tests.resealing import resealed
from tests.scripted_server import Action, Answer, ScriptedServer, Seen
from tests.waiting import SOON

Script = Callable[[Seen], Action]

FAIR: Final = "--summ-judge=rule:Fair"
BOTH: Final = "--summ-model=good,bad"

for _module in (
    "diskcache",
    "jinja2",
    "numpy",
    "pydantic.root_model",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
):
    # A run inside this process forgets what it was first to import: numpy refuses to be imported
    # again, and a class that is made anew is not the one that others hold.
    import_module(_module)
for _found in walk_packages(summeval_pytest.__path__, "summeval_pytest."):
    import_module(_found.name)

PAPERS: Final = {
    "limpet-01": (
        "Limpets were counted on twelve shores in spring.",
        "The count fell by 40 percent after the warm winter of 2019.",
        "Warm winters may therefore empty open shores first.",
    ),
    "kiln-02": (
        "We fired forty bricks in a kiln with two draughts.",
        "The slow draught gave bricks of 31 MPa and the fast draught bricks of 22 MPa.",
        "Slow firing is worth its fuel.",
    ),
    "moss-03": (
        "Six roofs were planted with moss and six were left bare.",
        "The moss roofs stayed 4.5 degrees cooler in July.",
        "Moss may spare a house its fan.",
    ),
}
"""The sentences of each paper; its source and its reference are made of them."""

GOOD: Final = {
    "limpet-01": " ".join(PAPERS["limpet-01"]).replace("on twelve shores", "on twelve sea shores"),
    "kiln-02": " ".join(PAPERS["kiln-02"]).replace("in a kiln", "in the kiln"),
    "moss-03": " ".join(PAPERS["moss-03"]).replace("a house", "the house"),
}
"""Nearly the reference, one sentence changed, so that a judge has something to say."""
BAD: Final = {
    paper: f"The alloy of {paper} conducts heat. Sleepers liked its alloy lamp." for paper in PAPERS
}
"""About something else; every sentence says "alloy", which the judges by rule deny."""

JUDGES: Final = Path(__file__).with_name("rule.py")
ENDPOINT: Final = """
[judges.rule]
endpoint = "here"
model = "{model}"
{judge}

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
"""


def by_rule(seen: Seen) -> Action:
    """What the scripted judge says."""
    return Answer(answer_by_rule(seen.body))


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of what a judge by rule wrote down."""

    process: str
    """The xdist worker, or "main"."""
    event: str
    """"begin" or "end"."""
    question: str

    @property
    def pair(self) -> str:
        """The pair that a question about a summary is about, as SYSTEM::PAPER."""
        question = self.question.split("source=", maxsplit=1)[0].lower()
        system = "bad" if "alloy" in question else "good"
        paper = next(paper for paper in PAPERS if paper.split("-", maxsplit=1)[0] in question)
        return f"{system}::{paper}"


@dataclass(frozen=True, slots=True)
class Run:
    """One pytest run, over."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """What it printed."""
        return self.out.splitlines()

    @property
    def outcomes(self) -> dict[str, str]:
        """By node id, what ``-rA`` says of each test."""
        words = ("PASSED ", "FAILED ", "ERROR ")
        actual = [line.split()[:2] for line in self.lines if line.startswith(words)]
        return {node: outcome for outcome, node in actual}

    @property
    def collected(self) -> list[str]:
        """The node ids that ``--collect-only -q`` lists."""
        return [line for line in self.lines if "::" in line and " " not in line]

    @property
    def last(self) -> str:
        """The counts of the last line, without the time."""
        return self.lines[-1].strip("= ").split(" in ")[0]

    @property
    def shows_code(self) -> bool:
        """Whether it printed a traceback, or any place in a Python file."""
        return "Traceback" in self.out or bool(re.search(r"\.py:\d", self.out))

    def block(self, first: str, n_lines: int) -> list[str]:
        """So many lines from the one that reads ``first``."""
        start = self.lines.index(first)
        return self.lines[start : start + n_lines]


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder in which pytest runs over a suite of a good system and a bad one."""

    path: Path
    pytester: pytest.Pytester
    """Who runs pytest inside this process."""
    good: dict[str, str] = field(default_factory=lambda: dict(GOOD))
    bad: dict[str, str] = field(default_factory=lambda: dict(BAD))

    @property
    def store(self) -> Path:
        """Where the runs in it remember replies: never in the user's own cache folder."""
        return self.path / ".store"

    def write(self, name: str, text: str) -> Path:
        """Writes one file."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        return file

    def lines(self, name: str, *objects: Mapping[str, object]) -> None:
        """Writes one file of JSON lines."""
        self.write(name, "".join(json.dumps(values) + "\n" for values in objects))

    def suite(
        self,
        name: str = "summeval.toml",
        *,
        head: str = 'default_systems = ["good"]',
        pair: str = "facet = 0.6\nfaithfulness = 0.8",
        mean: str = "",
        papers: tuple[str, ...] = ("limpet-01", "kiln-02"),
    ) -> None:
        """Writes a suite of two systems over the given papers, with thresholds as given."""
        folder, slash, _ = name.rpartition("/")
        prefix = folder + slash
        self.lines(
            f"{prefix}papers.jsonl",
            *(
                {
                    "id": paper,
                    "source": " ".join((*PAPERS[paper], "Nobody had looked before.")),
                    "reference": " ".join(PAPERS[paper]),
                }
                for paper in papers
            ),
        )
        for system, summaries in (("good", self.good), ("bad", self.bad)):
            self.lines(
                f"{prefix}{system}.jsonl",
                *({"paper": paper, "summary": summaries[paper]} for paper in papers),
            )
        text = f"""\
papers = "papers.jsonl"
{head}

[systems.good]
summaries = "good.jsonl"

[systems.bad]
summaries = "bad.jsonl"

[thresholds]
{pair}
"""
        self.write(name, f"{text}\n[thresholds.mean]\n{mean}\n" if mean else text)

    def extend(self, text: str) -> None:
        """Appends tables to the suite."""
        self.write("summeval.toml", f"{self.text('summeval.toml')}\n{text}\n")

    def text(self, name: str) -> str:
        """What one file holds."""
        return (self.path / name).read_text(encoding="utf-8")

    @contextmanager
    def serving(
        self,
        script: Script | None = None,
        *,
        model: str = "rule-1",
        judge: str = "",
        more: str = "",
    ) -> Iterator[ScriptedServer]:
        """A server of the judge "rule", which follows a script or judges by rule."""
        with ScriptedServer(script or by_rule) as server:
            self.extend(ENDPOINT.format(url=server.url, model=model, judge=judge) + more)
            yield server

    def install(self, name: str, number: str, place: str, text: str) -> None:
        """Installs a package whose module, of this text, has a metric at a place in it."""
        self.write(f"{place.partition(':')[0]}.py", text)
        self.write(
            f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        )
        entry = f"[summeval.metrics]\n{number}={place}\n"
        self.write(f"{name}-1.0.dist-info/entry_points.txt", entry)

    def record(self, name: str = "run.jsonl") -> RunVerdict:
        """The record that a run has written, decided as it was then."""
        return decide(read_record(self.path / name, "RUN"))

    def pairs(self, name: str = "run.jsonl") -> list[dict[str, Any]]:
        """The pairs of a record as they stand in its file."""
        lines = (json.loads(line) for line in self.text(name).split("\n") if line)
        return [line["pair"] for line in lines if "pair" in line]

    def forge(self, name: str, change: Callable[[str], str], made: str = "") -> None:
        """Changes a record by hand, and its hash with it; ``made`` is where it then stands."""
        self.write(made or name, resealed(change(self.text(name))))

    def spoil(self, name: str, old: str, new: str) -> None:
        """Replaces a text that stands in a file exactly once."""
        text = self.text(name)
        assert text.count(old) == 1
        self.write(name, text.replace(old, new))

    def asked(self) -> list[Asked]:
        """What the judges by rule wrote down, in order; empty where nothing was asked."""
        log = self.path / "asked.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [Asked(*line.split(" ", maxsplit=2)) for line in lines]

    def pairs_asked(self) -> set[str]:
        """The pairs whose sentences a judge by rule was asked about."""
        return {a.pair for a in self.asked() if a.question.startswith("CheckSentences")}

    def config(self, *arguments: str) -> pytest.Config:
        """What a run would be configured as."""
        return self.pytester.parseconfig(*arguments)

    def inside(self, *arguments: str, no_reraise_ctrlc: bool = False) -> Run:
        """One whole run inside this process, which is quick; it may end by an interrupt."""
        result = self.pytester.runpytest_inprocess(*arguments, no_reraise_ctrlc=no_reraise_ctrlc)
        out, err = "\n".join(result.outlines), "\n".join(result.errlines)
        return Run(code=int(result.ret), out=out, err=err)

    @contextmanager
    def running(self, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
        """Pytest as a user would start it, in a process group that ends with the block."""
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=self.path,
            env=clean_environment(SUMM_STORE=str(self.store), **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                _end_group(process.pid)

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> Run:
        """Waits for a run's end, and sees to it that nothing is left of it."""
        out, err = process.communicate(timeout=SOON)
        assert not _end_group(process.pid), "the run has left a process behind"
        return Run(code=process.returncode, out=out, err=err)

    def run(self, *arguments: str, **variables: str) -> Run:
        """One whole run in a process of its own, with these environment variables."""
        with self.running(*arguments, **variables) as process:
            return self.finish(process)

    def properties(self, report: str) -> dict[str, dict[str, str]]:
        """By test, the properties in a JUnit report of pytest's."""
        report_tree = ET.parse(self.path / report)  # noqa: S314 - pytest has just written it
        return {
            f"{case.get('classname')}::{case.get('name')}": {
                each.get("name", ""): each.get("value", "") for each in case.iter("property")
            }
            for case in report_tree.iter("testcase")
        }


def _end_group(group: int) -> bool:
    """Ends whatever is left of a process group; whether there was anything."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="session")
def _loaded_client() -> None:
    """Each run inside this process would load it again, which takes a second."""

    async def post(url: str) -> None:
        wire = Wire(Endpoint(name="here", base_url=url))
        try:
            await wire.post({})
        finally:
            await wire.close()

    with ScriptedServer(lambda _: Answer("")) as server:
        asyncio.run(post(server.url))
    with suppress(NoReplyError):
        asyncio.run(post(server.url))


class Known(metadata.PathDistribution):
    """An installed package whose files are read once: each run in this process looks twice."""

    @cached_property
    def metadata(self) -> PackageMetadata:
        """What it says of itself."""
        return super().metadata

    @cached_property
    def entry_points(self) -> EntryPoints:
        """What it offers."""
        return super().entry_points

    @cached_property
    def files(self) -> list[PackagePath] | None:
        """What it holds."""
        return super().files


_distributions: Final = metadata.distributions
_INSTALLED: Final = frozenset(sys.path)


@cache
def _known(place: str) -> tuple[Known, ...]:
    return tuple(Known(cast("Known", each)._path) for each in _distributions(path=[place]))


def known_distributions(**how: Any) -> Iterator[metadata.Distribution]:
    """What is installed here, read once, and what a test has put beside it."""
    if how:
        yield from _distributions(**how)
        return
    for place in sys.path:
        yield from _known(place) if place in _INSTALLED else _distributions(path=[place])


@pytest.fixture(autouse=True)
def _quick(few_resamples: None) -> None:
    """What runs print has intervals; their figures have tests of their own."""


@pytest.fixture
def bench(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, _loaded_client: None
) -> Bench:
    """The folder of `pytester`, with a suite, judges by rule, and no options from outside."""
    for name in filter(is_ours, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(metadata, "distributions", known_distributions)
    pytester.syspathinsert()
    bench = Bench(pytester.path, pytester)
    monkeypatch.setenv("SUMM_STORE", str(bench.store))
    bench.write(JUDGES.name, JUDGES.read_text(encoding="utf-8"))
    bench.suite()
    return bench


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, and where nobody can begin to while the test runs."""
    with socket.socket() as stored:
        stored.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{stored.getsockname()[1]}/v1"
