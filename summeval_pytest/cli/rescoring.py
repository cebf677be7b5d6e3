"""`summeval rescore`: a run decided again with other thresholds or weights. Nothing is asked."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import check_writable, write_text
from summeval_pytest.reports import missed_numbers, read_record, record_text, run_lines
from summeval_pytest.text import one_line
from summeval_pytest.verdict import read_weights, rescore

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from summeval_pytest.verdict import RunRecord

_MOST: Final = 40
"""How many changed outcomes are listed."""


def rescore_run(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The lines, and whether the run passes as it is decided now.

    Raises:
        OptionError: for a file that is no run record, and for thresholds or weights that cannot be.
    """
    record = read_record(chosen.run, "RUN")
    if chosen.record is not None:
        check_writable(chosen.record, "--record")
    again = rescore(
        record,
        options=[option for text in chosen.min for option in text.split(",")],
        weights=read_weights(chosen.weights) if chosen.weights is not None else None,
        today=dt.datetime.now(dt.UTC).date().isoformat(),
    )
    if chosen.record is not None:
        write_text(chosen.record, "--record", record_text(again))
    is_compared = not any(suite.uncompared for suite in again.suites)
    passes = again.outcome == "passed" and is_compared
    return [*run_lines(again), *_changed(record, again)], passes


def _changed(record: RunRecord, again: RunRecord) -> Iterator[str]:
    """The pairs that are decided otherwise now."""
    found = []
    for old_suite, new_suite in zip(record.suites, again.suites, strict=True):
        for old, new in zip(old_suite.pairs, new_suite.pairs, strict=True):
            if old.outcome != new.outcome:
                why = "; ".join(missed_numbers(new.verdict))
                told = f"{new.system} on {new.paper}: {old.outcome} -> {new.outcome}"
                found.append(one_line(f"{told}{': ' if why else ''}{why}", 120))
    yield f"decided otherwise: {len(found)} of {sum(len(s.pairs) for s in again.suites)} pairs"
    yield from found[:_MOST]
    if len(found) > _MOST:
        yield f"{len(found) - _MOST} more"
