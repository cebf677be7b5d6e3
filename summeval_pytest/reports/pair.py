"""The text of a failing test: missed numbers, then findings, the worst first."""

from __future__ import annotations

import operator
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.score import (
    CATALOGUE,
    METRICS,
    SUPPORT,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
)
from summeval_pytest.text.printing import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.record.record import Claim, Comparison, Difference, PairChange, PairRecord
    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, Shortfall
    from summeval_pytest.verdict.findings import Finding
    from summeval_pytest.verdict.relations import RelationVerdict


_DIGITS: Final = 3
_DOUBLE: Final = 17
"""Digits that tell any two doubles apart."""


def shown(name: str, value: float | None, least: float | None = None) -> str:
    """A number as text: a whole rating or count as it is, else three digits; a dash for none.

    Digits are added until the text stands to the threshold as the number does. A threshold, shown
    with itself as ``least``, is never shown as less strict than it is, so a value that misses it
    never looks equal to it.
    """
    named = CATALOGUE[name]
    if value is None:
        return "-"
    if named.is_whole and value == int(value):
        return f"{value:.0f}"
    bounds = () if least is None else (least,)
    return beside(value, bounds, meets=named.meets)


def missed(name: str, value: float | None, least: float) -> str:
    """A number and the threshold that it misses: ``facet 0.425 < 0.750``."""
    return f"{name} {shown(name, value, least)} {beyond(name, least)}"


def beyond(name: str, least: float) -> str:
    """How a number stands to the threshold that it misses."""
    bound = shown(name, least, least)
    return f"> {bound} at most" if CATALOGUE[name].lower_is_better else f"< {bound}"


def kept(name: str, value: float | None, least: float) -> str:
    """A number and the threshold that it meets: ``facet 0.812 >= 0.750``."""
    bound = shown(name, least, least)
    how = f"<= {bound} at most" if CATALOGUE[name].lower_is_better else f">= {bound}"
    return f"{name} {shown(name, value, least)} {how}"


def beside(
    value: float,
    bounds: Collection[float],
    digits: int = _DIGITS,
    *,
    meets: Callable[[float, float], bool] = operator.ge,
) -> str:
    """A number with so many digits, or as many more as it takes to stand right to every bound.

    That is to meet it or not, as the number itself does.
    """
    while digits < _DOUBLE and any(
        meets(round(value, digits), bound) != meets(value, bound) for bound in bounds
    ):
        digits += 1
    return f"{value:.{digits}f}"


def averaged_note(score: Score | Unscored) -> str:
    """Whose evidence a score shows that is a mean over references; empty for any other."""
    if not (isinstance(score, FacetScore | EvaScore) and score.by_reference):
        return ""
    return (
        f"{score.metric}: numbers are means over {len(score.by_reference)} references; what is"
        " shown is of the one with the lowest score"
    )


_MOST: Final = 5
"""Sentences shown; they are no findings of their own."""
_LONGEST: Final = 54
"""Characters of a sentence, so that it is one line of 80 columns."""


def weak_lines(pair: PairRecord) -> Iterator[str]:
    """The supported sentences under a missed threshold on the mean support, the weakest first.

    The unsupported ones lower it, too, and are findings already. Nothing where no such threshold is
    missed, or no supported sentence is under it.
    """
    least = next((s.least for s in pair.verdict.shortfalls if s.name == SUPPORT), 0.0)
    weak = sorted(
        (sentence.support, sentence.index, sentence.text)
        for score in pair.scores
        if isinstance(score, FaithfulnessScore)
        for sentence in score.sentences
        if sentence.supported and sentence.support is not None and sentence.support < least
    )
    if not weak:
        return
    yield ""
    yield f"supported, though by less than {shown(SUPPORT, least, least)} of 1:"
    for support, index, text in weak[:_MOST]:
        quoted = f'"{one_line(text, _LONGEST)}"'
        yield f"   sentence {index + 1}, {shown(SUPPORT, support, least)}: {quoted}"
    if len(weak) > _MOST:
        yield f"   and {len(weak) - _MOST} more"


_OLD: Final = 26
"""Where the old mean ends, so that a long name leaves the other columns where they are."""
_CHANGE: Final = 41
"""Where the change ends."""
_FLIPS: Final = 12
"""How many flipped facets are listed."""
_CLAIMS: Final = 5
"""How many facts or sentences of one kind are listed for a paper."""
_CLAIM_QUOTE: Final = 400
LEGEND: Final = (
    "p drop: paired permutation test over papers, Holm-adjusted. seen: the smallest",
    "true drop that this many papers show with 80 % power; smaller ones may hide.",
)


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """The lines: a table of differences, then the facets that flipped, the worst first."""
    against = one_line(f"against {comparison.baseline} ({comparison.system})")
    if comparison.mismatches:
        yield f"{against}: not compared"
        for mismatch in comparison.mismatches:
            yield f"  {one_line(mismatch, 400)}"
        return
    if not comparison.differences:
        yield f"{against}: no number that both have"
        return
    yield from _table(against, comparison.differences)
    notes = [("undecided: ", warning) for warning in comparison.undecided]
    for label, warning in (*notes, *(("note: ", warning) for warning in comparison.brevity)):
        yield from _wrapped(label, warning)
    flips = comparison.flips
    if flips:
        yield f"facets rated lower, worst first ({len(flips)}):"
    for flip in flips[:_FLIPS]:
        yield f"  {one_line(flip.paper)}: {flip.facet} {flip.old} -> {flip.new}"
    if len(flips) > _FLIPS:
        yield f"  {len(flips) - _FLIPS} more: summeval compare"


def _table(against: str, differences: Sequence[Difference]) -> Iterator[str]:
    n_papers = max(difference.n_papers for difference in differences)
    yield f"{against}, {n_papers} {'paper' if n_papers == 1 else 'papers'}"
    yield (
        f"{'':<19}{'old':>7}{'new':>7}{'change':>8}  {'95 % interval':<16}{'p drop':>7}{'seen':>7}"
    )
    for difference in differences:
        yield _difference(difference)
    for difference in differences:
        if difference.n_papers < n_papers:
            yield f"{difference.name} is on {difference.n_papers:,} of them only"
    if any(difference.p is not None for difference in differences):
        yield from LEGEND


def _difference(difference: Difference) -> str:
    name = difference.name
    low, high = difference.low, difference.high
    interval = "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"
    p = "" if difference.p is None else f"{difference.p:.4f}"
    seen = "" if difference.p is None else detectable_text(difference)
    means = f"{difference.old:.3f}", f"{difference.new:.3f}", f"{difference.change:+.3f}"
    told = f"{means[0]:>{max(0, _OLD - len(name))}}{means[1]:>7}{means[2]:>8}"
    if len(name) + len(told) > _CHANGE or len(name) + len(means[0]) >= _OLD:
        told = f"{' '.join(means):>{_CHANGE - len(name)}}"
    line = f"{name}{told}  {interval:<16}{p:>7}{seen:>7}"
    return f"{line}  FAILS" if difference.broken else line.rstrip()


def detectable_text(difference: Difference) -> str:
    """The smallest drop that would have been found; a dash where nothing varies."""
    if difference.deviation == 0.0:
        return "-"
    return "none" if difference.detectable is None else f"{difference.detectable:.3f}"


def change_lines(change: PairChange) -> Iterator[str]:
    """What changed on one paper, a block of lines."""
    moved = [
        f"{name} {shown(name, old)} -> {shown(name, new)}"
        for name, old, new in change.numbers
        if old != new
    ]
    told = one_line(f"against {change.baseline}: {'; '.join(moved) or 'the same numbers'}", 200)
    yield from map(safe, wrap(told, _WIDTH, subsequent_indent="  "))
    for facet in change.facets:
        old, new = ("absent" if r is None else str(r) for r in (facet.old, facet.new))
        yield f"  facet {facet.facet}: {old} -> {new}"
        yield from _wrapped("    before ", f'"{facet.before}"' if facet.before else "(nothing)")
        yield from _wrapped("    now    ", f'"{facet.after}"' if facet.after else "(nothing)")
        yield from _wrapped("    reason ", facet.reason)
    yield from _claims("new unsupported sentence", change.unsupported)
    yield from _claims("new fact that does not follow from the reference", change.invented)
    yield from _claims("fact of the reference lost", change.lost)
    yield from _claims("unsupported sentence gone", change.mended, with_reason=False)
    yield from _claims("fact of the reference regained", change.regained, with_reason=False)


def _claims(what: str, claims: Sequence[Claim], *, with_reason: bool = True) -> Iterator[str]:
    for claim in claims[:_CLAIMS]:
        yield f"  {what}:"
        yield from _wrapped("    ", f'"{claim.text}"')
        if with_reason and claim.reason:
            yield from _wrapped("    reason ", claim.reason)
    if len(claims) > _CLAIMS:
        yield f"  {what}: {len(claims) - _CLAIMS} more"


def _wrapped(label: str, text: str) -> Iterator[str]:
    lines = wrap(one_line(text, _CLAIM_QUOTE), _WIDTH - len(label), break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield safe(f"{label if number == 0 else ' ' * len(label)}{line}")


def corrected_line(means: Iterable[CorrectedMean]) -> str:
    """The corrected means of the metrics on one line, each with its interval; empty for none."""
    return ", ".join(corrected_text(mean) for mean in means if mean.name in METRICS)


def corrected_text(mean: CorrectedMean) -> str:
    """One corrected mean with its name."""
    return f"{mean.name} {corrected_value(mean)}"


def corrected_value(mean: CorrectedMean) -> str:
    """One corrected mean with its 95 % interval, or why there is none."""
    if mean.value is None:
        return f"unknown ({mean.reason})"
    interval = (
        f" ({mean.reason})"
        if mean.low is None or mean.high is None
        else f" [{mean.low:.2f}, {mean.high:.2f}]"
    )
    return f"{shown(mean.name, mean.value)}{interval}"


def missed_lines(means: Iterable[CorrectedMean]) -> Iterator[str]:
    """The thresholds on corrected means that are not reached, a phrase each."""
    for mean in means:
        if mean.missed and not mean.is_covered:
            covered = f"{mean.n_scored} of {mean.n_of} papers"
            yield f"corrected mean {mean.name} covers only {covered}; the others have no score"
            continue
        for floor in mean.missed:
            held = floor.held(mean.value, mean.low)
            value = "unknown" if held is None else shown(mean.name, held, floor.least)
            least = shown(mean.name, floor.least, floor.least)
            yield f"corrected mean {floor.title} {value} < {least} ({corrected_text(mean)})"


_WIDTH: Final = 80
_QUOTE: Final = 2000
"""The longest quotation, in characters; papers may hold paragraphs of a megabyte."""
_LABEL: Final = 13


def describe_pair(pair: PairRecord) -> str:
    """Why one pair fails. The first line alone says what is missed; the rest shows it."""
    verdict = pair.verdict
    lines = ["; ".join(missed_numbers(verdict)), f"{pair.place}: {pair.system} on {pair.paper}"]
    lines += [f"waived: {short_of(waived)}" for waived in verdict.waived]
    if pair.note:
        lines.append(pair.note)
    missed = {shortfall.name.partition(".")[0] for shortfall in verdict.shortfalls}
    lines += filter(None, (averaged_note(s) for s in pair.scores if s.metric in missed))
    if verdict.lacking and pair.summary.strip():
        lines += ["", *_quoted("summary", pair.summary)]
    wanted = {shortfall.name: shortfall.least for shortfall in verdict.shortfalls}
    for number, finding in enumerate(pair.told, start=1):
        lines += ["", *_finding(number, finding, wanted.get(finding.number))]
    lines += weak_lines(pair)
    if pair.change is not None and pair.change.is_change:
        lines += ["", *change_lines(pair.change)]
    return "\n".join(map(safe, lines))


def missed_numbers(verdict: PairVerdict) -> Iterator[str]:
    """Everything that fails a pair, a phrase each."""
    yield from map(short_of, verdict.shortfalls)
    for lack in verdict.lacking:
        yield f"{lack.metric}: {lack.reason}"
    yield from verdict.waiver_faults


def short_of(short: Shortfall) -> str:
    """One number and the threshold that it misses."""
    return missed(short.name, short.value, short.least)


def describe_means(
    system: str,
    verdict: MeanVerdict,
    comparison: Comparison | None = None,
) -> str:
    """Why one system fails over its papers.

    Args:
        system: The system.
        verdict: Its means.
        comparison: The system against a baseline, where there is one.
    """
    lines = []
    for mean in verdict.missed:
        coverage = f"{mean.n_scored} of {mean.n_papers} papers"
        if not mean.is_covered:
            lines.append(f"mean {mean.name} covers only {coverage}; the others have no score")
        elif mean.value is None:
            lines.append(f"mean {mean.name} applies to none of the papers; remove its threshold")
        else:
            others = "" if mean.held == mean.value else ", the others at their worst"
            lines.append(f"mean {missed(mean.name, mean.held, mean.least)} ({coverage}{others})")
    lines += missed_lines(verdict.corrected)
    first = "; ".join([*lines, *verdict.waiver_faults, *broken_rules(comparison)])
    rest = [
        f"  mean {kept(mean.name, mean.value, mean.least)}" for mean in verdict.means if mean.passes
    ]
    rest += [
        f"  waived: mean {missed(mean.name, mean.held, mean.least)}"
        for mean in verdict.means
        if not mean.passes and mean not in verdict.missed
    ]
    if verdict.corrected and (line := corrected_line(verdict.corrected)):
        rest.append(f"  corrected by golden labels: {line}")
    compared = ["", *comparison_lines(comparison)] if comparison is not None else []
    return "\n".join(map(safe, [f"{system}: {first}", *rest, *compared]))


def signature_lines(signatures: Iterable[str]) -> list[str]:
    """The recipes of numbers, each once."""
    return [safe(f"signature  {signature}") for signature in dict.fromkeys(signatures)]


def broken_rules(comparison: Comparison | None) -> list[str]:
    """Why a comparison fails, a phrase each; nothing where it does not, or there is none."""
    if comparison is None:
        return []
    broken = [rule for difference in comparison.differences for rule in difference.broken]
    return [*comparison.mismatches, *broken]


def _finding(number: int, finding: Finding, least: float | None) -> Iterator[str]:
    wanted = f", at least {least:g} wanted" if finding.kind == "facet" and least else ""
    yield f"{number}. {finding.title}: {finding.verdict}{wanted}"
    if finding.reference is not None:
        yield from _quoted("reference", finding.reference)
    yield from _quoted("summary", finding.summary)
    if not finding.evidence:
        yield from _labelled("source", "(no sentence of the source shares a word with it)")
    for place, text in finding.evidence:
        yield from _quoted(f"source [{place + 1}]", text)
    yield from _labelled("reason", one_line(finding.reason))


def _quoted(label: str, text: str) -> Iterator[str]:
    quoted = f'"{one_line(text, _QUOTE)}"' if text.strip() else "(nothing)"
    yield from _labelled(label, quoted)


def _labelled(label: str, text: str) -> Iterator[str]:
    margin = " " * (3 + _LABEL)
    lines = wrap(text, _WIDTH - len(margin), break_on_hyphens=False) or [""]
    yield f"   {label:<{_LABEL - 1}} {lines[0]}"
    for line in lines[1:]:
        yield margin + line


_BROKEN_SHOWN: Final = 10
"""Broken papers that are listed."""


def relation_text(verdict: RelationVerdict) -> str:
    """One relation over papers, in one clause."""
    n_decided = verdict.n_held + verdict.n_broken
    if not n_decided:
        return f"{verdict.relation}: no paper offers the edit"
    told = f"{verdict.relation}: holds on {verdict.n_held} of {n_decided} papers"
    if verdict.n_unanswered:
        told += f", {verdict.n_unanswered} unanswered"
    return f"{told}, at least {verdict.least:.0%} wanted" if verdict.state == "fails" else told


def describe_relation(verdict: RelationVerdict, meaning: str) -> str:
    """Why a judge fails a relation. The first line says how often; then where, worst first."""
    broken = sorted((c for c in verdict.checks if c.held is False), key=lambda c: c.paper)
    lines = [relation_text(verdict), f"wanted: {meaning}", ""]
    for check in broken[:_BROKEN_SHOWN]:
        where = f"{check.paper}: {check.edit}" if check.edit else check.paper
        lines.append(one_line(where, 200))
        for text in check.broken:
            lines += wrap(f"  {text}", _WIDTH, subsequent_indent="    ")
    if len(broken) > _BROKEN_SHOWN:
        lines.append(f"and {len(broken) - _BROKEN_SHOWN} more")
    return "\n".join(map(safe, lines))


def broken_texts(verdict: RelationVerdict) -> list[str]:
    """The papers on which a relation is broken, with what was done and what did not move."""
    return [
        f"{check.paper}: {check.edit}: {'; '.join(map(str, check.broken))}"
        for check in verdict.checks
        if check.held is False
    ]


def relation_lines(relations: Sequence[RelationVerdict]) -> Iterator[str]:
    """The relations of a run that fail, a line each, and how many hold."""
    failing = [verdict for verdict in relations if verdict.state == "fails"]
    held = sum(verdict.state == "passes" for verdict in relations)
    if relations:
        yield f"relations: {held} of {len(relations)} hold"
    yield from (f"  {one_line(relation_text(verdict))}" for verdict in failing)
