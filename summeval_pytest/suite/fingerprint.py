"""The fingerprint of a suite: all of its papers that can move a score, and nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.suite.values import Paper

_LENGTH: Final = 12


def canonical_text(paper: Paper) -> str:
    """The paper as one line of JSON without its title: equal papers have equal texts.

    Reading the line as a paper gives the paper back, its title aside.
    """
    values: dict[str, object] = {
        "id": paper.id,
        "source": [
            {"heading": s.heading, "text": s.text} if s.heading else {"text": s.text}
            for s in paper.source
        ],
        "reference": list(paper.references),
    }
    if paper.reference_facets is not None:
        segments = paper.reference_facets
        values["reference_facets"] = {facet: segments.segment(facet) or None for facet in FACETS}
    if paper.reference_facts is not None:
        values["reference_facts"] = [
            {"text": fact.text, "sentence": fact.sentence, "parent": fact.parent}
            for fact in paper.reference_facts
        ]
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> bytes:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).digest()


def fingerprint_of(digests: Mapping[str, bytes]) -> str:
    """12 hex digits over the digest of each paper's canonical text, in order of id."""
    total = hashlib.sha256()
    for paper_id in sorted(digests):
        total.update(digests[paper_id])
    return total.hexdigest()[:_LENGTH]
