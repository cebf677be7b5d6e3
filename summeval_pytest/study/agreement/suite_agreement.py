"""All agreement on one suite: its figures as rows, for the tables, the JSON file and the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.questions import FACETS
from summeval_pytest.study.agreement.coefficients import (
    COEFFICIENTS,
    LEVELS,
    correlation,
    level_row,
    mixed_row,
    partial_correlation,
    system_means,
)
from summeval_pytest.study.agreement.columns import HUMAN
from summeval_pytest.study.agreement.decisions import DRAWS, decisions
from summeval_pytest.study.agreement.item_agreement import (
    AUC,
    VERDICTS,
    item_agreements,
    role_agreement,
)
from summeval_pytest.study.agreement.weights import fitted_weights
from summeval_pytest.study.tables import NAME, estimate_cell, number, p_cell, short, table_of
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.study.agreement.coefficients import AgreementLevel, CoefficientName
    from summeval_pytest.study.agreement.columns import LabelledPair
    from summeval_pytest.study.layout import Table
    from summeval_pytest.study.tables import Row
    from summeval_pytest.suite.suite import Suite


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
                estimate, _ = correlation(self.pairs, (a, b), level, name, n_resamples=0)
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


def decision_tables(agreement: SuiteAgreement) -> Iterator[Table]:
    """What each column decides beside people, and on how many papers it does."""
    rows = agreement.decisions
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


def item_table(items: Mapping[str, Row], kinds: Sequence[str]) -> Table:
    """Every figure of some kinds of items with its interval, a row a figure, a column a kind."""
    rows: list[Row] = [
        {"figure": name, **{kind: items[kind][name] for kind in kinds}} for name in items[kinds[0]]
    ]
    wrong = "wrong: a sentence that is not faithful, a fact that does not hold"
    notes = (wrong,) if "recall of wrong" in items[kinds[0]] else ()
    return table_of("", rows, {"": "figure", **{kind: kind for kind in kinds}}, *notes)


def role_table(roles: Row) -> Table:
    """How well sentences get their facet, a row a class of facets, then over all of them."""
    rows: list[Row] = [{"role": name, **each} for name, each in roles["classes"].items()]
    for name in ("macro F1", "accuracy"):
        whole = {"role": name, "items": roles["items"], "precision": "", "recall": ""}
        rows.append(whole | {"F1": roles[name]})
    return table_of(
        "",
        rows,
        {
            "sentence roles": "role",
            "items": "items",
            **{n: n for n in ("precision", "recall", "F1")},
        },
        f"stated by the segment that holds the sentence; {roles['n_nowhere']:,} stand in none and"
        " are wrong",
    )


def recorded_table(recorded: Mapping[str, Mapping[str, Row]]) -> Table:
    """Ratings that others recorded beside the human ones: the exact share and quadratic kappa."""

    def cell(figures: Row) -> str:
        return " ".join(f"{number(figures[name].value):>6}" for name in ("exact", _QUADRATIC))

    return table_of(
        "",
        [
            {"by": by, **{facet: cell(items[facet]) for facet in FACETS}}
            for by, items in recorded.items()
        ],
        {"recorded ratings": "by", **{facet: facet for facet in FACETS}},
        "exact share, then quadratic kappa",
    )


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
