"""Fig. 15 of CMD: deduplication, assisted reads and the read-only FIFO, one after the other.

    build/memsim configs/studies/cmd/fig15.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig15", cmd.points.arguments(__doc__))
fig.add("baseline", "dedup", "dedup-car", "cmd")
fig.add("dedup", options=("--set", "front.intra=map"), name="dedup, intra-duplicates in the map")
fig.run()
fig.show_gains()

fig.judge("cmd-14", "cmd-15", "cmd-16", "cmd-17", "cmd-45", "cmd-46")
fig.close()
