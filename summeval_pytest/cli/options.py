"""What every command that may ask a model takes: the judge, and the terms on which it is asked.

Each option can also be spelt as pytest spells it, so that the advice of a message fits both.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from summeval_pytest.endpoints.endpoint import ALLOW
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.score import METRICS
from summeval_pytest.run.runner import Runner, tasks_of
from summeval_pytest.run.session import IN_FLIGHT, Session
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import thresholds_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.endpoints.exchange import Record
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.run.runner import FindPair, Task
    from summeval_pytest.suite.suite import Suite


MODES: Final = ("none", "new", "all")
YES: Final = ("1", "true", "yes", "on")
"""How a variable says so, as in pytest's options."""
_DIGITS: Final = 6
_SHOWN: Final = 60


def add_suite(parser: argparse.ArgumentParser, told: str = "a suite") -> None:
    """The suite that a command is about."""
    parser.add_argument("suite", type=Path, metavar="SUITE", help=told)
    add_outside(parser)


def add_outside(parser: argparse._ActionsContainer) -> None:
    """Whether a suite may name files outside of its folder."""
    parser.add_argument(
        "--allow-outside",
        "--summ-allow-outside",
        action="store_true",
        default=os.environ.get("SUMM_ALLOW_OUTSIDE", "").strip().lower() in YES,
        help="let the suite name files outside of its folder (default: SUMM_ALLOW_OUTSIDE)",
    )


def suite_of(chosen: argparse.Namespace) -> Suite:
    """The suite of a command.

    Raises:
        SuiteError: for a mistake in it.
    """
    return load_suite(chosen.suite, allow_outside=chosen.allow_outside)


def add_judge(parser: argparse.ArgumentParser, *, with_name: bool = True) -> None:
    """The options of a command that a judge answers; its name, unless the command has its own."""
    if with_name:
        parser.add_argument(
            "--judge", default="offline", metavar="NAME", help="who judges (default: offline)"
        )
    parser.add_argument(
        "--endpoint",
        "--summ-endpoint",
        default=os.environ.get("SUMM_ENDPOINT") or None,
        metavar="NAME|URL",
        help="where models are that the suite does not define (default: OPENAI_BASE_URL, else"
        " Ollama for systems and OpenAI for judges)",
    )
    parser.add_argument(
        "--allow-endpoints",
        "--summ-allow-endpoints",
        action="append",
        metavar="[NAME=]ORIGIN",
        help="where the suite may send the key in variable NAME, or any key that it names (repeat,"
        " or commas; default: SUMM_ALLOW_ENDPOINTS)",
    )
    parser.add_argument(
        "--votes", "--summ-votes", type=whole_number, metavar="N", help="votes on each question"
    )
    add_store(parser)


def add_store(parser: argparse.ArgumentParser) -> None:
    """Where replies are remembered."""
    parser.add_argument(
        "--store",
        "--summ-store",
        type=Path,
        default=os.environ.get("SUMM_STORE") or None,
        metavar="DIR",
        help="where replies are remembered (default: SUMM_STORE, else the user's cache folder)",
    )


def add_asking(parser: argparse.ArgumentParser) -> None:
    """The options of a command that sends requests."""
    parser.add_argument(
        "--record",
        "--summ-record",
        choices=MODES,
        default="new",
        help="none: replay the suite's cassette; new: ask what nobody has asked; all: ask"
        " everything again (default: new)",
    )
    parser.add_argument(
        "--in-flight",
        "--summ-in-flight",
        type=whole_number,
        default=IN_FLIGHT,
        metavar="N",
        help=f"requests open at once (default: {IN_FLIGHT})",
    )


def add_local_models(parser: argparse.ArgumentParser) -> None:
    """Baselines by models on this machine; each needs an extra of this package."""
    parser.add_argument(
        "--bertscore",
        metavar="MODEL",
        help="add BERTScore by the model in this folder (needs summeval-pytest[bertscore])",
    )
    parser.add_argument(
        "--bertscore-layers",
        type=whole_number,
        metavar="N",
        help="take its vectors after N layers (default: what bert-score has tuned for a model of"
        " this name, else all)",
    )
    parser.add_argument(
        "--embeddings",
        metavar="MODEL",
        help="add recall by sentence embeddings, and the evidence that they find, by the model in"
        " this folder (needs summeval-pytest[embeddings])",
    )


def add_systems(parser: argparse.ArgumentParser) -> None:
    """The options of a command that is about some of a suite's systems."""
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="SYSTEM",
        help="these systems (default: the suite's default_systems, else all)",
    )


def whole_number(text: str) -> int:
    """An option's number, 1 or more, of up to six digits.

    Raises:
        ArgumentTypeError: for anything else.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS and int(text)):
        raise argparse.ArgumentTypeError(
            f"{one_line(text, _SHOWN)!r} is no whole number from 1 to {'9' * _DIGITS}"
        )
    return int(text)


def desk_of(chosen: argparse.Namespace, record: str | None = None) -> Session:
    """The session for the options of a command.

    Raises:
        OptionError: for an allowed address that is none.
    """
    given = getattr(chosen, "allow_endpoints", None) or [os.environ.get(ALLOW, "")]
    return Session(
        environ=dict(os.environ),
        record=cast("Record", record or getattr(chosen, "record", "new")),
        directory=Path(chosen.store) if chosen.store else None,
        endpoint=getattr(chosen, "endpoint", None),
        allow_endpoints=tuple(filter(None, map(str.strip, ",".join(given).split(",")))),
        votes=getattr(chosen, "votes", None),
        in_flight=getattr(chosen, "in_flight", IN_FLIGHT),
        run=secrets.token_hex(8),
    )


def gated_tasks(chosen: argparse.Namespace, desk: Session) -> tuple[Suite, list[Task]]:
    """The suite of a command, and the pairs that a run with the same options would judge.

    Raises:
        UsageError: for a mistake in the suite, or a system that cannot be asked.
    """
    suite = suite_of(chosen)
    suite, systems = desk.systems(suite, names_in(chosen.model, "--model"), "--model")
    metrics = thresholds_of(suite).metrics or METRICS
    desk.add_cassette(suite)
    return suite, tasks_of(suite, systems, metrics)


@contextmanager
def running(judge: Judge, desk: Session, find_pair: FindPair | None = None) -> Iterator[Runner]:
    """A runner that this judge answers, as long as it is wanted.

    Args:
        judge: Who judges.
        desk: On which terms models are asked.
        find_pair: Who makes the pairs; None for the suite's files, and the systems themselves.
    """
    runner = Runner(judge, find_pair=find_pair or Summariser(desk.sender).pair, finish=desk.finish)
    try:
        yield runner
    finally:
        runner.close()


def check_writable(file: Path, option: str) -> None:
    """Refuses a file that cannot be written before anything is done for it.

    Raises:
        OptionError: for a folder, and for a file whose folder is not there.
    """
    from summeval_pytest.reports.files import unwritable

    if fault := unwritable(file):
        raise OptionError(f"{option}={file}: cannot be written, {fault}; name another file")


def write_figures(file: Path, option: str, figures: object) -> None:
    """Writes what a command has found as indented JSON.

    Raises:
        OptionError: if the file cannot be written.
    """
    from summeval_pytest.record.record import as_json

    write_text(file, option, json.dumps(json.loads(as_json(figures)), indent=2) + "\n")


def write_text(file: Path, option: str, text: str) -> None:
    """Writes the file that an option names.

    Raises:
        OptionError: if it cannot be written.
    """
    from summeval_pytest.reports.files import write_whole

    if fault := write_whole(file, text):
        raise OptionError(f"{option}={file}: {fault}")


def names_in(values: Sequence[str], option: str) -> list[str]:
    """The names of an option that may be repeated, or hold commas, each once.

    Raises:
        OptionError: where it is there and names nothing.
    """
    names = list(dict.fromkeys(name for value in values for name in value.split(",") if name))
    if values and not names:
        raise OptionError(f"{option}={values[0]}: names nothing; write a name, or leave it out")
    return names
