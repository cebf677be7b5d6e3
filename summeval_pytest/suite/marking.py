"""Labels item by item: from label files, from tables (CSV), and from several annotators.

A row of a table is about a pair (``paper``, ``system`` and the facets' fields, ``overall``), about
one ``sentence`` (``faithful``, ``evidence``, ``error``), about one ``facet`` (``rating``), or about
one fact (``side``, ``text``, ``holds``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BeforeValidator

from summeval_pytest.errors import OptionError, Place, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.entries import FileEntry, Given, Number, Text, expecting
from summeval_pytest.suite.labels import (
    UNRATED,
    EvidenceLabel,
    Label,
    UpTo3,
    UpTo4,
    labels_of,
    read_labels,
)
from summeval_pytest.suite.lines import OWN_KEYS, TextFile, brief, closest
from summeval_pytest.suite.places import json_lines
from summeval_pytest.suite.rows import read_table
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from summeval_pytest.suite.rows import DataTable
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper

ItemKind = Facet | Literal["overall", "sentence", "reference fact", "candidate fact"]
"""What can be labelled of a pair: a facet, the pair as a whole, a sentence, a fact of a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that can be labelled; ``index`` is of a sentence, from 0, ``text`` of a fact."""

    paper: str
    system: str
    kind: ItemKind
    index: int = 0
    text: str = ""

    @property
    def words(self) -> str:
        """The item in words that a message can go on from."""
        what = f"{self.kind} {brief(self.text)}" if self.text else f"{self.kind!r}"
        if self.kind == "sentence":
            what = f"sentence {self.index + 1}"
        return f"{what} of paper {self.paper!r} and system {self.system!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What one annotator said of one item.

    Attributes:
        value: A rating on the facet's scale, or None where the reference has no such facet; an
            overall score; whether the sentence is faithful, or the fact holds.
        evidence: The source sentences that decide a sentence.
        error: The kind of error of an unfaithful sentence.
        factual: Whether an unfaithful sentence is true all the same; None where nobody looked.
        own: The owner's own keys (``x_``), which go into the label.
        annotator: Who said so; empty where nobody is named.
    """

    item: Item
    value: float | bool | None
    evidence: tuple[EvidenceLabel, ...] = ()
    error: str | None = None
    factual: bool | None = None
    own: tuple[tuple[str, object], ...] = ()
    annotator: str = ""
    place: Place


_SIDES: Final[dict[ItemKind, str]] = {"reference fact": "covered", "candidate fact": "supported"}
"""The flag of the facts of each side."""


def markings_of(label: Label) -> Iterator[Marking]:
    """What a label says, item by item."""
    pair = Item(paper=label.paper, system=label.system, kind="overall")
    overall = Marking(
        item=pair, value=label.overall, annotator=label.labelled_by or "", place=label.place
    )
    for facet, rating in (label.facets or {}).items():
        yield replace(overall, item=replace(pair, kind=facet), value=rating)
    if label.overall is not None:
        yield overall
    for sentence in label.sentences or ():
        yield replace(
            overall,
            item=replace(pair, kind="sentence", index=sentence.index),
            value=sentence.faithful,
            evidence=sentence.evidence,
            error=sentence.error,
            factual=sentence.factual,
        )
    if label.facts is not None:
        sides = (label.facts.reference, label.facts.candidate)
        for kind, facts in zip(_SIDES, sides, strict=True):
            for fact in facts:
                item = replace(pair, kind=kind, text=fact.text)
                yield replace(overall, item=item, value=fact.holds)


def _without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def label_object(markings: Iterable[Marking]) -> dict[str, object]:
    """The label line of one pair, without who labelled it: a part for each kind of marking."""
    in_order = sorted(markings, key=lambda marking: marking.item.index)  # of sentences
    by_kind: defaultdict[ItemKind, list[Marking]] = defaultdict(list)
    for marking in in_order:
        by_kind[marking.item.kind].append(marking)
    facts = {
        kind.removesuffix(" fact"): [
            {"text": m.item.text, flag: m.value, **dict(m.own)} for m in by_kind[kind]
        ]
        for kind, flag in _SIDES.items()
    }
    parts = {
        "facets": {facet: by_kind[facet][0].value for facet in FACETS if facet in by_kind},
        "overall": by_kind["overall"][0].value if "overall" in by_kind else None,
        "sentences": [_sentence_object(marking) for marking in by_kind["sentence"]],
        "facts": _without_none(facts),
    }
    pair = {"paper": in_order[0].item.paper, "system": in_order[0].item.system}
    return {**pair, **_without_none(parts), **_own_keys(in_order)}


def _sentence_object(marking: Marking) -> dict[str, object]:
    label = {
        "index": marking.item.index,
        "faithful": marking.value,
        "evidence": [_without_none(asdict(each)) for each in marking.evidence],
        "error": marking.error,
        "factual": marking.factual,
    }
    return _without_none(label) | dict(marking.own)


def _own_keys(markings: list[Marking]) -> dict[str, object]:
    """The owner's own keys of a pair, which all its markings agree on."""
    values: dict[str, tuple[object, Place]] = {}
    for marking in markings:
        item, is_of_pair = marking.item, marking.item.kind in {*FACETS, "overall"}
        for key, value in marking.own if is_of_pair else ():
            first, place = values.setdefault(key, (value, marking.place))
            if first != value:
                raise SuiteError(
                    marking.place,
                    f"{key!r} of paper {item.paper!r} and system {item.system!r} is"
                    f" {brief(value)}, and {brief(first)} at {place}; keep one",
                )
    return {key: value for key, (value, _) in values.items()}


def source_sentences(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section."""
    return tuple(sentence for section in paper.source for sentence in cut(section.text))


def cut(text: str) -> tuple[str, ...]:
    """The sentences of a text, as every metric counts them."""
    return sentence_texts(normalise(text))


_WORDS: Final = 5


def evidence_label(source: tuple[str, ...], index: int) -> EvidenceLabel:
    """A sentence of this source, by its index and its first words."""
    sentence = source[index]
    rest = sentence.split(None, _WORDS)[_WORDS:]
    starts = sentence.removesuffix(rest[0]).rstrip() if rest else sentence
    return EvidenceLabel(index=index, starts=starts)


def stands_in(text: str, sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Which sentences contain this text, or are contained in it; equal ones win."""
    wanted = normalise(text)
    exact = tuple(i for i, sentence in enumerate(sentences) if sentence == wanted)
    either = (i for i, each in enumerate(sentences) if wanted in each or each in wanted)
    return exact or (tuple(either) if wanted else ())


def read_label_file(
    file: Path, suite: Suite, shown: str | None = None
) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, whether or not the suite names it, by paper and system."""
    return read_labels(TextFile(file, shown or file.as_posix()), suite.roster)


def label_lines(
    suite: Suite, markings: Iterable[Marking], about: Mapping[str, object]
) -> list[dict[str, object]]:
    """The label lines of these markings, one a pair: papers, then systems, in the suite's order.

    ``about`` goes to the end of each line; without ``labelled_by`` the annotators are named.
    """
    pairs: defaultdict[tuple[str, str], list[Marking]] = defaultdict(list)
    for marking in markings:
        pairs[marking.item.paper, marking.item.system].append(marking)
    lines = []
    for pair in filter(pairs.__contains__, product(suite.paper_ids, suite.systems)):
        names = {name: None for marking in pairs[pair] for name in marking.annotator.split("\n")}
        by = ", ".join(filter(None, names))
        lines.append({**label_object(pairs[pair]), **({"labelled_by": by} if by else {}), **about})
    return lines


def label_text(suite: Suite, lines: Sequence[Mapping[str, object]], shown: str) -> str:
    """The text of a label file, whose lines the suite's own reader has accepted."""
    labels_of(enumerate(lines, start=1), TextFile(Path(shown), shown), suite.roster)
    return json_lines(lines)


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
_NUMBERED: Final = re.compile(r"\[(\d{1,9})\].*", re.DOTALL | re.ASCII)


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
    facet: Given[Annotated[Facet, BeforeValidator(str.lower)]] = None
    side: Given[Annotated[_Side, BeforeValidator(str.lower)]] = None
    text: Given[Text] = None
    annotator: str = ""
    background: _Rating3 = UNRATED
    method: _Rating4 = UNRATED
    result: _Rating4 = UNRATED
    conclusion: _Rating3 = UNRATED
    rating: object = None
    overall: Given[Annotated[Number, BeforeValidator(_number)]] = None
    faithful: _Yes = None
    evidence: Given[Text] = None
    error: Given[Text] = None
    holds: _Yes = None


FIELDS: Final = tuple(each.name for each in fields(_Row))
_NEEDS: Final = {
    "rating": "facet", "faithful": "sentence", "evidence": "faithful", "error": "faithful",
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
        name, _, target = option.rpartition("=")
        fault = ""
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
        if name not in targets:
            what = f"the header has no column {name!r}; add it, or name it with"
            raise SuiteError(table.place, f"{what} --map COLUMN={name}")
    return fields_of


class RowReader:
    """Reads rows as markings of one suite; each of its texts is cut into sentences once."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._source = cache(lambda paper: source_sentences(suite.paper(paper)))
        self._summary = cache(lambda paper, system: cut(suite.pair(paper, system).summary))

    def markings(self, entry: FileEntry) -> list[Marking]:
        """What a row says, item by item; nothing where its answers are empty."""
        for key, needed in _NEEDS.items():
            if entry.has(key) and not entry.has(needed):
                raise entry.fault(
                    key, f"{entry.owner} has {key!r} and no {needed!r}; add it, or delete {key!r}"
                )
        row = entry.read(_Row)
        self._suite.roster.check(entry, row.paper, row.system)
        if row.facet is not None and row.rating is not None:
            entry = replace(entry, values={**entry.values, row.facet: row.rating})
            row = entry.read(_Row)
        item = Item(paper=row.paper, system=row.system, kind="overall")
        plain = Marking(
            item=item,
            value=row.overall,
            own=tuple((k, v) for k, v in entry.values.items() if k.startswith(OWN_KEYS)),
            annotator=row.annotator,
            place=entry.place,
        )
        ratings = {facet: getattr(row, facet) for facet in FACETS}
        markings = [
            replace(plain, item=replace(item, kind=facet), value=rating)
            for facet, rating in ratings.items()
            if rating != UNRATED
        ]
        if row.overall is not None:
            markings.append(plain)
        if row.faithful is not None:
            markings.append(self._of_sentence(entry, row, plain))
        if row.holds is not None and row.text is not None:
            kind: ItemKind = "reference fact" if row.side == "reference" else "candidate fact"
            fact = replace(item, kind=kind, text=row.text)
            markings.append(replace(plain, item=fact, value=row.holds))
        return markings

    def _of_sentence(self, entry: FileEntry, row: _Row, plain: Marking) -> Marking:
        if row.faithful and row.error:
            what = f"{entry.owner} is faithful and names an error, {brief(row.error)}"
            raise entry.fault("error", f"{what}; delete one of the two")
        evidence = self._evidence(entry, row) if row.evidence else ()
        item = replace(plain.item, kind="sentence", index=self._sentence(entry, row))
        return replace(plain, item=item, value=row.faithful, evidence=evidence, error=row.error)

    def _sentence(self, entry: FileEntry, row: _Row) -> int:
        """The index of the sentence, which may be given by its words."""
        text = row.sentence or ""
        is_recorded = self._suite.systems[row.system].endpoint is None
        sentences = self._summary(row.paper, row.system) if is_recorded else None
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

    def _evidence(self, entry: FileEntry, row: _Row) -> tuple[EvidenceLabel, ...]:
        """The source sentences named, by index or by their words, each once."""
        source, text = self._source(row.paper), row.evidence or ""
        if _INDICES.fullmatch(text):
            indices = tuple(map(int, re.split(r"[\s,;]+", text)))
        elif numbered := _NUMBERED.fullmatch(text):
            indices = (int(numbered[1]),)
        else:
            indices = stands_in(text, source)
        if not indices:
            raise entry.fault(
                "evidence",
                f"'evidence' of {entry.owner}, {brief(text)}, stands nowhere in the source;"
                " write indices of source sentences, from 0, as '3;7'",
            )
        if beyond := [index for index in indices if index >= len(source)]:
            raise entry.fault(
                "evidence",
                f"'evidence' of {entry.owner} names source sentence {beyond[0]}, and the source"
                f" has {len(source)}, counted from 0; mend the index",
            )
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
    for markings in annotators.values():
        for item, marking in markings.items():
            by_item[item].append(marking)
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
    return [_settle(item, markings) for item, markings in _by_item(annotators).items()]


def _settle(item: Item, markings: Sequence[Marking]) -> Marking:
    (value, most), *others = Counter(marking.value for marking in markings).most_common()
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
