"""Fig. 8 of CMD: reads for writes that cover too little of their block.

    build/memsim configs/studies/cmd/fig08.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig08", cmd.points.arguments(__doc__))
fig.add("cmd")
fig.run()
fig.show("extra_reads")

fig.judge("cmd-30", "cmd-51", "cmd-52")
fig.close()
