"""The memories of Ohm-GPU's platforms without XPoint: `oracle` (all of it DRAM, on the optical channel) and
`origin` (a GPU's DRAM on electrical channels; the rest is in host memory, and comes by page faults)."""

from fractions import Fraction

from ... import mem
from ...systems import gtx580, mmu
from ...systems.host import share_of_host
from ...systems.interleave import connect

CONTROLLERS = 6  # of the paper's machine, which the host serves whole
# Bytes that a copy between host and GPU moves: "data copies", not faults of a page (VI-A; assumption, sweep 4 KiB to
# 256 KiB). The testbed's copies are the same.
PAGE = 64 << 10
TIMING = gtx580.DRAM  # as printed: ohm_table1 (docs/models/ohm-readings.md)
COMMAND_BITS = 16  # of each 32 bytes on the light (assumption: 8 bytes a line; sweep 0 to 32)

# DRAM modules of a controller, a rank each (Table III: 12 over 6 in planar mode, 6 in two-level mode). An
# oracle has DRAM in the XPoint modules' places, too; the capacity of a module does not add banks.
RANKS = {"origin": 2, "planar": 2, "two-level": 1}


def figures(ranks, waveguides=1):
    """Changes of the table for so many ranks and waveguides. Its column commands follow each other as fast
    as one waveguide carries bursts; N of them lead to N times as many chips, whose latencies stay
    (assumption)."""
    column, clock = 533_333 // waveguides, 266_667 // waveguides
    faster = f" tCCD_S={column}fs tCCD_L={column}fs tCK={clock}fs" if waveguides > 1 else ""
    return f"ranks={ranks}{faster}"


def _controllers(root, size, latency, capacity, ranks, waveguides=1, command_bits=0):
    rate = 60_000_000_000 * waveguides * 256 // (256 + command_bits)
    root.memory.dram = [
        mem.DramController(
            timing=TIMING,
            capacity=f"{whole_rows(capacity, ranks)}B",
            **root.gpu.interleave.channel(i),
            map="RoRaBaCoChCl",
            channel_rate=f"{rate}B/s",
            channel_latency=latency,
            **gtx580.DRAM_QUEUES,
            changes=figures(ranks, waveguides),
        )
        for i in range(size.controllers)
    ]
    connect(root.gpu.l2, root.memory.dram)


def resident(root, size, latency, ranks=1, waveguides=1, command_bits=0):
    """DRAM that holds everything, `size.dram` bytes a controller. `command_bits`: of the light, with each 32 bytes."""
    _controllers(root, size, latency, size.dram, ranks, waveguides, command_bits)


def paged(root, size, latency, page=PAGE, memory=None, drive=None):
    """`size.dram` bytes a controller (or `memory` in all), and a host that has the other pages: all of
    them at the start, in its memory or on the `drive` (a port).

    A machine of fewer than six controllers is a slice of one whose host serves six: it has that share of it.
    """
    share = Fraction(size.controllers, CONTROLLERS)
    needed = mmu.translate(
        root.gpu,
        size.footprint,
        walks=mmu.new_input(root.gpu.network),
        page=page,
        placement="faults",
        memory=memory or size.dram * size.controllers,
    )
    mmu.page_faults(root, root.gpu, device=mmu.new_input(root.gpu.network), drive=drive, **share_of_host(share))
    _controllers(root, size, latency, -(-needed // size.controllers), RANKS["origin"])


def whole_rows(capacity, ranks, row=2048, banks=16):
    """Bytes rounded up to rows of all banks of the table."""
    return -(-capacity // (row * banks * ranks)) * row * banks * ranks
