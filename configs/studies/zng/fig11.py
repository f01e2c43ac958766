"""Fig. 11 of ZnG: what the flash arrays of the platforms give, of the whole machine.

    build/memsim configs/studies/zng/fig11.py [--scale small] [--workloads betw-back bfs1-gaus]
"""

from memsim.systems import zng

fig = zng.points.Points("fig11", zng.points.arguments(__doc__))
fig.add("hybridgpu", "zng-base", "zng-rdopt", "zng-wropt", "zng")
fig.run()
fig.show("array_bandwidth")
print("of it, of ZnG's: sensed and useful GB/s, and the per cent of time that a plane programs")
fig.show("sensed_bandwidth")
fig.show("useful_bandwidth")
fig.show("programming")
print("per cent of time that an application is held by the helper thread, of all together")
fig.show("held")

fig.judge("zng-08", "zng-09", "zng-10", "zng-11")
fig.close()
