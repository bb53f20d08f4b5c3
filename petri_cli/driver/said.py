"""The result that somebody from outside reports: masked, and in a file where it is too large for the log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from petri_cli.driver.capture import Capture, Captured, Limits
from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError


@dataclass(slots=True)
class Said:
    """output: the result for the log, None where it is in a file; size: of its JSON, in bytes.

    The file has a name of its own until :meth:`keep`: what comes late shall not take the place of what was accepted.
    """

    output: Any
    size: int
    captured: Captured | None = None

    def keep(self) -> dict[str, Any]:
        """Give the file its name. What the log has to say of it: ``{output: {path, size, sha256}}``, or nothing."""
        captured, self.captured = self.captured, None
        if captured is None:
            return {}
        path = captured.path.rename(captured.path.with_name("output"))
        return {"output": {**captured.reference(), "path": path.as_posix()}}

    def discard(self) -> None:
        """Forget the file, if it was not kept."""
        captured, self.captured = self.captured, None
        if captured is not None:
            captured.path.unlink(missing_ok=True)


def result_for(output: Any, redactor: Redactor, folder: Path | None) -> Said:
    """``output`` as it may be written. folder: where a large one goes; without one it goes into the log.

    Raises PetriError ``PETRI_TOO_LARGE`` where no file may hold it, ``PETRI_CANNOT_WRITE``.
    What JSON has not is left to the log to refuse.
    """
    limits = Limits()
    value = redactor.value(output)
    try:
        text = b"" if value is None else json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return Said(value, 0)
    if folder is None or len(text) <= limits.result:
        return Said(value, len(text))
    if len(text) > limits.file:
        message = f"the result is {len(text):,} bytes of JSON; at most {limits.file:,} are kept"
        raise PetriError("PETRI_TOO_LARGE", message, hint="report the name of a file that holds it")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _not_kept(f"{folder}: {error.strerror or error}") from None
    capture = Capture(folder / f".output-{uuid4().hex}", redactor, limits)
    capture.feed(text)
    captured = capture.finish()
    if captured.error:
        captured.path.unlink(missing_ok=True)
        raise _not_kept(captured.error)
    return Said(None, len(text), captured)


def _not_kept(why: str) -> PetriError:
    return PetriError("PETRI_CANNOT_WRITE", f"the result cannot be kept: {why}", hint="make room, and report again")
