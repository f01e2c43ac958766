"""Fig. 16 of Ohm-GPU: instructions a cycle of all platforms in both modes.

    build/memsim configs/studies/ohm/fig16.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm_points

PLATFORMS = "origin", "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw", "oracle"
BOTH = list(ohm_points.MODES)

fig = ohm_points.Points("fig16", ohm_points.arguments(__doc__))
for mode in BOTH:
    fig.add(mode, *PLATFORMS)
fig.add("planar", "ohm-wom", options=["--set", "memory.controller[*].behind_writes=false"],
        variant=" not behind writes")
fig.run()
fig.show("ipc", relative_to="ohm-base")

fig.judge("ohm-01", "ipc", BOTH, "ohm-bw", "origin")
fig.judge("ohm-02", "ipc", BOTH, "ohm-bw", "ohm-base")
fig.judge("ohm-03", "ipc", BOTH, "origin", "hetero")
fig.judge("ohm-04", "ipc", BOTH, "ohm-base", "hetero")
fig.judge("ohm-05", "ipc", ["planar"], "auto-rw", "ohm-base")
fig.judge("ohm-06", "ipc", ["two-level"], "auto-rw", "ohm-base")
fig.judge("ohm-07", "ipc", ["planar"], "ohm-wom", "auto-rw")
fig.judge("ohm-08", "ipc", ["two-level"], "ohm-wom", "auto-rw")
fig.judge("ohm-09", "ipc", ["planar"], "ohm-bw", "ohm-wom")
fig.judge("ohm-10", "ipc", BOTH, "ohm-bw", "oracle")
fig.judge("ohm-49", "ipc", ["planar"], "ohm-wom", "ohm-wom not behind writes")
fig.judge("ohm-51", "ipc", ["two-level"], "ohm-bw", "ohm-base")  # 20 % is two-level's: reading notes
fig.close()
