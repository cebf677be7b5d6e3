from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest
from cyclopts import App

from summeval_pytest.cli.parameters import with_options
from summeval_pytest.errors import OptionError
from summeval_pytest.options import TABLE, Options
from summeval_pytest.plugin.pytest_options import read_options
from summeval_pytest.suite.suite import load_suite
from tests.plugin.conftest import Bench

GOOD = ["summeval.toml::good::limpet-01", "summeval.toml::good::kiln-02"]
BAD = ["summeval.toml::bad::limpet-01", "summeval.toml::bad::kiln-02"]


def test_help_names_every_option_in_its_three_spellings(bench: Bench) -> None:
    """What --help does not say, nobody finds."""
    run = bench.inside("--help")
    message = " ".join(run.out.split())
    for option in TABLE.values():
        spelt = option.flag if option.is_switch else f"{option.flag}={option.metavar}"
        assert f"{spelt} {option.help}" in message
        assert f"; ini {option.ini}, environment {option.variable}" in message
        assert "default" in option.help


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["--sum-model=x"], "--summ-model"),
        (["--summ-modell", "x"], "--summ-model"),
        (["--summ_model=x", "--judge=y", "--other"], "--summ-model, --summ-judge"),
        (["--summ-record=none", "--other"], ""),
        (["--sum-up"], ""),
    ],
)
def test_a_misspelt_option_is_answered_with_the_one_that_was_meant(
    bench: Bench, typed: list[str], meant: str
) -> None:
    """Pytest lists no options; one that a conftest has is that conftest's."""
    bench.write("conftest.py", "def pytest_addoption(parser): parser.addoption('--sum-mode')")
    run = bench.inside("--sum-mode=x", *typed)
    assert run.code == 4
    unknown = [each for each in typed if each.startswith("--") and "record" not in each]
    line = f"unrecognized arguments: {' '.join(unknown)}"
    assert (f"ERROR: {line}; did you mean {meant}?" in run.err) is bool(meant)
    assert line in run.err


def test_marker_is_registered(bench: Bench) -> None:
    """Under --strict-markers an unknown marker stops a user's whole run."""
    bench.write("test_plain.py", "import pytest\n@pytest.mark.summ\ndef test_plain(): pass\n")

    assert (
        "@pytest.mark.summ(suite, metrics): the suite whose pairs" in bench.inside("--markers").out
    )
    assert bench.inside("test_plain.py", "--strict-markers").code == 0


GIVEN: Final[dict[str, tuple[object, object, object, object]]] = {
    "model": ("flagged", "varied", "kept", ()),
    "min": ("eva=0.1", "eva=0.2", "eva=0.3", ()),
    "record": ("none", "all", "new", "new"),
    "budget": (0.5, 0.0, 2.5, None),
    "in_flight": (3, 2, 1, 64),
    "votes": (3, 2, 1, None),
    "shard": ("1/2", "2/2", "1/1", None),
    "from_": ("flagged", "varied", "kept", ()),
    "allow_endpoints": ("https://flagged", "https://varied", "https://kept", ()),
}
SWITCH: Final = (True, False, True, False)
NAME: Final = ("flagged", "varied", "kept", None)
VALUES: Final = {o.name: GIVEN.get(o.name, SWITCH if o.is_switch else NAME) for o in TABLE.values()}
"""By option: a value for the flag, for the variable and for the ini key, and the default."""


@with_options(*TABLE)
def _command(*, options: Options) -> Options:
    return options


def of_command(*arguments: str) -> Options:
    """The options of a command that has all of the table."""
    app = App(result_action="return_value")
    app.default(_command)
    options: Options = app(arguments, exit_on_error=False, print_error=False)
    return options


def test_command_line_beats_environment_beats_ini(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option given by hand must win over one that a machine or a file keeps."""
    given = [
        option.flag if option.is_switch else f"{option.flag}={VALUES[option.name][0]}"
        for option in TABLE.values()
    ]
    flag, variable, ini, default = (
        {option.name: VALUES[option.name][place] for option in TABLE.values()} for place in range(4)
    )

    def chosen(*arguments: str) -> dict[str, object]:
        options = read_options(bench.config(*arguments))
        values = {option.name: getattr(options, option.name) for option in TABLE.values()}
        return {n: v[0] if isinstance(v, tuple) and v else v for n, v in values.items()}

    def set_variables(values: dict[str, object]) -> None:
        for option in TABLE.values():
            monkeypatch.setenv(option.variable, str(values[option.name]))

    monkeypatch.delenv("SUMM_STORE")
    assert chosen() == default
    keys = "".join(f"{option.ini} = {ini[option.name]}\n" for option in TABLE.values())
    bench.write("pytest.ini", f"[pytest]\n{keys}")
    assert chosen() == ini
    set_variables(dict.fromkeys(VALUES, ""))
    assert chosen() == ini, "a variable set to nothing gives nothing"
    assert of_command() == Options()
    set_variables(variable)
    assert chosen() == variable
    unnamed: dict[str, Any] = dict.fromkeys(
        name for name, option in TABLE.items() if option.is_report
    )
    expected = replace(read_options(bench.config()), **unnamed)
    assert of_command() == expected, "a command has the variables, too, but writes no report"
    assert chosen(*given) == flag
    assert of_command(*given) == read_options(bench.config(*given))


WRONG: Final = {
    "record": ("some", "None"),
    "budget": ("-1", "many", "1e999"),
    "in_flight": ("0", "1.5", "\u0663", "1000000"),
    "votes": ("many", "9" * 5_000),
    "shard": ("3/2", "0/2", "1/x"),
}


def test_a_wrong_value_is_told_alike_in_pytest_and_in_a_command(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its option, its value and what is allowed; an empty one is not the default."""
    valued = [option for option in TABLE.values() if not option.is_switch]
    given = {option.flag: (*WRONG.get(option.name, ()), "", " ,") for option in valued}
    for argument in (f"{flag}={text}" for flag, texts in given.items() for text in texts):
        with pytest.raises(OptionError) as of_pytest:
            read_options(bench.config(argument))
        with pytest.raises(OptionError) as caught:
            of_command(argument)
        assert str(caught.value) == str(of_pytest.value)
        assert str(caught.value).startswith(argument.partition("=")[0])
    monkeypatch.setenv("SUMM_VOTES", "many")
    with pytest.raises(OptionError, match="SUMM_VOTES"):
        of_command()
    options = of_command("--votes=2", "--budget=0")
    assert (options.votes, options.budget) == (2, 0.0)


def test_a_switch_may_be_said_in_any_usual_word_and_in_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CI systems write 1, YAML true, people yes; "maybe" for off would ask, and cost."""
    for value in ("1", "true", "YES", "on", "0", "False", "no", "off"):
        monkeypatch.setenv("SUMM_PLAN", value)
        assert read_options(bench.config()).plan is (value in {"1", "true", "YES", "on"})
    monkeypatch.setenv("SUMM_PLAN", "maybe")
    with pytest.raises(OptionError) as caught:
        read_options(bench.config())
    message = "--summ-plan='maybe' (or summ_plan, SUMM_PLAN) is not true or false"
    assert str(caught.value) == message
    # where a run is one of GitHub's is said in the same words; an option goes first
    monkeypatch.delenv("SUMM_PLAN")
    for value, is_on in (("true", True), ("1", True), ("false", False), ("", False)):
        monkeypatch.setenv("GITHUB_ACTIONS", value)
        assert read_options(bench.config()).github is is_on
        assert read_options(bench.config("--summ-github")).github
    monkeypatch.setenv("GITHUB_ACTIONS", "maybe")
    with pytest.raises(OptionError):
        read_options(bench.config())


def test_model_chooses_the_systems_in_the_order_asked(bench: Bench) -> None:
    """Without it the suite's default_systems are gated; a system is never gated twice."""
    both = ("--summ-model=bad, good,bad", "--summ-model=good")
    assert read_options(bench.config(*both)).model == ("bad", "good")
    for arguments, expected in (((), GOOD), (both, BAD + GOOD)):
        run = bench.inside("summeval.toml", "--collect-only", "-q", *arguments)
        assert (run.code, run.collected) == (0, expected)


def test_header_names_judge_and_suite(bench: Bench) -> None:
    """A log without the recipe of its run cannot be compared with another."""
    gated = f"suite {bench.path.name} {load_suite(bench.path).fingerprint}"
    offline = bench.inside("summeval.toml", "--summ-record=none")
    assert offline.code == 0
    line = f"summeval: judge offline-8, {gated} (good)"
    assert offline.lines.count(line) == 1
    message = (
        "summeval: summeval.toml has no labels, so this run does not test the judge;"
        " see 'summeval label'"
    )
    assert message in offline.lines
    assert "judge: agreement with people unknown, the suite has no labels" in offline.lines

    own = bench.inside("summeval.toml", "--summ-judge=rule:Fair", "--summ-model=bad,good")
    line = f"summeval: judge fair-1, {gated} (bad, good)"
    assert own.lines.count(line) == 1
