"""Fig. 14 of CMD: instructions a cycle of a larger L2, compression, other deduplication, and CMD.

    build/memsim configs/studies/cmd/fig14.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig14", cmd.points.arguments(__doc__))
fig.add("baseline", "l2-5mb", "bpc", "bcd", "esd", "cmd")
fig.run()
fig.show_gains()
fig.show("ipc", relative_to="l2-5mb")  # cmd-44 is the ratio of two means above; here is the mean of ratios

fig.judge("cmd-02", *(f"cmd-{n:02}" for n in range(4, 14)), "cmd-44", "cmd-54")
fig.close()
