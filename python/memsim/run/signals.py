"""Signals and the heartbeat: what makes a long run look up between two ticks.

Ten times a second a thread sets the attention flag of the machines that run; they return between
ticks, Python sees the signals that came in, and the run goes on. Nothing of it leaves a trace in the
results.
"""
import contextlib
import os
import signal
import threading
import time

_seen = {}  # signal -> when it came
_ending = {}  # of those that end a run: when the first came
_before = {}  # signal -> what was done about it outside of handled()
_running = set()
_expected = False  # a machine was begun: it will see the signals
_lock = threading.Lock()
_thread = None
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
OF_A_RUN = (signal.SIGUSR1, signal.SIGUSR2)  # which ask for something, and end nothing
ONCE = 3.0  # s: two signals so near are one wish, sent to the group of processes and passed on


def _note(number, frame):
    now = time.monotonic()
    if number == signal.SIGINT and not _running:
        if number in _ending and now - _ending[number] <= ONCE:
            return  # the run that it interrupted is being saved
        raise KeyboardInterrupt
    if number == signal.SIGTERM and not _expected:
        raise SystemExit(128 + signal.SIGTERM)
    if number in (signal.SIGINT, signal.SIGTERM) and now - _ending.setdefault(number, now) > ONCE:
        signal.signal(number, signal.SIG_DFL)  # the second, while the run still saves itself: end at once
        signal.raise_signal(number)
    _seen.setdefault(number, now)


def expect():
    """From now on a SIGTERM waits for a machine that can save itself, and the signals of a run end no process."""
    global _expected
    _expected = True
    if threading.current_thread() is threading.main_thread():
        note(n for n in OF_A_RUN if signal.getsignal(n) is signal.SIG_DFL)


def end():
    """The process ends: from now on the signals of a run are ignored, also by Python's other threads and after Python
    has removed its handlers. SIGINT and SIGTERM end the process at once."""
    if threading.current_thread() is threading.main_thread():
        for number in OF_A_RUN:
            signal.signal(number, signal.SIG_IGN)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def expected():
    """In here a SIGTERM waits for obey()."""
    global _expected
    before, _expected = _expected, True
    try:
        yield
    finally:
        _expected = before


def take():
    """The signals since the last call, each once."""
    seen = set(_seen)
    for number in seen:
        del _seen[number]
    return seen


def forget():
    """What was asked is under way: the next signal is a new wish."""
    _ending.clear()


def are_to_end():
    """Whether a query of SQLite is to end, which asks this now and then. Python calls the handlers of signals here;
    what these raise ends the query, too."""
    return signal.SIGTERM in _seen and not _running


def pass_on(error):
    """Obeys the signal that has ended a query of SQLite with this error, if one has."""
    if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
        obey()
        raise KeyboardInterrupt


def obey():
    """Ends the script if that was asked for when no machine ran and none will."""
    if signal.SIGTERM in take():
        raise SystemExit(128 + signal.SIGTERM)


def heed():
    """Called now and then while an input is loaded or generated: nothing of its machine is there yet
    that could be saved, so SIGTERM ends the process."""
    if signal.SIGTERM in _seen and not _running and threading.current_thread() is threading.main_thread():
        obey()


@contextlib.contextmanager
def handled():
    """Signals are noted rather than obeyed in here (in the main thread; elsewhere nothing changes)."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is _note:
        yield
        return
    _before.update(note(HANDLED))
    try:
        listen()
        yield
    finally:
        _restore()


def note(numbers):
    """From now on these are noted, but for those that are ignored: by nohup, or as a shell's background job. Returns
    what was done about them before."""
    return {
        number: signal.signal(number, _note) for number in numbers if signal.getsignal(number) is not signal.SIG_IGN
    }


def hold(numbers=HANDLED):
    """These wait from now on until listen(), also in processes that are started meanwhile. The launcher begins so."""
    signal.pthread_sigmask(signal.SIG_BLOCK, numbers)


def listen():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)


def _restore():
    while _before:
        signal.signal(*_before.popitem())


def _after_fork():
    """A child has neither its parent's machines nor the thread of its heartbeat, and hears signals
    as its parent did outside of handled()."""
    global _lock, _thread, _expected
    _lock, _thread, _expected = threading.Lock(), None, False
    _seen.clear()
    _ending.clear()
    _running.clear()
    _restore()


os.register_at_fork(after_in_child=_after_fork)


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
    _ending.clear()
    try:
        yield
    finally:
        with _lock:
            _running.discard(machine)
