"""What `summeval agree` finds, small, also in a stranger's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from summeval_pytest.errors import Place
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.study.agreement.columns import LabelledPair, column_names
from summeval_pytest.study.agreement.suite_agreement import SuiteAgreement
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import load_suite
from tests.reports.records import SUMMARY, golden, in_other_words

GOLDEN: Final = Path(__file__).parents[3] / "golden"


def small_agreement(words: Callable[[str], str] = str) -> SuiteAgreement:
    """Twelve pairs with FM and a recorded metric; two have answers, and one has no EVA-Score.

    Every text that others may have written is passed through ``words``.
    """
    suite = load_suite(GOLDEN)
    answered = in_other_words(golden(), words)
    one = suite.pair("bat-01", "terse")
    pairs = []
    for n in range(12):
        message = answered[n] if n < len(answered) else None
        pairs.append(
            LabelledPair(
                paper=message.paper if message else f"paper-{n % 4}",
                system=message.system if message else f"system-{n // 4}",
                group=f"{n % 4}",
                human=n * 7 % 12 / 12,
                columns={"FM": n / 12, words("G-Eval"): n * 5 % 12},
                golden=message,
                pair=replace(one, summary=words(SUMMARY)),
                missing={} if n else {"EVA": words("no JSON")},
            )
        )
    return SuiteAgreement(
        suite=replace(suite, path=Path(f"{words('moss').replace('/', '')}.summeval.toml")),
        judge=words("gpt-4"),
        pairs=pairs,
        columns=column_names(pairs),
    )


def labelled(
    paper: str,
    human: float | None,
    fm: float | None = None,
    *,
    group: str = "",
    system: str = "plain",
    **columns: float,
) -> LabelledPair:
    """A pair with one column, FM, where it has a number, and others."""
    columns |= {} if fm is None else {"FM": fm}
    return LabelledPair(
        paper=paper, system=system, group=group or paper, human=human, columns=columns
    )


def label(overall: float | None = None, **facets: int | None) -> Label:
    """A label of a pair that nobody looks up."""
    rated: dict[Facet, int | None] = {f: facets[f] for f in FACETS if f in facets}
    place = Place("labels.jsonl")
    return Label(paper="moss", system="plain", facets=rated or None, overall=overall, place=place)
