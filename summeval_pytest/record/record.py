"""The run record: its values, their JSON, and the parts that tests hand on.

Every report is made from it and can be made again, and every decision can be taken again with other
thresholds, without a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, partial
from sys import intern
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from summeval_pytest.endpoints.spending import ModelSeen  # noqa: TC001 - run records read it
from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.metrics.score import (
    SPARSE,
    FaithfulnessScore,
    MetricName,
    Named,
    Score,
    Unscored,
)
from summeval_pytest.questions import Facet  # noqa: TC001 - run records read it
from summeval_pytest.record.stored import Stored, StoredByName
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.run.pair_numbers import numbers_of
from summeval_pytest.verdict.corrected import CorrectedMean  # noqa: TC001 - run records read it
from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, SystemMean
from summeval_pytest.verdict.findings import Finding, explaining, findings_of
from summeval_pytest.verdict.thresholds import (
    Thresholds,  # noqa: TC001 - run records read it
    WaiverUse,  # noqa: TC001 - run records read it
)
from summeval_pytest.verdict.trust import Trust  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
    from dataclasses import Field

    from pydantic import RootModel, ValidationError

    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.pair_numbers import Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteRecord:
    """A cassette that the run could read from: its file, hash, and how much of it was used."""

    shown: str
    sha256: str
    n_used: int
    n_replies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """All that may differ between a run and its replay, and nothing that may not.

    ``created`` comes from SOURCE_DATE_EPOCH, None where that is not set: two replays are equal to
    the byte. ``commit`` was gated, as GitHub names it. ``usage`` holds the counts of `Totals`,
    empty where nobody was asked; ``models`` replied, or have the names that were stored.
    """

    created: str | None = None
    commit: str | None = None
    record: str = "new"
    environment: Mapping[str, str]
    usage: Mapping[str, float]
    cassettes: tuple[CassetteRecord, ...] = ()
    models: tuple[ModelSeen, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number of a system against the same number of its baseline, paired by paper.

    ``old``, ``new`` and ``change``, new minus old, are means over the papers that have both; a
    negative change is a drop, a rise where lower is better. ``low`` and ``high`` bound its 95 %
    bootstrap interval over papers, ``deviation`` is its standard deviation; None where undefined.

    ``p`` is the one-sided p value of a drop (paired permutation test), Holm-adjusted over the
    numbers that are tested together; None for a number that is not among them. ``detectable`` is
    the smallest true drop that this many papers, varying as these do, would show with 80 % power at
    the level of the test, Holm's strictest; None where none could be found, and where nothing
    varies. ``broken`` are the rules that it breaks, in words.
    """

    name: str
    n_papers: int
    old: float
    new: float
    change: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    deviation: float | None = None
    detectable: float | None = None
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One facet of one paper whose rating differs from the baseline's."""

    paper: str
    facet: Facet
    old: int
    new: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One system against a baseline: a saved run as it was named, and its system.

    Where ``mismatches`` say, by the key that differs, why the two cannot be compared, there are no
    differences. ``flips`` are rated lower than the baseline's, worst first. ``brevity`` says where
    a share of right pieces rose only because summaries became shorter; ``undecided`` which rules
    are kept or broken only because of what a judge left unanswered, a phrase each.
    """

    baseline: str
    system: str
    mismatches: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    flips: tuple[Flip, ...] = ()
    brevity: tuple[str, ...] = ()
    undecided: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def passes(self) -> bool:
        """Whether the two could be compared and no rule is broken, whatever was unanswered."""
        is_broken = any(d.broken for d in self.differences)
        return not self.mismatches and not is_broken and not self.undecided

    def check_decided(self) -> None:
        """Refuses to decide by what the judge left unanswered.

        Raises:
            JudgeError: saying which rules it would.
        """
        if self.undecided:
            told = "; ".join(self.undecided)
            raise JudgeError(f"against {self.baseline} ({self.system}), undecided: {told}")

    def difference(self, name: str) -> Difference | None:
        """The difference of one number; None where there is none."""
        return next((d for d in self.differences if d.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A fact or sentence, and the judge's reason for calling it lost or unsupported."""

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetChange:
    """One facet whose rating differs, with what the two summaries say of it.

    A rating of None stands for a facet that one of the two readings of the reference lacks.
    """

    facet: Facet
    old: int | None
    new: int | None
    reference: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChange:
    """What changed on one paper between a baseline's summary and a system's.

    ``numbers`` are the metrics that both have: name, old and new value. Facts of the reference are
    ``lost`` that the baseline's summary carried and this one does not, and ``regained``. New are
    ``unsupported`` sentences, and ``invented`` facts that do not follow from the reference;
    ``mended`` sentences were unsupported. ``loss`` is the sum of the drops of the metrics, each 0
    to 1, gains counted against them.
    """

    paper: str
    system: str
    baseline: str
    numbers: tuple[tuple[str, float, float], ...] = ()
    facets: tuple[FacetChange, ...] = ()
    lost: tuple[Claim, ...] = ()
    regained: tuple[Claim, ...] = ()
    unsupported: tuple[Claim, ...] = ()
    mended: tuple[Claim, ...] = ()
    invented: tuple[Claim, ...] = ()
    loss: float = 0.0

    @property
    def is_change(self) -> bool:
        """Whether anything at all differs."""
        claims = self.lost + self.regained + self.unsupported + self.mended + self.invented
        return bool(self.facets or claims or any(old != new for _, old, new in self.numbers))


Outcome = Literal["passed", "failed", "error"]
Covered = Literal["passed", "failed", "error", "not judged"]
RunOutcome = Literal["untrusted", "passed", "failed", "error", "not judged"]
_WORST_FIRST: Final[tuple[Covered, ...]] = ("error", "failed", "passed")
_UNDECIDED: Final = PairVerdict(shortfalls=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRecord:
    """One paper, with as much of its text as a reader of the verdicts needs.

    ``cited`` are the source sentences, of ``n_sentences``, that some score or finding points at,
    each with its index (from 0), in order.
    """

    id: str
    title: str
    place: Place
    references: tuple[str, ...]
    n_sentences: int
    cited: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What is small enough to be held of every pair of a run."""

    paper: str
    system: str
    outcome: Outcome
    signatures: tuple[str, ...]
    waivers: tuple[WaiverUse, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRecord:
    """One pair, judged and decided; never passed where the judge left it unscored.

    ``fault`` is the judge's, in words. ``place`` is the line of the summary, or of the system where
    a model was asked; ``note`` is what a reader has to know of how the summary was made.
    ``signatures`` are the recipes of the scores. ``findings`` are everything that is wrong, the
    worst first, whatever the thresholds are; ``change`` is against the run's baseline.
    """

    paper: str
    system: str
    outcome: Outcome
    fault: str = ""
    summary: str
    place: Place
    note: str = ""
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: PairVerdict = _UNDECIDED
    change: PairChange | None = None

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        return numbers_of(self.paper, self.system, self.summary, self.scores)

    @property
    def told(self) -> tuple[Finding, ...]:
        """The findings that explain why the pair fails, worst first; none where it does not."""
        return explaining(self.findings, self.verdict.missed)

    @property
    def outline(self) -> Outline:
        """What is small enough to be held of every pair."""
        return Outline(
            paper=intern(self.paper),
            system=intern(self.system),
            outcome=self.outcome,
            signatures=tuple(map(intern, self.signatures)),
            waivers=self.verdict.waivers,
        )


class StoredPairs(Stored[PairRecord]):
    """Pairs in their file, and their outlines."""

    def __init__(
        self, reads: Sequence[Callable[[], PairRecord]], outlines: Sequence[Outline]
    ) -> None:
        super().__init__(reads)
        self.outlines = outlines


if TYPE_CHECKING:
    Pairs = Sequence[PairRecord]
    Papers = Sequence[PaperRecord]
else:  # as they are read from the one JSON value of a record
    Pairs = tuple[PairRecord, ...]
    Papers = tuple[PaperRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRecord:
    """One gated system, over the ``papers`` it should be judged on, in the order of the suite.

    ``outcome`` is that of its item ``all-papers``, ``fault`` the judge's in words, where that is an
    error. ``corrected`` are means with the judge's error taken out, where golden labels tell it.
    ``baseline`` is the saved run that it was to be compared with, empty where nobody asked for one;
    ``comparison`` is None where there was none, or the item was not run.
    """

    name: str
    place: Place
    papers: tuple[str, ...]
    means: tuple[SystemMean, ...] = ()
    outcome: Covered = "not judged"
    fault: str = ""
    waivers: tuple[WaiverUse, ...] = ()
    corrected: tuple[CorrectedMean, ...] = ()
    baseline: str = ""
    comparison: Comparison | None = None

    @property
    def verdict(self) -> MeanVerdict:
        """Its means, corrected ones and their waivers, decided."""
        return MeanVerdict(means=self.means, waivers=self.waivers, corrected=self.corrected)

    @property
    def is_compared(self) -> bool:
        """Whether it was compared, where that was asked for."""
        return not self.baseline or self.comparison is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRecord:
    """One suite of a run; systems, papers and pairs in its own order.

    ``shown`` is the suite file as the user named it, ``fingerprint`` 12 hex digits over all of the
    papers that can move a score. A waiver whose pair was not judged says so. ``has_labels`` says
    that golden labels could measure the judge (None in records of before that was kept), ``trust``
    what they say of it (None where it was not measured), ``golden`` the judge's answers to them.
    ``is_cut`` says that the run was ended before it could close its record. ``own_numbers`` are
    those of metrics of one's own, which need not be installed where the record is read.
    """

    name: str
    shown: str
    fingerprint: str
    thresholds: Thresholds
    systems: tuple[SystemRecord, ...]
    papers: Papers
    pairs: Pairs
    waivers: tuple[WaiverUse, ...] = ()
    has_labels: bool | None = None
    trust: Trust | None = None
    golden: tuple[GoldenPair, ...] = ()
    is_cut: bool = field(default=False, metadata=SPARSE)
    own_numbers: tuple[Named, ...] = field(default=(), metadata=SPARSE)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses its floor of agreement, so that no verdict counts."""
        return self.trust is not None and self.trust.is_untrusted

    @property
    def outlines(self) -> Sequence[Outline]:
        """Of each pair what is known without its texts."""
        if isinstance(self.pairs, StoredPairs):
            return self.pairs.outlines
        return tuple(pair.outline for pair in self.pairs)

    def pairs_of(self, system: str) -> Sequence[PairRecord]:
        """The judged pairs of one system."""
        return Stored(list(self._reads(system).values()))

    def pairs_in(self, wanted: Collection[tuple[str, str]]) -> Iterator[PairRecord]:
        """The judged ones of these pairs, named by system and paper; no other is read."""
        for place, outline in enumerate(self.outlines):
            if (outline.system, outline.paper) in wanted:
                yield self.pairs[place]

    def by_paper(self, system: str) -> Mapping[str, PairRecord]:
        """The judged pairs of one system, by paper."""
        return StoredByName(self._reads(system))

    def with_pairs(self, change: Callable[[PairRecord], PairRecord]) -> SuiteRecord:
        """The suite with every pair changed; what is stored is changed when it is asked for."""
        if not isinstance(self.pairs, StoredPairs):
            return replace(self, pairs=tuple(map(change, self.pairs)))
        changed = self.pairs.mapped(change)
        outlines = [pair.outline for pair in changed]
        return replace(self, pairs=StoredPairs(changed.reads, outlines))

    def _reads(self, system: str) -> dict[str, Callable[[], PairRecord]]:
        return {
            outline.paper: partial(self.pairs.__getitem__, place)
            for place, outline in enumerate(self.outlines)
            if outline.system == system
        }

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """By system, the comparisons that were made."""
        return {each.name: each.comparison for each in self.systems if each.comparison is not None}

    @property
    def n_expected(self) -> int:
        """How many pairs the suite has for its gated systems."""
        return sum(len(system.papers) for system in self.systems)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the run leaves open, a clause each; none where it judged and compared everything."""
        n_judged = len(self.pairs)
        judged = f"{n_judged:,} of {self.n_expected:,} pairs"
        if self.is_cut:
            return (f"not complete: {judged}, the run was cut", *self.uncompared)
        missing = f"only {judged} are in this run"
        return (missing, *self.uncompared) if n_judged < self.n_expected else self.uncompared

    @property
    def uncompared(self) -> tuple[str, ...]:
        """The comparisons that were asked for and not made, a clause each."""
        return tuple(
            f"{system.name} was not compared with {system.baseline}"
            for system in self.systems
            if not system.is_compared
        )

    @property
    def is_complete(self) -> bool:
        """Whether all of them were judged and scored."""
        outlines = self.outlines
        return (
            not self.is_cut
            and len(outlines) == self.n_expected
            and not any(outline.outcome == "error" for outline in outlines)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run: the version of this layout, what a replay may change, the judge's signature, suites.

    The suites are in the order of their files' names. ``shard`` is which of how many shards it is.
    """

    schema: Literal[1] = 1
    header: Header
    judge: str
    shard: tuple[int, int] | None = field(default=None, metadata=SPARSE)
    suites: tuple[SuiteRecord, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every pair of every suite was judged and scored."""
        return all(suite.is_complete for suite in self.suites)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses a floor of agreement of any suite."""
        return any(suite.is_untrusted for suite in self.suites)

    @property
    def outcomes(self) -> frozenset[Covered]:
        """The outcomes of its items: pairs, systems, and a judge that was not measured."""
        pairs = (outline.outcome for suite in self.suites for outline in suite.outlines)
        systems = (system.outcome for suite in self.suites for system in suite.systems)
        at_fault = any(s.trust is not None and s.trust.outcome == "error" for s in self.suites)
        judge: tuple[Covered, ...] = ("error",) if at_fault else ()
        return frozenset((*pairs, *systems, *judge))

    @property
    def outcome(self) -> RunOutcome:
        """Untrusted where the judge misses a floor, else the worst outcome of its items.

        "not judged" where nothing was.
        """
        if self.is_untrusted:
            return "untrusted"
        found = self.outcomes
        return next((outcome for outcome in _WORST_FIRST if outcome in found), "not judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class Totalled:
    """One system over all its papers, as its item hands it on."""

    suite: str
    system: SystemRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One pair with its paper, None where the pair broke down before that was read."""

    suite: str
    pair: PairRecord
    paper: PaperRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the golden labels of a suite say of the judge: what its item ``judge`` hands on."""

    suite: str
    trust: Trust
    golden: tuple[GoldenPair, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """What one test gives to the run record."""

    value: Judged | Totalled | Measured


def judged(
    suite: str,
    evaluation: Evaluation,
    verdict: PairVerdict | None,
    *,
    fault: str = "",
    change: PairChange | None = None,
) -> Judged:
    """A pair that was measured; without a verdict the judge left a metric without a score."""
    findings = findings_of(evaluation.scores, evaluation.source)
    verdict = verdict or _UNDECIDED
    pair = PairRecord(
        paper=evaluation.paper,
        system=evaluation.system,
        outcome="error" if verdict is _UNDECIDED else "passed" if verdict.passes else "failed",
        fault=fault,
        summary=evaluation.pair.summary,
        place=evaluation.pair.place,
        note=evaluation.pair.note,
        scores=evaluation.scores,
        signatures=tuple(map(str, evaluation.signatures)),
        findings=findings,
        verdict=verdict,
        change=change,
    )
    cited = dict(place for finding in findings for place in finding.evidence)
    for score in evaluation.scores:
        if isinstance(score, FaithfulnessScore):
            cited |= {n: evaluation.source[n] for s in score.sentences for n in s.evidence}
    paper = evaluation.pair.paper
    with_places = PaperRecord(
        id=paper.id,
        title=paper.title,
        place=paper.place,
        references=paper.references,
        n_sentences=len(evaluation.source),
        cited=tuple(sorted(cited.items())),
    )
    return Judged(suite=suite, pair=pair, paper=with_places)


def broken_down(  # noqa: PLR0913 - by keyword, each a fact of its own
    *,
    suite: str,
    paper: str,
    system: str,
    metrics: Iterable[MetricName],
    place: Place,
    fault: str,
) -> Judged:
    """A pair that the judge left unscored as a whole: nothing of it is known but why."""
    scores = tuple(Unscored(metric=metric, status="unanswered", reason=fault) for metric in metrics)
    return Judged(
        suite=suite,
        pair=PairRecord(
            paper=paper,
            system=system,
            outcome="error",
            fault=fault,
            summary="",
            place=place,
            scores=scores,
        ),
    )


T = TypeVar("T")
_HALF: Final = re.compile("[\ud800-\udfff]")
_INSTEAD: Final = "\ufffd"


def recorded(value: Any) -> dict[str, object]:
    """By name, the fields of a dataclass that a record holds."""
    # thousands of golden answers have a label, an answer, no more
    is_short = isinstance(value, GoldenAnswer)
    found = ((field, getattr(value, field.name)) for field in fields(value))
    return {f.name: said for f, said in found if _is_recorded(f, said, is_short=is_short)}


def _plain(value: object) -> object:
    """What `json` does not know, as what it does."""
    if is_dataclass(value) and not isinstance(value, type):
        return recorded(value)
    if isinstance(value, Stored):
        return [*value]
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} has no place in a run record")


def _is_recorded(field: Field[Any], said: object, *, is_short: bool) -> bool:
    """Whether a record has a field with this value; its metadata may say that it needs not."""
    wanted = "where set" if is_short else field.metadata.get("recorded", "always")
    return wanted == "always" or (wanted == "where set" and bool(said != field.default))


def as_json(value: object) -> str:
    """A record, or a part of one, as JSON text.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    text = json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HALF.sub(_INSTEAD, text)


@cache
def _reader(kind: Any) -> type[RootModel[Any]]:
    """Who reads values of one type, strictly; no number is infinite or none."""
    from pydantic import ConfigDict, RootModel

    class Reader(RootModel[kind]):
        model_config = ConfigDict(strict=True, allow_inf_nan=False)

    return Reader


def from_json(kind: type[T], text: str) -> T:
    """What `as_json` has written, every value of the type that its field says.

    Raises:
        ValueError: for anything else, with the place of the first fault in it.
    """
    from pydantic import ValidationError

    try:
        value: T = _reader(cast("Hashable", kind)).model_validate_json(text, extra="forbid").root
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None
    return value


def _first_fault(error: ValidationError) -> str:
    """The first fault that is not only that of another kind of score."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    others = [f["loc"][:-1] for f in faults if f["loc"][-1:] == ("metric",)]
    told = (f for f in faults if not any(f["loc"][: len(o)] == o for o in others))
    first = next(told, faults[0])
    place = ".".join(map(str, first["loc"])) or "the whole"
    is_unknown = first["type"] == "unexpected_keyword_argument"
    return f"{place}: {'unknown key' if is_unknown else first['msg']}"
