"""The files that one machine uses: its database, its inputs and its outputs."""
import os
from collections.abc import Iterable
from typing import NamedTuple

from ..files import check_output, in_use
from . import children
from .options import Options


class Output(NamedTuple):
    """A file to be written. `kind` is one of files.KINDS or None."""

    file: str
    kind: str | None
    use: str


class MachineFiles:
    """Ensures, until release(), that no output replaces a file in use and that no other process writes it."""

    def __init__(self, options: Options, number: int) -> None:
        """`number` counts the machines of a script. They share the debug file, and each has its own timeline."""
        self._number, self._named = number, []
        self.timeline = self.debug = ""
        if options.timeline:
            self.timeline = _of_this_process(options.timeline, *([number] if number > 1 else []))
            self._named.append(Output(self.timeline, "a timeline", f"the timeline of machine {number}"))
        if options.debug_flags and options.debug_file:
            self.debug = _of_this_process(options.debug_file)
            self._named.append(Output(self.debug, None, "the debug file"))
        self._outputs = list(self._named)
        in_use.add_database(self, options.database())

    def add(self, inputs: Iterable[str], outputs: Iterable[tuple[str, str]]) -> None:
        """Adds and checks the files of a machine: paths of inputs, and (parameter, path) of outputs."""
        for file in inputs:
            in_use.add(self, file, "an input of the machine")
        self._outputs += [
            Output(file, None, f"the file of {parameter}, of machine {self._number}")
            for parameter, file in outputs
            if os.path.isfile(file) or not os.path.exists(file)
        ]
        self.check()

    def check(self) -> None:
        """Raises Error for an output that would replace a file in use. Requires that no output is open."""
        for file, kind, use in self._outputs:
            check_output(file, kind, used_as=[use])
            in_use.add(self, file, use)

    def lock(self, all_outputs: bool = True) -> None:
        """Locks the outputs, or those of the command line alone. Raises Error if another process writes one."""
        for output in self._outputs if all_outputs else self._named:
            in_use.lock(self, output.file)

    def unlock(self) -> None:
        """Leaves the locks to the parent process, in a forked child."""
        in_use.unlock(self)

    def release(self) -> None:
        """Releases the files: the machine no longer uses them."""
        in_use.release(self)


def _of_this_process(path: str, *numbers: int) -> str:
    """A file name with numbers before its ending, beginning with the process if a script started it."""
    stem, ending = os.path.splitext(path)
    return "-".join(map(str, [stem, *([os.getpid()] if children.is_one() else []), *numbers])) + ending
