"""The run record: values, JSON, and how a run is put together.

Every report is made from it and can be made again, and every decision can be taken again with other
thresholds, without a call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from summeval_pytest.endpoints.spending import ModelSeen  # noqa: TC001 - run records read it
from summeval_pytest.errors import JudgeError, OptionError, Place
from summeval_pytest.metrics.score import CATALOGUE, SPARSE, FaithfulnessScore, Score, Unscored
from summeval_pytest.questions import Facet  # noqa: TC001 - run records read it
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.run.numbers import numbers_of
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.corrected import CorrectedMean  # noqa: TC001 - run records read it
from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, SystemMean
from summeval_pytest.verdict.findings import Finding, explaining, findings_of
from summeval_pytest.verdict.relations import (
    RelationVerdict,  # noqa: TC001 - run records read it
    State,  # noqa: TC001 - run records read it
)
from summeval_pytest.verdict.thresholds import Thresholds, WaiverUse, named_agreement
from summeval_pytest.verdict.trust import Trust  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from dataclasses import Field
    from pathlib import Path

    from pydantic import RootModel, ValidationError

    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.numbers import Numbers


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

    Attributes:
        created: When, from SOURCE_DATE_EPOCH; None where that is not set, so that two replays are
            equal to the byte.
        commit: The commit that was gated, as GitHub names it; None elsewhere.
        record: The record mode.
        environment: Versions, by name.
        usage: The counts of `summeval_pytest.evaluation.Totals`: replies, tokens, dollars; empty
            where nobody was asked.
        cassettes: The cassettes that the run could read from.
        models: The models that replied, as their endpoints name them; a replay has what was stored.
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

    Attributes:
        name: The number.
        n_papers: The papers on which both have it.
        old: The baseline's mean over them.
        new: The system's.
        change: The mean of new minus old; negative is a drop, a rise where lower is better.
        low: The lower bound of its 95 % bootstrap interval over papers; None where undefined.
        high: The upper bound.
        p: The one-sided p value of a drop (paired permutation test), Holm-adjusted over the
            numbers that are tested together; None for a number that is not among them.
        deviation: The standard deviation of new minus old over papers; None on a single one.
        detectable: The smallest true drop that this many papers, varying as these do, would show
            with 80 % power at the level of the test, Holm's strictest; None where none could be
            found, and where nothing varies.
        broken: The rules that it breaks, in words; empty where it passes.
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
    """One system against a baseline.

    Attributes:
        baseline: The saved run, as it was named.
        system: The baseline's system.
        mismatches: Why the two cannot be compared, each naming the key that differs; then there
            are no differences.
        differences: One a number that both have, in the order of the catalogue.
        flips: The facets that are rated lower than the baseline's, worst first.
        brevity: That a share of right pieces rose only because summaries became shorter, in words;
            empty where none did.
        undecided: Why it decides nothing, a phrase each: which rules are kept or broken only
            because of what a judge left unanswered; empty where none is.
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

    Attributes:
        paper: The paper.
        system: The system.
        baseline: The saved run and its system, as a reader would name them.
        numbers: The metrics that both have: name, old and new value.
        facets: The facets whose rating differs, drops first.
        lost: Facts of the reference that the baseline's summary carried and this one does not.
        regained: The reverse.
        unsupported: Sentences that the source does not support and that are new.
        mended: Unsupported sentences of the baseline that are gone.
        invented: Facts of the summary that do not follow from the reference and that are new.
        loss: How much worse it became: the sum of the drops of its metrics, each 0 to 1, gains
            counted against them.
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
        return bool(
            self.facets
            or self.lost
            or self.regained
            or self.unsupported
            or self.mended
            or self.invented
            or any(old != new for _, old, new in self.numbers)
        )


Outcome = Literal["passed", "failed", "error"]
Covered = Literal["passed", "failed", "error", "not judged"]
RunOutcome = Literal["untrusted", "passed", "failed", "error", "not judged"]
_WORST_FIRST: Final[tuple[Covered, ...]] = ("error", "failed", "passed")
_TRIED: Final[Mapping[State, Covered]] = {
    "passes": "passed",
    "fails": "failed",
    "unanswered": "error",
    "nothing to check": "not judged",
}
_UNDECIDED: Final = PairVerdict(shortfalls=())


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRecord:
    """One paper, with as much of its text as a reader of the verdicts needs.

    Attributes:
        id: The paper's id.
        title: Empty where the suite gives none.
        place: Its line in the suite.
        references: Its reference abstracts.
        n_sentences: How many sentences its source has.
        cited: The source sentences that some score or finding points at, each with its index (from
            0), in order.
    """

    id: str
    title: str
    place: Place
    references: tuple[str, ...]
    n_sentences: int
    cited: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRecord:
    """One pair, judged and decided.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        outcome: Error where the judge left the pair unscored; it is never passed then.
        fault: The judge's fault in words; empty where there is none.
        summary: What the system wrote.
        place: The line of the summary, or of the system where a model was asked.
        note: What a reader has to know of how the summary was made; mostly empty.
        scores: What each metric came to, with its evidence.
        signatures: The recipe of each of them.
        findings: Everything that is wrong, the worst first, whatever the thresholds are.
        verdict: What falls short.
        change: Against the baseline, where the run had one.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRecord:
    """One gated system.

    Attributes:
        name: The system's name.
        place: The line of its table.
        papers: The papers it should be judged on, in the order of the suite.
        means: Its means over them, each with its threshold.
        outcome: What became of its item ``all-papers``.
        fault: The judge's fault in words, where that is an error.
        waivers: What became of the waivers of its means.
        corrected: Its means with the judge's error taken out, where golden labels tell it.
        baseline: The saved run that it was to be compared with; empty where nobody asked for one.
        comparison: Against it; None where there was none, or the system's item was not run.
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
    """One suite of a run.

    Attributes:
        name: The suite's name.
        shown: The suite file as the user named it.
        fingerprint: 12 hex digits over all of the papers that can move a score.
        thresholds: What was asked of pairs and of means.
        systems: The gated systems, in the order of the suite.
        papers: The papers of the judged pairs, in the order of the suite.
        pairs: The judged pairs, by system and paper in that order.
        waivers: Every waiver of the suite; one whose pair was not judged says so.
        has_labels: Whether the suite has golden labels, which the judge could be measured with;
            None in records of before that was kept.
        trust: What they say of the judge; None where it was not measured.
        golden: The labelled pairs with the judge's own answers, in the order of the labels.
        is_calibrated: Whether ratings were mapped to the labels' scale.
        relations: The metamorphic relations and attacks that the judge was tried with.
    """

    name: str
    shown: str
    fingerprint: str
    thresholds: Thresholds
    systems: tuple[SystemRecord, ...]
    papers: tuple[PaperRecord, ...]
    pairs: tuple[PairRecord, ...]
    waivers: tuple[WaiverUse, ...] = ()
    has_labels: bool | None = None
    trust: Trust | None = None
    golden: tuple[GoldenPair, ...] = ()
    is_calibrated: bool = False
    relations: tuple[RelationVerdict, ...] = ()

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge misses its floor of agreement, so that no verdict counts."""
        return self.trust is not None and self.trust.is_untrusted

    def pairs_of(self, system: str) -> tuple[PairRecord, ...]:
        """The judged pairs of one system."""
        return tuple(pair for pair in self.pairs if pair.system == system)

    def paper(self, paper_id: str) -> PaperRecord:
        """One judged paper.

        Raises:
            KeyError: where no pair of it was judged.
        """
        for paper in self.papers:
            if paper.id == paper_id:
                return paper
        raise KeyError(paper_id)

    @property
    def comparisons(self) -> Mapping[str, Comparison]:
        """By system, the comparisons that were made."""
        made = {system.name: system.comparison for system in self.systems}
        return {name: comparison for name, comparison in made.items() if comparison is not None}

    @property
    def n_expected(self) -> int:
        """How many pairs the suite has for its gated systems."""
        return sum(len(system.papers) for system in self.systems)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What the run leaves open, a clause each; none where it judged and compared everything."""
        n_judged = len(self.pairs)
        missing = f"only {n_judged:,} of {self.n_expected:,} pairs are in this run"
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
        return len(self.pairs) == self.n_expected and not any(
            pair.outcome == "error" for pair in self.pairs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run.

    Attributes:
        schema: The version of this layout.
        header: What may differ between a run and its replay.
        judge: The judge's signature.
        suites: The suites, in the order of their files' names.
    """

    schema: Literal[1] = 1
    header: Header
    judge: str
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
        pairs = (pair.outcome for suite in self.suites for pair in suite.pairs)
        systems = (system.outcome for suite in self.suites for system in suite.systems)
        at_fault = any(s.trust is not None and s.trust.outcome == "error" for s in self.suites)
        judge: tuple[Covered, ...] = ("error",) if at_fault else ()
        tried = (_TRIED[verdict.state] for suite in self.suites for verdict in suite.relations)
        return frozenset((*pairs, *systems, *judge, *tried))

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
    """One system over all its papers, as the process hands it on that ran its item."""

    suite: str
    system: SystemRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One pair with its paper: what a process that ran its test hands on.

    Attributes:
        suite: The suite file as the user named it.
        pair: The pair.
        paper: Its paper; None where the pair broke down before it was read.
    """

    suite: str
    pair: PairRecord
    paper: PaperRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the golden labels of a suite say of the judge: what its item ``judge`` hands on."""

    suite: str
    trust: Trust
    golden: tuple[GoldenPair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One relation that the judge was tried with: what its item hands on."""

    suite: str
    verdict: RelationVerdict


@dataclass(frozen=True, slots=True)
class Part:
    """What one test gives to the run record."""

    value: Judged | Totalled | Measured | Tried


def judged(
    suite: str,
    evaluation: Evaluation,
    verdict: PairVerdict | None,
    *,
    fault: str = "",
    change: PairChange | None = None,
) -> Judged:
    """A pair that was measured, and decided unless the judge left it unscored.

    Args:
        suite: The suite file as the user named it.
        evaluation: What was measured.
        verdict: What was decided; None where the judge left a metric without a score.
        fault: The judge's fault in words, then.
        change: What changed against the baseline, where there is one.
    """
    findings = findings_of(evaluation.scores, evaluation.source)
    decided: Outcome = "passed" if verdict is not None and verdict.passes else "failed"
    pair = PairRecord(
        paper=evaluation.paper,
        system=evaluation.system,
        outcome=decided if verdict is not None else "error",
        fault=fault,
        summary=evaluation.pair.summary,
        place=evaluation.pair.place,
        note=evaluation.pair.note,
        scores=evaluation.scores,
        signatures=tuple(map(str, evaluation.signatures)),
        findings=findings,
        verdict=verdict or PairVerdict(shortfalls=()),
        change=change,
    )
    cited = dict(place for finding in findings for place in finding.evidence)
    for score in evaluation.scores:
        if isinstance(score, FaithfulnessScore):
            cited |= {n: evaluation.source[n] for s in score.sentences for n in s.evidence}
    paper = evaluation.pair.paper
    remembered = PaperRecord(
        id=paper.id,
        title=paper.title,
        place=paper.place,
        references=paper.references,
        n_sentences=len(evaluation.source),
        cited=tuple(sorted(cited.items())),
    )
    return Judged(suite=suite, pair=pair, paper=remembered)


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
SCHEMA: Final = 1
_HALF: Final = re.compile("[\ud800-\udfff]")
_INSTEAD: Final = "\ufffd"


def _plain(value: object) -> object:
    """What `json` does not know, as what it does."""
    if isinstance(value, GoldenAnswer):  # thousands of them have a label, an answer, no more
        short = {field.name: (getattr(value, field.name), field.default) for field in fields(value)}
        return {name: said for name, (said, default) in short.items() if said != default}
    if is_dataclass(value) and not isinstance(value, type):
        told = {field: getattr(value, field.name) for field in fields(value)}
        return {field.name: said for field, said in told.items() if _is_recorded(field, said)}
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} has no place in a run record")


def _is_recorded(field: Field[Any], said: object) -> bool:
    """Whether a record has a field with this value; its metadata may say that it needs not."""
    match field.metadata.get("recorded"):
        case "never":
            return False
        case "where set":
            return bool(said != field.default)
        case _:
            return True


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


def record_text(record: RunRecord) -> str:
    """A run record as the text of its file, keys sorted: a pair, paper or system is one line.

    So that a difference between two files names the pairs that differ.
    """
    suites = ",\n".join(map(_suite_text, record.suites))
    return (
        f'{{"header": {as_json(record.header)},\n"judge": {as_json(record.judge)},\n'
        f'"schema": {SCHEMA},\n"suites": [\n{suites}\n]}}\n'
    )


def _suite_text(suite: SuiteRecord) -> str:
    names = sorted(field.name for field in fields(suite))
    return "{" + ",\n".join(f'"{name}": {_by_line(getattr(suite, name))}' for name in names) + "}"


def _by_line(value: object) -> str:
    """A value as JSON; each item of a list on a line of its own."""
    if not isinstance(value, tuple) or not value:
        return as_json(value)
    return "[\n" + ",\n".join(map(as_json, value)) + "\n]"


def read_record(file: Path, option: str) -> RunRecord:
    """The run record that a file holds.

    Args:
        file: The file.
        option: What named it, for messages.

    Raises:
        OptionError: for a file that is not there or holds no run record, and for one of another
            schema version.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OptionError(
            f"{option}: {file} cannot be read as a run record, {fault};"
            " name a file that --summ-run-record or --summ-save has written"
        ) from None
    try:
        record = from_json(RunRecord, text)
        for suite in record.suites:
            _check_names(suite)
    except ValueError as error:
        _check_schema(text, file, option)
        raise OptionError(
            f"{option}: {file} is no run record: {one_line(str(error))};"
            " name a file that --summ-run-record or --summ-save has written"
        ) from None
    return record


def _check_names(suite: SuiteRecord) -> None:
    """Refuse a record that names a number which this version does not have.

    Raises:
        ValueError: for the first such name.
    """
    for name in _numbers(suite):
        if name not in CATALOGUE:
            raise ValueError(f"unknown number {name!r}")
    for found in suite.trust.agreements if suite.trust is not None else ():
        try:
            named_agreement(found.name)
        except KeyError:
            raise ValueError(f"unknown agreement {found.name!r}") from None


def _numbers(suite: SuiteRecord) -> Iterator[str]:
    """The name of every number in what was decided."""
    held = suite.thresholds
    yield from (threshold.name for threshold in (*held.pair, *held.mean, *held.corrected))
    yield from (use.waiver.finding for use in suite.waivers)
    for system in suite.systems:
        yield from (mean.name for mean in system.means)
        if system.comparison is not None:
            yield from (difference.name for difference in system.comparison.differences)
    for pair in suite.pairs:
        yield from (short.name for short in pair.verdict.shortfalls)
        yield from (short.name for short in pair.verdict.waived)


def _check_schema(text: str, file: Path, option: str) -> None:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    schema = found.get("schema") if isinstance(found, dict) else None
    if isinstance(schema, int) and schema != SCHEMA:
        raise OptionError(
            f"{option}: {file} has schema {one_line(str(schema), 20)}, this version reads {SCHEMA};"
            " make the record again, or use the version that wrote it"
        )
