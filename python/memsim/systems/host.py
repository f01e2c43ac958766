"""The host that transfers pages to a GPU over PCIe, and the share of it that a slice of a machine has."""

from fractions import Fraction
from typing import Any

from ..model.provenance import assumed, cited, derived

# PCIe 3 x16. A packet has a frame of 24 bytes, and 16 bytes more for an acknowledgement and a credit update
# of 8 bytes each. 128 bytes are a usual payload: 12.0 of 15.75 GB/s, as is reached in practice.
PCIE = dict(
    **assumed(dict(generation=3, lanes=16), "a GPU's slot of that time"),
    **assumed(
        dict(payload="128B", overhead="40B"), "a usual payload; an acknowledgement and a credit update of 8 bytes"
    ),
)
BATCH = cited(256, "NVIDIA's open driver, uvm_gpu_replayable_faults.c: UVM_PERF_FAULT_BATCH_COUNT_DEFAULT 256")
PAGE_COST = assumed(1_000_000_000, "time of the driver for a page, in fs")  # range 0 to 2 us
HOST_DRAM = assumed(34, "two channels of DDR4-2133 of a desktop, in GB/s")

SHARE = "the slice of the paper's machine that is simulated"


def share_of_host(share: Fraction, page_cost: int = PAGE_COST) -> dict[str, Any]:
    """Arguments of mmu.page_faults() for a machine that is so much (a Fraction) of one that the host serves
    whole: it has that share of PCIe, of host DRAM and of the driver's time, `page_cost` fs a page."""
    return dict(
        pcie=dict(PCIE, share=derived(f"{float(100 * share):.7f}%", from_=SHARE)),
        batch=derived(max(1, round(BATCH * share)), from_=[BATCH, SHARE]),
        page_cost=derived(f"{round(page_cost / share)}fs", from_=[page_cost, SHARE]),
        dram_bandwidth=derived(f"{round(HOST_DRAM * 10**9 * share)}B/s", from_=[HOST_DRAM, SHARE]),
    )
