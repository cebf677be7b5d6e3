"""Papers as a run's record keeps them."""

from __future__ import annotations

from summeval_pytest.verdict.run import PaperRecord
from tests.verdict.records import HERE


def paper(name: str, references: tuple[str, ...] = ("It grew.",)) -> PaperRecord:
    """A paper of two sentences."""
    return PaperRecord(
        id=name,
        title="",
        place=HERE,
        references=references,
        source=("It grew.", "It did not."),
    )
