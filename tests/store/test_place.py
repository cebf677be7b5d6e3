from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import default_directory, prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

NOBODY = 65534


def refused(directory: Path) -> str:
    """The message for a directory that is unfit."""
    with pytest.raises(StoreError) as caught:
        prepare(directory)
    return str(caught.value)


def mode(path: Path) -> int:
    """The bits that say who may do what."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A directory that every user may look into, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


def test_new_store_is_private(tmp_path: Path) -> None:
    """Papers and replies may be confidential, and a planted reply would change a verdict."""
    made = prepare(tmp_path / "new" / "store")

    assert made == tmp_path / "new" / "store"
    assert mode(made) == 0o700


def test_new_store_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """A careless umask opens nothing."""
    before = os.umask(0)
    try:
        made = prepare(tmp_path / "store")
    finally:
        os.umask(before)

    assert mode(made) == 0o700


def test_store_is_kept_out_of_git_and_backups(tmp_path: Path) -> None:
    """A store inside a repository must not be committed by chance."""
    made = prepare(tmp_path / "store")

    assert (made / ".gitignore").read_text(encoding="utf-8").splitlines()[-1] == "*"
    assert (
        (made / "CACHEDIR.TAG")
        .read_text(encoding="utf-8")
        .startswith(
            "Signature: 8a477f597d28d172789f06886806bc55\n"  # fixed by bford.info/cachedir
        )
    )


def test_preparing_again_changes_nothing(tmp_path: Path) -> None:
    """A user's own rules for git stay."""
    made = prepare(tmp_path / "store")
    (made / ".gitignore").write_text("mine", encoding="utf-8")
    (made / "anything").touch()

    assert prepare(tmp_path / "store") == made
    assert (made / ".gitignore").read_text(encoding="utf-8") == "mine"


def test_store_left_half_made_is_finished(tmp_path: Path) -> None:
    """Another process, or one that was killed, may have got as far as this."""
    for name in ("new-replies-x1", "flight.lock", ".gitignore", "replies"):
        (tmp_path / "store" / name).mkdir(parents=True, mode=0o700)
    (tmp_path / "store").chmod(0o700)

    assert (prepare(tmp_path / "store") / "CACHEDIR.TAG").exists()


def test_home_is_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ini file has no shell to expand a tilde."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert prepare(Path("~/store")) == tmp_path / "store"


def test_directory_of_other_things_is_refused(tmp_path: Path) -> None:
    """A .gitignore of ours in a project's own folder would hide the project from git."""
    (tmp_path / "main.py").touch()
    (tmp_path / "zebra.py").touch()
    tmp_path.chmod(0o700)

    assert refused(tmp_path) == (
        f"the directory '{tmp_path}' holds other things than a store (such as 'main.py'); name an"
        " empty or a new directory with --summ-store=DIR"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["main.py", "zebra.py"]


@pytest.mark.parametrize("bits", [0o770, 0o720, 0o702, 0o1777])
def test_store_that_others_may_write_into_is_refused(tmp_path: Path, bits: int) -> None:
    """What anybody can write, nobody can trust."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store").chmod(bits)

    assert refused(tmp_path / "store") == (
        f"others may write into the store '{tmp_path / 'store'}', and so put words into a judge's"
        " mouth; run 'chmod go-w' on it if nobody has, or name another directory with"
        " --summ-store=DIR"
    )
    assert list((tmp_path / "store").iterdir()) == []


def test_store_that_others_may_only_read_is_accepted(tmp_path: Path) -> None:
    """Who made it so may have wished it so."""
    (tmp_path / "store").mkdir()
    (tmp_path / "store").chmod(0o755)

    assert prepare(tmp_path / "store") == tmp_path / "store"


def test_store_of_somebody_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner can change it at any time."""
    made = prepare(tmp_path / "store")
    monkeypatch.setattr(os, "geteuid", lambda: made.stat().st_uid + 1)

    assert refused(made) == (
        f"the store '{made}' belongs to somebody else (user {made.stat().st_uid}), who could put"
        " words into a judge's mouth; name another directory with --summ-store=DIR"
    )


def test_file_in_its_place_is_refused(tmp_path: Path) -> None:
    """It is somebody's file."""
    (tmp_path / "store").write_text("mine", encoding="utf-8")
    message = (
        "cannot be made, as a file is in its place; name another directory with --summ-store=DIR"
    )

    assert refused(tmp_path / "store") == f"the store '{tmp_path / 'store'}' {message}"
    assert refused(tmp_path / "store" / "a") == f"the store '{tmp_path / 'store' / 'a'}' {message}"
    assert (tmp_path / "store").read_text(encoding="utf-8") == "mine"


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    """Some Pythons raise another error for them than for other paths."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")

    assert f"the store '{tmp_path / 'a' / 'c'}' cannot be" in refused(tmp_path / "a" / "c")


ATTEMPT = """
import os, sys
from pathlib import Path
import diskcache
from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import Cache
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Cache(Path(sys.argv[1]), lock_seconds=1)
except StoreError as error:
    print(error)
"""


def as_nobody(path: Path) -> str:
    """What opening a store says to a user who has to obey permissions, as root has not."""
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPT, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_store_that_cannot_be_made_is_said(open_path: Path) -> None:
    """A container may have no place for the user's caches."""
    open_path.chmod(0o555)

    assert as_nobody(open_path / "store") == (
        f"the store '{open_path / 'store'}' cannot be used (Permission denied); name another"
        " directory with --summ-store=DIR"
    )


def test_store_that_cannot_be_written_is_said(open_path: Path) -> None:
    """Nothing new could be remembered, so everything would be paid for again."""
    made = prepare(open_path / "store")
    if os.geteuid() == 0:
        os.chown(made, NOBODY, NOBODY)
    made.chmod(0o500)

    assert as_nobody(made) == (
        f"the store '{made}' cannot be written; run 'chmod u+rwx' on it, or name another directory"
        " with --summ-store=DIR"
    )
    made.chmod(0o700)


def test_default_is_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All projects of a user share what was paid for, and nothing is made by asking where."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert default_directory() == tmp_path / "summeval"
    assert list(tmp_path.iterdir()) == []
