"""Studying: a suite's pairs as the tables and figures of the three papers have them; pure."""

from __future__ import annotations

from summeval_pytest.verdict.study.families import families_of
from summeval_pytest.verdict.study.pairs import (
    Cut,
    Effort,
    Judged,
    Labelled,
    RecordedNumbers,
    StudiedPair,
    StudiedText,
)
from summeval_pytest.verdict.study.study import (
    ANALYSES,
    OF_TEXTS,
    Analysis,
    Material,
    StudiedJudge,
    StudiedSystem,
    Study,
    study_of,
)
from summeval_pytest.verdict.study.texts import text_numbers

__all__ = [
    "ANALYSES",
    "OF_TEXTS",
    "Analysis",
    "Cut",
    "Effort",
    "Judged",
    "Labelled",
    "Material",
    "RecordedNumbers",
    "StudiedJudge",
    "StudiedPair",
    "StudiedSystem",
    "StudiedText",
    "Study",
    "families_of",
    "study_of",
    "text_numbers",
]
