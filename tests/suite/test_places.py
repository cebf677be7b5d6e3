from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.suite import places
from summeval_pytest.suite.places import suites_beneath


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


def test_no_more_than_a_bounded_number_of_folders_is_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may stand in a home directory; the last of 30 folders is not reached."""
    monkeypatch.setattr(places, "_N_FOLDERS", 20)
    for n in range(30):
        (tmp_path / f"f{n:02}").mkdir()
    for n in (0, 29):
        (tmp_path / f"f{n:02}/summeval.toml").touch()
    assert [file.parent.name for file in suites_beneath(tmp_path)] == ["f00"]
