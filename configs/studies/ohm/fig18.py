"""Fig. 18 of Ohm-GPU: how much of the channel's traffic is migration.

    build/memsim configs/studies/ohm/fig18.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm_points

fig = ohm_points.Points("fig18", ohm_points.arguments(__doc__))
for mode in ohm_points.MODES:
    fig.add(mode, "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw")
fig.run()
fig.show("migration")
fig.show("migration_of_time")

fig.judge("ohm-22", "ohm-23", "ohm-24", "ohm-25")
fig.close()
