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
import os
import tempfile
import weakref
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, Final, TypeVar, cast

from pydantic import ConfigDict, RootModel, ValidationError

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.number import SPARSE, CustomNumbers
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.text.printing import HALF, one_line
from summeval_pytest.verdict.run import (
    SCHEMA,
    PairResult,
    PairRow,
    Pairs,
    PaperRecord,
    RunRecord,
    SuiteRecord,
)
from summeval_pytest.verdict.thresholds import day_of

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
    named = {**numbers.values, **numbers.absent, **{n.metric: n.status for n in numbers.unscored}}
    return as_json(RecordLine(suite=suite, pair=pair, numbers=named))


def record_lines(record: RunRecord, _: object = None) -> Iterator[str]:
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
    run = RunRecord(
        header=record.header,
        judge=record.judge,
        shard=record.shard,
        partial=record.partial,
        suites=suites,
    )
    return as_json(RecordLine(run=run))


class RecordFile:
    """The lines of a record, and where its pairs and papers stand; it is open as long as it lives.

    Args:
        handle: The file, open for reading, and for writing where lines are added. What cannot be
            read twice, as a pipe, is copied.
        part: Its name, if it goes when it is closed.
    """

    def __init__(self, handle: IO[bytes], part: Path | None = None) -> None:
        if not handle.seekable():
            with handle:
                copied = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as its lines
                copied.write(handle.read())
            copied.seek(0)
            handle = copied
        self._handle = handle
        self._part = part
        weakref.finalize(self, handle.close)
        self.suites: dict[str, SuiteRecord] = {}
        self.pairs: defaultdict[str, dict[tuple[str, str], PairRow]] = defaultdict(dict)
        self.papers: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.golden: defaultdict[str, dict[tuple[str, str], GoldenPair]] = defaultdict(dict)
        self.is_closed = False

    @classmethod
    def begin(cls, run: RunRecord, file: Path | None) -> RecordFile:
        """The file of a run that goes on, so that a killed run loses no pair and no paper.

        Its first line has the run as it is known now. It stands beside the record ``file`` that is
        to be written at the end; None for a file without a name.
        """
        part = file and file.with_name(f"{file.name}{PART}")
        begun = cls(_new_file(part), part)
        begun.suites = {suite.shown: suite for suite in run.suites}
        begun.append(heading(run))
        return begun

    def all(self) -> Iterator[tuple[int, bytes]]:
        """Every line, with its offset."""
        start = 0
        while line := self.at(start):
            yield start, line
            start += len(line)

    def at(self, start: int) -> bytes:
        """The line at an offset; empty at the end of the file."""
        self._handle.seek(start)
        return self._handle.readline()

    def append(self, text: str) -> int:
        """Adds and flushes a line, and returns its offset."""
        start = self._handle.seek(0, os.SEEK_END)
        self._handle.write(text.encode() + b"\n")
        self._handle.flush()
        return start

    def add(self, suite: str, pair: PairResult, paper: PaperRecord | None) -> PairRow:
        """Adds a pair and its paper; the pair replaces the one that was added before."""
        row = self.add_pair(self.append(pair_line(suite, pair)), suite, pair)
        if paper is not None and paper.id not in self.papers[suite]:
            text = as_json(RecordLine(suite=suite, paper=paper))
            self.papers[suite][paper.id] = self.append(text)
        return row

    def has_pair(self, suite: str, system: str, paper: str) -> bool:
        """Whether that pair was added."""
        return (system, paper) in self.pairs[suite]

    def add_pair(self, start: int, suite: str, pair: PairResult) -> PairRow:
        """Notes where a pair stands; it replaces the one that was noted before."""
        custom = self.suites[suite].own_numbers
        row = with_custom(pair, custom).row(partial(self._pair, start, custom))
        self.pairs[suite][pair.system, pair.paper] = row
        return row

    def _pair(self, start: int, custom: CustomNumbers) -> PairResult:
        pair = from_json(RecordLine, self.at(start).decode()).pair
        assert pair is not None
        return with_custom(pair, custom)

    def filled(
        self, suite: SuiteRecord, papers: Iterable[str], *, in_order: bool = True
    ) -> SuiteRecord:
        """A suite with its pairs in its order, else in that of the file, and the named papers."""
        pairs, starts = self.pairs[suite.shown], self.papers[suite.shown]
        order: Iterable[tuple[str, str]] = pairs
        if in_order:
            order = suite.expected
        found = [self.at(starts[name]).decode() for name in papers if name in starts]
        read = (from_json(RecordLine, text).paper for text in found)
        return replace(
            suite,
            pairs=Pairs([pairs[of] for of in order if of in pairs]),
            papers=tuple(paper for paper in read if paper is not None),
        )

    def close(self) -> None:
        """Removes the file of a run that goes on."""
        if self._part is not None:
            with suppress(OSError):  # a folder that cannot be written never had it
                self._part.unlink()


def _new_file(file: Path | None) -> IO[bytes]:
    """An empty file; it has no name for None, or where none can be made.

    What was there under the name is gone, and never written into: it may be a link.
    """
    if file is not None:
        try:
            file.unlink(missing_ok=True)
            return file.open("x+b")
        except OSError:
            pass  # whoever writes the report itself says why
    return tempfile.TemporaryFile()


def read_record(file: Path, option: str) -> RunRecord:
    """The run record that a file holds; ``option`` named the file, for messages.

    Raises:
        OptionError: for a file that is not there or holds no run record, for one that was edited,
            and for one of another version.
    """
    try:
        return _read(RecordFile(file.open("rb")))
    except OSError as error:
        wrong = f"{file} cannot be read as a run record, {error.strerror or 'it is no file'}"
    except ValueError as error:
        wrong = f"{file} is no run record: {one_line(str(error))}"
    raise OptionError(f"{option}: {wrong}; {_WRITTEN}")


def _read(lines: RecordFile) -> RunRecord:
    """The run of a file.

    Raises:
        ValueError: for a line that does not belong there, with its number.
    """
    run, digest = None, hashlib.sha256()
    for number, (start, raw) in enumerate(lines.all(), start=1):
        try:
            if run is None:
                run = _begun(raw.removeprefix(_BOM))
                lines.suites = {suite.shown: suite for suite in run.suites}
            else:
                _add(lines, start, raw, digest.hexdigest())
        except ValueError as error:
            if run is not None and not lines.is_closed and not raw.endswith(b"\n"):
                break  # the run was cut while it wrote this line
            raise ValueError(f"line {number}: {error}") from None
        digest.update(raw.removeprefix(_BOM).rstrip(b"\r\n") + b"\n")
    if run is None:
        raise ValueError("it is empty")
    suites = tuple(
        replace(
            lines.filled(each, lines.papers[each.shown], in_order=not lines.is_closed),
            golden=tuple(lines.golden[each.shown].values()),
            is_cut=each.is_cut or not lines.is_closed,
        )
        for each in run.suites
    )
    lines.pairs.clear()  # a pair reads the file, and the file does not hold the pair
    return replace(run, suites=suites)


def _begun(raw: bytes) -> RunRecord:
    """The run that a file's first line begins, without its lists."""
    try:
        first = json.loads(raw)
        schema = first.get("run", first)["schema"]  # version 1 had a run without a key
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        schema = SCHEMA
    if schema != SCHEMA:
        raise ValueError(f"it has schema {one_line(str(schema), 20)}, this version reads {SCHEMA}")
    run = from_json(RecordLine, raw.decode()).run
    if run is None:
        raise ValueError("it does not begin a run")
    return replace(run, suites=tuple(map(_completed, run.suites)))


def _add(lines: RecordFile, start: int, raw: bytes, digest: str) -> None:
    """Notes what a line holds: the end, or an item of the run that is there once."""
    if lines.is_closed:
        raise ValueError("it stands behind the end")
    line = from_json(RecordLine, raw.decode())
    if line.end is not None:
        if line.end != {"sha256": digest}:
            raise ValueError("the record was edited after it was written; judge again")
        lines.is_closed = True
    elif line.suite not in lines.suites:
        raise ValueError(f"the run has no suite {line.suite!r}")
    elif line.pair is not None:
        lines.add_pair(start, line.suite, line.pair)
    elif line.paper is not None:
        lines.papers[line.suite][line.paper.id] = start
    elif line.golden is not None:
        lines.golden[line.suite][line.golden.system, line.golden.paper] = line.golden
    else:
        raise ValueError("it holds nothing")


def _completed(suite: SuiteRecord) -> SuiteRecord:
    """The suite with what its record leaves out: the day of its run, and who knows its numbers."""
    waivers = replace(suite.policy.waivers, today=day_of(suite.waivers))
    suite = replace(suite, policy=replace(suite.policy, waivers=waivers))
    return with_custom(suite, suite.own_numbers)


T = TypeVar("T")


def _plain(value: object) -> object:
    """A value that `json` cannot write, as one that it can; metadata says which fields it has."""
    if is_dataclass(value) and not isinstance(value, type):
        contents = [(f, getattr(value, f.name), f.metadata.get("recorded")) for f in fields(value)]
        return {
            field.name: content
            for field, content, when in contents
            if when is None or (when == "where set" and bool(content != field.default))
        }
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return [*value]
    raise TypeError(f"{value!r} has no place in a run record")


def as_json(value: object) -> str:
    """A record, or a part of one, as JSON text.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    text = json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return HALF.sub("\ufffd", text)


@cache
def _reader(kind: Any) -> type[RootModel[Any]]:
    """The strict reader for one type; it refuses infinite numbers and NaN."""

    class Reader(RootModel[kind]):
        model_config = ConfigDict(strict=True, allow_inf_nan=False)

    return Reader


def from_json(kind: type[T], text: str) -> T:
    """Reads what `as_json` has written; every value must have the type of its field.

    Raises:
        ValueError: for anything else, with the place of the first fault in it.
    """
    try:
        value: T = _reader(cast("Hashable", kind)).model_validate_json(text, extra="forbid").root
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None
    return value


def with_custom(value: T, custom: CustomNumbers) -> T:
    """A part of a record that was read, in which every value knows the custom metrics' numbers."""
    if not custom:
        return value
    if isinstance(value, tuple):
        return cast("T", tuple(with_custom(each, custom) for each in value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    names = [field.name for field in fields(value)]
    parts = {name: with_custom(getattr(value, name), custom) for name in names if name != "custom"}
    return replace(value, **parts, **({"custom": custom} if "custom" in names else {}))


def _first_fault(error: ValidationError) -> str:
    """The first fault that is not only that of another kind of score."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    others = [f["loc"][:-1] for f in faults if f["loc"][-1:] == ("metric",)]
    own = (f for f in faults if not any(f["loc"][: len(o)] == o for o in others))
    first = next(own, faults[0])
    place = ".".join(map(str, first["loc"])) or "the whole"
    is_unknown = first["type"] == "unexpected_keyword_argument"
    return f"{place}: {'unknown key' if is_unknown else first['msg']}"
