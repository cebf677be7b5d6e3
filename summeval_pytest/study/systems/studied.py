"""The values of a study: texts, what judges, people and records say of them, and means over papers.

A mean says of how many of how many papers it is: what has no value is never counted as 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.endpoints.limits import ModelSeen, models_seen
from summeval_pytest.judges.judge import Counting, Judge, find_judge
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS, OPTIONAL, lacks
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facts import Stated
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.questions import (
    FACETS,
    OFFLINE,
    Answer,
    Facet,
    FacetSegments,
    Question,
    SegmentFacets,
)
from summeval_pytest.run.golden import GoldenPair, golden_pair, group_of
from summeval_pytest.run.measure import Evaluation, metric_signature
from summeval_pytest.run.runner import tasks_of
from summeval_pytest.run.session import Session
from summeval_pytest.study.agreement.coefficients import resampled_ratios
from summeval_pytest.study.eva.printed_eva import RelatedText
from summeval_pytest.study.recorded_judge import records_of
from summeval_pytest.study.systems.texts import LENGTH
from summeval_pytest.study.tables import Mean, Row
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair, Paper
from summeval_pytest.text.excerpts import is_verbatim, pieces_of
from summeval_pytest.text.output import is_refusal
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import has_tokens

Extent = Literal["whole", "parts", "absent"]
"""How a text contains a segment: word for word, some of its sentences, or none of them."""
EXTENTS: Final[tuple[Extent, ...]] = get_args(Extent)


class Cut(NamedTuple):
    """How somebody cut a text into facets: the words of each, and how the text contains them.

    ``extents`` is empty where segments were reviewed, which need not be verbatim.
    """

    words: Mapping[Facet, int]
    extents: tuple[Extent, ...] = ()


STAGES: Final = ("sentences", "listed", "facts", "chains", "relations", "kept")
"""What is counted of a text before and after each stage of EVA-Score.

Of the facts ``listed`` (or reviewed), ``facts`` differ. They make so many ``chains``; a fact that
no other refines is one of its own. Of the ``relations`` across sentences, those ``kept`` are near
no fact: with ``facts`` they make N_c or N_r, with ``chains`` the paper's count of chains
(EVA-Score, Table 4)."""


def stage_counts(stated: Stated) -> Mapping[str, int]:
    """The counts of one text, by the names of `STAGES`."""
    found = (stated.n_relations, stated.n_kept) if isinstance(stated, RelatedText) else (0, 0)
    n_chains = sum(fact.parent is None for fact in stated.facts) - found[1]
    n_facts = len(stated.facts) - found[1]
    counts = (len(stated.sentences), stated.n_listed, n_facts, n_chains, *found)
    return dict(zip(STAGES, counts, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a judge, people or another judge's record say of one pair.

    ``values`` are scores by the names of thresholds, ratings as ``facet.NAME``, and ``overall``;
    what is unknown is absent. ``n_sentences`` are asked about, or in a labelled summary;
    ``n_answered`` of them have a verdict. ``facts`` count those of the reference, and of the
    summary.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    n_supported: int = 0
    n_answered: int = 0
    n_sentences: int = 0
    facts: tuple[Mapping[str, int], ...] = ()

    @property
    def is_faithful(self) -> bool | None:
        """Whether every sentence is supported; None where that is not known."""
        if self.n_supported < self.n_answered:
            return False
        return None if not self.n_sentences or self.n_answered < self.n_sentences else True


NOTHING: Final = Given()
Giver = Literal["judge", "text", "record", "label"]
"""Who gives a number: a judge, the texts alone, another judge's record, people."""
By = tuple[Giver, str]
"""A giver, and the judge or the record by name; people have none."""
LABELS: Final[By] = ("label", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedText:
    """A system's summary with what is said of it, or the reference, whose ``system`` is None.

    Papers with the same reference are one ``group``, which is what is resampled. ``numbers`` are
    those of `text_numbers`, ``cuts`` are by whoever cut the text into facets.
    """

    paper: str
    group: str
    system: str | None
    numbers: Mapping[str, float]
    text: str = ""
    cuts: dict[str, Cut] = field(default_factory=dict)
    given: dict[By, Given] = field(default_factory=dict)

    def by(self, giver: By) -> Given:
        """What somebody says of it; nothing where they say nothing."""
        return self.given.get(giver, NOTHING)


BASELINES: Final = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
OVERALL: Final = "overall"
FAITHFULNESS: Final = "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number that pairs have; ``by`` names the judge or the record."""

    giver: Giver
    by: str = ""
    name: str

    @property
    def is_ranked(self) -> bool:
        """Whether more of it is better; of words it is not."""
        return self.giver != "text" or self.name in BASELINES

    def of(self, pair: StudiedText) -> float | None:
        """The number of one pair; None where it has none."""
        values = pair.numbers if self.giver == "text" else pair.by((self.giver, self.by)).values
        return values.get(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """What a study is made of: pairs by system, each system's papers in any order.

    ``sources`` are those of the papers, for word popularity; ``families`` are of judges and systems
    by name, ``golden`` the labelled pairs with the answers of each judge.
    """

    by_system: Mapping[str, Sequence[StudiedText]]
    judges: Sequence[str]
    n_papers: int
    references: Sequence[StudiedText] = ()
    sources: Sequence[str] = ()
    families: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})
    golden: Mapping[str, Sequence[GoldenPair]] = field(default_factory=dict)

    @property
    def pairs(self) -> list[StudiedText]:
        """All pairs, system by system."""
        return [pair for pairs in self.by_system.values() for pair in pairs]

    @property
    def by_writer(self) -> dict[str | None, Sequence[StudiedText]]:
        """The references under None, and the texts of each system."""
        references: dict[str | None, Sequence[StudiedText]] = {None: self.references}
        return references | dict(self.by_system)

    @property
    def givers(self) -> list[By]:
        """The judges, the labels, and the records of any pair by name."""
        every = {by for pair in self.pairs for by in pair.given if by[0] == "record"}
        return [*(("judge", judge) for judge in self.judges), LABELS, *sorted(every)]

    def mean(self, column: Column, pairs: Sequence[StudiedText]) -> Mean:
        """The mean of one number over the papers of some pairs."""
        return mean_of([(pair.group, column.of(pair)) for pair in pairs], self.n_papers)

    def columns(self, *, leading: bool = False) -> Iterator[Column]:
        """The columns in which some pair has a number: judges, baselines, labels, records by name.

        Those of a judge's own metrics are there even where it has scored nothing, which has to be
        seen; its mean support only where every pair with a faithfulness has it. The ``leading``
        ones are the metrics by each judge, and the overall score of the labels.
        """
        pairs, every = self.pairs, list[Column]()
        for judge in self.judges:
            names = (name for name, named in CATALOGUE.items() if not named.lower_is_better)
            every += [Column(giver="judge", by=judge, name=name) for name in names]
        every += [Column(giver="text", name=name) for name in (*BASELINES, LENGTH)]
        every += [Column(giver="label", name=name) for name in (OVERALL, FAITHFULNESS)]
        records = (by for giver, by in self.givers if giver == "record")
        every += [Column(giver="record", by=by, name=OVERALL) for by in records]
        for column in every:
            is_metric = column.giver == "judge" and column.name in METRICS
            if leading and not (is_metric or (column.giver == "label" and column.name == OVERALL)):
                continue
            given = (pair.given.get((column.giver, column.by)) for pair in pairs)
            is_partial = column.name in OPTIONAL and any(
                lacks(each.values, column.name) for each in given if each is not None
            )
            if is_metric or (any(column.of(p) is not None for p in pairs) and not is_partial):
                yield column


_DIGITS: Final = 9
"""Further digits are rounding, which differs between machines."""


def rounded(value: float) -> float:
    """The number to 9 digits behind the point, without a negative zero."""
    return round(value, _DIGITS) + 0.0


def mean_of(parts: Sequence[tuple[str, float | None]], n_of: int) -> Mean:
    """The mean of one value a paper, with the 95 % bootstrap interval over groups of papers.

    A part is a group and its value, None where there is none. Their order does not matter.
    """
    return rate_of([(group, v, 1.0) for group, v in parts if v is not None], n_of)


def rate_of(parts: Sequence[tuple[str, float, float]], n_of: int) -> Mean:
    """The rate of sums: (group, how many it is true of, how many it could be) a paper.

    ``n`` counts the papers with something to count.
    """
    known = [part for part in parts if part[2]]
    if not known:
        return Mean(value=None, n=0, n_of=n_of)
    value = rounded(math.fsum(top for _, top, _ in known) / math.fsum(all_ for *_, all_ in known))
    low = high = None
    if len(means := draws(known)):
        low, high = (rounded(float(bound)) for bound in np.quantile(means, [0.025, 0.975]))
    return Mean(value=value, low=low, high=high, n=len(known), n_of=n_of)


def draws(parts: Sequence[tuple[str, float, float]]) -> NDArray[np.float64]:
    """The rate in each of 1,000 resamples of papers; none with fewer than two groups.

    From one group nothing is learnt about others, so there is no interval to give.
    """
    groups = [group for group, _, _ in parts]
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return np.empty(0)
    tops, bottoms = [part[1] for part in parts], [part[2] for part in parts]
    means = resampled_ratios(groups, tops, bottoms)
    return means[~np.isnan(means)]


class Watch:
    """A judge, wrapped; ``segments`` are how it cut each normalised text into facets."""

    def __init__(self, judge: Judge) -> None:
        self.segments: dict[str, FacetSegments] = {}
        self.judge = judge
        self.signature = judge.signature
        self.in_flight = judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers."""
        answers = tuple(await self.judge.answer(questions))
        for question, answer in zip(questions, answers, strict=False):  # the asker counts them
            if isinstance(question, SegmentFacets) and isinstance(answer, FacetSegments):
                self.segments[question.text] = answer
        return answers


class StudiedJudge(NamedTuple):
    """A judge's row, the ``models`` that replied, and its ``counts`` as far as it has any.

    ``calls`` were asked and remembered; empty where no endpoint was in it.
    """

    judge: Row
    models: tuple[ModelSeen, ...]
    calls: Mapping[str, float]
    counts: Mapping[str, float]


class Material:
    """What is known of the pairs of some systems: first of the texts, then judge by judge.

    ``read`` is `text_numbers`.

    Raises:
        UsageError: if a system cannot be asked.
        NoReplyError: if a system's endpoint gave no summary.
    """

    def __init__(
        self,
        suite: Suite,
        systems: Sequence[str],
        session: Session,
        read: Callable[..., Mapping[str, float]],
    ) -> None:
        self._suite, self._systems, self._session = suite, systems, session
        self._texts: dict[tuple[str | None, str], StudiedText] = {}
        self._sources: dict[str, str] = {}
        self._golden: dict[str, list[GoldenPair]] = {}
        for paper in map(suite.paper, suite.paper_ids):
            source, reference = "\n\n".join(s.text for s in paper.source), paper.references[0]
            self._sources[paper.id] = source
            self._add(None, paper, reference, read(reference, source=source))
        offline = find_judge(OFFLINE)
        for evaluation in session.evaluate(offline, tasks_of(suite, systems, ())):
            pair, paper = evaluation.pair, evaluation.pair.paper
            summary, numbers = normalise(pair.summary), dict[str, float]()
            if has_tokens(summary) and not is_refusal(summary) and pair.flaw is None:
                source = self._sources[paper.id]
                numbers |= read(summary, source=source, references=paper.references)
            text = self._add(pair.system, paper, pair.summary, numbers)
            if (label := suite.labels.get((paper.id, pair.system))) is not None:
                text.given[LABELS] = _labelled(label, summary)
        for line in records_of(suite):
            text_of = self._texts.get((line.system, line.paper))
            if text_of is not None and (line.facets is not None or line.overall is not None):
                values = _values(line.facets or {}, line.overall)
                text_of.given["record", line.by] = Given(values=values)
            if text_of is not None and line.segments is not None:
                text_of.cuts[line.by] = _cut(line.segments, normalise(text_of.text))

    def _add(
        self, writer: str | None, paper: Paper, text: str, numbers: Mapping[str, float]
    ) -> StudiedText:
        group = group_of(paper)
        added = StudiedText(paper=paper.id, group=group, system=writer, numbers=numbers, text=text)
        self._texts[writer, paper.id] = added
        return added

    def add_judge(self, name: str, family: str) -> StudiedJudge:
        """Has one judge, of some family, judge every pair; a UsageError if it cannot be asked."""
        suite = self._suite
        session = Session(self._session.environ, self._session.terms)
        session.replies.add_cassette(suite)
        judge = session.judge(name, [suite])
        watch = Watch(judge)
        for evaluation in session.evaluate(watch, tasks_of(suite, self._systems, METRICS)):
            text = self._texts[evaluation.system, evaluation.paper]
            text.given["judge", name] = _judged(evaluation)
            if (label := suite.labels.get((evaluation.paper, evaluation.system))) is not None:
                pair = golden_pair(replace(label, facts=None), evaluation)
                self._golden.setdefault(name, []).append(pair)
            self._note_cuts(f"judge {name}", evaluation.pair, watch.segments)
        ledger = session.replies.exchange.ledger if session.replies.is_asking else None
        return StudiedJudge(
            judge={
                "name": name,
                "signature": judge.signature,
                "family": family,
                "recipes": {
                    name: str(
                        metric_signature(
                            name, judge=judge, suite=suite.fingerprint, variants=suite.variants
                        )
                    )
                    for name in METRICS
                },
            },
            models=models_seen(ledger.models) if ledger else (),
            calls=asdict(ledger.totals) if ledger else {},
            counts=judge.counts() if isinstance(judge, Counting) else {},
        )

    def _note_cuts(self, by: str, pair: Pair, segments: Mapping[str, FacetSegments]) -> None:
        paper, cuts = pair.paper, self._texts[None, pair.paper.id].cuts
        reference, summary = normalise(paper.references[0]), normalise(pair.summary)
        if paper.reference_facets is not None:
            cuts[by] = _cut(paper.reference_facets, None)
        elif reference in segments:
            cuts[by] = _cut(segments[reference], reference)
        if summary in segments:
            self._texts[pair.system, paper.id].cuts[by] = _cut(segments[summary], summary)

    def studied(
        self, judges: Sequence[str], families: tuple[Mapping[str, str], Mapping[str, str]]
    ) -> Studied:
        """All of it, in an order that no file gives."""
        texts = sorted(self._texts.values(), key=lambda text: text.paper)
        return Studied(
            by_system={name: [t for t in texts if t.system == name] for name in self._systems},
            judges=judges,
            n_papers=len(self._sources),
            references=[text for text in texts if text.system is None],
            sources=tuple(self._sources.values()),
            families=families,
            golden=self._golden,
        )


def _cut(segments: FacetSegments, text: str | None) -> Cut:
    """A text's segments as a study keeps them; without a text nothing is looked up in it.

    A word in the segments of two facets counts in both.
    """
    given = [segments.segment(facet) for facet in FACETS] if text is not None else []
    ways = tuple(_extent(segment, text or "") for segment in given if pieces_of(segment))
    words = {facet: len(normalise(segments.segment(facet)).split()) for facet in FACETS}
    return Cut(words=words, extents=ways)


def _extent(segment: str, text: str) -> Extent:
    if is_verbatim(segment, text):
        return "whole"
    return "parts" if any(is_verbatim(piece, text) for piece in pieces_of(segment)) else "absent"


def _values(ratings: Mapping[Facet, int | None], overall: float | None) -> dict[str, float]:
    rated = {f"facet.{facet}": float(rating) for facet, rating in ratings.items() if rating}
    return rated if overall is None else {**rated, OVERALL: overall}


def _labelled(label: Label, summary: str) -> Given:
    sentences = label.sentences or ()
    n_faithful = sum(sentence.faithful for sentence in sentences)
    values = _values(label.facets or {}, label.overall)
    if sentences:
        values[FAITHFULNESS] = n_faithful / len(sentences)
    return Given(
        values=values,
        n_supported=n_faithful,
        n_answered=len(sentences),
        n_sentences=len(split_sentences(summary)),
    )


def _judged(evaluation: Evaluation) -> Given:
    eva, faithfulness = evaluation.score("eva"), evaluation.score("faithfulness")
    sentences = faithfulness.sentences if isinstance(faithfulness, FaithfulnessScore) else ()
    values = evaluation.numbers().values
    return Given(
        values={name: value for name, value in values.items() if value is not None},
        n_supported=sum(sentence.supported is True for sentence in sentences),
        n_answered=sum(sentence.supported is not None for sentence in sentences),
        n_sentences=len(sentences),
        facts=tuple(map(stage_counts, eva.stated)) if isinstance(eva, EvaScore) else (),
    )
