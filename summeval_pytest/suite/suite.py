"""The suite: papers, summaries, labels and thresholds by name, every line of them checked.

Every mistake in its files, and every name that it does not have, is a SuiteError with its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.entries import FileEntry
from summeval_pytest.suite.file import (
    VARIANT_KEYS,
    SuiteKeys,
    Variants,
    existing_file,
    read_columns,
    read_endpoints,
    read_judges,
    read_systems,
    read_thresholds,
    read_variants,
    read_waivers,
)
from summeval_pytest.suite.labels import check_judges, read_labels, read_recorded
from summeval_pytest.suite.lines import TextFile, closest, read_toml
from summeval_pytest.suite.papers import fingerprint_of, read_papers, read_summaries
from summeval_pytest.suite.places import SUITE_NAME, suite_name, suite_text
from summeval_pytest.suite.values import RecordedSpec, Roster, SystemSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from summeval_pytest.endpoints.endpoint import EndpointSpec
    from summeval_pytest.suite.labels import Label, Recorded
    from summeval_pytest.suite.values import (
        CheckerSpec,
        ComposedSpec,
        JudgeSpec,
        Pair,
        Paper,
        Setting,
        Waiver,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Suite:
    """A suite that was checked from end to end; all that it holds is in file order.

    Attributes:
        shown: The suite file as the user would name it.
        default_systems: The systems that are gated where none is asked for.
        endpoints: The endpoints that the suite defines or changes.
        judges: All that the suite defines but those that are recorded.
        thresholds: What every pair has to reach.
        mean_thresholds: What the means over papers have to reach, per system.
        corrected_thresholds: What the means have to reach once the judge's error is taken out.
        judge_thresholds: The judge's floor of agreement with the golden labels.
        cassette: The file of recorded replies; it may not be there yet.
        baselines: The folder of saved runs; it may not be there yet.
        fingerprint: 12 hex digits over all of the papers that can move a score.
        labels: By paper and system; empty where the suite has none.
        recorded: Other judges' records; none where the suite has no such file.
    """

    path: Path
    shown: str
    systems: Mapping[str, SystemSpec]
    default_systems: tuple[str, ...]
    endpoints: Mapping[str, EndpointSpec] = field(default_factory=dict)
    judges: Mapping[str, JudgeSpec | ComposedSpec | CheckerSpec] = field(default_factory=dict)
    recorded_judges: Mapping[str, RecordedSpec] = field(default_factory=dict)
    thresholds: tuple[Setting, ...] = ()
    mean_thresholds: tuple[Setting, ...] = ()
    corrected_thresholds: tuple[Setting, ...] = ()
    judge_thresholds: tuple[Setting, ...] = ()
    variants: Variants = field(default_factory=Variants)
    cassette: TextFile
    baselines: TextFile
    fingerprint: str
    labels: Mapping[tuple[str, str], Label] = field(default_factory=dict)
    recorded: tuple[Recorded, ...] = ()
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
        """Who can be named in a suite's files."""
        return Roster(papers=self._papers, systems=self.systems)

    def paper_ids_of(self, system: str) -> tuple[str, ...]:
        """The papers that a system has a summary for, or is asked for one."""
        self.place_of(system)
        skipped = self.systems[system].skip
        return tuple(paper for paper in self._papers if paper not in skipped)

    def with_system(self, spec: SystemSpec) -> Suite:
        """The suite with one more system."""
        return replace(self, systems=MappingProxyType({**self.systems, spec.name: spec}))

    def labelled_by_facets(self) -> Suite:
        """The suite with the ratings and overall scores of its labels, and no more of them."""
        labels = {
            key: replace(label, sentences=None, facts=None)
            for key, label in self.labels.items()
            if label.facets is not None or label.overall is not None
        }
        return replace(self, labels=MappingProxyType(labels))

    def labelled_where(self, is_meant: Callable[[str], bool]) -> Suite:
        """The suite with the labels of some papers, by their ids."""
        labels = {key: label for key, label in self.labels.items() if is_meant(key[0])}
        return replace(self, labels=MappingProxyType(labels))

    def paper(self, paper_id: str) -> Paper:
        """One paper."""
        return self._papers[self._known("paper", paper_id, self._papers)]

    def place_of(self, system: str) -> Place:
        """The line of a system's table."""
        return self.systems[self._known("system", system, self.systems)].place

    def pair(self, paper_id: str, system: str) -> Pair:
        """One paper with a system's summary."""
        place = self.place_of(system)
        if system not in self._pairs:
            raise SuiteError(
                place,
                f"system {system!r} has no recorded summaries: its model is asked for them",
            )
        self.paper(paper_id)
        if paper_id not in self._pairs[system]:
            raise SuiteError(
                place,
                f"system {system!r} lists paper {paper_id!r} under 'skip'; ask for another paper",
            )
        return self._pairs[system][paper_id]

    def _known(self, kind: str, name: str, known: Collection[str]) -> str:
        if name not in known:
            raise SuiteError(
                Place(self.shown), f"the suite has no {kind} {name!r}; {closest(name, known)}"
            )
        return name


def load_suite(path: str | Path, shown: str | None = None, *, allow_outside: bool = False) -> Suite:
    """The suite that a suite file or its folder holds, every line of it checked.

    ``shown`` is how the user named ``path``; it starts the places in messages. What the suite names
    has to lie in its folder, unless ``allow_outside``. The suite file is checked before the files
    that it names are read.
    """
    file = suite_text(Path(path), shown, may_leave=allow_outside)
    toml = read_toml(file)
    top = FileEntry(values=toml.values, owner="the suite", where=toml.place)
    keys = top.read(SuiteKeys, also=VARIANT_KEYS)
    endpoints = read_endpoints(toml)
    tables, systems = read_systems(toml, endpoints)
    files = {
        key: existing_file(top, key, file)
        for key in ("papers", "labels", "recorded")
        if top.has(key)
    }
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
    recorded_judges = {n: j for n, j in judges.items() if isinstance(j, RecordedSpec)}
    thresholds = read_thresholds(toml)
    variants = read_variants(top, keys, toml)
    prefix = file.path.name.removesuffix(SUITE_NAME)
    cassette, baselines = file.beside(f"{prefix}cassette.jsonl"), file.beside(f"{prefix}baselines")
    papers = read_papers(files["papers"], names)
    roster = Roster(papers=papers, systems=systems)
    for name, table in tables.items():
        for paper in systems[name].skip:
            what = f"'skip' of {table.owner} names the unknown paper"
            table.check_known("skip", paper, papers, what)
    pairs = {
        name: read_summaries(text, systems[name], papers, roster, names)
        for name, text in summaries.items()
    }
    labels = read_labels(files["labels"], roster) if "labels" in files else {}
    recorded = read_recorded(files["recorded"], roster) if "recorded" in files else ()
    check_judges(toml, recorded_judges, recorded)
    return Suite(
        path=file.path,
        shown=file.shown,
        systems=systems,
        default_systems=keys.default_systems or tuple(systems),
        endpoints=endpoints,
        judges={n: j for n, j in judges.items() if not isinstance(j, RecordedSpec)},
        recorded_judges=recorded_judges,
        thresholds=thresholds[""],
        mean_thresholds=thresholds["mean"],
        corrected_thresholds=thresholds["corrected"],
        judge_thresholds=thresholds["judge"],
        variants=variants,
        cassette=cassette,
        baselines=baselines,
        fingerprint=fingerprint_of(papers.values()),
        labels=MappingProxyType(labels),
        recorded=recorded,
        waivers=read_waivers(toml, roster),
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
        systems=MappingProxyType(systems),
        default_systems=tuple(systems),
        cassette=nowhere,
        baselines=nowhere,
        fingerprint=fingerprint_of(papers.values()),
        _papers=MappingProxyType(papers),
        _pairs=MappingProxyType(by_system),
    )
