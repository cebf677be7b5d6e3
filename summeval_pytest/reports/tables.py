"""Agreement with people as tables of at most 100 columns."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from summeval_pytest.analysis.agreement import HUMAN
from summeval_pytest.analysis.items import AUC
from summeval_pytest.metrics.facet import WEIGHTS
from summeval_pytest.questions import FACETS
from summeval_pytest.stats.correlation import COEFFICIENTS
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.trust import FACT, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.analysis.agreement import (
        AgreementLevel,
        ColumnAgreement,
        Correlations,
        Estimate,
        LevelAgreement,
    )
    from summeval_pytest.analysis.items import ItemAgreement, Part, RoleAgreement, SupportingFigures
    from summeval_pytest.stats.correlation import CoefficientName
    from summeval_pytest.stats.matrices import FittedWeights


_NAME: Final = 26
_SHORT: Final = 22
_FIGURE: Final = 16
_WIDTH: Final = 100
_CELL: Final = 5
_TITLES: Final[Mapping[AgreementLevel, str]] = {
    "pooled": "Over all pairs",
    "paper": "Mean over papers of the agreement within each",
    "system": "Of the systems' means over papers",
}
_COUNTED: Final[Mapping[AgreementLevel, str]] = {
    "pooled": "pairs", "paper": "papers", "system": "systems",
}  # fmt: skip


def column_table(metrics: Mapping[str, ColumnAgreement]) -> Iterator[str]:
    """Every column beside the human overall score: over all pairs, and Kendall per paper."""
    titles = (f"{title:<21}" for title in ("Pearson", "Spearman", "Kendall per paper"))
    yield f"{'':<{_NAME}}{'pairs':>5}  {''.join(titles)}".rstrip()
    for name, found in metrics.items():
        cells = " ".join(map(estimate_cell, (found.pearson, found.spearman, found.kendall)))
        yield f"{one_line(name, _NAME - 1):<{_NAME}}{found.n_pairs:>5}  {cells}".rstrip()


def level_table(level: AgreementLevel, metrics: Mapping[str, LevelAgreement]) -> Iterator[str]:
    """Every column beside the human overall score at one level, by all three coefficients."""
    if level == "system":
        yield from _system_table(metrics)
        return
    titles = "".join(f"{name.title():<21}" for name in COEFFICIENTS)
    yield f"{_TITLES[level]}."
    yield f"{'':<{_NAME - 1}}{_COUNTED[level]:>6}  {titles}".rstrip()
    for name, found in metrics.items():
        cells = " ".join(estimate_cell(found.estimates[c]) for c in COEFFICIENTS)
        yield f"{one_line(name, _NAME - 1):<{_NAME}}{found.n:>5}  {cells}".rstrip()


def _system_table(metrics: Mapping[str, LevelAgreement]) -> Iterator[str]:
    titles = "".join(f"{name.title():<25}" for name in COEFFICIENTS)
    yield f"{_TITLES['system']}, one point a system; behind each interval, p."
    yield f"{'':<{_SHORT - 5}}{_COUNTED['system']:>7}  {titles}".rstrip()
    for name, found in metrics.items():
        cells = "".join(
            f"{_point_cell(found.estimates[c], found.p_values.get(c)):<25}" for c in COEFFICIENTS
        )
        yield f"{one_line(name, _SHORT - 1):<{_SHORT}}{found.n:>2} {cells}".rstrip()
    yield "p: the share of random orders of the systems that are as far from 0, on either side."


def item_table(items: Mapping[str, ItemAgreement], kinds: Sequence[str]) -> Iterator[str]:
    """Every figure of some kinds of items with its interval, a line a figure, a column a kind."""
    yield f"{'':<{_FIGURE}}{''.join(f'{kind:<21}' for kind in kinds)}".rstrip()
    counts = "".join(f"{items[kind].n_items:>6,}{'':15}" for kind in kinds)
    yield f"{'items':<{_FIGURE}}{counts}".rstrip()
    for figure in items[kinds[0]].figures:
        cells = " ".join(estimate_cell(items[kind].figures[figure]) for kind in kinds)
        yield f"{figure:<{_FIGURE}}{cells}".rstrip()


def role_table(found: RoleAgreement) -> Iterator[str]:
    """How well sentences get their facet, a line a class of facets, then over all of them."""
    yield f"{'sentence roles':<{_NAME}}{'items':>6}  {'precision':<21}{'recall':<21}F1"
    for each in found.classes:
        cells = " ".join(map(estimate_cell, (each.precision, each.recall, each.f1)))
        yield f"{each.name:<{_NAME}}{each.n_items:>6,}  {cells}".rstrip()
    for name, estimate in (("macro F1", found.macro_f1), ("accuracy", found.accuracy)):
        yield f"{name:<{_NAME}}{found.n_items:>6,}  {'':42}{estimate_cell(estimate)}".rstrip()
    yield (
        f"stated by the segment that holds the sentence; {found.n_nowhere:,} stand in none and are"
        " wrong"
    )


def roles_json(found: RoleAgreement) -> dict[str, object]:
    """The figures of sentence roles; an undefined one is null."""
    return {
        "items": found.n_items,
        "macro F1": triple(found.macro_f1),
        "accuracy": triple(found.accuracy),
        "facets": {
            each.name: {
                "items": each.n_items,
                "precision": triple(each.precision),
                "recall": triple(each.recall),
                "F1": triple(each.f1),
            }
            for each in found.classes
        },
    }


def recorded_table(recorded: Mapping[str, Mapping[str, ItemAgreement]]) -> Iterator[str]:
    """Ratings that others recorded beside the human ones: the exact share and quadratic kappa."""
    yield f"{'recorded ratings':<{_NAME}}{''.join(f'{facet:<15}' for facet in FACETS)}".rstrip()
    for by, items in recorded.items():
        cells = (
            f"{plain(items[f].figures['exact'].value):>5} "
            f"{plain(items[f].figures['quadratic kappa'].value):<9}"
            for f in FACETS
        )
        yield f"{one_line(by, _NAME - 1):<{_NAME}}{''.join(cells)}".rstrip()
    yield "exact share, then quadratic kappa"


def matrix_table(
    name: CoefficientName, level: AgreementLevel, found: Correlations
) -> Iterator[str]:
    """Every two columns, the lower half, in as many blocks as the width asks for."""
    yield f"{name.title()} of every two columns. {_TITLES[level]}."
    step = (_WIDTH - _NAME - 3) // _CELL
    for start in range(0, len(found.names), step):
        shown = range(start, min(start + step, len(found.names)))
        yield f"{'':<{_NAME + 3}}{''.join(f'{place + 1:>{_CELL}}' for place in shown)}"
        for row in range(start, len(found.names)):
            cells = "".join(
                f"{_short(found.estimate(found.names[row], found.names[column]).value):>{_CELL}}"
                for column in shown
                if column <= row
            )
            yield f"{row + 1:>2} {one_line(found.names[row], _NAME - 1):<{_NAME}}{cells}"


def weights_lines(fitted: FittedWeights | str) -> Iterator[str]:
    """Facet weights that explain the overall scores best, beside those of FM."""
    if isinstance(fitted, str):
        yield f"facet weights: {fitted}"
        return
    yield f"{'facet weights':<{_NAME}}{''.join(f'{facet:<15}' for facet in FACETS)}".rstrip()
    for title, weights in (
        (f"fitted to {fitted.n_rows:,} pairs", fitted.weights),
        ("FM, section 4.2", tuple(WEIGHTS[facet] for facet in FACETS)),
    ):
        yield f"{title:<{_NAME}}{''.join(f'{weight:<15.3f}' for weight in weights)}".rstrip()
    yield f"mean squared error of the fitted ones: {fitted.error:.5f}"


def agreement_json(
    columns: Sequence[str],
    matrices: Mapping[AgreementLevel, Mapping[CoefficientName, Correlations]],
) -> dict[str, object]:
    """The matrices as plain values: the names, then rows of triples by level and coefficient."""
    names = (HUMAN, *columns)
    found: dict[str, object] = {"columns": list(names)}
    for level, by_name in matrices.items():
        found[level] = {
            name: [[triple(each.estimate(a, b)) for b in names] for a in names]
            for name, each in by_name.items()
        }
    return found


def items_json(items: Mapping[str, ItemAgreement]) -> dict[str, object]:
    """The figures of each kind, with the number of items; an undefined one is null."""
    return {
        kind: {
            "items": found.n_items,
            **{figure: triple(estimate) for figure, estimate in found.figures.items()},
        }
        for kind, found in items.items()
    }


def triple(estimate: Estimate) -> list[float | None]:
    """Value, lower and upper bound."""
    return [estimate.value, estimate.low, estimate.high]


def estimate_cell(estimate: Estimate) -> str:
    """A value with its interval, 20 characters with and without."""
    if estimate.value is None:
        return f"{'-':>6}{'':14}"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:>6.3f}{'':14}"
    return f"{estimate.value:>6.3f} [{estimate.low:>5.2f},{estimate.high:>5.2f}]"


def _point_cell(estimate: Estimate, p_value: float | None) -> str:
    """A coefficient of a few points: two digits are more than they carry."""
    if estimate.value is None:
        return f"{'-':>5}"
    interval = f"{'':13}"
    if estimate.low is not None and estimate.high is not None:
        interval = f"[{estimate.low:>5.2f},{estimate.high:>5.2f}]"
    p = "" if p_value is None else "<.001" if p_value < 0.0005 else _short(p_value, digits=3)  # noqa: PLR2004
    return f"{estimate.value:>5.2f} {interval} {p}"


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


def given_table(given: str, estimates: Mapping[str, Estimate]) -> Iterator[str]:
    """A row a column: its partial correlation with people where ``given`` is known."""
    yield f"Partial Pearson correlation with the human overall score, given {one_line(given, 40)!r}"
    for column, estimate in estimates.items():
        yield f"{one_line(column, _NAME - 1):<{_NAME}}{estimate_cell(estimate)}".rstrip()


def lacking_lines(pairs: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """A line for each column that some pairs have no number in, though the judge was asked.

    Args:
        pairs: By column, why a pair has no number in it.
    """
    reasons: dict[str, list[str]] = {}
    for pair in pairs:
        for column, reason in pair.items():
            reasons.setdefault(column, []).append(reason)
    for column, told in reasons.items():
        line = f"{column}: no number for {len(told)} of {len(pairs)} pairs, first: {told[0]}"
        yield one_line(line, 300)


_SUITE: Final = 20
_SUMMARY_FIGURE: Final = 46
_KAPPA: Final = "quadratic kappa"


def summary_lines(
    suite: str,
    metrics: Mapping[str, ColumnAgreement],
    items: Mapping[str, ItemAgreement],
    roles: RoleAgreement,
) -> Iterator[str]:
    """Suite, figure, items, value and interval, without a heading; what is undefined is left out.

    Spearman of each column over all pairs, quadratic kappa of each facet, kappa and the area under
    the ROC curve of sentences and facts, and macro F1 of sentence roles.
    """
    folder = one_line(PurePosixPath(suite).parent.name or suite, _SUITE - 1)
    for figure, n_items, estimate in _figures(metrics, items, roles):
        if estimate.value is not None:
            name = one_line(figure, _SUMMARY_FIGURE - 1)
            told = f"{folder:<{_SUITE}}{name:<{_SUMMARY_FIGURE}}{n_items:>7,}"
            yield f"{told}  {estimate_cell(estimate)}".rstrip()


def _figures(
    metrics: Mapping[str, ColumnAgreement],
    items: Mapping[str, ItemAgreement],
    roles: RoleAgreement,
) -> Iterator[tuple[str, int, Estimate]]:
    for column, found in metrics.items():
        yield f"Spearman, {column}", found.n_pairs, found.spearman
    for facet in FACETS:
        yield f"{_KAPPA}, {facet}", items[facet].n_items, items[facet].figures[_KAPPA]
    for kind in (SENTENCE, FACT):
        for figure in ("kappa", AUC):
            yield f"{figure}, {kind}s", items[kind].n_items, items[kind].figures[figure]
    yield "macro F1, sentence roles", roles.n_items, roles.macro_f1


_EVIDENCE_TITLES: Final[dict[Part, str]] = {
    "all": "all sentences",
    "high": "more abstractive",
    "low": "less abstractive",
}


def supporting_table(figures: Sequence[SupportingFigures]) -> Iterator[str]:
    """A line each for the judge and the baselines, in a block for each part of the sentences."""
    for part, title in _EVIDENCE_TITLES.items():
        found = [each for each in figures if each.part == part]
        if not found:
            continue
        yield (
            f"{title:<17}{'sents':>5}{'named':>7}  {'precision':<18}{'recall':<18}{'F1':<18}"
            f"{'any hit':<18}macro F1"
        )
        for each in found:
            cells = "".join(
                f"{_cell(estimate):<18}"
                for estimate in (each.precision, each.recall, each.f1, each.any_hit)
            )
            macro = "-" if each.macro is None else f"{each.macro.f1:.3f}"
            named = "-" if (many := each.named_per_sentence.value) is None else f"{many:.2f}"
            yield f"{each.by:<17}{each.n_instances:>5,}{named:>7}  {cells}{macro:>8}"
        yield ""


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.2f},{estimate.high:.2f}]"
