"""What lies on a network is told from what does not; folders are made to last."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri_cli.session import filesystem
from petri_cli.session.filesystem import make_folder, network_kind

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /proc rw,nosuid shared:5 - proc proc rw
41 22 0:40 / /home rw,relatime shared:9 - nfs4 server:/home rw,vers=4.2
42 41 0:41 / /home/me/disk rw shared:10 - xfs /dev/vdb rw
43 22 0:42 / /mnt/with\\040blank rw shared:11 master:1 - cifs //server/share rw
44 22 0:43 / /mnt/sshfs rw - fuse.sshfs host:/ rw
45 22 0:44 / /mnt/stick rw - fuseblk /dev/sdb1 rw
46 22 0:45 / /mnt/secret rw - fuse.gocryptfs /home/x rw
47 22 0:46 / /mnt/vm rw - virtiofs share rw
48 22 0:47 / /mnt/twice rw - nfs server:/x rw
49 48 0:48 / /mnt/twice rw - ext4 /dev/vdc rw
nonsense
"""


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mountinfo"
    file.write_text(MOUNTS)
    monkeypatch.setattr(filesystem, "_MOUNTS", file)


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/petri.db", None),
        ("/home/me/petri.db", "nfs4"),
        ("/home", "nfs4"),
        ("/homestead/petri.db", None),
        ("/home/me/disk/a/petri.db", None),
        ("/mnt/with blank/petri.db", "cifs"),
        ("/mnt/sshfs/petri.db", "fuse.sshfs"),
        ("/mnt/stick/petri.db", None),
        ("/mnt/secret/petri.db", None),
        ("/mnt/vm/petri.db", "virtiofs"),
        ("/mnt/twice/petri.db", None),
    ],
)
def test_the_mount_that_a_path_lies_on_says_its_kind(path: str, kind: str | None) -> None:
    assert network_kind(Path(path)) == kind


@pytest.mark.usefixtures("mounts")
def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/home/me")
    assert network_kind(tmp_path / "link" / "petri.db") == "nfs4"


def test_without_proc_the_program_mount_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "mount"
    lines = "/dev/disk3s1 on / (apfs, sealed, local)", "//me@nas/share on /Volumes/My Share (smbfs, nodev)"
    program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
    program.chmod(0o755)
    monkeypatch.setattr(filesystem, "_MOUNTS", tmp_path / "none")
    monkeypatch.setattr(filesystem, "MOUNT", str(program))
    assert network_kind(Path("/Volumes/My Share/petri.db")) == "smbfs"
    assert network_kind(Path("/Users/me/petri.db")) is None
    monkeypatch.setattr(filesystem, "MOUNT", str(tmp_path / "no program"))
    assert network_kind(Path("/Volumes/My Share/petri.db")) is None, "unknown counts as local"


def test_folders_are_made_and_each_name_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_ino.__str__()))
    make_folder(tmp_path / "a" / "b")
    assert synced == [str(f.stat().st_ino) for f in (tmp_path, tmp_path / "a")]
    make_folder(tmp_path / "a" / "b")
    assert len(synced) == 2
