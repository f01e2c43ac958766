"""Fig. 21 of Ohm-GPU: performance for each dollar of GPU and memory (prices of Table III).

    build/memsim configs/studies/ohm/fig21.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm_cost, ohm_points

PLATFORMS = "origin", "ohm-bw", "oracle"
BOTH = list(ohm_points.MODES)

fig = ohm_points.Points("fig21", ohm_points.arguments(__doc__))
for mode in BOTH:
    fig.add(mode, *PLATFORMS)
fig.run()
fig.table["cost_performance"] = [ohm_cost.performance_per_cost(ipc, platform, mode)
                                 for (mode, platform, _), ipc in fig.table["ipc"].items()]
fig.show("cost_performance", relative_to="origin")
for mode in BOTH:
    print(f"{mode}: " + ", ".join(f"{platform} ${ohm_cost.GPU + ohm_cost.memory(platform, mode):.0f}"
                                  for platform in PLATFORMS))

fig.judge("ohm-43", "cost_performance", BOTH, "ohm-bw", "origin")
fig.judge("ohm-44", "cost_performance", BOTH, "ohm-bw", "oracle")
fig.close()
