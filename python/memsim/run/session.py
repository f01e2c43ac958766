"""State shared by the machines of one process: options, numbers, open runs, and the end of all runs."""
import atexit
import json
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol

from ..errors import Error
from . import options as options_module
from . import signals
from .options import Options


class OpenRun(Protocol):
    """A machine whose run is not finished."""

    @property
    def id(self) -> str:
        """The run's UUID in the database."""

    def close_after(self, error: BaseException | None, save: bool) -> None:
        """Ends the run as the script ended: by this exception, or without one. `save`: with a checkpoint."""

    def unlock(self) -> None:
        """Leaves the locks of the machine's files to the parent process."""


class Session:
    """The machines of one process."""

    def __init__(self) -> None:
        self.options = Options()  # of the command line
        self.script, self.cwd = "", ""  # absolute paths of the script that memsim began, and of its directory then
        self.argv: list[str] = []  # the script and its arguments, as they were given
        self.machines = 0  # number of machines built; a checkpoint identifies its machine by this number
        self.runs: dict[str, str] = {}  # number of a machine, as text -> UUID of its run
        self.open: list[OpenRun] = []  # the last one was built last
        self.default: Any = None  # the Simulation that instantiate() or restore() built last
        self.observers: list[Callable[[Any, bool], None]] = []  # called with a Simulation and whether its run has ended
        self._of_parent: list[OpenRun] = []  # in a forked child: these are neither closed nor destroyed

    def former_runs(self) -> dict[str, str]:
        """The `runs` of the process that wrote the checkpoint whose script runs again."""
        saved = self.options.restoring
        runs: dict[str, str] = json.loads(saved.script.journal)["runs"] if saved else {}
        return runs

    def notify_observers(self, machine: OpenRun, ended: bool = False) -> None:
        """Calls the observers between two ticks."""
        for observer in self.observers:
            observer(machine, ended)

    def close_all(self, error: BaseException | None = None) -> None:
        """Ends all runs as the script ended: by this exception, or without one. --restore accepts one machine,
        so only the last one saves a checkpoint."""
        for machine in list(self.open):
            machine.close_after(error, save=machine is self.open[-1])

    def leave_to_parent(self) -> None:
        """In a forked child: the machines belong to the parent."""
        for machine in self.open:
            machine.unlock()
        self._of_parent += self.open
        self.open = []


session = Session()  # of this process
setattr(options_module, "options", session.options)  # scripts know them as memsim.options.options
os.register_at_fork(after_in_child=session.leave_to_parent)


@atexit.register
def _at_exit() -> None:
    if session.open:
        # python3 leaves the exception of a script that failed in sys.last_value, and a prompt that of any line.
        at_prompt = hasattr(sys, "ps1") or sys.flags.interactive
        try:
            session.close_all(None if at_prompt else getattr(sys, "last_value", None))
        except Error as e:
            print(f"memsim: {e}", file=sys.stderr)
    signals.ignore_until_exit()
