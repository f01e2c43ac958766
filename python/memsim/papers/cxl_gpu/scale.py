"""CXL-GPU's machine for a program: capacities in proportion to the footprint, which is ten times the GPU's memory.

Local memory, the endpoint's DRAM cache and the last-level cache shrink together. Queues, lines of 64 B, units of 256 B,
layers, media times, the host's 500 us and the blocks of flash never do.
"""

from dataclasses import dataclass, field

from ...systems.scale import KIB, Invariant, up_to

LINE, LLC_WAYS = 64, 8
LOCAL = 10  # footprint to local memory (the paper)
LLC = 64  # local memory to last-level cache (assumption: 8 MB to Vortex's 128 KB)
UVM_PAGE = 64 * KIB  # of a fault (assumption; sweep 4 KB to 2 MB)


@dataclass
class Scaled:
    """Capacities in bytes, and what became of the proportions."""

    footprint: int
    local: int  # memory of the GPU, and of the endpoint's DRAM cache
    llc: int
    invariants: list = field(default_factory=list)


def scale(footprint, ratio=LOCAL):
    """The machine for a program of `footprint` bytes, of which local memory holds one in `ratio`."""
    made = Scaled(
        footprint=footprint,
        local=up_to(footprint / ratio, 4 * KIB),
        llc=up_to(footprint / ratio / LLC, LLC_WAYS * LINE),
    )
    made.invariants = [
        Invariant("footprint / local memory", float(ratio), footprint / made.local),
        Invariant("local memory / last-level cache", LLC, made.local / made.llc),
        Invariant("pages of UVM in local memory", 128, max(1, made.local // UVM_PAGE)),
    ]
    return made
