"""The run of one machine in the database."""
import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from .. import _memsim
from ..errors import Error, user_error
from ..files import shown
from ..model.build import sources
from . import checkpoints, known_runs, signals
from .origin import Origin
from .progress import Progress
from .session import session

FLUSH_PERIOD = 0.5  # s of real time after which the samples of a series are written


class Record:
    """The run of one machine, from its first tick or from a checkpoint.

    Requires  begin() before dump(), flush_series(), finish() and position().
    """

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._database: _memsim.Database | None = None
        self._run: _memsim.Run | None = None
        self._began: float | None = None  # start of the current simulate()
        self._flushed = time.monotonic()
        self.spent = 0.0  # seconds in previous simulate() calls
        self.dumped, self.cause = True, "nothing was simulated"
        self.sampling = False  # series() was called

    @property
    def has_begun(self) -> bool:
        """Whether the run is in the database. A script restored from a checkpoint first runs up to it."""
        return self._run is not None

    @property
    def run(self) -> _memsim.Run:
        """The run in the database."""
        assert self._run
        return self._run

    def begin(self, checkpoint: _memsim.Checkpoint | None = None) -> None:
        """Opens the database for a new run, or continues the checkpoint's run where its results are. A restored
        script's other machines run again from their beginnings, and their runs with them."""
        origin, options = self._origin, self._origin.options
        former = checkpoint.run.uuid if checkpoint else origin.former_runs().get(str(origin.number))
        position = checkpoint.run.position if checkpoint else _memsim.Position()
        self._database = _memsim.Database(origin.database)
        if former and not options.parent:
            self._run = self._database.resume_run(former, position)
        if self._run is None:
            script = origin.script
            self._run = self._database.begin_run(
                name=os.path.splitext(os.path.basename(script.path or "notebook"))[0],
                script=script.path or "",
                argv=script.argv,
                seed=origin.seed,
                parent=former or "",
                configuration=origin.configuration(),
                arguments=origin.arguments,
                cwd=script.cwd,
                only=options.skip_finished,
            )
            self._run.write_machine(origin.machine, sources(origin.root))
        if origin.of_script:
            session.runs[str(origin.number)] = self._run.uuid
        if checkpoint:
            kept = json.loads(checkpoint.script.journal)
            self.dumped, self.cause = kept["dumped"], kept["cause"]

    # ---- results -------------------------------------------------------------------------------------

    def dump(self, label: str) -> None:
        """Writes all statistics under this label."""
        self.run.dump(self._origin.machine, label)
        self.dumped = True

    def flush_series(self) -> None:
        """Writes the samples so far, at most every FLUSH_PERIOD: this bounds memory, and a killed run keeps them."""
        if self.sampling and time.monotonic() - self._flushed >= FLUSH_PERIOD:
            self.run.flush_series(self._origin.machine)
            self._flushed = time.monotonic()

    def finish(self) -> None:
        """Marks the run as finished. Results that were not dumped yet are dumped as 'end'."""
        if not self.dumped:
            self.dump("end")
        self.run.flush_series(self._origin.machine)
        self.run.finish(self._origin.machine, self.cause, self.spent)

    def position(self) -> _memsim.Position:
        """The position of the written results, for a checkpoint."""
        return self.run.position(self._origin.machine)

    # ---- host time -----------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether simulate() is running."""
        return self._began is not None

    def start_clock(self) -> None:
        """Starts the clock for a simulate() whose results are not dumped yet."""
        self._began, self.dumped = time.monotonic(), False

    def stop_clock(self) -> None:
        """The simulate() ends."""
        self.spent, self._began = self.host_seconds(), None

    def host_seconds(self) -> float:
        """Seconds spent in simulate() so far."""
        return self.spent + (0 if self._began is None else time.monotonic() - self._began)


def skip_or_resume(origin: Origin, progress: Progress) -> _memsim.Checkpoint | None:
    """For --skip-finished: the last checkpoint of an unfinished run with the same results whose process has ended.

    Raises SystemExit(0) if the database has a finished run with these results, and Error for a second machine: whether
    it finished cannot be known when the first one is skipped.
    """
    database = _memsim.Database(origin.database)
    if origin.number > 1:
        with _opened(database.path) as db, db:  # so that the next attempt is refused, too
            db.executemany("UPDATE run SET finished = NULL WHERE id = ?", [[run] for run in session.runs.values()])
        raise user_error("--skip-finished: the script builds a second machine: build one, or leave the option out")
    configuration = origin.configuration()
    if not origin.options.restoring:
        known_runs.keep(origin.outdir, configuration, [file for file, _ in origin.inputs], database.path)
    runs = runs_of(database.path, configuration)
    if runs and runs[0][1]:
        print(f"memsim: finished before, as run {runs[0][0]}", file=sys.stderr)
        raise SystemExit(0)
    mine = [machine.id for machine in session.open]
    for run, _ in runs:
        file = checkpoints.latest(origin.outdir, run)
        if run in mine or database.in_use(run) or not file:
            continue
        saved = _memsim.read_checkpoint(file)
        if origin.is_of(saved):
            progress.print_message(f"continues with run {run} from {shown(file)}")
            return saved
    return None


def runs_of(database: str, configuration: str) -> list[tuple[str, str | None]]:
    """(UUID, when it finished) of the runs with this configuration, finished runs first, then the latest first."""
    query = "SELECT id, finished FROM run WHERE configuration = ? ORDER BY finished IS NULL, started DESC"
    with _opened(database) as db:
        runs: list[tuple[str, str | None]] = db.execute(query, [configuration]).fetchall()
        return runs


@contextlib.contextmanager
def _opened(database: str) -> Iterator[Any]:
    """A connection to the file. Raises Error if it cannot be used."""
    import sqlite3
    from pathlib import Path

    try:
        with contextlib.closing(sqlite3.connect(f"{Path(database).as_uri()}?mode=rw", uri=True, timeout=60)) as db:
            signals.may_end_queries(db)
            yield db
    except sqlite3.Error as e:
        signals.handle_interrupted_query(e)
        raise Error(f"{database}: its runs cannot be read: {e}") from None
