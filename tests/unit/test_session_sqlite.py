"""The store in SQLite: how it is kept, what it refuses, and what it says when the disk fails."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from petri_cli.errors import PetriError, Problem
from petri_cli.session import sqlite_connections, sqlite_lock
from petri_cli.session.events import Noted
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.sqlite_files import APPLICATION, VERSION

ROOT = Path(__file__).parents[2]


def note(text: str = "x") -> Noted:
    return Noted(2**52, "info", text)


def add(store: SqliteEventStore, text: str = "x", number: int = 1) -> int:
    return store.append("demo", store.last("demo"), [note(text) for _ in range(number)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "petri.db"


@pytest.fixture
def opened() -> Iterator[Callable[..., SqliteEventStore]]:
    stores: list[SqliteEventStore] = []

    def open_store(path: Path, **how: object) -> SqliteEventStore:
        how.setdefault("network", lambda p: None)
        stores.append(SqliteEventStore(path, **how))  # type: ignore[arg-type]
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


Open = Callable[..., SqliteEventStore]


@contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        yield db


def asked(path: Path, sql: str) -> object:
    with raw(path) as db:
        return db.execute(sql).fetchone()[0]


# How it is kept


def test_the_database_says_whose_it_is_and_of_which_version(path: Path, opened: Open) -> None:
    opened(path).create("demo")
    assert asked(path, "PRAGMA application_id") == APPLICATION
    assert asked(path, "PRAGMA user_version") == VERSION
    assert asked(path, "PRAGMA journal_mode") == "wal"


def test_a_writer_syncs_every_commit_and_never_checkpoints_by_itself(path: Path, opened: Open) -> None:
    store = opened(path)
    with store._connections.transaction() as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert db.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)
        assert db.execute("PRAGMA busy_timeout").fetchone() == (30_000,)


def test_nothing_is_made_by_a_reader(path: Path, opened: Open) -> None:
    store = opened(path)
    assert store.sessions() == [] and store.changed() == 0
    with pytest.raises(PetriError, match="PETRI_UNKNOWN_SESSION"):
        store.last("demo")
    assert list(path.parent.iterdir()) == []


def test_a_reader_sees_a_store_that_is_made_later(path: Path, opened: Open) -> None:
    reader = opened(path)
    before = reader.changed()
    opened(path).create("demo")
    assert reader.sessions() == ["demo"] and reader.changed() != before


def test_the_folder_of_a_store_is_made(tmp_path: Path, opened: Open) -> None:
    opened(tmp_path / "a" / "b" / "petri.db").create("demo")
    assert (tmp_path / "a" / "b" / "petri.db").exists()


def test_the_first_commit_makes_the_names_of_new_files_last(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(str(Path(f"/proc/self/fd/{fd}").readlink())))
    opened(tmp_path / "new" / "petri.db").create("demo")
    assert synced == [str(tmp_path), str(tmp_path / "new")]


def test_a_link_to_a_store_is_that_store_with_its_one_lock_and_log(tmp_path: Path, opened: Open) -> None:
    real, link = tmp_path / "real" / "store.db", tmp_path / "link.db"
    link.symlink_to(real)
    session = opened(link).create("demo")
    other = opened(real)
    assert other.append(session, 1, [note()]) == 2
    assert [p.name for p in tmp_path.glob("link.db*")] == ["link.db"]
    assert (real.parent / "store.db.lock").exists()


def test_a_link_that_leads_to_itself_is_no_store(tmp_path: Path, opened: Open) -> None:
    link = tmp_path / "store.db"
    link.symlink_to(link)
    with pytest.raises(PetriError) as error:
        opened(link).create("demo")
    assert error.value.code == "PETRI_STORE_NO_ACCESS"


def test_a_path_may_hold_any_character(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "a b?mode=memory#%41ü" / "petri.db"
    opened(path).create("demo")
    assert path.exists() and opened(path).sessions() == ["demo"]


def test_the_log_is_moved_into_the_database_when_it_is_long(
    path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connections, "CHECKPOINT_BYTES", 100_000)
    store = opened(path)
    store.create("demo")
    log, sizes = path.with_name("petri.db-wal"), []
    for _ in range(60):
        add(store, "x" * 5_000)
        sizes.append(log.stat().st_size)
    assert max(sizes) < 150_000 and sizes.count(0) >= 2
    assert path.stat().st_size > 150_000


def test_a_reader_in_the_way_keeps_the_log_from_being_moved_and_nobody_waits(
    path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connections, "CHECKPOINT_BYTES", 50_000)
    store = opened(path)
    store.create("demo")
    with raw(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
        for _ in range(40):
            add(store, "x" * 5_000)
        assert path.with_name("petri.db-wal").stat().st_size > 200_000
    for _ in range(12):
        add(store, "x" * 5_000)
    assert path.with_name("petri.db-wal").stat().st_size < 100_000
    assert store.warnings == []


def test_a_closed_store_is_one_file_and_its_lock(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    store.close()
    assert sorted(p.name for p in path.parent.iterdir()) == ["petri.db", "petri.db.lock"]
    with pytest.raises(ValueError, match="closed"):
        store.sessions()


def test_a_store_that_is_forgotten_is_closed(path: Path) -> None:
    gc.freeze()  # nothing else is looked for
    try:
        SqliteEventStore(path, network=lambda p: None).create("demo")
        gc.collect()
    finally:
        gc.unfreeze()
    assert not path.with_name("petri.db-wal").exists()


def test_a_block_that_appends_nothing_commits_nothing(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    size, seen = path.with_name("petri.db-wal").stat().st_size, store.changed()
    with store.writing("demo") as w:
        w.tail(0)
    assert path.with_name("petri.db-wal").stat().st_size == size and store.changed() == seen


def test_a_call_that_writes_in_a_block_that_writes_is_a_mistake(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    with store.writing("demo"), pytest.raises(RuntimeError, match="inside of a block"):
        store.create("other")
    assert store.sessions() == ["demo"]


# Network file systems


def test_on_a_network_file_system_a_rollback_journal_is_kept_and_a_warning_given(path: Path, opened: Open) -> None:
    told: list[Problem] = []
    store = opened(path, network=lambda p: "nfs4", warn=told.append)
    store.create("demo")
    add(store)
    assert [w.code for w in store.warnings] == ["PETRI_STORE_NETWORK"] and told == store.warnings
    assert told[0].severity == "warning" and "nfs4" in told[0].message
    assert not path.with_name("petri.db-wal").exists()
    with store._connections.transaction() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert db.execute("PRAGMA synchronous").fetchone() == (3,), "syncs the folder when the journal is removed"
    assert opened(path, network=lambda p: "nfs4").last("demo") == 2


def test_a_store_that_was_moved_to_a_network_file_system_loses_its_log(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    store.close()
    moved = path.with_name("moved.db")
    shutil.move(path, moved)
    assert add(opened(moved, network=lambda p: "cifs")) == 2
    assert asked(moved, "PRAGMA journal_mode") == "delete"


def test_a_journal_that_cannot_be_changed_is_warned_about(path: Path, opened: Open) -> None:
    opened(path, network=lambda p: "nfs").create("demo")
    with raw(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchall()
        store = opened(path, timeout=0.05)
        with store._connections.transaction():
            pass
        assert [w.code for w in store.warnings] == ["PETRI_STORE_JOURNAL"]
    assert add(store) == 2
    again = opened(path)
    assert add(again) == 3 and again.warnings == []


def test_readers_and_a_writer_share_a_store_with_a_rollback_journal(path: Path, opened: Open) -> None:
    store, reader = (opened(path, network=lambda p: "nfs") for _ in range(2))
    store.create("demo")
    with store.writing("demo") as w:
        w.append([note()])
        assert reader.last("demo") == 1
    assert reader.last("demo") == 2 and [e.seq for e in reader.read("demo")] == [1, 2]


def test_a_journal_left_by_a_dead_writer_is_played_back_for_a_reader(path: Path, opened: Open) -> None:
    opened(path, network=lambda p: "nfs").create("demo")
    add(opened(path, network=lambda p: "nfs"), "kept", 50)
    crashed = path.parent / "crashed" / "petri.db"
    crashed.parent.mkdir()
    with raw(path) as db:
        db.execute("PRAGMA journal_mode=delete")
        db.execute("PRAGMA cache_size=1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("UPDATE events SET payload = 'torn'")
        db.executemany("INSERT INTO events VALUES ('demo', ?, 0, 'x', ?)", [(k, "x" * 900) for k in range(52, 500)])
        for suffix in ("", "-journal"):
            shutil.copy(f"{path}{suffix}", f"{crashed}{suffix}")
        db.execute("ROLLBACK")
    assert b"torn" in crashed.read_bytes(), "half of a commit is in the database"
    reader = opened(crashed, network=lambda p: "nfs")
    assert reader.last("demo") == 51
    assert {e.event.message for e in reader.read("demo", 1) if isinstance(e.event, Noted)} == {"kept"}


# Locks


def test_the_lock_file_says_who_holds_it(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    said = json.loads(path.with_name("petri.db.lock").read_text())
    assert said["pid"] == os.getpid() and said["host"] and said["bootId"] and said["startTime"] and said["since"]


def test_a_writer_that_waits_long_says_for_whom(path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_lock, "SAY_AFTER", 0.02)
    store, other = opened(path), opened(path, timeout=0.1)
    store.create("demo")
    with store.writing("demo"), pytest.raises(PetriError, match=rf"process {os.getpid()} on .* since 20\d\d-") as e:
        other.create("demo")
    assert e.value.code == "PETRI_STORE_BUSY"
    assert [w.code for w in other.warnings] == ["PETRI_STORE_WAITING"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff" * 600, b'{"pid": 1}'])
def test_a_lock_file_of_any_content_is_no_hindrance(path: Path, opened: Open, content: bytes) -> None:
    lock = path.with_name("petri.db.lock")
    lock.write_bytes(content)
    other = opened(path, timeout=0.02)
    with lock.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PetriError, match="unknown process"):
            other.create("demo")
    assert other.create("demo") == "demo"


def test_a_lock_file_that_was_removed_keeps_nobody_out_and_lets_nobody_in(path: Path, opened: Open) -> None:
    store, other = opened(path, timeout=0.05), opened(path, timeout=0.05)
    store.create("demo")
    path.with_name("petri.db.lock").unlink()
    with store.writing("demo"), pytest.raises(PetriError, match="PETRI_STORE_BUSY"):
        other.create("demo")
    other.create("other")


def test_only_one_thread_of_a_process_writes(path: Path, opened: Open) -> None:
    store = opened(path, timeout=0.05)
    store.create("demo")
    said: list[str] = []

    def write() -> None:
        try:
            add(store)
        except PetriError as e:
            said.append(e.code)

    with store.writing("demo"):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert said == ["PETRI_STORE_BUSY"]


FORKING = """
import os, sys
from petri_cli.session.sqlite import SqliteEventStore
from petri_cli.session.events import Noted
def add(store): return store.append("demo", store.last("demo"), [Noted(2**52, "info", "x")])
store = SqliteEventStore(sys.argv[1], timeout=5)
store.create("demo")
add(store)
"""


def ran(code: str, path: Path) -> str:
    command = [sys.executable, "-W", "error", "-c", FORKING + code, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_a_child_that_was_forked_uses_the_store_as_its_parent_does(path: Path) -> None:
    code = """
if not os.fork():
    assert add(store) == 3 and store.last("demo") == 3
    store.close()
    os._exit(0)
assert os.wait()[1] == 0
assert store.last("demo") == 3 and add(store) == 4
store.close()
print("both")
"""
    assert ran(code, path) == "both\n"


def test_a_child_that_ends_leaves_what_its_parent_has_open(path: Path) -> None:
    """It ends as programs do, by its last line, long after its parent has begun to write."""
    code = """
w = store.writing("demo")
block = w.__enter__()
block.append([Noted(2**52, "info", "y")])
if not os.fork():
    sys.exit(0)
assert os.wait()[1] == 0
w.__exit__(None, None, None)
assert store.last("demo") == 3
reading, writing = os.pipe()
if not os.fork():
    os.read(reading, 1)
    sys.exit(0)
store.close()
again = SqliteEventStore(sys.argv[1])
add(again)
size = os.stat(sys.argv[1] + "-wal").st_size
os.write(writing, b"x")
os.wait()
print(size > 0 and os.stat(sys.argv[1] + "-wal").st_size == size and again.last("demo"))
"""
    assert ran(code, path) == "4\n"


def test_a_child_of_a_writer_that_died_does_not_keep_its_lock(path: Path) -> None:
    code = """
import signal
there, here = os.pipe()
writer = os.fork()
if not writer:
    with store.writing("demo") as w:
        if not os.fork():
            os.write(here, b"%10d" % os.getpid())
            signal.pause()
        signal.pause()
grandchild = int(os.read(there, 10))
os.kill(writer, signal.SIGKILL)
os.waitpid(writer, 0)
print(add(store))
os.kill(grandchild, signal.SIGKILL)
"""
    assert ran(code, path) == "3\n"


# What is refused


def test_a_store_of_a_newer_petri_is_neither_read_nor_written(path: Path, opened: Open) -> None:
    opened(path).create("demo")
    with raw(path) as db:
        db.execute(f"PRAGMA user_version={VERSION + 1}")
    store = opened(path)
    for ask in (store.sessions, lambda: store.create("demo"), lambda: store.last("demo")):
        with pytest.raises(PetriError) as e:
            ask()
        assert e.value.code == "PETRI_STORE_NEWER" and "upgrade" in e.value.hint


def test_a_database_of_another_program_is_left_alone(path: Path, opened: Open) -> None:
    with raw(path) as db:
        db.execute("CREATE TABLE t (x)")
    before = path.read_bytes()
    for ask in (opened(path).sessions, lambda: opened(path).create("demo")):
        with pytest.raises(PetriError, match="PETRI_STORE_FOREIGN"):
            ask()
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"x", b"plan: {}\n" * 300, b"SQLite format 3\0" + b"\0" * 2000])
def test_a_file_that_is_no_database_is_left_alone(path: Path, opened: Open, content: bytes) -> None:
    path.write_bytes(content)
    for ask in (opened(path).sessions, lambda: opened(path).create("demo")):
        with pytest.raises(PetriError) as e:
            ask()
        assert e.value.code in ("PETRI_STORE_FOREIGN", "PETRI_STORE_CORRUPT") and e.value.hint
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_store(path: Path, opened: Open) -> None:
    path.touch()
    assert opened(path).sessions() == []
    assert opened(path).create("demo") == "demo"


TRACES = {
    "its log": ("petri.db-wal",),
    "a journal": ("petri.db-journal",),
    "its lock": ("petri.db.lock",),
    "work": ("work/demo",),
    "all of it": ("petri.db-wal", "petri.db.lock", "work/demo"),
}


@pytest.mark.parametrize("traces", TRACES.values(), ids=TRACES)
def test_a_store_that_was_emptied_is_not_begun_anew(path: Path, opened: Open, traces: tuple[str, ...]) -> None:
    path.touch()
    for trace in traces:
        (path.parent / trace).parent.mkdir(exist_ok=True)
        (path.parent / trace).write_bytes(b"what is left")
    before = {p: p.read_bytes() for p in path.parent.rglob("*") if p.is_file()}
    for ask in (opened(path).sessions, lambda: opened(path).create("demo")):
        with pytest.raises(PetriError, match="PETRI_STORE_EMPTIED") as e:
            ask()
        assert traces[0].partition("/")[0] in str(e.value)
        assert "restore it from a backup" in e.value.hint
    assert {p: p.read_bytes() for p in path.parent.rglob("*") if p.is_file()} == before


def test_a_store_that_was_removed_is_not_begun_anew_beside_its_log(path: Path, opened: Open) -> None:
    """SQLite would throw the log away, or play it back into another database."""
    store = opened(path)
    store.create("demo")
    log = path.with_name("petri.db-wal").read_bytes()
    with contextlib.suppress(PetriError):
        path.unlink()
        store.close()
    path.with_name("petri.db-wal").write_bytes(log)
    with pytest.raises(PetriError, match=r"PETRI_STORE_EMPTIED .*petri\.db: it is missing"):
        opened(path).create("other")
    assert path.with_name("petri.db-wal").read_bytes() == log
    path.with_name("petri.db-wal").unlink()
    assert opened(path).create("demo") == "demo", "what is gone as a whole may be begun anew"


def test_the_work_of_other_stores_in_the_folder_says_nothing_of_this_one(path: Path, opened: Open) -> None:
    other = path.with_name("ci.db")
    (path.parent / "work" / "demo").mkdir(parents=True)
    other.touch()
    assert opened(other).create("demo") == "demo"


def test_a_store_is_made_as_a_whole(path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who dies on the way leaves no empty file, which would be taken for a store that was emptied."""

    def dies(db: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("petri_cli.session.sqlite_files._make_tables", dies)
        with pytest.raises(KeyboardInterrupt):
            opened(path).create("demo")
        assert [p.name for p in path.parent.iterdir()] == ["petri.db.lock"]
    path.with_name("petri.db.new").write_bytes(b"of one who was killed")
    path.with_name("petri.db.new-journal").write_bytes(b"and its journal")
    assert opened(path).create("demo") == "demo"
    assert not list(path.parent.glob("*.new*"))


def test_a_folder_in_the_place_of_the_store_is_said_so(path: Path, opened: Open) -> None:
    path.mkdir()
    for ask in (opened(path).sessions, lambda: opened(path).create("demo")):
        with pytest.raises(PetriError, match="PETRI_STORE_NO_ACCESS"):
            ask()


def test_a_file_in_the_place_of_the_folder_is_said_so(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "file").touch()
    path = tmp_path / "file" / "petri.db"
    for ask in (opened(path).sessions, lambda: opened(path).create("demo")):
        with pytest.raises(PetriError, match="PETRI_STORE_NO_ACCESS"):
            ask()


@pytest.fixture
def whole(path: Path) -> bytes:
    """A store of forty events, as it lies on the disk."""
    store = SqliteEventStore(path, network=lambda p: None)
    store.create("demo")
    for k in range(40):
        add(store, f"{k} " * 200)
    store.snapshot("demo", store.state("demo"))
    store.close()
    return path.read_bytes()


def everything(store: SqliteEventStore) -> None:
    assert store.sessions() == ["demo"]
    list(store.read("demo"))
    store.state("demo")
    store.snapshots("demo")
    add(store)


def test_a_store_that_was_cut_off_is_said_to_be_damaged(path: Path, opened: Open, whole: bytes) -> None:
    for length in (1, 50, 100, 512, 1_000, 4_096, 4_097, 8_192, len(whole) // 2, len(whole) - 4_096, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(PetriError) as e:
            everything(opened(path))
        assert e.value.code in ("PETRI_STORE_CORRUPT", "PETRI_STORE_FOREIGN", "PETRI_BAD_LOG"), length
        for left in path.parent.glob("petri.db-*"):
            left.unlink()


def test_damage_anywhere_is_an_error_a_person_can_read_or_none(path: Path, opened: Open, whole: bytes) -> None:
    codes = set()
    for at in range(0, len(whole), 1_531):
        path.write_bytes(whole[:at] + b"\xff\0" * 100 + whole[at + 200 :])
        store = opened(path)
        try:
            everything(store)
        except PetriError as e:
            codes.add(e.code)
        store.close()
        for left in path.parent.glob("petri.db-*"):
            left.unlink()
    assert codes <= {"PETRI_STORE_CORRUPT", "PETRI_STORE_FOREIGN", "PETRI_BAD_LOG", "PETRI_STORE_IO"}
    assert {"PETRI_STORE_CORRUPT", "PETRI_BAD_LOG"} <= codes


def test_an_event_that_is_missing_from_the_log_is_noticed(path: Path, opened: Open) -> None:
    for gone in (1, 2, 3):
        store = opened(path)
        session = store.create("demo")
        store.append(session, 1, [note(), note(), note()])
        with raw(path) as db:
            db.execute("DELETE FROM events WHERE session = ? AND seq = ?", (session, gone))
        with pytest.raises(PetriError, match=rf"PETRI_BAD_LOG event {gone} of session {session} is missing"):
            list(store.read(session))


def test_a_missing_table_is_damage(path: Path, opened: Open) -> None:
    opened(path).create("demo")
    with raw(path) as db:
        db.execute("DROP TABLE events")
    with pytest.raises(PetriError, match="PETRI_STORE_CORRUPT"):
        opened(path).sessions()


def test_a_file_that_is_removed_or_replaced_while_in_use_stops_the_store(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    assert store.sessions() == ["demo"]
    shutil.move(path, path.with_name("elsewhere.db"))
    for ask in (store.sessions, lambda: store.create("demo")):
        with pytest.raises(PetriError, match="PETRI_STORE_GONE"):
            ask()


def test_a_log_that_is_removed_under_a_writer_is_noticed_and_nothing_is_lost(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    add(store, number=5)
    log = path.with_name("petri.db-wal")
    log.unlink()
    with pytest.raises(PetriError, match=r"PETRI_STORE_GONE .*-wal was removed .*what had been committed is saved"):
        add(store)
    assert opened(path).last("demo") == 6
    assert add(store) == store.last("demo") == opened(path).last("demo") == 7


def test_a_log_that_was_replaced_under_a_writer_is_left_alone(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    log = path.with_name("petri.db-wal")
    log.rename(path.with_name("taken"))
    log.write_bytes(b"")
    with pytest.raises(PetriError, match=r"PETRI_STORE_GONE .*-wal was removed or replaced") as caught:
        store.create("other")
    assert "saved" not in caught.value.message
    assert log.read_bytes() == b""


# Permissions: a store is private, as what its tasks wrote is


def modes(folder: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mode & 0o777 for p in folder.iterdir()}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o177])
def test_a_store_is_made_for_its_user_alone_whatever_the_umask(path: Path, opened: Open, umask: int) -> None:
    before = os.umask(umask)
    try:
        store = opened(path)
        store.create("demo")
        assert store.sessions() == ["demo"]
    finally:
        os.umask(before)
    names = ("petri.db", "petri.db-shm", "petri.db-wal", "petri.db.lock")
    assert modes(path.parent) == dict.fromkeys(names, 0o600)


def test_a_database_that_is_there_keeps_its_mode_and_its_lock_gets_it(path: Path, opened: Open) -> None:
    path.touch()
    path.chmod(0o660)
    store = opened(path)
    store.create("demo")
    names = ("petri.db", "petri.db-shm", "petri.db-wal", "petri.db.lock")
    assert modes(path.parent) == dict.fromkeys(names, 0o660)


# Permissions, which the superuser has none to miss


def as_nobody(code: str, path: Path) -> str:
    """What a program says that has the rights of nobody."""
    begin = "import os, sys\nfrom petri_cli.errors import PetriError\n"
    begin += "from petri_cli.session.sqlite import SqliteEventStore\nimport encodings.ascii, getpass, json\n"
    begin += "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if os.getuid() == 0 else ""
    begin += "store = SqliteEventStore(sys.argv[1])\n"
    command = [sys.executable, "-W", "error", "-c", begin + code, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.strip()


SAY = "try: print({})\nexcept PetriError as e: print(e.code)\n"


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that anybody can get to."""
    folder = Path("/tmp") / f"petri-test-{os.getpid()}"  # noqa: S108
    folder.mkdir()
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_store_in_a_folder_that_may_not_be_written_to_is_read_and_not_written(
    open_folder: Path, opened: Open
) -> None:
    path = open_folder / "petri.db"
    path.touch()
    path.chmod(0o644)  # shared, or nobody else may read it
    store = opened(path)
    store.create("demo")
    assert as_nobody(SAY.format("store.create('demo')"), path) == "PETRI_STORE_NO_ACCESS"
    assert as_nobody(SAY.format("store.sessions()"), path) == "['demo']", "while it is written"
    store.close()
    open_folder.chmod(0o555)
    assert sorted(p.name for p in open_folder.iterdir()) == ["petri.db", "petri.db.lock"]
    assert as_nobody(SAY.format("store.sessions()"), path) == "['demo']", "at rest"
    assert as_nobody(SAY.format("store.create('demo')"), path) == "PETRI_STORE_NO_ACCESS"


def test_a_store_that_may_not_be_read_is_said_so(open_folder: Path, opened: Open) -> None:
    path = open_folder / "petri.db"
    opened(path).create("demo")
    path.chmod(0)
    assert as_nobody(SAY.format("store.sessions()"), path) == "PETRI_STORE_NO_ACCESS"
    assert as_nobody(SAY.format("store.create('demo')"), path / "below" / "x.db") == "PETRI_STORE_NO_ACCESS"


@pytest.fixture
def own_folder(open_folder: Path) -> Path:
    """A folder of nobody's own."""
    if os.getuid() == 0:
        os.chown(open_folder, 65534, 65534)
    return open_folder


def test_a_look_at_a_read_only_store_leaves_nothing_that_hinders_its_writer(own_folder: Path) -> None:
    path = own_folder / "petri.db"
    as_nobody("store.create('demo')", path)
    path.chmod(0o400)
    assert as_nobody(SAY.format("store.sessions()"), path) == "['demo']"
    assert as_nobody(SAY.format("store.create('demo')"), path) == "PETRI_STORE_NO_ACCESS"
    assert modes(own_folder) == {"petri.db": 0o400, "petri.db.lock": 0o600}
    path.chmod(0o600)
    assert as_nobody(SAY.format("store.create('demo')"), path) == "demo-2"


def test_who_may_not_write_makes_no_lock(own_folder: Path, opened: Open) -> None:
    path = own_folder / "petri.db"
    as_nobody("store.create('demo')", path)
    (own_folder / "petri.db.lock").unlink()
    path.chmod(0o400)
    assert as_nobody(SAY.format("store.create('demo')"), path) == "PETRI_STORE_NO_ACCESS"
    assert modes(own_folder) == {"petri.db": 0o400}


@pytest.mark.parametrize("suffix", ["-shm", "-wal", ".lock"])
def test_a_file_beside_the_database_that_is_more_read_only_than_it_is_mended(own_folder: Path, suffix: str) -> None:
    path = own_folder / "petri.db"
    left = own_folder / f"petri.db{suffix}"
    as_nobody(f"store.create('demo'); store.close()\nos.close(os.open('{left}', os.O_CREAT, 0o600))", path)
    left.chmod(0o400)
    assert as_nobody(SAY.format("store.create('demo')"), path) == "demo-2"


@pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can give files away")
@pytest.mark.parametrize("suffix", ["-shm", "-wal", ".lock"])
def test_a_file_of_somebody_else_beside_the_database_is_named(own_folder: Path, suffix: str) -> None:
    path = own_folder / "petri.db"
    as_nobody("store.create('demo')", path)
    left = own_folder / f"petri.db{suffix}"
    left.touch()
    left.chmod(0o400)
    os.chown(left, 0, 0)
    said = as_nobody("try: store.create('demo')\nexcept PetriError as e: print(e)\n", path)
    assert said.startswith(f"PETRI_STORE_NO_ACCESS {left}: it may not be written to")


# A full disk


def test_a_database_that_may_not_grow_keeps_what_it_has(path: Path, opened: Open) -> None:
    store = opened(path)
    store.create("demo")
    add(store, "kept")
    with store._connections.transaction() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(PetriError) as e:
        add(store, "x" * 3_000, number=100)
    assert e.value.code == "PETRI_STORE_FULL" and "make room" in e.value.hint
    assert store.last("demo") == 2
    assert add(store, "with room again") == 3


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_acknowledged_and_goes_on_with_room(tmp_path: Path, opened: Open) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small file system is not allowed here")
    try:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 300_000)
        store = opened(disk / "petri.db")
        store.create("demo")
        acknowledged = 1
        with pytest.raises(PetriError) as e:
            for _ in range(300):
                acknowledged = add(store, "x" * 1_000, number=7)
        assert e.value.code in ("PETRI_STORE_FULL", "PETRI_STORE_IO")
        assert store.last("demo") == opened(disk / "petri.db").last("demo") == acknowledged > 50
        with pytest.raises(PetriError):
            for _ in range(300):
                acknowledged = add(store, "x" * 1_000, number=7)
        ballast.unlink()
        assert add(store) == acknowledged + 1
        assert [entry.seq for entry in store.read("demo")] == list(range(1, acknowledged + 2))
        store.close()
        assert opened(disk / "petri.db").last("demo") == acknowledged + 1
        assert asked(disk / "petri.db", "PRAGMA integrity_check") == "ok"
    finally:
        gc.collect()
        subprocess.run(["umount", "-l", str(disk)], check=True)


LIMITED = """
import resource
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, most))
from petri_cli.errors import PetriError
last = 2
try:
    while last < 5_000:
        last = store.append("demo", last, [Noted(2**52, "info", "x" * 1_000)] * 5)
except PetriError as e:
    print(e.code, last, store.last("demo"))
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
print(add(store) == last + 1)
store.close()
"""


def test_files_that_may_not_grow_keep_what_was_acknowledged(path: Path, opened: Open) -> None:
    code, last, there, goes_on = ran(LIMITED, path).split()
    assert code in ("PETRI_STORE_FULL", "PETRI_STORE_IO") and goes_on == "True"
    assert int(last) == int(there) > 20
    assert opened(path).last("demo") == int(last) + 1


def test_a_log_that_cannot_be_moved_is_warned_about_and_the_commit_counts(
    path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connections, "CHECKPOINT_BYTES", 100_000)
    store = opened(path)
    store.create("demo")
    soft, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    last = 1
    while path.with_name("petri.db-wal").stat().st_size < 90_000:
        last = add(store, "x" * 3_000)
    real = store._connections._checkpoint

    def with_a_limit(db: sqlite3.Connection) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, most))
        try:
            real(db)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, most))

    monkeypatch.setattr(store._connections, "_checkpoint", with_a_limit)
    for _ in range(4):
        last = add(store, "x" * 3_000)
    assert {w.code for w in store.warnings} == {"PETRI_STORE_NOT_MOVED"}
    assert store.last("demo") == last == opened(path).last("demo")
    monkeypatch.undo()


def test_the_log_is_moved_and_the_database_closed_only_under_the_lock(
    path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connections, "CHECKPOINT_BYTES", 20_000)
    store = opened(path)
    store.create("demo")
    free: list[bool] = []

    def look() -> None:
        with path.with_name("petri.db.lock").open("r+b") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free.append(True)
            except BlockingIOError:
                free.append(False)

    def looked_at(real: Callable[..., None], *given: object) -> None:
        look()
        real(*given)

    connections = store._connections
    for name in ("_checkpoint", "_close_writer"):
        monkeypatch.setattr(connections, name, partial(looked_at, getattr(connections, name)))
    for _ in range(10):
        add(store, "x" * 5_000)
    moved = len(free)
    store.close()
    assert moved >= 2 and len(free) == moved + 2 and not any(free)
    look()
    assert free[-1], "afterwards nobody holds it"


def test_a_store_that_cannot_get_the_lock_ends_without_it_and_loses_nothing(path: Path, opened: Open) -> None:
    store, other = opened(path, timeout=0.05), opened(path)
    store.create("demo")
    assert add(store, "kept") == 2
    with other.writing("demo") as w:
        store.close()
        w.append([note()])
    assert [e.seq for e in opened(path).read("demo")] == [1, 2, 3]
