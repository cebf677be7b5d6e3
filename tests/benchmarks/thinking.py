"""A judge that thinks before it answers, and what its thoughts do to a run.

    python -m tests.benchmarks.thinking

prints a table: 10 pairs, judged by a model that spends so many hidden tokens on each reply. The
server refuses ``max_tokens`` and ``temperature`` as OpenAI does for its reasoning models.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.plan import planned_calls
from tests.asked_suite import desk_for, evaluated, loaded, tasks_of
from tests.benchmarks.made_suite import JUDGE, SUITE, make_suite
from tests.benchmarks.quick_answers import answer
from tests.scripted_server import Answer, ScriptedServer, Status

if TYPE_CHECKING:
    from tests.scripted_server import Seen

PAIRS: Final = 10
THOUGHTS: Final = (0, 1200, 3000, 8000, 20_000)
BUDGETS: Final = ((0, None), (0, 100.0), (0, 0.25), (3000, None), (3000, 100.0), (3000, 1.5))
"""Hidden tokens with dollars: no limit, plenty, or hardly more than all replies cost."""
_LATENCY_SECONDS: Final = 0.2
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
    seconds: float
    messages: tuple[str, ...]


def run_on(  # noqa: PLR0913 - by keyword; each is one condition of a run
    folder: Path,
    thinker: Thinker,
    *,
    keys: str = "",
    limits: str = "",
    budget: float | None = None,
    latency_seconds: float = 0.0,
) -> Measured:
    """What a thinking judge does with ten pairs; ``keys`` are more keys of its table."""
    with ScriptedServer(thinker, latency_seconds=latency_seconds) as server:
        suites = []
        for name, n_pairs in (("made", PAIRS), ("more", 2 * PAIRS)):
            make_suite(folder / name, server.url, n_pairs=n_pairs, n_source=10, limits=limits)
            file = folder / name / SUITE
            table = f"[judges.{JUDGE}]\n"
            file.write_text(file.read_text("utf-8").replace(table, table + keys), "utf-8")
            suites.append(loaded(folder / name))
        suite, store, at = suites[0], folder / "store", time.monotonic()
        runs = []
        for run in ("run-1", "run-2"):
            desk = desk_for(store, suite, budget=budget, run=run)
            runs.append((evaluated(desk, suite, tasks_of(suite), JUDGE), server.n_requests))
        seconds = time.monotonic() - at
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
        seconds=seconds,
        messages=tuple(score.reason for scores in unscored for score in scores),
    )


def _row(name: str, thinker: Thinker, **terms: str | float | None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        of = run_on(Path(folder), thinker, **terms)  # type: ignore[arg-type]  # by name
    counts = (of.n_requests, of.n_cut, of.n_billed, of.n_unscored, of.n_next, of.n_planned)
    return f"{name:34}" + "".join(f"{n:>11,}" for n in counts) + f"{of.seconds:>9.1f}"


def main() -> None:
    """Print the table."""
    names = ("requests", "cut", "billed", "unscored", "next run", "plan, more")
    print(f"{'hidden tokens a reply':34}" + "".join(f"{n:>11}" for n in names) + f"{'seconds':>9}")
    for n in THOUGHTS:
        print(_row(f"{n:,}", Thinker(n)))
    print(_row("8,000, not reported", Thinker(8000, tells=False)))
    print(_row("20,000, not reported", Thinker(20_000, tells=False)))
    print(_row("3,000, at most 4,096", Thinker(3000, most=4096)))
    print(_row("8,000, at most 4,096", Thinker(8000, most=4096)))
    print(_row("8,000, max_tokens = 2048", Thinker(8000), keys="max_tokens = 2048\n"))
    for n, dollars in BUDGETS:
        name = f"{n:,}, 0.2 s a reply, " + (f"budget ${dollars:g}" if dollars else "no budget")
        print(_row(name, Thinker(n), keys=PRICE, budget=dollars, latency_seconds=_LATENCY_SECONDS))
    limits = "tokens_per_minute = 2000000\n"
    print(_row("0, 2 million tokens a minute", Thinker(0), limits=limits))


if __name__ == "__main__":
    main()
