"""Chromium without a window, driven by its DevTools protocol over a pipe: what a page shows, says and does."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import Struct, field

LIMIT_S = 60.0
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The program, or None where it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser(Struct):
    """One page.  Errors on its console are kept."""

    commands: int
    answers: int
    session: str = ""
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _number: int = 0
    _waiting: bytes = b""
    _loaded: bool = False

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and gives its result."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                if "error" in found:
                    raise AssertionError(f"{method}: {found['error']}")
                return found["result"]

    def open(self, page: Path) -> float:
        """Loads a file; the seconds until it was there, and something was painted."""
        self._loaded = False
        start = monotonic()
        self.ask("Page.navigate", url=page.absolute().as_uri())
        while not self._loaded:
            self._next()
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return monotonic() - start

    def value(self, script: str) -> Any:
        """What JavaScript comes to."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """A key that goes down and up."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}
        code = codes.get(key, ord(key.upper()[0]))
        common = {"key": key, "windowsVirtualKeyCode": code}
        text = text or {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        """Into what has the focus."""
        self.ask("Input.insertText", text=text)

    def size(self, width: int, height: int, *, mobile: bool = False) -> None:
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile
        )  # fmt: skip

    def dark(self, on: bool) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[feature])

    def screenshot(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))

    def pdf(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"]))

    def _next(self) -> dict[str, Any]:
        """The next message, of which some are kept.  Raises TimeoutError."""
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self.answers], [], [], LIMIT_S)
            if not ready:
                raise TimeoutError("chromium does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("chromium has ended")
            self._waiting += more
        first, _, self._waiting = self._waiting.partition(b"\0")
        found = json.loads(first)
        match found.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(str(found["params"]["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if found["params"]["type"] in ("error", "assert"):
                self.errors.append(str(found["params"]["args"]))
            case "Log.entryAdded" if found["params"]["entry"]["level"] == "error":
                self.errors.append(found["params"]["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(found["params"]["request"]["url"])
            case "Page.loadEventFired":
                self._loaded = True
            case _:
                pass
        return found


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser that ends with the block."""
    program = chromium()
    assert program is not None
    to_it, commands = os.pipe()
    answers, from_it = os.pipe()
    folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe")
    # the program reads from 3 and writes to 4
    shell = f'exec "$0" "$@" 3<&{to_it} 4>&{from_it}'
    process = subprocess.Popen(
        ["bash", "-c", shell, program, *options, f"--user-data-dir={folder.name}", "about:blank"],
        pass_fds=(to_it, from_it), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(to_it)
    os.close(from_it)
    try:
        page = Browser(commands, answers)
        target = page.ask("Target.createTarget", url="about:blank")["targetId"]
        page.session = page.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for name in ("Page", "Runtime", "Log", "Network"):
            page.ask(f"{name}.enable")
        yield page
    finally:
        process.terminate()
        process.wait()
        os.close(commands)
        os.close(answers)
        folder.cleanup()
