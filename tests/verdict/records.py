"""Runs made by hand, as small as a test needs them: scores, pairs, a baseline, a whole record."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import METRICS, Score
from summeval_pytest.metrics.eva import EvaScore, f1
from summeval_pytest.metrics.facet import FacetScore, RatedFacet, facet_aware_metric
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import MetricName, Unscored
from summeval_pytest.metrics.signature import Signature, signature_of
from summeval_pytest.questions import FACETS, SCALES, Facet, Fact
from summeval_pytest.record.record_file import record_lines
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.comparison import Against, Baseline, compare
from summeval_pytest.verdict.differences import Comparison
from summeval_pytest.verdict.means import Slice
from summeval_pytest.verdict.policy import LEVEL, TESTED, Policy, Rule
from summeval_pytest.verdict.run import (
    Header,
    JudgeName,
    Outcome,
    PairResult,
    RunRecord,
    RunVerdict,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import Thresholds, Waivers
from summeval_pytest.verdict.trust import JudgeAgreement

HERE: Final = Place("golden/summeval.toml", 3)
SIGNATURES: Final = tuple(
    signature_of(metric, judge="fair-1", suite="77be02a1c3d4") for metric in METRICS
)
REFUSED: Final = "refused_candidate"
SILENT: Final = "unanswered"


def marks(**lower: int) -> dict[Facet, int]:
    """Full marks in every facet but these."""
    return {facet: lower.get(facet, scale) for facet, scale in SCALES.items()}


def rated(
    ratings: Mapping[Facet, int] = SCALES, *, reason: str = "so the judge says", **said: str
) -> FacetScore:
    """FM of these ratings, full marks for none; ``said`` are the summary's words for a facet."""
    value = facet_aware_metric(dict(ratings))
    assert value is not None, "a score has a facet"
    return FacetScore(
        value=value,
        ratings=tuple(
            RatedFacet(
                facet=facet,
                rating=ratings[facet],
                reason=reason,
                reference=f"The {facet} of the reference.",
                candidate=said.get(facet, f"A {facet}."),
            )
            for facet in FACETS
            if facet in ratings
        ),
    )


def carried(
    reference: Mapping[str, bool],
    candidate: Mapping[str, bool | None] | None = None,
    *,
    reason: str = "so the judge says",
) -> EvaScore:
    """EVA-Score where these facts of the reference are matched, and these of the summary hold."""
    candidate = {"Mice slept.": True} if candidate is None else candidate
    precision = statistics.fmean(map(bool, candidate.values())) if candidate else None
    recall = statistics.fmean(reference.values())
    return EvaScore(
        value=f1(precision or 0.0, recall),
        precision=precision,
        recall=recall,
        recall_entailed=recall,
        candidate=checked(candidate, reason),
        reference=checked(reference, reason),
        matched=frozenset(place for place, holds in enumerate(reference.values()) if holds),
    )


def checked(facts: Mapping[str, bool | None], reason: str) -> tuple[CheckedFact, ...]:
    """Facts that hold, or not, or of which nobody knows."""
    return tuple(
        CheckedFact(fact=Fact(text=text, sentence=0), holds=holds, reason=reason)
        for text, holds in facts.items()
    )


def supported(
    sentences: Mapping[str, bool | None], *, reason: str = "so the judge says"
) -> FaithfulnessScore:
    """Faithfulness of sentences that are supported, or not, or of which nobody knows."""
    return FaithfulnessScore(
        value=statistics.fmean(map(bool, sentences.values())),
        sentences=tuple(
            JudgedSentence(index=index, text=text, supported=holds, reason=reason)
            for index, (text, holds) in enumerate(sentences.items())
        ),
    )


def eva(value: float) -> EvaScore:
    """EVA-Score of one value in all its numbers, without any fact."""
    return EvaScore(value=value, precision=value, recall=value, recall_entailed=value)


def faithful(value: float) -> FaithfulnessScore:
    """Faithfulness of one value, without any sentence."""
    return FaithfulnessScore(value=value, sentences=())


def believed(*support: float | None) -> FaithfulnessScore:
    """Faithfulness of supported sentences, believed so far; None where the judge does not say."""
    return FaithfulnessScore(
        value=1.0,
        sentences=tuple(
            JudgedSentence(index=n, text=f"Mice {n}.", supported=True, reason="", support=each)
            for n, each in enumerate(support)
        ),
    )


def unscored(metric: MetricName, status: str = REFUSED, reason: str = "it declined") -> Unscored:
    """A metric without a score: the system's fault, or the judge's where it is `SILENT`."""
    return Unscored(metric=metric, status=status, reason=reason)  # type: ignore[arg-type]  # one of the two above


def pair(
    paper: str,
    *scores: Score | Unscored,
    system: str = "careful",
    summary: str = "Mice slept.",
    outcome: Outcome = "passed",
    signatures: Sequence[Signature] = SIGNATURES,
) -> PairResult:
    """A judged pair, with the recipes of the metrics that it has."""
    measured = {score.metric for score in scores}
    return PairResult(
        paper=paper,
        system=system,
        outcome=outcome,
        summary=summary,
        place=HERE,
        scores=scores,
        signatures=tuple(str(s) for s in signatures if s.metric in measured),
    )


def pairs_of(*values: float, first: int = 0) -> list[PairResult]:
    """Pairs of papers 00, 01 and so on with this faithfulness."""
    return [pair(f"moss-{place:02}", faithful(value)) for place, value in enumerate(values, first)]


def baseline(*pairs: PairResult) -> Baseline:
    """These pairs as the saved run v1.3."""
    saved = suite(*pairs)
    by_paper = {row.paper: row for row in saved.rows if row.system == "careful"}
    return Baseline(run="v1.3", suite=saved, system="careful", pairs=by_paper)


def rules_in(*texts: str) -> tuple[Rule, ...]:
    """Rules in short: ``facet:no-worse-0.05``, ``facet:0.02``, ``facet:0.02:p0.05``, ``p0.05``."""
    rules: list[Rule] = []
    for text in texts or ("p0.05",):
        name, *parts = text.split(":")
        if not parts:
            rules += [Rule(name=each, level=float(name[1:])) for each in TESTED]
            continue
        level = next((float(part[1:]) for part in parts if part.startswith("p")), None)
        size = next((part for part in parts if not part.startswith("p")), "")
        if size.startswith("no-worse-"):
            margin = float(size.removeprefix("no-worse-"))
            rules.append(Rule(name=name, margin=margin, level=level or LEVEL, is_named=True))
        else:
            drop = float(size) if size else None
            rules.append(Rule(name=name, drop=drop, level=level, is_named=True))
    return tuple(rules)


def compared(
    old: Sequence[PairResult],
    new: Sequence[PairResult],
    *rules: str,
    signatures: Sequence[Signature] = SIGNATURES,
    slices: Sequence[Slice] = (),
) -> Comparison:
    """What a comparison of these pairs comes to; rules as a user writes them."""
    measured = {score.metric for pair in new for score in pair.scores}
    signatures = [each for each in signatures if each.metric in measured]
    against = Against(baseline=baseline(*old), signatures=signatures, digests={})
    papers = [pair.numbers() for pair in new]
    none = Thresholds(pair=(), mean=())
    policy = Policy(thresholds=none, rules=rules_in(*rules), slices=tuple(slices))
    return compare(papers, against, policy)


def system(
    name: str = "careful", *papers: str, comparison: Comparison | None = None
) -> SystemResult:
    """A gated system with the papers that it should be judged on."""
    return SystemResult(name=name, place=HERE, papers=papers, comparison=comparison)


def waiver(finding: str = "facet", **changes: object) -> Waiver:
    """A waiver of one number of the pair on moss-01, until the end of January."""
    values = {"paper": "moss-01", "expires": "2027-01-31", **changes}
    return Waiver(
        name="wet-moss",
        system=str(values.pop("system", "careful")),
        finding=finding,
        owner="ines",
        reason="the reference is being mended",
        place=Place("golden/summeval.toml", 30),
        **values,  # type: ignore[arg-type]  # the tests name its fields
    )


def on_day(*waivers: Waiver, today: str = "2027-01-15") -> Waivers:
    """These waivers in the middle of January."""
    return Waivers(waivers=waivers, today=today)


def suite(
    *pairs: PairResult,
    systems: tuple[SystemResult, ...] = (),
    thresholds: Thresholds | None = None,
    waivers: Waivers | None = None,
    name: str = "golden",
) -> SuiteRecord:
    """A suite; its systems are those of the pairs, on the papers of the pairs, unless given."""
    names = dict.fromkeys(pair.system for pair in pairs)
    result = [system(n, *(pair.paper for pair in pairs if pair.system == n)) for n in names]
    return SuiteRecord(
        name=name,
        shown=f"{name}/summeval.toml",
        fingerprint="77be02a1c3d4",
        policy=Policy(
            thresholds=thresholds or Thresholds(pair=(), mean=()), waivers=waivers or Waivers()
        ),
        systems=systems or tuple(result),
        pairs=pairs,
    )


def measured(
    *golden: GoldenPair, judge: str = "fair-1", labels: str = "c3d477be02a1"
) -> SuiteRecord:
    """A suite whose judge was measured with these golden answers."""
    trust = JudgeAgreement(judge=judge, labels=labels, n_pairs=len(golden))
    return replace(suite(), labels=labels, trust=trust, golden=golden)


def run(*suites: SuiteRecord) -> RunVerdict:
    """A run over these suites."""
    return RunVerdict(
        header=Header(environment={}, usage={}),
        judge=JudgeName(name="fair", signature="fair-1"),
        suites=suites,
    )


def record_text(record: RunRecord) -> str:
    """The file of a run's record."""
    return "".join(record_lines(record))
