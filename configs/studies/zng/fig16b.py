"""Fig. 16b of ZnG: instructions a cycle with the variants of read prefetch.

    build/memsim configs/studies/zng/fig16b.py [--scale small] [--workloads betw-back bfs1-gaus]

zng-28 says "as high as": the most of all workloads.
"""

from memsim.systems import zng

VARIANTS = "nopref", "1KBpref", "4KBpref", "predict-4KBpref", "dyn-pref"

fig = zng.points.Points("fig16b", zng.points.arguments(__doc__))
for variant in VARIANTS:
    fig.add("zng", arguments=["--prefetch", variant], variant=f" {variant}")
fig.run()
fig.show("ipc", relative_to="zng nopref")

fig.judge("zng-26", "zng-27", "zng-38")


def most():
    ipc = fig.frame["ipc"]
    return (ipc.loc["zng dyn-pref"] / ipc.loc["zng predict-4KBpref"]).max()


fig.claim("zng-28", fig.over_seeds(most))
fig.close()
