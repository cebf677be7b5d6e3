"""Agreement with people in a line a figure, for tables over several suites."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS
from summeval_pytest.reports.agreement import estimate_cell
from summeval_pytest.text import one_line
from summeval_pytest.verdict.counting import FACT, SENTENCE
from summeval_pytest.verdict.item_agreement import AUC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.verdict.agreement import ColumnAgreement, Estimate
    from summeval_pytest.verdict.item_agreement import ItemAgreement
    from summeval_pytest.verdict.role_agreement import RoleAgreement

_SUITE: Final = 20
_FIGURE: Final = 46
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
            told = f"{folder:<{_SUITE}}{one_line(figure, _FIGURE - 1):<{_FIGURE}}{n_items:>7,}"
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
