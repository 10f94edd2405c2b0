"""How a page gets to a browser: as a file, or from this machine's own address."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from rosenblatt._support.files import write_whole
from rosenblatt.errors import InputError


def open_page(content: str, path: str | os.PathLike[str] | None, *, show: bool) -> Path:
    """Write the page to `path`, or into a folder of the system's for such files, and open it."""
    if path is None:
        target = Path(tempfile.mkdtemp(prefix="rosenblatt-")) / "playground.html"
    else:
        target = Path(path)
    write_whole(target, content.encode(), overwrite=True)
    if show:
        webbrowser.open(target.absolute().as_uri())
    return target


def server(content: str, port: int) -> ThreadingHTTPServer:
    """Answers with the page, to this machine alone and to nothing but its own address."""
    body = content.encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = f":{self.server.server_port}"  # type: ignore[attr-defined]
            ours = self.headers.get("Host") in (f"127.0.0.1{here}", f"localhost{here}")
            found = ours and self.path in ("/", "/index.html")
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body) if found else 0))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if found:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads a line for every request."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise InputError(
            f"Nothing can be served on port {port} ({error.strerror}): give another --port, or "
            "none for one that is free."
        ) from None


def serve_page(content: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve it until Ctrl-C, which is how it ends and no failure."""
    with server(content, port) as serving, suppress(KeyboardInterrupt):
        tell(f"http://127.0.0.1:{serving.server_port}/")
        serving.serve_forever()
