"""`Simulation`: a machine that can be built, run, saved and restored."""
import json
import os
import sys
import threading
from types import TracebackType
from typing import Any

from .. import _memsim
from ..errors import Error, legible, user_error
from ..files import hashes_of, os_error, refuse_changed
from ..model.build import build, refuse_fixed
from ..model.machine_stats import Statistics, length_of, patterns_of
from ..model.objects import Root
from ..model.units import Time
from . import children, signals
from .ending import Ending, cause_of, is_success
from .event import Event, ticks_of
from .exclusive import exclusive, of_open_run
from .journal import Journal, placed
from .machine_files import MachineFiles
from .options import Options
from .origin import RESTORE_INPUTS, Origin
from .partitions import Partitions
from .progress import Progress, grouped
from .record import Record, skip_or_resume
from .running import Runner
from .saving import NEVER, Saver
from .script import Script, arguments_as_json
from .session import session


class Simulation:
    """A machine built from the tree below `root`, checked, at time 0.

    root       the tree's Root. It and its objects cannot change afterwards.
    opts       options, by default those of the command line
    arguments  what the script made the machine from: argparse's namespace, or a dict. The database keeps them.

    Raises Error if the machine cannot be built, or if an output would replace a file in use.
    """

    root: Root
    stats: Statistics
    partitions: Partitions = Partitions()

    def __init__(self, root: Root, opts: Options | None = None, arguments: Any = None) -> None:
        self._process, self._in_use = os.getpid(), threading.Lock()
        signals.expect()
        children.begin(session.close_all, session.options)
        if not isinstance(root, Root):
            raise user_error(f"a machine is built from a Root, not from {root!r}")
        root._check_not_built()
        self.root, self.options = root, opts or session.options
        self.stats, self._lengths = Statistics(self), dict[tuple[str, str], int]()
        kept, script = arguments_as_json(arguments), Script()
        self._files = MachineFiles(self.options, session.machines + 1)
        try:
            self._files.check()  # before inputs are loaded, which may take long, and again with the inputs
            self._build(kept, script)
        except BaseException:
            self._files.release()
            raise
        root._simulation = self
        session.open.append(self)
        session.machines += 1

    def _build(self, arguments: str, script: Script) -> None:
        """Builds the machine and starts its run, or its replay up to a checkpoint."""
        opts, number = self.options, session.machines + 1
        machine: _memsim.Machine = build(self.root, opts.event_queue, opts.changes)
        self._machine = machine
        inputs, outdir = hashes_of(machine.inputs), os.path.abspath(opts.outdir)
        origin = Origin(machine, number, self.root, opts, script, arguments, inputs, outdir, opts.database())
        self._origin, self._script = origin, script
        self._files.add([file for file, _ in origin.inputs], machine.outputs)
        self._progress = Progress(machine, opts.verbosity)
        os_error(lambda: os.makedirs(opts.outdir, exist_ok=True), opts.outdir)
        if opts.skip_finished and (not opts.restoring or opts.parent and origin.checkpoint()):
            if own := skip_or_resume(origin, self._progress):  # further than the named checkpoint
                opts.restoring, opts.parent = own, ""
        self._record, self._restoring = Record(origin), origin.checkpoint()
        self._journal = self._journal_of(self._restoring)
        self._saver = Saver(origin, self._record, self._journal, self._progress)
        self._runner = Runner(origin, self._record, self._saver, self._progress, lambda: session.notify_observers(self))
        self._observe()
        if not self._restoring:
            self._record.begin()
            self._files.lock()
            machine.start()
        if opts.verbosity >= 0:
            for warning in grouped(machine.warnings):
                print(f"memsim: warning: {legible(warning)}", file=sys.stderr)

    def _journal_of(self, saved: _memsim.Checkpoint | None) -> Journal:
        """The journal of the checkpoint to restore, or an empty one. Raises Error if the machine is another one."""
        if not saved:
            return Journal()
        refuse_fixed(saved.configuration, _memsim.configuration_of(self._machine))
        refuse_changed(saved.script.inputs, self._origin.inputs, RESTORE_INPUTS)
        self._record.spent = saved.run.host_seconds
        return Journal(json.loads(saved.script.journal)["journal"], self._load)

    def _observe(self) -> None:
        """Applies options for tests and display, which do not change results."""
        opts, machine = self.options, self._machine
        if opts.perturb is not None:
            machine.perturb(opts.perturb, 3)
        machine.set_threads(opts.threads, opts.random_partitions)
        if opts.stamps:
            machine.stamp_every(opts.stamps)
        self._files.lock(all_outputs=False)
        if opts.debug_flags:
            span = opts.debug_start, opts.debug_end
            machine.set_debug(opts.debug_flags, *span, self._files.debug, append=self._origin.number > 1)
        if opts.timeline:
            self._runner.show_on_timeline(self._files.timeline, opts.timeline_limits())

    # ---- what a script calls ------------------------------------------------------------------

    @of_open_run
    def simulate(self, duration: str | int | Time | None = None) -> Event:
        """Runs for `duration`: '200us', a Time, femtoseconds, or to the end by default. Returns cause and tick.

        Raises Error if the machine stalls with work left or if its counts do not balance.
        """
        ticks = NEVER if duration is None else ticks_of(duration, "simulate()")
        if ticks < 0:
            raise user_error(f"simulate(): {duration!r} is in the past")
        return Event(
            *self._journal.call(
                "simulate",
                [duration if duration is None or isinstance(duration, str) else ticks],
                lambda: self._advance(min(NEVER, self._machine.now + ticks)),
                self._resume_simulate,
            )
        )

    @exclusive
    def check_contents(self) -> dict[str, int]:
        """Compares the contents of the machine with the memory of its programs, at the end of a run.

        Returns `bytes` compared; `left_out`, bytes that atomics wrote where SMs treat atomics as loads; and
        `overtaken`, stores that arrived after a younger store to the same bytes. Raises Error at the first byte that
        differs, and for a machine without contents.
        """
        if not self.root.contents:
            raise user_error("check_contents(): this machine carries no contents: build it with Root(contents=True)")
        report = self._journal.call("check_contents", [], self._machine.compare_contents)
        if report.pop("different"):
            raise user_error(f"check_contents(): {report['first']}")
        del report["first"]
        return report

    @exclusive
    def curTick(self) -> int:
        """The simulated time in femtoseconds."""
        return self._journal.call("curTick", [], lambda: self._machine.now)

    @of_open_run
    def checkpoint(self, path: str | os.PathLike[str] | None = None) -> str:
        """Saves the machine, by default as OUTDIR/<time>-<run>.ckpt; returns the path.

        Raises Error if the file cannot be written or would replace a file in use.
        """
        return self._journal.call(
            "checkpoint", [path and os.fspath(path)], lambda: self._saver.save(path), self._resume_checkpoint
        )

    @property
    @exclusive
    def digest(self) -> str:
        """A hash of all dumps and series so far: equal for equal runs."""
        return self._journal.call("digest", [], lambda: self._machine.digest)

    @property
    def id(self) -> str:
        """The run's UUID in the database."""
        return str(self._restoring.run.uuid if self._restoring else self._record.run.uuid)

    def close(self, finished: bool = True) -> None:
        """Ends the run. A finished run gets a last dump, 'end', of what was not dumped yet. A run that is not
        finished keeps its statistics and continues from a checkpoint."""
        self._close(finished, "not finished")

    def __repr__(self) -> str:
        return (
            f"<Simulation at {_memsim.show_ticks(self._machine.now)}, {'open' if self in session.open else 'closed'}>"
        )

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process == os.getpid():
            self.close_after(error)

    # ---- statistics, for memsim.stats ------------------------------------------------------------

    @of_open_run
    def _dump(self, label: str) -> None:
        self._journal.call("dump", [str(label)], lambda: self._record.dump(str(label)))

    @of_open_run
    def _reset_stats(self) -> None:
        self._journal.call("reset", [], self._machine.reset_stats)

    @of_open_run
    def _series(self, period: str | int | Time, patterns: Any) -> None:
        patterns, ticks = patterns_of(patterns), ticks_of(period, "series()")
        self._record.sampling = True
        self._journal.call("series", [ticks, patterns], placed(lambda: self._machine.sample_every(ticks, patterns)))

    @exclusive
    def _read_stat(self, path: str, name: str, part: str) -> float:
        return self._journal.call(
            "statistic", [f"{path}.", name, part], placed(lambda: self._machine.stat_value(path, name, part))
        )

    @exclusive
    def _stat_length(self, path: str, name: str) -> int:
        """The number of elements of a statistic. It follows from the machine, so the journal does not need it."""
        if (path, name) not in self._lengths:
            self._lengths[path, name] = length_of(self._machine, path, name)
        return self._lengths[path, name]

    # ---- run, end, restore -------------------------------------------------------------------------

    def _advance(self, until: int) -> tuple[str, int]:
        """Runs to the tick `until`, which is recorded in the journal for checkpoints on the way."""
        assert self._journal.current
        self._journal.current["until"] = until
        self._files.lock()
        return self._runner.run(until)

    def _resume_simulate(self) -> tuple[str, int]:
        """Continues the simulate() that the checkpoint interrupted: loads the state and runs on."""
        call = self._journal.current
        assert call
        self._load()
        return self._advance(call["until"])

    def _resume_checkpoint(self) -> str:
        """The checkpoint() that wrote the checkpoint: loads the state."""
        call = self._journal.current
        assert call
        self._load()
        path: str = call["path"]
        return path

    def _load(self) -> None:
        """Loads the state of the checkpoint, and continues its run in the database."""
        saved = self._restoring
        assert saved
        self._machine.load(saved.snapshot)
        if self.options.stamps:
            self._machine.stamp_every(self.options.stamps)
        self._saver.saved = self._machine.now
        self._record.begin(saved)
        self._restoring, self._runner.simulated = None, True

    def _load_without_script(self) -> None:
        """For restore(): the calls of the checkpoint's script are not repeated."""
        self._journal.forget()
        self._load()

    def close_after(self, error: BaseException | None, save: bool = True) -> None:
        """Ends the run as the script ended: by this exception, or without one. `save`: with a checkpoint."""
        self._close(is_success(error), cause_of(error), save)

    @exclusive
    def _close(self, finished: bool, cause: str, save: bool = False) -> None:
        """`cause` is the label of the last dump of a run that is not finished. `save`: with a checkpoint."""
        if self not in session.open:
            return
        session.open.remove(self)
        session.notify_observers(self, ended=True)
        self._runner.tell_left_out()
        self._runner.tell_threads()
        self._files.release()
        if finished:
            self._journal.pass_between()
        ending = Ending(self._origin, self._record, self._saver, self._progress)
        if not self._record.has_begun:  # a restored script that ended before its checkpoint
            if finished:
                raise Error(
                    "the script ended before it reached the call that the checkpoint "
                    "interrupted: a restored script must make the same calls"
                )
        elif finished:
            ending.finish()
        elif self._runner.simulated:
            ending.end_early(cause, self._runner.whole, save and not self._journal.failed)

    def unlock(self) -> None:
        """Leaves the locks of the machine's files to the parent, in a forked child."""
        self._files.unlock()
