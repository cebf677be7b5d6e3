"""How often `summeval equivalence` decides rightly on judges with known noise.

    python -m tests.benchmarks.equivalence [200]

Each run asks a judge by lot about 60 pairs (2,160 items), or 180, in every way. Printed are the
shares of runs that are found equivalent, and which criteria refused how many of the others.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.noisy_judge import NoisyJudge, asked, noisy_tasks, write_noisy_suite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.evaluation import Task

JUDGES: Final[Mapping[str, NoisyJudge]] = {
    "noise 0.5 %": NoisyJudge(noise=0.005),
    "noise 0.5 %, 180 pairs": NoisyJudge(noise=0.005),
    "noise 1 %": NoisyJudge(noise=0.01),
    "10 points more noise together": NoisyJudge(noise=0.005, more=0.1),
    "3 points more noise together": NoisyJudge(noise=0.005, more=0.03),
    "5 % of yes lost together": NoisyJudge(noise=0.005, harsh=0.05),
    "2 % of yes lost together": NoisyJudge(noise=0.005, harsh=0.02),
    "front half passes in 10 %": NoisyJudge(noise=0.005, first=0.1),
    "8 % unanswered together": NoisyJudge(noise=0.005, silent=0.08),
}


def shares(judge: NoisyJudge, tasks: Sequence[Task], n_runs: int) -> tuple[int, Counter[str]]:
    """How many runs are equivalent, and what was not met how often."""
    n_equivalent, refused = 0, Counter[str]()
    for seed in range(n_runs):
        found = asked(replace(judge, seed=seed), tasks)
        n_equivalent += found.is_equivalent
        refused.update(f"{each.of} {each.name}" for each in found.unmet)
    return n_equivalent, refused


def main() -> None:
    """Prints a line a judge."""
    n_runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        tasks = noisy_tasks(write_noisy_suite(Path(folder) / "lots"))
        many = noisy_tasks(write_noisy_suite(Path(folder) / "many", n_papers=90))
        for name, judge in JUDGES.items():
            of = many if name.endswith("180 pairs") else tasks
            n_equivalent, refused = shares(judge, of, n_runs)
            told = ", ".join(f"{what} {n}" for what, n in refused.most_common(4))
            print(f"{name:<32}{n_equivalent:>5} of {n_runs}   {told}", flush=True)


if __name__ == "__main__":
    main()
