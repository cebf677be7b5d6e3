from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from summeval_pytest.judges.offline.learned import STEPS, learned
from tools.fitting import presence
from tools.fitting.evidence import Claim, chosen, claims, f1, shipped
from tools.fitting.presence import Asked, asked, examples, fit


def claim(places: tuple[int, ...], shares: list[float], *sets: set[int]) -> Claim:
    """A claim with one feature of each sentence."""
    return Claim(
        paper="p",
        places=places,
        features=np.array([[share] for share in shares]),
        sets=tuple(map(frozenset, sets)),
    )


def test_f1_is_micro_over_all_sentences() -> None:
    """Three are named; the first readers name two, both found; all readers name four."""
    among = [claim((4, 7), [1.0, 0.5], {4}, {4, 9}), claim((1,), [1.0], {1}, {2})]
    assert f1([{4, 7}, {1}], among, "first") == pytest.approx(2 * 2 / (3 + 2))
    assert f1([{4, 7}, {1}], among, "any") == pytest.approx(2 * 2 / (3 + 4))


def test_the_nearest_is_chosen_and_others_that_a_quarter_would_name() -> None:
    """With weight 1 and no start all have at least one half; with -2 only those above .9."""
    one = claim((4, 7, 2), [0.1, 1.0, 0.2], {4})
    assert chosen(np.array([1.0, 0.0]), one) == {4, 7, 2}
    assert chosen(np.array([1.0, -2.0]), one) == {4, 7}


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


def test_weights_are_those_of_the_recipes(shared_data: Path) -> None:
    """Whoever runs the commands again gets the weights that ship."""
    data = examples(asked(shared_data))
    intercept, slopes = fit(data.signs, data.labels, presence.shares(data))
    assert learned("presence")["intercept"] == pytest.approx(intercept, abs=2e-3)
    assert learned("presence")["slopes"] == pytest.approx(slopes, abs=2e-3)
    found = shipped(claims(shared_data))
    assert learned("evidence")["weights"] == pytest.approx(found * STEPS, abs=2)
