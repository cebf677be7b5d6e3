"""Golden labels and a judge's answers made by hand, as small as a test needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer, GoldenPair, LabelledKind

ERRORS: Final = ("direction", "number")
PAPERS: Final = ("fern", "kiln", "moss", "zinc")


def answered(  # noqa: PLR0913 - by keyword; each is one part of an answer
    kind: LabelledKind,
    label: float,
    answer: float | None,
    *,
    index: int = 0,
    error: str = "",
    evidence: tuple[int, int, int] | None = None,
    support: float | None = None,
) -> GoldenAnswer:
    """One answer; ``evidence`` counts what is named, labelled, and both."""
    counts = None
    if evidence is not None:
        named, labelled, both = evidence
        counts = EvidenceCount(named=named, labelled=labelled, both=both)
    return GoldenAnswer(
        kind=kind,
        index=index,
        label=float(label),
        answer=None if answer is None else float(answer),
        error=error,
        evidence=counts,
        support=support,
    )


def golden(
    *answers: GoldenAnswer, paper: str = "moss", system: str = "good", group: str = ""
) -> GoldenPair:
    """A pair with these answers; its paper is a group of its own unless it is told.

    The judge finds in the reference the facets that are labelled, and no other.
    """
    rated = {f: each.answer for f in FACETS for each in answers if each.kind == f}
    return GoldenPair(
        paper=paper,
        system=system,
        group=group or paper,
        answers=answers,
        rated=tuple((f, int(rating)) for f, rating in rated.items() if rating is not None),
    )


def filled(
    kind: LabelledKind, table: Sequence[Sequence[int]], least: int
) -> Iterator[GoldenAnswer]:
    """Answers whose confusion matrix, labels by answers, is this table."""
    for label, row in enumerate(table, start=least):
        for answer, count in enumerate(row, start=least):
            for _ in range(count):
                yield answered(kind, label, answer)


_LEAST: Final[Mapping[LabelledKind, tuple[int, int]]] = {
    **{facet: (1, scale) for facet, scale in SCALES.items()},
    "overall": (0, 3),
    "sentence": (0, 1),
    "reference fact": (0, 1),
    "candidate fact": (0, 1),
}
"""By kind, the ends of its scale; overall scores are in the labels' own unit."""


def _every() -> Iterator[GoldenAnswer]:
    for kind, (low, high) in _LEAST.items():
        values = range(low, high + 1)
        for label, answer in product(values, (*values, None)):
            yield answered(kind, label, answer)
    for error, answer in product(ERRORS, (0, 1, None)):
        yield answered("sentence", 0, answer, error=error)
    for answer, named, labelled in product((0, 1), range(3), range(1, 4)):
        for both in range(min(named, labelled) + 1):
            yield answered("sentence", 1, answer, evidence=(named, labelled, both))


EVERY: Final = tuple(_every())
"""Every answer that a judge could give, with a few counts of evidence."""


def pairs(choice: Sequence[GoldenAnswer] = EVERY) -> SearchStrategy[list[GoldenPair]]:
    """Labelled pairs with answers of this choice; papers may share their reference."""
    pair = st.builds(
        lambda paper, group, chosen: golden(*chosen, paper=paper, group=group),
        st.sampled_from(PAPERS),
        st.sampled_from(("", "one reference")),
        st.lists(st.sampled_from(choice), max_size=6),
    )
    return st.lists(pair, max_size=6)
