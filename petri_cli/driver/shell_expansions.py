"""Quotes and expansions of a shell's text, sign by sign: ``'…'``, ``"…"``, ``\\``, backticks, ``${…}``, ``$((…))``.

What is opened is kept on a stack, so that a text may nest as deep as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from petri_cli.driver.shell_words import READERS, SETTERS, TESTERS, Document, Unclear, Words, WorkedOut

Form = Literal["word", "quoted", "single", "number", "refused"]
"""A word of its own; within double quotes, or as if; within single quotes; a whole number; not at all."""

PLAIN: Final = re.compile(r"[A-Za-z0-9_./:=,@+-]+")
"""Signs that mean the same wherever they stand."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_LENGTH: Final = re.compile(r"#(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])?\}")
_IN_BRACES: Final = re.compile(r"\$\{[A-Za-z0-9_]+\}")
_OPERATOR: Final = re.compile(r":?[-=?+]|##?|%%?")
_ARITHMETIC: Final = re.compile(r"[A-Za-z0-9_ \t\n+\-*/%<>=!&|^~?:,]")
_IN_NAME: Final = re.compile(r"[A-Za-z0-9_.$]")
_SET: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_SUBSCRIPT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[(?!.*\]\+?=).*", re.DOTALL)
_NUMBERS: Final = re.compile(r"(?:RANDOM|SRANDOM|OPTIND|HISTCMD|SECONDS|PS4|ENV|BASH_ENV|PROMPT_COMMAND)\+?=")

EARLIER: Final = "set a variable on a line before, as in x={item}, and use $x here; or hand it over below `with:`"
NEVER: Final = "hand it over below `with:`; in a variable, too, it would be read as a part of the program"
ESCAPED: Final = "write ${task.field} as $${task.field}, and {item} as {{item}}, where the text itself is meant"
LONGEST_NAME: Final = 1_000
"""Characters of a command's name that are looked at: what holds whole commands may be as long as the text."""
HOLE: Final = "\0"
"""Stands for a value; no command holds this sign."""


@dataclass(frozen=True, slots=True)
class Spot:
    """How one value is written; ``why`` it cannot be, and a way out."""

    form: Form
    why: str = ""
    hint: str = ""


@dataclass(slots=True)
class Frame:
    """What has been opened and not closed. kind: of the readers below; quoted: as if in double quotes.

    closer: of a list of commands, "" for the whole; inner: a list that a shell reads for itself (``$(…)``, backticks,
    the whole), with its here-documents; operator: of ``${x…}``.
    """

    kind: Literal["list", "double", "single", "parameter", "document"]
    quoted: bool = False
    closer: str = ""
    inner: bool = False
    operator: str = ""
    words: Words = field(default_factory=Words)
    documents: list[Document] = field(default_factory=list)


class Expansions:
    """text: with a HOLE for each value; found: where the values stand that were met; end: of what is read now."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.end = len(text)
        self.found: list[Spot] = []
        self.frames = [Frame("list", inner=True)]
        self._readers: dict[str, Callable[[Frame, str], None]] = {
            "list": self.read_list,
            "document": self.as_in_quotes,
            "double": self._double,
            "single": self._single,
            "parameter": self._parameter,
        }

    def run(self) -> None:
        """Read on to ``end``. Raises Unclear."""
        while self.at < self.end:
            frame = self.frames[-1]
            self._readers[frame.kind](frame, self.text[self.at])

    def read_list(self, frame: Frame, sign: str) -> None:
        """Read on in a list of commands."""
        raise NotImplementedError

    def end_word(self, words: Words) -> None:
        """A word of a list of commands has ended, if there is one, right before the present sign."""
        written = ""
        if words.started and not (words.plain or words.first):  # it may be the name of a command, in quotes
            written = self.text[words.begun : min(self.at, words.begun + LONGEST_NAME)].replace("\\\n", "")
        words.end(written)

    # Signs

    def sign(self, ahead: int = 0) -> str:
        """The sign that comes ``ahead`` of the present one, "" at the end; lines that are continued are one."""
        at = self.at
        while True:
            while self.text.startswith("\\\n", at, self.end):
                at += 2
            if not ahead or at >= self.end:
                return self.text[at] if at < self.end else ""
            at, ahead = at + 1, ahead - 1

    def skip(self, signs: int) -> None:
        """Pass over so many signs, and over the ends of lines that are continued in between."""
        for _ in range(signs):
            while self.text.startswith("\\\n", self.at, self.end):
                self.at += 2
            self.at += 1

    def hole(self, form: Form) -> None:
        """A value, unless the command around it would read it as more than a value."""
        words = next(f.words for f in reversed(self.frames) if f.kind == "list")
        why = _read_by(words)
        self.found.append(Spot("refused", why) if why else Spot(form))
        self.at += 1

    def refuse(self, why: str, hint: str = "") -> None:
        self.found.append(Spot("refused", why, hint))
        self.at += 1

    def backslash(self, frame: Frame) -> None:
        """``\\`` and the sign behind it, outside of single quotes."""
        follows = self.text[self.at + 1 : self.at + 2] if self.at + 1 < self.end else ""
        if follows and follows in '$`\\"\n' and self.in_backticks():
            raise Unclear("a backslash in backticks stands before it: write `$(…)`")
        self.at += 1
        if follows == "\n":
            self.at += 1
            return
        self.part(frame)
        if follows == HOLE:
            self.refuse("a backslash stands right before it", ESCAPED)
        elif follows:
            self.at += 1

    def check_line(self, sign: str, *, inner: bool = False) -> None:
        """Not every shell agrees on what a here-document is whose line ends within quotes or ``$(…)``."""
        if sign != "\n":
            return
        levels = [f for f in self.frames if f.inner]
        if any(f.documents for f in (levels[:-1] if inner else levels)):
            raise Unclear("a line ends within quotes or `$(…)` before it, while a here-document is to come")

    def in_backticks(self) -> bool:
        return any(f.closer == "`" for f in self.frames)

    @staticmethod
    def part(frame: Frame) -> None:
        """Something that is quoted, or an expansion, becomes part of the present word."""
        if frame.kind == "list":
            frame.words.quoted_part()

    # Quotes and expansions

    def open_quotes(self, frame: Frame, sign: str) -> None:
        self.part(frame)
        self.frames.append(Frame("double", quoted=True) if sign == '"' else Frame("single"))
        self.at += 1

    def _double(self, frame: Frame, sign: str) -> None:
        if sign == '"':
            self.frames.pop()
            self.at += 1
        else:
            self.as_in_quotes(frame, sign)

    def as_in_quotes(self, frame: Frame, sign: str) -> None:
        match sign:
            case "\0":  # HOLE
                self.hole("quoted")
            case "\\":
                self.backslash(frame)
            case "`":
                self.backtick(frame)
            case "$":
                self.dollar(frame)
            case _:
                self.check_line(sign)
                plain = PLAIN.match(self.text, self.at, self.end)
                self.at = plain.end() if plain else self.at + 1

    def _single(self, frame: Frame, sign: str) -> None:
        if sign == HOLE:
            self.hole("single")
            return
        if sign in "\\`" and self.in_backticks():
            raise Unclear("a backslash or backtick within quotes within backticks stands before it: write `$(…)`")
        if sign == "'":
            self.frames.pop()
        self.check_line(sign)
        self.at += 1

    def backtick(self, frame: Frame) -> None:
        if frame.closer == "`":
            self.end_word(frame.words)
            if frame.words.cases:
                raise Unclear("a `case` without `esac` stands before it")
            self.leave(frame)
        elif self.in_backticks():
            raise Unclear("a backtick within quotes or parentheses within backticks stands before it: write `$(…)`")
        else:
            self.part(frame)
            self.frames.append(Frame("list", closer="`", inner=True, words=Words(nested=True)))
        self.at += 1

    def leave(self, frame: Frame) -> None:
        """A list that was in parentheses or backticks has ended."""
        if frame.documents:
            raise Unclear("a here-document is begun before it, whose text does not come before the closing sign")
        self.frames.pop()
        around = self.frames[-1]
        if frame.inner:
            self.part(around)
        else:
            around.words.next_command()

    def dollar(self, frame: Frame) -> None:
        self.part(frame)
        follows = self.sign(1)
        if follows == "(" and self.sign(2) == "(":
            self._arithmetic()
        elif follows == "(":
            self.skip(2)
            self.frames.append(Frame("list", closer=")", inner=True, words=Words(nested=True)))
        elif follows == "{":
            self.skip(2)
            self._open_parameter(frame)
        elif follows == "[" or (follows in ("'", '"') and not frame.quoted):
            raise Unclear(f"`${follows}` stands before it, which shells read differently")
        elif follows == HOLE:
            self.skip(1)
            self.refuse("a `$` stands right before it", ESCAPED)
        else:
            self.skip(2 if follows and follows in "@*#?$!-" else 1)

    def _arithmetic(self) -> None:
        """``$((…))``, which is read to its end at once: what ends otherwise is something else."""
        self.skip(3)
        depth, before, first = 0, "", len(self.found)
        while sign := self.sign():
            follows = self.sign(1)
            if sign == HOLE:
                alone = not any(s == HOLE or _IN_NAME.fullmatch(s) for s in (before, follows) if s)
                self.at = self.text.index(HOLE, self.at)
                if alone:
                    self.hole("number")
                else:
                    self.refuse("it is a part of a name or a number")
            elif sign == ")" and not depth:
                if follows != ")":
                    break
                self.skip(2)
                return
            elif sign in "()":
                depth += 1 if sign == "(" else -1
                self.skip(1)
            elif _ARITHMETIC.fullmatch(sign) or (sign == "$" and (follows.isalnum() or follows == "_")):
                self.check_line(sign)
                self.skip(1)
            elif name := _IN_BRACES.match(self.text, self.at, self.end):
                self.at = name.end()
            else:
                break
            before = sign
        why = "it stands in `$((` with more than numbers, names and operators"
        self.found[first:] = [Spot("refused", why)] * (len(self.found) - first)
        raise WorkedOut("`$((` stands before it, with more than numbers, names and operators in it")

    def _open_parameter(self, around: Frame) -> None:
        """``${`` was read."""
        if length := _LENGTH.match(self.text, self.at, self.end):
            self.at = length.end()
            return
        name = _NAME.match(self.text, self.at, self.end)
        if name is None:
            raise Unclear("a `${` that is not understood stands before it, or around it")
        self.at = name.end()
        if self.sign() == "}":
            self.skip(1)
            return
        operator = _OPERATOR.match(self.text, self.at, self.end)
        if operator is None:
            raise Unclear(f"a `${{{name.group()}…}}` that not every shell knows stands before it, or around it")
        self.at = operator.end()
        self.frames.append(Frame("parameter", quoted=around.quoted, operator=operator.group()))

    def _parameter(self, frame: Frame, sign: str) -> None:
        if sign == "}":
            self.frames.pop()
            self.at += 1
        elif sign in ("'", '"') and frame.quoted:
            raise Unclear("quotes within `${…}` within quotes stand before it, or around it")
        elif sign in ("'", '"'):
            self.open_quotes(frame, sign)
        elif sign == HOLE and frame.operator[0] in "#%" and any(f.kind == "document" for f in self.frames):
            self.refuse("it is a pattern in a here-document, which shells read differently")
        elif sign == HOLE and frame.operator[0] in "#%":
            self.hole("word")
        elif sign == HOLE and not frame.quoted and frame.operator in ("=", ":="):
            self.refuse("it is assigned within `${…}` without quotes around")
        elif sign == HOLE and not frame.quoted:
            self.hole("word")
        else:
            self.as_in_quotes(frame, sign)


def _read_by(words: Words) -> str:
    """Why a value cannot be given to a command; "" where it can."""
    if words.conditional:
        return "it stands in `[[ … ]]`, where bash may read it as arithmetic: write `[ … ]`"
    if words.first in READERS or (words.first in SETTERS and not _SET.match(words.word)):
        return f"it is an argument of `{words.first}`, which would read it as a part of the program"
    if words.first in TESTERS and words.before == "-v":
        return f"it stands behind `{words.first} -v`, where bash reads it as a name with a subscript"
    if _NUMBERS.match(words.word):
        return "it is given to a variable whose value a shell works out"
    if _SUBSCRIPT.fullmatch(words.word):
        return "it is a subscript, which bash reads as arithmetic"
    return ""
