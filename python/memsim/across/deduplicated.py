"""CMD's deduplication in front of all memory of another way: for each slice of the L2 a read-only FIFO and a unit with
its tables, which lie behind all data.

Entries and tables' caches are those of one of the paper's controllers. Contents are carried: they decide what is equal.
"""

from dataclasses import replace

from .. import Root, SimObject, cmd, mem
from ..model.ports import unbind
from ..model.provenance import derived, wired, with_unit
from ..model.units import Bytes
from ..papers.cmd import scale
from ..papers.cmd.fronts import PLATFORMS
from ..papers.cmd.machines import FIFO
from ..systems.interleave import Interleave
from ..systems.scale import up_to
from .machine import CHIP, QUEUE, Build, Machine

# Outstanding requests of a slice of the L2: flash takes 3 us, and the paper's 64 would limit a slice to 2.7 GB/s.
UNDER_WAY = derived(dict(reads=1024, outstanding=1024), from_="misses of a slice of the L2 and their targets")
STEP = 64 << 10  # bytes of a unit are a multiple of this
IN_TABLES = 128 // 8  # bytes of blocks to a byte of tables, at the least


def deduplicated(way: Build, platform: str = "cmd") -> Build:
    """Another way with CMD, or another of its platforms, between the L2 and the memories."""

    def build(root: Root, machine: Machine) -> None:
        each = up_to(-(-machine.footprint // machine.channels), STEP)
        whole = machine.channels * (each + each // IN_TABLES)
        way(root, replace(machine, tables=whole - machine.footprint))
        root.front = [_unit(platform, each, i, root.gpu.interleave) for i in range(machine.channels)]
        root.fifo = [
            mem.VictimBuffer(sectors=FIFO, queue=QUEUE, outstanding=UNDER_WAY["outstanding"]) for _ in root.gpu.l2
        ]
        for l2, fifo, front in zip(root.gpu.l2, root.fifo, root.front):
            below = unbind(l2.mem_side)
            l2.control_ports = wired(l2.control_ports + 1)
            l2.mem_side = fifo.cpu_side
            fifo.mem_side = front.cpu_side
            front.mem_side = below
            front.caches[0] = l2.control[l2.control_ports - 1]

    return build


def _unit(platform: str, capacity: int, i: int, interleave: Interleave) -> SimObject:
    made: SimObject = cmd.Deduplicator(
        capacity=derived(Bytes(capacity), from_="what the program needs"),
        **wired(dict(channels=interleave.ways, channel=i, interleave=interleave.chunk)),
        clock=derived(f"{CHIP.megahertz}MHz", from_="the clock of the SMs"),
        queue=QUEUE,
        **UNDER_WAY,
        slices=wired(1),
        hash_entries=scale.HASH_ENTRIES,
        map_cache=with_unit(scale.MAP, "B"),
        type_cache=with_unit(scale.TYPE, "B"),
        mask_cache=with_unit(scale.MASK, "B"),
        **PLATFORMS[platform]["front"],
    )
    return made
