"""All tables: ``python -m benchmarks``; with ``--full``, mining with one and ten million events."""

from __future__ import annotations

import sys

from benchmarks import compiled_search, driver, engine, exploration, mining, plans, sessions, startup, workflow_nets
from benchmarks.table import machine


def main() -> None:
    print(machine())
    startup.main()
    plans.main()
    exploration.main()
    compiled_search.main()
    workflow_nets.main()
    engine.main()
    sessions.main()
    driver.main()
    mining.main(full="--full" in sys.argv)


main()
