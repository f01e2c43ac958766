"""`memsim resume OUTDIR`: continues the unfinished runs of an output directory."""
import argparse
import contextlib
import os
import sys

from .. import _memsim
from ..run import checkpoints
from ..errors import IN_USE, Error, legible
from ..files import shown
from ..run.processes import MEMSIM, run_for_us
from ..results.database import connect


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = "Continue each unfinished run from its last complete checkpoint"
    parser.add_argument("OUTDIR", help="the output directory, with stats.db and the checkpoints")


def main(args: argparse.Namespace) -> int:
    """Continues one run after another, each in a process of its own. Returns the exit code of the last one that
    failed."""
    outdir: str = args.OUTDIR
    seen, exit_code = set[str](), 0
    # A script with several machines finishes all its runs, so the remaining runs are determined each time.
    while run := next((run for run in _unfinished(outdir) if run not in seen), None):
        seen.add(run)
        exit_code = _continue_run(outdir, run) or exit_code
    if not seen:
        _print_message(f"{outdir}: every run is finished")
    return exit_code


def _print_message(text: str) -> None:
    print(f"memsim: {legible(text)}", file=sys.stderr, flush=True)


def _unfinished(outdir: str) -> list[str]:
    with contextlib.closing(connect(os.path.join(outdir, "stats.db"))) as database:
        return [run for run, in database.execute("SELECT id FROM run WHERE finished IS NULL ORDER BY started, id")]


def _continue_run(outdir: str, run: str) -> int:
    database = os.path.join(outdir, "stats.db")
    if _memsim.Database(database).in_use(run):
        _print_message(f"{outdir}: run {run} belongs to another process: wait for it, or end it first")
        return IN_USE
    file = checkpoints.latest(outdir, run)
    if not file:
        _print_message(f"{outdir}: run {run} has no complete checkpoint here: start its script again")
        return 1
    where = _memsim.read_checkpoint(file).run.database
    if os.path.realpath(where) != os.path.realpath(database):
        raise Error(
            f"{file}: its run writes its results into {where}, not {database}: continue as a new "
            "run by --restore FILE -d DIR"
        )
    _print_message(f"continues with run {run} from {shown(file)}")
    return int(run_for_us([*MEMSIM, "--restore", file]).returncode)
