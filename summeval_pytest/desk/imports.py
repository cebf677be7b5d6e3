"""`summeval import`: makes a suite from released data or rows, or brings in labels.

Rows stand in one table with papers and summaries, or in a table for each.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from importlib.resources import files
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import with_options
from summeval_pytest.desk.new_suite import check_new, file_name, suite_files, write_new
from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.options import Options
from summeval_pytest.suite.entries import FileEntry, Names, Text
from summeval_pytest.suite.lines import (
    OWN_KEYS,
    RESERVED_SYSTEMS,
    TextFile,
    brief,
    check_name,
    read_json,
)
from summeval_pytest.suite.rows import DataTable, read_table, read_text, usual_columns
from summeval_pytest.suite.suite import load_suite, read_paper
from summeval_pytest.suite.values import Paper
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.policy import LEVEL

_STUDY: Final = "summeval_pytest.study"
Format = Literal["scholarsum", "table", "hf", "csv"]
_TEXTS: Final = ("title", "source", "reference")
COLUMNS: Final = ("paper", "id", *_TEXTS, "system", "summary")
_ASKED: Final = ("source", "reference", "summary")
"""The keys whose columns have to be beyond doubt."""
_MEANS: Final = {
    "source": "the paper's text",
    "reference": "its abstract, by people",
    "summary": "the system's text",
}
_TWO_OR_ONE: Final = "two papers or one? If two, give one of them another id; if one,"
_SYSTEM: Final = "candidate"
"""The system of rows that name none."""
_NOTHING: Final = "-"
"""The summary of a system that returned nothing."""
_FAILS: Final = f"written as {_NOTHING!r}, which fails"
_SKIP: Final = "; --skip-missing lists these papers under 'skip'"
_PARTS: Final = (
    "# The thresholds of every summary", "# --summ-compare passes only", "# Labels by people test"
)  # fmt: skip
"""Where the thresholds, the comparison and what comes after them begin in the sample suite."""
_DEVIATION: Final = 0.2
"""How much the changes of a number are taken to vary from paper to paper."""
_WIDEST: Final = 0.3
"""The widest margin that is written."""
_WIDE: Final = 0.1
"""The widest margin that is written without a warning."""
_SHARD: Final = re.compile(r"-\d+(?:-of-\d+)?$")
_OF: Final = re.compile(r"-\d+-of-(\d+)$")


@Parameter(name="*", group="Labels (csv)")
@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The options for labels.

    Attributes:
        map: COLUMN=FIELD: the label field for a column (repeat); COLUMN=- ignores the column,
            COLUMN=x_NAME copies it
        each: write a file for each annotator: labels.NAME.jsonl
    """

    suite: Annotated[Path | None, Parameter(help="the suite of the labels")] = None
    map: tuple[str, ...] = ()
    annotator: Annotated[str | None, Parameter(help="take only this annotator's labels")] = None
    majority: Annotated[bool, Parameter(help="take the label that most annotators give")] = False
    each: bool = False
    force: Annotated[bool, Parameter(help="overwrite the label file")] = False


@Parameter(name="*", group="Rows of a table")
@dataclass(frozen=True, slots=True, kw_only=True)
class RowOptions:
    """The options for rows.

    Attributes:
        summaries: the table of the summaries, if the papers' table has none
        columns: OURS=YOURS: your table's column for paper, id, title, source, reference, system,
            summary (repeat, or commas)
        system: the system of all rows
        skip_missing: list papers without a summary under 'skip'; otherwise a missing summary fails
    """

    summaries: Path | None = None
    columns: tuple[str, ...] = ()
    system: str | None = None
    skip_missing: bool = False


@with_options("allow_outside")
def run_import(
    form: Annotated[Format, Parameter(name="FORMAT", help="the kind of FILE")],
    file: Path,
    /,
    *,
    out: Annotated[Path, Parameter(help="the new suite, or the label file")],
    split: Annotated[str | None, Parameter(help="hf: the split")] = None,
    rows: RowOptions = RowOptions(),
    labels: Labels = Labels(),
    options: Options,
) -> list[str]:
    """Makes the suite, or the label file, and says what it holds.

    Args:
        file: the released file, unchanged; a table with one row per summary; the folder of a
            Hugging Face dataset; or a table of labels
    """
    if form != "csv":
        _refuse(labels, f"goes with labels, as of csv, and {form!r} makes a suite")
    if split is not None and form != "hf":
        raise OptionError("--split goes with hf; leave it out")
    if form in ("table", "hf"):
        check_new(out)
        draft = read_draft(file, rows, is_dataset=form == "hf", split=split)
        write_new(out, draft.files(file.name))
        return [f"{out}: {draft.counted}", *draft.notes(), f"next: pytest {out}"]
    _refuse(rows, f"goes with rows, as of table or hf, not with {form!r}")
    if form == "scholarsum":
        return list(import_module(f"{_STUDY}.scholarsum").import_scholarsum(file, out))
    if labels.suite is None:
        raise OptionError("labels of a csv file need a suite; name it with --suite SUITE")
    suite = load_suite(labels.suite, allow_outside=options.allow_outside)
    return list(import_module(f"{_STUDY}.label_tables").import_labels(file, out, suite, labels))


def _refuse(options: Labels | RowOptions, why: str) -> None:
    """Refuses any given option that belongs to another format."""
    for option in fields(options):
        if getattr(options, option.name):
            raise OptionError(f"--{option.name.replace('_', '-')} {why}; leave it out")


def skeleton(name: str) -> str:
    """The text of one of the template files."""
    return (files("summeval_pytest.desk") / "skeleton" / name).read_text(encoding="utf-8")


def sample_suite(*, has_llm: bool) -> tuple[str, str, str]:
    """The sample's suite in three parts; the second has the thresholds for one kind of judge."""
    text = skeleton("suite.toml")
    start, comparison, end = map(text.index, _PARTS)
    thresholds = skeleton("llm.toml") if has_llm else text[start:comparison]
    return text[:start], thresholds + text[comparison:end], text[end:]


def read_draft(
    file: Path, chosen: RowOptions, *, is_dataset: bool = False, split: str | None = None
) -> NewSuite:
    """The suite that rows make.

    Papers without an id are numbered. A summary that is empty is written as ``-``, and so is one
    that is missing, unless the papers without one are to be skipped. A UsageError names the place
    of a mistake in the rows.
    """
    draft = NewSuite(
        name=file_name(file.stem),
        names=_names(chosen.columns),
        system=chosen.system,
        skips=chosen.skip_missing,
    )
    if is_dataset and chosen.summaries is not None:
        raise OptionError("--summaries goes with a table; leave it out")
    named = [each for each in (file, chosen.summaries) if each is not None]
    texts = [TextFile(each, each.as_posix()) for each in named]
    tables = [read_table(text) for text in (_shards(file, split) if is_dataset else texts)]
    if chosen.summaries is not None:
        draft.add_joined(*tables)
    else:
        for table in tables:
            draft.add_rows(table)
    if not draft.summaries:
        last = tables[-1].file
        raise SuiteError(last.at(0), f"{last.shown!r} has no row; write one a summary")
    draft.check_summaries()
    return draft


def _names(options: Sequence[str]) -> dict[str, str]:
    """The column of each key, as ``--columns`` names it."""
    names: dict[str, str] = {}
    for option in filter(None, ",".join(options).split(",")):
        key, mark, column = option.partition("=")
        if not mark or not column:
            raise OptionError(f"--columns={option}: no column is named; write OURS=YOURS")
        if key not in COLUMNS:
            raise OptionError(f"--columns={option}: no key {key!r}; {nearest(key, COLUMNS)}")
        if key in names:
            raise OptionError(f"--columns={option}: {key!r} is named twice; keep one")
        names[key] = column
    return names


@dataclass(slots=True, kw_only=True)
class NewSuite:
    """The suite as it grows, row by row.

    Attributes:
        name: The beginning of the ids of papers that have none.
        names: By key, the column that the user named for it.
        system: The system of all rows; None where a column names it.
        skips: Whether a system skips the papers that it has no summary of.
        papers: The row of each paper by its id; ``read`` has the papers themselves.
        summaries: By system and paper, the row of the summary.
        varying: The copied columns in which rows of one paper differ; they are the summaries'.
    """

    name: str
    names: Mapping[str, str]
    system: str | None
    skips: bool
    papers: dict[str, FileEntry] = field(default_factory=dict)
    summaries: dict[str, dict[str, FileEntry]] = field(default_factory=dict)
    read: dict[str, Paper] = field(default_factory=dict)
    numbered: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    copied: dict[str, None] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    guesses: dict[str, None] = field(default_factory=dict)
    n_empty: int = 0
    n_repeated: int = 0

    def check_summaries(self) -> None:
        """Refuses a column of other texts that was taken for the summaries, if nobody named it."""
        n_rows = sum(map(len, self.summaries.values()))
        if 0 < self.n_repeated == n_rows - self.n_empty and "summary" not in self.names:
            others = [name.removeprefix(OWN_KEYS) for name in self.copied] + [*self.left_out]
            spare = f" (others: {', '.join(others)})" if others else ""
            what = f"each of the {self.n_repeated} summaries is its reference or its source"
            how = f"name the model's column{spare} with --columns summary=COLUMN"
            raise OptionError(one_line(f"{what}; {how}, or summary=summary if that is meant", 400))

    def add_rows(self, table: DataTable) -> None:
        """Adds the rows of a table that holds papers and summaries together."""
        key = _key_of_papers(table, self.names, ("paper", "id"))
        known, needed = (*_TEXTS, "summary", key, "system"), ("source", "reference", "summary")
        for row in self._rows(table, self.names, known, needed):
            self._add_summary(row, self._add_paper(row))

    def add_joined(self, papers: DataTable, summaries: DataTable) -> None:
        """Adds the papers of a table, and their summaries, which stand in another one."""
        rest, column = dict(self.names), self.names.get("paper")
        if column in papers.columns and column not in summaries.columns:
            del rest["paper"]
        names = {k: v for k, v in self.names.items() if k != "paper" or v in papers.columns}
        key = _key_of_papers(papers, names, ("id", "paper"))
        for row in self._rows(papers, names, (key, *_TEXTS), (key, "source", "reference")):
            self._add_paper(row)
        known = ("paper", "summary", "system")
        of_papers = set(self.copied)
        for row in self._rows(summaries, rest, known, known[:2]):
            self.varying |= self.copied.keys() - of_papers
            paper = str(row.values["paper"])
            row.check_known("paper", paper, self.papers, f"{papers.file.shown} has no paper")
            self._add_summary(row, paper)

    def _rows(
        self,
        table: DataTable,
        names: Mapping[str, str],
        known: Collection[str],
        needed: Collection[str],
    ) -> Iterator[FileEntry]:
        """The rows of a table, each whole number as text; a column may have a usual name."""
        known = [key for key in known if key != "system" or self.system is None]
        names = {key: name for key, name in names.items() if key in known}
        for key, name in names.items():
            if name not in table.columns:
                what = f"--columns={key}={name}: {table.file.shown} has no {name!r}"
                raise OptionError(f"{what}; {nearest(name, table.columns)}")
        guesses = _guesses(table, names, known, needed)
        for key, name in guesses.items():
            self.guesses[f"{key} is the column {one_line(name, 60)!r}"] = None
        names |= guesses
        columns = table.columns_of(known, needed, names, "--columns KEY=COLUMN")
        if "system" in known and "system" not in columns:
            self.system = _SYSTEM
            self.guesses[f"system is {_SYSTEM!r}, as no column names it"] = None
        further = [name for name in table.columns if name not in columns.values()]
        own = {
            name if name.startswith(OWN_KEYS) else f"{OWN_KEYS}{name}": name
            for name in further
            if name not in table.unreadable
        }
        self.left_out |= dict.fromkeys(name for name in further if name in table.unreadable)
        self.copied |= dict.fromkeys(own)
        ids = set(columns) - {*_TEXTS, "summary"}
        for row in table.entries({**columns, **own}, "this row"):
            values = dict(row.values)
            values |= {key: str(values[key]) for key in ids if type(values.get(key)) is int}
            for key in own:
                try:
                    json.dumps(values.get(key), allow_nan=False)
                except ValueError:  # not a number: pandas writes it for an empty cell
                    del values[key]
            yield replace(row, values=values)

    def _add_paper(self, row: FileEntry) -> str:
        """Adds the paper of a row and returns its id; its texts are checked as a suite's are."""
        line = {key: row.values[key] for key in _TEXTS if row.has(key)}
        own = {key: row.values.get(key) for key in self.copied}
        name = row.values.get("id", row.values.get("paper"))
        if name is None:
            name = f"{self.name}-{len(self.numbered) + 1:04}"
            name = self.numbered.setdefault(repr(line), name)
        row, paper = replace(row, values={"id": name, **line, **own}), str(name)
        first = self.papers.setdefault(paper, row)
        if first is row:
            self.read[paper] = read_paper(row)
        self.varying |= {key for key in own if own[key] != first.values.get(key)}
        for key in _TEXTS:
            if (value := row.values.get(key)) != first.values.get(key):
                what = f"paper {paper!r} is at {first.place}, too, and here its {key!r} is another"
                remedy = f"{_TWO_OR_ONE} give both rows the same {key!r}"
                raise row.fault(key, f"{what} ({brief(value)}): {remedy}")
        return paper

    def _add_summary(self, row: FileEntry, paper: str) -> None:
        system = self.system if self.system is not None else str(row.value("system", Text))
        check_name(system, "system", row.place, RESERVED_SYSTEMS)
        if row.values["summary"] == "":
            self.n_empty += 1
            row = replace(row, values={**row.values, "summary": _NOTHING})
        self.n_repeated += self.read[paper].has_text(row.value("summary", Text))
        if first := self.summaries.setdefault(system, {}).get(paper):
            what = f"system {system!r} has a summary for paper {paper!r} at {first.place}, too"
            remedy = f"{_TWO_OR_ONE} delete a row, or name the system of each in a column 'system'"
            raise row.fault("", f"{what}: {remedy}")
        self.summaries[system][paper] = row

    @property
    def kept(self) -> dict[str, FileEntry]:
        """The papers of the suite: without those to skip that nobody has summarised."""
        some = {paper for of in self.summaries.values() for paper in of}
        return {k: row for k, row in self.papers.items() if k in some or not self.skips}

    @property
    def missing(self) -> list[tuple[str, str]]:
        """The papers and systems without a summary."""
        return [(k, name) for name, of in self.summaries.items() for k in self.kept if k not in of]

    @property
    def counted(self) -> str:
        """The numbers of papers, systems and pairs, in words."""
        n_papers, n_systems = len(self.kept), len(self.summaries)
        n_pairs = n_papers * n_systems - self.skips * len(self.missing)
        counts = {"paper": n_papers, "system": n_systems, "pair": n_pairs}
        return ", ".join(f"{n} {word}{'s' * (n != 1)}" for word, n in counts.items())

    def notes(self) -> Iterator[str]:
        """What was guessed, changed or left out, a line each."""
        if self.guesses:
            how = f"--columns {next(iter(self.guesses)).split()[0]}=COLUMN or --system NAME"
            yield f"guessed: {'; '.join(self.guesses)}. Change it with {how}"
        if self.n_empty:
            yield f"empty summaries, {_FAILS}: {self.n_empty}"
        if missing := self.missing:
            paper, system = missing[0]
            first = f"{len(missing)}, first paper {paper!r} of system {system!r}"
            how, remedy = ("listed under 'skip'", "") if self.skips else (_FAILS, _SKIP)
            yield one_line(f"missing summaries, {how}: {first}{remedy}", 400)
        if n_without := len(self.papers) - len(self.kept):
            yield f"papers without a summary, left out: {n_without}"
        yield from self._repetitions()
        if self.copied:
            yield one_line(f"columns copied, which nothing scores: {', '.join(self.copied)}")
        if self.left_out:
            yield one_line(f"columns left out, since they are no text: {', '.join(self.left_out)}")

    def _repetitions(self) -> Iterator[str]:
        """The texts that are another one of theirs, which a wrong column makes."""
        if self.n_repeated:
            yield f"summaries that are their reference or source, word for word: {self.n_repeated}"
        if n_alike := sum(map(_is_its_reference, self.read.values())):
            yield f"references that are their source, word for word: {n_alike}"

    def _own(self, row: FileEntry, *, of_paper: bool) -> dict[str, object]:
        """The copied columns of a row that belong to its paper, or else to its summary."""
        names = (k for k in self.copied if (k in self.varying) is not of_paper)
        return {key: value for key in names if (value := row.values.get(key)) is not None}

    def files(self, name: str, *, has_llm: bool = False) -> dict[str, str]:
        """The files of the suite, by their names; ``has_llm``: an LLM is to judge it."""
        from summeval_pytest.stats.paired import passing_margin

        summaries: dict[str, list[dict[str, object]]] = {}
        stems: set[str] = set()
        for system, of in self.summaries.items():
            if (stem := file_name(system).lower()) in stems:
                raise OptionError(
                    f"the system {system!r} would have the file of another; rename one of the two"
                )
            stems.add(stem)
            lines = {
                paper: {"summary": row.values["summary"], **self._own(row, of_paper=False)}
                for paper, row in of.items()
            }
            if not self.skips:
                lines |= {paper: {"summary": _NOTHING} for paper in self.kept if paper not in of}
            summaries[system] = [{"paper": paper, **line} for paper, line in lines.items()]
        n_papers = len(self.kept)
        margin = passing_margin(_DEVIATION, max(2, n_papers), chance=0.8, level=LEVEL)
        margin = min(_WIDEST, math.ceil(100 * margin) / 100)
        note = f"# {n_papers:,} papers: a release that is as good passes about 4 times of 5.\n"
        if margin > _WIDE:
            note = f"# {n_papers:,} papers: much worse releases pass such margins; add papers.\n"
        papers = [
            {k: row.values[k] for k in ("id", *_TEXTS) if row.has(k)}
            | self._own(row, of_paper=True)
            for row in self.kept.values()
        ]
        text = sample_suite(has_llm=has_llm)[1].rstrip().replace("0.10", f"{margin:.2f}")
        return suite_files(
            [f"Imported from {name!r}."],
            {"papers": papers},
            summaries,
            thresholds=text.replace("[compare]", f"{note}[compare]").split("\n"),
        )


def _is_its_reference(paper: Paper) -> bool:
    return any(paper.has_text(text, in_references=False) for text in paper.references)


def _guesses(
    table: DataTable, names: Mapping[str, str], known: Collection[str], needed: Collection[str]
) -> dict[str, str]:
    """The columns of keys for which the user named none, where their names leave no doubt.

    Raises:
        SuiteError: For a text of which no column, or more than one, has a usual name. It offers
            ``--columns``.
    """
    asked = [key for key in _ASKED if key in needed and key not in names]
    others = [key for key in known if key not in {*asked, *names}]
    chosen: dict[str, str] = {}
    doubtful: list[str] = []
    spare = [name for name in table.columns if name not in names.values()]
    for key in (*asked, *others):
        found = _candidates(key, spare)
        if key == "reference" and not found and "summary" not in known:
            found = [name for name in spare if name.casefold() == "summary"]
        if key in asked and len(found) > 1 and found[0] != key:
            doubtful.append(key)
        elif found:
            chosen[key] = found[0]
            spare.remove(found[0])
        elif key in asked:
            doubtful.append(key)
    if doubtful:
        raise _doubt(table, chosen, doubtful, [name for name in spare if "," not in name])
    return {key: name for key, name in chosen.items() if key != name}


def _candidates(key: str, columns: Sequence[str]) -> list[str]:
    """The columns that may be meant by a key, the likeliest first.

    Many data sets call the reference ``summary``, beside a column of what a model wrote.
    """
    found = usual_columns(key, columns)
    summaries = usual_columns("summary", columns)
    is_one = [name.casefold() == "summary" for name in summaries]
    if key == "reference" and not found and is_one[:1] == [True] and len(summaries) > 1:
        return summaries[:1]
    if key == "summary":  # its own name is no proof beside another one
        return [name for _, name in sorted(zip(is_one, summaries, strict=True), key=itemgetter(0))]
    return found


def _doubt(
    table: DataTable, chosen: dict[str, str], doubtful: list[str], spare: list[str]
) -> SuiteError:
    """Asks for the columns that nobody can guess, and offers the likeliest ones."""
    own = chosen.get("summary", "")
    spare = [name for name in spare if name not in COLUMNS]
    is_usual = own.casefold() == "summary" and "system" not in chosen
    if "reference" in doubtful and is_usual and spare:
        chosen["reference"] = chosen.pop("summary")
        doubtful = [*(key for key in doubtful if key != "reference"), "summary"]
    wanted = ", and which is ".join(f"the {key} ({_MEANS[key]})" for key in doubtful)
    has = one_line(", ".join(table.columns), 200)
    what = f"which column is {wanted}? The table has: {has}"
    for key in doubtful:
        likely = _candidates(key, spare) or spare
        if not likely:
            how = "add what is missing, or give two tables: the papers', and --summaries FILE"
            return SuiteError(table.place, f"{what}; {how}")
        chosen[key] = likely[0]
        spare.remove(likely[0])
    named = ",".join(f"{key}={chosen[key]}" for key in _ASKED if chosen.get(key, key) != key)
    fault = SuiteError(table.place, f"{what}; if the names are right, write --columns {named}")
    fault.add = ("--columns", named)
    return fault


def _key_of_papers(
    table: DataTable, names: Mapping[str, str], usual: tuple[str, str]
) -> Literal["paper", "id"]:
    """The key that names a paper: the one that the user named, else the first with a column."""
    keys = [key for key in (*names, *usual) if key in {*names, *table.columns}]
    return "id" if next((key for key in keys if key in usual), "") == "id" else "paper"


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
        what = f"FILE: {folder} holds no state.json, dataset_dict.json or *.parquet"
        raise OptionError(f"{what}; name the folder of a dataset")
    name = _chosen(by_split, split)
    for total in {int(n) for file in by_split[name] for n in _OF.findall(file.path.stem)}:
        if (n_files := len(by_split[name])) != total:
            what = f"FILE: {folder} holds {n_files} of the {total} files of split {name!r}"
            raise OptionError(f"{what}, by their names; download all of them")
    return by_split[name]


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
