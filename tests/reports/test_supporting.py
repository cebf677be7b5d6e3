from __future__ import annotations

from dataclasses import replace

from summeval_pytest.analysis.agreement import Estimate
from summeval_pytest.analysis.items import Macro, SupportingFigures
from summeval_pytest.reports.tables import supporting_table

JUDGE = SupportingFigures(
    by="judge",
    part="all",
    n_instances=1305,
    n_papers=12,
    n_unanswered=0,
    precision=Estimate(0.73, 0.7, 0.76),
    recall=Estimate(0.556, 0.5, 0.6),
    f1=Estimate(0.6311, None, None),
    any_hit=Estimate(0.8, 0.75, 0.85),
    named_per_sentence=Estimate(1.0, 1.0, 1.0),
    macro=Macro(precision=0.7, recall=0.6, f1=0.62),
)
NONE = Estimate(None, None, None)


def test_a_block_for_each_part_with_a_line_for_each_finder() -> None:
    """Worked example; a part that nobody was measured on has no block."""
    high = replace(JUDGE, by="BM25 top-1", part="high", n_instances=5)
    assert list(supporting_table([JUDGE, high])) == [
        (
            "all sentences    sents  named  precision         recall            F1"
            "                any hit           macro F1"
        ),
        (
            "judge            1,305   1.00  0.730 [0.70,0.76] 0.556 [0.50,0.60] 0.631"
            "             0.800 [0.75,0.85]    0.620"
        ),
        "",
        (
            "more abstractive sents  named  precision         recall            F1"
            "                any hit           macro F1"
        ),
        (
            "BM25 top-1           5   1.00  0.730 [0.70,0.76] 0.556 [0.50,0.60] 0.631"
            "             0.800 [0.75,0.85]    0.620"
        ),
        "",
    ]


def test_what_is_undefined_is_a_dash() -> None:
    """A judge without an answer has no figure, and no 0."""
    silent = replace(
        JUDGE, n_instances=0, precision=NONE, recall=NONE, f1=NONE, any_hit=NONE,
        named_per_sentence=NONE,
        macro=None,
    )  # fmt: skip
    (_, line, _) = supporting_table([silent])
    assert line.split() == ["judge", "0", "-", "-", "-", "-", "-", "-"]
