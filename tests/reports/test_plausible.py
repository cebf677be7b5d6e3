from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.metrics import FacetScore, RatedFacet
from summeval_pytest.reports.plausible import implausible
from summeval_pytest.verdict import (
    PairVerdict,
    Shortfall,
    SystemMean,
    Threshold,
    Thresholds,
)
from tests.verdict.records import eva, faithful, marks, pair, rated, run, suite, system

if TYPE_CHECKING:
    from summeval_pytest.verdict import PairRecord, RunRecord

GOOD = pair("moss-01", rated(marks(result=2)), eva(0.5), faithful(0.5))
ODD = RatedFacet(facet="result", rating=99, reason="", reference="a", candidate="b")


def of(*pairs: PairRecord) -> RunRecord:
    """A run of the careful system on moss-01, with these pairs."""
    return run(suite(*pairs, systems=(system("careful", "moss-01"),)))


def test_what_a_run_has_written_is_plausible() -> None:
    """Also where nothing was judged."""
    assert implausible(of(GOOD)) == ""
    assert implausible(of()) == ""


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (run(), "it holds no suite"),
        (run(suite()), "suite 'golden' has no system"),
        (of(GOOD, GOOD), "'careful' on 'moss-01' is in it 2 times"),
        (of(replace(GOOD, system="x")), "'x' on 'moss-01' is no pair of suite 'golden'"),
        (of(replace(GOOD, paper="x")), "'careful' on 'x' is no pair of suite 'golden'"),
        (of(pair("moss-01")), "'careful' on 'moss-01' has no score, and no reason for none"),
        (
            of(pair("moss-01", eva(7.0))),
            "'careful' on 'moss-01': eva = 7 is out of its range, 0 to 1",
        ),
        (
            of(pair("moss-01", FacetScore(value=0.5, ratings=(ODD,)))),
            "'careful' on 'moss-01': result is rated 99 of 4",
        ),
        (
            of(replace(GOOD, signatures=("eva|nonsense",))),
            (
                "'careful' on 'moss-01': 'nonsense' in signature 'eva|nonsense' has no value;"
                " it reads key:value"
            ),
        ),
        (
            of(
                replace(
                    GOOD,
                    verdict=PairVerdict(shortfalls=(Shortfall(name="x", value=0.1, least=0.2),)),
                )
            ),
            "unknown number 'x'",
        ),
        (
            run(
                suite(
                    GOOD,
                    systems=(
                        replace(
                            system("careful", "moss-01"),
                            means=(
                                SystemMean(name="y", value=0.5, least=0.4, n_scored=1, n_papers=1),
                            ),
                        ),
                    ),
                )
            ),
            "unknown number 'y'",
        ),
        (
            run(suite(GOOD, thresholds=Thresholds(pair=(Threshold("z", 0.5),), mean=()))),
            "unknown number 'z'",
        ),
    ],
)
def test_what_no_run_could_have_written_is_told(record: RunRecord, fault: str) -> None:
    """A record that somebody has edited would be decided by what is not in it."""
    assert implausible(record) == fault
