"""Whether a judge may decide: its agreement with the golden labels, held to the suite's floors.

Every interval resamples papers; those with the same reference are one. Unanswered labels are left
out of every figure, and where they are many the judge has not been measured at all.
"""

from __future__ import annotations

import statistics
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.errors import JudgeError
from summeval_pytest.evaluation import golden_pair, golden_tasks, labels_fingerprint
from summeval_pytest.metrics.facet import LOWEST
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats import bootstrap_interval, bootstrap_sums, spearman
from summeval_pytest.text import one_line
from summeval_pytest.verdict.counting import (
    FIGURES,
    KINDS,
    counts_of,
    error_counts,
    kind_of,
    n_of,
    share_found,
)
from summeval_pytest.verdict.deciding import undecided
from summeval_pytest.verdict.floors import AGREEMENTS, FOLLOWING, OF_ERROR, SPEARMAN, Floor, Floors
from summeval_pytest.verdict.trust import Agreement, Trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair, Runner
    from summeval_pytest.stats import Rows
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict.counting import Counts, Figures

SEED: Final = 20245
RESAMPLES: Final = 1000
MAX_UNANSWERED: Final = 0.05
"""A judge that leaves a larger share of the labelled items unanswered has not been measured."""


def measured_judge(
    runner: Runner, suite: Suite, held_to: Floors
) -> tuple[Trust, tuple[GoldenPair, ...]]:
    """What the golden labels of a suite say of the runner's judge, and its answers.

    Raises:
        JudgeError: where it leaves too many of them unanswered, or breaks its contract.
    """
    tasks = golden_tasks(suite)
    with closing(runner.evaluations(list(tasks))) as evaluations:
        golden = tuple(map(golden_pair, tasks.values(), evaluations))
    judge, labels = runner.judge.signature, labels_fingerprint(suite)
    return measure_trust(golden, held_to, judge=judge, labels=labels), golden


def measure_trust(
    pairs: Sequence[GoldenPair], held_to: Floors, *, judge: str, labels: str
) -> Trust:
    """The agreement of a judge with the golden labels, each figure with its floors.

    A figure that no label has something for is left out, unless a floor is set on it: then it is
    undefined, and misses its floor.

    Raises:
        JudgeError: if more than 5 % of the labelled items, or of one kind of them, have no answer.
    """
    answers = [answer for pair in pairs for answer in pair.answers]
    lacking = [answer for answer in answers if answer.answer is None]
    for what in ("", *KINDS):
        of_kind = [each for each in answers if not what or kind_of(each) == what]
        silent = [each for each in of_kind if each.answer is None]
        if len(silent) > MAX_UNANSWERED * len(of_kind):
            raise JudgeError(
                f"agreement with the labels was not measured: {len(silent):,} of"
                f" {len(of_kind):,} labelled {what or 'item'}s are unanswered, first:"
                f" {one_line(silent[0].reason)}"
            )
    agreements = _agreements(pairs, held_to.floors)
    return Trust(
        judge=judge,
        labels=labels,
        floors_of=held_to.judge,
        agreements=agreements,
        n_pairs=len(pairs),
        n_papers=len({pair.group for pair in pairs}),
        n_unanswered=len(lacking),
        n_left_out=sum(pair.n_left_out for pair in pairs),
        undecided=_undecided(agreements, pairs, held_to.floors) if lacking else "",
    )


def _agreements(pairs: Sequence[GoldenPair], floors: Sequence[Floor]) -> tuple[Agreement, ...]:
    counts = counts_of(pairs)
    found = (
        _overall(pairs, floors) if name == SPEARMAN else _figure(name, counts, _of(name, floors))
        for name in AGREEMENTS
    )
    return (
        *(e for e in found if e.floors or (e.n_items and e.name not in FOLLOWING)),
        *_errors(pairs, floors),
    )


def _undecided(
    agreements: Sequence[Agreement], pairs: Sequence[GoldenPair], floors: Sequence[Floor]
) -> str:
    """The first floor that is held only because labels were left unanswered; empty without one."""
    overall = [label for pair in pairs for label, _ in pair.answered("overall")]
    middle = statistics.median(overall) if overall else 0.0
    wrong = [
        replace(pair, answers=tuple(_wrong(each, middle) for each in pair.answers))
        for pair in pairs
    ]
    worst = {found.name: found for found in _agreements(wrong, floors)}
    faults = (
        undecided(
            "the judge is undecided:", floor, found.held(floor), worst[found.name].held(floor)
        )
        for found in agreements
        for floor in found.floors
    )
    return next(filter(None, faults), "")


def _wrong(answer: GoldenAnswer, middle: float) -> GoldenAnswer:
    """A label's answer; the farthest from the label where there is none."""
    if answer.answer is not None:
        return answer
    low, high, is_high = 0.0, 1.0, answer.label > 0
    for facet in FACETS:
        if answer.kind == facet:
            low, high = 1.0, float(SCALES[facet])
            is_high = answer.label - low > high - answer.label
    if answer.kind == "overall":
        low, is_high = LOWEST, answer.label > middle
    found = answer.evidence
    return replace(
        answer,
        answer=low if is_high else high,
        evidence=found and replace(found, named=found.labelled),
    )


def _of(name: str, floors: Sequence[Floor]) -> tuple[Floor, ...]:
    return tuple(floor for floor in floors if floor.name == name)


def _figure(name: str, counts: Counts, floors: tuple[Floor, ...]) -> Agreement:
    held = counts[np.array([n_of(row, name) > 0 for row in counts], dtype=bool)]
    return _measured(name, held, FIGURES[name], n_of(counts.sum(axis=0), name), floors)


def _measured(
    name: str,
    counts: Counts,
    figure: Callable[[Counts], Figures],
    n_items: int,
    floors: tuple[Floor, ...],
) -> Agreement:
    """A figure of summed counts, with its interval over the papers that the rows are."""
    interval = bootstrap_sums(counts, figure, n_resamples=RESAMPLES, seed=SEED)
    value = float(figure(counts.sum(axis=0)[np.newaxis])[0])
    return Agreement(
        name=name,
        value=None if np.isnan(value) else value,
        low=interval.low,
        high=interval.high,
        n_items=n_items,
        n_papers=len(counts),
        floors=floors,
    )


def _errors(pairs: Sequence[GoldenPair], floors: Sequence[Floor]) -> Iterator[Agreement]:
    """The recall on the unfaithful sentences of each kind of error that labels name.

    A kind is undefined, and misses its floor, where more than 5 % of its sentences have no answer:
    who is silent on what is hard has not found it.
    """
    nothing = np.zeros((0, 2), dtype=np.int64)
    found = error_counts(pairs)
    held = {floor.name for floor in floors if floor.name.startswith(OF_ERROR)}
    for name in sorted({OF_ERROR + error for error in found} | held):
        error = name.removeprefix(OF_ERROR)
        counts = found.get(error, nothing)
        if _is_silent(pairs, error):
            counts = nothing
        n_labelled = int(counts[:, 1].sum())
        if n_labelled or _of(name, floors):
            yield _measured(name, counts, share_found, n_labelled, _of(name, floors))


def _is_silent(pairs: Sequence[GoldenPair], error: str) -> bool:
    """Whether too many sentences with one kind of error have no answer."""
    answers = [a.answer for pair in pairs for a in pair.answers if a.error == error]
    return sum(answer is None for answer in answers) > MAX_UNANSWERED * len(answers)


def _overall(pairs: Sequence[GoldenPair], floors: Sequence[Floor]) -> Agreement:
    """Spearman's rho of FM and the labelled overall scores."""
    rows = [
        (pair.group, label, answer) for pair in pairs for label, answer in pair.answered("overall")
    ]
    groups = [group for group, _, _ in rows]
    label = np.array([label for _, label, _ in rows], dtype=np.float64)
    given = np.array([answer for _, _, answer in rows], dtype=np.float64)

    def rho(drawn: Rows, _: Rows) -> float | None:
        return spearman(label[drawn], given[drawn])

    interval = bootstrap_interval(groups, rho, n_resamples=RESAMPLES, seed=SEED)
    return Agreement(
        name=SPEARMAN,
        value=spearman(label, given),
        low=interval.low,
        high=interval.high,
        n_items=len(rows),
        n_papers=len(set(groups)),
        floors=_of(SPEARMAN, floors),
    )
