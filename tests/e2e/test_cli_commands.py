"""The smaller commands, the help, and what every command has in common."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from petri_cli import load_plan
from petri_cli.api import load_data
from petri_cli.cli.exit import MEANING, Exit, worst
from petri_cli.cli.init import TEMPLATES, templates
from petri_cli.cli.main import COMMANDS, app
from petri_cli.cli.reference import reference
from petri_cli.data import names, read
from petri_cli.plan.compare import same_plan
from petri_cli.plan.model import Plan
from tests.e2e.petri import ROOT, SAMPLES, petri, shell
from tests.e2e.plans import INVERSION, NET, SOUND, WRONG, write

# Help and reference


def commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(app)
    return {name: group.get_command(None, name) for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_argument_and_option_has_help(name: str) -> None:
    command = commands()[name]
    assert command.help
    for param in command.params:
        assert getattr(param, "help", None), f"{name}: {param.name} has no help"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_usage_line_is_written_as_people_know_it(name: str, tmp_path: Path) -> None:
    usage = petri(name, "--help", cwd=tmp_path).out.splitlines()[0]
    word = r"[A-Z]+(\|[A-Z]+)*"
    assert re.fullmatch(rf"Usage: petri {name} \[OPTIONS\]( {word}| \[{word}\](\.\.\.)?)*", usage)


def test_the_reference_is_what_the_commands_say() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "python -m petri_cli.cli.reference > docs/cli.md"
    for name, command in commands().items():
        assert f"## petri {name}" in page
        for param in command.params:
            assert all(opt in page for opt in param.opts if opt.startswith("--")), param.name


def test_help_lists_commands_and_exit_codes(tmp_path: Path) -> None:
    done = petri("--help", cwd=tmp_path)
    assert done.code == 0
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about)}$", done.out, re.MULTILINE)
    for code, meaning in MEANING.items():
        assert re.search(rf"^ +{int(code)}  {re.escape(meaning)}$", done.out, re.MULTILINE)
    for name in COMMANDS:
        assert petri(name, "-h", cwd=tmp_path).out.startswith(f"Usage: petri {name}")


def test_every_code_of_an_exit_has_a_meaning_and_a_rank() -> None:
    assert set(MEANING) == set(Exit)
    ranked = [Exit.INTERRUPTED, Exit.FAULT, Exit.WRONG, Exit.UNSOUND, Exit.UNKNOWN, Exit.OK]
    for k, code in enumerate(ranked):
        assert worst(reversed(ranked[k:])) is code
    assert worst([]) is Exit.OK
    assert all(worst([code, Exit.OK]) is code for code in Exit)


def test_the_version_is_said(tmp_path: Path) -> None:
    assert re.fullmatch(r"petri \d+\.\d+\.\d+\S*\n", petri("--version", cwd=tmp_path).out)


def test_the_package_can_be_run_as_the_command(tmp_path: Path) -> None:
    """Where no script is installed, or another one is found first."""
    done = shell(f"{sys.executable} -m petri_cli analyze missing.petri.yaml", tmp_path)
    assert done == petri("analyze", "missing.petri.yaml", cwd=tmp_path)
    assert done.code == 2


def test_a_misspelt_command_is_recognised(tmp_path: Path) -> None:
    done = petri("analyse", cwd=tmp_path)
    assert (done.code, "Did you mean 'analyze'?" in done.err) == (2, True)
    assert petri("frobnicate", cwd=tmp_path).code == 2
    assert petri(cwd=tmp_path).code == 2


@pytest.mark.parametrize("wanted", [("_PETRI_COMPLETE", "complete_bash")])
def test_completion_knows_commands_options_and_names(tmp_path: Path, wanted: tuple[str, str]) -> None:
    def complete(line: str) -> list[str]:
        words = line.split(" ")
        env = {wanted[0]: wanted[1], "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        return petri(cwd=tmp_path, env=env).out.split()

    assert complete("petri an") == ["analyze"]
    assert set(complete("petri ")) == set(COMMANDS)
    assert complete("petri analyze --max") == ["--max-states", "--max-memory"]
    assert set(complete("petri analyze --format ")) >= {"text", "concise", "json", "github", "sarif", "junit"}
    assert "PETRI_UNSOUND_PLAN" in complete("petri explain PETRI_UNS")
    assert "report" in complete("petri schema r")


# explain


def test_every_code_can_be_explained(tmp_path: Path) -> None:
    listed = petri("explain", "--list", cwd=tmp_path).out
    for code in names("codes"):
        assert code in listed
        assert read("codes", code).startswith(f"# {code}\n")
    done = petri("explain", "unsound-plan", cwd=tmp_path)
    assert (done.code, done.out) == (0, read("codes", "PETRI_UNSOUND_PLAN"))


def test_a_page_is_rendered_for_who_sees_colour(tmp_path: Path) -> None:
    out = petri("explain", "PETRI_UNKNOWN", "--color", "always", cwd=tmp_path).out
    assert "\x1b[" in out and "#" not in out and "```" not in out


def test_an_unknown_code_has_a_near_match(tmp_path: Path) -> None:
    done = petri("explain", "PETRI_UNSOND_PLAN", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_UNKNOWN_CODE" in done.err and "did you mean `PETRI_UNSOUND_PLAN`?" in done.err
    assert petri("explain", "x" * 5000, cwd=tmp_path).code == 2
    assert petri("explain", cwd=tmp_path).code == 2


def test_every_code_that_the_command_line_can_say_has_a_page() -> None:
    package = ROOT / "petri_cli"
    files = [*(package / "cli").glob("*.py"), *(package / "render").glob("*.py"), package / "api.py"]
    said = {c for f in files for c in re.findall(r'"(PETRI_[A-Z_]+)"', f.read_text(encoding="utf-8"))}
    variables = {"PETRI_STORE", "PETRI_SESSION", "PETRI_PURE"}
    assert said - set(names("codes")) == variables


# schema


@pytest.mark.parametrize("name", names("schemas"))
def test_schemas_are_printed_and_valid(tmp_path: Path, name: str) -> None:
    schema = petri("schema", name, cwd=tmp_path).report
    jsonschema.Draft7Validator.check_schema(schema)
    assert schema["description"]


def test_schemas_are_listed_and_misspellings_recognised(tmp_path: Path) -> None:
    assert petri("schema", "--list", cwd=tmp_path).out.split() == names("schemas")
    done = petri("schema", "repotr", cwd=tmp_path)
    assert (done.code, "did you mean `report`?" in done.err) == (2, True)
    assert petri("schema", cwd=tmp_path).code == 2


def test_every_property_of_the_report_schema_is_described() -> None:
    def undescribed(node: Any, path: str) -> list[str]:
        found = []
        for name, sub in node.get("properties", {}).items():
            target = node_at(sub["$ref"]) if "$ref" in sub else sub
            if "description" not in target:
                found.append(f"{path}.{name}")
            found += undescribed(sub, f"{path}.{name}")
        return found + (undescribed(node["items"], f"{path}[]") if isinstance(node.get("items"), dict) else [])

    def node_at(ref: str) -> Any:
        return schema["definitions"][ref.removeprefix("#/definitions/")]

    schema = json.loads(read("schemas", "report"))
    assert undescribed(schema, "") == []
    for name, definition in schema["definitions"].items():
        assert "description" in definition
        assert undescribed(definition, name) == []


# init


def test_init_writes_a_plan_that_is_sound_and_has_the_line_for_editors(tmp_path: Path) -> None:
    done = petri("init", cwd=tmp_path)
    assert (done.code, done.out) == (0, "")
    text = (tmp_path / "plan.petri.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=plan.schema.json\n")
    assert petri("analyze", cwd=tmp_path).code == 0


def test_init_spares_a_file_that_is_there_unless_forced(tmp_path: Path) -> None:
    write(tmp_path, plan="mine")
    done = petri("init", "plan.petri.yaml", cwd=tmp_path)
    assert (done.code, "PETRI_FILE_EXISTS" in done.err, "--force" in done.err) == (2, True, True)
    assert (tmp_path / "plan.petri.yaml").read_text(encoding="utf-8") == "mine"
    assert petri("init", "plan.petri.yaml", "--force", cwd=tmp_path).code == 0
    assert petri("init", "no/such/folder.yaml", cwd=tmp_path).code == 2


def test_init_has_templates(tmp_path: Path) -> None:
    listed = petri("init", "--list", cwd=tmp_path).out
    assert set(names("samples")) < set(templates())
    for name in templates():
        assert re.search(rf"^{name} +\S", listed, re.MULTILINE)
        assert petri("init", "-", "--template", name, cwd=tmp_path).out.count("\n") > 5
    done = petri("init", "--template", "migraton", cwd=tmp_path)
    assert (done.code, "did you mean `migration`?" in done.err) == (2, True)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_to_start_from_is_sound_and_completes_in_simulated_time(tmp_path: Path, name: str) -> None:
    done = petri("init", "it.petri.yaml", "--template", name, cwd=tmp_path)
    kind = "net" if name == "net" else "plan"
    assert (done.code, f"petri schema {kind} > {kind}.schema.json" in done.err) == (0, True)
    text = (tmp_path / "it.petri.yaml").read_text(encoding="utf-8")
    assert text.startswith(f"# yaml-language-server: $schema={kind}.schema.json\n")
    assert petri("analyze", cwd=tmp_path).code == 0
    played = petri("run", "it.petri.yaml", "--simulate", cwd=tmp_path)
    assert (played.code, "✓ completed" in played.out) == (0, True), played


@pytest.mark.parametrize("name", ["starter", "etl", "net"])
def test_a_template_that_needs_nobody_really_runs(tmp_path: Path, name: str) -> None:
    petri("init", "it.petri.yaml", "--template", name, cwd=tmp_path)
    done = petri("run", "it.petri.yaml", cwd=tmp_path)
    assert (done.code, "✓ completed" in done.out) == (0, True), done


def test_init_warns_of_a_name_that_no_search_of_a_folder_finds(tmp_path: Path) -> None:
    done = petri("init", "release", cwd=tmp_path)
    assert done.code == 0 and "warning: petri analyze on a folder will not find it" in done.err
    assert petri("analyze", "release", cwd=tmp_path).code == 0
    assert "PETRI_NOTHING_FOUND" in petri("analyze", cwd=tmp_path).err
    for name in ("release.petri.yaml", "-"):
        assert "warning" not in petri("init", name, cwd=tmp_path).err


@pytest.mark.parametrize("command", ["init", "explain"])
def test_a_list_has_one_line_a_name_where_no_terminal_shows_it(tmp_path: Path, command: str) -> None:
    known = templates() if command == "init" else names("codes")
    lines = petri(command, "--list", cwd=tmp_path).out.splitlines()
    assert [line.split()[0] for line in lines] == known
    beside = max(map(len, known)) + 2
    assert all(line[:beside].endswith("  ") and line[beside] != " " for line in lines)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.petri.yaml")), ids=lambda p: p.name)
def test_each_sample_gets_the_verdict_that_its_first_comment_says(tmp_path: Path, path: Path) -> None:
    first, about = path.read_text(encoding="utf-8").splitlines()[:2]
    assert first == "# yaml-language-server: $schema=../schemas/plan.schema.json"
    assert petri("analyze", path, cwd=tmp_path).code == ("UNSOUND" in about)


# export


@pytest.mark.parametrize("form", ["json", "yaml", "pnml"])
def test_an_exported_net_gets_the_same_verdict(tmp_path: Path, form: str) -> None:
    write(tmp_path, bad=INVERSION, good=SOUND)
    for name, code in (("bad", 1), ("good", 0)):
        done = petri("export", f"{name}.petri.yaml", "--format", form, "-o", f"{name}.{form}", cwd=tmp_path)
        assert (done.code, done.out) == (0, "")
        assert petri("analyze", f"{name}.{form}", cwd=tmp_path).code == code


def test_a_run_of_the_report_is_a_run_of_the_exported_net(tmp_path: Path) -> None:
    write(tmp_path, bad=INVERSION)
    net = petri("export", "bad.petri.yaml", cwd=tmp_path).report
    run = petri("analyze", "--format", "json", cwd=tmp_path).report["results"][0]["run"]
    assert set(run) <= {t["id"] for t in net["transitions"]}


@pytest.mark.parametrize("form", ["dot", "mermaid", "svg", "pnml", "json", "yaml"])
def test_drawings_name_the_transitions(tmp_path: Path, form: str) -> None:
    write(tmp_path, bad=INVERSION)
    out = petri("export", "bad.petri.yaml", "-f", form, cwd=tmp_path).out
    assert "w1" in out and out.endswith("\n")


def test_widths_unfold_a_foreach(tmp_path: Path) -> None:
    def tasks(*arguments: str) -> int:
        net = petri("export", SAMPLES / "fan-out.petri.yaml", *arguments, cwd=tmp_path).report
        return sum(t["id"].startswith("t.prepare") for t in net["transitions"])

    assert [tasks(), tasks("--width", "sample=4"), tasks("-w", "sample=0")] == [2, 4, 0]


def test_a_width_of_nothing_is_wrong(tmp_path: Path) -> None:
    for value, said in (
        ("smple=3", "did you mean `sample`?"),
        ("sample", "is not ID=N: the id of a foreach and"),
        ("=3", "ID=N"),
    ):
        done = petri("export", SAMPLES / "fan-out.petri.yaml", "--width", value, cwd=tmp_path)
        assert (done.code, said in done.err) == (2, True), done.err


@pytest.mark.parametrize("number", ["9" * 5_000, "1" * 10, "-1", "1_0", "٣", "3.0"])
def test_a_width_that_is_no_number_of_items_is_wrong(tmp_path: Path, number: str) -> None:
    done = petri("export", SAMPLES / "fan-out.petri.yaml", "--width", f"sample={number}", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "is not ID=N" in done.err and "Traceback" not in done.err and len(done.err) < 1_000


def test_a_width_past_all_memory_is_refused(tmp_path: Path) -> None:
    done = petri("export", SAMPLES / "fan-out.petri.yaml", "--width", "sample=200000000", cwd=tmp_path)
    assert (done.code, done.out, "PETRI_NET_TOO_LARGE" in done.err) == (2, "", True)


def test_export_reads_standard_input_and_refuses_wrong_input(tmp_path: Path) -> None:
    assert petri("export", "-", cwd=tmp_path, stdin=NET).report["id"] == "ring"
    done = petri("export", "-", cwd=tmp_path, stdin=WRONG)
    assert (done.code, done.out) == (2, "") and "PETRI_WRONG_TYPE" in done.err
    for name in ("missing.yaml", "."):
        done = petri("export", name, cwd=tmp_path)
        assert (done.code, "PETRI_UNREADABLE_FILE" in done.err) == (2, True)


@pytest.mark.parametrize("form", [(), ("--format", "yaml"), ("--format", "json")], ids=lambda f: "".join(f[1:]) or "-")
def test_a_plan_is_written_in_its_normal_form_which_is_the_same_plan(tmp_path: Path, form: tuple[str, ...]) -> None:
    for sample in sorted(SAMPLES.glob("*.petri.yaml")):
        done = petri("export", sample, "--plan", *form, cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("{" if "json" in form else "name: ")
        again = petri("export", "-", "--plan", *form, "--stdin-filename", sample.name, cwd=tmp_path, stdin=done.out)
        assert again.out == done.out
        written = load_data(done.out.encode(), sample.name)[0]
        assert isinstance(written, Plan) and same_plan(written, load_plan(sample))


def test_a_plan_of_many_levels_is_written(tmp_path: Path) -> None:
    deep = '{"flow": ' + '{"seq": [' * 3_000 + '{"task": {"id": "t"}}' + "]}" * 3_000 + "}"
    for form in ("yaml", "json"):
        done = petri("export", "-", "--plan", "-f", form, cwd=tmp_path, stdin=deep)
        assert (done.code, done.out.count("seq")) == (0, 3_000), done.err[-300:]


def test_what_is_no_plan_or_no_form_of_one_is_refused(tmp_path: Path) -> None:
    write(tmp_path, good=SOUND)
    done = petri("export", "-", "--plan", cwd=tmp_path, stdin=NET)
    assert (done.code, done.out, "PETRI_NOT_A_PLAN" in done.err) == (2, "", True)
    for wrong, said in ((("-f", "dot"), "written as yaml or json"), (("-w", "each=2"), "the net of a plan")):
        done = petri("export", "good.petri.yaml", "--plan", *wrong, cwd=tmp_path)
        assert (done.code, done.out, said in " ".join(done.err.split())) == (2, "", True), done.err


def test_commands_can_be_piped_into_each_other(tmp_path: Path) -> None:
    done = shell("petri init - --template lock-inversion | petri export - | petri analyze - --format concise", tmp_path)
    assert done.code == 1
    assert "PETRI_UNSOUND_NET" in done.out
