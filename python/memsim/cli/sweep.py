"""`memsim sweep`: runs a study, or shows its progress."""

import argparse
import os

from ..arguments import wall_period, whole
from ..errors import Error
from ..run import signals
from ..run.session import session
from ..study.status import status


def register(parser: argparse.ArgumentParser) -> None:
    parser.usage = "memsim sweep [options] study.py [the study's arguments]\n       memsim sweep --status OUTDIR"
    parser.description = (
        "Run the points of a study, or of a figure of a paper. Options of memsim sweep may precede or follow the "
        "study; all others are the study's, such as --seeds N. A signal saves the running points; the same command "
        "continues."
    )
    parser.add_argument("-d", "--outdir", metavar="DIR", help="the output directory (memsim-out)")
    parser.add_argument("--jobs", metavar="N", type=whole(1, 9999), help="concurrent points (one for each core)")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no line for a point that has ended")
    parser.add_argument(
        "--status",
        metavar="OUTDIR",
        help="print the progress and the time left of the studies in this directory or database",
    )
    g = parser.add_argument_group("on a cluster (docs/studies.md)")
    g.add_argument(
        "--slurm",
        action="store_true",
        help="submit the points as a job array of Slurm; --jobs limits the number of concurrent tasks",
    )
    g.add_argument(
        "--sbatch",
        metavar="OPTION",
        action="append",
        default=[],
        help="an option of sbatch for each job, such as --sbatch=--partition=long (repeatable)",
    )
    g.add_argument(
        "--save-every",
        metavar="TIME",
        type=_time,
        help="real time between the checkpoints of a point (600s)",
    )
    g.add_argument("--task", metavar="PLAN", help=argparse.SUPPRESS)  # executed by the jobs
    g.add_argument("--gather", metavar="PLAN", help=argparse.SUPPRESS)
    parser.add_argument("study", nargs="?", help="a figure of a paper, such as zng/fig10, or a script of your own")


def main(args: argparse.Namespace) -> int:
    if args.status:
        if args.study or args.others:
            raise Error("--status takes a directory and no study")
        print(status(args.status))
        return 0
    if args.task:
        from ..study.slurm import task

        with signals.handled():
            return task(args.task)
    if args.gather:
        from ..study.slurm import gather

        args.outdir, (args.study, *args.others) = gather(args.gather)
    if not args.study:
        raise Error("sweep: name a study, or --status OUTDIR")
    for name, value in ("--sbatch", args.sbatch), ("--save-every", args.save_every):
        if value and not args.slurm:
            raise Error(f"{name} requires --slurm: without it the points would run on this computer")
    session.options.outdir = args.outdir or session.options.outdir
    session.options.jobs = args.jobs or 0
    session.options.verbosity = -args.quiet
    session.options.seeds = _seeds(args.others)
    from ..study import command
    from ..study.paper import figure_of

    is_figure = not os.path.exists(args.study) and figure_of(args.study) is not None
    if args.slurm:
        from ..study.slurm import Submission
        from ..study.study import Study

        named = args.study if is_figure else os.path.abspath(args.study)
        Study.elsewhere = Submission([named, *args.others], args.jobs, args.save_every or "600s", args.sbatch)
    if is_figure:
        command.main(args.study, args.others)
        return 0
    from ..run.start import run_script

    return run_script(args.study, args.others)


def _seeds(arguments: list[str]) -> int:
    """The value of --seeds, which stays an argument of the study: a study may read it, too."""
    parser = argparse.ArgumentParser(prog="memsim sweep", add_help=False, allow_abbrev=False)
    parser.add_argument("--seeds", type=whole(1), default=1)
    return int(parser.parse_known_args(arguments)[0].seeds)


def _time(text: str) -> str:
    wall_period(text)
    return text
