"""Cost of an Ohm-GPU memory in dollars: Table III of the paper, by its own unit prices.

Prices never scale with a simulated machine: they are those of the paper's full capacities.
"""

# Table III: 12 x 1 GiB of DRAM are $140; 12 x 8 GiB and 12 x 32 GiB of XPoint are $125 and $499;
# 2,112 modulators (and as many detectors) are $3; the VCSEL is $100. K80's launch price: $5,000 (VI-B).
DRAM_PER_GIB = 140 / 12
XPOINT_PER_GIB = 125 / 96
PER_RING = 3 / 2112
VCSEL = 100
GPU = 5000

CAPACITY = {  # GiB of DRAM and XPoint (Table III)
    "planar": (12, 96),
    "two-level": (6, 384),
}
ORIGIN_GIB = 24  # of DRAM: a K80 (VI), in its price
RINGS = {  # modulators and detectors of Table III
    ("ohm-base", "planar"): (2112, 2112),
    ("ohm-base", "two-level"): (2368, 2368),
    ("ohm-bw", "planar"): (2176, 3136),
    ("ohm-bw", "two-level"): (2368, 4928),
}


def memory(platform: str, mode: str) -> float:
    """Dollars of the memory of a platform beside the GPU's price: DRAM, XPoint, rings and lasers.

    platform  'origin' (none: a K80's price has its DRAM in it), 'oracle' (as much DRAM as the others have
              of both), 'ohm-base' or 'ohm-bw'
    mode      'planar' or 'two-level'
    """
    dram, xpoint = CAPACITY[mode]
    if platform == "origin":
        return 0
    if platform == "oracle":
        return (dram + xpoint) * DRAM_PER_GIB + VCSEL + 2 * 2112 * PER_RING
    return dram * DRAM_PER_GIB + xpoint * XPOINT_PER_GIB + VCSEL + sum(RINGS[platform, mode]) * PER_RING


def share_of_gpu(platform: str, mode: str) -> float:
    """The memory's cost against a GPU of $5,000, in percent."""
    return 100 * memory(platform, mode) / GPU


def performance_per_cost(ipc: float, platform: str, mode: str) -> float:
    """Performance for each dollar of GPU and memory (Fig. 21)."""
    return ipc / (GPU + memory(platform, mode))
