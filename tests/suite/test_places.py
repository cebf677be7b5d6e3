from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.suite.places import find_configuration, read_configuration, suites_beneath

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "pytest.ini": "pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
    "pyproject.toml": "tool.pytest.ini_options",
}
NEW = [("pyproject.toml", "tool.pytest"), (".pytest.toml", "pytest")]
"""What pytest reads from version 9 on."""
if pytest.version_tuple < (9,):
    NEW.clear()


def read_by_pytest(pytester: pytest.Pytester, name: str) -> list[str]:
    """What pytest itself reads in the file."""
    config = pytester.parseconfig()
    assert config.inipath == pytester.path / name
    return list(config.getini("testpaths"))


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ([], [".", "gate"]),
        (["testpaths = tests"], ["tests", "gate"]),
        (["addopts = -v", "testpaths=tests", "python_files = t.py"], ["tests", "gate"]),
    ],
    ids=["none", "one", "among others"],
)
@pytest.mark.parametrize(("name", "table"), [*FILES.items(), *NEW])
def test_pytest_reads_the_paths_that_were_added(
    pytester: pytest.Pytester, name: str, table: str, given: list[str], paths: list[str]
) -> None:
    """Law: the paths that stood there come first, and everything else in the file stays."""
    if name.endswith(".toml"):
        given = [re.sub(r"= ?(.*)", r'= ["\1"]', line) for line in given]
    lines = ["# ours", f"[{table}]", *given, "", "[other]", 'key = "x"']
    file = pytester.path / name
    file.write_text("\n".join(lines), encoding="utf-8")
    found = find_configuration(pytester.path)

    assert found is not None
    assert found.is_plain
    assert found.place == f"under [{table}] in {name}"
    file.write_text(found.text("gate"), encoding="utf-8")
    assert read_by_pytest(pytester, name) == paths
    now = file.read_text(encoding="utf-8").splitlines()
    assert [line for line in now if "testpaths" not in line] == [
        line for line in lines if "testpaths" not in line
    ]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pyproject.toml", 'testpaths = [\n  "tests",\n  "more tests",\n]\n'),
        ("pyproject.toml", "testpaths = \"tests 'more tests'\"\n"),
        ("pytest.ini", "testpaths =\n  tests\n  'more tests'\n"),
        ("pytest.ini", "testpaths: tests 'more tests'\r\n"),
    ],
)
def test_paths_may_be_written_over_several_lines_or_as_a_text(
    pytester: pytest.Pytester, name: str, given: str
) -> None:
    """As pytest allows; a path with a blank stays one."""
    file = pytester.path / name
    file.write_bytes(f"[{FILES[name]}]\n{given}xfail_strict = true\n".encode())
    found = read_configuration(file)
    assert found is not None
    assert found.paths == ("tests", "more tests")
    file.write_bytes(found.text("gate", "tests").encode())
    assert read_by_pytest(pytester, name) == ["tests", "more tests", "gate"]
    assert file.read_text(encoding="utf-8").endswith("\nxfail_strict = true\n")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("pyproject.toml", 'testpaths = [\n  "tests",  # quick ones\n]\n'),
        ("pyproject.toml", 'testpaths = ["tests"\n'),
        ("pytest.ini", "testpaths = tests\n  # slow\n  more\n"),
    ],
    ids=["comment", "no TOML", "comment in INI"],
)
def test_a_line_that_would_lose_something_is_not_plain(
    tmp_path: Path, name: str, given: str
) -> None:
    """A comment is somebody's; the line can still be told."""
    (tmp_path / name).write_text(f"[{FILES[name]}]\n{given}", encoding="utf-8")
    found = find_configuration(tmp_path)
    assert found is not None
    assert not found.is_plain


def test_the_files_stand_in_the_order_in_which_pytest_looks(pytester: pytest.Pytester) -> None:
    """What is written into a file that pytest does not read would help nobody."""
    for name, table in FILES.items():
        (pytester.path / name).write_text(f"[{table}]\n", encoding="utf-8")
    found = find_configuration(pytester.path)
    assert found is not None
    assert pytester.parseconfig().inipath == pytester.path / found.name


def test_suites_are_found_nearest_first_and_not_in_foreign_folders(tmp_path: Path) -> None:
    """Environments and caches hold copies; a whole disk is not searched."""
    deep = "one/two/three/four"
    for name in (
        "a/b/summeval.toml",
        "gate/summeval.toml",
        "gate/fast.summeval.toml",
        ".hidden/summeval.toml",
        "node_modules/x/summeval.toml",
        "env/pyvenv.cfg",
        "env/lib/summeval.toml",
        "env/summeval.toml",
        "gate/summeval.toml.orig",
        f"{deep}/summeval.toml",
        f"{deep}/five/summeval.toml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [file.relative_to(tmp_path).as_posix() for file in suites_beneath(tmp_path)] == [
        "gate/fast.summeval.toml",
        "gate/summeval.toml",
        "a/b/summeval.toml",
        f"{deep}/summeval.toml",
    ]


def test_no_more_than_a_bounded_number_of_folders_is_looked_into(tmp_path: Path) -> None:
    """Somebody may stand in a home directory; the last of 1,200 folders is not reached."""
    for n in range(1200):
        (tmp_path / f"f{n:04}").mkdir()
    for n in (0, 1199):
        (tmp_path / f"f{n:04}/summeval.toml").touch()
    assert [file.parent.name for file in suites_beneath(tmp_path)] == ["f0000"]
