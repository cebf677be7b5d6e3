"""Small run records for the reports that GitHub shows, and the same ones in a stranger's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.record.record import (
    CassetteRecord,
    Claim,
    Comparison,
    Difference,
    FacetChange,
    Flip,
    Header,
    PairChange,
    PairRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import Finding
from summeval_pytest.verdict.thresholds import Floor, Threshold, Thresholds, WaiverUse
from summeval_pytest.verdict.trust import Agreement
from tests.reports.trust_records import UNMEASURED, measured, untrusted

T = TypeVar("T")

FACET = Finding(
    kind="facet",
    number="facet.result",
    title="facet result",
    verdict="rated 1 of 4",
    reason="number: '31 %' against '21 %'",
    reference="Wounds healed in 21 % of mice.",
    summary="Wounds healed in 31 % of mice.",
    evidence=((7, "Of all mice, 21 % healed."),),
    severity=1.0,
)
SENTENCE = Finding(
    kind="sentence",
    number="faithfulness",
    title="sentence 2",
    verdict="unsupported, support 0.20 of 1",
    reason="no word of it is in the source",
    reference=None,
    summary="Ferns grew.",
    evidence=(),
    severity=0.8,
)
RESULT = Shortfall(name="facet.result", value=1.0, least=2.0)  # 1/3 of its range under
FM = Shortfall(name="facet", value=0.45, least=0.6)  # 0.15 of 0.75, 1/5 of its range under
FAITHFULNESS = Shortfall(name="faithfulness", value=0.5, least=0.8)  # 3/10 of its range under
THRESHOLDS = Thresholds(
    pair=(Threshold("facet", 0.6),), mean=(Threshold("facet", 0.75), Threshold("eva", 0.4))
)


def failing(
    paper: str = "zinc-01",
    *short: Shortfall,
    system: str = "careless",
    findings: tuple[Finding, ...] = (FACET, SENTENCE),
    line: int = 1,
) -> PairRecord:
    """A pair that fails, by default its result and faithfulness."""
    return PairRecord(
        paper=paper,
        system=system,
        outcome="failed",
        summary="Wounds healed in 31 % of mice. Ferns grew.",
        place=Place(f"golden/systems/{system}.jsonl", line),
        scores=(),
        findings=findings,
        verdict=PairVerdict(shortfalls=short or (RESULT, FAITHFULNESS)),
    )


def unscored(paper: str = "ward-02", *, fault: str = "facet: unanswered, no JSON") -> PairRecord:
    """A pair that the judge left without a score."""
    return PairRecord(
        paper=paper,
        system="careless",
        outcome="error",
        fault=fault,
        summary="Mice slept.",
        place=Place("golden/systems/careless.jsonl", 2),
        scores=(),
    )


def passing(paper: str = "zinc-01", *, system: str = "careful") -> PairRecord:
    """A pair that passes."""
    return PairRecord(
        paper=paper,
        system=system,
        outcome="passed",
        summary="Wounds healed in 21 % of mice.",
        place=Place(f"golden/systems/{system}.jsonl", 1),
        scores=(),
    )


def mean(name: str = "facet", value: float = 0.534, least: float = 0.75) -> SystemMean:
    """A mean over all of two papers."""
    return SystemMean(name=name, value=value, least=least, n_scored=2, n_papers=2)


def system(name: str = "careless", **values: object) -> SystemRecord:
    """A system whose mean of FM fails, unless the values say otherwise."""
    plain = SystemRecord(
        name=name,
        place=Place("golden/summeval.toml", 12),
        papers=("zinc-01", "ward-02"),
        means=(mean(), mean("eva", 0.5, 0.4)),
        outcome="failed",
    )
    return replace(plain, **values)  # type: ignore[arg-type]  # the tests name its fields


def record(
    *pairs: PairRecord, systems: tuple[SystemRecord, ...] = (), **suite: object
) -> RunRecord:
    """A run of one suite, judged by the embedded judge."""
    held = SuiteRecord(
        has_labels=False,
        name="golden",
        shown="golden/summeval.toml",
        fingerprint="8073075de428",
        thresholds=THRESHOLDS,
        systems=systems,
        papers=(),
        pairs=pairs,
    )
    return RunRecord(
        header=Header(environment={"python": "3.12.1", "pytest": "9.0"}, usage={}),
        judge="offline-3",
        suites=(replace(held, **suite),),  # type: ignore[arg-type]  # the tests name its fields
    )


COMPARISON = Comparison(
    baseline="v1.3",
    system="careful",
    differences=(
        Difference(
            name="facet",
            n_papers=2,
            old=0.988,
            new=0.534,
            change=-0.454,
            low=-0.5,
            high=-0.4,
            p=0.0002,
            detectable=0.061,
            broken=("facet drops by 0.454, p 0.0002 < 0.05",),
        ),
        Difference(name="eva", n_papers=2, old=0.48, new=0.5, change=0.02),
    ),
    flips=(Flip(paper="zinc-01", facet="result", old=4, new=1),),
    brevity=("faithfulness rose by 0.100 only because summaries became shorter",),
)
UNLIKE = replace(COMPARISON, differences=(), mismatches=("judge differs",))
CHANGE = PairChange(
    paper="zinc-01",
    system="careless",
    baseline="v1.3 (careful)",
    numbers=(("facet", 1.0, 0.45),),
    facets=(
        FacetChange(facet="result", old=4, new=1, reference="R", before="B", after="A", reason="N"),
    ),
    lost=(Claim(text="Copper fell."),),
    unsupported=(Claim(text="Ferns grew.", reason="nowhere"),),
)
WAIVER = Waiver(
    name="short-abstract",
    paper="ward-02",
    system="careless",
    finding="facet.method",
    least=1.0,
    owner="ada",
    reason="the abstract has no methods",
    expires="2027-01-31",
    place=Place("golden/summeval.toml", 40),
)


def everything() -> RunRecord:
    """A record with something in every field that a report shows."""
    pair = replace(failing(), note="the reply was cut at 900 tokens", change=CHANGE)
    pair = replace(
        pair,
        verdict=replace(
            pair.verdict, waivers=(WaiverUse(waiver=WAIVER, state="expired"),), waived=(FM,)
        ),
    )
    pairs = (
        pair,
        unscored(),
        *(failing(f"soil-{number:02}", FM, line=number) for number in range(1, 22)),
        passing(),
    )
    papers = tuple(each.paper for each in pairs[:-1])
    careful = system("careful", outcome="passed", means=(mean(value=0.9),), papers=("zinc-01",))
    systems = (
        system(comparison=COMPARISON, papers=papers),
        system("terse", outcome="error", fault="system 'terse' has no means", means=(), papers=()),
        system("odd", comparison=UNLIKE, papers=()),
        replace(careful, comparison=replace(COMPARISON, differences=COMPARISON.differences[1:])),
    )
    made = record(*pairs, systems=systems, waivers=(WaiverUse(waiver=WAIVER, state="expired"),))
    made = replace(made, suites=tuple(map(untrusted, made.suites)))
    header = replace(
        made.header,
        created="1700000000",
        commit="0a1b2c3",
        usage={"n_asked": 3.0, "n_failed": 1.0, "prompt_tokens": 900.0, "cost": 0.25},
        cassettes=(
            CassetteRecord(
                shown="golden/cassette.jsonl", sha256="ab" * 32, n_used=40, n_replies=41
            ),
        ),
    )
    two = record(passing(), systems=(careful,), name="two").suites
    judged = (measured(suite, UNMEASURED) for suite in two)
    return replace(made, header=header, suites=(*made.suites, *judged))


_OURS = frozenset(
    {"outcome", "number", "kind", "finding", "facet", "state", "metric", "status", "bound"}
)
"""Fields that hold a word of ours, from a list that a loader checks."""
_OUR_NAMES = (Difference, Shortfall, SystemMean, Threshold)
"""What has a number of the catalogue for a name."""
_OF_ERROR = "unfaithful_recall."
"""Before the labels' own word for a kind of error, in the name of a figure of agreement."""


def in_other_words(value: T, words: Callable[[str], str]) -> T:
    """The same record with every text that others may have written passed through ``words``."""
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: in_other_words(getattr(value, field.name), words)
            for field in fields(value)
            if field.name not in _OURS
            and not (field.name == "name" and isinstance(value, _OUR_NAMES))
        }
        if isinstance(value, Agreement | Floor):
            known, dot, error = value.name.partition(_OF_ERROR)
            changed["name"] = known + dot + (words(error) if dot else "")
        return replace(value, **changed)
    if isinstance(value, tuple):
        if [type(each) for each in value] == [str, float, float]:
            return value  # a number of the catalogue, and two values of it
        return tuple(in_other_words(each, words) for each in value)  # type: ignore[return-value]
    if isinstance(value, Mapping):
        return {  # type: ignore[return-value]  # a mapping is what came
            key if isinstance(each, float) else words(key): in_other_words(each, words)
            for key, each in value.items()
        }
    return words(value) if isinstance(value, str) and value else value  # type: ignore[return-value]
