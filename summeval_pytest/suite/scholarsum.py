"""The importer of ScholarSum: a suite with labels and recorded judgements from the release."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.lines import (
    Fields,
    Line,
    TextFile,
    brief,
    check_name,
    finite,
    read_json,
    read_lines,
)
from summeval_pytest.suite.places import SUITE_NAME, check_new, json_lines, toml_list, write_suite
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from summeval_pytest.questions import Facet


ARTICLE: Final = "article"
REFERENCE: Final = "human"
REFERENCE_SEGMENTS: Final = ("ground_aspect", "human_aspect")

RELEASED_SYSTEMS: Final = (
    "gpt35_fm",
    "gpt35",
    "llama2_70b",
    "longt5",
    "longt5_block",
    "bigbird_pegasus",
    "bigbird_pegasus_block",
    "factsum",
    "bartlarge",
    "bartbase",
)
_GPT35: Final = ("gpt35_fm", "gpt35", "gpt3.5")
_PREFIXES: Final = {"gpt35_fm": _GPT35, "gpt35": ("gpt35", "gpt35_fm", "gpt3.5")}
_FACET_SPELLINGS: Final[dict[str, Facet]] = {
    **{facet: facet for facet in FACETS},
    "backgrounds": "background",
    "methods": "method",
    "results": "result",
    "conclusions": "conclusion",
}
_GRID: Final = 0.01


class ScoreColumn(NamedTuple):
    """Who judged, and the columns of the overall score and of the ratings, where there are any."""

    by: str
    overall: str
    ratings: str = ""


HUMAN: Final = ScoreColumn("ScholarSum annotators", "human", "human_list")
SCORES: Final = (
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one judge said of a summary; a rating of 0 says that the facet was left out."""

    overall: float | None
    ratings: dict[Facet, int] | None


@dataclass(frozen=True, slots=True)
class ReleasedPaper:
    """One line of the release."""

    fields: Fields

    @classmethod
    def of(cls, line: Line) -> ReleasedPaper:
        """The line, if it has a paper and a reference.

        Raises:
            SuiteError: Naming the key that is not there.
        """
        for key in (ARTICLE, REFERENCE):
            if key not in line.values:
                raise SuiteError(
                    line.place,
                    f"this line has no {key!r}, so the file is no ScholarSum release;"
                    " name its dataset/pubmed.json or dataset/arxiv.json",
                )
        return cls(Fields(values=line.values, owner="this line", where=lambda _: line.place))

    def systems(self) -> tuple[str, ...]:
        """The systems that have a summary here, in the order of `RELEASED_SYSTEMS`."""
        values = self.fields.values
        return tuple(name for name in RELEASED_SYSTEMS if isinstance(values.get(name), str | list))

    def text(self, key: str) -> str:
        """A text without special tokens; a list of texts is joined."""
        value = self.fields.value(key, "a text")
        text = _joined(value)
        if text is None:
            raise self.fields.wrong(key, value, "a text or a list of texts")
        return normalise(text)

    def score(self, system: str, column: ScoreColumn, systems: Collection[str]) -> Score | None:
        """What a judge said of a system's summary; None where both columns are absent."""
        overall = self._key(system, column.overall, systems)
        ratings = self._key(system, column.ratings, systems) if column.ratings else None
        if overall is None and ratings is None:
            return None
        return Score(
            overall=self.fields.number(overall) if overall else None,
            ratings=self._ratings(ratings) if ratings else None,
        )

    def segments(
        self, system: str | None, systems: Collection[str]
    ) -> dict[Facet, str | None] | None:
        """GPT-4's segments of a summary, or of the reference for None; None where absent.

        Raises:
            SuiteError: Where they are there and cannot be read.
        """
        key = self._key(system, "aspect", systems) if system else self._present(REFERENCE_SEGMENTS)
        return self._read_segments(key) if key else None

    def _key(self, system: str, column: str, systems: Collection[str]) -> str | None:
        own = _PREFIXES.get(system, (system,))
        prefixes = [prefix for prefix in own if prefix == system or prefix not in systems]
        return self._present(f"{prefix}_{column}" for prefix in prefixes)

    def _present(self, keys: Iterator[str] | tuple[str, ...]) -> str | None:
        return next((key for key in keys if self.fields.values.get(key) is not None), None)

    def _ratings(self, key: str) -> dict[Facet, int]:
        expected = f"a list of {len(FACETS)} numbers, each a rating divided by its scale"
        values = self.fields.items(key, expected)
        if len(values) != len(FACETS):
            raise self.fields.wrong(key, values, expected)
        ratings: dict[Facet, int] = {}
        for facet, value in zip(FACETS, values, strict=True):
            rate = finite(value)
            rating = -1 if rate is None else round(rate * SCALES[facet])
            on_grid = rate is not None and abs(rate * SCALES[facet] - rating) < _GRID
            if not on_grid or not 0 <= rating <= SCALES[facet]:
                raise self.fields.fault(
                    key,
                    f"{facet} in {key!r} is {brief(value)}; write a whole rating from 0 to"
                    f" {SCALES[facet]}, divided by {SCALES[facet]}",
                )
            ratings[facet] = rating
        return ratings

    def _read_segments(self, key: str) -> dict[Facet, str | None]:
        value = self.fields.values[key]
        if isinstance(value, str):
            value = read_json(value, self.fields.where(key), halves=True)
        inner = self.fields.inside(key, value, repr(key), "an object with the facets as keys")
        segments: dict[Facet, str | None] = dict.fromkeys(FACETS)
        for spelling, item in inner.values.items():
            facet = _FACET_SPELLINGS.get(spelling.strip().lower())
            text = _joined(item or "")
            if facet is None or text is None:
                raise inner.fault(
                    key, f"{spelling!r} in {key!r} is {brief(item)}; write a text for a facet"
                )
            segments[facet] = normalise(text) or None
        return segments


def _joined(value: object) -> str | None:
    """A text, or the texts of a list with spaces between; None for anything else."""
    parts = value if isinstance(value, list) else [value]
    texts = [part for part in parts if isinstance(part, str)]
    return " ".join(texts) if len(texts) == len(parts) else None


_SEGMENTS_BY: Final = "GPT-4 segments"
_BASIS: Final = "ScholarSum release"
_RECORDED_JUDGES: Final = {
    "gpt4-recorded": "FM(GPT-4)",
    "gpt4-variant-recorded": "FM(GPT-4, variant)",
    "gpt35-recorded": "FM(GPT-3.5)",
}
"""The names by which the release's judges can be asked again; Llama's ratings were not kept."""

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


@dataclass(slots=True, kw_only=True)
class _Draft:
    """The suite as it grows, paper by paper."""

    systems: tuple[str, ...]
    papers: list[_Object] = field(default_factory=list)
    summaries: dict[str, list[_Object]]
    skips: dict[str, list[str]]
    labels: list[_Object] = field(default_factory=list)
    recorded: list[_Object] = field(default_factory=list)
    n_skipped_facets: int = 0
    notes: list[str] = field(default_factory=list)

    def judges(self) -> dict[str, str]:
        """The recorded judges: their names, and whose records of facets they are."""
        rating = {record["by"] for record in self.recorded if "facets" in record}
        has_segments = any("segments" in record for record in self.recorded)
        return {n: by for n, by in _RECORDED_JUDGES.items() if by in rating and has_segments}


def import_scholarsum(file: Path, out: Path) -> ImportReport:
    """Make a suite in the folder ``out`` from one half of the ScholarSum release.

    Everything is read and checked before the first file is written; the same release gives the
    same bytes.

    Raises:
        SuiteError: For a file that is not the release, and for a folder that holds a suite.
    """
    check_new(out)
    source = TextFile(file, file.as_posix())
    check_name(file.stem, "the file stem", source.at(0))
    papers = [ReleasedPaper.of(line) for line in read_lines(source, halves=True)]
    if not papers:
        raise SuiteError(source.at(0), f"{file.name!r} is empty; name a file of the release")
    draft = _start(source, papers)
    for number, paper in enumerate(papers, start=1):
        _add_paper(draft, paper, f"{file.stem}-{number:03}")
    write_suite(out, _texts(draft, file.name))
    return ImportReport(
        n_papers=len(draft.papers),
        systems=draft.systems,
        n_pairs=sum(map(len, draft.summaries.values())),
        n_labelled_pairs=len(draft.labels),
        n_skipped_facets=draft.n_skipped_facets,
        judges=tuple(draft.judges()),
        notes=tuple(draft.notes),
    )


def _start(source: TextFile, papers: list[ReleasedPaper]) -> _Draft:
    found = {system for paper in papers for system in paper.systems()}
    systems = tuple(system for system in RELEASED_SYSTEMS if system in found)
    if not systems:
        raise SuiteError(
            source.at(1),
            f"this line has no summary ({RELEASED_SYSTEMS[0]!r}, {RELEASED_SYSTEMS[1]!r}, ...),"
            " so the file is no ScholarSum release; name its dataset/pubmed.json or"
            " dataset/arxiv.json",
        )
    return _Draft(
        systems=systems,
        summaries={system: [] for system in systems},
        skips={system: [] for system in systems},
    )


def _add_paper(draft: _Draft, paper: ReleasedPaper, paper_id: str) -> None:
    texts = {key: paper.text(key) for key in (ARTICLE, REFERENCE)}
    for key, text in texts.items():
        if not text:
            raise paper.fields.fault(
                key, f"{key!r} of this line is empty (''); name a complete file of the release"
            )
    draft.papers.append({"id": paper_id, "source": texts[ARTICLE], "reference": texts[REFERENCE]})
    _add_segments(draft, paper, paper_id, None)
    for system in draft.systems:
        summary = paper.text(system)
        if not summary:
            draft.skips[system].append(paper_id)
            draft.notes.append(f"{paper_id}: the summary of {system!r} is empty; listed under skip")
            continue
        draft.summaries[system].append({"paper": paper_id, "summary": summary})
        _add_label(draft, paper, paper_id, system)
        _add_scores(draft, paper, paper_id, system)
        _add_segments(draft, paper, paper_id, system)


def _add_label(draft: _Draft, paper: ReleasedPaper, paper_id: str, system: str) -> None:
    score = paper.score(system, HUMAN, draft.systems)
    if score is None:
        return
    label: _Object = {"paper": paper_id, "system": system}
    if score.ratings is not None:
        label["facets"] = {facet: rating or None for facet, rating in score.ratings.items()}
        draft.n_skipped_facets += sum(not rating for rating in score.ratings.values())
    if score.overall is not None:
        label["overall"] = score.overall
    draft.labels.append({**label, "labelled_by": HUMAN.by, "basis": _BASIS})


def _add_scores(draft: _Draft, paper: ReleasedPaper, paper_id: str, system: str) -> None:
    for column in SCORES:
        score = paper.score(system, column, draft.systems)
        if score is None:
            continue
        record: _Object = {"paper": paper_id, "system": system, "by": column.by}
        rated = {facet: rating for facet, rating in (score.ratings or {}).items() if rating}
        if score.ratings is not None and len(rated) < len(score.ratings):
            left_out = ", ".join(facet for facet in score.ratings if facet not in rated)
            draft.notes.append(f"{paper_id}: {column.by} rated no {left_out} of {system!r}")
        if rated:
            record["facets"] = rated
        if score.overall is not None:
            record["overall"] = score.overall
        if rated or score.overall is not None:
            draft.recorded.append(record)


def _add_segments(draft: _Draft, paper: ReleasedPaper, paper_id: str, system: str | None) -> None:
    try:
        segments = paper.segments(system, draft.systems)
    except SuiteError as error:
        owner = repr(system) if system else "the reference"
        draft.notes.append(f"{paper_id}: {_SEGMENTS_BY} of {owner} left out: {error}")
        return
    if segments is not None:
        draft.recorded.append(
            {"paper": paper_id, "system": system, "by": _SEGMENTS_BY, "segments": segments}
        )


def _texts(draft: _Draft, file_name: str) -> dict[str, str]:
    """The files of the suite, by their names."""
    texts = {SUITE_NAME: _suite_text(draft, file_name), "papers.jsonl": json_lines(draft.papers)}
    for system, summaries in draft.summaries.items():
        texts[f"systems/{system}.jsonl"] = json_lines(summaries)
    if draft.labels:
        texts["labels.jsonl"] = json_lines(draft.labels)
    if draft.recorded:
        texts["recorded.jsonl"] = json_lines(draft.recorded)
    return texts


def _suite_text(draft: _Draft, file_name: str) -> str:
    lines = [
        f"# Imported from {file_name!r} of ScholarSum (github.com/iriscxy/ScholarSum).",
        'papers = "papers.jsonl"',
    ]
    if draft.labels:
        lines.append('labels = "labels.jsonl"')
    if draft.recorded:
        lines.append('recorded = "recorded.jsonl"')
    for name, by in draft.judges().items():
        lines += ["", f"[judges.{name}]", f'recorded = "{by}"', f'segments = "{_SEGMENTS_BY}"']
    for system in draft.systems:
        lines += ["", f"[systems.{system}]", f'summaries = "systems/{system}.jsonl"']
        if draft.skips[system]:
            lines.append(f"skip = {toml_list(draft.skips[system])}")
    lines += ["", "[thresholds]", "facet = 0.55", "faithfulness = 0.80"]
    lines += ["", "[thresholds.mean]", "facet = 0.65"]
    return "\n".join(lines) + "\n"
