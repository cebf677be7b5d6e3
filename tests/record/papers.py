"""Papers as a run's record keeps them."""

from __future__ import annotations

from summeval_pytest.verdict.run import PaperRecord
from tests.verdict.records import HERE


def paper(name: str, *known: int, references: tuple[str, ...] = ("It grew.",)) -> PaperRecord:
    """A paper of nine sentences with the source sentences that are known."""
    return PaperRecord(
        id=name,
        title="",
        place=HERE,
        references=references,
        n_sentences=9,
        source=tuple((index, f"Sentence {index}.") for index in known),
    )
