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
    kept = f"{report.n_papers} papers, {len(report.systems)} systems, {report.n_pairs} pairs"
    labelled = f"{report.n_labels} pairs have human labels: {SETS[chosen.name].message}"
    lines = (f"{chosen.out}: {kept}", labelled, *report.notes)
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
