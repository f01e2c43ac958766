"""Far memories by name, for placed.beside(): the option `--far` of scripts.

    memory = far.memory("cxl")
    root.gpu = systems.h100(memory=placed.beside(memory.channel, ranges))
"""

from collections.abc import Callable
from typing import NamedTuple

from .. import SimObject, mem
from ..errors import check_known
from ..model.provenance import assumed, derived
from . import hbf
from .interleave import Interleave
from .placed import Memory


class Link(NamedTuple):
    """A link to a memory: latency of a read, and GB/s that the GPU has of it."""

    latency: str
    rate: float


# The sources of host links measure loads of an SM. A link lies behind the L2 and has the rest: without the 276 ns of an
# H100 SXM from an SM to the memory port of its L2 and back (`memsim silicon`: host_chase less the memory's latency).
C2C = Link(derived("497ns", from_="nvbandwidth, host_device_latency_sm: 772.6 ns of a GH200-class machine"), 375)
CXL = Link(assumed("300ns", "between the 214 and 394 ns that Melody (ASPLOS'25) measured on four devices"), 63)


def linked(link: Link) -> Memory:
    """A memory of the link's latency and rate. Each channel of the GPU has an equal share of the rate."""

    def memory(i: int, interleave: Interleave) -> SimObject:
        each = derived(f"{round(link.rate * 1000 / interleave.ways)}MB/s", from_="a channel's share")
        made: SimObject = mem.SimpleMemory(latency=link.latency, bandwidth=each, queue=1024)
        return made

    return memory


class Far(NamedTuple):
    """A far memory.

    what      it is, for a reader
    make      gives a function for placed.beside()
    writable  whether the memory accepts writes of a program
    """

    what: str
    make: Callable[[], Memory]
    writable: bool = True

    @property
    def channel(self) -> Memory:
        """For placed.beside()."""
        return self.make()


KNOWN = {
    "hbf": Far("HBF as DASH assumes it, a channel for each channel of the GPU", hbf.channel, writable=False),
    "cxl": Far("CXL memory over a x16 port", lambda: linked(CXL)),
    "c2c": Far("host memory over NVLink-C2C", lambda: linked(C2C)),
}


def memory(name: str) -> Far:
    """The far memory of this name."""
    check_known("far memory", name, KNOWN)
    return KNOWN[name]
