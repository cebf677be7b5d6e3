"""The suite: papers and systems by name, each text read from its file when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.file import read_suite_file, read_waivers, suite_name
from summeval_pytest.suite.labels import check_judges, read_labels, read_recorded
from summeval_pytest.suite.lines import brief, closest
from summeval_pytest.suite.papers import scan_papers, scan_summaries
from summeval_pytest.suite.places import suite_text
from summeval_pytest.suite.values import JudgeSpec, RecordedSpec, Roster

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.endpoints.endpoint import EndpointSpec
    from summeval_pytest.suite.file import SuiteFile, Variants
    from summeval_pytest.suite.labels import Label, Recorded
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.papers import PaperShelf, SummaryShelf
    from summeval_pytest.suite.values import Pair, Paper, Setting, SystemSpec, Waiver


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Suite:
    """A suite that was checked from end to end; texts stay in its files.

    Attributes:
        path: The suite file.
        shown: The suite file as the user would name it.
        labels: The golden labels by paper and system; empty where the suite has none.
        waivers: What may fall short for a while, in file order.
    """

    path: Path
    shown: str
    labels: Mapping[tuple[str, str], Label]
    waivers: tuple[Waiver, ...]
    _contents: SuiteFile
    _papers: PaperShelf
    _summaries: Mapping[str, SummaryShelf]

    @property
    def name(self) -> str:
        """NAME of ``NAME.summeval.toml``, else the name of the suite's folder."""
        return suite_name(self.path)

    @property
    def systems(self) -> Mapping[str, SystemSpec]:
        """The systems in file order."""
        return self._contents.systems

    @property
    def default_systems(self) -> tuple[str, ...]:
        """The systems that are gated where none is asked for."""
        return self._contents.default_systems

    @property
    def endpoints(self) -> Mapping[str, EndpointSpec]:
        """The endpoints that the suite defines or changes."""
        return self._contents.endpoints

    @property
    def judges(self) -> Mapping[str, JudgeSpec]:
        """The models that judge, as the suite defines them."""
        return {n: j for n, j in self._contents.judges.items() if isinstance(j, JudgeSpec)}

    @property
    def recorded_judges(self) -> Mapping[str, RecordedSpec]:
        """The judges whose judgements the suite records."""
        return {n: j for n, j in self._contents.judges.items() if isinstance(j, RecordedSpec)}

    @property
    def thresholds(self) -> tuple[Setting, ...]:
        """What every pair has to reach."""
        return self._contents.thresholds.pairs

    @property
    def mean_thresholds(self) -> tuple[Setting, ...]:
        """What the means over papers have to reach, per system."""
        return self._contents.thresholds.mean

    @property
    def corrected_thresholds(self) -> tuple[Setting, ...]:
        """What the means have to reach once the judge's error is taken out, per system."""
        return self._contents.thresholds.corrected

    @property
    def judge_thresholds(self) -> tuple[Setting, ...]:
        """The judge's floor of agreement with the golden labels."""
        return self._contents.thresholds.judge

    @property
    def relation_thresholds(self) -> tuple[Setting, ...]:
        """On which share of papers a judge has to hold each relation."""
        return self._contents.thresholds.metamorphic

    @property
    def variants(self) -> Variants:
        """Which variant of the metrics is measured."""
        return self._contents.variants

    @property
    def calibrate(self) -> bool:
        """Whether the judge's ratings are mapped to the labels' scale (off by default)."""
        return self._contents.calibrate

    @property
    def cassette(self) -> TextFile:
        """The file of recorded replies; it may not be there yet."""
        return self._contents.cassette

    @property
    def baselines(self) -> TextFile:
        """The folder of saved runs; it may not be there yet."""
        return self._contents.baselines

    @property
    def fingerprint(self) -> str:
        """12 hex digits over all of the papers that can move a score."""
        return self._papers.fingerprint

    @property
    def has_labels(self) -> bool:
        """Whether the suite has golden labels."""
        return bool(self.labels)

    @property
    def paper_ids(self) -> tuple[str, ...]:
        """The papers in file order."""
        return tuple(self._papers.spots)

    def paper_ids_of(self, system: str) -> tuple[str, ...]:
        """The papers that a system has a summary for, or is asked for one, in file order.

        Raises:
            SuiteError: For an unknown system.
        """
        self.place_of(system)
        skipped = self.systems[system].skip
        return tuple(paper for paper in self._papers.spots if paper not in skipped)

    def with_system(self, spec: SystemSpec) -> Suite:
        """The suite with one more system."""
        systems = MappingProxyType({**self.systems, spec.name: spec})
        return replace(self, _contents=replace(self._contents, systems=systems))

    def labelled_by_facets(self) -> Suite:
        """The suite with the ratings and overall scores of its labels, and no more of them."""
        labels = {
            key: replace(label, sentences=None, facts=None)
            for key, label in self.labels.items()
            if label.facets is not None or label.overall is not None
        }
        return replace(self, labels=MappingProxyType(labels))

    def paper(self, paper_id: str) -> Paper:
        """One paper, read from its file.

        Raises:
            SuiteError: For an unknown paper, and where the file has changed since loading.
        """
        if paper_id not in self._papers.spots:
            raise SuiteError(
                Place(self.shown),
                f"the suite has no paper {paper_id!r}; {closest(paper_id, self._papers.spots)}",
            )
        return self._papers.paper(paper_id)

    def pair(self, paper_id: str, system: str) -> Pair:
        """One paper with a system's summary, read from their files.

        Raises:
            SuiteError: Where there is no such pair, and where a file has changed since loading.
        """
        shelf = self._shelf(system)
        paper = self.paper(paper_id)
        if paper_id not in shelf.spots:
            raise SuiteError(
                self.place_of(system),
                f"system {system!r} lists paper {paper_id!r} under 'skip'; ask for another paper",
            )
        return shelf.pair(paper)

    def place_of(self, system: str) -> Place:
        """The line of a system's table.

        Raises:
            SuiteError: For an unknown system.
        """
        if system not in self.systems:
            raise SuiteError(
                Place(self.shown),
                f"the suite has no system {system!r}; {closest(system, self.systems)}",
            )
        return self.systems[system].place

    def recorded(self) -> Iterator[Recorded]:
        """Other judges' records, one at a time; none where the suite has no such file.

        Raises:
            SuiteError: Where the file has changed since loading and has a mistake now.
        """
        if self._contents.recorded is not None:
            yield from read_recorded(self._contents.recorded, self._roster())

    def _roster(self) -> Roster:
        return Roster(papers=self._papers.spots, systems=self.systems)

    def _shelf(self, system: str) -> SummaryShelf:
        place = self.place_of(system)
        if system not in self._summaries:
            raise SuiteError(
                place,
                f"system {system!r} has no recorded summaries: its model is asked for them",
            )
        return self._summaries[system]


def load_suite(path: str | Path, shown: str | None = None, *, allow_outside: bool = False) -> Suite:
    """The suite that a suite file or its folder holds, every line of it checked.

    ``shown`` is how the user named ``path``; it starts the places in messages. What the suite names
    has to lie in its folder, unless ``allow_outside``.

    Raises:
        SuiteError: At the first mistake, with file and line.
    """
    file = suite_text(Path(path), shown, may_leave=allow_outside)
    contents = read_suite_file(file)
    papers = scan_papers(contents.papers)
    roster = Roster(papers=papers.spots, systems=contents.systems)
    _check_skips(contents, roster)
    summaries = {
        system: scan_summaries(text, contents.systems[system], roster)
        for system, text in contents.summaries.items()
    }
    labels = read_labels(contents.labels, roster) if contents.labels else MappingProxyType({})
    if contents.recorded:
        check_judges(contents.toml, contents.judges, read_recorded(contents.recorded, roster))
    return Suite(
        path=file.path,
        shown=file.shown,
        labels=labels,
        waivers=read_waivers(contents.toml, roster),
        _contents=contents,
        _papers=papers,
        _summaries=summaries,
    )


def _check_skips(contents: SuiteFile, roster: Roster) -> None:
    for spec in contents.systems.values():
        for paper in spec.skip:
            if paper not in roster.papers:
                raise SuiteError(
                    contents.toml.place("systems", spec.name, "skip"),
                    f"'skip' of system {spec.name!r} names the unknown paper {brief(paper)};"
                    f" {closest(paper, roster.papers)}",
                )
