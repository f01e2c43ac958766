"""The end of a run: finished, or early with its results kept."""
import signal

from .. import _memsim
from ..errors import Error, legible
from ..files import shown
from . import children
from .origin import Origin
from .progress import Progress, simulated
from .record import Record
from .saving import Saver

MOST_OF_A_CAUSE = 200  # characters of the label of a last dump


def is_success(error: BaseException | None) -> bool:
    """Whether a script that ended by this exception, or without one, completed."""
    return error is None or isinstance(error, SystemExit) and error.code in (None, 0)


def cause_of(error: BaseException | None) -> str:
    """The cause of a script's end, as the label of a dump."""
    if isinstance(error, KeyboardInterrupt):
        return "SIGINT"
    if isinstance(error, SystemExit):
        return "SIGTERM" if error.code == 128 + signal.SIGTERM else f"sys.exit({error.code!r})"
    return legible(f"{type(error).__name__}: {error}".splitlines()[0])[:MOST_OF_A_CAUSE].removesuffix(": ")


class Ending:
    """The end of one run."""

    def __init__(self, origin: Origin, record: Record, saver: Saver, progress: Progress) -> None:
        self._origin, self._record, self._saver, self._progress = origin, record, saver, progress

    def finish(self) -> None:
        """Marks the run as finished, and names its results."""
        self._record.finish()
        self._progress.print_message(f"results in {shown(self._origin.database)}, run {self._record.run.uuid}")
        for tick in self._saver.at:
            self._progress.print_message(
                f"warning: no checkpoint at {_memsim.show_ticks(tick)}: the run "
                f"ended at {simulated(self._origin.machine.now)}"
            )

    def end_early(self, cause: str, whole: bool, save: bool) -> None:
        """Keeps a run that ends early: a last dump with the label `cause`. Prints what is kept and how to continue.

        whole  the machine is between two ticks, so its outputs can be completed
        save   writes a checkpoint, too, if the machine is whole
        """
        machine, saver, now = self._origin.machine, self._saver, self._origin.machine.now
        ended = f"ended by {'an error' if cause.startswith('Error: ') else cause} at {simulated(now)}"
        _memsim.limit_memory(False)  # after running out of what the limit allows
        try:
            if whole:
                machine.complete_outputs()
                if save and saver.saved != now:
                    saver.save_as("ended", tell=False)
            saved = saver.latest()
            self._record.run.dump(machine, cause)
        except (Error, MemoryError) as e:
            if cause != cause_of(e):
                self._progress.print_message(f"{ended}; it cannot be kept: {e}")
            return
        way = (
            "there is no checkpoint to continue from"
            if not saved
            else f"continue with memsim.restore({shown(saved)!r})"
            if children.is_one() or not self._origin.script.path
            else f"continue with --restore {shown(saved)}"
        )
        database = shown(self._origin.database)
        self._progress.print_message(
            f"{ended}; the last dump of run {self._record.run.uuid} in {database} has its statistics; {way}"
        )
