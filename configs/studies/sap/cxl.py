"""SAP's memory manager before CXL-GPU's root port: what warps are about to access becomes speculative reads of cxl-sr on
Z-NAND.

    build/memsim configs/studies/sap/cxl.py [--scale tiny] [--workloads vadd bfs]

Time with hints over time without; share of look-ups in the endpoint's DRAM that hit, in per cent; hints taken.
"""

from memsim.systems import cxl_gpu
from memsim.systems.sap import hinted


def hits(values):
    found = {n: hinted.total(values, n, ".medium.cache") for n in ("hits", "merged", "misses")}
    return 100 * found["hits"] / max(1, sum(found.values()))


fig = hinted.Hinted(
    "cxl",
    hinted.arguments(__doc__, cxl_gpu.workloads.names()),
    "cxl_gpu",
    "cxl-sr",
    {"hits": hits, "hints": lambda values: hinted.total(values, "hints", ".queues")},
)
fig.run()
fig.show()
fig.close()
