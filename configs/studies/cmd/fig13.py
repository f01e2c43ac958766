"""Fig. 13 of CMD: requests to memory by class, before and after, and what the tables cost.

    build/memsim configs/studies/cmd/fig13.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig13", cmd.points.arguments(__doc__))
fig.add("baseline", "cmd")
fig.run()
for requests in ("off_chip", "write_requests", "data_reads", "read_only_reads"):
    fig.show(requests, relative_to="baseline")
fig.show("metadata")
fig.show("dedup_reads")

fig.judge("cmd-01", "cmd-31", "cmd-32", "cmd-33", "cmd-50")
fig.close()
