"""What a reader can rely on in every module."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.processes import run_command

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "summeval_pytest").rglob("*.py"))
TESTS = sorted(
    path
    for path in (ROOT / "tests").rglob("test_*.py")
    if not {"benchmarks", "real_server"} & set(path.parts) and path != Path(__file__)
)
VAGUE = {"base", "common", "core", "helpers", "misc", "util", "utils"}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_a_module_is_named_after_its_concept_and_nothing_has_anothers_name() -> None:
    """A name like utils hides what a module is for; one for two things has to be looked up."""
    assert len(MODULES) > 50
    assert len(TESTS) > 50
    assert not [_name(path) for path in MODULES if {path.stem, path.parent.name} & VAGUE]
    own = [path for path in MODULES if path.name != "__init__.py"]
    names = [path.stem for path in own]
    for path in MODULES:
        names += re.findall(r"^ *class (\w+)[(:]", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert {name for name, n in Counter(names).items() if n > 1} == set()
    # fourteen names are what a reader takes in at a glance
    folders = Counter(path.parent for path in own)
    assert {_name(folder): n for folder, n in folders.items() if n > 14} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """What imports in a circle is one module in two files, or has a value in the wrong place."""
    graph = grimp.build_graph("summeval_pytest")
    order = TopologicalSorter(
        {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    )
    assert set(order.static_order()) == graph.modules


def test_only_two_tables_of_the_core_name_an_annex() -> None:
    """`[tool.importlinter]` sees no import by name."""
    named = re.compile(r"""["'](summeval_pytest\.)?(study|scale|desk)\.""")
    annexes = {ROOT / "summeval_pytest" / name for name in ("study", "scale", "desk")}
    core = [path for path in MODULES if annexes.isdisjoint(path.parents)]
    naming = {_name(path) for path in core if named.search(path.read_text(encoding="utf-8"))}
    assert naming == {"summeval_pytest/annex.py", "summeval_pytest/cli/app.py"}


def test_no_test_reads_the_clock() -> None:
    """It would fail on a busy machine: `tests/waiting.py` waits for what happens instead."""
    clock = re.compile(r"\b(perf_counter|monotonic|process_time)\b|loop\(\)\.time\(\)")
    assert not [_name(path) for path in TESTS if clock.search(path.read_text(encoding="utf-8"))]


def test_no_text_of_the_data_sets_is_in_the_project(release_file: Path) -> None:
    """Several sets state no licence; what the project contains, we wrote."""
    own = " ".join(
        path.read_text(encoding="utf-8").lower()
        for folder in ("summeval_pytest", "golden", "tests")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".jsonl", ".md", ".toml"}
    )
    own = " ".join(own.split())
    for line in release_file.read_text(encoding="utf-8").splitlines():
        words = json.loads(line)["human"].lower().split()
        for start in range(0, len(words) - 12, 12):
            assert " ".join(words[start : start + 12]) not in own


def test_imports_flow_down() -> None:
    """A wall that only a drawing holds is soon gone, so the linter's contracts run as a test."""
    program = Path(sys.executable).parent / "lint-imports"
    done = run_command(program, "--no-cache", cwd=ROOT, env=os.environ | {"COLUMNS": "100"})
    assert "0 broken" in done.stdout
