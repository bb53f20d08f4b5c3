"""``petri analyze`` as it is called: exit codes, streams, formats, files and folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from tests.e2e.petri import PETRI, ROOT, SAMPLES, environment, petri, shell
from tests.e2e.plans import INVERSION, NET, SOUND, WRONG, ring, write

SCHEMA = json.loads((ROOT / "schemas" / "report.schema.json").read_text(encoding="utf-8"))


# Verdicts and exit codes


def test_a_sound_plan_exits_0_with_what_it_rests_on(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND)
    done = petri("analyze", "a.petri.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("✓ SOUND  a.petri.yaml  by ")
    assert "SOUND assumes: every attempt of a task eventually passes verification" in done.out


def test_the_lock_inversion_exits_1_with_the_state_it_would_have_died_in(tmp_path: Path) -> None:
    done = petri("analyze", "-", "--format", "json", cwd=tmp_path, stdin=INVERSION)
    assert done.code == 1
    (result,) = done.report["results"]
    assert result["deadlockExample"] == {"p.guard.g1.body": 1, "p.guard.g3.body": 1}
    assert result["message"].startswith("PETRI_UNSOUND_PLAN: net is unsound:")
    assert result["run"] == ["t.par.1.split", "t.guard.g1.acquire", "t.guard.g3.acquire"]
    assert result["smallestCapacity"] == {"A": 2, "B": 2}
    assert [(w["who"], w["waitsFor"], w["heldBy"]) for w in result["waits"]] == [
        ("w1", "B", ["w2"]),
        ("w2", "A", ["w1"]),
    ]
    assert [(w["where"]["line"], w["holds"][0]["sinceStep"]) for w in result["waits"]] == [(4, 2), (5, 3)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"A", "capacity": 1', '"A", "capacity": 2'),
        ('"B", "capacity": 1', '"B", "capacity": 2'),
        ('"B", "body": { "guard": { "resource": "A"', '"A", "body": { "guard": { "resource": "B"'),
    ],
)
def test_widened_or_in_one_order_the_inversion_is_sound(tmp_path: Path, old: str, new: str) -> None:
    assert old in INVERSION
    assert petri("analyze", "-", cwd=tmp_path, stdin=INVERSION.replace(old, new)).code == 0


def test_wrong_input_exits_2_with_position_code_and_hint_on_standard_error(tmp_path: Path) -> None:
    write(tmp_path, bad=WRONG)
    done = petri("analyze", "bad.petri.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert 'bad.petri.yaml:1:35 PETRI_WRONG_TYPE maxAttempts must be an integer, got the string "3"' in done.err
    assert "→ remove the quotes" in done.err


def test_a_budget_that_runs_out_exits_3_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "many.petri.yaml").write_text(ring(16), encoding="utf-8")
    done = petri("analyze", "many.petri.yaml", "--max-states", "100", cwd=tmp_path)
    assert done.code == 3
    assert done.out.startswith("? UNKNOWN  many.petri.yaml")
    assert "PETRI_UNKNOWN" in done.out and "--max-states" in done.out


def test_no_time_at_all_is_unknown_and_never_sound(tmp_path: Path) -> None:
    (tmp_path / "many.petri.yaml").write_text(ring(16), encoding="utf-8")
    assert petri("analyze", "many.petri.yaml", "--timeout", "0", cwd=tmp_path).code == 3


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a": SOUND, "b": SOUND}, 0),
        ({"a": SOUND, "b": INVERSION}, 1),
        ({"a": INVERSION, "b": WRONG}, 2),
        ({"a": SOUND, "b": ring(16)}, 3),
        ({"a": INVERSION, "b": ring(16)}, 1),
        ({"a": WRONG, "b": ring(16)}, 2),
    ],
)
def test_several_files_exit_with_the_worst_and_one_bad_file_hides_nothing(
    tmp_path: Path, files: dict[str, str], code: int
) -> None:
    write(tmp_path, **files)
    done = petri("analyze", "--max-states", "100", "--format", "json", cwd=tmp_path)
    assert done.code == code
    assert [r["file"] for r in done.report["results"]] == ["a.petri.yaml", "b.petri.yaml"]
    assert [bool(r["verdict"]) for r in done.report["results"]] == [text != WRONG for text in files.values()]


@pytest.mark.parametrize("form", ["text", "concise", "json", "github", "sarif", "junit", "html"])
def test_the_exit_code_does_not_depend_on_the_format(tmp_path: Path, form: str) -> None:
    write(tmp_path, a=SOUND, b=INVERSION)
    assert petri("analyze", "--format", form, cwd=tmp_path).code == 1


def test_exit_zero_is_for_verdicts_and_not_for_wrong_input(tmp_path: Path) -> None:
    write(tmp_path, a=INVERSION, b=ring(16))
    assert petri("analyze", "--exit-zero", "--max-states", "100", cwd=tmp_path).code == 0
    write(tmp_path, c=WRONG)
    assert petri("analyze", "--exit-zero", "--max-states", "100", cwd=tmp_path).code == 2


def test_an_internal_fault_exits_70_shows_its_traceback_and_spares_the_other_files(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=INVERSION)
    (tmp_path / "sitecustomize.py").write_text(
        "import petri_cli.api as api\n"
        "judge = api._judge\n"
        "def broken(subject, *rest):\n"
        "    if subject.name == 'a': raise RuntimeError('boom')\n"
        "    return judge(subject, *rest)\n"
        "api._judge = broken\n",
        encoding="utf-8",
    )
    done = petri("analyze", "--format", "json", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.code == 70
    assert "Traceback" in done.err and "RuntimeError: boom" in done.err
    assert "This is a bug in petri, not in your input" in done.err
    first, second = done.report["results"]
    assert first["problems"][0]["code"] == "PETRI_INTERNAL_FAULT"
    assert second["verdict"] == "UNSOUND"


def test_ctrl_c_exits_130_and_keeps_what_was_judged(tmp_path: Path) -> None:
    """The second file never ends: it takes more than a pipe holds, so it is being read when the interrupt comes."""
    write(tmp_path, a=INVERSION)
    with subprocess.Popen(
        [PETRI, "analyze", "a.petri.yaml", "-", "--stdin-filename", "b.petri.yaml", "--format", "json"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b" " * 1_000_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=60)
        finally:
            process.kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    first, second = json.loads(out)["results"]
    assert (first["verdict"], second["code"]) == ("UNSOUND", "PETRI_INTERRUPTED")
    assert b"Traceback" not in err


# Files, folders, standard input


def test_the_order_of_files_never_matters_and_duplicates_are_judged_once(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=INVERSION, c=WRONG)
    (tmp_path / "link.petri.yaml").symlink_to(tmp_path / "b.petri.yaml")
    names = ["c.petri.yaml", "b.petri.yaml", "./a.petri.yaml", "a.petri.yaml", str(tmp_path / "a.petri.yaml"), "."]
    one = petri("analyze", *names, "--format", "concise", cwd=tmp_path)
    other = petri("analyze", *reversed(names), "--format", "concise", cwd=tmp_path)
    assert one == other
    assert [line.split(":")[0].split()[0] for line in one.out.splitlines()] == ["a.petri.yaml", "b.petri.yaml"]


def test_folders_are_searched_and_hidden_ones_are_not(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "er", a=SOUND)
    write(tmp_path / ".hidden", b=SOUND)
    write(tmp_path / "node_modules", c=SOUND)
    (tmp_path / "deep" / "other.yaml").write_text(WRONG, encoding="utf-8")
    (tmp_path / "deep" / "d.petri.json").write_text(INVERSION, encoding="utf-8")
    (tmp_path / "deep" / "e.petri.yml").write_text(SOUND, encoding="utf-8")
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert [r["file"] for r in done.report["results"]] == [
        "deep/d.petri.json",
        "deep/e.petri.yml",
        "deep/er/a.petri.yaml",
    ]


def test_a_named_file_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "plan.txt").write_text(SOUND, encoding="utf-8")
    assert petri("analyze", "plan.txt", cwd=tmp_path).code == 0


def test_a_folder_without_plans_exits_2_and_says_what_is_looked_for(tmp_path: Path) -> None:
    for arguments in ([], ["."]):
        done = petri("analyze", *arguments, cwd=tmp_path)
        assert done.code == 2
        assert "PETRI_NOTHING_FOUND" in done.err and ".petri.yaml" in done.err


def test_a_missing_file_exits_2_with_the_nearest_name_and_the_others_are_judged(tmp_path: Path) -> None:
    write(tmp_path, release=SOUND)
    done = petri("analyze", "relaese.petri.yaml", "release.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_UNREADABLE_FILE there is no such file" in done.err
    assert "did you mean `release.petri.yaml`?" in done.err
    assert "✓ SOUND  release.petri.yaml" in done.out


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\xff\xfe",
        bytes(range(256)) * 4,
        b"\x7fELF" + b"\x00" * 60,
        b"\xff\xfe\x00",
        b"",
        b"   \n",
        b"\x1b[2J",
    ],
)
def test_binary_and_empty_files_are_refused_without_a_traceback(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.petri.yaml").write_bytes(data)
    done = petri("analyze", "x.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_" in done.err and "Traceback" not in done.err
    assert "\x1b" not in done.err


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that exists and cannot be read")
def test_an_unreadable_file_exits_2_with_the_reason(tmp_path: Path) -> None:
    done = petri("analyze", "/proc/self/mem", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_UNREADABLE_FILE the file cannot be read: Input/output error" in done.err


@pytest.mark.parametrize("name", ["x" * 5000, "a\nb", "\udcff.yaml", "https://example.org/plan.yaml"])
def test_odd_names_are_only_missing_files(tmp_path: Path, name: str) -> None:
    done = petri("analyze", name, cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_UNREADABLE_FILE" in done.err and "Traceback" not in done.err


def test_standard_input_has_a_name_that_says_what_it_is(tmp_path: Path) -> None:
    done = petri(
        "analyze", "-", "--format", "json", "--stdin-filename", "a/b.petri.yaml", cwd=tmp_path, stdin=INVERSION
    )
    assert done.report["results"][0]["file"] == "a/b.petri.yaml"
    assert petri("analyze", "-", "--format", "json", cwd=tmp_path, stdin=NET).report["results"][0]["kind"] == "net"
    done = petri("analyze", "--stdin-filename", "x", cwd=tmp_path)
    assert done.code == 2 and "standard input" in done.err


def test_paths_outside_the_current_folder_are_shown_as_given(tmp_path: Path) -> None:
    write(tmp_path / "one", a=SOUND)
    (tmp_path / "two").mkdir()
    done = petri("analyze", "../one/a.petri.yaml", "--format", "concise", cwd=tmp_path / "two")
    assert done.out.startswith("../one/a.petri.yaml SOUND")


# Nets and properties


def test_nets_are_judged_and_asked_for_properties(tmp_path: Path) -> None:
    (tmp_path / "n.net.yaml").write_text(NET, encoding="utf-8")
    done = petri("analyze", "n.net.yaml", cwd=tmp_path)
    assert (done.code, "PETRI_UNSOUND_NET" in done.out) == (1, True)
    assert petri("analyze", "n.net.yaml", "--property", "placeBound:left<=1", cwd=tmp_path).code == 0
    assert petri("analyze", "n.net.yaml", "-p", "placeBound:left<=1", "-p", "placeBound:end<=1", cwd=tmp_path).code == 1


def test_a_property_that_makes_no_sense_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "n.net.yaml").write_text(NET, encoding="utf-8")
    write(tmp_path, plan=SOUND)
    for arguments, code in (
        (["n.net.yaml", "-p", "placeBnd:left<=1"], "PETRI_BAD_PROPERTY"),
        (["n.net.yaml", "-p", "placeBound:lft<=1"], "PETRI_UNKNOWN_PLACE"),
        (["plan.petri.yaml", "-p", "deadlockFree"], "PETRI_PROPERTY_OF_A_PLAN"),
    ):
        done = petri("analyze", *arguments, cwd=tmp_path)
        assert done.code == 2 and code in done.err, done


# Streams and formats


def test_data_alone_is_on_standard_output(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=WRONG)
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert done.report["results"][1]["problems"][0]["code"] == "PETRI_WRONG_TYPE"
    assert "b.petri.yaml:1:35 PETRI_WRONG_TYPE" in done.err
    assert "2 files: 1 sound, 1 not judged" in done.err
    text = petri("analyze", cwd=tmp_path)
    assert "PETRI_WRONG_TYPE" not in text.out and "PETRI_WRONG_TYPE" in text.err
    assert text.out.splitlines()[-1] == "2 files: 1 sound, 1 not judged"


def test_every_report_follows_its_schema(tmp_path: Path) -> None:
    write(tmp_path, wrong=WRONG, many=ring(16))
    (tmp_path / "n.petri.yaml").write_text(NET, encoding="utf-8")
    done = petri("analyze", SAMPLES, ".", "nowhere", "--max-states", "100", "--format", "json", cwd=tmp_path)
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(done.report, SCHEMA, cls=jsonschema.Draft7Validator)
    assert {r["verdict"] for r in done.report["results"]} == {"SOUND", "UNSOUND", "UNKNOWN", None}


def test_only_stats_depend_on_the_clock(tmp_path: Path) -> None:
    def without_stats() -> object:
        done = petri("analyze", SAMPLES, "--format", "json", cwd=tmp_path)
        return [{k: v for k, v in r.items() if k != "stats"} for r in done.report["results"]]

    assert without_stats() == without_stats()


def test_concise_is_one_line_a_finding(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=INVERSION)
    first, second = petri("analyze", "--format", "concise", cwd=tmp_path).out.splitlines()
    assert first == "a.petri.yaml SOUND no-waiting"
    assert second == (
        "b.petri.yaml:4:45 PETRI_UNSOUND_PLAN UNSOUND `w1` holds A and waits for B; `w2` holds B and waits for A."
    )


def test_github_annotations_are_escaped(tmp_path: Path) -> None:
    write(tmp_path, **{"a,b:c%": INVERSION, "d": WRONG})
    lines = petri("analyze", "--format", "github", cwd=tmp_path).out.splitlines()
    assert lines[0].startswith(
        "::error file=a%2Cb%3Ac%25.petri.yaml,line=4,col=45,title=PETRI_UNSOUND_PLAN::`w1` holds"
    )
    assert "%0APETRI_UNSOUND_PLAN: net is unsound:" in lines[0]
    assert (
        lines[1] == "::notice file=a%2Cb%3Ac%25.petri.yaml,line=5,col=45,title=PETRI_UNSOUND_PLAN::w2 waits here for A"
    )
    assert lines[2].startswith("::error file=d.petri.yaml,line=1,col=35,title=PETRI_WRONG_TYPE::maxAttempts must be")


def test_what_is_annotated_is_not_said_again(tmp_path: Path) -> None:
    write(tmp_path, wrong=WRONG)
    done = petri("analyze", "wrong.petri.yaml", "missing.petri.yaml", "--format", "github", cwd=tmp_path)
    assert [line.split(" ")[0] for line in done.out.splitlines()] == ["::error", "::error"]
    assert done.err == "2 files: 2 not judged\n"


@pytest.mark.parametrize("form", ["text", "concise", "github", "sarif", "junit"])
def test_unknown_says_what_to_do_in_every_format_for_people(tmp_path: Path, form: str) -> None:
    (tmp_path / "many.petri.yaml").write_text(ring(16), encoding="utf-8")
    done = petri("analyze", "--max-states", "100", "--format", form, cwd=tmp_path)
    assert "allow more: --max-states N, --timeout SECONDS" in done.out


def test_quiet_leaves_out_what_is_sound(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND)
    assert petri("analyze", "--quiet", cwd=tmp_path) == petri("analyze", "-q", "--format", "concise", cwd=tmp_path)
    assert petri("analyze", "--quiet", cwd=tmp_path).out == ""


def test_a_report_can_go_to_a_file_and_what_is_wrong_is_said_all_the_same(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND, b=WRONG)
    done = petri("analyze", "-o", "report.txt", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "✓ SOUND  a.petri.yaml" in (tmp_path / "report.txt").read_text(encoding="utf-8")
    assert "PETRI_WRONG_TYPE" in done.err and "2 files: 1 sound, 1 not judged" in done.err


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND)
    done = petri("analyze", "a.petri.yaml", "-o", "./a.petri.yaml", cwd=tmp_path)
    assert (done.code, "PETRI_CANNOT_WRITE" in done.err) == (2, True)
    assert (tmp_path / "a.petri.yaml").read_text(encoding="utf-8") == SOUND
    assert petri("analyze", "a.petri.yaml", "-o", "no/such/folder.txt", cwd=tmp_path).code == 2


def test_a_closed_pipe_is_no_error_and_the_exit_code_stays_true(tmp_path: Path) -> None:
    write(tmp_path, **{f"p{k:03}": INVERSION for k in range(60)}, z=SOUND)
    done = shell("set -o pipefail; petri analyze | head -1; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.out.splitlines() == ["✗ UNSOUND  p000.petri.yaml", "1"]
    assert done.err == ""
    for command in ("petri analyze", "petri analyze --format json", "petri --help", "petri explain --list"):
        done = shell(f"({command}; echo $? >&2) | true", tmp_path)
        assert done.err.splitlines()[-1:] in (["0"], ["1"]), (command, done.err)
        assert "Error" not in done.err and "Traceback" not in done.err


def test_closed_standard_streams_are_said(tmp_path: Path) -> None:
    write(tmp_path, a=INVERSION, b=WRONG)
    assert shell("petri analyze >&- 2>&-", tmp_path).code == 2
    closed = shell("petri analyze a.petri.yaml >&-", tmp_path)
    assert (closed.code, "PETRI_CANNOT_WRITE" in closed.err, "Traceback" in closed.err) == (2, True, False)
    assert shell("petri analyze - <&-", tmp_path).code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND)
    done = shell("petri analyze > /dev/full", tmp_path)
    assert (done.code, "PETRI_CANNOT_WRITE" in done.err, "Traceback" in done.err) == (2, True, False)


@pytest.mark.parametrize("env", [{"LANG": "C"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"PYTHONIOENCODING": "ascii"}])
def test_under_lang_c_everything_is_ascii(tmp_path: Path, env: dict[str, str]) -> None:
    write(tmp_path, a=INVERSION, b=WRONG, c=SOUND)
    done = petri("analyze", "--verbose", cwd=tmp_path, env=env)
    assert done.code == 2
    assert done.out.isascii() and done.err.isascii()
    assert "x UNSOUND  a.petri.yaml" in done.out and "+ SOUND  c.petri.yaml" in done.out
    assert "+> w1 -holds> A -wanted by> w2 -holds> B -wanted by-+" in done.out


def test_names_that_the_encoding_lacks_are_escaped_and_no_crash(tmp_path: Path) -> None:
    write(tmp_path, plän=SOUND.replace("id: a", "id: a, name: Übung ✓"))
    assert petri("analyze", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"}).out.startswith(
        r"+ SOUND  pl\xe4n.petri.yaml"
    )
    assert petri("analyze", cwd=tmp_path).out.startswith("✓ SOUND  plän.petri.yaml")


def test_a_file_name_that_is_no_text_does_no_harm(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.petri.yaml"
    Path(os.fsdecode(path)).write_text(INVERSION, encoding="utf-8")
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert done.report["results"][0]["file"] == "\udcff.petri.yaml"
    assert petri("analyze", cwd=tmp_path).code == 1


def test_colour_is_for_terminals_and_for_those_who_ask(tmp_path: Path) -> None:
    write(tmp_path, a=SOUND)
    for arguments, env, coloured in (
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ):
        done = petri("analyze", *arguments, cwd=tmp_path, env=env)
        assert ("\x1b[" in done.out) is coloured, (arguments, env)


def test_machine_formats_have_no_colour(tmp_path: Path) -> None:
    write(tmp_path, a=INVERSION)
    for form in ("json", "github", "sarif", "junit", "html"):
        assert "\x1b" not in petri("analyze", "--format", form, "--color", "always", cwd=tmp_path).out


@pytest.mark.parametrize("arguments", [["--format", "xml"], ["--max-states", "0"], ["--timeout", "-1"], ["--no-such"]])
def test_a_wrong_call_exits_2_with_a_sentence(tmp_path: Path, arguments: list[str]) -> None:
    done = petri("analyze", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Error" in done.err and "Traceback" not in done.err


def test_nothing_is_written_and_no_program_of_the_plan_is_started(tmp_path: Path) -> None:
    plan = 'flow: {task: {id: a, run: "touch ran"}}\n'
    write(tmp_path, a=plan)
    assert petri("analyze", cwd=tmp_path).code == 0
    assert [p.name for p in tmp_path.iterdir()] == ["a.petri.yaml"]


def test_the_commands_agree_on_what_a_net_starts_with(tmp_path: Path) -> None:
    bare, final = tmp_path / "bare.petri.yaml", tmp_path / "final.petri.yaml"
    text = "kind: net\nplaces: [i, o]\ntransitions: [{id: t, inputs: i, output: o}]\n"
    bare.write_text(text, encoding="utf-8")
    final.write_text(f"{text}final: {{o: 1}}\n", encoding="utf-8")
    for file, verdict, outcome, tokens in ((bare, "SOUND", "at rest", [1]), (final, "UNSOUND", "deadlocked", [])):
        told = petri("analyze", file, "-f", "json", cwd=tmp_path)
        assert told.report["results"][0]["verdict"] == verdict
        run = petri("run", "-s", file, cwd=tmp_path)
        assert outcome in run.out
        assert ("PETRI_START_ASSUMED" in run.err) == bool(tokens)
        drawn = petri("export", file, cwd=tmp_path)
        places = drawn.report["places"]
        assert [p["tokens"] for p in places if isinstance(p, dict) and "tokens" in p] == tokens
        assert ("PETRI_START_ASSUMED" in drawn.err) == bool(tokens)


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("r.sarif", '{\n  "$schema": "https://json.schemastore.org/sarif-2.1.0.json"'),
        ("r.sarif.json", '{\n  "$schema": "https://json.schemastore.org/sarif-2.1.0.json"'),
        ("r.json", '{\n  "schema": "petri.analysis/1"'),
        ("r.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="petri" tests="1" failures="1"'),
        ("r.html", '<!doctype html>\n<html lang="en">'),
        ("r.txt", "✗ UNSOUND  a.petri.yaml"),
    ],
)
def test_the_ending_of_the_file_says_the_format(tmp_path: Path, name: str, begin: str) -> None:
    write(tmp_path, a=INVERSION)
    done = petri("analyze", "-o", name, cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
    petri("analyze", "-o", name, "--format", "concise", cwd=tmp_path)
    assert "PETRI_UNSOUND_PLAN UNSOUND" in (tmp_path / name).read_text(encoding="utf-8")
