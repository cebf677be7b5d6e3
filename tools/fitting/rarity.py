"""Counts in how many short texts each word stands.

    python -m tools.fitting.rarity --data ../shared/data

A long source is cut into texts of about 200 words, the length of an abstract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from summeval_pytest.judges.offline.learned import N_PLACES, RARITY_STEPS, place_of
from summeval_pytest.text.words import content_words
from tools.fitting.data import data_folder, records, save

SETS: Final = {
    "csabstruct/dev.jsonl": ("sentence", "doc_id"),
    "nicta_piboso/dev.jsonl": ("sentence", "doc_id"),
    "pubmedqa_roles/dev.jsonl": ("sentence", "doc_id"),
    "infolossqa/dev.jsonl": ("source", None),
    "longsciverify/dev.jsonl": ("source", None),
    "zeroshot_faceval/dev.jsonl": ("source", None),
    "qags/dev.jsonl": ("source", None),
    "realsumm_scu/dev.jsonl": ("reference", None),
    "pyrxsum_scu/dev.jsonl": ("reference", None),
    "wice/dev.jsonl": ("source", None),
}
"""By file: the field with the text, and the field by which sentences make one text."""
LENGTH: Final = 100
"""Content words in a text."""


def texts(folder: Path) -> Iterator[set[str]]:
    """The stems of each text, every text once."""
    for name, (field, key) in SETS.items():
        whole: dict[str, str] = {}
        for record in records(folder, name):
            group = record[key] if key else record[field]
            before = f"{whole[group]} " if key and group in whole else ""
            whole[group] = before + record[field]
        for text in whole.values():
            words = content_words(text)
            for start in range(0, len(words), LENGTH):
                yield set(words[start : start + LENGTH])


def main() -> None:
    """Counts, and writes ``weights/rarity``."""
    folder = data_folder(__doc__)
    n_texts, found = 0, Counter[int]()
    for words in texts(folder):
        n_texts += 1
        found.update({place_of(word) for word in words})
    counts = np.zeros(N_PLACES)
    counts[list(found)] = list(found.values())
    rare = np.log((n_texts + 1) / (counts + 1)) / np.log(n_texts + 1)
    save(
        "rarity",
        {"steps": np.round(rare * RARITY_STEPS).astype(np.uint8)},
        recipe={
            "data": sorted(SETS),
            "method": f"document frequency of stems over {n_texts} texts of {LENGTH} content words",
            "scores": {},
        },
    )


if __name__ == "__main__":
    main()
