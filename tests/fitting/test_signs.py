from __future__ import annotations

import numpy as np
import pytest

from tools.fitting import presence
from tools.fitting.evidence import Claim
from tools.fitting.presence import Asked, examples


def claim(places: tuple[int, ...], shares: list[float], *sets: set[int]) -> Claim:
    """A claim with one feature of each sentence."""
    return Claim(
        paper="p",
        places=places,
        features=np.array([[share] for share in shares]),
        sets=tuple(map(frozenset, sets)),
    )


FACTS = ("Kites rose.", "Ferries sank.", "Roofs shone.", "Bells rang.")


def question(text: str, labels: tuple[int, ...], paper: str = "one") -> Asked:
    """Four facts asked of a text of ours."""
    return Asked(
        name="made/up", paper=paper, facts=FACTS, text=text, labels=labels, of_summary=False
    )


def test_papers_are_unseen_when_they_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper whose labels are upside down is still scored by what the others say.

    Examples are what the judge sees: a row a fact, its words found in the text as its first sign.
    """
    monkeypatch.setattr(presence, "SHARES", {"made/up": 1.0})
    text, labels = "Kites rose. The bells rang.", (1, 0, 0, 1)
    honest = [question(text, labels, paper=f"paper {number}") for number in range(12)]
    data = examples(iter([honest[0]]))
    assert data.signs.shape == (4, 7)
    assert data.signs[:, 0].tolist() == data.labels.tolist() == [1.0, 0.0, 0.0, 1.0]
    wrong = question(text, (0, 1, 1, 0), paper="upside down")
    logits = presence.unseen(examples(iter([*honest, wrong])))
    assert logits[-4] > logits[-3]
