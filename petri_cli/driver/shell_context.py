"""Where in a shell command a value stands, and so how its variable has to be written there.

A text is read as a POSIX shell reads it (IEEE 1003.1, XCU 2.2, 2.3, 2.6, 2.7.4, 2.10): quotes, ``$(…)``, backticks,
``${…}``, ``$((…))``, here-documents, comments, the parentheses of ``case``. Only what dash and bash read alike is read
at all. From the first sign on that they do not, or that is not understood here, every value is refused: to refuse one
that could have been written costs a message, to write one wrongly costs data.
"""

from __future__ import annotations

import re

from petri_cli.driver.shell_expansions import EARLIER, HOLE, NEVER, PLAIN, Expansions, Frame, Spot
from petri_cli.driver.shell_words import Document, Unclear, Words, WorkedOut, delimiter
from petri_cli.plan.template import Template


def spots(parts: Template) -> list[Spot]:
    """Where the values of a shell command stand, in order."""
    signs = (part.replace(HOLE, "?") if isinstance(part, str) else HOLE for part in parts)
    return _Shell("".join(signs)).read()


_DESCRIPTOR = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")


class _Shell(Expansions):
    """Reads a whole text."""

    def read(self) -> list[Spot]:
        try:
            self.run()
        except Unclear as unclear:
            missing = self.text.count(HOLE) - len(self.found)
            hint = NEVER if isinstance(unclear, WorkedOut) else EARLIER
            self.found += [Spot("refused", str(unclear), hint)] * missing
        return self.found

    # Lists of commands

    def read_list(self, frame: Frame, sign: str) -> None:
        words = frame.words
        if not words.started:
            words.begun = self.at
        match sign:
            case "\0":  # HOLE
                self.hole("word")
                words.quoted_part()
            case "\\":
                self.backslash(frame)
            case "'" | '"':
                self.open_quotes(frame, sign)
            case "`":
                self.backtick(frame)
            case "$":
                self.dollar(frame)
            case "#" if not words.started:
                self._comment()
            case "\n":
                self._newline(words)
            case " " | "\t":
                self.end_word(words)
                self.at += 1
            case ";" | "&" | "|":
                self._separator(words, sign)
            case "<" | ">":
                self._redirection(frame, sign)
            case "(":
                self._open(words)
            case ")":
                self._close(frame)
            case _:
                plain = PLAIN.match(self.text, self.at, self.end)
                words.plain_part(plain.group() if plain else sign)
                self.at = plain.end() if plain else self.at + 1

    def _comment(self) -> None:
        while self.at < self.end and self.text[self.at] != "\n":
            if self.text[self.at] == "`" and self.in_backticks():
                raise Unclear("a comment in backticks stands before it: write `$(…)`")
            if self.text[self.at] == HOLE:
                self.hole("word")
            else:
                self.at += 1

    def _newline(self, words: Words) -> None:
        self.end_word(words)
        words.next_command()
        self.at += 1
        self.check_line(sign="\n", inner=True)
        level = next(f for f in reversed(self.frames) if f.inner)
        documents, level.documents = level.documents, []
        for document in documents:
            self._read_document(document)

    def _separator(self, words: Words, sign: str) -> None:
        self.end_word(words)
        if sign == ";" and self.sign(1) in (";", "&"):
            words.next_pattern()
            self.skip(3 if self.sign(1) == ";" and self.sign(2) == "&" else 2)
            return
        words.separated(sign)
        self.skip(1)

    def _redirection(self, frame: Frame, sign: str) -> None:
        words = frame.words
        if self.text.startswith("&>", self.at - 1) and sign == ">":
            raise Unclear("`&>` stands before it, which shells read differently")
        if words.started and words.plain and (words.word.isdecimal() or _DESCRIPTOR.fullmatch(words.word)):
            if not words.word.isdecimal():
                raise Unclear("a `{…}` right before `<` or `>` stands before it, which shells read differently")
            words.word, words.started = "", False  # it is the number of the descriptor
        self.end_word(words)
        words.redirected()
        if sign == "<" and self.sign(1) == "<":
            if self.sign(2) == "<":
                self.skip(3)
                return
            if self.in_backticks():
                raise Unclear("a here-document in backticks stands before it: write `$(…)`")
            self.skip(2)
            tabs = self.sign() == "-"
            if tabs:
                self.skip(1)
            document, self.at = delimiter(self.text, self.at, self.end, tabs=tabs)
            level = next(f for f in reversed(self.frames) if f.inner)
            level.documents.append(document)
            words.targeted()
            return
        self.skip(2 if self.sign(1) and self.sign(1) in "<>&|" else 1)

    def _open(self, words: Words) -> None:
        if words.opens_pattern():
            self.skip(1)
            return
        if self.sign(1) == "(":
            raise WorkedOut("`((` stands before it, which shells read differently")
        words.before_parenthesis()
        self.frames.append(Frame("list", closer=")", words=Words(nested=True)))
        self.skip(1)

    def _close(self, frame: Frame) -> None:
        words = frame.words
        self.end_word(words)
        self.skip(1)
        if words.ends_pattern():
            return
        if frame.closer != ")" or words.cases:
            raise Unclear("a `)` that closes nothing stands before it")
        self.leave(frame)

    # Here-documents

    def _read_document(self, document: Document) -> None:
        """The lines up to the one that is the delimiter."""
        first = len(self.found)
        while self.at < self.end:
            newline = self.text.find("\n", self.at, self.end)
            end = self.end if newline < 0 else newline
            line = self.text[self.at : end]
            if (line.lstrip("\t") if document.tabs else line) == document.delimiter:
                self.at = min(end + 1, self.end)
                return
            if document.quoted:
                why = f"it stands in a here-document whose `{document.delimiter}` is quoted, where nothing is replaced"
                self.found += [Spot("refused", why, f"write `{document.delimiter}` without quotes")] * line.count(HOLE)
            else:
                self._read_line(line, end)
            self.at = min(end + 1, self.end)
        missing = f"it stands in a here-document without a line `{document.delimiter}` at its end"
        self.found[first:] = [Spot("refused", missing)] * (len(self.found) - first)

    def _read_line(self, line: str, end: int) -> None:
        if (len(line) - len(line.rstrip("\\"))) % 2:
            raise Unclear("a line of a here-document that a backslash continues stands before it, or around it")
        whole, depth = self.end, len(self.frames)
        self.end = end
        self.frames.append(Frame("document", quoted=True))
        self.run()
        self.end = whole
        if self.frames.pop().kind != "document" or len(self.frames) != depth:
            raise Unclear("an expansion over several lines of a here-document stands before it")


def where(text: str, column: int) -> str:
    """``line 2, character 5`` of a text; column: counts its characters from 1."""
    before = text[: column - 1].split("\n")
    return f"line {len(before)}, character {len(before[-1]) + 1}"
