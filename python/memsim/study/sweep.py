"""`memsim sweep`: runs a study, or shows how far it is."""
import argparse
import contextlib
import os
import sqlite3

from ..run import signals
from ..errors import Error
from ..run.options import ticks, whole
from ..run.session import session
from .points import Row, rows_of, summary
from ..results.database import connect


def main(argv: list[str]) -> int:
    p = argparse.ArgumentParser(
        prog="memsim sweep",
        allow_abbrev=False,
        usage="memsim sweep [options] study.py [the study's arguments]\n" "       memsim sweep --status OUTDIR",
        description="Run the points of a study, or of a figure of a paper. Options of memsim sweep may stand before or after the "
        "study; what it does not know is the study's. Asked to end, it saves what runs; the "
        "same command continues.",
    )
    p.add_argument("-d", "--outdir", metavar="DIR", help="where results go (memsim-out)")
    p.add_argument("--jobs", metavar="N", type=whole(1, 9999), help="points at once (one a core)")
    p.add_argument("-q", "--quiet", action="store_true", help="print no line for a point that has ended")
    p.add_argument(
        "--status",
        metavar="OUTDIR",
        help="what is done, what runs and the time left, of the " "studies in this directory or database",
    )
    g = p.add_argument_group("on a cluster (docs/sweeps.md)")
    g.add_argument(
        "--slurm",
        action="store_true",
        help="submit the points as an array of jobs of Slurm; " "--jobs is then the number of tasks at once (no limit)",
    )
    g.add_argument(
        "--sbatch",
        metavar="OPTION",
        action="append",
        default=[],
        help="of sbatch, for each job, such as --sbatch=--partition=long (repeatable)",
    )
    g.add_argument(
        "--save-every",
        metavar="TIME",
        type=_time,
        default="600s",
        help="real time between the checkpoints of a point (600s)",
    )
    g.add_argument("--task", metavar="PLAN", help=argparse.SUPPRESS)  # what the jobs themselves run
    g.add_argument("--gather", metavar="PLAN", help=argparse.SUPPRESS)
    p.add_argument("study", nargs="?", help="a figure of a paper, such as zng/fig10, or a script of your own")
    args, others = p.parse_known_args(argv)
    if args.status:
        if args.study or others:
            p.error("--status asks about a directory and takes no study")
        print(status(args.status))
        return 0
    if args.task:
        from .slurm import task

        with signals.handled():
            return task(args.task)
    if args.gather:
        from .slurm import gather

        args.outdir, (args.study, *others) = gather(args.gather)
    if not args.study:
        p.error("name a study, or --status OUTDIR")
    session.options.outdir = args.outdir or session.options.outdir
    session.options.jobs = args.jobs or 0
    session.options.verbosity = -args.quiet
    from . import command
    from .paper import figure_of

    is_figure = not os.path.exists(args.study) and figure_of(args.study) is not None
    if args.slurm:
        from .slurm import Submission
        from .study import Study

        named = args.study if is_figure else os.path.abspath(args.study)
        Study.elsewhere = Submission([named, *others], args.jobs, args.save_every, args.sbatch)
    if is_figure:
        command.main(args.study, others)
        return 0
    from ..run.start import run_script

    return run_script(args.study, others)


def _time(text: str) -> str:
    ticks(text)
    return text


def status(path: str) -> str:
    """The lines about each study of a database, or of the tasks in an output directory."""
    rows = _rows(path) if not os.path.isdir(path) or os.path.exists(os.path.join(path, "stats.db")) else []
    if os.path.isdir(path):
        from .slurm import rows as rows_of_tasks

        rows += rows_of_tasks(path, {row["study"] for row in rows})
    if not rows:
        raise Error(f"{path}: no study has run points into this database")
    lines = []
    for study in dict.fromkeys(row["study"] for row in rows):
        own = [row for row in rows if row["study"] == study]
        lines += summary(own)
        lines += [f"  failed: {row['name']}: {row['error']}" for row in own if row["state"] == "failed"]
    return "\n".join(lines)


def _rows(path: str) -> list[Row]:
    with contextlib.closing(connect(path)) as database:
        try:
            return rows_of(database)
        except sqlite3.OperationalError as e:
            if "no such table" not in str(e):
                raise Error(f"{path}: {e}") from None
            return []
