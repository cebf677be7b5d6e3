from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.store.mounts import NETWORK, filesystem, network_filesystem

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 0 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
30 27 0:30 / /home rw,relatime shared:2 master:3 - nfs4 server:/home rw,vers=4.2
31 30 0:31 / /home/ann/local rw - xfs /dev/vdb rw
32 27 0:32 / /mnt/my\\040disk rw - fuse.sshfs host:/disk rw
33 27 0:33 / /data rw - ext4 /dev/vdc rw
34 27 0:34 / /data rw - cifs //server/data rw
a line that is none
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/tmp/store", "ext4"),  # noqa: S108 (a path that nobody opens)
        ("/home/ann/.cache/summeval", "nfs4"),
        ("/home", "nfs4"),
        ("/homes/ann", "ext4"),  # a longer name is another place
        ("/home/ann/local/store", "xfs"),  # the nearest mount counts
        ("/mnt/my disk/store", "fuse.sshfs"),  # a space is written \040
        ("/data/store", "cifs"),  # the later mount covers the earlier
    ],
)
def test_path_is_on_the_nearest_mount(path: str, kind: str) -> None:
    """The table is Linux's own, /proc/self/mountinfo, as proc(5) describes it."""
    assert filesystem(Path(path), MOUNTS) == kind


def test_without_a_table_nothing_is_told() -> None:
    """What is not known is not refused."""
    assert filesystem(Path("/home"), "") == ""


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "lustre", "ceph"])
def test_shared_filesystems_are_known(kind: str) -> None:
    """SQLite's locks do not hold on these."""
    assert kind in NETWORK


@pytest.mark.parametrize("kind", ["9p", "ext4", "tmpfs", "overlay", "btrfs", "virtiofs"])
def test_local_filesystems_are_not_refused(kind: str) -> None:
    """9p and virtiofs are how a virtual machine or a container sees its own host's disk."""
    assert kind not in NETWORK


def test_this_machine_is_asked(tmp_path: Path) -> None:
    """Tests run on a local disk, or none of them could make a store."""
    assert network_filesystem(tmp_path) == ""
