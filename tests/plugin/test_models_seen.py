"""Real runs whose record says which models replied, and which are no longer the pinned one."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.app import main
from summeval_pytest.endpoints.spending import ModelSeen
from summeval_pytest.record.record import read_record
from tests.judges.llm.by_rule import answer_by_rule
from tests.scripted_server import Answer, ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from tests.plugin.conftest import Bench

PINNED: Final = "gpt-4o-2024-08-06"
OTHER: Final = "gpt-4o-2024-11-20"
JUDGE: Final = """
[judges.gpt]
endpoint = "here"
model = "{model}"

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
"""


@contextmanager
def serving(bench: Bench, model: str, returned: str) -> Iterator[ScriptedServer]:
    """A suite whose judge is a model that replies by some name."""
    script = lambda seen: Answer(answer_by_rule(seen.body), model=returned)  # noqa: E731
    with ScriptedServer(script) as server:
        bench.suite(pair="facet = 0.3")
        file = bench.path / "summeval.toml"
        table = JUDGE.format(model=model, url=server.url)
        bench.write(file.name, file.read_text(encoding="utf-8") + table)
        yield server


def models(bench: Bench, file: str) -> tuple[ModelSeen, ...]:
    """The models of a run's record."""
    return read_record(bench.path / file, "RUN").header.models


def test_run_and_replay_have_the_same_models(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What replies is in the record, once a reply, from the server and from the cassette."""
    monkeypatch.chdir(bench.path)
    with serving(bench, "gpt-4o", PINNED) as server:
        arguments = ("summeval.toml", "--summ-judge=gpt")
        first = bench.inside(*arguments, "--summ-run-record=first.json")
        assert main(["cassette", "export", ".", "--judge=gpt", "--store", str(bench.store)]) == 0
        n_requests = server.n_requests
    replay = bench.inside(*arguments, "--summ-record=none", "--summ-run-record=replay.json")

    (seen,) = models(bench, "first.json")
    assert replace(seen, n_replies=0) == ModelSeen(
        endpoint="here", asked="gpt-4o", returned=PINNED, fingerprint="fp_scripted"
    )
    assert seen.n_replies == n_requests
    assert models(bench, "replay.json") == (seen,)
    odd = ("note: ", "warning: ")
    assert not any(line.startswith(odd) for line in (*first.lines, *replay.lines))


def test_a_swapped_model_warns_at_a_desk_and_is_an_error_in_ci(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge's fault: its pairs stay unscored, and the run record says who replied."""
    with serving(bench, PINNED, OTHER) as server:
        arguments = ("summeval.toml", "--summ-judge=gpt", "-rA", "--summ-run-record=run.json")
        monkeypatch.setenv("CI", "true")
        ci = bench.inside(*arguments)
        n_asked, in_ci = server.n_requests, models(bench, "run.json")
        monkeypatch.delenv("CI")
        desk = bench.inside(*arguments)

    assert set(ci.outcomes.values()) == {"ERROR"}
    assert f"asked for the pinned model {PINNED!r}, and the reply is of {OTHER!r}" in ci.out
    assert [(seen.returned, seen.is_other, seen.n_replies) for seen in in_ci] == [
        (OTHER, True, n_asked)
    ]
    assert set(desk.outcomes.values()) == {"PASSED"}
    at_desk = " ".join(line.strip() for line in desk.lines)
    assert f"warning: the pinned model {PINNED!r} at here replied as {OTHER!r} (" in at_desk
    assert "in CI that is an error" in at_desk
