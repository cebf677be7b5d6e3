"""`summeval import table` and `hf`: a suite from rows, each a paper with a system's summary."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.suite.lines import (
    RESERVED_SYSTEMS,
    Fields,
    TextFile,
    brief,
    check_name,
    is_whole,
    read_json,
)
from summeval_pytest.suite.papers import read_paper
from summeval_pytest.suite.places import check_new, file_name, suite_files, write_suite
from summeval_pytest.suite.rows import read_table, read_text
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.rows import DataTable


_TEXTS: Final = ("title", "source", "reference")
COLUMNS: Final = ("paper", "id", *_TEXTS, "system", "summary")
_NEEDED: Final = ("source", "reference", "summary")
_REMEDY: Final = "--columns {}={}"
_NOTHING: Final = "-"
"""The summary of a system that returned nothing."""
_THRESHOLDS: Final = ("# What every summary", "# What people have found")
"""Where the thresholds begin in the suite that `init` writes, and what comes after them."""
_SHARD: Final = re.compile(r"-\d+(?:-of-\d+)?$")


@Parameter(name="*", group="Rows (table, hf)")
@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """The options that go with rows only."""

    columns: Annotated[
        tuple[str, ...],
        Parameter(
            help=f"OURS=THEIRS: which column is {', '.join(COLUMNS)} (repeat, or commas)",
        ),
    ] = ()
    system: Annotated[str | None, Parameter(help="the system of all rows")] = None
    split: Annotated[str | None, Parameter(help="hf: this split")] = None


NO_ROW_OPTIONS: Final = RowOptions()


def import_rows(file: Path, out: Path, chosen: RowOptions, *, is_dataset: bool) -> list[str]:
    """Makes the suite and says what it holds.

    Papers without an id are numbered, and a summary that is empty is written as ``-``.

    Raises:
        UsageError: for a mistake in the rows, with its place; for rows of one paper with other
            texts, and for a folder that holds something.
    """
    check_new(out)
    if chosen.split is not None and not is_dataset:
        raise OptionError("--split goes with hf; leave it out")
    names = _names(chosen.columns)
    shards = _shards(file, chosen.split) if is_dataset else [TextFile(file, file.as_posix())]
    draft = _NewSuite(name=file_name(file.stem))
    left_out: dict[str, None] = {}
    for shard in shards:
        table = read_table(shard)
        columns = _columns(table, names, chosen.system)
        left_out |= dict.fromkeys(name for name in table.columns if name not in columns.values())
        for row in table.fields(columns, "this row"):
            draft.add(row, chosen.system)
    if not draft.papers:
        raise SuiteError(shards[0].at(0), f"{shards[0].shown!r} has no row; write one a summary")
    write_suite(out, draft.files(file.name))
    n_papers, n_pairs = len(draft.papers), len(draft.pairs)
    lines = [f"{out}: {n_papers} papers, {len(draft.summaries)} systems, {n_pairs} pairs"]
    if draft.n_empty:
        lines.append(f"empty summaries, written as {_NOTHING!r}, which fails: {draft.n_empty}")
    if left_out:
        lines.append(one_line(f"columns left out: {', '.join(left_out)}"))
    return [*lines, f"next: pytest {out}"]


def _names(options: Sequence[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for option in filter(None, ",".join(options).split(",")):
        key, mark, column = option.partition("=")
        if not mark or not column:
            raise OptionError(f"--columns={option}: no column is named; write OURS=THEIRS")
        if key not in COLUMNS:
            raise OptionError(f"--columns={option}: there is no {key!r}; {nearest(key, COLUMNS)}")
        if key in names:
            raise OptionError(f"--columns={option}: {key!r} is named twice; keep one")
        names[key] = column
    return names


def _columns(table: DataTable, names: Mapping[str, str], system: str | None) -> dict[str, str]:
    """The column of each key; ``id`` is another word for ``paper``."""
    for key, name in names.items():
        if name not in table.columns:
            raise OptionError(
                f"--columns={key}={name}: {table.file.shown} has no {name!r};"
                f" {nearest(name, table.columns)}"
            )
    known = [key for key in COLUMNS if key != "system" or system is None]
    columns = table.columns_of(known, _NEEDED, names, _REMEDY)
    if system is None and "system" not in columns:
        raise SuiteError(
            table.place,
            "the table has no column 'system'; name it with --columns system=COLUMN, or the system"
            " of all rows with --system NAME",
        )
    if "paper" in columns:
        columns.pop("id", None)
    return columns


@dataclass(slots=True, kw_only=True)
class _NewSuite:
    """The suite as it grows, row by row; ``name`` begins the ids of papers that have none."""

    name: str
    papers: dict[str, dict[str, object]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    numbered: dict[str, str] = field(default_factory=dict)
    summaries: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], Place] = field(default_factory=dict)
    n_empty: int = 0

    def add(self, row: Fields, system: str | None) -> None:
        """Add what a row says of a paper and of a system."""
        values = {
            key: str(value) if is_whole(value) and key not in _TEXTS else value
            for key, value in row.values.items()
        }
        row = replace(row, values=values)
        paper = self._paper(row)
        name = row.text("system") if system is None else system
        check_name(name, "system", row.place, RESERVED_SYSTEMS)
        if values["summary"] == "":
            self.n_empty += 1
            row = replace(row, values={**values, "summary": _NOTHING})
        first = self.pairs.setdefault((paper, name), row.place)
        if first is not row.place:
            raise row.fault(
                "",
                f"system {name!r} has a summary for paper {paper!r} at {first}, too; delete one",
            )
        lines = self.summaries.setdefault(name, [])
        lines.append({"paper": paper, "summary": row.text("summary")})

    def _paper(self, row: Fields) -> str:
        """The paper's id; its texts are checked as a suite checks them."""
        texts = {key: row.values[key] for key in _TEXTS if row.has(key)}
        key = "id" if row.has("id") else "paper"
        numbered = self.numbered
        paper = (
            row.text(key)
            if row.has(key)
            else numbered.setdefault(repr(texts), f"{self.name}-{len(numbered) + 1:04}")
        )
        line = {"id": paper, **texts}
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
        return suite_files(
            [f"Imported from {name!r}."],
            {"papers": list(self.papers.values())},
            self.summaries,
            thresholds=(start + after.partition(end)[0]).rstrip().split("\n"),
        )


def _shards(folder: Path, split: str | None) -> list[TextFile]:
    """The files of a dataset's split that Hugging Face `datasets` saved, or of one in Parquet."""
    index = TextFile(folder / "dataset_dict.json", (folder / "dataset_dict.json").as_posix())
    if index.path.is_file():
        splits = _object(index).texts("splits", "a list of splits")
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
    """The files that a state names; none leads out of its folder."""
    listed = _object(state).objects_at("_data_files", "file", "a list of files", "a file")
    return [state.beside(each.text("filename")) for each in listed]


def _object(file: TextFile) -> Fields:
    place = file.at(0)
    whole = Fields(values={}, owner=repr(file.shown), where=lambda _: place)
    return whole.inside("", read_json(read_text(file), place), whole.owner, "an object")
