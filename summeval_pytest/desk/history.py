"""`summeval history`: the means of saved runs, one after the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import names_in
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import METRICS, catalogue_of
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.record.record_file import read_record
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.means import MeanScore, mean_scores
from summeval_pytest.verdict.run import RunRecord, RunVerdict, SuiteRecord, SystemResult

_KINDS: Final = frozenset({".json", ".jsonl"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One system of one saved run; ``change`` says what else than the system is new."""

    run: str
    system: str
    outcome: str
    change: str
    means: Mapping[str, MeanScore]

    def cell(self, name: str) -> str:
        """A mean with its interval."""
        mean = self.means.get(name)
        if mean is None or mean.value is None:
            return "-"
        bounds = "" if mean.low is None else f" [{mean.low:.2f}, {mean.high:.2f}]"
        return f"{mean.value:.3f}{bounds}"


def history(
    *places: Annotated[
        Path, Parameter(name="RUN", help="run records in their order, or a folder of them")
    ],
    number: Annotated[
        tuple[str, ...],
        Parameter(help="show this number (repeat, or commas; default: the metrics)"),
    ] = (),
    system: Annotated[
        tuple[str, ...], Parameter(help="show this system (repeat, or commas; default: all)")
    ] = (),
) -> list[str]:
    """Prints the means of saved runs, one line a system, the oldest first.

    A folder's runs are in the order of their names, where 10 comes after 9. A file in it that is no
    run record is left out, and named.
    """
    left_out: list[str] = []
    tables = _tables(_runs(places, left_out), names_in(system, "--system"), number)
    lines: list[str] = []
    for suite, (named, rows) in tables.items():
        lines += [one_line(suite), *_text(rows, [each.name for each in named]), ""]
    lines += [one_line(f"left out: {why}", 400) for why in left_out]
    return lines


Table = tuple[Sequence[NumberSpec], Sequence[HistoryRow]]
Basis = tuple[str, str]
"""What means have to share to be compared: the judge, the papers, and each metric by name."""


def _runs(places: Sequence[Path], left_out: list[str]) -> Iterator[tuple[str, RunRecord]]:
    """Each run with a name of its own; why files of folders are left out is added to a list.

    A record keeps its file open, so no more than one is at hand.
    """
    names: set[str] = set()
    for place in places:
        for file in _files(place):
            name = str(file) if file.stem in names else file.stem
            try:
                run = read_record(file, "RUN")
            except OptionError as error:
                if file is place:
                    raise
                left_out.append(str(error))
            else:
                if name not in names:  # and no file that was named twice
                    names.add(name)
                    yield name, run
    if not names:
        what = "name run records, or a folder that holds some"
        raise OptionError(f"{what}; pytest writes one with --summ-run-record=FILE")


def _files(place: Path) -> list[Path]:
    """A file, or those of a folder in the order of their names, where 10 comes after 9."""

    def by_number(file: Path) -> list[tuple[int, str]]:
        parts = re.split(r"(\d+)", file.name)
        return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]

    if not place.is_dir():
        return [place]
    return sorted((f for f in place.iterdir() if f.suffix in _KINDS), key=by_number)


def _tables(
    runs: Iterable[tuple[str, RunRecord]], systems: Sequence[str], numbers: Sequence[str]
) -> dict[str, Table]:
    """By suite, its numbers and a row for each system of each run."""
    rows: defaultdict[str, list[HistoryRow]] = defaultdict(list)
    known: dict[str, NumberSpec] = {}
    own: defaultdict[str, dict[str, NumberSpec]] = defaultdict(dict)
    seen: set[str] = set()
    last: dict[str, Mapping[Basis, object]] = {}
    for name, run in runs:
        verdict = decide(run)
        for suite in verdict.suites:
            catalogue = catalogue_of(suite.own_numbers)
            known |= catalogue
            own[suite.name] |= catalogue
            seen.update(system.name for system in suite.systems)
            shown = [each for each in suite.systems if not systems or each.name in systems]
            if not shown:
                continue
            change = _change(last, run.judge.signature, suite)
            for system in shown:
                papers = [row.numbers for row in suite.pairs_of(system.name).rows]
                means = mean_scores(system.name, papers, catalogue.values())
                rows[suite.name].append(
                    HistoryRow(
                        run=name,
                        system=system.name,
                        outcome=_outcome(verdict, suite, system),
                        change=change,
                        means={mean.name: mean for mean in means},
                    )
                )
                change = ""
    names_in(systems, "--system", seen, "no run has it")
    numbers = names_in(numbers, "--number", known, "no run has it")
    tables: dict[str, Table] = {}
    for of_suite, its_rows in rows.items():
        usual = [each for each in METRICS if any(each in row.means for row in its_rows)]
        tables[of_suite] = ([(known | own[of_suite])[n] for n in numbers or usual], its_rows)
    return tables


def _outcome(run: RunVerdict, suite: SuiteRecord, system: SystemResult) -> str:
    """The worst of the judge, the system's pairs and its means; partial where some are missing."""
    own = replace(suite, systems=(system,), pairs=suite.pairs_of(system.name))
    return replace(run, suites=(own,)).shown


def _change(last: dict[str, Mapping[Basis, object]], judge: str, suite: SuiteRecord) -> str:
    """What else than the system is new; a run that judged nothing changes nothing.

    Of metrics, only those that both runs have are compared.
    """
    if not suite.rows:
        return ""
    judged = frozenset(row.paper for row in suite.rows)
    recipes: defaultdict[Basis, set[tuple[str, str]]] = defaultdict(set)
    for each in suite.signatures():
        kept = {part for part in each.recipe if part[0] not in {"judge", "suite"}}
        recipes["metrics", each.metric] |= kept
    papers = suite.fingerprint, judged
    basis: dict[Basis, object] = {("judge", ""): judge, ("papers", ""): papers, **recipes}
    before = last.get(suite.name, {})
    last[suite.name] = basis
    return " and ".join(dict.fromkeys(k[0] for k, v in basis.items() if before.get(k, v) != v))


def _text(rows: Sequence[HistoryRow], names: Sequence[str]) -> Iterator[str]:
    cells = [
        ("run", "system", "outcome", *names),
        *((row.run, row.system, row.outcome, *map(row.cell, names)) for row in rows),
    ]
    table = [[one_line(cell, 24) for cell in line] for line in cells]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for n, line in enumerate(table):
        if n and rows[n - 1].change:
            yield f"-- other {rows[n - 1].change}: numbers above and below are not comparable"
        yield "  ".join(map(str.ljust, line, widths)).rstrip()
