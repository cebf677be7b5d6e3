"""GitHub annotations as workflow commands, and Markdown made safe.

A runner obeys every line that begins with ``::``, and shows ten errors of a step at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import CATALOGUE
from summeval_pytest.record.record import PairRecord
from summeval_pytest.reports.pair import broken_rules, describe_means, missed_numbers, relation_text
from summeval_pytest.reports.trust import MARK, UNTRUSTED, trust_of
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.decide import SystemMean
from summeval_pytest.verdict.findings import rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from summeval_pytest.record.record import RunRecord, SystemRecord
    from summeval_pytest.verdict.decide import Shortfall
    from summeval_pytest.verdict.findings import Finding


MOST: Final = 10
"""A runner drops further errors of a step without a word."""
_PHRASES: Final = 4
_TITLE: Final = 200
_PHRASE: Final = 500
_QUOTE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One annotation: what GitHub shows, and where; without a place it belongs to the run."""

    level: Literal["error", "warning"]
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
    at_fault: list[SystemRecord | PairRecord] = []
    if with_pairs:
        notes = [*_untrusted(record), *_tried(record), *notes]
        at_fault = [*failing_systems(record), *failing_pairs(record)]
    room = MOST - len(notes)
    n_shown = len(at_fault) if len(at_fault) <= room else room - 1
    for note in notes:
        yield note.command(locate)
    for each in at_fault[:n_shown]:
        found = _of_pair(each) if isinstance(each, PairRecord) else _of_system(each)
        yield found.command(locate)
    rest = at_fault[n_shown:]
    if rest:
        n_unscored = sum(each.outcome == "error" for each in rest)
        yield Annotation(
            level="error",
            title=f"{len(rest):,} more",
            message=f"{len(rest) - n_unscored:,} more fail and {n_unscored:,} more are unscored;"
            " the step summary lists them",
        ).command(locate)


def failing_systems(record: RunRecord) -> list[SystemRecord]:
    """The systems whose own verdict fails, then those that have none by the judge's fault."""
    systems = (system for suite in record.suites for system in suite.systems)
    at_fault = (system for system in systems if system.outcome in {"failed", "error"})
    return sorted(at_fault, key=lambda system: system.outcome == "error")


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
        yield Annotation(
            level="error",
            title=f"judge fails {len(failing)} of {len(verdicts)} relations",
            message=_joined(failing),
        )


def _untrusted(record: RunRecord) -> Iterator[Annotation]:
    """That the judge misses its floors, or was not measured, at the suites' files."""
    suites = [s for s in record.suites if s.trust is not None and s.trust.outcome != "passed"]
    suites.sort(key=lambda suite: not suite.is_untrusted)
    for suite in suites[:_PHRASES]:
        title = "judge undecided" if suite.trust and suite.trust.undecided else "judge not measured"
        told = [one_line(trust_of(suite), _PHRASE)]
        if suite.is_untrusted:
            title, told = UNTRUSTED, [*told, MARK]
        yield Annotation(
            level="error",
            title=f"{title}: {suite.name}",
            message="\n".join(told),
            place=Place(suite.shown),
        )
    if len(suites) > _PHRASES:
        n_more = len(suites) - _PHRASES
        yield Annotation(
            level="error",
            title=f"judge: {n_more:,} more suites",
            message=f"the judge is untrusted or not measured on {n_more:,} more;"
            " the step summary lists them",
        )


def _partly_judged(record: RunRecord) -> Iterator[Annotation]:
    gaps = [one_line(f"{suite.shown}: {gap}") for suite in record.suites for gap in suite.gaps]
    if gaps:
        more = f"; {len(gaps) - _PHRASES} more" if len(gaps) > _PHRASES else ""
        yield Annotation(
            level="warning",
            title="only a part of the gate",
            message=f"{'; '.join(gaps[:_PHRASES])}{more}; the run decides nothing about the rest",
        )


def _of_pair(pair: PairRecord) -> Annotation:
    whose = f"{pair.system} on {pair.paper}"
    if pair.outcome == "error":
        return Annotation(
            level="error",
            title=f"unscored: {whose}",
            message=one_line(pair.fault or "the judge gave no usable answer", _PHRASE),
            place=pair.place,
        )
    phrases = [one_line(phrase, _PHRASE) for phrase in missed_numbers(pair.verdict)]
    lines = [_joined(phrases)]
    if pair.told:
        lines += _finding_lines(pair.told[0])
    elif pair.verdict.lacking:
        lines.append(_quoted("summary", pair.summary))
    return Annotation(
        level="error",
        title=f"{_failing(pair)}: {whose}",
        message="\n".join(lines),
        place=pair.place,
    )


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


def _finding_lines(finding: Finding) -> Iterator[str]:
    yield one_line(f"{finding.title}: {finding.verdict}", _PHRASE)
    if finding.reference is not None:
        yield _quoted("reference", finding.reference)
    yield _quoted("summary", finding.summary)
    for index, sentence in finding.evidence[:1]:
        yield _quoted(f"source [{index + 1}]", sentence)
    yield f"reason: {one_line(finding.reason, _QUOTE)}"


def _quoted(label: str, text: str) -> str:
    return f'{label}: "{one_line(text, _QUOTE)}"' if text.strip() else f"{label}: (nothing)"


def _joined(phrases: list[str]) -> str:
    more = len(phrases) - _PHRASES
    return "; ".join(phrases[:_PHRASES]) + (f"; {more} more" if more > 0 else "")


def _of_system(system: SystemRecord) -> Annotation:
    if system.outcome == "error":
        title, lines = "unscored", [system.fault or "the judge gave no usable answer"]
    else:
        title, lines = _system_failure(system)
    return Annotation(
        level="error",
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


T = TypeVar("T")
_TICKS: Final = re.compile("`+")
NOTHING: Final = "(nothing)"


def code(text: str, width: int = 240) -> str:
    r"""The text as a code span of one line, at most ``width`` characters of it.

    Its fence is longer than any run of backticks inside. Not for tables, see `cell`.

    >>> code("a `b` [c](d)")
    '`` a `b` [c](d) ``'
    """
    line = one_line(text, width)
    if not line:
        return NOTHING
    longest = max(map(len, _TICKS.findall(line)), default=0)
    if longest == 0:
        return f"`{line}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"


def cell(text: str, width: int = 80) -> str:
    r"""The text as a code span for a table, where a pipe would end the cell.

    >>> cell("a|b")
    '`a\\|b`'
    """
    return code(text, width).replace("|", r"\|")


def row(cells: Iterable[str]) -> str:
    """One row of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def head(names: Sequence[str], *, n_words: int = 1) -> str:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    return f"{row(names)}\n{row(rules)}"


def fitting(items: Sequence[T], shown: Callable[[T], str], *, room: int) -> Iterator[str]:
    """As many of the items as fit into ``room`` bytes of UTF-8, each shown as a whole.

    Args:
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, each with a line break.
    """
    for item in items:
        text = shown(item)
        room -= len(text.encode()) + 1
        if room < 0:
            return
        yield text


def section(
    title: str,
    items: Sequence[T],
    shown: Callable[[T], str],
    *,
    room: int,
    table: str = "",
) -> Iterator[str]:
    """A heading and the items that fit, then how many more there are; nothing without items.

    Args:
        title: The heading, in our own words.
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, as for `fitting`.
        table: The head of a table of which each item is a row; empty for none.
    """
    if not items:
        return
    yield from ("", f"## {title}", "", *([table] if table else ()))
    n_shown = 0
    for text in fitting(items, shown, room=room):
        n_shown += 1
        yield text
    if n_shown < len(items):
        yield from ("", f"{len(items) - n_shown:,} more; the other reports have them all.")
