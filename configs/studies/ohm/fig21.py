"""Fig. 21 of Ohm-GPU: performance for each dollar of GPU and memory (prices of Table III).

    build/memsim configs/studies/ohm/fig21.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

PLATFORMS = "origin", "ohm-bw", "oracle"

fig = ohm.points.Points("fig21", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, *PLATFORMS)
fig.run()
fig.show("cost_performance", relative_to="origin")
for mode in ohm.points.MODES:
    print(
        f"{mode}: "
        + ", ".join(f"{platform} ${ohm.cost.GPU + ohm.cost.memory(platform, mode):.0f}" for platform in PLATFORMS)
    )

fig.judge("ohm-43", "ohm-44")
fig.close()
