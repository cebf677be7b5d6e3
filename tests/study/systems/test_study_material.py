from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from summeval_pytest.cli.app import main
from tests.asked_suite import KEY, write_suite
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(autouse=True)
def _kilns(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite here whose judge and model the server is."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    write_suite(Path("kilns"), server.url)


def study(*arguments: str) -> Any:
    """The JSON of a study by the judge that is a model."""
    chosen = ["--judge", "rule", "--json", "study.json", *arguments]
    assert main(["study", "kilns", *chosen]) == 0
    return json.loads(Path("study.json").read_text(encoding="utf-8"))


def test_a_replay_asks_nobody_and_gives_the_same_bytes(
    server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The calls of a judge are printed below the tables."""
    study("--system", "good,bad")
    first, n_asked = Path("study.json").read_bytes(), server.n_requests
    assert n_asked > 0
    out = capsys.readouterr().out
    assert f"replies: {n_asked} asked, 0 remembered (0 from a cassette)" in out
    study("--system", "good,bad")
    assert server.n_requests == n_asked
    assert f"replies: 0 asked, {n_asked} remembered (0 from" in capsys.readouterr().out
    assert main(["study", "kilns", "--judge=rule,ofline", "--record=all"]) == 4
    assert "no judge 'ofline'" in capsys.readouterr().err  # before anybody is asked
    assert server.n_requests == n_asked
    assert Path("study.json").read_bytes() == first


def test_a_system_that_is_a_model_is_asked_once_for_all_judges(
    server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two judges of different summaries would compare nothing; its family is its model's.

    Of all calls, those for summaries are no judge's, and the embedded judge has none.
    """
    found = study("--judge", "offline", "--system", "writer", "--record", "all")
    n_written = len([seen for seen in server.seen if seen.model == "writer-7b"])
    assert n_written == 2
    counts = [each for each in capsys.readouterr().out.splitlines() if each.startswith("replies: ")]
    assert [int(each.split()[1]) for each in counts] == [server.n_requests - n_written, 0]
    assert [judge["name"] for judge in found["judges"]] == ["rule", "offline"]
    assert found["systems"] == [{"name": "writer", "family": "writer", "n_papers": 2}]


def test_a_refused_summary_has_no_number_and_is_not_left_out() -> None:
    """Its words are an apology's; the means cover one paper of two."""
    lines = Path("kilns/bad.jsonl").read_text(encoding="utf-8").splitlines()
    refusal = json.dumps({"paper": json.loads(lines[0])["paper"], "summary": "I'm sorry, no."})
    Path("kilns/bad.jsonl").write_text("\n".join([refusal, *lines[1:]]) + "\n", encoding="utf-8")
    found = study("--system", "bad")
    words = [each["means"]["words"] for each in found["lengths"] if each["system"] == "bad"]
    assert [(mean["n"], mean["n_of"]) for mean in words] == [(1, 2)]
    for place in (each["places"][0] for each in found["standings"]):
        assert (place["mean"]["n"], place["mean"]["n_of"]) == (1, 2)
    assert {each["facts"]["n"] for each in found["facts"]} == {1}
