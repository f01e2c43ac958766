"""Fig. 4d of ZnG: how much of HybridGPU's memory latency is the SSD engine's.

    build/memsim configs/studies/zng/fig04d.py [--scale small] [--workloads betw back]

The engine's share: time in which a page was waited for, less that of the flash, of the time from a miss
in the buffer to the page's being there.
"""

from memsim.systems import zng_points, zng_workloads

fig = zng_points.Points("fig04d", zng_points.arguments(__doc__, workloads=zng_workloads.TABLE_II))
fig.add("hybridgpu", "ideal")
fig.run()
fig.show("engine_share")
fig.show("latency")

fig.judge("zng-12")
fig.close()
