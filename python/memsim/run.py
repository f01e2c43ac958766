"""Building, running, saving: `Simulation` is one machine; the functions of the package use the
default one."""
import atexit
import contextlib
import dataclasses
import hashlib
import json
import os
import signal
import sys
import threading
import time

from . import _memsim, checkpoints, children, signals
from .build import build, rebuild_tree, refuse_fixed
from .errors import Error, legible, user_error
from .event import Event, ticks_of
from .exclusive import exclusive
from .files import check_output, hash_of, hashes_of, os_error, refuse_changed, shown
from .journal import Journal
from .objects import Root
from .options import options
from .progress import Progress
from .results import connect
from .script import Script, arguments_as_json, package_files
from .machine_stats import Statistics, patterns_of

NEVER = _memsim.never
FLUSH_PERIOD = 0.5  # s of real time after which the samples of a series are written


_open = []           # machines whose runs are not finished
_made = 0            # machines of this process so far: a checkpoint knows which one it is of
_runs = {}           # the runs of these machines, by the machine's number as text
_default = None
observers = []       # called with a machine and whether its run has ended, between two ticks


class Simulation:
    """A machine built from the tree below `root`, checked whole, at time 0.

    arguments   what the script made it from: argparse's namespace, or a dict; the database keeps them with the run
    """

    root: Root
    stats: Statistics

    def __init__(self, root: Root, opts=None, arguments=None):
        global _made
        self._process, self._in_use = os.getpid(), threading.Lock()
        signals.expect()
        children.begin(close_all, options)
        self.options = opts = opts or options
        if not isinstance(root, Root):
            raise user_error(f"a machine is built from a Root, not from {root!r}")
        root._check_open("instantiate()")
        self.root = root
        self._arguments = arguments_as_json(arguments)
        self.stats = Statistics(self)
        self._script = Script()
        self._machine = machine = build(root, opts.event_queue, opts.changes)
        self._number = _made + 1
        self._inputs = hashes_of(machine.inputs)
        self._progress = Progress(machine, opts.verbosity)
        os_error(lambda: os.makedirs(opts.outdir, exist_ok=True), opts.outdir)
        if opts.skip_finished and (not opts.restoring or opts.parent and self._checkpoint_of_mine()):
            if own := self._skip_or_resume():  # further on than a checkpoint that was named
                opts.restoring, opts.parent = own, ""
        self._restoring, self._journal = self._checkpoint_of_mine(), Journal()
        self._run = self._database = None
        self._spent, self._dumped, self._cause = 0.0, True, "nothing was simulated"
        self._busy = False
        self._saved = -1  # the tick of the last checkpoint, so that none is written twice
        self._at = sorted(opts.checkpoint_at)
        self._wall = self._flushed = time.monotonic()
        self._sampling = False
        if self._restoring:
            refuse_fixed(self._restoring.configuration, _memsim.configuration_of(machine))
            refuse_changed(self._restoring.script.inputs, self._inputs,
                           "restore the file as it was, or start again without --restore")
            self._journal = Journal(json.loads(self._restoring.script.journal)["journal"])
            self._spent = self._restoring.run.host_seconds
        if opts.perturb is not None:
            machine.perturb(opts.perturb, 3)
        if opts.stamps:
            machine.stamp_every(opts.stamps)
        if opts.debug:
            check_output(opts.debug["file"])
            machine.set_debug(**opts.debug)
        self._timeline = None
        if opts.timeline:
            stem, ending = os.path.splitext(opts.timeline)
            file = opts.timeline if self._number == 1 else f"{stem}-{self._number}{ending}"
            check_output(file)
            self._timeline = machine.show_on_timeline(file)
        if not self._restoring:
            self._begin()
            machine.start()
        if opts.verbosity >= 0:
            for warning in machine.warnings:
                print(f"memsim: warning: {legible(warning)}", file=sys.stderr)
        root._simulation = self
        _open.append(self)
        _made += 1

    # ---- what a script calls ------------------------------------------------------------------

    @exclusive
    def simulate(self, duration: str | int | None = None) -> Event:
        """Runs for that long ('200us' or ticks; without it to the end). Returns an Event."""
        ticks = NEVER if duration is None else ticks_of(duration, "simulate()")
        if ticks < 0:
            raise user_error(f"simulate(): {duration!r} lies in the past")
        return Event(*self._journal.call(
            "simulate", [duration if duration is None or isinstance(duration, str) else ticks],
            lambda: self._advance(min(NEVER, self._machine.now + ticks)), self._resume))

    @exclusive
    def check_contents(self) -> dict:
        """Compares what the machine holds with the memory of its programs, byte by byte, and returns how
        many bytes were compared, `bytes`, and `left_out`, those that atomics wrote where SMs take
        atomics for loads; `overtaken` counts stores that came to their place after a younger one. For
        the end of a run; raises an Error that names the first byte that differs."""
        if not self.root.contents:
            raise user_error("check_contents(): this machine carries no contents: build it from "
                             "Root(contents=True)")
        report = self._journal.call("check_contents", [], self._machine.compare_contents)
        if report.pop("different"):
            raise user_error(f"check_contents(): {report['first']}")
        del report["first"]
        return report

    @exclusive
    def curTick(self) -> int:
        """The simulated time in femtoseconds."""
        return self._journal.call("curTick", [], lambda: self._machine.now)

    @exclusive
    def checkpoint(self, path: str | os.PathLike | None = None) -> str:
        """Saves the machine as it stands, by default as OUTDIR/<time>-<run>.ckpt; returns the path."""
        return self._journal.call("checkpoint", [path and os.fspath(path)],
                                  lambda: self._save(path), self._resume)

    @property
    @exclusive
    def digest(self) -> str:
        """Over all dumps and series so far: equal for equal runs."""
        return self._journal.call("digest", [], lambda: self._machine.digest)

    @property
    def id(self) -> str:
        """The run's UUID in the database."""
        return self._run.uuid if self._run else self._restoring.run.uuid

    @exclusive
    def close(self, finished=True):
        """Ends the run: what was not dumped yet is dumped as 'end', and the run is marked finished."""
        if self not in _open:
            return
        _open.remove(self)
        self._show(ended=True)
        if self._run is None:  # a restored script that ended before its checkpoint
            if finished:
                raise Error("the script ended before it came to the call that the checkpoint "
                            "interrupted: a restored script must do the same")
            return
        if finished:
            if not self._dumped:
                self._run.dump(self._machine, "end")
            self._run.flush_series(self._machine)
            self._run.finish(self._machine, self._cause, self._spent)
            self._tell(f"results in {shown(self.options.database())}, run {self._run.uuid}")
            for tick in self._at:
                self._tell(f"warning: no checkpoint at {_memsim.show_ticks(tick)}: the run "
                           f"ended at {_memsim.show_ticks(self._machine.now)}")
        else:
            self._run.flush_series(self._machine)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind, *rest):
        if self._process == os.getpid():
            self.close(finished=kind is None)

    # ---- statistics, for memsim.stats ------------------------------------------------------------

    @exclusive
    def _dump(self, label):
        def act():
            self._run.dump(self._machine, str(label))
            self._dumped = True
        self._journal.call("dump", [str(label)], act)

    @exclusive
    def _reset_stats(self):
        self._journal.call("reset", [], self._machine.reset_stats)

    @exclusive
    def _series(self, period, patterns):
        patterns = patterns_of(patterns)
        ticks = ticks_of(period, "series()")
        self._sampling = True
        def act():
            try:
                self._machine.sample_every(ticks, patterns)
            except Error as e:
                raise user_error(e) from None
        self._journal.call("series", [ticks, patterns], act)

    @exclusive
    def _read_stat(self, path, name, part):
        def act():
            try:
                return self._machine.stat_value(path, name, part)
            except Error as e:
                raise user_error(e) from None
        return self._journal.call("statistic", [f"{path}.", name, part], act)

    # ---- running -----------------------------------------------------------------------------------

    def _advance(self, until):
        """Runs to `until`; stops between ticks where a boundary or somebody outside asks for it."""
        machine = self._machine
        self._journal.current["until"] = until
        progress = self._progress
        progress.begin(until)
        self._busy, self._dumped, self._began = True, False, time.monotonic()
        try:
            with signals.handled(), signals.heartbeat(machine):
                while True:
                    boundary = self._next_checkpoint()
                    self._attend(progress)
                    stop = machine.run(min(until, boundary))
                    if stop == "limit" and machine.now == boundary:
                        self._save(None)
                    if stop == "attention" or (stop == "limit" and machine.now < until):
                        continue
                    machine.complete_outputs()
                    return self._ended("simulate() limit reached" if stop == "limit"
                                       else self._check_end(stop))
        finally:
            progress.close()
            if self._timeline:
                self._timeline.complete()
            self._spent, self._busy = self._host_seconds(), False

    def _tell(self, text):
        """A line to people, below the line of progress."""
        self._progress.close()
        if self.options.verbosity >= 0:
            print(f"memsim: {legible(text)}", file=sys.stderr, flush=True)

    def _show(self, ended=False):
        for observer in observers:
            observer(self, ended)

    def _host_seconds(self):
        """Spent in simulate() so far."""
        return self._spent + (time.monotonic() - self._began if self._busy else 0)

    def _ended(self, cause):
        self._cause = cause
        return cause, self._machine.now

    def _check_end(self, stop):
        """The cause of an end by itself; an error if something is left or does not add up."""
        machine = self._machine
        tick = _memsim.show_ticks(machine.now)
        if stop == "idle" and machine.pending:
            raise user_error(f"the machine stands still at {tick} with work left; "
                             "who waits for whom:\n  " + "\n  ".join(machine.wait_report()))
        if not machine.pending and (broken := machine.imbalances()):
            raise user_error(f"the run ended at {tick} and does not add up:\n  " +
                             "\n  ".join(broken))
        return machine.exit_cause if stop == "exit" else "nothing left to do"

    def _attend(self, progress):
        """What may happen between two ticks besides simulating: signals, the wall clock."""
        seen = signals.take()
        progress.show()
        self._show()
        if self._sampling and time.monotonic() - self._flushed >= FLUSH_PERIOD:
            self._run.flush_series(self._machine)  # bounds their memory, and a killed run keeps them
            self._flushed = time.monotonic()
        if signal.SIGUSR1 in seen:
            progress.close()
            print(progress.status(), file=sys.stderr, flush=True)
        period = self.options.checkpoint_wall_period
        if signal.SIGUSR2 in seen:
            self._save(self._file("signal"))
        elif period and time.monotonic() - self._wall >= period:
            self._save(self._file("wall"))
        if signal.SIGTERM in seen:
            path = self._save(self._file("sigterm"))
            way = f"memsim.restore({path!r})" if children.is_one() else f"--restore {path}"
            self._tell(f"ended by SIGTERM at {_memsim.show_ticks(self._machine.now)}; go on with {way}")
            raise SystemExit(128 + signal.SIGTERM)
        if signal.SIGINT in seen:
            raise KeyboardInterrupt

    # ---- checkpoints ---------------------------------------------------------------------------------

    def _next_checkpoint(self):
        now = self._machine.now
        self._at = [t for t in self._at if t > now or (t == now and t > self._saved)]
        period = self.options.checkpoint_sim_period
        return min([NEVER, *self._at[:1], *([(now // period + 1) * period] if period else [])])

    def _file(self, stem):
        return checkpoints.path_of(self.options.outdir, stem, self._run.uuid)

    def _checkpoint_of_mine(self):
        """The checkpoint to restore if it is of this machine: a script's other ones run again."""
        saved = self.options.restoring
        if saved and self.options is options:
            return saved if json.loads(saved.script.journal)["machine"] == self._number else None
        return saved  # restore() means this one

    def _save(self, path):
        machine, script = self._machine, self._script
        path = os.fspath(path or self._file(_memsim.show_ticks(machine.now)))
        check_output(path)
        if self._journal.current["kind"] == "simulate":
            self._saved = machine.now
        else:
            self._journal.current["path"] = path
        # A child's script, run again, would start all its children, and none would be this one.
        path_of_script = "" if children.is_one() else script.path or ""
        files = dict(script.files())
        journal = {"journal": self._journal.record(), "options": self.options.kept(),
                   "name": script.name, "machine": self._number, "runs": self._former_runs() | _runs,
                   "dumped": self._dumped, "cause": self._cause, "arguments": self._arguments}
        os_error(lambda: os.makedirs(os.path.dirname(path) or ".", exist_ok=True), path)
        _memsim.write_checkpoint(
            path, machine,
            _memsim.Script(path=path_of_script, hash=files.pop(script.path, ""), cwd=script.cwd,
                           argv=script.argv, modules=list(files.items()),
                           package=list(package_files().items()), inputs=self._inputs,
                           journal=json.dumps(journal).encode()),
            _memsim.RunAt(uuid=self._run.uuid, database=self.options.database(),
                          outdir=os.path.abspath(self.options.outdir),
                          position=self._run.position(machine), host_seconds=self._host_seconds()))
        self._wall = time.monotonic()
        self._tell(f"checkpoint at {_memsim.show_ticks(machine.now)} in {shown(path)}")
        return path

    def _resume(self):
        """At the interrupted call: loads the state and goes on with that call."""
        call, checkpoint = self._journal.current, self._restoring
        self._machine.load(checkpoint.snapshot)
        if self.options.stamps:
            self._machine.stamp_every(self.options.stamps)
        self._saved = self._machine.now
        self._begin(checkpoint)
        kept = json.loads(checkpoint.script.journal)
        self._dumped, self._cause = kept["dumped"], kept["cause"]
        self._restoring = None
        if call["kind"] == "simulate":
            return self._advance(call["until"])
        return call["path"]

    def _configuration(self):
        """A hash of all that the results follow from: equal for two runs with equal results."""
        return hashlib.sha256(json.dumps(
            [_memsim.configuration_of(self._machine), self._inputs,
             sorted(self._script.files().values()), self._script.argv, self.root.seed,
             _memsim.build_id(), package_files(),
             *([self.options.origin] if self.options.origin else [])]).encode()).hexdigest()[:32]

    def _former_runs(self):
        """The runs of the restored script's machines, by number."""
        saved = options.restoring
        return json.loads(saved.script.journal)["runs"] if saved and self.options is options else {}

    def _skip_or_resume(self):
        """For --skip-finished: ends the script if the database has a finished run with these results;
        else the last checkpoint of one whose process is gone, if there is one."""
        database = _memsim.Database(self.options.database())
        with contextlib.closing(connect(database.path)) as db:
            runs = db.execute("SELECT id, finished FROM run WHERE configuration = ? "
                              "ORDER BY finished IS NULL, started DESC",
                              [self._configuration()]).fetchall()
        if runs and runs[0][1]:
            print(f"memsim: finished before, as run {runs[0][0]}", file=sys.stderr)
            raise SystemExit(0)
        mine = [simulation.id for simulation in _open]
        for run, _ in runs:
            file = checkpoints.latest(self.options.outdir, run)
            if run in mine or database.in_use(run) or not file:
                continue
            saved = _memsim.read_checkpoint(file)
            if json.loads(saved.script.journal)["machine"] == self._number:
                self._tell(f"goes on with run {run} from {shown(file)}")
                return saved
        return None

    def _begin(self, checkpoint=None):
        """Opens the database: a new run, or the checkpoint's goes on where its results are. A restored
        script's other machines run again from their beginnings, and their runs with them."""
        opts = self.options
        former = checkpoint.run.uuid if checkpoint else self._former_runs().get(str(self._number))
        position = checkpoint.run.position if checkpoint else _memsim.Position()
        self._database = _memsim.Database(opts.database())
        if former and not opts.parent:
            self._run = self._database.resume_run(former, position)
        if self._run is None:
            name = os.path.splitext(os.path.basename(self._script.path or "notebook"))[0]
            self._run = self._database.begin_run(
                name=name, script=self._script.path or "", argv=self._script.argv,
                seed=self.root.seed, parent=former or "", configuration=self._configuration(),
                arguments=self._arguments, cwd=self._script.cwd, only=opts.skip_finished)
            self._run.write_machine(self._machine)
        if opts is options:
            _runs[str(self._number)] = self._run.uuid


# ---- the default machine -------------------------------------------------------------------------

def instantiate(root: Root | None = None, arguments=None) -> Simulation:
    """Builds the machine below the Root (by default the last one made) and checks all of it. The database keeps the
    arguments with the run: what parse_args() returned, or a dict."""
    global _default
    root = root or Root._latest
    if root is None:
        raise user_error("there is no Root: make one first, root = memsim.Root()")
    _default = Simulation(root, arguments=arguments)
    return _default


def default() -> Simulation:
    """The machine that instantiate() built last, as a Simulation. Raises Error before that."""
    if _default is None:
        raise user_error("there is no machine yet: call memsim.instantiate() first")
    return _default


def simulate(duration: str | int | None = None) -> Event:
    """Runs the default machine for that long ('200us' or ticks; without it to the end)."""
    return default().simulate(duration)


def curTick() -> int:
    """The simulated time of the default machine in femtoseconds."""
    return default().curTick()


def checkpoint(path: str | os.PathLike | None = None) -> str:
    """Saves the default machine, by default as OUTDIR/<time>-<run>.ckpt; returns the path."""
    return default().checkpoint(path)


def restore(file: str | os.PathLike, outdir: str | os.PathLike | None = None) -> Simulation:
    """The machine of a checkpoint without its script, as a Simulation: a new run that goes on from
    there, with .root and .simulate()."""
    global _default
    file = checkpoints.find(file)
    saved = _memsim.read_checkpoint(file)
    opts = dataclasses.replace(options, restoring=saved, parent=saved.run.uuid, origin=hash_of(file),
                               outdir=os.fspath(outdir or options.outdir))
    _default = Simulation(rebuild_tree(saved.configuration, saved.script.seed), opts,
                          json.loads(saved.script.journal).get("arguments"))
    journal = _default._journal
    journal.entries, journal.current = [], {"kind": "checkpoint", "arguments": [None], "where": "",
                                             "path": file}
    journal.interrupted = None
    _default._resume()
    journal.current = None
    return _default


def try_to_load(saved):
    """Raises what the loading of this checkpoint would raise, before anything was written."""
    machine = build(rebuild_tree(saved.configuration, saved.script.seed))
    refuse_changed(saved.script.inputs, hashes_of(machine.inputs),
                   "restore the file as it was, or start again without --restore")
    machine.load(saved.snapshot)


def close_all(finished=True):
    """Ends all runs of this process."""
    for simulation in list(_open):
        simulation.close(finished)


_of_parent = []  # its machines in a forked child: not closed here, and not destroyed


def _after_fork():
    _of_parent.extend(_open)
    _open.clear()


os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit():
    if _open:  # an ordinary python3 whose script failed has left its exception behind
        try:
            close_all(finished=not hasattr(sys, "last_value"))
        except Error as e:
            print(f"memsim: {e}", file=sys.stderr)
