"""Two runs of one suite with golden answers, and pairs under two judges, made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from summeval_pytest.verdict import Trust
from summeval_pytest.verdict.swapping import TwiceJudged
from tests.verdict.records import suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.evaluation import GoldenPair
    from summeval_pytest.verdict import SuiteRecord


def measured(
    *golden: GoldenPair, judge: str = "fair-1", labels: str = "c3d477be02a1"
) -> SuiteRecord:
    """A suite whose judge was measured with these golden answers."""
    trust = Trust(judge=judge, labels=labels, n_pairs=len(golden))
    return replace(suite(), has_labels=True, trust=trust, golden=golden)


def twice(
    paper: str,
    old: Mapping[str, float],
    new: Mapping[str, float],
    *,
    system: str = "good",
    sentences: Iterable[tuple[bool, bool]] = (),
) -> TwiceJudged:
    """One pair under two judges; its paper is a group of its own."""
    return TwiceJudged(
        paper=paper, system=system, group=paper, old=old, new=new, sentences=tuple(sentences)
    )
