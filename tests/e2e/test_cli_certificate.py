"""``--certificate`` and ``--recheck`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.petri import SAMPLES, petri


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("migration", "lock-inversion"):
        (tmp_path / f"{name}.petri.yaml").write_bytes((SAMPLES / f"{name}.petri.yaml").read_bytes())
    return tmp_path


@pytest.mark.parametrize(("name", "code", "verdict"), [("migration", 0, "SOUND"), ("lock-inversion", 1, "UNSOUND")])
@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_a_certificate_shows_the_verdict_again(folder: Path, name: str, code: int, verdict: str, ending: str) -> None:
    file, certificate = f"{name}.petri.yaml", f"{name}.{ending}"
    assert petri("analyze", file, "--certificate", certificate, cwd=folder).code == code
    again = petri("analyze", file, "--recheck", certificate, cwd=folder)
    assert (again.code, again.err) == (code, "")
    assert again.out.startswith(f"{verdict}  {file}  by certificate: ")


def test_a_file_that_was_changed_needs_a_new_certificate(folder: Path) -> None:
    petri("analyze", "migration.petri.yaml", "--certificate", "c.json", cwd=folder)
    with (folder / "migration.petri.yaml").open("a") as stream:
        stream.write("# later\n")
    again = petri("analyze", "migration.petri.yaml", "--recheck", "c.json", cwd=folder)
    assert again.code == 2
    assert "PETRI_BAD_CERTIFICATE" in again.err
    assert "about another document, or an older one" in again.err


def test_a_flipped_verdict_is_refused(folder: Path) -> None:
    petri("analyze", "lock-inversion.petri.yaml", "--certificate", "c.json", cwd=folder)
    data = json.loads((folder / "c.json").read_text())
    data["verdict"], data["kind"], data["evidence"] = "SOUND", "plan-waits", {"order": ["a", "b"]}
    (folder / "c.json").write_text(json.dumps(data))
    again = petri("analyze", "lock-inversion.petri.yaml", "--recheck", "c.json", cwd=folder)
    assert again.code == 2
    assert "PETRI_BAD_CERTIFICATE" in again.err


def test_an_input_is_never_written_over_and_one_file_is_wanted(folder: Path) -> None:
    before = (folder / "migration.petri.yaml").read_bytes()
    over = petri("analyze", "migration.petri.yaml", "--certificate", "migration.petri.yaml", cwd=folder)
    assert over.code == 2
    assert (folder / "migration.petri.yaml").read_bytes() == before
    assert petri("analyze", ".", "--certificate", "c.json", cwd=folder).code == 2
    assert petri("analyze", "--certificate", "a", "--recheck", "b", "migration.petri.yaml", cwd=folder).code == 2


GATE = SAMPLES.parent / "tests/golden/plans/gate-lock-saves-inversion.yaml"
MANY = """\
name: many
resources:
  - {id: pool, capacity: 2000000}
flow:
  foreach:
    id: each
    over: items
    body:
      guard:
        resource: pool
        body:
          guard: {resource: pool, body: {task: {id: t, run: "true"}}}
"""


def test_a_run_of_millions_of_steps_is_written_in_a_few(folder: Path) -> None:
    (folder / "many.petri.yaml").write_text(MANY)
    assert petri("analyze", "many.petri.yaml", "--certificate", "c.json", cwd=folder).code == 1
    assert json.loads((folder / "c.json").read_text())["evidence"]["run"][-1] == {
        "step": "2: take g1",
        "times": 2000000,
    }
    again = petri("analyze", "many.petri.yaml", "--recheck", "c.json", cwd=folder)
    assert (again.code, again.err) == (1, "")


def test_a_plan_that_is_sound_by_search_is_shown_again(folder: Path) -> None:
    (folder / "gate.petri.yaml").write_bytes(GATE.read_bytes())
    petri("analyze", "gate.petri.yaml", "--certificate", "c.json", cwd=folder)
    again = petri("analyze", "gate.petri.yaml", "--recheck", "c.json", cwd=folder)
    assert (again.code, again.err) == (0, "")
    assert "1 cycle of locks harmless" in again.out


@pytest.mark.parametrize(("bound", "code", "verdict"), [(1, 0, "SOUND"), (0, 1, "UNSOUND")])
def test_a_certificate_of_a_property_is_about_what_is_asked(folder: Path, bound: int, code: int, verdict: str) -> None:
    name, asked = "order.petri.yaml", ("--property", f"placeBound:paid<={bound}")
    (folder / name).write_bytes((SAMPLES / "nets" / name).read_bytes())
    assert petri("analyze", name, *asked, "--certificate", "c.json", cwd=folder).code == code
    again = petri("analyze", name, *asked, "--recheck", "c.json", cwd=folder)
    assert (again.code, again.err) == (code, "")
    assert again.out.startswith(f"{verdict}  {name}  by certificate: ")
    other = petri("analyze", name, "--recheck", "c.json", cwd=folder)
    assert other.code == 2
    assert "PETRI_BAD_CERTIFICATE" in other.err


def test_what_a_verdict_assumes_is_said_when_it_is_rechecked_too(tmp_path: Path) -> None:
    net = "kind: net\nplaces: [a, b]\ntransitions:\n- {id: t, inputs: [a], output: b}\n"
    (tmp_path / "net.petri.yaml").write_text(net, encoding="utf-8")
    assert petri("analyze", "net.petri.yaml", "--certificate", "c.json", cwd=tmp_path).code == 0
    done = petri("analyze", "net.petri.yaml", "--recheck", "c.json", cwd=tmp_path)
    assert done.code == 0
    assert "the net starts with one token on 'a'" in done.out
    assert "PETRI_START_ASSUMED" in done.err


def test_a_property_of_a_plan_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text("flow: {task: {id: a, run: echo}}\n", encoding="utf-8")
    assert petri("analyze", "plan.petri.yaml", "--certificate", "c.json", cwd=tmp_path).code == 0
    done = petri("analyze", "plan.petri.yaml", "--recheck", "c.json", "--property", "deadlockFree", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_PROPERTY_OF_A_PLAN" in done.err
