"""Metrics of a run that SAP's figures show: one run counts each policy at each size of the DRAM."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from ...study.metric import Run, metric
from .eat import effective_access_time
from .machines import CAPACITIES, LEAST, POLICIES, attribute

MIB = 1 << 20
UNIT = 4096  # bytes
COUNTS = "hits", "misses", "prefetches", "useful_prefetches", "written_back"


def sizes() -> list[int]:
    """MiB of each size."""
    return [(LEAST << i) // MIB for i in range(CAPACITIES)]


@dataclasses.dataclass(frozen=True)
class Part:
    """Counts of one policy at one size."""

    footprint: float  # bytes that the workload accessed
    accesses: float
    hits: float
    misses: float
    prefetches: float
    useful_prefetches: float
    written_back: float

    @property
    def units(self) -> float:
        """Units that were read: missing and prefetched ones."""
        return self.misses + self.prefetches

    def time(self, accounting: str, written_back: float) -> float:
        return effective_access_time(self.accesses, self.misses, self.units, written_back, accounting)


def parts(run: Run) -> Iterator[tuple[dict[str, Any], Part]]:
    """Of the policies that the run has, in the order of POLICIES."""
    footprint = run.value("distances", "units") * UNIT
    for policy in POLICIES:
        path = "distances" if policy == "lru" else f"shadow.{attribute(policy)}"
        if (path, "accesses") not in run.values:
            continue
        for i, mib in enumerate(sizes()):
            counts = [run.values.get((path, f"{name}[{i}]"), 0.0) for name in COUNTS]
            yield {"policy": policy, "mib": mib}, Part(footprint, run.value(path, "accesses"), *counts)


@metric("B")
def footprint(part: Part) -> float:
    return part.footprint


@metric("1", "DRAM hit ratio")
def hit_ratio(part: Part) -> float:
    return part.hits / part.accesses


@metric("units")
def units(part: Part) -> float:
    return part.units


@metric("1")
def useless(part: Part) -> float:
    """Prefetched units that nothing accessed, of all prefetched."""
    return 1 - part.useful_prefetches / part.prefetches if part.prefetches else 0.0


# Nanoseconds of an access in the accountings of a group of units (eat.py); `clean` does not pay for written units.
@metric("ns", "effective access time")
def once(part: Part) -> float:
    return part.time("once", part.written_back)


@metric("ns")
def each(part: Part) -> float:
    return part.time("each", part.written_back)


@metric("ns")
def full(part: Part) -> float:
    return part.time("full", part.written_back)


@metric("ns")
def once_clean(part: Part) -> float:
    return part.time("once", 0)


@metric("ns")
def each_clean(part: Part) -> float:
    return part.time("each", 0)


@metric("ns")
def full_clean(part: Part) -> float:
    return part.time("full", 0)
