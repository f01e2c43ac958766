"""Figs 5b and 5c of ZnG: how often a page is read and written, on each workload.

    build/memsim configs/studies/zng/fig05bc.py [--scale small] [--workloads betw back]

Requests of the SMs (after the coalescer), those that L1s let through, and those that the L2 asks of the memory, which
are what Z-NAND in place of DRAM would be asked; the claims are about these. Pages are those that are touched.
"""

import statistics

from memsim import study
from memsim.systems import zng

# Whose requests, and where the pages that they touch are counted.
PLACES = {"SMs": ("sms", "l1s"), "L1s": ("l1s", "l1s"), "L2": ("l2s", "l2s")}


def total(values, system, name):
    return sum(v for (p, n), v in values.items() if n == name and p.startswith(system))


args = zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II)
fig = study.Study("zng", "fig05bc", jobs=args.jobs, seeds=args.seeds)
fig.preview = study.preview(args, args.all_workloads)
for workload in dict.fromkeys(name for text in args.workloads for name in zng.workloads.names(text)):
    fig.point(
        zng.points.config("zng_pages.py"),
        "--workload",
        workload,
        "--scale",
        args.scale,
        *study.limit(args),
        workload=workload,
    )
fig.run()

COUNTED = {"read": ("reads", "atomics"), "written": ("writes", "atomics")}


def times(kind, place):
    """How often a page is touched, of each workload."""
    system, pages = PLACES[place]
    row = []
    for values in map(fig.values, fig.selected):
        touched = total(values, pages, f"pages_{kind}")
        counted = sum(total(values, system, name) for name in COUNTED[kind])
        row.append(counted / touched if touched else 0.0)  # nothing was written back
    return row


for kind in COUNTED:
    print(f"times a page is {kind} by".ljust(26) + "".join(f"{p.name:>9}" for p in fig.selected) + "     mean")
    for place in PLACES:
        row = times(kind, place)
        print(f"{place:>26}" + "".join(f"{x:9.4g}" for x in row) + f"{statistics.fmean(row):9.4g}")

for id, kind in ("zng-14", "read"), ("zng-15", "written"):
    fig.claim(id, fig.over_seeds(lambda: statistics.fmean(times(kind, "L2"))))
fig.close()
