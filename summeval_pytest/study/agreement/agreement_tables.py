"""Agreement with people as tables of at most 100 columns, and as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.study.agreement.columns import HUMAN
from summeval_pytest.study.agreement.correlations import COEFFICIENTS
from summeval_pytest.study.agreement.decisions import (
    Decisions,
    WithinPapers,
    WithPapers,
    decisions,
    with_papers,
    within_papers,
)
from summeval_pytest.study.agreement.item_agreement import AUC, VERDICTS, Estimate
from summeval_pytest.study.agreement.levels import (
    LEVELS,
    correlation,
    level_agreement,
    mixed_agreement,
    partial_correlation,
    system_means,
)
from summeval_pytest.study.agreement.weights import fitted_weights
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.table import Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.run.golden import EvidenceCount
    from summeval_pytest.study.agreement.columns import LabelledPair
    from summeval_pytest.study.agreement.correlations import CoefficientName
    from summeval_pytest.study.agreement.item_agreement import ItemAgreement, RoleAgreement
    from summeval_pytest.study.agreement.levels import AgreementLevel, LevelAgreement
    from summeval_pytest.study.agreement.weights import FittedWeights
    from summeval_pytest.suite.suite import Suite

    Matrix = Mapping[tuple[str, str], Estimate]
    """The coefficient of every two columns."""


_NAME: Final = 25
_BLOCK: Final = 11
"""So many columns of a matrix stand beside each other."""
_QUADRATIC: Final = "quadratic kappa"
_TITLES: Final[Mapping[AgreementLevel, str]] = {
    "pooled": "Over all pairs.",
    "paper": "Mean over papers of the agreement within each.",
    "system": "Of the systems' means over papers, one point a system.",
}
_COUNTED: Final[Mapping[AgreementLevel, str]] = {
    "pooled": "pairs", "paper": "papers", "system": "systems",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SuiteAgreement:
    """All agreement on one suite. Figures over columns are computed when somebody asks for them.

    ``papers`` are sizes of random sets of papers on which decisions are taken, too.
    """

    suite: Suite
    judge: str
    pairs: Sequence[LabelledPair]
    columns: tuple[str, ...]
    items: Mapping[str, ItemAgreement]
    roles: RoleAgreement
    recorded: Mapping[str, Mapping[str, ItemAgreement]]
    papers: tuple[int, ...] = ()

    def mixed(self) -> dict[str, LevelAgreement]:
        """By column, the mixture of levels that is shown where none is asked for."""
        return {column: mixed_agreement(self.pairs, column) for column in self.columns}

    def at(self, level: AgreementLevel) -> dict[str, LevelAgreement]:
        """By column, all coefficients at one level."""
        return {column: level_agreement(self.pairs, column, level) for column in self.columns}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, the people's scores first."""
        return (HUMAN, *self.columns)

    def scores(self, column: str) -> dict[str, dict[str, float]]:
        """A column by system and paper."""
        scores: dict[str, dict[str, float]] = {}
        for pair in self.pairs:
            if (number := pair.number(column)) is not None:
                scores.setdefault(pair.system, {})[pair.paper] = number
        return scores

    @cached_property
    def decisions(self) -> dict[str, ColumnDecisions]:
        """By column, what it decides beside people; nothing unless they scored two systems."""
        human = self.scores(HUMAN)
        decided = {}
        for column in self.columns if len(human) > 1 else ():
            number = self.scores(column)
            decided[column] = ColumnDecisions(
                within=within_papers(human, number),
                between=decisions(human, number),
                subsets=tuple(with_papers(human, number, self.papers)),
            )
        return decided

    def matrix(self, level: AgreementLevel, name: CoefficientName) -> Matrix:
        """Every two columns."""
        half = {
            (a, b): correlation(self.pairs, a, b, level, name)[0]
            for place, a in enumerate(self.names)
            for b in self.names[place:]
        }
        return half | {(b, a): estimate for (a, b), estimate in half.items()}

    def given(self, known: str) -> dict[str, Estimate]:
        """By column, what it says of the people's scores beyond this one."""
        others = (column for column in self.columns if column != known)
        return {column: partial_correlation(self.pairs, column, known) for column in others}

    def weights(self) -> FittedWeights | str:
        """Facet weights that explain the overall scores best; else why there are none."""
        return fitted_weights(self.suite.labels.values(), SCALES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDecisions:
    """How a column orders summaries within papers, and what it decides between systems."""

    within: WithinPapers
    between: Decisions
    subsets: tuple[WithPapers, ...] = ()

    @property
    def accuracy(self) -> Estimate:
        """The accuracy within papers as an estimate."""
        return Estimate(self.within.value, self.within.interval.low, self.within.interval.high)

    def figures(self) -> dict[str, object]:
        """All figures, for JSON."""
        return {
            "within papers": {"accuracy": self.accuracy, "pairs": self.within.n_pairs},
            "between systems": asdict(self.between),
            "subsets": [asdict(each) for each in self.subsets],
        }


def as_plain(value: object) -> object:
    """What `json` does not know of agreement, as what it does: an estimate is three numbers.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(value, Estimate):
        return [value.value, value.low, value.high]
    raise TypeError(f"{value!r} is no figure")


def agreement_figures(agreement: SuiteAgreement, given: str | None = None) -> dict[str, object]:
    """All figures as values that `as_plain` makes plain; an undefined one is null."""
    at = {level: agreement.at(level) for level in LEVELS}
    names, roles = agreement.names, agreement.roles
    matrices: dict[str, object] = {"columns": names}
    for level in LEVELS:
        by_name = {name: agreement.matrix(level, name) for name in COEFFICIENTS}
        matrices[level] = {
            name: [[each[a, b] for b in names] for a in names] for name, each in by_name.items()
        }
    return {
        "pairs": len(agreement.pairs),
        "metrics": {
            column: {
                "pearson": at["pooled"][column].estimates["pearson"],
                "spearman": at["pooled"][column].estimates["spearman"],
                "kendall": at["paper"][column].estimates["kendall"],
                "pairs": at["pooled"][column].n,
                **{level: _level_figures(at[level][column]) for level in LEVELS},
            }
            for column in agreement.columns
        },
        "decisions": {name: each.figures() for name, each in agreement.decisions.items()},
        "facets": {
            facet: {
                "exact": agreement.items[facet].figures["exact"].value,
                "kappa": agreement.items[facet].figures[_QUADRATIC].value,
                "pairs": agreement.items[facet].n_items,
            }
            for facet in FACETS
        },
        "items": _items(agreement.items),
        "roles": {
            "items": roles.n_items,
            "macro F1": roles.macro_f1,
            "accuracy": roles.accuracy,
            "facets": _items(roles.classes),
        },
        "recorded": {
            by: _items({facet: items[facet] for facet in FACETS})
            for by, items in agreement.recorded.items()
        },
        "systems": system_means(agreement.pairs, agreement.columns),
        "matrices": matrices,
        "weights": _weights_figures(agreement.weights()),
        **({} if given is None else {"given": {given: agreement.given(given)}}),
    }


def _level_figures(agreement: LevelAgreement) -> dict[str, object]:
    estimates: dict[str, object] = dict(agreement.estimates.items())
    p_values = {"p": agreement.p_values} if agreement.p_values else {}
    return {"n": agreement.n, **estimates, **p_values}


def _weights_figures(weights: FittedWeights | str) -> dict[str, object]:
    if isinstance(weights, str):
        return {"reason": weights}
    by_facet: dict[str, object] = dict(zip(FACETS, weights.weights, strict=True))
    return {**by_facet, "error": weights.error, "pairs": weights.n_rows}


def _items(items: Mapping[str, ItemAgreement]) -> dict[str, object]:
    return {kind: {"items": each.n_items, **each.figures} for kind, each in items.items()}


_WIDE: Final = 18
"""The width of an estimate, and of its head, which stands above the value."""


def estimate_cell(estimate: Estimate) -> str:
    """A value with its interval, as wide without: ``-0.123 [-.50, .25]``."""
    cell = f"{plain(estimate.value):>6}"
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        low, high = (
            f"{bound:.2f}".replace("0.", ".", 1) for bound in (estimate.low, estimate.high)
        )
        cell += f" [{low:>4},{high:>4}]"
    return f"{cell:<{_WIDE}}"


def plain(value: float | None) -> str:
    """A figure with three digits; "-" where it is undefined."""
    return "-" if value is None else f"{value:.3f}"


def _short(value: float | None, digits: int = 2) -> str:
    """A number from -1 to 1 without its zero: .34, -.17, 1.0."""
    if value is None:
        return "-"
    if round(abs(value), digits) == 1:
        return f"{value:.{digits - 1}f}"
    return f"{value:.{digits}f}".replace("0.", ".", 1)


def _p(value: float | None) -> str:
    """A p value, which is never 0: few systems are in order by luck now and then."""
    if value is None:
        return ""
    return "<.001" if value < 0.0005 else _short(value, digits=3)  # noqa: PLR2004 - half of .001


def level_table(level: AgreementLevel | None, metrics: Mapping[str, LevelAgreement]) -> Table:
    """Every column beside the human overall score at one level, or by the mixture of `mixed`."""
    kendall = "Kendall" if level else "Kendall per paper"
    rows = []
    for name, agreement in metrics.items():
        cells = [estimate_cell(agreement.estimates[each]) for each in COEFFICIENTS]
        if level == "system":
            named = zip(cells, COEFFICIENTS, strict=True)
            cells = [
                f"{cell}\n{_p(agreement.p_values.get(each)):>6}{'':12}" for cell, each in named
            ]
        rows.append((one_line(name, _NAME), f"{agreement.n:,}", *cells))
    p = "below, p: the share of random orders of the systems that are as far from 0, on either side"
    return Table(
        title=_TITLES[level] if level else "",
        head=(
            "",
            _COUNTED[level or "pooled"],
            *map(estimate_head, ("Pearson", "Spearman", kendall)),
        ),
        rows=rows,
        notes=(p,) if level == "system" else (),
    )


_DECISION_NOTES: Final = (
    "within papers: the share of pairs ranked by people that the column ranks alike; a tie is half",
    "systems: pairs of systems; one is decided where the interval of its mean difference is off 0",
    "alone: the pairs that the column decides and people do not",
)


def decision_tables(found: Mapping[str, ColumnDecisions]) -> Iterator[Table]:
    """What each column decides beside people, and on how many papers it does."""
    if not found:
        return
    heads = ("systems", "people\ndecide", "same\nsign", "wrong\nway", "un-\ndecided", "alone")
    counts = {name: astuple(each.between) for name, each in found.items()}
    yield Table(
        title="Decisions beside people's: between two summaries of a paper, between two systems.",
        head=("", estimate_head("within papers"), *heads),
        rows=[
            (one_line(name, _NAME), estimate_cell(each.accuracy), *map("{:,}".format, counts[name]))
            for name, each in found.items()
        ],
        notes=_DECISION_NOTES,
    )
    if subsets := next((each.subsets for each in found.values() if each.subsets), ()):
        yield Table(
            title=f"People's decisions that {subsets[0].n_draws} random sets of papers repeat.",
            head=("", *(f"{each.n_papers} papers" for each in subsets)),
            rows=[
                (
                    one_line(name, _NAME),
                    *(f"{_short(s.as_people)}, wrong {_short(s.wrong, 3)}" for s in each.subsets),
                )
                for name, each in found.items()
            ],
        )


def estimate_head(name: str) -> str:
    """The head of a column of estimates, above their values."""
    return f"{name:<{_WIDE}}"


def item_table(items: Mapping[str, ItemAgreement], kinds: Sequence[str]) -> Table:
    """Every figure of some kinds of items with its interval, a row a figure, a column a kind."""
    counts = ("items", *(f"{items[kind].n_items:>6,}{'':12}" for kind in kinds))
    figures = (
        (name, *(estimate_cell(items[kind].figures[name]) for kind in kinds))
        for name in items[kinds[0]].figures
    )
    wrong = "wrong: a sentence that is not faithful, a fact that does not hold"
    return Table(
        head=("", *map(estimate_head, kinds)),
        rows=(counts, *figures),
        notes=() if kinds[0] in FACETS else (wrong,),
    )


def role_table(roles: RoleAgreement) -> Table:
    """How well sentences get their facet, a row a class of facets, then over all of them."""
    blank = ("", "")
    stated = "stated by the segment that holds the sentence"
    return Table(
        head=("sentence roles", "items", *map(estimate_head, ("precision", "recall", "F1"))),
        rows=(
            *(
                (name, f"{each.n_items:,}", *map(estimate_cell, each.figures.values()))
                for name, each in roles.classes.items()
            ),
            ("macro F1", f"{roles.n_items:,}", *blank, estimate_cell(roles.macro_f1)),
            ("accuracy", f"{roles.n_items:,}", *blank, estimate_cell(roles.accuracy)),
        ),
        notes=(f"{stated}; {roles.n_nowhere:,} stand in none and are wrong",),
    )


def recorded_table(recorded: Mapping[str, Mapping[str, ItemAgreement]]) -> Table:
    """Ratings that others recorded beside the human ones: the exact share and quadratic kappa."""

    def cell(agreement: ItemAgreement) -> str:
        return " ".join(f"{plain(agreement.figures[n].value):>6}" for n in ("exact", _QUADRATIC))

    return Table(
        head=("recorded ratings", *FACETS),
        rows=[
            (one_line(by, _NAME), *(cell(items[facet]) for facet in FACETS))
            for by, items in recorded.items()
        ],
        notes=("exact share, then quadratic kappa",),
    )


def matrix_tables(
    name: CoefficientName, level: AgreementLevel, names: Sequence[str], matrix: Matrix
) -> Iterator[Table]:
    """Every two columns, the lower half, in as many tables as the width asks for."""
    for start in range(0, len(names), _BLOCK):
        shown, rows = names[start : start + _BLOCK], []
        for place, row in list(enumerate(names))[start:]:
            left = shown[: place - start + 1]
            values = [*(_short(matrix[row, column].value) for column in left), *[""] * len(shown)]
            rows.append((f"{place + 1:>2} {one_line(row, _NAME)}", *values[: len(shown)]))
        yield Table(
            title="" if start else f"{name.title()} of every two columns. {_TITLES[level]}",
            head=("", *(f"{start + place}" for place in range(1, len(shown) + 1))),
            rows=rows,
        )


def weights_lines(fitted: FittedWeights | str) -> Iterator[str]:
    """Facet weights that explain the overall scores best, beside those of FM."""
    if isinstance(fitted, str):
        yield f"facet weights: {fitted}"
        return
    rows = {
        f"fitted to {fitted.n_rows:,} pairs": fitted.weights,
        "FM, section 4.2": [WEIGHTS[facet] for facet in FACETS],
    }
    yield from table_lines(
        Table(
            head=("facet weights", *FACETS),
            rows=[(title, *map(plain, weights)) for title, weights in rows.items()],
            notes=(f"mean squared error of the fitted ones: {fitted.error:.5f}",),
        )
    )


def given_table(given: str, estimates: Mapping[str, Estimate]) -> Table:
    """A row a column: its partial correlation with people where ``given`` is known."""
    name = one_line(given, 40)
    return Table(
        title=f"Partial Pearson correlation with the human overall score, given {name!r}",
        head=("", ""),
        rows=[(one_line(column, _NAME), estimate_cell(each)) for column, each in estimates.items()],
    )


def missing_lines(pairs: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """A line for each column that some pairs have no number in, though the judge was asked.

    Each pair says by column why it has no number there.
    """
    reasons: dict[str, list[str]] = {}
    for pair in pairs:
        for column, reason in pair.items():
            reasons.setdefault(column, []).append(reason)
    for column, texts in reasons.items():
        line = f"{column}: no number for {len(texts)} of {len(pairs)} pairs, first: {texts[0]}"
        yield one_line(line, 300)


def summary_lines(agreement: SuiteAgreement) -> Iterator[str]:
    """Suite, figure, items, value and interval, without a heading; what is undefined is left out.

    Spearman of each column over all pairs, quadratic kappa of each facet, kappa and the area under
    the ROC curve of sentences and facts, and macro F1 of sentence roles.
    """
    items = agreement.items
    rows = [(f"Spearman, {c}", e.n, e.estimates["spearman"]) for c, e in agreement.mixed().items()]
    rows += [
        (f"{_QUADRATIC}, {facet}", items[facet].n_items, items[facet].figures[_QUADRATIC])
        for facet in FACETS
    ]
    rows += [
        (f"{figure}, {kind}s", items[kind].n_items, items[kind].figures[figure])
        for kind in VERDICTS
        for figure in ("kappa", AUC)
    ]
    rows.append(("macro F1, sentence roles", agreement.roles.n_items, agreement.roles.macro_f1))
    folder = one_line(PurePosixPath(agreement.suite.shown).parent.name or agreement.suite.shown, 19)
    for figure, n_items, estimate in rows:
        if estimate.value is not None:
            line = f"{folder:<20}{one_line(figure, 45):<46}{n_items:>7,}  {estimate_cell(estimate)}"
            yield line.rstrip()


def retrieved_table(counts: Mapping[str, EvidenceCount]) -> Table:
    """Precision, recall and F1 of each way to find evidence."""
    return Table(
        head=("labelled evidence", "named", "labelled", "both", "P", "R", "F1"),
        rows=[
            (
                way,
                *(f"{n:,}" for n in (count.named, count.labelled, count.both)),
                *map(plain, (count.precision, count.recall, count.f1)),
            )
            for way, count in counts.items()
        ],
    )
