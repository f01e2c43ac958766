"""Effective access time: SAP's evaluation computes it from counts of accesses, misses and units, without any timing.

A unit that is read takes 50,000 ns and 5 ns a byte; a dirty unit that is evicted takes 550,000 ns and 5 ns a byte; an
access takes 60 ns (the paper's Table II). The paper does not state the cost of a group of units that are read for one
miss. There are three readings:

    once   the whole group costs as one unit: the units beside the missing one are free
    each   one latency for the group, and a transfer for each unit
    full   latency and transfer for each unit
"""

from .machines import UNIT

ACCESS, READ, WRITE, BYTE = 60, 50_000, 550_000, 5  # ns
ACCOUNTINGS = "once", "each", "full"


def effective_access_time(
    accesses: float, misses: float, units: float, written_back: float = 0, accounting: str = "once"
) -> float:
    """Nanoseconds of an access, on average.

    accesses      accesses of the DRAM
    misses        those that found their unit missing, each of which fetches a group
    units         units that came, the missing ones included
    written_back  written units that made room; 0: not charged
    accounting    one of ACCOUNTINGS
    """
    transfer = UNIT * BYTE
    fetched = {
        "once": misses * (READ + transfer),
        "each": misses * READ + units * transfer,
        "full": units * (READ + transfer),
    }[accounting]
    return ACCESS + (fetched + written_back * (WRITE + transfer)) / accesses
