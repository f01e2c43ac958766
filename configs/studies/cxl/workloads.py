"""The table of CXL-GPU's workloads: compute instructions among all, loads among memory accesses. Properties of our programs.

    build/memsim configs/studies/cxl/workloads.py [--scale small] [--workloads vadd bfs]
"""

from memsim.systems import cxl_gpu
from memsim.systems.cxl_gpu.workloads import COMPUTE, LOADS

fig = cxl_gpu.points.Points("workloads", cxl_gpu.points.arguments(__doc__))
fig.add("gpu-dram")
fig.run()
for share in ("compute_ratio", "load_ratio"):
    fig.show(share)

for workload in fig.args.workloads:
    for number, share in ((43, "compute_ratio"), (44, "load_ratio")):
        fig.claim(
            f"cxl-{number}-{workload}",
            fig.over_seeds(lambda share=share, workload=workload: fig.frame[share].loc["gpu-dram", workload]),
        )
if {*COMPUTE, *LOADS} <= set(fig.args.workloads):

    def accesses(workloads):
        return sum(fig.frame.access_rate.loc["gpu-dram", w] for w in workloads) / len(workloads)

    fig.claim("cxl-37", fig.over_seeds(lambda: accesses(COMPUTE) / accesses(LOADS)))
fig.close()
