"""Execution of the points of a study: by processes here, or by `Execution.elsewhere`."""

import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from .. import _memsim
from ..errors import IN_USE, Error, InUse, user_error
from ..files import os_error
from ..run import known_runs, signals
from ..run.record import runs_of
from ..run.session import session
from ..run.processes import MEMSIM, Processes, as_they_end, environment
from .metric import root
from .points import Points, owner

UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ENDED = "it was stopped together with the study"


def reason(code: int, stderr: str) -> str:
    """One line: why a process ended with this code and output."""
    if code < 0:
        return f"its process was killed by signal {-code} ({signal.strsignal(-code)})"
    lines = stderr.strip().splitlines() or [f"exit code {code}"]
    whole = [number for number, line in enumerate(lines) if not line.startswith(" ")]  # others continue a line
    traces = [number for number in whole if lines[number].startswith("Traceback (")]
    first = next((number for number in whole if traces and number > traces[-1]), whole[-1])
    details = [] if traces else lines[first + 1 : first + 2]
    return " ".join([lines[first].removeprefix("memsim: "), *map(str.strip, details)])


@dataclasses.dataclass
class Point:
    """One run of a study: its keys, the script and its arguments, memsim's own options, and the run once it exists."""

    keys: dict[str, Any]
    script: str
    arguments: list[str]
    options: list[str] = dataclasses.field(default_factory=list)
    seed: int = 1
    run: str = ""
    seconds: float = 0.0
    in_use: str = ""  # its run that another process is executing
    found: bool = False  # it existed before

    @property
    def command(self) -> list[str]:
        """The arguments of memsim. A run that continues from a checkpoint has no script."""
        return [*self.options, *([self.script] if self.script else []), *self.arguments]

    @property
    def name(self) -> str:
        name = " ".join(map(str, self.keys.values())) or self.script
        return name + (f" seed {self.seed}" if self.seed > 1 else "")


class Execution:
    """Points of a study that are run concurrently, into one database."""

    elsewhere: ClassVar[
        Callable[["Execution", list[Point]], Any] | None
    ] = None  # runs the points instead of processes here
    system: str
    name: str
    jobs: int
    database: str
    points: list[Point]

    def run(self) -> Any:
        """Runs all points, `jobs` at a time. Raises an Error that names the points that failed. Finished points are
        kept: running the study again continues with the others. Points that another process is executing come last,
        because they may be finished by then. SIGTERM or Ctrl-C is forwarded to the running points and ends the study
        when they have ended."""
        if not self.points:
            raise user_error(f"the study {self.system}/{self.name} has no points: point() adds them")
        began, done = time.monotonic(), 0
        errors: dict[int, object] = {}
        twins = self._twins()
        if elsewhere := type(self).elsewhere:
            return elsewhere(self, [point for point, *_ in twins])
        os_error(lambda: os.makedirs(os.path.dirname(self.database), exist_ok=True), os.path.dirname(self.database))
        table = Points(
            self.database, f"{self.system}/{self.name}", self.points, self.jobs, session.options.verbosity >= 0
        )
        todo, processes = twins, Processes()
        futures: dict[Future[Any], list[Point]] = {}
        with (
            contextlib.closing(table),
            signals.handled(),
            signals.expected(),
            ThreadPoolExecutor(self.jobs, initializer=signals.block) as pool,
        ):
            try:
                while todo:
                    in_use = []
                    futures = {pool.submit(self._run_points, points, processes, table): points for points in todo}
                    for future in as_they_end(futures, table.show):
                        points, error = futures[future], future.result()
                        name = points[0].name
                        table.wipe()
                        if isinstance(error, InUse):
                            in_use.append(points)
                            self._print_message(f"{name}: {error}")
                            continue
                        done += 1
                        if error:
                            errors[id(points[0])] = error
                        took = "finished before" if points[0].found else f"{points[0].seconds:.1f} s"
                        self._print_message(f"{done}/{len(twins)}  {name}  {error or took}{table.left()}")
                    todo = in_use
            except (KeyboardInterrupt, SystemExit) as e:
                number = signal.SIGTERM if isinstance(e, SystemExit) else signal.SIGINT
                processes.terminate(number, futures)
                table.wipe()
                self._tell_stopped(number, futures, twins)
                raise
        if errors:
            failed = [f"{point.name}: {errors[id(point)]}" for point, *_ in twins if id(point) in errors]
            raise Error(
                f"{len(failed)} of {len(twins)} points of {self.name} failed; the "
                "others are kept in " + self.database + ":\n  " + "\n  ".join(failed)
            )
        return time.monotonic() - began

    def _twins(self) -> list[list[Point]]:
        """The points in groups of equal ones, which run once."""
        twins: dict[tuple[str | None, ...], list[Point]] = {}
        for point in self.points:
            twins.setdefault((point.script, *point.options, None, *point.arguments), []).append(point)
        return list(twins.values())

    def _tell_stopped(
        self, number: signal.Signals, futures: dict[Future[Any], list[Point]], twins: list[list[Point]]
    ) -> None:
        for future, (point, *_) in futures.items():
            if (error := future.result()) and error != ENDED:
                print(f"memsim: {self.name}: {point.name}: {error}", file=sys.stderr)
        finished = sum(bool(points[0].run) for points in twins)
        print(
            f"memsim: {self.name} was stopped by {number.name} with {finished} of {len(twins)} "
            "points finished: the same command continues with the others, from their checkpoints "
            "if they have one",
            file=sys.stderr,
            flush=True,
        )

    def _print_message(self, text: str) -> None:
        if session.options.verbosity >= 0:
            print(f"{self.name}: {text}", file=sys.stderr, flush=True)

    def _run_points(self, points: list[Point], processes: Processes, table: Points) -> object:
        """Runs equal points as one run, continues that run, or finds it finished. Returns the reason of a failure, if
        any."""
        point = points[0]
        if point.in_use:
            database = _memsim.Database(self.database)
            while database.in_use(point.in_use) and not processes.ended:
                time.sleep(0.1)
        table.set(points, "running", began=time.time(), owner=owner())
        error = self._run_process(point, processes)
        for twin in points:
            twin.run, twin.seconds, twin.found = point.run, point.seconds, point.found
        state = (
            "finished"
            if not error
            else "waiting"
            if error == ENDED
            else "elsewhere"
            if isinstance(error, InUse)
            else "failed"
        )
        table.set(
            points,
            state,
            run=point.run or None,
            error=str(error) if state in ("elsewhere", "failed") else None,
            seconds=None if point.found or state == "waiting" else point.seconds,
        )
        return error

    def _known_run(self, folder: str, words: list[str]) -> str | None:
        """The finished run of a command whose configuration is known, if there is one."""
        if not (configuration := known_runs.configuration_of(folder, words)):
            return None
        runs = runs_of(self.database, configuration)
        return runs[0][0] if runs and runs[0][1] else None

    def _run_process(self, point: Point, processes: Processes) -> object:
        """Runs the process of a point. Returns the reason of a failure, if any."""
        folder = os.path.join(os.path.dirname(self.database), "points")
        words = ["-d", folder, "--stats-db", self.database, "--skip-finished", *point.command]
        ours = os.path.dirname(point.script) == str(root() / "configs")
        if ours and (run := self._known_run(folder, words)):
            point.found, point.run = True, run
            return None
        began = time.monotonic()
        done = processes.run(
            [*MEMSIM, *words],
            env=environment() | ({known_runs.ASKED: "1"} if ours else {}),
            text=True,
            stdin=subprocess.DEVNULL,
        )
        point.seconds = time.monotonic() - began
        if done is None or processes.ended and done.returncode in (-processes.ended, 128 + processes.ended):
            return ENDED
        if done.returncode:
            why = reason(done.returncode, done.stderr)
            if done.returncode == IN_USE and (other := UUID.search(why)):
                point.in_use = other[0]
                return InUse(why)
            return why
        made = re.findall(r"^memsim: .*(?:, run|(finished before), as run) (\S+)$", done.stderr, re.M)
        if not made:
            return "it has no run in the database"
        point.found, point.run = bool(made[-1][0]), made[-1][1]
        return None
