"""Command lines that a message suggests: they mean what they say when they are pasted in the same folder."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

AS_ARGUMENT = ("status", "cancel", "insights", "mine", "export")
"""Commands that take the session as their argument; others take ``--session``."""
WITH_OPTION = ("run", "plan", "claim", "heartbeat", "report", "verify", "approve", "inject")
IN_STORE = (*AS_ARGUMENT, *WITH_OPTION, "create")
_CALL = re.compile(
    rf"\bpetri ({'|'.join(IN_STORE)})\b((?: (?:FILE|--(?!(?:session|store)\b)[a-z][a-z-]*))*)( --session [\w.-]*\w)?"
)
_COMPLETE = re.compile(r"(?: [\w.-]+)? --store ")
"""What follows a command that was completed before."""


@dataclass(frozen=True, slots=True)
class Paste:
    """What a suggested command has to say so that it means this session of this store.

    session: its id, "" where there is none; named: whether it would not be meant without a word; store: as it was
    given, "" where it is the one that is looked for; blank: what stands between words, which may be one at which no
    line is broken.
    """

    session: str = ""
    named: bool = False
    store: str = ""
    blank: str = " "

    def __call__(self, verb: str, *words: str) -> str:
        """``petri VERB WORDS`` about this session, where ``words`` are quoted as a shell wants them.

        A plan without a session would open one, so ``plan`` names it always; ``run FILE`` means to open another one.
        """
        quoted = "".join(f" {shlex.quote(word)}" for word in words)
        return f"petri {self._called(verb, quoted)}".replace(" ", self.blank)

    def in_text(self, text: str) -> str:
        """``text`` with its commands completed. What names a session there already is about that one."""

        def completed(found: re.Match[str]) -> str:
            verb, words, session = found.groups()
            if _COMPLETE.match(text, found.end()):
                return found[0]
            said = f"{found[0]}{self._store()}" if session else f"petri {self._called(verb, words)}"
            return said.replace(" ", self.blank)

        return _CALL.sub(completed, text)

    def _called(self, verb: str, words: str) -> str:
        anew = verb == "create" or (verb == "run" and "FILE" in words)
        wanted = self.session and not anew and (self.named or verb == "plan")
        if wanted and verb in AS_ARGUMENT:
            return f"{verb} {self.session}{words}{self._store()}"
        return f"{verb}{words}{f' --session {self.session}' if wanted else ''}{self._store()}"

    def _store(self) -> str:
        return f" --store {shlex.quote(self.store)}" if self.store else ""


HERE = Paste()
"""Nothing need be said."""
