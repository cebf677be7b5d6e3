"""ScholarSum as released: the spellings of its keys, and one line of it read as values.

The PubMed and the arXiv half name the same things differently. Two systems of GPT-3.5 are spelt
``gpt35_fm`` and ``gpt35``, and a column of either may carry the other's prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.fields import Fields, brief, finite
from summeval_pytest.suite.jsonl import Line, read_json
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

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
