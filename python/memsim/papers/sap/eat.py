"""Effective access time: what SAP's evaluation computes from counts of accesses, misses and units (a formula, no timing).

A unit that comes takes 50,000 ns and 5 ns a byte; a written unit that makes room 550,000 ns and 5 ns a byte; an access
60 ns (the paper's Table II). The cost of a group of units that are fetched for one miss is not stated; three readings:

    once   the whole group as one unit: what comes with the missing unit is free
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
