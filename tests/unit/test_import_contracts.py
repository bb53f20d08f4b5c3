"""The contracts on imports name every package that they are about."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACTS = {
    c["name"]: c
    for c in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
}
LAYERS = {
    name.strip()
    for row in CONTRACTS["An arrow never points from a lower row of thinking to a higher one"]["layers"]
    for name in row.split("|")
}


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("Nothing but the command line knows typer", {"petri_cli.cli"}),
        ("Nothing but render and the command line knows rich", {"petri_cli.cli", "petri_cli.render"}),
    ],
)
def test_a_library_is_forbidden_to_every_layer_but_those_that_may_know_it(name: str, allowed: set[str]) -> None:
    assert set(CONTRACTS[name]["source_modules"]) == LAYERS - allowed


def test_every_package_and_module_has_a_layer_but_those_that_import_nothing() -> None:
    found = {f"petri_cli.{p.stem}" for p in (ROOT / "petri_cli").iterdir() if p.suffix == ".py" or _is_package(p)}
    assert found - LAYERS == {"petri_cli.__init__", "petri_cli.__main__", "petri_cli.version", "petri_cli.data"}


def _is_package(path: Path) -> bool:
    return (path / "__init__.py").is_file()
