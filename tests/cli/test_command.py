from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.cli.app import COMMANDS, main
from summeval_pytest.questions import Answer, Question, Unanswered
from tests.cli.conftest import Shell
from tests.label_suite import write_lines
from tests.processes import run_command

ASKED: list[Question] = []
"""What the judges below were asked; they are made anew by name."""


class Mute:
    """Has no answer, which is an answer."""

    signature = "mute-1"
    in_flight = 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """`Unanswered`, for each question."""
        ASKED.extend(questions)
        return (Unanswered("the page is torn"),) * len(questions)


class Forgetful(Mute):
    """Breaks the contract of a judge, under a name that would command a terminal."""

    signature = "forgetful\x1b[31m"

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer too few."""
        return (Unanswered("the page is torn"),) * (len(questions) - 1)


class Dead(Mute):
    """Cannot be reached."""

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Nothing."""
        raise ConnectionError(f"no route for {len(questions)} questions")


GOLDEN = Path(__file__).parents[2] / "golden"


LABEL = {"paper": "moss-01", "system": "careful"}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sound suite of two labelled pairs, named as its user would."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SUMM_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    ASKED.clear()
    folder = Path("moss")
    folder.mkdir()
    papers = [
        {"id": "moss-01", "source": "Moss grew on stone.", "reference": "Moss grew."},
        {"id": "moss-02", "source": "Moss died on sand.", "reference": "Moss died."},
    ]
    write_lines(folder / "papers.jsonl", *papers)
    summaries = {"moss-01": "It grew on stone.", "moss-02": "It died."}
    lines = [{"paper": paper, "summary": text} for paper, text in summaries.items()]
    write_lines(folder / "careful.jsonl", *lines)
    second = {**LABEL, "paper": "moss-02", "overall": 0.5}
    write_lines(folder / "labels.jsonl", {**LABEL, "overall": 1}, second)
    (folder / "summeval.toml").write_text(
        'papers = "papers.jsonl"\nlabels = "labels.jsonl"\n'
        '[systems.careful]\nsummaries = "careful.jsonl"\n',
        encoding="utf-8",
    )
    return folder


def edited(file: Path, old: str, new: str) -> None:
    """Puts something else in the place of a file's text."""
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    ("code", "command"),
    [
        # the user's mistake is exit 4, as pytest has it, and one line that says what to do
        (4, "agree empty"),
        (4, "agree moss/papers.jsonl"),
        # another judge's figures in the place of a name would be a lie
        (4, "agree moss --judge ofline"),
        (4, f"agree moss --judge {__name__}:Nobody"),
        # answers cost money: figures that cannot be kept are lost after they were paid for
        (4, f"agree moss --judge {__name__}:Mute --json nowhere/figures.json"),
        (4, f"agree moss --judge {__name__}:Mute --json moss"),
        (4, f"agree moss --judge {__name__}:Mute --json moss/papers.jsonl/figures.json"),
        # a judge's fault is exit 1; its name is shown and not obeyed
        (1, f"agree moss --judge {__name__}:Forgetful"),
        (1, f"agree moss --judge {__name__}:Dead"),
        # a suite comes with a pull request, and a runner obeys what stands in a log
        (4, "agree ##[error]\u202e"),
        # an import names the file as the user did; our own papers are JSON lines as well
        (4, "import scholarsum release.json --out out"),
        (4, "import scholarsum moss/papers.jsonl --out out"),
        # someone's labels may be in it
        (4, "import scholarsum release.json --out moss"),
    ],
)
def test_what_cannot_be_done_is_reported_and_nothing_is_written(
    shell: Shell, snapshot: SnapshotAssertion, code: int, command: str
) -> None:
    """Before anything is asked that costs money."""
    Path("empty").mkdir()
    before = {file: file.read_bytes() for file in Path().rglob("*") if file.is_file()}
    assert shell.error(code, *command.split()) == snapshot
    assert {file: file.read_bytes() for file in Path().rglob("*") if file.is_file()} == before
    assert ASKED == []


def test_no_command_sends_a_key_where_the_user_has_not_allowed_it(
    suite: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    """The suite says where 'house' is, so that naming it allows nothing."""
    house = '[endpoints.house]\nbase_url = "https://house.invalid/v1"\napi_key_env = "TEAM_KEY"\n'
    edited(suite / "summeval.toml", "[systems.careful]", f"{house}[systems.careful]")
    monkeypatch.setenv("TEAM_KEY", "sk-marker-0a1b2c3d4e5f")
    for command in ("agree", "study", "power --margin .1", "cassette export"):
        words = [*command.split(), "moss", "--judge=gpt-9", "--endpoint=house"]
        printed = shell.error(4, *words)
        assert "set SUMM_ALLOW_ENDPOINTS=TEAM_KEY=https://house.invalid (or" in printed


def test_unreadable_arguments_are_an_error(shell: Shell) -> None:
    """Exit 4, as for every other mistake of the user's."""
    for arguments, message in (
        (["agree"], 'Command "agree" parameter SUITE requires an argument.'),
        (["agree", "moss", "--josn", "x"], "Unknown option: --josn. Did you mean --json?"),
        (
            ["import", "scholarsum", "release.json"],
            'Command "import" parameter --out requires an argument.',
        ),
        (["agre", "moss"], 'Unknown command "agre". Did you mean "agree"?'),
        (["cassette", "exprot"], 'Unknown command "exprot". Did you mean "export"?'),
        (
            ["import", "pubmed", "x", "--out", "y"],
            'Choose from: "scholarsum", "table", "hf", "csv"',
        ),
        (["agree", "moss", "--of", "faithful"], "--of=faithful goes with --evidence"),
    ):
        assert message in shell.error(4, *arguments)


@pytest.mark.parametrize("arguments", [[], ["cassette"]])
def test_no_command_shows_the_help_and_fails(arguments: list[str], shell: Shell) -> None:
    """A step of a workflow that lost its command must not pass."""
    code, lines, _ = shell.run(*arguments)
    assert code == 4
    assert lines[0].startswith("Usage: summeval")


@pytest.mark.parametrize("command", [command for command, _, _ in COMMANDS])
def test_every_command_is_there_and_has_help(command: str, shell: Shell) -> None:
    """A name in the table is looked up when it is wanted, which no type checker sees."""
    assert shell.lines(*command.split(), "--help")[0].startswith(f"Usage: summeval {command}")


def test_it_says_its_version(shell: Shell) -> None:
    """The first thing that a report of a fault names."""
    assert shell.lines("--version") == [f"summeval-pytest {version('summeval-pytest')}"]


def test_the_installed_command_is_this_one() -> None:
    """And help, which needs no figures, loads no numpy."""
    program = Path(sys.executable).parent / "summeval"
    done = run_command(sys.executable, "-X", "importtime", program, "--help")
    assert done.stdout.startswith("Usage: summeval COMMAND")
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "summeval_pytest.cli.app" in loaded
    assert not loaded & {"numpy", "scipy", "pytest", "rouge_score", "openai", "diskcache"}


def test_own_judges_are_found_here(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `python -m` would find it; a script alone looks only where packages are installed."""
    (tmp_path / "own_here.py").write_text("judges = {}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    assert shell.error(4, "agree", GOLDEN, "--judge=own_here:Strict") == (
        "no judge 'own_here:Strict': module 'own_here' has no attribute 'Strict'; name it"
        ' package.module:Class, or define a model of this name as [judges."own_here:Strict"] in'
        " the suite"
    )


@pytest.mark.usefixtures("suite")
def test_a_reader_who_has_read_enough_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """``summeval study SUITE | head -1`` closes the pipe before everything is written."""
    # Python flushes once more at its end, as `close` does here.
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert main(["plan", "moss"]) == 0


@pytest.mark.usefixtures("suite")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is on Linux only")
def test_unwritable_output_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk may be full, and a table cut short must not look whole."""
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["plan", "moss"]) == 4
    assert capsys.readouterr().err == (
        "summeval: error: the output cannot be written, No space left on device; make room, or"
        " name another file behind '>'\n"
    )


@pytest.mark.parametrize(
    ("command", "package"), [("agree", "rouge_score"), ("agree", "bm25s"), ("study", "rouge_score")]
)
def test_without_its_baselines_a_command_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, shell: Shell, command: str, package: str
) -> None:
    """Before a judge is asked, and paid."""
    monkeypatch.setitem(sys.modules, package, None)
    assert shell.error(4, command, GOLDEN) == (
        f"{command}: the package {package!r} is not installed; install it with:"
        " pip install 'summeval-pytest[agree]'"
    )
