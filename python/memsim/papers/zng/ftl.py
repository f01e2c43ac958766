"""ZnG's split FTL: the data block mapping table (DBMT) in the MMU, the helper thread that merges log blocks.

    of = ftl.BlockMapping(packages, geometry)
    ftl.translate(root.gpu, of, programs)
    ftl.collect(root.gpu, root.flash.controller, of, programs)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ... import SimObject, mem, zng
from ...errors import user_error
from ...model.provenance import assumed, cited, derived, inferred, wired
from ...model.units import Bytes
from ...systems import mmu
from ...systems.drive import FLASHARRAY
from ...systems.parameters import Parameters
from ...systems.scale import footprint, up_to

PAGE = 4096
ENTRY_BITS = inferred(60, "ZnG IV-A: VBN, LBN, PLBN and PDBN, III-B: 80 KB for 10,923 mapped blocks", used=["zng-31"])
BUFFER_LATENCY = assumed(
    "2ns", "the MMU's buffer is an SRAM of some KB to MB", sweep=["1ns", "10ns"], name="DBMT's latency"
)
# Of all platforms. Requests of a held application wait in TLBs, and do not delay those of others.
TLB: Parameters = dict(
    acknowledged_stores=inferred(True, "ZnG IV-A: a held application has nothing outstanding"),
    **assumed(dict(misses=64, targets=512), "room for the requests of a held application, on every platform"),
)
DATA_BLOCKS = cited(796, f"{FLASHARRAY}: OverProvisioningRatio 0.22265625 of 1024 blocks")
LOG_RATIO = assumed(4, "data blocks to a log block; range 1 to 16")


def block_bytes(geometry: Parameters) -> int:
    """Of addresses, in a mapped block."""
    pages: int = geometry.get("data_pages") or geometry["pages"]
    span: int = geometry.get("span", 1)
    return pages * span * PAGE


@dataclass(frozen=True)
class BlockMapping:
    """How data lies in the flash.

    packages     of the flash
    geometry     dies, planes, blocks, pages; perhaps data_pages, span, across (zng.FlashController)
    data_blocks  of a plane, that hold data
    log_ratio    data blocks to a log block
    """

    packages: int
    geometry: Parameters
    data_blocks: int = DATA_BLOCKS
    log_ratio: int = LOG_RATIO

    @property
    def block_bytes(self) -> int:
        """Of addresses, in a mapped block."""
        return block_bytes(self.geometry)

    @property
    def groups(self) -> int:
        """Groups of planes over which a mapped block extends."""
        planes: int = self.packages * self.geometry["dies"] * self.geometry["planes"]
        span: int = self.geometry.get("span", 1)
        if planes % span:
            raise user_error(f"a mapped block of {span} planes does not divide the {planes} planes")
        return planes // span

    @property
    def row(self) -> int:
        """Mapped blocks of all groups that share one log block each."""
        return self.groups * self.log_ratio

    def address_space(self, footprints: Sequence[int]) -> int:
        """Bytes of each application's addresses: beginnings so far apart that none shares a log block."""
        return up_to(max(footprints) + self.row * self.block_bytes, self.block_bytes)


def table_bytes(size: int, geometry: Parameters) -> float:
    """Of the DBMT for so many bytes of flash."""
    return -(-size // block_bytes(geometry)) * ENTRY_BITS / 8


def report(packages: int, geometry: Parameters, data_blocks: int = DATA_BLOCKS) -> str:
    """A line for a reader: how large the DBMT is."""
    blocks = BlockMapping(packages, geometry).groups * data_blocks
    return (
        f"DBMT: {blocks} mapped data blocks of {geometry.get('span', 1)} planes x {ENTRY_BITS} bits = "
        f"{blocks * ENTRY_BITS / 8 / 1024:.0f} KiB"
    )


def translate(part: SimObject, of: BlockMapping, programs: Sequence[SimObject], **more: Any) -> None:
    """TLBs and an MMU (`part.tlb`, `part.mmu`) whose pages are mapped blocks: its table is the DBMT, which
    walks read in a buffer of its own, `part.dbmt`. Physical addresses are those of zng/layout/address.hh.

    part        a System with `sm`, each bound to its L1
    more        further parameters of the MMU
    """
    footprints = [footprint(p) for p in programs]
    space = of.address_space(footprints)
    needed = len(programs) * space
    if needed > of.groups * of.data_blocks * of.block_bytes:
        raise user_error(
            f"the flash is full: {len(programs)} address spaces of {space} bytes need "
            f"{needed // of.block_bytes} blocks; {of.groups * of.data_blocks} hold data"
        )
    part.dbmt = mem.SimpleMemory(
        latency=BUFFER_LATENCY,
        **assumed(dict(bandwidth="1000GB/s", capacity="1024TiB", queue=64), "a buffer that limits nothing"),
    )
    mmu.translate(
        part,
        space,
        walks=part.dbmt.cpu_side,
        page=of.block_bytes,
        applications=len(programs),
        placement="identity",
        tlb=TLB,
        targets=derived(max(64, len(part.sm)), from_="one for each SM at least"),
        fault_buffer=derived(
            max(256, sum(-(-f // of.block_bytes) for f in footprints)),
            from_="the blocks of the programs",
        ),
        **more,
    )
    # The table has addresses of its own, behind all blocks: log blocks follow the data blocks that it names.
    part.mmu.table_base = derived(
        Bytes(of.groups * of.geometry["blocks"] * of.block_bytes), from_="the size of the flash"
    )


def collect(
    part: SimObject,
    controllers: Sequence[SimObject],
    of: BlockMapping,
    programs: Sequence[SimObject],
    helper: str = "assist",
    **more: Any,
) -> None:
    """The helper thread, `part.collector`.

    part         has `mmu`, `sm` and `l2` (slices behind whose control ports dirty lines are flushed)
    controllers  of the flash
    helper       assist: its warp takes issue slots of SM 0; sm: it has an SM to itself, which is not among
                 part.sm
    more         further parameters of zng.GarbageCollector
    """
    if helper not in ("assist", "sm"):
        raise user_error(f"there is no helper '{helper}': it is assist or sm")
    part.collector = zng.GarbageCollector(
        packages=wired(of.packages),
        controllers=wired(len(controllers)),
        caches=wired(len(part.l2)),
        data_blocks=of.data_blocks,
        log_ratio=of.log_ratio,
        applications=wired(len(programs)),
        footprints=derived(
            ",".join(str(Bytes(up_to(footprint(p), of.block_bytes))) for p in programs), from_="the programs"
        ),
        table_entry_bits=ENTRY_BITS,
        **of.geometry,
        **more,
    )
    part.collector.mmu = part.mmu.mover_side[0]
    for i, controller in enumerate(controllers):
        part.collector.collect[i] = controller.collector
        controller.log_low = part.collector.log_low[i]
    for i, l2 in enumerate(part.l2):
        l2.acknowledged_writebacks = inferred(True, "ZnG IV-A: a held application has nothing outstanding")
        l2.control_ports = wired(l2.control_ports + 1)
        part.collector.flush[i] = l2.control[l2.control_ports - 1]
    if helper == "assist":
        part.collector.helper = part.sm[0].helper
