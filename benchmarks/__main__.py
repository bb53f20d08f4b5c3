"""All tables: ``python -m benchmarks``; with ``--full``, mining with one and ten million events."""

from __future__ import annotations

from benchmarks import compiled_search, driver, engine, exploration, mining, plans, sessions, startup, workflow_nets
from benchmarks.table import arguments, machine


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--full", action="store_true", help="mining with one and ten million events, too")
    asked = parser.parse_args()
    print(machine())
    startup.main()
    plans.main()
    exploration.main()
    compiled_search.main()
    workflow_nets.main()
    engine.main()
    sessions.main()
    driver.main()
    mining.main(full=asked.full)


main()
