"""Runs for the tests of all reports: small ones, full ones, ones in a stranger's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Final, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import findings_of
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.questions import Fact
from summeval_pytest.reports.junit import junit_pieces
from summeval_pytest.reports.page import page_pieces
from summeval_pytest.run.golden import EvidenceCount, GoldenAnswer, GoldenPair
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict import differences
from summeval_pytest.verdict.means import SystemMean, SystemVerdict
from summeval_pytest.verdict.pair import PairVerdict, Shortfall
from summeval_pytest.verdict.policy import Policy, Rule
from summeval_pytest.verdict.run import (
    CassetteRecord,
    Header,
    JudgeName,
    PairResult,
    PaperRecord,
    RunVerdict,
    SuiteRecord,
    SystemResult,
)
from summeval_pytest.verdict.thresholds import Bound, Threshold, Thresholds, WaiverUse
from summeval_pytest.verdict.trust import Agreement, JudgeAgreement

T = TypeVar("T")


def changed(value: T, **changes: object) -> T:
    """The same value with other fields."""
    return replace(value, **changes)  # type: ignore[type-var]  # the tests name its fields


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
    return changed(plain, **values)


MISSED: Final = agreement("facet_kappa", 0.344, floor())
HOLDS: Final = agreement("facet_exact", 0.35, floor(0.25, "facet_exact"))
TEXTS: Final = {
    "text": "Mice slept.",
    "against": "Mice with zinc slept two hours longer.",
    "reason": "the words agree",
}


def golden() -> tuple[GoldenPair, ...]:
    """Two labelled pairs: the judge takes an invented result for a good one, and misses a fact."""
    evidence = EvidenceCount(named=2, labelled=2, both=1)
    sentence = GoldenAnswer(kind="sentence", index=1, label=0.0, answer=1.0, error="number")
    fact = GoldenAnswer(kind="reference fact", label=1.0, answer=0.0)
    wrong = (
        changed(GoldenAnswer(kind="result", label=1, answer=4), **TEXTS),
        GoldenAnswer(kind="overall", label=0.4, answer=0.9),
        changed(sentence, **TEXTS),
    )
    right = (
        GoldenAnswer(kind="result", label=4, answer=4),
        GoldenAnswer(kind="sentence", label=1.0, answer=1.0, evidence=evidence),
        replace(changed(fact, **TEXTS), against=""),
    )
    return (
        GoldenPair(paper="zinc-01", system="careless", group="0a", answers=wrong),
        GoldenPair(paper="ward-02", system="terse", group="0b", answers=right),
    )


def trust(*agreements: Agreement, **values: object) -> JudgeAgreement:
    """The judge of the two pairs; it misses its floor unless other figures are given."""
    plain = JudgeAgreement(
        judge="fair-1",
        labels="c3d477be02a1",
        agreements=agreements or (MISSED, HOLDS),
        n_pairs=2,
        n_papers=2,
    )
    return changed(plain, **values)


TRUSTED: Final = trust(HOLDS)
UNMEASURED: Final = trust(agreements=(), n_pairs=0, n_papers=0, labels="", fault="it timed out")


def measured(
    suite: SuiteRecord, trust: JudgeAgreement, golden: tuple[GoldenPair, ...] = ()
) -> SuiteRecord:
    """A suite with labels, and what they say of the judge."""
    return replace(suite, labels="c3d477be02a1", trust=trust, golden=golden)


def untrusted(suite: SuiteRecord, text: str = "") -> SuiteRecord:
    """A suite whose judge misses its floors; with ``text``, what others say of it is that."""
    name = "unfaithful_recall.number"
    actual = agreement(name, 0.0, floor(0.5, name), low=None, high=None, n_items=1, n_papers=1)
    message = trust(MISSED, HOLDS, actual, floors_of=text), golden()
    return measured(suite, *(in_other_words(message, lambda _: text) if text else message))


HOSTILE = "::error::x\n::add-mask::y\x1b[31m ##[group]\u202e"
"""What commands a terminal or a runner that shows it."""
STRANGERS = (
    HOSTILE,
    "a\r\n  ::stop-commands::q",
    "##[error]x ##[group]y",
    "\x00\x08\x1b[31m\x7f\x85\u202egnp.exe\u200b\u2028\ufffe\uffff\ud83d",
    "]]></system-out></script><!-- <!ENTITY x SYSTEM 'file:///etc/passwd'>",
    "<script>alert(1)</script></code></td></table></pre><img src=x onerror=alert(1)>",
    '" onload="x &amp;&#0; &lt;script&gt; &#96; &#124;',
    "`",
    "` `` ```|`b a\\|b \\",
    "| --- |",
    "[x](https://evil.example) ![x](https://evil.example/p.png) https://evil.example",
    "@octocat #1 me@evil.example www.evil.example :tada: **x** ~~x~~ $x$ $$y$$",
    "[x]: https://evil.example",
    "x\n\n# Heading\n\n- item\n\n```\n~~~\n",
    "> [!CAUTION]",
)
"""The ways out of a code span, an element, a line or a log that people have tried."""
MARKUP = (
    "</script><script>window.ran = 1</script></script ><!--<script "
    '<img src=x onerror="window.ran = 2"> {{ 7 * 7 }} {% raw %} ]]> --> <!--'
    " javascript:alert(1) \"'><svg onload=alert(2)> &lt;b&gt; \u202egnp.exe\u200b \ufffe \x1b[31m"
    " \ud800 \u2028 \U0001f600 http://evil.example/x.js"
)
"""What papers, summaries and judges may write, all at once."""


REFERENCE = "Moss needs rain. We watered stones. Wet moss grew twice as fast. Rain feeds moss."
SUMMARY = "Stones were watered. Dry moss grew twice as fast."
SOURCE = (
    "Moss is common on stones.",
    "Half of the stones were watered.",
    "Wet moss grew twice as fast as dry moss.",
)
WHY = "no sentence says so"


def rated(facet: str, rating: int, reference: str, candidate: str = "") -> RatedFacet:
    """One facet."""
    return RatedFacet(
        facet=facet,  # type: ignore[arg-type]  # the callers name facets
        rating=rating,
        reason=WHY,
        reference=reference,
        candidate=candidate,
    )


def _fact(text: str, holds: bool | None, *evidence: str, sentence: int = 0) -> CheckedFact:
    fact = Fact(text=text, sentence=sentence)
    return CheckedFact(fact=fact, holds=holds, reason=WHY, evidence=evidence)


def moss_scores() -> tuple[FacetScore, EvaScore, FaithfulnessScore]:
    """The three scores of one pair that lost points on everything but its method.

    The summary's second sentence is wrong, and two facts of the reference are missing.
    """
    first, second = "Stones were watered.", "Dry moss grew twice as fast."
    right = JudgedSentence(index=0, text=first, supported=True, reason=WHY, evidence=(1,))
    wrong = replace(right, index=1, text=second, supported=False, evidence=(2,), support=0.25)
    ratings = (
        rated("background", 1, "Moss needs rain."),
        rated("method", 4, "We watered stones.", SUMMARY),
        rated("result", 2, "Wet moss grew twice as fast.", second),
        rated("conclusion", 1, "Rain feeds moss."),
    )
    eva = EvaScore(
        value=0.4,
        precision=0.5,
        recall=1 / 4,
        recall_entailed=1 / 3,
        candidate=(
            _fact("Stones were watered.", True, "Stones got water."),
            _fact("Dry moss grew fast.", False, "Wet moss grew fast.", sentence=1),
        ),
        reference=(
            _fact("Stones got water.", False, first, sentence=1),
            _fact("Wet moss grew fast.", False, second, sentence=2),
            _fact("Rain feeds moss.", None, sentence=3),
            _fact("Moss grew.", True, second, sentence=2),
        ),
        matched=frozenset({0}),
    )
    return (
        FacetScore(value=0.5, ratings=ratings, ungrounded=(WHY,), coverage=0.9),
        eva,
        FaithfulnessScore(value=0.5, sentences=(right, wrong)),
    )


FOUND = findings_of(moss_scores(), SOURCE)
SENTENCE, FACET = FOUND[0], FOUND[3]
RESULT = Shortfall(name="facet.result", value=2.0, least=3.0)  # 1/3 of its range under
FM = Shortfall(name="facet", value=0.45, least=0.6)  # 0.15 of 0.75, 1/5 of its range under
FAITHFULNESS = Shortfall(name="faithfulness", value=0.5, least=0.8)  # 3/10 of its range under
THRESHOLDS = Thresholds(
    pair=(Threshold("facet", 0.6),), mean=(Threshold("facet", 0.75), Threshold("eva", 0.4))
)


def pair(paper: str = "zinc-01", *short: Shortfall, **values: object) -> PairResult:
    """A pair that misses these thresholds; ``values`` are fields of it or of its verdict."""
    verdict = changed(PairVerdict(shortfalls=short), **_taken(values, PairVerdict))
    system = values.get("system", "careless")
    plain = PairResult(
        paper=paper,
        system=str(system),
        outcome=verdict.outcome,
        summary=SUMMARY,
        place=Place(f"golden/systems/{system}.jsonl", 1),
        scores=(),
        verdict=verdict,
    )
    return changed(plain, **values)


def _taken(values: dict[str, object], kind: type) -> dict[str, object]:
    """Those of the values that are fields of another kind, which are taken away."""
    return {f.name: values.pop(f.name) for f in fields(kind) if f.name in values}


def failing(paper: str = "zinc-01", *short: Shortfall, **values: object) -> PairResult:
    """A pair that fails, by default its result and faithfulness, with a finding of each."""
    actual = {"findings": (FACET, SENTENCE), **values}
    return pair(paper, *(short or (RESULT, FAITHFULNESS)), **actual)


def at(line: int) -> Place:
    """A line of the summaries."""
    return Place("golden/systems/careless.jsonl", line)


def refused(reason: str = "the system refused", **values: object) -> PairResult:
    """A pair that the system left without a score."""
    lack = Unscored(metric="facet", status="refused_candidate", reason=reason)
    return pair(**{"scores": (lack,), "unscored": (lack,), **values})  # type: ignore[arg-type]  # fields


def undecided(paper: str = "ward-02", *, why: str = "facet: unanswered, no JSON") -> PairResult:
    """A pair that the judge left undecided."""
    return pair(paper, undecided=(why,), summary="Mice slept.", place=at(2))


def passing(paper: str = "zinc-01", *, system: str = "careful") -> PairResult:
    """A pair that passes."""
    return pair(paper, system=system)


def mean(name: str = "facet", value: float | None = 0.534, least: float = 0.75) -> SystemMean:
    """A mean over all of two papers."""
    return SystemMean(name=name, value=value, least=least, n_scored=2, n_papers=2)


def system(name: str = "careless", **values: object) -> SystemResult:
    """A system whose mean of FM fails, unless the values say otherwise.

    ``values`` are fields of it or of its verdict.
    """
    means = (mean(), mean("eva", 0.5, 0.4))
    verdict = changed(SystemVerdict(means=means), **_taken(values, SystemVerdict))
    comparison = values.get("comparison")
    fails = verdict.fails or (isinstance(comparison, differences.Comparison) and comparison.fails)
    has_item = verdict != SystemVerdict() or comparison is not None
    plain = SystemResult(
        name=name,
        place=Place("golden/summeval.toml", 12),
        papers=("zinc-01", "ward-02"),
        outcome=(
            "failed" if fails
            else "error" if verdict.undecided
            else "passed" if has_item
            else "not judged"
        ),
        fault="; ".join(verdict.undecided),
        verdict=verdict,
    )  # fmt: skip
    return changed(plain, **values)


def suite(
    *pairs: PairResult,
    systems: tuple[SystemResult, ...] = (),
    thresholds: Thresholds = THRESHOLDS,
    **values: object,
) -> SuiteRecord:
    """A suite with these pairs; its systems have no means, and pass, unless they are given."""
    papers = {
        each.system: tuple(p.paper for p in pairs if p.system == each.system) for each in pairs
    }
    systems = systems or tuple(
        system(name, papers=of, means=(), outcome="passed") for name, of in papers.items()
    )
    plain = SuiteRecord(
        name="golden",
        shown="golden/summeval.toml",
        fingerprint="8073075de428",
        policy=Policy(thresholds=thresholds),
        systems=systems,
        pairs=pairs,
    )
    return changed(plain, **values)


def run(*suites: SuiteRecord, **header: object) -> RunVerdict:
    """A run of these suites, judged by the embedded judge."""
    plain = Header(environment={"python": "3.12.1", "pytest": "9.0"}, usage={})
    judge = JudgeName(name="offline", signature="offline-8")
    return RunVerdict(header=changed(plain, **header), judge=judge, suites=suites)


def record(*pairs: PairResult, **values: object) -> RunVerdict:
    """A run of one suite with these pairs."""
    return run(suite(*pairs, **values))  # type: ignore[arg-type]  # fields


def difference(name: str = "facet", *broken: str, **values: object) -> differences.Difference:
    """A drop of one number over 12 papers."""
    plain = differences.Difference(
        name=name,
        n_papers=12,
        old=0.9,
        new=0.5,
        change=-0.4,
        low=-0.5,
        high=-0.25,
        p=0.0004,
        ruled_out=0.2,
        broken=broken,
    )
    return changed(plain, **values)


COMPARISON = differences.Comparison(
    baseline="v1",
    system="careful",
    differences=(
        difference("facet", "dropped 0.400, 0.02 allowed", n_papers=2, ruled_out=None),
        differences.Difference(name="eva", n_papers=2, old=0.4, new=0.4, change=0.0),
    ),
    flips=(differences.Flip(paper="moss-01", facet="result", old=4, new=2),),
)
UNLIKE = replace(COMPARISON, differences=(), mismatches=("judge differs",))
CLAIM = (differences.Claim(text="Moss grew.", reason="Moss grew."),)
CHANGE = differences.PairChange(
    paper="moss-01",
    system="careless",
    baseline="v1/careful",
    numbers=(("facet", 0.9, 0.5), ("eva", 0.4, 0.4)),
    facets=(
        differences.FacetChange(
            facet="result",
            old=4,
            new=2,
            **dict.fromkeys(("reference", "before", "after", "reason"), "Moss grew."),
        ),
    ),
    lost=CLAIM,
    regained=CLAIM,
    unsupported=CLAIM,
    mended=CLAIM,
    invented=CLAIM,
    loss=0.4,
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


def waived(state: str, **values: object) -> WaiverUse:
    """A waiver in some state."""
    return WaiverUse(waiver=changed(WAIVER, **values), state=state)  # type: ignore[arg-type]  # a state


def everything() -> RunVerdict:
    """A run with something in every field that a report shows."""
    use = waived("expired")
    worst = failing(
        note="the reply was cut at 900 tokens", change=CHANGE, waivers=(use,), waived=(FM,)
    )
    half = failing("fern-03", FM, undecided=("faithfulness is open",), place=at(30))
    pairs = (
        worst,
        undecided(),
        half,
        *(failing(f"soil-{number:02}", FM, place=at(number)) for number in range(1, 10)),
        passing(),
    )
    careful = system("careful", means=(mean(value=0.9),), papers=("zinc-01",))
    systems = (
        system(comparison=COMPARISON, papers=tuple(each.paper for each in pairs[:-1])),
        system("terse", undecided=("no reply on 'ward-02'",), means=(), papers=()),
        system("odd", comparison=UNLIKE, papers=()),
        replace(careful, comparison=replace(COMPARISON, differences=COMPARISON.differences[1:])),
    )
    cassette = CassetteRecord(shown="golden/c.jsonl", sha256="ab" * 32, n_used=40, n_replies=41)
    return run(
        untrusted(suite(*pairs, systems=systems, waivers=(use,))),
        measured(suite(passing(), systems=(careful,), name="two"), UNMEASURED),
        created="1700000000",
        commit="0a1b2c3",
        usage={"n_asked": 3.0, "n_failed": 1.0, "prompt_tokens": 900.0, "cost": 0.25},
        cassettes=(cassette,),
    )


def wrong_pair(paper: str = "moss-01", system: str = "careless") -> PairResult:
    """A failing pair with scores, findings and a change of every kind."""
    actual = moss_scores()
    short = Shortfall(name="facet.conclusion", value=1.0, least=2.0)
    return pair(
        paper,
        Shortfall(name="facet", value=0.5, least=0.6),
        short,
        system=system,
        summary=SUMMARY,
        scores=actual,
        signatures=tuple(f"{score.metric}|judge:offline-8|v:1" for score in actual),
        findings=FOUND,
        waived=(replace(short, name="facet.background"),),
        change=CHANGE,
    )


def right_pair(paper: str = "moss-01", system: str = "careful") -> PairResult:
    """A pair that lost no point."""
    ratings = (rated("method", 4, "We watered stones.", SUMMARY),)
    actual = FacetScore(value=1.0, ratings=ratings), FaithfulnessScore(value=1.0, sentences=())
    return pair(paper, system=system, summary=SUMMARY, scores=actual)


def silent_pair(paper: str = "moss-02") -> PairResult:
    """A pair that the judge left unscored."""
    lack = Unscored(metric="facet", status="unanswered", reason="timed out")
    return pair(paper, undecided=("timed out",), summary="", scores=(lack,))


def moss_paper(paper_id: str) -> PaperRecord:
    """A paper, all of whose source is cited."""
    return PaperRecord(
        id=paper_id,
        title=f"On {paper_id}",
        place=Place("papers.jsonl", 1),
        references=(REFERENCE,),
        source=SOURCE,
    )


def moss_suite(*pairs: PairResult, name: str = "moss", n_expected: int = 0) -> SuiteRecord:
    """A suite of these pairs; it expects ``n_expected`` papers of each system, or those judged."""
    papers = tuple(dict.fromkeys(pair.paper for pair in pairs))
    expected = (*papers, *(f"more-{n}" for n in range(n_expected - len(papers))))
    right: dict[str, object] = {"means": (mean(value=1.0),)}
    wrong: dict[str, object] = {"means": (mean(value=0.5),), "comparison": COMPARISON}
    names = dict.fromkeys(pair.system for pair in pairs)
    systems = (system(n, papers=expected, **(right if n == "careful" else wrong)) for n in names)
    about = {"finding": "facet.background", "paper": "moss-01"}
    return suite(
        *pairs,
        name=name,
        systems=tuple(systems),
        papers=tuple(map(moss_paper, papers)),
        waivers=(waived("in use", name="kept", **about), waived("expired", name="old", **about)),
    )


def moss_run(*suites: SuiteRecord) -> RunVerdict:
    """A run of these suites, with a cassette."""
    cassette = CassetteRecord(shown="answers.jsonl", sha256="ab" * 32, n_used=1, n_replies=2)
    return run(*suites, environment={"python": "3.11.7"}, cassettes=(cassette,))


def small_run() -> RunVerdict:
    """Two systems and two papers: one pair passes, two fail, one has no score."""
    declined = refused("the summary is a refusal", paper="moss-02", system="careful")
    return moss_run(moss_suite(wrong_pair(), silent_pair(), right_pair(), declined))


def page_text(record: RunVerdict) -> str:
    """The page of a run."""
    return "".join(page_pieces(record))


def hostile_run(text: str = MARKUP) -> RunVerdict:
    """A run in which everybody wrote the same text; only the second paper's id has a b before."""
    message = moss_run(untrusted(moss_suite(wrong_pair(), silent_pair())))
    return in_other_words(message, lambda word: f"b{text}" if word == "moss-02" else text)


def junit_text(record: RunVerdict) -> str:
    """The JUnit report of a run as one text."""
    return "".join(junit_pieces(record))


_OURS = frozenset(
    {"outcome", "number", "kind", "finding", "facet", "state", "metric", "status", "bound"}
)
"""Fields that hold a word of ours, from a list that a loader checks."""
_OUR_NAMES = (differences.Difference, Rule, Shortfall, SystemMean, Threshold)
"""What has a number of the catalogue for a name."""
_OF_ERROR = "unfaithful_recall."
"""Before the labels' own word for a kind of error, in the name of a figure of agreement."""


def harmless(lines: Iterable[str]) -> list[str]:
    """The lines, which command no terminal and no runner."""
    actual = list(lines)
    for line in actual:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    return actual


def in_other_words(value: T, words: Callable[[str], str]) -> T:
    """The same record with every text that others may have written passed through ``words``."""
    if is_dataclass(value) and not isinstance(value, type):
        others = {
            field.name: in_other_words(getattr(value, field.name), words)
            for field in fields(value)
            if field.name not in _OURS
            and not (field.name == "name" and isinstance(value, _OUR_NAMES))
        }
        if isinstance(value, Agreement | Threshold):
            known, dot, error = value.name.partition(_OF_ERROR)
            others["name"] = known + dot + (words(error) if dot else "")
        return replace(value, **others)
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
