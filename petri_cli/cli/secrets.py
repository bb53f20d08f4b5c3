"""What a command says where it writes to a session, and does not know what it should keep secret."""

from __future__ import annotations

from petri_cli.cli.store import Chosen
from petri_cli.cli.streams import say


def warn_of_unset_secrets(at: Chosen) -> None:
    """Say, once a call, which secrets of the plan this process could not mask in what it writes."""
    from petri_cli.driver.masking import unset_secrets
    from petri_cli.render.phrase import listed

    if names := unset_secrets(at.store.state(at.session)):
        what = "its value" if len(names) == 1 else "their values"
        say(f"petri: the plan calls {listed(list(names))} secret, not set here: {what} cannot be masked in this log")
