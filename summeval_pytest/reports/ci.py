"""What GitHub and GitLab show of a run: annotations, and the step summary.

GitHub's runner obeys every line that begins with ``::`` and shows at most ten errors of a step. In
the summary all texts of papers, systems and judges are code spans. Each section has its own room
and is cut at whole rows, so a thousand findings hide neither cost nor waivers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, TypeVar

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS, catalogue_of, place_of
from summeval_pytest.reports import judge_section, wording
from summeval_pytest.reports.cases import Case, Failing, cases_of, failing_pairs, failing_tests
from summeval_pytest.reports.terminal import calls_lines
from summeval_pytest.reports.wording import template
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.run import Covered, RunVerdict
from summeval_pytest.verdict.trust import confusions, worst_disagreements

_LINES: Final = 10
"""A runner drops further errors of a step without a word."""
_PHRASES: Final = 4
_TITLE: Final = 200
_DESCRIPTION: Final = 1000
_PHRASE: Final = 500
_QUOTE: Final = 300
STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step's summary is appended."""
NOTHING: Final = "(nothing)"
_TICKS: Final = re.compile("`+")
_PLAIN: Final = re.compile(r"[a-zA-Z0-9 ,.'%-]*")
"""Words that mean nothing in Markdown."""
_FAULTS: Final[dict[Covered, str]] = {"failed": "\u274c failed", "error": "\u26a0\ufe0f unscored"}
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
    title: str
    message: str
    place: Place | None = None

    def command(self, locate: Callable[[str], str] = str) -> str:
        """The line that a runner reads; ``locate`` makes a path relative to the repository."""
        where, level = "", "warning" if self.kind == "part" else "error"
        if self.place is not None:
            line = max(self.place.line, 1)
            where = f"file={_property(locate(self.place.path))},line={line},"
        title = _property(one_line(self.title, _TITLE))
        return f"::{level} {where}title={title}::{_data(self.message)}"

    def quality(self, about: Sequence[str], path: str) -> dict[str, object]:
        """The entry of a code quality report; ``about`` identifies it in later runs."""
        name = f"summeval-{self.kind}"
        known = json.dumps([name, *about])
        text = f"{self.title}: {self.message}".replace("\n", "; ")
        return {
            "description": one_line(text, _DESCRIPTION),
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
    run: RunVerdict, *, locate: Callable[[str], str] = str, with_pairs: bool = True
) -> Iterator[str]:
    """The lines to print, ten at most: untrusted judges, failing systems, then the worst pairs.

    The last line says how many more there are. ``locate`` makes a path relative to the repository's
    root. Without ``with_pairs`` another plugin annotates the failing tests.
    """
    notes = [*_partly_judged(run)]
    failing: list[Failing] = []
    if with_pairs:
        failing = [*failing_tests(run), *failing_pairs(run)]
    room = _LINES - len(notes)
    n_shown = len(failing) if len(failing) <= room else room - 1
    notes += [_annotation(make()) for _, make in failing[:n_shown]]
    if rest := failing[n_shown:]:
        n_unscored = sum(outcome == "error" for outcome, _ in rest)
        more = f"{len(rest) - n_unscored:,} more fail and {n_unscored:,} more are unscored"
        message = f"{more}; the step summary lists them"
        notes.append(Annotation(kind="more", title=f"{len(rest):,} more", message=message))
    yield from (note.command(locate) for note in notes)


def quality_pieces(run: RunVerdict, *, locate: Callable[[str], str] = str) -> Iterator[str]:
    """GitLab's code quality report, entry by entry: what `annotation_lines` says, all of it.

    An entry keeps its fingerprint for as long as the same pair, system or judge fails.
    """
    mark = "[\n"
    for (suite, *names), note in _all_notes(run):
        path = locate(note.place.path if note.place else run.suites[0].shown)
        yield f"{mark}{json.dumps(note.quality([locate(suite), *names], path))}"
        mark = ",\n"
    yield "[]\n" if mark == "[\n" else "\n]\n"


def _all_notes(run: RunVerdict) -> Iterator[tuple[tuple[str, ...], Annotation]]:
    """Each annotation with its suite, and its system and paper, if any."""
    for note in _partly_judged(run):
        yield ("",), note
    for suite, case in cases_of(run):
        if case.outcome in _FAULTS:
            paper = (case.paper,) if case.kind == "pair" else ()
            yield (suite.shown, case.system, *paper), _annotation(case)


def _partly_judged(run: RunVerdict) -> Iterator[Annotation]:
    gaps = [one_line(f"{suite.shown}: {gap}") for suite in run.suites for gap in run.gaps(suite)]
    if gaps:
        message = f"{_joined(gaps)}; the run decides nothing about the rest"
        yield Annotation(kind="part", title="only a part of the gate", message=message)


def _joined(phrases: Sequence[str]) -> str:
    more = len(phrases) - _PHRASES
    return "; ".join(phrases[:_PHRASES]) + (f"; {more} more" if more > 0 else "")


def _annotation(case: Case) -> Annotation:
    """What is shown beside the line of a failing test."""
    lines = [_joined([one_line(phrase, _PHRASE) for phrase in case.phrases])]
    lines += [one_line(note, _PHRASE) for note in case.notes]
    for finding in case.findings[:1]:
        lines.append(one_line(f"{finding.title}: {finding.verdict}", _PHRASE))
        quoted = wording.excerpts(finding, _QUOTE, n_sources=1)
        lines += [f"{label}: {text}" for label, text in quoted]
        if finding.reason:
            lines.append(f"reason: {one_line(finding.reason, _QUOTE)}")
    if case.summary and not case.findings:
        lines.append(f"summary: {wording.quoted(case.summary, _QUOTE)}")
    title, message = f"{case.title}: {case.name}", "\n".join(lines)
    return Annotation(kind=case.kind, title=title, message=message, place=case.place)


def step_summary(run: RunVerdict) -> str:
    """The page; at most some 300,000 bytes of UTF-8, where GitHub accepts a mebibyte."""
    failing = failing_pairs(run)
    systems = [
        wording.SystemRow(
            suite=suite,
            system=system,
            papers=[pair.numbers() for pair in suite.pairs_of(system.name)],
        )
        for suite in run.suites
        for system in suite.systems
    ]
    named = {mean.name for row in systems for mean in row.system.verdict.means}
    names = sorted({*named, *METRICS}, key=place_of)
    header = run.header
    words = str, judge_section, wording, confusions, worst_disagreements
    functions = cell, code, fitting, head, mean_cell, missing, n, outcome_words, section
    page = template("step_summary.md", _finalize, *words, *functions)
    return page.render(
        record=run,
        is_part=any(map(run.gaps, run.suites)),
        measured=[suite for suite in run.suites if suite.trust is not None],
        systems=systems,
        names=names,
        sliced_systems=[row.system for row in systems if row.system.slices],
        comparisons=[row.system for row in systems if row.system.comparison is not None],
        failed=[make for outcome, make in failing if outcome == "failed"],
        unscored=[make for outcome, make in failing if outcome == "error"],
        waivers=[use for suite in run.suites for use in suite.waivers],
        judge_trust=judge_section.trust_of_run(run),
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
    """Make a code span of all that is neither a number nor Markdown."""
    from jinja2 import Undefined

    is_safe = isinstance(value, int | Undefined) or hasattr(value, "__html__")
    return value if is_safe else code(value)


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


def fitting(items: Iterable[T], show: Callable[[T], str], room: int) -> list[Markdown]:
    """As many items as fit into ``room`` bytes of UTF-8, each whole and with a line break."""
    fit: list[Markdown] = []
    for item in items:
        text = Markdown(show(item).removesuffix("\n"))
        room -= len(text.encode()) + 1
        if room < 0:
            break
        fit.append(text)
    return fit


def head(names: Sequence[str], n_words: int = 1) -> Markdown:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    rows = (f"| {' | '.join(cells)} |" for cells in (names, rules))
    return Markdown("\n".join(rows))


def section(
    title: str, items: Sequence[T], show: Callable[[T], str], room: int, table: str = ""
) -> Markdown:
    """A heading and the items that fit, then how many more there are; nothing without items.

    ``table`` is the head of a table of which each item is a row.
    """
    lines = ["", f"## {title}", "", *([table] if table else ())]
    fit = fitting(items, show, room)
    lines += fit
    if len(fit) < len(items):
        lines += ["", f"{len(items) - len(fit):,} more; the other reports have them all."]
    return Markdown("".join(f"{line}\n" for line in lines) if items else "")


def missing(case: Case, as_code: Callable[[str, int], Markdown]) -> Markdown:
    """Everything that fails a pair, or leaves it undecided."""
    phrases = case.phrases[: len(CATALOGUE)]
    return Markdown(", ".join(as_code(each, _QUOTE) for each in phrases) or NOTHING)


def outcome_words(outcomes: Collection[Covered]) -> Markdown:
    """Outcomes in words: what the systems and what the judge did wrong, else whether all passed."""
    faults = [words for outcome, words in _FAULTS.items() if outcome in outcomes]
    passed = "\u2705 passed" if "passed" in outcomes else "not judged"
    return Markdown(", ".join(faults) or passed)


def mean_cell(row: wording.SystemRow, name: str) -> Markdown:
    """A mean with its threshold where it is not met, and its change against the baseline."""
    if name not in catalogue_of(row.suite.own_numbers):
        return Markdown("-")  # another suite of the run has this custom metric
    mean = row.mean(name)
    number, value, least, corrected = mean.named, mean.value, mean.least, mean.corrected
    text = wording.render(number, value, least)
    text = f"**{text}**" if mean.state == "failed" else text
    if mean.state and least is not None and not number.meets(value, least):
        text += f" {wording.against(number, value, least)}"
    if mean.state in {"waived", "undecided"}:
        text += f", {mean.state}"
    if mean.coverage:
        text += f" ({mean.coverage})"
    if mean.change is not None:
        text += f" ({mean.change:+.3f})"
    if corrected is not None:
        reason = corrected.reason
        is_plain = _PLAIN.fullmatch(reason) and "www." not in reason.lower()
        alone = replace(corrected, reason=reason if is_plain else cell(reason))
        text += f"; corrected {wording.corrected_value(alone)}"
    return Markdown(text)
