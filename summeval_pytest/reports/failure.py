"""The text of a failing test: what was missed, then everything that is wrong, the worst first."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.comparison import change_lines, comparison_lines
from summeval_pytest.reports.corrected import corrected_line, missed_lines
from summeval_pytest.reports.numbers import averaged_note, kept, missed
from summeval_pytest.reports.weak_support import weak_lines
from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.verdict import (
        Comparison,
        Finding,
        MeanVerdict,
        PairRecord,
        PairVerdict,
        Shortfall,
    )

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
