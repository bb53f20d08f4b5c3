"""Observers of a driver: they hear of each commit, and one that fails never stops the work."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.driver.masking import shown
from petri_cli.driver.options import Observer
from petri_cli.session.state import State
from petri_cli.session.store import Entry


class Followers:
    """complaints: what is yet to be said of those that failed."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = list(observers)
        self.complaints: list[str] = []

    def tell(self, entries: Sequence[Entry], state: State) -> None:
        """An observer that fails is not asked to follow any longer. None sees a secret of the plan in an event."""
        entries = list(shown(state, entries)) if self._observers else entries
        for observer in list(self._observers):
            try:
                observer.committed(entries, state)
            except Exception as error:
                self._observers.remove(observer)
                self.complaints.append(f"nobody follows any more: {type(error).__name__}: {error}")

    def said(self) -> list[str]:
        """The complaints, once."""
        said, self.complaints = self.complaints, []
        return said
