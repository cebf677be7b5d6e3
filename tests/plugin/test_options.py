from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.plugin.options import IN_FLIGHT as DEFAULT_IN_FLIGHT
from summeval_pytest.plugin.options import TABLE, read_options
from summeval_pytest.run.session import IN_FLIGHT
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
    assert DEFAULT_IN_FLIGHT == IN_FLIGHT, "written twice, as a foreign suite loads no evaluation"


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
    "store": (Path("flagged"), Path("varied"), Path("kept"), None),
    "budget": (0.5, 0.0, 2.5, None),
    "in_flight": (3, 2, 1, 64),
    "votes": (3, 2, 1, None),
    "shard": ("1/2", "2/2", "1/1", None),
    "from_": ("flagged", "varied", "kept", ()),
    "allow_endpoints": ("https://flagged", "https://varied", "https://kept", ()),
    "compare_fail": ("eva:p0.1", "eva:p0.2", "eva:p0.3", ()),
}
SWITCH: Final = (True, False, True, False)
NAME: Final = ("flagged", "varied", "kept", None)
VALUES: Final = {o.name: GIVEN.get(o.name, SWITCH if o.is_switch else NAME) for o in TABLE.values()}
"""By option: a value for the flag, for the variable and for the ini key, and the default."""


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
    set_variables(variable)
    assert chosen() == variable
    assert chosen(*given) == flag


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


def test_github_says_where_it_runs_as_a_switch_is_said(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word that is neither on nor off is refused of its variable, too; an option goes first."""
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


def test_header_names_judge_store_record_and_suite(bench: Bench) -> None:
    """A log without the recipe of its run cannot be compared with another."""
    gated = f"suite {bench.path.name} {load_suite(bench.path).fingerprint}"
    offline = bench.inside("summeval.toml", "--summ-record=none")
    assert offline.code == 0
    line = f"summeval: judge offline-7, reply store not needed, --summ-record=none, {gated} (good)"
    assert offline.lines.count(line) == 1
    message = (
        "summeval: summeval.toml has no labels, so nobody knows how well it judges;"
        " see 'summeval label'"
    )
    assert message in offline.lines
    assert "judge: agreement with people unknown, the suite has no labels" in offline.lines

    own = bench.inside("summeval.toml", "--summ-judge=rule:Fair", "--summ-model=bad,good")
    line = f"summeval: judge fair-1, reply store not needed, --summ-record=new, {gated} (bad, good)"
    assert own.lines.count(line) == 1
