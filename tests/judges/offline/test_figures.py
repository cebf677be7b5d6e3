"""Wrong and reworded figures: units, durations, currencies and arithmetic.

Each line of `figures.jsonl` has a source, a claim, and whether the claim is an error or only
reworded. An assistant wrote them on 2026-11-28. It wrote the first part before it ran the judge on
any of them, and then made rules in view of this part. It wrote the second part after these rules.
One rule ("three times a week") was changed after it ran the second part.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Final

from summeval_pytest.judges.offline.support import support_sentences
from summeval_pytest.suite.marking import cut

FIGURES: Final = Path(__file__).with_name("figures.jsonl")


def test_it_sees_wrong_figures_and_condemns_few_reworded_ones() -> None:
    """The figures of the docs. Version 5 saw 29 and 6 errors, and condemned 8 and 9 rewordings."""
    n_lines: Counter[tuple[str, str]] = Counter()
    n_conflicts: Counter[tuple[str, str]] = Counter()
    for line in FIGURES.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        checks = support_sentences(cut(row["claim"]), cut(row["source"]))
        n_lines[row["part"], row["kind"]] += 1
        n_conflicts[row["part"], row["kind"]] += any(check.undecided for check in checks)
    assert (n_lines["first", "error"], n_conflicts["first", "error"]) == (40, 39)
    assert (n_lines["first", "reworded"], n_conflicts["first", "reworded"]) == (23, 1)
    assert (n_lines["second", "error"], n_conflicts["second", "error"]) == (10, 10)
    assert (n_lines["second", "reworded"], n_conflicts["second", "reworded"]) == (20, 2)
