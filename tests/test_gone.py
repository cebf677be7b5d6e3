"""What is gone is named in its error."""

from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest import gone
from summeval_pytest.cli.app import USAGE, main
from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.suite import load_suite


@pytest.mark.parametrize("name", sorted(gone.OPTIONS))
def test_an_option_that_is_gone_says_what_to_do(pytester: pytest.Pytester, name: str) -> None:
    """Also where no suite is among the arguments: a workflow may still have it."""
    flag = f"--summ-{name.replace('_', '-')}"
    run = pytester.runpytest(f"{flag}=HEAD")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{flag} is gone: {gone.OPTIONS[name]}" in run.stderr.str()
    assert flag not in pytester.runpytest("--help").stdout.str()


@pytest.mark.parametrize("name", sorted(gone.OPTIONS))
def test_an_ini_key_or_a_variable_that_is_gone_says_so(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A rule that a workflow sets and nobody reads would be a gate that is open."""
    ini = pytester.makeini(f"[pytest]\nsumm_{name} = facet")
    run = pytester.runpytest()
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert f"the ini key 'summ_{name}' is gone: {gone.OPTIONS[name]}" in run.stderr.str()
    ini.unlink()
    suite = pytester.mkdir("suite") / "summeval.toml"
    suite.write_text("")
    monkeypatch.setenv(variable := f"SUMM_{name.upper()}", "facet")
    run = pytester.runpytest("suite")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    message = f"the variable {variable!r} is gone: {gone.OPTIONS[name]}"
    assert message in run.stderr.str()
    pytester.makepyfile("def test_own(): pass")  # no suite, which a variable must not stop
    run = pytester.runpytest("--ignore=suite")
    assert run.ret == pytest.ExitCode.OK
    assert [line for line in run.outlines if variable in line] == [f"summeval: {message}"]


@pytest.mark.parametrize("name", sorted(gone.KEYS))
def test_a_key_that_is_gone_says_what_to_do(tmp_path: Path, name: str) -> None:
    """A suite of an earlier release names the line to delete."""
    file = tmp_path / "summeval.toml"
    file.write_text(f'{name} = "x"\n[thresholds]\nfacet = 0.5\n')
    with pytest.raises(SuiteError, match=f"toml:1: '{name}' is gone: .*; delete the key"):
        load_suite(file)


@pytest.mark.parametrize("name", sorted(gone.COMMANDS))
def test_a_command_that_is_gone_says_what_to_do(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Its arguments are not read."""
    assert main([*name.split(), "run.jsonl"]) == USAGE
    assert f"`summeval {name}` is gone: {gone.COMMANDS[name]}" in capsys.readouterr().err
