"""What a run prints: header, closing table, end, calls, models, plan and drift of the judge.

Every line is safe to print: no text of a paper, system or judge can move the cursor.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import groupby
from textwrap import wrap
from typing import Final, NamedTuple

from summeval_pytest.endpoints.limits import ModelSeen
from summeval_pytest.metrics.catalogue import METRICS, measured_metrics
from summeval_pytest.metrics.number import Finding, rank
from summeval_pytest.questions import ERRORS, FACETS
from summeval_pytest.reports import judge_section, wording
from summeval_pytest.reports.cases import alarming_pairs, headline, worse_papers
from summeval_pytest.run.plan import PlannedCalls
from summeval_pytest.store.cassette import Cassette
from summeval_pytest.text.printing import one_line, safe, safe_lines
from summeval_pytest.verdict.changes import Drift, KindDrift, Rejudged, measure_drift
from summeval_pytest.verdict.differences import Comparison
from summeval_pytest.verdict.run import CassetteRecord, PairResult, PairRow, RunVerdict, SuiteRecord
from summeval_pytest.verdict.trust import Disagreement

_WIDTH: Final = 80
_SHORT_NAME: Final = 17
"""With names that fit, the table is 80 columns wide."""
_LONG_NAME: Final = 32
_COLUMN: Final = 13
"""The width of the column of a metric, if its name is no longer."""
_PLANNED: Final = "{:<24}{:<14}{:>8}{:>15}{:>14}{:>10}"
_QUOTE: Final = 400
_LINE: Final = 500
_FLIPS: Final = 3
_PAGE: Final = "--summ-html=FILE writes a page of all"
_WHOLE: Final = "--summ-html=FILE shows them whole"
_SMALLEST: Final = 0.001
WORST: Final = 10
"""How many findings a list at the end of a run has."""
_DRIFT_LEGEND: Final = (
    "p away: how often chance alone moves the answers so far from the labels, or",
    "towards them (sign-flip test over papers, Holm).",
)


class SystemTally(NamedTuple):
    """The rows of one system's judged pairs.

    ``n_papers`` is how many papers the suite has for the system; 0 where that is not known.
    ``n_skipped`` papers it lists under ``skip``.
    """

    rows: Collection[PairRow]
    n_papers: int = 0
    n_skipped: int = 0


def summary_lines(tallies: Mapping[str, SystemTally]) -> Iterator[str]:
    """A table: each system's pairs by outcome and its mean of each metric.

    Below a system come the papers that were not judged, and what is wrong.
    """
    in_order = sorted(tallies.items())
    rows_of_all = (row for _, tally in in_order for row in tally.rows)
    values = (pair for row in rows_of_all for pair in row.numbers.values.items())
    measured = measured_metrics({name for name, value in values if value is not None})
    widths = {metric: max(len(metric), _COLUMN) for metric in measured}
    width = min(max([_SHORT_NAME, *(len(name) + 1 for name in tallies)]), _LONG_NAME)
    heading = "".join(f" {metric:>{widths[metric]}}" for metric in measured)
    yield f"{'system':<{width}}{'passed':>7}{'failed':>7}{'errors':>7}{heading}"
    for system, (rows, n_papers, n_skipped) in in_order:
        outcomes = Counter(row.outcome for row in rows)
        counts = "".join(f"{outcomes[each]:>7}" for each in ("passed", "failed", "error"))
        means = "".join(f" {_mean(rows, metric):>{widths[metric]}}" for metric in measured)
        yield f"{one_line(system, width - 1):<{width}}{counts}{means}"
        if len(rows) < n_papers:
            yield f"  partial: {len(rows)} of {n_papers} papers"
        if n_skipped:
            papers = "paper" if n_skipped == 1 else "papers"
            yield f"  skipped: {n_skipped:,} {papers}, which the suite lists under 'skip'"
        yield from _wrong(rows)
    for system, (rows, *_) in in_order:
        if notes := [row.note for row in rows if row.note]:
            yield one_line(f"{system}, {len(notes)} of {len(rows)} pairs: {notes[0]}")
    if n := sum(row.wrong.get("undecided", 0) for _, tally in in_order for row in tally.rows):
        what = "is a possible conflict" if n == 1 else "are possible conflicts"
        yield f"{n:,} of these {what}, which an LLM judge or a person must decide"


def _mean(rows: Collection[PairRow], metric: str) -> str:
    """The mean of one metric, with the number of its pairs if that is not all."""
    known = [(row.numbers, row.numbers.values.get(metric)) for row in rows]
    scored = [(numbers, value) for numbers, value in known if value is not None]
    if not scored:
        return "-"
    part = f" ({len(scored)}/{len(rows)})" if len(scored) < len(rows) else ""
    named = scored[0][0].catalogue[metric]
    return wording.render(named, statistics.mean(value for _, value in scored)) + part


def _wrong(rows: Iterable[PairRow]) -> Iterator[str]:
    wrong = sum((Counter(row.wrong) for row in rows), Counter[str]())
    kinds = {
        "facet": ("facet not fully covered", "facets not fully covered"),
        "fact": ("fact not matched", "facts not matched"),
        "sentence": ("unsupported sentence", "unsupported sentences"),
    }
    parts = [f"{wrong[kind]:,} {of[wrong[kind] > 1]}" for kind, of in kinds.items() if wrong[kind]]
    if parts:
        yield f"  problems: {', '.join(parts)}"
    if errors := [f"{kind} ({wrong[kind]:,})" for kind in ERRORS if wrong[kind]]:
        yield f"  errors in sentences: {', '.join(errors)}"


def header_line(
    *, judge: str, replies: str, suites: Sequence[tuple[str, str, Sequence[str]]]
) -> str:
    """Who judges what, on one line; of each suite its name, fingerprint and gated systems.

    ``replies`` says where the replies of endpoints are; empty where none is asked.
    """
    gated = ", ".join(
        f"{name} {fingerprint} ({', '.join(systems)})" for name, fingerprint, systems in suites
    )
    store = f"reply store {replies}, " if replies else ""
    return one_line(f"summeval: judge {judge}, {store}suite {gated}", _LINE)


def unlabelled_lines(suites: Sequence[str]) -> Iterator[str]:
    """One line where suites have no labels, so that nobody knows how well the judge judges."""
    if suites:
        have = "has" if len(suites) == 1 else "have"
        names = f"{', '.join(suites)} {have} no labels, so this run does not test the judge"
        yield one_line(f"summeval: {names}; see 'summeval label'", _LINE)


def unmeasured_lines(suites: Sequence[tuple[str, Sequence[str]]], judge: str) -> Iterator[str]:
    """A line a suite with thresholds that the judge can measure nothing for."""
    for place, names in suites:
        if names:
            left = f"rates facets only; not measured in {place}: {', '.join(names)}"
            yield one_line(f"summeval: judge {judge} {left}", _LINE)


def cassette_lines(cassettes: Iterable[Cassette]) -> Iterator[str]:
    """One line a cassette: whoever edits a recorded reply changes its hash."""
    for cassette in cassettes:
        about = f"{cassette.shown}, {_replies(len(cassette.rows))}, sha256 {cassette.sha256}"
        yield one_line(f"summeval: cassette {about}", _LINE)


def run_lines(record: RunVerdict, *, n_worst: int = 0) -> Iterator[str]:
    """A whole run: its tables, its judge, its end with ``n_worst`` of the worst findings."""
    for suite in record.suites:
        yield one_line(f"{suite.shown}, suite {suite.fingerprint}, judge {record.judge.signature}")
        names = [system.name for system in suite.systems]
        yield from summary_lines({name: SystemTally(suite.pairs_of(name).rows) for name in names})
    for suite in record.suites:
        of = f" ({one_line(suite.shown)})" if len(record.suites) > 1 else ""
        has_labels = bool(suite.labels)
        yield from judge_section.judge_lines(
            suite.trust, suite.golden, has_labels=has_labels, of=of
        )
    yield from judge_section.blind_lines(record.judge.name)
    yield from ending_lines(record, n_worst=n_worst)
    alarms = WorstFindings()
    for pair in alarming_pairs(record):
        alarms.add(pair, pair.alarms[:1])
    yield from alarm_lines(alarms)
    if record.partial:
        yield one_line(record.partial, 400)
        yield "a partial run releases nothing; run all tests"
    if record.header.usage:
        yield from calls_lines(record.header.usage, {})


def ending_lines(record: RunVerdict, *, n_worst: int = 0, with_gaps: bool = True) -> Iterator[str]:
    """What was not judged, comparisons, waivers and the ``n_worst`` worst findings."""
    for suite in record.suites:
        gaps = record.gaps(suite) if with_gaps else []
        lines = [f"{one_line(suite.shown)}: {one_line(gap)}" for gap in gaps]
        slices = (line for system in suite.systems for line in wording.slice_lines(system))
        lines += [one_line(line, 400) for line in slices]
        for system, comparison in suite.comparisons.items():
            lines += _comparison(system, comparison)
            lines += _worse_papers(suite.pairs_of(system).rows)
        for line in (*lines, *map(wording.waiver_line, suite.waivers)):
            yield from safe_lines(line)
        worst = WorstFindings(n_worst)
        for pair in suite.pairs if n_worst else ():
            worst.add(pair, pair.explanation)
        yield from worst_lines(worst)


def _comparison(system: str, comparison: Comparison) -> Iterator[str]:
    other = "" if comparison.system == system else f", system {comparison.system}"
    whose = one_line(f"{system} against run {comparison.baseline}{other}")
    differences = comparison.differences
    if comparison.mismatches:
        yield f"{whose}: {one_line(comparison.mismatches[0])}"
        return
    parts = []
    broken = [difference.name for difference in comparison.broken]
    if broken := [*broken, *(f"{each.name} in {each.slice}" for each in comparison.broken_slices)]:
        parts.append(f"fails: {', '.join(broken)}")
    if unclear := ", ".join(difference.name for difference in comparison.inconclusive):
        parts.append(f"{wording.INCONCLUSIVE}: {unclear}")
    state = "undecided, by the judge's fault" if comparison.undecided else "no rule broken"
    yield f"{whose}: {'; '.join(parts) or state}"
    tested = [d for d in differences if d.p is not None]
    tested = [d for d in tested if d.name in METRICS] or tested
    if tested:
        n_papers = max(d.n_papers for d in differences)
        papers = "1 paper" if n_papers == 1 else f"{n_papers} papers"
        yield f"  change on {papers}: {', '.join(f'{d.name} {d.change:+.3f}' for d in tested)}"
        known = ((d.name, d.ruled_out) for d in tested if d.ruled_out is not None)
        if bounds := ", ".join(f"{name} {max(0.0, drop):.3f}" for name, drop in known):
            yield f"  {papers} rule out a loss above: {bounds}"
    yield from (f"  note: {one_line(warning)}" for warning in comparison.notes)


def _worse_papers(rows: Sequence[PairRow]) -> Iterator[str]:
    """The papers that a system got worse on, the worst first."""
    worse, lines = worse_papers(rows)
    if worse:
        yield f"  papers that got worse ({worse:,} of {len(rows):,}), the worst first:"
    yield from (f"    {one_line(line, _WIDTH - 4)}" for line in lines)
    if len(lines) < worse:
        yield f"    {worse - len(lines):,} more: {_PAGE}"


class WorstFindings:
    """The worst finding of each pair so far, of the ``n_most`` worst pairs, and how many it has."""

    def __init__(self, n_most: int = WORST) -> None:
        self._n_most = n_most
        self.kept: list[tuple[str, str, Finding]] = []
        self.n_pairs = 0

    def add(self, pair: PairResult, findings: Sequence[Finding]) -> None:
        """Adds a pair with its worst finding; nothing without one."""
        if not findings:
            return
        self.n_pairs += 1
        of_all = [*self.kept, (pair.system, pair.paper, min(findings, key=rank))]
        self.kept = nsmallest(self._n_most, of_all, key=lambda of: (rank(of[2]), of[:2]))


def alarm_lines(alarms: WorstFindings) -> Iterator[str]:
    """The worst finding of each passed pair that a reader has to see."""
    if alarms.kept:
        pairs = "pair" if alarms.n_pairs == 1 else "pairs"
        yield f"passed, but read these ({alarms.n_pairs:,} {pairs}; {_WHOLE}):"
    for system, paper, finding in alarms.kept:
        yield f"  {one_line(f'{system} on {paper}: {headline(finding)}', _WIDTH - 2)}"
        yield f"    {wording.quoted(wording.doubtful_part(finding, _WIDTH - 6), _WIDTH - 6)}"
        if finding.reason:
            yield f"    {wording.first_clauses(finding.reason, _WIDTH - 4)}"
    if len(alarms.kept) < alarms.n_pairs:
        yield f"  {alarms.n_pairs - len(alarms.kept):,} more: {_PAGE}"


def worst_lines(worst: WorstFindings) -> Iterator[str]:
    """The worst findings of a run, each with its system and paper."""
    if worst.kept:
        yield f"worst finding of each failing pair ({len(worst.kept)} of {worst.n_pairs:,}):"
    for system, paper, finding in worst.kept:
        yield one_line(f"{system} on {paper}: {finding.title}, {finding.verdict}", _WIDTH)
        if finding.reason:
            yield f"  {one_line(finding.reason, _WIDTH - 2)}"


def calls_lines(calls: Mapping[str, float], judge: Mapping[str, float]) -> Iterator[str]:
    """What was asked and paid, by the counts of `Totals`, and what the judge itself counts."""
    calls = Counter(calls)
    remembered = calls["n_cached"] + calls["n_recorded"]
    line = (
        f"replies: {calls['n_asked']:,.0f} asked, {remembered:,.0f} remembered"
        f" ({calls['n_recorded']:,.0f} from a cassette), {calls['n_failed']:,.0f} failed"
    )
    if calls["n_asked"]:
        line += f"; {calls['prompt_tokens']:,.0f} + {calls['completion_tokens']:,.0f} tokens, "
        unpriced = calls["n_unpriced"]
        more = f" and {unpriced:,.0f} replies without a price" if unpriced else ""
        is_priced = unpriced != calls["n_asked"]
        line += f"{calls['cost']:.2f} dollars{more}" if is_priced else "no price known"
    yield line
    counts = (
        ("n_reasked", "items asked again"),
        ("n_unanswered", "items unanswered"),
        ("n_ungrounded_quotes", "quotations not in the source"),
        ("n_dropped_facts", "facts with a number that their sentence lacks"),
    )
    if phrases := [f"{judge[name]:,.0f} {what}" for name, what in counts if judge.get(name)]:
        yield f"judge: {', '.join(phrases)}"
    if judge.get("n_voted"):
        share = judge["n_agreeing"] / judge["n_voted"]
        yield f"votes: {share:.1%} agree with the outcome, over {judge['n_voted']:,.0f} items"


def usage_line(cassette: CassetteRecord) -> str:
    """How much of a cassette a run has used; the rest is for other runs, or out of date."""
    n_used, n_replies = cassette.n_used, cassette.n_replies
    return one_line(f"cassette {cassette.shown}: {n_used:,} of {n_replies:,} replies used")


def model_lines(models: Iterable[ModelSeen]) -> Iterator[str]:
    """What is odd about the models that replied in one run.

    A model in place of the one asked for is a warning. Replies of several models, or of
    several configurations of one, are a note: some may be older, from a cassette.
    """
    in_order = sorted(models)
    for model in in_order:
        if model.is_other:
            whose = f"{_at(model)} replied as {model.returned!r} ({_replies(model.n_replies)})"
            warning = f"warning: {whose}, another model; in CI that is an error"
            yield from safe_lines(one_line(warning, _QUOTE))
    for alike in _by_request(in_order).values():
        for kind, name in (("models", "returned"), ("fingerprints", "fingerprint")):
            counts = _counted(alike, name)
            if len(counts) > 1:
                several = ", ".join(f"{each} ({n:,})" for each, n in counts.items())
                note = f"note: replies of {_at(alike[0])} are of several {kind}: {several}"
                yield from safe_lines(one_line(note, _QUOTE))
                break


def _counted(models: Iterable[ModelSeen], name: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for model in models:
        counts[getattr(model, name) or "none"] += model.n_replies
    return counts


def changed_model_lines(old: Iterable[ModelSeen], new: Iterable[ModelSeen]) -> Iterator[str]:
    """A note for each model of both runs that replied under another name or fingerprint.

    That is no error: the same weights on other machines have another fingerprint.
    """
    before, now = _by_request(old), _by_request(new)
    for of in sorted(before.keys() & now.keys()):
        for name, text in (
            ("returned", "replied as {} then, as {} now"),
            ("fingerprint", "had fingerprint {} then, has {} now"),
        ):
            then, since = (", ".join(sorted(_counted(run[of], name))) for run in (before, now))
            if then != since:
                note = f"note: {_at(now[of][0])} {text.format(then, since)}"
                yield from safe_lines(one_line(note, _QUOTE))
                break


def models_seen(models: Iterable[ModelSeen]) -> Iterator[str]:
    """Every model that replied in a run, a line each."""
    for model in sorted(models):
        fingerprint = f", fingerprint {model.fingerprint}" if model.fingerprint else ""
        name = "" if model.returned == model.asked else f" as {model.returned or 'no name'}"
        yield one_line(f"{_at(model)}{name}{fingerprint}: {_replies(model.n_replies)}", 200)


def _by_request(models: Iterable[ModelSeen]) -> dict[tuple[str, str], list[ModelSeen]]:
    by = groupby(sorted(models), key=lambda model: (model.endpoint, model.asked))
    return {of: list(alike) for of, alike in by}


def _at(model: ModelSeen) -> str:
    return f"{model.asked!r} at {model.endpoint}"


def _replies(count: int) -> str:
    return f"{count:,} {'reply' if count == 1 else 'replies'}"


def plan_lines(rows: Sequence[PlannedCalls], *, judge: str, n_stored: int) -> Iterator[str]:
    """The table of the calls that are missing, one line a system and metric, and a total.

    ``judge`` is the judge's signature, ``n_stored`` how many replies of this run are remembered.
    """
    yield f"plan: judge {one_line(judge)}; nothing was asked, {n_stored:,} replies are stored"
    if not rows and not n_stored:
        yield "this judge asks no endpoint: the run costs nothing"
        return
    if not rows:
        yield "every reply is stored: the run asks nothing and costs nothing"
        return
    yield _PLANNED.format("system", "metric", "calls", "prompt tokens", "reply tokens", "dollars")
    known = [row.cost for row in rows if row.cost is not None]
    n_unpriced = sum(row.n_unpriced for row in rows)
    counts = "n_calls", "n_certain", "prompt_tokens", "completion_tokens", "n_unpriced"
    total = PlannedCalls(
        system="all",
        metric="",
        **{name: sum(getattr(row, name) for row in rows) for name in counts},
        cost=sum(known) if any(known) or not n_unpriced else None,
        listed=frozenset().union(*(row.listed for row in rows)),
    )
    for row in (*rows, total):
        calls = f"{row.n_calls:,}" if row.n_certain == row.n_calls else f"~{row.n_calls:,}"
        dollars = "-" if row.cost is None else f"{row.cost:.2f}{'+' if row.n_unpriced else ''}"
        tokens = f"{row.prompt_tokens:,}", f"{row.completion_tokens:,}"
        yield _PLANNED.format(one_line(row.system, 23), row.metric, calls, *tokens, dollars)
    why = "hidden reasoning is included only for models with stored replies"
    yield f"tokens and dollars are estimates; {why}"
    if total.n_certain < total.n_calls:
        why = "some calls depend on replies that are not stored yet"
        yield f"~ {why}: the embedded judge's answers are used instead"
    for source, price in sorted(total.listed, key=lambda each: each[0]):
        dollars = f"{price.input:g} + {price.output:g} dollars per million tokens"
        yield one_line(f"price: {dollars} of {source}", 200)
    if total.n_unpriced:
        subtotal = "" if total.cost is None else "+ subtotal of what has a price; "
        yield (
            f"{subtotal}no price: write input_price and output_price, dollars per million tokens,"
            " under [judges.NAME] or [systems.NAME]"
        )


def drift_sentence(drift: Drift) -> str:
    """What became of the golden answers, in one sentence."""
    if drift.mismatches:
        return f"golden answers not compared: {drift.mismatches[0]}"
    if not drift.flips:
        return f"no golden answer flipped ({drift.n_items:,} compared)"
    away = f"{drift.n_away:,} away from the labels" if drift.n_away else "none away from the labels"
    moved = [
        f"{_kind_name(kind)} moved {'away from' if kind.is_worse else 'towards'} the labels"
        f" (p {_p_text(kind.p)})"
        for kind in drift.kinds
        if kind.is_significant
    ] or ["no move is significant"]
    flipped = f"{len(drift.flips):,} of {drift.n_items:,} golden answers flipped, {away}"
    return "; ".join([flipped, *moved])


def drift_lines(old: SuiteRecord, new: SuiteRecord) -> Iterator[str]:
    """The drift of the golden answers from a saved run, with the three worst flips.

    No line where either run has no golden answers.
    """
    if not (old.golden and new.golden):
        return
    drift = measure_drift(old, new)
    more = "; see 'summeval compare'" if drift.flips else ""
    yield from safe_lines(f"judge against the saved run: {drift_sentence(drift)}{more}")
    if drift.old_judge != drift.new_judge:
        yield from safe_lines(f"  another judge: {drift.old_judge} then, {drift.new_judge} now")
    for number, flip in enumerate(drift.flips[:_FLIPS], start=1):
        yield from _flip(number, flip)


def golden_lines(suite: str, drift: Drift, *, n_answers: int) -> Iterator[str]:
    """A drift by kind of answer, its ``n_answers`` worst flips, and what became of all answers."""
    if drift.mismatches:
        yield one_line(f"{suite}: golden answers not compared")
        yield from (f"  {one_line(mismatch, 400)}" for mismatch in drift.mismatches)
        return
    papers = "1 paper" if drift.n_papers == 1 else f"{drift.n_papers:,} papers"
    yield one_line(f"{suite}: {drift.n_items:,} golden answers of {papers}")
    yield f"{'golden answers':<23}{'items':>6}{'flipped':>9}{'away':>6}{'towards':>9}{'p away':>8}"
    for kind in drift.kinds:
        p = _p_text(kind.p).replace(" ", "") if kind.n_flipped else "-"
        counts = f"{kind.n_items:>6,}{kind.n_flipped:>9,}{kind.n_away:>6,}{kind.n_towards:>9,}"
        yield f"{_kind_name(kind):<23}{counts}{p:>8}"
    if drift.flips:
        yield from _DRIFT_LEGEND
    for n_only, whose in ((drift.n_only_old, "old"), (drift.n_only_new, "new")):
        if n_only:
            items, are = ("item", "is") if n_only == 1 else ("items", "are")
            yield f"{n_only:,} {items} that only the {whose} judge answered {are} left out"
    if drift.flips and n_answers:
        yield from ("", *flip_lines(drift.flips, n_shown=n_answers))
    yield from ("", *map(safe, wrap(drift_sentence(drift), _WIDTH, break_on_hyphens=False)))


def flip_lines(flips: Sequence[Rejudged], *, n_shown: int) -> Iterator[str]:
    """The answers that flipped, worst first, each with both texts and the reason."""
    yield f"flipped answers, worst first ({min(n_shown, len(flips)):,} of {len(flips):,}):"
    for number, flip in enumerate(flips[:n_shown], start=1):
        yield from _flip(number, flip)
    if n_shown < len(flips):
        yield f"{len(flips) - n_shown:,} more: --answers={len(flips)}"


def _flip(number: int, flip: Rejudged) -> Iterator[str]:
    of = Disagreement(paper=flip.paper, system=flip.system, answer=flip.new)
    where = judge_section.described(of)
    answers = (flip.old.answer, flip.new.answer, flip.new.label)
    old, new, label = (judge_section.verdict_of(flip.new, value) for value in answers)
    way = "away" if flip.loss > 0 else "towards" if flip.loss < 0 else "as far as before"
    yield one_line(f"{number}. {where}: {old} -> {new}, label {label} ({way})", 200)
    # An answer that equals its label quotes no texts.
    quoting, when = (flip.old, " then") if flip.new.agrees else (flip.new, " now")
    yield from judge_section.evidence_lines(quoting, 13, when=when)


def _kind_name(kind: KindDrift) -> str:
    return f"{kind.kind} ratings" if kind.kind in FACETS else kind.kind


def _p_text(p: float) -> str:
    return f"{p:.3f}".removeprefix("0") if p >= _SMALLEST else "< .001"
