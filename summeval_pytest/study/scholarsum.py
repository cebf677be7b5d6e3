"""The importer of ScholarSum: a suite with labels and recorded judgements from the release."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from summeval_pytest.desk.new_suite import check_new, json_lines, suite_files, write_new
from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.study.recorded_judge import USE
from summeval_pytest.suite.entries import FileEntry, Number
from summeval_pytest.suite.lines import TextFile, brief, check_name, finite, read_json, read_lines
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import normalise

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
_FACETS: Final = {spelling: facet for facet in FACETS for spelling in (facet, f"{facet}s")}
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

_Object = dict[str, Any]


def import_scholarsum(file: Path, out: Path) -> list[str]:
    """Make a suite in the folder ``out`` from one half of the ScholarSum release; says what it has.

    Everything is read and checked before the first file is written; the same release gives the
    same bytes.
    """
    check_new(out)
    source = TextFile(file, file.as_posix())
    check_name(file.stem, "the file stem", source.at(0))
    entries = [
        FileEntry.at(source.at(line), values) for line, values in read_lines(source, halves=True)
    ]
    if not entries:
        raise SuiteError(source.at(0), f"{file.name!r} is empty; name a file of the release")
    systems = _systems(entries)
    papers: list[_Object] = []
    labels: list[_Object] = []
    recorded: list[_Object] = []
    notes: list[str] = []
    summaries: dict[str, list[_Object]] = {system: [] for system in systems}
    for number, entry in enumerate(entries, start=1):
        name = f"{file.stem}-{number:03}"
        papers.append(
            {
                "id": name,
                "source": _text(entry, _ARTICLE, whole=True),
                "reference": _text(entry, _REFERENCE, whole=True),
            }
        )
        _add_segments(entry, name, None, _present(entry, _REFERENCE_SEGMENTS), recorded, notes)
        for system in systems:
            of: _Object = {"paper": name, "system": system}
            if not (summary := _text(entry, system)):
                notes.append(f"{name}: the summary of {system!r} is empty; listed under skip")
                continue
            summaries[system].append({"paper": name, "summary": summary})
            # The columns of a system under its own name, or under another's that is not there.
            own = _PREFIXES.get(system, (system,))
            prefixes = [prefix for prefix in own if prefix == system or prefix not in systems]
            label = _score(entry, _HUMAN, prefixes)
            if label:
                labels.append({**of, **label, "labelled_by": _HUMAN.by, "basis": _BASIS})
            for column in _SCORES:
                recorded += _records(entry, column, prefixes, of, notes)
            key = _present(entry, [f"{prefix}_aspect" for prefix in prefixes])
            _add_segments(entry, name, system, key, recorded, notes)
    rating = {record["by"] for record in recorded if "facets" in record}
    has_segments = any("segments" in record for record in recorded)
    judges = {n: by for n, by in _RECORDED_JUDGES.items() if by in rating and has_segments}
    shown = judges or ({"recorded": recorded[0]["by"]} if recorded else {})  # names the file
    tables = [
        f'\n[judges.{judge}]\nuse = "{USE}"\nfile = "recorded.jsonl"\nby = "{by}"'
        f'\nsegments = "{_SEGMENTS_BY}"'
        for judge, by in shown.items()
    ]
    files = suite_files(
        [f"Imported from {file.name!r} of ScholarSum (github.com/iriscxy/ScholarSum)."],
        {"papers": papers, "labels": labels},
        summaries,
        judges=tables,
        thresholds=_THRESHOLDS,
    )
    write_new(out, files | ({"recorded.jsonl": json_lines(recorded)} if recorded else {}))
    rated = [rating for label in labels for rating in label.get("facets", {}).values()]
    n_pairs = sum(map(len, summaries.values()))
    left_out = f"{rated.count(None)} facets were left out by the annotators"
    return [
        f"{out}: {len(papers)} papers, {len(systems)} systems, {n_pairs} pairs",
        f"{len(labels)} pairs have human labels; {left_out}",
        *([f"recorded judges: {', '.join(judges)}"] if judges else []),
        *map(one_line, notes),
        f"next: pytest {out}",
    ]


def _systems(papers: list[FileEntry]) -> tuple[str, ...]:
    """The systems that have a summary of any paper of what is a release."""
    lacks = "so the file is no ScholarSum release; name its dataset/pubmed.json or"
    for paper in papers:
        for key in (_ARTICLE, _REFERENCE):
            if not paper.has(key):
                what = f"this line has no {key!r}, {lacks} dataset/arxiv.json"
                raise SuiteError(paper.place, what)
    systems = tuple(
        name for name in _SYSTEMS if any(isinstance(p.values.get(name), str | list) for p in papers)
    )
    if not systems:
        none = f"this line has no summary ({_SYSTEMS[0]!r}, {_SYSTEMS[1]!r}, ...)"
        raise SuiteError(papers[0].place, f"{none}, {lacks} dataset/arxiv.json")
    return systems


def _score(entry: FileEntry, column: ScoreColumn, prefixes: list[str]) -> _Object:
    """What one judge said of a summary; a rating of None says that the facet was left out."""
    overall = _present(entry, [f"{prefix}_{column.overall}" for prefix in prefixes])
    ratings = _present(entry, [f"{p}_{column.ratings}" for p in prefixes if column.ratings])
    rated = {facet: r or None for facet, r in _ratings(entry, ratings).items()} if ratings else {}
    score: _Object = {"facets": rated} if ratings else {}
    return score | ({"overall": entry.value(overall, Number)} if overall else {})


def _records(
    entry: FileEntry, column: ScoreColumn, prefixes: list[str], of: _Object, notes: list[str]
) -> list[_Object]:
    """What another judge said of a summary; facets that it did not rate are noted."""
    score = _score(entry, column, prefixes)
    facets = score.pop("facets", {})
    if left_out := [facet for facet, rating in facets.items() if not rating]:
        names = ", ".join(left_out)
        notes.append(f"{of['paper']}: {column.by} rated no {names} of {of['system']!r}")
    rated = {facet: rating for facet, rating in facets.items() if rating}
    line = ({"facets": rated} if rated else {}) | score
    return [{**of, "by": column.by, **line}] if line else []


def _add_segments(  # noqa: PLR0913, PLR0917 - whose segments, and where they and their faults go
    entry: FileEntry, paper: str, system: str | None, key: str | None, recorded: list[_Object],
    notes: list[str],
) -> None:  # fmt: skip
    """Add GPT-4's segments of a summary, or of the reference for None."""
    if key is None:
        return
    try:
        segments = _segments(entry, key)
    except SuiteError as error:
        owner = repr(system) if system else "the reference"
        notes.append(f"{paper}: {_SEGMENTS_BY} of {owner} left out: {error}")
        return
    recorded.append({"paper": paper, "system": system, "by": _SEGMENTS_BY, "segments": segments})


def _present(paper: FileEntry, keys: Iterable[str]) -> str | None:
    return next((key for key in keys if paper.values.get(key) is not None), None)


def _text(paper: FileEntry, key: str, *, whole: bool = False) -> str:
    """A text without special tokens, perhaps empty; a list of texts is joined."""
    if not paper.has(key):
        raise paper.missing(key)
    value = paper.values[key]
    if (text := _joined(value)) is None:
        raise paper.wrong(key, value, "a text or a list of texts")
    if whole and not normalise(text):
        raise paper.fault(
            key, f"{key!r} of this line is empty (''); name a complete file of the release"
        )
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
