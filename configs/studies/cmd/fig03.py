"""Fig. 3 of CMD: blocks written back that are intra- and inter-duplicates, with a store of hashes that forgets none.

Silent blocks are equal to what their own place holds: no duplicates of Fig. 3, and not written either.

    build/memsim configs/studies/cmd/fig03.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig03", cmd.points.arguments(__doc__))
fig.add("cmd", options=("--set", "front.exact=true"), name="cmd exact")
fig.run()
fig.show_found("cmd exact")
fig.show("written_blocks")

fig.judge("cmd-26", "cmd-27")
fig.close()
