"""A judge that thinks before it answers, and what its thoughts do to a run over ten pairs.

The server refuses ``max_tokens`` and ``temperature`` as OpenAI does for its reasoning models.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.plan import planned_calls
from tests.asked_suite import desk_for, evaluated, loaded, tasks_of
from tests.scripted_server import Answer, ScriptedServer, Seen, Status
from tools.benchmarks.made_suite import JUDGE, SUITE, make_suite
from tools.benchmarks.quick_answers import answer

PAIRS: Final = 10
PRICE: Final = "input_price = 0\noutput_price = 10\n"
"""Ten dollars a million tokens of reply."""
_LENGTH: Final = "max_completion_tokens"


@dataclass
class Thinker:
    """A model that thinks ``n_hidden`` tokens about a reply, and then needs one a character.

    Attributes:
        most: The longest reply that the endpoint takes; None: any.
        tells: Whether it reports how much was thought.
        rooms: The room of each request that was replied to.
    """

    n_hidden: int
    most: int | None = None
    tells: bool = True
    rooms: list[int] = field(default_factory=list)
    n_cut: int = 0
    n_billed: int = 0

    def __call__(self, seen: Seen) -> Answer | Status:
        """The reply to one request, or what is wrong with it."""
        for name in ("max_tokens", "temperature"):
            if name in seen.body:
                what = f"Unsupported parameter: '{name}' is not supported with this model."
                return Status(400, "unsupported_parameter", what, name)
        room = int(str(seen.body[_LENGTH]))
        if self.most is not None and room > self.most:
            what = f"{_LENGTH} is too large: {room}. This model supports at most {self.most}"
            what += f" completion tokens, whereas you provided {room}."
            return Status(400, "invalid_value", what, _LENGTH)
        text = answer(seen.body)
        n_tokens = min(room, self.n_hidden + len(text))
        is_cut = n_tokens < self.n_hidden + len(text)
        self.rooms.append(room)
        self.n_cut += is_cut
        self.n_billed += n_tokens
        return Answer(
            text[: max(0, n_tokens - self.n_hidden)] if is_cut else text,
            finish="length" if is_cut else "stop",
            usage=(100, n_tokens, 0),
            n_thought=min(room, self.n_hidden) if self.tells else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a run over ten pairs, and the same run once more, came to.

    Attributes:
        n_requests: Requests that the server got, refused ones too.
        n_cut: Replies that were cut off, of both runs.
        n_billed: Tokens of all replies, of both runs.
        n_unscored: Pairs without a score of each metric.
        n_next: Requests of the next run.
        n_planned: Tokens of replies that a plan counts for ten other pairs, once these are stored.
        messages: Why there is no score.
    """

    n_requests: int
    n_cut: int
    n_billed: int
    n_unscored: int
    n_next: int
    n_planned: int
    messages: tuple[str, ...]


def run_on(
    folder: Path, thinker: Thinker, *, keys: str = "", limits: str = "", budget: float | None = None
) -> Measured:
    """What a thinking judge does with ten pairs; ``keys`` are more keys of its table."""
    with ScriptedServer(thinker) as server:
        suites = []
        for name, n_pairs in (("made", PAIRS), ("more", 2 * PAIRS)):
            make_suite(folder / name, server.url, n_pairs=n_pairs, n_source=10, limits=limits)
            file = folder / name / SUITE
            table = f"[judges.{JUDGE}]\n"
            file.write_text(file.read_text("utf-8").replace(table, table + keys), "utf-8")
            suites.append(loaded(folder / name))
        suite, store = suites[0], folder / "store"
        runs = []
        for run in ("run-1", "run-2"):
            desk = desk_for(store, suite, budget=budget, run=run)
            runs.append((evaluated(desk, suite, tasks_of(suite), JUDGE), server.n_requests))
        desk = desk_for(store, suites[1])
        survey, _ = desk.survey(JUDGE, [suites[1]], tasks_of(suites[1]), imagine=True)
        rows = planned_calls(survey.missing.values(), survey.reply_share, survey.thoughts)
    (evaluations, n_requests), (_, n_in_all) = runs
    unscored = [[s for s in each.scores if isinstance(s, Unscored)] for each in evaluations]
    return Measured(
        n_requests=n_requests,
        n_cut=thinker.n_cut,
        n_billed=thinker.n_billed,
        n_unscored=sum(map(bool, unscored)),
        n_next=n_in_all - n_requests,
        n_planned=sum(row.completion_tokens for row in rows),
        messages=tuple(score.reason for scores in unscored for score in scores),
    )
