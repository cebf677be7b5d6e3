"""The run as one JSON object."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.reports.cases import pair_case
from summeval_pytest.reports.run_json import json_pieces
from tests.reports.records import everything

CAREFUL: Final = Path(__file__).parents[2] / "golden/baselines/careful.jsonl"


def test_a_script_finds_what_every_report_says() -> None:
    """Outcome, numbers, what is missed and why, each where it belongs."""
    run = everything()
    read: dict[str, Any] = json.loads("".join(json_pieces(run)))
    assert (read["outcome"], read["may_release"]) == (run.shown, False)
    for suite, of_suite in zip(run.suites, read["suites"], strict=True):
        assert [each["outcome"] for each in of_suite["systems"]] == [
            each.outcome for each in suite.systems
        ]
        for pair, of_pair in zip(suite.pairs, of_suite["pairs"], strict=True):
            assert (of_pair["paper"], of_pair["outcome"]) == (pair.paper, pair.outcome)
            assert of_pair["reasons"] == [*pair_case(pair).phrases]
            assert of_pair["numbers"] == dict(pair.numbers().values)
            missed = {each["name"] for each in of_pair["checks"] if each["state"] == "shortfall"}
            assert missed == pair.verdict.missed
            reasons = [each["title"] for each in of_pair["findings"] if each["is_reason"]]
            assert reasons == [finding.title for finding in pair.explanation]
            assert of_pair["place"] == {"file": pair.place.path, "line": pair.place.line}


def test_the_command_prints_the_object_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its exit code is that of the report in words; a second output would spoil the object."""
    junit = tmp_path / "run.xml"
    assert main(["report", str(CAREFUL), "--json", "--junit", str(junit)]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["outcome"], read["may_release"]) == ("passed", True)
    assert read["suites"][0]["judge"]["outcome"] == "passed"
    assert junit.is_file()
    for other in ("--github", "--otlp"):
        assert main(["report", str(CAREFUL), "--json", other]) == 4
        assert f"--json prints one object, and {other} prints lines" in capsys.readouterr().err
    assert main(["report", str(CAREFUL), "--html", str(junit), "--junit", str(junit)]) == 4
    assert "two reports name one file" in capsys.readouterr().err
