"""Fig. 18 of Ohm-GPU: how much of the channel's traffic is migration; and what XPoint gives beside DRAM (I).

    build/memsim configs/studies/ohm/fig18.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

fig = ohm.points.Points("fig18", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw")
fig.run()
fig.show("migration")
fig.show("migration_of_time")

fig.judge("ohm-22", "ohm-23", "ohm-24", "ohm-25")
# Of a controller: its DRAM's column commands against the media of its modules, all banks busy with a line each of
# another row.
media = ohm.MODULES * 16 * 256 / 198.9e-9
fig.claim("ohm-55", 60e9 / media)
fig.close()
