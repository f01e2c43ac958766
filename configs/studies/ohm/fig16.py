"""Fig. 16 of Ohm-GPU: instructions a cycle of all platforms in both modes.

    build/memsim configs/studies/ohm/fig16.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

PLATFORMS = "origin", "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw", "oracle"

fig = ohm.points.Points("fig16", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, *PLATFORMS)
fig.add(
    "planar", "ohm-wom", options=["--set", "memory.controller[*].behind_writes=false"], variant=" not behind writes"
)
fig.run()
fig.show("ipc", relative_to="ohm-base")

fig.judge(
    "ohm-01",
    "ohm-02",
    "ohm-03",
    "ohm-04",
    "ohm-05",
    "ohm-06",
    "ohm-07",
    "ohm-08",
    "ohm-09",
    "ohm-10",
    "ohm-49",
    "ohm-51",
)
fig.close()
