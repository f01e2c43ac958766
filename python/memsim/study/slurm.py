"""`memsim sweep --slurm`: a study's points as tasks of a Slurm job array.

Each task runs one point as a study of its own, in OUTDIR/tasks/<study>/<number>/. When Slurm ends or requeues it, for
example after its node has failed, it continues there. When all tasks have ended, one more job gathers their databases
into OUTDIR/stats.db and runs the study again, which finds its points. Only this job writes there.
"""
import contextlib
import dataclasses
import glob
import json
import os
import shlex
import sqlite3
import subprocess
import sys
from typing import Any

from . import points
from ..errors import PACKAGE, Error
from ..files import check_regular, os_error, replacing
from .points import Row
from .study import Point, Study

BATCH = """\
#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --chdir={cwd}
#SBATCH --output={log}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --ntasks=1
{options}export PYTHONPATH={package}
exec {python} -P -m memsim sweep {command}
"""


class Submission:
    """A replacement of Study.run(): writes the plan of the tasks, submits them, and ends the script."""

    def __init__(self, argv: list[str], jobs: int | None, save_every: str, options: list[str]) -> None:
        self._argv, self._jobs, self._save_every, self._options = argv, jobs, save_every, options

    def __call__(self, study: Any, todo: list[Point]) -> None:
        outdir = os.path.dirname(study.database)
        folder = os.path.join(outdir, "slurm")
        os_error(lambda: os.makedirs(folder, exist_ok=True), folder)
        plan = os.path.join(folder, f"{study.name}.json")
        for point in todo:
            point.options = ["--checkpoint-wall-period", self._save_every, *point.options]
        with replacing(plan) as f:
            json.dump(
                {
                    "system": study.system,
                    "name": study.name,
                    "outdir": outdir,
                    "argv": self._argv,
                    "points": [dataclasses.asdict(point) for point in todo],
                },
                f,
                indent=1,
            )
        _forget(study)
        limit = f"%{self._jobs}" if self._jobs else ""
        array = self._submit(
            study.name,
            f"--task {shlex.quote(plan)}",
            os.path.join(folder, study.name) + "-%a.log",
            [f"--array=0-{len(todo) - 1}{limit}"],
        )
        gather = self._submit(
            f"{study.name}-gather",
            f"--gather {shlex.quote(plan)}",
            os.path.join(folder, f"{study.name}-gather.log"),
            [f"--dependency=afterany:{array}"],
        )
        print(
            f"{study.name}: {len(todo)} points are tasks of job {array}; job {gather} gathers them into "
            f"{study.database}; memsim sweep --status {outdir} shows their progress"
        )
        raise SystemExit(0)

    def _submit(self, name: str, command: str, log: str, options: list[str]) -> str:
        """Submits a job and returns its number."""
        text = BATCH.format(
            name=shlex.quote(name),
            cwd=shlex.quote(os.getcwd()),
            log=shlex.quote(log),
            command=command,
            python=shlex.quote(sys.executable),
            package=shlex.quote(os.path.dirname(PACKAGE.rstrip(os.sep))),
            options="".join(f"#SBATCH {option}\n" for option in [*self._options, *options]),
        )
        try:
            done = subprocess.run(["sbatch", "--parsable"], input=text, capture_output=True, text=True)
        except OSError as e:
            raise Error(
                f"sbatch cannot be started ({e.strerror}): --slurm requires a machine from which "
                "Slurm jobs can be submitted"
            ) from None
        if done.returncode:
            raise Error(f"sbatch refused the job {name}: {done.stderr.strip()}")
        return done.stdout.strip().partition(";")[0]


def _forget(study: Study) -> None:
    """Removes the rows of an earlier run of the study's points."""
    if os.path.exists(study.database):
        with contextlib.closing(sqlite3.connect(study.database, timeout=60)) as db, db:
            db.execute(points.TABLE)
            db.execute("DELETE FROM point WHERE study = ?", [f"{study.system}/{study.name}"])


def _read_plan(file: str) -> dict[str, Any]:
    check_regular(file)
    try:
        with open(file) as f:
            plan: dict[str, Any] = json.load(f)
            return plan
    except (OSError, ValueError) as e:
        raise Error(f"{file}: the plan of the study cannot be read ({e})") from None


def _database(plan: dict[str, Any], number: int | str) -> str:
    return os.path.join(plan["outdir"], "tasks", plan["name"], str(number), "stats.db")


def task(file: str) -> int:
    """Runs the point of this array task."""
    plan, number = _read_plan(file), os.environ.get("SLURM_ARRAY_TASK_ID", "")
    if not number.isdigit() or int(number) >= len(plan["points"]):
        raise Error(
            f"SLURM_ARRAY_TASK_ID is '{number}': it must be the number of one of the "
            f"{len(plan['points'])} points of {file}"
        )
    study = Study(plan["system"], plan["name"], _database(plan, number), jobs=1)
    study.points = [Point(**plan["points"][int(number)])]
    study.run()
    return 0


def gather(file: str) -> tuple[str, list[str]]:
    """Gathers the runs of all tasks into the study's database. Returns the study and its arguments, which are to be
    run."""
    from .merge import merge

    plan = _read_plan(file)
    made = [path for number in range(len(plan["points"])) if os.path.exists(path := _database(plan, number))]
    if made:
        merge(os.path.join(plan["outdir"], "stats.db"), made)
        study = Study(plan["system"], plan["name"], os.path.join(plan["outdir"], "stats.db"))
        _forget(study)
    return plan["outdir"], plan["argv"]


def rows(outdir: str, known: set[str]) -> list[Row]:
    """The rows of points of studies that run as tasks, except those in `known`."""
    found = []
    for file in sorted(glob.glob(os.path.join(glob.escape(outdir), "slurm", "*.json"))):
        plan = _read_plan(file)
        study = f"{plan['system']}/{plan['name']}"
        for number, point in enumerate(plan["points"] if study not in known else []):
            row: Row = dict(
                dict.fromkeys(points.COLUMNS), study=study, name=Point(**point).name, state="waiting", jobs=0
            )
            if os.path.exists(path := _database(plan, number)):
                with contextlib.closing(sqlite3.connect(path, timeout=60)) as db, contextlib.suppress(
                    sqlite3.OperationalError
                ):
                    row.update(*points.rows_of(db, study))
            found.append(row)
    return found
