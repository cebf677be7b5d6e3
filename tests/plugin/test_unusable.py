"""Real runs over replies nobody can use, and models that end or are not the pinned ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.store.cassette import write_cassette
from tests.judges.llm.by_rule import answer_by_rule
from tests.plugin.conftest import Bench, by_rule
from tests.scripted_server import Action, Answer, Seen
from tests.stored import stored

ARGUMENTS: Final = ("summeval.toml", "--summ-judge=rule", "-rA", "-p", "no:cacheprovider")
EXPORT: Final = ("cassette", "export", ".", "--judge=rule", "--store", ".store")
PINNED: Final = "gpt-4o-2024-08-06"
OTHER: Final = "gpt-4o-2024-11-20"
PAST: Final = "2020-01-31"


@dataclass
class Spell:
    """A judge by rule; while it is ill, this is its reply."""

    reply: Answer | None

    def __call__(self, seen: Seen) -> Action:
        """The reply to one request."""
        return self.reply or by_rule(seen)


@pytest.fixture(autouse=True)
def _by_sentences(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of two papers, judged by their sentences: a request a pair."""
    monkeypatch.chdir(bench.path)
    bench.suite(pair="faithfulness = 0.1")


def test_a_rerun_asks_again_what_nobody_could_use(bench: Bench) -> None:
    """The next run asks, and a replay names the line of the cassette that is in the way."""
    spell = Spell(Answer('{"checks": []}'))
    with bench.serving(spell) as server:
        ill = bench.inside(*ARGUMENTS)
        assert (ill.code, ill.last) == (1, "2 errors")
        assert ill.out.count("has no usable answer; the next run asks it again") == 2
        assert not stored(bench.store)

        n_ill, spell.reply = server.n_requests, None
        well = bench.inside(*ARGUMENTS)
        assert (well.code, well.last) == (0, "2 passed")
        assert main([*EXPORT]) == 0
        assert bench.inside(*ARGUMENTS, "--summ-record=none").code == 0
        assert bench.inside(*ARGUMENTS).code == 0
        assert server.n_requests == n_ill + 2

        rows = stored(bench.store).values()
        ill_rows = [replace(row, reply={**row.reply, "text": '{"checks": []}'}) for row in rows]
        write_cassette(bench.path / "cassette.jsonl", ill_rows)
        replayed = bench.inside(*ARGUMENTS, "--summ-record=none")
        assert replayed.last == "2 errors"
        assert server.n_requests == n_ill + 2


def test_a_swapped_model_warns_at_a_desk_and_is_an_error_in_ci(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge's fault: its pairs stay unscored, and the run record says who replied."""

    def other(seen: Seen) -> Action:
        return Answer(answer_by_rule(seen.body), model=OTHER)

    with bench.serving(other, model=PINNED) as server:
        monkeypatch.setenv("CI", "true")
        ci = bench.inside(*ARGUMENTS, "--summ-run-record=run.jsonl")
        (seen,) = bench.record().header.models
        n_asked = server.n_requests
        monkeypatch.delenv("CI")
        desk = bench.inside(*ARGUMENTS)

    assert set(ci.outcomes.values()) == {"ERROR"}
    assert f"asked for {PINNED!r}, and the reply is of {OTHER!r}" in ci.out
    assert (seen.returned, seen.is_other, seen.n_replies) == (OTHER, True, n_asked)
    assert set(desk.outcomes.values()) == {"PASSED"}
    at_desk = " ".join(line.strip() for line in desk.lines)
    assert f"warning: {PINNED!r} at here replied as {OTHER!r} (" in at_desk
    assert "in CI that is an error" in at_desk


def test_an_ending_model_is_said_once_a_day_is_asked_and_changes_no_verdict(bench: Bench) -> None:
    """A run that sends requests says it, once for all workers; the endpoint is asked once a day."""
    said = f"summeval: model 'rule-1' of judge 'rule' ends on {PAST}"
    with bench.serving() as server:
        server.ends = {"rule-1": PAST, "other-1": PAST}
        bench.inside(*ARGUMENTS, "--summ-record=none")
        assert server.n_listed == 0, "a replay has no network to ask"
        first = bench.inside(*ARGUMENTS, "-n1")
        again = bench.inside(*ARGUMENTS, "--summ-record=all")
        stored = bench.inside(*ARGUMENTS)
        assert server.n_listed == 1
    assert first.code == again.code == stored.code == 0
    assert first.out.count(said) == again.out.count(said) == 1
    assert "other-1" not in first.out
    assert said not in stored.out, "it asked nothing"


@pytest.mark.parametrize("ends", [None, {"rule-1": "soon"}, {"rule-1": "2999-01-31"}])
def test_an_endpoint_that_says_nothing_of_use_is_not_quoted(
    bench: Bench, ends: dict[str, object] | None
) -> None:
    """Few endpoints list their models; a line in every run for a year would be read by nobody."""
    with bench.serving() as server:
        server.ends = ends
        run = bench.inside(*ARGUMENTS)
    assert run.code == 0
    assert "ends on" not in run.out
