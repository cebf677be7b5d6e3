"""The end of one process: what is open ends, and what was counted goes to whoever prints it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation import DRAIN_SECONDS, ORIGINS
from summeval_pytest.judges import Counting
from summeval_pytest.plugin.session import GATE, TOLD_BY_GATE, is_worker, tally_of

if TYPE_CHECKING:
    import pytest

    from summeval_pytest.plugin.gate import Gate

HURRY_SECONDS: Final = 1.0
"""How long calls in flight are waited for where somebody has pressed Ctrl-C; what was answered
before is kept anyway."""


def close_gate(config: pytest.Config, *, is_interrupted: bool) -> None:
    """Ends the runner of a process and hands on what it counted."""
    gate = config.stash[GATE]
    gate.close(seconds=HURRY_SECONDS if is_interrupted else DRAIN_SECONDS)
    told = json.dumps({"recipes": sorted(gate.recipes), "counts": counts_of(gate)})
    if is_worker(config):
        config.workeroutput[TOLD_BY_GATE] = told  # type: ignore[attr-defined]  # xdist sets it
        return
    tally_of(config).add_process(told)
    gate.desk.forget_run()
    if gate.desk.is_asking and gate.options.record != "all":
        for cassette in gate.desk.cassettes.values():
            tally_of(config).add_cassette(cassette)


def counts_of(gate: Gate) -> dict[str, object] | None:
    """What a process asked and was answered; None where nothing was to be asked."""
    if not gate.desk.is_asking:
        return None
    ledger = gate.desk.exchange.ledger
    judge = gate.judge
    return {
        "totals": dict(ledger.totals.as_json()),
        "replies": {origin: ledger.keys(origin) for origin in ORIGINS},
        "models": [[asdict(model), sorted(keys)] for model, keys in ledger.models.items()],
        "judge": dict(judge.counts()) if isinstance(judge, Counting) else {},
    }
