"""Long runs: memory, speed and files stay constant, and a full database answers a query in time.

    build/memsim -d DIR tests/bench/endurance.py events [--events 1e10] [--seconds 3600]
    build/memsim -d DIR tests/bench/endurance.py checkpoints [--count 1000]
    build/memsim -d DIR tests/bench/endurance.py runs [--count 10000]

Each prints a table and ends with code 1 where something grew, slowed down or took too long.
"""

import argparse
import contextlib
import glob
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import memsim
from memsim.mem import Crossbar, DramController, Monitor, TrafficGen
from memsim.study.merge import TABLES
from memsim.run.processes import MEMSIM, environment
from memsim.results.database import connect
from memsim.run.session import session

ROOT = Path(__file__).resolve().parents[2]
GROWTH = 1.05  # growth of resident memory, from the end of the first tenth
SLOWER = 0.8  # events per CPU second in the second half, relative to the first half


def resident(process="self"):
    """MiB"""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def endless():
    """Two generators, a crossbar and a DRAM: a run without end."""
    root = memsim.Root()
    root.monitor = Monitor()
    root.crossbar = Crossbar(inputs=2, outputs=1)
    root.generator = [
        TrafficGen(requests=0, pattern=pattern, period="2ns", outstanding=64, read_share="60%", range="64MiB")
        for pattern in ("random", "sequential")
    ]
    for generator in root.generator:
        generator.mem_side = root.crossbar.cpu_side
    root.crossbar.mem_side = root.monitor.cpu_side
    root.memory = DramController(timing="ddr4_3200")
    root.monitor.mem_side = root.memory.cpu_side
    return memsim.instantiate(root)


def events(count, seconds):
    """Measures twenty intervals, limited by events or by time, whichever limit is reached first."""
    machine, rows, slice_ = endless(), [], 1e8  # fs

    def done():
        return machine._machine.counts["events"]

    began = before = time.process_time()
    print("billion events\tCPU s\tmillion a CPU second\tMiB resident", flush=True)
    while done() < count and time.process_time() - began < seconds:
        start = done()
        until = time.process_time() + seconds / 20
        while done() - start < count / 20 and time.process_time() < until:
            was = done(), time.process_time()
            memsim.simulate(max(1, int(slice_)))
            # Each call is an entry of the journal; it takes a second or an interval.
            slice_ *= min(10, 1 / max(1e-9, time.process_time() - was[1]), count / 20 / max(1, done() - was[0]))
        now = time.process_time()
        rows.append(((done() - start) / (now - before), resident()))
        print(f"{done() / 1e9:.3f}\t{now - began:.0f}\t{rows[-1][0] / 1e6:.2f}\t{rows[-1][1]:.1f}", flush=True)
        before = now
    half = len(rows) // 2
    first, second = (sum(rate for rate, _ in part) / len(part) for part in (rows[:half], rows[half:]))
    tenth = rows[len(rows) // 10][1]
    return second > SLOWER * first and max(memory for _, memory in rows) < GROWTH * tenth


def checkpoints(count):
    """Checkpoints one run every 20 ms. Only the last file is kept."""
    out = session.options.outdir
    command = [*MEMSIM, "-q", "-d", out, "--checkpoint-wall-period", "20ms", __file__, "endless"]
    rows, seen, last, most = [], 0, None, 0
    print("checkpoints\tMiB resident\topen files\tfiles in the directory", flush=True)
    with subprocess.Popen(command, env=environment()) as run:
        try:
            while seen < count and run.poll() is None:
                time.sleep(0.002)
                files = glob.glob(os.path.join(out, "*.ckpt"))
                most = max(most, len(files))
                with contextlib.suppress(FileNotFoundError):
                    if not files or (now := os.stat(files[0]).st_mtime_ns) == last:
                        continue
                    last, seen = now, seen + 1
                    if seen % max(1, count // 10) == 0:
                        rows.append((resident(run.pid), len(os.listdir(f"/proc/{run.pid}/fd"))))
                        print(f"{seen}\t{rows[-1][0]:.1f}\t{rows[-1][1]}\t{len(os.listdir(out))}", flush=True)
        finally:
            run.kill()
    memory, open_files = zip(*rows)
    return seen == count and most == 1 and max(memory) < GROWTH * memory[0] and max(open_files) <= open_files[0] + 1


def runs(count):
    """Copies of one run of the main job, each with all its rows."""
    subprocess.run(
        [*MEMSIM, "-q", "-d", session.options.outdir, ROOT / "configs/ohm_planar.py", "--scale", "tiny"],
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    file = os.path.join(session.options.outdir, "stats.db")
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA cache_size = -500000")
        database.execute("CREATE TEMP TABLE twin(run TEXT PRIMARY KEY, id TEXT)")
        while (there := [row[0] for row in database.execute("SELECT id FROM run")])[count - 1 :] == []:
            copied = there[: count - len(there)]
            database.execute("DELETE FROM twin")
            database.executemany("INSERT INTO twin VALUES(?, ?)", [(run, str(uuid.uuid4())) for run in copied])
            behind = {
                name: database.execute(f"SELECT max(id) FROM {name}").fetchone()[0]
                for name, (_, numbers) in TABLES.items()
                if "id" in numbers
            }
            for name, (own, numbers) in TABLES.items():
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
                moved = [
                    f"{c} + {behind[numbers[c]]}"
                    if c in numbers
                    else f"(SELECT twin.id FROM twin WHERE twin.run = {name}.{c})"
                    if c == "run" or (name, c) == ("run", "id")
                    else c
                    for c in columns
                ]
                database.execute(
                    f"INSERT INTO {name} SELECT {', '.join(moved)} FROM {name} WHERE {own}", [json.dumps(copied)]
                )
    query = re.search(r"^```sql\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    print(f"{count} runs, {os.path.getsize(file) / 1e9:.2f} GB")
    times = []
    for _ in range(5):
        start, used = time.perf_counter(), time.process_time()
        with contextlib.closing(connect(file)) as database:
            found = len(database.execute(query).fetchall())
        times.append(time.perf_counter() - start)
        print(f"README's query: {found} rows in {times[-1]:.2f} s, {time.process_time() - used:.2f} s of them CPU")
    return min(times) < 1  # the other part of the time was spent waiting for the disk or for a processor


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("what", choices=["events", "checkpoints", "runs", "endless"])
parser.add_argument("--events", type=float, default=1e10)
parser.add_argument("--seconds", type=float, default=3600, help="of CPU time, at most")
parser.add_argument("--count", type=int, help="of checkpoints (1000) or runs (10000)")
args = parser.parse_args()
if args.what == "endless":
    endless()
    memsim.simulate()
elif args.what == "events":
    sys.exit(not events(args.events, args.seconds))
elif args.what == "checkpoints":
    sys.exit(not checkpoints(args.count or 1000))
else:
    sys.exit(not runs(args.count or 10000))
