"""Fig. 5a of ZnG: how much slower workloads are when each request goes to Z-NAND in place of DRAM, and how much of
what is sensed is wasted. Z-NAND without optimizations and without an SSD controller is zng-base.

    build/memsim configs/studies/zng/fig05a.py [--scale small] [--workloads betw back]
"""

from memsim.systems import zng

args = zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II)
fig = zng.points.Points("fig05a", args)
fig.add("ideal", "zng-base")
fig.run()
fig.show("ipc", relative_to="ideal")

print(f"{'wasted of what is sensed, %':28}", end="")
for workload in args.workloads:
    point = next(p for p in fig.selected if tuple(p.keys.values()) == ("zng-base", workload))
    values = fig.values(point)
    sensed, useful = (
        sum(v for (p, n), v in values.items() if n == name and p.startswith("flash.package"))
        for name in ("sensed_bytes", "useful_bytes")
    )
    print(f"{100 * (1 - useful / sensed) if sensed else 0:11.1f}", end="")
print()


def worst():
    ipc = fig.frame["ipc"]
    return (ipc.loc["ideal"] / ipc.loc["zng-base"]).max()


fig.claim("zng-13", fig.over_seeds(worst))
fig.close()
