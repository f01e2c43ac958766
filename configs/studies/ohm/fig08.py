"""Fig. 8 of Ohm-GPU: how much of the channel migration takes, and what that does to the latency.

    build/memsim configs/studies/ohm/fig08.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

fig = ohm.points.Points("fig08", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, "ohm-base")
    fig.add(mode, "ohm-base", arguments=["--migration-channel", "dedicated"], variant=" dedicated")
fig.run()
fig.show("migration")
fig.show("latency", relative_to="ohm-base dedicated")

fig.judge("ohm-11", "ohm-12", "ohm-13", "ohm-14")
fig.close()
