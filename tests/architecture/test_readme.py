"""The README is executable: its console blocks run here, and print what it says they print."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shared_data import RELEASE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Block:
    """A command of the README, and the lines it shows after it."""

    command: str
    shown: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """The commands of all console blocks, each with the output shown."""
    found = []
    for body in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            found.append(Block(command, tuple(shown)))
    return found


BLOCKS = blocks(README)
INSTALLS = [block for block in BLOCKS if block.command.startswith("python -m pip install")]
RUNS = [block for block in BLOCKS if block not in INSTALLS]


def normal(line: str) -> str:
    """A line without what differs between machines: seconds, rules of = and -, versions."""
    line = re.sub(r"\d+\.\d+s\b", "0s", line.rstrip())
    return re.sub(r"^=+ | =+$|^-+ | -+$", "", line)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a README command as a user at the root of the repository would."""
    parts = shlex.split(command)
    scripts = Path(sys.executable).parent
    parts[0] = sys.executable if parts[0] == "python" else str(scripts / parts[0])
    parts[1:] = [part.replace("/tmp/", f"{folder}/") for part in parts[1:]]  # noqa: S108
    parts = [part.replace("../shared/data/scholarsum/pubmed.json", str(RELEASE)) for part in parts]
    cache = ["-o", f"cache_dir={folder / 'cache'}"] if "pytest" in command else []
    foreign = ("PYTEST", "SUMM_", "OPENAI_", "GITHUB_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return subprocess.run(
        [*parts, *cache],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=environment | {"COLUMNS": "80", "SUMM_STORE": str(folder / "store")},
    )


def test_the_readme_names_two_install_commands() -> None:
    """`.ci/run` runs these two word for word in a fresh environment; here nothing is installed."""
    assert [block.command for block in INSTALLS] == [
        "python -m pip install -e . && python -m pytest golden",
        "python -m pip install -e '.[test]' && python -m pytest -n 2",
    ]


def check(block: Block, folder: Path) -> None:
    """Runs one block and looks for each line that it shows, in order; `...` stands for any."""
    done = run(block.command, folder)
    assert done.returncode in {0, 1, 10}, done.stderr
    printed = iter([normal(line) for line in (done.stdout + done.stderr).splitlines()])
    for line in block.shown:
        if line.strip() in {"...", ""}:
            continue
        wanted = normal(line).replace("/tmp/", f"{folder}/")  # noqa: S108
        assert any(wanted == found for found in printed), f"{line!r} in\n{done.stdout}"


def test_console_blocks_print_what_they_show(tmp_path: Path) -> None:
    """Output that nobody runs goes stale; the blocks run in order, as one builds on another."""
    for block in RUNS:
        if "scholarsum" not in block.command:
            check(block, tmp_path)


@pytest.mark.usefixtures("release_file")
def test_blocks_about_released_data_print_what_they_show(tmp_path: Path) -> None:
    """The figures on real papers are the README's strongest claim, so they are made again."""
    for block in RUNS:
        if "scholarsum" in block.command:
            check(block, tmp_path)


def test_the_main_job_prints_what_it_shows(tmp_path: Path) -> None:
    """The first command's test run, without its installation."""
    check(Block("python -m pytest golden", INSTALLS[0].shown), tmp_path)


def test_the_llm_line_costs_what_the_readme_says(tmp_path: Path) -> None:
    """Whoever types it pays; prompts and labelled pairs change, and the dollars with them."""
    (model, judge), *_ = re.findall(
        r"^pytest golden (\S+) --summ-judge=(\S+)", README, re.MULTILINE
    )
    prices = re.search(r"\(at \$(\S+) and \$(\S+) per million tokens", README)
    assert prices is not None
    shutil.copytree(ROOT / "golden", tmp_path / "golden")
    with (tmp_path / "golden/summeval.toml").open("a", encoding="utf-8") as suite:
        suite.write(f'[judges.priced]\nendpoint = "openai"\nmodel = "{judge}"\n')
        suite.write("input_price = {}\noutput_price = {}\n".format(*prices.groups()))
    plan = f"python -m pytest /tmp/golden {model} --summ-judge=priced --summ-plan"
    for select, which in (("", "the labelled pairs"), (" -k llama3", "`--deselect golden")):
        done = run(plan + select, tmp_path)
        (total,) = [line for line in done.stdout.splitlines() if line.startswith("all ")]
        _, n_calls, *_, dollars = total.split()
        told = rf"{n_calls[1:]}\s+calls\s+and\s+\${re.escape(dollars)}\s+with\s+{which}"
        assert re.search(told, README), total


def test_the_readme_has_blocks_to_run() -> None:
    """A README without commands would pass the tests above by saying nothing."""
    assert len(RUNS) >= 3
