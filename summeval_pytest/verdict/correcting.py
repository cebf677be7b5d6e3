"""Means with the judge's error taken out, which its golden answers tell.

FM and the ratings of facets by prediction-powered inference, from the labelled pairs; faithfulness
by Rogan and Gladen, from the labelled sentences, as a rate over all sentences. EVA-Score is not
corrected: labels speak of facts that people have listed, and not of those that the judge lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.recorded import SPARSE
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.floors import Floor  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair, Numbers
    from summeval_pytest.stats import Corrected

_ROUNDING: Final = 1e-9
MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""
CORRECTABLE: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "faithfulness")
"""The numbers whose means golden labels can correct."""
SENTENCES: Final = "sentences"
"""Among a pair's sizes, the sentences that the judge has given a verdict on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedMean:
    """The mean of one number as people would have given it, and the judge's own beside it.

    Attributes:
        name: The number.
        raw: The mean of what the judge says; of faithfulness, over sentences and not over papers.
        value: Corrected, in the labels' unit; None where the labels do not tell, or the judge is no
            better than chance.
        low: The lower bound of its 95 % interval over papers.
        high: The upper bound.
        n_golden: How many labelled pairs, or sentences, correct it.
        n_papers: On how many papers.
        reason: Why there is no value or no interval; else empty.
        floors: What it, or its lower bound, is held to.
        n_scored: Papers of the system that have the number.
        n_of: Papers that should have it.
        worst: The same with each piece wrong that the judge left unanswered, and each label that it
            left unanswered at the top of its scale; None where everything was answered.
    """

    name: str
    raw: float | None
    value: float | None
    low: float | None
    high: float | None
    n_golden: int
    n_papers: int
    reason: str = ""
    floors: tuple[Floor, ...] = ()
    n_scored: int = 0
    n_of: int = 0
    worst: CorrectedMean | None = field(default=None, metadata=SPARSE)

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number, as for a raw mean."""
        return self.n_scored >= MIN_COVERAGE * self.n_of

    def held(self, floor: Floor) -> float | None:
        """What a threshold is held against: the corrected mean, or its lower bound."""
        return self.low if floor.bound == "lower" else self.value

    @property
    def missed(self) -> tuple[Floor, ...]:
        """The thresholds that it does not reach; on too few papers, all of them."""
        if not self.is_covered:
            return self.floors
        return tuple(f for f in self.floors if not f.is_met_by(self.held(f)))


def corrected_means(
    papers: Sequence[Numbers], golden: Sequence[GoldenPair], floors: Sequence[Floor] = ()
) -> tuple[CorrectedMean, ...]:
    """The means of one system over its papers, corrected by golden answers, as far as they tell.

    Args:
        papers: The system's numbers.
        golden: The labelled pairs with the answers of the same judge.
        floors: Thresholds on corrected means.

    Raises:
        JudgeError: where a threshold is on a mean that cannot be corrected, or has no interval.
    """
    supposed = [numbers.supposed(by="judge") for numbers in papers]
    generous = [replace(pair, answers=tuple(map(_generous, pair.answers))) for pair in golden]
    found = []
    for name in CORRECTABLE:
        held = tuple(floor for floor in floors if floor.name == name)
        corrected = _corrected(name, papers, golden)
        if held or (corrected.n_judged and corrected.n_golden):
            worst = _corrected(name, supposed, generous)
            mean = _mean(name, corrected, held, None if worst == corrected else _mean(name, worst))
            _check_told(mean)
            found.append(mean)
    return tuple(found)


def _mean(
    name: str,
    corrected: Corrected,
    floors: tuple[Floor, ...] = (),
    worst: CorrectedMean | None = None,
) -> CorrectedMean:
    return CorrectedMean(
        name=name,
        raw=corrected.raw,
        value=corrected.value,
        low=corrected.low,
        high=corrected.high,
        n_golden=corrected.n_golden,
        n_papers=corrected.n_papers,
        reason=corrected.reason,
        floors=floors,
        worst=worst,
    )


def _generous(answer: GoldenAnswer) -> GoldenAnswer:
    """A label's answer; the top of its scale where there is none."""
    if answer.answer is not None:
        return answer
    top = next((SCALES[facet] for facet in FACETS if facet == answer.kind), 1)
    return replace(answer, answer=float(top))


def _check_told(mean: CorrectedMean) -> None:
    for floor in mean.floors:
        if mean.held(floor) is None:
            raise JudgeError(
                f"the mean of {mean.name} cannot be corrected, {mean.reason};"
                f" label more, or set the threshold on [thresholds.mean] {mean.name}"
            )


def _corrected(name: str, papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    from summeval_pytest.stats import corrected_mean  # numpy, which no help text needs

    if name == "faithfulness":
        return _rate(papers, golden)
    values = [(numbers.values[name], numbers.paper) for numbers in papers if name in numbers.values]
    scored = [(value, paper) for value, paper in values if value is not None]
    kind = "overall" if name == "facet" else name.partition(".")[2]
    rows = list(_rows(golden, kind))
    if kind == "overall" and any(label > 1 + _ROUNDING for label, _, _ in rows):
        rows = []  # people's overall scores are on a scale of their own
    return corrected_mean(
        [value for value, _ in scored],
        [paper for _, paper in scored],
        golden_judge=[answer for _, answer, _ in rows],
        golden_label=[label for label, _, _ in rows],
        golden_papers=[paper for _, _, paper in rows],
    )


def _rate(papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    from summeval_pytest.stats import corrected_rate

    judged: list[bool] = []
    of: list[str] = []
    for numbers in papers:
        n_supported = numbers.sizes.get("faithfulness", 0)
        n_sentences = numbers.sizes.get(SENTENCES, 0)
        judged += [True] * n_supported + [False] * (n_sentences - n_supported)
        of += [numbers.paper] * n_sentences
    rows = list(_rows(golden, "sentence"))
    return corrected_rate(
        judged,
        of,
        golden_judge=[answer == 1 for _, answer, _ in rows],
        golden_label=[label == 1 for label, _, _ in rows],
        golden_papers=[paper for _, _, paper in rows],
    )


def _rows(golden: Sequence[GoldenPair], kind: str) -> Iterator[tuple[float, float, str]]:
    """Of the answered items of one kind: label, answer, paper."""
    for pair in golden:
        for label, answer in pair.answered(kind):
            yield label, answer, pair.paper
