"""A run while it goes on, as a page on this machine: `memsim --watch PORT script.py`.

The machine is looked at between two ticks, by the thread that simulates; another thread answers browsers with what
was seen last. Nothing of it leaves a trace in the results. Only this machine is answered, and only under the
names that it has for itself, so that no page of elsewhere can ask.
"""
import contextlib
import json
import os
import socket
import sys
import threading
import time

from ...errors import Error
from ...files import shown
from ...run.progress import duration, simulated

EVERY = 0.5  # seconds
MOST_ROWS = 200  # of queues, and of who waits for whom
MOST_CONNECTIONS = 16  # one more closes the oldest: a run needs its descriptors for its files
PATIENCE = 10  # s: for a request, and for an answer to be taken


class Watch:
    """The server of this process, and what it tells."""

    def __init__(self, port):
        self._process, self._told, self._text = os.getpid(), 0.0, b"{}"
        self._where = self._drawing = None  # (database, run) that is shown; the drawing of its machine
        self._server = _server(port, self)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="memsim watch", daemon=True).start()

    def answer(self, path):
        """(type, bytes), or None where there is nothing."""
        if path == "/":
            from .page import render, text_of

            return "text/html; charset=utf-8", render("watch.html", [text_of("watch.js")]).encode()
        if path == "/drawing" and self._where:
            return "image/svg+xml", self._draw()
        return ("application/json", self._text) if path == "/status" else None

    def _draw(self):
        """Of the machine as the database has it; nothing where it can't be drawn."""
        where = self._where
        if not self._drawing or self._drawing[0] != where:
            from .diagram import Diagram
            from .run_data import open_runs

            try:
                self._drawing = where, Diagram(open_runs(where[0], [where[1]])[0]).svg().encode()
            except Error as e:
                self._drawing = where, b"<!-- " + str(e).replace("--", "").encode() + b" -->"
        return self._drawing[1]

    def publish(self, simulation, ended):
        """Called between two ticks, and when a run has ended."""
        now = time.monotonic()
        if (not ended and now - self._told < EVERY) or os.getpid() != self._process:
            return
        self._told = now
        self._where = simulation.options.database(), simulation.id
        self._text = json.dumps(status(simulation, ended)).encode()


def start(port):
    """The watch of this process, there from now on."""
    watch = Watch(port)
    print(f"memsim: watch at http://127.0.0.1:{watch.port}", file=sys.stderr, flush=True)
    return watch


def status(simulation, ended):
    """What the page shows, as plain values."""
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
        took=duration(simulation._host_seconds()),
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


def _server(port, watch):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self):
            host = self.headers.get("Host", "").partition(":")[0]  # without a port: it is 80
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

        def log_message(self, *what):
            """Browsers that ask are no news."""

    class Server(ThreadingHTTPServer):
        def __init__(self, *arguments):
            self._open, self._lock = [], threading.Lock()
            super().__init__(*arguments)

        def process_request(self, request, address):
            with self._lock:
                self._open.append(request)
                oldest = self._open.pop(0) if len(self._open) > MOST_CONNECTIONS else None
            if oldest:
                with contextlib.suppress(OSError):  # it may have ended by itself
                    oldest.shutdown(socket.SHUT_RDWR)
            super().process_request(request, address)

        def close_request(self, request):
            with self._lock:
                if request in self._open:
                    self._open.remove(request)
            super().close_request(request)

        def handle_error(self, request, address):
            """A browser that goes away in the middle of an answer is no news."""
            if not isinstance(sys.exc_info()[1], OSError):
                super().handle_error(request, address)

    try:
        return Server(("127.0.0.1", port), Handler)
    except OSError as e:
        raise Error(f"--watch {port}: {e.strerror}: name another port, or 0 for any that is free") from None
