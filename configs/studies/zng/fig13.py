"""Fig. 13 of ZnG: how often a page is programmed, as registers are grouped and written lines redirected.

    build/memsim configs/studies/zng/fig13.py [--scale small] [--workloads back gaus]

Baseline: 8 registers a plane, each for its own plane. A workload that programs nothing has 0.
"""

from memsim.systems import zng

fig = zng.points.Points("fig13", zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II))
fig.add("zng", arguments=["--register-network", "none", "--no-redirect"], variant=" baseline")
fig.add("zng", arguments=["--no-redirect"], variant=" network")
fig.add("zng")
fig.run()
fig.show("writes_per_page")
fig.show("programming")

fig.judge("zng-19", "zng-20", "zng-21")
fig.close()
