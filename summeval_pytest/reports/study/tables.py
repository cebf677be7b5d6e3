"""Every analysis of a study as a section of text."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.study.cells import named
from summeval_pytest.reports.study.judge_tables import (
    effect_sections,
    effort_sections,
    fact_sections,
    hallucination_sections,
    heat_sections,
    spread_sections,
)
from summeval_pytest.reports.study.sheet import section_lines
from summeval_pytest.reports.study.text_tables import (
    association_sections,
    popularity_sections,
    profile_sections,
    proportion_sections,
    rating_sections,
    standing_sections,
)
from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.reports.study.sheet import Section
    from summeval_pytest.verdict.study.effort import Seconds
    from summeval_pytest.verdict.study.study import Study

_INTRODUCTION: Final = (
    "Intervals: 95 %, papers resampled. Under a number, n of N says that it covers n of N papers;"
    " papers without a value are never counted as 0."
)


def study_lines(
    study: Study, seconds: Sequence[Seconds], *, width: int, colour: bool
) -> Iterator[str]:
    """All tables of a study, and above them who was studied.

    Args:
        study: The study.
        seconds: Those of each of its efforts.
        width: So many characters fit on a line.
        colour: Whether the lines may hold the escape sequences of a terminal.
    """
    yield one_line(
        f"{study.suite}: {study.n_papers:,} papers, suite {study.fingerprint}", max(width, 60)
    )
    for judge in study.judges:
        yield one_line(f"judge {judge.name} (family {judge.family}): {judge.signature}", 300)
    systems = (
        f"{named(system.name)} ({system.n_papers:,}, {named(system.family)})"
        for system in study.systems
    )
    yield from map(safe, wrap(f"systems (papers, family): {', '.join(systems)}", width))
    yield from wrap(_INTRODUCTION, width)
    for section in _sections(study, seconds):
        yield ""
        yield from section_lines(section, width=width, colour=colour)


def _sections(study: Study, seconds: Sequence[Seconds]) -> Iterator[Section]:
    return chain(
        standing_sections(study),
        rating_sections(study),
        hallucination_sections(study),
        heat_sections(study),
        spread_sections(study),
        effect_sections(study),
        proportion_sections(study),
        fact_sections(study),
        profile_sections(study),
        association_sections(study),
        popularity_sections(study),
        effort_sections(study, seconds),
    )
