"""ScholarSum's released texts and segments, for the figures that were taken from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.normalise import normalise
from tests.cli.conftest import server, shell  # noqa: F401 - fixtures of the commands

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from summeval_pytest.questions import FacetSegments


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The PubMed half: sources by paper; by system ("reference" is one) and paper the rest."""

    sources: Mapping[str, str]
    texts: Mapping[str, Mapping[str, str]]
    segments: Mapping[str, Mapping[str, FacetSegments]]


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory, release_file: Path) -> Released:
    """50 papers, their references and six systems, without special tokens."""
    out = tmp_path_factory.mktemp("scholarsum") / "suite"
    import_scholarsum(release_file, out)
    suite = load_suite(out)
    papers = [suite.paper(paper) for paper in suite.paper_ids]
    texts = {"reference": {paper.id: normalise(paper.references[0]) for paper in papers}}
    for system in suite.systems:
        ids = suite.paper_ids_of(system)
        texts[system] = {paper: normalise(suite.pair(paper, system).summary) for paper in ids}
    segments = defaultdict[str, dict[str, "FacetSegments"]](dict)
    for record in suite.recorded:
        if record.segments is not None:
            segments[record.system or "reference"][record.paper] = record.segments
    sources = {p.id: " ".join(section.text for section in p.source) for p in papers}
    return Released(sources=sources, texts=texts, segments=segments)
