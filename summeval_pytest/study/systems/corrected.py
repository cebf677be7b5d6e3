"""Means as people would give them: the judge's, without the error that labelled pairs show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.questions import FACETS
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.study.correction import corrected_mean, corrected_rate
from summeval_pytest.study.systems.studied import FAITHFULNESS, By, Studied, StudiedText
from summeval_pytest.study.tables import Row

CORRECTABLE: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), FAITHFULNESS)
"""The numbers that labels have something for: overall scores, ratings and sentences."""
_ROUNDING: Final = 1e-9


def corrected_means(studied: Studied) -> Iterator[Row]:
    """The mean of each number by judge and system, as it is and corrected, with a 95 % interval.

    ``value`` is None where labels do not tell, or the judge is no better than chance; ``reason``
    says so. ``n_golden`` counts labelled pairs, or sentences, on ``n_papers`` papers. `correction`
    has the formulas.
    """
    for judge in studied.judges:
        golden = studied.golden.get(judge, ())
        for system, pairs in studied.by_system.items():
            for name in CORRECTABLE:
                row = _corrected(name, judge, pairs, golden)
                if row["n_golden"] and row["n_judged"]:
                    yield {"judge": judge, "system": system, "number": name, **row}


def _corrected(
    name: str, judge: str, pairs: Sequence[StudiedText], golden: Sequence[GoldenPair]
) -> Row:
    """One corrected mean; faithfulness is a rate of sentences."""
    kind = {"facet": "overall", FAITHFULNESS: "sentence"}.get(name, name.partition(".")[2])
    rows = [(pair.paper, answer, label) for pair in golden for label, answer in pair.answered(kind)]
    if kind == "overall" and any(label > 1 + _ROUNDING for *_, label in rows):
        rows = []  # people's overall scores are on a scale of their own
    by: By = ("judge", judge)
    if name == FAITHFULNESS:
        judged: list[tuple[str, bool]] = []
        for pair in pairs:
            given = pair.by(by)
            judged += [(pair.paper, True)] * given.n_supported
            judged += [(pair.paper, False)] * (given.n_answered - given.n_supported)
        is_right = [(paper, answer == 1, label == 1) for paper, answer, label in rows]
        return asdict(corrected_rate(judged, is_right))
    scored = [(pair.paper, v) for pair in pairs if (v := pair.by(by).values.get(name)) is not None]
    named = CATALOGUE[name]
    values = asdict(corrected_mean(scored, rows, width=named.width))
    for key in ("value", "low", "high"):  # cut off at the ends of the range, as a rate is
        if values[key] is not None:
            values[key] = min(max(values[key], named.low), named.high)
    return values
