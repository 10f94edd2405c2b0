"""Firefox, driven by its own protocol, Marionette: a socket and JSON, no program in between."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

NAMES = ("firefox", "firefox-esr")
_LONGEST = 60  # seconds for it to answer
_SETTINGS = {  # of the profile: any free port, and nothing of its own over the network
    "marionette.port": 0,
    "app.update.disabledForTesting": True,
    "browser.startup.page": 0,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}


def program():
    """Its path; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Firefox:
    """One window of it."""

    def __init__(self, connection):
        self._connection, self._file, self._number = connection, connection.makefile("rb"), 0
        self._read()  # it says who it is
        self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})

    def ask(self, command, **parameters):
        self._number += 1
        text = json.dumps([0, self._number, command, parameters]).encode()
        self._connection.sendall(f"{len(text)}:".encode() + text)
        _, number, error, result = self._read()
        assert number == self._number
        if error is not None:
            raise RuntimeError(f"{error['error']}: {error['message']}")
        return result

    def _read(self):
        size = b""
        while (byte := self._file.read(1)) != b":":
            assert byte, "Firefox is gone"
            size += byte
        return json.loads(self._file.read(int(size)))

    def open(self, address):
        self.ask("WebDriver:Navigate", url=address)

    def run(self, script, *arguments):
        """What the body of a function returns, or what its promise brings."""
        asked = {"script": script, "args": list(arguments), "scriptTimeout": 600_000}
        return self.ask("WebDriver:ExecuteScript", **asked)["value"]


@contextmanager
def started(path):
    """A Firefox without a screen, with a profile of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _SETTINGS.items()]
        Path(folder, "user.js").write_text("\n".join(lines))
        command = [path, "--headless", "--no-remote", "--marionette", "--profile", folder]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = subprocess.Popen(command, env=os.environ | {"MOZ_HEADLESS": "1"}, **quiet)
        try:
            port = _port(Path(folder, "MarionetteActivePort"), running)
            with socket.create_connection(("127.0.0.1", port), timeout=600) as connection:
                yield Firefox(connection)
        finally:
            running.terminate()
            running.wait()


def _port(file, running):
    for _ in range(10 * _LONGEST):
        if file.exists() and (text := file.read_text().strip()):
            return int(text)
        assert running.poll() is None, "Firefox ended"
        time.sleep(0.1)
    raise TimeoutError("Firefox does not answer")
