"""CXL-GPU's machine for a program: capacities in proportion to the footprint, which is ten times the GPU's memory.

Local memory and the endpoint's DRAM cache shrink together. The last-level cache is Vortex's as far as local memory is
eight times as large. Queues, lines, units of the endpoint's cache, layers, media times and the host's 500 us never
shrink.
"""

from dataclasses import dataclass, field

from ...model.provenance import assumed, cited, derived, stated
from ...systems.scale import KIB, Invariant, up_to

LINE = 64
LLC_WAYS = assumed(8, "ways of the last-level cache")
LOCAL = stated(10, "CXL-GPU, evaluation: the footprint is ten times local memory")
LLC = cited(
    1024 * KIB,
    "Vortex, hw/rtl/VX_config.vh: L3CACHE_SIZE 1048576, the cache that clusters share; CXL-GPU: clusters connect to "
    "the system bus through the last-level cache",
)
LEAST_LLC = assumed(8, "local memory to last-level cache at the least, where the program is small")
UVM_PAGE = assumed(64 * KIB, "bytes that a fault brings; range 4 KiB to 2 MiB")


@dataclass
class Scaled:
    """Capacities in bytes, and the proportions beside the paper's."""

    footprint: int
    local: int  # memory of the GPU, and of the endpoint's DRAM cache
    llc: int
    invariants: list[Invariant] = field(default_factory=list)


def scale(footprint: int, ratio: int = LOCAL) -> Scaled:
    """The machine for a program of `footprint` bytes, of which local memory holds one in `ratio`."""
    made = Scaled(
        footprint=footprint,
        local=derived(up_to(footprint / ratio, 4 * KIB), from_=ratio),
        llc=derived(up_to(min(LLC, footprint / ratio / LEAST_LLC), LLC_WAYS * LINE), from_=[ratio, LLC, LEAST_LLC]),
    )
    made.invariants = [
        Invariant("footprint / local memory", float(ratio), footprint / made.local),
        Invariant("local memory / last-level cache", float(LEAST_LLC), made.local / made.llc),
        Invariant("pages of UVM in local memory", 128, max(1, made.local // UVM_PAGE)),
    ]
    return made
