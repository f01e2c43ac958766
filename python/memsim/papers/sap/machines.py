"""SAP's machines: a GTX 480 whose memory is a DRAM in front of a PCIe SSD, and one that only counts hits.

`machine(MachineParameters(policy, program))` has the DRAM and the drive, with their times. `shadows(ShadowParameters(
program))` has enough memory for everything, and counts the hits that each policy would have at each of SAP's sizes: one
run gives the results of all policies and sizes, as the paper's trace does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ... import Root, SimObject, System, flash, mem, sap
from ...errors import check_known, user_error
from ...model.provenance import assumed, cited, derived, options, stated, swept, wired, with_unit
from ...model.units import Bytes
from ...systems.drive import PRESETS, Geometry, solid_state_drive
from ...systems.interleave import in_bytes
from ...systems.parameters import Parameters, described_by, of_region
from ...systems.processor import Gpu, gpu
from ...systems.scale import KIB, MIB, up_to
from ...systems.scale import footprint as footprint_of
from . import workloads
from .watch import watch

# The replacement of units, and the units that are read with a missing one: those of a prefetcher of the registry, or
# those that warps are about to access. The replacement of SAP and of page-on-page is an assumption.
COMPARED = "SAP, evaluation: compared policies"
REPLACEMENT = assumed("lru", "no source gives the replacement beside the prefetching")
POLICIES: dict[str, str] = {
    **stated({"fifo": "fifo", "lru": "lru"}, COMPARED),
    "sap": REPLACEMENT,
    **stated({"arc": "arc", "car": "car", "clock-pro": "clock-pro"}, COMPARED),
    "page-on-page": REPLACEMENT,
}
NO_PREFETCH = stated("none", COMPARED)
PREFETCH = {"page-on-page": stated("page-on-page", COMPARED)}
UNIT = stated(4 * KIB, "SAP III: 4 KB")
LEAST, CAPACITIES = MIB, stated(12, "SAP IV: 1 MB to 1.5 GB, each twice the one before; here to 2 GiB")
GTX480 = "GPGPU-Sim, SM2_GTX480/gpgpusim.config (SAP names the chip)"
SMS, SLICES = cited((15, 6), f"{GTX480}: gpgpu_n_clusters 15, gpgpu_n_mem 6")
INTERLEAVE = assumed("256B", "consecutive chunks belong to consecutive slices of the L2")
CLOCK = cited("700MHz", f"{GTX480}: gpgpu_clock_domains 700")
WATCH: Parameters = dict(  # of the memory manager
    clock=CLOCK,
    unit=with_unit(UNIT, "B"),
    period=assumed(100, "cycles between two looks", sweep=options("--period", 1, 10, 1000)),
    lookahead=cited(2, "GPGPU-Sim, shader.h: IBUFFER_SIZE 2", sweep=options("--lookahead", 1, 4, 8)),
    record=assumed(1024, "units, of which the oldest is dropped", sweep=options("--record", 64, 256, 1 << 20)),
)
# Queues that hold all outstanding requests of the GPU.
QUEUES = assumed(
    dict(requests=1024, queue=64, dram_queue=256, drive_queue=1024, hint_queue=1024),
    "outstanding requests of the GPU",
)
# Table II: DRAM 60 ns; flash 50 and 550 us, and 5 ns a byte. GTX 480: 177.4 GB/s.
DRAM = dict(
    latency=stated("60ns", "SAP table II", sweep=["200ns"], name="DRAM's latency"),
    bandwidth=cited("177400MB/s", f"{GTX480}: 384 bit, gpgpu_clock_domains 924 MHz, four transfers a cycle"),
)
TABLE = dict(
    **stated(dict(read_latency="50us", write_latency="550us", bandwidth="200MB/s"), "SAP table II: flash, 5 ns a byte"),
    block=stated("4KiB", "SAP III: 4 KB"),
    queue=assumed(1024, "outstanding requests of the GPU"),
)
DRIVES = "table", "flash"
# Flash of Table I; blocks of a plane beside the data's, for open blocks and collection.
SLC = "slc_mt29f"
SPARE_BLOCKS = assumed(6, "blocks of a plane beside the data, for open blocks and collection")
L2_SETS = f"{GTX480}: gpgpu_cache:dl2 64:128:8 in each of 12 partitions"
LINEAR = assumed("linear", "no source states a hash of sets")


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    policy      one of policies()
    program     the workload.Program that it runs; its data are on the drive, the DRAM is empty
    dram        capacity of the DRAM, a whole number of units of 4 KiB
    drive       table: the latencies of the paper's Table II; flash: a drive of such flash (src/flash)
    contents    whether the values of stores are carried
    manager     parameters of sap.MemoryManager, such as dict(period=1000)
    dispatcher  parameters of gpu.Dispatcher, such as max_instructions
    """

    policy: str
    program: SimObject
    dram: str = "8MiB"
    drive: str = "table"
    seed: int = 1
    contents: bool = False
    manager: Parameters | None = None
    dispatcher: Parameters = field(default_factory=dict)


@dataclass(frozen=True)
class ShadowParameters:
    """Parameters of shadows(): those of MachineParameters, and the `policies` whose hits are counted."""

    program: SimObject
    policies: Sequence[str] = tuple(POLICIES)
    seed: int = 1
    manager: Parameters | None = None
    dispatcher: Parameters = field(default_factory=dict)


def policies() -> list[str]:
    """Their names, the paper's first."""
    return list(POLICIES)


def check(policy: str) -> None:
    """Refuses the name of an unknown policy."""
    check_known("policy", policy, POLICIES)


def gtx480(memory: SimObject, dispatcher: Parameters) -> Gpu:
    """SMs, L1s and the L2; `memory` receives the requests of the six slices, one after the other."""
    return gpu(
        sms=SMS,
        slices=SLICES,
        channels=1,
        interleave=INTERLEAVE,
        clock=CLOCK,
        memory=lambda index, interleave: memory,
        dispatcher=of_region(dispatcher),
        sm=dict(
            schedulers=cited(2, f"{GTX480}: gpgpu_num_sched_per_core 2", sweep=[1]),
            warp_slots=cited(48, f"{GTX480}: gpgpu_shader_core_pipeline 1536:32"),
            block_slots=cited(8, f"{GTX480}: gpgpu_shader_cta 8"),
        ),
        l1=dict(
            **cited(dict(capacity="16KiB", ways=4, sector="128B"), f"{GTX480}: gpgpu_cache:dl1 N:32:128:4"),
            set_hash=LINEAR,
        ),
        l2=dict(
            capacity=cited("768KiB", L2_SETS, sweep=[swept("384KiB", "gpu.l2[*].capacity=64KiB")], name="L2"),
            ways=cited(8, L2_SETS),
            sector=assumed("128B", "whole lines, as in the L1; GPGPU-Sim's configuration has an L2 of sectors"),
            latency=assumed("170ns", "of the order that is measured on GTX 480"),
            set_hash=LINEAR,
        ),
    )


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """A GTX 480 with a DRAM of so many bytes before a drive, without a host in between.

    Returns a Root with `program`, `gpu`, whose `memory[0]` is the mem.PageCache, `dram`, `drive` or `ssd`, and with sap
    `manager`.
    """
    check(p.policy)
    check_known("drive", p.drive, DRIVES)
    capacity = in_bytes(p.dram, "dram")
    if capacity < UNIT or capacity % UNIT:
        raise user_error(
            f"dram={p.dram!r}: write a whole number of units of {UNIT}B, such as "
            f"{Bytes(max(UNIT, up_to(capacity, UNIT)))}"
        )
    watched = p.policy == "sap"
    root = Root(seed=p.seed, contents=p.contents)
    root.program = p.program
    cache = mem.PageCache(
        capacity=stated(Bytes(capacity), "SAP IV: 1 MB to 1.5 GB"),
        unit=with_unit(UNIT, "B"),
        replacement=POLICIES[p.policy],
        **QUEUES,
        prefetch=PREFETCH.get(p.policy, NO_PREFETCH),
        prefetch_end=end_of_data(p.program),
    )
    root.gpu = gtx480(cache, p.dispatcher)
    root.dram = mem.SimpleMemory(**DRAM)
    cache.dram_side = root.dram.cpu_side
    if p.drive == "flash":
        root.ssd = slc_drive(footprint_of(p.program))
        cache.drive_side = root.ssd.drive.host[0]
    else:
        root.drive = flash.FixedDrive(**TABLE)
        cache.drive_side = root.drive.requests
    if watched:
        taken = watch(root, **{**WATCH, **(p.manager or {})})
        cache.misses = taken.misses
        taken.hints = cache.hints
    p.program.dispatcher = root.gpu.dispatcher.host
    return root


def end_of_data(program: SimObject) -> str:
    """The first address behind a program's data, in whole units."""
    return derived(str(Bytes(up_to(footprint_of(program), UNIT))), from_="the end of the program's data")


def slc_drive(capacity: int) -> System:
    """A drive of Table I's SLC flash with room for so many bytes, and spare for its own copies."""
    channels, packages, dies, planes, _, pages = PRESETS[SLC]["geometry"]
    page = in_bytes(PRESETS[SLC]["drive"]["page"], "page")
    of_all_planes = channels * packages * dies * planes * pages * page
    blocks = -(-capacity // of_all_planes) + SPARE_BLOCKS
    spare = 1 - Fraction(up_to(capacity, page), blocks * of_all_planes)
    own = channels * packages * dies * planes * page  # of DRAM, for its map and the writes that wait
    return solid_state_drive(
        SLC,
        geometry=Geometry(channels, packages, dies, planes, derived(blocks, from_=SPARE_BLOCKS), pages),
        cache=derived(Bytes(own), from_="a page of each plane"),
        write_buffer=derived(Bytes(own), from_="a page of each plane"),
        over_provisioning=derived(
            f"{min(int(spare * 10**9), 9 * 10**8)}ppb", from_="the capacity and the blocks of a plane"
        ),
    )


@described_by(ShadowParameters)
def shadows(p: ShadowParameters) -> Root:
    """A GTX 480 with enough memory for everything, and beside it counters of the hits of each policy.

    Returns a Root with `program`, `gpu`, whose `memory[0]` is a mem.Monitor, `dram`, `distances` (LRU at all sizes)
    and, by name in `shadow`, a sap.ShadowDram of each other policy.
    """
    for policy in p.policies:
        check(policy)
    beside = [policy for policy in p.policies if policy != "lru"]
    root = Root(seed=p.seed)
    root.program = p.program
    monitor = mem.Monitor(
        listeners=wired(1 + len(beside)), outstanding=assumed(4096, "more than the GPU has outstanding")
    )
    root.gpu = gtx480(monitor, p.dispatcher)
    root.dram = mem.SimpleMemory(**DRAM)
    monitor.mem_side = root.dram.cpu_side
    sizes = dict(least=stated(Bytes(LEAST), "SAP IV: 1 MB to 1.5 GB"), capacities=CAPACITIES, unit=with_unit(UNIT, "B"))
    root.distances = sap.StackDistances(**sizes)
    monitor.passed[0] = root.distances.accesses
    root.shadow = System()
    for i, policy in enumerate(beside):
        made = sap.ShadowDram(
            replacement=POLICIES[policy],
            **sizes,
            prefetch=PREFETCH.get(policy, NO_PREFETCH),
            prefetch_end=end_of_data(p.program),
        )
        setattr(root.shadow, attribute(policy), made)
        monitor.passed[1 + i] = made.accesses
    if "sap" in p.policies:
        taken = watch(root, **{**WATCH, **wired(dict(listeners=1)), **(p.manager or {})})
        taken.recorded[0] = root.shadow.sap.recorded
    p.program.dispatcher = root.gpu.dispatcher.host
    return root


def attribute(policy: str) -> str:
    """A policy's name in root.shadow."""
    return policy.replace("-", "_")


def shadow_of(root: Root, policy: str) -> Any:
    """The component of a machine of shadows() that counts a policy's hits."""
    return root.distances if policy == "lru" else getattr(root.shadow, attribute(policy))


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, policy, machine) of each policy, with a program of that scale."""
    for policy in policies():
        program, limit = workloads.program("NN", scale)
        yield "", policy, machine(MachineParameters(policy, program, dispatcher=dict(max_instructions=limit)))
