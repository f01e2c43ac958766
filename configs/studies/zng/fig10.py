"""Fig. 10 of ZnG: instructions a cycle of the platforms, on pairs of a reading and a writing workload.

    build/memsim configs/studies/zng/fig10.py [--scale small] [--workloads betw-back bfs1-gaus]
"""

from memsim.systems import zng

fig = zng.points.Points("fig10", zng.points.arguments(__doc__))
fig.add("hetero", "hybridgpu", "optane", "zng-base", "zng-rdopt", "zng-wropt", "zng", "ideal")
fig.run()
fig.show("ipc", relative_to="hybridgpu")
fig.show("memory_bandwidth")

fig.judge("zng-01", "zng-02", "zng-03", "zng-04", "zng-05", "zng-06", "zng-07")
fig.close()
