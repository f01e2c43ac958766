"""Fig. 17 of ZnG: what garbage collection does to the programs that run together, and their requests over time.

    build/memsim configs/studies/zng/fig17.py [--scale small] [--workloads betw-back] [--every 50us]

Log blocks are filled from the seed as in the long run. Without collection those that are full go on in erased blocks.
"""

import contextlib
import statistics

from memsim import study
from memsim.results.database import connect
from memsim.systems import zng

CASES = {"without": "used_up", "with": "low"}
SERIES = """SELECT tick, name, sum(value) FROM samples WHERE run = ? AND name LIKE 'application_requests[%'
            GROUP BY tick, name ORDER BY tick"""


def more(parser):
    parser.add_argument("--every", default="50us", help="time between two samples")
    parser.add_argument(
        "--registers", type=int, default=8, help="of a plane; with another number than the paper's 8 nothing is judged"
    )


args = zng.points.arguments(__doc__, workloads=["betw-back"], more=more)
fig = zng.points.Points("fig17", args)
for workload in args.workloads:
    for case, when in CASES.items():
        fig.point(
            zng.points.config("zng_gc.py"),
            "--workload",
            workload,
            "--scale",
            args.scale,
            "--collect",
            when,
            "--every",
            args.every,
            "--registers",
            args.registers,
            *study.limit(args),
            platform=case,
            workload=workload,
        )
fig.run()


def values(workload):
    """Of the run with collection and of the one without."""
    return {p.keys["platform"]: fig.values(p) for p in fig.selected if p.keys["workload"] == workload}


def ratio(application):
    """IPC of the first or second application with collection, of that without: the mean of the pairs."""
    ipc = "gpu.dispatcher", f"application_ipc[{application}]"
    return statistics.geometric_mean(of["with"][ipc] / of["without"][ipc] for of in map(values, args.workloads))


def merges():
    return sum(values(workload)["with"]["gpu.collector", "merges"] for workload in args.workloads)


for workload in args.workloads:
    names = zng.workloads.names(workload)
    of = values(workload)
    merged, pages = (of["with"]["gpu.collector", n] for n in ("merges", "moved_pages"))
    print(f"{workload}: {merged:.0f} log blocks merged, {pages:.0f} pages moved")
    for i, name in enumerate(names[:2]):
        without, with_it = (of[c]["gpu.dispatcher", f"application_ipc[{i}]"] for c in CASES)
        held = of["with"]["gpu.collector", f"held_time[{i}]"] / 1e6
        print(
            f"  {name}: {without:.3f} instructions a cycle without, {with_it:.3f} with collection, "
            f"held for {held:.3f} ms"
        )
    print(f"  requests every {args.every}, with collection: " + ", ".join(names))
    point = next(p for p in fig.selected if p.keys == dict(platform="with", workload=workload))
    with contextlib.closing(connect(fig.database)) as database:
        counts, before = {}, {}
        for tick, name, value in database.execute(SERIES, [point.run]):
            counts.setdefault(tick, {})[name] = value - before.get(name, 0)
            before[name] = value
    for tick in list(counts)[:40]:
        print(f"  {tick / 1e9:9.0f} us " + "".join(f"{n:9.0f}" for n in counts[tick].values()))

for id, application in ("zng-29", 1), ("zng-30", 0):
    if "betw-back" in args.workloads and args.registers == 8 and all(fig.over_seeds(merges)):
        fig.claim(id, fig.over_seeds(lambda: ratio(application)))
    else:
        fig.not_modelled(id)  # nothing was collected, or on another machine
fig.close()
