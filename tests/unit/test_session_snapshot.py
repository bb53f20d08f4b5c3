"""Snapshots: when one is due, which are kept, which are not believed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from petri_cli.session import snapshot
from petri_cli.session.fold import fold
from petri_cli.session.snapshot import due, state_from_text, state_to_text, thin
from petri_cli.session.sqlite import SqliteEventStore
from tests.strategies.session_logs import session_log


def test_a_small_state_is_kept_every_thousand_events_and_a_large_one_less_often() -> None:
    assert not due(1_999, 1_000, 5_000) and due(2_000, 1_000, 5_000)
    assert not due(20_999, 1_000, 20_000_000) and not due(40_999, 1_000, 20_000_000)
    assert due(41_000, 1_000, 20_000_000)
    assert due(1_000, 0, 0)


def kept_of(spacing: int, number: int) -> list[int]:
    kept: list[int] = []
    for seq in range(spacing, spacing * number + 1, spacing):
        kept.append(seq)
        dropped = thin(kept)
        kept = [s for s in kept if s not in dropped]
    return kept


def test_few_snapshots_of_a_million_events_are_kept_and_the_latest_are_the_densest() -> None:
    kept = kept_of(1_000, 1_000)
    assert len(kept) <= 22 and kept[-2:] == [999_000, 1_000_000]
    assert kept[0] < 800_000 < kept[-5]


@pytest.mark.parametrize("number", [1, 2, 3, 10, 64, 100, 777, 1_000])
def test_an_event_is_never_much_further_from_a_snapshot_than_from_the_end(number: int) -> None:
    kept = kept_of(1_000, number)
    for seq in range(1_000, number * 1_000, 250):
        before = max((s for s in kept if s <= seq), default=0)
        assert seq - before <= 2 * (number * 1_000 - seq) + 1_000


@pytest.mark.parametrize("part", ["driver", "report"])
def test_a_snapshot_with_a_part_by_another_version_is_none(part: str) -> None:
    texts = [state_to_text(fold(session_log(seed, 60, final=False))) for seed in range(40)]
    found = 0
    for text in texts:
        whole = json.loads(text)
        for data in [whole] if part == "driver" else whole["claims"]:
            if data[part]:
                found += 1
                data[part] = [] if part == "driver" else {**data[part], "v": 99}
                assert state_from_text(json.dumps(whole), whole["seq"]) is None
    assert found


def test_a_snapshot_by_another_fold_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    state = fold(session_log(1, 40))
    text = state_to_text(state)
    assert state_from_text(text, state.seq) == state
    monkeypatch.setattr(snapshot, "FOLD", "2 00000000")
    assert state_from_text(text, state.seq) is None


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[]", "{}", '{"fold": 1}', "[" * 100_000, '{"fold": "' + snapshot.FOLD + '", "seq": 1}']
)
def test_a_damaged_snapshot_is_none(text: str) -> None:
    assert state_from_text(text, 1) is None


def test_a_snapshot_that_lacks_any_part_or_has_it_wrong_is_none() -> None:
    state = fold(session_log(3, 60, final=False))
    whole = json.loads(state_to_text(state))
    for key in whole:
        assert state_from_text(json.dumps({k: v for k, v in whole.items() if k != key}), state.seq) is None
    for key in ("claims", "timers", "revisions", "marking", "attempts", "holdings"):
        assert state_from_text(json.dumps({**whole, key: 5}), state.seq) is None


def test_a_snapshot_of_another_event_is_none() -> None:
    state = fold(session_log(1, 40))
    assert state_from_text(state_to_text(state), state.seq + 1) is None


def test_where_the_latest_snapshot_is_of_no_use_the_one_before_is_taken(tmp_path: Path) -> None:
    store = SqliteEventStore(tmp_path / "petri.db", clock=lambda: 0)
    log = session_log(5, 80)
    store.create("demo")
    store.append("demo", 1, log[1:])
    whole = store.state("demo")
    for seq in (20, 40, 60):
        store.snapshot("demo", store.state("demo", seq))
    newest = max(store.snapshots("demo"))
    store.close()
    for damage in ("'{'", "(SELECT payload FROM snapshots WHERE seq = 20)", "x'ff00'"):
        with closing(sqlite3.connect(tmp_path / "petri.db", isolation_level=None)) as db:
            db.execute(f"UPDATE snapshots SET payload = {damage} WHERE seq = ?", (newest,))  # noqa: S608 (a test)
        again = SqliteEventStore(tmp_path / "petri.db")
        assert again.state("demo") == whole
        again.close()
