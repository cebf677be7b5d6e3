"""Makes a suite of one of the labelled sets that lie beside the checkout.

python -m tests.study.labelled_sets realsumm_scu DATA/realsumm_scu/dev.jsonl --out /tmp/realsumm
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.study.labelled_sets.sets import SETS
from tests.study.labelled_sets.suites import import_set


def main() -> None:
    """Makes the suite, and says what it holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.study.labelled_sets")
    parser.add_argument("name", choices=SETS)
    parser.add_argument("file", type=Path, help="a file of the set, as JSON lines")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the new suite")
    chosen = parser.parse_args()
    report = import_set(chosen.name, chosen.file, chosen.out)
    n_papers, n_systems, n_pairs = report["papers"], len(report["systems"]), report["pairs"]
    labelled = f"{report['labels']} pairs have human labels: {SETS[chosen.name].message}"
    counts = f"{n_papers} papers, {n_systems} systems, {n_pairs} pairs"
    lines = (f"{chosen.out}: {counts}", labelled, *report["notes"])
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
