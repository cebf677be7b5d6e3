"""`summeval thresholds`: what thresholds stop and cost, and which of them labels choose."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

import numpy as np
from cyclopts import Parameter

from summeval_pytest.cli.runs import RunFile
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.number import ENDLESS, NumberSpec
from summeval_pytest.record.record_file import read_record
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.choice import (
    DEFAULT_PRICES,
    GOOD_FROM,
    Choice,
    Count,
    Prices,
    Quality,
    Rule,
    Sheet,
    SupportCut,
    ValueRow,
    choose,
    cuts_of,
    rows_of,
    sheet_of,
)
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.run import SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold

STEP: Final = 0.05
"""Between two values of a share that are shown."""
COUNTS: Final = (0, 1, 2, 3, 5, 10)
MOST_ROWS: Final = 8
"""So many values of a number are shown, beside today's and the chosen one."""
_NAMED: Final = 10
"""So many failing pairs of a value are named."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """How thresholds are chosen.

    Attributes:
        number: show this number, too (repeat; default: those with a threshold, or chosen)
        names: name the pairs that each value fails
        good_from: the overall score from which a labelled summary is good
        good: what a lost good summary costs
        bad: what a bad summary that passes costs
        choose: the set whose lines to print
        judge: choose a cut on the judge's support instead, for the judge's own table
        json_output: print one JSON object
    """

    number: tuple[str, ...] = ()
    names: bool = False
    good_from: float = GOOD_FROM
    good: float = DEFAULT_PRICES.good
    bad: float = DEFAULT_PRICES.bad
    choose: Rule = "none-lost"
    judge: bool = False
    json_output: Annotated[bool, Parameter(name="--json")] = False


def thresholds(run: RunFile, /, *, choosing: Choosing = Choosing()) -> list[str]:
    """What values of thresholds do on a recorded run, and which ones its labels choose."""
    if choosing.good <= 0 or choosing.bad <= 0:
        raise OptionError("--good and --bad are prices; write numbers above 0")
    record = decide(read_record(run, "RUN"))
    report = [
        _cuts(suite) if choosing.judge else _suite(suite, choosing) for suite in record.suites
    ]
    if choosing.json_output:
        return [json.dumps({"suites": [each.values for each in report]}, ensure_ascii=False)]
    lines = [line for each in report for line in (*each.lines, "")][:-1]
    return [f"judge {one_line(record.judge.signature)}", *lines]


@dataclass(frozen=True, slots=True)
class _Report:
    """One suite's report, as lines and as values for JSON."""

    lines: list[str]
    values: dict[str, Any]


def _suite(suite: SuiteRecord, choosing: Choosing) -> _Report:
    sheet = sheet_of(suite, choosing.good_from)
    if not sheet.pairs:
        raise OptionError(f"the run of {suite.shown} judged no pair; record a run with pairs")
    catalogue = sheet.pairs[0].numbers.catalogue
    for name in choosing.number:
        if name not in sheet.columns:
            raise OptionError(f"--number={name}: the run has none; {nearest(name, sheet.columns)}")
    counts = Counter(pair.quality for pair in sheet.pairs)
    n_labelled = len(sheet.pairs) - counts["unlabelled"]
    now = suite.policy.thresholds.pair
    choices: tuple[Choice, ...] = ()
    if counts["good"] and counts["bad"]:
        choices = choose(sheet, Prices(choosing.good, choosing.bad))
    chosen = next((each for each in choices if each.rule == choosing.choose), None)
    wanted = {each.name for each in (*now, *(chosen.thresholds if chosen else ()))}
    names = [name for name in sheet.columns if name in wanted or name in choosing.number]
    shown = {name: _rows(catalogue[name], sheet, now, chosen) for name in names}
    what = f"{len(sheet.pairs):,} pairs judged, {n_labelled:,} of them labelled"
    what += f" ({_qualities(counts)})" if n_labelled else ""
    lines = [one_line(f"{suite.shown}: {what}")]
    for name, rows in shown.items():
        lines += ["", *_table(catalogue[name], rows, now, choosing.names)]
    today = _effect(sheet, now)
    values = {
        "suite": suite.shown,
        "pairs": len(sheet.pairs),
        "labelled": n_labelled,
        **({quality: counts[quality] for quality in ("good", "bad")}),
        "numbers": {name: [_row_values(row) for row in rows] for name, rows in shown.items()},
        "today": {"stopped": asdict(today[0]), "lost": asdict(today[1])},
        "choices": [_choice_values(each) for each in choices],
    }
    if not choices:
        missing = "good" if not counts["good"] else "bad"
        lines += ["", *_advice(n_labelled, missing)]
    else:
        passing = _effect(sheet, ())
        lines += ["", *_choices({"an always-pass judge": passing, "today's": today}, choices)]
        lines += _legend(choosing)
    if chosen is not None:
        lines += ["", *_paste(chosen, catalogue)]
    return _Report(lines, values)


def _qualities(counts: Counter[Quality]) -> str:
    return f"{counts['good']:,} good, {counts['bad']:,} bad, {counts['between']:,} in between"


def _effect(sheet: Sheet, thresholds: Iterable[Threshold]) -> tuple[Count, Count]:
    """The bad summaries that thresholds stop, and the good ones that they lose."""
    hits = sheet.stopped_by(thresholds)
    return sheet.count(hits, "bad"), sheet.count(hits, "good")


def _rows(
    named: NumberSpec, sheet: Sheet, now: Iterable[Threshold], chosen: Choice | None
) -> list[ValueRow]:
    """The values of a number that are shown, the most lenient first; equal ones are merged."""
    marked = [*now, *(chosen.thresholds if chosen else ())]
    own = {each.least for each in marked if each.name == named.name}
    if ENDLESS in {named.low, named.high}:
        values = {float(count) for count in COUNTS}
    elif named.is_whole:
        values = {float(level) for level in range(int(named.low) + 1, int(named.high) + 1)}
    else:
        first = 0 if named.lower_is_better else 1
        values = {round(STEP * n, 2) for n in range(first, first + 20)}
    ordered = sorted(values | own, reverse=named.lower_is_better)
    rows: list[ValueRow] = []
    for row in rows_of(sheet, (sheet.threshold(named.name, value) for value in ordered)):
        is_new = bool(row.failed) if not rows else row.failed != rows[-1].failed
        if is_new or row.threshold.least in own:
            rows.append(row)
    spread = np.unique(np.linspace(0, len(rows) - 1, MOST_ROWS).astype(int)) if rows else ()
    kept = {*spread, *(n for n, row in enumerate(rows) if row.threshold.least in own)}
    return [rows[place] for place in sorted(kept)]


def _table(
    named: NumberSpec, rows: Sequence[ValueRow], now: Iterable[Threshold], has_names: bool
) -> Iterator[str]:
    today = {each.least for each in now if each.name == named.name}
    bound = "at most" if named.lower_is_better else "at least"
    has_labels = bool(rows) and rows[0].stopped.of + rows[0].lost.of > 0
    effect = f"  {'bad stopped':<24}good lost" if has_labels else ""
    yield f"{named.name} {'fails':>{max(0, 41 - len(named.name))}}{effect}"
    for row in rows:
        mark = ", today" if row.threshold.least in today else ""
        value = f"  {bound} {row.threshold.least:g}{mark}"
        fails = f"{len(row.failed):,} of {row.n_pairs:,}"
        effect = f"  {_text(row.stopped):<24}{_text(row.lost)}" if has_labels else ""
        yield f"{value:<26}{fails:>16}{effect}"
        if has_names and row.failed:
            more = f", and {len(row.failed) - _NAMED:,} more" if len(row.failed) > _NAMED else ""
            yield f"    {one_line(', '.join(row.failed[:_NAMED]) + more, 400)}"


def _text(count: Count) -> str:
    """A count with the interval of its share; empty where there is nothing to count."""
    if not count.of:
        return "-"
    if count.low is None or count.high is None:
        return f"{count.n:,} of {count.of:,}"
    return f"{count.n:,} of {count.of:,} [{count.low:.0%}, {count.high:.0%}]"


def _choices(
    effects: Mapping[str, tuple[Count, Count]], choices: Iterable[Choice]
) -> Iterator[str]:
    wide = f"{'bad stopped':<22}{'good lost':<20}"
    yield f"{'':<28}{'on all labels':<42}on papers left out"
    yield f"{'thresholds':<28}{wide}{wide}".rstrip()
    for name, (stopped, lost) in effects.items():
        yield f"{name:<28}{_text(stopped):<22}{_text(lost)}".rstrip()
    for each in choices:
        unseen = f"{_text(each.stopped_unseen):<22}{_text(each.lost_unseen)}"
        yield f"{each.rule:<28}{_text(each.stopped):<22}{_text(each.lost):<20}{unseen}".rstrip()


def _legend(choosing: Choosing) -> Iterator[str]:
    prices = f"a good one lost {choosing.good:g}, a bad one passed {choosing.bad:g}"
    yield "none-lost: loses no good summary"
    yield "nine-of-ten: stops nine of ten bad ones"
    yield f"cost: costs least ({prices})"
    yield "on papers left out: chosen without a paper, judged on it; expect these on new papers"


def _paste(chosen: Choice, catalogue: Mapping[str, NumberSpec]) -> Iterator[str]:
    """The lines of a suite."""
    if not chosen.thresholds:
        yield f"{chosen.rule}: no threshold is worth its price on these labels"
        return
    stopped, lost = _text(chosen.stopped_unseen), _text(chosen.lost_unseen)
    yield f"# chosen by labels ({chosen.rule}); on papers left out these stop"
    yield f"# {stopped} bad summaries and lose {lost} good ones"
    yield "[thresholds]"
    for each in sorted(chosen.thresholds, key=lambda t: list(catalogue).index(t.name)):
        note = "  # at most" if each.is_upper else ""
        key = f'"{each.name}"' if "." in each.name else each.name
        yield f"{key} = {each.least:g}{note}"


def _advice(n_labelled: int, missing: str) -> Iterator[str]:
    if n_labelled:
        yield f"No labelled pair of this run is {missing}, so labels choose nothing. Label such a"
        yield "summary, and gate its system, too: pytest SUITE --summ-model=A,B"
        return
    yield "No pair of this run is labelled, so labels choose nothing. `summeval label` asks for"
    yield "labels. Gate the labelled systems, too: pytest SUITE --summ-model=A,B"
    yield "--summ-run-record=RUN"


def _choice_values(choice: Choice) -> dict[str, Any]:
    return asdict(choice) | {"thresholds": {each.name: each.least for each in choice.thresholds}}


def _row_values(row: ValueRow) -> dict[str, Any]:
    effect = {"stopped": asdict(row.stopped), "lost": asdict(row.lost)}
    return {"value": row.threshold.least, "fails": list(row.failed), **effect}


def _cuts(suite: SuiteRecord) -> _Report:
    cuts = list(cuts_of(suite.golden))
    if not cuts:
        raise OptionError(
            f"{suite.shown}: no labelled answer of this judge has a support; name the record of a"
            " judge that gives one (a checker, votes, or offline), with its item 'judge'"
        )
    lines = [one_line(f"{suite.shown}: {len(suite.golden):,} labelled pairs")]
    lines.append("balanced accuracy of     now   chosen   on papers left out")
    lines += [_cut_line(cut) for cut in cuts]
    lines += ["now: the judge's own answers; on papers left out: expect this on new papers", ""]
    for cut in cuts:
        if cut.unseen > cut.now:
            lines.append(f"threshold = {cut.value:g}  # for the judge's table, by {cut.kind}s")
        else:
            lines.append(f"{cut.kind}s: no cut is better than the judge's own answers")
    return _Report(lines, {"suite": suite.shown, "cuts": list(map(asdict, cuts))})


def _cut_line(cut: SupportCut) -> str:
    items = f"{cut.n_right + cut.n_wrong:,} {cut.kind}s"
    return f"{items:<22}{cut.now:>6.3f}{cut.then:>9.3f}{cut.unseen:>12.3f}"
