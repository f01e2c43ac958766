"""Building, running, saving: `Simulation` is one machine; the functions of the package use the
default one."""
import atexit
import collections
import contextlib
import dataclasses
import hashlib
import json
import os
import signal
import sys
import threading
import time

from .. import _memsim
from . import checkpoints, children, signals
from ..model.build import build, rebuild_tree, refuse_fixed, sources
from ..errors import Error, legible, user_error
from .event import Event, ticks_of
from .exclusive import exclusive
from ..files import Claim, check_output, hash_of, hashes_of, os_error, refuse_changed, release, shown, use, use_database
from .journal import Journal
from ..model.objects import Root
from .options import options
from .progress import Progress
from ..results.database import connect
from .script import Script, arguments_as_json, package_files
from ..model.machine_stats import Statistics, patterns_of

NEVER = _memsim.never
MANY = 50  # checkpoints by simulated time, of which is warned if they come more often than once a second
MOST_OF_A_CAUSE = 200  # characters of the label of a last dump
FLUSH_PERIOD = 0.5  # s of real time after which the samples of a series are written

Output = collections.namedtuple("Output", "file kind use")  # a file to be written, and what for

_open = []  # machines whose runs are not finished
_made = 0  # machines of this process so far: a checkpoint knows which one it is of
_runs = {}  # the runs of these machines, by the machine's number as text
_default = None
observers = []  # called with a machine and whether its run has ended, between two ticks


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
        self.options, self._claim = opts or options, Claim()
        try:
            self._build(root, self.options, arguments)
        except BaseException:
            self._release()
            raise
        root._simulation = self
        _open.append(self)
        _made += 1

    def _build(self, root, opts, arguments):
        if not isinstance(root, Root):
            raise user_error(f"a machine is built from a Root, not from {root!r}")
        root._check_open("instantiate()")
        self.root = root
        self._arguments = arguments_as_json(arguments)
        self.stats = Statistics(self)
        self._script = Script()
        self._number = _made + 1
        self._outputs = self._named_outputs()
        use_database(self, opts.database())
        self._check_outputs()  # before inputs are loaded, which may take long, and again with the inputs
        self._machine = machine = build(root, opts.event_queue, opts.changes)
        self._inputs = hashes_of(machine.inputs)
        for file, _ in self._inputs:
            use(self, file, "an input of the machine")
        self._outputs += [
            Output(file, None, f"the file of {parameter}, of machine {self._number}")
            for parameter, file in machine.outputs
            if os.path.isfile(file) or not os.path.exists(file)
        ]
        self._check_outputs()
        self._progress = Progress(machine, opts.verbosity)
        os_error(lambda: os.makedirs(opts.outdir, exist_ok=True), opts.outdir)
        if opts.skip_finished and (not opts.restoring or opts.parent and self._checkpoint_of_mine()):
            if own := self._skip_or_resume():  # further on than a checkpoint that was named
                opts.restoring, opts.parent = own, ""
        self._restoring, self._journal = self._checkpoint_of_mine(), Journal()
        self._run = self._database = None
        self._spent, self._dumped, self._cause = 0.0, True, "nothing was simulated"
        self._busy = self._simulated = False
        self._whole = True  # the machine stands between two ticks: no error interrupted one
        self._periodic = 0  # checkpoints by simulated time
        self._saved, self._last = -1, ""  # tick and file of the last checkpoint, so that none is written twice
        self._at = sorted(opts.checkpoint_at)
        self._wall = self._flushed = time.monotonic()
        self._sampling = False
        if self._restoring:
            refuse_fixed(self._restoring.configuration, _memsim.configuration_of(machine))
            refuse_changed(
                self._restoring.script.inputs,
                self._inputs,
                "restore the file as it was, or start again without --restore",
            )
            self._journal = Journal(json.loads(self._restoring.script.journal)["journal"], self._load)
            self._spent = self._restoring.run.host_seconds
        if opts.perturb is not None:
            machine.perturb(opts.perturb, 3)
        if opts.stamps:
            machine.stamp_every(opts.stamps)
        self._claim_outputs(self._named_outputs())
        if opts.debug:
            file = opts.debug["file"] and _of_this_process(opts.debug["file"])
            machine.set_debug(**opts.debug | {"file": file}, append=self._number > 1)
        self._timeline = None
        if opts.timeline:
            self._timeline = machine.show_on_timeline(self._outputs[0].file)
        if not self._restoring:
            self._begin()
            self._claim_outputs(self._outputs)
            machine.start()
        if opts.verbosity >= 0:
            for warning in machine.warnings:
                print(f"memsim: warning: {legible(warning)}", file=sys.stderr)

    # ---- what a script calls ------------------------------------------------------------------

    @exclusive
    def simulate(self, duration: str | int | None = None) -> Event:
        """Runs for that long ('200us' or ticks; without it to the end). Returns an Event."""
        ticks = NEVER if duration is None else ticks_of(duration, "simulate()")
        if ticks < 0:
            raise user_error(f"simulate(): {duration!r} lies in the past")
        return Event(
            *self._journal.call(
                "simulate",
                [duration if duration is None or isinstance(duration, str) else ticks],
                lambda: self._advance(min(NEVER, self._machine.now + ticks)),
                self._resume,
            )
        )

    @exclusive
    def check_contents(self) -> dict:
        """Compares what the machine holds with the memory of its programs, byte by byte, and returns how
        many bytes were compared, `bytes`, and `left_out`, those that atomics wrote where SMs take
        atomics for loads; `overtaken` counts stores that came to their place after a younger one. For
        the end of a run; raises an Error that names the first byte that differs."""
        if not self.root.contents:
            raise user_error("check_contents(): this machine carries no contents: build it from " "Root(contents=True)")
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
        return self._journal.call("checkpoint", [path and os.fspath(path)], lambda: self._save(path), self._resume)

    @property
    @exclusive
    def digest(self) -> str:
        """Over all dumps and series so far: equal for equal runs."""
        return self._journal.call("digest", [], lambda: self._machine.digest)

    @property
    def id(self) -> str:
        """The run's UUID in the database."""
        return self._run.uuid if self._run else self._restoring.run.uuid

    def close(self, finished=True):
        """Ends the run: what was not dumped yet is dumped as 'end', and the run is marked finished. A run that is
        not finished also keeps its statistics and continues from a checkpoint."""
        self._close(finished, "not finished")

    @exclusive
    def _close(self, finished, cause, save=False):
        """`cause` labels the last dump of a run that is not finished; `save`: with a checkpoint."""
        if self not in _open:
            return
        _open.remove(self)
        self._show(ended=True)
        self._release()
        if finished:
            self._journal.pass_between()
        if self._run is None:  # a restored script that ended before its checkpoint
            if finished:
                raise Error(
                    "the script ended before it came to the call that the checkpoint "
                    "interrupted: a restored script must do the same"
                )
            return
        if finished:
            if not self._dumped:
                self._run.dump(self._machine, "end")
            self._run.flush_series(self._machine)
            self._run.finish(self._machine, self._cause, self._spent)
            self._tell(f"results in {shown(self.options.database())}, run {self._run.uuid}")
            for tick in self._at:
                self._tell(
                    f"warning: no checkpoint at {_memsim.show_ticks(tick)}: the run "
                    f"ended at {_memsim.show_ticks(self._machine.now)}"
                )
        elif self._simulated:
            self._keep(cause, save)

    def _close_after(self, error, save=True):
        """Ends the run as the script did: by an exception, or without one."""
        self._close(is_success(error), _cause_of(error), save)

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind, error, trace):
        if self._process == os.getpid():
            self._close_after(error)

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
        self._claim_outputs(self._outputs)
        self._busy, self._dumped, self._began = True, False, time.monotonic()
        self._simulated = True
        try:
            with signals.handled(), signals.heartbeat(machine):
                while True:
                    boundary = self._next_checkpoint()
                    self._attend(progress)
                    self._whole = False
                    stop = machine.run(min(until, boundary))
                    self._whole = True
                    if stop == "limit" and machine.now == boundary:
                        self._save(None)
                        self._warn_of_many()
                    if stop == "attention" or (stop == "limit" and machine.now < until):
                        continue
                    machine.complete_outputs()
                    return self._ended("simulate() limit reached" if stop == "limit" else self._check_end(stop))
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
            raise user_error(
                f"the machine stands still at {tick} with work left; "
                "who waits for whom:\n  " + "\n  ".join(machine.wait_report())
            )
        if not machine.pending and (broken := machine.imbalances()):
            raise user_error(f"the run ended at {tick} and does not add up:\n  " + "\n  ".join(broken))
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
            self._save(self._file("sigterm"), tell=False)
            raise SystemExit(128 + signal.SIGTERM)
        if signal.SIGINT in seen:
            try:
                self._save(self._file("sigint"), tell=False)
            except Error as e:
                self._tell(e)
            raise KeyboardInterrupt

    # ---- outputs -------------------------------------------------------------------------------------

    def _named_outputs(self):
        """Those of the command line, the timeline first. Machines of one script share the debug file."""
        opts, found = self.options, []
        if opts.timeline:
            number = [self._number] if self._number > 1 else []
            found.append(
                Output(
                    _of_this_process(opts.timeline, *number), "a timeline", f"the timeline of machine {self._number}"
                )
            )
        if opts.debug and opts.debug["file"]:
            found.append(Output(_of_this_process(opts.debug["file"]), None, "the debug file"))
        return found

    def _check_outputs(self):
        """Refuses an output that would replace a file in use. No output is open yet."""
        for file, kind, use_of in self._outputs:
            check_output(file, kind, used_as=[use_of])
            use(self, file, use_of)

    def _release(self):
        """Other machines and processes may use its files."""
        release(self)
        self._claim.close()

    def _claim_outputs(self, outputs):
        """Before they are opened: refuses those that another process writes."""
        for output in outputs:
            self._claim.take(output.file)

    # ---- checkpoints ---------------------------------------------------------------------------------

    def _next_checkpoint(self):
        now = self._machine.now
        self._at = [t for t in self._at if t > now or (t == now and t > self._saved)]
        period = self.options.checkpoint_sim_period
        return min([NEVER, *self._at[:1], *([(now // period + 1) * period] if period else [])])

    def _warn_of_many(self):
        """Once, if checkpoints by simulated time follow one another so fast that they take the time and fill the disk."""
        self._periodic += 1
        if self._periodic == MANY and (spent := self._host_seconds()) < MANY:
            self._tell(
                f"warning: {MANY} checkpoints were written in {spent:.1f} s, each of which stays in "
                f"{shown(self.options.outdir)}: --checkpoint-sim-period and --checkpoint-at may be shorter than is "
                "meant; --checkpoint-wall-period keeps only the last"
            )

    def _file(self, stem):
        return checkpoints.path_of(self.options.outdir, stem, self._run.uuid)

    def _checkpoint_of_mine(self):
        """The checkpoint to restore if it is of this machine: a script's other ones run again."""
        saved = self.options.restoring
        if saved and self.options is options:
            return saved if json.loads(saved.script.journal)["machine"] == self._number else None
        return saved  # restore() means this one

    def _save(self, path, tell=True):
        machine, script = self._machine, self._script
        path = os.fspath(path or self._file(_memsim.show_ticks(machine.now)))
        check_output(path, "a checkpoint")
        call = self._journal.current
        if call and call["kind"] == "checkpoint":
            call["path"] = path
        else:
            self._saved, self._last = machine.now, path
        # A child's script, run again, would start all its children, and none would be this one.
        path_of_script = "" if children.is_one() else script.path or ""
        files = dict(script.files())
        journal = {
            "journal": self._journal.record(),
            "options": self.options.kept(),
            "name": script.name,
            "machine": self._number,
            "runs": self._former_runs() | _runs,
            "dumped": self._dumped,
            "cause": self._cause,
            "arguments": self._arguments,
        }
        os_error(lambda: os.makedirs(os.path.dirname(path) or ".", exist_ok=True), path)
        _memsim.write_checkpoint(
            path,
            machine,
            _memsim.Script(
                path=path_of_script,
                hash=files.pop(script.path, ""),
                cwd=script.cwd,
                argv=script.argv,
                modules=list(files.items()),
                package=list(package_files().items()),
                inputs=self._inputs,
                journal=json.dumps(journal).encode(),
            ),
            _memsim.RunAt(
                uuid=self._run.uuid,
                database=self.options.database(),
                outdir=os.path.abspath(self.options.outdir),
                position=self._run.position(machine),
                host_seconds=self._host_seconds(),
            ),
        )
        self._wall = time.monotonic()
        if tell:
            self._tell(f"checkpoint at {_memsim.show_ticks(machine.now)} in {shown(path)}")
        return path

    def _keep(self, cause, save):
        """Before an early end: a checkpoint, where the run can go on from here, and a last dump whose label is the cause.
        One line names what is kept and how to continue."""
        now, saved = self._machine.now, ""
        ended = f"ended by {'an error' if cause.startswith('Error: ') else cause} at {_memsim.show_ticks(now)}"
        _memsim.limit_memory(False)  # after running out of what the limit allows
        try:
            if self._whole:
                self._machine.complete_outputs()
            if save and self._saved != now and self._whole and not self._journal.failed:
                self._save(self._file("ended"), tell=False)
            saved = self._last if self._saved == now else checkpoints.latest(self.options.outdir, self._run.uuid)
            self._run.dump(self._machine, cause)
        except (Error, MemoryError) as e:
            if cause != _cause_of(e):
                self._tell(f"{ended}; it cannot be kept: {e}")
            return
        way = (
            "there is no checkpoint to go on from"
            if not saved
            else f"go on with memsim.restore({saved!r})"
            if children.is_one() or not self._script.path
            else f"go on with --restore {shown(saved)}"
        )
        self._tell(
            f"{ended}; the last dump of run {self._run.uuid} in {shown(self.options.database())} has its statistics; "
            f"{way}"
        )

    def _resume(self):
        """At the interrupted call: loads the state and goes on with that call."""
        call = self._journal.current
        self._load()
        return self._advance(call["until"]) if call["kind"] == "simulate" else call["path"]

    def _load(self):
        """Loads the state of the checkpoint, and continues its run in the database."""
        checkpoint = self._restoring
        self._machine.load(checkpoint.snapshot)
        if self.options.stamps:
            self._machine.stamp_every(self.options.stamps)
        self._saved = self._machine.now
        self._begin(checkpoint)
        kept = json.loads(checkpoint.script.journal)
        self._dumped, self._cause = kept["dumped"], kept["cause"]
        self._restoring, self._simulated = None, True

    def _configuration(self):
        """A hash of all that the results follow from: equal for two runs with equal results."""
        return hashlib.sha256(
            json.dumps(
                [
                    _memsim.configuration_of(self._machine),
                    self._inputs,
                    sorted(self._script.files().values()),
                    self._script.argv,
                    self.root.seed,
                    _memsim.build_id(),
                    package_files(),
                    *([self.options.origin] if self.options.origin else []),
                ]
            ).encode()
        ).hexdigest()[:32]

    def _former_runs(self):
        """The runs of the restored script's machines, by number."""
        saved = options.restoring
        return json.loads(saved.script.journal)["runs"] if saved and self.options is options else {}

    def _skip_or_resume(self):
        """For --skip-finished: ends the script if the database has a finished run with these results;
        else the last checkpoint of one whose process is gone, if there is one."""
        database = _memsim.Database(self.options.database())
        with contextlib.closing(connect(database.path)) as db:
            runs = db.execute(
                "SELECT id, finished FROM run WHERE configuration = ? " "ORDER BY finished IS NULL, started DESC",
                [self._configuration()],
            ).fetchall()
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
                name=name,
                script=self._script.path or "",
                argv=self._script.argv,
                seed=self.root.seed,
                parent=former or "",
                configuration=self._configuration(),
                arguments=self._arguments,
                cwd=self._script.cwd,
                only=opts.skip_finished,
            )
            self._run.write_machine(self._machine, sources(self.root))
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
    opts = dataclasses.replace(
        options,
        restoring=saved,
        parent=saved.run.uuid,
        origin=hash_of(file),
        outdir=os.fspath(outdir or options.outdir),
    )
    _default = Simulation(
        rebuild_tree(saved.configuration, saved.script.seed), opts, json.loads(saved.script.journal).get("arguments")
    )
    journal = _default._journal
    journal.entries, journal.current = [], {"kind": "checkpoint", "arguments": [None], "where": "", "path": file}
    journal.interrupted = None
    _default._resume()
    journal.current = None
    return _default


def try_to_load(saved):
    """Raises what the loading of this checkpoint would raise, before anything was written."""
    machine = build(rebuild_tree(saved.configuration, saved.script.seed))
    refuse_changed(
        saved.script.inputs, hashes_of(machine.inputs), "restore the file as it was, or start again without --restore"
    )
    machine.load(saved.snapshot)


def close_all(error=None):
    """Ends all runs of this process as its script ended: by this exception, or without one."""
    for simulation in list(_open):
        simulation._close_after(error, save=simulation is _open[-1])  # --restore takes up one machine


def _of_this_process(path, *more):
    """A file's name with numbers before its ending: first the process's, if a script of ours started it."""
    stem, ending = os.path.splitext(path)
    return "-".join(map(str, [stem, *([os.getpid()] if children.is_one() else []), *more])) + ending


def is_success(error):
    """Whether a script that ended by this exception, or without one, came to its end."""
    return error is None or isinstance(error, SystemExit) and error.code in (None, 0)


def _cause_of(error):
    """What ended a script, as a label."""
    if isinstance(error, KeyboardInterrupt):
        return "SIGINT"
    if isinstance(error, SystemExit):
        return "SIGTERM" if error.code == 128 + signal.SIGTERM else f"sys.exit({error.code!r})"
    return legible(f"{type(error).__name__}: {error}".splitlines()[0])[:MOST_OF_A_CAUSE].removesuffix(": ")


_of_parent = []  # its machines in a forked child: not closed here, and not destroyed


def _after_fork():
    for simulation in _open:
        simulation._claim.close()
    _of_parent.extend(_open)
    _open.clear()


os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit():
    if _open:  # an ordinary python3 whose script failed has left its exception behind
        try:
            close_all(getattr(sys, "last_value", None))
        except Error as e:
            print(f"memsim: {e}", file=sys.stderr)
    signals.end()
