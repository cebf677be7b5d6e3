"""README and docs are executable: their console blocks print what the pages say they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.judges.offline import OfflineJudge
from tests.golden.oracle import computed
from tests.plugin.conftest import Bench
from tests.processes import clean_environment, is_ours, run_command
from tests.shared_data import RELEASE

ROOT = Path(__file__).parents[2]
README_FILE = ROOT / "README.md"
README = README_FILE.read_text(encoding="utf-8")
SITE = ROOT / "docs/pages"
PAGES = [README_FILE, *sorted(SITE.rglob("*.md"))]
TEXTS = [*PAGES, *sorted((ROOT / ".github").glob("*.md")), ROOT / "golden/README.md"]
RELEASED = "pubmed.json"
"""The released file of ScholarSum, as the docs name it."""


@dataclass(frozen=True)
class Block:
    """A command of the README, and the lines it shows after it."""

    command: str
    shown: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """The commands of all console blocks, each with the output shown."""
    result = []
    for body in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            result.append(Block(command, tuple(shown)))
    return result


def runs(page: Path) -> list[Block]:
    """The blocks of a page that a test can run: all but installations."""
    result = blocks(page.read_text(encoding="utf-8"))
    return [block for block in result if not block.command.startswith("python -m pip install")]


INSTALLS = [each for each in blocks(README) if each.command.startswith("python -m pip install")]


def normal(line: str) -> str:
    """A line without what differs between machines: seconds, rules of = and -, versions."""
    line = re.sub(r"\d+\.\d+s\b(?: \(\d+:\d\d:\d\d\))?", "0s", line.rstrip())
    return re.sub(r"^=+ | =+$|^-+ | -+$", "", line)


TMP = "/tmp/"  # noqa: S108 - the pages' own
PRINTED: dict[str, str] = {}
"""What commands that change nothing have printed: pages show parts of one run."""


@dataclass(frozen=True)
class Reader:
    """Somebody at the root of the repository who types what a page shows."""

    bench: Bench
    capsys: pytest.CaptureFixture[str]
    folder: Path
    """What /tmp is to the pages."""

    def type(self, command: str) -> str:
        """What a command prints, run in this process where it is one of ours."""
        program, *arguments = (
            str(RELEASE) if part == RELEASED else part.replace(TMP, f"{self.folder}/")
            for part in shlex.split(command)
        )
        if program == "python":
            cache = f"cache_dir={self.folder / 'cache'}"
            run = self.bench.inside(*arguments[2:], "-o", cache)
            code, out, err = run.code, run.out, run.err
        elif program == "summeval":
            code = main(arguments)
            out, err = self.capsys.readouterr()
        else:
            done = run_command(program, *arguments)
            code, out, err = 0, done.stdout, done.stderr
        assert code in {0, 1, 10}, err
        return out + err

    def check(self, block: Block) -> None:
        """Types one block and looks for each line that it shows, in order; `...` is any."""
        if not (printed := PRINTED.get(block.command, "")):
            printed = self.type(block.command)
        if TMP not in block.command:
            PRINTED[block.command] = printed
        lines = iter([normal(line) for line in printed.splitlines()])
        for line in block.shown:
            if line.strip() in {"...", ""}:
                continue
            wanted = normal(line).replace(TMP, f"{self.folder}/")
            assert any(wanted == each for each in lines), f"{line!r} in\n{printed}"


@pytest.fixture
def reader(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Reader:
    """A reader, whom nothing around the tests chooses for."""
    monkeypatch.chdir(ROOT)
    # The pages run one suite over and over.
    monkeypatch.setattr(OfflineJudge, "compute", lambda _, question: computed(question))
    for name in filter(is_ours, list(os.environ)):
        monkeypatch.delenv(name)
    for name, value in clean_environment(SUMM_STORE=str(tmp_path / "store")).items():
        monkeypatch.setenv(name, value)
    return Reader(Bench(ROOT, pytester), capsys, tmp_path)


def test_the_readme_names_two_install_commands() -> None:
    """`.ci/run` runs these two word for word in a fresh environment; here nothing is installed."""
    # Pages without commands would pass the tests below by saying nothing.
    assert len(runs(README_FILE)) >= 2
    assert sum(len(runs(page)) for page in PAGES) >= 6
    assert [block.command for block in INSTALLS] == [
        "python -m pip install -e . && python -m pytest golden",
        "python -m pip install -e '.[test]' && python -m pytest -n 2",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_console_blocks_print_what_they_show(page: Path, reader: Reader) -> None:
    """Output that nobody runs goes stale; the blocks run in order, as one builds on another."""
    # What a page repeats of the README is run for the README.
    readme = runs(README_FILE) if page != README_FILE else []
    for block in runs(page):
        if "scholarsum" not in block.command and block not in readme:
            reader.check(block)


@pytest.mark.usefixtures("release_file")
def test_blocks_about_released_data_print_what_they_show(reader: Reader) -> None:
    """Figures on real papers are the strongest claim, so they are made again."""
    for block in [each for page in PAGES for each in runs(page)]:
        if "scholarsum" in block.command:
            reader.check(block)


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    """A page that moved leaves dead links behind in silence."""
    # What a page of the site links to is in the site: there, nothing stands around it.
    text = page.read_text(encoding="utf-8")
    for address in re.findall(r"\]\(([a-z]+:[^)]*)\)", text):
        assert re.fullmatch(r"https://[\w-]+(\.[\w-]+)+(/[\w.%/-]*)?", address), address
    for path, anchor in re.findall(r"\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)", text):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not page.is_relative_to(SITE) or target.resolve().is_relative_to(SITE), path
        if anchor:
            titles = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", t).lower().replace(" ", "-") for t in titles}


def test_the_main_job_prints_what_it_shows(reader: Reader) -> None:
    """The first command's test run, without its installation, which `.ci/run` makes."""
    reader.check(Block("python -m pytest golden", INSTALLS[0].shown))


def test_the_llm_line_costs_what_the_readme_says(reader: Reader, tmp_path: Path) -> None:
    """Whoever types it pays; prompts and labelled pairs change, and the dollars with them."""
    # Without the labelled pairs it costs what the model's own rows do.
    (model, judge), *_ = re.findall(
        r"^pytest golden (\S+) --summ-judge=(\S+)", README, re.MULTILINE
    )
    prices = re.search(r"\(at \$(\S+) and \$(\S+)\s+per million tokens", README)
    assert prices is not None
    shutil.copytree(ROOT / "golden", tmp_path / "golden")
    with (tmp_path / "golden/summeval.toml").open("a", encoding="utf-8") as suite:
        suite.write(f'[judges.priced]\nendpoint = "openai"\nmodel = "{judge}"\n')
        suite.write("input_price = {}\noutput_price = {}\n".format(*prices.groups()))
    printed = reader.type(f"python -m pytest /tmp/golden {model} --summ-judge=priced --summ-plan")
    rows = [re.sub("[~,]", "", line).split() for line in printed.splitlines()]
    (total,) = [row for row in rows if row[:1] == ["all"]]
    _, *own = [row for row in rows if row[:1] == ["llama3"]]  # it writes its summaries for nothing
    tokens = [sum(int(row[column]) for row in own) for column in (3, 4)]
    dollars = sum(n * float(price) for n, price in zip(tokens, prices.groups(), strict=True)) / 1e6
    n_calls = sum(int(row[2]) for row in rows if row[:1] == ["llama3"])
    for n, cost, which in (
        (total[1], total[-1], "the labelled pairs"),
        (n_calls, f"{dollars:.2f}", "`--deselect golden"),
    ):
        message = rf"{n}\s+calls\s+and\s+\${re.escape(cost)}\s+with\s+{which}"
        assert re.search(message, README), printed
