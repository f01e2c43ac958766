"""Child processes of a script, made by multiprocessing: each has runs of its own.

Such a child ends without atexit, and a pool ends its workers by SIGTERM when they have nothing to do.
Both must end the child's runs as the end of a script does.
"""
import json
import os
import signal
import sys
import threading
import time

from ..errors import Error

OPTIONS = "MEMSIM_OPTIONS"  # the environment variable that tells a started child its parent's
LIBRARY = os.path.dirname(os.__file__) + os.sep
_forked = _ready = False
_heeded = False  # a SIGTERM
_close_all = None


def _parent():
    """The process whose child this one is by multiprocessing."""
    processes = sys.modules.get("multiprocessing.process")  # loaded in each of its children
    return processes and processes.parent_process()


def is_one():
    """Whether a script of ours started this process, rather than the user."""
    return _forked or bool(_parent())


def hand_down(options):
    """Leaves the command line's options to children, which may be started afresh and not forked."""
    os.environ[OPTIONS] = json.dumps({"parent": os.getpid(), "options": options})


def begin(close_all, options):
    """Once in a child of multiprocessing, before its first machine: takes over its parent's options, and
    sees to it that its runs end with it."""
    global _ready, _close_all
    if _ready or not (parent := _parent()):
        return
    from multiprocessing import util

    _ready, _close_all = True, close_all
    handed = json.loads(os.environ.get(OPTIONS, "{}"))
    if handed.get("parent") == parent.pid:
        vars(options).update(handed["options"])
        hand_down(handed["options"])  # to its own children
    util.Finalize(None, _end, exitpriority=100)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) in (
        signal.SIG_DFL,
        _told_to_end,
    ):
        signal.signal(signal.SIGTERM, _told_to_end)
        _listen()


def _listen():
    """Sees to it that a SIGTERM is heeded. Python only notes a signal that comes as the main thread is about to
    wait for a lock: an idle worker of a pool would wait for ever, and the pool for it. So a thread, which hears of
    each signal through a pipe, interrupts the main thread until the handler has run."""
    global _heeded
    _heeded = False
    hears, told = os.pipe()
    os.set_blocking(told, False)
    if (others := signal.set_wakeup_fd(told, warn_on_full_buffer=False)) != -1:
        signal.set_wakeup_fd(others)  # an event loop of the script's hears of signals, and wakes for them
        return

    def wake(main=threading.main_thread().ident):
        while os.read(hears, 1) != bytes([signal.SIGTERM]):
            pass
        while not _heeded:
            time.sleep(0.05)
            signal.pthread_kill(main, signal.SIGTERM)

    threading.Thread(target=wake, name="memsim signals", daemon=True).start()


def terminate():
    """Tells the children of this process to end; they save what runs."""
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.terminate()


def _end():
    error = sys.exc_info()[1]
    _close(error)


def _close(error=None):
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends, and must not do so half-way
    try:
        _close_all(error)
    except Error as e:
        print(f"memsim: {e}", file=sys.stderr)


def _told_to_end(number, frame):
    global _heeded
    _heeded = True
    if not _in_a_task(frame):
        _close()
    raise SystemExit(128 + number)


def _in_a_task(frame):
    """Whether a function of the user's is under way in a child: only multiprocessing's own, and what ends
    the child's runs (_end), is above its start otherwise."""
    while frame and frame.f_code.co_name != "_bootstrap":
        if not frame.f_code.co_filename.startswith((LIBRARY, "<frozen", __file__)):
            return True
        frame = frame.f_back
    return False


def _after_fork():
    global _forked, _ready
    _forked, _ready = True, False
    signal.set_wakeup_fd(-1)  # the parent's pipe is not this process's


os.register_at_fork(after_in_child=_after_fork)
