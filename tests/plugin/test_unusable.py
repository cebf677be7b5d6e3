"""Real runs over a server whose replies nobody can use, until it recovers."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.store.cassette import write_cassette
from tests.judges.llm.by_rule import answer_by_rule
from tests.scripted_server import Answer, ScriptedServer
from tests.stored import stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.plugin.conftest import Bench
    from tests.scripted_server import Seen

JUDGE: Final = """
[judges.rule]
endpoint = "here"
model = "rule-1"

[endpoints.here]
base_url = "{url}"
timeout_seconds = 20
"""
ARGUMENTS: Final = ("summeval.toml", "--summ-judge=rule", "-p", "no:cacheprovider")
NOTED: Final = "An earlier reply about these items could not be used"


@dataclass
class Spell:
    """A judge by rule; while it is ill, its reply is this one.

    Attributes:
        reply: What it says while it is ill; None once it has recovered.
        n_wrong: How many replies about the same items are ill, from the first on.
    """

    reply: Answer | None
    n_wrong: int = 3

    def __call__(self, seen: Seen) -> Answer:
        """The reply to one request."""
        text = seen.texts[-1]
        is_wrong = self.n_wrong > 1 or NOTED not in text
        return self.reply if self.reply and is_wrong else Answer(answer_by_rule(seen.body))


@contextmanager
def serving(bench: Bench, spell: Spell) -> Iterator[ScriptedServer]:
    """A suite of two papers, judged by their sentences: a request a pair."""
    with ScriptedServer(spell) as server:
        bench.suite(pair="faithfulness = 0.1")
        file = bench.path / "summeval.toml"
        text = file.read_text(encoding="utf-8") + JUDGE.format(url=server.url)
        bench.write(file.name, text)
        yield server


@pytest.mark.parametrize(
    "reply",
    [
        Answer('{"checks": "none"}'),
        Answer('{"checks": []}'),
        Answer(""),
        Answer(None, refusal="I would rather not."),
        Answer('{"checks": [', finish="length"),
        Answer("", finish="content_filter"),
    ],
    ids=["types", "missing", "empty", "refused", "cut off", "filtered"],
)
def test_a_rerun_asks_again_what_nobody_could_use(bench: Bench, reply: Answer) -> None:
    """The server has recovered, and the error goes; what was good is not asked again."""
    spell = Spell(reply)
    with serving(bench, spell) as server:
        ill = bench.inside(*ARGUMENTS)
        assert (ill.code, ill.last) == (1, "2 errors")
        remedy = "is kept as unusable; the next run with --summ-record=new asks again"
        assert ill.out.count(remedy) == 2
        n_ill = server.n_requests
        spell.reply = None
        well = bench.inside(*ARGUMENTS)
        assert (well.code, well.last) == (0, "2 passed")
        assert server.n_requests == n_ill + 2
        assert bench.inside(*ARGUMENTS).code == 0
        assert server.n_requests == n_ill + 2


def test_each_worker_finds_what_another_has_given_up(bench: Bench) -> None:
    """Within a run an unusable reply is an answer: three requests a question, and not for each."""
    spell = Spell(Answer("{}"))
    with serving(bench, spell) as server:
        bench.write(
            "test_own.py",
            "import pytest\n@pytest.mark.summ(metrics=['faithfulness'])\n"
            "@pytest.mark.parametrize('n', range(2))\n"
            "def test_own(summ_pair, n):\n    summ_pair.check()\n",
        )
        run = bench.run(*ARGUMENTS, "test_own.py", "-n2")
        assert run.last.endswith("errors")
        asked = Counter(str(seen.body) for seen in server.seen)
        assert set(asked.values()) == {1}
        assert server.n_requests == 6


def test_a_replay_names_the_recorded_reply_that_nobody_can_use(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what is wrong and what to type; a run that may ask then does, whatever is committed."""
    monkeypatch.chdir(bench.path)
    spell = Spell(Answer('{"checks": []}'))
    with serving(bench, spell) as server:
        bench.inside(*ARGUMENTS)
        rows = stored(bench.store).values()
        write_cassette(bench.path / "cassette.jsonl", rows)
        replayed = bench.inside(*ARGUMENTS, "--summ-record=none")
        assert replayed.last == "2 errors"
        told = [line for line in replayed.lines if "is unscored: " in line]
        assert len(told) == 2
        assert all(
            any(
                f"item 1 is missing; the recorded answer to question {row.key[:8]} is unusable; ask"
                " again with --summ-record=new, then 'summeval cassette export'" in line
                for row in rows
            )
            for line in told
        )

        spell.reply = None
        assert bench.inside(*ARGUMENTS).code == 0
        n_requests = server.n_requests
        assert n_requests == 6 + 2
        assert main(["cassette", "export", ".", "--judge=rule", "--store", str(bench.store)]) == 0
        assert bench.inside(*ARGUMENTS, "--summ-record=none").code == 0
        assert bench.inside(*ARGUMENTS).code == 0
        assert server.n_requests == n_requests
