from __future__ import annotations

from summeval_pytest.reports.equivalence import decision, equivalence_lines
from summeval_pytest.verdict.criteria import Criterion, held
from summeval_pytest.verdict.equivalence import Equivalence, ItemCount
from tests.reports.test_comparison import HOSTILE, harmless

COUNT = ItemCount(kind="fact", n_items=1200, n_answered=(1200, 1199, 1198, 1197))
KAPPA = held("fact", "kappa", n=1198, value=0.9, bound=0.85, floor=0.95)
LEAN = held("fact", "direction", n=1198, value=0.04, bound=0.05, shift=-0.0125)
MOOT = held("eva", "order of systems", n=1, value=None, bound=1, unmeasured=("moot", "no order"))
OPEN = held("eva", "mean difference", n=1, value=None, bound=0.05, unmeasured=("open", "one pair"))


def found(*criteria: Criterion, n_items: int = 1200) -> Equivalence:
    """What is told of one kind of items."""
    counts = (COUNT,) if n_items else ()
    return Equivalence(n_pairs=60, n_papers=30, items=counts, criteria=criteria)


def test_items_and_criteria_have_a_line_each() -> None:
    """Value, floor and bound stand side by side, and how the one stands to the other."""
    lines = list(equivalence_lines(found(KAPPA, LEAN, MOOT, OPEN)))
    assert lines[:2] == [
        "items           asked   alone   again  together  turned round",
        "fact            1,200   1,200   1,199     1,198         1,197",
    ]
    assert lines[3:8] == [
        "together against alone                n  value  floor  bound",
        "fact         kappa                1,198  0.900  0.950  >= 0.850 met",
        "fact         direction            1,198  0.040      -   > 0.050 missed (-0.013)",
        "eva          order of systems         1      -      -  moot: no order",
        "eva          mean difference          1      -      -  open: one pair",
    ]
    assert "open: not measurable, and so not met. moot: there is nothing to measure." in lines
    assert all(len(line) <= 80 for line in lines)


def test_a_legend_without_use_is_left_out() -> None:
    """Most runs measure everything."""
    assert not [line for line in equivalence_lines(found(KAPPA)) if line.startswith("open:")]


def test_the_decision_names_every_bound_that_is_not_kept() -> None:
    """And says where the judge does not even agree with itself."""
    assert decision(found(KAPPA, MOOT)) == (
        "equivalent: asked together, items are answered as they are alone"
    )
    low = held("fact", "kappa", n=1198, value=0.7, bound=0.85, floor=0.8)
    assert decision(found(low, LEAN, OPEN, MOOT)) == (
        "not equivalent: fact: kappa 0.700, wanted >= 0.850 (alone, asked twice: 0.800); fact:"
        " direction p 0.040, wanted > 0.050; eva: mean difference cannot be measured, one pair"
    )
    noisy = held("eva", "absolute difference", n=60, value=0.03, bound=0.02, floor=0.01)
    assert decision(found(noisy)) == (
        "not equivalent: eva: absolute difference 0.030, wanted <= 0.020"
    )
    assert decision(found(n_items=0)) == (
        "not equivalent: no item was asked about, so nothing is shown"
    )


def test_a_value_never_looks_as_if_it_kept_a_bound_that_it_misses() -> None:
    """.8499 is not .850; both get as many digits as it takes."""
    close = held("fact", "kappa", n=9, value=0.8499, bound=0.85)
    assert "kappa 0.8499, wanted >= 0.8500" in decision(found(close))
    above = held("fact", "another answer", n=9, value=0.01004, bound=0.01)
    assert "another answer 0.01004, wanted <= 0.01000" in decision(found(above))


def test_few_items_are_said_to_be_few() -> None:
    """A refusal, or a pass, may be chance then."""
    few = Equivalence(n_pairs=8, n_papers=4, items=(COUNT,), criteria=(KAPPA,))
    told = " ".join(equivalence_lines(few))
    assert "8 pairs and 1,200 items are few: at least 60 and 600 are wanted" in told
    assert not [line for line in equivalence_lines(found(KAPPA)) if " few" in line]


def test_a_reason_for_missing_answers_cannot_command_a_terminal() -> None:
    """It may be a judge's own text."""
    count = ItemCount(kind="fact", n_items=2, n_answered=(2, 2, 1, 1), fault=HOSTILE)
    lines = list(equivalence_lines(Equivalence(n_pairs=1, n_papers=1, items=(count,), criteria=())))
    assert lines[2].startswith("  unanswered, for instance: ")
    assert harmless(lines)
