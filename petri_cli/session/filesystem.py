"""What a store must know of the file system that it lies on."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
MOUNT = "/sbin/mount"

_SHARED = frozenset({
    "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "ncpfs", "9p", "ceph", "lustre", "gpfs", "beegfs",
    "glusterfs", "ocfs2", "gfs", "gfs2", "orangefs", "pvfs2", "coda", "webdav", "afpfs", "acfs", "virtiofs", "vboxsf",
    "vmhgfs", "prl_fs", "fakeowner", "drvfs", "fuse",
})  # fmt: skip
"""Kinds that other hosts (or the host of a virtual machine) write to behind the kernel's back, named as in proc(5)."""
_LOCAL_FUSE = frozenset({"fuse.ntfs-3g", "fuse.exfat", "fuse.encfs", "fuse.gocryptfs", "fuse.bindfs"})


def network_kind(path: Path) -> str | None:
    """The kind of the file system that ``path`` (which need not exist) lies on when several hosts may share it.

    Such a file system has no memory that processes on different hosts share, which SQLite's write-ahead log needs
    (sqlite.org/wal.html). Any file system in user space counts, but for a few that are known to be local.
    """
    kind = _kind(Path(os.path.realpath(path)))
    shared = kind in _SHARED or (kind.startswith("fuse.") and kind not in _LOCAL_FUSE)
    return kind if shared else None


def _kind(path: Path) -> str:
    """Of the mount whose point is the longest prefix; "" when that cannot be told. A later mount hides an earlier."""
    best, kind = -1, ""
    for point, name in _mounts():
        if len(point.parts) >= best and path.is_relative_to(point):
            best, kind = len(point.parts), name
    return kind


def _mounts() -> list[tuple[Path, str]]:
    """(mount point, kind), in the order of mounting."""
    try:
        text = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return _mounts_told()
    mounts = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        if right:
            mounts.append((Path(_unescaped(left.split(" ")[4])), right.split(" ")[0]))
    return mounts


def _unescaped(name: str) -> str:
    for octal, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        name = name.replace(octal, char)
    return name


def _mounts_told() -> list[tuple[Path, str]]:
    """As the program ``mount`` of macOS and the BSDs prints them: ``server:/x on /Volumes/x (nfs, nodev)``."""
    try:
        done = subprocess.run([MOUNT], capture_output=True, timeout=5, check=False)  # noqa: S603 (no input)
    except (OSError, subprocess.TimeoutExpired):
        return []
    mounts = []
    for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
        place, _, options = line.rpartition(" (")
        _, on, point = place.partition(" on ")
        if on:
            mounts.append((Path(point), options.rstrip(")").split(",")[0]))
    return mounts


PRIVATE = 0o600
"""Of files that hold what tasks wrote: nobody but the user reads or writes them, whatever the umask is."""


def make_private(path: Path, flags: int, like: Path | None = None) -> int:
    """Open ``path``, which is made with mode 0600 where it is missing; one that is there keeps its mode.

    like: a file whose mode it gets instead, where that file is there. Raises OSError.
    """
    mode = PRIVATE
    if like is not None:
        with contextlib.suppress(OSError):
            mode = stat.S_IMODE(like.stat().st_mode) & 0o666
    try:
        fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        return os.open(path, flags | os.O_CREAT, mode)
    with contextlib.suppress(OSError):  # the umask may have taken from it what `like` grants
        os.fchmod(fd, mode)
    return fd


def sync_folder(folder: Path) -> None:
    """Make the names in ``folder`` last: without it a new file may be gone after a power failure, synced or not."""
    fd = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


OWN = ".petri"
"""The folder of a store that nobody named, and of what its work writes."""


def make_folder(folder: Path) -> None:
    """Make ``folder`` and those above it, and make them last. One of our own is kept out of git: what tasks print is
    nobody else's business."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if folder in missing and folder.name == OWN:
        with contextlib.suppress(OSError):
            (folder / ".gitignore").write_text("*\n", encoding="ascii")
    for made in reversed(missing):
        sync_folder(made.parent)
