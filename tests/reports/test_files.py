from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from summeval_pytest.reports.files import write_whole


def names(folder: Path) -> list[str]:
    """Everything in a folder."""
    return sorted(file.name for file in folder.iterdir())


def test_a_file_holds_the_text_and_nothing_else_is_left(tmp_path: Path) -> None:
    """Line breaks stay, so that two replays are equal to the byte; a fresh runner has no folder."""
    file = tmp_path / "reports" / "html" / "run.jsonl"
    assert write_whole(file, "one\ntwo\r\nthree é\n") == ""
    assert file.read_bytes() == "one\ntwo\r\nthree é\n".encode()
    assert names(file.parent) == ["run.jsonl"]


def test_a_folder_in_its_place_is_reported_and_stays(tmp_path: Path) -> None:
    """The message says what, why and what to do, and no half of a file is left."""
    place = tmp_path / "run.jsonl"
    (place / "kept").mkdir(parents=True)
    assert write_whole(place, "text") == (
        f"{place} cannot be written (Is a directory); name another file"
    )
    assert names(tmp_path) == ["run.jsonl"]
    assert names(place) == ["kept"]


def test_what_cannot_be_written_leaves_the_earlier_file(tmp_path: Path) -> None:
    """Half of a surrogate pair is no UTF-8; who calls must not pass it, and loses nothing if so."""
    file = tmp_path / "run.jsonl"
    file.write_text("earlier")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "x" * 100_000 + "\ud800")
    assert file.read_text() == "earlier"
    assert names(tmp_path) == ["run.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_others_may_read_what_the_umask_lets_them(tmp_path: Path, umask: int, mode: int) -> None:
    """A temporary file is private; a report that CI has to collect is not."""
    before = os.umask(umask)
    try:
        assert write_whole(tmp_path / "run.jsonl", "text") == ""
        assert os.umask(umask) == umask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "run.jsonl").stat().st_mode) == mode
