"""How long the XPoint of Ohm-GPU lasts, and how evenly Start-Gap wears it (III-A). No figure of the paper.

    build/memsim configs/studies/ohm/lifetime.py [--scale small] [--workloads betw FDTD]

Ideal = endurance x lines of the paper's capacity / writes to its media a second. The gap moves every psi
writes, so it goes round a module once in psi x lines writes: far more than a run has; what it does in the
long run follows from the hottest line's share of the writes (memsim.systems.ohm.wear). Small psi shows
what levelling does within a run.
"""

from memsim.systems import ohm

args = ohm.points.arguments(__doc__)
fig = ohm.points.Points("lifetime", args)
for mode in ohm.points.MODES:
    fig.add(mode, "ohm-base", "ohm-wom", "ohm-bw")
    for psi in 1, 10:
        fig.add(mode, "ohm-base", options=["--set", f"memory.xpoint[*].psi={psi}"], variant=f" psi {psi}")
fig.run()

print(
    f"{'':34} {'media writes':>12} {'gap moves':>9} {'most':>6} {'mean':>6} {'spread':>6} {'hottest':>7}"
    "  years: ideal, Start-Gap, nothing moved"
)
for point in fig.points:
    psi = int(point.keys["platform"].partition(" psi ")[2] or 100)
    wear = ohm.wear.wear(fig.values(point), point.keys["mode"], psi)
    print(
        f"{point.name:34} {wear.writes:12.0f} {wear.gap_moves:9.0f} {wear.most:6.0f} {wear.mean:6.1f} "
        f"{wear.spread:6.2f} {wear.hottest:7.0f}  {wear.years:12.2f} {wear.years_levelled:9.2f} "
        f"{wear.years_fixed:13.5f}"
    )

fig.close()
