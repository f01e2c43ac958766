"""What limits each workload on Ohm-base, and Table II's accesses and read ratios at the memory beside those of the SMs.

    build/memsim configs/studies/ohm/limits.py [--scale small] [--workloads betw FDTD]

A resource limits that is busy for 70 % of the time or more, of several the busiest; without one it is the latency.
"""

from memsim.systems import ohm

args = ohm.points.arguments(__doc__)
fig = ohm.points.Points("limits", args)
for mode in ohm.points.MODES:
    fig.add(mode, "ohm-base")
fig.run()

for mode in ohm.points.MODES:
    print(f"\n| {mode} | issue | L2 | channel | held | media | limit |\n|---|---|---|---|---|---|---|")
    for point in (p for p in fig.selected if p.keys["mode"] == mode):
        uses = ohm.limits.uses(fig.values(point))
        print(
            f"| {point.keys['workload']} | "
            + " | ".join(f"{100 * u:.0f} %" for u in uses.values())
            + f" | {ohm.limits.limit(uses)} |"
        )
print("\n| | APKI: paper | SM | memory | reads: paper | SM | memory |\n|---|---|---|---|---|---|---|")
for point in (p for p in fig.selected if p.keys["mode"] == "planar"):
    apki, reads = ohm.limits.TABLE_II[point.keys["workload"]]
    of = ohm.limits.accesses(fig.values(point))
    print(
        f"| {point.keys['workload']} | {apki} | {of['apki']:.0f} | {of['memory_apki']:.0f} | {reads} | {of['reads']:.2f} | "
        f"{of['memory_reads']:.2f} |"
    )
fig.close()
