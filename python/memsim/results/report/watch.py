"""A page of a running simulation: `memsim --watch PORT script.py`.

The simulating thread publishes the state of the machine between two ticks; another thread sends the last state to
browsers. The results do not depend on it. Only requests from this computer to `localhost` or 127.0.0.1 are answered, so
that no page of another site can read it.
"""
import contextlib
import json
import os
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from ...errors import Error
from ...files import shown
from ...run.progress import duration, simulated

if TYPE_CHECKING:
    from http.server import HTTPServer

    from ...run.simulation import Simulation

EVERY = 0.5  # s between two states
MOST_ROWS = 200  # of queues, and of components that wait
MOST_CONNECTIONS = 16  # one more closes the oldest: a run needs its descriptors for its files
PATIENCE = 10  # s for a request, and for a browser to read an answer


class Watch:
    """The server of this process, and the state that it shows. Raises Error if the port is not free."""

    def __init__(self, port: int) -> None:
        self._process, self._published, self._text = os.getpid(), 0.0, b"{}"
        self._where: tuple[str, str] | None = None  # database and run
        self._drawing: tuple[tuple[str, str], bytes] | None = None  # of the machine of that run
        self._server = _server(port, self)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, name="memsim watch", daemon=True).start()

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """(type, bytes) of a path of the server, or None."""
        if path == "/":
            from .page import render, text_of

            return "text/html; charset=utf-8", render("watch.html", [text_of("watch.js")]).encode()
        if path == "/drawing" and self._where:
            return "image/svg+xml", self._draw(self._where)
        return ("application/json", self._text) if path == "/status" else None

    def _draw(self, where: tuple[str, str]) -> bytes:
        """The machine of a run as SVG, or a comment with the reason if it cannot be drawn."""
        if not self._drawing or self._drawing[0] != where:
            from .diagram import Diagram
            from .run_data import open_runs

            try:
                self._drawing = where, Diagram(open_runs(where[0], [where[1]])[0]).svg().encode()
            except Error as e:
                self._drawing = where, b"<!-- " + str(e).replace("--", "").encode() + b" -->"
        return self._drawing[1]

    def publish(self, simulation: "Simulation", ended: bool) -> None:
        """Stores the state; called between two ticks, and when a run has ended."""
        now = time.monotonic()
        if (not ended and now - self._published < EVERY) or os.getpid() != self._process:
            return
        self._published = now
        self._where = simulation.options.database(), simulation.id
        self._text = json.dumps(status(simulation, ended)).encode()


def start(port: int) -> Watch:
    """Starts the server of this process. Raises Error if the port is not free."""
    watch = Watch(port)
    print(f"memsim: watch at http://127.0.0.1:{watch.port}", file=sys.stderr, flush=True)
    return watch


def status(simulation: "Simulation", ended: bool) -> dict[str, Any]:
    """The state that the page shows, as plain values."""
    machine, progress = simulation._machine, simulation._progress
    work = progress.work()
    left = None if ended else progress.left(work)
    queues, waits = machine.queues, machine.wait_report()
    queues.sort(key=lambda q: (not q["sender_waits"], -q["messages"] / (q["depth"] or 1e9), -q["messages"]))
    return dict(
        name=shown(simulation._script.name),
        arguments=simulation._script.argv,
        run=simulation.id,
        ended=ended,
        simulated=simulated(machine.now),
        took=duration(simulation._record.host_seconds()),
        left=f"{duration(left[0])} left {left[1]}" if left else "",
        at=time.monotonic(),
        us=machine.now * 1e-9,
        events=machine.counts["events"],
        work=[
            dict(
                what=w.what,
                done=w.done,
                all=w.all,
                unit=w.unit,
                share=w.share,
                left=duration(w.left) if w.left is not None else "",
            )
            for w in work
        ],
        queues=queues[:MOST_ROWS],
        queues_in_all=len(queues),
        waits=waits[:MOST_ROWS],
        waits_in_all=len(waits),
    )


def _server(port: int, watch: Watch) -> "HTTPServer":
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]  # without a port number, for port 80
            found = watch.answer(self.path) if host in ("127.0.0.1", "localhost") else None
            if not found:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", found[0])
            self.send_header("Content-Length", str(len(found[1])))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(found[1])

        def log_message(self, *what: Any) -> None:
            """Suppresses messages about requests of browsers."""

    class Server(ThreadingHTTPServer):
        def __init__(self, *arguments: Any) -> None:
            self._open: list[Any] = []
            self._lock = threading.Lock()
            super().__init__(*arguments)

        def process_request(self, request: Any, address: Any) -> None:
            with self._lock:
                self._open.append(request)
                oldest = self._open.pop(0) if len(self._open) > MOST_CONNECTIONS else None
            if oldest:
                with contextlib.suppress(OSError):  # the thread may have ended
                    oldest.shutdown(socket.SHUT_RDWR)
            super().process_request(request, address)

        def close_request(self, request: Any) -> None:
            with self._lock:
                if request in self._open:
                    self._open.remove(request)
            super().close_request(request)

        def handle_error(self, request: Any, address: Any) -> None:
            """Ignores browsers that close the connection during an answer."""
            if not isinstance(sys.exc_info()[1], OSError):
                super().handle_error(request, address)

    try:
        return Server(("127.0.0.1", port), Handler)
    except OSError as e:
        raise Error(f"--watch {port}: {e.strerror}: name another port, or 0 for any that is free") from None
