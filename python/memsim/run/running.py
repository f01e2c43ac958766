"""Running a machine up to a limit, with checkpoints and signals between its ticks."""
import signal
import sys
from collections.abc import Callable
from typing import Any

from .. import _memsim
from ..errors import Error, user_error
from ..files import shown
from . import signals
from .origin import Origin
from .progress import Progress, simulated
from .record import Record
from .saving import NEVER, Saver


class Runner:
    """Runs one machine. `show` is called between ticks, about ten times a second."""

    def __init__(
        self, origin: Origin, record: Record, saver: Saver, progress: Progress, show: Callable[[], None]
    ) -> None:
        self._origin, self._record, self._saver, self._progress, self._show = origin, record, saver, progress, show
        self._timeline: _memsim.Timeline | None = None
        self._timeline_file, self._timeline_limits = "", dict[str, int]()
        self._left_out: Any = None  # events that the timeline's limit excluded from its file
        self._announced = False  # a run without end
        self.simulated = False  # simulate() was called, or a checkpoint loaded
        self.whole = True  # the machine is between two ticks: no error has interrupted one

    def show_on_timeline(self, file: str, limits: dict[str, int]) -> None:
        """Writes a timeline from now on, within limits of --timeline-start, --timeline-end and --timeline-limit."""
        self._timeline = self._origin.machine.show_on_timeline(file, **limits)
        self._timeline_file, self._timeline_limits = file, limits

    def tell_left_out(self) -> None:
        """Prints a sentence if the timeline's file lacks events because of its limits, or has none."""
        now, start = self._origin.machine.now, self._timeline_limits.get("start", 0)
        if now < start:
            self._progress.print_message(
                f"warning: the timeline {shown(self._timeline_file)} is empty: the run ended at {simulated(now)}, "
                f"before --timeline-start {_memsim.show_ticks(start)}"
            )
        left = self._left_out
        if left is None or left.since == NEVER:
            return
        kinds = ("requests", left.requests), ("launches", left.launches), ("counts of wakes", left.wakes)
        counted = [f"{what}: {n}" for what, n in kinds if n]
        self._progress.print_message(
            f"the timeline {shown(self._timeline_file)} reached --timeline-limit "
            f"{self._timeline_limits['bytes']}B at {_memsim.show_ticks(left.since)}; left out: "
            f"{', '.join(counted)}; set a larger limit, or --timeline-start and --timeline-end"
        )

    def tell_threads(self) -> None:
        """Prints sentences about the windows of a run on several threads."""
        for line in self._origin.machine.thread_summary:
            self._progress.print_message(f"--threads: {line}")

    def _tell_endless(self) -> None:
        """Prints a sentence, once, if simulate() without a duration may never return."""
        endless = self._origin.machine.endless
        if endless and not self._announced:
            self._progress.print_message(
                f"warning: this simulate() has no duration, and {endless[0]} sends requests without a limit: it ends "
                "only by a signal or another component; give simulate() a duration, or limit the requests"
            )
        self._announced = True

    def run(self, until: int) -> tuple[str, int]:
        """Runs to the tick `until`; returns the cause of the end and the tick.

        Raises Error if the machine stalls with work left or if its counts do not balance, SystemExit after SIGTERM
        and KeyboardInterrupt after SIGINT, both with a checkpoint.
        """
        machine, record, saver = self._origin.machine, self._record, self._saver
        if until == NEVER:
            self._tell_endless()
        self._progress.begin(until)
        record.start_clock()
        self.simulated = True
        try:
            with signals.handled(), signals.heartbeat(machine):
                while True:
                    boundary = saver.next_tick()
                    self._attend()
                    self.whole = False
                    stop = machine.run(min(until, boundary))
                    self.whole = True
                    for note in machine.take_thread_notes():
                        self._progress.print_message(f"--threads: {note}")
                    if stop == "limit" and machine.now == boundary:
                        saver.save_periodic()
                    if stop == "attention" or (stop == "limit" and machine.now < until):
                        continue
                    machine.complete_outputs()
                    record.cause = "simulate() limit reached" if stop == "limit" else check_end(machine, stop)
                    return record.cause, machine.now
        finally:
            self._progress.close()
            if self._timeline:
                self._left_out = self._timeline.complete(machine)
            record.stop_clock()

    def _attend(self) -> None:
        """Handles progress, samples, signals and checkpoints by the wall clock, between two ticks."""
        seen = signals.take_received()
        self._progress.show()
        self._show()
        self._record.flush_series()
        if signal.SIGUSR1 in seen:
            self._progress.close()
            print(self._progress.status(), file=sys.stderr, flush=True)
        if signal.SIGUSR2 in seen:
            self._saver.save_as("signal")
        elif self._saver.wall_clock_is_due():
            self._saver.save_as("wall")
        if signal.SIGTERM in seen:
            self._saver.save_as("sigterm", tell=False)
            raise SystemExit(128 + signal.SIGTERM)
        if signal.SIGINT in seen:
            try:
                self._saver.save_as("sigint", tell=False)
            except Error as e:
                self._progress.print_message(str(e))
            raise KeyboardInterrupt


def check_end(machine: _memsim.Machine, stop: str) -> str:
    """The cause of an end without a limit. `stop` is the result of machine.run().

    Raises Error if work is left or if counts are inconsistent.
    """
    tick = _memsim.show_ticks(machine.now)
    if stop == "idle" and machine.pending:
        raise user_error(
            f"the machine has stalled at {tick} with work left; "
            "these components wait:\n  " + "\n  ".join(machine.wait_report())
        )
    if not machine.pending and (broken := machine.imbalances()):
        raise user_error(f"the run ended at {tick} with inconsistent counts:\n  " + "\n  ".join(broken))
    return machine.exit_cause if stop == "exit" else "nothing left to do"
