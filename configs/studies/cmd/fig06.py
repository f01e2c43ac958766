"""Fig. 6 of CMD: a weak fingerprint that is verified, a strong hash, and one that takes no time.

    build/memsim configs/studies/cmd/fig06.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig06", cmd.points.arguments(__doc__))
fig.add("baseline", "esd", "dedup", "dedup-no-latency")
for interval in (76, 228):
    fig.add(
        "dedup",
        options=("--set", f"front.detection=md5(interval={interval})"),
        name=f"dedup, a block each {interval} cycles",
    )
fig.run()
fig.show_gains()

fig.judge("cmd-28", "cmd-29", "cmd-53")
fig.close()
