"""What the commands write to: data alone on standard output, everything else on standard error."""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TextIO

from petri_cli.cli.exit import Exit, worst
from petri_cli.errors import PetriError, Position
from petri_cli.render.look import ColourMode, Look, look_at
from petri_cli.render.page import Page

STDOUT = "standard output"


class Output:
    """Standard output, or the file of ``-o``.

    spare: paths that must not be written over; keep: no file must; later: work goes on where what it says cannot be
    written, and :meth:`ended` says so in the end.

    A reader that goes away is no error: what it does not want is not written, and the exit code stays true. Characters
    that the encoding lacks are written as escapes. Raises PetriError ``PETRI_CANNOT_WRITE``, of a standard output that
    is closed (``>&-``) at once, before anything is done that nobody would hear of.
    """

    def __init__(
        self, path: str | None = None, spare: Sequence[str | None] = (), *, keep: bool = False, later: bool = False
    ) -> None:
        self.path = path
        self.done = ""
        """What has been done all the same, for whoever is told that it could not be written."""
        self.failed = False
        """Whether something was not written, because it could not be."""
        self._later = later
        if path is None:
            check_writable()
        self.stream: TextIO | None = sys.stdout if path is None else _open(path, spare, keep=keep)
        if self.stream is not None:
            _make_safe(self.stream)

    def write(self, text: str) -> None:
        """Write ``text`` unless the reader has gone."""
        if self.stream is not None:
            try:
                self.stream.write(text)
            except OSError as error:
                self._failed(error)

    def flush(self) -> None:
        """Write out what is buffered."""
        if self.stream is not None:
            try:
                self.stream.flush()
            except OSError as error:
                self._failed(error)

    def close(self) -> None:
        """Flush, and close a file."""
        self.flush()
        if self.stream is not None and self.path is not None:
            try:
                self.stream.close()
            except OSError as error:  # some file systems say only now that there is no room
                self._failed(error)

    def ended(self, code: Exit) -> Exit:
        """The exit code of a call that would have ended with ``code``: what was not written counts, too."""
        self.flush()
        if not self.failed:
            return code
        if self.done:
            say(self.done)
        return worst([code, Exit.WRONG])

    def _failed(self, error: OSError) -> None:
        stream, self.stream = self.stream, None
        if stream is not None:
            silence(stream)
        if error.errno in (errno.EPIPE, errno.EINVAL):
            return
        self.failed = True
        failure = _cannot_write(self.path or STDOUT, error, "" if self._later else self.done)
        if not self._later:
            raise failure
        say(str(failure.problem))

    def __enter__(self) -> Output:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def page_on(out: Output, colour: ColourMode, *, verbosity: int) -> Page:
    """A page on ``out`` for data and on standard error for what is wrong, each looked at for itself."""
    data = Look() if out.stream is None else look_at(out.stream, colour)
    errors = Look() if sys.stderr is None else look_at(sys.stderr, colour)

    def complain(text: str) -> None:
        out.flush()  # on a terminal both streams are one page
        say(text.removesuffix("\n"))

    return Page(out.write, data, verbosity, complain, errors, apart=out.path is not None)


def page_aside(colour: ColourMode, *, verbosity: int) -> Page:
    """A page on standard error, where standard output is for data of another kind."""
    look = Look() if sys.stderr is None else look_at(sys.stderr, colour)

    def write(text: str) -> None:
        say(text.removesuffix("\n"))

    return Page(write, look, verbosity, write, look)


def say(text: str) -> None:
    """A line on standard error, whatever state that is in."""
    if sys.stderr is None:
        return
    try:
        _make_safe(sys.stderr)
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def say_fault(error: BaseException, doing: str) -> None:
    """An internal fault: its traceback, and a sentence that says whose fault it is."""
    from traceback import format_exception

    say("".join(format_exception(error)).rstrip())
    say(f"petri: internal fault while {doing}. This is a bug in petri, not in your input: please report the above.")


def _open(path: str, spare: Sequence[str | None], *, keep: bool) -> TextIO:
    if any(p is not None and os.path.realpath(p) == os.path.realpath(path) for p in spare):
        raise PetriError("PETRI_CANNOT_WRITE", "this would write over an input", where=Position(path))
    try:
        return Path(path).open("x" if keep else "w", encoding="utf-8", newline="\n")
    except FileExistsError:
        hint = "choose another name, or --force"
        raise PetriError("PETRI_FILE_EXISTS", "there is such a file already", where=Position(path), hint=hint) from None
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from None


def _make_safe(stream: TextIO) -> None:
    """Let ``stream`` write any text: what its encoding lacks comes as an escape (which is one in JSON, too)."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def silence(stream: TextIO) -> None:
    """Send what is left in the buffer nowhere, so that closing at exit does not complain again."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def output_failed(error: OSError) -> PetriError:
    """What to say where standard output takes no more; what is left in its buffer is given up."""
    silence(sys.stdout)
    return _cannot_write(STDOUT, error)


def occupy_standard_streams() -> None:
    """Let no file that is opened later become standard input, output or error, where the caller closed one of them.

    What is written to a standard output that was closed (``>&-``) fails from here on as it would in any program.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY)  # the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process lives


def check_writable() -> None:
    """Raises PetriError ``PETRI_CANNOT_WRITE`` where standard output is closed, or was opened to be read."""
    try:
        flags = fcntl.fcntl(sys.stdout.fileno(), fcntl.F_GETFL)
    except (AttributeError, OSError, ValueError):  # it is no file: who put it there knows
        return
    if flags & os.O_ACCMODE == os.O_RDONLY:
        hint = "> /dev/null throws away what is written"
        raise PetriError("PETRI_CANNOT_WRITE", "cannot be written: it is closed", where=Position(STDOUT), hint=hint)


def _cannot_write(path: str, error: Exception, hint: str = "") -> PetriError:
    closed = getattr(error, "errno", None) == errno.EBADF
    reason = "it is closed" if closed else getattr(error, "strerror", None) or str(error)
    return PetriError("PETRI_CANNOT_WRITE", f"cannot be written: {reason}", where=Position(path), hint=hint)
