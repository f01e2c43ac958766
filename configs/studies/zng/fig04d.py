"""Fig. 4d of ZnG: how much of HybridGPU's memory latency is the SSD engine's.

    build/memsim configs/studies/zng/fig04d.py [--scale small] [--workloads betw back]

The engine's share: time in which a page was waited for, less that of the flash, of the time from a miss
in the buffer to the page's being there.
"""

from memsim.systems import zng

fig = zng.points.Points("fig04d", zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II))
fig.add("hybridgpu", "ideal")
fig.run()
fig.show("engine_share")
fig.show("latency")

fig.judge("zng-12")
fig.close()
