"""Fig. 16 of CMD: energy of L2, memory controllers and DRAM.

    build/memsim configs/studies/cmd/fig16.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig16", cmd.points.arguments(__doc__))
fig.add("baseline", "l2-5mb", "bpc", "bcd", "esd", "cmd")
fig.run()
fig.show("energy", relative_to="baseline")

fig.judge("cmd-03", "cmd-18", "cmd-19", "cmd-20", "cmd-21")
fig.close()
