"""Files edited by a verified fix: found, shown or written, and judged again."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from petri_cli.api import Analysis
from petri_cli.cli.inputs import Source, read_source
from petri_cli.cli.judging import Judging
from petri_cli.cli.streams import Output, page_aside, page_on, say
from petri_cli.document import is_given
from petri_cli.errors import PetriError, Position
from petri_cli.plan.edit_text import Sheet
from petri_cli.render.look import ColourMode
from petri_cli.render.reporters import Format
from petri_cli.soundness.fixes import Fix, FixKind
from petri_cli.soundness.result import Verdict

Judge = Callable[[bytes], Analysis]


@dataclass(frozen=True, slots=True)
class Fixing:
    """What is done with an unsound file. kinds: of fixes that are wanted; show: takes the diff, and nothing is written;
    without it files are written, and standard input goes to standard output with the edit."""

    kinds: Sequence[FixKind]
    show: Callable[[str], None] | None = None

    def after(self, source: Source, data: bytes, analysis: Analysis, judge: Judge) -> Analysis:
        """The answer about ``source`` once its cheapest fix is made; as it was where there is none, or it is only
        shown. Raises PetriError ``PETRI_CANNOT_WRITE``, ``PETRI_CANNOT_EDIT``."""
        fix = self._chosen(analysis)
        if self.show is not None:
            if fix is not None:
                self.show(_difference(data, fix, source.name))
                say(f"petri: {source.name}: {fix.description} ({fix.kind}); not written")
            return analysis
        if source.path is None:
            _to_stdout(data if fix is None else fix.data)
        elif fix is not None:
            _refuse_stream(source)
            if read_source(source) != data:
                message = "the file has changed since it was judged; it is left as it is"
                raise PetriError("PETRI_CANNOT_EDIT", message, where=Position(source.name), hint="try again")
            replace_file(source.path, fix.data, source.name)
        if fix is None:
            return analysis
        say(f"petri: {source.name}: {fix.description} ({fix.kind}); {'edited' if source.path else 'written'}")
        again = judge(fix.data if source.path is None else read_source(source))
        return replace(again, fixed=fix)

    def _chosen(self, analysis: Analysis) -> Fix | None:
        if analysis.result is None or analysis.result.verdict is not Verdict.UNSOUND:
            return None
        if analysis.fixes is None:
            say(f"petri: {analysis.file}: only plans are edited")
            return None
        if analysis.fixes.interrupted:
            return None
        fix = analysis.fixes.best()
        if fix is None:
            wanted = "" if len(self.kinds) != 1 else f" of the kind {self.kinds[0]}"
            say(f"petri: {analysis.file}: no verified fix{wanted} was found")
        for note in analysis.fixes.notes:
            if fix is None or note.code == "PETRI_UNKNOWN":
                say(f"petri: {note}")
        return fix


def edit(
    judging: Judging,
    kinds: Sequence[FixKind],
    form: Format,
    output: str | None,
    colour: ColourMode,
    *,
    verbosity: int,
    show: bool,
) -> None:
    """Judge and fix: what is said of each file goes where it does not get in the way of a diff, or of a plan that was
    read from standard input. show: write diffs alone, and no file."""
    from petri_cli.render.reporters import reporter

    spare = [s.path for s in judging.inputs]
    if show:
        with Output(output, spare=spare) as out:
            judging.fixing = Fixing(kinds, out.write)
            reporter("concise")(judging, page_aside(colour, verbosity=verbosity))
        return
    judging.fixing = Fixing(kinds)
    if output is None and any(s.path is None for s in judging.inputs):
        reporter(form)(judging, page_aside(colour, verbosity=verbosity))
        return
    with Output(output, spare=spare) as out:
        reporter(form)(judging, page_on(out, colour, verbosity=verbosity))


def _difference(data: bytes, fix: Fix, name: str) -> str:
    from petri_cli.render.diff import diff

    return diff(Sheet(data, name).text, Sheet(fix.data, name).text, name)


def _refuse_stream(source: Source) -> None:
    if source.path is not None and is_given(source.path):
        where, hint = Position(source.name), "name a file, or - for standard input"
        raise PetriError("PETRI_CANNOT_WRITE", "this is a stream, and cannot be edited", where=where, hint=hint)


def _to_stdout(data: bytes) -> None:
    """The document and nothing else, byte for byte."""
    from petri_cli.cli.streams import output_failed, silence

    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        raise output_failed(error) from None


def replace_file(path: str, data: bytes, name: str) -> None:
    """Put ``data`` in the place of a file, at once or not at all: readers see the old text or the new one. A link stays
    one, the mode stays. Raises PetriError PETRI_CANNOT_WRITE."""
    where = Position(name)
    real = Path(os.path.realpath(path))
    try:
        mode = real.stat().st_mode
        if not os.access(real, os.W_OK):
            raise PermissionError(None, "the file is read-only")
        handle, temporary = tempfile.mkstemp(prefix=f".{real.name}.", suffix=".tmp", dir=real.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(stat.S_IMODE(mode))
            Path(temporary).replace(real)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise PetriError("PETRI_CANNOT_WRITE", f"the file cannot be edited: {reason}", where=where) from None
