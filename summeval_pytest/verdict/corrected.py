"""Means with the judge's error taken out, as far as golden labels tell it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.score import SPARSE
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.pair_numbers import coverage, is_covered
from summeval_pytest.verdict.thresholds import CORRECTABLE, Threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.stats.correction import Corrected

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedMean:
    """The mean of one number as people would have given it, and the judge's own beside it.

    Attributes:
        raw: The mean of what the judge says; of faithfulness, over sentences and not over papers.
        value: Corrected, in the labels' unit; None where the labels do not tell, or the judge is no
            better than chance.
        low: The lower bound of its 95 % interval over papers.
        n_golden: How many labelled pairs, or sentences, correct it.
        n_papers: On how many papers these are.
        reason: Why there is no value or no interval; else empty.
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
    floors: tuple[Threshold, ...] = ()
    n_scored: int = 0
    n_of: int = 0
    worst: CorrectedMean | None = field(default=None, metadata=SPARSE)

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number, as for a raw mean."""
        return is_covered(self.name, self.n_scored, self.n_of)

    @property
    def missed(self) -> tuple[Threshold, ...]:
        """The thresholds that it does not reach; on too few papers, all of them."""
        return tuple(
            floor
            for floor in self.floors
            if not (self.is_covered and floor.is_met_by(floor.held(self.value, self.low)))
        )


def corrected_means(
    papers: Sequence[Numbers], golden: Sequence[GoldenPair], thresholds: Sequence[Threshold] = ()
) -> tuple[CorrectedMean, ...]:
    """The means of one system over its papers, corrected by golden answers, as far as they tell.

    ``golden`` are the labelled pairs with the answers of the same judge.

    Raises:
        JudgeError: where a threshold is on a mean that cannot be corrected, or has no interval.
    """
    supposed = [numbers.supposed(by="judge") for numbers in papers]
    generous = [replace(pair, answers=tuple(map(_generous, pair.answers))) for pair in golden]
    means = []
    for name in CORRECTABLE:
        floors = tuple(threshold for threshold in thresholds if threshold.name == name)
        found = _corrected(name, papers, golden)
        if not floors and not (found.n_judged and found.n_golden):
            continue
        if any(floor.held(found.value, found.low) is None for floor in floors):
            raise JudgeError(
                f"the mean of {name} cannot be corrected, {found.reason};"
                f" label more, or set the threshold on [thresholds.mean] {name}"
            )
        worst = _corrected(name, supposed, generous)
        n_scored, n_of = coverage(papers, name)
        means.append(
            replace(
                _named(name, found),
                floors=floors,
                n_scored=n_scored,
                n_of=n_of,
                worst=None if worst == found else _named(name, worst),
            )
        )
    return tuple(means)


def _named(name: str, found: Corrected) -> CorrectedMean:
    told = asdict(found)
    del told["n_judged"]
    return CorrectedMean(name=name, **told)


def _generous(answer: GoldenAnswer) -> GoldenAnswer:
    """A label's answer; the top of its scale where there is none."""
    if answer.answer is not None:
        return answer
    return replace(answer, answer=float(SCALES[answer.kind] if answer.kind in FACETS else 1))


def _corrected(name: str, papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    """The mean of a number corrected by what labels say; faithfulness is a rate of sentences."""
    from summeval_pytest.stats.correction import corrected_mean, corrected_rate  # load numpy

    kind = {"facet": "overall", "faithfulness": "sentence"}.get(name, name.partition(".")[2])
    rows = [(pair.paper, answer, label) for pair in golden for label, answer in pair.answered(kind)]
    if kind == "overall" and any(label > 1 + _ROUNDING for *_, label in rows):
        rows = []  # people's overall scores are on a scale of their own
    if name != "faithfulness":
        scored = [(n.paper, v) for n in papers if (v := n.values.get(name)) is not None]
        return corrected_mean(scored, rows)
    judged: list[tuple[str, bool]] = []
    for numbers in papers:
        n_supported = numbers.sizes.get("faithfulness", 0)
        n_others = numbers.sizes.get("sentences", 0) - n_supported
        judged += [(numbers.paper, True)] * n_supported + [(numbers.paper, False)] * n_others
    return corrected_rate(judged, [(paper, a == 1, label == 1) for paper, a, label in rows])
