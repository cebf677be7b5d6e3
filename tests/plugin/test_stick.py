"""`summeval diff` and the test `stick`: what loosens a suite is named and fails."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.store.cassette import Row
from tests.plugin.conftest import Bench
from tests.plugin.test_foreign_code import MARKED

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
    """Commits what is there, perhaps as the first base."""
    for command in ("init -q", "add .", "-c user.name=i -c user.email=i@x.org commit -qm base"):
        subprocess.run(["git", *command.split()], cwd=bench.path, check=True)


def copied(bench: Bench, name: str = "old") -> Path:
    """A folder with the suite as it is now, for a base."""
    skipped = shutil.ignore_patterns(".git", "*.sqlite*", "old*")
    return Path(shutil.copytree(bench.path, bench.path / name, ignore=skipped))


@pytest.fixture(name="stuck")
def make_stuck(bench: Bench) -> Bench:
    """A suite with labels, a mean and a baseline."""
    bench.suite(mean="facet = 0.7")
    bench.spoil("summeval.toml", 'papers = "papers', 'labels = "labels.jsonl"\npapers = "papers')
    bench.write("labels.jsonl", LABEL % 3)
    bench.write("baselines/v1.json", "[]")
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


def top(line: str) -> Callable[[Bench], object]:
    """Adds a line to the top of the suite."""
    return spoil('papers = "papers.jsonl"', f'papers = "papers.jsonl"\n{line}')


def more(text: str) -> Callable[[Bench], object]:
    """Adds a table to the suite."""
    return lambda bench: bench.extend(text)


def written(name: str, text: str) -> Callable[[Bench], object]:
    """Writes a file."""
    return lambda bench: bench.write(name, text)


def skip_kiln(bench: Bench) -> None:
    """The good system skips a paper."""
    bench.lines("good.jsonl", {"paper": "limpet-01", "summary": bench.good["limpet-01"]})
    bench.spoil("summeval.toml", 'labels = "labels.jsonl"', "")
    good = 'summaries = "good.jsonl"'
    bench.spoil("summeval.toml", good, f'{good}\nskip = ["kiln-02"]')


LOOSER: Final = spoil("facet = 0.7", "facet = 0.6")
MARGINS: Final = "[compare]\nno_worse = {facet = 0.05, eva = 0.05, faithfulness = 0.05"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (spoil("[thresholds]", "# a comment\n[thresholds]"), ""),
        (spoil("facet = 0.7", "facet = 0.8"), ""),
        (more(WAIVER), "waiver of facet for good on kiln-02 added"),
        (LOOSER, "threshold mean.facet changed: 0.7 -> 0.6"),
        (spoil("\n[thresholds.mean]\nfacet = 0.7", ""), "threshold mean.facet removed: 0.7"),
        (more("[compare]\nno_worse = {facet = 0.2}"), "margin of facet changed: 0.05 -> 0.2"),
        (
            more("[compare]\nno_worse = {facet = 0.05}"),
            "margin of eva changed: 0.05 -> no significant drop",
        ),
        (
            more(f"{MARGINS}, 'facet.result' = 1}}"),
            "margin of facet.result changed: no significant drop -> 1",
        ),
        (more(f"{MARGINS}, 'facet.coverage' = 1}}"), ""),
        (
            lambda bench: bench.write(
                "papers.jsonl", bench.text("papers.jsonl").replace("We fired", "They fired")
            ),
            "paper kiln-02 changed",
        ),
        (written("labels.jsonl", LABEL % 2), "label of good on kiln-02 changed"),
        (spoil('labels = "labels.jsonl"', ""), "label of good on kiln-02 removed"),
        (top('stick = "warn"'), "stick changed: fail -> warn"),
        (more("[thresholds.judge]\nfacet_exact = 0.9"), ""),
        (more('[judges."gpt-4o"]\nfacets = "offline"'), "judge gpt-4o added"),
        (more('[endpoints.openai]\nbase_url = "http://h/v1"'), "endpoint openai added"),
        (top('eva_recall = "matched"'), "eva_recall changed"),
        (top('references = "mean"'), "references changed: best -> mean"),
        (written("baselines/v1.json", "{}"), "baseline v1 changed"),
        (written("baselines/old/v1.md", "{}"), ""),
        (skip_kiln, "skip of kiln-02 for good added"),
    ],
)
def test_what_loosens_the_gate_is_said_first(
    stuck: Bench,
    diff: Callable[..., list[str]],
    change: Callable[[Bench], object],
    expected: str,
) -> None:
    """Everything else is listed after it, or is no change; a folder is a base, too."""
    base = copied(stuck)
    assert diff(base, stuck.path)[0].endswith(f"nothing changed since {base}")
    change(stuck)
    first, *lines = diff(base, stuck.path)
    assert bool(expected) == any("  loosens: " in line for line in lines)
    if expected:
        assert any(line.startswith(f"  loosens: {expected}") for line in lines), lines
        assert " loosen the gate" in first


def test_floors_of_one_judge_that_take_the_place_of_all_are_looser(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """A table of a judge's own leaves the common floors out, for this judge."""
    stuck.extend("[thresholds.judge]\nfacet_exact = 0.9\nfacet_kappa = 0.5")
    base = copied(stuck)
    stuck.extend("[thresholds.judge.offline]\nfacet_exact = 0.1")
    assert diff(base, stuck.path)[1:] == [
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
    base = copied(stuck)
    stuck.write("recorded.jsonl", line % 3)
    stuck.spoil("summeval.toml", 'model = "a"', 'model = "b"')
    stuck.spoil("summeval.toml", "localhost:1", "localhost:2")
    named = ("record by anna of good on kiln-02", "judge gpt", "endpoint here")
    for name, text in zip(named, diff(base, stuck.path)[1:], strict=True):
        assert text.startswith(f"  loosens: {name} changed: ")


def test_a_recorded_reply_is_not_edited(stuck: Bench, diff: Callable[..., list[str]]) -> None:
    """A replay would believe it; replies that are added or removed are another matter."""
    rows = [Row(f"{n:064x}", "sentence checks", {"text": "no"}) for n in (1, 2)]
    stuck.write("cassette.jsonl", "".join(f"{row.as_line()}\n" for row in rows))
    base = copied(stuck)
    stuck.write("cassette.jsonl", f"{rows[1].as_line()}\n")
    assert [line.split()[0] for line in diff(base, stuck.path)[1:]] == ["cassette"]
    edited = replace(rows[1], topic="other checks", reply={"text": "yes"})
    stuck.write("cassette.jsonl", f"{edited.as_line()}\n")
    first, *_ = diff(base, stuck.path)[1:]
    assert first.startswith(f"  loosens: recorded reply {rows[1].key} changed: ")


def test_a_model_beside_the_suite_is_part_of_the_stick(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """Other weights give other answers under the same name."""
    for name in ("a", "b"):
        stuck.write(f"{name}/model/config.json", '{"0": "supported"}')
        stuck.extend(f'[judges.{name}]\nchecker = "{name}/model"')
    base = copied(stuck)
    content = b'{"0": "refuted"}'
    stuck.write("a/model/config.json", content.decode())
    (line,) = diff(base, stuck.path)[1:]
    assert line.startswith("  loosens: model a/model changed: ")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 16\n"
    (base / "a/model/config.json").write_text(pointer % hashlib.sha256(content).hexdigest())
    assert diff(base, stuck.path)[0].endswith(f"nothing changed since {base}")


def test_a_live_model_that_the_suite_now_has_loosens_it(stuck: Bench) -> None:
    """Its recorded summaries would be judged in place of what it says."""
    commit(stuck)
    with stuck.serving():
        stuck.spoil("summeval.toml", "[judges.rule]", "[judges.other]")
        commit(stuck)
        live = ("--summ-model=llama3", "--summ-endpoint=here", "--summ-base=HEAD", "-rA")
        run = stuck.inside("summeval.toml::stick", *live)
        assert run.outcomes["summeval.toml::stick"] == "PASSED"
    stuck.extend('[systems.llama3]\nsummaries = "good.jsonl"')
    for model, outcome in (("llama3", "FAILED"), ("good", "PASSED")):
        run = stuck.inside("summeval.toml", "--summ-base=HEAD", f"--summ-model={model}", "-rA")
        assert run.outcomes["summeval.toml::stick"] == outcome
        assert ("system llama3 added" in run.out) == (outcome == "FAILED")


def test_recorded_summaries_in_place_of_a_live_model_loosen_the_suite(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """Another model to ask is a new candidate, and loosens nothing."""
    stuck.extend('[endpoints.here]\nbase_url = "http://127.0.0.1:9/v1"')
    stuck.extend('[systems.llama3]\nendpoint = "here"\nmodel = "llama3"')
    base = copied(stuck)
    stuck.spoil("summeval.toml", 'model = "llama3"', 'model = "llama4"')
    before = "  system llama3 changed: llama3 at here"
    assert diff(base, stuck.path)[1:] == [f"{before} -> llama4 at here"]
    stuck.spoil("summeval.toml", 'endpoint = "here"\nmodel', 'endpoint = "ollama"\nmodel')
    assert diff(base, stuck.path)[1:] == [f"  loosens: {before.strip()} -> llama4 at ollama"]
    stuck.spoil(
        "summeval.toml", 'endpoint = "ollama"\nmodel = "llama4"', 'summaries = "good.jsonl"'
    )
    assert diff(base, stuck.path)[1:] == [f"  loosens: {before.strip()} -> recorded"]


@pytest.mark.parametrize("name", [" s", ":(top)s", "ü [q]*"])
def test_a_suite_is_found_in_a_revision_whatever_its_folder_is_called(
    stuck: Bench, diff: Callable[..., list[str]], name: str
) -> None:
    """No attribute of the repository hides a file from the base, and links come along."""
    folder = copied(stuck, name)
    (folder / "labels.jsonl").rename(folder / "real.jsonl")
    (folder / "labels.jsonl").symlink_to("real.jsonl")
    (folder / "elsewhere").symlink_to("/etc/passwd")
    (folder / ".gitattributes").write_text("* export-ignore\n")
    commit(stuck)
    assert diff("HEAD", folder)[0].endswith("nothing changed since HEAD")
    (folder / "real.jsonl").write_text(LABEL % 1)
    assert diff("HEAD", folder)[1].startswith("  loosens: label of good on kiln-02 changed")


def test_no_link_and_no_submodule_makes_a_suite_its_own_base(
    stuck: Bench, diff: Callable[..., list[str]]
) -> None:
    """A pull request can point a link elsewhere, bump a submodule, and add git's files."""
    link, real, sub = (stuck.path / name for name in ("link", "real", "sub"))
    link.symlink_to(copied(stuck, "real").name)
    commit(stuck)
    commit(replace(stuck, path=copied(replace(stuck, path=real), "../origin")))
    add = "-c protocol.file.allow=always submodule --quiet add ./origin sub"
    subprocess.run(["git", *add.split()], cwd=stuck.path, check=True)
    for folder in (link, sub):
        (error,) = diff("HEAD", folder)
        assert f"{folder.name}/summeval.toml is behind a link or in a submodule of git" in error
    real.rename(stuck.path / "looser")
    LOOSER(replace(stuck, path=stuck.path / "looser"))
    real.symlink_to("looser")
    subprocess.run(["git", "init", "-q", "--bare", real], check=True)  # files that git asks first
    assert diff("HEAD", real)[1].startswith("  loosens: threshold mean.facet changed: 0.7 -> 0.6")


def test_a_suite_that_became_a_link_to_another_one_is_loosened(stuck: Bench) -> None:
    """The other one is judged anyway, and nobody asks for the papers of this one."""
    strict, mild = copied(stuck, "strict"), copied(stuck, "mild")
    LOOSER(replace(stuck, path=mild))
    commit(stuck)
    shutil.rmtree(strict)
    strict.symlink_to("mild")
    for order in (("mild", "strict"), ("strict", "mild")):
        run = stuck.inside(*order, "--summ-base=HEAD", "--summ-run-record=run.json", "-rA")
        assert run.outcomes["strict/summeval.toml::stick"] == "FAILED"
        assert stuck.record("run.json").outcome == "failed"


def test_a_base_is_a_revision_and_a_folder_only_by_its_path(
    stuck: Bench, diff: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pull request could add a folder of the base's name; an option of git's is no revision."""
    commit(stuck)
    subprocess.run(["git", "branch", "-M", "main"], cwd=stuck.path, check=True)
    LOOSER(stuck)
    folder = copied(stuck, "main")
    monkeypatch.chdir(stuck.path)
    for base, loosens in (("main", True), ("./main", False)):
        assert any("  loosens: " in line for line in diff(base, stuck.path)) == loosens
    assert diff("HEAD", folder)[0].endswith("HEAD has no such suite")
    for base in ("nowhere", "--output=x"):
        (error,) = diff("--", base, stuck.path)
        assert error.startswith("summeval: error: BASE: git says")
        assert error.endswith("name a revision or a folder")


def test_no_report_of_a_loosened_suite_passes(
    stuck: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The looser threshold makes its pairs pass; marked xfail, the test passed as well."""
    commit(stuck)
    LOOSER(stuck)
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


def test_a_stick_that_passes_leaves_the_judge_measured(stuck: Bench) -> None:
    """Both tests belong to the suite as a whole, and each has a result of its own."""
    commit(stuck)
    stuck.write("conftest.py", "def pytest_collection_modifyitems(items): items.reverse()")
    run = ("--summ-base=HEAD", "--summ-run-record=run.json")
    assert stuck.inside("summeval.toml", *run).code == 0
    (suite,) = stuck.record("run.json").suites
    assert (suite.stick, suite.trust is None) == ("", False)
    assert stuck.inside("summeval.toml::stick", "--summ-base=HEAD").code == 0


def test_a_suite_that_the_base_had_in_a_folder_must_be_gated(
    stuck: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be renamed, and a test beside it keeps the folder from being empty."""
    stuck.suite("wet/summeval.toml")
    stuck.write("wet/test_own.py", "def test_own(): pass")
    commit(stuck)
    asked = ("summeval.toml", "wet", "--summ-base=HEAD", "--summ-model=good")
    assert stuck.inside(*asked).code == 0
    (stuck.path / "wet/summeval.toml").rename(stuck.path / "wet/Summeval.toml")
    lost = "wet had the suite summeval.toml at HEAD and has none of that name now"
    run = stuck.inside(*asked)
    assert (run.code, lost in run.err) == (4, True)
    monkeypatch.setenv("SUMM_BASE", "HEAD")
    run = stuck.inside("wet")
    assert (run.code, lost in run.err) == (4, True)
    monkeypatch.delenv("SUMM_BASE")
    (stuck.path / "link").symlink_to("wet")
    commit(stuck)
    (stuck.path / "link").unlink()
    stuck.write("link/test_own.py", "def test_own(): pass")
    run = stuck.inside("summeval.toml", "link", *asked[2:])
    assert (run.code, "link is behind a link or in a submodule" in run.err) == (4, True)


def test_a_run_without_the_stick_that_it_asks_for_is_partial(stuck: Bench) -> None:
    """Until a run over its record has compared the suites."""
    commit(stuck)
    asked, keep = "--summ-base=HEAD", "--summ-run-record=run.json"
    assert stuck.inside("summeval.toml", asked, keep, "-k", "not stick").code == 0
    again = ("summeval.toml", "--summ-from=run.json", "--summ-run-record=again.json")
    for options, stick in ((), None), (("-k", "not stick", asked), None), ((asked,), ""):
        assert stuck.inside(*again, *options).code == 0
        (suite,) = stuck.record("again.json").suites
        assert suite.stick == stick


def test_a_loosened_suite_fails_a_test_of_its_own(stuck: Bench) -> None:
    """The base says whether it warns: a pull request cannot switch its own test off."""
    commit(stuck)
    run = stuck.inside("summeval.toml", "--summ-base=HEAD", "-rA")
    assert run.outcomes["summeval.toml::stick"] == "PASSED"
    LOOSER(stuck)
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
    (stuck.path / "summeval.toml").rename(stuck.path / "a.summeval.toml")
    run = stuck.inside("a.summeval.toml", "--summ-base=HEAD", "-rA")
    assert run.outcomes["a.summeval.toml::stick"] == "FAILED"
    assert "HEAD has no suite a.summeval.toml, so nobody knows what was loosened" in run.out
