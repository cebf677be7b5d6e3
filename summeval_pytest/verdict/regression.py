"""One system against a baseline, paired by paper: how far each number moved, and by chance or not.

The test of a drop is the paired permutation test over papers, one-sided; p values of the numbers
that are tested together are Holm-adjusted; intervals are bootstrap intervals over papers.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypedDict

from summeval_pytest.metrics import CATALOGUE, METRICS, SUPPORT, lacks_support
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.comparison import Comparison, Difference, Flip
from summeval_pytest.verdict.correcting import MIN_COVERAGE
from summeval_pytest.verdict.rules import DEFAULT_RULES, levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.metrics import Signature
    from summeval_pytest.verdict.baseline import Baseline
    from summeval_pytest.verdict.rules import Rule

SEED: Final = 20241
RESAMPLES: Final = 2000
FLIPS: Final = 99_999
"""So many random signs put the error of a p value of .05 / 7 at 4 % of it."""
POWER: Final = 0.8
"""With this chance a drop of the detectable size is found."""
SHORTER: Final = 0.95
"""Summaries of fewer words than this share of the baseline's are shorter."""
_ROUNDING: Final = 1e-9


class Granularity(TypedDict):
    """What `summeval_pytest.stats.power_of_drop` calls step and unchanged."""

    step: float
    unchanged: float


def compare(
    papers: Sequence[Numbers],
    baseline: Baseline,
    *,
    signatures: Sequence[Signature],
    rules: Sequence[Rule] = DEFAULT_RULES,
) -> Comparison:
    """One system's papers against a baseline's.

    Args:
        papers: The numbers of every paper of the system.
        baseline: What it is compared with.
        signatures: The recipes of the system's numbers.
        rules: Which drops fail.
    """
    old = {paper: pair.numbers() for paper, pair in baseline.pairs.items()}
    mismatches = (
        *_other_recipes(signatures, baseline),
        *_other_papers({numbers.paper for numbers in papers}, set(old), baseline),
    )
    if mismatches:
        return Comparison(baseline=baseline.run, system=baseline.system, mismatches=mismatches)
    both = [(old[numbers.paper], numbers) for numbers in papers]
    mismatches = tuple(_unpaired(both, rules))
    if mismatches:
        return Comparison(baseline=baseline.run, system=baseline.system, mismatches=mismatches)
    return Comparison(
        baseline=baseline.run,
        system=baseline.system,
        differences=_differences(both, rules),
        flips=_flips(both),
        brevity=tuple(_brevity(both)),
    )


def _other_recipes(signatures: Sequence[Signature], baseline: Baseline) -> Iterator[str]:
    """Each key in which the recipes differ, with both values and the metrics concerned."""
    recorded = baseline.signatures()
    differing: dict[tuple[str, str, str], list[str]] = {}
    for signature in signatures:
        others = recorded.get(signature.metric, ())
        if len(others) != 1:
            held = "more than one recipe of" if others else "no"
            yield f"{baseline.run} has {held} {signature.metric}; save it again"
            continue
        (other,) = others
        here, there = dict(signature.recipe), dict(other.recipe)
        for key in signature.differing(other):
            values = (key, here.get(key, "nothing"), there.get(key, "nothing"))
            differing.setdefault(values, []).append(signature.metric)
    for (key, mine, theirs), metrics in differing.items():
        yield (
            f"{key} differs: {mine!r} here, {theirs!r} in {baseline.run}"
            f" ({', '.join(metrics)}); numbers of different recipes do not compare"
        )


def _other_papers(new: set[str], old: set[str], baseline: Baseline) -> Iterator[str]:
    for missing, where in ((new - old, f"{baseline.told} lacks"), (old - new, "this run lacks")):
        if missing:
            first, *rest = sorted(missing)
            more = f" and {len(rest)} more" if rest else ""
            yield f"{where} paper {first!r}{more}; compare runs over the same papers"


def _unpaired(both: Sequence[Pairing], rules: Sequence[Rule]) -> Iterator[str]:
    """Each number that has to decide and stands on no paper in both runs."""
    if not both:
        yield "there is no paper to compare on"
        return
    named = [rule.name for rule in rules if rule.is_named]
    for name in dict.fromkeys((*METRICS, *named)):
        n_old = sum(old.values.get(name) is not None for old, _ in both)
        n_new = sum(new.values.get(name) is not None for _, new in both)
        if (n_old or name in named) and not _changes(both, name):
            yield (
                f"{name} is on no paper in both runs; the baseline has it on {n_old} of"
                f" {len(both)}, this run on {n_new}"
            )
    if SUPPORT in named and (lacking := _lacking_support(both)):
        yield (
            f"{SUPPORT} is lacking on {len(lacking)} of {len(both)} papers, first {lacking[0]!r}: a"
            " judge did not say of every sentence how far it is supported; compare faithfulness"
        )


def _lacking_support(both: Sequence[Pairing]) -> list[str]:
    """The papers with a faithfulness and no mean support, in either run."""
    return [n.paper for old, n in both if lacks_support(old.values) or lacks_support(n.values)]


Pairing = tuple["Numbers", "Numbers"]
"""One paper in the baseline and in this run."""


def _changes(both: Sequence[Pairing], name: str) -> list[tuple[float, float]]:
    """The old and new values of one number, on the papers that have it in both runs."""
    values = [(old.values.get(name), new.values.get(name)) for old, new in both]
    return [(old, new) for old, new in values if old is not None and new is not None]


def _differences(both: Sequence[Pairing], rules: Sequence[Rule]) -> tuple[Difference, ...]:
    from summeval_pytest.stats import bootstrap_mean, drop_p_value, holm

    without = {SUPPORT} if _lacking_support(both) else set()
    names = [name for name in CATALOGUE if name not in without]
    paired = {name: values for name in names if (values := _changes(both, name))}
    tested = {name: level for name, level in levels(rules).items() if name in paired}
    raw = [
        drop_p_value([new - old for old, new in paired[name]], n_flips=FLIPS, seed=SEED)
        for name in tested
    ]
    adjusted = dict(zip(tested, holm(raw), strict=True))
    found = []
    for name, values in paired.items():
        changes = [new - old for old, new in values]
        interval = bootstrap_mean(changes, n_resamples=RESAMPLES, seed=SEED)
        level = tested.get(name)
        difference = Difference(
            name=name,
            n_papers=len(values),
            old=statistics.mean(old for old, _ in values),
            new=statistics.mean(new for _, new in values),
            change=statistics.mean(changes),
            low=interval.low,
            high=interval.high,
            p=adjusted.get(name),
            deviation=statistics.stdev(changes) if len(changes) > 1 else None,
            detectable=None if level is None else _detectable(name, changes, level / len(tested)),
        )
        found.append(_held(difference, rules, n_expected=_n_expected(both, name, rules)))
    return tuple(found)


def _detectable(name: str, changes: Sequence[float], level: float) -> float | None:
    """The smallest drop that papers which vary as these do would show, at one level."""
    from summeval_pytest.stats import detectable_drop

    deviation = statistics.stdev(changes) if len(changes) > 1 else 0.0
    if deviation == 0.0:
        return None
    return detectable_drop(
        deviation, len(changes), level=level, power=POWER, **granularity(name, changes)
    )


def granularity(name: str, changes: Sequence[float]) -> Granularity:
    """How coarse the changes of a number are, without which a small suite overstates its power."""
    unchanged = sum(abs(change) < _ROUNDING for change in changes) / len(changes)
    return {"step": 1.0 if CATALOGUE[name].high > 1.0 else 0.0, "unchanged": unchanged}


def _n_expected(both: Sequence[Pairing], name: str, rules: Sequence[Rule]) -> int:
    """How many papers a comparison should cover: those on which the baseline has the number.

    That holds for the metrics and for what a rule names; a facet may be on fewer papers.
    """
    is_held = name in METRICS or any(rule.name == name and rule.is_named for rule in rules)
    return sum(old.values.get(name) is not None for old, _ in both) if is_held else 0


def _held(difference: Difference, rules: Sequence[Rule], *, n_expected: int) -> Difference:
    """The difference with the rules that it breaks."""
    broken = [told for rule in rules if rule.name == difference.name
              for told in _broken(difference, rule)]  # fmt: skip
    if difference.n_papers < MIN_COVERAGE * n_expected:
        broken.append(
            f"{difference.name} is compared on only {difference.n_papers} of {n_expected} papers;"
            " the others have no score"
        )
    return replace(difference, broken=tuple(dict.fromkeys(broken)))


def _broken(difference: Difference, rule: Rule) -> Iterator[str]:
    drop = -difference.change
    is_large = rule.drop is None or drop > rule.drop + _ROUNDING
    is_significant = rule.level is None or (difference.p is not None and difference.p <= rule.level)
    if not is_large or not is_significant or drop <= 0:
        return
    parts = []
    if rule.drop is not None:
        parts.append(f"more than {rule.drop:g}")
    if rule.level is not None:
        parts.append(f"p {difference.p:.4f} at level {rule.level:g}")
    yield f"{difference.name} drops by {drop:.3f}, {' and '.join(parts)}"


def _flips(both: Sequence[Pairing]) -> tuple[Flip, ...]:
    """Every facet that is rated lower, the largest share of its scale first."""
    flips = []
    for old, new in both:
        for facet in FACETS:
            values = old.values.get(f"facet.{facet}"), new.values.get(f"facet.{facet}")
            if None not in values and values[1] < values[0]:  # type: ignore[operator]  # not None
                before, after = (int(value or 0) for value in values)
                flips.append(Flip(paper=new.paper, facet=facet, old=before, new=after))
    return tuple(sorted(flips, key=lambda flip: (flip.new - flip.old) / (SCALES[flip.facet] - 1)))


def _brevity(both: Sequence[Pairing]) -> Iterator[str]:
    """Each share of right pieces that rose while there are no more right pieces, only fewer words.

    A summary that says less can be wrong less often; that is no better summary.
    """
    words = _mean_sizes(both, "words")
    if words is None or words[1] >= SHORTER * words[0]:
        return
    for name in ("eva.precision", "faithfulness"):
        values, right = _changes(both, name), _mean_sizes(both, name)
        if not values or right is None:
            continue
        rise = statistics.mean(new - old for old, new in values)
        if rise > _ROUNDING and right[1] <= right[0]:
            yield (
                f"{name} rose by {rise:.3f} only because summaries became shorter:"
                f" {words[0]:.0f} to {words[1]:.0f} words, and {right[0]:.1f} to {right[1]:.1f}"
                " right pieces each"
            )


def _mean_sizes(both: Sequence[Pairing], name: str) -> tuple[float, float] | None:
    counted = [
        (old.sizes[name], new.sizes[name])
        for old, new in both
        if name in old.sizes and name in new.sizes
    ]
    if not counted:
        return None
    return (
        statistics.mean(old for old, _ in counted),
        statistics.mean(new for _, new in counted),
    )
