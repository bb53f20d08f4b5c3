"""What a small call costs as a whole process, against importing the libraries it stands on."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.table import arguments, cpu_of, print_table

SAMPLES = Path(__file__).parent.parent / "samples"


def main() -> None:
    petri = str(Path(sys.executable).with_name("petri"))
    commands = {
        'python -c "import typer, rich, yaml, jsonschema"': [
            sys.executable,
            "-c",
            "import typer, rich, yaml, jsonschema",
        ],
        "petri --help": [petri, "--help"],
        "petri analyze (sound)": [petri, "analyze", str(SAMPLES / "ordered-locks.petri.yaml")],
        "petri analyze (unsound)": [petri, "analyze", str(SAMPLES / "lock-inversion.petri.yaml")],
    }
    spent = cpu_of(list(commands.values()))
    rows = [(name, f"{s * 1e3:.0f}", f"{s / spent[0]:.2f}") for name, s in zip(commands, spent, strict=True)]
    print_table("Start-up", ("command", "CPU, ms", "ratio"), rows)


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    main()
