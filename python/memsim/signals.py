"""Signals and the heartbeat: what makes a long run look up between two ticks.

Ten times a second a thread sets the attention flag of the machines that run; they return between
ticks, Python sees the signals that came in, and the run goes on. Nothing of it leaves a trace in the
results.
"""
import contextlib
import signal
import sys
import threading
import time

_seen = set()
_running = set()
_lock = threading.Lock()
_thread = None
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


def _note(number, frame):
    if number == signal.SIGINT and not _running:
        raise KeyboardInterrupt
    if number in _seen and number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # asked twice before it could be served: end at once
        signal.raise_signal(number)
    _seen.add(number)


def take():
    """The signals since the last call, each once."""
    seen = _seen.copy()
    _seen.difference_update(seen)
    return seen


def obey():
    """Ends the script if that was asked for when no machine ran and none will."""
    if signal.SIGTERM in take():
        raise SystemExit(128 + signal.SIGTERM)


def heed():
    """Called now and then while an input is loaded or generated: nothing of its machine is there yet
    that could be saved, so SIGTERM ends the process."""
    if (signal.SIGTERM in _seen and not _running and
            threading.current_thread() is threading.main_thread()):
        print("memsim: ended by SIGTERM while an input was loaded", file=sys.stderr, flush=True)
        obey()


@contextlib.contextmanager
def handled():
    """Signals are noted rather than obeyed in here (in the main thread; elsewhere nothing changes)."""
    if (threading.current_thread() is not threading.main_thread() or
            signal.getsignal(signal.SIGTERM) is _note):
        yield
        return
    before = {number: signal.signal(number, _note) for number in HANDLED
              if signal.getsignal(number) is not signal.SIG_IGN}  # nohup, a shell's background job
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _beat():
    while True:
        time.sleep(0.1)
        with _lock:
            for machine in _running:
                machine.attend()


@contextlib.contextmanager
def heartbeat(machine):
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_beat, name="memsim heartbeat", daemon=True)
            _thread.start()
        _running.add(machine)
    try:
        yield
    finally:
        with _lock:
            _running.discard(machine)
