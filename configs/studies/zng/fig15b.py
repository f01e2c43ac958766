"""Fig. 15b of ZnG: how often the predictor is right, on each workload; mean (zng-24) and worst (zng-34).

    build/memsim configs/studies/zng/fig15b.py [--scale small] [--workloads betw back]

Beside the L2 of the ideal platform: the predictor sees what the L1s let through, whatever the memory.
"""

from memsim.systems import zng

fig = zng.points.Points("fig15b", zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II))
fig.add("ideal", arguments=["--prefetch", "predict-4KBpref"], variant=" predicted")
fig.run()
fig.show("accuracy")

fig.judge("zng-24")
fig.claim("zng-34", fig.over_seeds(lambda: fig.frame["accuracy"].min()))
fig.close()
