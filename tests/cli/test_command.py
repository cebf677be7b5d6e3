from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.analysis import agreement
from summeval_pytest.analysis.all_analyses import ANALYSES
from summeval_pytest.cli.app import COMMANDS, main
from summeval_pytest.questions import Unanswered

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer, Question

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


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sound suite of two labelled pairs, named as its user would."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(agreement, "RESAMPLES", 10)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("SUMM_ENDPOINT", raising=False)
    monkeypatch.setenv("SUMM_STORE", str(tmp_path / "store"))
    ASKED.clear()
    folder = Path("moss")
    folder.mkdir()
    files: dict[str, list[dict[str, object]]] = {
        "papers": [
            {"id": "moss-01", "source": "Moss grew on stone.", "reference": "Moss grew."},
            {"id": "moss-02", "source": "Moss died on sand.", "reference": "Moss died."},
        ],
        "careful": [
            {"paper": "moss-01", "summary": "It grew on stone."},
            {"paper": "moss-02", "summary": "It died."},
        ],
        "labels": [
            {"paper": "moss-01", "system": "careful", "overall": 1},
            {"paper": "moss-02", "system": "careful", "overall": 0.5},
        ],
    }
    for name, objects in files.items():
        text = "".join(json.dumps(values) + "\n" for values in objects)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "summeval.toml").write_text(
        'papers = "papers.jsonl"\nlabels = "labels.jsonl"\n'
        '[systems.careful]\nsummaries = "careful.jsonl"\n',
        encoding="utf-8",
    )
    return folder


def failed(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    """The message of a command that ends with this code and prints nothing else."""
    assert main(arguments) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


@pytest.mark.usefixtures("suite")
def test_what_agree_is_asked_for_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Wire: every option of the command reaches its table."""
    options = ["--level", "all", "--matrix", "kendall", "--fit-weights"]
    assert main(["agree", "moss", "--judge", f"{__name__}:Mute", *options]) == 0
    told = capsys.readouterr().out
    for title in (
        "\nOver all pairs.\n",
        "\nMean over papers of the agreement within each.\n",
        "\nOf the systems' means over papers, one point a system",
        "\nKendall of every two columns. Over all pairs.\n",
        "\nKendall of every two columns. Of the systems' means over papers.\n",
        "\nfacet weights: too few labels ",
    ):
        assert title in told
    assert all(len(line) <= 100 for line in told.splitlines()[1:])


def test_a_folder_without_a_suite_is_a_usage_error(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's mistake, so exit 4 as pytest has it, and one line that says what to do."""
    Path("empty").mkdir()
    assert failed(capsys, 4, "agree", "empty") == (
        "summeval: error: empty: the folder 'empty' holds no suite file;"
        " add summeval.toml or NAME.summeval.toml\n"
    )
    assert failed(capsys, 4, "agree", f"{suite}/papers.jsonl") == (
        "summeval: error: moss/papers.jsonl: 'papers.jsonl' is no name of a suite file;"
        " rename it to summeval.toml or NAME.summeval.toml\n"
    )


def test_a_mistake_in_a_suite_is_told_with_file_and_line(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An editor can jump to it."""
    labels = suite / "labels.jsonl"
    text = labels.read_text(encoding="utf-8")
    labels.write_text(text.replace('"moss-02"', '"moss-03"'), encoding="utf-8")
    message = failed(capsys, 4, "agree", "moss")
    assert message.startswith("summeval: error: moss/labels.jsonl:2: ")
    assert "'moss-03'" in message


def test_a_suite_without_labels_has_nothing_to_agree_with(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where labels are there and say only what the reference lacks."""
    wanted = (
        "summeval: error: moss/summeval.toml: no label has anything to agree with: an 'overall'"
        " score, a facet's rating, sentences, facts or roles; add labels.jsonl and name it as"
        ' labels = "labels.jsonl"\n'
    )
    labels = suite / "labels.jsonl"
    label = {"paper": "moss-01", "system": "careful", "facets": {"result": None}}
    labels.write_text(json.dumps(label) + "\n", encoding="utf-8")
    assert failed(capsys, 4, "agree", "moss", "--judge", f"{__name__}:Mute") == wanted
    file = suite / "summeval.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('labels = "labels.jsonl"\n', ""), encoding="utf-8")
    assert failed(capsys, 4, "agree", "moss", "--judge", f"{__name__}:Mute") == wanted
    assert ASKED == []


@pytest.mark.usefixtures("suite")
def test_an_unknown_judge_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The name is the user's, and another judge's figures in its place would be a lie."""
    message = failed(capsys, 4, "agree", "moss", "--judge", "ofline")
    assert message == "summeval: error: no judge 'ofline'; did you mean 'offline'?\n"
    message = failed(capsys, 4, "agree", "moss", "--judge", "gtp")
    told = "'gtp' is asked at https://api.openai.com/v1, which needs a key: set OPENAI_API_KEY"
    assert message.startswith(f"summeval: error: {told}")
    message = failed(capsys, 4, "agree", "moss", "--judge", f"{__name__}:Nobody")
    assert message == (
        f"summeval: error: no judge '{__name__}:Nobody': module '{__name__}' has no attribute"
        " 'Nobody'; name it package.module:Class\n"
    )


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("nowhere/figures.json", "its folder is not there"),
        ("moss", "it is a folder"),
        ("moss/papers.jsonl/figures.json", "its folder is not there"),
    ],
)
def test_a_json_file_that_cannot_be_written_is_refused_before_anything_is_asked(
    file: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers cost money, and figures that cannot be kept are lost after they were paid for."""
    arguments = ["agree", "moss", "--judge", f"{__name__}:Mute", "--json", file]
    assert failed(capsys, 4, *arguments) == (
        f"summeval: error: --json={file}: cannot be written, {fault}; name another file\n"
    )
    assert ASKED == []


@pytest.mark.parametrize(
    "command",
    [
        "agree SUITE --judge gpt-9",
        "study SUITE --judge gpt-9",
        "plan SUITE --judge gpt-9",
        "power SUITE --drop .1 --judge gpt-9",
        "cassette export SUITE --judge gpt-9",
        "batch export SUITE --judge gpt-9 --out out.jsonl",
    ],
)
def test_no_command_sends_a_key_where_the_user_has_not_allowed_it(
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    """The suite says where 'house' is, so that naming it allows nothing."""
    file = suite / "summeval.toml"
    toml = file.read_text(encoding="utf-8")
    house = '[endpoints.house]\nbase_url = "https://house.invalid/v1"\napi_key_env = "TEAM_KEY"\n'
    file.write_text(f"{toml}\n{house}", encoding="utf-8")
    monkeypatch.setenv("TEAM_KEY", "sk-marker-0a1b2c3d4e5f")
    arguments = [*command.replace("SUITE", str(suite)).split(), "--endpoint", "house"]

    told = failed(capsys, 4, *arguments)
    assert "set SUMM_ALLOW_ENDPOINTS=TEAM_KEY=https://house.invalid (or" in told


@pytest.mark.usefixtures("suite")
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_is_full_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A traceback of ours would say less than the system's own words."""
    arguments = ["agree", "moss", "--judge", f"{__name__}:Mute", "--json", "/dev/full"]
    assert failed(capsys, 4, *arguments) == (
        "summeval: error: --json=/dev/full: /dev/full cannot be written (No space left on"
        " device); name another file\n"
    )


@pytest.mark.usefixtures("suite")
def test_a_judge_that_breaks_its_contract_fails_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not the user's mistake, so exit 1; and its name is shown and not obeyed."""
    assert failed(capsys, 1, "agree", "moss", "--judge", f"{__name__}:Forgetful") == (
        r"summeval: error: judge 'forgetful\x1b[31m' gave 1 answers to 2 questions;"
        " it owes one for each, in order\n"
    )


@pytest.mark.usefixtures("suite")
def test_what_a_message_quotes_cannot_command_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A suite comes with a pull request, and a runner obeys what stands in a log."""
    folder = Path("##[error]\u202e")
    folder.mkdir()
    message = failed(capsys, 4, "agree", str(folder))
    assert message.startswith(r"summeval: error: #\x23[error]\u202e: the folder ")


@pytest.mark.usefixtures("suite")
def test_what_a_judge_raises_itself_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """It is the judge's fault, not a mistake of the user's: exit 1, with what was raised."""
    told = failed(capsys, 1, "agree", "moss", "--judge", f"{__name__}:Dead")
    assert "broke down: ConnectionError: no route for " in told


def test_a_file_to_import_that_is_not_there_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the file as the user did, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert failed(capsys, 4, "import", "scholarsum", "release.json", "--out", "out") == (
        "summeval: error: release.json: 'release.json' cannot be read (No such file or directory);"
        " make it readable\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_release_is_a_usage_error(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Our own papers are JSON lines as well."""
    assert failed(capsys, 4, "import", "scholarsum", f"{suite}/papers.jsonl", "--out", "out") == (
        "summeval: error: moss/papers.jsonl:1: this line has no 'article', so the file is no"
        " ScholarSum release; name its dataset/pubmed.json or dataset/arxiv.json\n"
    )
    assert not Path("out").exists()


def test_a_folder_with_a_suite_is_never_imported_over(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Someone's labels may be in it."""
    before = sorted(file.read_bytes() for file in suite.iterdir())
    assert failed(capsys, 4, "import", "scholarsum", "release.json", "--out", "moss") == (
        "summeval: error: moss: this folder holds the suite 'summeval.toml' already;"
        " name a new one with --out\n"
    )
    assert sorted(file.read_bytes() for file in suite.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["agree"], 'Command "agree" parameter SUITE requires an argument.'),
        (["agree", "moss", "--josn", "x"], "Unknown option: --josn. Did you mean --json?"),
        (
            ["import", "scholarsum", "release.json"],
            'Command "import" parameter --out requires an argument.',
        ),
        (["agre", "moss"], 'Unknown command "agre". Did you mean "agree"?'),
        (["cassette", "exprot"], 'Unknown command "exprot". Did you mean "export"?'),
        (["import", "pubmed", "x", "--out", "y"], 'Choose from: "scholarsum", "csv", "labelst'),
        (["agree", "moss", "--of", "faithful"], "--of=faithful goes with --evidence"),
    ],
)
def test_arguments_that_cannot_be_read_are_a_usage_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 4, as for every other mistake of the user's."""
    assert message in failed(capsys, 4, *arguments)


@pytest.mark.parametrize("arguments", [[], ["cassette"]])
def test_no_command_shows_the_help_and_fails(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A step of a workflow that lost its command must not pass."""
    assert main(arguments) == 4
    assert capsys.readouterr().out.startswith("Usage: summeval")


@pytest.mark.parametrize("command", [command for command, _, _ in COMMANDS])
def test_every_command_is_there_and_has_help(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name in the table is looked up when it is wanted, which no type checker sees."""
    assert main([*command.split(), "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: summeval {command}")


def test_help_names_the_commands_and_the_default_judge(capsys: pytest.CaptureFixture[str]) -> None:
    """It is where a new user looks first."""
    assert main(["--help"]) == main(["agree", "--help"]) == main(["study", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "import make a suite from released data" in printed
    assert "plan what a run would ask and cost; asks nothing" in printed
    assert "who judges [default: offline]" in printed
    assert all(name in printed for name in ANALYSES)


def test_the_installed_command_is_this_one() -> None:
    """And help, which needs no figures, loads no numpy."""
    program = Path(sys.executable).parent / "summeval"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", program, "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: summeval COMMAND")
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "summeval_pytest.cli.app" in loaded
    assert not loaded & {"numpy", "scipy", "pytest", "rouge_score", "openai", "diskcache"}


def test_a_judge_of_ones_own_is_found_in_this_folder(tmp_path: Path) -> None:
    """As `python -m` would find it; a script alone looks only where packages are installed."""
    (tmp_path / "own.py").write_text("judges = {}\n", encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).parent / "summeval", "agree", GOLDEN, "--judge=own:Strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr == (
        "summeval: error: no judge 'own:Strict': module 'own' has no attribute 'Strict';"
        " name it package.module:Class\n"
    )


def test_the_module_is_the_command_as_well() -> None:
    """Where scripts are not on the path; the exit code reaches the shell."""
    done = subprocess.run(
        [sys.executable, "-m", "summeval_pytest.cli.app", "agree", "nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "summeval: error: nowhere: there is no suite 'nowhere';"
        " name a folder that holds summeval.toml or NAME.summeval.toml\n"
    )


def test_a_reader_who_has_read_enough_is_no_error(suite: Path) -> None:
    """``summeval study SUITE | head -1`` closes the pipe before everything is written."""
    command = [sys.executable, "-m", "summeval_pytest.cli.app", "study", str(suite)]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        run = subprocess.run(
            [*command, "--only=numbers"], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is on Linux only")
def test_output_that_cannot_be_written_is_told(suite: Path) -> None:
    """A disk may be full, and a table cut short must not look whole."""
    command = [sys.executable, "-m", "summeval_pytest.cli.app", "study", str(suite)]
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [*command, "--only=numbers"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert run.returncode == 4
    assert run.stderr == (
        "summeval: error: the output cannot be written, No space left on device; make room, or"
        " name another file behind '>'\n"
    )
