"""What the packages below the command line import, each looked at in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LOOK = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
from importlib import import_module
from pathlib import Path
for package in sys.argv[2:]:
    for file in sorted(Path(sys.argv[1], *package.split(".")).rglob("*.py")):
        parts = file.relative_to(sys.argv[1]).with_suffix("").parts
        import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
for name in {m.partition(".")[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names):
    module = sys.modules.get(name)
    if hasattr(module, "__file__") or hasattr(module, "__path__"):  # what C extensions make up has neither
        print(name)
"""


def imported(*packages: str, root: Path = ROOT) -> set[str]:
    """The modules from outside the standard library that importing every module of ``packages`` loads."""
    call = [sys.executable, "-I", "-c", LOOK, str(root), *packages]
    return set(subprocess.run(call, check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("package", ["net", "soundness", "engine"])
def test_the_mathematics_imports_nothing_third_party(package: str) -> None:
    assert imported(f"petri_cli.{package}") == {"petri_cli"}


@pytest.mark.parametrize("package", ["document", "plan"])
def test_reading_plans_imports_nothing_but_a_yaml_parser(package: str) -> None:
    assert imported(f"petri_cli.{package}") <= {"petri_cli", "yaml", "_yaml"}


def test_reading_nets_and_the_public_functions_import_nothing_but_a_yaml_parser() -> None:
    assert imported("petri_cli.formats", "petri_cli.api", "petri_cli.errors") <= {"petri_cli", "yaml", "_yaml"}


def test_an_import_from_outside_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "package" / "inner").mkdir(parents=True)
    (tmp_path / "package" / "__init__.py").write_text("import json\n", encoding="utf-8")
    (tmp_path / "package" / "inner" / "module.py").write_text("import outside\n", encoding="utf-8")
    (tmp_path / "outside.py").touch()
    assert imported("package", root=tmp_path) == {"package", "outside"}
