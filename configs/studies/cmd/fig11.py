"""Fig. 11 of CMD: how often read-only blocks are read from memory.

    build/memsim configs/studies/cmd/fig11.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig11", cmd.points.arguments(__doc__))
fig.add("baseline")
fig.run()
for least in (2, 3, 6, 11, 21):
    fig.show(f"reached_{least}")

fig.judge("cmd-49")
fig.close()
