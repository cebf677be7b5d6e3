"""The composite action and its workflow, as far as they can be tried without GitHub."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from summeval_pytest.record.record_file import read_record, record_lines
from summeval_pytest.verdict.decide import decide
from tests.processes import run_command

ROOT = Path(__file__).parents[2]
CAREFUL = ROOT / "golden/baselines/careful.jsonl"
ACTION = ROOT / ".github/actions/summ-gate/action.yml"
WORKFLOW = ROOT / ".github/workflows/summ-gate.yml"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
"""How GitHub starts `shell: bash`."""
COMMENT = ROOT / ".github/workflows/summ-gate-comment.yml"
CI = ROOT / ".github/workflows/ci.yml"
RELEASE = ROOT / ".github/workflows/release.yml"
INPUTS = {
    "GATE_SUITE": ".",
    "GATE_MODEL": "",
    "GATE_JUDGE": "",
    "GATE_RECORD": "",
    "GATE_COMPARE": "",
    "GATE_ARGS": "",
    "GATE_IS_FORK": "false",
    "OPENAI_API_KEY": "",
}
"""The step's variables where the workflow gives no input."""
STUB = """\
#!/bin/sh
printf '%s\\0' "$@" > arguments
exit {code}
"""


def read(file: Path) -> Any:
    """A YAML file as values."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def steps(values: Any) -> list[dict[str, Any]]:
    """All steps of an action or a workflow."""
    if "runs" in values:
        return list(values["runs"]["steps"])
    return [step for job in values["jobs"].values() for step in job["steps"]]


def gate() -> dict[str, Any]:
    """The action's step that runs pytest."""
    return steps(read(ACTION))[0]


def script(folder: Path, python: str, code: int, **inputs: str) -> str:
    """What the action's script prints with these inputs, where this is python."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "python").write_text(python, encoding="utf-8")
    (tools / "python").chmod(0o755)
    (folder / "gate.sh").write_text(gate()["run"], encoding="utf-8")
    env = INPUTS | inputs | {"PATH": f"{tools}:{os.environ['PATH']}", "RUNNER_TEMP": str(folder)}
    return run_command(*BASH, folder / "gate.sh", cwd=folder, env=env, code=code).stdout


def run(folder: Path, *, code: int = 0, **inputs: str) -> list[str]:
    """What the action's script hands to python with these inputs; python is a stub."""
    script(folder, STUB.format(code=code), code, **inputs)
    return (folder / "arguments").read_text(encoding="utf-8").split("\0")[:-1]


def test_the_step_has_a_variable_for_each_input() -> None:
    """An input that reaches nobody is worse than none."""
    named = {name for name in read(ACTION)["inputs"] if name not in {"api-key", "artifact"}}
    assert set(gate()["env"]) == set(INPUTS)
    for name in named:
        variable = f"GATE_{name.replace('-', '_').upper()}"
        assert gate()["env"][variable] == f"${{{{ inputs.{name} }}}}"
        assert f"${variable}" in gate()["run"]


@pytest.mark.parametrize("file", [ACTION, WORKFLOW, COMMENT], ids=lambda file: file.name)
def test_no_expression_is_put_into_a_script(file: Path) -> None:
    """What is put into a script's text is run as part of it, whoever has written it."""
    scripts = [step["run"] for step in steps(read(file)) if "run" in step]
    assert scripts
    assert not [script for script in scripts if re.search(r"\$\{\{|\beval\b", script)]


@pytest.mark.parametrize(
    "file", [ACTION, WORKFLOW, COMMENT, CI, RELEASE], ids=lambda file: file.name
)
def test_foreign_actions_are_pinned_to_a_commit(file: Path) -> None:
    """A tag can be moved to other code; the version beside the commit is for people."""
    used = [step["uses"] for step in steps(read(file)) if "uses" in step]
    pinned = re.compile(r"(actions/[a-z-]+|pypa/gh-action-pypi-publish)@[0-9a-f]{40}")
    assert used
    assert all(pinned.fullmatch(name) or name == "./.github/actions/summ-gate" for name in used)
    text = file.read_text(encoding="utf-8")
    assert len(re.findall(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", text, re.MULTILINE)) == sum(
        "@" in name for name in used
    )


def test_the_workflow_may_only_read() -> None:
    """A gate that can write is worth stealing."""
    workflow = read(WORKFLOW)
    assert workflow["permissions"] == {"contents": "read"}
    assert not any("permissions" in job for job in workflow["jobs"].values())
    assert "pull_request_target" not in WORKFLOW.read_text(encoding="utf-8")
    checkouts = [
        step for step in steps(workflow) if step.get("uses", "").startswith("actions/checkout")
    ]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False, False]


def test_only_the_job_that_publishes_may_speak_for_the_project() -> None:
    """What is built runs code of others, and must not be able to publish something else."""
    release = read(RELEASE)
    assert release[True] == {"push": {"tags": ["v*"]}}
    assert release["permissions"] == {}
    permissions = {name: job["permissions"] for name, job in release["jobs"].items()}
    assert permissions == {"build": {"contents": "read"}, "publish": {"id-token": "write"}}
    assert not any("run" in step for step in release["jobs"]["publish"]["steps"])
    assert "secrets" not in RELEASE.read_text(encoding="utf-8")
    assert read(CI)["permissions"] == {"contents": "read"}


def test_a_pull_request_is_replayed_without_a_secret() -> None:
    """Its code may be anybody's; `on` is read as true by YAML 1.1."""
    workflow = read(WORKFLOW)
    assert workflow[True] == {"pull_request": None, "push": {"branches": ["main"]}}
    replay, record = workflow["jobs"]["replay"], workflow["jobs"]["record"]
    assert replay["if"] == "github.event_name == 'pull_request'"
    assert "secrets" not in json.dumps(replay)
    given = {"suite": "${{ env.SUITE }}", "judge": "${{ env.JUDGE }}", "record": "none"}
    assert replay["steps"][-1]["with"] == given
    assert record["if"] == "github.event_name == 'push'"
    assert record["environment"] == "summ-gate"


def test_the_main_branch_believes_no_cassette() -> None:
    """A fork can edit it, so it is gone before anything is judged."""
    message = read(WORKFLOW)["jobs"]["record"]["steps"]
    order = [step.get("run") or step["uses"].partition("@")[0] for step in message]
    assert order == [
        "actions/checkout",
        "actions/setup-python",
        'python -m pip install "$INSTALL"',
        'git rm -rfq --ignore-unmatch -- "*cassette.jsonl"',
        "./.github/actions/summ-gate",
        'summeval cassette export "$SUITE" --judge="$JUDGE"',
        "actions/upload-artifact",
    ]
    assert message[4]["with"]["record"] == "new"


def test_without_inputs_the_suite_here_is_replayed(tmp_path: Path) -> None:
    """Every report into the runner's own folder, where no earlier gate's is left to be shown."""
    reports = tmp_path / "summ-gate"
    reports.mkdir()
    (reports / "report.html").write_text("green", encoding="utf-8")
    assert run(tmp_path) == [
        "-m",
        "pytest",
        "--summ-github",
        "--summ-record=none",
        f"--summ-run-record={reports}/run.jsonl",
        f"--summ-junit={reports}/junit.xml",
        f"--summ-html={reports}/report.html",
        "--",
        ".",
    ]
    assert list(reports.iterdir()) == []


HOSTILE = "a b'\"; touch pwned; $(touch pwned) `touch pwned` * \\ ${HOME} && --x"
USUAL = (
    "all",
    "careful,terse",
    "gpt",
    "v1.3",
    "-n4\n\n-k\nzinc or ward\n",
    "golden",
)


@pytest.mark.parametrize(
    ("values", "given"),
    [(USUAL, ["-n4", "-k", "zinc or ward"]), ((HOSTILE,) * 6, [HOSTILE])],
    ids=["usual", "hostile"],
)
def test_inputs_stay_data(tmp_path: Path, values: tuple[str, ...], given: list[str]) -> None:
    """Further arguments are one a line, the suite comes last."""
    # A branch's name may end up in an input, and whoever opens a pull request chooses it.
    names = ("RECORD", "MODEL", "JUDGE", "COMPARE", "ARGS", "SUITE")
    inputs = {f"GATE_{name}": value for name, value in zip(names, values, strict=True)}
    message = run(tmp_path, code=0, **inputs)
    record, model, judge, compare, _, suite = values
    assert message[3] == f"--summ-record={record}"
    assert message[7:] == [
        f"--summ-model={model}",
        f"--summ-judge={judge}",
        f"--summ-compare={compare}",
        *given,
        "--",
        suite,
    ]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("partial", "of_pytest", "code", "outcome"),
    [
        ("1 of 30 pairs", 0, 1, "partial"),
        ("", 10, 10, "passed"),
    ],
)
def test_the_outcome_is_handed_on_and_a_partial_run_fails(
    tmp_path: Path, partial: str, of_pytest: int, code: int, outcome: str
) -> None:
    """A run is green where tests were deselected; its record says that they were."""
    run_record = replace(decide(read_record(CAREFUL, "RUN")), partial=partial)
    (tmp_path / "record").write_text("".join(record_lines(run_record)), encoding="utf-8")
    outputs, made = tmp_path / "outputs", 'cp record "$RUNNER_TEMP/summ-gate/run.jsonl"'
    python = (
        f'#!/bin/sh\n[ "$2" != pytest ] || {{ {made}; exit {of_pytest}; }}\n'
        f'exec {sys.executable} "$@"\n'
    )
    files = {"GITHUB_OUTPUT": str(outputs), "PYTHONPATH": str(ROOT)}
    printed = script(tmp_path, python, code, **files)
    assert ("::error::this run is partial" in printed) == (code == 1)
    assert outputs.read_text(encoding="utf-8") == f"outcome={outcome}\n"
    read_back = json.loads((tmp_path / "summ-gate/run.json").read_text(encoding="utf-8"))
    assert read_back["outcome"] == outcome
    assert read(ACTION)["outputs"]["outcome"]["value"] == "${{ steps.gate.outputs.outcome }}"


def test_forks_and_no_key_are_replayed(tmp_path: Path) -> None:
    """A missing reply is then an error that names it, and no call that nobody is there to pay."""
    # The same condition decides who is a fork and who gets the key, one the other's opposite.
    for is_fork, key, asked, mode in (
        ("true", "sk-1", "", "none"),
        ("true", "", "", "none"),
        ("false", "", "", "none"),
        ("false", "sk-1", "", "new"),
        ("", "sk-1", "", "new"),
        ("true", "", "new", "new"),
        ("false", "sk-1", "none", "none"),
    ):
        arguments = run(tmp_path, GATE_IS_FORK=is_fork, OPENAI_API_KEY=key, GATE_RECORD=asked)
        assert arguments[3] == f"--summ-record={mode}"
    variables = gate()["env"]
    head = "github.event.pull_request.head.repo.full_name"
    assert variables["GATE_IS_FORK"] == (
        f"${{{{ github.event.pull_request != null && {head} != github.repository }}}}"
    )
    assert variables["OPENAI_API_KEY"] == (
        f"${{{{ (github.event.pull_request == null || {head} == github.repository)"
        " && inputs.api-key || '' }}"
    )


def test_the_gate_fails_as_pytest_fails_and_keeps_its_reports(tmp_path: Path) -> None:
    """They are wanted most where the gate is red."""
    # A script that ends with another command would turn every gate green.
    run(tmp_path, code=4)
    _, keep = steps(read(ACTION))
    assert keep["if"] == "always()"
    assert keep["with"]["path"] == "${{ runner.temp }}/summ-gate"


GATE = Path(__file__).parents[2] / ".ci/run"


def test_what_is_not_committed_is_not_tested_in_silence(tmp_path: Path) -> None:
    """The gate tests a clone of the last commit, which is what is handed in."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(GATE, tmp_path / ".ci/run")
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    run = run_command("bash", ".ci/run", cwd=tmp_path, code=1)
    assert run.stdout == ""
    assert run.stderr == (
        "?? .ci/\n"
        "the last commit is what is tested, and this is not in it: commit, stash or delete it\n"
    )
