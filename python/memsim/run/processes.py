"""Child processes: how one of memsim is called; several that are waited for in threads and hear a signal
together, and one that stands for this process."""
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading

from .. import _memsim
from . import signals
from ..errors import PACKAGE

# Exit codes after a signal. It may have come to the whole group: a process that ends of it may do so
# before the one that waits has looked for its own signals, which it then does within HEARD seconds.
ENDED_BY_SIGNAL = {*(128 + n for n in (signal.SIGTERM, signal.SIGINT)), -signal.SIGTERM, -signal.SIGINT}
HEARD = 2


PYTHON = [sys.executable, "-P"]  # the current directory is searched for no module
MEMSIM = [*PYTHON, "-m", "memsim"]
PARENT = "MEMSIM_PARENT"  # the environment variable with which end_with_parent() begins


def environment():
    """In which PYTHON finds this memsim, which ends when this process does."""
    users = os.environ.get("PYTHONPATH")
    ours = os.path.dirname(PACKAGE.rstrip(os.sep))
    return dict(os.environ, PYTHONPATH=f"{ours}{os.pathsep}{users}" if users else ours, **{PARENT: str(os.getpid())})


def end_with_parent():
    """Where a process of memsim started this one, the end of that process, such as a kill -9, is a SIGTERM to this one."""
    if parent := os.environ.pop(PARENT, None):
        _memsim.signal_at_parents_end(signal.SIGTERM)
        if os.getppid() != int(parent):  # it has ended before
            signal.raise_signal(signal.SIGTERM)


def run_for_us(command, quiet=False):
    """The completed process of memsim, `quiet` with its output. A signal that comes to this process is passed on to it; and
    where it ends by one, so does this process."""
    output = subprocess.PIPE if quiet else None
    signals.hold()  # and the new process begins so: it must not end before it listens
    process = subprocess.Popen(command, env=environment(), text=True, stdout=output, stderr=output)
    before = {
        number: signal.signal(number, lambda number, frame: process.send_signal(number))
        for number in signals.HANDLED
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        signals.listen()
        out, err = process.communicate()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if process.returncode in ENDED_BY_SIGNAL:
        raise SystemExit(process.returncode if process.returncode > 0 else 128 - process.returncode)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


class Processes:
    def __init__(self):
        self.ended = None  # the signal by which they were told to end
        self._told = threading.Event()  # that `ended` is set
        self._running = set()
        self._lock = threading.Lock()

    def run(self, command, **options):
        """The completed process with its output, or None if they were told to end before."""
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

    def end(self, number, futures):
        """Starts no other process, passes the signal on to those that run, and waits for the threads. A
        signal that comes in the meantime is passed on, too: who is told twice ends at once."""
        self._send(number)
        waiting = True
        while waiting:
            signals.forget()
            try:
                waiting = concurrent.futures.wait(futures, timeout=0.1).not_done
                again = signals.take() & {signal.SIGTERM}
            except KeyboardInterrupt:
                again = {signal.SIGINT}
            for number in again:
                self._send(number)

    def _send(self, number):
        with self._lock:
            self.ended = number
            self._told.set()
            for process in self._running:
                process.send_signal(number)


def as_they_end(futures, meanwhile):
    """Of threads' work, in the order in which it ends; a SIGTERM in the meantime ends the script. While it
    waits it calls `meanwhile`."""
    waiting = set(futures)
    while waiting:
        ended, waiting = concurrent.futures.wait(waiting, timeout=0.1, return_when=concurrent.futures.FIRST_COMPLETED)
        signals.obey()
        meanwhile()
        yield from (future for future in futures if future in ended)
