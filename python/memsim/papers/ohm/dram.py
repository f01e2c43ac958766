"""The memories of Ohm-GPU's platforms without XPoint: `oracle` (all of it DRAM, on the optical channel) and
`origin` (a GPU's DRAM on electrical channels; the rest is in host memory, and comes by page faults)."""

from collections.abc import Sequence
from fractions import Fraction

from ... import Port, Root, SimObject, mem
from ...model.provenance import assumed, cited, derived, inferred, stated, swept
from ...model.units import Bytes
from ...systems import gtx580, mmu
from ...systems.host import share_of_host
from ...systems.interleave import connect
from .scale import Scaled

CONTROLLERS = stated(6, "Ohm-GPU table I")  # of the paper's machine, which the host serves whole
# Bytes that a copy between host and GPU moves: "data copies", not faults of a page (VI-A; assumption, sweep 4 KiB to
# 256 KiB). The testbed's copies are the same.
PAGE = assumed(
    64 << 10,
    "Ohm-GPU VI-A: data copies, not faults of a page; in bytes",
    sweep=[
        swept("4KiB", arguments=("--host-page", 4096), platforms=("origin",)),
        swept("256KiB", arguments=("--host-page", 262144), platforms=("origin",)),
    ],
    name="host page",
)
TIMING = cited(  # docs/models/ohm-readings.md
    str(gtx580.DRAM),
    f"{gtx580.MACSIM}: {gtx580.DRAM_KNOBS}; Ohm-GPU table I",
    sweep=[swept("printed", to="ohm_table1")],
    name="DRAM times",
)
PAGE_COST = assumed(
    1_000_000_000,
    "time of the driver for a page, in fs",
    sweep=[swept(t, f"host.page_cost={t}") for t in ("0ns", "12us")],
    name="page_cost",
)
COMMAND_BITS = assumed(
    16, "of each 32 bytes on the light: an address of 6 bytes, code and size with a line", sweep=[0, 32]
)

# DRAM modules of a controller, a rank each (Table III: 12 over 6 in planar mode, 6 in two-level mode). An
# oracle has DRAM in the XPoint modules' places, too; the capacity of a module does not add banks.
RANKS = stated(
    {"origin": 2, "planar": 2, "two-level": 1}, "Ohm-GPU table III: DRAM modules of a controller, a rank each"
)


def figures(ranks: int, waveguides: int = 1) -> str:
    """Changes of the table for so many ranks and waveguides. Its column commands follow each other as fast
    as one waveguide carries bursts; N waveguides connect N times as many chips, with unchanged latencies
    (assumption)."""
    column, clock = 533_333 // waveguides, 266_667 // waveguides
    faster = f" tCCD_S={column}fs tCCD_L={column}fs tCK={clock}fs" if waveguides > 1 else ""
    other = 2 if ranks == 1 else 1
    return stated(
        f"ranks={ranks}{faster}",
        "Ohm-GPU table III: DRAM modules of a controller, a rank each",
        sweep=[
            swept("11ns", to=f"ranks={ranks} tFAW=11ns", name="tFAW"),
            swept(other, to=f"ranks={other}", name="ranks"),
        ],
    )


def _controllers(
    root: Root,
    size: Scaled,
    latency: str,
    capacity: int,
    ranks: int,
    waveguides: int = 1,
    command_bits: int = 0,
) -> None:
    """Memory controllers with `capacity` bytes each, as root.memory.dram, which the caller connects."""
    rate = 60_000_000_000 * waveguides * 256 // (256 + command_bits)
    root.memory.dram = [
        mem.DramController(
            timing=TIMING,
            capacity=derived(Bytes(whole_rows(capacity, ranks)), from_=[size.dram, "whole rows"]),
            **root.gpu.interleave.over(size.controllers).channel(i),
            map=assumed("RoRaBaCoChCl", "a usual map: neighbouring lines in a row"),
            channel_rate=derived(f"{rate}B/s", from_=["Ohm-GPU table I: 60 GB/s a controller", command_bits]),
            channel_latency=latency,
            **gtx580.DRAM_QUEUES,
            changes=figures(ranks, waveguides),
        )
        for i in range(size.controllers)
    ]


def resident(
    root: Root,
    size: Scaled,
    latency: str,
    ranks: int = 1,
    waveguides: int = 1,
    command_bits: int = 0,
    joins: Sequence[SimObject] = (),
) -> None:
    """DRAM that holds everything, `size.dram` bytes a controller. `command_bits`: of the light, with each 32 bytes;
    `joins` as of connect()."""
    _controllers(root, size, latency, size.dram, ranks, waveguides, command_bits)
    connect(root.gpu.l2, root.memory.dram, joins)


def paged(
    root: Root, size: Scaled, latency: str, page: int = PAGE, memory: int | None = None, drive: Port | None = None
) -> None:
    """`size.dram` bytes of DRAM a controller (or `memory` in all), and a host that has the other pages. At the start it
    has all of them, in its memory or on the `drive` (a port).

    A host serves six controllers. A machine with fewer has that share of its rates.
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
    host = share_of_host(share, PAGE_COST)
    host["pcie"]["share"] = inferred(
        str(host["pcie"]["share"]),
        "the share of a machine that the host serves whole",
        sweep=["100%"],
        name="share of PCIe",
    )
    mmu.page_faults(
        root,
        root.gpu,
        device=mmu.new_input(root.gpu.network),
        drive=drive,
        fault_latency=assumed(
            "20us", "as Zheng et al., HPCA'16, are quoted: 20 to 50 us; not looked up", sweep=["50us"]
        ),
        **host,
    )
    _controllers(root, size, latency, -(-needed // size.controllers), RANKS["origin"])
    connect(root.gpu.l2, root.memory.dram)


def whole_rows(capacity: int, ranks: int, row: int = 2048, banks: int = 16) -> int:
    """Bytes rounded up to rows of all banks of the table."""
    return -(-capacity // (row * banks * ranks)) * row * banks * ranks
