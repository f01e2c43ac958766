"""Child processes of a script that multiprocessing starts. Each has its own runs.

Such a child ends without atexit, and a pool ends its idle workers by SIGTERM. Both must end the child's runs as the
end of a script does.
"""
import json
import os
import signal
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

from ..errors import Error

OPTIONS = "MEMSIM_OPTIONS"  # environment variable with the parent's options for a started child
LIBRARY = os.path.dirname(os.__file__) + os.sep
_forked = _ready = False
_heeded = False  # a SIGTERM was handled
_close_all: Callable[[BaseException | None], None] = lambda error: None


def _parent() -> Any:
    """The parent process, as multiprocessing represents it; None if multiprocessing did not start this process."""
    processes = sys.modules.get("multiprocessing.process")  # loaded in each of its children
    return processes.parent_process() if processes else None


def is_one() -> bool:
    """Whether a script, rather than the user, started this process."""
    return _forked or _parent() is not None


def hand_down(options: dict[str, Any]) -> None:
    """Passes the command line's options to children that are started rather than forked."""
    os.environ[OPTIONS] = json.dumps({"parent": os.getpid(), "options": options})


def begin(close_all: Callable[[BaseException | None], None], options: object) -> None:
    """Prepares a child of multiprocessing before its first machine: sets its parent's options, and ends its runs by
    close_all(error) when the process ends."""
    global _ready, _close_all
    if _ready or not (parent := _parent()):
        return
    from multiprocessing import util

    _ready, _close_all = True, close_all
    handed = json.loads(os.environ.get(OPTIONS, "{}"))
    if handed.get("parent") == parent.pid:
        vars(options).update(handed["options"])
        hand_down(handed["options"])  # to its own children
    util.Finalize(None, _close_at_exit, exitpriority=100)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) in (
        signal.SIG_DFL,
        _told_to_end,
    ):
        signal.signal(signal.SIGTERM, _told_to_end)
        _listen()


def _listen() -> None:
    """Ensures that a SIGTERM is handled. Python only notes a signal that arrives just before the main thread waits for
    a lock: an idle worker of a pool would wait forever, and the pool for it. A thread learns of each signal through a
    pipe and interrupts the main thread until the handler has run."""
    global _heeded
    _heeded = False
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    if (others := signal.set_wakeup_fd(writing, warn_on_full_buffer=False)) != -1:
        signal.set_wakeup_fd(others)  # the script's event loop wakes for signals
        return

    def wake(main: int = threading.main_thread().ident or 0) -> None:
        while os.read(reading, 1) != bytes([signal.SIGTERM]):
            pass
        while not _heeded:
            time.sleep(0.05)
            signal.pthread_kill(main, signal.SIGTERM)

    threading.Thread(target=wake, name="memsim signals", daemon=True).start()


def terminate() -> None:
    """Sends SIGTERM to the children of this process, which then save their runs."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.terminate()


def _close_at_exit() -> None:
    _close_runs(sys.exc_info()[1])


def _close_runs(error: BaseException | None = None) -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not interrupt the end
    try:
        _close_all(error)
    except Error as e:
        print(f"memsim: {e}", file=sys.stderr)


def _told_to_end(number: int, frame: types.FrameType | None) -> None:
    global _heeded
    _heeded = True
    if not _in_a_task(frame):
        _close_runs()
    raise SystemExit(128 + number)


def _in_a_task(frame: types.FrameType | None) -> bool:
    """Whether a child executes a function of the user. Otherwise its stack above its start has only frames of
    multiprocessing and of _close_at_exit()."""
    while frame and frame.f_code.co_name != "_bootstrap":
        if not frame.f_code.co_filename.startswith((LIBRARY, "<frozen", __file__)):
            return True
        frame = frame.f_back
    return False


def _after_fork() -> None:
    global _forked, _ready
    _forked, _ready = True, False
    signal.set_wakeup_fd(-1)  # the parent's pipe is not this process's


os.register_at_fork(after_in_child=_after_fork)
