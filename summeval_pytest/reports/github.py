"""GitHub annotations as workflow commands.

A runner obeys every line that begins with ``::``, and shows ten errors of a step at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.reports.pair import (
    broken_rules,
    describe_means,
    excerpts,
    missed_numbers,
    quoted,
    relation_text,
)
from summeval_pytest.reports.trust import MARK, UNTRUSTED, trust_of
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.decide import SystemMean
from summeval_pytest.verdict.findings import rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from summeval_pytest.record.record import PairRecord, RunRecord, SystemRecord
    from summeval_pytest.verdict.decide import Shortfall


_LINES: Final = 10
"""A runner drops further errors of a step without a word."""
_PHRASES: Final = 4
_TITLE: Final = 200
_PHRASE: Final = 500
_QUOTE: Final = 300
_SILENT: Final = "the judge gave no usable answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What GitHub shows, and where; without a place it belongs to the run."""

    level: Literal["error", "warning"] = "error"
    title: str
    message: str
    place: Place | None = None

    def command(self, locate: Callable[[str], str] = str) -> str:
        """The line that a runner reads; ``locate`` makes a path relative to the repository."""
        properties = []
        if self.place is not None:
            properties.append(f"file={_property(locate(self.place.path))}")
            properties.append(f"line={max(self.place.line, 1)}")
        properties.append(f"title={_property(one_line(self.title, _TITLE))}")
        return f"::{self.level} {','.join(properties)}::{_data(self.message)}"


def _data(text: str) -> str:
    """A message that the runner turns into `safe` text, line breaks kept."""
    return safe(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def annotation_lines(
    record: RunRecord, *, locate: Callable[[str], str] = str, with_pairs: bool = True
) -> Iterator[str]:
    """The lines to print, ten at most: an untrusted judge, failing systems, then the worst pairs.

    The last one says how many more there are.

    Args:
        record: The run.
        locate: Makes a path as the suite shows it one that is relative to the repository's root.
        with_pairs: False where somebody else annotates the failing tests, which are the judge, the
            pairs and the systems.
    """
    notes = [*_partly_judged(record)]
    systems: list[SystemRecord] = []
    pairs: list[PairRecord] = []
    if with_pairs:
        notes = [*_untrusted(record), *_tried(record), *notes]
        systems = [system for suite in record.suites for system in suite.systems]
        systems = [each for each in systems if each.outcome in {"failed", "error"}]
        systems.sort(key=lambda system: system.outcome == "error")
        pairs = failing_pairs(record)
    n_at_fault, room = len(systems) + len(pairs), _LINES - len(notes)
    n_shown = n_at_fault if n_at_fault <= room else room - 1
    n_pairs = max(0, n_shown - len(systems))
    notes += [*map(_of_system, systems[:n_shown]), *map(_of_pair, pairs[:n_pairs])]
    if n_rest := n_at_fault - n_shown:
        outcomes = [*(s.outcome for s in systems[n_shown:]), *(p.outcome for p in pairs[n_pairs:])]
        n_unscored = outcomes.count("error")
        more = f"{n_rest - n_unscored:,} more fail and {n_unscored:,} more are unscored"
        message = f"{more}; the step summary lists them"
        notes.append(Annotation(title=f"{n_rest:,} more", message=message))
    yield from (note.command(locate) for note in notes)


def failing_pairs(record: RunRecord) -> list[PairRecord]:
    """The pairs that fail, the worst first, then those that the judge left unscored.

    A pair without a score by the system's own fault is the worst; else the one farthest under its
    thresholds, all of them together, and of equals the one with the worst finding.
    """

    def goodness(pair: PairRecord) -> tuple[object, ...]:
        verdict = pair.verdict
        under = sum(map(_gap, verdict.shortfalls))
        worst = [rank(finding) for finding in pair.told[:1]]
        return pair.outcome == "error", not verdict.lacking, -under, not worst, worst

    pairs = (pair for suite in record.suites for pair in suite.pairs)
    return sorted((pair for pair in pairs if pair.outcome != "passed"), key=goodness)


def _gap(short: Shortfall | SystemMean) -> float:
    """How far a number is from its threshold, as a share of its range."""
    held = short.held if isinstance(short, SystemMean) else short.value
    return CATALOGUE[short.name].gap(held, short.least)


def _tried(record: RunRecord) -> Iterator[Annotation]:
    """How many relations the judge fails, one annotation for all."""
    verdicts = [verdict for suite in record.suites for verdict in suite.relations]
    failing = [one_line(relation_text(v)) for v in verdicts if v.state in {"fails", "unanswered"}]
    if failing:
        title = f"judge fails {len(failing)} of {len(verdicts)} relations"
        yield Annotation(title=title, message=_joined(failing))


def _untrusted(record: RunRecord) -> Iterator[Annotation]:
    """That the judge misses its floors, or was not measured, at the suites' files."""
    suites = [s for s in record.suites if s.trust is not None and s.trust.outcome != "passed"]
    suites.sort(key=lambda suite: not suite.is_untrusted)
    for suite in suites[:_PHRASES]:
        title = "judge undecided" if suite.trust and suite.trust.undecided else "judge not measured"
        told = one_line(trust_of(suite), _PHRASE)
        if suite.is_untrusted:
            title, told = UNTRUSTED, f"{told}\n{MARK}"
        yield Annotation(title=f"{title}: {suite.name}", message=told, place=Place(suite.shown))
    if n_more := len(suites[_PHRASES:]):
        more = f"the judge is untrusted or not measured on {n_more:,} more"
        yield Annotation(
            title=f"judge: {n_more:,} more suites", message=f"{more}; the step summary lists them"
        )


def _partly_judged(record: RunRecord) -> Iterator[Annotation]:
    gaps = [one_line(f"{suite.shown}: {gap}") for suite in record.suites for gap in suite.gaps]
    if gaps:
        message = f"{_joined(gaps)}; the run decides nothing about the rest"
        yield Annotation(level="warning", title="only a part of the gate", message=message)


def _joined(phrases: list[str]) -> str:
    more = len(phrases) - _PHRASES
    return "; ".join(phrases[:_PHRASES]) + (f"; {more} more" if more > 0 else "")


def _of_pair(pair: PairRecord) -> Annotation:
    if pair.outcome == "error":
        title, lines = "unscored", [one_line(pair.fault or _SILENT, _PHRASE)]
    else:
        title = _failing(pair)
        lines = [_joined([one_line(phrase, _PHRASE) for phrase in missed_numbers(pair.verdict)])]
        for finding in pair.told[:1]:
            lines.append(one_line(f"{finding.title}: {finding.verdict}", _PHRASE))
            lines += [f"{label}: {text}" for label, text in excerpts(finding, _QUOTE, n_sources=1)]
            lines.append(f"reason: {one_line(finding.reason, _QUOTE)}")
        if pair.verdict.lacking and not pair.told:
            lines.append(f"summary: {quoted(pair.summary, _QUOTE)}")
    title = f"{title}: {pair.system} on {pair.paper}"
    return Annotation(title=title, message="\n".join(lines), place=pair.place)


def _failing(pair: PairRecord) -> str:
    """What fails a pair, for a heading: a conflict, a sentence, a facet or a number."""
    verdict = pair.verdict
    if verdict.lacking:
        return "no score"
    for finding in pair.told[:1]:
        if finding.conflict:
            return f"conflict in {finding.title}"
        if finding.kind == "sentence":
            return f"unsupported {finding.title}"
        if finding.kind == "facet" and finding.number in verdict.missed:
            return finding.title
    if verdict.shortfalls:
        return max(verdict.shortfalls, key=_gap).name
    return "waiver" if verdict.waiver_faults else "failed"


def _of_system(system: SystemRecord) -> Annotation:
    title, lines = "unscored", [system.fault or _SILENT]
    if system.outcome != "error":
        title, lines = _system_failure(system)
    return Annotation(
        title=f"{title}: {system.name}",
        message="\n".join(one_line(line, _PHRASE) for line in lines),
        place=system.place,
    )


def _system_failure(system: SystemRecord) -> tuple[str, list[str]]:
    """What fails a system, for a heading, and all of it in lines."""
    verdict, comparison = system.verdict, system.comparison
    titles, lines = [], []
    if verdict.missed:
        titles.append(f"mean {max(verdict.missed, key=_gap).name}")
    titles += [f"corrected mean {mean.name}" for mean in system.corrected if mean.missed]
    if not verdict.passes:
        lines.append(describe_means("", verdict).split("\n")[0].removeprefix(": "))
    if comparison is not None and not comparison.passes:
        names = [difference.name for difference in comparison.differences if difference.broken]
        titles.append(f"drop of {', '.join(names)}" if names else "not comparable")
        against = f"against {comparison.baseline} ({comparison.system})"
        lines.append(f"{against}: {_joined(broken_rules(comparison))}")
    if verdict.waiver_faults:
        titles.append("waiver")
    return (titles or ["failed"])[0], lines or [system.fault or "the step summary says why"]
