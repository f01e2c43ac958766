"""Fig. 9c of CXL-GPU: speculative reads and deterministic stores with Optane, Z-NAND and NAND.

    build/memsim configs/studies/cxl/fig9c.py [--scale small] [--workloads vadd bfs]
"""

from memsim.systems import cxl_gpu

points = cxl_gpu.points
fig = points.Points("fig9c", points.arguments(__doc__, workloads=points.THREE))
fig.add("gpu-dram")
for media in ("optane", "z-nand", "nand"):
    fig.add("cxl", "cxl-sr", "cxl-ds", media=media)
    if media in cxl_gpu.media.FLASH:
        fig.add("cxl-sr", "cxl-ds", media=media, arguments=("--drive", "fresh"), name="fresh")
fig.run()
fig.show("time", relative_to="gpu-dram")
fig.show("collections")

fig.judge("cxl-16", "cxl-17", "cxl-18", "cxl-19", "cxl-34", "cxl-35")
fig.judge_stores("cxl-20")
fig.close()
