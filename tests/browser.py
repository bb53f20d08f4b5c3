"""A browser without a window, driven by the Chrome DevTools Protocol: pages are tried as a person sees them."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0
"""Seconds that the browser gets for anything: many tests may run beside it."""
CODES = {"Enter": 13, "Home": 36, "End": 35, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def program() -> str | None:
    """The browser of this machine."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own below ``folder``; it is gone afterwards."""
    found = program()
    assert found is not None
    command = [
        found, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield Browser(_port(folder / "DevToolsActivePort", process))
        finally:
            process.terminate()


def _port(path: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if path.exists() and "\n" in (text := path.read_text()):
            return int(text.split("\n")[0])
        time.sleep(0.02)
    raise AssertionError("the browser did not start")


class Browser:
    """A running browser."""

    def __init__(self, port: int) -> None:
        self.port = port

    @contextmanager
    def page(self, path: Path, width: int = 1280, height: int = 900, *, dark: bool = False, still: bool = True) -> Any:
        """The page in a file, in a tab of its own, once it is drawn. still: with reduced motion."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own browser
            target = json.load(answer)
        with connect(target["webSocketDebuggerUrl"], max_size=None, compression=None) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Log", "Network"):
                tab.call(f"{domain}.enable")
            tab.call(
                "Emulation.setDeviceMetricsOverride",
                width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
            )  # fmt: skip
            media = {
                "prefers-color-scheme": "dark" if dark else "light",
                "prefers-reduced-motion": "reduce" if still else "no-preference",
            }
            tab.call("Emulation.setEmulatedMedia", features=[{"name": k, "value": v} for k, v in media.items()])
            tab.call("Page.navigate", url=path.resolve().as_uri())
            tab.until("document.documentElement?.dataset.ready === 'yes'")
            yield tab
            tab.call("Page.close")


class Tab:
    """A tab. errors: what went to the console or was not caught; requests: addresses that were asked for."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.sent = 0
        self.errors: list[str] = []
        self.requests: list[str] = []

    def call(self, method: str, **params: Any) -> Any:
        """Send a command, wait for its answer; what happens meanwhile is remembered."""
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == self.sent:
                assert "error" not in message, message["error"]
                return message["result"]
            self._heard(message)

    def _heard(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" | "Log.entryAdded":
                self.errors.append(json.dumps(params))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])

    def js(self, expression: str) -> Any:
        """The value of an expression; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until it is true."""
        end = time.monotonic() + PATIENCE
        while not self.js(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.01)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            what = {"key": key, "code": key, "windowsVirtualKeyCode": CODES.get(key, 0)}
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **what, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **what)

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """The page as a PNG, down to its end."""
        width, height = self.js("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        more = {"captureBeyondViewport": True, "clip": clip} if whole else {}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))


def wanted() -> bool:
    """Whether a machine without a browser is a fault: in CI, which installs one."""
    return bool(os.environ.get("CI"))
