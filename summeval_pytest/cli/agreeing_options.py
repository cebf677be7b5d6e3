"""What `summeval agree` takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import add_asking, add_judge, add_local_models, add_suite, desk_of
from summeval_pytest.errors import OptionError
from summeval_pytest.evaluation import BASELINES

if TYPE_CHECKING:
    import argparse

    from summeval_pytest.verdict.agreement import AgreementLevel

ALL: Final = "all"
LEVELS: Final[tuple[AgreementLevel, ...]] = ("pooled", "paper", "system")
MATRICES: Final = ("pearson", "spearman", "kendall")
_TABLES: Final = (
    "level", "matrix", "fit_weights", "summary", "given", "baseline", "bertscore", "embeddings",
)  # fmt: skip
"""Options of the tables, in vain where something else is printed in their place."""


def add_agreeing(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.description = (
        "Sets every metric, baseline and recorded column beside the labels of a suite: correlation"
        " with the overall score, and agreement on facets, sentences and facts."
    )
    add_suite(parser, "a suite with labels")
    parser.add_argument(
        "--level",
        choices=(*LEVELS, ALL),
        help="all three coefficients over all pairs, within papers, or of the systems' means"
        " (default: Pearson and Spearman over all pairs, Kendall within papers)",
    )
    parser.add_argument(
        "--matrix", choices=MATRICES, help="this coefficient of every two columns, too"
    )
    parser.add_argument(
        "--fit-weights", action="store_true", help="fit the facets' weights to the overall scores"
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="one line a figure in place of the tables: suite, figure, items, value, interval",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write all figures here, asked for or not"
    )
    parser.add_argument(
        "--given",
        metavar="COLUMN",
        help="what each column still says of the labels where this one is known",
    )
    parser.add_argument(
        "--baseline",
        action="append",
        choices=BASELINES,
        default=[],
        help="ask the judge for this, too, beside the metrics: one rating of the whole summary, or"
        " facts counted by one prompt (repeat for both)",
    )
    parser.add_argument(
        "--compare",
        type=Path,
        nargs=2,
        metavar=("FILE_A", "FILE_B"),
        help="how two annotators' label files agree in place of the tables; asks no judge",
    )
    add_local_models(parser)
    add_judge(parser)
    add_asking(parser)


def agree_as(chosen: argparse.Namespace) -> list[str]:
    """What the command prints for its arguments.

    Raises:
        UsageError: for a mistake in the suite or the options.
        JudgeError: if the judge breaks its contract.
    """
    if chosen.compare is not None:
        from summeval_pytest.cli.annotators import compare_annotators

        _refuse_tables(chosen, "compare")
        return compare_annotators(chosen)
    from summeval_pytest.cli.agreeing import Wanted, agree
    from summeval_pytest.cli.model_columns import models_of

    levels = LEVELS if chosen.level == ALL else (chosen.level,) if chosen.level else ()
    return agree(
        chosen.suite,
        judge_name=chosen.judge,
        desk=desk_of(chosen),
        json_file=chosen.json,
        allow_outside=chosen.allow_outside,
        wanted=Wanted(
            levels=levels,
            matrix=chosen.matrix,
            weights=chosen.fit_weights,
            given=chosen.given,
            summary=chosen.summary,
        ),
        models=models_of(chosen),
        baselines=tuple(dict.fromkeys(chosen.baseline)),
    )


def _refuse_tables(chosen: argparse.Namespace, wanted: str) -> None:
    for option in _TABLES:
        if getattr(chosen, option):
            name = option.replace("_", "-")
            raise OptionError(f"--{wanted} prints no other table; leave out --{name}")
