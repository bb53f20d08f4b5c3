"""The command line: one module a subcommand; parses, calls, renders, exits."""

import os
import sys

if "_PETRI_COMPLETE" in os.environ and os.path.basename(sys.argv[0]) == "petri":  # noqa: PTH119
    # A shell completes: it is answered before typer is imported, which takes longer than the answer.
    from petri_cli.cli.completion import answer

    _code = answer()
    if _code is not None:
        os._exit(_code)
