"""`summeval drift`: the golden answers of two saved runs, item by item. Nothing is asked."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.reports import (
    changed_model_lines,
    drift_sentence,
    drift_table,
    figure_table,
    flip_lines,
    models_told,
    read_record,
)
from summeval_pytest.text import one_line, safe
from summeval_pytest.verdict import measure_drift

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.verdict import Drift, RunRecord, SuiteRecord

_WIDTH: Final = 80


def drift_of(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The lines, and whether all could be compared and nothing moved away from the labels.

    Raises:
        OptionError: for a file that is no run record, and for one without golden answers.
    """
    old, new = read_record(chosen.old, "OLD"), read_record(chosen.new, "NEW")
    lines = list(_models(old, new))
    passes = True
    for before, now in _suites(old, new, chosen):
        drift = measure_drift(before, now)
        lines += ["", *_told(now, drift, n_answers=chosen.answers)]
        passes = passes and not drift.mismatches and not drift.is_worse
    return lines, passes


def _suites(
    old: RunRecord, new: RunRecord, chosen: argparse.Namespace
) -> Iterator[tuple[SuiteRecord, SuiteRecord]]:
    """The suites that both runs measured their judge with."""
    before, now = _measured(old, chosen.old, "OLD"), _measured(new, chosen.new, "NEW")
    if len(before) == len(now) == 1:
        yield before[0], now[0]
        return
    by_name = {suite.name: suite for suite in before}
    for suite in now:
        if suite.name not in by_name:
            raise OptionError(
                f"OLD: {chosen.old} has no golden answers of suite {suite.name!r};"
                f" {nearest(suite.name, by_name)}; compare runs of the same suites"
            )
        yield by_name[suite.name], suite


def _measured(record: RunRecord, file: Path, which: str) -> list[SuiteRecord]:
    found = [suite for suite in record.suites if suite.golden and suite.trust is not None]
    if not found:
        faults = [suite.trust.fault for suite in record.suites if suite.trust and suite.trust.fault]
        why = f" ({one_line(faults[0])})" if faults else ""
        raise OptionError(
            f"{which}: {file} holds no golden answers{why}; run pytest on a suite with labels, its"
            " item 'judge' included, with --summ-run-record=FILE"
        )
    return found


def _models(old: RunRecord, new: RunRecord) -> Iterator[str]:
    """Who judged, and which models replied: the judge's, and those of systems that were asked."""
    for name, record in (("old", old), ("new", new)):
        yield one_line(f"{name} judge: {record.judge}", 400)
        for line in models_told(record.header.models):
            yield f"  {line}"
    yield from changed_model_lines(old.header.models, new.header.models)


def _told(suite: SuiteRecord, drift: Drift, *, n_answers: int) -> Iterator[str]:
    if drift.mismatches:
        yield one_line(f"{suite.shown}: not compared")
        for mismatch in drift.mismatches:
            yield f"  {one_line(mismatch, 400)}"
        return
    papers = "1 paper" if drift.n_papers == 1 else f"{drift.n_papers:,} papers"
    yield one_line(f"{suite.shown}: {drift.n_items:,} golden answers of {papers}")
    yield from drift_table(drift)
    yield ""
    yield from figure_table(drift.figures)
    yield ""
    if drift.flips and n_answers:
        yield from flip_lines(drift.flips, n_shown=n_answers)
        yield ""
    yield from map(safe, wrap(drift_sentence(drift), _WIDTH, break_on_hyphens=False))
