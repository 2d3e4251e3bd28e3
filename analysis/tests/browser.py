"""A headless Chromium for tests of pages, spoken to over a pipe: no port, no driver program.

Costs about a second to start. Commands are those of the Chrome DevTools Protocol.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
TIMEOUT_S = 120.0  # a busy machine takes half a minute for what else takes one second

Json = dict[str, Any]


class BrowserError(AssertionError):
    """What the browser refused, or a script's exception."""


class Page:
    """One page: opened, looked at, clicked."""

    def __init__(self, commands: int, replies: int) -> None:
        self._commands, self._replies = commands, replies
        self._buffer = b""
        self._last = 0
        self._session = ""
        self.events: list[Json] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        attached = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")

    def open(self, path: Path, width: int = 1000, dark: bool = False, mobile: bool = False) -> None:
        """Shows a file in a window this wide, when all of it is loaded."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=900,
                   deviceScaleFactor=2 if mobile else 1, mobile=mobile)  # fmt: skip
        self.events.clear()
        self._send("Page.navigate", url=path.resolve().as_uri())
        self._wait(lambda: any(e["method"] == "Page.loadEventFired" for e in self.events))

    def evaluate(self, script: str) -> Any:
        found = self._send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in found:
            raise BrowserError(found["exceptionDetails"])
        return found["result"].get("value")

    def move(self, x: float, y: float) -> None:
        self._mouse("mouseMoved", x, y, 0)

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self._mouse("mousePressed", x, y, 1)
        self._mouse("mouseReleased", x, y, 1)

    def press(self, key: str) -> None:
        code = {"Enter": 13, "Escape": 27, "Backspace": 8}.get(key, 0)
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        self._send("Input.insertText", text=text)

    def picture(self) -> bytes:
        """All of the page as PNG."""
        shot = self._send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def complaints(self) -> list[str]:
        """Exceptions of scripts and entries of the log since the page was opened."""
        wrong = ("Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(e["params"]) for e in self.events if e["method"] in wrong]

    def requests(self) -> list[str]:
        sent = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [str(event["params"]["request"]["url"]) for event in sent]

    def _mouse(self, kind: str, x: float, y: float, clicks: int) -> None:
        button = "left" if clicks else "none"
        self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                   clickCount=clicks)  # fmt: skip

    def _send(self, method: str, **parameters: Any) -> Json:
        self._last += 1
        message: Json = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        reply: list[Json] = []
        self._wait(lambda: bool(reply), reply)
        if "error" in reply[0]:
            raise BrowserError(f"{method}: {reply[0]['error']}")
        return dict(reply[0].get("result") or {})

    def _wait(self, done: Any, reply: list[Json] | None = None) -> None:
        end = time.monotonic() + TIMEOUT_S
        while not done():
            message = self._receive(end - time.monotonic())
            if reply is not None and message.get("id") == self._last:
                reply.append(message)
            elif "method" in message:
                self.events.append(message)

    def _receive(self, within_s: float) -> Json:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._replies], [], [], max(0.0, within_s))
            data = os.read(self._replies, 1 << 16) if ready else b""
            if not data:
                raise BrowserError("the browser ended, or does not answer")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        return dict(json.loads(message))


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A browser with an empty profile; it reads commands from descriptor 3, replies on 4."""
    to_read, commands = os.pipe()
    replies, to_write = os.pipe()
    # The shell moves the pipes to where Chromium looks for them, whatever their numbers are here.
    shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    flags += ["--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        ["bash", "-c", shell, "browser", PROGRAM, *flags],
        pass_fds=(to_read, to_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_read)
    os.close(to_write)
    try:
        yield Page(commands, replies)
    finally:
        os.close(commands)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(replies)
