"""Child processes of memsim: one that represents this process, and several that threads wait for."""
import argparse
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from . import signals
from ..arguments import whole
from ..errors import PACKAGE

# Exit codes after a signal. If the signal was sent to the process group, a child may end before this process has
# looked for its own signals, which it does within HEARD seconds.
ENDED_BY_SIGNAL = {*(128 + n for n in (signal.SIGTERM, signal.SIGINT)), -signal.SIGTERM, -signal.SIGINT}
HEARD = 2  # s

PYTHON = [sys.executable, "-P"]  # no module is imported from the current directory
MEMSIM = [*PYTHON, "-m", "memsim"]


def cores() -> int:
    """The cores that this process may use: fewer than the computer's under taskset or Slurm."""
    return len(os.sched_getaffinity(0))


def add_jobs(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Adds the option for the number of concurrent processes."""
    parser.add_argument("--jobs", type=whole(1), default=cores(), help="number of concurrent processes")
    return parser


def environment() -> dict[str, str]:
    """Environment variables with which PYTHON finds this memsim, and the child ends when this process does."""
    users = os.environ.get("PYTHONPATH")
    ours = os.path.dirname(PACKAGE.rstrip(os.sep))
    path = f"{ours}{os.pathsep}{users}" if users else ours
    return dict(os.environ, PYTHONPATH=path, **{signals.PARENT: str(os.getpid())})


def run_for_us(command: Sequence[str], quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a process of memsim in place of this one; `quiet` captures its output.

    Signals to this process are forwarded to it. Raises SystemExit if it ends by a signal.
    """
    output = subprocess.PIPE if quiet else None
    signals.block()  # inherited: the new process must not end before it listens
    process = subprocess.Popen(command, env=environment(), text=True, stdout=output, stderr=output)

    def forward(number: int, frame: types.FrameType | None) -> None:
        process.send_signal(number)

    before = signals.install_handlers(signals.HANDLED, forward)
    try:
        signals.unblock()
        out, err = process.communicate()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if process.returncode in ENDED_BY_SIGNAL:
        raise SystemExit(process.returncode if process.returncode > 0 else 128 - process.returncode)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


class Processes:
    """Processes that threads wait for, and that end together."""

    def __init__(self) -> None:
        self.ended: int | None = None  # the signal that ends them
        self._told = threading.Event()  # `ended` is set
        self._running: set[subprocess.Popen[Any]] = set()
        self._lock = threading.Lock()

    def run(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[Any] | None:
        """Runs a process and returns it with its output, or None after terminate(). `options` are those of Popen."""
        with self._lock:
            if self.ended:
                return None
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
            self._running.add(process)
        try:
            out, err = process.communicate()
        finally:
            with self._lock:
                self._running.discard(process)
        if process.returncode in ENDED_BY_SIGNAL:
            self._told.wait(HEARD)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def terminate(self, number: int, futures: Iterable[concurrent.futures.Future[Any]]) -> None:
        """Starts no other process, forwards the signal to those that run, and waits for the threads. Signals that
        arrive in the meantime are forwarded, too: a process ends at once after the second one."""
        self._send_to_all(number)
        waiting = True
        while waiting:
            signals.forget()
            again: set[int]
            try:
                waiting = bool(concurrent.futures.wait(futures, timeout=0.1).not_done)
                again = signals.take_received() & {signal.SIGTERM}
            except KeyboardInterrupt:
                again = {signal.SIGINT}
            for number in again:
                self._send_to_all(number)

    def _send_to_all(self, number: int) -> None:
        with self._lock:
            self.ended = number
            self._told.set()
            for process in self._running:
                process.send_signal(number)


def as_they_end(
    futures: Collection[concurrent.futures.Future[Any]], meanwhile: Callable[[], None]
) -> Iterator[concurrent.futures.Future[Any]]:
    """Futures in the order in which they complete; calls `meanwhile` about ten times a second.

    Raises SystemExit after a SIGTERM.
    """
    waiting = set(futures)
    while waiting:
        ended, waiting = concurrent.futures.wait(waiting, timeout=0.1, return_when=concurrent.futures.FIRST_COMPLETED)
        signals.obey()
        meanwhile()
        yield from (future for future in futures if future in ended)
