"""What waits for a verdict: reports that nobody has verified, and those on which a person has spoken since."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.session.state import Claim, State


class Docket:
    """Of one driver, which gives each report to the judge once, and once more when the word has come."""

    def __init__(self) -> None:
        self._judged: dict[str, bool | None] = {}
        """Claim → what a person had said of it when it was last given to the judge."""

    def waiting(self, state: State, under_way: Iterable[str]) -> list[Claim]:
        """Claims to be judged, oldest first. under_way: those that something goes on for."""
        busy = set(under_way)
        return [
            c
            for c in state.claims.values()
            if c.stage == "reported" and c.id not in busy and self._judged.get(c.id, "never") != c.approval
        ]

    def begun(self, claim: Claim) -> None:
        """It was given to the judge."""
        self._judged[claim.id] = claim.approval

    def again(self, claim: str) -> None:
        """The judge could not be asked: it is to be given to the judge again."""
        self._judged.pop(claim, None)
