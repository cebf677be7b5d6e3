"""The text of a failing test: what was missed, then everything that is wrong, the worst first."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.numbers import shown
from summeval_pytest.text import one_line, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.evaluation import Evaluation
    from summeval_pytest.metrics import Signature
    from summeval_pytest.verdict import Finding, MeanVerdict, PairVerdict

_WIDTH: Final = 80
_QUOTE: Final = 2000
"""The longest quotation, in characters; papers may hold paragraphs of a megabyte."""
_LABEL: Final = 13


def describe_pair(evaluation: Evaluation, verdict: PairVerdict) -> str:
    """Why one pair fails. The first line alone says what is missed; the rest shows it."""
    missed = [
        f"{s.name} {shown(s.name, s.value, s.least)} < {shown(s.name, s.least, s.least)}"
        for s in verdict.shortfalls
    ]
    missed += [f"{lack.metric}: {lack.reason}" for lack in verdict.lacking]
    pair = evaluation.pair
    lines = ["; ".join(missed), f"{pair.place}: {evaluation.system} on {evaluation.paper}"]
    if pair.note:
        lines.append(pair.note)
    if pair.flaw is not None:
        lines += ["", *_quoted("summary", pair.summary)]
    for number, finding in enumerate(verdict.findings, start=1):
        lines += ["", *_finding(number, finding)]
    if verdict.shortfalls:
        lines.append("")
        lines += [f"signature  {signature}" for signature in evaluation.signatures]
    return "\n".join(map(safe, lines))


def describe_means(system: str, verdict: MeanVerdict, signatures: Iterable[Signature]) -> str:
    """Why the means of one system fail, and the recipe of its numbers."""
    lines = []
    for mean in verdict.missed:
        coverage = f"{mean.n_scored} of {mean.n_papers} papers"
        if not mean.is_covered:
            lines.append(f"mean {mean.name} covers only {coverage}; the others have no score")
        elif mean.value is None:
            lines.append(f"mean {mean.name} applies to none of the papers; remove its threshold")
        else:
            value = shown(mean.name, mean.value, mean.least)
            least = shown(mean.name, mean.least, mean.least)
            lines.append(f"mean {mean.name} {value} < {least} ({coverage})")
    first = "; ".join(lines)
    rest = [
        f"  mean {mean.name} {shown(mean.name, mean.value, mean.least)}"
        f" >= {shown(mean.name, mean.least, mean.least)}"
        for mean in verdict.means
        if mean.passes
    ]
    recipes = [f"signature  {signature}" for signature in signatures]
    return "\n".join([f"{system}: {first}", *rest, *recipes])


def _finding(number: int, finding: Finding) -> Iterator[str]:
    yield f"{number}. {finding.title}: {finding.verdict}"
    if finding.reference is not None:
        yield from _quoted("reference", finding.reference)
    yield from _quoted("summary", finding.summary)
    if not finding.evidence:
        yield from _labelled("source", "(no sentence of the source shares a word with it)")
    for place, text in finding.evidence:
        yield from _quoted(f"source [{place}]", text)
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
