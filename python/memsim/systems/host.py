"""The host that brings pages to a GPU over PCIe, and the part of it that a slice of a machine has."""

from fractions import Fraction
from typing import Any

from ..model.units import Rate, Ratio, Time

# PCIe 3 x16. 16 bytes a packet beside the 24 of its frame stand for an acknowledgement and a credit
# update of 8 bytes each, 128 bytes are a usual payload: 12.0 of 15.75 GB/s, what is reached in practice.
PCIE = dict(generation=3, lanes=16, payload="128B", overhead="40B")
BATCH = 256  # faults (NVIDIA's open driver)
PAGE_COST = 1_000_000_000  # fs of the driver for a page: host.PagingHost's assumption, sweep 0 to 2 us
HOST_DRAM = 34  # GB/s: host.PagingHost's assumption


def share_of_host(share: Fraction, page_cost: int = PAGE_COST) -> dict[str, Any]:
    """Arguments of mmu.page_faults() for a machine that is a part of one that the host serves whole.

    share       of PCIe, of host DRAM and of the driver's time, which the part has
    page_cost   fs of the driver for a page of the whole machine
    """
    return dict(
        pcie=dict(PCIE, share=Ratio.of(share)),
        batch=max(1, round(BATCH * share)),
        page_cost=Time(round(page_cost / share)),
        dram_bandwidth=Rate(round(HOST_DRAM * 10**9 * share)),
    )
