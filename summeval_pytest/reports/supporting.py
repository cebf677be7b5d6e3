"""How well supporting sentences are found, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict.agreement import Estimate
    from summeval_pytest.verdict.supporting import Part, SupportingFigures

_TITLES: Final[dict[Part, str]] = {
    "all": "all sentences",
    "high": "more abstractive",
    "low": "less abstractive",
}


def supporting_table(figures: Sequence[SupportingFigures]) -> Iterator[str]:
    """A line each for the judge and the baselines, in a block for each part of the sentences."""
    for part, title in _TITLES.items():
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
