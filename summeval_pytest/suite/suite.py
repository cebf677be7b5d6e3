"""The suite, here or at a git revision: papers, summaries and labels by name, every line checked.

Every mistake in its files, and every name that it does not have, is a SuiteError with its place.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BeforeValidator

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.entries import FileEntry, Given, Text, expecting, keyed, mistake
from summeval_pytest.suite.file import (
    SuiteKeys,
    Variants,
    existing_file,
    read_columns,
    read_compare,
    read_endpoints,
    read_judges,
    read_slice_fields,
    read_systems,
    read_thresholds,
    read_variants,
    read_waivers,
)
from summeval_pytest.suite.labels import (
    Label,
    Marking,
    digest_of,
    label_object,
    read_labels,
)
from summeval_pytest.suite.lines import (
    RESERVED_PAPERS,
    TextFile,
    check_name,
    closest,
    is_visible,
    read_toml,
)
from summeval_pytest.suite.places import SUITE_NAME, suite_name, suite_text
from summeval_pytest.suite.rows import PAPER_COLUMNS, SUMMARY_COLUMNS, read_rows
from summeval_pytest.suite.values import (
    CompareTable,
    Pair,
    Paper,
    Roster,
    SystemSpec,
    pair_of,
    read_output,
)
from summeval_pytest.text.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from summeval_pytest.suite.addresses import EndpointSpec
    from summeval_pytest.suite.lines import TomlText
    from summeval_pytest.suite.values import AnyJudge, Setting, Waiver

_SLICE_VALUE: Final = (
    "a text or a whole number, which names a slice, with single spaces, no invisible characters"
    " and accented letters in one piece (Unicode NFC)"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Suite:
    """A checked suite. Its papers, systems and labels are in file order.

    Attributes:
        shown: The suite file as the user would name it.
        default_systems: The systems that are gated if no option names one.
        endpoints: The endpoints that the suite defines or changes.
        judges: The judges that the suite defines.
        thresholds: By prefix: of every pair without one, ``mean.`` of a system's means over
            papers, ``corrected.`` of means that labels correct, ``judge.`` of the agreement with
            the golden labels.
        slices: By name, as ``field=cs``, the papers of each slice.
        must_pass: The papers that no waiver and no mean covers.
        compare: What comparisons with a saved run go by.
        cassette: The file of recorded replies; it may not be there yet.
        baselines: The folder of saved runs; it may not be there yet.
        fingerprint: 12 hex digits over everything in the papers that can change a score.
        labels: By paper and system; empty without labels.
        all_labels: The same, with those that a shard or a judge of facets leaves out. A judge's
            examples come from them.
    """

    path: Path
    shown: str
    systems: Mapping[str, SystemSpec]
    default_systems: tuple[str, ...]
    endpoints: Mapping[str, EndpointSpec] = field(default_factory=dict)
    judges: Mapping[str, AnyJudge] = field(default_factory=dict)
    thresholds: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    slice_thresholds: Mapping[str, tuple[Setting, ...]] = field(default_factory=dict)
    must_pass: tuple[str, ...] = ()
    compare: CompareTable = field(default_factory=CompareTable)
    variants: Variants = field(default_factory=Variants)
    cassette: TextFile
    baselines: TextFile
    fingerprint: str
    labels: Mapping[tuple[str, str], Label] = field(default_factory=dict)
    all_labels: Mapping[tuple[str, str], Label] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    _papers: Mapping[str, Paper]
    _pairs: Mapping[str, Mapping[str, Pair]]

    @property
    def name(self) -> str:
        """NAME of ``NAME.summeval.toml``, else the name of the suite's folder."""
        return suite_name(self.path)

    @property
    def has_labels(self) -> bool:
        """Whether the suite has golden labels."""
        return bool(self.labels)

    @property
    def paper_ids(self) -> tuple[str, ...]:
        """The papers in file order."""
        return tuple(self._papers)

    @property
    def roster(self) -> Roster:
        """The papers and systems that lines of the suite's files may name."""
        return Roster(papers=self._papers, systems=self.systems)

    def paper_ids_of(self, system: str) -> tuple[str, ...]:
        """The papers that a system does not skip."""
        self.place_of(system)
        skipped = self.systems[system].skip
        return tuple(paper for paper in self._papers if paper not in skipped)

    def with_system(self, spec: SystemSpec) -> Suite:
        """The suite with one more system."""
        return replace(self, systems={**self.systems, spec.name: spec})

    def labelled_by_facets(self) -> Suite:
        """The suite with the ratings and overall scores of its labels only."""
        labels = {
            key: replace(label, sentences=None, facts=None)
            for key, label in self.labels.items()
            if label.facets is not None or label.overall is not None
        }
        return replace(self, labels=labels)

    def labelled_where(self, is_meant: Callable[[str], bool]) -> Suite:
        """The suite with the labels of some papers, by their ids."""
        labels = {key: label for key, label in self.labels.items() if is_meant(key[0])}
        return replace(self, labels=labels)

    def paper(self, paper_id: str) -> Paper:
        """One paper."""
        return self._papers[self._known("paper", paper_id, self._papers)]

    def place_of(self, system: str) -> Place:
        """The line of a system's table."""
        return self.systems[self._known("system", system, self.systems)].place

    def pair(self, paper_id: str, system: str) -> Pair:
        """One paper with a system's summary."""
        place, paper = self.place_of(system), self.paper(paper_id)
        if system not in self._pairs:
            what = f"system {system!r} has no recorded summaries"
            raise SuiteError(place, f"{what}: its model is asked for them")
        if paper.id not in self._pairs[system]:
            what = f"system {system!r} lists paper {paper_id!r} under 'skip'"
            raise SuiteError(place, f"{what}; ask for another paper")
        return self._pairs[system][paper.id]

    def _known(self, kind: str, name: str, known: Collection[str]) -> str:
        if name not in known:
            raise SuiteError(
                Place(self.shown), f"the suite has no {kind} {name!r}; {closest(name, known)}"
            )
        return name


def canonical_text(paper: Paper) -> str:
    """The paper as one line of JSON without its title: equal papers have equal texts.

    Reading the line as a paper gives the paper back, its title aside.
    """
    values: dict[str, object] = {
        "id": paper.id,
        "source": [
            {"heading": s.heading, "text": s.text} if s.heading else {"text": s.text}
            for s in paper.source
        ],
        "reference": list(paper.references),
    }
    if paper.reference_facets is not None:
        segments = paper.reference_facets
        values["reference_facets"] = {facet: segments.segment(facet) or None for facet in FACETS}
    if paper.reference_facts is not None:
        values["reference_facts"] = [
            {"text": fact.text, "sentence": fact.sentence, "parent": fact.parent}
            for fact in paper.reference_facts
        ]
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def paper_digest(paper: Paper) -> str:
    """12 hex digits over everything in a paper that can change a score."""
    return hashlib.sha256(canonical_text(paper).encode()).hexdigest()[:12]


def fingerprint_of(papers: Iterable[Paper]) -> str:
    """12 hex digits of SHA-256 over the SHA-256 of each canonical text, in order of id."""
    total = hashlib.sha256()
    for paper in sorted(papers, key=lambda paper: paper.id):
        total.update(hashlib.sha256(canonical_text(paper).encode()).digest())
    return total.hexdigest()[:12]


def _plain(text: str) -> str:
    """A text as no other one looks: visible characters in their usual form, and single spaces."""
    visible = "".join(filter(str.isprintable, text))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def _read_papers(
    file: TextFile, names: Mapping[str, str], toml: TomlText
) -> tuple[Mapping[str, Paper], Mapping[str, tuple[str, ...]]]:
    """The papers of a file, at least one, by id, and the ids of each slice by its name."""
    fields = read_slice_fields(toml)
    groups: defaultdict[str, list[str]] = defaultdict(list)

    def read(entry: FileEntry) -> tuple[str, Paper]:
        paper = read_paper(entry)
        for name, column in fields.items():
            value = entry.values.get(column)
            if value is None or value == "":  # the paper is in no slice of this field
                continue
            text = str(value)
            if not isinstance(value, str | int | bool) or text != _plain(text):
                raise entry.wrong(column, value, _SLICE_VALUE)
            groups[f"{name}={text}"].append(paper.id)
        return paper.id, paper

    papers = keyed(
        read_rows(file, "this paper", (*PAPER_COLUMNS, *fields.values()), names),
        read,
        lambda paper: f"paper {paper!r} stands",
    )
    if not papers:
        raise SuiteError(file.at(0), f"{file.shown!r} has no paper; write at least one")
    for name, column in fields.items():
        if not any(each.startswith(f"{name}=") for each in groups):
            what = f"no paper has a value of {column!r}, which slice {name!r} names"
            raise SuiteError(toml.place("slices", name), f"{what}; add it to the papers")
    return papers, {name: tuple(groups[name]) for name in sorted(groups)}


def _check_skip(
    table: FileEntry, skip: Collection[str], papers: Collection[str], must_pass: Collection[str]
) -> None:
    """Refuse to skip an unknown paper, one that must pass, or all: it would pass unjudged."""
    for paper in skip:
        what = f"'skip' of {table.owner} names the unknown paper"
        table.check_known("skip", paper, papers, what)
        if paper in must_pass:
            what = f"'skip' of {table.owner} lists paper {paper!r}, which must pass"
            raise table.fault("skip", f"{what}; delete one of the two")
    if set(skip) >= set(papers):
        what = "lists every paper, so the system would pass unjudged"
        raise table.key_fault("skip", f"{what}; delete the system, or judge it on a paper")


def read_paper(entry: FileEntry) -> Paper:
    """The paper of one line; messages name it by its id."""
    paper_id = entry.values.get("id")
    if isinstance(paper_id, str) and is_visible(paper_id):
        check_name(paper_id, "paper", entry.place, RESERVED_PAPERS)
        entry = replace(entry, owner=f"paper {paper_id!r}")
    paper = entry.read(Paper, place=entry.place)
    if len(paper.references) > 1:
        for key in filter(entry.has, ("reference_facets", "reference_facts")):
            what = f"goes with one reference, and there are {len(paper.references)}"
            raise entry.key_fault(key, f"{what}; delete it or keep one reference")
    return paper


def _output(value: object) -> Output:
    """The output in a value; a text without a visible character is none."""
    output = read_output(value)
    if output is None or not (output.had_thoughts or is_visible(output.text)):
        raise mistake("is no output", "empty")
    return output


@dataclass(slots=True, kw_only=True)
class _Summary:
    paper: Text
    summary: Annotated[
        Output,
        BeforeValidator(_output),
        expecting("what the system returned, or '-' where that was nothing, which fails"),
    ]
    provenance: Given[Text] = None


def read_summaries(
    file: TextFile, spec: SystemSpec, roster: Roster, names: Mapping[str, str]
) -> Mapping[str, Pair]:
    """The pairs of a system by paper, for all papers that it does not skip."""
    papers = roster.papers

    def read(entry: FileEntry) -> tuple[str, Pair]:
        line = entry.read(_Summary)
        roster.check(entry, line.paper)
        if line.paper in spec.skip:
            what = f"system {spec.name!r} has a summary for paper {line.paper!r}"
            raise entry.fault("", f"{what}, which it lists under 'skip'; delete one of the two")
        pair = pair_of(papers[line.paper], spec.name, line.summary, entry.place)
        return line.paper, pair

    pairs = keyed(
        read_rows(file, "this summary", SUMMARY_COLUMNS, names),
        read,
        lambda paper: f"system {spec.name!r} has a summary for paper {paper!r}",
    )
    if missing := [paper for paper in papers if paper not in pairs and paper not in spec.skip]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        what = f"system {spec.name!r} has no summary for paper {missing[0]!r}{more}"
        remedy = f"add it to {spec.summaries} or list the paper under 'skip'"
        raise SuiteError(spec.place, f"{what}; {remedy}")
    return pairs


def load_suite(path: str | Path, shown: str | None = None, *, allow_outside: bool = False) -> Suite:
    """Load and check the suite in a file or a folder.

    ``shown`` is how the user named ``path``; it starts the places in messages. What the suite names
    has to lie in its folder, unless ``allow_outside``. The suite file is checked before the files
    that it names are read.
    """
    file = suite_text(Path(path), shown, may_leave=allow_outside)
    toml = read_toml(file)
    top = FileEntry(values=toml.values, owner="the suite", where=toml.place)
    keys = top.read(SuiteKeys)
    endpoints = read_endpoints(toml)
    tables, systems = read_systems(toml, endpoints)
    files = {key: existing_file(top, key, file) for key in ("papers", "labels") if top.has(key)}
    summaries = {
        name: existing_file(table, "summaries", file)
        for name, table in tables.items()
        if table.has("summaries")
    }
    names = read_columns(toml, [files["papers"], *summaries.values()])
    for name in keys.default_systems or ():
        what = "'default_systems' names the unknown system"
        top.check_known("default_systems", name, systems, what)
    judges = read_judges(toml, endpoints)
    thresholds, slice_thresholds = read_thresholds(toml)
    variants = read_variants(keys, toml)
    prefix = file.path.name.removesuffix(SUITE_NAME)
    cassette, baselines = file.beside(f"{prefix}cassette.jsonl"), file.beside(f"{prefix}baselines")
    papers, slices = _read_papers(files["papers"], names, toml)
    roster, must_pass = Roster(papers=papers, systems=systems), keys.must_pass or ()
    for name in must_pass:
        top.check_known("must_pass", name, papers, "'must_pass' names the unknown paper")
    for name, table in tables.items():
        _check_skip(table, systems[name].skip, papers, must_pass)
    pairs = {
        name: read_summaries(text, systems[name], roster, names) for name, text in summaries.items()
    }
    labels = read_labels(files["labels"], roster) if "labels" in files else {}
    return Suite(
        path=file.path,
        shown=file.shown,
        systems=systems,
        default_systems=keys.default_systems or tuple(systems),
        endpoints=endpoints,
        judges=judges,
        thresholds=thresholds,
        slices=slices,
        slice_thresholds=slice_thresholds,
        must_pass=must_pass,
        compare=read_compare(toml),
        variants=variants,
        cassette=cassette,
        baselines=baselines,
        fingerprint=fingerprint_of(papers.values()),
        labels=labels,
        all_labels=labels,
        waivers=read_waivers(toml, roster, must_pass),
        _papers=papers,
        _pairs=pairs,
    )


def suite_of_pairs(pairs: Iterable[Pair], shown: str) -> Suite:
    """A suite of pairs that stand in no file, without thresholds, labels and judges."""
    papers: dict[str, Paper] = {}
    by_system: dict[str, dict[str, Pair]] = {}
    for pair in pairs:
        papers[pair.paper.id] = pair.paper
        by_system.setdefault(pair.system, {})[pair.paper.id] = pair
    systems = {
        name: SystemSpec(
            name=name,
            summaries=shown,
            skip=tuple(paper for paper in papers if paper not in own),
            place=Place(shown),
        )
        for name, own in by_system.items()
    }
    nowhere = TextFile(Path(shown), shown)
    return Suite(
        path=nowhere.path,
        shown=shown,
        systems=systems,
        default_systems=tuple(systems),
        cassette=nowhere,
        baselines=nowhere,
        fingerprint=fingerprint_of(papers.values()),
        _papers=papers,
        _pairs=by_system,
    )


def read_label_file(file: Path, suite: Suite) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, whether or not the suite names it, by paper and system."""
    labels = read_labels(TextFile(file, file.as_posix()), suite.roster)
    for label in labels.values():
        if suite.systems[label.system].summaries is not None:
            check_texts(label, suite.pair(label.paper, label.system))
    return labels


def texts_digest(paper: Paper) -> str:
    """12 hex digits over a paper's references and source; headings are left out."""
    return digest_of("\n".join((*paper.references, *(section.text for section in paper.source))))


def check_texts(label: Label, pair: Pair) -> None:
    """Refuse a label of another summary or paper than people read, by a SuiteError.

    What they said of the old text would be taken for an error of the judge on the new one.
    """
    summary = f"the summary of system {label.system!r} on paper {label.paper!r}"
    minor = ", or delete its 'paper_digest' if the change does not matter to it"
    for what, way, then, now in (
        (summary, "", label.summary_digest, partial(digest_of, pair.summary)),
        (f"paper {label.paper!r}", minor, label.paper_digest, partial(texts_digest, pair.paper)),
    ):
        if then is not None and then != now():
            raise SuiteError(
                label.place,
                f"{what} has changed since people labelled it; delete the label, then label it"
                f" again{way}",
            )


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
        line = {**label_object(pairs[pair]), **({"labelled_by": by} if by else {})}
        if suite.systems[pair[1]].summaries is not None:
            line["summary_digest"] = digest_of(suite.pair(*pair).summary)
        line["paper_digest"] = texts_digest(suite.paper(pair[0]))
        lines.append({**line, **about})
    return lines
