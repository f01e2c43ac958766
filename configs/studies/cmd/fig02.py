"""Fig. 2 of CMD: requests that leave the L2, by class, over its accesses.

    build/memsim configs/studies/cmd/fig02.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig02", cmd.points.arguments(__doc__))
fig.add("baseline")
fig.run()
for share in ("off_chip_share", "write_share", "data_read_share", "read_only_share"):
    fig.show(share)

fig.judge("cmd-22", "cmd-23", "cmd-24", "cmd-25")
fig.close()
