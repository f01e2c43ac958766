"""Reading ahead from far memory into a buffer in local memory, for arrays that a program reads in a known order.

    memory = placed.beside(hbf.channel(), ranges, chip.memory())
    root.gpu = chip.gpu(memory=ahead.before(memory, groups, "64MiB", scale.footprint(root.model)))
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .. import SimObject, mem
from ..errors import user_error
from ..model.provenance import assumed, derived, wired
from ..model.units import Bytes
from .interleave import Interleave, in_bytes
from .placed import Memory, Range
from .scale import MIB, up_to

LINE = 128  # bytes


class Signals(NamedTuple):
    """Addresses that a program reads before it reads certain arrays, for `predict` = router.

    where    the addresses, in rounds of `number` signals
    bytes    of a signal: a chunk of each channel
    numbers  the signal of each range that has one
    """

    where: Range
    bytes: int
    number: int
    numbers: Mapping[Range, int]


def before(
    memory: Memory,
    groups: Sequence[Iterable[Range]],
    buffer: str | Bytes,
    data: int,
    signals: Signals | None = None,
    **changes: Any,
) -> Memory:
    """A mem.ReadAhead before the memory of each channel, for systems.gpu(memory=). Its memory is its child `router`.

    memory  of a channel, from placed.beside()
    groups  the ranges that are read ahead, in the order of reading; the program reads a group at a time
    buffer  bytes of the buffers of all channels, which lie behind the data: in local memory, or in the memory that has
            place(buffer, data)
    data    bytes of the program's data
    signals of the program, such as placement.signals(); then `predict` is router
    changes of the mem.ReadAhead's parameters
    """
    if len(groups) < 2:
        raise user_error("ahead: there is nothing to read ahead: give at least two groups of arrays in far memory")
    numbers = signals.numbers if signals else {}
    text = "; ".join(", ".join(_array(one, numbers) for one in group) for group in groups)
    size = in_bytes(buffer, "ahead: buffer")
    changes = _heard(signals) | changes if signals else changes

    def channel(i: int, interleave: Interleave) -> SimObject:
        if signals:
            _check_channels(signals, interleave)
        part: SimObject = mem.ReadAhead(
            arrays=derived(text, from_="the arrays in far memory, in the order of reading"),
            base=derived(Bytes(place(buffer, data).base), from_="behind the program's data"),
            capacity=derived(Bytes(up_to(size // interleave.ways, LINE)), from_="a channel's part of the buffer"),
            **interleave.share(i),
            **changes,
        )
        below = memory(i, interleave)
        if isinstance(below, SimObject):
            part.router = below
        part.mem_side = below.cpu_side if isinstance(below, SimObject) else below
        return part

    return channel


def _array(one: Range, numbers: Mapping[Range, int]) -> str:
    return f"{one.base}B {one.bytes}B" + (f" {numbers[one]}" if one in numbers else "")


def _heard(signals: Signals) -> dict[str, Any]:
    """The parameters of a mem.ReadAhead for signals."""
    where = signals.where
    addresses = dict(
        signal_base=Bytes(where.base), signal_bytes=Bytes(signals.bytes), signal_end=Bytes(where.base + where.bytes)
    )
    return dict(predict="router", **wired(dict(signals=signals.number, **addresses)))


def _check_channels(signals: Signals, interleave: Interleave) -> None:
    if interleave.hash_rounds > 1:
        raise user_error(
            "ahead: a signal does not reach all channels if a hash deals several rounds: give the GPU hash_rounds=1"
        )
    size = interleave.ways * in_bytes(interleave.chunk, "ahead: interleave")
    if size != signals.bytes:
        raise user_error(
            f"ahead: a signal has {signals.bytes} bytes, but {interleave.ways} channels of {interleave.chunk} need "
            f"{size}: set signal_channels and signal_chunk of the program to these"
        )


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
    were useless, over all channels; with `predict` = router also arrays that were signalled and read (predicted_used),
    signalled in vain, and missed. Empty without a mem.ReadAhead."""
    parts = [part for part in gpu.memory if part._type == "mem.ReadAhead"]
    names = ["hits", "late", "misses", "fetches", "useless"]
    if any(str(part.predict) == "router" for part in parts):
        names += ["predicted_used", "predicted_unused", "predicted_missed"]
    return {name: sum(float(getattr(part.stats, name)) for part in parts) for name in names if parts}
