"""`summeval diff` and the test `stick`: what loosens a suite is named and fails."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.store.cassette import Row
from tests.plugin.conftest import Bench
from tests.plugin.test_foreign_code import MARKED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


WAIVER = """
[waivers.wet]
paper = "kiln-02"
system = "good"
finding = "facet"
owner = "ines"
reason = "rain"
expires = 2999-01-31
"""
LABEL = '{"paper": "kiln-02", "system": "good", "facets": {"result": %d}}\n'


def commit(bench: Bench) -> None:
    """Commits what is there."""
    for command in ("add .", "-c user.name=i -c user.email=i@x.org commit -qm base"):
        subprocess.run(["git", *command.split()], cwd=bench.path, check=True)


@pytest.fixture(name="stuck")
def make_base(bench: Bench) -> Bench:
    """A suite with a committed base."""
    bench.suite(mean="facet = 0.7")
    bench.spoil("summeval.toml", 'papers = "papers', 'labels = "labels.jsonl"\npapers = "papers')
    bench.write("labels.jsonl", LABEL % 3)
    bench.write("baselines/v1.json", "[]")
    subprocess.run(["git", "init", "-q"], cwd=bench.path, check=True)
    commit(bench)
    return bench


@pytest.fixture(name="diff")
def make_diff(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """The lines of the command, or of its error."""

    def diff(*arguments: object) -> list[str]:
        main(["diff", *map(str, arguments)])
        printed = capsys.readouterr()
        return (printed.out + printed.err).splitlines()

    return diff


def spoil(old: str, new: str, name: str = "summeval.toml") -> Callable[[Bench], object]:
    """Replaces a text in one file."""
    return lambda bench: bench.spoil(name, old, new)


ALL = "facet = 0.05, eva = 0.05, faithfulness = 0.05"


def top(line: str) -> Callable[[Bench], object]:
    """Adds a line to the top of the suite."""
    return spoil('papers = "papers.jsonl"', f'papers = "papers.jsonl"\n{line}')


CHANGES: dict[str, tuple[Callable[[Bench], object], str]] = {
    "nothing": (lambda _: None, ""),
    "a comment": (spoil("[thresholds]", "# a comment\n[thresholds]"), ""),
    "a stricter mean": (spoil("facet = 0.7", "facet = 0.8"), ""),
    "a waiver": (lambda bench: bench.extend(WAIVER), "waiver of facet for good on kiln-02 added"),
    "a looser mean": (
        spoil("facet = 0.7", "facet = 0.6"), "threshold mean.facet changed: 0.7 -> 0.6",
    ),
    "no mean": (spoil("\n[thresholds.mean]\nfacet = 0.7", ""), "threshold mean.facet removed: 0.7"),
    "a wider margin": (
        lambda bench: bench.extend("[compare]\nno_worse = {facet = 0.2}"),
        "margin of facet changed: 0.05 -> 0.2",
    ),
    "an edited reference": (
        spoil("We fired", "They fired", "papers.jsonl"), "paper kiln-02 changed",
    ),
    "an edited label": (
        lambda bench: bench.write("labels.jsonl", LABEL % 2), "label of good on kiln-02 changed",
    ),
    "no label": (spoil('labels = "labels.jsonl"', ""), "label of good on kiln-02 removed"),
    "a margin less": (
        lambda bench: bench.extend("[compare]\nno_worse = {facet = 0.05}"),
        "margin of eva changed: 0.05 -> no significant drop",
    ),
    "a margin for a significant drop": (
        lambda bench: bench.extend(f"[compare]\nno_worse = {{{ALL}, 'facet.result' = 1}}"),
        "margin of facet.result changed: no significant drop -> 1",
    ),
    "another margin": (
        lambda bench: bench.extend(f"[compare]\nno_worse = {{{ALL}, 'facet.coverage' = 1}}"), "",
    ),
    "a warning": (top('stick = "warn"'), "stick changed: fail -> warn"),
    "a floor": (lambda bench: bench.extend("[thresholds.judge]\nfacet_exact = 0.9"), ""),
    "a judge that takes the name of a model": (
        lambda bench: bench.extend('[judges."gpt-4o"]\nfacets = "offline"'), "judge gpt-4o added",
    ),
    "an address": (
        lambda bench: bench.extend('[endpoints.openai]\nbase_url = "http://127.0.0.1:1/v1"'),
        "endpoint openai added",
    ),
    "a variant": (top('eva_recall = "matched"'), "eva_recall changed"),
    "the references": (top('references = "mean"'), "references changed: best -> mean"),
    "another baseline": (
        lambda bench: bench.write("baselines/v1.json", "{}"), "baseline v1 changed",
    ),
    "other files of baselines": (
        lambda bench: bench.write("baselines/old/v1.md", "{}"), "",
    ),
    "a skipped paper": (
        spoil('summaries = "good.jsonl"', 'summaries = "good.jsonl"\nskip = ["kiln-02"]'),
        "skip of kiln-02 for good added",
    ),
}  # fmt: skip


def changed(bench: Bench, name: str) -> None:
    """Changes the suite."""
    change, _ = CHANGES[name]
    if name == "a skipped paper":
        bench.lines("good.jsonl", {"paper": "limpet-01", "summary": bench.good["limpet-01"]})
        bench.spoil("summeval.toml", 'labels = "labels.jsonl"', "")
    if name == "an edited reference":
        lines = bench.text("papers.jsonl").replace("We fired", "They fired")
        bench.write("papers.jsonl", lines)
        return
    change(bench)


@pytest.mark.parametrize("name", CHANGES)
def test_what_loosens_the_gate_is_said_first(
    stuck: Bench, diff: Callable[..., list[str]], name: str
) -> None:
    """Everything else is listed after it, or is no change."""
    changed(stuck, name)
    expected = CHANGES[name][1]
    first, *lines = diff("HEAD", stuck.path)
    assert bool(expected) == any("  loosens: " in line for line in lines)
    if expected:
        assert any(line.startswith(f"  loosens: {expected}") for line in lines), lines
        assert " loosen the gate" in first


def test_a_folder_is_a_base_too(
    stuck: Bench, diff: Callable[..., list[str]], tmp_path: Path
) -> None:
    """A suite that the base does not have is new."""
    old = tmp_path / "old"
    shutil.copytree(stuck.path, old, ignore=shutil.ignore_patterns(".git", "*.sqlite*"))
    changed(stuck, "a looser mean")
    assert diff(old, stuck.path)[1:] == ["  loosens: threshold mean.facet changed: 0.7 -> 0.6"]
    shutil.copytree(old, stuck.path / "new")
    assert diff("HEAD", stuck.path / "new")[0].endswith("HEAD has no such suite")


OWN = "[thresholds.judge.offline]\nfacet_exact = 0.1"


def test_floors_of_one_judge_that_take_the_place_of_all_are_looser(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """A table of a judge's own leaves the common floors out, for this judge."""
    stuck.extend("[thresholds.judge]\nfacet_exact = 0.9\nfacet_kappa = 0.5")
    commit(stuck)
    stuck.extend(OWN)
    assert diff("HEAD", stuck.path)[1:] == [
        "  loosens: floor of judge offline facet_kappa removed: 0.5",
        "  loosens: floor of judge offline facet_exact changed: 0.9 -> 0.1",
    ]


def test_what_judges_answer_is_part_of_the_stick(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """Recorded ratings, the model of a judge, and where it is asked."""
    judges = (
        '[judges.anna]\nrecorded = "anna"\nsegments = "anna"\n'
        '[judges.gpt]\nendpoint = "here"\nmodel = "a"\n'
        '[endpoints.here]\nbase_url = "http://localhost:1/v1"\n'
    )
    facets = '{"background": 3, "method": 4, "result": %d, "conclusion": 3}'
    of = '{"paper": "kiln-02", "system": "good", "by": "anna", "segments": {"result": "31 MPa"}, '
    line = f'{of}"facets": {facets}}}\n'
    stuck.write("recorded.jsonl", line % 1)
    top('recorded = "recorded.jsonl"')(stuck)
    stuck.extend(judges)
    commit(stuck)
    stuck.write("recorded.jsonl", line % 3)
    stuck.spoil("summeval.toml", 'model = "a"', 'model = "b"')
    stuck.spoil("summeval.toml", "localhost:1", "localhost:2")
    named = ("record by anna of good on kiln-02", "judge gpt", "endpoint here")
    for name, text in zip(named, diff("HEAD", stuck.path)[1:], strict=True):
        assert text.startswith(f"  loosens: {name} changed: ")


def test_a_recorded_reply_is_not_edited(stuck: Bench, diff: Callable[..., list[str]]) -> None:
    """A replay would believe it; replies that are added or removed are another matter."""
    rows = [Row(f"{n:064x}", "sentence checks", {"text": "no"}) for n in (1, 2)]
    stuck.write("cassette.jsonl", "".join(f"{row.as_line()}\n" for row in rows))
    commit(stuck)
    stuck.write("cassette.jsonl", f"{rows[1].as_line()}\n")
    assert [line.split()[0] for line in diff("HEAD", stuck.path)[1:]] == ["cassette"]
    edited = replace(rows[1], topic="other checks", reply={"text": "yes"})
    stuck.write("cassette.jsonl", f"{edited.as_line()}\n")
    first, *_ = diff("HEAD", stuck.path)[1:]
    assert first.startswith(f"  loosens: recorded reply {rows[1].key} changed: ")


@pytest.mark.parametrize("folder", ["main", "./main"])
def test_no_folder_stands_in_for_a_revision(
    stuck: Bench, diff: Callable[..., list[str]], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request could add a folder of the base's name."""
    subprocess.run(["git", "branch", "-M", "main"], cwd=stuck.path, check=True)
    changed(stuck, "a looser mean")
    shutil.copytree(stuck.path, stuck.path / "main", ignore=shutil.ignore_patterns(".git", "main"))
    monkeypatch.chdir(stuck.path)
    assert any("  loosens: " in line for line in diff(folder, stuck.path)) == (folder == "main")


@pytest.mark.parametrize("name", [" s", ":(top)s", "ü [q]*"])
def test_a_suite_is_found_whatever_its_folder_is_called(
    stuck: Bench, diff: Callable[..., list[str]], name: str
) -> None:
    """No attribute of the repository hides a file from the base, and links come along."""
    folder = stuck.path / name
    shutil.copytree(stuck.path, folder, ignore=shutil.ignore_patterns(".git", "*.sqlite*"))
    (folder / "labels.jsonl").rename(folder / "real.jsonl")
    (folder / "labels.jsonl").symlink_to("real.jsonl")
    (folder / "elsewhere").symlink_to("/etc/passwd")
    (folder / ".gitattributes").write_text("* export-ignore\n")
    commit(stuck)
    assert diff("HEAD", folder)[0].endswith("nothing changed since HEAD")
    (folder / "real.jsonl").write_text(LABEL % 1)
    assert diff("HEAD", folder)[1].startswith("  loosens: label of good on kiln-02 changed")


def test_a_suite_that_the_base_does_not_have_fails(stuck: Bench) -> None:
    """Renamed, it would be a new one with thresholds of its own."""
    (stuck.path / "summeval.toml").rename(stuck.path / "a.summeval.toml")
    run = stuck.inside("a.summeval.toml", "--summ-base=HEAD", "-rA")
    assert run.outcomes["a.summeval.toml::stick"] == "FAILED"
    assert "HEAD has no suite a.summeval.toml, so nobody knows what was loosened" in run.out


@pytest.mark.parametrize("base", ["nowhere", "--output=x"])
def test_a_base_that_is_none_is_a_usage_error(
    stuck: Bench, diff: Callable[..., list[str]], base: str
) -> None:
    """An option of git's is no revision."""
    (error,) = diff("--", base, stuck.path)
    assert error.startswith("summeval: error: BASE: git says")
    assert error.endswith("name a revision or a folder")


def test_no_report_of_a_loosened_suite_passes(
    stuck: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The looser threshold makes its pairs pass; marked xfail, the test passed as well.

    A run that reads the record fails, too, unless it tests the suite again.
    """
    changed(stuck, "a looser mean")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(stuck.path / "step.md"))
    names = "run-record", "junit", "html", "gitlab"
    reports = [f"--summ-{name}=run.{name}" for name in names]
    stuck.write("conftest.py", MARKED.format(test="stick", mark="xfail"))
    run = stuck.inside("summeval.toml", "--summ-base=HEAD", "--summ-github", "-n1", *reports)
    assert run.code == 1
    record = stuck.record("run.run-record")
    assert (record.outcome, record.may_release) == ("failed", False)
    assert 'failures="1" errors="0"' in stuck.text("run.junit")
    for name in ("run.junit", "run.html", "run.gitlab", "step.md"):
        assert "threshold mean.facet changed: 0.7 -" in stuck.text(name), name
    assert stuck.text("step.md").startswith("# \u274c failed: ")
    assert main(["report", str(stuck.path / "run.run-record")]) == 1
    assert "summeval.toml was loosened since HEAD:" in capsys.readouterr().out
    stuck.write("conftest.py", "")
    again = stuck.inside("summeval.toml", "--summ-from=run.run-record")
    assert again.code == 1
    assert "summeval: summeval.toml was loosened since HEAD:" in again.out


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_a_stick_that_passes_leaves_the_judge_measured(stuck: Bench, option: str) -> None:
    """Both tests belong to the suite as a whole, and each has a result of its own."""
    stuck.write("conftest.py", "def pytest_collection_modifyitems(items): items.reverse()")
    option_of_record = "--summ-run-record=run.json"
    assert stuck.inside("summeval.toml", "--summ-base=HEAD", option, option_of_record).code == 0
    (suite,) = stuck.record("run.json").suites
    assert (suite.stick, suite.trust is None) == ("", False)
    assert stuck.inside("summeval.toml::stick", "--summ-base=HEAD", option).code == 0


def test_a_loosened_suite_fails_a_test_of_its_own(stuck: Bench) -> None:
    """The base says whether it warns: a pull request cannot switch its own test off."""
    run = stuck.inside("summeval.toml", "--summ-base=HEAD", "-rA")
    assert run.outcomes["summeval.toml::stick"] == "PASSED"
    changed(stuck, "a looser mean")
    stuck.spoil("summeval.toml", 'papers = "papers', 'stick = "warn"\npapers = "papers')
    run = stuck.inside("summeval.toml", "--summ-base=HEAD", "-rA")
    assert run.code == 1
    assert run.outcomes["summeval.toml::stick"] == "FAILED"
    assert "summeval.toml was loosened since HEAD:" in run.out
    assert "  threshold mean.facet changed: 0.7 -> 0.6" in run.lines
    commit(stuck)
    stuck.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.6", "[thresholds.mean]\nfacet = 0.5")
    run = stuck.inside("summeval.toml", "--summ-base=HEAD", "-rA", "-W", "default")
    assert run.outcomes["summeval.toml::stick"] == "PASSED"
    assert "was loosened since HEAD" in run.out
    wrong = stuck.inside("summeval.toml", "--summ-base=nowhere")
    assert "--summ-base: git says" in wrong.out + wrong.err
    assert wrong.code != 0
