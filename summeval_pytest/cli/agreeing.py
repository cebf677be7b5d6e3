"""`summeval agree`: every metric and baseline beside the human labels of a suite."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.measured_pairs import labelled_pairs
from summeval_pytest.cli.model_columns import NO_MODELS, LocalModels, model_figures, with_columns
from summeval_pytest.cli.terms import check_writable, write_text
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.reports.agreement import (
    agreement_json,
    column_table,
    given_table,
    item_table,
    items_json,
    lacking_lines,
    level_table,
    matrix_table,
    recorded_table,
    role_table,
    roles_json,
    triple,
    weights_lines,
)
from summeval_pytest.reports.agreement_summary import summary_lines
from summeval_pytest.stats import COEFFICIENTS, FittedWeights
from summeval_pytest.suite import load_suite
from summeval_pytest.verdict.agreement import (
    HUMAN,
    LEVELS,
    column_agreement,
    correlations,
    fitted_weights,
    level_agreement,
    system_means,
)
from summeval_pytest.verdict.counting import FACT, SENTENCE
from summeval_pytest.verdict.given import partial_correlations
from summeval_pytest.verdict.item_agreement import item_agreements
from summeval_pytest.verdict.labelled import column_names
from summeval_pytest.verdict.role_agreement import role_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from summeval_pytest.evaluation import BaselineName, Desk
    from summeval_pytest.stats import CoefficientName
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict.agreement import (
        AgreementLevel,
        ColumnAgreement,
        Correlations,
        Estimate,
        LevelAgreement,
    )
    from summeval_pytest.verdict.item_agreement import ItemAgreement
    from summeval_pytest.verdict.labelled import LabelledPair
    from summeval_pytest.verdict.role_agreement import RoleAgreement

_VERDICTS: Final = (SENTENCE, FACT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is printed beyond the first table; the JSON has everything always.

    Attributes:
        levels: The levels in place of the first table's mixture.
        matrix: The coefficient of every two columns; None for no matrix.
        weights: Whether facet weights are fitted.
        given: The column that is held still for partial correlations; None for none.
        summary: Whether a line a figure stands in place of all tables.
    """

    levels: tuple[AgreementLevel, ...] = ()
    matrix: CoefficientName | None = None
    weights: bool = False
    given: str | None = None
    summary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Everything that is told of a suite."""

    suite: Suite
    judge: str
    pairs: Sequence[LabelledPair]
    columns: tuple[str, ...]
    items: Mapping[str, ItemAgreement]
    roles: RoleAgreement
    recorded: Mapping[str, Mapping[str, ItemAgreement]]

    def metrics(self) -> dict[str, ColumnAgreement]:
        return {column: column_agreement(self.pairs, column) for column in self.columns}

    def at(self, level: AgreementLevel) -> dict[str, LevelAgreement]:
        return {column: level_agreement(self.pairs, column, level) for column in self.columns}

    def correlations(self, level: AgreementLevel, name: CoefficientName) -> Correlations:
        return correlations(self.pairs, self.columns, level, name)

    def given(self, column: str) -> Mapping[str, Estimate]:
        return partial_correlations(self.pairs, self.columns, column)

    def weights(self) -> FittedWeights | str:
        return fitted_weights(self.suite.labels.values(), SCALES)


def agree(  # noqa: PLR0913 - by keyword, each an option of the command
    path: Path,
    *,
    judge_name: str,
    desk: Desk,
    json_file: Path | None,
    wanted: Wanted | None = None,
    models: LocalModels = NO_MODELS,
    baselines: tuple[BaselineName, ...] = (),
    allow_outside: bool = False,
) -> list[str]:
    """The tables of agreement, also written as JSON where a file is named.

    Args:
        path: The suite.
        judge_name: Who judges.
        desk: On which terms models are asked.
        json_file: Where the figures are written, too.
        wanted: What is printed beyond the first table.
        models: Models of this machine that fill further columns.
        baselines: What the judge is asked for beside the metrics.
        allow_outside: Whether the suite may name files outside of its folder.

    Raises:
        UsageError: for a mistake in the suite, a suite without labels, or an unknown judge.
        JudgeError: if the judge breaks its contract.
    """
    if json_file is not None:
        check_writable(json_file, "--json")
    suite = load_suite(path, allow_outside=allow_outside)
    desk.add_cassette(suite)
    pairs = with_columns(labelled_pairs(suite, judge_name, desk, baselines), models)
    figures, lines = model_figures(suite, pairs, models)
    found = _Found(
        suite=suite,
        judge=judge_name,
        pairs=pairs,
        columns=column_names(pairs, models.columns),
        items=item_agreements([pair.golden for pair in pairs if pair.golden is not None]),
        roles=role_agreement(pairs),
        recorded={
            by: item_agreements([pair.recorded[by] for pair in pairs if by in pair.recorded])
            for by in sorted({by for pair in pairs for by in pair.recorded})
        },
    )
    wanted = wanted or Wanted()
    if wanted.given is not None and wanted.given not in found.columns:
        known = nearest(wanted.given, found.columns)
        raise OptionError(f"--given={wanted.given}: there is no such column; {known}")
    if json_file is not None:
        text = json.dumps(as_json(found, wanted.given) | figures, indent=2, ensure_ascii=False)
        write_text(json_file, "--json", f"{text}\n")
    if wanted.summary:
        return list(summary_lines(suite.shown, found.metrics(), found.items, found.roles))
    return [*_told(found, wanted), *lines]


def as_json(found: _Found, given: str | None = None) -> dict[str, object]:
    """All figures as plain JSON values; an undefined one is null."""
    partial = {} if given is None else {"given": {given: _triples(found.given(given))}}
    matrices = {
        level: {name: found.correlations(level, name) for name in COEFFICIENTS} for level in LEVELS
    }
    levels = {level: found.at(level) for level in LEVELS}
    return {
        "pairs": len(found.pairs),
        "metrics": {
            column: {
                "pearson": triple(each.pearson),
                "spearman": triple(each.spearman),
                "kendall": triple(each.kendall),
                "pairs": each.n_pairs,
                **{level: _level_json(at[column]) for level, at in levels.items()},
            }
            for column, each in found.metrics().items()
        },
        "facets": {
            facet: {
                "exact": found.items[facet].figures["exact"].value,
                "kappa": found.items[facet].figures["quadratic kappa"].value,
                "pairs": found.items[facet].n_items,
            }
            for facet in FACETS
        },
        "items": items_json(found.items),
        "roles": roles_json(found.roles),
        "recorded": {
            by: items_json({facet: items[facet] for facet in FACETS})
            for by, items in found.recorded.items()
        },
        "systems": system_means(found.pairs, found.columns),
        "matrices": agreement_json(found.columns, matrices),
        "weights": _weights_json(found.weights()),
        **partial,
    }


def _triples(estimates: Mapping[str, Estimate]) -> dict[str, list[float | None]]:
    return {column: triple(estimate) for column, estimate in estimates.items()}


def _weights_json(found: FittedWeights | str) -> dict[str, object]:
    if isinstance(found, str):
        return {"reason": found}
    by_facet: dict[str, object] = dict(zip(FACETS, found.weights, strict=True))
    return {**by_facet, "error": found.error, "pairs": found.n_rows}


def _level_json(found: LevelAgreement) -> dict[str, object]:
    return {
        "n": found.n,
        **{name: triple(estimate) for name, estimate in found.estimates.items()},
        **({"p": dict(found.p_values)} if found.p_values else {}),
    }


def _told(found: _Found, wanted: Wanted) -> Iterator[str]:
    suite = found.suite
    yield (
        f"{suite.shown}: {len(found.pairs)} labelled pairs, judge {found.judge}, suite"
        f" {suite.fingerprint}"
    )
    yield "Agreement with the human overall score; 95 % intervals over papers."
    yield ""
    if all(pair.human is None for pair in found.pairs):
        yield f"no label has an overall score or all four facets: no {HUMAN} column to go with"
    else:
        yield from _correlated(found, wanted)
    yield ""
    lacking = list(lacking_lines([pair.lacking for pair in found.pairs]))
    yield from [*lacking, ""] if lacking else []
    yield from item_table(found.items, FACETS)
    if any(found.items[kind].n_items for kind in _VERDICTS):
        yield ""
        yield from item_table(found.items, _VERDICTS)
        yield "wrong: a sentence that is not faithful, a fact that does not hold"
    if found.roles.n_items:
        yield ""
        yield from role_table(found.roles)
    if found.recorded:
        yield ""
        yield from recorded_table(found.recorded)
    if wanted.weights:
        yield ""
        yield from weights_lines(found.weights())


def _correlated(found: _Found, wanted: Wanted) -> Iterator[str]:
    if not wanted.levels:
        yield from column_table(found.metrics())
    for place, level in enumerate(wanted.levels):
        if place:
            yield ""
        yield from level_table(level, found.at(level))
    if wanted.matrix is not None:
        for level in wanted.levels or ("pooled",):
            yield ""
            yield from matrix_table(wanted.matrix, level, found.correlations(level, wanted.matrix))
    if wanted.given is not None:
        yield ""
        yield from given_table(wanted.given, found.given(wanted.given))
