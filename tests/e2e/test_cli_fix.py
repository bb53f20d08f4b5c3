"""``petri analyze --fix`` and ``--diff``: what is written, what is said, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import jsonschema
import pytest

from tests.e2e.petri import ROOT, SAMPLES, petri, shell
from tests.e2e.plans import INVERSION, NET, SOUND, WRONG, write

SCHEMA = json.loads((ROOT / "schemas" / "report.schema.json").read_text(encoding="utf-8"))
UNSOUND = (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")
SWAPPED = UNSOUND[: UNSOUND.index("resource: gpu\n        body:\n          guard:\n            resource: db")] + (
    "resource: db\n        body:\n          guard:\n            resource: gpu\n"
    "            body: {task: {id: export, name: Write the predictions back}}\n"
)
UNFIXABLE = """\
x-n: &n 1
resources: [{id: A, capacity: *n}]
flow: {guard: {resource: A, body: {guard: {resource: A, body: {task: {id: t}}}}}}
"""


def test_fix_edits_the_file_and_the_answer_is_that_about_the_file_as_it_then_is(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    done = petri("analyze", "--fix", "a.petri.yaml", cwd=tmp_path)
    assert done.code == 0
    assert done.out.startswith("✓ SOUND  a.petri.yaml")
    assert done.err == "petri: a.petri.yaml: take db, then gpu for `export` (order); edited\n"
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == SWAPPED
    again = petri("analyze", "--fix", "a.petri.yaml", cwd=tmp_path)
    assert (again.code, again.err) == (0, "")
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == SWAPPED


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("order", "        resource: db\n        body:"),
        ("wrap", "{id: gate, capacity: 1}"),
        ("capacity", "{id: db, capacity: 2}"),
    ],
)
def test_the_kind_can_be_chosen(tmp_path: Path, kind: str, line: str) -> None:
    write(tmp_path, a=UNSOUND)
    assert petri("analyze", "--fix", "--fix-kind", kind, "a.petri.yaml", cwd=tmp_path).code == 0
    assert line in (tmp_path / "a.petri.yaml").read_text(encoding="utf-8")


def test_a_kind_without_a_fix_leaves_the_file_alone_and_unsound(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    done = petri("analyze", "--fix", "--fix-kind", "width", "a.petri.yaml", cwd=tmp_path)
    assert done.code == 1
    assert "no verified fix of the kind width was found" in done.err
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == UNSOUND


@pytest.mark.parametrize("options", [["--diff"], ["--diff", "--fix"]])
def test_diff_writes_nothing_and_is_all_there_is_on_standard_output(tmp_path: Path, options: list[str]) -> None:
    write(tmp_path, a=UNSOUND, b=SOUND)
    done = petri("analyze", *options, cwd=tmp_path)
    assert done.code == 1
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == UNSOUND
    assert done.out.startswith("--- a.petri.yaml\n+++ a.petri.yaml\n@@ -")
    assert "(order); not written" in done.err
    assert "2 files: 1 sound, 1 unsound" in done.err


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
@pytest.mark.parametrize("kind", ["order", "wrap", "capacity"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_patch_makes_the_same_edit(tmp_path: Path, kind: str, newline: str, last: str) -> None:
    text = UNSOUND.rstrip("\n").replace("\n", newline) + last.replace("\n", newline)
    for name in ("patched", "fixed"):
        (tmp_path / f"{name}.petri.yaml").write_bytes(text.encode())
    script = f"petri analyze --diff --fix-kind {kind} patched.petri.yaml 2>/dev/null | patch -p0 --binary"
    assert shell(script, tmp_path).code == 0
    assert petri("analyze", "--fix", "--fix-kind", kind, "fixed.petri.yaml", cwd=tmp_path).code == 0
    assert (tmp_path / "patched.petri.yaml").read_bytes() == (tmp_path / "fixed.petri.yaml").read_bytes()


def test_standard_input_goes_to_standard_output_and_the_report_aside(tmp_path: Path) -> None:
    done = petri("analyze", "--fix", "-", cwd=tmp_path, stdin=UNSOUND)
    assert (done.code, done.out) == (0, SWAPPED)
    assert "✓ SOUND  <stdin>" in done.err
    sound = petri("analyze", "--fix", "-", cwd=tmp_path, stdin=SWAPPED)
    assert (sound.code, sound.out) == (0, SWAPPED)
    hopeless = petri("analyze", "--fix", "-", cwd=tmp_path, stdin=UNFIXABLE)
    assert (hopeless.code, hopeless.out) == (1, UNFIXABLE)
    assert "PETRI_CANNOT_EDIT" in hopeless.err
    report = petri("analyze", "--fix", "-", "-f", "json", "-o", "report.json", cwd=tmp_path, stdin=UNSOUND)
    assert (report.code, report.out) == (0, SWAPPED)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["results"][0]["verdict"] == "SOUND"


def test_a_mark_and_line_ends_pass_through_standard_output(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + UNSOUND.replace("\n", "\r\n").encode()
    done = petri("analyze", "--fix", "-", cwd=tmp_path, stdin=data)
    assert done.out.encode() == b"\xef\xbb\xbf" + SWAPPED.replace("\n", "\r\n").encode()


def test_each_of_several_files_is_edited_for_itself(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND, b=SOUND, c=UNFIXABLE, d=NET)
    (tmp_path / "e.petri.json").write_text(INVERSION, encoding="utf-8")
    done = petri("analyze", "--fix", "--format", "json", cwd=tmp_path)
    assert done.code == 1, "one of them stays unsound"
    jsonschema.validate(done.report, SCHEMA)
    verdicts = {r["file"][0]: r["verdict"] for r in done.report["results"]}
    assert {f: v for f, v in verdicts.items() if f != "d"} == {"a": "SOUND", "b": "SOUND", "c": "UNSOUND", "e": "SOUND"}
    assert (tmp_path / "d.petri.yaml").read_text(encoding="utf-8") == NET
    fixed = {r["file"][0]: r["fixed"] and r["fixed"]["kind"] for r in done.report["results"]}
    assert fixed == {"a": "order", "b": None, "c": None, "d": None, "e": "order"}
    edited = (tmp_path / "e.petri.json").read_text(encoding="utf-8").splitlines()
    assert [k for k, (x, y) in enumerate(zip(edited, INVERSION.splitlines(), strict=True)) if x != y] == [4]
    write(tmp_path, f=WRONG)
    assert petri("analyze", "--fix", cwd=tmp_path).code == 2


def test_the_report_has_every_fix_with_ranges_that_make_it(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    done = petri("analyze", "--format", "json", "a.petri.yaml", cwd=tmp_path)
    jsonschema.validate(done.report, SCHEMA)
    [result] = done.report["results"]
    assert [f["kind"] for f in result["fixes"]] == ["order", "wrap", "capacity", "capacity"]
    lines = UNSOUND.splitlines(keepends=True)

    def offset(place: dict[str, int]) -> int:
        return sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1

    for fix in result["fixes"]:
        assert fix["verified"] is True
        text = UNSOUND
        for edit in reversed(fix["edits"]):
            text = text[: offset(edit["where"])] + edit["replacement"] + text[offset(edit["end"]) :]
        write(tmp_path, b=text)
        assert petri("analyze", "b.petri.yaml", cwd=tmp_path).code == 0


def test_a_link_stays_one_and_the_mode_stays(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    (tmp_path / "a.petri.yaml").chmod(0o640)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "link.yaml").symlink_to("../a.petri.yaml")
    assert petri("analyze", "--fix", "deep/link.yaml", cwd=tmp_path).code == 0
    assert (tmp_path / "deep" / "link.yaml").is_symlink()
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == SWAPPED
    assert stat.S_IMODE((tmp_path / "a.petri.yaml").stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.petri.yaml", "deep"], "nothing is left behind"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_left_alone_and_said_so(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    (tmp_path / "a.petri.yaml").chmod(0o444)
    done = petri("analyze", "--fix", "a.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_CANNOT_WRITE" in done.err
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == UNSOUND


def test_a_stream_cannot_be_edited(tmp_path: Path) -> None:
    done = petri("analyze", "--fix", "/dev/stdin", cwd=tmp_path, stdin=UNSOUND)
    assert done.code == 2
    assert "PETRI_CANNOT_WRITE this is a stream" in done.err


def test_a_file_that_changes_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib\n"
        "import petri_cli.soundness.fixes as fixes\n"
        "find = fixes.find_fixes\n"
        "def slow(*args, **kwargs):\n"
        "    with pathlib.Path('a.petri.yaml').open('a') as file: file.write('# mine\\n')\n"
        "    return find(*args, **kwargs)\n"
        "fixes.find_fixes = slow\n",
        encoding="utf-8",
    )
    done = petri("analyze", "--fix", "a.petri.yaml", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.code == 2
    assert "PETRI_CANNOT_EDIT the file has changed since it was judged" in done.err
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == UNSOUND + "# mine\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fix-kind", "order", "a.petri.yaml"], "needs one of them"),
        (["--fix", "-", "a.petri.yaml"], "give - alone"),
        (["--diff", "--format", "json", "a.petri.yaml"], "the diff is the report"),
        (["--fix", "--fix-kind", "magic", "a.petri.yaml"], "magic"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    write(tmp_path, a=UNSOUND)
    done = petri("analyze", *arguments, cwd=tmp_path, stdin=UNSOUND)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == UNSOUND


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    write(tmp_path, a=UNSOUND)
    done = shell("petri analyze --fix - < a.petri.yaml | true; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.out == "0\n"
    assert "Traceback" not in done.err


@pytest.mark.parametrize("form", ["concise", "github"])
def test_formats_that_show_no_fixes_look_for_none(tmp_path: Path, form: str) -> None:
    write(tmp_path, a=UNSOUND)
    (tmp_path / "sitecustomize.py").write_text(
        "import petri_cli.soundness.fixes as fixes\ndef never(*a, **k): raise RuntimeError\nfixes.find_fixes = never\n",
        encoding="utf-8",
    )
    done = petri("analyze", "--format", form, "a.petri.yaml", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.code == 1
