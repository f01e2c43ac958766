"""ZnG's split FTL: the data block mapping table (DBMT) in the MMU, the helper thread that merges log blocks.

    ftl.translate(root.gpu, packages, geometry, programs)
    ftl.collect(root.gpu, root.flash.controller, packages, geometry, programs)
"""

from ... import mem, zng
from ...errors import user_error
from ...model.provenance import assumed, cited, derived, inferred, wired
from ...systems import mmu
from ...systems.scale import footprint, up_to

PAGE = 4096
ENTRY_BITS = inferred(60, "ZnG IV-A: VBN, LBN, PLBN and PDBN, III-B: 80 KB for 10,923 mapped blocks", used=["zng-31"])
BUFFER_LATENCY = assumed(
    "2ns", "the MMU's buffer is an SRAM of some KB to MB", sweep=["1ns", "10ns"], name="DBMT's latency"
)
# Of all platforms. What a held application asks for waits in TLBs, without being in the way of others.
TLB = dict(
    acknowledged_stores=inferred(True, "ZnG IV-A: a held application has nothing under way"),
    **assumed(dict(misses=64, targets=512), "room for what a held application asks for, on every platform"),
)
DATA_BLOCKS = cited(796, "the authors' public configuration: 22.3 % of a plane's 1024 blocks over-provisioned")
LOG_RATIO = assumed(4, "data blocks to a log block; range 1 to 16")


def block_bytes(geometry):
    """Of addresses, in a mapped block."""
    return (geometry.get("data_pages") or geometry["pages"]) * geometry.get("span", 1) * PAGE


def groups(packages, geometry):
    """Groups of planes over which a mapped block extends."""
    planes = packages * geometry["dies"] * geometry["planes"]
    span = geometry.get("span", 1)
    if planes % span:
        raise user_error(f"a mapped block of {span} planes does not lie evenly in {planes} planes")
    return planes // span


def row(packages, geometry, log_ratio=LOG_RATIO):
    """Mapped blocks of all groups that share one log block each."""
    return groups(packages, geometry) * log_ratio


def address_space(packages, geometry, footprints, log_ratio=LOG_RATIO):
    """Bytes of each application's addresses: beginnings so far apart that none shares a log block."""
    gap = row(packages, geometry, log_ratio) * block_bytes(geometry)
    return up_to(max(footprints) + gap, block_bytes(geometry))


def table_bytes(size, geometry):
    """Of the DBMT for so many bytes of flash."""
    return -(-size // block_bytes(geometry)) * ENTRY_BITS / 8


def report(packages, geometry, data_blocks=DATA_BLOCKS):
    """A line for a reader: how large the DBMT is."""
    blocks = groups(packages, geometry) * data_blocks
    return (
        f"DBMT: {blocks} mapped data blocks of {geometry.get('span', 1)} planes x {ENTRY_BITS} bits = "
        f"{blocks * ENTRY_BITS / 8 / 1024:.0f} KiB"
    )


def translate(part, packages, geometry, programs, data_blocks=DATA_BLOCKS, log_ratio=LOG_RATIO, **more):
    """TLBs and an MMU (`part.tlb`, `part.mmu`) whose pages are mapped blocks: its table is the DBMT, which
    walks read in a buffer of its own, `part.dbmt`. Physical addresses are those of zng/layout/address.hh.

    part        a System with `sm`, each bound to its L1
    more        further parameters of the MMU
    """
    footprints = [footprint(p) for p in programs]
    of_group = groups(packages, geometry)
    space = address_space(packages, geometry, footprints, log_ratio)
    needed = len(programs) * space
    if needed > of_group * data_blocks * block_bytes(geometry):
        raise user_error(
            f"the flash is full: {len(programs)} address spaces of {space} bytes need "
            f"{needed // block_bytes(geometry)} blocks; {of_group * data_blocks} hold data"
        )
    part.dbmt = mem.SimpleMemory(
        latency=BUFFER_LATENCY,
        **assumed(dict(bandwidth="1000GB/s", capacity="1024TiB", queue=64), "a buffer that limits nothing"),
    )
    mmu.translate(
        part,
        space,
        walks=part.dbmt.cpu_side,
        page=block_bytes(geometry),
        applications=len(programs),
        placement="identity",
        tlb=TLB,
        targets=derived(max(64, len(part.sm)), from_="one for each SM at least"),
        fault_buffer=derived(
            max(256, sum(-(-f // block_bytes(geometry)) for f in footprints)),
            from_="the blocks of the programs",
        ),
        **more,
    )
    # The table has addresses of its own, behind all blocks: log blocks follow the data blocks that it names.
    part.mmu.table_base = derived(
        f"{of_group * geometry['blocks'] * block_bytes(geometry)}B", from_="the size of the flash"
    )


def collect(
    part,
    controllers,
    packages,
    geometry,
    programs,
    data_blocks=DATA_BLOCKS,
    log_ratio=LOG_RATIO,
    helper="assist",
    **more,
):
    """The helper thread, `part.collector`, for zng.FlashControllers whose `collectors` is 1.

    part         has `mmu`, `sm` and `l2` (slices behind whose control ports dirty lines are flushed)
    controllers  of the flash
    helper       assist: its warp takes issue slots of SM 0; sm: it has an SM to itself, which is not among
                 part.sm
    more         further parameters of zng.GarbageCollector
    """
    if helper not in ("assist", "sm"):
        raise user_error(f"there is no helper '{helper}': it is assist or sm")
    part.mmu.movers = wired(1)
    part.collector = zng.GarbageCollector(
        packages=wired(packages),
        controllers=wired(len(controllers)),
        caches=wired(len(part.l2)),
        helpers=wired(int(helper == "assist")),
        data_blocks=data_blocks,
        log_ratio=log_ratio,
        applications=wired(len(programs)),
        footprints=derived(
            ",".join(f"{up_to(footprint(p), block_bytes(geometry))}B" for p in programs), from_="the programs"
        ),
        table_entry_bits=ENTRY_BITS,
        **geometry,
        **more,
    )
    part.collector.mmu = part.mmu.mover_side[0]
    for i, controller in enumerate(controllers):
        controller.collectors = wired(1)
        part.collector.collect[i] = controller.collector[0]
        controller.log_low[0] = part.collector.log_low[i]
    for i, l2 in enumerate(part.l2):
        l2.acknowledged_writebacks = inferred(True, "ZnG IV-A: a held application has nothing under way")
        l2.control_ports = wired(l2.control_ports + 1)
        part.collector.flush[i] = l2.control[l2.control_ports - 1]
    if helper == "assist":
        part.sm[0].helpers = wired(1)
        part.collector.helper[0] = part.sm[0].helper[0]
