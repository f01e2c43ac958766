"""Fig. 17 of CMD: sizes of the hash store and of the metadata caches; and what section IV-E computes.

    build/memsim configs/studies/cmd/fig17.py [--scale small] [--workloads bfs bp]
"""

from memsim.systems import cmd

fig = cmd.points.Points("fig17", cmd.points.arguments(__doc__))
# Sizes of all eight controllers, as in the paper; the machine is scaled, and so they are.
fig.add("cmd")
fig.add("cmd", options=("--set", "front.exact=true"), name="cmd exact")
for size, share in (("77 KB", 77 / 384), ("538 KB", 538 / 384)):
    fig.add("cmd", arguments=("--hash-share", share), name=f"cmd hash {size}")
for share in (0.25, 0.5, 2):
    fig.add("cmd", arguments=("--tables-share", share), name=f"cmd tables x {share}")
fig.run()
for rate in ("intra_share", "inter_share", "silent_share", "found_share", "map_hits", "mask_hits", "type_hits"):
    fig.show(rate)

fig.judge("cmd-34", "cmd-35", "cmd-36", "cmd-37", "cmd-43", "cmd-41", "cmd-42", "cmd-56", "cmd-57", "cmd-58")
fig.close()
