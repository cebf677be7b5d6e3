"""The importer of ScholarSum: a suite with labels and recorded judgements from the release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.entries import FileEntry, Number
from summeval_pytest.suite.lines import TextFile, brief, check_name, finite, read_json, read_lines
from summeval_pytest.suite.places import check_new, suite_files, write_suite
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from summeval_pytest.questions import Facet


_ARTICLE: Final = "article"
_REFERENCE: Final = "human"
_REFERENCE_SEGMENTS: Final = ("ground_aspect", "human_aspect")
_SYSTEMS: Final = (
    "gpt35_fm", "gpt35", "llama2_70b", "longt5", "longt5_block", "bigbird_pegasus",
    "bigbird_pegasus_block", "factsum", "bartlarge", "bartbase",
)  # fmt: skip
_GPT35: Final = ("gpt35_fm", "gpt35", "gpt3.5")
_PREFIXES: Final = {"gpt35_fm": _GPT35, "gpt35": ("gpt35", "gpt35_fm", "gpt3.5")}
"""What the columns of a system may begin with, where that is not only its own name."""
_FACETS: Final[dict[str, Facet]] = {
    **{facet: facet for facet in FACETS},
    **{f"{facet}s": facet for facet in FACETS},
}
_GRID: Final = 0.01


class ScoreColumn(NamedTuple):
    """Who judged, and the columns of the overall score and of the ratings, where there are any."""

    by: str
    overall: str
    ratings: str = ""


_HUMAN: Final = ScoreColumn("ScholarSum annotators", "human", "human_list")
_SCORES: Final = (
    ScoreColumn("FM(GPT-4)", "gpt4_fm", "gpt4_fm_list"),
    ScoreColumn("FM(GPT-4, variant)", "gpt4_wo", "gpt4_list_wo"),
    ScoreColumn("FM(GPT-3.5)", "gpt35_fm", "gpt35_fm_list"),
    ScoreColumn("FM(Llama)", "llama"),
    ScoreColumn("GPT-4 direct", "gpt4"),
    ScoreColumn("Llama direct", "llama_base"),
    ScoreColumn("G-Eval", "geval"),
    ScoreColumn("BERTScore", "bert"),
    ScoreColumn("ROUGE-1 (recorded)", "newrouge1"),
    ScoreColumn("ROUGE-2 (recorded)", "newrouge2"),
    ScoreColumn("ROUGE-L (recorded)", "newrougel"),
    ScoreColumn("QuestEval", "questeval"),
    ScoreColumn("ACU", "acu3"),
    ScoreColumn("DELTA", "delta"),
)
_SEGMENTS_BY: Final = "GPT-4 segments"
_BASIS: Final = "ScholarSum release"
_RECORDED_JUDGES: Final = {
    "gpt4-recorded": "FM(GPT-4)",
    "gpt4-variant-recorded": "FM(GPT-4, variant)",
    "gpt35-recorded": "FM(GPT-3.5)",
}
"""The names by which the release's judges can be asked again; Llama's ratings were not kept."""

_THRESHOLDS: Final = (
    "[thresholds]", "facet = 0.55", "faithfulness = 0.80", "", "[thresholds.mean]", "facet = 0.65",
)  # fmt: skip

_Object = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import wrote, and what it had to leave out.

    ``n_skipped_facets`` counts ratings of a labelled pair that the annotators left out because
    the reference has no such facet; ``judges`` can be asked again from their records.
    """

    n_papers: int
    systems: tuple[str, ...]
    n_pairs: int
    n_labelled_pairs: int
    n_skipped_facets: int
    judges: tuple[str, ...]
    notes: tuple[str, ...]


def import_scholarsum(file: Path, out: Path) -> ImportReport:
    """Make a suite in the folder ``out`` from one half of the ScholarSum release.

    Everything is read and checked before the first file is written; the same release gives the
    same bytes.
    """
    check_new(out)
    source = TextFile(file, file.as_posix())
    check_name(file.stem, "the file stem", source.at(0))
    papers = [
        _checked(FileEntry.at(source.at(line), values))
        for line, values in read_lines(source, halves=True)
    ]
    if not papers:
        raise SuiteError(source.at(0), f"{file.name!r} is empty; name a file of the release")
    draft = _Draft(systems=_systems(papers))
    for number, paper in enumerate(papers, start=1):
        draft.add(paper, f"{file.stem}-{number:03}")
    write_suite(out, draft.files(file.name))
    return ImportReport(
        n_papers=len(draft.papers),
        systems=draft.systems,
        n_pairs=sum(map(len, draft.summaries.values())),
        n_labelled_pairs=len(draft.labels),
        n_skipped_facets=draft.n_skipped_facets,
        judges=tuple(draft.judges()),
        notes=tuple(draft.notes),
    )


def _checked(paper: FileEntry) -> FileEntry:
    for key in (_ARTICLE, _REFERENCE):
        if not paper.has(key):
            raise _no_release(paper, f"this line has no {key!r}")
    return paper


def _systems(papers: list[FileEntry]) -> tuple[str, ...]:
    """The systems that have a summary of any paper."""
    systems = tuple(
        name for name in _SYSTEMS if any(isinstance(p.values.get(name), str | list) for p in papers)
    )
    if not systems:
        none = f"this line has no summary ({_SYSTEMS[0]!r}, {_SYSTEMS[1]!r}, ...)"
        raise _no_release(papers[0], none)
    return systems


def _no_release(paper: FileEntry, what: str) -> SuiteError:
    return SuiteError(
        paper.place,
        f"{what}, so the file is no ScholarSum release;"
        " name its dataset/pubmed.json or dataset/arxiv.json",
    )


@dataclass(slots=True, kw_only=True)
class _Draft:
    """The suite as it grows, paper by paper."""

    systems: tuple[str, ...]
    papers: list[_Object] = field(default_factory=list)
    summaries: dict[str, list[_Object]] = field(init=False)
    labels: list[_Object] = field(default_factory=list)
    recorded: list[_Object] = field(default_factory=list)
    n_skipped_facets: int = 0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.summaries = {system: [] for system in self.systems}

    def judges(self) -> dict[str, str]:
        """The recorded judges: their names, and whose records of facets they are."""
        rating = {record["by"] for record in self.recorded if "facets" in record}
        has_segments = any("segments" in record for record in self.recorded)
        return {n: by for n, by in _RECORDED_JUDGES.items() if by in rating and has_segments}

    def add(self, paper: FileEntry, paper_id: str) -> None:
        """Add a paper and all that the release has of it."""
        texts = {key: _text(paper, key) for key in (_ARTICLE, _REFERENCE)}
        for key, text in texts.items():
            if not text:
                raise paper.fault(
                    key, f"{key!r} of this line is empty (''); name a complete file of the release"
                )
        self.papers.append(
            {"id": paper_id, "source": texts[_ARTICLE], "reference": texts[_REFERENCE]}
        )
        self._add_segments(paper, paper_id, None)
        for system in self.systems:
            summary = _text(paper, system)
            if not summary:
                self.notes.append(
                    f"{paper_id}: the summary of {system!r} is empty; listed under skip"
                )
                continue
            self.summaries[system].append({"paper": paper_id, "summary": summary})
            for column in (_HUMAN, *_SCORES):
                self._add_score(paper, paper_id, system, column)
            self._add_segments(paper, paper_id, system)

    def _add_score(self, paper: FileEntry, paper_id: str, system: str, column: ScoreColumn) -> None:
        """Add what one judge said of a summary; a rating of 0 says that the facet was left out."""
        overall = self._key(paper, system, column.overall)
        ratings = self._key(paper, system, column.ratings) if column.ratings else None
        if overall is None and ratings is None:
            return
        score: _Object = {"overall": paper.value(overall, Number)} if overall else {}
        rated = _ratings(paper, ratings) if ratings else {}
        of: _Object = {"paper": paper_id, "system": system}
        if column is _HUMAN:
            if ratings:
                score = {"facets": {facet: r or None for facet, r in rated.items()}, **score}
                self.n_skipped_facets += sum(not rating for rating in rated.values())
            self.labels.append({**of, **score, "labelled_by": column.by, "basis": _BASIS})
            return
        if left_out := [facet for facet, rating in rated.items() if not rating]:
            names = ", ".join(left_out)
            self.notes.append(f"{paper_id}: {column.by} rated no {names} of {system!r}")
        if facets := {facet: rating for facet, rating in rated.items() if rating}:
            score = {"facets": facets, **score}
        if score:
            self.recorded.append({**of, "by": column.by, **score})

    def _add_segments(self, paper: FileEntry, paper_id: str, system: str | None) -> None:
        """Add GPT-4's segments of a summary, or of the reference for None."""
        key = self._key(paper, system, "aspect") if system else _present(paper, _REFERENCE_SEGMENTS)
        if key is None:
            return
        try:
            segments = _segments(paper, key)
        except SuiteError as error:
            owner = repr(system) if system else "the reference"
            self.notes.append(f"{paper_id}: {_SEGMENTS_BY} of {owner} left out: {error}")
            return
        self.recorded.append(
            {"paper": paper_id, "system": system, "by": _SEGMENTS_BY, "segments": segments}
        )

    def _key(self, paper: FileEntry, system: str, column: str) -> str | None:
        """The column of a system under its own name, or under another's that is not there."""
        own = _PREFIXES.get(system, (system,))
        prefixes = [prefix for prefix in own if prefix == system or prefix not in self.systems]
        return _present(paper, [f"{prefix}_{column}" for prefix in prefixes])

    def files(self, release: str) -> dict[str, str]:
        """The files of the suite, by their names."""
        judges: list[str] = []
        for name, by in self.judges().items():
            judges += ["", f"[judges.{name}]", f'recorded = "{by}"', f'segments = "{_SEGMENTS_BY}"']
        return suite_files(
            [f"Imported from {release!r} of ScholarSum (github.com/iriscxy/ScholarSum)."],
            {"papers": self.papers, "labels": self.labels, "recorded": self.recorded},
            self.summaries,
            judges=judges,
            thresholds=_THRESHOLDS,
        )


def _present(paper: FileEntry, keys: Iterable[str]) -> str | None:
    return next((key for key in keys if paper.values.get(key) is not None), None)


def _text(paper: FileEntry, key: str) -> str:
    """A text without special tokens; a list of texts is joined."""
    if not paper.has(key):
        raise paper.missing(key, "a text or a list of texts")
    value = paper.values[key]
    text = _joined(value)
    if text is None:
        raise paper.wrong(key, value, "a text or a list of texts")
    return normalise(text)


def _joined(value: object) -> str | None:
    """A text, or the texts of a list with spaces between; None for anything else."""
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    return " ".join(texts) if len(texts) == len(parts) else None


def _ratings(paper: FileEntry, key: str) -> dict[Facet, int]:
    expected = f"a list of {len(FACETS)} numbers, each a rating divided by its scale"
    values = paper.values[key]
    if not isinstance(values, list) or len(values) != len(FACETS):
        raise paper.wrong(key, values, expected)
    ratings: dict[Facet, int] = {}
    for facet, value in zip(FACETS, values, strict=True):
        rate = finite(value)
        rating = -1 if rate is None else round(rate * SCALES[facet])
        on_grid = rate is not None and abs(rate * SCALES[facet] - rating) < _GRID
        if not on_grid or not 0 <= rating <= SCALES[facet]:
            raise paper.fault(
                key,
                f"{facet} in {key!r} is {brief(value)}; write a whole rating from 0 to"
                f" {SCALES[facet]}, divided by {SCALES[facet]}",
            )
        ratings[facet] = rating
    return ratings


def _segments(paper: FileEntry, key: str) -> dict[Facet, str | None]:
    value = paper.values[key]
    if isinstance(value, str):
        value = read_json(value, paper.where(key), halves=True)
    if not isinstance(value, dict):
        raise paper.fault(
            key, f"{key!r} is {brief(value)}; write an object with the facets as keys"
        )
    segments: dict[Facet, str | None] = dict.fromkeys(FACETS)
    for spelling, item in value.items():
        facet = _FACETS.get(spelling.strip().lower())
        text = _joined(item or "")
        if facet is None or text is None:
            raise paper.fault(
                key, f"{spelling!r} in {key!r} is {brief(item)}; write a text for a facet"
            )
        segments[facet] = normalise(text) or None
    return segments
