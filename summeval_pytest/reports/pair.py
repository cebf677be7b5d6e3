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
    from collections.abc import Callable, Collection, Iterable, Iterator

    from summeval_pytest.metrics.score import Score, Unscored
    from summeval_pytest.record.record import (
        Claim,
        Comparison,
        Difference,
        PairChange,
        PairRecord,
    )
    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict, Shortfall
    from summeval_pytest.verdict.findings import Finding


_WIDTH: Final = 80
_DIGITS: Final = 3
_DOUBLE: Final = 17
"""Digits that tell any two doubles apart."""
_QUOTE: Final = 2000
"""The longest quotation, in characters; papers may hold paragraphs of a megabyte."""
_CLAIM_QUOTE: Final = 400
_SENTENCE: Final = 54
"""Characters of a weakly supported sentence, so that it is one line."""
_CLAIMS: Final = 5
"""How many facts or sentences of one kind are listed for a paper."""
_FLIPS: Final = 12
"""How many flipped facets are listed."""
_OLD: Final = 26
"""Where the old mean ends, so that a long name leaves the other columns where they are."""
_NEW: Final = 7
"""The width of the new mean, with a space before it."""
_CHANGE: Final = 41
"""Where the change ends."""
LEGEND: Final = (
    "p drop: paired permutation test over papers, Holm-adjusted. seen: the smallest",
    "true drop that this many papers show with 80 % power; smaller ones may hide.",
)


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
    return beside(value, () if least is None else (least,), meets=named.meets)


def beside(
    value: float,
    bounds: Collection[float],
    digits: int = _DIGITS,
    *,
    meets: Callable[[float, float], bool] = operator.ge,
) -> str:
    """A number with ``digits`` digits, or as many more as it takes to stand right to every bound.

    That is to meet it or not, as the number itself does.
    """
    while digits < _DOUBLE and any(
        meets(round(value, digits), bound) != meets(value, bound) for bound in bounds
    ):
        digits += 1
    return f"{value:.{digits}f}"


def held_to(name: str, value: float | None, least: float) -> str:
    """A number and its threshold: ``facet 0.425 < 0.750``, ``eva 0.400 >= 0.300``."""
    return f"{name} {shown(name, value, least)} {against(name, value, least)}"


def against(name: str, value: float | None, least: float) -> str:
    """How a number stands to its threshold: ``< 0.750``."""
    named, bound = CATALOGUE[name], shown(name, least, least)
    is_met = named.meets(value, least)
    if named.lower_is_better:
        return f"{'<=' if is_met else '>'} {bound} at most"
    return f"{'>=' if is_met else '<'} {bound}"


def short_of(short: Shortfall) -> str:
    """One number and the threshold that it misses."""
    return held_to(short.name, short.value, short.least)


def missed_numbers(verdict: PairVerdict) -> Iterator[str]:
    """Everything that fails a pair, a phrase each."""
    yield from map(short_of, verdict.shortfalls)
    yield from (f"{lack.metric}: {lack.reason}" for lack in verdict.lacking)
    yield from verdict.waiver_faults


def describe_pair(pair: PairRecord) -> str:
    """Why one pair fails. The first line alone says what is missed; the rest shows it."""
    verdict = pair.verdict
    lines = ["; ".join(missed_numbers(verdict)), f"{pair.place}: {pair.system} on {pair.paper}"]
    lines += [f"waived: {short_of(waived)}" for waived in verdict.waived]
    missed = {shortfall.name.partition(".")[0] for shortfall in verdict.shortfalls}
    averaged = (averaged_note(score) for score in pair.scores if score.metric in missed)
    lines += filter(None, (pair.note, *averaged))
    if verdict.lacking and pair.summary.strip():
        lines += ["", *_labelled("summary", quoted(pair.summary, _QUOTE))]
    wanted = {shortfall.name: shortfall.least for shortfall in verdict.shortfalls}
    for number, finding in enumerate(pair.told, start=1):
        lines += ["", *_finding(number, finding, wanted.get(finding.number))]
    lines += _weak_lines(pair, wanted.get(SUPPORT, 0.0))
    if pair.change is not None and pair.change.is_change:
        lines += ["", *change_lines(pair.change)]
    return "\n".join(map(safe, lines))


def averaged_note(score: Score | Unscored) -> str:
    """Whose evidence a score shows that is a mean over references; empty for any other."""
    if not (isinstance(score, FacetScore | EvaScore) and score.by_reference):
        return ""
    return (
        f"{score.metric}: numbers are means over {len(score.by_reference)} references; what is"
        " shown is of the one with the lowest score"
    )


def _finding(number: int, finding: Finding, least: float | None) -> Iterator[str]:
    wanted = f", at least {least:g} wanted" if finding.kind == "facet" and least else ""
    yield f"{number}. {finding.title}: {finding.verdict}{wanted}"
    for label, text in excerpts(finding, _QUOTE):
        yield from _labelled(label, text)
    if not finding.evidence and finding.kind != "own":
        yield from _labelled("source", "(no sentence of the source shares a word with it)")
    if finding.reason:
        yield from _labelled("reason", one_line(finding.reason))


def excerpts(
    finding: Finding, width: int, *, n_sources: int | None = None
) -> Iterator[tuple[str, str]]:
    """Both texts of a finding and its source sentences, quoted on one line, each with a label."""
    if finding.reference is not None:
        yield "reference", quoted(finding.reference, width)
    yield "summary", quoted(finding.summary, width)
    for place, text in finding.evidence[:n_sources]:
        yield f"source [{place + 1}]", quoted(text, width)


def quoted(text: str, width: int) -> str:
    """The text on one line, in quotation marks."""
    return f'"{one_line(text, width)}"' if text.strip() else "(nothing)"


def _labelled(label: str, text: str) -> Iterator[str]:
    yield from _hung(f"   {label:<12} ", text)


def _hung(label: str, text: str) -> Iterator[str]:
    lines = wrap(text, _WIDTH - len(label), break_on_hyphens=False) or [""]
    for number, line in enumerate(lines):
        yield safe(f"{' ' * len(label) if number else label}{line}")


def _weak_lines(pair: PairRecord, least: float) -> Iterator[str]:
    """The sentences supported by less than a missed threshold on mean support, the weakest first.

    The unsupported ones lower it, too, and are findings already.
    """
    weak = sorted(
        (sentence.support, sentence.index, sentence.text)
        for score in pair.scores
        if isinstance(score, FaithfulnessScore)
        for sentence in score.sentences
        if sentence.supported and sentence.support is not None and sentence.support < least
    )
    if weak:
        yield ""
        yield f"supported, though by less than {shown(SUPPORT, least, least)} of 1:"
    for support, index, text in weak[:_CLAIMS]:
        what = quoted(text, _SENTENCE)
        yield f"   sentence {index + 1}, {shown(SUPPORT, support, least)}: {what}"
    if len(weak) > _CLAIMS:
        yield f"   and {len(weak) - _CLAIMS} more"


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
        for when, text in (("before", facet.before), ("now   ", facet.after)):
            told = one_line(f'"{text}"' if text else "(nothing)", _CLAIM_QUOTE)
            yield from _hung(f"    {when} ", told)
        yield from _hung("    reason ", one_line(facet.reason, _CLAIM_QUOTE))
    yield from _claims("new unsupported sentence", change.unsupported)
    yield from _claims("new fact that does not follow from the reference", change.invented)
    yield from _claims("fact of the reference lost", change.lost)
    yield from _claims("unsupported sentence gone", change.mended, with_reason=False)
    yield from _claims("fact of the reference regained", change.regained, with_reason=False)


def _claims(what: str, claims: Collection[Claim], *, with_reason: bool = True) -> Iterator[str]:
    for claim in [*claims][:_CLAIMS]:
        yield f"  {what}:"
        yield from _hung("    ", one_line(f'"{claim.text}"', _CLAIM_QUOTE))
        if with_reason and claim.reason:
            yield from _hung("    reason ", one_line(claim.reason, _CLAIM_QUOTE))
    if len(claims) > _CLAIMS:
        yield f"  {what}: {len(claims) - _CLAIMS} more"


def missed_means(verdict: MeanVerdict, comparison: Comparison | None = None) -> Iterator[str]:
    """Why one system fails over its papers, and against a baseline, a phrase each."""
    for mean in verdict.missed:
        coverage = f"{mean.n_scored} of {mean.n_papers} papers"
        if not mean.is_covered:
            yield f"mean {mean.name} covers only {coverage}; the others have no score"
        elif mean.value is None:
            yield f"mean {mean.name} applies to none of the papers; remove its threshold"
        else:
            others = "" if mean.held == mean.value else ", the others at their worst"
            yield f"mean {held_to(mean.name, mean.held, mean.least)} ({coverage}{others})"
    yield from missed_lines(verdict.corrected)
    yield from verdict.waiver_faults
    yield from broken_rules(comparison)


def describe_means(system: str, verdict: MeanVerdict, comparison: Comparison | None = None) -> str:
    """Why one system fails over its papers, and all else that is known of its means."""
    first = "; ".join(missed_means(verdict, comparison))
    rest = [
        f"  mean {held_to(mean.name, mean.value, mean.least)}"
        for mean in verdict.means
        if mean.passes
    ]
    rest += [
        f"  waived: mean {held_to(mean.name, mean.held, mean.least)}"
        for mean in verdict.means
        if not mean.passes and mean not in verdict.missed
    ]
    if line := corrected_line(verdict.corrected):
        rest.append(f"  corrected by golden labels: {line}")
    if comparison is not None:
        rest += ["", *comparison_lines(comparison)]
    return "\n".join(map(safe, [f"{system}: {first}", *rest]))


def corrected_line(means: Iterable[CorrectedMean]) -> str:
    """The corrected means of the metrics on one line, each with its interval; empty for none."""
    return ", ".join(corrected_text(mean) for mean in means if mean.name in METRICS)


def corrected_text(mean: CorrectedMean) -> str:
    """One corrected mean with its name."""
    return f"{mean.name} {corrected_value(mean)}"


def corrected_value(mean: CorrectedMean) -> str:
    """One corrected mean with its 95 % interval, or why there is none."""
    reason = one_line(mean.reason)
    if mean.value is None:
        return f"unknown ({reason})"
    if mean.low is None or mean.high is None:
        return f"{shown(mean.name, mean.value)} ({reason})"
    return f"{shown(mean.name, mean.value)} [{mean.low:.2f}, {mean.high:.2f}]"


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


def broken_rules(comparison: Comparison | None) -> list[str]:
    """Why a comparison fails, a phrase each; nothing where it does not, or there is none."""
    if comparison is None:
        return []
    broken = [rule for difference in comparison.differences for rule in difference.broken]
    return [*comparison.mismatches, *broken]


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """A table of the differences, then the facets that flipped, the worst first."""
    whose = one_line(f"against {comparison.baseline} ({comparison.system})")
    differences, flips = comparison.differences, comparison.flips
    if comparison.mismatches:
        yield f"{whose}: not compared"
        yield from (f"  {one_line(mismatch, 400)}" for mismatch in comparison.mismatches)
        return
    if not differences:
        yield f"{whose}: no number that both have"
        return
    yield from _table(whose, differences)
    notes = [("undecided: ", told) for told in comparison.undecided]
    for label, told in (*notes, *(("note: ", told) for told in comparison.brevity)):
        yield from _hung(label, one_line(told, _CLAIM_QUOTE))
    if flips:
        yield f"facets rated lower, worst first ({len(flips)}):"
    yield from (f"  {one_line(f.paper)}: {f.facet} {f.old} -> {f.new}" for f in flips[:_FLIPS])
    if len(flips) > _FLIPS:
        yield f"  {len(flips) - _FLIPS} more: summeval compare"


def _table(whose: str, differences: Collection[Difference]) -> Iterator[str]:
    n_papers = max(difference.n_papers for difference in differences)
    yield f"{whose}, {n_papers} {'paper' if n_papers == 1 else 'papers'}"
    columns = f"{'old':>7}{'new':>7}{'change':>8}  {'95 % interval':<16}{'p drop':>7}{'seen':>7}"
    yield " " * 19 + columns
    yield from map(_row, differences)
    for difference in differences:
        if difference.n_papers < n_papers:
            yield f"{difference.name} is on {difference.n_papers:,} of them only"
    if any(difference.p is not None for difference in differences):
        yield from LEGEND


def _bounds(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"


def _row(difference: Difference) -> str:
    name, interval = difference.name, _bounds(difference.low, difference.high)
    p = "" if difference.p is None else f"{difference.p:.4f}"
    seen = "" if difference.p is None else detectable_text(difference)
    old, new, change = f"{difference.old:.3f}", f"{difference.new:.3f}", f"{difference.change:+.3f}"
    told = f"{old:>{max(0, _OLD - len(name))}}{new:>{_NEW}}{change:>8}"
    if len(name) + len(told) > _CHANGE or len(name) + len(old) >= _OLD or len(new) >= _NEW:
        told = f" {f'{old} {new} {change}':>{_CHANGE - len(name) - 1}}"
    line = f"{name}{told}  {interval:<16}{p:>7}{seen:>7}"
    return f"{line}  FAILS" if difference.broken else line.rstrip()


def detectable_text(difference: Difference) -> str:
    """The smallest drop that would have been found; a dash where nothing varies."""
    if difference.deviation == 0.0:
        return "-"
    return "none" if difference.detectable is None else f"{difference.detectable:.3f}"


def signature_lines(signatures: Iterable[str]) -> list[str]:
    """The recipes of numbers, each once."""
    return [safe(f"signature  {signature}") for signature in dict.fromkeys(signatures)]
