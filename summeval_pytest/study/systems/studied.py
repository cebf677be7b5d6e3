"""The values of a study: texts, what is said of them, and means over papers.

A mean says of how many of how many papers it is: what has no value is never counted as 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS, OPTIONAL, lacks
from summeval_pytest.study import tables
from summeval_pytest.study.agreement.bootstrap import resampled_ratios
from summeval_pytest.study.tables import Mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.metrics.facts import EvaCounts
    from summeval_pytest.questions import Facet


Extent = Literal["whole", "parts", "absent"]
"""How a text contains a segment: word for word, some of its sentences, or none of them."""
EXTENTS: Final[tuple[Extent, ...]] = get_args(Extent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How somebody cut a text into facets: the words of each, and how the text contains them.

    ``extents`` is empty where segments were reviewed, which need not be verbatim.
    """

    words: Mapping[Facet, int]
    extents: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a judge, people or another judge's record say of one pair.

    ``values`` are scores by the names of thresholds, ratings as ``facet.NAME``, and ``overall``;
    what is unknown is absent. ``n_sentences`` are asked about, or in a labelled summary;
    ``n_answered`` of them have a verdict.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    n_supported: int = 0
    n_answered: int = 0
    n_sentences: int = 0
    facts: EvaCounts | None = None

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is supported; None where that is not known."""
        if self.n_supported < self.n_answered:
            return False
        return None if not self.n_sentences or self.n_answered < self.n_sentences else True


NOTHING: Final = Given()
Giver = Literal["judge", "text", "record", "label"]
"""Who gives a number: a judge, the texts alone, another judge's record, people."""
By = tuple[Giver, str]
"""A giver, and the judge or the record by name; people have none."""
LABELS: Final[By] = ("label", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedText:
    """A system's summary with what is said of it, or the reference, whose ``system`` is None.

    Papers with the same reference are one ``group``, which is what is resampled. ``numbers`` are
    those of `text_numbers`, ``cuts`` are by whoever cut the text into facets.
    """

    paper: str
    group: str
    system: str | None
    numbers: Mapping[str, float]
    text: str = ""
    cuts: dict[str, Cut] = field(default_factory=dict)
    given: dict[By, Given] = field(default_factory=dict)

    def by(self, giver: By) -> Given:
        """What somebody says of it; nothing where they say nothing."""
        return self.given.get(giver, NOTHING)


BASELINES: Final = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
LENGTH: Final = "words"
OVERALL: Final = "overall"
FAITHFULNESS: Final = "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number that pairs have; ``by`` names the judge or the record."""

    giver: Giver
    by: str = ""
    name: str

    @property
    def is_ranked(self) -> bool:
        """Whether more of it is better; of words it is not."""
        return self.giver != "text" or self.name in BASELINES

    def of(self, pair: StudiedText) -> float | None:
        """The number of one pair; None where it has none."""
        values = pair.numbers if self.giver == "text" else pair.by((self.giver, self.by)).values
        return values.get(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """What a study is made of: pairs by system, each system's papers in any order.

    ``sources`` are those of the papers, for word popularity; ``families`` are of judges and systems
    by name.
    """

    by_system: Mapping[str, Sequence[StudiedText]]
    judges: Sequence[str]
    n_papers: int
    references: Sequence[StudiedText] = ()
    sources: Sequence[str] = ()
    families: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})

    @property
    def pairs(self) -> list[StudiedText]:
        """All pairs, system by system."""
        return [pair for pairs in self.by_system.values() for pair in pairs]

    @property
    def by_writer(self) -> dict[str | None, Sequence[StudiedText]]:
        """The references under None, and the texts of each system."""
        references: dict[str | None, Sequence[StudiedText]] = {None: self.references}
        return references | dict(self.by_system)

    @property
    def givers(self) -> list[By]:
        """The judges, the labels, and the records of any pair by name."""
        every = {by for pair in self.pairs for by in pair.given if by[0] == "record"}
        return [*(("judge", judge) for judge in self.judges), LABELS, *sorted(every)]

    def mean(self, column: Column, pairs: Sequence[StudiedText]) -> Mean:
        """The mean of one number over the papers of some pairs."""
        return mean_of([(pair.group, column.of(pair)) for pair in pairs], self.n_papers)

    def columns(self, *, leading: bool = False) -> list[Column]:
        """The columns in which some pair has a number: judges, baselines, labels, records by name.

        Those of a judge's own metrics are there even where it has scored nothing, which has to be
        seen; its mean support only where every pair with a faithfulness has it. The ``leading``
        ones are the metrics by each judge, and the overall score of the labels.
        """
        pairs, columns = self.pairs, []
        for column in self._every_column():
            is_metric = column.giver == "judge" and column.name in METRICS
            if leading and not (is_metric or (column.giver == "label" and column.name == OVERALL)):
                continue
            by = column.giver, column.by
            is_partial = column.name in OPTIONAL and any(
                lacks(pair.given[by].values, column.name) for pair in pairs if by in pair.given
            )
            if is_metric or (any(column.of(p) is not None for p in pairs) and not is_partial):
                columns.append(column)
        return columns

    def _every_column(self) -> Iterator[Column]:
        for judge in self.judges:
            for name in (name for name, named in CATALOGUE.items() if not named.lower_is_better):
                yield Column(giver="judge", by=judge, name=name)
        yield from (Column(giver="text", name=name) for name in (*BASELINES, LENGTH))
        yield from (Column(giver="label", name=name) for name in (OVERALL, FAITHFULNESS))
        records = (by for giver, by in self.givers if giver == "record")
        yield from (Column(giver="record", by=by, name=OVERALL) for by in records)


_DIGITS: Final = 9
"""Further digits are rounding, which differs between machines."""


def rounded(value: float) -> float:
    """The number to 9 digits behind the point, without a negative zero."""
    return round(value, _DIGITS) + 0.0


def mean_of(parts: Sequence[tuple[str, float | None]], n_of: int) -> Mean:
    """The mean of one value a paper, with the 95 % bootstrap interval over groups of papers.

    A part is a group and its value, None where there is none. Their order does not matter.
    """
    return rate_of([(group, v, 1.0) for group, v in parts if v is not None], n_of)


def rate_of(parts: Sequence[tuple[str, float, float]], n_of: int) -> Mean:
    """The rate of sums: (group, how many it is true of, how many it could be) a paper.

    ``n`` counts the papers with something to count.
    """
    known = [part for part in parts if part[2]]
    if not known:
        return Mean(value=None, n=0, n_of=n_of)
    value = rounded(math.fsum(top for _, top, _ in known) / math.fsum(all_ for *_, all_ in known))
    low = high = None
    if len(means := draws(known)):
        low, high = (rounded(float(bound)) for bound in np.quantile(means, [0.025, 0.975]))
    return Mean(value=value, low=low, high=high, n=len(known), n_of=n_of)


def draws(parts: Sequence[tuple[str, float, float]]) -> NDArray[np.float64]:
    """The rate in each of 1,000 resamples of papers; none with fewer than two groups.

    From one group nothing is learnt about others, so there is no interval to give.
    """
    groups = [group for group, _, _ in parts]
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return np.empty(0)
    tops, bottoms = [part[1] for part in parts], [part[2] for part in parts]
    drawn = {"n_resamples": tables.RESAMPLES, "seed": tables.SEED}
    means = resampled_ratios(groups, tops, bottoms, **drawn)
    return means[~np.isnan(means)]
