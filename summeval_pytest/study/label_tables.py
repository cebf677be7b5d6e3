"""Labels from a table (CSV): what each annotator says of each item, and who counts.

A row of a table is about a pair (``paper``, ``system`` and the facets' fields, ``overall``), about
one ``sentence`` (``faithful``, ``evidence``, ``error``), or about one fact (``side``, ``text``,
``holds``). A labelling page names each of these by the key of its ``item``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator

from summeval_pytest.cli.parameters import check_writable, write_text
from summeval_pytest.desk.imports import Labels
from summeval_pytest.desk.label_questions import items_by_key
from summeval_pytest.desk.new_suite import file_name, json_lines
from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.questions import FACETS
from summeval_pytest.run.measure import source_of
from summeval_pytest.study.agreement.item_agreement import annotators_in_short, item_figures
from summeval_pytest.suite.entries import FileEntry, Given, Number, Text, expecting
from summeval_pytest.suite.labels import (
    UNRATED,
    EvidenceLabel,
    FactLabel,
    FactLabels,
    Item,
    Label,
    Marking,
    SentenceLabel,
    UpTo3,
    UpTo4,
    cut,
    evidence_label,
    labels_of,
    markings_of,
)
from summeval_pytest.suite.lines import OWN_KEYS, TextFile, brief, closest
from summeval_pytest.suite.rows import DataTable, read_table
from summeval_pytest.suite.suite import Suite, label_lines
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import normalise

_UNNAMED: Final = "(nobody is named)"
_SHOWN: Final = 3
_PAIRS_SHOWN: Final = 6


def import_labels(source: Path, out: Path, suite: Suite, chosen: Labels) -> list[str]:
    """Writes the label file, or one an annotator, and says what it holds.

    Raises:
        UsageError: for a mistake in the file with its line, for annotators who contradict
            each other where nobody has said who counts, and for a file that is there already.
    """
    if chosen.majority + chosen.each + (chosen.annotator is not None) > 1:
        raise OptionError("--annotator, --majority and --each exclude each other; choose one")
    check_writable(out, "--out")
    file = TextFile(source, source.as_posix())
    rows = read_csv(file, read_names(chosen.map))
    by_row = [markings_of_row(suite, row) for row in without_keys(suite, rows)]
    markings = [marking for each in by_row for marking in each]
    if not markings:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} says nothing: none of its {len(rows)} rows has an answer; name the"
            " fields of its answers with --map COLUMN=FIELD",
        )
    annotators = by_annotator(markings)
    about = {"basis": f"imported from {source.name}"}
    files = _files(annotators, source, out, chosen)
    for target in files:
        if target.exists() and not chosen.force:
            raise OptionError(
                f"--out={target}: it is there already; name another file, or overwrite it with"
                " --force"
            )
    texts = {
        target: label_text(suite, label_lines(suite, own, about), target.as_posix())
        for target, own in files.items()
    }
    for target, text in texts.items():
        write_text(target, "--out", text)
    lines = [_counts(target, own) for target, own in files.items()]
    lines += _agreements(annotators)
    if silent := by_row.count([]):
        lines.append(f"rows that say nothing: {silent}")
    if not suite.has_labels:
        folder, place = suite.path.parent.resolve(), out.resolve()
        is_inside = place.is_relative_to(folder)
        name = place.relative_to(folder).as_posix() if is_inside else out.name
        move = "" if is_inside else f"move {out} into the folder of the suite, and write "
        lines.append(f'next: {move}labels = "{name}" in {suite.shown}')
    return lines


def _files(
    annotators: Mapping[str, Markings], source: Path, out: Path, chosen: Labels
) -> dict[Path, list[Marking]]:
    """The markings of each file that is written."""
    if chosen.each:
        files = {
            out.with_name(f"{out.stem}.{file_name(name)}{out.suffix}"): list(own.values())
            for name, own in annotators.items()
        }
        if len(files) < len(annotators):
            names = ", ".join(map(repr, annotators))
            raise OptionError(
                f"--each: two of the annotators {names} would have one file; take one after the"
                " other with --annotator"
            )
        return files
    if chosen.annotator is not None:
        if chosen.annotator not in annotators:
            raise OptionError(
                f"--annotator={chosen.annotator}: {source} has no such annotator;"
                f" {nearest(chosen.annotator, annotators)}"
            )
        return {out: list(annotators[chosen.annotator].values())}
    if not chosen.majority and (items := disputed(annotators)):
        raise SuiteError(Place(source.as_posix()), _dispute(annotators, items))
    return {out: settled(annotators)}


def _counts(out: Path, markings: list[Marking]) -> str:
    kinds = Counter(
        "facet rating" if kind in FACETS else {"overall": "overall score"}.get(kind, kind)
        for kind in (marking.item.kind.split()[-1] for marking in markings)
    )
    n_pairs = len({(marking.item.paper, marking.item.system) for marking in markings})
    ordered = ("facet rating", "overall score", "sentence", "fact")
    counts = ", ".join(_count(kinds[kind], kind) for kind in ordered if kinds[kind])
    return f"{out}: labels of {_count(n_pairs, 'pair')}: {counts}"


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _dispute(annotators: Mapping[str, Markings], items: tuple[Item, ...]) -> str:
    first = []
    for item in items[:_SHOWN]:
        values_of = {
            n: markings[item].value for n, markings in annotators.items() if item in markings
        }
        values = (f"{name or _UNNAMED} {in_words(value)}" for name, value in values_of.items())
        first.append(f"{item.words}: {', '.join(values)}")
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    figures = "\n".join(f"  {line}" for line in _agreements(annotators))
    return (
        f"annotators disagree on {_count(len(items), 'item')} ({'; '.join(first)}{more}); say who"
        f" counts with --annotator NAME or --majority, or keep a file of each with --each\n"
        f"{figures}"
    )


def _agreements(annotators: Mapping[str, Markings]) -> Iterator[str]:
    """A line for every two annotators: how they agree."""
    pairs = list(combinations(annotators, 2))
    for first, second in pairs[:_PAIRS_SHOWN]:
        agreement = item_figures(annotators[first], annotators[second])
        names = f"{first or _UNNAMED} and {second or _UNNAMED}"
        yield f"{one_line(names)}: {annotators_in_short(agreement)}"
    if len(pairs) > _PAIRS_SHOWN:
        yield f"and {len(pairs) - _PAIRS_SHOWN} more pairs of annotators"


LEFT_OUT: Final = "-"
"""The field of a column that is to be left out."""
_YES: Final = frozenset({"yes", "y", "true", "1", "faithful", "supported", "covered", "holds"})
_NO: Final = frozenset(
    {"no", "n", "false", "0", "unfaithful", "unsupported", "not faithful", "not supported",
     "not covered"}
)  # fmt: skip
_ABSENT: Final = frozenset({"null", "none", "absent"})
"""The words for a facet that the reference does not have."""
_INDEX: Final = re.compile(r"\d{1,9}", re.ASCII)
_INDICES: Final = re.compile(r"\d{1,9}(?:[\s,;]+\d{1,9})*", re.ASCII)


def _number(cell: str) -> object:
    """The number that a cell holds, None for an absent facet, else the cell."""
    if cell.lower() in _ABSENT:
        return None
    with suppress(ValueError):
        if cell.isascii():
            return int(cell) if _INDEX.fullmatch(cell) else float(cell)
    return cell


def _rating(cell: str) -> object:
    value = _number(cell)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _yes(cell: str) -> bool:
    if cell.lower() not in _YES | _NO:
        raise ValueError("neither")
    return cell.lower() in _YES


_Rating3 = Annotated[UpTo3, BeforeValidator(_rating)]
_Rating4 = Annotated[UpTo4, BeforeValidator(_rating)]
_Yes = Given[Annotated[bool, BeforeValidator(_yes), expecting("yes or no")]]
_Side = Literal["reference", "candidate"]


@dataclass(slots=True, kw_only=True)
class _Row:
    """A row of a table of labels, whose cells are texts."""

    paper: Text
    system: Text
    sentence: Given[Text] = None
    side: Given[Annotated[_Side, BeforeValidator(str.lower)]] = None
    text: Given[Text] = None
    annotator: str = ""
    background: _Rating3 = UNRATED
    method: _Rating4 = UNRATED
    result: _Rating4 = UNRATED
    conclusion: _Rating3 = UNRATED
    overall: Given[Annotated[Number, BeforeValidator(_number)]] = None
    faithful: _Yes = None
    evidence: Given[Text] = None
    error: Given[Text] = None
    holds: _Yes = None


ITEM: Final = "item"
_ANSWERS: Final = {"sentence": {"faithful", "evidence", "error"}}
"""The columns of the answers to a question of a page: those of a facet and a fact are one."""
"""The column with the keys of a labelling page."""
FIELDS: Final = (ITEM, *(each.name for each in fields(_Row)))
_NEEDS: Final = {
    "faithful": "sentence", "evidence": "faithful", "error": "faithful",
    "holds": "text", "text": "side", "side": "text",
}  # fmt: skip
"""Fields that say nothing without another."""


def read_names(options: Iterable[str]) -> dict[str, str]:
    """By column, the field that a ``COLUMN=FIELD`` option says it is.

    Raises:
        OptionError: For an option without ``=``, an unknown field, and a column given twice.
    """
    names: dict[str, str] = {}
    for option in options:
        (name, _, target), fault = option.rpartition("="), ""
        if not name:
            fault = "no field is named; write COLUMN=FIELD"
        elif target != LEFT_OUT and not _is_field(target):
            fault = f"there is no field {target!r}; {closest(target, FIELDS)}"
        elif name in names:
            fault = f"{name!r} is mapped twice; keep one"
        if fault:
            raise OptionError(f"--map={option}: {fault}")
        names[name] = target
    return names


def _is_field(name: str) -> bool:
    return name in FIELDS or name.startswith(OWN_KEYS)


def read_csv(file: TextFile, names: Mapping[str, str]) -> list[FileEntry]:
    """The rows of a table; empty cells are not there, and a row of nothing else is skipped.

    Raises:
        SuiteError: For what is no table, for a column that is no field, and for a row that is
            longer or shorter than the header.
        OptionError: For a mapping of a column that is not there.
    """
    table = read_table(file, ".csv")
    fields_of = _fields_of(table, names)
    rows = []
    for number, cells in table.read(fields_of):
        values = {fields_of[name]: str(cell).strip() for name, cell in cells.items()}
        if values := {name: cell for name, cell in values.items() if cell}:
            rows.append(FileEntry.at(file.at(number), values, "this row"))
    if not rows:
        raise SuiteError(file.at(0), f"{file.shown!r} has a header and no row; write one a label")
    return rows


def _fields_of(table: DataTable, names: Mapping[str, str]) -> dict[str, str]:
    """The field of each column that is not left out."""
    columns, fault = table.columns, ""
    for name in names.keys() - {*columns}:
        raise OptionError(
            f"--map={name}={names[name]}: {table.file.shown} has no {name!r};"
            f" {closest(name, columns)}"
        )
    fields_of = {each: names.get(each, each) for each in columns if names.get(each) != LEFT_OUT}
    targets = [*fields_of.values()]
    for column, target in fields_of.items():
        if not _is_field(target):
            fault = (
                f"unknown column {brief(column)}; {closest(column, FIELDS)}; or say which field it"
                f" is with --map {column}=FIELD ({column}={LEFT_OUT} leaves it out)"
            )
        elif targets.count(target) > 1:
            fault = f"two columns are {target!r}; delete one"
        if fault:
            raise SuiteError(table.place, fault)
    for name in ("paper", "system"):
        if name not in targets and ITEM not in targets:
            what = f"the header has no column {name!r}; add it, or name it with"
            raise SuiteError(table.place, f"{what} --map COLUMN={name}")
    return fields_of


def without_keys(suite: Suite, rows: Sequence[FileEntry]) -> Iterator[FileEntry]:
    """The rows, each key in them replaced by what it stands for.

    Of several systems with one summary, the first has the label, so that it counts once. A
    SuiteError refuses a key of a text that the suite does not have, or no longer has, and an answer
    to another question.
    """
    items = items_by_key(suite) if any(row.has(ITEM) for row in rows) else {}
    for row in rows:
        key = row.values.get(ITEM)
        if key is None:
            yield row
        elif key not in items:
            what = f"{row.owner} is about {ITEM} {brief(key)}, which is of no text of {suite.shown}"
            remedy = "the paper or its summary has changed, or the page is of another suite"
            raise row.fault(ITEM, f"{what}: {remedy}; delete the row, or make a new page")
        for item in (*items.get(str(key), ()),)[:1]:
            answers = _ANSWERS.get(item.kind, {"holds"} if item.text else {item.kind})
            known = {ITEM, "annotator", *answers}
            for name in row.values.keys() - known:
                if not name.startswith(OWN_KEYS):
                    what = f"{row.owner} has {name!r}, and its {ITEM} asks for something else"
                    raise row.fault(name, f"{what}; the page's file was changed: save it again")
            side = item.kind.removesuffix(" fact") if item.text else ""
            sentence = str(item.index) if item.kind == "sentence" else ""
            about = {"paper": item.paper, "system": item.system, "sentence": sentence}
            about |= {"side": side, "text": item.text}
            given = {name: value for name, value in about.items() if value}
            yield replace(row, values={k: v for k, v in row.values.items() if k != ITEM} | given)


def markings_of_row(suite: Suite, entry: FileEntry) -> list[Marking]:
    """What a row says, item by item; nothing where its answers are empty."""
    for key, needed in _NEEDS.items():
        if entry.has(key) and not entry.has(needed):
            raise entry.fault(
                key, f"{entry.owner} has {key!r} and no {needed!r}; add it, or delete {key!r}"
            )
    row = entry.read(_Row)
    suite.roster.check(entry, row.paper, row.system)
    if row.faithful and row.error:
        what = f"{entry.owner} is faithful and names an error, {brief(row.error)}"
        raise entry.fault("error", f"{what}; delete one of the two")
    ratings = {facet: getattr(row, facet) for facet in FACETS}
    label = Label(
        paper=row.paper,
        system=row.system,
        facets={facet: rating for facet, rating in ratings.items() if rating != UNRATED},
        overall=row.overall,
        labelled_by=row.annotator,
        place=entry.place,
    )
    if row.faithful is not None:
        evidence = _evidence(suite, entry, row) if row.evidence else ()
        index, faithful = _sentence(suite, entry, row), row.faithful
        sentence = SentenceLabel(index=index, faithful=faithful, evidence=evidence, error=row.error)
        label = replace(label, sentences=(sentence,))
    if row.holds is not None and row.text is not None and row.side is not None:
        facts = (FactLabel(text=row.text, holds=row.holds),)
        label = replace(label, facts=FactLabels(**{row.side: facts}))
    own = tuple((key, value) for key, value in entry.values.items() if key.startswith(OWN_KEYS))
    return [replace(marking, own=own) for marking in markings_of(label)]


def _sentence(suite: Suite, entry: FileEntry, row: _Row) -> int:
    """The index of the sentence, which may be given by its words."""
    text, sentences = row.sentence or "", None
    if suite.systems[row.system].endpoint is None:
        sentences = cut(suite.pair(row.paper, row.system).summary)
    if _INDEX.fullmatch(text):
        if sentences is not None and int(text) >= len(sentences):
            raise entry.fault(
                "sentence",
                f"{entry.owner} is about sentence {int(text)}, and the summary has"
                f" {len(sentences)}, counted from 0; mend the index",
            )
        return int(text)
    places = stands_in(text, sentences or ())
    if len(places) != 1:
        times = f"in {len(places)} sentences of" if places else "nowhere in"
        raise entry.fault(
            "sentence",
            f"the sentence of {entry.owner}, {brief(text)}, stands {times} the summary;"
            " write its index, from 0",
        )
    return places[0]


def _evidence(suite: Suite, entry: FileEntry, row: _Row) -> tuple[EvidenceLabel, ...]:
    """The source sentences named, by index or by their words, each once."""
    source, text = source_of(suite.paper(row.paper)), row.evidence or ""
    if _INDICES.fullmatch(text):
        indices = tuple(map(int, re.split(r"[\s,;]+", text)))
    else:
        indices = stands_in(text, source)
    fault = ""
    if not indices:
        fault = (
            f", {brief(text)}, stands nowhere in the source; write indices of source sentences,"
            " from 0, as '3;7'"
        )
    elif (last := max(indices)) >= len(source):
        fault = (
            f" names source sentence {last}, and the source has {len(source)}, counted from 0;"
            " mend the index"
        )
    if fault:
        raise entry.fault("evidence", f"'evidence' of {entry.owner}{fault}")
    return tuple(evidence_label(source, index) for index in dict.fromkeys(indices))


Markings = dict[Item, Marking]


def by_annotator(markings: Iterable[Marking]) -> dict[str, Markings]:
    """What each annotator says of each item: one thing, or it is refused."""
    by_name: defaultdict[str, Markings] = defaultdict(dict)
    for second in markings:
        first = by_name[second.annotator].setdefault(second.item, second)
        is_same = first.value == second.value
        if not is_same or (first.evidence, first.error) != (second.evidence, second.error):
            who = f"{second.annotator!r} says" if second.annotator else "the labels say"
            where = f" at {first.place}" if first.place != second.place else ""
            beside = ", with other evidence or another error" if is_same else ""
            raise SuiteError(
                second.place,
                f"{who} two things of {second.item.words}: {in_words(first.value)}{where} and"
                f" {in_words(second.value)}{beside}; delete one",
            )
    return dict(by_name)


def in_words(value: float | bool | None) -> str:
    """A marking's value in words: yes and no, a rating, or none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}"


def _by_item(annotators: Mapping[str, Markings]) -> dict[Item, list[Marking]]:
    by_item: defaultdict[Item, list[Marking]] = defaultdict(list)
    for marking in (marking for own in annotators.values() for marking in own.values()):
        by_item[marking.item].append(marking)
    return by_item


def disputed(annotators: Mapping[str, Markings]) -> tuple[Item, ...]:
    """The items of which two annotators say different things; evidence is no dispute."""
    by_item = _by_item(annotators).items()
    return tuple(item for item, own in by_item if len({m.value for m in own}) > 1)


def settled(annotators: Mapping[str, Markings]) -> list[Marking]:
    """One marking an item: the value that more annotators give than any other.

    Its evidence is what most annotators name who give that value and name any, else all that they
    name. An error is kept where more of them name it than any other.
    """
    return list(map(_settle, _by_item(annotators).values()))


def _settle(markings: Sequence[Marking]) -> Marking:
    (value, most), *others = Counter(marking.value for marking in markings).most_common()
    item = markings[0].item
    if others and others[0][1] == most:
        values = ", ".join(f"{each.annotator} {in_words(each.value)}" for each in markings)
        raise SuiteError(
            markings[-1].place,
            f"no majority on {item.words}: {values}; say who counts with --annotator NAME",
        )
    winners = [marking for marking in markings if marking.value == value]
    named = [marking.evidence for marking in winners if marking.evidence]
    counts = Counter(label for evidence in named for label in evidence)
    most_named = tuple(label for label, count in counts.items() if 2 * count > len(named))
    errors = Counter(marking.error for marking in winners if marking.error).most_common(2)
    is_tie = len({count for _, count in errors}) < len(errors)
    return replace(
        winners[0],
        evidence=most_named or tuple(counts),
        error=errors[0][0] if errors and not is_tie else None,
        annotator="\n".join(marking.annotator for marking in markings),
    )


def stands_in(text: str, sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Which sentences contain this text, or are contained in it; equal ones win."""
    wanted = normalise(text)
    exact = tuple(i for i, sentence in enumerate(sentences) if sentence == wanted)
    either = (i for i, each in enumerate(sentences) if wanted in each or each in wanted)
    return exact or (tuple(either) if wanted else ())


def label_text(suite: Suite, lines: Sequence[Mapping[str, object]], display_path: str) -> str:
    """The text of a label file, whose lines the suite's own reader has accepted."""
    labels_of(enumerate(lines, start=1), TextFile(Path(display_path), display_path), suite.roster)
    return json_lines(lines)
