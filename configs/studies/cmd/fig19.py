"""Fig. 19 of CMD: with bit-plane compression of what is no duplicate.

    build/memsim configs/studies/cmd/fig19.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig19", cmd.points.arguments(__doc__))
fig.add("baseline", "cmd", "cmd-bpc")
fig.run()
fig.show_gains()

fig.judge("cmd-39", "cmd-40", "cmd-55")
fig.close()
