"""SAP's machines: a GTX 480 whose memory is a DRAM in front of a PCIe SSD, and one that only counts what would hit.

`machine(policy, program, dram)` has the DRAM and the drive, with their times. `shadows(program)` has memory enough, and
beside it what each policy would hold at each of SAP's sizes: one run gives them all, as the paper's trace does.
"""

from fractions import Fraction

from ... import Root, System, flash, mem, sap
from ...errors import check_known, user_error
from ...systems.drive import PRESETS, solid_state_drive
from ...systems.interleave import in_bytes
from ...systems.processor import gpu
from ...systems.scale import KIB, MIB, up_to
from ...systems.scale import footprint as footprint_of
from .watch import watch

# How units make room, and what comes with a missing one: pages by a prefetcher of the registry, or what warps are about
# to access. SAP's own replacement is an assumption, and so is page-on-page's.
POLICIES = {
    "fifo": "fifo",
    "lru": "lru",
    "sap": "lru",
    "arc": "arc",
    "car": "car",
    "clock-pro": "clock-pro",
    "page-on-page": "lru",
}
PREFETCH = {"page-on-page": "page-on-page"}
UNIT = 4 * KIB  # the paper's
LEAST, CAPACITIES = MIB, 12  # 1 MiB to 2 GiB; the paper's largest is 1.5 GB
SMS, SLICES, INTERLEAVE = 15, 6, 256
CLOCK = "700MHz"
WATCH = dict(clock=CLOCK, unit=f"{UNIT}B")  # of the memory manager
# Table II: DRAM 60 ns; flash 50 and 550 us, and 5 ns a byte. GTX 480: 177.4 GB/s.
DRAM = dict(latency="60ns", bandwidth="177400MB/s")
TABLE = dict(read_latency="50us", write_latency="550us", bandwidth="200MB/s", block="4KiB", queue=1024)
DRIVES = "table", "flash"
# Flash of Table I; blocks of a plane beside the data's, for open blocks and collection.
SLC, SPARE_BLOCKS = "slc_mt29f", 6


def policies():
    """Their names, the paper's first."""
    return list(POLICIES)


def check(policy):
    check_known("policy", policy, POLICIES)


def gtx480(memory, **dispatch):
    """SMs, L1s and the L2; `memory` takes what the six slices ask for, one after the other."""
    return gpu(
        sms=SMS,
        slices=SLICES,
        channels=1,
        interleave=f"{INTERLEAVE}B",
        clock=CLOCK,
        memory=lambda index, interleave: memory,
        dispatcher=dispatch,
        sm=dict(schedulers=2, warp_slots=48, block_slots=8),
        l1=dict(capacity="16KiB", ways=4, sector="128B", set_hash="linear"),
        l2=dict(capacity="768KiB", ways=8, sector="128B", latency="170ns", set_hash="linear"),
    )


def machine(policy, program, dram="8MiB", drive="table", seed=1, contents=False, manager=None, **dispatch):
    """A GTX 480 with a DRAM of so many bytes before a drive, without a host in between.

    policy    one of policies()
    program   the workload.Program that it runs; its data are on the drive, the DRAM is empty
    dram      capacity of the DRAM, a whole number of units of 4 KiB
    drive     table: the latencies of the paper's Table II; flash: a drive of such flash (src/flash)
    contents  whether the values of stores are carried
    manager   parameters of sap.MemoryManager, such as dict(period=1000)
    dispatch  parameters of gpu.Dispatcher, such as max_instructions

    Returns a Root with `program`, `gpu`, whose `memory[0]` is the mem.PageCache, `dram`, `drive` or `ssd`, and with sap
    `manager`.
    """
    check(policy)
    check_known("drive", drive, DRIVES)
    capacity = in_bytes(dram, "dram")
    if capacity < UNIT or capacity % UNIT:
        raise user_error(
            f"dram={dram!r}: write a whole number of units of {UNIT}B, such as " f"{max(UNIT, up_to(capacity, UNIT))}B"
        )
    watched, end = policy == "sap", f"{up_to(footprint_of(program), UNIT)}B"
    root = Root(seed=seed, contents=contents)
    root.program = program
    cache = mem.PageCache(
        capacity=f"{capacity}B",
        unit=f"{UNIT}B",
        replacement=POLICIES[policy],
        prefetchers=int(watched),
        requests=1024,
        queue=64,
        dram_queue=256,
        drive_queue=1024,
        hint_queue=1024,
        prefetch=PREFETCH.get(policy, "none"),
        prefetch_end=end,
    )
    root.gpu = gtx480(cache, **dispatch)
    root.dram = mem.SimpleMemory(**DRAM)
    cache.dram_side = root.dram.cpu_side
    if drive == "flash":
        root.ssd = slc_drive(footprint_of(program))
        cache.drive_side = root.ssd.drive.host[0]
    else:
        root.drive = flash.FixedDrive(**TABLE)
        cache.drive_side = root.drive.requests
    if watched:
        taken = watch(root, **WATCH, **(manager or {}))
        cache.misses[0] = taken.misses[0]
        taken.hints[0] = cache.hints[0]
    program.dispatcher = root.gpu.dispatcher.host
    return root


def slc_drive(capacity):
    """A drive of Table I's SLC flash with room for so many bytes, and spare for its own copies."""
    channels, packages, dies, planes, _, pages = PRESETS[SLC]["geometry"]
    page = in_bytes(PRESETS[SLC]["drive"]["page"], "page")
    of_all_planes = channels * packages * dies * planes * pages * page
    blocks = -(-capacity // of_all_planes) + SPARE_BLOCKS
    spare = 1 - Fraction(up_to(capacity, page), blocks * of_all_planes)
    own = channels * packages * dies * planes * page  # of DRAM, for its map and the writes that wait
    return solid_state_drive(
        SLC,
        geometry=(channels, packages, dies, planes, blocks, pages),
        cache=f"{own}B",
        write_buffer=f"{own}B",
        over_provisioning=f"{min(int(spare * 10**9), 9 * 10**8)}ppb",
    )


def shadows(program, policies=tuple(POLICIES), seed=1, manager=None, **dispatch):
    """A GTX 480 with memory enough, and what each policy would hold beside it.

    Returns a Root with `program`, `gpu`, whose `memory[0]` is a mem.Monitor, `dram`, `distances` (LRU at all sizes) and, by name in `shadow`,
    a sap.ShadowDram of each other policy.
    """
    for policy in policies:
        check(policy)
    watched, end = "sap" in policies, f"{up_to(footprint_of(program), UNIT)}B"
    beside = [p for p in policies if p != "lru"]
    root = Root(seed=seed)
    root.program = program
    monitor = mem.Monitor(listeners=1 + len(beside), outstanding=4096)
    root.gpu = gtx480(monitor, **dispatch)
    root.dram = mem.SimpleMemory(**DRAM)
    monitor.mem_side = root.dram.cpu_side
    sizes = dict(least=f"{LEAST}B", capacities=CAPACITIES, unit=f"{UNIT}B")
    root.distances = sap.StackDistances(**sizes)
    monitor.passed[0] = root.distances.accesses
    root.shadow = System()
    for i, policy in enumerate(beside):
        made = sap.ShadowDram(
            replacement=POLICIES[policy],
            managers=int(policy == "sap"),
            **sizes,
            prefetch=PREFETCH.get(policy, "none"),
            prefetch_end=end,
        )
        setattr(root.shadow, attribute(policy), made)
        monitor.passed[1 + i] = made.accesses
    if watched:
        taken = watch(root, **WATCH, memories=0, reports=0, listeners=1, **(manager or {}))
        taken.recorded[0] = root.shadow.sap.recorded[0]
    program.dispatcher = root.gpu.dispatcher.host
    return root


def attribute(policy):
    """A policy's name in root.shadow."""
    return policy.replace("-", "_")


def shadow_of(root, policy):
    """What counts a policy's hits beside a machine of shadows()."""
    return root.distances if policy == "lru" else getattr(root.shadow, attribute(policy))
