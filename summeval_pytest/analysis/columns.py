"""The values of a study: a studied pair, a studied text, and means over papers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from summeval_pytest.metrics.baselines import rouge
from summeval_pytest.metrics.score import CATALOGUE, METRICS, SUPPORT, lacks_support
from summeval_pytest.metrics.texts import (
    count_numbers,
    novelty,
    numbers_per_100_words,
    readability,
    repetition_rate,
    without_placeholders,
)
from summeval_pytest.questions import Facet  # noqa: TC001 - run records read it
from summeval_pytest.stats.bootstrap import resampled_ratios
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.metrics.facet import Held
    from summeval_pytest.metrics.score import EvaCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """How somebody cut one text into facets.

    Attributes:
        words: The words of each facet.
        held: How the text contains each segment; none where segments were reviewed, which need not
            be verbatim.
    """

    words: Mapping[Facet, int]
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedText:
    """One text of a paper, a system's summary or the reference.

    Attributes:
        paper: The paper's id.
        group: What is resampled: papers with the same reference are one.
        system: Who wrote it; None for the reference.
        numbers: What the text alone gives, by the names of `TEXT_NUMBERS`; what a text does not
            have, as readability without words, is absent.
        cuts: By who cut it into facets, what came of it.
    """

    paper: str
    group: str
    system: str | None
    numbers: Mapping[str, float]
    cuts: Mapping[str, Cut] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What one pair took of a judge.

    What two pairs need, as the facets of their reference, counts for the first of them.

    Attributes:
        n_questions: Questions that the judge answered.
        n_calls: Replies of an endpoint, asked for or remembered; 0 for a judge that computes.
        prompt_tokens: Tokens of those calls, as far as the endpoint counted them.
        completion_tokens: Tokens of the replies.
        seconds: How long it took; None where several pairs were open at once.
    """

    n_questions: int = 0
    n_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What one judge made of one pair.

    Attributes:
        values: The numbers that it scored, by the names of thresholds; the others are absent.
        n_supported: Sentences that it calls supported.
        n_answered: Sentences that it gave a verdict on.
        n_sentences: Sentences that it was asked about.
        facts: How many facts the texts had, stage by stage; None where nothing was asked.
        effort: What it took.
    """

    values: Mapping[str, float]
    n_supported: int = 0
    n_answered: int = 0
    n_sentences: int = 0
    facts: EvaCounts | None = None
    effort: Effort = Effort()

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is supported; None where that is not known."""
        if self.n_supported < self.n_answered:
            return False
        return None if not self.n_sentences or self.n_answered < self.n_sentences else True


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """What people found in one pair; what they did not look at is empty or None.

    Attributes:
        overall: The overall score.
        facets: Ratings as shares of their scales, 1/3 or 1/4 to 1; facets that the reference lacks
            are absent.
        n_faithful: Labelled sentences that are faithful.
        n_labelled: Labelled sentences.
        n_sentences: Sentences of the summary.
    """

    overall: float | None = None
    facets: Mapping[Facet, float] = field(default_factory=lambda: MappingProxyType({}))
    n_faithful: int = 0
    n_labelled: int = 0
    n_sentences: int = 0

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is labelled faithful; None where too few are labelled."""
        if self.n_faithful < self.n_labelled:
            return False
        return None if not self.n_labelled or self.n_labelled < self.n_sentences else True


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedNumbers:
    """What another judge's record says of one pair.

    Attributes:
        overall: Its score, in its own unit.
        facets: Its ratings as shares of their scales.
    """

    overall: float | None = None
    facets: Mapping[Facet, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedPair:
    """One system's summary of one paper, measured.

    Attributes:
        paper: The paper's id.
        group: What is resampled: papers with the same reference are one.
        system: The system's name.
        text: The summary.
        judged: By judge.
        label: What people found; None where nobody looked.
        recorded: By whose record.
    """

    paper: str
    group: str
    system: str
    text: StudiedText
    judged: Mapping[str, Judged] = field(default_factory=lambda: MappingProxyType({}))
    label: Labelled | None = None
    recorded: Mapping[str, RecordedNumbers] = field(default_factory=lambda: MappingProxyType({}))


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


SEED: Final = 20241
RESAMPLES: Final = 1000
LEVEL: Final = 0.95
DIGITS: Final = 9
"""What is told of a number; the rest is rounding, which differs between machines."""

Part = tuple[str, float | None]
"""A paper's group, and its value; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean or a rate, in the unit of what it is taken of.

    Attributes:
        value: None where nothing has a value.
        low: Lower bound of the 95 % interval over papers; None with fewer than two groups.
        high: Upper bound.
        n: How many have a value.
        n_of: How many there are; the rest is unscored or lacking, and never counted as 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    n_of: int


def rounded(value: float) -> float:
    """The number to 9 digits behind the point, without a negative zero."""
    return round(value, DIGITS) + 0.0


def mean_of(parts: Iterable[Part]) -> Mean:
    """The mean of one value a paper, with the 95 % bootstrap interval over papers.

    Papers with the same reference are resampled as one. The order of the papers does not matter.
    """
    every = tuple(parts)
    known = [(group, value) for group, value in every if value is not None]
    return _estimate(known, [1.0] * len(known), n=len(known), n_of=len(every))


def rate_of(parts: Sequence[tuple[str, float, float]], *, n_of: int) -> Mean:
    """The rate of sums: (group, how many it is true of, how many it could be) a paper.

    ``n`` counts the papers with something to count; ``n_of`` is given.
    """
    known = [(group, true, every) for group, true, every in parts if every]
    tops = [(group, true) for group, true, _ in known]
    return _estimate(tops, [every for _, _, every in known], n=len(known), n_of=n_of)


def _estimate(
    tops: Sequence[tuple[str, float]], bottoms: Sequence[float], *, n: int, n_of: int
) -> Mean:
    if not n:
        return Mean(value=None, n=0, n_of=n_of)
    value = math.fsum(top for _, top in tops) / math.fsum(bottoms)
    low, high = bounds(draws(tops, bottoms))
    return Mean(value=rounded(value), low=low, high=high, n=n, n_of=n_of)


def draws(tops: Sequence[tuple[str, float]], bottoms: Sequence[float]) -> NDArray[np.float64]:
    """The ratio in each of 1,000 resamples of papers; none with fewer than two groups.

    From one group nothing is learnt about others, so there is no interval to give.
    """
    groups = [group for group, _ in tops]
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return np.empty(0)
    values = [top for _, top in tops]
    found = resampled_ratios(groups, values, bottoms, n_resamples=RESAMPLES, seed=SEED)
    return found[~np.isnan(found)]


def bounds(found: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of resampled values; no bounds without values."""
    if not len(found):
        return None, None
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return rounded(float(low)), rounded(float(high))


_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One system by one number.

    Attributes:
        system: The system.
        mean: Over its papers.
        rank: From 1, equal means share the better one; None without a mean, and where more is not
            better.
    """

    system: str
    mean: Mean
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """All systems by one number, in the suite's order."""

    column: Column
    places: tuple[Place, ...]

    @property
    def is_uneven(self) -> bool:
        """Whether the means stand on different numbers of papers."""
        return len({place.mean.n for place in self.places}) > 1


def standings(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Standing, ...]:
    """Every number by system.

    Args:
        by_system: The pairs of each system, in the order shown.
        judges: The judges, in the order shown.
        n_papers: How many papers there are; a mean says how many of these it covers.
    """
    every = [pair for pairs in by_system.values() for pair in pairs]
    return tuple(
        _standing(column, by_system, n_papers) for column in columns_of(every, tuple(judges))
    )


def _standing(
    column: Column, by_system: Mapping[str, Sequence[StudiedPair]], n_papers: int
) -> Standing:
    means = {
        system: over(n_papers, [(pair.group, column.of(pair)) for pair in pairs])
        for system, pairs in by_system.items()
    }
    values = {system: mean.value for system, mean in means.items()}
    ranks = ranked(values) if column.is_ranked else {}
    return Standing(
        column=column,
        places=tuple(
            Place(system=system, mean=mean, rank=ranks.get(system))
            for system, mean in means.items()
        ),
    )


def over(n_papers: int, parts: Sequence[tuple[str, float | None]]) -> Mean:
    """The mean of the parts; papers that are not among them are without a value, too."""
    lacking = [("", None)] * (n_papers - len(parts))
    return mean_of([*parts, *lacking])


def ranked(values: Mapping[str, float | None]) -> dict[str, int]:
    """The rank of each value from the highest, 1; equal ones share the better rank.

    So 3, 5, 5, 1 have the ranks 3, 1, 1, 4. What is None has none.
    """
    known = {name: value for name, value in values.items() if value is not None}
    return {
        name: 1 + sum(other > value + _ROUNDING for other in known.values())
        for name, value in known.items()
    }


STEPS: Final = 40
"""The quantiles go up by 1 / 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The bootstrap distribution of one system's mean of one number.

    Attributes:
        column: The number.
        system: The system.
        n: The papers that it stands on.
        n_of: How many there are.
        quantiles: From the smallest to the largest of 1,000 resamples, 41 values from 0 to 1 in
            steps of 1/40; empty with fewer than two groups of papers.
        iqr: The range of the middle half; None without quantiles.
    """

    column: Column
    system: str
    n: int
    n_of: int
    quantiles: tuple[float, ...]
    iqr: float | None


def spreads(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Spread, ...]:
    """The distribution of every system's mean of the leading numbers."""
    return tuple(
        _spread(column, system, pairs, n_papers)
        for column in leading_columns(by_system, judges)
        for system, pairs in by_system.items()
    )


def _spread(column: Column, system: str, pairs: Sequence[StudiedPair], n_papers: int) -> Spread:
    known = [(pair.group, value) for pair in pairs if (value := column.of(pair)) is not None]
    found = draws(known, [1.0] * len(known))
    quantiles: tuple[float, ...] = ()
    iqr = None
    if len(found):
        steps = np.quantile(found, np.linspace(0, 1, STEPS + 1))
        quantiles = tuple(rounded(float(value)) for value in steps)
        iqr = rounded(quantiles[3 * STEPS // 4] - quantiles[STEPS // 4])
    return Spread(
        column=column, system=system, n=len(known), n_of=n_papers, quantiles=quantiles, iqr=iqr
    )


LENGTHS: Final = (LENGTH, "reference words", "source words", "compression", "of reference")
"""Words of the text, its reference and its source; source / text, and text / reference."""
COUNTED: Final = "numbers"
COUNTED_WORDS: Final = "counted words"
"""Words without placeholders of formulas, by which numbers per 100 words are counted."""
PER_100_WORDS: Final = "per 100 words"
NUMBERS: Final = (COUNTED, PER_100_WORDS)
NOVELTY: Final = ("novelty 1", "novelty 2", "novelty 3", "novelty 4", "repetition")
"""Share of the text's n-grams that the source lacks, n = 1 to 4; and of its 4-grams that repeat."""
READABILITY: Final = ("FKGL", "Coleman-Liau", "Dale-Chall")
"""Grade levels: higher is harder to read."""
TEXT_NUMBERS: Final = (*LENGTHS, *NUMBERS, *NOVELTY, *READABILITY)
"""Everything that a text alone gives, baselines against references aside."""


def text_numbers(  # noqa: PLR0913 - by keyword; each says what is wanted, or of what
    text: str,
    *,
    source: str,
    references: Sequence[str] = (),
    familiar: frozenset[str] | None = None,
    overlap: bool = True,
    novel: bool = True,
) -> Mapping[str, float]:
    """The numbers of one text; those that it does not have are absent.

    Args:
        text: A summary, or a reference.
        source: The paper's text.
        references: The references that a summary is held to, none for a reference: ROUGE is that of
            the best one, the lengths are those of the first.
        familiar: Familiar words for Dale-Chall; None for none.
        overlap: Whether ROUGE is wanted, which takes longer than all the rest.
        novel: Whether novelty is wanted, which takes half as long.
    """
    text, source = normalise(text), normalise(source)
    first = normalise(references[0]) if references else text
    found: dict[str, float | None] = dict(_lengths(_words(text), _words(first), _words(source)))
    found[COUNTED] = float(count_numbers(text))
    found[PER_100_WORDS] = numbers_per_100_words(text)
    if found[PER_100_WORDS] is not None:
        found[COUNTED_WORDS] = float(_words(without_placeholders(text)))
    for n in range(1, 5) if novel else ():
        found[f"novelty {n}"] = novelty(text, source, n)
    found["repetition"] = repetition_rate(text)
    graded = readability(text, familiar=familiar)
    if graded is not None:
        found["FKGL"] = graded.fkgl
        found["Coleman-Liau"] = graded.coleman_liau
        found["Dale-Chall"] = graded.dale_chall
    scores = [rouge(reference, text) for reference in references if overlap]
    for name in scores[0] if scores else ():
        found[name] = max(score[name] for score in scores)
    return MappingProxyType({name: value for name, value in found.items() if value is not None})


def _words(text: str) -> int:
    return len(text.split())


def _lengths(text: int, reference: int, source: int) -> Mapping[str, float]:
    found = {LENGTH: float(text), "reference words": float(reference)}
    found["source words"] = float(source)
    if text:
        found["compression"] = source / text
    if reference:
        found["of reference"] = text / reference
    return found
