"""SAP's memory manager over Ohm-GPU's planar migration: what warps are about to access counts as an access of its page
(ohm-base).

    build/memsim configs/studies/sap/ohm.py [--scale tiny] [--workloads pagerank]

Time with hints over time without; share of requests whose page is in DRAM, in per cent; swaps.
"""

from memsim.systems import ohm
from memsim.systems.sap import hinted


def hits(values):
    return 100 * hinted.total(values, "dram_hits") / max(1, hinted.total(values, "requests", "memory.controller"))


fig = hinted.Hinted(
    "ohm",
    hinted.arguments(__doc__, list(ohm.workloads.TABLE_II)),
    "ohm",
    "ohm-base",
    {"hits": hits, "swaps": lambda values: hinted.total(values, "swaps", "memory.controller")},
)
fig.run()
fig.show()
fig.close()
