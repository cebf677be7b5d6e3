"""Run records for the tests of the page: small ones, and one in which every text is hostile."""

from __future__ import annotations

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
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall, SystemMean
from summeval_pytest.verdict.findings import findings_of
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, WaiverUse
from tests.reports.trust_records import untrusted

REFERENCE = "Moss needs rain. We watered stones. Wet moss grew twice as fast. Rain feeds moss."
SUMMARY = "Stones were watered. Dry moss grew twice as fast."
SOURCE = (
    "Moss is common on stones.",
    "Half of the stones were watered.",
    "Wet moss grew twice as fast as dry moss.",
)
BARE = "Moss grew."
"""A text that is anybody's."""

HOSTILE = (
    "</script><script>window.ran = 1</script></script ><!--<script "
    '<img src=x onerror="window.ran = 2"> {{ 7 * 7 }} {% raw %} ]]> --> <!--'
    " javascript:alert(1) \"'><svg onload=alert(2)> &lt;b&gt; \u202egnp.exe\u200b \ufffe \x1b[31m"
    " \ud800 \u2028 \U0001f600 http://evil.example/x.js"
)
"""What papers, summaries and judges may write, all at once."""


def scores(
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


def failing(paper: str = "moss-01", system: str = "careless", *, text: str = "") -> PairRecord:
    """A failing pair; with ``text``, every text in it that somebody else wrote is that."""
    found = scores(text, text, reason=text) if text else scores()
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
        change=change(paper, system, text or BARE),
    )


def passing(paper: str = "moss-01", system: str = "careful") -> PairRecord:
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


def broken(
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


def refused(paper: str = "moss-02", system: str = "careful") -> PairRecord:
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


def change(paper: str, system: str, text: str) -> PairChange:
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


def comparison(text: str = BARE) -> Comparison:
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


def waiver(state: str, name: str, text: str = BARE) -> WaiverUse:
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


def paper(paper_id: str, *, text: str = "", title: str = "") -> PaperRecord:
    """A paper; with ``text``, every text in it is that."""
    return PaperRecord(
        id=paper_id,
        title=text or title,
        place=Place("papers.jsonl", 1),
        references=(text or REFERENCE,),
        n_sentences=3,
        cited=tuple(enumerate((text,) * 3 if text else SOURCE)),
    )


def suite(
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
                comparison=None if system == "careful" else comparison(text or BARE),
            )
            for system in systems
        ),
        papers=tuple(paper(paper_id, text=text, title=f"On {paper_id}") for paper_id in papers),
        pairs=pairs,
        waivers=(waiver("in use", "kept", text or BARE), waiver("expired", "old", text or BARE)),
    )


def run(*suites: SuiteRecord, text: str = "") -> RunRecord:
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
    return run(suite(failing(), broken(), passing(), refused()))


def hostile_run(text: str = HOSTILE) -> RunRecord:
    """A run in which everybody wrote the same text, as paper ids and system names, too."""
    told = suite(
        failing(paper=text, system=text, text=text),
        broken(paper=f"b{text}", system=text, fault=text),
        name=text,
        text=text,
    )
    return run(untrusted(told, text), text=text)
