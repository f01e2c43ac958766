"""CMD's ten platforms on one controller's share of Table II's GPU.

`machine(MachineParameters(platform, program))` builds any of them. Values are from Table II or are assumptions
(docs/models/assumptions.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ... import Root, SimObject, cmd, mem
from ...model.energy import components
from ...errors import user_error
from ...model.provenance import assumed, cited, derived, inferred, options, source_of, stated, swept, wired, with_unit
from ...model.units import Bytes
from ...systems.interleave import Interleave, join
from ...systems.parameters import Parameters, described_by, of_region
from ...systems.processor import Gpu, gpu
from ...systems.scale import components as proportions
from ...systems.scale import footprint as footprint_of
from ...systems.scale import up_to
from . import energy, scale, workloads
from .fronts import NOTHING, PLATFORMS, TABLE_II, check_options

# The configuration as it was from April 2020 to May 2021. Later ones differ: L1 of 32 cycles, 194 cycles to the L2.
RTX2060 = "GPGPU-Sim of June 2020 (3e580ee6), SM75_RTX2060/gpgpusim.config"
CLOCK = stated("1365MHz", TABLE_II)
THREE_TIMES = "tCL=17.1ns tRP=17.1ns tRCDRD=17.1ns tRCDWR=17.1ns tRAS=42.9ns tRC=60ns tWR=17.1ns"
INTERLEAVE = cited("256B", f"{RTX2060}: gpgpu_mem_addr_mapping dramid@8")
ENTRY = 22  # bytes of an entry of the hash store: 16 of hash, 4 of reference, 2 of count
BCD_STORE = 56 << 10  # bytes of 128 bases and 320 differences of 128 (compression=bcd)
FIFO = stated(16, "CMD IV-D: sectors of a slice's read-only FIFO")
SECTOR = 32
QUEUE = assumed(256, "all outstanding requests of a slice of the L2")
BEHIND_L2 = assumed(48, "cycles from a slice of the L2 to the part behind it: half of a miss's latency")


def cycles(n: float, hertz: float = 1365e6) -> str:
    """n cycles as a time."""
    text = f"{round(float(n) * 1e15 / hertz)}fs"
    return derived(text, from_=n) if source_of(n) else text


SM: Parameters = dict(
    **stated(dict(warp_slots=32, schedulers=4), f"{TABLE_II}: 1024 threads of 32 a warp; 4 schedulers"),
    block_slots=assumed(16, f"the paper states none; {RTX2060} has 32"),
    scheduler=assumed("loose_round_robin", f"the paper states none; {RTX2060} has greedy_then_oldest"),
    arithmetic_latency=cited(4, f"{RTX2060}: ptx_opcode_latency_fp 4"),
)
L1: Parameters = dict(
    ways=scale.L1_WAYS,
    latency=cited(cycles(20), f"{RTX2060}: gpgpu_l1_latency 20"),
    **cited(
        dict(banks=4, write_policy="write_through", mshrs=256, targets=8),
        f"{RTX2060}: gpgpu_l1_banks 4, gpgpu_cache:dl1 A:256:8",
    ),
    accesses_per_cycle=assumed(4, "one of each bank"),
    **assumed(
        dict(write_allocate=True, fetch_on_write=False),
        f"sectors that are written in full are kept; {RTX2060} allocates none for a write",
    ),
    outstanding=assumed(512, "twice the misses"),
    set_hash=assumed("linear", "the paper states no hash of sets"),
)
NETWORK: Parameters = dict(
    width=stated("32B", TABLE_II),
    latency=cited(cycles(80), f"{RTX2060}: gpgpu_l2_rop_latency 160, half of it each way"),
    **assumed(dict(queue=64, buffer=64), f"as the queues of a partition; {RTX2060} has 512 places in its network"),
)
L2: Parameters = dict(
    latency=assumed(
        cycles(1),
        "the L2's latency lies on the way below it",
        sweep=[swept("100 cycles", "gpu.l2[*].latency=73.3ns")],
        name="L2 latency",
    ),
    **cited(dict(fetch_on_write=False, mshrs=192, targets=4), f"{RTX2060}: gpgpu_cache:dl2 L:B:m:L, A:192:4"),
    queue=cited(64, f"{RTX2060}: gpgpu_dram_partition_queues 64:64:64:64"),
    fill_port=cited(True, "GPGPU-Sim, gpu-cache.h: bandwidth_management has a data port and a fill port"),
    mem_queue=assumed(64, "as its queue above"),
    control_ports=wired(1),
    set_hash=assumed("linear", "the paper states no hash of sets"),
)


def platforms() -> list[str]:
    """Their names, in the order of the evaluation."""
    return list(PLATFORMS)


@dataclass(frozen=True)
class MachineParameters:
    """Parameters of machine().

    platform    one of platforms()
    program     the workload.Program that it runs
    size        counts and capacities of the machine; None: scale.scale() of the program's footprint
    bandwidth   of the paper's eight controllers together, in GB/s: 224, 448 or 896
    fifo        sectors of each read-only FIFO; None: 16, as the paper's, where the platform has FIFOs
    dispatcher  parameters of gpu.Dispatcher, such as max_instructions
    """

    platform: str
    program: SimObject
    size: scale.Scaled | None = None
    seed: int = 1
    bandwidth: int = 224
    fifo: int | None = None
    dispatcher: Parameters = field(default_factory=dict)


@described_by(MachineParameters)
def machine(p: MachineParameters) -> Root:
    """The machine of one platform.

    Returns a Root with `program`, `gpu` (dispatcher, sm, l1, network, l2), `fifo` where there are some, `join`, `front`
    (a cmd.Deduplicator), `dram`, `energy` (of its parts), and `scale` (its proportions beside the paper's). Caches
    are cold, and no block was written back.
    """
    check_options(p.platform, fifo=p.fifo)
    if p.bandwidth not in (224, 448, 896):
        raise user_error(f"a bandwidth of {p.bandwidth} GB/s: must be 224, 448 or 896")
    has_fifo = PLATFORMS[p.platform].get("fifo", False)
    size = p.size or scale.scale(footprint_of(p.program))
    root = Root(seed=p.seed, contents=True)
    root.program = p.program
    root.scale = proportions(size.invariants)
    root.gpu = gpu_of(p.platform, size, p.dispatcher)
    # The L2's latency is added below it: the requests in flight there must fit into the queues at its end.
    root.join = join(
        scale.SLICES,
        1,
        root.gpu.interleave,
        **assumed(dict(width="64B", latency="1fs"), "as wide as both slices, without a time of its own"),
        clock=CLOCK,
        queue=QUEUE,
    )
    root.front = front_of(p.platform, size, footprint_of(p.program))
    root.dram = dram_of(p.bandwidth)
    if has_fifo:  # it is looked up beside the L2: its hits send nothing to memory
        root.fifo = [
            mem.VictimBuffer(
                sectors=FIFO if p.fifo is None else derived(p.fifo, from_="Fig. 18's sizes"),
                miss_latency=cycles(BEHIND_L2 - 1),
                queue=QUEUE,
            )
            for _ in root.gpu.l2
        ]
    for i, l2 in enumerate(root.gpu.l2):
        below = root.join[0].cpu_side[i]
        if has_fifo:
            l2.mem_side = root.fifo[i].cpu_side
            root.fifo[i].mem_side = below
        else:
            l2.mem_side = below
        root.front.caches[i] = l2.control[0]
    root.join[0].mem_side[0] = root.front.cpu_side
    root.front.mem_side = root.dram.cpu_side
    p.program.dispatcher = root.gpu.dispatcher.host
    root.energy = components(energy.costs(on_chip(p.platform, size, p.fifo or FIFO)))
    return root


def gpu_of(platform: str, size: scale.Scaled, dispatcher: Parameters) -> Gpu:
    """SMs with their L1s, the crossbar and the L2's slices. The caller binds the slices' mem_side."""
    chosen = PLATFORMS[platform]
    ways = chosen.get("ways", scale.L2_WAYS)
    return gpu(
        sms=size.sms,
        slices=scale.SLICES,
        interleave=INTERLEAVE,
        memory=None,
        clock=CLOCK,
        dispatcher=dict(
            **stated(dict(registers=65536, shared="64KiB"), TABLE_II),
            **of_region(dispatcher),
        ),
        sm=SM,
        l1=dict(L1, capacity=with_unit(size.l1, "B")),
        network=NETWORK,
        l2=dict(
            L2,
            capacity=with_unit(size.l2 * ways // scale.L2_WAYS, "B"),
            ways=ways,
            miss_latency=(
                derived(cycles(1), from_=["the FIFO has the rest", BEHIND_L2])
                if chosen.get("fifo")
                else cycles(BEHIND_L2)
            ),
        ),
    )


def front_of(platform: str, size: scale.Scaled, bytes_of_program: int) -> SimObject:
    """The cmd.Deduplicator of the platform, in front of the memory controller."""
    made: SimObject = cmd.Deduplicator(
        capacity=derived(Bytes(up_to(bytes_of_program, 65536)), from_="the program's footprint"),
        interleave=INTERLEAVE,
        clock=CLOCK,
        queue=QUEUE,
        slices=scale.SLICES,
        hash_entries=size.hash_entries,
        map_cache=with_unit(size.map, "B"),
        type_cache=with_unit(size.type, "B"),
        mask_cache=with_unit(size.mask, "B"),
        **PLATFORMS[platform]["front"],
    )
    return made


def dram_of(bandwidth: int) -> SimObject:
    """The controller with its GDDR6; `bandwidth` is that of all eight, in GB/s."""
    times = bandwidth // 224
    gap = cycles(4 / times, 3500.5e6)
    made: SimObject = mem.DramController(
        timing=stated("cmd_gddr6", TABLE_II, sweep=options("--bandwidth", 448, 896), name="bandwidth"),
        capacity=derived("1GiB", from_="more than any program needs"),
        map=assumed("RoBaCoChCl", f"rows, banks, columns as {RTX2060}, without its bank bit among the columns"),
        read_queue=cited(64, f"{RTX2060}: gpgpu_frfcfs_dram_sched_queue_size 64"),
        changes=inferred(
            f"rate={28.004 * times}GB/s tCCD_S={gap} tCCD_L={gap}" if times > 1 else "",
            "CMD table II: cycles as printed, 5.7 ns, are a third of real GDDR6",
            sweep=[swept("3x", f"dram.changes={THREE_TIMES}")],
            name="GDDR6 of three times the cycles",
        ),
        latency=assumed(cycles(52), "the other half of a miss's latency"),
        **Interleave(1, INTERLEAVE).channel(0),
    )
    return made


def on_chip(platform: str, size: scale.Scaled, fifo: int = FIFO) -> energy.OnChip:
    """The memory on the chip of one controller's share of a platform, and the statistics that count its accesses."""
    chosen = PLATFORMS[platform]
    front, sectors = chosen["front"], scale.SLICES * fifo
    compression, detection = front.get("compression", "none"), front["detection"]
    looks: tuple[str, ...] = {"none": (), "ecc": ("writes",)}.get(detection, ("hashed",))
    return energy.OnChip(
        l2=size.l2 * chosen.get("ways", scale.L2_WAYS) // scale.L2_WAYS,
        tables=0 if front == NOTHING else size.metadata,
        store=size.hash_entries * ENTRY if looks else 0,
        looks=(*looks, *(["intra"] if front["intra"] == "block" else [])),
        fifo=sectors * SECTOR if chosen.get("fifo") else 0,
        bases=BCD_STORE if compression == "bcd" else 0,
        compresses=compression != "none",
    )


def each(scale: str = "tiny") -> Iterator[tuple[str, str, Root]]:
    """(mode, platform, machine) of each platform, with a program of that scale."""
    for platform in platforms():
        program, limit = workloads.program("bp", scale)
        yield "", platform, machine(MachineParameters(platform, program, dispatcher=dict(max_instructions=limit)))
