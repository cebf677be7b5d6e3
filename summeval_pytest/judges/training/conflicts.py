"""Measures how many planted errors are seen as conflicts, and how many faithful sentences are.

    python -m summeval_pytest.judges.training.conflicts --data ../shared/data

Nothing is fitted. Errors are planted by the edits of `summeval_pytest.text.editing`, and units by
the table below, into sentences of abstracts (the evidence is the whole abstract, unedited) and
into faithful summary sentences (the evidence is the article).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.sentences.support import support_sentences
from summeval_pytest.judges.training.data import data_folder, records
from summeval_pytest.text import normalise, sentence_texts
from summeval_pytest.text.editing import change_number, negate, reverse_direction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

FAITHFUL: Final = (
    "zeroshot_faceval/dev.jsonl",
    "zeroshot_faceval/billsum_dev.jsonl",
    "qags/dev.jsonl",
)
"""Sets whose label says whether a sentence is faithful to its source."""
ABSTRACTS: Final = ("pubmedqa_roles/dev.jsonl", "csabstruct/dev.jsonl")
"""Sets of abstracts, a sentence a record."""
N_ABSTRACTS: Final = 150
"""How many abstracts of each set are edited."""
_UNITS: Final = (
    ("weeks", "months"), ("months", "years"), ("days", "weeks"), ("hours", "minutes"),
    ("minutes", "seconds"), ("years", "months"), ("mg", "g"), ("kg", "g"), ("mm", "cm"),
    ("ml", "l"), ("km", "m"), ("%", "mg"),
)  # fmt: skip
"""Units, each with one that it is changed to."""

Case = tuple[str, str, tuple[str, ...]]
"""What a claim is ("number", ..., or "faithful"), the claim, its source."""


def change_unit(text: str) -> str | None:
    """The text with the unit of one number changed; None where no number has one we change."""
    for unit, other in _UNITS:
        changed = re.sub(rf"(\d\s?){unit}(?![\w/])", rf"\g<1>{other}", text, count=1)
        if changed != text:
            return changed
    return None


def planted(sentence: str, source: tuple[str, ...]) -> Iterator[Case]:
    """The sentence with one error of each kind that it offers a place for."""
    text = normalise(sentence)
    edits = {
        "number": change_number(text, " ".join(source)),
        "negation": negate(text),
        "direction": reverse_direction(text),
    }
    for kind, edit in edits.items():
        if edit is not None and edit.text != text:
            yield kind, edit.text, source
    unit = change_unit(text)
    if unit is not None:
        yield "unit", unit, source


def is_flagged(claim: str, source: tuple[str, ...]) -> bool:
    """Whether a claim conflicts with a source."""
    (found,) = support_sentences((claim,), source)
    return found.undecided


def abstracts(folder: Path, name: str) -> Iterator[Case]:
    """Errors planted into the last sentence of each of the first abstracts of a set."""
    whole: dict[str, list[str]] = {}
    for record in records(folder, name):
        whole.setdefault(record["doc_id"], []).append(record["sentence"])
    for sentences in list(whole.values())[:N_ABSTRACTS]:
        source = tuple(sentence_texts(normalise(" ".join(sentences))))
        yield from planted(source[-1], source)


def faithful(folder: Path, name: str) -> Iterator[Case]:
    """The faithful sentences of a set, as they are and with errors planted."""
    for record in records(folder, name):
        if record["label"]:
            source = tuple(sentence_texts(normalise(record["source"])))
            yield "faithful", normalise(record["sentence"]), source
            yield from planted(record["sentence"], source)


def shares(cases: Iterable[Case]) -> dict[str, tuple[int, int]]:
    """By kind: how many of its claims are flagged, and how many there are."""
    seen, flagged = Counter[str](), Counter[str]()
    for kind, claim, source in cases:
        seen[kind] += 1
        flagged[kind] += is_flagged(claim, source)
    return {kind: (flagged[kind], seen[kind]) for kind in sorted(seen)}


def main() -> None:
    """Prints, for each set and kind, how many claims are flagged."""
    folder = data_folder(__doc__)
    for name in (*ABSTRACTS, *FAITHFUL):
        cases = abstracts(folder, name) if name in ABSTRACTS else faithful(folder, name)
        told = ", ".join(f"{kind} {n} of {of}" for kind, (n, of) in shares(cases).items())
        sys.stdout.write(f"{name}: {told}\n")


if __name__ == "__main__":
    main()
