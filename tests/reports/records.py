"""Run records for the tests of all reports: small ones, full ones, ones in a stranger's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    CheckedFact,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.questions import Fact
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
    PaperRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer, GoldenPair
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import Finding, findings_of
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, WaiverUse
from summeval_pytest.verdict.trust import Agreement, Trust

if TYPE_CHECKING:
    from summeval_pytest.verdict.thresholds import Bound

ASKED: Final = "Mice slept."
HELD: Final = "Mice with zinc slept two hours longer."
REASON: Final = "the words agree"


def floor(least: float = 0.9, name: str = "facet_kappa", bound: Bound = "point") -> Threshold:
    """The least that a judge has to reach."""
    return Threshold(name=name, least=least, bound=bound)


def agreement(
    name: str = "facet_kappa", value: float | None = 0.344, *floors: Threshold, **values: object
) -> Agreement:
    """One figure on two papers."""
    plain = Agreement(
        name=name, value=value, low=0.28, high=0.41, n_items=3, n_papers=2, floors=floors
    )
    return replace(plain, **values)  # type: ignore[arg-type]  # the tests name its fields


MISSED: Final = agreement("facet_kappa", 0.344, floor())
HOLDS: Final = agreement("facet_exact", 0.35, floor(0.25, "facet_exact"))


def golden(text: str = "") -> tuple[GoldenPair, ...]:
    """Two labelled pairs: the judge takes an invented result for a good one, and misses a fact.

    Args:
        text: Every text in them that somebody else wrote; each has its own where it is empty.
    """
    asked, held, reason = text or ASKED, text or HELD, text or REASON
    error = text or "number"
    return (
        GoldenPair(
            paper=text or "zinc-01",
            system=text or "careless",
            group="0a",
            answers=(
                GoldenAnswer(
                    kind="result", label=1, answer=4, text=asked, against=held, reason=reason
                ),
                GoldenAnswer(kind="overall", label=0.4, answer=0.9),
                GoldenAnswer(
                    kind="sentence",
                    index=1,
                    label=0.0,
                    answer=1.0,
                    error=error,
                    text=asked,
                    against=held,
                    reason=reason,
                ),
            ),
        ),
        GoldenPair(
            paper=f"{text}b" if text else "ward-02",
            system=text or "terse",
            group="0b",
            answers=(
                GoldenAnswer(kind="result", label=4, answer=4),
                GoldenAnswer(
                    kind="sentence",
                    label=1.0,
                    answer=1.0,
                    evidence=EvidenceCount(named=2, labelled=2, both=1),
                ),
                GoldenAnswer(
                    kind="reference fact", label=1.0, answer=0.0, text=asked, reason=reason
                ),
            ),
        ),
    )


def trust(*agreements: Agreement, **values: object) -> Trust:
    """The judge of the two pairs; it misses its floor unless other figures are given."""
    plain = Trust(
        judge="fair-1",
        labels="c3d477be02a1",
        agreements=agreements or (MISSED, HOLDS),
        n_pairs=2,
        n_papers=2,
    )
    return replace(plain, **values)  # type: ignore[arg-type]  # the tests name its fields


TRUSTED: Final = trust(HOLDS)
UNMEASURED: Final = trust(agreements=(), n_pairs=0, n_papers=0, labels="", fault="it timed out")


def measured(suite: SuiteRecord, trust: Trust, golden: tuple[GoldenPair, ...] = ()) -> SuiteRecord:
    """A suite with labels, and what they say of the judge."""
    return replace(suite, has_labels=True, trust=trust, golden=golden)


def untrusted(suite: SuiteRecord, text: str = "") -> SuiteRecord:
    """A suite whose judge misses its floors; with ``text``, others' texts in it are that.

    The name of a kind of error is theirs, too, and a judge may be held to a floor on it.
    """
    name = f"unfaithful_recall.{text or 'number'}"
    found = agreement(name, 0.0, floor(0.5, name), low=None, high=None, n_items=1, n_papers=1)
    return measured(
        suite, trust(MISSED, HOLDS, found, judge=text or "fair-1", floors_of=text), golden(text)
    )


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
        if isinstance(value, Agreement | Threshold):
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


REFERENCE = "Moss needs rain. We watered stones. Wet moss grew twice as fast. Rain feeds moss."
SUMMARY = "Stones were watered. Dry moss grew twice as fast."
SOURCE = (
    "Moss is common on stones.",
    "Half of the stones were watered.",
    "Wet moss grew twice as fast as dry moss.",
)
HOSTILE = "::error::x\n::add-mask::y\x1b[31m ##[group]\u202e"
"""What commands a terminal or a runner that shows it."""


def harmless(lines: Iterable[str]) -> list[str]:
    """The lines, which command no terminal and no runner."""
    found = list(lines)
    for line in found:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    return found


BARE = "Moss grew."
"""A text that is anybody's."""
MARKUP = (
    "</script><script>window.ran = 1</script></script ><!--<script "
    '<img src=x onerror="window.ran = 2"> {{ 7 * 7 }} {% raw %} ]]> --> <!--'
    " javascript:alert(1) \"'><svg onload=alert(2)> &lt;b&gt; \u202egnp.exe\u200b \ufffe \x1b[31m"
    " \ud800 \u2028 \U0001f600 http://evil.example/x.js"
)
"""What papers, summaries and judges may write, all at once."""


def moss_scores(
    reference: str = REFERENCE,
    summary: str = SUMMARY,
    *,
    reason: str = "no sentence says so",
) -> tuple[FacetScore, EvaScore, FaithfulnessScore]:
    """The three scores of one pair that lost points on everything but its method.

    By default, the summary's second sentence is wrong, and two facts of the reference are missing.
    """
    named = reference == REFERENCE
    ratings = (
        _rated("background", 1, "Moss needs rain." if named else reference, "", reason),
        _rated("method", 4, "We watered stones." if named else reference, summary, reason),
        _rated(
            "result",
            2,
            "Wet moss grew twice as fast." if named else reference,
            "Dry moss grew twice as fast." if named else summary,
            reason,
        ),
        _rated("conclusion", 1, "Rain feeds moss." if named else reference, "", reason),
    )
    first, second = (
        ("Stones were watered.", "Dry moss grew twice as fast.")
        if summary == SUMMARY
        else (summary, summary)
    )
    return (
        FacetScore(value=0.5, ratings=ratings, ungrounded=(reason,), coverage=0.9),
        EvaScore(
            value=0.4,
            precision=0.5,
            recall=1 / 4,
            recall_entailed=1 / 3,
            candidate=(
                _fact("Stones were watered.", True, reason, "Stones got water."),
                _fact("Dry moss grew fast.", False, reason, "Wet moss grew fast.", sentence=1),
            ),
            reference=(
                _fact("Stones got water.", False, reason, first, sentence=1),
                _fact("Wet moss grew fast.", False, reason, second, sentence=2),
                _fact("Rain feeds moss.", None, reason, sentence=3),
                _fact("Moss grew.", True, reason, second, sentence=2),
            ),
            matched=frozenset({0}),
        ),
        FaithfulnessScore(
            value=0.5,
            sentences=(
                JudgedSentence(index=0, text=first, supported=True, reason=reason, evidence=(1,)),
                JudgedSentence(
                    index=1,
                    text=second,
                    supported=False,
                    reason=reason,
                    evidence=(2,),
                    support=0.25,
                ),
            ),
        ),
    )


def _rated(facet: str, rating: int, reference: str, candidate: str, reason: str) -> RatedFacet:
    return RatedFacet(
        facet=facet,  # type: ignore[arg-type]  # the four callers name facets
        rating=rating,
        reason=reason,
        reference=reference,
        candidate=candidate,
    )


def _fact(
    text: str, holds: bool | None, reason: str, *evidence: str, sentence: int = 0
) -> CheckedFact:
    return CheckedFact(
        fact=Fact(text=text, sentence=sentence), holds=holds, reason=reason, evidence=evidence
    )


def wrong_pair(paper: str = "moss-01", system: str = "careless", *, text: str = "") -> PairRecord:
    """A failing pair; with ``text``, every text in it that somebody else wrote is that."""
    found = moss_scores(text, text, reason=text) if text else moss_scores()
    return PairRecord(
        paper=paper,
        system=system,
        outcome="failed",
        summary=text or SUMMARY,
        place=Place(text or "systems/careless.jsonl", 3),
        note=text,
        scores=found,
        signatures=tuple(
            f"{text or metric}|judge:offline-3|v:1" for metric in ("facet", "eva", "faithfulness")
        ),
        findings=findings_of(found, (text,) * 3 if text else SOURCE),
        verdict=PairVerdict(
            shortfalls=(
                Shortfall(name="facet", value=0.5, least=0.6),
                Shortfall(name="facet.conclusion", value=1.0, least=2.0),
            ),
            waived=(Shortfall(name="facet.background", value=1.0, least=2.0),),
        ),
        change=every_change(paper, system, text or BARE),
    )


def right_pair(paper: str = "moss-01", system: str = "careful") -> PairRecord:
    """A pair that lost no point."""
    found = (
        FacetScore(value=1.0, ratings=(_rated("method", 4, "We watered stones.", SUMMARY, "all"),)),
        FaithfulnessScore(value=1.0, sentences=()),
    )
    return PairRecord(
        paper=paper,
        system=system,
        outcome="passed",
        summary=SUMMARY,
        place=Place("systems/careful.jsonl", 1),
        scores=found,
    )


def silent_pair(
    paper: str = "moss-02", system: str = "careless", fault: str = "timed out"
) -> PairRecord:
    """A pair that the judge left unscored."""
    return PairRecord(
        paper=paper,
        system=system,
        outcome="error",
        fault=fault,
        summary="",
        place=Place("systems/careless.jsonl", 4),
        scores=(Unscored(metric="facet", status="unanswered", reason=fault),),
    )


def refused_pair(paper: str = "moss-02", system: str = "careful") -> PairRecord:
    """A pair whose system refused."""
    lack = Unscored(metric="facet", status="refused_candidate", reason="the summary is a refusal")
    return PairRecord(
        paper=paper,
        system=system,
        outcome="failed",
        summary="I am sorry.",
        place=Place("systems/careful.jsonl", 2),
        scores=(lack,),
        verdict=PairVerdict(shortfalls=(), lacking=(lack,)),
    )


def every_change(paper: str, system: str, text: str) -> PairChange:
    """A change of every kind."""
    claim = (Claim(text=text, reason=text),)
    return PairChange(
        paper=paper,
        system=system,
        baseline="v1/careful",
        numbers=(("facet", 0.9, 0.5), ("eva", 0.4, 0.4)),
        facets=(
            FacetChange(
                facet="result",
                old=4,
                new=2,
                reference=text,
                before=text,
                after=text,
                reason=text,
            ),
        ),
        lost=claim,
        regained=claim,
        unsupported=claim,
        mended=claim,
        invented=claim,
        loss=0.4,
    )


def fm_drop(text: str = BARE) -> Comparison:
    """A comparison that fails on FM alone."""
    return Comparison(
        baseline="v1",
        system="careful",
        differences=(
            Difference(
                name="facet",
                n_papers=2,
                old=0.9,
                new=0.5,
                change=-0.4,
                low=-0.5,
                high=-0.25,
                p=0.0004,
                detectable=0.2,
                broken=("dropped 0.400, 0.02 allowed",),
            ),
            Difference(name="eva", n_papers=2, old=0.4, new=0.4, change=0.0),
        ),
        flips=(Flip(paper="moss-01", facet="result", old=4, new=2),),
        brevity=(text,),
    )


def waived(state: str, name: str, text: str = BARE) -> WaiverUse:
    """A waiver in some state."""
    return WaiverUse(
        waiver=Waiver(
            name=name,
            paper="moss-01",
            system="careless",
            finding="facet.background",
            least=1.0,
            owner=text,
            reason=text,
            expires="2027-01-31",
            place=Place("summeval.toml", 30),
        ),
        state=state,  # type: ignore[arg-type]  # the callers name states
    )


def moss_paper(paper_id: str, *, text: str = "", title: str = "") -> PaperRecord:
    """A paper; with ``text``, every text in it is that."""
    return PaperRecord(
        id=paper_id,
        title=text or title,
        place=Place("papers.jsonl", 1),
        references=(text or REFERENCE,),
        n_sentences=3,
        cited=tuple(enumerate((text,) * 3 if text else SOURCE)),
    )


def moss_suite(
    *pairs: PairRecord, name: str = "moss", text: str = "", n_expected: int = 0
) -> SuiteRecord:
    """A suite of these pairs; it expects ``n_expected`` papers of each system, or those judged."""
    papers = tuple(dict.fromkeys(pair.paper for pair in pairs))
    expected = (*papers, *(f"more-{n}" for n in range(n_expected - len(papers))))
    systems = tuple(dict.fromkeys(pair.system for pair in pairs))
    return SuiteRecord(
        has_labels=False,
        name=name,
        shown="suite/summeval.toml",
        fingerprint="0123456789ab",
        thresholds=Thresholds(pair=(Threshold("facet", 0.6),), mean=(Threshold("facet", 0.75),)),
        systems=tuple(
            SystemRecord(
                name=system,
                place=Place("summeval.toml", 5),
                papers=expected,
                means=(
                    SystemMean(
                        name="facet",
                        value=1.0 if system == "careful" else 0.5,
                        least=0.75,
                        n_scored=len(expected),
                        n_papers=len(expected),
                    ),
                ),
                outcome="passed" if system == "careful" else "failed",
                fault=text,
                comparison=None if system == "careful" else fm_drop(text or BARE),
            )
            for system in systems
        ),
        papers=tuple(
            moss_paper(paper_id, text=text, title=f"On {paper_id}") for paper_id in papers
        ),
        pairs=pairs,
        waivers=(waived("in use", "kept", text or BARE), waived("expired", "old", text or BARE)),
    )


def moss_run(*suites: SuiteRecord, text: str = "") -> RunRecord:
    """A run of these suites."""
    return RunRecord(
        header=Header(
            environment={"python": text or "3.11.7"},
            usage={},
            cassettes=(
                CassetteRecord(
                    shown=text or "answers.jsonl", sha256="ab" * 32, n_used=1, n_replies=2
                ),
            ),
        ),
        judge=text or "offline-3",
        suites=suites,
    )


def small_run() -> RunRecord:
    """Two systems and two papers: one pair passes, two fail, one has no score."""
    return moss_run(moss_suite(wrong_pair(), silent_pair(), right_pair(), refused_pair()))


def hostile_run(text: str = MARKUP) -> RunRecord:
    """A run in which everybody wrote the same text, as paper ids and system names, too."""
    told = moss_suite(
        wrong_pair(paper=text, system=text, text=text),
        silent_pair(paper=f"b{text}", system=text, fault=text),
        name=text,
        text=text,
    )
    return moss_run(untrusted(told, text), text=text)
