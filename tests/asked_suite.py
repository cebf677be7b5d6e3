"""A small suite whose judge and model under test answer over HTTP, and ways to run it.

Two papers; ``good`` and ``bad`` have recorded summaries, ``writer`` is a model. The judge ``rule``
answers by shared words (see `tests.judges.llm.by_rule`). All are behind one scripted server.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.options import Record
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.plan import Survey
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.suite.suite import Suite, load_suite
from tests.judges.llm.by_rule import answer_by_rule
from tests.label_suite import write_lines
from tests.scripted_server import Answer, Seen

KEY: Final = "sk-marker-0a1b2c3d4e5f"
"""A key that may be found nowhere."""
WRITER: Final = "writer-7b"
"""The model under test, by the name that the server knows."""

SENTENCES: Final = {
    "kiln": (
        "Bricks often crack in the kiln.",
        "We fired forty bricks with two draughts.",
        "The slow draught gave bricks of 31 MPa.",
        "Slow firing is worth its fuel.",
    ),
    "moss": (
        "Roofs get hot in July.",
        "We planted six roofs with moss.",
        "The moss roofs stayed 4.5 degrees cooler.",
        "Moss may spare a house its fan.",
    ),
}
GOOD: Final = {
    paper: " ".join(texts[1:]).replace("We ", "The team ") for paper, texts in SENTENCES.items()
}
BAD: Final = {paper: f"The alloy of {paper} sings. Sleepers liked it." for paper in SENTENCES}
WRITTEN: Final = {paper: " ".join((*texts[:2], texts[3])) for paper, texts in SENTENCES.items()}

_SUITE: Final = """\
papers = "papers.jsonl"
default_systems = {systems}
{head}

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
{endpoint}

[judges.rule]
endpoint = "here"
model = "rule-1"
{judge}

[systems.good]
summaries = "good.jsonl"

[systems.bad]
summaries = "bad.jsonl"

[systems.writer]
endpoint = "here"
model = "{writer}"
{system}
"""
PRICES: Final = "input_price = 1000.0\noutput_price = 2000.0"


def write_suite(  # noqa: PLR0913 - by keyword; each is one place of the file
    folder: Path,
    url: str,
    *,
    systems: Sequence[str] = ("good",),
    head: str = "",
    endpoint: str = "",
    judge: str = "",
    system: str = "",
    tail: str = "",
) -> Path:
    """Writes the suite into a folder, with what a test adds to its tables."""
    folder.mkdir(exist_ok=True)
    papers = [
        {
            "id": paper,
            "title": f"On {paper}",
            "source": " ".join((*texts, "Nobody had looked before.")),
            "reference": " ".join(texts),
        }
        for paper, texts in SENTENCES.items()
    ]
    write_lines(folder / "papers.jsonl", *papers)
    for name, summaries in (("good", GOOD), ("bad", BAD)):
        lines = [{"paper": paper, "summary": text} for paper, text in summaries.items()]
        write_lines(folder / f"{name}.jsonl", *lines)
    text = _SUITE.format(
        url=url,
        systems=json.dumps(list(systems)),
        head=head,
        endpoint=endpoint,
        judge=judge,
        system=system,
        writer=WRITER,
    )
    (folder / "summeval.toml").write_text(text + tail, encoding="utf-8")
    return folder


def loaded(folder: Path) -> Suite:
    """The suite, shown by its folder's name."""
    return load_suite(folder, folder.name)


def text_by_rule(body: dict[str, object]) -> str:
    """What the model under test writes, or the judge answers."""
    if body["model"] != WRITER:
        return answer_by_rule(body)
    asked = json.dumps(body["messages"])
    return next(text for paper, text in WRITTEN.items() if f"On {paper}" in asked)


def by_rule(seen: Seen) -> Answer:
    """The script of a server for this suite."""
    return Answer(text_by_rule(dict(seen.body)))


def desk_for(
    store: Path,
    *suites: Suite,
    record: Record = "new",
    budget: float | None = None,
    environ: Mapping[str, str] | None = None,
    run: str = "run-1",
) -> Session:
    """A session over a store, with the suites' cassettes."""
    session = Session(environ or {}, Terms(record=record, store=str(store), budget=budget, run=run))
    for suite in suites:
        session.replies.add_cassette(suite)
    return session


def tasks_of(
    suite: Suite, systems: Sequence[str] | None = None, metrics: tuple[MetricName, ...] = METRICS
) -> list[Task]:
    """The pairs of a suite's default systems, or of others."""
    return [
        Task(suite=suite, paper=paper, system=system, metrics=metrics)
        for system in systems or suite.default_systems
        for paper in suite.paper_ids_of(system)
    ]


def evaluated(
    session: Session, suite: Suite, tasks: Sequence[Task], judge: str = "rule"
) -> list[Evaluation]:
    """What a run measures on the pairs."""
    runner = Runner(
        session.judge(judge, [suite]),
        find_pair=session.pair,
        finish=session.replies.finish,
    )
    with closing(runner):
        runner.plan(tasks)
        return [runner.evaluation(task) for task in tasks]


def surveyed(session: Session, suite: Suite, tasks: Sequence[Task], *, imagine: bool) -> Survey:
    """What is remembered of a run, and what is missing."""
    survey, _ = session.survey("rule", [suite], tasks, imagine=imagine)
    return survey


def bytes_under(folder: Path) -> bytes:
    """All bytes of all files under a folder."""
    return b"\n".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def answers_to(requests: Path, text_of: Callable[[dict[str, object]], str] = text_by_rule) -> str:
    """The responses file to a batch's requests file, in OpenAI's format."""
    lines = []
    for line in requests.read_text(encoding="utf-8").splitlines():
        asked = json.loads(line)
        message = {"role": "assistant", "content": text_of(asked["body"])}
        reply = {
            "object": "chat.completion",
            "model": asked["body"]["model"],
            "system_fingerprint": "fp_scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        response = {"status_code": 200, "request_id": "r", "body": reply}
        lines.append(
            {"id": "b", "custom_id": asked["custom_id"], "response": response, "error": None}
        )
    return "".join(json.dumps(values) + "\n" for values in lines)
