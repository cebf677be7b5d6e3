"""Which filesystem a path is on, as far as Linux tells."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

NETWORK: Final = frozenset(
    "nfs nfs4 cifs smb3 smbfs lustre gpfs beegfs ceph glusterfs afs ocfs2 gfs2 pvfs2 davfs"
    " fuse.sshfs fuse.glusterfs fuse.ceph fuse.ceph-fuse fuse.rclone fuse.s3fs fuse.gcsfuse"
    " fuse.davfs fuse.moosefs fuse.juicefs".split()
)
"""Filesystems that several machines share. 9p is not here: virtual machines and containers have
their local files on it."""

_LINE: Final = re.compile(r"\S+ \S+ \S+ \S+ (?P<point>\S+) .*? - (?P<kind>\S+)")
_ESCAPE: Final = re.compile(r"\\([0-7]{3})")


def filesystem(path: Path, mounts: str) -> str:
    """The type of the filesystem that an absolute path is on; empty where that is not told.

    Args:
        path: Symbolic links resolved; it need not exist.
        mounts: The text of Linux's ``/proc/self/mountinfo``. Of two mounts on the same place the
            later one covers the earlier.
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        if not (found := _LINE.match(line)):
            continue
        point = Path(_ESCAPE.sub(lambda match: chr(int(match[1], 8)), found["point"]))
        depth = len(point.parts)
        if path.is_relative_to(point) and depth >= best:
            best, kind = depth, found["kind"]
    return kind


def network_filesystem(path: Path) -> str:
    """The type of the network filesystem that a path is on; empty where it is on none we know."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:  # no Linux, or no /proc: nothing is known, so nothing is refused
        return ""
    kind = filesystem(path, mounts)
    return kind if kind in NETWORK else ""
