"""`summeval compare`: two saved runs by system, paper and golden answer. Nothing is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics import read_signature
from summeval_pytest.reports import (
    change_lines,
    changed_model_lines,
    comparison_lines,
    golden_lines,
    models_told,
    read_record,
)
from summeval_pytest.text import one_line
from summeval_pytest.verdict import (
    compare,
    find_baseline,
    measure_drift,
    pair_change,
    read_rules,
    worst_first,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.verdict import PairChange, Rule, RunRecord, SuiteRecord


def compare_runs(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The lines, and whether every system could be compared and breaks no rule.

    With ``--golden`` only golden answers are compared, and decide.

    Raises:
        OptionError: for a file that is no run record, a rule that cannot be, a system that neither
            run has, and with ``--golden`` for a run without golden answers.
    """
    rules = read_rules([rule for text in chosen.fail for rule in text.split(",")], option="--fail")
    old, new = read_record(chosen.old, "OLD"), read_record(chosen.new, "NEW")
    if chosen.golden:
        return _golden_answers(old, new, _measured_suites(old, new, chosen), chosen.answers)
    lines: list[str] = []
    passes = True
    if not any(suite.systems for suite in new.suites):
        raise OptionError(f"NEW: {chosen.new} holds no system; name the record of a run")
    for suite in new.suites:
        for system in _systems(suite, chosen.system):
            told, fine = _compared(suite, system, old, chosen, rules)
            lines += told
            passes = passes and fine
    if suites := _shared_suites(_measured(old), _measured(new)):
        lines += _golden_answers(old, new, suites, chosen.answers)[0]
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
        return [one_line(f"{suite.shown}: {system} was not judged"), ""], False
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


def _golden_answers(
    old: RunRecord,
    new: RunRecord,
    suites: list[tuple[SuiteRecord, SuiteRecord]],
    n_answers: int,
) -> tuple[list[str], bool]:
    """Who judged and what became of the golden answers; False if any suite's got worse.

    Golden answers that cannot be compared count as worse.
    """
    lines: list[str] = []
    for name, record in (("old", old), ("new", new)):
        lines.append(one_line(f"{name} judge: {record.judge}", 400))
        lines += [f"  {line}" for line in models_told(record.header.models)]
    lines += changed_model_lines(old.header.models, new.header.models)
    passes = True
    for before, now in suites:
        drift = measure_drift(before, now)
        lines += ["", *golden_lines(now.shown, drift, n_answers=n_answers)]
        passes = passes and not drift.mismatches and not drift.is_worse
    return lines, passes


def _measured_suites(
    old: RunRecord, new: RunRecord, chosen: argparse.Namespace
) -> list[tuple[SuiteRecord, SuiteRecord]]:
    """Every suite of NEW with golden answers, and what OLD has of it; a lacking one is refused."""
    for option in ("system", "against", "fail"):
        if getattr(chosen, option):
            raise OptionError(f"--golden compares no systems; leave out --{option}")
    before, now = _measured(old), _measured(new)
    for suites, record, file, which in (
        (before, old, chosen.old, "OLD"),
        (now, new, chosen.new, "NEW"),
    ):
        if not suites:
            raise _without_answers(record, file, which)
    shared = _shared_suites(before, now)
    known = [suite.name for suite in before]
    for suite in now:
        if all(suite is not each for _, each in shared):
            raise OptionError(
                f"OLD: {chosen.old} has no golden answers of suite {suite.name!r};"
                f" {nearest(suite.name, known)}; compare runs of the same suites"
            )
    return shared


def _measured(record: RunRecord) -> list[SuiteRecord]:
    """The suites that the run measured its judge with."""
    return [suite for suite in record.suites if suite.golden and suite.trust is not None]


def _shared_suites(
    before: list[SuiteRecord], now: list[SuiteRecord]
) -> list[tuple[SuiteRecord, SuiteRecord]]:
    """The suites of both runs by name; a run's only suite goes with the only one of the other."""
    if len(before) == len(now) == 1:
        return [(before[0], now[0])]
    by_name = {suite.name: suite for suite in before}
    return [(by_name[suite.name], suite) for suite in now if suite.name in by_name]


def _without_answers(record: RunRecord, file: Path, which: str) -> OptionError:
    faults = [suite.trust.fault for suite in record.suites if suite.trust and suite.trust.fault]
    why = f" ({one_line(faults[0])})" if faults else ""
    return OptionError(
        f"{which}: {file} holds no golden answers{why}; run pytest on a suite with labels, its"
        " item 'judge' included, with --summ-run-record=FILE"
    )
