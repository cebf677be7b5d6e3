"""What a suite's own files say of the pairs that are studied: texts, labels, other judges' records.

A system that is a model is asked for its summaries; nobody judges here.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import running
from summeval_pytest.evaluation import group_of, tasks_of
from summeval_pytest.judges import OFFLINE, find_judge
from summeval_pytest.metrics.candidate import unusable
from summeval_pytest.metrics.grounding import ground
from summeval_pytest.metrics.proportions import facet_words
from summeval_pytest.questions import SCALES, FacetSegments
from summeval_pytest.text import normalise, split_sentences
from summeval_pytest.verdict.study import (
    Cut,
    Labelled,
    RecordedNumbers,
    StudiedPair,
    StudiedText,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.evaluation import Desk
    from summeval_pytest.questions import Facet
    from summeval_pytest.suite import Label, Pair, Paper, Suite

Named = tuple[str, str]
"""A system and a paper."""


@dataclass(slots=True)
class Texts:
    """What was read.

    Attributes:
        pairs: By system and paper.
        references: By paper.
        written: The texts of each system, and under None the references.
        sources: The sources of all papers.
    """

    pairs: dict[Named, StudiedPair] = field(default_factory=dict)
    references: dict[str, StudiedText] = field(default_factory=dict)
    written: dict[str | None, list[str]] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Records:
    """Other judges' records by system and paper; the system is None for a reference."""

    numbers: defaultdict[tuple[str | None, str], dict[str, RecordedNumbers]]
    segments: defaultdict[tuple[str | None, str], dict[str, FacetSegments]]


def read_texts(
    suite: Suite, systems: Sequence[str], desk: Desk, read: Callable[..., Mapping[str, float]]
) -> Texts:
    """Everything about the pairs of the systems that no judge has to be asked for.

    Args:
        suite: The suite.
        systems: The systems.
        desk: On which terms systems are asked.
        read: `text_numbers`, with what does not differ between texts.

    Raises:
        UsageError: if a file of the suite has changed since it was loaded, or a system cannot be
            asked.
        NoReplyError: if a system's endpoint gave no summary.
    """
    records = _records(suite)
    texts = Texts(written={None: [], **{system: [] for system in systems}})
    for paper_id in suite.paper_ids:
        paper = suite.paper(paper_id)
        source = _source(paper)
        texts.sources.append(source)
        texts.written[None].append(paper.references[0])
        texts.references[paper_id] = StudiedText(
            paper=paper_id,
            group=group_of(paper),
            system=None,
            numbers=read(paper.references[0], source=source),
            cuts=_cuts(records, None, paper_id, normalise(paper.references[0])),
        )
    with running(find_judge(OFFLINE), desk) as runner:
        for evaluation in runner.evaluations(tasks_of(suite, systems, ())):
            pair = evaluation.pair
            of = evaluation.system, evaluation.paper
            texts.pairs[of] = _pair(pair, suite, records, read)
            texts.written[evaluation.system].append(pair.summary)
    return texts


def _source(paper: Paper) -> str:
    return "\n\n".join(section.text for section in paper.source)


def _pair(
    pair: Pair, suite: Suite, records: _Records, read: Callable[..., Mapping[str, float]]
) -> StudiedPair:
    paper, summary = pair.paper, normalise(pair.summary)
    label = suite.labels.get((paper.id, pair.system))
    is_unusable = pair.flaw is not None or unusable("facet", summary) is not None
    return StudiedPair(
        paper=paper.id,
        group=group_of(paper),
        system=pair.system,
        text=StudiedText(
            paper=paper.id,
            group=group_of(paper),
            system=pair.system,
            numbers={}
            if is_unusable
            else read(summary, source=_source(paper), references=paper.references),
            cuts=_cuts(records, pair.system, paper.id, summary),
        ),
        label=None if label is None else _labelled(label, summary),
        recorded=records.numbers[pair.system, paper.id],
    )


def _labelled(label: Label, summary: str) -> Labelled:
    sentences = label.sentences or ()
    return Labelled(
        overall=label.overall,
        facets=_shares(label.facets or {}),
        n_faithful=sum(sentence.faithful for sentence in sentences),
        n_labelled=len(sentences),
        n_sentences=len(split_sentences(summary)),
    )


def _shares(ratings: Mapping[Facet, int | None] | Mapping[Facet, int]) -> dict[Facet, float]:
    return {facet: rating / SCALES[facet] for facet, rating in ratings.items() if rating}


def _records(suite: Suite) -> _Records:
    found = _Records(defaultdict(dict), defaultdict(dict))
    for line in suite.recorded():
        of = line.system, line.paper
        if line.facets is not None or line.overall is not None:
            found.numbers[of][line.by] = RecordedNumbers(
                overall=line.overall, facets=_shares(line.facets or {})
            )
        if line.segments is not None:
            found.segments[of][line.by] = line.segments
    return found


def _cuts(records: _Records, writer: str | None, paper: str, text: str) -> dict[str, Cut]:
    return {by: cut_of(each, text) for by, each in records.segments[writer, paper].items()}


def cut_of(segments: FacetSegments, text: str | None) -> Cut:
    """A text's segments as a study keeps them; without a text nothing is held to it."""
    return Cut(
        words=facet_words(segments),
        held=() if text is None else tuple(ground(segments, text).held.values()),
    )
