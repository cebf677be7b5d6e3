"""`summeval compare`: two saved runs, system by system and paper by paper. Nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics import read_signature
from summeval_pytest.reports import change_lines, comparison_lines, read_record
from summeval_pytest.text import one_line
from summeval_pytest.verdict import (
    compare,
    find_baseline,
    pair_change,
    read_rules,
    worst_first,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from summeval_pytest.verdict import PairChange, Rule, RunRecord, SuiteRecord


def compare_runs(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The lines, and whether every system could be compared and breaks no rule.

    Raises:
        OptionError: for a file that is no run record, a rule that cannot be, and a system that
            neither run has.
    """
    rules = read_rules([rule for text in chosen.fail for rule in text.split(",")], option="--fail")
    old, new = read_record(chosen.old, "OLD"), read_record(chosen.new, "NEW")
    lines: list[str] = []
    passes = True
    if not any(suite.systems for suite in new.suites):
        raise OptionError(f"NEW: {chosen.new} holds no system; name the record of a run")
    for suite in new.suites:
        for system in _systems(suite, chosen.system):
            told, fine = _compared(suite, system, old, chosen, rules)
            lines += told
            passes = passes and fine
    return lines, passes


def _systems(suite: SuiteRecord, wanted: str | None) -> list[str]:
    names = [system.name for system in suite.systems]
    if wanted is None:
        return names
    if wanted not in names:
        raise OptionError(f"--system={wanted}: {suite.shown} has none; {nearest(wanted, names)}")
    return [wanted]


def _compared(
    suite: SuiteRecord,
    system: str,
    old: RunRecord,
    chosen: argparse.Namespace,
    rules: tuple[Rule, ...],
) -> tuple[list[str], bool]:
    baseline = find_baseline(
        old, chosen.old.name, suite=suite.name, system=system, wanted=chosen.against, option="OLD"
    )
    pairs = suite.pairs_of(system)
    if not pairs:
        return [one_line(f"{suite.shown}: {system} was not judged")], False
    recipes = dict.fromkeys(text for pair in pairs for text in pair.signatures)
    comparison = compare(
        [pair.numbers() for pair in pairs],
        baseline,
        signatures=[read_signature(text) for text in recipes],
        rules=rules,
    )
    changes = worst_first(
        pair_change(baseline.pairs[pair.paper], pair, baseline=baseline.told)
        for pair in pairs
        if pair.paper in baseline.pairs
    )
    lines = [one_line(f"{suite.shown}: {system}"), *comparison_lines(comparison)]
    if not comparison.mismatches:
        lines += _papers(changes, chosen.papers)
    return [*lines, ""], comparison.passes


def _papers(changes: tuple[PairChange, ...], n_papers: int) -> Iterator[str]:
    if not changes:
        yield "no paper changed"
        return
    yield f"papers that changed, worst first ({len(changes)}):"
    for change in changes[:n_papers]:
        yield ""
        yield one_line(f"{change.system} on {change.paper}")
        yield from change_lines(change)
    if len(changes) > n_papers:
        yield ""
        yield f"{len(changes) - n_papers} more papers: --papers={len(changes)}"
