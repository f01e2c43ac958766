"""Reading ahead from far memory into a buffer in local memory, for arrays that a program reads in a known order.

    memory = placed.beside(hbf.channel(), ranges, chip.memory())
    root.gpu = chip.gpu(memory=ahead.before(memory, groups, "64MiB", scale.footprint(root.model)))
"""

from collections.abc import Iterable, Sequence
from typing import Any

from .. import SimObject, mem
from ..errors import user_error
from ..model.provenance import assumed, derived, wired
from ..model.units import Bytes
from .interleave import Interleave, in_bytes
from .placed import Memory, Range
from .scale import MIB, up_to

LINE = 128  # bytes


def before(memory: Memory, groups: Sequence[Iterable[Range]], buffer: str | Bytes, data: int, **changes: Any) -> Memory:
    """A mem.ReadAhead before the memory of each channel, for systems.gpu(memory=). Its memory is its child `router`.

    memory  of a channel, from placed.beside()
    groups  the ranges that are read ahead, in the order of reading; the program reads a group at a time
    buffer  bytes of the buffers of all channels, which lie behind the data: in local memory, or in the memory that has
            place(buffer, data)
    data    bytes of the program's data
    changes of the mem.ReadAhead's parameters
    """
    if len(groups) < 2:
        raise user_error("ahead: there is nothing to read ahead: give at least two groups of arrays in far memory")
    text = "; ".join(", ".join(f"{base}B {size}B" for base, size in group) for group in groups)
    size = in_bytes(buffer, "ahead: buffer")

    def channel(i: int, interleave: Interleave) -> SimObject:
        share = dict(interleave_ways=interleave.ways, interleave_index=i, interleave_granularity=interleave.chunk)
        part: SimObject = mem.ReadAhead(
            arrays=derived(text, from_="the arrays in far memory, in the order of reading"),
            base=derived(Bytes(place(buffer, data).base), from_="behind the program's data"),
            capacity=derived(Bytes(up_to(size // interleave.ways, LINE)), from_="a channel's part of the buffer"),
            **wired(share | {"hashed": interleave.hashed}),
            **changes,
        )
        below = memory(i, interleave)
        if isinstance(below, SimObject):
            part.router = below
        part.mem_side = below.cpu_side if isinstance(below, SimObject) else below
        return part

    return channel


def place(buffer: str | Bytes, data: int) -> Range:
    """The addresses of a buffer, for placed.spread()."""
    return Range(up_to(data, MIB), up_to(in_bytes(buffer, "ahead: buffer"), MIB) + MIB)


def sram(i: int, interleave: Interleave) -> SimObject:
    """An SRAM for a channel's part of the buffer."""
    made: SimObject = mem.SimpleMemory(**SRAM)
    return made


SRAM = assumed(
    dict(latency="20ns", bandwidth="200GB/s", queue=1024), "as fast as a channel of HBF, for reads and writes at once"
)


def reads(gpu: Any) -> dict[str, float]:
    """Reads of the arrays by result (hits, late, misses), and lines of 128 bytes that were fetched and of those that
    were useless, over all channels; empty without a mem.ReadAhead."""
    parts = [part for part in gpu.memory if part._type == "mem.ReadAhead"]
    names = ("hits", "late", "misses", "fetches", "useless")
    return {name: sum(float(getattr(part.stats, name)) for part in parts) for name in names if parts}
