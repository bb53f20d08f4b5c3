"""What a small call imports, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petri_cli.cli.stored_help import help_text
from tests.e2e.petri import PETRI, ROOT, SAMPLES, environment, petri

PYTHON = sys.executable

FORBIDDEN = {
    "asyncio",
    "concurrent",
    "email",
    "http",
    "importlib.metadata",
    "jsonschema",
    "logging",
    "markdown_it",
    "multiprocessing",
    "pydantic",
    "pygments",
    "rich",
    "socket",
    "sqlite3",
    "ssl",
    "unittest",
    "urllib.request",
    "xml",
}
"""Never on the path of a call that judges a small plan and writes into a pipe."""


GROUP = ("version", "cli", "cli.exit", "cli.main", "cli.stored_help")


def imported(*arguments: str | Path) -> set[str]:
    """The modules that a call has loaded when it ends."""
    code = (
        "import sys\n"
        "from petri_cli.cli.main import main\n"
        f"main({[str(a) for a in arguments]!r})\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    return set(done.stderr.splitlines())


def petri_modules(modules: set[str]) -> set[str]:
    return {m for m in modules if m.startswith("petri_cli.")}


def unwanted(modules: set[str]) -> set[str]:
    return {m for m in modules if m in FORBIDDEN or m.split(".")[0] in FORBIDDEN}


def test_the_command_under_test_is_that_of_this_tree(tmp_path: Path) -> None:
    script = PETRI.read_text(encoding="utf-8")
    assert "petri_cli.cli.main" in script
    assert str(PETRI.parent) in script, "the interpreter that it names is the one beside it"
    code = "import petri_cli; print(petri_cli.__file__)"
    done = subprocess.run(
        [PYTHON, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=environment(), check=True
    )
    where = Path(done.stdout.strip())
    assert where.is_relative_to(ROOT), f"{PETRI} runs {where}: pip install -e {ROOT}"


def test_help_loads_the_group_alone() -> None:
    modules = imported("--help")
    assert petri_modules(modules) == {f"petri_cli.{m}" for m in GROUP}
    assert unwanted(modules) == set()
    assert "yaml" not in modules


def test_help_of_mining_loads_the_command_alone() -> None:
    modules = imported("mine", "--help")
    assert petri_modules(modules) == {f"petri_cli.{m}" for m in GROUP}, "it is stored: no option is made"
    assert unwanted(modules) == set()
    assert not {m.split(".")[0] for m in modules} & {"polars", "pandas", "numpy", "pyarrow", "yaml"}


@pytest.mark.slow
def test_stored_help_is_what_the_command_says_itself_and_is_laid_out_anew_where_there_is_less_room() -> None:
    told = {columns: petri("mine", "--help", cwd=ROOT, env={"COLUMNS": str(columns)}) for columns in (60, 80, 200)}
    assert told[80] == told[200] == petri("mine", "-h", cwd=ROOT)
    assert told[80].out == help_text("mine")
    assert max(map(len, told[60].out.splitlines())) <= 60


@pytest.mark.parametrize("sample", ["ordered-locks", "lock-inversion"])
@pytest.mark.parametrize("form", ["text", "concise", "json", "github", "sarif", "junit", "html"])
def test_a_small_analyze_loads_nothing_heavy(sample: str, form: str) -> None:
    modules = imported("analyze", SAMPLES / f"{sample}.petri.yaml", "--format", form)
    assert unwanted(modules) == set()


def test_a_sound_plan_loads_no_drawing_and_no_net_format() -> None:
    modules = petri_modules(imported("analyze", SAMPLES / "ordered-locks.petri.yaml"))
    for name in ("render.unsound", "render.lanes", "render.circle", "render.json_report", "formats.pnml", "engine"):
        assert not {m for m in modules if m.startswith(f"petri_cli.{name}")}, name


def test_a_plan_without_values_is_judged_without_what_reads_expressions_and_commands() -> None:
    modules = petri_modules(imported("analyze", SAMPLES / "ordered-locks.petri.yaml"))
    for name in ("net.", "plan.expression", "plan.template", "driver.commands", "driver.shell", "driver.substitution"):
        assert not {m for m in modules if m.startswith(f"petri_cli.{name}")}, name


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, petri_cli; print(*[m for m in sys.modules if m.startswith('petri_cli')])"
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"petri_cli", "petri_cli.version"}
