"""Runs, draws and judges figures of papers.

OUTDIR/<paper>/<figure> holds for each figure: `data.csv`, the metrics of each point; `data.svg`, a drawing of them, for
figures of platforms and workloads; `output.txt`, the printed tables; `claims.csv` and `claims.svg`, our values and the
paper's. All runs, and the table `claim`, are in OUTDIR/stats.db. Finished points are not run again, so an interrupted
reproduction continues with the same command.
"""

import argparse
import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from ..errors import Error
from ..files import os_error
from ..run import processes, signals
from ..run.progress import duration
from . import accuracy, claimed, results
from .catalog import SCALES, Known
from .drawing import draw, draw_data


def run(figure: Known, args: argparse.Namespace) -> tuple[float, float]:
    """Runs the study of a figure and prints its progress; an interrupted study continues. Returns CPU seconds
    and MB."""
    folder = Path(args.outdir, figure.name)
    os_error(lambda: folder.mkdir(parents=True, exist_ok=True), folder)
    options = ["--jobs", str(args.jobs)]
    if figure.takes_a_scale:
        options += [*SCALES[args.scale], "--seeds", str(args.seeds), *args.others]
        options += ["--envelope"] if args.envelope else []
    signals.block()  # the new process begins so: no signal ends it before it listens
    study = subprocess.Popen(
        [*processes.MEMSIM, "sweep", *(["-q"] if args.quiet else []), "-d", args.outdir, figure.name, *options],
        env=processes.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        signals.unblock()
        text = study.stdout.read() if study.stdout else ""
        _, status, used = os.wait4(study.pid, 0)
    except BaseException as e:
        if isinstance(e, SystemExit):  # a SIGTERM; Ctrl-C was sent to the study, too
            study.terminate()
        study.wait()  # its points write their checkpoints
        raise
    if code := os.waitstatus_to_exitcode(status):
        raise Error(f"{figure.name} ended with code {code}; finished points are kept: the same command continues")
    (folder / "output.txt").write_text(text)
    print(text, end="", flush=True)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024  # of the study and all its points


def ran_whole(figure: Known, args: argparse.Namespace) -> bool:
    """Whether no point of the figure had been run earlier."""
    with contextlib.closing(sqlite3.connect(Path(args.outdir, "stats.db"))) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'point'").fetchone():
            return True  # a figure that only computes
        before = "SELECT 1 FROM point WHERE study = ? AND seconds IS NULL"
        return not database.execute(before, [figure.name]).fetchone()


def judged_by(database: Path, figure: Known) -> list[dict[str, Any]]:
    """The judgements of a figure: rows of the table `claim`."""
    known = claimed.claims(figure.system)
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'claim'").fetchone():
            return []
        rows = db.execute("SELECT * FROM claim WHERE study = ? ORDER BY id", [figure.figure])
        return [dict(row) for row in rows if row["id"] in known]


Judged = dict[str, tuple[dict[str, Any], Known]]  # by claim: its row of the table `claim`, and the figure


def reproduce(todo: list[Known], args: argparse.Namespace) -> Judged:
    """Runs the figures one after the other. Returns their judgements."""
    began = time.monotonic()
    found: Judged = {}
    os_error(lambda: os.makedirs(args.outdir, exist_ok=True), args.outdir)
    own_costs = Path(args.outdir, "costs.csv")
    known = results.all_costs(own_costs)
    expected = [known.get((f.name, args.scale), (0.0, 0.0))[0] for f in todo]
    for i, figure in enumerate(todo):
        folder = Path(args.outdir, figure.name)
        left = sum(expected[i:]) / args.jobs
        _print_message(args, f"{i + 1}/{len(todo)}  {figure.name}" + (f", about {duration(left)} left" if left else ""))
        seconds, megabytes = run(figure, args)
        whole = ran_whole(figure, args) and not args.others and not args.envelope
        if whole:
            results.add_cost(own_costs, figure.name, args.scale, seconds, megabytes)
        rows = judged_by(Path(args.outdir, "stats.db"), figure)
        draw(figure, rows, folder)
        draw_data(figure, folder)
        found.update((row["id"], (row, figure)) for row in rows)
        if args.record and (figure.is_sweep or args.envelope):
            new = results.envelopes(Path(args.outdir, "stats.db"))
            results.record_envelopes(figure.system, new)
        elif args.record:
            results.record(found, args.scale)
            if whole:
                costs = results.RESULTS / figure.system / "costs.csv"
                results.add_cost(costs, figure.name, args.scale, seconds, megabytes)
            if args.scale == "judge" and (folder / "data.csv").exists():
                results.record_points(figure, folder / "data.csv")
        if args.record:
            accuracy.write()
        met = sum(row["comparison"] == "met" for row in rows)
        _print_message(args, f"{figure.name}: {met} of {len(rows)} claims show the paper's value; {folder}")
    _print_message(args, f"all done in {duration(time.monotonic() - began)}")
    if args.record:
        _print_message(args, f"written: {results.RESULTS}, {accuracy.PAGE}")
    return found


def check(found: Judged, scale: str) -> int:
    """1 if a claim that was met before is not met now, otherwise 0."""
    before = results.recorded(scale)
    lost = 0
    for id, (row, figure) in found.items():
        if id in before and before[id].comparison == "met" and row["comparison"] != "met":
            lost += 1
            print(
                f"{id} was met with {before[id].ours:.4g} and is not met any more: {figure.name} gives "
                f"{'nothing' if row['ours'] is None else format(row['ours'], '.4g')}, the paper has {row['paper']:.4g} "
                f"({row['metric']}, {row['subject']})"
            )
    compared = sum(id in before for id in found)
    print(f"{compared} of {len(found)} claims were measured before at this scale; {lost} of them are not met any more")
    return 1 if lost else 0


def _print_message(args: argparse.Namespace, text: str) -> None:
    if not args.quiet:
        print(f"reproduce: {text}", file=sys.stderr, flush=True)
