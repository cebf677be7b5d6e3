"""How well abstracts are cut into sentences: boundary F1 of ours, and of nupunkt if installed.

    SUMMEVAL_SHARED=../shared python -m tools.benchmarks.splitting

The sentences of an abstract are joined with spaces and cut again; its end is no boundary. What both
miss is mostly the sets' own ("Tel. :", headings with a full stop).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import accumulate
from typing import Final

from summeval_pytest.text.sentences import sentence_texts
from tests.shared_data import DATA

SETS: Final = ("csabstruct", "nicta_piboso", "pubmedqa_roles")
MOST: Final = 400
"""Abstracts of each set."""
Cut = Callable[[str], Sequence[str]]


def _abstracts(name: str) -> list[list[str]]:
    texts: dict[str, list[str]] = {}
    for line in (DATA / name / "dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts.setdefault(row["doc_id"], []).append(row["sentence"].strip())
    return list(texts.values())[:MOST]


def _boundaries(sentences: Sequence[str]) -> set[int]:
    """After how many characters that are no white space a sentence ends, the last one left out."""
    lengths = (len(re.sub(r"\s", "", sentence)) for sentence in sentences)
    return set(list(accumulate(lengths))[:-1])


def boundary_f1(name: str, cut: Cut) -> float:
    """F1 of the boundaries, from 0 to 1: 2 * hits / (found + wanted), over all abstracts."""
    hits = n = 0
    for sentences in _abstracts(name):
        wanted, found = _boundaries(sentences), _boundaries(cut(" ".join(sentences)))
        hits += len(wanted & found)
        n += len(wanted) + len(found)
    return 2 * hits / n


def main() -> None:
    """Print a row for each splitter."""
    cutters: dict[str, Cut] = {"ours": sentence_texts}
    try:
        cutters["nupunkt"] = import_module("nupunkt").sent_tokenize
    except ImportError:
        print("nupunkt is not installed")
    for splitter, cut in cutters.items():
        scores = (f"{name} {boundary_f1(name, cut):.4f}" for name in SETS)
        print(f"{splitter:8}", "  ".join(scores))


if __name__ == "__main__":
    main()
