"""The file of a run record: JSON lines.

    {"run": ...}                            the run without the lists of its suites
    {"suite": ..., "paper": ...}            a paper
    {"suite": ..., "pair": ..., "numbers"}  a pair; its numbers again, for whoever counts lines
    {"suite": ..., "golden": ...}           a labelled pair with the judge's answers
    {"end": {"sha256": ...}}                a hash of all lines before

A file without its last line is of a run that was cut. One that does not fit its hash was edited,
and is refused. Pairs and papers are read when they are asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.score import (
    CATALOGUE,
    SPARSE,
    EvaScore,
    FacetScore,
    OwnScore,
    Unscored,
    add_numbers,
)
from summeval_pytest.questions import SCALES
from summeval_pytest.record.json_text import as_json, from_json
from summeval_pytest.record.lines import LineFile, new_lines
from summeval_pytest.record.upgrade import upgraded
from summeval_pytest.run.golden import GoldenPair  # noqa: TC001 - run records read it
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.run import (
    SCHEMA,
    PairResult,
    Pairs,
    PaperRecord,
    RunRecord,
    SuiteRecord,
)
from summeval_pytest.verdict.waivers import day_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.verdict.run import Outline

PART: Final = ".part"
"""What is added to a record's name as long as the run goes on."""
_WRITTEN: Final = "name a file that --summ-run-record or --summ-save has written"
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLine:
    """One line: the run, its end, or one item of the suite that is shown as ``suite``."""

    run: RunRecord | None = field(default=None, metadata=SPARSE)
    suite: str = field(default="", metadata=SPARSE)
    pair: PairResult | None = field(default=None, metadata=SPARSE)
    numbers: Any = field(default=None, metadata=SPARSE)
    paper: PaperRecord | None = field(default=None, metadata=SPARSE)
    golden: GoldenPair | None = field(default=None, metadata=SPARSE)
    end: Any = field(default=None, metadata=SPARSE)


def pair_line(suite: str, pair: PairResult) -> str:
    """The line of a pair."""
    numbers = pair.numbers()
    shown = {**numbers.values, **numbers.absent, **{n.metric: n.status for n in numbers.unscored}}
    return as_json(RecordLine(suite=suite, pair=pair, numbers=shown))


def record_lines(record: RunRecord) -> Iterator[str]:
    """The text of a record's file, line by line, each with its line break."""
    digest = hashlib.sha256()
    for line in _lines(record):
        digest.update(line.encode() + b"\n")
        yield f"{line}\n"
    yield f"{as_json(RecordLine(end={'sha256': digest.hexdigest()}))}\n"


def _lines(record: RunRecord) -> Iterator[str]:
    yield heading(record)
    for suite in record.suites:
        for paper in suite.papers:
            yield as_json(RecordLine(suite=suite.shown, paper=paper))
        for pair in suite.pairs:
            yield pair_line(suite.shown, pair)
        for golden in suite.golden:
            yield as_json(RecordLine(suite=suite.shown, golden=golden))


def heading(record: RunRecord) -> str:
    """The first line: the run without the lists of its suites."""
    suites = tuple(replace(each, papers=(), pairs=(), golden=()) for each in record.suites)
    run = RunRecord(header=record.header, judge=record.judge, shard=record.shard, suites=suites)
    return as_json(RecordLine(run=run))


class Spool:
    """The pairs and papers of a run that goes on, in a file, so that a kill loses none.

    Args:
        begun: The run as it is known now, for the first line.
        file: The record that is to be written at the end; the spool stands beside it, and goes when
            it is closed. None for a file without a name.
    """

    def __init__(self, begun: RunRecord, file: Path | None) -> None:
        self._file = file and file.with_name(f"{file.name}{PART}")
        self._lines = new_lines(self._file)
        self._index = _Index(self._lines)
        self._lines.add(heading(begun))

    def add(self, suite: str, pair: PairResult, paper: PaperRecord | None) -> None:
        """Adds a pair and its paper; the pair replaces the one that was added before."""
        self._index.add_pair(self._lines.add(pair_line(suite, pair)), suite, pair.outline)
        if paper is not None:
            text = as_json(RecordLine(suite=suite, paper=paper))
            self._index.add_paper(self._lines.add(text), suite, paper.id, pair.system)

    def has_pair(self, suite: str, system: str, paper: str) -> bool:
        """Whether that pair was added."""
        return (system, paper) in self._index.pairs[suite]

    def filled(self, suite: SuiteRecord, papers: Sequence[str]) -> SuiteRecord:
        """A suite with its pairs, in the order of its systems, and papers, in the given order."""
        order = [(system.name, paper) for system in suite.systems for paper in system.papers]
        return replace(
            suite,
            pairs=self._index.pairs_of(suite.shown, order),
            papers=self._index.papers_of(suite.shown, papers),
        )

    def close(self) -> None:
        """Removes the file."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


class _Index:
    """Where the pairs and papers of a file stand."""

    def __init__(self, file: LineFile) -> None:
        self._file = file
        self.pairs: defaultdict[str, dict[tuple[str, str], tuple[int, Outline]]] = defaultdict(dict)
        self._papers: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)

    def add_pair(self, start: int, suite: str, outline: Outline) -> None:
        self.pairs[suite][outline.system, outline.paper] = start, outline

    def add_paper(self, start: int, suite: str, paper: str, by: str) -> None:
        """Notes a line of a paper, written with the pair of the system ``by``."""
        self._papers[suite, paper][by] = start

    def pairs_of(self, suite: str, order: Iterable[tuple[str, str]] | None = None) -> Pairs:
        """The pairs of a suite; ``order`` names system and paper, None for that of the file."""
        found = self.pairs[suite]
        wanted = [of for of in order if of in found] if order is not None else [*found]
        reads = [partial(self._pair, found[of][0]) for of in wanted]
        return Pairs(reads, [found[of][1] for of in wanted])

    def papers_of(self, suite: str, order: Iterable[str] | None = None) -> tuple[PaperRecord, ...]:
        """The papers of a suite; ``order`` names them, None for the order of the file."""
        names = [paper for of, paper in self._papers if of == suite] if order is None else order
        found = (self._papers.get((suite, paper)) for paper in names)
        return tuple(self._paper(tuple(starts.values())) for starts in found if starts)

    def _line(self, start: int) -> RecordLine:
        return from_json(RecordLine, self._file.at(start).decode())

    def _pair(self, start: int) -> PairResult:
        pair = self._line(start).pair
        assert pair is not None
        return pair

    def _paper(self, starts: Sequence[int]) -> PaperRecord:
        """A paper with the source sentences that any of its lines cites."""
        papers = [each for start in starts if (each := self._line(start).paper) is not None]
        cited = {index: text for paper in papers for index, text in paper.cited}
        return replace(papers[-1], cited=tuple(sorted(cited.items())))


def read_record(file: Path, option: str) -> RunRecord:
    """The run record that a file holds; ``option`` named the file, for messages.

    Raises:
        OptionError: for a file that is not there or holds no run record, for one that was edited,
            and for one of a version that is newer than this.
    """
    try:
        lines = _opened(file)
        return _read(lines)
    except OSError as error:
        wrong = f"{file} cannot be read as a run record, {error.strerror or 'it is no file'}"
    except UnicodeDecodeError:
        wrong = f"{file} cannot be read as a run record, it is not UTF-8"
    except ValueError as error:
        wrong = f"{file} is no run record: {one_line(str(error))}"
    raise OptionError(f"{option}: {wrong}; {_WRITTEN}")


def _opened(file: Path) -> LineFile:
    """The lines of a record, those of an earlier version brought to this one.

    Raises:
        ValueError: for what is no record, and for one of a later version.
    """
    lines = LineFile(file.open("rb"))
    if lines.at(0).removeprefix(_BOM).startswith(b'{"run":'):
        return lines
    text = b"".join(line for _, line in lines.all()).decode("utf-8-sig")
    again = new_lines(None)
    for line in upgraded(text):
        again.add(json.dumps(line))
    return again


def _read(lines: LineFile) -> RunRecord:
    """The run of a file.

    Raises:
        ValueError: for a line that does not belong there, with its number.
    """
    index, digest = _Index(lines), hashlib.sha256()
    golden: defaultdict[str, list[GoldenPair]] = defaultdict(list)
    record: RunRecord | None = None
    is_closed = False
    for number, (start, raw) in enumerate(lines.all(), start=1):
        try:
            if is_closed:
                raise ValueError("it stands behind the end")
            _check_schema(raw) if record is None else None
            line = from_json(RecordLine, raw.removeprefix(_BOM).decode())
            if record is None:
                record = _begun(line)
            elif line.end is not None:
                _check_end(line.end, digest.hexdigest())
                is_closed = True
            else:
                _add(index, golden, line, start, record)
        except ValueError as error:
            if record is not None and not raw.endswith(b"\n"):
                break  # the run was cut while it wrote this line
            raise ValueError(f"line {number}: {error}") from None
        digest.update(raw.rstrip(b"\r\n") + b"\n")
    if record is None:
        raise ValueError("it is empty")

    def filled(suite: SuiteRecord) -> SuiteRecord:
        of_systems = [(system.name, paper) for system in suite.systems for paper in system.papers]
        return replace(
            suite,
            papers=index.papers_of(suite.shown),
            pairs=index.pairs_of(suite.shown, None if is_closed else of_systems),
            golden=tuple(golden[suite.shown]),
            is_cut=not is_closed,
        )

    return replace(record, suites=tuple(map(filled, record.suites)))


def _check_schema(raw: bytes) -> None:
    try:
        schema = json.loads(raw)["run"]["schema"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    if schema != SCHEMA:
        raise ValueError(f"it has schema {one_line(str(schema), 20)}, this version reads {SCHEMA}")


def _begun(line: RecordLine) -> RunRecord:
    if line.run is None:
        raise ValueError("it does not begin a run")
    for suite in line.run.suites:
        add_numbers(suite.own_numbers)
        thresholds = suite.policy.thresholds
        named = (*thresholds.pair, *thresholds.mean, *thresholds.corrected)
        _check_names(each.name for each in named)
        _check_names(waiver.finding for waiver in suite.policy.waivers.waivers)
        for comparison in suite.comparisons.values():
            _check_names(each.name for each in comparison.differences)
    return replace(line.run, suites=tuple(map(_on_its_day, line.run.suites)))


def _on_its_day(suite: SuiteRecord) -> SuiteRecord:
    """The suite with the day of its run, as far as its waivers know it."""
    waivers = replace(suite.policy.waivers, today=day_of(suite.waivers))
    return replace(suite, policy=replace(suite.policy, waivers=waivers))


def _check_end(end: Any, digest: str) -> None:
    if not isinstance(end, dict) or end.get("sha256") != digest:
        raise ValueError("the record was edited after it was written; judge again")


def _add(
    index: _Index,
    golden: Mapping[str, list[GoldenPair]],
    line: RecordLine,
    start: int,
    record: RunRecord,
) -> None:
    suites = {suite.shown: suite for suite in record.suites}
    if line.suite not in suites:
        raise ValueError(f"the run has no suite {line.suite!r}")
    if line.pair is not None:
        pair, systems = line.pair, [system.name for system in suites[line.suite].systems]
        _check_pair(pair)
        if pair.system not in systems:
            raise ValueError(f"the run has no system {pair.system!r}")
        if (pair.system, pair.paper) in index.pairs[line.suite]:
            raise ValueError(f"{pair.system!r} on {pair.paper!r} is there twice")
        index.add_pair(start, line.suite, pair.outline)
    elif line.paper is not None:
        index.add_paper(start, line.suite, line.paper.id, str(start))
    elif line.golden is not None:
        golden[line.suite].append(line.golden)
    else:
        raise ValueError("it holds nothing")


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if name not in CATALOGUE:
            raise ValueError(f"unknown number {name!r}")


def _check_pair(pair: PairResult) -> None:
    """Refuse a rating off its scale, and a number off its range or without a name.

    Raises:
        ValueError: for the first.
    """
    for score in pair.scores:
        _check_names([score.metric])
        if not isinstance(score, Unscored):
            _check_score(score)


def _check_score(score: Score) -> None:
    if isinstance(score, OwnScore) and score.metric not in score.numbers:
        raise ValueError(f"metric {score.metric!r} has no number of its own")
    if isinstance(score, FacetScore | EvaScore):
        for each in score.by_reference:
            _check_score(each)
    if isinstance(score, FacetScore):
        for rated in score.ratings:
            if not 1 <= rated.rating <= SCALES[rated.facet]:
                raise ValueError(f"{rated.facet} is rated {rated.rating}, off its scale")
    values = score.values()
    _check_names(values)
    for name, value in values.items():
        named = CATALOGUE[name]
        if value is not None and not named.low <= value <= named.high:
            raise ValueError(f"{name} is {value:g}, and ranges {named.range}")
