"""The GitHub step summary of a run.

Everything that papers, systems and judges have written stands in code spans. Each section has room
of its own and is cut at whole rows, so that a thousand findings hide neither cost nor waivers.
"""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.score import CATALOGUE, METRICS, Unscored
from summeval_pytest.reports.github import (
    NOTHING,
    cell,
    code,
    failing_pairs,
    fitting,
    head,
    row,
    section,
)
from summeval_pytest.reports.pair import (
    beyond,
    broken_rules,
    broken_texts,
    corrected_value,
    detectable_text,
    missed_numbers,
    relation_text,
    shown,
)
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.trust import (
    MARK,
    described,
    evidence_of,
    interval_of,
    trust_of,
    trust_of_run,
    value_of,
    verdict_of,
)
from summeval_pytest.verdict.decide import SystemMean
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from summeval_pytest.record.record import (
        CassetteRecord,
        Claim,
        Comparison,
        Covered,
        Difference,
        PairRecord,
        RunRecord,
        SuiteRecord,
        SystemRecord,
    )
    from summeval_pytest.verdict.findings import Finding
    from summeval_pytest.verdict.relations import RelationVerdict
    from summeval_pytest.verdict.thresholds import WaiverUse
    from summeval_pytest.verdict.trust import Agreement, Disagreement, Trust


_FINDINGS: Final = 3
_CLAIMS: Final = 3
_QUOTE: Final = 500


def _findings_of_pair(pair: PairRecord) -> str:
    """A failing pair: what it misses, and the worst of what is wrong, with both texts."""
    lines = [f"### {code(pair.system)} on {code(pair.paper)}", ""]
    lines.append(f"{code(str(pair.place))} misses {_missing(pair, code)}")
    lines.append("")
    if pair.note:
        lines += [code(pair.note, _PHRASE), ""]
    if pair.verdict.lacking:
        lines.append(f"- summary {code(pair.summary, _QUOTE)}")
    for finding in pair.told[:_FINDINGS]:
        lines += _finding(finding)
    if len(pair.told) > _FINDINGS:
        lines.append(f"- {len(pair.told) - _FINDINGS:,} more")
    if pair.change is not None:
        told = ("new and unsupported", pair.change.unsupported), ("lost", pair.change.lost)
        for what, claims in told:
            lines += _claims(f"{what} since {code(pair.change.baseline)}", claims)
    return "\n".join(lines)


def _finding(finding: Finding) -> Iterator[str]:
    yield f"- **{code(finding.title)}** {code(finding.verdict)}"
    if finding.reference is not None:
        yield f"  - reference {code(finding.reference, _QUOTE)}"
    yield f"  - summary {code(finding.summary, _QUOTE)}"
    for index, sentence in finding.evidence[:1]:
        yield f"  - source, sentence {index + 1}, {code(sentence, _QUOTE)}"
    yield f"  - reason {code(finding.reason, _PHRASE)}"


def _claims(what: str, claims: Sequence[Claim]) -> Iterator[str]:
    for claim in claims[:_CLAIMS]:
        yield f"- {what}: {code(claim.text, _PHRASE)}"
    if len(claims) > _CLAIMS:
        yield f"- {what}: {len(claims) - _CLAIMS:,} more"


def _missing(pair: PairRecord, as_code: Callable[[str, int], str]) -> str:
    phrases = list(missed_numbers(pair.verdict))
    told = ", ".join(as_code(phrase, _PHRASE) for phrase in phrases[: len(CATALOGUE)])
    return told or NOTHING


def _pair_row(pair: PairRecord, told: str) -> str:
    """A pair as a row: where its summary stands, and what it misses or what the judge did wrong."""
    return row((f"{cell(pair.system)} on {cell(pair.paper)}", cell(str(pair.place)), told))


_JUDGE_QUOTE: Final = 240
_JUDGE_PHRASE: Final = 600
_BROKEN: Final = 3
"""Papers on which a relation is broken that are shown."""


def judge_section(record: RunRecord) -> Iterator[str]:
    """The section: a table of figures a suite, with matrices and cases where a floor is missed."""
    measured = [(suite, suite.trust) for suite in record.suites if suite.trust is not None]
    title = "The judge against the golden labels"
    yield from section(title, measured, _suite, room=60_000)
    tried = [verdict for suite in record.suites for verdict in suite.relations]
    yield from section("The judge on edited texts", tried, _relation, room=20_000)


def _relation(verdict: RelationVerdict) -> str:
    text = code(relation_text(verdict), _JUDGE_PHRASE)
    lines = [f"- **{text}**" if verdict.state in {"fails", "unanswered"} else f"- {text}"]
    lines += [f"  - {code(line, _JUDGE_QUOTE)}" for line in broken_texts(verdict)[:_BROKEN]]
    return "\n".join(lines)


def _suite(each: tuple[SuiteRecord, Trust]) -> str:
    suite, trust = each
    lines = [f"{code(suite.name)}: {code(trust_of(suite), _JUDGE_PHRASE)}"]
    if trust.agreements:
        columns = ("agreement", "value", "95 % interval", "items", "papers", "floor")
        figures = list(fitting(trust.agreements, _figure, room=10_000))
        lines += ["", head(columns), *figures]
        if len(figures) < len(trust.agreements):
            lines += ["", f"{len(trust.agreements) - len(figures):,} more figures."]
    if trust.is_untrusted:
        for confusion in confusions(suite.golden):
            title = f"{confusion.of}: label, judge in columns"
            lines += ["", head((title, *confusion.categories))]
            for name, counts in zip(confusion.categories, confusion.table, strict=True):
                lines.append(row((name, *(f"{count:,}" for count in counts))))
        worst = worst_disagreements(suite.golden)
        lines += ["", "Worst disagreements:", ""] if worst else []
        lines += map(_worst, worst)
    return "\n".join([*lines, ""])


def _figure(agreement: Agreement) -> str:
    value = value_of(agreement)
    floors = ", ".join(
        f"{'' if floor.bound == 'point' else 'lower bound '}at least {floor.least:g}"
        for floor in agreement.floors
    )
    return row(
        (
            cell(agreement.name),
            f"**{value}**" if agreement.missed else value,
            interval_of(agreement),
            f"{agreement.n_items:,}",
            f"{agreement.n_papers:,}",
            f"**missed: {floors}**" if agreement.missed else floors,
        )
    )


def _worst(each: Disagreement) -> str:
    answer = each.answer
    label, said = (verdict_of(answer, value) for value in (answer.label, answer.answer))
    lines = [f"- {code(described(each))}: label **{label}**, judge **{said}**"]
    lines += [
        f"  - {whose}: {code(text, _JUDGE_QUOTE)}"
        for whose, text in evidence_of(answer)
        if text.strip()
    ]
    return "\n".join(lines)


STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step's summary is appended."""
_IN_FULL: Final = 20
"""How many failing pairs are shown with what is wrong in them; the others have a row each."""
_PHRASE: Final = 300
_WAIVER: Final = ("waiver", "state", "of", "may fall short", "until", "owner, reason")
_FAULTS: Final[dict[Covered, str]] = {
    "failed": "\u274c failed",
    "error": "\u26a0\ufe0f unscored",
}


def step_summary(record: RunRecord) -> str:
    """The page; at most some 300,000 bytes of UTF-8, where GitHub accepts a mebibyte."""
    failing = failing_pairs(record)
    failed = [pair for pair in failing if pair.outcome != "error"]
    unscored = [pair for pair in failing if pair.outcome == "error"]
    compared = [
        (system, system.comparison)
        for suite in record.suites
        for system in suite.systems
        if system.comparison is not None
    ]
    waivers = [use for suite in record.suites for use in suite.waivers]
    in_full = list(fitting(failed[:_IN_FULL], _findings_of_pair, room=70_000))
    sections = (
        _verdict(record),
        judge_section(record) if record.is_untrusted else (),
        _systems(record),
        section("Against the baseline", compared, _comparison, room=40_000),
        section("Worst findings", in_full, str, room=70_000),
        section(
            "More failing pairs",
            failed[len(in_full) :],
            lambda pair: _pair_row(pair, _missing(pair, cell)),
            room=40_000,
            table=head(("pair", "place", "what is missed"), n_words=3),
        ),
        section(
            "Unscored: the judge's fault",
            unscored,
            lambda pair: _pair_row(pair, cell(pair.fault, _PHRASE)),
            room=20_000,
            table=head(("pair", "place", "why"), n_words=3),
        ),
        () if record.is_untrusted else judge_section(record),
        _judge(record),
        section(
            "Cassettes",
            record.header.cassettes,
            _cassette,
            room=10_000,
            table=head(("cassette", "sha256", "used", "replies"), n_words=2),
        ),
        section(
            "Waivers", waivers, _waiver, room=20_000, table=head(_WAIVER, n_words=len(_WAIVER))
        ),
    )
    return "".join(f"{line}\n" for part in sections for line in part)


def _verdict(record: RunRecord) -> Iterator[str]:
    """What came out, and how much of each suite was judged."""
    part = ", but only in part" if any(suite.gaps for suite in record.suites) else ""
    outcome = "\u2754 UNTRUSTED judge" if record.is_untrusted else _told(record.outcomes)
    yield from (f"# {outcome}{part}: summarization gate", "")
    if record.is_untrusted:
        yield f"**{MARK[0].upper()}{MARK[1:]}.** They would read: {_told(record.outcomes)}."
        yield ""
    yield from fitting(record.suites, _completeness, room=10_000)


def _told(outcomes: Collection[Covered]) -> str:
    """Outcomes in words: what the systems and what the judge did wrong, else whether all passed."""
    faults = [words for outcome, words in _FAULTS.items() if outcome in outcomes]
    return ", ".join(faults) or ("\u2705 passed" if "passed" in outcomes else "not judged")


def _completeness(suite: SuiteRecord) -> str:
    n_judged, n_expected = len(suite.pairs), suite.n_expected
    n_unscored = sum(pair.outcome == "error" for pair in suite.pairs)
    told = f"all {n_expected:,} pairs are in this run"
    if n_judged < n_expected:
        told = f"**only {n_judged:,} of {n_expected:,} pairs are in this run**"
    if n_unscored:
        told += f", **{n_unscored:,} of them unscored**"
    told += "".join(f"; **{code(gap, _PHRASE)}**" for gap in suite.uncompared)
    return f"- suite {code(suite.name)} {code(suite.fingerprint)}: {told}"


def _systems(record: RunRecord) -> Iterator[str]:
    """One row a system: its verdict, its pairs by outcome, its means."""
    rows = [(suite, system) for suite in record.suites for system in suite.systems]
    named = {mean.name for _, system in rows for mean in system.means}
    names = [name for name in CATALOGUE if name in named or name in METRICS]
    columns = ("system", "verdict", "passed", "failed", "unscored", *names)

    def shown_as(each: tuple[SuiteRecord, SystemRecord]) -> str:
        suite, system = each
        pairs = suite.pairs_of(system.name)
        counts = Counter(pair.outcome for pair in pairs)
        whose = f"{cell(suite.name)}: " if len(record.suites) > 1 else ""
        verdict = _told({system.outcome, *counts})
        if suite.is_untrusted:
            verdict += ", untrusted"
        if len(pairs) < len(system.papers):
            verdict += f", {len(pairs):,} of {len(system.papers):,} judged"
        return row(
            (
                f"{whose}{cell(system.name)}",
                verdict,
                *(f"{counts[outcome]:,}" for outcome in ("passed", "failed", "error")),
                *(_mean(name, system, pairs) for name in names),
            )
        )

    yield from section("Systems", rows, shown_as, room=30_000, table=head(columns, n_words=2))


def _mean(name: str, system: SystemRecord, pairs: Sequence[PairRecord]) -> str:
    """A mean with its threshold where it has one, and its change against the baseline."""
    held = next((mean for mean in system.means if mean.name == name), None)
    mean = held or _measured(name, pairs)
    text = shown(name, mean.value, mean.least if held else None)
    if held and mean.value is not None and not CATALOGUE[name].meets(mean.held, mean.least):
        text = f"**{shown(name, mean.held, mean.least)}** {beyond(name, mean.least)}"
    if mean.n_scored < mean.n_papers:
        text += f" ({mean.n_scored:,} of {mean.n_papers:,})"
    change = system.comparison and system.comparison.difference(name)
    corrected = next((each for each in system.corrected if each.name == name), None)
    if change:
        text += f" ({change.change:+.3f})"
    return f"{text}; corrected {corrected_value(corrected)}" if corrected else text


def _measured(name: str, pairs: Sequence[PairRecord]) -> SystemMean:
    """The mean over the judged pairs of a number that has no threshold of its own."""
    named = CATALOGUE[name]
    scores = [score for pair in pairs for score in pair.scores if score.metric == named.metric]
    found = [None if isinstance(score, Unscored) else score.values().get(name) for score in scores]
    values = [value for value in found if value is not None]
    return SystemMean(
        name=name,
        value=fmean(values) if values else None,
        least=named.worst,
        n_scored=len(values),
        n_papers=len(scores),
    )


def _comparison(each: tuple[SystemRecord, Comparison]) -> str:
    """One comparison: what it breaks, with all numbers, or what it could have overlooked."""
    system, comparison = each
    lines = [f"### {code(system.name)} against {code(comparison.baseline)}", ""]
    lines.append(f"- its system {code(comparison.system)}")
    told = [*broken_rules(comparison), *comparison.brevity]
    lines += [f"- {code(phrase, _PHRASE)}" for phrase in told[: len(CATALOGUE)]]
    if comparison.passes:
        seen = [
            f"{code(difference.name)} {difference.detectable:.3f}"
            for difference in comparison.differences
            if difference.detectable is not None
        ]
        blind = [
            code(difference.name)
            for difference in comparison.differences
            if difference.p is not None and detectable_text(difference) == "none"
        ]
        could = f"; a true drop would be seen from {', '.join(seen)} on" if seen else ""
        could += f"; **no drop could be seen in {', '.join(blind)}**" if blind else ""
        return "\n".join([*lines, f"- no rule is broken{could}"])
    if comparison.differences:
        columns = ("number", "papers", "old", "new", "change", "95 % interval", "p of a drop")
        lines += ["", head((*columns, "a drop is seen from")), *map(_row, comparison.differences)]
    if comparison.flips:
        lines += ["", "Facets rated lower, worst first:", ""]
        lines += fitting(
            comparison.flips,
            lambda flip: f"- {code(flip.paper)}: {code(flip.facet)} {flip.old} to {flip.new}",
            room=4_000,
        )
    return "\n".join(lines)


def _row(difference: Difference) -> str:
    name, old, new = difference.name, difference.old, difference.new
    low, high = difference.low, difference.high
    change = f"{difference.change:+.3f}"
    return row(
        (
            cell(name),
            f"{difference.n_papers:,}",
            f"{old:.3f}",
            f"{new:.3f}",
            f"**{change}**" if difference.broken else change,
            "" if low is None or high is None else f"{low:+.3f} to {high:+.3f}",
            "" if difference.p is None else f"{difference.p:.4f}",
            "" if difference.detectable is None else f"{difference.detectable:.3f}",
        )
    )


def _judge(record: RunRecord) -> Iterator[str]:
    """Who judged, how far that can be trusted, what it cost, and with which versions."""
    header = record.header
    yield from ("", "## Judge and cost", "")
    yield (
        f"- judge {code(record.judge, _PHRASE)}: {code(trust_of_run(record), _PHRASE)};"
        f" record mode {code(header.record)}"
    )
    if header.usage:
        yield from (f"- {code(line, _PHRASE)}" for line in calls_lines(header.usage, {}))
    else:
        yield "- nobody was asked, so nothing was paid"
    versions = ", ".join(f"{name} {at}" for name, at in sorted(header.environment.items()))
    yield f"- {code(versions, _PHRASE)}"
    for what, value in (("commit", header.commit), ("created", header.created)):
        if value:
            yield f"- {what} {code(value)}"


def _cassette(cassette: CassetteRecord) -> str:
    counts = f"{cassette.n_used:,}", f"{cassette.n_replies:,}"
    return row((cell(cassette.shown), cell(cassette.sha256), *counts))


def _waiver(use: WaiverUse) -> str:
    waiver = use.waiver
    than = "below" if waiver.most is None else "above"
    least = "" if waiver.bound is None else f", not {than} {waiver.bound:g}"
    state = cell(use.state)
    return row(
        (
            cell(waiver.name),
            state if use.state in {"in use", "not judged"} else f"**{state}**",
            f"{cell(waiver.system)} on {cell(waiver.paper)}",
            f"{cell(waiver.finding)}{least}",
            cell(waiver.expires),
            f"{cell(waiver.owner)}, {cell(waiver.reason, _PHRASE)}",
        )
    )
