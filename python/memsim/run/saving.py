"""Writing the checkpoints of one machine, and when each is due."""
import json
import os
import time
from typing import Any

from .. import _memsim
from ..files import check_output, os_error, shown
from . import checkpoints, children
from .journal import Journal
from .origin import Origin
from .progress import Progress
from .record import Record
from .script import package_files
from .session import session

NEVER = _memsim.never
MANY = 50  # periodic checkpoints; a warning follows if they are written faster than one a second


class Saver:
    """Saves one machine between two ticks.

    Requires  a Record that has begun.
    """

    def __init__(self, origin: Origin, record: Record, journal: Journal, progress: Progress) -> None:
        self._origin, self._record, self._journal, self._progress = origin, record, journal, progress
        self._wall = time.monotonic()  # time of the last checkpoint
        self._periodic = 0  # number of checkpoints by simulated time
        self.saved, self.last = -1, ""  # tick and file of the last checkpoint: none is written twice
        self.at = sorted(origin.options.checkpoint_at)  # ticks that are still to come

    def next_tick(self) -> int:
        """The tick of the next checkpoint by simulated time, or NEVER."""
        now = self._origin.machine.now
        period: int = self._origin.options.checkpoint_sim_period
        self.at = [tick for tick in self.at if tick > now or (tick == now and tick > self.saved)]
        return min([int(NEVER), *self.at[:1], *([(now // period + 1) * period] if period else [])])

    def wall_clock_is_due(self) -> bool:
        """Whether a checkpoint by the wall clock is due."""
        period = self._origin.options.checkpoint_wall_period
        return bool(period) and time.monotonic() - self._wall >= period

    def save_as(self, stem: str, tell: bool = True) -> str:
        """Saves as OUTDIR/<stem>-<run>.ckpt; returns the path."""
        return self.save(self.path_of(stem), tell)

    def path_of(self, stem: str) -> str:
        """The path of a checkpoint of this run in OUTDIR."""
        return checkpoints.path_of(self._origin.outdir, stem, self._record.run.uuid)

    def save_periodic(self) -> None:
        """Saves by simulated time. Warns once if these checkpoints take most of the time and fill the disk."""
        self.save()
        self._periodic += 1
        if self._periodic == MANY and (spent := self._record.host_seconds()) < MANY:
            self._progress.print_message(
                f"warning: {MANY} checkpoints were written in {spent:.1f} s, all of which are kept in "
                f"{shown(self._origin.outdir)}: --checkpoint-sim-period or --checkpoint-at may be too short; "
                "--checkpoint-wall-period keeps only the last"
            )

    def save(self, path: str | os.PathLike[str] | None = None, tell: bool = True) -> str:
        """Saves the machine, by default as OUTDIR/<time>-<run>.ckpt; returns the path.

        Raises Error if the file cannot be written or would replace another kind of file.
        """
        now = self._origin.machine.now
        file = os.fspath(path) if path else self.path_of(_memsim.show_ticks(now))
        check_output(file, "a checkpoint")
        call = self._journal.current
        by_script = call is not None and call["kind"] == "checkpoint"
        if call is not None and by_script:
            call["path"] = file
        kept = json.dumps(self._kept()).encode()
        os_error(lambda: os.makedirs(os.path.dirname(file) or ".", exist_ok=True), file)
        _memsim.write_checkpoint(file, self._origin.machine, self._script(kept), self._run())
        if not by_script:
            self.saved, self.last = now, file
        self._wall = time.monotonic()
        if tell:
            self._progress.print_message(f"checkpoint at {_memsim.show_ticks(now)} in {shown(file)}")
        return file

    def latest(self) -> str | None:
        """The last checkpoint of this run: of now, or the one furthest on in OUTDIR."""
        if self.saved == self._origin.machine.now:
            return self.last
        return checkpoints.latest(self._origin.outdir, self._record.run.uuid)

    def _kept(self) -> dict[str, Any]:
        """The Python part of a checkpoint."""
        origin = self._origin
        return {
            "journal": self._journal.record(),
            "options": origin.options.kept(),
            "name": origin.script.name,
            "machine": origin.number,
            "runs": origin.former_runs() | session.runs,
            "dumped": self._record.dumped,
            "cause": self._record.cause,
            "arguments": origin.arguments,
        }

    def _script(self, kept: bytes) -> _memsim.Script:
        """The script and its files. None in a child process: its script, run again, would start all children."""
        script = self._origin.script
        files = dict(script.files())
        return _memsim.Script(
            path="" if children.is_one() else script.path or "",
            hash=files.pop(script.path, "") if script.path else "",
            cwd=script.cwd,
            argv=script.argv,
            modules=list(files.items()),
            package=list(package_files().items()),
            inputs=self._origin.inputs,
            journal=kept,
        )

    def _run(self) -> _memsim.RunAt:
        """The progress of the run."""
        return _memsim.RunAt(
            uuid=self._record.run.uuid,
            database=self._origin.database,
            outdir=self._origin.outdir,
            position=self._record.position(),
            host_seconds=self._record.host_seconds(),
        )
