"""How document frequencies are counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from summeval_pytest.judges.training import rarity

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_sentences_of_one_abstract_are_one_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sentences of a document make one text; sources are cut to the length of an abstract."""
    monkeypatch.setattr(
        rarity, "SETS", {"a.jsonl": ("sentence", "doc_id"), "b.jsonl": ("source", None)}
    )
    sentences = [("d1", "zinc heals"), ("d1", "mice healed"), ("d2", "zinc")]
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"doc_id": d, "sentence": s}) + "\n" for d, s in sentences)
    )
    long = " ".join(["copper"] * (rarity.LENGTH + 1))
    (tmp_path / "b.jsonl").write_text(json.dumps({"source": long}) + "\n")
    assert list(rarity.texts(tmp_path)) == [
        {"zinc", "heal", "mice"},
        {"zinc"},
        {"copper"},
        {"copper"},
    ]
