"""`summeval history`: the means of saved runs, one after the other, as text and as a page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import check_writable, write_text
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import METRICS, catalogue_of
from summeval_pytest.metrics.number import ENDLESS, Named
from summeval_pytest.record.record_file import read_record
from summeval_pytest.reports.page import finalize, policy
from summeval_pytest.reports.template import resource, template
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.means import MeanScore, mean_scores
from summeval_pytest.verdict.run import RunRecord

_KINDS: Final = frozenset({".json", ".jsonl"})
_STEP: Final = 12.0
"""How far apart the runs are drawn, where the range of a number is 40."""
_HEIGHT: Final = 40.0


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
        tuple[str, ...], Parameter(help="show this number (repeat; default: the metrics)")
    ] = (),
    system: Annotated[
        tuple[str, ...], Parameter(help="show this system (repeat; default: all)")
    ] = (),
    html: Annotated[Path | None, Parameter(help="draw the numbers on a page")] = None,
) -> list[str]:
    """Prints the means of saved runs, one line a system, the oldest first.

    A folder's runs are in the order of their names, where 10 comes after 9. A file in it that is no
    run record is left out, and named.
    """
    if html is not None:
        check_writable(html, "--html")
    runs, left_out = _runs(places)
    tables = _tables(runs, system, number)
    lines: list[str] = []
    for suite, (named, rows) in tables.items():
        lines += [one_line(suite), *_text(rows, [each.name for each in named]), ""]
    lines += [one_line(f"left out: {why}", 400) for why in left_out]
    if html is not None:
        write_text(html, "--html", _page(tables))
        lines.append(f"wrote {html}")
    return lines


Table = tuple[Sequence[Named], Sequence[HistoryRow]]


def _runs(places: Sequence[Path]) -> tuple[dict[str, RunRecord], list[str]]:
    """The runs by their files' names, and why files of folders are left out."""
    runs, left_out = {}, []
    for place in places:
        if not place.is_dir():
            runs[place.stem] = read_record(place, "RUN")
            continue
        for file in sorted(place.iterdir(), key=lambda file: _by_number(file.name)):
            if file.suffix in _KINDS:
                try:
                    runs[file.stem] = read_record(file, "RUN")
                except OptionError as error:
                    left_out.append(str(error))
    if not runs:
        raise OptionError(
            "name run records, or a folder that holds some; pytest writes one with"
            " --summ-run-record=FILE"
        )
    return runs, left_out


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _tables(
    runs: Mapping[str, RunRecord], systems: Sequence[str], numbers: Sequence[str]
) -> dict[str, Table]:
    """By suite, its numbers and a row for each system of each run."""
    rows: defaultdict[str, list[HistoryRow]] = defaultdict(list)
    known: dict[str, Named] = {}
    seen: set[str] = set()
    last: dict[str, dict[str, str]] = {}
    for name, run in runs.items():
        verdict = decide(run)
        for suite in verdict.suites:
            catalogue = catalogue_of(suite.own_numbers)
            known |= catalogue
            now = {"judge": run.judge.signature, "papers": suite.fingerprint}
            before = last.get(suite.name, now)
            change = " and ".join(key for key, value in now.items() if value != before[key])
            last[suite.name] = now
            for system in suite.systems:
                seen.add(system.name)
                if systems and system.name not in systems:
                    continue
                papers = [pair.numbers() for pair in suite.pairs_of(system.name)]
                means = mean_scores(system.name, papers, catalogue.values())
                rows[suite.name].append(
                    HistoryRow(
                        run=name,
                        system=system.name,
                        outcome=system.outcome,
                        change=change,
                        means={mean.name: mean for mean in means},
                    )
                )
                change = ""
    for option, given, existing in (("system", systems, seen), ("number", numbers, known)):
        for each in given:
            if each not in existing:
                raise OptionError(f"--{option}={each}: no run has it; {nearest(each, existing)}")
    return {
        suite: ([known[each] for each in numbers or _usual(of_suite)], of_suite)
        for suite, of_suite in rows.items()
    }


def _usual(rows: Sequence[HistoryRow]) -> list[str]:
    """The metrics that any of the runs has."""
    return [name for name in METRICS if any(name in row.means for row in rows)]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One number over the rows of a table, in units of its picture.

    Attributes:
        dots: Of each row that has the number: x, y, and the ends of its interval.
        lines: Between a system's neighbouring dots, where neither judge nor papers changed.
        cuts: Where they did.
    """

    name: str
    top: str
    bottom: str
    dots: Sequence[tuple[float, float, float, float]]
    lines: Sequence[tuple[float, float, float, float]]
    cuts: Sequence[float]


def _drawing(named: Named, rows: Sequence[HistoryRow]) -> Drawing:
    means = [row.means.get(named.name) for row in rows]
    known = [m for m in means if m is not None and m.value is not None]
    ends = [end for m in known for end in (m.value, m.low, m.high) if end is not None]
    high = named.high if named.high < ENDLESS else max(ends, default=1.0)
    low = named.low if named.low > -ENDLESS else min(ends, default=0.0)

    def y(value: float | None, default: float) -> float:
        return default if value is None else _HEIGHT * (high - value) / ((high - low) or 1.0)

    is_alone = len({row.run for row in rows}) == len(rows)
    dots, lines = [], []
    last: dict[str, tuple[float, float]] = {}
    for place, (row, mean) in enumerate(zip(rows, means, strict=True)):
        if row.change:
            last.clear()
        if mean is None or mean.value is None:
            continue
        x, at = _STEP * (place + 0.5), y(mean.value, 0.0)
        dots.append((x, at, y(mean.low, at), y(mean.high, at)))
        series = "" if is_alone else row.system
        if series in last:
            lines.append((*last[series], x, at))
        last[series] = x, at
    cuts = [_STEP * place for place, row in enumerate(rows) if row.change]
    return Drawing(
        name=named.name, top=f"{high:.3g}", bottom=f"{low:.3g}", dots=dots, lines=lines, cuts=cuts
    )


def _page(tables: Mapping[str, Table]) -> str:
    style = resource("page.css")
    return template("history.html", finalize).render(
        style=style,
        policy=policy(style, ""),
        step=_STEP,
        height=_HEIGHT,
        suites=[
            (suite, named, rows, [_drawing(each, rows) for each in named])
            for suite, (named, rows) in tables.items()
        ],
    )
