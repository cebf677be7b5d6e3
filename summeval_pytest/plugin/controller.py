"""The end of a run on the controller: closing table, run record and reports."""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
from collections import Counter, defaultdict
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.endpoints.spending import ORIGINS, ModelSeen, models_seen
from summeval_pytest.judges.judge import Counting
from summeval_pytest.plugin.config import (
    GATE,
    PART,
    TALLY,
    TOLD_BY_GATE,
    gate_of,
    gated_suites,
    is_worker,
)
from summeval_pytest.plugin.gate import SAVE, report_files, saved_file
from summeval_pytest.plugin.items import PROPERTY, VerdictItem
from summeval_pytest.record.record import (
    CassetteRecord,
    Header,
    Judged,
    Measured,
    PaperRecord,
    Part,
    RunRecord,
    SuiteRecord,
    SystemRecord,
    Totalled,
    Tried,
    broken_down,
    from_json,
    record_text,
)
from summeval_pytest.reports.files import RENDERERS, append, write_whole
from summeval_pytest.reports.pair import corrected_line, signature_lines
from summeval_pytest.reports.run import (
    SystemTally,
    calls_lines,
    changed_model_lines,
    drift_lines,
    ending_lines,
    model_lines,
    plan_lines,
    summary_lines,
    unheld_lines,
    usage_line,
)
from summeval_pytest.reports.trust import UNTRUSTED, trust_lines, trust_phrase, untrusted_lines
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line, safe
from summeval_pytest.verdict.relations import GROUPS
from summeval_pytest.verdict.thresholds import all_uses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.plugin.gate import Gate, GatedSuite
    from summeval_pytest.plugin.options import Options
    from summeval_pytest.store.cassette import Cassette
    from summeval_pytest.verdict.relations import RelationVerdict


_PACKAGES: Final = ("summeval-pytest", "pytest", "numpy")


class Parts:
    """What has arrived of a run so far."""

    def __init__(self) -> None:
        self._judged: dict[tuple[str, str, str], Judged] = {}
        self._totalled: dict[tuple[str, str], Totalled] = {}
        self._measured: dict[str, Measured] = {}
        self._tried: dict[tuple[str, str], RelationVerdict] = {}
        self._lost: dict[tuple[Path, str, str], str] = {}

    def add(self, part: Judged | Totalled | Measured | Tried) -> None:
        """Adds the part of one test."""
        match part:
            case Judged():
                self._judged[part.suite, part.pair.system, part.pair.paper] = part
            case Totalled():
                self._totalled[part.suite, part.system.name] = part
            case Measured():
                self._measured[part.suite] = part
            case Tried():
                self._tried[part.suite, part.verdict.relation] = part.verdict

    def add_lost(self, file: Path, system: str, name: str, fault: str) -> None:
        """Adds a test that failed without a part: whoever ran it broke down."""
        self._lost.setdefault((file.resolve(), system, name), fault)

    def suite(self, gated: GatedSuite, baseline: str = "") -> SuiteRecord:
        """One suite, in its own order, whatever order its parts arrived in.

        Args:
            gated: The suite.
            baseline: The saved run that its systems were to be compared with.
        """
        suite = gated.suite
        parts = [
            part
            for system in gated.systems
            for paper in gated.papers(system)
            if (part := self._pair(gated, system, paper))
        ]
        systems = tuple(
            replace(self._system(gated, system), baseline=baseline) for system in gated.systems
        )
        measured = self._measured.get(suite.shown)
        return SuiteRecord(
            name=suite.name,
            shown=suite.shown,
            fingerprint=suite.fingerprint,
            thresholds=gated.thresholds,
            systems=systems,
            papers=_papers(suite.paper_ids, parts),
            pairs=tuple(part.pair for part in parts),
            waivers=all_uses(
                suite.waivers,
                *(part.pair.verdict.waivers for part in parts),
                *(system.waivers for system in systems),
            ),
            has_labels=suite.has_labels,
            trust=measured.trust if measured is not None else None,
            golden=measured.golden if measured is not None else (),
            is_calibrated=suite.calibrate,
            relations=tuple(
                self._tried[suite.shown, name]
                for relations in GROUPS.values()
                for name in relations
                if (suite.shown, name) in self._tried
            ),
        )

    def _pair(self, gated: GatedSuite, system: str, paper: str) -> Judged | None:
        suite = gated.suite
        part = self._judged.get((suite.shown, system, paper))
        lost = self._lost.get((suite.path.resolve(), system, paper))
        if part is not None or lost is None:
            return part
        return broken_down(
            suite=suite.shown,
            paper=paper,
            system=system,
            metrics=gated.thresholds.metrics,
            place=suite.place_of(system),
            fault=lost,
        )

    def _system(self, gated: GatedSuite, system: str) -> SystemRecord:
        part = self._totalled.get((gated.suite.shown, system))
        if part is not None:
            return part.system
        lost = self._lost.get((gated.suite.path.resolve(), system, ALL_PAPERS))
        return SystemRecord(
            name=system,
            place=gated.suite.place_of(system),
            papers=gated.papers(system),
            outcome="not judged" if lost is None else "error",
            fault=lost or "",
        )


def _papers(order: Sequence[str], parts: Iterable[Judged]) -> tuple[PaperRecord, ...]:
    """The papers of the parts, each with the source sentences that any of them cites."""
    found: dict[str, PaperRecord] = {}
    cited: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for part in parts:
        if part.paper is not None:
            found[part.paper.id] = part.paper
            cited[part.paper.id].update(part.paper.cited)
    return tuple(
        replace(found[paper], cited=tuple(sorted(cited[paper].items())))
        for paper in order
        if paper in found
    )


def run_record(  # noqa: PLR0913 - by keyword, each a fact of its own
    gate: Gate,
    parts: Parts,
    *,
    suites: Iterable[GatedSuite],
    usage: Mapping[str, float],
    cassettes: Iterable[CassetteRecord],
    models: Iterable[ModelSeen] = (),
    environ: Mapping[str, str] | None = None,
) -> RunRecord:
    """The record of the run over these suites, the same as when it is read from its file.

    Its parts have been JSON on their way here, so they hold nothing that a file could not.
    """
    variables = os.environ if environ is None else environ
    return RunRecord(
        header=Header(
            created=_moment(variables.get(EPOCH, "")),
            commit=variables.get("GITHUB_SHA") or None,
            record=gate.options.record,
            environment={"python": platform.python_version()}
            | {package: version(package) for package in _PACKAGES},
            usage={name: float(count) for name, count in usage.items()},
            cassettes=tuple(cassettes),
            models=tuple(models),
        ),
        judge=gate.judge.signature,
        suites=tuple(
            sorted(
                (parts.suite(gated, gate.options.compare or "") for gated in suites),
                key=lambda suite: suite.shown,
            )
        ),
    )


EPOCH: Final = "SOURCE_DATE_EPOCH"
"""The variable that says when a run was made, for records that must be equal to the byte; waivers
expire by the calendar."""


def _moment(seconds: str) -> str | None:
    """A moment as people write it; None where none is given, or none that a calendar has."""
    if not seconds.isdecimal():
        return None
    try:
        moment = dt.datetime.fromtimestamp(int(seconds), dt.UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


WORST: Final = 10
"""How many findings are listed where somebody wants to be told more."""


class Tally:
    """A plugin of its own: counts the pairs of each system and prints a table at the end.

    Args:
        rootpath: What the paths in node ids start from.
    """

    def __init__(self, rootpath: Path) -> None:
        self.rootpath = rootpath
        self.parts = Parts()
        self.record: RunRecord | None = None
        self.told: list[str] = []
        self.annotations: list[str] = []
        self.drift: list[str] = []
        self.suites: dict[Path, GatedSuite] = {}
        self.unheld: list[str] = []
        self.recipes: set[str] = set()
        self._pairs: dict[tuple[str, str], dict[str, tuple[str, dict[str, Any]]]] = {}
        self._measured: dict[str, Measured] = {}
        self._corrected: dict[tuple[str, str], str] = {}
        self.calls: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self._replies: dict[str, set[str]] = {}
        self._models: dict[ModelSeen, set[str]] = {}
        self._cassettes: dict[str, Cassette] = {}

    def add_process(self, text: str) -> None:
        """Adds what one process asked, was answered, and has to say at the end, as JSON text."""
        self.recipes.update(json.loads(text)["recipes"])
        told = json.loads(text)["counts"]
        if told is None:
            return
        self.calls.update(told["totals"])
        self.judge.update(told["judge"])
        for origin, keys in told["replies"].items():
            self._replies.setdefault(origin, set()).update(keys)
        for model, keys in told["models"]:
            self._models.setdefault(ModelSeen(**model), set()).update(keys)
        asked, cached, recorded = (self._replies[o] for o in ("asked", "cached", "recorded"))
        self.calls["n_cached"] = len(cached - asked - recorded)  # another worker may have asked
        self.calls["n_recorded"] = len(recorded)

    def add_cassette(self, cassette: Cassette) -> None:
        """Adds a cassette that the run could read from."""
        self._cassettes[cassette.shown] = cassette

    def usage(self) -> dict[str, float]:
        """What the run asked and was answered; empty where nothing was."""
        return dict(self.calls) if any(self.calls.values()) else {}

    def models(self) -> tuple[ModelSeen, ...]:
        """The models that replied; a reply that several processes used counts once."""
        return models_seen(self._models)

    def cassettes(self) -> list[CassetteRecord]:
        """The cassettes that the run could read from, and how much of each it used."""
        used = self._replies.get("recorded", set())
        return [
            CassetteRecord(
                shown=shown,
                sha256=cassette.sha256,
                n_used=len(cassette.rows.keys() & used),
                n_replies=len(cassette.rows),
            )
            for shown, cassette in sorted(self._cassettes.items())
        ]

    def know(self, suites: Mapping[Path, GatedSuite], judge: str) -> None:
        """Notes what the end has to say of the suites of a run, whatever becomes of their tests.

        Thresholds that a judge cannot hold are told there, too: ``-q`` leaves out the header.
        """
        self.suites = dict(suites)
        once = dict.fromkeys(suites.values())
        self.unheld = list(unheld_lines([(g.suite.shown, g.unheld) for g in once], judge))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one report, if it decides a pair."""
        file = report.nodeid.split("::")[0]
        text = getattr(report, PART, None)
        if text is not None:
            self._add(file, from_json(Part, text).value)
        elif report.failed:
            self._lose(report)
        text = dict(report.user_properties).get(PROPERTY)
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        if decides and isinstance(text, str):
            told = json.loads(text)
            outcome = "error" if report.when == "setup" else report.outcome
            self._pairs.setdefault((file, told["system"]), {})[told["paper"]] = (outcome, told)

    def _add(self, file: str, part: Judged | Totalled | Measured | Tried) -> None:
        """Adds the part of one test of a suite file."""
        self.parts.add(part)
        if isinstance(part, Measured):
            self._measured[file] = part
        if isinstance(part, Totalled):
            self._corrected[file, part.system.name] = corrected_line(part.system.corrected)

    def _system(self, file: str, system: str) -> SystemTally:
        """One system: a pair that ran again counts once, as it came out at last."""
        gated = self._gated(file)
        tally = SystemTally(n_papers=len(gated.papers(system)) if gated else 0)
        for outcome, told in self._pairs[file, system].values():
            tally.add(outcome, told["scores"], note=told["note"], wrong=told["wrong"])
        return tally

    def _gated(self, file: str) -> GatedSuite | None:
        """The suite of a file, as node ids have it."""
        return self.suites.get((self.rootpath / file).resolve())

    def _lose(self, report: pytest.TestReport) -> None:
        """Notes a suite's test that failed and says nothing: a worker died with it."""
        named = report.nodeid.split("::")
        if len(named) == len(("file", "system", "paper")):
            file, system, paper = named
            fault = one_line(str(report.longrepr or "the test broke down"))
            self.parts.add_lost(self.rootpath / file, system, paper, fault)
            gated = self._gated(file)
            if gated and system in gated.systems and paper in gated.papers(system):
                silent: dict[str, Any] = {"scores": {}, "note": "", "wrong": {}}
                self._pairs.setdefault((file, system), {}).setdefault(paper, ("error", silent))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        suites = sorted({suite for suite, _ in self._pairs})
        recorded = self.record.suites if self.record is not None else ()
        compared = {suite.shown: suite.comparisons for suite in recorded}
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            tallies = {of[1]: self._system(*of) for of in self._pairs if of[0] == suite}
            corrected = {
                name: line for name in tallies if (line := self._corrected.get((suite, name)))
            }
            for line in summary_lines(tallies, compared.get(suite, {}), corrected):
                terminalreporter.line(line)
        if self.recipes and not suites:
            terminalreporter.section("summarization gate", sep="-")
        for line in signature_lines(sorted(self.recipes)):
            terminalreporter.line(line)
        for line in self._end(n_worst=WORST if terminalreporter.verbosity > 0 else 0):
            terminalreporter.line(line)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge of any suite misses a floor."""
        return any(part.trust.is_untrusted for part in self._measured.values())

    def _trust_lines(self) -> Iterator[str]:
        """What is known of the judge of each suite, and what an untrusted one gets wrong."""
        shown = sorted({suite for suite, _ in self._pairs} | set(self._measured))
        for suite in shown:
            of = f" ({suite})" if len(shown) > 1 else ""
            part = self._measured.get(suite)
            trust = part.trust if part is not None else None
            gated = self._gated(suite)
            has_labels = trust is not None or (gated is not None and gated.suite.has_labels)
            yield from trust_lines(trust_phrase(trust, has_labels=has_labels), of)
            if part is not None and part.trust.is_untrusted:
                yield from untrusted_lines(part.trust, part.golden)

    def _end(self, *, n_worst: int) -> Iterator[str]:
        """What there is to say of the run as a whole."""
        yield from self.unheld
        yield from self._trust_lines()
        yield from self.drift
        if self.record is not None:
            yield from ending_lines(self.record, n_worst=n_worst)
        if any(self.calls.values()):
            yield from calls_lines(self.calls, self.judge)
        yield from model_lines(self.models())
        for read in self.cassettes():
            yield usage_line(read.shown, n_used=read.n_used, n_replies=read.n_replies)
        yield from self.told
        yield from self.annotations


def tally_of(config: pytest.Config) -> Tally:
    """The plugin that counts a run on its controller, registered at the first look."""
    tally = config.pluginmanager.getplugin(TALLY)
    if not isinstance(tally, Tally):
        tally = Tally(config.rootpath)
        config.pluginmanager.register(tally, TALLY)
    return tally


WORKSPACE: Final = "GITHUB_WORKSPACE"
"""The variable that names the root of the repository, which annotations are relative to."""
ANNOTATORS: Final = (
    "pytest_github_actions_annotate_failures",
    "pytest_github_actions_annotate_failures.plugin",
)
"""A plugin that annotates every failing test already."""


def make_outputs(session: pytest.Session) -> None:
    """Makes the record of the run, and of it every file that was asked for.

    What cannot be written is said at the end, and fails a run that had passed.
    """
    config = session.config
    gate, tally = config.stash[GATE], tally_of(config)
    if not gate.keeps_record:
        return
    suites = list(dict.fromkeys(gated_suites(config).values()))
    record = run_record(
        gate,
        tally.parts,
        suites=suites,
        usage=tally.usage(),
        cassettes=tally.cassettes(),
        models=tally.models(),
    )
    tally.record = record
    tally.drift = list(_drift(gate, suites, record))
    faults = list(_write_files(gate.options, config.invocation_params.dir, record, tally.told))
    if gate.options.save is not None:
        faults += _save(gate.options.save, suites, record, tally.told)
    if gate.options.github:
        faults += _tell_github(config, record, tally)
    tally.told += [one_line(fault, 400) for fault in faults]
    if faults and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _drift(gate: Gate, suites: Iterable[GatedSuite], record: RunRecord) -> Iterator[str]:
    """What became of the judge since the saved run that each suite is compared with."""
    for gated in suites:
        saved = gate.saved_run(gated)
        held = next(suite for suite in record.suites if suite.shown == gated.suite.shown)
        for old in saved.suites if saved is not None else ():
            if old.name == held.name:
                yield from drift_lines(old, held)
        if saved is not None:
            yield from changed_model_lines(saved.header.models, record.header.models)


def _write_files(
    options: Options, folder: Path, record: RunRecord, told: list[str]
) -> Iterator[str]:
    """Writes what was asked for; yields what could not be."""
    for kind, (_, name) in report_files(options).items():
        fault = write_whole(folder / name, RENDERERS[kind](record))
        if fault:
            yield fault
        else:
            told.append(one_line(f"{kind}: {name}", 400))


def _tell_github(config: pytest.Config, record: RunRecord, tally: Tally) -> Iterator[str]:
    """Appends the step summary and prepares the annotations; yields what could not be written."""
    from summeval_pytest.reports.github import annotation_lines
    from summeval_pytest.reports.step_summary import STEP_SUMMARY, step_summary

    start = config.invocation_params.dir
    root = Path(os.environ.get(WORKSPACE) or config.rootpath)

    def located(shown: str) -> str:
        path = (start / shown).resolve()
        inside = path.is_relative_to(root.resolve())
        return path.relative_to(root.resolve()).as_posix() if inside else shown

    others = any(config.pluginmanager.hasplugin(name) for name in ANNOTATORS)
    tally.annotations = list(annotation_lines(record, locate=located, with_pairs=not others))
    file = os.environ.get(STEP_SUMMARY)
    if file and (fault := append(Path(file), step_summary(record))):
        yield f"{STEP_SUMMARY}={file} {fault}"


def _save(
    name: str, suites: Iterable[GatedSuite], record: RunRecord, told: list[str]
) -> Iterator[str]:
    """Saves the run of each suite beside it; yields why one was not."""
    files = {gated.suite.shown: gated.suite for gated in suites}
    for held in record.suites:
        if unfit := _unfit(held):
            yield f"{SAVE}={name}: not saved, {held.shown}: {unfit}"
            continue
        suite = files[held.shown]
        file = saved_file(suite, name)
        fault = write_whole(file, record_text(replace(record, suites=(_alone(held),))))
        if fault:
            yield fault
        else:
            told.append(one_line(f"saved: {suite.baselines.shown}/{file.name}", 400))


def _unfit(suite: SuiteRecord) -> str:
    """Why a run is no baseline; empty where it is one.

    Whatever was compared with a run of some of the papers would be compared on those only; and a
    run that dropped must not become what the next one is held to.
    """
    if suite.is_untrusted:
        return f"the judge is {UNTRUSTED}; mend it, or label more pairs"
    if not suite.is_complete:
        n_scored = sum(pair.outcome != "error" for pair in suite.pairs)
        return f"{n_scored} of {suite.n_expected} pairs are judged; run all of them"
    for system in suite.systems:
        if system.comparison is not None and not system.comparison.passes:
            return f"{system.name} fails against {system.baseline}; save it without --summ-compare"
        if system.outcome == "error":
            return f"{system.name} has no verdict over all papers: {system.fault}"
    return ""


def _alone(suite: SuiteRecord) -> SuiteRecord:
    """A suite without what it was compared with, or tried with."""
    return replace(
        suite,
        relations=(),
        systems=tuple(replace(each, baseline="", comparison=None) for each in suite.systems),
        pairs=tuple(replace(pair, change=None) for pair in suite.pairs),
    )


HURRY_SECONDS: Final = 1.0
"""How long calls in flight are waited for where somebody has pressed Ctrl-C; what was answered
before is kept anyway."""


def close_gate(config: pytest.Config, *, is_interrupted: bool) -> None:
    """Ends the runner of a process and hands on what it counted."""
    gate = config.stash[GATE]
    gate.close(seconds=HURRY_SECONDS if is_interrupted else DRAIN_SECONDS)
    told = json.dumps({"recipes": sorted(gate.recipes), "counts": counts_of(gate)})
    if is_worker(config):
        config.workeroutput[TOLD_BY_GATE] = told  # type: ignore[attr-defined]  # xdist sets it
        return
    tally_of(config).add_process(told)
    gate.session.forget_run()
    if gate.session.is_asking and gate.options.record != "all":
        for cassette in gate.session.cassettes.values():
            tally_of(config).add_cassette(cassette)


def counts_of(gate: Gate) -> dict[str, object] | None:
    """What a process asked and was answered; None where nothing was to be asked."""
    if not gate.session.is_asking:
        return None
    ledger = gate.session.exchange.ledger
    judge = gate.judge
    return {
        "totals": dict(ledger.totals.as_json()),
        "replies": {origin: ledger.keys(origin) for origin in ORIGINS},
        "models": [[asdict(model), sorted(keys)] for model, keys in ledger.models.items()],
        "judge": dict(judge.counts()) if isinstance(judge, Counting) else {},
    }


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected pairs would ask and cost."""
    gate = gate_of(session.config)
    items = [item for item in session.items if isinstance(item, VerdictItem)]
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    suites = [gated.suite for gated in gate.suites]
    survey, signature = gate.session.survey(gate.options.judge, suites, tasks, imagine=True)
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    for line in plan_lines(rows, judge=signature, n_stored=len(survey.found)):
        if reporter is not None:
            reporter.write_line(line)


def disarm(report: pytest.TestReport, redacted: Callable[[str], str]) -> None:
    """Shows what is invisible or commanding in a report, and hides keys.

    An error without any of that stays as it is, so that pytest can go on colouring it.
    """

    def shown(text: str) -> str:
        return safe(redacted(text))

    report.sections = [(name, shown(text.expandtabs())) for name, text in report.sections]
    if report.longrepr is not None:
        text = str(report.longrepr).expandtabs()
        harmless = shown(text)
        if harmless != text:
            report.longrepr = harmless
