"""A plan on its way into a session: read once, checked once, and nothing written where it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.cli.committing import Terms, commit_file
from petri_cli.cli.streams import Output, page_on
from petri_cli.driver import commit as committing
from petri_cli.driver.commit import Document
from petri_cli.errors import InputError, PetriError
from petri_cli.plan import load as loading
from petri_cli.session.memory import MemoryEventStore
from petri_cli.soundness.result import Budget

PLAN = "name: Ship it!\nflow: {task: {id: a, run: 'true'}}\n"


def commit(store: MemoryEventStore, text: str, session: str | None = None, **more: Any) -> Any:
    terms = Terms(Budget(), **{k: v for k, v in more.items() if k != "loaded"})
    with Output("/dev/null") as out:
        page = page_on(out, "never", verbosity=-1)
        return commit_file(Document(text, "p.yaml"), store, session, terms, page, more.get("loaded"))


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[object]:
    calls: list[object] = []
    real = getattr(module, name)

    def count(*args: Any, **more: Any) -> Any:
        calls.append(args)
        return real(*args, **more)

    monkeypatch.setattr(module, name, count)
    return calls


def test_a_plan_that_was_read_is_not_read_again_and_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = loading.load_plan_text(PLAN, "p.yaml")
    reads = counted(monkeypatch, loading, "load_plan_text")
    checks = counted(monkeypatch, committing, "workability")
    store = MemoryEventStore()
    done = commit(store, PLAN, loaded=loaded)
    assert (done.committed.session, store.sessions()) == ("Ship-it", ["Ship-it"])
    assert (len(reads), len(checks)) == (0, 1)


@pytest.mark.parametrize(
    ("text", "more", "code"),
    [
        ("flow: {task: {id: a}}", {}, "PETRI_NEEDS_VERIFIER"),
        (PLAN, {"expect_revision": 2}, "PETRI_REVISION_CONFLICT"),
    ],
)
def test_what_is_refused_opens_no_session(text: str, more: dict[str, Any], code: str) -> None:
    store = MemoryEventStore()
    with pytest.raises(PetriError, match=code):
        commit(store, text, **more)
    assert store.sessions() == []


def test_a_document_is_decoded_as_documents_are() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le"):
        data = PLAN.encode(encoding)
        if encoding == "utf-16-le":
            with pytest.raises(InputError, match="PETRI_NOT_UTF8"):
                Document.of(data, "p.yaml")
        else:
            assert Document.of(data, "p.yaml").text == PLAN
