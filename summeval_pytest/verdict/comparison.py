"""Regression of a system against a baseline, paired by paper.

A one-sided paired permutation test over papers tests for a drop. Holm's correction adjusts the p
values of the numbers that are tested together. A no-worse rule passes by a one-sided t test against
its margin. That test needs no correction: the gate opens only if every such rule passes, so the
chance that it opens although one number is worse by its margin is at most the level of one test
(Berger 1982). Intervals are those of t over papers.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import (
    CATALOGUE,
    METRICS,
    OPTIONAL,
    catalogue_of,
    lacks,
    metric_of,
)
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.metrics.signature import Signature
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.pair_numbers import Numbers, coverage, is_covered
from summeval_pytest.stats.intervals import change_interval
from summeval_pytest.stats.paired import (
    drop_p_value,
    holm,
    least_p_value,
    papers_to_refute,
    refuted_drop,
)
from summeval_pytest.suite.suite import Suite
from summeval_pytest.verdict.differences import Comparison, Difference, Flip, SliceChange
from summeval_pytest.verdict.means import MIN_SLICE, Slice
from summeval_pytest.verdict.pair import unanswered_items
from summeval_pytest.verdict.policy import LEVEL, Policy, Rule, levels
from summeval_pytest.verdict.run import PairRow, RunRecord, SuiteRecord, suite_alike

SEED: Final = 20241
FLIPS: Final = 99_999
"""So many random signs put the error of a p value of .05 / 7 at 4 % of it."""
_ROUNDING: Final = 1e-9
_AT_LOWEST: Final = "with the lowest score for each paper that has none"


def compare(papers: Sequence[Numbers], against: Against, policy: Policy) -> Comparison:
    """One system's papers against a baseline's, on the papers that both have.

    ``papers`` are the numbers of every paper of the system. The rules of the ``policy`` say what
    fails. A smaller share of papers in common cannot be compared. A metric that does not drop over
    all papers is tested in each slice.
    """
    baseline, rules, slices = against.baseline, policy.rules, policy.slices
    saved = {paper: row.numbers for paper, row in baseline.pairs.items()}
    # Of a pair that broke down nothing is known, so that its paper is missing in the baseline.
    old = {paper: each for paper, each in saved.items() if each.values or each.unscored}
    both = [(old[each.paper], each) for each in papers if each.paper in old]
    common = [new.paper for _, new in both]
    mismatches = [*_other_recipes(against), *_other_papers(against, common), *_other_sides(both)]
    coverage_note = ""
    if n_apart := len(papers) + len(old) - 2 * len(common):
        n_all = len(common) + n_apart
        coverage_note = (
            f"compared on {len(common):,} of {n_all:,} papers; {len(papers) - len(common):,} are"
            f" only in this run and {len(old) - len(common):,} only in {baseline.run}"
        )
        if len(common) < policy.share * n_all:
            mismatches.append(f"{coverage_note}; a share of {policy.share:g} must be in both")
    if mismatches := mismatches or [*_unpaired(both, rules)]:
        return Comparison(
            baseline=baseline.run, system=baseline.system, mismatches=tuple(mismatches)
        )
    differences = _differences(both, rules)
    failing = _failing(both, rules, {d.name: d.p for d in differences if d.p is not None})
    low = [(old, new.at_worst()) for old, new in both]
    if low != both:
        for known, at_lowest in zip(failing, _failing(low, rules), strict=True):
            for name, phrases in at_lowest.items():
                known.setdefault(name, tuple(f"{each}, {_AT_LOWEST}" for each in phrases))
    broken, unclear = failing
    unclear = {name: phrases for name, phrases in unclear.items() if name not in broken}
    flips = (
        Flip(paper=new.paper, facet=facet, old=int(was), new=int(now))
        for old, new in both
        for facet in FACETS
        for was, now in _changes([(old, new)], f"facet.{facet}")
        if now < was
    )
    by_slice = _slice_changes(low, slices, rules, broken)
    falling: _Phrases = {each.name: (str(each),) for each in by_slice if each.is_broken}
    ruled = dict.fromkeys((*(rule.name for rule in rules), *(METRICS if slices else ())))
    open_rules = _undecided(both, ruled, {**falling, **unclear, **broken}, baseline.run)
    return Comparison(
        baseline=baseline.run,
        system=baseline.system,
        differences=tuple(
            replace(d, broken=broken.get(d.name, ()), inconclusive=unclear.get(d.name, ()))
            for d in differences
        ),
        flips=tuple(sorted(flips, key=lambda f: (f.new - f.old) / (SCALES[f.facet] - 1))),
        coverage=coverage_note,
        slices=by_slice,
        undecided=tuple(open_rules),
    )


def _other_papers(against: Against, common: Iterable[str]) -> Iterator[str]:
    """Each reason why papers of the same name may not be the same paper."""
    baseline = against.baseline
    recipes = (*against.signatures, *baseline.suite.signatures(baseline.system))
    if len({dict(each.recipe).get("suite") for each in recipes}) < 2:  # noqa: PLR2004 - of one suite
        return
    stored = {paper.id: paper.digest for paper in baseline.suite.papers}
    if others := [paper for paper in common if stored.get(paper) != against.digests.get(paper)]:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        what = "is another text in" if stored.get(others[0]) else "has no digest in"
        yield f"paper {others[0]!r}{more} {what} {baseline.run}; save it again"


def _other_sides(both: Sequence[tuple[Numbers, Numbers]]) -> Iterator[str]:
    """Each number of a custom metric that is better when lower in one run, and not in the other."""
    for old, new in both[:1]:
        for name, then in old.catalogue.items():
            now = new.catalogue.get(name, then)
            was, is_ = ("lower" if each.lower_is_better else "higher" for each in (then, now))
            if was != is_:
                yield f"{name} was better when {was} and is better when {is_} now; save it again"


def _other_recipes(against: Against) -> Iterator[str]:
    """Each key in which the recipes differ, with both values and the metrics concerned.

    Two suites may differ in papers that only one of them has.
    """
    baseline = against.baseline
    recorded = baseline.suite.signatures(baseline.system)
    differing: dict[tuple[str, str, str], list[str]] = {}
    for signature in against.signatures:
        others = [each for each in recorded if each.metric == signature.metric]
        if len(others) != 1:
            how_many = "more than one recipe of" if others else "no"
            yield f"{baseline.run} has {how_many} {signature.metric}; save it again"
            continue
        new, old = dict(signature.recipe), dict(others[0].recipe)
        for key in signature.differing(others[0]):
            if key != "suite":  # `_other_papers` looks at the papers that both have
                values = (key, new.get(key, "nothing"), old.get(key, "nothing"))
                differing.setdefault(values, []).append(signature.metric)
    for (key, here, there), metrics in differing.items():
        yield (
            f"{key} differs: {here!r} here, {there!r} in {baseline.run}"
            f" ({', '.join(metrics)}); numbers of different recipes do not compare"
        )


def _unpaired(both: Sequence[Pairing], rules: Sequence[Rule]) -> Iterator[str]:
    """Each number that has to decide and is on no paper in both runs."""
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
    for name, metric in OPTIONAL.items():
        if name in named and (papers := _papers_without(both, name)):
            yield (
                f"{name} is missing on {len(papers)} of {len(both)} papers, first"
                f" {papers[0]!r}: a judge did not {CATALOGUE[name].not_said}; compare {metric}"
            )


def _papers_without(both: Sequence[Pairing], name: str) -> list[str]:
    """The papers with a metric and without an optional number of it, in either run."""
    return [new.paper for old, new in both if lacks(old.values, name) or lacks(new.values, name)]


_Phrases = dict[str, tuple[str, ...]]
Pairing = tuple["Numbers", "Numbers"]
"""One paper in the baseline and in this run."""


def _changes(both: Sequence[Pairing], name: str) -> list[tuple[float, float]]:
    """The old and new values of one number, on the papers that have it in both runs."""
    values = [(old.values.get(name), new.values.get(name)) for old, new in both]
    return [(old, new) for old, new in values if old is not None and new is not None]


class _Paired(NamedTuple):
    """The old and new values of one number, on the papers that have it in both runs."""

    number: NumberSpec
    values: list[tuple[float, float]]

    @property
    def losses(self) -> list[float]:
        """By how much each paper became worse."""
        return [self.number.oriented(old - new) for old, new in self.values]

    @property
    def gains(self) -> list[float]:
        """By how much each paper became better."""
        return [-loss for loss in self.losses]


def _paired(both: Sequence[Pairing]) -> dict[str, _Paired]:
    """By name, in catalogue order, the numbers that both runs have."""
    without = {name for name in OPTIONAL if _papers_without(both, name)}
    catalogue = catalogue_of(both[0][1].custom if both else ())
    paired = (_Paired(each, _changes(both, each.name)) for each in catalogue.values())
    return {p.number.name: p for p in paired if p.values and p.number.name not in without}


def _p_values(paired: Mapping[str, _Paired], rules: Sequence[Rule]) -> dict[str, float]:
    """The p values of a drop, Holm-adjusted, of the numbers that are tested together."""
    tested = [name for name in levels(rules) if name in paired]
    raw = [drop_p_value(paired[name].gains, n_flips=FLIPS, seed=SEED) for name in tested]
    return dict(zip(tested, holm(raw), strict=True))


def _differences(both: Sequence[Pairing], rules: Sequence[Rule]) -> tuple[Difference, ...]:
    """One a number; `compare` adds the rules that it breaks."""
    paired = _paired(both)
    adjusted = _p_values(paired, rules)
    margins = {rule.name: rule for rule in rules if rule.margin is not None}
    differences = []
    for name, each in paired.items():
        changes = [new - old for old, new in each.values]
        interval = change_interval(changes, width=each.number.width)
        most = _largest_change(each.number)
        ruled_out = _ruled_out(margins.get(name, Rule(name=name)), each)
        differences.append(
            Difference(
                name=name,
                n_papers=len(each.values),
                old=statistics.mean(old for old, _ in each.values),
                new=statistics.mean(new for _, new in each.values),
                change=statistics.mean(changes),
                low=None if interval.low is None else max(-most, interval.low),
                high=None if interval.high is None else min(most, interval.high),
                p=adjusted.get(name),
                ruled_out=ruled_out if ruled_out <= most and math.isfinite(ruled_out) else None,
                custom=both[0][1].custom,
            )
        )
    return tuple(differences)


def _slice_changes(
    both: Sequence[Pairing],
    slices: Sequence[Slice],
    rules: Sequence[Rule],
    broken: Mapping[str, object],
) -> tuple[SliceChange, ...]:
    """The change of each metric in each slice that is large enough.

    The means of all papers are tested first. What does not drop there is tested in the slices,
    which Holm's correction takes together.
    """
    tested = {name: level for name, level in levels(rules).items() if name in METRICS}
    cells: list[tuple[str, _Paired, float]] = []
    for each in slices:
        members = frozenset(each.papers)
        paired = _paired([(old, new) for old, new in both if new.paper in members])
        large = {name: own for name, own in paired.items() if len(own.values) >= MIN_SLICE}
        cells += [
            (each.name, large[name], level)
            for name, level in tested.items()
            if name in large and name not in broken
        ]
    raw = [drop_p_value(cell.gains, n_flips=FLIPS, seed=SEED) for _, cell, _ in cells]
    return tuple(
        SliceChange(
            slice=where,
            name=cell.number.name,
            n_papers=len(cell.values),
            drop=statistics.mean(cell.losses),
            p=p,
            level=level,
        )
        for (where, cell, level), p in zip(cells, holm(raw), strict=True)
    )


def _largest_change(number: NumberSpec) -> float:
    """How far a number can move: few papers leave an interval that is wider than its range."""
    return math.inf if number.worst is None else number.width


def _ruled_out(rule: Rule, paired: _Paired) -> float:
    """The smallest drop that the papers rule out at a rule's level; infinite for one paper."""
    return refuted_drop(paired.gains, level=rule.level or LEVEL, width=paired.number.width)


def _cannot_decide(rule: Rule, margin: float, paired: _Paired) -> str:
    number, gains, drop = paired.number, paired.gains, _ruled_out(rule, paired)
    move = "rise" if number.lower_is_better else "drop"
    start = f"cannot decide no_worse = {{{rule.name} = {margin:g}}}: "
    if math.isinf(drop):
        return f"{start}one paper says nothing about others; compare on more papers"
    if drop <= _largest_change(number):
        start += f"{len(gains):,} papers rule out only {move}s of {drop:.3f} or more"
    else:
        start += f"{len(gains):,} papers are too few to rule out any {move}"
    level = rule.level or LEVEL
    needed = papers_to_refute(gains, margin=margin, level=level, width=paired.number.width)
    wider = math.ceil(100 * drop) / 100
    others = [f"a margin of {wider:g}"] if wider < number.high - number.low else []
    if needed is None:
        start += f"; the mean {move} is {-statistics.mean(gains):.3f}"
    else:
        others.insert(0, f"{needed:,} papers like these")
    return f"{start}; {' or '.join(others)} would decide" if others else start


def _cannot_show(rule: Rule, paired: _Paired, n_tests: int) -> str:
    """Why the papers, of which a number drops, are too few for its rule; empty where they are not.

    A facet's own test without a rule of the user is left to a note.
    """
    n_papers, drop = len(paired.values), statistics.mean(paired.losses)
    is_wanted = rule.is_named or rule.name in METRICS
    if rule.level is None or not is_wanted or drop <= (rule.drop or 0.0) + _ROUNDING:
        return ""
    if (least := least_p_value(n_papers, n_tests)) <= rule.level:
        return ""
    move = "rise" if paired.number.lower_is_better else "drop"
    needed = math.ceil(math.log2(n_tests / rule.level))
    return (
        f"cannot decide whether {rule.name} {move}s significantly: {n_papers:,} papers show no"
        f" {move}, whatever its size (p is at least {least:.4f}), and the mean {move} is"
        f" {drop:.3f}; {needed} papers could, or write no_worse = {{{rule.name} = 0.05}}"
    )


def _n_expected(both: Sequence[Pairing], number: NumberSpec, rules: Sequence[Rule]) -> int:
    """How many papers a comparison should cover: those on which the baseline has the number.

    Only metrics and numbers that a rule names are expected; a facet may be on fewer papers. A count
    has to be on all papers to which it applies.
    """
    name = number.name
    is_expected = name in METRICS or any(rule.name == name and rule.is_named for rule in rules)
    expected = [new for old, new in both if old.values.get(name) is not None] if is_expected else []
    return coverage(expected, name)[1] if number.worst is None else len(expected)


def _failing(
    both: Sequence[Pairing], rules: Sequence[Rule], p_values: Mapping[str, float] | None = None
) -> tuple[_Phrases, _Phrases]:
    """By name, in words: the rules that a number breaks, and those that its papers cannot decide.

    A number that breaks a rule is only among the first.
    """
    paired = _paired(both)
    p_values = _p_values(paired, rules) if p_values is None else p_values
    broken: _Phrases = {}
    unclear: _Phrases = {}
    for name, each in paired.items():
        of_number = [(rule, rule.margin) for rule in rules if rule.name == name]
        # A no-worse rule that passes allows a significant drop within its margin.
        own = [
            (rule, margin)
            for rule, margin in of_number
            if margin is None or _ruled_out(rule, each) > margin + _ROUNDING
        ]
        phrases = [text for rule, _ in own if (text := _broken(rule, each, p_values.get(name)))]
        n_expected = _n_expected(both, each.number, rules)
        if not is_covered(each.number, len(each.values), n_expected):
            phrases.append(
                f"{name} is compared on only {len(each.values)} of {n_expected} papers;"
                " the others have no score"
            )
        open_ = [
            _cannot_show(rule, each, len(p_values))
            if margin is None
            else _cannot_decide(rule, margin, each)
            for rule, margin in own
        ]
        if phrases:
            broken[name] = tuple(dict.fromkeys(phrases))
        elif any(open_):
            unclear[name] = tuple(filter(None, open_))
    return broken, unclear


def _broken(rule: Rule, paired: _Paired, p: float | None) -> str:
    """How a number breaks a rule on drops; empty where it does not."""
    drop = statistics.mean(paired.losses)
    is_large = rule.drop is None or drop > rule.drop + _ROUNDING
    is_significant = rule.level is None or (p is not None and p <= rule.level)
    if not is_large or not is_significant or drop <= 0:
        return ""
    size = "" if rule.drop is None else f"more than {rule.drop:g}"
    level = "" if rule.level is None else f"p {p:.4f} at level {rule.level:g}"
    moves = "rises" if paired.number.lower_is_better else "drops"
    return f"{rule.name} {moves} by {drop:.3f}, {' and '.join(filter(None, (size, level)))}"


def _undecided(
    both: Sequence[Pairing], names: Iterable[str], failing: Mapping[str, Sequence[str]], run: str
) -> Iterator[tuple[str, str]]:
    """Each number whose rules the judge's missing answers leave open, and a phrase.

    They count as wrong, so they hide no drop here, and any drop in the baseline.
    """
    for name in names:
        then, now = (_left_open((pairing[side] for pairing in both), name) for side in (0, 1))
        if then:
            yield name, f"{run} has {then} in {name}, which may hide a drop; judge it again"
        elif now and name in failing:
            yield name, f"{failing[name][0]}, with {now} counted as wrong"


def _left_open(papers: Iterable[Numbers], name: str) -> str:
    """How much of a number the judge left open, in words; empty where it left nothing."""
    papers = tuple(papers)
    n_items = sum(each.unanswered.get(name, 0) for each in papers)
    n_papers = sum(each.is_silent(metric_of(name)) for each in papers)
    silent = f"{n_papers:,} unscored paper{'s' * (n_papers != 1)}" if n_papers else ""
    return " and ".join(filter(None, (unanswered_items(name, n_items), silent)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """One system of a saved run: the run as the user named it, and its pairs by paper."""

    run: str
    suite: SuiteRecord
    system: str
    pairs: Mapping[str, PairRow]

    def __str__(self) -> str:
        """The baseline as a reader would name it."""
        return f"run {self.run}, system {self.system}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What a system's numbers are compared with, and what they were measured with.

    Attributes:
        signatures: The recipes of the system's numbers.
        digests: A digest of each paper that the system was measured on.
    """

    baseline: Baseline
    signatures: Sequence[Signature]
    digests: Mapping[str, str]

    @classmethod
    def of(cls, baseline: Baseline, suite: SuiteRecord, system: str) -> Against:
        """What a system of a record is compared with."""
        digests = {paper.id: paper.digest for paper in suite.papers}
        return cls(baseline=baseline, signatures=suite.signatures(system), digests=digests)


def find_baseline(  # noqa: PLR0913 - each a fact of its own
    record: RunRecord,
    run: str,
    suite: Suite | SuiteRecord,
    system: str,
    *,
    wanted: str | None,
    option: str,
) -> Baseline:
    """The system of a saved run that a system of a suite of this run is compared with.

    That is the one ``wanted``, else the one of the same name, else the only one. ``run`` is the
    saved run as ``option`` names it.

    Raises:
        OptionError: where the run has no such system, or several and none of that name; likewise
            for its suite.
    """
    saved = record.suites[0] if len(record.suites) == 1 else suite_alike(record.suites, suite)
    if saved is None:
        name, names = suite.name, [each.name for each in record.suites]
        paths = ", ".join(each.shown for each in record.suites if each.name == name)
        n_alike = names.count(name)
        why = f"has {n_alike} suites {name!r}, at {paths}, and none at {suite.shown!r}"
        if not n_alike:
            why = f"has no suite {name!r}; {nearest(name, names)}"
        raise OptionError(f"{option}: {run!r} {why}; compare with a run of this suite")
    names = [each.name for each in saved.systems]
    name = wanted or (system if system in names else names[0] if len(names) == 1 else "")
    if name not in names:
        missed = wanted or system
        raise OptionError(
            f"{option}: {run!r} has no system {missed!r}; {nearest(missed, names)};"
            f" name one of them, {run}:SYSTEM"
        )
    by_paper = {row.paper: row for row in saved.pairs_of(name).rows}
    return Baseline(run=run, suite=saved, system=name, pairs=by_paper)


def two_sided_p_value(differences: Sequence[float]) -> float:
    """The p value of a difference in either direction: twice that of the likelier one, at most 1.

    ``differences`` are new minus old, one a paper; without any the p value is 1.
    """
    if not differences:
        return 1.0
    sides = (differences, [-difference for difference in differences])
    return min(1.0, 2 * min(drop_p_value(side, n_flips=FLIPS, seed=20246) for side in sides))
