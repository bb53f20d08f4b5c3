"""Ids of sessions as names of folders."""

from __future__ import annotations

import string
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver.commands import Job
from petri_cli.driver.local import LocalWork
from petri_cli.driver.results import Results
from petri_cli.driver.threads import Thread
from petri_cli.plan.load import plan_from_data
from petri_cli.session.naming import folder_name

IDS = st.text(string.ascii_letters[:4] + "ABab01_-.", min_size=1, max_size=6)


@settings(deadline=None, derandomize=True, max_examples=500)
@given(IDS, IDS)
def test_two_sessions_have_two_folders_where_case_makes_no_difference_too(one: str, other: str) -> None:
    assert (folder_name(one).lower() == folder_name(other).lower()) == (one == other)


def test_most_ids_are_their_folders_and_capitals_are_told() -> None:
    assert [folder_name(s) for s in ("nightly-2", "A", "aB", "Ab", "AB")] == [
        "nightly-2",
        "A~1",
        "aB~2",
        "Ab~1",
        "AB~3",
    ]


def test_work_is_kept_in_that_folder(tmp_path: Path) -> None:
    plan, _ = plan_from_data({"flow": {"task": {"id": "t"}}})
    node, thread = next(iter(plan.tasks())), Thread("", "")
    job = Job(plan, node, "Nightly", "c1", 1, thread, Results(plan, {}).at(node, thread))
    assert LocalWork(tmp_path, tmp_path)._folder_of(job) == tmp_path / "Nightly~1" / "c1"
