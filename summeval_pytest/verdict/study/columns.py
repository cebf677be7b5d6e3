"""Every number that a pair can have, as columns: who gives it, its name, and how to look it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics import CATALOGUE, METRICS, SUPPORT, lacks_support

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair

Giver = Literal["judge", "text", "record", "label"]
"""Who gives a number: a judge, the texts alone, another judge's record, people."""

BASELINES: Final = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
RESCALED: Final = "facet.rescaled"
"""Mean of (rating - 1) / (scale - 1), 0 to 1, beside FM, whose floor is not 0 (metrics.md 1.1)."""
LENGTH: Final = "words"
OVERALL: Final = "overall"
FAITHFULNESS: Final = "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number that pairs have.

    Attributes:
        giver: What kind of giver it is.
        by: The judge or the record by name; empty for texts and labels.
        name: The number: a threshold's name, a baseline's, or ``overall``.
    """

    giver: Giver
    by: str = ""
    name: str

    @property
    def is_ranked(self) -> bool:
        """Whether more of it is better; of words it is not."""
        return self.giver != "text" or self.name in BASELINES

    def of(self, pair: StudiedPair) -> float | None:
        """The number of one pair; None where it has none."""
        match self.giver:
            case "judge":
                judged = pair.judged.get(self.by)
                return None if judged is None else judged.values.get(self.name)
            case "text":
                return pair.text.numbers.get(self.name)
            case "record":
                record = pair.recorded.get(self.by)
                return None if record is None else record.overall
            case "label":
                return _labelled(pair, self.name)


def _labelled(pair: StudiedPair, name: str) -> float | None:
    label = pair.label
    if label is None:
        return None
    if name == OVERALL:
        return label.overall
    return label.n_faithful / label.n_labelled if label.n_labelled else None


def columns_of(pairs: Sequence[StudiedPair], judges: Sequence[str]) -> tuple[Column, ...]:
    """The columns in which some pair has a number: judges, baselines, labels, records by name.

    Those of a judge's own metrics are there even where it has scored nothing, which has to be seen;
    its mean support only where every pair with a faithfulness has it.
    """
    return tuple(
        column
        for column in _every(pairs, judges)
        if (column.giver == "judge" and column.name in METRICS)
        or (any(column.of(pair) is not None for pair in pairs) and not _is_partial(column, pairs))
    )


def _is_partial(column: Column, pairs: Sequence[StudiedPair]) -> bool:
    """Whether a column is the mean support of a judge that gives none, but for copied summaries."""
    return column.name == SUPPORT and any(
        lacks_support(pair.judged[column.by].values) for pair in pairs if column.by in pair.judged
    )


def _every(pairs: Sequence[StudiedPair], judges: Sequence[str]) -> Iterator[Column]:
    for judge in judges:
        for name in (name for name, named in CATALOGUE.items() if not named.lower_is_better):
            yield Column(giver="judge", by=judge, name=name)
            if name == "facet":
                yield Column(giver="judge", by=judge, name=RESCALED)
    for name in (*BASELINES, LENGTH):
        yield Column(giver="text", name=name)
    for name in (OVERALL, FAITHFULNESS):
        yield Column(giver="label", name=name)
    for by in sorted({by for pair in pairs for by in pair.recorded}):
        yield Column(giver="record", by=by, name=OVERALL)


def leading_columns(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str]
) -> tuple[Column, ...]:
    """The metrics themselves by each judge, and the overall score of the labels."""
    every = [pair for pairs in by_system.values() for pair in pairs]
    return tuple(
        column
        for column in columns_of(every, judges)
        if (column.giver == "judge" and column.name in METRICS)
        or (column.giver == "label" and column.name == OVERALL)
    )
