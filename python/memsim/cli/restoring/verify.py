"""`memsim ckpt verify script.py`: compares runs that are saved and restored with the undisturbed run.

The script runs once without and once with checkpoints at random ticks. From each checkpoint it continues in a new
process, and the contents of the database are compared. Another process loads the checkpoint and saves it at once: the
file must be the same.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Any

from ... import _memsim
from ...run import signals
from ...model.build import build, rebuild_tree
from ...model.units import Time
from ...errors import Error
from ...files import check_regular
from ...run.options import add_options, repeated
from ...run.processes import MEMSIM, PYTHON, run_for_us
from ...results.database import connect
from ...results.rows import TABLES

# Contents without data about the host or the time of day: equal for equal runs.
CONTENT = {
    "ends and digests": "SELECT name, seed, version, sim_time_fs, exit_cause, digest FROM run",
    "dumps": "SELECT tick, since_tick, label FROM dump ORDER BY id",
    "statistics": "SELECT label, path, name, value, unit FROM results ORDER BY dump, path, name",
    "series": "SELECT path, name, tick, value, unit FROM samples ORDER BY path, name, tick",
    "distributions": "SELECT tick, label, path, stat.name, low, high, count FROM distribution "
    "JOIN dump ON dump.id = dump JOIN stat ON stat.id = stat JOIN object ON object.id = object "
    "ORDER BY dump.id, path, stat.name, low",
    "launches": "SELECT dispatcher, application, number, kernel, started, ended, instructions, cycles, path, name, "
    "counted.value FROM launch LEFT JOIN counted ON launch = launch.id LEFT JOIN total ON total.id = total "
    "ORDER BY started, dispatcher, application, number, path, name",
    "slowest requests": "SELECT tick, label, rank, stage, time, number, address, opened FROM slow "
    "JOIN dump ON dump.id = dump ORDER BY dump.id, rank, stage",
    "parameters": "SELECT path, name, text, value FROM param JOIN object ON object.id = object ORDER BY path, name",
    "connections": "SELECT source, source_port, target, target_port FROM connection ORDER BY source, source_port",
}
Content = dict[str, collections.Counter[tuple[Any, ...]]]  # the rows of each query, with multiplicity
OF_EACH_PROCESS = "stamps", "threads", "event_queue", "perturb", "random_partitions"  # a checkpoint does not keep them
SAVE_AGAIN = "import sys; from memsim.cli.restoring.verify import save_again; save_again(*sys.argv[1:])"


def register(p: argparse.ArgumentParser) -> None:
    p.add_argument("--ticks", metavar="N", type=int, default=20, help="number of random ticks (20)")
    p.add_argument("--seed", metavar="N", type=int, default=1, help="seed of the random ticks (1)")
    add_options(p, "changes", *OF_EACH_PROCESS)
    p.add_argument("script", metavar="script.py", help="must end with code 0")
    p.add_argument("arguments", nargs="...", help="the script's")


def main(args: argparse.Namespace) -> int:
    """Prints a line for each checkpoint, and the verdict. Returns 1 if there is a difference."""
    if args.ticks < 1:
        raise Error("--ticks: must be at least 1")
    check_regular(args.script)
    options = repeated(args, *OF_EACH_PROCESS)
    command = [*repeated(args, "changes"), *options, args.script, *args.arguments]
    with tempfile.TemporaryDirectory(prefix="memsim-verify-") as scratch:
        whole, cut, saved = (os.path.join(scratch, name) for name in ("whole", "cut", "saved"))
        expected = _contents_after(whole, command)
        ticks = _random_ticks(whole, args)
        at = [word for tick in ticks for word in ("--checkpoint-at", str(Time(tick)))]
        saving = _differences(expected, _contents_after(cut, [*at, *command]))
        if saving:
            print(f"saving alone   DIFFERENT: {saving}", flush=True)
        # Each restore works on a copy of the checkpoints, because it saves at the later ticks again.
        shutil.copytree(cut, saved)
        wrong, files, database = int(bool(saving)), _checkpoints(saved), os.path.join(cut, "stats.db")
        for file in files:
            shutil.copy(os.path.join(saved, "stats.db"), database)
            _remove_later(file, database)
            found = _compare(file, expected, database, options)
            wrong += bool(found)
            print(
                f"{_memsim.show_ticks(_memsim.checkpoint_info(file)['now']):>24}  "
                f"{f'DIFFERENT: {found}' if found else 'same'}",
                flush=True,
            )
    print(
        f"{args.script}: "
        + (
            f"{wrong} of {len(files) + 1} comparisons differ (seed {args.seed})"
            if wrong
            else f"restored from each of {len(files)} checkpoints, it gives the same digest, statistics and series, "
            f"and each checkpoint saved again is the same file (seed {args.seed})"
        )
    )
    return int(wrong > 0)


def _contents_after(outdir: str, command: list[str]) -> Content:
    """The contents of the database after a run that must succeed."""
    done = run_for_us([*MEMSIM, "-q", "-d", outdir, *command], quiet=True)
    if done.returncode:
        raise Error(f"the script ended with code {done.returncode}; it must end with 0: {_last(done)}")
    database = os.path.join(outdir, "stats.db")
    if not os.path.exists(database):
        raise Error("the script builds no machine")
    return _content(database)


def _last(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stderr.strip() or "no message").splitlines()[-1].removeprefix("memsim: ")


def _content(database: str) -> Content:
    with contextlib.closing(connect(database)) as db:
        return {name: collections.Counter(db.execute(query)) for name, query in CONTENT.items()}


def _random_ticks(outdir: str, args: argparse.Namespace) -> list[int]:
    with contextlib.closing(connect(outdir)) as db:
        (end,) = db.execute("SELECT max(sim_time_fs) FROM run").fetchone()
    if not end or end <= args.ticks:
        raise Error(f"{args.script}: it simulates {end or 0} fs, which is less than {args.ticks} ticks")
    return sorted(random.Random(args.seed).sample(range(1, end), args.ticks))


def _checkpoints(outdir: str) -> list[str]:
    """Checkpoints by simulated time; each machine of a script has its own."""
    files = [os.path.join(outdir, name) for name in os.listdir(outdir) if name.endswith(".ckpt")]
    return sorted(files, key=lambda file: (_memsim.checkpoint_info(file)["now"], file))


def _remove_later(file: str, database: str) -> None:
    """Removes the runs of machines that the script had not built when it wrote the checkpoint. The restored script
    builds them, and begins new runs."""
    earlier = json.loads(_memsim.read_checkpoint(file).script.journal)["runs"].values()
    with contextlib.closing(sqlite3.connect(database)) as db, db:
        later = [run for (run,) in db.execute("SELECT id FROM run") if run not in earlier]
        for name, (own, _) in reversed(TABLES.items()):
            db.execute(f"DELETE FROM {name} WHERE {own}", [json.dumps(later)])


def _compare(file: str, expected: Content, database: str, options: Iterable[str] = ()) -> str:
    """The differences as text; empty if there are none."""
    again = f"{file}.again"
    done = run_for_us([*PYTHON, "-c", SAVE_AGAIN, file, again], quiet=True)
    if done.returncode:
        return f"it cannot be loaded and saved: {_last(done)}"
    if not same_file(file, again):
        return "saved again, it is a different file"
    done = run_for_us([*MEMSIM, *options, "--restore", file], quiet=True)
    if done.returncode:
        return f"--restore ended with code {done.returncode}: {_last(done)}"
    if new := re.search("^memsim: (.*: this is a new run), ", done.stderr, re.M):
        return new[1]  # memsim itself was changed meanwhile
    return _differences(expected, _content(database))


def _differences(expected: Content, found: Content) -> str:
    """The kinds with different rows, and a row of each side of the first kind."""
    kinds = [kind for kind in CONTENT if expected[kind] != found[kind]]
    if not kinds:
        return ""
    sides = [
        next(iter(one - other), None)
        for one, other in ((expected[kinds[0]], found[kinds[0]]), (found[kinds[0]], expected[kinds[0]]))
    ]
    return f"{', '.join(kinds)}; {sides[0]} became {sides[1]}"


def save_again(file: str, to: str) -> None:
    """Loads a checkpoint without its script and saves the machine unchanged."""
    with signals.handled():
        saved = _memsim.read_checkpoint(file)
        os.chdir(saved.script.cwd)
        machine = build(rebuild_tree(saved.configuration, saved.script.seed))
        machine.load(saved.snapshot)
        _memsim.write_checkpoint(to, machine, saved.script, saved.run)


def same_file(one: str, other: str) -> bool:
    """Whether two checkpoints are equal except for the time at which they were written."""
    return _without_time(one) == _without_time(other)


def _without_time(file: str) -> tuple[dict[str, Any], bytes]:
    with open(file, "rb") as f:
        data = f.read()
    info = _memsim.checkpoint_info(os.fspath(file))
    del info["written"]
    return info, data[64 + struct.unpack_from("<I", data, 12)[0] :]  # docs/checkpoints.md
