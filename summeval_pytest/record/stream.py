"""The files of a run record: one JSON value, or a stream of lines that is written while it runs.

A stream (``.jsonl``) has a heading, the run as it began; a line a pair, paper, system, waiver
and golden pair; and a closing line, the run as it ended. Without that the run was cut.
Pairs are read from the file when they are asked for, so that a run of any size can be read.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.score import CATALOGUE, SPARSE, OwnScore, add_numbers
from summeval_pytest.record.record import (
    PairRecord,
    PaperRecord,
    RunRecord,
    StoredPairs,
    SuiteRecord,
    SystemRecord,
    as_json,
    from_json,
    recorded,
)
from summeval_pytest.record.stored import LineFile, Stored, new_lines
from summeval_pytest.run.golden import GoldenPair  # noqa: TC001 - run records read it
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import WaiverUse, named_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from summeval_pytest.record.record import Judged, Outline

SCHEMA: Final = 1
STREAM: Final = ".jsonl"
"""How the name of a record ends that is a stream."""
PART: Final = ".part"
"""What is added to its name as long as the run goes on."""
_WRITTEN: Final = "name a file that --summ-run-record or --summ-save has written"
_NEXT: Final = ",\n"
_BOM: Final = b"\xef\xbb\xbf"
_HEADING: Final = b'{"begun":'
_LISTS: Final = {
    "pair": "pairs",
    "paper": "papers",
    "system": "systems",
    "waiver": "waivers",
    "golden": "golden",
}
"""The keys of lines that hold an item of a suite, and the lists of the suite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamLine:
    """One line: the heading, the end, or one item of the suite that is shown as ``suite``."""

    begun: RunRecord | None = field(default=None, metadata=SPARSE)
    ended: RunRecord | None = field(default=None, metadata=SPARSE)
    suite: str = field(default="", metadata=SPARSE)
    pair: PairRecord | None = field(default=None, metadata=SPARSE)
    paper: PaperRecord | None = field(default=None, metadata=SPARSE)
    system: SystemRecord | None = field(default=None, metadata=SPARSE)
    waiver: WaiverUse | None = field(default=None, metadata=SPARSE)
    golden: GoldenPair | None = field(default=None, metadata=SPARSE)


def record_pieces(record: RunRecord, name: str) -> Iterator[str]:
    """The text of a run record's file, as its name has it, piece by piece."""
    return _lines(record) if name.endswith(STREAM) else _one_value(record)


def _one_value(record: RunRecord) -> Iterator[str]:
    """One JSON value, keys sorted: a difference between two files names the pairs that differ."""
    yield f'{{"header": {as_json(record.header)},\n"judge": {as_json(record.judge)},\n'
    shard = f'"shard": {as_json(record.shard)},\n' if record.shard is not None else ""
    yield f'"schema": {SCHEMA},\n{shard}"suites": ['
    for n, suite in enumerate(record.suites):
        yield ",\n{" if n else "\n{"
        yield from _suite_pieces(suite)
        yield "}"
    yield "\n]}\n"


def _suite_pieces(suite: SuiteRecord) -> Iterator[str]:
    """A suite whose lists have a line for each item."""
    for n, name in enumerate(sorted(recorded(suite))):
        value = getattr(suite, name)
        yield f'{_NEXT if n else ""}"{name}": '
        if name in _LISTS.values() and value:
            yield from (
                (_NEXT if place else "[\n") + as_json(item) for place, item in enumerate(value)
            )
            yield "\n]"
        else:
            yield as_json(value)


def _without_lists(suite: SuiteRecord) -> SuiteRecord:
    emptied: dict[str, Any] = dict.fromkeys(_LISTS.values(), ())
    return replace(suite, **emptied)


def _lines(record: RunRecord) -> Iterator[str]:
    yield f"{_heading(record)}\n"
    for suite in record.suites:
        for key, name in _LISTS.items():
            held = getattr(suite, name)
            if isinstance(held, PairsOfLines):
                yield from held.lines()
                continue
            for item in held:
                value: dict[str, Any] = {key: item}
                yield f"{as_json(StreamLine(suite=suite.shown, **value))}\n"
    suites = tuple(map(_without_lists, record.suites))
    yield f"{as_json(StreamLine(ended=replace(record, suites=suites)))}\n"


def _heading(record: RunRecord) -> str:
    """The line that says what a run is of, as it is known before anything is judged."""

    def bare(suite: SuiteRecord) -> SuiteRecord:
        systems = (
            SystemRecord(name=s.name, place=s.place, papers=s.papers, baseline=s.baseline)
            for s in suite.systems
        )
        emptied = replace(_without_lists(suite), systems=tuple(systems), is_cut=False)
        return replace(emptied, trust=None)

    header = replace(record.header, usage={}, cassettes=(), models=())
    begun = replace(record, header=header, suites=tuple(map(bare, record.suites)))
    return as_json(StreamLine(begun=begun))


class PairsOfLines(StoredPairs):
    """Pairs as they stand in a stream: whoever writes another one copies their lines."""

    def __init__(self, file: LineFile, places: Sequence[_Place]) -> None:
        self._file = file
        self._starts = [place.start for place in places]
        reads = [partial(_pair_at, file, place.start) for place in places]
        super().__init__(reads, [place.outline for place in places])

    def lines(self) -> Iterator[str]:
        """Their lines, each with its line break."""
        return (self._file.at(start).decode() for start in self._starts)


class _Place(NamedTuple):
    start: int
    outline: Outline


def _line_at(file: LineFile, start: int) -> StreamLine:
    return from_json(StreamLine, file.at(start).decode())


def _pair_at(file: LineFile, start: int) -> PairRecord:
    pair = _line_at(file, start).pair
    assert pair is not None
    return pair


class _StreamIndex:
    """Where the pairs and papers of a stream stand; of two lines of one pair the later counts."""

    def __init__(self, file: LineFile) -> None:
        self.file = file
        self._pairs: dict[str, dict[tuple[str, str], _Place]] = {}
        self._papers: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)

    def add_pair(self, start: int, suite: str, pair: PairRecord) -> None:
        outline = pair.outline
        held = self._pairs.setdefault(suite, {})
        held[outline.system, outline.paper] = _Place(start, outline)

    def add_paper(self, start: int, suite: str, paper: str, by: str) -> None:
        """Notes a line of a paper, written with the pair of the system ``by``."""
        self._papers[suite, paper][by] = start

    def has_pair(self, suite: str, system: str, paper: str) -> bool:
        return (system, paper) in self._pairs.get(suite, {})

    def pairs(self, suite: str, order: Iterable[tuple[str, str]] | None = None) -> PairsOfLines:
        """The pairs of a suite; ``order`` names system and paper, None for that of the file."""
        held = self._pairs.get(suite, {})
        wanted = held if order is None else [of for of in order if of in held]
        return PairsOfLines(self.file, [held[of] for of in wanted])

    def papers(self, suite: str, order: Iterable[str] | None = None) -> Stored[PaperRecord]:
        """The papers of a suite; ``order`` names them, None for the order of the file."""
        names = [paper for of, paper in self._papers if of == suite] if order is None else order
        found = (self._papers.get((suite, paper)) for paper in names)
        return Stored([partial(self._paper, tuple(starts.values())) for starts in found if starts])

    def _paper(self, starts: Sequence[int]) -> PaperRecord:
        """A paper with the source sentences that any of its lines cites."""
        told = (_line_at(self.file, start).paper for start in starts)
        papers = [paper for paper in told if paper is not None]
        cited = {index: text for paper in papers for index, text in paper.cited}
        return replace(papers[-1], cited=tuple(sorted(cited.items())))


class Spool:
    """The pairs of a run that goes on, in a file: as they come, so that a kill loses none.

    Args:
        begun: The run as it is known now, for the heading.
        file: The stream that is to be written at the end; the spool stands beside it, and goes when
            it is closed. None for a file without a name.
    """

    def __init__(self, begun: RunRecord, file: Path | None) -> None:
        self._file = file and file.with_name(f"{file.name}{PART}")
        self._index = _StreamIndex(new_lines(self._file))
        self._index.file.add(_heading(begun))

    def add(self, part: Judged) -> None:
        """Adds a pair and its paper; the pair replaces the one that was added before."""
        suite, pair, paper = part.suite, part.pair, part.paper
        start = self._add(StreamLine(suite=suite, pair=pair))
        self._index.add_pair(start, suite, pair)
        if paper is not None:
            start = self._add(StreamLine(suite=suite, paper=paper))
            self._index.add_paper(start, suite, paper.id, pair.system)

    def add_line(self, text: str) -> StreamLine:
        """Adds a line of a pair or a paper as it is, and returns what it says."""
        line = from_json(StreamLine, text)
        start = self._index.file.add(text)
        if line.pair is not None:
            self._index.add_pair(start, line.suite, line.pair)
        if line.paper is not None:
            self._index.add_paper(start, line.suite, line.paper.id, str(start))
        return line

    def _add(self, line: StreamLine) -> int:
        return self._index.file.add(as_json(line))

    def has_pair(self, suite: str, system: str, paper: str) -> bool:
        """Whether that pair was added."""
        return self._index.has_pair(suite, system, paper)

    def filled(self, suite: SuiteRecord, papers: Sequence[str]) -> SuiteRecord:
        """A suite with its pairs, in the order of its systems, and papers, in the given order."""
        pairs = self._index.pairs(suite.shown, _order(suite))
        return replace(suite, pairs=pairs, papers=self._index.papers(suite.shown, papers))

    def close(self) -> None:
        """Removes the file."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def _order(suite: SuiteRecord) -> list[tuple[str, str]]:
    return [(system.name, paper) for system in suite.systems for paper in system.papers]


def read_record(file: Path, option: str) -> RunRecord:
    """The run record that a file holds; ``option`` named the file, for messages.

    Raises:
        OptionError: for a file that is not there or holds no run record, and for one of another
            schema version.
    """
    try:
        lines = LineFile(file.open("rb"))
        is_stream = lines.at(0).removeprefix(_BOM).startswith(_HEADING)
        text = "" if is_stream else b"".join(line for _, line in lines.all()).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        wrong = f"{file} cannot be read as a run record, {fault}"
        raise OptionError(f"{option}: {wrong}; {_WRITTEN}") from None
    try:
        record = _streamed(lines) if is_stream else from_json(RunRecord, text)
        for suite in record.suites:
            _check_names(suite, () if is_stream else suite.pairs)
    except ValueError as error:
        _check_schema(text or lines.at(0).decode(errors="replace"), file, option)
        wrong = f"{file} is no run record: {one_line(str(error))}"
        raise OptionError(f"{option}: {wrong}; {_WRITTEN}") from None
    return record


def _streamed(file: LineFile) -> RunRecord:
    """The run of a stream; a cut one is filled as far as its lines go.

    Raises:
        ValueError: for a line that does not belong there, with its number.
    """
    found = _Streamed(file)
    for number, (start, raw) in enumerate(file.all(), start=1):
        try:
            found.add(start, from_json(StreamLine, raw.removeprefix(_BOM).decode()))
        except ValueError as error:
            if found.is_open and not raw.endswith(b"\n"):
                break  # the run was cut while it wrote this line
            raise ValueError(f"line {number}: {error}") from None
    return found.record()


class _Streamed:
    """What the lines of a stream have told so far."""

    def __init__(self, file: LineFile) -> None:
        self._index = _StreamIndex(file)
        self._begun: RunRecord | None = None
        self._ended: RunRecord | None = None
        self._lists: dict[str, defaultdict[str, list[Any]]] = {}

    @property
    def is_open(self) -> bool:
        """Whether the run has begun and not ended."""
        return self._begun is not None and self._ended is None

    def add(self, start: int, line: StreamLine) -> None:
        """Adds a line: of a pair or a paper only where it is.

        Raises:
            ValueError: for a line that does not belong there.
        """
        if self._ended is not None or (self._begun is None) != (line.begun is not None):
            raise ValueError("it is of another run")
        if line.begun is not None:
            for suite in line.begun.suites:
                add_numbers(suite.own_numbers)
            self._begun = line.begun
            self._lists = {suite.shown: defaultdict(list) for suite in line.begun.suites}
        elif line.ended is not None:
            self._ended = line.ended
            if [suite.shown for suite in line.ended.suites] != list(self._lists):
                raise ValueError("other suites have ended than begun")
        else:
            self._add_item(start, line)

    def _add_item(self, start: int, line: StreamLine) -> None:
        if line.suite not in self._lists:
            raise ValueError(f"no suite {line.suite!r} has begun")
        if line.pair is not None:
            _check_shortfalls(line.pair)
            self._index.add_pair(start, line.suite, line.pair)
        elif line.paper is not None:
            self._index.add_paper(start, line.suite, line.paper.id, str(start))
        else:
            for key, name in _LISTS.items():
                if (item := getattr(line, key)) is not None:
                    self._lists[line.suite][name].append(item)

    def record(self) -> RunRecord:
        """The run as far as it was told."""
        record = self._ended or self._begun
        assert record is not None  # its first line begins as a heading
        return replace(record, suites=tuple(map(self._filled, record.suites)))

    def _filled(self, suite: SuiteRecord) -> SuiteRecord:
        held: dict[str, Any] = {n: tuple(found) for n, found in self._lists[suite.shown].items()}
        full = replace(suite, papers=self._index.papers(suite.shown), **held)
        if self._ended is not None:
            return replace(full, pairs=self._index.pairs(suite.shown))
        return replace(full, pairs=self._index.pairs(suite.shown, _order(full)), is_cut=True)


def _check_names(suite: SuiteRecord, pairs: Iterable[PairRecord]) -> None:
    """Refuse a record that names a number which this version does not have.

    Raises:
        ValueError: for the first such name.
    """
    add_numbers(suite.own_numbers)
    held = suite.thresholds
    compared = [comparison.differences for comparison in suite.comparisons.values()]
    _check_numbers(
        (
            *(each.name for each in (*held.pair, *held.mean, *held.corrected)),
            *(use.waiver.finding for use in suite.waivers),
            *(mean.name for system in suite.systems for mean in system.means),
            *(difference.name for differences in compared for difference in differences),
        )
    )
    for pair in pairs:
        _check_shortfalls(pair)
    for found in suite.trust.agreements if suite.trust is not None else ():
        try:
            named_agreement(found.name)
        except KeyError:
            raise ValueError(f"unknown agreement {found.name!r}") from None


def _check_shortfalls(pair: PairRecord) -> None:
    _check_numbers(short.name for short in (*pair.verdict.shortfalls, *pair.verdict.waived))
    _check_numbers(score.metric for score in pair.scores)
    for score in pair.scores:
        if isinstance(score, OwnScore):
            _check_numbers(score.numbers)
            if score.metric not in score.numbers:
                raise ValueError(f"metric {score.metric!r} has no number of its own")


def _check_numbers(names: Iterable[str]) -> None:
    for name in names:
        if name not in CATALOGUE:
            raise ValueError(f"unknown number {name!r}")


def _check_schema(text: str, file: Path, option: str) -> None:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    found = found.get("begun", found) if isinstance(found, dict) else None
    schema = found.get("schema") if isinstance(found, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise OptionError(
            f"{option}: {file} has schema {one_line(str(schema), 20)}, this version reads {SCHEMA};"
            " make the record again, or use the version that wrote it"
        )
