"""A client of a language server: JSON-RPC on its standard streams, as an editor speaks it.

Source: the Language Server Protocol 3.17, base protocol. Positions in here count from 1, as people and ``petri`` do.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds to wait for an answer on a busy machine."""


class LanguageServer:
    """A server in a process of its own, with documents open in it."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self._folder = folder
        self._number = 0
        self._arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        workspace = {"configuration": False, "didChangeConfiguration": {"dynamicRegistration": False}}
        shown = {"completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}}}
        capabilities = {"workspace": workspace, "textDocument": shown}
        root = folder.as_uri()
        self.ask("initialize", processId=None, rootUri=root, capabilities=capabilities)
        self._tell("initialized")
        self._tell("workspace/didChangeConfiguration", settings={"yaml": {"schemaStore": {"enable": False}}})

    def open(self, name: str, text: str) -> list[dict[str, Any]]:
        """Show a document to the server; returns what it finds wrong with it."""
        document = {"uri": self._uri(name), "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", textDocument=document)
        while True:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics":
                said = message["params"]
                if said["uri"] == document["uri"]:
                    found: list[dict[str, Any]] = said["diagnostics"]
                    return found

    def completions(self, name: str, line: int, column: int) -> dict[str, dict[str, Any]]:
        """What an editor would offer: label → item."""
        answer = self.ask("textDocument/completion", **self._at(name, line, column))
        items = answer["items"] if isinstance(answer, dict) else answer
        return {item["label"]: item for item in items}

    def hover(self, name: str, line: int, column: int) -> str:
        """What an editor would show where the mouse rests."""
        answer = self.ask("textDocument/hover", **self._at(name, line, column))
        return "" if answer is None else str(answer["contents"]["value"])

    def ask(self, method: str, **parameters: Any) -> Any:
        """The answer to a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._next()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message["error"]
                return message["result"]
            if "id" in message:  # the server asks: say nothing of consequence
                self._send({"id": message["id"], "result": None})

    def close(self) -> int:
        """Let it end; returns its exit code."""
        self.ask("shutdown")
        self._tell("exit")
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(PATIENCE)

    def _uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _at(self, name: str, line: int, column: int) -> dict[str, Any]:
        return {"textDocument": {"uri": self._uri(name)}, "position": {"line": line - 1, "character": column - 1}}

    def _tell(self, method: str, **parameters: Any) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        return self._arrived.get(timeout=PATIENCE)

    def _listen(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with stream:
            while header := stream.readline():
                length = int(header.removeprefix(b"Content-Length: "))
                while stream.readline().strip():
                    pass
                self._arrived.put(json.loads(stream.read(length)))
