"""A process of memsim that another one has started ends with it."""

import os
import signal

from .. import _memsim

PARENT = "MEMSIM_PARENT"  # environment variable for end_with_parent(): the process id of the parent


def end_with_parent() -> None:
    """If a process of memsim started this one, its end, such as by kill -9, sends SIGTERM to this one."""
    if parent := os.environ.pop(PARENT, None):
        _memsim.signal_at_parents_end(signal.SIGTERM)
        if os.getppid() != int(parent):  # it has ended already
            signal.raise_signal(signal.SIGTERM)
