"""Signals of the process, and the heartbeat that lets a long run see them between two ticks.

Ten times a second a thread sets the attention flag of the running machines. They return between ticks, Python handles
the signals that have arrived, and the run continues. The results do not depend on it.
"""
import contextlib
import os
import signal
import threading
import time
import types
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .. import _memsim

if TYPE_CHECKING:
    import sqlite3

_seen: dict[int, float] = {}  # signal -> when it arrived
_ending: dict[int, float] = {}  # signal that ends a run -> arrival of the first one
_before: dict[int, Any] = {}  # signal -> its handler outside of handled()
_running: set[_memsim.Machine] = set()
_expected = False  # a machine exists, which will see the signals
_lock = threading.Lock()
_thread: threading.Thread | None = None
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
OF_A_RUN = (signal.SIGUSR1, signal.SIGUSR2)  # requests that do not end the run
ONCE = 3.0  # s: two signals within this time count as one: sent to the process group and forwarded by the parent
PARENT = "MEMSIM_PARENT"  # environment variable for end_with_parent(): the process id of the parent
SQL_STEPS = 100_000  # SQLite steps, some milliseconds, between checks for signals in a query


def _handle(number: int, frame: types.FrameType | None) -> None:
    now = time.monotonic()
    if number == signal.SIGINT and not _running:
        if number in _ending and now - _ending[number] <= ONCE:
            return  # the interrupted run is being saved
        raise KeyboardInterrupt
    if number == signal.SIGTERM and not _expected:
        raise SystemExit(128 + signal.SIGTERM)
    if number in (signal.SIGINT, signal.SIGTERM) and now - _ending.setdefault(number, now) > ONCE:
        signal.signal(number, signal.SIG_DFL)  # the second one while the run saves itself: end at once
        signal.raise_signal(number)
    _seen.setdefault(number, now)


def raised_by_handler(error: BaseException) -> BaseException:
    """The exception of a signal handler that `error` stands for, or `error` itself. If a handler raises an exception
    while Python creates a class, versions before 3.12 raise RuntimeError in its place."""
    creates = isinstance(error, RuntimeError) and str(error).startswith("Error calling __set_name__ on ")
    return error.__cause__ if creates and isinstance(error.__cause__, KeyboardInterrupt | SystemExit) else error


def expect() -> None:
    """Lets SIGTERM wait for a machine that can save itself, and keeps SIGUSR1 and SIGUSR2 from ending the process."""
    global _expected
    _expected = True
    if threading.current_thread() is threading.main_thread():
        install_handlers(n for n in OF_A_RUN if signal.getsignal(n) is signal.SIG_DFL)


def ignore_until_exit() -> None:
    """Called at the end of the process: SIGUSR1 and SIGUSR2 are ignored, even after Python has removed its handlers.
    SIGINT and SIGTERM end the process at once."""
    if threading.current_thread() is threading.main_thread():
        for number in OF_A_RUN:
            signal.signal(number, signal.SIG_IGN)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def expected() -> Iterator[None]:
    """A context in which SIGTERM waits for obey()."""
    global _expected
    before, _expected = _expected, True
    try:
        yield
    finally:
        _expected = before


def take_received() -> set[int]:
    """The signals since the last call, without repetitions."""
    seen = set(_seen)
    for number in seen:
        del _seen[number]
    return seen


def forget() -> None:
    """Discards the signals so far, which are being handled. The next one is a new request."""
    _ending.clear()


def may_end_queries(connection: "sqlite3.Connection") -> None:
    """Lets SIGTERM, and exceptions raised by signal handlers, end a query of this connection."""
    connection.set_progress_handler(lambda: signal.SIGTERM in _seen and not _running, SQL_STEPS)


def handle_interrupted_query(error: BaseException) -> None:
    """Handles the signal, if any, that ended a query of SQLite with this error."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
        obey()
        raise KeyboardInterrupt


def obey() -> None:
    """Raises SystemExit if SIGTERM has arrived and no machine runs or will run."""
    if signal.SIGTERM in take_received():
        raise SystemExit(128 + signal.SIGTERM)


def heed() -> None:
    """Called by C++ while it loads or generates an input. No machine exists yet that could be saved, so SIGTERM ends
    the process."""
    if signal.SIGTERM in _seen and not _running and threading.current_thread() is threading.main_thread():
        obey()


@contextlib.contextmanager
def handled() -> Iterator[None]:
    """A context in which the main thread records signals instead of handling them."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is _handle:
        yield
        return
    _before.update(install_handlers(HANDLED))
    try:
        unblock()
        yield
    finally:
        _restore()


def install_handlers(numbers: Iterable[signal.Signals], handler: Any = _handle) -> dict[int, Any]:
    """Handles these signals from now on, by default by recording them, except those that nohup or a shell ignores.
    Returns the former handlers."""
    return {
        number: signal.signal(number, handler) for number in numbers if signal.getsignal(number) is not signal.SIG_IGN
    }


def block(numbers: Iterable[signal.Signals] = HANDLED) -> None:
    """Blocks these signals until unblock(), also in processes started meanwhile. The launcher begins in this state."""
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def unblock() -> None:
    """Ends block()."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)


def _restore() -> None:
    while _before:
        signal.signal(*_before.popitem())


def _after_fork() -> None:
    """A child process has neither its parent's machines nor its heartbeat. It handles signals as its parent did outside
    of handled()."""
    global _lock, _thread, _expected
    _lock, _thread, _expected = threading.Lock(), None, False
    _seen.clear()
    _ending.clear()
    _running.clear()
    _restore()


os.register_at_fork(after_in_child=_after_fork)


def _beat() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)  # the main thread must receive them, and before its next step
    while True:
        time.sleep(0.1)
        with _lock:
            for machine in _running:
                machine.attend()


@contextlib.contextmanager
def heartbeat(machine: _memsim.Machine) -> Iterator[None]:
    """A context in which a thread sets the attention flag of this machine."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_beat, name="memsim heartbeat", daemon=True)
            _thread.start()
        _running.add(machine)
    _ending.clear()
    try:
        yield
    finally:
        with _lock:
            _running.discard(machine)


def end_with_parent() -> None:
    """If a process of memsim started this one, its end, such as by kill -9, sends SIGTERM to this one."""
    if parent := os.environ.pop(PARENT, None):
        _memsim.signal_at_parents_end(signal.SIGTERM)
        if os.getppid() != int(parent):  # it has ended already
            signal.raise_signal(signal.SIGTERM)
