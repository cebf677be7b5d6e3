"""What GitHub and GitLab show of a run: annotations, and the step summary.

GitHub's runner obeys every line that begins with ``::`` and shows at most ten errors of a step. In
the summary all texts of papers, systems and judges are code spans. Each section has its own room
and is cut at whole rows, so a thousand findings hide neither cost nor waivers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Final, Literal

from summeval_pytest.errors import Place
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS, catalogue_of, place_of
from summeval_pytest.reports import judge_section, wording
from summeval_pytest.reports.cases import (
    Case,
    Failing,
    alarming_pairs,
    cases_of,
    failing_pairs,
    failing_tests,
    headline,
    worse_papers,
)
from summeval_pytest.reports.markdown import (
    NOTHING,
    Markdown,
    cell,
    code,
    finalize,
    fitting,
    head,
    n,
    section,
)
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
_SECTIONS: Final = 6
_SECTION: Final = 4000
"""The most sections of a comment, and characters of each; GitHub takes 65,536."""
_ACTIVE: Final = re.compile(
    r"[@<&!]|\](?=[(\[:])|:(?=[\\/])|#(?=\d)|\bwww(?=\.)|\bGH(?=-)|^[ \t]*(?=/)"
    r"|(?:```|~~~)(?=[ \t]*\w)",
    re.IGNORECASE | re.MULTILINE,
)
"""Where mentions, markup, images, diagrams, links, references and quick actions begin."""
STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file to which a step's summary is appended."""
_FAULTS: Final[dict[Covered, str]] = {"failed": "\u274c failed", "error": "\u26a0\ufe0f unscored"}
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


def quality_pieces(run: RunVerdict, locate: Callable[[str], str] = str) -> Iterator[str]:
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
    for suite, case in cases_of(run, _FAULTS):
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
            rows=suite.pairs_of(system.name).rows,
        )
        for suite in run.suites
        for system in suite.systems
    ]
    named = {mean.name for row in systems for mean in row.system.verdict.means}
    names = sorted({*named, *METRICS}, key=place_of)
    header = run.header
    words = str, judge_section, wording, confusions, worst_disagreements
    functions = cell, code, fitting, head, headline, mean_cell, missing, n, outcome_words, section
    page = template("step_summary.md", finalize, *words, *functions, worse_papers)
    return page.render(
        record=run,
        is_part=any(map(run.gaps, run.suites)),
        measured=[suite for suite in run.suites if suite.trust is not None],
        systems=systems,
        names=names,
        sliced_systems=[row.system for row in systems if row.system.slices],
        comparisons=[row for row in systems if row.system.comparison is not None],
        n_alarms=sum(row.has_alarms for suite in run.suites for row in suite.rows),
        alarms=list(islice(alarming_pairs(run), _LINES)),
        failed=[make for outcome, make in failing if outcome == "failed"],
        unscored=[make for outcome, make in failing if outcome == "error"],
        waivers=[use for suite in run.suites for use in suite.waivers],
        judge_trust=judge_section.trust_of_run(run),
        calls=list(calls_lines(header.usage, {})) if header.usage else (),
        versions=", ".join(f"{name} {at}" for name, at in sorted(header.environment.items())),
        n_numbers=len(CATALOGUE),
    )


def pull_request_comment(run: RunVerdict) -> str:
    """The beginning of the step summary, for a bot to post: at most some 26,000 characters.

    No part of it mentions, links, embeds or orders anything, whoever has written the record.
    """
    text = "".join(c if c.isprintable() or c == "\n" else " " for c in step_summary(run))
    sections = re.split(r"^(?=## )", text, flags=re.M)[:_SECTIONS]
    for place, each in enumerate(sections):
        if len(each) > _SECTION:
            whole_lines = each[:_SECTION].rpartition("\n")[0]
            sections[place] = f"{whole_lines}\n\nMore is in the reports.\n\n"
    return _ACTIVE.sub("\\g<0>\u200b", "".join(sections))


def missing(case: Case, as_code: Callable[[str, int], Markdown]) -> Markdown:
    """Everything that fails a pair, or leaves it undecided."""
    phrases = case.phrases[: len(CATALOGUE)]
    return Markdown(", ".join(as_code(each, _QUOTE) for each in phrases) or NOTHING)


def outcome_words(outcomes: Collection[Covered], *, is_part: bool = False) -> Markdown:
    """Outcomes in words: what the systems and what the judge did wrong, else whether all passed."""
    faults = [words for outcome, words in _FAULTS.items() if outcome in outcomes]
    sign = "\u26a0\ufe0f" if is_part else "\u2705"
    passed = f"{sign} passed" if "passed" in outcomes else "not judged"
    return Markdown(", ".join(faults) or passed)


def mean_cell(row: wording.SystemRow, name: str) -> Markdown:
    """A mean with its threshold where it is not met, and its change against the baseline."""
    if name not in catalogue_of(row.suite.own_numbers):
        return Markdown("-")  # another suite of the run has this custom metric
    mean = row.mean(name)
    number, value, least = mean.named, mean.value, mean.least
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
    return Markdown(text)
