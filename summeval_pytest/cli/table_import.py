"""Makes a suite from rows: one table with papers and summaries, or a table for each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.suite.entries import FileEntry, Names, Text
from summeval_pytest.suite.lines import RESERVED_SYSTEMS, TextFile, brief, check_name, read_json
from summeval_pytest.suite.places import check_new, file_name, suite_files, write_suite
from summeval_pytest.suite.rows import DataTable, read_table, read_text, usual_column
from summeval_pytest.suite.suite import read_paper
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.policy import LEVEL

_TEXTS: Final = ("title", "source", "reference")
_PAPER: Final = ("paper", "id", *_TEXTS)
COLUMNS: Final = (*_PAPER, "system", "summary")
_NEEDED: Final = ("source", "reference", "summary")
_REMEDY: Final = ("--columns ", "{}={}", ",")
USUAL_SYSTEM: Final = "candidate"
"""The system of rows that name none."""
_NOTHING: Final = "-"
"""The summary of a system that returned nothing."""
_FAILS: Final = f"written as {_NOTHING!r}, which fails"
_SKIP: Final = "; --skip-missing lists these papers under 'skip'"
_THRESHOLDS: Final = ("# The thresholds of every summary", "# Labels by people test the judge")
"""Where the thresholds begin in the suite that `init` writes, and what comes after them."""
_DEVIATION: Final = 0.2
"""How much the changes of a number are taken to vary from paper to paper."""
_WIDEST: Final = 0.3
"""The widest margin that `init` writes."""
_SHARD: Final = re.compile(r"-\d+(?:-of-\d+)?$")


@Parameter(name="*", group="Rows of a table")
@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """The options for rows."""

    summaries: Annotated[
        Path | None, Parameter(help="the table of the summaries, if the papers' table has none")
    ] = None

    columns: Annotated[
        tuple[str, ...],
        Parameter(
            help=f"OURS=YOURS: your table's column for {', '.join(COLUMNS)} (repeat, or commas)"
        ),
    ] = ()
    system: Annotated[str | None, Parameter(help="the system of all rows")] = None
    skip_missing: Annotated[
        bool,
        Parameter(
            help="list papers without a summary under 'skip'; otherwise a missing summary fails"
        ),
    ] = False


NO_ROW_OPTIONS: Final = RowOptions()


def import_rows(
    file: Path, out: Path, chosen: RowOptions, *, is_dataset: bool, split: str | None = None
) -> list[str]:
    """Makes the suite and says what it holds."""
    check_new(out)
    draft = read_draft(file, chosen, is_dataset=is_dataset, split=split)
    write_suite(out, draft.files(file.name))
    return [f"{out}: {draft.counted}", *draft.notes(), f"next: pytest {out}"]


def read_draft(
    file: Path, chosen: RowOptions, *, is_dataset: bool = False, split: str | None = None
) -> NewSuite:
    """The suite that rows make.

    Papers without an id are numbered. A summary that is empty is written as ``-``, and so is one
    that is missing, unless the papers without one are to be skipped. A UsageError names the place
    of a mistake in the rows.
    """
    names = read_names(chosen.columns)
    draft = NewSuite(
        name=file_name(file.stem), names=names, system=chosen.system, skips=chosen.skip_missing
    )
    if is_dataset and chosen.summaries is not None:
        raise OptionError("--summaries goes with a table; leave it out")
    if chosen.summaries is not None:
        tables = [read_table(TextFile(each, each.as_posix())) for each in (file, chosen.summaries)]
        draft.add_joined(*tables)
    else:
        shards = _shards(file, split) if is_dataset else [TextFile(file, file.as_posix())]
        tables = [read_table(shard) for shard in shards]
        for table in tables:
            draft.add_rows(table)
    if not draft.pairs:
        last = tables[-1].file
        raise SuiteError(last.at(0), f"{last.shown!r} has no row; write one a summary")
    draft.find_missing()
    return draft


def read_names(options: Sequence[str]) -> dict[str, str]:
    """The column of each key, as ``--columns`` names it."""
    names: dict[str, str] = {}
    for option in filter(None, ",".join(options).split(",")):
        key, mark, column = option.partition("=")
        if not mark or not column:
            raise OptionError(f"--columns={option}: no column is named; write OURS=YOURS")
        if key not in COLUMNS:
            near = nearest(key, COLUMNS)
            if column in COLUMNS and not near.startswith("did you mean"):
                near = f"write {column}={key}"
            raise OptionError(f"--columns={option}: there is no {key!r}; {near}")
        if key in names:
            raise OptionError(f"--columns={option}: {key!r} is named twice; keep one")
        names[key] = column
    return names


def _as_name(value: object) -> object:
    """A whole number as text, for the name of a paper or a system; else the value itself."""
    return str(value) if type(value) is int else value


@dataclass(slots=True, kw_only=True)
class NewSuite:
    """The suite as it grows, row by row.

    Attributes:
        name: The beginning of the ids of papers that have none.
        names: By key, the column that the user named for it.
        system: The system of all rows; None where a column names it.
        skips: Whether a system skips the papers that it has no summary of.
        missing: The papers and systems without a summary.
        n_without: How many papers have no summary, and are left out.
    """

    name: str
    names: Mapping[str, str]
    system: str | None
    skips: bool
    papers: dict[str, dict[str, object]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    numbered: dict[str, str] = field(default_factory=dict)
    summaries: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], Place] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    missing: list[tuple[str, str]] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    n_empty: int = 0
    n_without: int = 0

    def add_rows(self, table: DataTable) -> None:
        """Adds the rows of a table that holds papers and summaries together."""
        self._check_names(table)
        columns = self._columns(table, COLUMNS, _NEEDED, self.names)
        if "paper" in columns:
            columns.pop("id", None)
        for row in self._entries(table, columns):
            self._add_summary(row, self._add_paper(row))

    def add_joined(self, papers: DataTable, summaries: DataTable) -> None:
        """Adds the papers of a table, and their summaries, which stand in another one."""
        self._check_names(papers, summaries)
        names, source = self.names, self.names.get("source", "source")
        if source not in papers.columns and source in summaries.columns:
            raise SuiteError(
                papers.place,
                f"the papers have no column {source!r}, and {summaries.file.shown} has; exchange"
                " the two files",
            )
        own = {key: name for key, name in names.items() if name in papers.columns}
        key = "id" if "paper" not in own and {"id", own.get("id")} & {*papers.columns} else "paper"
        own = self._guess(papers, (key, "source", "reference"), own)
        columns = papers.columns_of((key, *_TEXTS), (key, "source", "reference"), own, _REMEDY)
        for row in self._entries(papers, columns):
            if first := self.places.get(str(_as_name(row.values[key]))):
                raise row.fault("", f"paper {row.values[key]!r} is at {first}, too; delete one")
            self._add_paper(row)
        own = {key: name for key, name in names.items() if name in summaries.columns}
        known = ("paper", "summary", "system")
        for row in self._entries(summaries, self._columns(summaries, known, known[:2], own)):
            paper = str(_as_name(row.values["paper"]))
            row.check_known("paper", paper, self.papers, f"{papers.file.shown} has no paper")
            self._add_summary(row, paper)
        summarised = dict.fromkeys(paper for paper, _ in self.pairs)
        without = [paper for paper in self.papers if paper not in summarised]
        self.n_without = len(without) if self.skips else 0
        kept = [*summarised, *without[self.n_without :]]
        self.papers = {paper: self.papers[paper] for paper in kept}

    def _check_names(self, *tables: DataTable) -> None:
        """Refuses a column that no table has."""
        known = list(dict.fromkeys(column for table in tables for column in table.columns))
        files = [table.file.shown for table in tables]
        none = f"neither {' nor '.join(files)} has" if len(files) > 1 else f"{files[0]} has no"
        for key, name in self.names.items():
            if name not in known:
                near = nearest(name, known)
                raise OptionError(f"--columns={key}={name}: {none} {name!r}; {near}")

    def _columns(
        self,
        table: DataTable,
        known: Collection[str],
        needed: Collection[str],
        names: Mapping[str, str],
    ) -> dict[str, str]:
        """The columns of a table of summaries; all rows without a system are of one."""
        known = [key for key in known if key != "system" or self.system is None]
        is_numbered = "id" in known and "id" not in {*names, *table.columns}
        keys = [
            *needed,
            *(["paper"] if is_numbered else []),
            *(["system"] if "system" in known else []),
        ]
        names = self._guess(table, keys, names)
        columns = table.columns_of(known, needed, names, _REMEDY)
        if self.system is None and "system" not in columns:
            self.system = USUAL_SYSTEM
            self.guesses.append(f"every row is of the system {USUAL_SYSTEM!r} (--system names it)")
        return columns

    def _guess(
        self, table: DataTable, keys: Iterable[str], names: Mapping[str, str]
    ) -> dict[str, str]:
        """The names, and for keys without a column the columns that have common names of them."""
        names = dict(names)
        for key in keys:
            spare = [name for name in table.columns if name not in names.values()]
            if key not in names and key not in table.columns and (name := usual_column(key, spare)):
                names[key] = name
                self.guesses.append(f"{key} is the column {one_line(name, 60)!r}")
        return names

    def _entries(self, table: DataTable, columns: Mapping[str, str]) -> Iterator[FileEntry]:
        """The rows of a table; columns that none of its keys is read from are left out."""
        used = columns.values()
        self.left_out |= dict.fromkeys(name for name in table.columns if name not in used)
        return table.entries(columns, "this row")

    def _add_paper(self, row: FileEntry) -> str:
        """Adds the paper of a row and returns its id; its texts are checked as a suite's are."""
        line = {key: row.values[key] for key in _TEXTS if row.has(key)}
        name = _as_name(row.values.get("id", row.values.get("paper")))
        if name is None:
            name = f"{self.name}-{len(self.numbered) + 1:04}"
            name = self.numbered.setdefault(repr(line), name)
        line, paper = {"id": name, **line}, str(name)
        if paper not in self.papers:
            read_paper(replace(row, values=line))
            self.papers[paper], self.places[paper] = line, row.place
        for key, value in (self.papers[paper] | line).items():
            if line.get(key) != self.papers[paper].get(key):
                raise row.fault(
                    key,
                    f"{key!r} of paper {paper!r} is {brief(value)}, and another at"
                    f" {self.places[paper]}; give the rows of a paper the same texts",
                )
        return paper

    def _add_summary(self, row: FileEntry, paper: str) -> None:
        """Adds the summary of a row."""
        system = self.system
        if system is None:
            named = {"system": _as_name(row.values["system"])} if row.has("system") else {}
            system = str(replace(row, values=named).value("system", Text))
        check_name(system, "system", row.place, RESERVED_SYSTEMS)
        summary = row.values["summary"]
        if summary == "":
            self.n_empty += 1
            summary = _NOTHING
        first = self.pairs.setdefault((paper, system), row.place)
        if first is not row.place:
            raise row.fault(
                "",
                f"system {system!r} has a summary for paper {paper!r} at {first}, too; delete one",
            )
        summary = replace(row, values={"summary": _as_name(summary)}).value("summary", Text)
        self.summaries.setdefault(system, []).append({"paper": paper, "summary": summary})

    def find_missing(self) -> None:
        """Finds the summaries that are missing; those that are not skipped are empty ones."""
        pairs = [(paper, system) for system in self.summaries for paper in self.papers]
        self.missing = [pair for pair in pairs if pair not in self.pairs]
        for paper, system in () if self.skips else self.missing:
            self.summaries[system].append({"paper": paper, "summary": _NOTHING})

    @property
    def counted(self) -> str:
        """The numbers of papers, systems and pairs, in words."""
        n_pairs = sum(map(len, self.summaries.values()))
        counts = {"paper": len(self.papers), "system": len(self.summaries), "pair": n_pairs}
        return ", ".join(f"{n} {word}{'s' * (n != 1)}" for word, n in counts.items())

    def notes(self) -> Iterator[str]:
        """What was guessed, changed or left out, a line each."""
        if self.guesses:
            guesses = "; ".join(dict.fromkeys(self.guesses))
            yield f"guessed: {guesses}; --columns OURS=YOURS says otherwise"
        if self.n_empty:
            yield f"empty summaries, {_FAILS}: {self.n_empty}"
        if self.missing:
            paper, system = self.missing[0]
            first = f"{len(self.missing)}, first paper {paper!r} of system {system!r}"
            how, remedy = ("listed under 'skip'", "") if self.skips else (_FAILS, _SKIP)
            yield one_line(f"missing summaries, {how}: {first}{remedy}", 400)
        if self.n_without:
            yield f"papers without a summary, left out: {self.n_without}"
        if self.left_out:
            yield one_line(f"columns left out: {', '.join(self.left_out)}")

    def files(self, name: str) -> dict[str, str]:
        """The files of the suite, by their names."""
        stems = Counter(file_name(system).lower() for system in self.summaries)
        for system in self.summaries:
            if stems[file_name(system).lower()] > 1:
                raise OptionError(
                    f"the system {system!r} would have the file of another; rename one of the two"
                )
        kept = files("summeval_pytest.cli") / "skeleton" / "suite.toml"
        start, end = _THRESHOLDS
        _, _, after = kept.read_text(encoding="utf-8").partition(start)
        before, mark, rest = (start + after.partition(end)[0]).rstrip().partition("[compare]")
        n_papers, margin = len(self.papers), _margin(len(self.papers))
        note = f"# {n_papers:,} papers: a release that is as good passes about 4 times of 5.\n"
        if margin == _WIDEST:
            note = f"# {n_papers:,} papers are too few for smaller margins: add some.\n"
        return suite_files(
            [f"Imported from {name!r}."],
            {"papers": list(self.papers.values())},
            self.summaries,
            thresholds=(before + note + mark + rest.replace("0.10", f"{margin:.2f}")).split("\n"),
        )


def _margin(n_papers: int) -> float:
    """A margin that a release as good as the last one passes about 4 times of 5."""
    from summeval_pytest.stats.no_worse import passing_margin

    margin = passing_margin(_DEVIATION, max(2, n_papers), chance=0.8, level=LEVEL)
    return min(_WIDEST, math.ceil(100 * margin) / 100)


def _shards(folder: Path, split: str | None) -> list[TextFile]:
    """The files of a dataset's split that Hugging Face `datasets` saved, or of one in Parquet."""
    index = TextFile(folder / "dataset_dict.json", (folder / "dataset_dict.json").as_posix())
    if index.path.is_file():
        splits: tuple[str, ...] = _object(index).value("splits", Names)
        return _saved(index.beside(f"{_chosen(splits, split)}/state.json"))
    state = index.beside("state.json")
    if state.path.is_file():
        own = _object(state).values.get("_split") or "train"
        _chosen([str(own)], split)
        return _saved(state)
    by_split: dict[str, list[TextFile]] = {}
    for path in sorted(folder.glob("*.parquet")):
        by_split.setdefault(_SHARD.sub("", path.stem), []).append(index.beside(path.name))
    if not by_split:
        raise OptionError(
            f"FILE: {folder} holds neither state.json nor dataset_dict.json nor a *.parquet file;"
            " name a folder that datasets.save_to_disk wrote, or one of Parquet files"
        )
    return by_split[_chosen(by_split, split)]


def _chosen(splits: Collection[str], split: str | None) -> str:
    if split is None and len(splits) == 1:
        return next(iter(splits))
    if split is None:
        raise OptionError(f"the dataset has the splits {', '.join(splits)}; choose with --split")
    if split not in splits:
        raise OptionError(f"--split={split}: there is no such split; {nearest(split, splits)}")
    return split


def _saved(state: TextFile) -> list[TextFile]:
    """The files that a state names; all of them are in its folder."""
    listed: list[_DataFile] = _object(state).value("_data_files", list[_DataFile])
    return [state.beside(each.filename) for each in listed]


@dataclass(slots=True)
class _DataFile:
    filename: Text


def _object(file: TextFile) -> FileEntry:
    value = read_json(read_text(file), file.at(0))
    if not isinstance(value, dict):
        raise SuiteError(file.at(0), f"{file.shown!r} is {brief(value)}; write an object")
    return FileEntry.at(file.at(0), value, repr(file.shown))
