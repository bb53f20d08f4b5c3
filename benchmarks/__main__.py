"""All tables: ``python -m benchmarks``."""

from __future__ import annotations

from benchmarks import driver, engine, exploration, plans, sessions, startup
from benchmarks.table import machine


def main() -> None:
    print(machine())
    startup.main()
    plans.main()
    exploration.main()
    engine.main()
    sessions.main()
    driver.main()


main()
