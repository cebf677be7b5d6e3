"""All agreement on one suite: its figures as rows, for the tables, the JSON file and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from pathlib import PurePosixPath
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.stats.intervals import change_interval, share_interval
from summeval_pytest.study.agreement.coefficients import (
    COEFFICIENTS,
    LEVELS,
    AgreementLevel,
    CoefficientName,
    correlation,
    level_row,
    mixed_row,
    partial_correlation,
    system_means,
)
from summeval_pytest.study.agreement.columns import HUMAN, LabelledPair
from summeval_pytest.study.agreement.item_agreement import (
    AUC,
    VERDICTS,
    item_agreements,
    role_agreement,
)
from summeval_pytest.study.tables import (
    NAME,
    Estimate,
    Row,
    Table,
    estimate_cell,
    p_cell,
    short,
    table_of,
)
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.printing import one_line

Floats = NDArray[np.float64]

_QUADRATIC: Final = "quadratic kappa"
_TITLES: Final[Mapping[AgreementLevel, str]] = {
    "pooled": "Over all pairs.",
    "paper": "Mean over papers of the agreement within each.",
    "system": "Of the systems' means over papers, one point a system.",
}
_COUNTED: Final = {"pooled": "pairs", "paper": "papers", "system": "systems"}


@dataclass(frozen=True, kw_only=True)
class SuiteAgreement:
    """The labelled pairs of a suite and how each of their columns agrees with people.

    ``sizes`` are of random sets of papers on which decisions are taken, too.
    """

    suite: Suite
    judge: str
    pairs: Sequence[LabelledPair]
    columns: tuple[str, ...]
    sizes: tuple[int, ...] = ()

    @property
    def has_scores(self) -> bool:
        """Whether any label has an overall score, or FM of four ratings."""
        return any(pair.human is not None for pair in self.pairs)

    @cached_property
    def items(self) -> dict[str, Row]:
        """By kind of item, how the judge agrees with the labels."""
        return item_agreements([pair.golden for pair in self.pairs if pair.golden is not None])

    @cached_property
    def roles(self) -> Row:
        """How the judge's segments agree with labelled roles."""
        return role_agreement([(pair.group, each) for pair in self.pairs for each in pair.roles])

    @cached_property
    def recorded(self) -> dict[str, dict[str, Row]]:
        """By record, how its ratings of facets agree with the labels."""
        return {
            by: item_agreements([pair.recorded[by] for pair in self.pairs if by in pair.recorded])
            for by in sorted({by for pair in self.pairs for by in pair.recorded})
        }

    @cached_property
    def decisions(self) -> list[Row]:
        """What each column decides beside people; nothing unless they scored two systems."""
        human = self._scores(HUMAN)
        return [
            {"column": column, **decisions(human, self._scores(column), self.sizes)}
            for column in (self.columns if len(human) > 1 else ())
        ]

    def _scores(self, column: str) -> dict[str, dict[str, float]]:
        """A column by system and paper."""
        scores: dict[str, dict[str, float]] = {}
        for pair in self.pairs:
            if (value := pair.number(column)) is not None:
                scores.setdefault(pair.system, {})[pair.paper] = value
        return scores

    def at(self, level: AgreementLevel | None) -> list[Row]:
        """Each column beside people at a level; without one, by the mixture of levels."""
        if level is None:
            return [mixed_row(self.pairs, column) for column in self.columns]
        return [level_row(self.pairs, column, level) for column in self.columns]

    def matrix(self, level: AgreementLevel, name: CoefficientName) -> list[list[float | None]]:
        """The coefficient of every two columns, people's scores first."""
        names, square = (HUMAN, *self.columns), dict[tuple[str, str], float | None]()
        for place, a in enumerate(names):
            for b in names[place:]:
                estimate, _ = correlation(self.pairs, (a, b), level, name, n_resamples=1)
                square[a, b] = square[b, a] = estimate.value
        return [[square[a, b] for b in names] for a in names]

    def given(self, known: str) -> list[Row]:
        """What each column says of the people's scores beyond this one."""
        return [
            {"column": column, "partial": partial_correlation(self.pairs, column, known)}
            for column in self.columns
            if column != known
        ]

    @cached_property
    def weights(self) -> Row:
        """Facet weights that explain the overall scores best; else why there are none."""
        return fitted_weights(self.suite.labels.values())


def agreement_figures(agreement: SuiteAgreement) -> Row:
    """All figures, for the JSON file; an undefined one is null."""
    return {
        "pairs": len(agreement.pairs),
        "levels": {level: agreement.at(level) for level in LEVELS},
        "decisions": agreement.decisions,
        "items": agreement.items,
        "roles": agreement.roles,
        "recorded": {
            by: {facet: items[facet] for facet in FACETS}
            for by, items in agreement.recorded.items()
        },
        "systems": system_means(agreement.pairs, agreement.columns),
        "matrices": {
            "columns": (HUMAN, *agreement.columns),
            **{
                level: {name: agreement.matrix(level, name) for name in COEFFICIENTS}
                for level in LEVELS
            },
        },
        "weights": agreement.weights,
    }


def level_table(level: AgreementLevel | None, rows: Sequence[Row]) -> Table:
    """Every column beside the human overall score at one level, or by the mixture."""
    cells = {"": "column", _COUNTED[level or "pooled"]: "n"}
    cells |= {"Pearson": "pearson", "Spearman": "spearman"}
    cells |= {"Kendall" if level else "Kendall per paper": "kendall"}
    if level != "system":
        return table_of(_TITLES[level] if level else "", rows, cells)
    rows = [row | {f"p of {name}": p_cell(p) for name, p in row["p"].items()} for row in rows]
    cells |= {f"p, {name.title()}": f"p of {name}" for name in COEFFICIENTS}
    p = "p: the share of random orders of the systems that are as far from 0, on either side"
    return table_of(_TITLES[level], rows, cells, p)


def matrix_table(agreement: SuiteAgreement, level: AgreementLevel, name: CoefficientName) -> Table:
    """Every two columns, in as many panels as the width asks for."""
    square = agreement.matrix(level, name)
    heads = [str(place) for place in range(1, len(square) + 1)]
    return table_of(
        f"{name.title()} of every two columns. {_TITLES[level]}",
        [
            {
                "column": f"{head:>2} {one_line(column, NAME)}",
                **dict(zip(heads, map(short, row), strict=True)),
            }
            for head, column, row in zip(heads, (HUMAN, *agreement.columns), square, strict=True)
        ],
        {"": "column", **{head: head for head in heads}},
    )


def weights_table(fitted: Row) -> Table:
    """Facet weights that explain the overall scores best, beside those of FM."""
    return table_of(
        "",
        [
            {"of": f"fitted to {fitted['pairs']:,} pairs", **fitted},
            {"of": "FM, section 4.2", **{f: WEIGHTS[f] for f in FACETS}},
        ],
        {"facet weights": "of", **{facet: facet for facet in FACETS}},
        f"mean squared error of the fitted ones: {fitted['error']:.5f}",
    )


def given_table(given: str, rows: Sequence[Row]) -> Table:
    """A row a column: its partial correlation with people where ``given`` is known."""
    title = "Partial Pearson correlation with the human overall score, given"
    return table_of(f"{title} {one_line(given, 40)!r}", rows, {"": "column", " ": "partial"})


def missing_lines(pairs: Sequence[LabelledPair]) -> Iterator[str]:
    """A line for each column that some pairs have no number in, though the judge was asked."""
    reasons: dict[str, list[str]] = {}
    for pair in pairs:
        for column, reason in pair.missing.items():
            reasons.setdefault(column, []).append(reason)
    for column, texts in reasons.items():
        line = f"{column}: no number for {len(texts)} of {len(pairs)} pairs, first: {texts[0]}"
        yield one_line(line, 300)


def summary_lines(agreement: SuiteAgreement) -> Iterator[str]:
    """Suite, figure, items, value and interval, without a heading; what is undefined is left out.

    Spearman of each column over all pairs, quadratic kappa of each facet, kappa and the area under
    the ROC curve of sentences and facts, and macro F1 of sentence roles.
    """
    items, roles = agreement.items, agreement.roles
    rows = [(f"Spearman, {row['column']}", row["n"], row["spearman"]) for row in agreement.at(None)]
    rows += [(f"{_QUADRATIC}, {f}", items[f]["items"], items[f][_QUADRATIC]) for f in FACETS]
    rows += [
        (f"{figure}, {kind}s", items[kind]["items"], items[kind][figure])
        for kind in VERDICTS
        for figure in ("kappa", AUC)
    ]
    rows.append(("macro F1, sentence roles", roles["items"], roles["macro F1"]))
    folder = one_line(PurePosixPath(agreement.suite.shown).parent.name or agreement.suite.shown, 19)
    for figure, n_items, estimate in rows:
        if estimate.value is not None:
            line = f"{folder:<20}{one_line(figure, 45):<46}{n_items:>7,}  {estimate_cell(estimate)}"
            yield line.rstrip()


_LEAST: Final = 1e-9
"""A weight is not quite 0, so that a row which has only this facet still has a mean."""
_STEPS: Final = 10


def fit_weights(
    ratings: Sequence[Sequence[float | None]], overall: Sequence[float]
) -> tuple[tuple[float, ...], float]:
    """The weights w >= 0, sum w = 1, of the least mean squared error, and that error.

        error = mean over rows of (sum over f in A of w_f * share_f / sum over f in A of w_f - y)^2

    ``ratings`` has a row a summary and a place a facet: its rating divided by its scale (the share
    of the formula), None for a facet that the reference lacks. A holds the facets that are there;
    the weights of the others are shared out among them, as FM does it (metrics.md FM2). ``overall``
    has one y a row, in the unit of the shares. A facet that no row has gets weight 0. With facets
    removed there may be more than one minimum: the search starts from the best of a grid. The same
    rows in any order give the same digits.

    Source: FM (arXiv 2402.14359), section 4.2.
    """
    y, rows = np.array(overall, dtype=np.float64), np.array(ratings, dtype=np.float64)
    order = np.lexsort((*np.nan_to_num(rows, nan=-1.0).T, y))
    y, rows = y[order], rows[order]  # None has become NaN
    used = ~np.isnan(rows).all(axis=0)
    weights = np.zeros(rows.shape[1])
    weights[used], error = _search(rows[:, used], y)
    return tuple(weights.round(8).tolist()), error


def _search(rows: Floats, y: Floats) -> tuple[Floats, float]:
    from scipy.optimize import LinearConstraint, minimize

    there, values = (~np.isnan(rows)).astype(np.float64), np.nan_to_num(rows)
    n_facets = rows.shape[1]

    def error(weights: Floats) -> float:
        left = (values @ weights) / (there @ weights) - y
        return float(left @ left) / len(y)

    def slope(weights: Floats) -> Floats:
        sizes = there @ weights
        means = (values @ weights) / sizes
        each = (values - there * means[:, np.newaxis]) / sizes[:, np.newaxis]
        return np.asarray(2 * ((means - y) @ each) / len(y))

    def normal(weights: Floats) -> Floats:
        kept = np.clip(np.nan_to_num(weights, nan=_LEAST), _LEAST, 1.0)
        return np.asarray(kept / kept.sum(axis=-1, keepdims=True))

    steps = product(range(_STEPS + 1), repeat=n_facets - 1)
    tenths = [(*some, _STEPS - sum(some)) for some in steps if sum(some) <= _STEPS]
    starts = sorted(normal(np.array(tenths) / _STEPS), key=error)[:4]
    ends = [
        minimize(
            error,
            start,
            jac=slope,
            method="SLSQP",
            bounds=[(_LEAST, 1.0)] * n_facets,
            constraints=LinearConstraint(np.ones((1, n_facets)), 1, 1),
            options={"ftol": 1e-15, "maxiter": 500},
        ).x
        for start in starts
    ]
    best = min([*starts, *map(normal, ends)], key=error)
    return best, error(best)


def fitted_weights(labels: Iterable[Label]) -> Row:
    """A weight by facet, fitted to the labels with an overall score and facets; else the reason.

    ``error`` is the mean squared difference of the weighted means and the overall scores of so
    many ``pairs``.
    """
    rows = [
        ([_share(label, facet) for facet in FACETS], label.overall)
        for label in labels
        if label.overall is not None and any((label.facets or {}).values())
    ]
    if len(rows) < len(FACETS):
        return {
            "reason": f"too few labels with facets and an overall score: {len(rows)};"
            f" {len(FACETS)} weights need at least {len(FACETS)}"
        }
    weights, error = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    return {**dict(zip(FACETS, weights, strict=True)), "error": error, "pairs": len(rows)}


def _share(label: Label, facet: Facet) -> float | None:
    rating = (label.facets or {}).get(facet)
    return None if rating is None else rating / SCALES[facet]


Scores = Mapping[str, Mapping[str, float]]
"""By system and paper, a number."""

# Whether a number decides between systems as people do: a gate compares releases, so a user asks
# this of a judge. A pair of systems is decided where the 95 % interval of the mean difference over
# their papers leaves out 0.
_SEED: Final = 20251
DRAWS: Final = 200
_ROUNDING: Final = 1e-9


def decisions(human: Scores, number: Scores, sizes: Iterable[int] = ()) -> Row:
    """What a number decides beside people: within papers, and on each pair of systems.

    - ``within``: the share of the ``n_ranked`` pairs of summaries of one paper that people rank
      and that the number puts in people's order, with its interval over papers; a tie of the
      number counts half, and 0.5 is chance.
    - ``n_pairs``: pairs of systems that have both numbers on at least two papers; ``n_decided`` of
      these people decide.
    - Of the decided, ``n_same`` have people's sign in their mean difference, ``n_wrong`` are
      decided the other way, and ``n_undecided`` are left undecided. ``n_alone`` are pairs that the
      number decides and people do not.
    - ``subsets``: on random sets of so many papers, the share of people's decisions (on all
      papers) that the number takes, too, and that it takes the other way; sizes beyond all papers
      are left out.
    """
    systems = sorted({*human, *number})
    papers = sorted({paper for of in (*human.values(), *number.values()) for paper in of})
    people, column = (
        np.array(
            [[of.get(system, {}).get(paper, np.nan) for paper in papers] for system in systems]
        )
        for of in (human, number)
    )
    right, ranked, changes, rows = np.zeros(len(papers)), np.zeros(len(papers)), {}, {}
    for pair in combinations(range(len(systems)), 2):
        by_people, by_number = (of[pair[0]] - of[pair[1]] for of in (people, column))
        both = ~np.isnan(by_people + by_number)
        signs = _signs(by_people) * both
        right += (signs != 0) * (1 + signs * _signs(by_number)) / 2
        ranked += signs != 0
        changes[pair] = np.where(both, by_number, np.nan)
        if both.sum() > 1:
            rows[pair] = (
                _decided(by_people[both], _width(people)),
                int(_signs(by_number[both].sum())),
                _decided(by_number[both], _width(column)),
            )
    interval = share_interval(right[ranked > 0], ranked[ranked > 0])
    n_ranked = int(ranked.sum())
    within = Estimate(right.sum() / n_ranked if n_ranked else None, interval.low, interval.high)
    decided = {pair: row for pair, row in rows.items() if row[0]}
    return {
        "within": within,
        "n_ranked": n_ranked,
        "n_pairs": len(rows),
        "n_decided": len(decided),
        "n_same": sum(verdict == sign for verdict, sign, _ in decided.values()),
        "n_wrong": sum(verdict == -taken for taken, _, verdict in decided.values()),
        "n_undecided": sum(not verdict for *_, verdict in decided.values()),
        "n_alone": sum(bool(verdict) for taken, _, verdict in rows.values() if not taken),
        "subsets": list(
            _subsets(column, [(changes[pair], row[0]) for pair, row in decided.items()], sizes)
        ),
    }


def _subsets(
    column: Floats, decided: Sequence[tuple[Floats, int]], sizes: Iterable[int]
) -> Iterator[Row]:
    """How many decisions of people, each with the number's changes, hold on fewer papers."""
    known = np.flatnonzero(~np.isnan(column).all(axis=0))
    generator = Generator(PCG64(_SEED))
    for size in sizes if decided else ():
        if size > len(known):
            continue
        n_same = n_wrong = 0
        for _ in range(DRAWS):
            drawn = np.sort(generator.choice(known, size, replace=False))
            width = _width(column[:, drawn])
            for changes, sign in decided:
                some = changes[drawn]
                verdict = _decided(some[~np.isnan(some)], width)
                n_same, n_wrong = n_same + (verdict == sign), n_wrong + (verdict == -sign)
        n_all = DRAWS * len(decided)
        yield {"n_papers": size, "as_people": n_same / n_all, "wrong": n_wrong / n_all}


def _width(scores: Floats) -> float:
    """How far the numbers of all systems reach."""
    values = scores[~np.isnan(scores)]
    return float(values.max() - values.min()) if len(values) else 1.0


def _decided(changes: Floats, width: float) -> int:
    """1 where the first system is better beyond doubt, -1 where the second is, else 0."""
    interval = change_interval(changes.tolist(), width=width)
    if interval.low is None or interval.high is None:
        return 0
    return int(interval.low > _ROUNDING) - int(interval.high < -_ROUNDING)


def _signs(values: Floats) -> Floats:
    return (values > _ROUNDING).astype(np.float64) - (values < -_ROUNDING)


def decision_tables(rows: Sequence[Row]) -> Iterator[Table]:
    """What each column decides beside people, and on how many papers it does."""
    if not rows:
        return
    yield table_of(
        "Decisions compared with people's, on two summaries of a paper and on two systems.",
        rows,
        {
            "": "column",
            "within papers": "within",
            "systems": "n_pairs",
            "people\ndecide": "n_decided",
            "same\nsign": "n_same",
            "wrong\nway": "n_wrong",
            "un-\ndecided": "n_undecided",
            "alone": "n_alone",
        },
        "within papers: the share of pairs ranked by people that the column ranks alike; a tie is"
        " half",
        "systems: pairs of systems; one is decided where the interval of its mean difference is off"
        " 0",
        "alone: the pairs that the column decides and people do not",
    )
    if sizes := sorted({each["n_papers"] for row in rows for each in row["subsets"]}):
        yield table_of(
            f"People's decisions that {DRAWS} random sets of papers repeat.",
            [
                {"column": row["column"], **{f"{s['n_papers']}": s for s in row["subsets"]}}
                for row in rows
            ],
            {"": "column", **{f"{size} papers": _subset_of(size) for size in sizes}},
        )


def _subset_of(size: int) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        subset = row.get(f"{size}")
        return f"{short(subset['as_people'])}, wrong {short(subset['wrong'], 3)}" if subset else "-"

    return cell
