"""What GitHub and GitLab show of a run: annotations, and the step summary.

GitHub's runner obeys every line that begins with ``::``, and shows ten errors of a step at most. In
the summary everything that papers, systems and judges have written stands in code spans. Each of
its sections has room of its own and is cut at whole rows, so that a thousand findings hide neither
cost nor waivers. GitLab reads a code quality report, which has room for all.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import CATALOGUE, METRICS, Unscored
from summeval_pytest.record.stored import Stored
from summeval_pytest.reports import judge_section
from summeval_pytest.reports.pair import (
    against,
    broken_rules,
    corrected_value,
    describe_means,
    detectable_text,
    excerpts,
    missed_numbers,
    quoted,
    shown,
)
from summeval_pytest.reports.run import calls_lines
from summeval_pytest.reports.template import template
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.decide import SystemMean
from summeval_pytest.verdict.findings import rank
from summeval_pytest.verdict.trust import confusions, worst_disagreements

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from summeval_pytest.record.record import (
        Covered,
        Outcome,
        PairRecord,
        RunRecord,
        SystemRecord,
    )
    from summeval_pytest.verdict.decide import Shortfall


_LINES: Final = 10
"""A runner drops further errors of a step without a word."""
_PHRASES: Final = 4
_TITLE: Final = 200
_DESCRIPTION: Final = 1000
_PHRASE: Final = 500
_QUOTE: Final = 300
_SILENT: Final = "the judge gave no usable answer"
STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step's summary is appended."""
NOTHING: Final = "(nothing)"
_TICKS: Final = re.compile("`+")
_PLAIN: Final = re.compile(r"[a-zA-Z0-9 ,.'%-]*")
"""Words that mean nothing in Markdown."""
_FAULTS: Final[dict[Covered, str]] = {
    "failed": "\u274c failed",
    "error": "\u26a0\ufe0f unscored",
}
T = TypeVar("T")


Kind = Literal["judge", "part", "system", "pair", "more"]
_SEVERITIES: Final[dict[Kind, str]] = {
    "judge": "blocker",
    "system": "critical",
    "pair": "major",
    "part": "info",
}
"""How GitLab calls what each kind of annotation means for the release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What is shown beside a line of a file; without a place it belongs to the run."""

    kind: Kind = "pair"
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

    def quality(self, about: Sequence[str], path: str) -> dict[str, object]:
        """The entry of a code quality report; ``about`` tells it from others, run after run."""
        name = f"summeval-{self.kind}"
        known = json.dumps([name, *about])
        told = f"{self.title}: {self.message}".replace("\n", "; ")
        return {
            "description": one_line(told, _DESCRIPTION),
            "check_name": name,
            "fingerprint": sha256(known.encode()).hexdigest(),
            "severity": _SEVERITIES[self.kind],
            "location": {"path": path, "lines": {"begin": (self.place and self.place.line) or 1}},
        }


def _data(text: str) -> str:
    """A message that the runner turns into `safe` text, line breaks kept."""
    return safe(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def annotation_lines(
    record: RunRecord, *, locate: Callable[[str], str] = str, with_pairs: bool = True
) -> Iterator[str]:
    """The lines to print, ten at most: an untrusted judge, failing systems, then the worst pairs.

    The last one says how many more there are. ``locate`` makes a path as the suite shows it one
    that is relative to the repository's root. Without ``with_pairs``, somebody else annotates the
    failing tests, which are the judge, the pairs and the systems.
    """
    notes = [*_partly_judged(record)]
    systems: list[SystemRecord] = []
    pairs: Stored[PairRecord] = Stored(())
    n_failed = 0
    if with_pairs:
        notes = [*_untrusted(record), *notes]
        systems = [system for suite in record.suites for system in suite.systems]
        systems = [each for each in systems if each.outcome in {"failed", "error"}]
        systems.sort(key=lambda system: system.outcome == "error")
        failed, unscored = failing_pairs(record)
        pairs, n_failed = Stored([*failed.reads, *unscored.reads]), len(failed)
    n_at_fault, room = len(systems) + len(pairs), _LINES - len(notes)
    n_shown = n_at_fault if n_at_fault <= room else room - 1
    n_pairs = max(0, n_shown - len(systems))
    notes += [*map(_of_system, systems[:n_shown]), *map(_of_pair, pairs[:n_pairs])]
    if n_rest := n_at_fault - n_shown:
        n_unscored = len(pairs) - max(n_pairs, n_failed)
        n_unscored += sum(system.outcome == "error" for system in systems[n_shown:])
        more = f"{n_rest - n_unscored:,} more fail and {n_unscored:,} more are unscored"
        message = f"{more}; the step summary lists them"
        notes.append(Annotation(kind="more", title=f"{n_rest:,} more", message=message))
    yield from (note.command(locate) for note in notes)


def quality_pieces(record: RunRecord, *, locate: Callable[[str], str] = str) -> Iterator[str]:
    """GitLab's code quality report, entry by entry: what `annotation_lines` tells, all of it.

    An entry keeps its fingerprint for as long as the same pair, system or judge fails.
    """
    mark = "[\n"
    for about, note in _all_notes(record):
        path = locate(note.place.path if note.place else record.suites[0].shown)
        suite, *names = about
        yield f"{mark}{json.dumps(note.quality([locate(suite), *names], path))}"
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


def _all_notes(record: RunRecord) -> Iterator[tuple[tuple[str, ...], Annotation]]:
    """Each annotation with what it is about: a suite, and a system and paper of it, if any."""
    for note in (*_untrusted(record), *_partly_judged(record)):
        names = note.title.partition(": ")[2:] if note.kind == "judge" else ()
        yield (note.place.path if note.place else "", *names), note
    for suite in record.suites:
        for system in suite.systems:
            if system.outcome in _FAULTS:
                yield (suite.shown, system.name), _of_system(system)
        for place, outline in enumerate(suite.outlines):
            if outline.outcome in _FAULTS:
                about = (suite.shown, outline.system, outline.paper)
                yield about, _of_pair(suite.pairs[place])


def failing_pairs(record: RunRecord) -> tuple[Stored[PairRecord], Stored[PairRecord]]:
    """The pairs that fail, the worst first, and those that the judge left unscored.

    A pair without a score by the system's own fault is the worst; else the one farthest under its
    thresholds, all of them together, and of equals the one with the worst finding.
    """

    def goodness(pair: PairRecord) -> tuple[object, ...]:
        verdict = pair.verdict
        under = sum(map(_gap, verdict.shortfalls))
        worst = [rank(finding) for finding in pair.told[:1]]
        return not verdict.lacking, -under, not worst, worst

    def of(wanted: Outcome) -> Stored[PairRecord]:
        reads = [
            partial(suite.pairs.__getitem__, place)
            for suite in record.suites
            for place, outline in enumerate(suite.outlines)
            if outline.outcome == wanted
        ]
        return Stored(sorted(reads, key=lambda read: goodness(read())))

    return of("failed"), of("error")


def _gap(short: Shortfall | SystemMean) -> float:
    """How far a number is from its threshold, as a share of its range."""
    held = short.held if isinstance(short, SystemMean) else short.value
    return CATALOGUE[short.name].gap(held, short.least)


def _untrusted(record: RunRecord) -> Iterator[Annotation]:
    suites = [s for s in record.suites if s.trust is not None and s.trust.outcome != "passed"]
    suites.sort(key=lambda suite: not suite.is_untrusted)
    for suite in suites[:_PHRASES]:
        title = "judge undecided" if suite.trust and suite.trust.undecided else "judge not measured"
        told = one_line(judge_section.trust_of(suite), _PHRASE)
        if suite.is_untrusted:
            title, told = judge_section.UNTRUSTED, f"{told}\n{judge_section.MARK}"
        title, place = f"{title}: {suite.name}", Place(suite.shown)
        yield Annotation(kind="judge", title=title, message=told, place=place)
    if n_more := len(suites[_PHRASES:]):
        more = f"the judge is untrusted or not measured on {n_more:,} more"
        message = f"{more}; the step summary lists them"
        yield Annotation(kind="judge", title=f"judge: {n_more:,} more suites", message=message)


def _partly_judged(record: RunRecord) -> Iterator[Annotation]:
    gaps = [one_line(f"{suite.shown}: {gap}") for suite in record.suites for gap in suite.gaps]
    if gaps:
        message = f"{_joined(gaps)}; the run decides nothing about the rest"
        title = "only a part of the gate"
        yield Annotation(kind="part", level="warning", title=title, message=message)


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
            if finding.reason:
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
        kind="system",
        title=f"{title}: {system.name}",
        message="\n".join(one_line(line, _PHRASE) for line in lines),
        place=system.place,
    )


def _system_failure(system: SystemRecord) -> tuple[str, list[str]]:
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


def step_summary(record: RunRecord) -> str:
    """The page; at most some 300,000 bytes of UTF-8, where GitHub accepts a mebibyte."""
    failed, unscored = failing_pairs(record)
    systems = [(suite, system) for suite in record.suites for system in suite.systems]
    named = {mean.name for _, system in systems for mean in system.means}
    names = [name for name in CATALOGUE if name in named or name in METRICS]
    header = record.header
    words = judge_section, broken_rules, confusions, detectable_text
    ours = cell, code, fitting, head, mean_cell, missing, n, section, told
    page = template("step_summary.md", _finalize, str, worst_disagreements, *words, *ours)
    return page.render(
        record=record,
        mark=f"{judge_section.MARK[0].upper()}{judge_section.MARK[1:]}",
        measured=[suite for suite in record.suites if suite.trust is not None],
        systems=systems,
        names=names,
        comparisons=[system for _, system in systems if system.comparison is not None],
        failed=failed,
        unscored=unscored,
        waivers=[use for suite in record.suites for use in suite.waivers],
        judge_trust=judge_section.trust_of_run(record),
        calls=list(calls_lines(header.usage, {})) if header.usage else (),
        versions=", ".join(f"{name} {at}" for name, at in sorted(header.environment.items())),
        n_numbers=len(CATALOGUE),
    )


class Markdown(str):
    """Text that is Markdown already, by the protocol of Jinja."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def _finalize(value: object) -> object:
    """What is neither a number nor Markdown is shown as a code span; what is absent is nothing."""
    from jinja2 import Undefined

    is_ours = isinstance(value, int | Undefined) or hasattr(value, "__html__")
    return value if is_ours else code(value)


def code(text: object, width: int = 240) -> Markdown:
    r"""The text as a code span of one line, at most ``width`` characters of it.

    Its fence is longer than any run of backticks inside. Not for tables, see `cell`.

    >>> print(code("a `b` [c](d)"))
    `` a `b` [c](d) ``
    """
    line = one_line(str(text), width)
    longest = max(map(len, _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {line} " if longest else line
    return Markdown(f"{fence}{inner}{fence}" if line else NOTHING)


def cell(text: object, width: int = 80) -> Markdown:
    r"""The text as a code span for a table, where a pipe would end the cell.

    >>> print(cell("a|b"))
    `a\|b`
    """
    return Markdown(str(code(text, width)).replace("|", r"\|"))


def n(value: float | None, how: str = ",") -> Markdown:
    """A number; nothing for None."""
    return Markdown("" if value is None else format(value, how))


def fitting(items: Iterable[T], shown: Callable[[T], str], room: int) -> list[Markdown]:
    """As many items as fit into ``room`` bytes of UTF-8, each whole and with a line break."""
    found: list[Markdown] = []
    for item in items:
        text = Markdown(shown(item).removesuffix("\n"))
        room -= len(text.encode()) + 1
        if room < 0:
            break
        found.append(text)
    return found


def head(names: Sequence[str], n_words: int = 1) -> Markdown:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    rows = (f"| {' | '.join(cells)} |" for cells in (names, rules))
    return Markdown("\n".join(rows))


def section(
    title: str,
    items: Sequence[T],
    shown: Callable[[T], str],
    room: int,
    table: str = "",
) -> Markdown:
    """A heading and the items that fit, then how many more there are; nothing without items.

    ``table`` is the head of a table of which each item is a row.
    """
    lines = ["", f"## {title}", "", *([table] if table else ())]
    found = fitting(items, shown, room)
    lines += found
    if len(found) < len(items):
        lines += ["", f"{len(items) - len(found):,} more; the other reports have them all."]
    return Markdown("".join(f"{line}\n" for line in lines) if items else "")


def missing(pair: PairRecord, as_code: Callable[[str, int], Markdown]) -> Markdown:
    """Everything that fails a pair."""
    phrases = list(missed_numbers(pair.verdict))[: len(CATALOGUE)]
    return Markdown(", ".join(as_code(each, _QUOTE) for each in phrases) or NOTHING)


def told(outcomes: Collection[Covered]) -> Markdown:
    """Outcomes in words: what the systems and what the judge did wrong, else whether all passed."""
    faults = [words for outcome, words in _FAULTS.items() if outcome in outcomes]
    passed = "\u2705 passed" if "passed" in outcomes else "not judged"
    return Markdown(", ".join(faults) or passed)


def mean_cell(name: str, system: SystemRecord, pairs: Sequence[PairRecord]) -> Markdown:
    """A mean with its threshold where it has one, and its change against the baseline."""
    held = next((mean for mean in system.means if mean.name == name), None)
    mean = held or _measured(name, pairs)
    text = shown(name, mean.value, mean.least if held else None)
    if held and mean.value is not None and not CATALOGUE[name].meets(mean.held, mean.least):
        text = f"**{shown(name, mean.held, mean.least)}** {against(name, mean.held, mean.least)}"
    if mean.n_scored < mean.n_papers:
        text += f" ({mean.n_scored:,} of {mean.n_papers:,})"
    change = system.comparison and system.comparison.difference(name)
    corrected = next((each for each in system.corrected if each.name == name), None)
    if change:
        text += f" ({change.change:+.3f})"
    if corrected:
        reason = corrected.reason
        is_plain = _PLAIN.fullmatch(reason) and "www." not in reason.lower()
        alone = replace(corrected, reason=reason if is_plain else cell(reason))
        text += f"; corrected {corrected_value(alone)}"
    return Markdown(text)


def _measured(name: str, pairs: Sequence[PairRecord]) -> SystemMean:
    named = CATALOGUE[name]
    scores = (score for pair in pairs for score in pair.scores if score.metric == named.metric)
    found = [None if isinstance(score, Unscored) else score.values().get(name) for score in scores]
    values = [value for value in found if value is not None]
    return SystemMean(
        name=name,
        value=fmean(values) if values else None,
        least=0.0,
        n_scored=len(values),
        n_papers=len(found),
    )
