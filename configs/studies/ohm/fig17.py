"""Fig. 17 of Ohm-GPU: the latency of memory, from an L2's miss to its data.

    build/memsim configs/studies/ohm/fig17.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm_points

PLATFORMS = "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw", "oracle"
BOTH = list(ohm_points.MODES)

fig = ohm_points.Points("fig17", ohm_points.arguments(__doc__))
for mode in BOTH:
    fig.add(mode, *PLATFORMS)
fig.run()
fig.show("latency", relative_to="ohm-base")

fig.judge("ohm-15", "latency", ["planar"], "auto-rw", "ohm-base")
fig.judge("ohm-16", "latency", ["two-level"], "auto-rw", "ohm-base")
fig.judge("ohm-17", "latency", ["planar"], "ohm-wom", "auto-rw")
fig.judge("ohm-18", "latency", ["two-level"], "ohm-wom", "auto-rw")
fig.judge("ohm-19", "latency", ["planar"], "ohm-bw", "ohm-wom")
fig.judge("ohm-20", "latency", BOTH, "ohm-base", "oracle")
fig.judge("ohm-21", "latency", BOTH, "ohm-bw", "oracle")
fig.close()
