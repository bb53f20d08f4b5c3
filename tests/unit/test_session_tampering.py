"""A store that was changed by hand: what does not fit is refused, and nothing of it is run."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from petri_cli.driver.options import Options
from petri_cli.driver.session_driver import SessionDriver
from petri_cli.errors import PetriError
from petri_cli.session.sqlite import SqliteEventStore
from tests.sessions import Fake, commit_plan


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "petri.db"


def tampered(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(sql, values)
        db.commit()


def planned(path: Path) -> SqliteEventStore:
    store = SqliteEventStore(path)
    store.create("demo")
    commit_plan(store, "demo", {"flow": {"task": {"id": "t", "run": "echo good"}}})
    return store


def test_a_plan_whose_text_is_not_what_was_committed_is_not_run(path: Path, tmp_path: Path) -> None:
    store = planned(path)
    changed = "UPDATE events SET payload = replace(payload, 'echo good', 'touch evil') WHERE seq = 2"
    tampered(path, changed)
    work = Fake()
    with pytest.raises(PetriError, match=r"PETRI_BAD_LOG .* has another hash"):
        asyncio.run(SessionDriver(store, "demo", work.perform, work.judge, Options(signals=False)).run())
    assert work.done == []
    with pytest.raises(PetriError, match="PETRI_BAD_LOG"):
        list(store.read("demo"))


def test_a_snapshot_whose_plan_is_not_that_of_the_log_is_of_no_use(path: Path) -> None:
    store = planned(path)
    good = store.state("demo")
    store.snapshot("demo", good)
    tampered(path, "UPDATE snapshots SET payload = replace(CAST(payload AS TEXT), 'echo good', 'touch evil')")
    again = store.state("demo")
    assert again == good
    tampered(path, "UPDATE events SET payload = replace(payload, 'echo good', 'touch evil') WHERE seq = 2")
    with pytest.raises(PetriError, match="PETRI_BAD_LOG"):
        store.state("demo")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE events SET at = at + 1 WHERE seq = 2",
        "UPDATE events SET type = 'Noted' WHERE seq = 2",
        "UPDATE events SET payload = (SELECT payload FROM events WHERE seq = 1) WHERE seq = 2",
    ],
)
def test_an_event_is_what_the_columns_beside_it_say(path: Path, sql: str) -> None:
    store = planned(path)
    tampered(path, sql)
    with pytest.raises(PetriError, match=r"PETRI_BAD_LOG event 2 of session demo is filed as"):
        store.state("demo")
