"""A server that speaks the protocol of language models over real HTTP, and says what a test has written for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Says:
    """One answer. finish: why the model stopped; status: of HTTP; body: sent as it is, instead of an answer; cut: bytes
    after which the line breaks; hang: nothing comes until the server is closed; drip: the same, a byte at a time."""

    content: str | None = ""
    finish: str = "stop"
    refusal: str | None = None
    status: int = 200
    body: bytes | None = None
    cut: int | None = None
    hang: bool = False
    drip: bool = False
    usage: Mapping[str, Any] = field(default_factory=lambda: {"prompt_tokens": 900, "completion_tokens": 300})


@dataclass
class Model:
    """url: what ``PETRI_LLM_BASE_URL`` is to be; asked: bodies of the requests so far."""

    url: str
    script: list[Says]
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PETRI_LLM_BASE_URL": self.url, "PETRI_LLM_MODEL": "a-model", "PETRI_LLM_API_KEY": "a-key-of-the-tests",
            "PETRI_LLM_TIMEOUT": "60", **more,
        }  # fmt: skip

    def told(self, n: int) -> Any:
        """What the ``n``th request says to the model, as data."""
        return json.loads(self.asked[n]["messages"][1]["content"])


@contextmanager
def model(*script: Says) -> Iterator[Model]:
    """The answers in their turn; the last one again and again."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            data = json.loads(self.rfile.read(size))
            known.asked.append(data)
            known.keys.append(self.headers.get("Authorization", ""))
            says = known.script.pop(0) if len(known.script) > 1 else known.script[0]
            if says.hang:
                closing.wait(60)
                self.close_connection = True
                return
            body = says.body if says.body is not None else _body(says, data["model"])
            self.send_response(says.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + (0 if not says.drip else 1_000)))
            self.send_header("retry-after-ms", "1")
            self.end_headers()
            if says.drip:
                while not closing.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                self.close_connection = True
                return
            self.wfile.write(body[: says.cut])
            if says.cut is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Who asked has gone."""

    server = Server(("127.0.0.1", 0), Handler)
    known = Model(f"http://127.0.0.1:{server.server_port}/v1", list(script))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield known
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _body(says: Says, name: str) -> bytes:
    if says.status != 200:
        return json.dumps({"error": {"message": f"status {says.status}", "type": "test"}}).encode()
    message = {"role": "assistant", "content": says.content, "refusal": says.refusal}
    choices: Sequence[Any] = [{"index": 0, "message": message, "finish_reason": says.finish}]
    data = {
        "id": "1", "object": "chat.completion", "created": 0, "model": f"{name}-2026", "choices": choices,
        "usage": {**says.usage, "total_tokens": 0},
    }  # fmt: skip
    return json.dumps(data).encode()
