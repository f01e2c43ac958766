"""Fig. 17 of Ohm-GPU: the latency of memory, from an L2's miss to its data.

    build/memsim configs/studies/ohm/fig17.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

PLATFORMS = "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw", "oracle"

fig = ohm.points.Points("fig17", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, *PLATFORMS)
fig.run()
fig.show("latency", relative_to="ohm-base")

fig.judge("ohm-15", "ohm-16", "ohm-17", "ohm-18", "ohm-19", "ohm-20", "ohm-21")
fig.close()
