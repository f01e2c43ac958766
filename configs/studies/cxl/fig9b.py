"""Fig. 9b of CXL-GPU: endpoints of Z-NAND, with speculative reads and deterministic stores.

    build/memsim configs/studies/cxl/fig9b.py [--scale small] [--workloads vadd bfs]
"""

from memsim.systems import cxl_gpu

fig = cxl_gpu.points.Points("fig9b", cxl_gpu.points.arguments(__doc__))
fig.add("gpu-dram")
fig.add("cxl", "cxl-sr", "cxl-ds", media="z-nand")
# The gain of deterministic stores hangs on collections: the same on a drive that was never written.
fig.add("cxl", "cxl-sr", "cxl-ds", media="z-nand", arguments=("--drive", "fresh"), name="fresh")
fig.run()
fig.show("time", relative_to="gpu-dram")
fig.show("collections")

fig.judge("cxl-10", "cxl-11", "cxl-12", "cxl-38")
fig.judge_stores("cxl-13", "cxl-14", "cxl-15")
fig.close()
