"""Fig. 18 of CMD: read-only reads that FIFOs of 1 to 32 sectors remove.

    build/memsim configs/studies/cmd/fig18.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig18", cmd.points.arguments(__doc__))
fig.add("dedup-car", "cmd")
for sectors in (1, 2, 4, 8, 32):
    fig.add("cmd", arguments=("--fifo", sectors), name=f"cmd fifo {sectors}")
fig.run()
fig.show("read_only_reads", relative_to="dedup-car")

fig.judge("cmd-38", "cmd-47", "cmd-48")
fig.close()
